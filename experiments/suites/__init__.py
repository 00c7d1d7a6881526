"""The suites that agents are compared on: evaluation deals, each with its optimum and with what chance makes of it.

The deals of a suite are :func:`tripeaks_env.suite` of its seed. What is known of the first 10,000 of seed 0 under the rules
that most results are for lies beside this file, a CSV file for each rules, made by ``python -m experiments suites``.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from agents.search.playouts import POLICIES, play_out, random_bit
from experiments.runs.store import Arrays, DealsTask, Store, key_of, own_facts
from tripeaks_env._jit import kernel
from tripeaks_env.game.deals import format_codes, number_slots
from tripeaks_env.game.engine import PLAYING, legal_mask, new_games, status, step, tables
from tripeaks_env.game.rules import Rules, Scoring
from tripeaks_env.parallel.pool import Pool
from tripeaks_env.solver.many_deals import solve_many

COLUMNS = ("deal", "optimum", "optimum_won", "winnable", "fewest_draws", "luck", "random")
"""Of the tables, see :func:`read`."""
PLAYOUTS = 500
"""Of each kind, for ``luck`` and ``random``."""
CHUNK = 100
"""Deals that a worker examines at a time."""
GREEDY = POLICIES.index("greedy")


def kept_file(rules: Rules) -> Path:
    """Return the file of the full suite under some rules. It is there for :data:`experiments.config.KEPT`."""
    return Path(__file__).parent / f"{rules.name}.csv"


def read(rules: Rules, count: int) -> pd.DataFrame:
    """Return what the file of the full suite says of the first ``count`` deals; nothing if there is none for these rules.

    The columns: ``deal``: the code; ``optimum``: the best score with all cards known; ``optimum_won``: whether that is a win;
    ``winnable``: whether there is a win; ``fewest_draws``: of the wins, -1 without one; ``luck``: the share of playouts won
    that remove a card at random and draw when there is none to remove; ``random``: the mean score of uniformly random play.
    """
    path = kept_file(rules)
    return pd.read_csv(path, nrows=count) if path.exists() else pd.DataFrame({"deal": []})


def find_out(
    first: int,
    numbers: Sequence[int],
    rules: Rules,
    store: Store,
    pool: Pool,
    advance: Callable[[int], object] = lambda deals: None,
) -> pd.DataFrame:
    """Return what :func:`read` does for the deals of a suite from its deal number ``first`` on, but find it out.

    Args:
        first: index in the suite of the first of the deals.
        numbers: the deal numbers of the whole suite.
        rules: the rules to play by.
        store: keeps what is done.
        pool: does it.
        advance: is told how many more deals are done.
    """
    tasks = []
    for start in range(first, len(numbers), CHUNK):
        chunk = tuple(numbers[start : start + CHUNK])
        key = key_of("deals", own_facts(), rules.to_json(), chunk)
        tasks.append(DealsTask(key, rules, start, chunk))
    parts = store.finish_all(pool, examine, tasks, "solves deals", advance)
    table = pd.concat([pd.DataFrame(part, columns=COLUMNS) for part in parts], ignore_index=True)
    return table.assign(deal=format_codes(np.array(numbers[first:]), rules))


def examine(task: DealsTask) -> Arrays:
    """Return the columns of :func:`read` for the deals of a task. They depend on the deals and the rules alone."""
    numbers, rules = np.asarray(task.numbers, dtype=np.int64), task.rules
    best = solve_many(task.numbers, rules)
    shortest = solve_many(task.numbers, replace(rules, scoring=Scoring()), objective="moves")  # whatever the points
    games = new_games(number_slots(numbers, rules), rules)
    wins, scores = np.zeros(len(games), np.int64), np.zeros(len(games), np.int64)
    _play_by_chance(games, numbers.astype(np.uint64), tables(rules), PLAYOUTS, wins, scores)
    return {
        "optimum": best.scores.astype(np.int64),
        "optimum_won": best.won,
        "winnable": shortest.won,
        "fewest_draws": np.where(shortest.won, shortest.draws, -1).astype(np.int64),
        "luck": wins / PLAYOUTS,
        "random": scores / PLAYOUTS,
    }


@kernel
def _play_by_chance(
    games: np.ndarray, numbers: np.ndarray, table: np.ndarray, count: int, wins: np.ndarray, scores: np.ndarray
) -> None:
    """Play each of N games ``count`` times by random removals, and ``count`` times by random actions.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, at their start.
        numbers: uint64 (N,): the deal numbers, which the random numbers come from.
        table: (1,) of :data:`tripeaks_env.game.engine.TABLES`.
        count: how many playouts of each kind.
        wins: int64 (N,), out: how many of the random removals' playouts are won.
        scores: int64 (N,), out: the sum of the final scores of the random actions' playouts.
    """
    state = np.empty(1, dtype=np.uint64)
    for i in range(len(games)):
        state[0] = numbers[i] ^ np.uint64(0x9E3779B97F4A7C15)
        for _ in range(count):
            played = games[i : i + 1].copy()
            play_out(played[0], table[0], GREEDY, state)
            wins[i] += played[0]["remaining"] == 0
        for _ in range(count):
            played = games[i : i + 1].copy()
            while status(played[0], table[0]) == PLAYING:
                step(played[0], random_bit(legal_mask(played[0], table[0]), state), table[0])
            scores[i] += played[0]["score"]
