"""The board drawn with characters: cards that overlap, as large as the terminal allows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from rich.text import Text

from tripeaks_env.cards import FACE_DOWN, NO_CARD
from tripeaks_env.deals import FIRST_WASTE, deal_slots
from tripeaks_env.engine import DRAW
from tripeaks_env.game import Game
from tripeaks_env.layout import COVERS, POSITIONS, ROWS
from tripeaks_env.session import card_name

DIGITS = "1234567890"
"""The keys of the ten columns, left to right."""
REDS = "♦♥"


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


def half_columns() -> list[int]:
    """Return where each position lies, 0 to 18: a card lies midway between its two covers."""
    found = [0] * POSITIONS
    for position in reversed(range(POSITIONS)):
        covers = COVERS[position]
        found[position] = sum(found[cover] for cover in covers) // 2 if covers else 2 * (position - ROWS[-1].start)
    return found


HALF_COLUMNS = half_columns()
COLUMN = [half // 2 for half in HALF_COLUMNS]
"""Which of :data:`DIGITS` plays the card at each position: that of the column its left half is in. Two cards that nothing covers
never share one, as a card is covered as long as anything lies there in the rows below."""


def at_column(game: Game, column: int) -> int:
    """Return the position that a digit means: the uncovered card of that column, else a covered one, else a removed one."""
    there = game.remaining
    mine = [position for position in range(POSITIONS) if COLUMN[position] == column]
    uncovered = [p for p in mine if p in there and not any(cover in there for cover in COVERS[p])]
    return max(uncovered or [p for p in mine if p in there] or mine)


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
        styles = []
        if action in self.playable:
            styles.append("bold green")
        if action == self.hint:
            styles.append("bold magenta")
        if action == self.cursor:
            styles.append("reverse")
        return " ".join(styles)

    def heavy(self, action: int) -> bool:
        """Return whether a card has a border that shows without colour."""
        return action in self.playable or action == self.hint


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
        lines = []
        for row in self.cells:
            line = Text()
            for character, style in row:
                line.append(character, style)
            line.rstrip()
            lines.append(line)
        return Text("\n").join(lines)


def board(game: Game, size: Size, marks: Marks, words: tuple[str, str]) -> Text:
    """Return the tableau, the stock and the waste.

    Args:
        game: what a player sees of it is drawn.
        size: of the cards.
        marks: what is marked.
        words: for stock and waste.
    """
    small = size.height == 1
    below = size.lines + small  # small cards have their digits in a line below
    canvas = Canvas(size.columns, below + size.height)
    tableau = game.observation()["tableau"]
    for position in range(POSITIONS):
        if tableau[position]:
            row = next(i for i, each in enumerate(ROWS) if position in each)
            x, y = HALF_COLUMNS[position] * size.half, row * size.step
            face = None if tableau[position] == FACE_DOWN else game.deal.cards[position]
            uncovered = not any(tableau[cover] for cover in COVERS[position])
            label = DIGITS[COLUMN[position]] if uncovered and marks.labels else ""
            if small and label:
                canvas.write(2 * size.half * COLUMN[position] + 1, size.lines, label, marks.style(position) or "dim")
            _card(canvas, x, y, size, face, label, marks, position)
    _piles(canvas, below, size, game, marks, words)
    return canvas.text()


def _piles(canvas: Canvas, y: int, size: Size, game: Game, marks: Marks, words: tuple[str, str]) -> None:
    slots = deal_slots([game.deal], game.rules)[0].tolist()
    line = game.line
    waste = slots[line[-1] if line and line[-1] != DRAW else FIRST_WASTE + game.rules.stock_size - game.stock]
    middle, x = y + (size.height - 1) // 2, 0
    for number, word in enumerate(words):
        x += 0 if number == 0 else 2
        canvas.write(x, middle, word, "dim")
        x += len(word) + 1
        if number == 0:
            if game.stock:
                _card(canvas, x, y, size, None, "␣" if marks.labels else "", marks, DRAW)
            else:
                canvas.write(x, middle, "--".center(size.width), marks.style(DRAW))
            x += size.width + 1
            count = f"×{game.stock}"
            canvas.write(x, middle, count, "bold")
            x += len(count) + 1
        elif waste != NO_CARD:
            _card(canvas, x, y, size, waste, "", Marks(), DRAW)


def _card(canvas: Canvas, x: int, y: int, size: Size, face: int | None, label: str, marks: Marks, action: int) -> None:
    """Draw a card; without a face, its back."""
    width, height, style = size.width, size.height, marks.style(action)
    ink, name = "", ""
    if face is not None:
        name = card_name(face)
        ink = "bold red" if name[-1] in REDS else "bold"
        ink += " reverse" if "reverse" in style else ""
    back = "dim reverse" if "reverse" in style else "dim"
    if height == 1:
        if face is None:
            canvas.write(x, y, "░░░", style or back)
        else:
            marked = f"{ink} underline" if marks.heavy(action) else ink
            canvas.write(x, y, name.ljust(width - 1), marked)
        return
    corners = "┏━┓┃┗┛" if marks.heavy(action) else "╭─╮│╰╯"
    top = corners[1] * (width - 2)
    if label:
        top = top[0] + label + top[2:]
    canvas.write(x, y, corners[0] + top + corners[2], style)
    for i in range(1, height - 1):
        canvas.write(x, y + i, corners[3], style)
        if face is None:
            canvas.write(x + 1, y + i, "░" * (width - 2), back)
        else:
            canvas.write(x + 1, y + i, " " * (width - 2), ink)
        canvas.write(x + width - 1, y + i, corners[3], style)
    canvas.write(x, y + height - 1, corners[4] + corners[1] * (width - 2) + corners[5], style)
    if face is not None:
        canvas.write(x + 1, y + 1, name, ink)
        if height > 3:
            canvas.write(x + width - 1 - len(name), y + height - 2, name, ink)
            canvas.write(x + width // 2, y + height // 2, name[-1], ink)
