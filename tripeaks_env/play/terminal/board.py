"""The board drawn with characters: cards that overlap, as large as the terminal allows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from rich.text import Text

from tripeaks_env.game.cards import NO_CARD
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import HALF_COLUMNS, POSITIONS, ROWS
from tripeaks_env.game.view import BACK, View
from tripeaks_env.play.session import card_name, uncovered

DIGITS = "1234567890"
"""The keys of the ten columns, left to right."""
REDS = "♦♥"
USUAL, PLAYABLE, HINTED = "╭─╮│╰╯", "┏━┓┃┗┛", "╔═╗║╚╝"
"""Borders: upper left, across, upper right, upright, lower left, lower right."""


class Size(NamedTuple):
    """How large cards are, in characters.

    Attributes:
        width: of a card.
        height: of a card; 1 has no border.
        half: characters from a card to the one that covers it on the right.
        step: lines from a row to the next.
    """

    width: int
    height: int
    half: int
    step: int

    @property
    def columns(self) -> int:
        """How many columns the tableau takes."""
        return 18 * self.half + self.width

    @property
    def lines(self) -> int:
        """How many lines the tableau takes."""
        return 3 * self.step + self.height


SIZES = (Size(10, 5, 6, 3), Size(6, 3, 4, 2), Size(5, 3, 3, 2), Size(3, 1, 2, 1))
"""Large to small."""


COLUMN = [half // 2 for half in HALF_COLUMNS]
"""Which of :data:`DIGITS` plays the card at each position: that of the column its left half is in. Two uncovered cards never
share one, as a card is covered as long as anything lies there in the rows below."""


ROW = [row for row, positions in enumerate(ROWS) for _ in positions]
"""The row of each position, 0 (summits) to 3."""


def at_column(game: Game, column: int) -> int:
    """Return the position that a digit means: the uncovered card of that column, else a covered one, else a removed one."""
    mine = {position for position in range(POSITIONS) if COLUMN[position] == column}
    return max(mine.intersection(game.view().exposed()) or mine.intersection(game.remaining) or mine)


def nearest(game: Game, position: int) -> int | None:
    """Return the uncovered card nearest to a position, or ``None`` if the game is won."""
    columns = HALF_COLUMNS
    return min(uncovered(game), key=lambda card: abs(columns[card] - columns[position]), default=None)


def moved(game: Game, cursor: int | None, key: str) -> int:
    """Return where the cursor is after an arrow: sideways among uncovered cards, up and down among all, the stock below."""
    cards = uncovered(game)
    if cursor is None or not cards:
        return next((card for card in cards if card in game.legal_actions()), DRAW)
    if cursor == DRAW:
        return {"up": cards[0], "right": cards[0], "left": cards[-1]}.get(key, DRAW)
    x, y = HALF_COLUMNS[cursor], ROW[cursor]
    if key == "left":
        return next((card for card in reversed(cards) if HALF_COLUMNS[card] < x), cursor)
    if key == "right":
        return next((card for card in cards if HALF_COLUMNS[card] > x), cursor)
    others = [card for card in game.remaining if (ROW[card] < y if key == "up" else ROW[card] > y)]
    beyond = DRAW if key == "down" else cursor
    return min(others, key=lambda card: (abs(ROW[card] - y), abs(HALF_COLUMNS[card] - x)), default=beyond)


@dataclass(frozen=True)
class Marks:
    """What is marked on a board.

    Attributes:
        playable: cards (0-27) and stock (28) that can be played.
        cursor: the card or the stock that the cursor is on, or ``None``.
        hint: the card or the stock that was hinted at, or ``None``.
        labels: whether cards have the digit that plays them.
    """

    playable: Collection[int] = ()
    cursor: int | None = None
    hint: int | None = None
    labels: bool = True

    def style(self, action: int) -> str:
        """Return the style of a card's border."""
        if action == self.cursor:
            return "bold reverse"
        if action == self.hint:
            return "bold magenta"
        return "bold green" if action in self.playable else ""

    def border(self, action: int) -> str:
        """Return the characters of a card's border, so that marks show without colour."""
        return HINTED if action == self.hint else PLAYABLE if action in self.playable else USUAL


