"""Agents compared over the same deals: how it is run, its statistics, its report."""
