"""What the agents that search have in common: when they search at all, and how much."""

from abc import ABC, abstractmethod
from time import perf_counter

import numpy as np

from agents.search.worlds import deal_hidden, games_as_seen
from tripeaks_env.game import arguments
from tripeaks_env.game.cards import WILD
from tripeaks_env.game.engine import UNDO, tables
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.one_deal import solve_record

MOST_NUMBER = 1e15
"""The bound of options that are numbers."""
FIRST_TRY = 32
"""Simulations of the first search of a decision whose budget is time."""


class SearchAgent(ABC):
    """An agent that looks ahead from the observation alone.

    A forced move is played at once, and so is the best one where nothing is unknown; all else is searched. The random
    numbers of a search depend on the seed and on what is seen in the game alone: the same observation gets the same action
    whatever was played before and is played beside. A budget in milliseconds gives that up: the moves then depend on
    the machine and on what else it does. Undo is never played, unless nothing else is legal.

    Args:
        rules: the rules that it plays by.
        seed: of its random numbers.
        simulations: the budget of a decision.
        milliseconds: the budget of a decision as time instead, kept roughly: what the first searches compile comes on top.
        win_bonus: what a win is worth on top of its score.

    Raises:
        ValueError: an option has a value that is not allowed.
    """

    most_simulations = 1 << 40
    """The largest budget of a decision."""

    def __init__(
        self, rules: Rules, seed: int, simulations: int, milliseconds: float | None = None, win_bonus: float = 0
    ) -> None:
        self.rules = rules
        self.seed = integer("seed", seed, least=0)
        self.simulations = integer("simulations", simulations, least=1, most=self.most_simulations)
        self.milliseconds = None if milliseconds is None else number("milliseconds", milliseconds, above=True)
        self.win_bonus = number("win_bonus", win_bonus)

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        actions = np.argmax(action_mask, axis=1)
        choices = np.flatnonzero(np.count_nonzero(action_mask[:, :UNDO], axis=1) > 1)
        games = games_as_seen({name: part[choices] for name, part in observation.items()}, self.rules)
        known = all_known(games, self.rules)
        for i in np.flatnonzero(known):
            actions[choices[i]] = best_action(games[i : i + 1], self.rules, self.win_bonus)
        unknown = np.flatnonzero(~known)
        if self.milliseconds is None:
            actions[choices[unknown]] = self.search(games[unknown], self.simulations)
        else:
            for i in unknown:
                actions[choices[i]] = self._search_for(games[i : i + 1], self.milliseconds)
        return actions

    @abstractmethod
    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen, int64 (N,).

        Args:
            games: (N,) of :data:`tripeaks_env.game.engine.GAME`, from :func:`agents.search.worlds.games_as_seen`.
            simulations: the budget of each.
        """

    def _search_for(self, game: np.ndarray, milliseconds: float) -> int:
        """Search one game with as many simulations as fit, which shorter searches tell: the longest one counts."""
        simulations = FIRST_TRY
        end = perf_counter() + milliseconds / 1000
        while True:
            started = perf_counter()
            action = self.search(game, simulations)[0]
            stopped = perf_counter()
            longer = int(simulations * 0.9 * (end - stopped) / (stopped - started))
            if longer < 2 * simulations or simulations == self.most_simulations:
                return int(action)
            # A short search tells the speed of a long one only roughly.
            simulations = min(longer, 16 * simulations, self.most_simulations)


def all_known(games: np.ndarray, rules: Rules) -> np.ndarray:
    """Return bool (N,): whether there is just one way to deal the hidden cards of each game as seen.

    So it is when none is hidden and the stock is empty, and also when all that are hidden are of one rank.
    """
    ranks = np.count_nonzero(games["unseen"][:, :WILD], axis=1)
    joker_has_a_choice = (games["unseen"][:, WILD] > 0) & (games["drawn"] < rules.stock_size - 1)
    return (ranks <= 1) & ~((ranks == 1) & joker_has_a_choice)


def best_action(game: np.ndarray, rules: Rules, win_bonus: float) -> int:
    """Return the first action of a line that is worth most, in a game with just one way to deal its hidden cards.

    Args:
        game: (1,) of :data:`tripeaks_env.game.engine.GAME`, as seen, not over.
        rules: the rules that it is played by.
        win_bonus: what a win is worth on top of the score, not negative.
    """
    world = game.copy()
    deal_hidden(world[0], tables(rules)[0], np.zeros(1, dtype=np.uint64))
    best = solve_record(world, rules)
    if win_bonus and not best.won:
        win = solve_record(world, rules, "win")
        if win.won and win.score + win_bonus > best.score:
            best = win
    return best.actions[0]


def integer(name: str, value: object, least: int, most: int = 1 << 62) -> int:
    """Return an option that must be an integer of at least ``least`` and at most ``most``.

    Raises:
        ValueError: it is not.
    """
    return arguments.integer(name, value, least, most, f"an integer of at least {least}, and at most {most}")


def number(name: str, value: object, above: bool = False) -> float:
    """Return an option that must be a finite number of at least 0, or ``above`` 0.

    Raises:
        ValueError: it is not.
    """
    right = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_NUMBER
    if not right or value < 0 or (above and value == 0):  # type: ignore[operator]
        raise ValueError(f"{name} is {value!r}; it must be a number {'above' if above else 'of at least'} 0")
    return float(value)  # type: ignore[arg-type]
