"""What TriPeaks is and how it moves: cards, tables of the layout, rules, deals, the engine, what is seen, and the game."""
