"""Best play with all cards known: of one deal, of many deals at once, after every action; hints and difficulty."""
