"""Playing an agent on many deals at once."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from agents import Agent, OracleAgent
from agents.agent import describe
from experiments.config import AgentError
from tripeaks_env.deals import number_slots
from tripeaks_env.engine import new_games, play_actions
from tripeaks_env.observation import observe
from tripeaks_env.rules import Rules


class Played(NamedTuple):
    """N played games.

    Attributes:
        games: (N,) of :data:`tripeaks_env.engine.GAME`, each at its end, in the order of the deals.
        seconds: time that the agent took to choose all their actions.
    """

    games: np.ndarray
    seconds: float


def play(
    agent: Agent, numbers: Sequence[int], rules: Rules, finished: Callable[[int], object] = lambda games: None
) -> Played:
    """Play an agent on deals until every game is won or blocked.

    Args:
        agent: gets the observations of all games that are still played, at once.
        numbers: deal numbers.
        rules: the rules to play by.
        finished: is told how many more games have ended, after each round of actions.

    Raises:
        AgentError: see :func:`ask`.
    """
    games = new_games(number_slots(np.asarray(numbers, dtype=np.int64), rules), rules)
    playing = np.arange(len(games))
    seconds = 0.0
    while len(playing):
        current = games[playing]
        actions, took = _ask(agent, current, rules)
        seconds += took
        over = play_actions(current, actions, rules).over
        games[playing] = current
        playing = playing[~over]
        finished(int(over.sum()))
    return Played(games, seconds)


def ask(agent: Agent, games: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the actions that an agent chooses in N games, int64 (N,), all of them legal.

    The agent gets arrays of its own: whatever it does to them changes neither the games nor what is checked.

    Args:
        agent: an oracle is shown the games first.
        games: (N,) of :data:`tripeaks_env.engine.GAME`, none of them over.
        rules: the rules that they are played by.

    Raises:
        AgentError: the agent raised, chose an illegal action or returned something else than N integers.
    """
    return _ask(agent, games, rules)[0]


def _ask(agent: Agent, games: np.ndarray, rules: Rules) -> tuple[np.ndarray, float]:
    """Return the actions and the seconds that the agent took for them."""
    observation = observe(games, rules)
    mask = observation["action_mask"].copy()
    start = time.perf_counter()
    try:
        if isinstance(agent, OracleAgent):
            agent.reveal(games.copy(), rules)
        actions = np.asarray(agent.act(observation, mask.copy()))
    except (Exception, SystemExit) as error:  # whatever somebody's agent does
        raise AgentError(f"act raised {describe(error)}") from error
    seconds = time.perf_counter() - start
    if actions.shape != (len(games),) or not np.issubdtype(actions.dtype, np.integer):
        raise AgentError(f"act returned {actions.dtype} {actions.shape}; it must be integers ({len(games)},)")
    unknown = actions[(actions < 0) | (actions >= mask.shape[1])]
    if len(unknown):
        raise AgentError(f"act returned the action {unknown[0]}; it must be 0 to {mask.shape[1] - 1}")
    illegal = actions[mask[np.arange(len(games)), actions] == 0]
    if len(illegal):
        raise AgentError(f"act returned the action {illegal[0]} where it is illegal")
    return actions.astype(np.int64), seconds
