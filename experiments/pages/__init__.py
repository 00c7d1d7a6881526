"""Pages and pictures of the documentation, each made by a command."""
