"""Agents to watch: those of a checkout, asked about one game at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tripeaks_env.engine import DRAW
from tripeaks_env.game import Game
from tripeaks_env.observation import observe
from tripeaks_env.rules import Rules

Choose = Callable[[Game], tuple[int, "np.ndarray | None"]]
"""Returns the action in a game that is not over, and what the agent goes by, float (29,), NaN where an action is illegal, or
``None`` if it does not tell."""

NO_CHECKOUT = (
    "the agents are not here: watch needs the package agents of the repository; run it in a checkout of tripeaks-env"
)


def load(name: str, rules: Rules, seed: int = 0) -> Choose:
    """Return how an agent chooses.

    Args:
        name: a name, ``module:Class``, ``module:function`` or file as ``agents.make`` takes it. Modules are looked for in the
            current directory too.
        rules: the rules that it will play by.
        seed: of its own random choices.

    Raises:
        ValueError: the package ``agents`` is not found, or there is no such agent; in one line.
    """
    checkout = Path(__file__).resolve().parents[2]
    for folder in (str(checkout), ""):  # for the command, neither is on the path
        if folder not in sys.path and (not folder or (checkout / "agents").is_dir()):
            sys.path.append(folder)
    try:
        from agents import make
        from agents.agent import OracleAgent, describe
    except ModuleNotFoundError as error:
        raise ValueError(NO_CHECKOUT if error.name == "agents" else f"{error.name} is not installed") from error
    agent = make(name, rules, seed)

    def choose(game: Game) -> tuple[int, np.ndarray | None]:
        record = game.record
        observation = observe(record, rules)
        mask = observation["action_mask"].copy()
        try:
            if isinstance(agent, OracleAgent):
                agent.reveal(record.copy(), rules)
            chosen = np.asarray(agent.act(observation, mask.copy()))
            ask = getattr(agent, "values", None)
            values = np.asarray(ask(observe(record, rules), mask.copy()), dtype=float)[0] if callable(ask) else None
        except (Exception, SystemExit) as error:  # whatever somebody's agent does
            raise ValueError(f"agent {name!r}: act raised {describe(error)}") from error
        if chosen.shape != (1,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(f"agent {name!r}: act returned {chosen.dtype} {chosen.shape}; it must be integers (1,)")
        action = int(chosen[0])
        if not 0 <= action <= DRAW or not mask[0, action]:
            raise ValueError(f"agent {name!r}: act returned the action {action}, which is illegal there")
        return action, values if values is not None and values.shape == (DRAW + 1,) else None

    return choose
