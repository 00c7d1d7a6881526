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
        AgentError: the agent chose an illegal action or returned something else than N integers.
    """
    games = new_games(number_slots(np.asarray(numbers, dtype=np.int64), rules), rules)
    playing = np.arange(len(games))
    seconds = 0.0
    while len(playing):
        current = games[playing]
        observation = observe(current, rules)
        mask = observation["action_mask"]
        start = time.perf_counter()
        try:
            if isinstance(agent, OracleAgent):
                agent.reveal(current.copy(), rules)
            actions = np.asarray(agent.act(observation, mask.copy()))
        except Exception as error:  # whatever somebody's agent does
            raise AgentError(f"act raised {describe(error)}") from error
        seconds += time.perf_counter() - start
        if actions.shape != (len(playing),) or not np.issubdtype(actions.dtype, np.integer):
            raise AgentError(f"act returned {actions.dtype} {actions.shape}; it must be integers ({len(playing)},)")
        unknown = actions[(actions < 0) | (actions >= mask.shape[1])]
        if len(unknown):
            raise AgentError(f"act returned the action {unknown[0]}; it must be 0 to {mask.shape[1] - 1}")
        stepped = play_actions(current, actions.astype(np.int64), rules)
        if stepped.rejections.any():
            illegal = int(actions[stepped.rejections != 0][0])
            raise AgentError(f"act returned the action {illegal} where it is illegal")
        games[playing] = current
        playing = playing[~stepped.over]
        finished(int(stepped.over.sum()))
    return Played(games, seconds)
