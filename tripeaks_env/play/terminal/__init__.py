"""Play and watch in the terminal."""
