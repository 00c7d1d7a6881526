"""The benchmark: train agents from configs, compare them over seeded deals with each other and with the optimum."""
