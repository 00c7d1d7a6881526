"""Sequential halving: kernels that share a budget of simulations among the legal actions of a decision.

The budget is spent in rounds, each with an equal part of it. All actions that are left are tried in the same worlds, as often
as the round's part allows; then the worse half of them drops out. (Karnin, Koren and Somekh: Almost optimal exploration in
multi-armed bandits, 2013. Beyond that, what earlier rounds found counts on, as all that are left were tried in all worlds.)
"""

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.engine import DRAW, legal_mask


@kernel
def legal_actions(game: np.void, table: np.void, actions: np.ndarray) -> int:
    """Write the legal actions of a game, removals before the draw, to ``actions``, int64 (29,); return how many they are."""
    choices = legal_mask(game, table)
    number = 0
    for action in range(DRAW + 1):
        if (choices >> action) & 1:
            actions[number] = action
            number += 1
    return number


@kernel
def worlds_per_round(simulations: int, left: int, actions: int) -> int:
    """Return in how many worlds a round tries each action, at least one.

    Args:
        simulations: the budget of the decision.
        left: how many actions are left in the round.
        actions: with how many the first round began.
    """
    rounds = 1
    while actions > 2:
        actions = (actions + 1) // 2
        rounds += 1
    return max(1, simulations // (left * rounds))


@kernel
def halve(actions: np.ndarray, left: int, totals: np.ndarray) -> int:
    """Put the actions of highest totals first, equal ones in their order, and return how many are left: half, rounded up.

    Args:
        actions: int64 (29,): the actions, of which the first ``left`` are; changed.
        left: how many are left, at least 2.
        totals: float64 (29,): the sum of what was found of each action.
    """
    for i in range(1, left):
        action = actions[i]
        place = i
        while place and totals[actions[place - 1]] < totals[action]:
            actions[place] = actions[place - 1]
            place -= 1
        actions[place] = action
    return (left + 1) // 2
