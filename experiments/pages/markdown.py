"""What pages of Markdown are made of."""

import html
import re
from collections.abc import Iterable
from pathlib import Path

from matplotlib.figure import Figure

from experiments.comparison.report.plots import boxes_for_glyphs
from tripeaks_env.game.arguments import one_line
from tripeaks_env.parallel.files import replacing


def text(foreign: object) -> str:
    """Return a text that stands in Markdown as it is, whatever it has of Markdown or HTML."""
    return re.sub(r"([\\`*\[\]|])", r"\\\1", html.escape(one_line(foreign), quote=False))


def table(head: Iterable[str], rule: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table; ``rule`` is the line below its head, which says how the columns are set."""
    first, *others = (f"| {' | '.join(cells)} |" for cells in (head, *rows))
    return "\n".join([first, rule, *others])


def save(figure: Figure, path: Path) -> None:
    """Write a picture beside a page."""
    with replacing(path) as part, boxes_for_glyphs():
        figure.savefig(part, metadata={"Date": None})
