"""Uniform legal actions for many games at once; Gymnasium's own sampler of masked actions works one by one."""

import numpy as np

from tripeaks_env._jit import kernel


def sample_actions(action_mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return for each of N games one of its legal actions, int64 (N,), uniformly at random; one draw of ``rng`` each.

    A game without a legal action gets 0: it is over, and a vector environment that is about to reset it ignores its action.

    Args:
        action_mask: numbers or bool (N, A), such as the ``action_mask`` of observations: not zero for legal actions.
        rng: the generator.

    Raises:
        ValueError: the mask has another shape, or ``rng`` is no generator.
    """
    action_mask = np.asarray(action_mask) != 0
    if action_mask.ndim != 2:
        raise ValueError(f"action_mask is {action_mask.shape}; it must be (N, A), a row for each game")
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng is {rng!r}; it must be a generator, such as np.random.default_rng(0)")
    actions = np.zeros(len(action_mask), dtype=np.int64)
    _sample(action_mask, rng.random(len(action_mask)), actions)
    return actions


@kernel
def _sample(action_mask: np.ndarray, uniform: np.ndarray, actions: np.ndarray) -> None:
    """Write the ``uniform``-quantile of the legal actions of each row, if it has any."""
    legal = np.empty(action_mask.shape[1], dtype=np.int64)
    for game in range(len(actions)):
        found = 0
        for action in range(action_mask.shape[1]):
            legal[found] = action  # is overwritten by the next unless it is legal: no branch to predict
            found += action_mask[game, action]
        actions[game] = legal[int(uniform[game] * found)] if found else 0
