"""What there is to see of a game: pictures of boards are made from this alone, so that nothing hidden can leak into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tripeaks_env.cards import FACE_DOWN, NO_CARD
from tripeaks_env.deals import FIRST_WASTE, Deal, deal_slots
from tripeaks_env.engine import DRAW, Status
from tripeaks_env.layout import COVERS, POSITIONS
from tripeaks_env.observation import observe
from tripeaks_env.rules import Rules

if TYPE_CHECKING:
    from tripeaks_env.game import Game

BACK = -1
"""Stands for a face-down card where cards are numbered."""


class View(NamedTuple):
    """One game as its player sees it.

    Attributes:
        tableau: int64 (28,), for each position the number of its face-up card (see :mod:`tripeaks_env.cards`), ``BACK``
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


def view_of(game: Game, highlight: bool = False) -> View:
    """Return what the player of a game sees, with the legal actions marked as playable if ``highlight``."""
    return view_of_record(game.deal, game.record, game.rules, game.status, highlight)


def view_of_record(deal: Deal, game: np.ndarray, rules: Rules, status: Status, highlight: bool = False) -> View:
    """Return what the player of a game sees.

    Args:
        deal: the cards, for their suits.
        game: one game, (1,) of :data:`tripeaks_env.engine.GAME`.
        rules: the rules that it is played by.
        status: where the game stands.
        highlight: whether to mark the legal actions as playable.
    """
    slots = deal_slots([deal], rules)[0]
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
        status=status,
    )
