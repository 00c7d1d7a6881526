"""Runs and what they leave: their folder, what made them, and what is kept of them."""
