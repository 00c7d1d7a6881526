"""What an agent is."""

from typing import Protocol, runtime_checkable

import numpy as np

from tripeaks_env.observation import Observation
from tripeaks_env.rules import Rules


@runtime_checkable
class Agent(Protocol):
    """A policy that plays N games at once from what is visible.

    A class of this kind is made with ``cls(rules=rules, seed=seed)``; see :func:`agents.make`.
    """

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games.

        Args:
            observation: the parts of the environment's observation, int8, each with a leading axis N.
            action_mask: int8 (N, 29): 1 for legal actions, at least one in each row.

        Returns:
            Integers (N,), each 0-27 (remove) or 28 (draw).
        """
        ...


@runtime_checkable
class OracleAgent(Agent, Protocol):
    """An agent that sees all cards. It is no fair player: results list it apart."""

    def reveal(self, games: np.ndarray, rules: Rules) -> None:
        """Show the agent the games, (N,) of :data:`tripeaks_env.engine.GAME`, whose observations ``act`` gets next."""
        ...
