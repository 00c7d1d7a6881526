"""What pages of Markdown are made of."""

from collections.abc import Iterable
from pathlib import Path

from matplotlib.figure import Figure

from tripeaks_env.parallel.files import replacing


def table(head: Iterable[str], rule: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table; ``rule`` is the line below its head, which says how the columns are set."""
    first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join([first, rule, *others])


def save(figure: Figure, path: Path) -> None:
    """Write a picture beside a page."""
    with replacing(path) as part:
        figure.savefig(part, metadata={"Date": None})
