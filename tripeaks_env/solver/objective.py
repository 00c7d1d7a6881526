"""What the solvers look for, as points: the score alone, or a win before it."""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.lattice import lattice

Objective = Literal["score", "win", "moves"]
"""``"score"``: the best final score. ``"win"``: a win if there is one, with the best score of all wins. ``"moves"``: a win
with the fewest moves (28 removals and as few draws as possible), of those the best score. Where no win is possible, all three
look for the best score."""
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


class Weights(NamedTuple):
    """What an objective adds to the points of a win, and of a draw; a game that is not won has drawn all cards."""

    win: int
    draw: int


# Scores differ by less than 2**27, see tripeaks_env.Scoring.
WEIGHTS = {"score": Weights(0, 0), "win": Weights(1 << 40, 0), "moves": Weights(1 << 40, -(1 << 28))}


class Worth(NamedTuple):
    """Points of every kind, as the kernels read them.

    Attributes:
        of_mask: int64 (22932,): of removals and emptied peaks up to each mask of the lattice.
        draw: of a draw.
        win: of a win.
        streak: 1 where the n-th removal of a run is worth n points more, else 0.
    """

    of_mask: np.ndarray
    draw: int
    win: int
    streak: int


@lru_cache(maxsize=64)
def worth(rules: Rules, objective: Objective) -> Worth:
    """Return what everything is worth by ``rules``, to reach an objective."""
    board, scoring, weights = lattice(), rules.scoring, WEIGHTS[objective]
    of_mask = np.cumsum([0, *scoring.peaks])[board.peaks] + board.removed * np.int64(scoring.removal)
    of_mask.setflags(write=False)
    return Worth(of_mask, scoring.draw + weights.draw, weights.win, int(scoring.streak))
