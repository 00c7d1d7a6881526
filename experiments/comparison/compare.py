"""Comparing agents: every agent plays the same evaluation deals, every deal is solved exactly, and so is every move of some.

The games are played in chunks of deals by the workers of a pool. What a chunk yields depends on the agent, its seed and
the deals alone, so neither the pool, nor the number of workers, nor an interruption changes the results.
"""

import logging
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from rich.markup import escape
from rich.progress import Progress

from experiments import suites
from experiments.config import CompareConfig, ConfigError
from experiments.games.lines import Lines, positions
from experiments.games.move_values import CHUNK as MOVES_CHUNK
from experiments.games.move_values import COLUMNS, MovesTask, value_moves
from experiments.games.tasks import CHUNK, GamesTask, play_games, try_agent
from experiments.games.unmasked import Unmasked
from experiments.runs.store import Arrays, Store, facts_of_agent, key_of, own_facts, to_text
from tripeaks_env.env.splits import suite
from tripeaks_env.game.arguments import one_line
from tripeaks_env.game.layout import peaks_cleared
from tripeaks_env.parallel.pool import Lost, Pool

QUIET = logging.Logger("nobody listens")


class Comparison(NamedTuple):
    """What a comparison found.

    Attributes:
        results: a row for each agent and deal. The columns: ``agent``; ``oracle``: whether it sees all cards; ``deal``: the
            code; ``won``; ``score``; ``peaks`` emptied; ``draws``; ``moves``; ``actions``: the line of play; those of
            :func:`experiments.suites.read`; ``regret``: the optimum less the score.
        moves: a row for each move on the first deals: ``agent``, ``deal``, and the columns of
            :func:`experiments.games.move_values.value_moves`.
        failed: agents that have no results, each with what was wrong.
        remarks: on agents that have results, such as that they do not repeat themselves.
        milliseconds: that an agent took for a game.
    """

    results: pd.DataFrame
    moves: pd.DataFrame
    failed: dict[str, str]
    remarks: dict[str, str]
    milliseconds: dict[str, float]


def compare(
    config: CompareConfig, folder: Path, pool: Pool, progress: Progress, log: logging.Logger = QUIET
) -> Comparison:
    """Play what is not in the folder yet, and return the whole.

    Raises:
        ConfigError: an agent cannot be made or does not play by these rules, or all agents failed.
    """
    numbers = suite(config.deals.count, config.deals.seed)
    store = Store(folder / "done")
    deals = _deals(config, numbers, store, pool, progress)
    played, failed = _play(config, numbers, store, pool, progress, log)
    if not played:
        raise ConfigError("; ".join(f"agent {name!r}: {reason}" for name, reason in failed.items()))
    lines = {
        name: Lines(*(np.concatenate([part[field] for part in parts]) for field in Lines._fields))
        for name, parts in played.items()
    }
    tables = [_results(name, parts, numbers, lines[name], config).join(deals) for name, parts in played.items()]
    results = pd.concat(tables, ignore_index=True)
    results["regret"] = results["optimum"] - results["score"]
    milliseconds = {name: 1000 * sum(float(part["seconds"]) for part in played[name]) / len(numbers) for name in played}
    moves = _value_moves(config, numbers, lines, store, pool, progress)
    moves.insert(0, "deal", deals["deal"].to_numpy()[moves.pop("row")])
    moves.insert(0, "agent", np.array(list(lines), dtype=object)[moves.pop("player")])
    remarks = {name: _remark(parts) for name, parts in played.items()}
    return Comparison(results, moves, failed, {name: text for name, text in remarks.items() if text}, milliseconds)


def _deals(config: CompareConfig, numbers: list[int], store: Store, pool: Pool, progress: Progress) -> pd.DataFrame:
    """Return what is known of the deals, see :func:`experiments.suites.read`, in the order of their numbers."""
    kept = suites.read(config.rules, len(numbers) if config.deals.seed == 0 else 0)
    if len(kept) == len(numbers):
        return kept
    bar = progress.add_task("solving the deals", total=len(numbers), completed=len(kept))
    found = suites.find_out(len(kept), numbers, config.rules, store, pool, partial(progress.advance, bar))
    return pd.concat([kept, found], ignore_index=True) if len(kept) else found


