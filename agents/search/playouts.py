"""Playouts: kernels that play a game on to its end by a simple policy, which goes by what a player sees.

The cards of the game are dealt, but the policies choose among the exposed cards that can be removed and never look at a
hidden one. So the mean over playouts in sampled worlds is what a fair player of that policy can expect.
"""

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.deals import below
from tripeaks_env.game.engine import DRAW, removable, step
from tripeaks_env.game.layout import NOWHERE

POLICIES = ("greedy", "opener")
"""What a playout plays. ``"greedy"``: a uniformly chosen legal removal. ``"opener"``: the removal that turns up most cards,
ties uniformly. Both draw when there is no removal. The kernels call them by their place in this list."""
OPENER = POLICIES.index("opener")


@kernel
def turned_up(game: np.void, position: int, table: np.void) -> int:
    """Return how many cards the removal of an exposed card would uncover, which turns them face up."""
    number = 0
    for i in range(2):
        under = int(table["beneath"][position, i])
        if under != NOWHERE and game["remaining"] & table["covers"][under] == 1 << position:
            number += 1
    return number


@kernel
def policy_action(game: np.void, table: np.void, policy: int, state: np.ndarray) -> int:
    """Return what a policy plays in a game that is not over.

    Args:
        game: a record of :data:`tripeaks_env.game.engine.GAME`.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        policy: an index of :data:`POLICIES`.
        state: uint64 (1,), of the generator; changed.
    """
    choices = int(removable(game, table))
    if choices == 0:
        return DRAW
    if choices & (choices - 1) == 0:
        return _place_of_bit(choices, 0)
    if policy == OPENER:
        choices = _best_openers(game, choices, table)
    return random_bit(choices, state)


@kernel
def random_bit(bits: int, state: np.ndarray) -> int:
    """Return the place of a uniformly chosen bit of ``bits``, not 0; ``state``, uint64 (1,), is the generator's."""
    number = 0
    rest = bits
    while rest:
        rest &= rest - 1
        number += 1
    return _place_of_bit(bits, below(state, number) if number > 1 else 0)


@kernel
def _best_openers(game: np.void, choices: int, table: np.void) -> int:
    """Return those of some removals, as a mask, that turn up most cards."""
    best, most = 0, -1
    position = 0
    while choices >> position:
        if (choices >> position) & 1:
            turned = turned_up(game, position, table)
            if turned > most:
                best, most = 0, turned
            if turned == most:
                best |= 1 << position
        position += 1
    return best


@kernel
def _place_of_bit(bits: int, before: int) -> int:
    """Return the place of the bit that has ``before`` set bits below it."""
    for _ in range(before):
        bits &= bits - 1
    place = 0
    while not (bits >> place) & 1:
        place += 1
    return place


@kernel
def play_out(game: np.void, table: np.void, policy: int, state: np.ndarray) -> None:
    """Play a game to its end by a policy; the arguments are those of :func:`policy_action`."""
    while game["remaining"] and (game["drawn"] < table["stock"] or removable(game, table)):
        step(game, policy_action(game, table, policy, state), table)


@kernel
def worth_of_end(game: np.void, win_bonus: float) -> float:
    """Return what a finished game is worth: the points since its score was 0, and the bonus if it is won."""
    return game["score"] + (win_bonus if game["remaining"] == 0 else 0.0)
