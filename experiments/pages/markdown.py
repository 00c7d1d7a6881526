"""What pages of Markdown are made of."""

from collections.abc import Iterable


def row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"
