"""Playing an agent on many deals at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tripeaks_env.env.agent import Agent, ask
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import new_games, play_actions
from tripeaks_env.game.rules import Rules


class Played(NamedTuple):
    """N played games.

    Attributes:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, each at its end, in the order of the deals.
        seconds: time that the agent took to choose all their actions.
    """

    games: np.ndarray
    seconds: float


def play(agent: Agent, numbers: Sequence[int], rules: Rules) -> Played:
    """Play an agent on deals until every game is won or blocked.

    Args:
        agent: gets the observations of all games that are still played, at once.
        numbers: deal numbers.
        rules: the rules to play by.

    Raises:
        AgentError: see :func:`tripeaks_env.env.agent.ask`.
    """
    games = new_games(number_slots(np.asarray(numbers, dtype=np.int64), rules), rules)
    playing = np.arange(len(games))
    seconds = 0.0
    while len(playing):
        current = games[playing]
        choice = ask(agent, current, rules)
        seconds += choice.seconds
        over = play_actions(current, choice.actions, rules).over
        games[playing] = current
        playing = playing[~over]
    return Played(games, seconds)