def _play(
    config: CompareConfig, numbers: list[int], store: Store, pool: Pool, progress: Progress, log: logging.Logger
) -> tuple[dict[str, list[Arrays]], dict[str, str]]:
    """Return the chunks of games of each agent that has all of them, and what was wrong with the others."""
    tasks, bars = [], {}
    for entry in config.agents:
        facts = [*facts_of_agent(entry), *own_facts()]
        bars[entry.name] = progress.add_task(escape(f"{entry.name} plays"), total=len(numbers))
        for first in range(0, len(numbers), CHUNK):
            chosen = tuple(numbers[first : first + CHUNK])
            key = key_of("games", facts, config.rules.to_json(), first, chosen)
            tasks.append(GamesTask(key, config.rules, first, chosen, entry))

    failed: dict[str, str] = {}
    to_play = {task.key for task in tasks if store.get(task.key) is None}
    log.info("%d of %d chunks of games are kept", len(tasks) - len(to_play), len(tasks))
    to_try = list({task.entry.name: task for task in tasks if task.key in to_play}.values())
    for task, outcome in pool.run(try_agent, to_try, config.timeout, kind=_kind):
        if isinstance(outcome, Lost):
            failed[task.entry.name] = f"it {outcome.reason} when it was made"
        elif outcome:
            raise ConfigError(outcome)
    log.info("agents made: %d", len(to_try))

    games: dict[str, dict[int, Arrays]] = {entry.name: {} for entry in config.agents}
    for task, found in store.finish(
        pool, play_games, tasks, config.timeout, lambda task: task.entry.name in failed, _kind
    ):
        name = task.entry.name
        if isinstance(found, str):
            failed[name] = one_line(found)
            progress.update(bars[name], description=escape(f"{name} failed"), total=0, completed=0)
            log.info("%s failed: %s", name, found)
        else:
            games[name][task.first] = found
            if name not in failed:
                progress.advance(bars[name], len(task.numbers))
            if task.key in to_play:
                log.info("%s has played deals %d to %d", name, task.first, task.first + len(task.numbers) - 1)
    whole = {name: [parts[first] for first in sorted(parts)] for name, parts in games.items() if name not in failed}
    return whole, failed


def _kind(task: GamesTask) -> str:
    """Return a text that differs for different agents: none plays in the process of another one."""
    return f"{task.entry.agent} {task.entry.options}"


def _results(name: str, parts: list[Arrays], numbers: list[int], lines: Lines, config: CompareConfig) -> pd.DataFrame:
    games = positions(numbers, lines, config.rules)[:, -1]
    return pd.DataFrame(
        {
            "agent": name,
            "oracle": bool(parts[0]["oracle"]),
            "won": games["remaining"] == 0,
            "score": games["score"].astype(np.int64),
            "peaks": peaks_cleared(games["remaining"]).astype(np.int64),
            "draws": games["drawn"].astype(np.int64),
            "moves": games["moves"].astype(np.int64),
            "actions": lines.texts(),
        }
    )


def _remark(parts: list[Arrays]) -> str:
    """Return what is to be said of how an agent played its chunks, in one line; or nothing."""
    plays = next(filter(None, (to_text(part["remark"]) for part in parts)), "")
    illegal, decisions = np.sum([part["unmasked"] for part in parts], axis=0).tolist()
    return "; ".join(filter(None, (plays, Unmasked(illegal, decisions).in_words())))


def _value_moves(
    config: CompareConfig, numbers: list[int], lines: dict[str, Lines], store: Store, pool: Pool, progress: Progress
) -> pd.DataFrame:
    """Return the table of :func:`experiments.games.move_values.value_moves` for the first deals, agent by agent."""
    count = min(config.moves, len(numbers))
    bar = progress.add_task("valuing the moves", total=count)
    tasks = []
    for first in range(0, count, MOVES_CHUNK):
        chosen = slice(first, min(first + MOVES_CHUNK, count))
        played = tuple(Lines(each.actions[chosen], each.lengths[chosen]) for each in lines.values())
        texts = [each.texts() for each in played]
        key = key_of("moves", own_facts(), config.rules.to_json(), first, numbers[chosen], texts)
        tasks.append(MovesTask(key, config.rules, first, tuple(numbers[chosen]), played))
    parts = store.finish_all(pool, value_moves, tasks, "values moves", partial(progress.advance, bar))
    parts = parts or [dict.fromkeys(COLUMNS, np.empty(0, np.int64))]
    whole = pd.concat([pd.DataFrame(part, columns=COLUMNS) for part in parts], ignore_index=True)
    return whole.sort_values("player", kind="stable", ignore_index=True)
