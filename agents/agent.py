"""What an agent is."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tripeaks_env.observation import Observation
from tripeaks_env.rules import Rules

LONGEST = 300
"""Characters of a message of somebody's code that are passed on."""


def describe(error: BaseException) -> str:
    """Return in one line what somebody's code raised, and where."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "its message cannot be shown"
    message = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in message[:LONGEST])
    text = f"{type(error).__name__}: {message}"
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else text


@runtime_checkable
class Agent(Protocol):
    """A policy that plays N games at once from what is visible.

    A class of this kind is made with ``cls(rules=rules, seed=seed)``; see :func:`agents.make`. Games that are over drop out
    between two calls of ``act``, so N falls and a game's row moves: everything to go by is in the observation.

    An agent may have a method ``values`` too, with the arguments of ``act``: what it goes by, float (N, 29), higher is
    better, NaN where an action is illegal. ``tripeaks watch`` shows them.
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


class FunctionAgent:
    """Plays by a function, which has no memory: it chooses from one observation.

    Args:
        function: is called as ``function(observation, action_mask, **keywords)`` and returns what ``act`` does.
        keywords: further arguments.
    """

    def __init__(self, function: Callable[..., Any], **keywords: Any) -> None:
        self.function, self.keywords = function, keywords

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`Agent.act`."""
        return self.function(observation, action_mask, **self.keywords)
