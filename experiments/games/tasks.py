"""What a worker does in a comparison: let an agent play a chunk of deals, and see that it plays fair."""

import json
from dataclasses import dataclass, replace

import numpy as np

import agents
from agents import Agent, OracleAgent
from experiments.config import ConfigError, Entry
from experiments.games.audit import Result, audit
from experiments.games.lines import Lines, positions
from experiments.games.play import play
from experiments.games.unmasked import count_illegal
from experiments.runs.sources import sources
from experiments.runs.store import DealsTask, to_bytes
from tripeaks_env.env.agent import AgentError, describe

CHUNK = 100
"""Deals that are played at a time. The moves of agents with random choices depend on it."""
AUDITED, ROUNDS = 16, 3
"""Positions of a chunk from which on it is tried whether the agent goes by hidden cards, and for how many moves."""
WARM_UP = (0, 1)
"""Training deals that are played first, so that compilation is not counted as the agent's time."""


@dataclass(frozen=True)
class GamesTask(DealsTask):
    """Deals for an agent to play. By ``first``, each chunk has another seed."""

    entry: Entry

    def make(self) -> Agent:
        """Return a new agent.

        Raises:
            ConfigError: it cannot be made.
        """
        seed = int(np.random.SeedSequence([self.entry.seed, self.first]).generate_state(1)[0])
        try:
            return agents.make(self.entry.agent, self.rules, seed, trust=self.entry.trust, **self.entry.options)
        except ValueError as error:
            raise ConfigError(str(error)) from error


def try_agent(task: GamesTask) -> str:
    """Return why an agent cannot be made or does not play by these rules, or an empty text."""
    try:
        task.make()
    except ConfigError as error:
        return str(error)
    except BaseException as error:  # whatever somebody's code does to end the program
        return f"agent {task.entry.agent!r} cannot be made: {describe(error)}"
    return ""


def play_games(task: GamesTask) -> dict[str, np.ndarray] | str:
    """Let an agent play the deals and return the games, or what it did wrong.

    The games are arrays: ``actions`` and ``lengths``, see :class:`experiments.games.lines.Lines`; ``seconds``: time that the
    agent took; ``oracle``: whether it sees all cards; ``unmasked``: int64 (2,), of
    :class:`experiments.games.unmasked.Unmasked`; ``remark``: a text on how it plays, and ``sources``: the digests of its
    own code by file, as JSON, both as bytes.
    """
    try:
        _warm_up(replace(task, first=0, numbers=WARM_UP))
        agent = task.make()
        played = play(agent, task.numbers, task.rules)
        lines, oracle = Lines.of(played.games), isinstance(agent, OracleAgent)
        found = Result(True, "") if oracle else _audit(task, lines)
        unmasked = count_illegal(agent, np.array(task.numbers), lines, task.rules)
    except (AgentError, ConfigError) as error:
        return str(error)
    except BaseException as error:  # whatever somebody's code does to end the program
        return f"it raised {describe(error)}"
    if found.passed is False:
        return found.message
    return {
        **lines._asdict(),
        "seconds": np.array(played.seconds),
        "oracle": np.array(oracle),
        "unmasked": np.array(unmasked),
        "remark": to_bytes(found.message if found.passed is None else ""),
        "sources": to_bytes(json.dumps(sources())),
    }


_warm: set[str] = set()  # what this process has played already


def _warm_up(task: GamesTask) -> None:
    kind = repr((task.entry, task.rules))
    if kind not in _warm:
        _warm.add(kind)
        play(task.make(), task.numbers, task.rules)


def _audit(task: GamesTask, lines: Lines) -> Result:
    """Return whether an agent goes by hidden cards in some positions of its games."""
    found = positions(task.numbers, lines, task.rules)
    playing = np.argwhere(lines.taken)
    chosen = np.random.default_rng(task.first).choice(playing, min(AUDITED, len(playing)), replace=False)
    games, numbers = found[chosen[:, 0], chosen[:, 1]], np.array(task.numbers)[chosen[:, 0]]
    return audit(task.make, games, task.rules, numbers, ROUNDS)
