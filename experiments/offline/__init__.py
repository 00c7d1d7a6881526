"""Games of agents as data sets of Minari."""
