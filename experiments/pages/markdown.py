"""What pages of Markdown are made of."""

import html
import re
from collections.abc import Iterable

from tripeaks_env.game.arguments import one_line


def text(foreign: object) -> str:
    """Return a text that stands in Markdown as it is, whatever it has of Markdown or HTML."""
    return re.sub(r"([\\`*\[\]|])", r"\\\1", html.escape(one_line(foreign), quote=False))


def row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"
