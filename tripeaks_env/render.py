"""The board as text: what a player sees, with face-down cards hidden."""

from tripeaks_env.cards import NO_CARD, card_symbol
from tripeaks_env.layout import HALF_COLUMNS, ROWS
from tripeaks_env.view import BACK as FACE_DOWN_CARD
from tripeaks_env.view import View

BACK = "░░"
PITCH = 4  # columns from a card to its right neighbour; a card takes two


COLUMNS = [half * PITCH // 2 for half in HALF_COLUMNS]
"""The text column of each position."""


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
