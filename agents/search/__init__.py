"""Agents that search: they play on in worlds that are possible by what is seen."""
