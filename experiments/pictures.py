"""Make the pictures of the documentation: ``make docs``, or ``python -m experiments.pictures [FOLDER]``."""

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tripeaks_env import Game
from tripeaks_env.files import replacing

# King, ace and two of the worked example: they turn up the seven of spades.
BOARD = Game("TP1-E-AAAAAAB", actions=[20, 23, 22])


def draw_board(game: Game, path: Path) -> None:
    """Write a picture (SVG) of the board as a player sees it, red suits in red."""
    board = Text(str(game))
    board.highlight_regex(r"\S[♦♥]", "bold red")
    board.highlight_regex(r"\S[♣♠]", "bold")
    board.highlight_regex(r"░░", "blue")
    console = Console(record=True, width=52, file=io.StringIO())
    console.print(board, "")
    with replacing(path) as part:
        console.save_svg(str(part), title="print(game)")


if __name__ == "__main__":
    draw_board(BOARD, Path(*(sys.argv[1:] or ["docs"])) / "board.svg")
