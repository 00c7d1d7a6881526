"""For people: the session of a game, watching, texts; in the terminal and in a window."""
