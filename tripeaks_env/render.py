"""The board as text: what a player sees, with face-down cards hidden."""

import numpy as np

from tripeaks_env.cards import FACE_DOWN, NO_CARD, card_symbol
from tripeaks_env.deals import FIRST_WASTE, Deal, deal_slots
from tripeaks_env.engine import DRAW, Status
from tripeaks_env.layout import COVERS, POSITIONS, ROWS
from tripeaks_env.observation import observe
from tripeaks_env.rules import Rules

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


def board_text(deal: Deal, game: np.ndarray, rules: Rules, status: Status) -> str:
    """Return the board as five lines of text without colour: the four rows, then stock, waste and counters.

    Args:
        deal: the cards, for their suits.
        game: one game, (1,) of :data:`tripeaks_env.engine.GAME`.
        rules: the rules that it is played by.
        status: where the game stands.
    """
    slots = deal_slots([deal], rules)[0].tolist()
    tableau = observe(game, rules)["tableau"][0]
    lines = []
    for row in ROWS:
        line = ""
        for position in row:
            if tableau[position]:
                face = BACK if tableau[position] == FACE_DOWN else card_symbol(slots[position])
                line = line.ljust(COLUMNS[position]) + face
        lines.append(line)
    length, drawn = int(game["length"][0]), int(game["drawn"][0])
    last = game["line"][0, length - 1] if length else DRAW
    waste = slots[FIRST_WASTE + drawn if last == DRAW else last]
    counters = {
        "stock": rules.stock_size - drawn,
        "waste": "empty" if waste == NO_CARD else card_symbol(waste),
        "score": game["score"][0],
        "moves": game["moves"][0],
    }
    lines.append("   ".join(f"{name} {value}" for name, value in counters.items()) + f"   {status}")
    return "\n".join(lines)
