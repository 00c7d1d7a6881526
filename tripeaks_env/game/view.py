"""What there is to see of a game: pictures and texts of boards are made from this alone, so nothing hidden leaks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripeaks_env.game.cards import FACE_DOWN, NO_CARD, card_symbol
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.engine import DRAW, STATUSES, Status, status, tables
from tripeaks_env.game.layout import COVERS, HALF_COLUMNS, POSITIONS, ROWS
from tripeaks_env.game.observation import observe
from tripeaks_env.game.rules import Rules

BACK = -1
"""Stands for a face-down card where cards are numbered."""
BACK_TEXT = "░░"
PITCH = 4
"""Columns of text from a card to its right neighbour; a card takes two."""
COLUMNS = [half * PITCH // 2 for half in HALF_COLUMNS]
"""The text column of each position."""


class View(NamedTuple):
    """One game as its player sees it.

    Attributes:
        tableau: int64 (28,), for each position the number of its face-up card (see :mod:`tripeaks_env.game.cards`), ``BACK``
            where it lies face down, ``NO_CARD`` where it is removed.
        waste: the number of the waste card, ``NO_CARD`` if there is none.
        stock: how many cards are left in the stock.
        score: the score.
        moves: the counter of moves.
        playable: the actions to highlight, 0-28; empty to highlight none.
        last: the last action, 0-28, or ``None`` at the start.
        status: where the game stands.
    """

    tableau: np.ndarray
    waste: int
    stock: int
    score: int
    moves: int
    playable: frozenset[int]
    last: int | None
    status: Status

    def exposed(self) -> list[int]:
        """Return the positions of the cards that nothing covers."""
        there = {position for position, card in enumerate(self.tableau.tolist()) if card != NO_CARD}
        return [position for position in sorted(there) if there.isdisjoint(COVERS[position])]

    def __str__(self) -> str:
        """Return the board as five lines of text without colour: the four rows, then stock, waste and counters."""
        lines = []
        for row in ROWS:
            line = ""
            for position in row:
                card = self.tableau.item(position)
                if card != NO_CARD:
                    line = line.ljust(COLUMNS[position]) + (BACK_TEXT if card == BACK else card_symbol(card))
            lines.append(line)
        waste = "empty" if self.waste == NO_CARD else card_symbol(self.waste)
        lines.append(f"stock {self.stock}   waste {waste}   score {self.score}   moves {self.moves}   {self.status}")
        return "\n".join(lines)


def view_of(slots: np.ndarray, game: np.ndarray, rules: Rules, highlight: bool = False) -> View:
    """Return what the player of a game sees.

    Args:
        slots: int8 (54,): the cards as they were dealt, see :func:`tripeaks_env.game.deals.deal_slots`, for their suits.
        game: the game, (1,) of :data:`tripeaks_env.game.engine.GAME`.
        rules: the rules that it is played by.
        highlight: whether to mark the legal actions as playable.
    """
    seen = observe(game, rules)
    ranks = seen["tableau"][0]
    tableau = np.where(ranks == FACE_DOWN, BACK, np.where(ranks, slots[:POSITIONS], NO_CARD)).astype(np.int64)
    length, drawn = game["length"].item(), game["drawn"].item()
    last = game["line"][0, length - 1].item() if length else None
    waste = slots[FIRST_WASTE + drawn if last is None or last == DRAW else last].item()
    return View(
        tableau=tableau,
        waste=waste,
        stock=rules.stock_size - drawn,
        score=game["score"].item(),
        moves=game["moves"].item(),
        playable=frozenset(seen["action_mask"][0, : DRAW + 1].nonzero()[0].tolist() if highlight else ()),
        last=last,
        status=STATUSES[status(game[0], tables(rules)[0])],
    )
