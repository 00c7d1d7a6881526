"""The board as text: what a player sees, with face-down cards hidden."""

from tripeaks_env.cards import NO_CARD, card_symbol
from tripeaks_env.layout import COVERS, POSITIONS, ROWS
from tripeaks_env.view import BACK as FACE_DOWN_CARD
from tripeaks_env.view import View

BACK = "░░"
PITCH = 4  # columns from a card to its right neighbour; a card takes two


def _columns() -> list[int]:
    """Return the text column of each position: a card lies midway between its two covers."""
    columns = [0] * POSITIONS
    for position in reversed(range(POSITIONS)):
        covers = COVERS[position]
        columns[position] = (
            sum(columns[cover] for cover in covers) // 2 if covers else PITCH * (position - ROWS[-1].start)
        )
    return columns


COLUMNS = _columns()


def board_text(view: View) -> str:
    """Return the board as five lines of text without colour: the four rows, then stock, waste and counters."""
    lines = []
    for row in ROWS:
        line = ""
        for position in row:
            card = view.tableau.item(position)
            if card != NO_CARD:
                line = line.ljust(COLUMNS[position]) + (BACK if card == FACE_DOWN_CARD else card_symbol(card))
        lines.append(line)
    counters = {
        "stock": view.stock,
        "waste": "empty" if view.waste == NO_CARD else card_symbol(view.waste),
        "score": view.score,
        "moves": view.moves,
    }
    lines.append("   ".join(f"{name} {value}" for name, value in counters.items()) + f"   {view.status}")
    return "\n".join(lines)
