"""The games of a data set: workers play them, and they are kept as deals and lines of actions until they are replayed."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import agents
from agents import Agent, OracleAgent
from experiments.config import ConfigError
from experiments.games.lines import Lines, positions
from experiments.games.play import play
from experiments.offline.export import Export, Task
from tripeaks_env.env.agent import AgentError
from tripeaks_env.game.engine import MAX_LINE
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.game.rules import Rules
from tripeaks_env.game.sampling import sample_actions
from tripeaks_env.parallel.pool import Lost, Pool


class Games(NamedTuple):
    """N games that were played to their end.

    Attributes:
        numbers: int64 (N,): deal numbers.
        lines: what was played.
    """

    numbers: np.ndarray
    lines: Lines


class Steps(NamedTuple):
    """The steps of N games, game after game: S in all, and S + N observations, as each game has a last one.

    Attributes:
        observations: the parts of :func:`tripeaks_env.game.observation.observation_space`, int8 (S + N, size).
        scores: int64 (S + N,): the score when each observation is made.
        actions: int64 (S,).
        rewards: float64 (S,): the changes of the score.
        terminations: bool (S,): true in the last step of a game.
        lengths: int64 (N,): steps of each game.
    """

    observations: Observation
    scores: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    lengths: np.ndarray


class Exploring:
    """An agent that now and then takes a uniformly random legal action instead of its own."""

    def __init__(self, agent: Agent, explore: float, seed: int) -> None:
        self.agent = agent
        self.explore = explore
        self.rng = np.random.default_rng([seed, 2])

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return N actions; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        other = self.rng.random(len(action_mask)) < self.explore
        others = sample_actions(action_mask, self.rng)
        actions = np.array(self.agent.act(observation, action_mask))
        actions[other] = others[other]
        return actions


class ExploringOracle(Exploring):
    """The same for an agent that sees all cards."""

    agent: OracleAgent

    def reveal(self, games: np.ndarray, rules: Rules) -> None:
        """Show the agent the games; see :meth:`tripeaks_env.env.agent.OracleAgent.reveal`."""
        self.agent.reveal(games, rules)


def record_games(task: Task) -> Games:
    """Play a chunk of games to their end; the same task gives the same games in any process.

    Raises:
        ConfigError: the agent cannot be made or does not play by these rules.
        AgentError: it chose an illegal action; the message names the agent.
    """
    export = task.export
    try:
        agent = agents.make(export.agent, export.rules, task.seed, trust=export.trust, **export.options)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if export.explore:
        kind = ExploringOracle if isinstance(agent, OracleAgent) else Exploring
        agent = kind(agent, export.explore, task.seed)
    try:
        games = play(agent, task.numbers.tolist(), export.rules).games
    except AgentError as error:
        raise AgentError(f"agent {export.agent!r}: {error}") from error
    return Games(task.numbers, Lines.of(games))


def record(
    export: Export,
    pool: Pool,
    timeout: float = 1800.0,
    finished: Callable[[int], object] = lambda episodes: None,
) -> list[Games]:
    """Return all games of an export, in chunks; they do not depend on the pool.

    Args:
        export: what to play.
        pool: where to play it.
        timeout: seconds after which an agent that plays a chunk is given up.
        finished: is told how many more games have been played, after each chunk.

    Raises:
        ConfigError: see :func:`record_games`.
        AgentError: likewise; or the agent took too long or ended its process.
    """
    found: dict[int, Games] = {}
    for task, games in pool.run(record_games, export.tasks(), timeout):
        if isinstance(games, Lost):
            raise AgentError(f"agent {export.agent!r}: {games.reason}")
        found[task.first] = games
        finished(len(games.numbers))
    return [found[first] for first in sorted(found)]


def replay(games: Games, rules: Rules) -> Steps:
    """Return what :class:`tripeaks_env.TriPeaksEnv` would have returned in these games.

    Raises:
        ValueError: see :func:`experiments.games.lines.positions`.
    """
    found, (actions, lengths), taken = positions(games.numbers, games.lines, rules), games.lines, games.lines.taken
    lengths = lengths.astype(np.int64)
    seen = found[np.arange(MAX_LINE + 1) <= lengths[:, None]]
    return Steps(
        observe(seen, rules),
        seen["score"].astype(np.int64),
        actions[taken].astype(np.int64),
        np.diff(found["score"], axis=1)[taken].astype(np.float64),
        (np.arange(MAX_LINE) == lengths[:, None] - 1)[taken],
        lengths,
    )
