"""Boards as pictures: cards, landscape and board drawn at any size, and the screen that shows them; histograms and tables."""
