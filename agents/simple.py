"""Agents without learning or search: uniform choices among actions that a simple rule prefers, or somebody's function."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tripeaks_env.game.cards import EMPTY
from tripeaks_env.game.layout import COVERS, POSITIONS
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules
from tripeaks_env.game.sampling import sample_actions

COVER_MATRIX = np.array([[other in covers for other in range(POSITIONS)] for covers in COVERS], dtype=np.int8)
"""int8 (28, 28): 1 where the second position covers the first."""


def frees(observation: Observation) -> np.ndarray:
    """Return int8 (N, 28): how many cards each removal would uncover, which turns them face up."""
    there = (observation["tableau"] != EMPTY).astype(np.int8)
    one_cover_left = (there @ COVER_MATRIX.T == 1).astype(np.int8)
    return one_cover_left @ COVER_MATRIX


class RandomAgent:
    """Uniform over all legal actions, the draw included."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        return sample_actions(action_mask, self.rng)


class GreedyAgent(RandomAgent):
    """Uniform over the legal removals; draws when there is none."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        return self._best_removal(action_mask, np.zeros((len(action_mask), POSITIONS)))

    def _best_removal(self, action_mask: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Return the legal removal of highest ``value``, (N, 28), ties at random, or the draw where there is none."""
        preference = np.column_stack([value, np.full(len(value), -np.inf)])
        preference = np.where(action_mask == 1, preference, -np.inf)
        best = (action_mask == 1) & (preference == preference.max(axis=1, keepdims=True))
        return sample_actions(best, self.rng)


class OpenerAgent(GreedyAgent):
    """The legal removal that turns up most cards, ties uniformly at random; draws when there is none."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        return self._best_removal(action_mask, frees(observation))


class FunctionAgent:
    """Plays by a function, which has no memory: it chooses from one observation.

    Args:
        function: is called as ``function(observation, action_mask, **keywords)`` and returns what ``act`` does.
        keywords: further arguments.
    """

    def __init__(self, function: Callable[..., Any], **keywords: Any) -> None:
        self.function, self.keywords = function, keywords

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        return self.function(observation, action_mask, **self.keywords)
