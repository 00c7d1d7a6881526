"""Playing and watching games: a session without input or output, and a terminal and a window around it."""
