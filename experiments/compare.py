"""Comparing agents: every agent plays the same evaluation deals, and every deal is solved exactly."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from rich.progress import Progress

import agents
from agents import Agent, OracleAgent
from experiments.config import AgentError, CompareConfig, ConfigError, Entry
from experiments.play import play
from tripeaks_env.batch_solver import solve_many
from tripeaks_env.deals import format_code
from tripeaks_env.layout import peaks_cleared
from tripeaks_env.rules import Rules, Scoring
from tripeaks_env.splits import suite

WIN = Scoring(start=0, removal=0, draw=0, peaks=(0, 0, 1))  # whose optimum is a win wherever there is one
WARM_UP = [0, 1]  # training deals
CHUNK = 1920  # deals solved between two steps of the progress bar


def compare(config: CompareConfig, progress: Progress) -> tuple[pd.DataFrame, dict[str, float]]:
    """Return the results, one row for each agent and deal, and the milliseconds each agent took for a game.

    The columns: ``agent``; ``oracle``: whether it sees all cards; ``deal``: the code; ``won``; ``score``; ``peaks`` emptied;
    ``draws``; ``moves``; ``optimum``: the best score with all cards known; ``winnable``: whether it can be won with all cards
    known; ``regret``: optimum less score.

    Raises:
        ConfigError: an agent cannot be made or does not play by these rules.
        AgentError: an agent chose an illegal action; the message names it.
    """
    players = [(entry, _make(entry, config.rules)) for entry in config.agents]
    numbers = suite(config.deals.count, config.deals.seed)
    deals = solve_deals(numbers, config.rules, progress)
    tables, milliseconds = [], {}
    for entry, agent in players:
        advance = partial(progress.advance, progress.add_task(f"{entry.name} plays", total=len(numbers)))
        try:
            play(_make(entry, config.rules), WARM_UP, config.rules)  # compiles what it needs, which is not its time
            played = play(agent, numbers, config.rules, advance)
        except AgentError as error:
            raise AgentError(f"agent {entry.name!r}: {error}") from error
        milliseconds[entry.name] = 1000 * played.seconds / len(numbers)
        remaining = played.games["remaining"]
        table = pd.DataFrame(
            {
                "agent": entry.name,
                "oracle": isinstance(agent, OracleAgent),
                "won": remaining == 0,
                "score": played.games["score"],
                "peaks": peaks_cleared(remaining),
                "draws": played.games["drawn"],
                "moves": played.games["moves"],
            }
        )
        tables.append(table.join(deals))
    results = pd.concat(tables, ignore_index=True)
    results["regret"] = results["optimum"] - results["score"]
    return results, milliseconds


def _make(entry: Entry, rules: Rules) -> Agent:
    try:
        return agents.make(entry.agent, rules, entry.seed, **entry.options)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def solve_deals(numbers: list[int], rules: Rules, progress: Progress) -> pd.DataFrame:
    """Return a row for each deal number: ``deal``, ``optimum`` and ``winnable``, see :func:`compare`."""
    chunks = [numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK)]
    to_win = replace(rules, scoring=WIN)
    optima, wins = [], []
    for chunk in progress.track(chunks, description="solving the deals"):
        optima.append(solve_many(chunk, rules))
        wins.append(solve_many(chunk, to_win))
    return pd.DataFrame(
        {
            "deal": [format_code(number, rules) for number in numbers],
            "optimum": np.concatenate([part.scores for part in optima]),
            "winnable": np.concatenate([part.won for part in wins]),
        }
    )
