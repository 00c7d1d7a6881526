"""Agents that learned: networks, and searches that go by what a network expects."""
