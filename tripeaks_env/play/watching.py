"""An agent that is watched: asked about one game at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tripeaks_env.env.agent import Agent, AgentError, ask, values_of
from tripeaks_env.game.game import Game

Choose = Callable[[Game], tuple[int, "np.ndarray | None"]]
"""Returns the action in a game that is not over, and what the agent goes by, float (29,), NaN where an action is illegal, or
``None`` if it does not tell."""


def chooser(agent: Agent, name: str) -> Choose:
    """Return how an agent chooses; ``name`` is for messages. What it does wrong is a ValueError of one line."""

    def choose(game: Game) -> tuple[int, np.ndarray | None]:
        try:
            action = ask(agent, game.record, game.rules).actions.item()
            values = values_of(agent, game.record, game.rules)
        except AgentError as error:
            raise ValueError(f"agent {name!r}: {error}") from error
        return action, None if values is None else values[0]

    return choose
