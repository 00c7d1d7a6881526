"""What a data set has: games of an agent on training deals, and how they are shared out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from experiments.config import ConfigError, check_options
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.rules import Rules

CHUNK = 200
"""Games that are played together, and whose observations are in memory together."""
MAX_EPISODES = 10_000_000


@dataclass(frozen=True)
class Export:
    """Which games a data set has.

    Attributes:
        agent: a name out of :data:`agents.AGENTS`, or ``module:Class``.
        episodes: how many games, 1 to 10,000,000.
        options: the agent's keyword arguments, of JSON types.
        seed: fixes the deals, the agent's choices and the random ones; 0 to 2**32 - 1.
        rules: the rules to play by.
        explore: the probability, in each move, of a uniformly random legal action instead of the agent's.
        trust: whether a zip file may be loaded, see :func:`agents.make`.

    Raises:
        ConfigError: an attribute is out of range.
    """

    agent: str
    episodes: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    rules: Rules = Rules.easy
    explore: float = 0.0
    trust: bool = False

    def __post_init__(self) -> None:
        if type(self.episodes) is not int or not 1 <= self.episodes <= MAX_EPISODES:
            raise ConfigError(f"episodes is {self.episodes!r}; it must be 1 to {MAX_EPISODES}")
        if type(self.seed) is not int or not 0 <= self.seed < 2**32:
            raise ConfigError(f"seed is {self.seed!r}; it must be 0 to {2**32 - 1}")
        if not 0 <= self.explore <= 1:
            raise ConfigError(f"explore is {self.explore!r}; it must be a probability, 0 to 1")
        try:
            check_options(self.options)
        except ValueError as error:
            raise ConfigError(str(error)) from error

    def tasks(self) -> list["Task"]:
        """Return the games in chunks, each with a seed of its own, so that it does not matter who plays which in what order.

        The deals are drawn as resets of the environment draw them: uniformly, with replacement.
        """
        numbers = random_numbers(np.random.default_rng([self.seed, 0]), "train", self.episodes)
        firsts = range(0, self.episodes, CHUNK)
        seeds = np.random.SeedSequence([self.seed, 1]).generate_state(len(firsts)).tolist()
        return [
            Task(self, seed, first, numbers[first : first + CHUNK]) for first, seed in zip(firsts, seeds, strict=True)
        ]


class Task(NamedTuple):
    """A chunk of games to play.

    Attributes:
        export: how they are played.
        seed: of the agent's random choices and of those instead of its own.
        first: the index of the first of these games among all.
        numbers: int64 (N,): the deals.
    """

    export: Export
    seed: int
    first: int
    numbers: np.ndarray