class Canvas:
    """Characters with styles, which later ones are drawn over."""

    def __init__(self, width: int, height: int) -> None:
        self.cells = [[(" ", "")] * width for _ in range(height)]

    def write(self, x: int, y: int, characters: str, style: str = "") -> None:
        """Write characters from a place to the right; what is outside is left out."""
        for i, character in enumerate(characters):
            if 0 <= y < len(self.cells) and 0 <= x + i < len(self.cells[y]):
                self.cells[y][x + i] = (character, style)

    def text(self) -> Text:
        """Return it all as lines."""
        lines = [Text.assemble(*row) for row in self.cells]
        for line in lines:
            line.rstrip()
        return Text("\n").join(lines)


def board(view: View, size: Size, marks: Marks, words: tuple[str, str]) -> Text:
    """Return the tableau, the stock and the waste.

    Args:
        view: what the player sees.
        size: of the cards.
        marks: what is marked; what the view has as playable is not looked at.
        words: for stock and waste.
    """
    small = size.height == 1
    below = size.lines + (small and marks.labels)  # small cards have their digits in a line below
    canvas = Canvas(size.columns, below + size.height)
    exposed = view.exposed()
    for position, card in enumerate(view.tableau.tolist()):
        if card == NO_CARD:
            continue
        x, y = HALF_COLUMNS[position] * size.half, ROW[position] * size.step
        label = DIGITS[COLUMN[position]] if position in exposed and marks.labels else ""
        if small and label:
            canvas.write(2 * size.half * COLUMN[position] + 1, size.lines, label, marks.style(position) or "dim")
        _card(canvas, x, y, size, card, label, marks, position)
    _piles(canvas, below, size, view, marks, words)
    return canvas.text()


def _piles(canvas: Canvas, y: int, size: Size, view: View, marks: Marks, words: tuple[str, str]) -> None:
    """Draw ``stock`` with its count and ``waste`` in a row."""
    middle = y + (size.height - 1) // 2
    stock, waste = words
    canvas.write(0, middle, stock, "dim")
    x = len(stock) + 1
    if view.stock:
        _card(canvas, x, y, size, BACK, "d" if marks.labels else "", marks, DRAW)
    else:
        canvas.write(x, middle, "--".center(size.width), marks.style(DRAW))
    x += size.width + 1
    canvas.write(x, middle, f"×{view.stock}", "bold")
    x += 6
    canvas.write(x, middle, waste, "dim")
    if view.waste != NO_CARD:
        _card(canvas, x + len(waste) + 1, y, size, view.waste, "", Marks(), DRAW)


def _card(canvas: Canvas, x: int, y: int, size: Size, card: int, label: str, marks: Marks, action: int) -> None:
    """Draw a card, or its back."""
    width, height, style = size.width, size.height, marks.style(action)
    name = "" if card == BACK else card_name(card)
    chosen = action == marks.cursor
    ink = "reverse" if chosen else "cyan" if card == BACK else "red" if name[-1] in REDS else ""
    ink += " bold" if name else ""
    if height == 1:
        ink = style or ink if card == BACK else ink
        marked = f"{ink} underline" if marks.border(action) != USUAL else ink
        canvas.write(x, y, name.ljust(width - 1) if name else "░" * width, marked)
        return
    corners = marks.border(action)
    across, upright = corners[1], corners[3]
    canvas.write(x, y, corners[0] + across + label + across * (width - 3 - len(label)) + corners[2], style)
    for i in range(1, height - 1):
        canvas.write(x, y + i, upright, style)
        canvas.write(x + 1, y + i, (" " if name else "░") * (width - 2), ink)
        canvas.write(x + width - 1, y + i, upright, style)
    canvas.write(x, y + height - 1, corners[4] + across * (width - 2) + corners[5], style)
    canvas.write(x + 1, y + 1, name, ink)
    if height > 3:
        canvas.write(x + width - 1 - len(name), y + height - 2, name, ink)
        canvas.write(x + width // 2, y + height // 2, name[-1:], ink)
