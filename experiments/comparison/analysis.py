"""From per-deal results to a leaderboard, comparisons and breakdowns, with 95 % intervals.

Shares have Wilson's interval: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal
of the American Statistical Association 22 (1927). Everything else has the percentile bootstrap's: B. Efron and
R. J. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13. What is drawn again are the deals: as all agents
play the same ones, a resample holds the same deals for each of them, so the luck that agents share cancels in differences. A
single deal has no such interval; its ends are NaN. The interquartile mean, performance profiles and the probability of
improvement are those of R. Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice" (2021).

Every interval starts its own random numbers from the same seed. The same results give the same figures, whatever else is
computed.
"""

from collections.abc import Callable, Iterable
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from tripeaks_env.game.engine import DRAW
from tripeaks_env.parallel.intervals import CONFIDENCE, mean_interval, share_interval

RESAMPLES = 2000
SEED = 0
BATCH = 2**20  # figures that are resampled at a time: 8 MB, which is fastest too
LUCK_EDGES = (0.01, 0.1, 0.3, 0.6)  # between the groups of winnable deals
UNWINNABLE = "cannot be won"
PROFILE_POINTS = 101  # at most
DREW = "drew, a removal was better"
REMOVED = "removed, the draw was better"
WRONG_CARD = "removed the wrong card"
MISTAKES = (DREW, REMOVED, WRONG_CARD)

Interval = tuple[np.ndarray, np.ndarray, np.ndarray]  # values, lower ends, upper ends


class Analysis(NamedTuple):
    """All tables of a comparison, each made by the function of its name; agents are in the order of the leaderboard."""

    leaderboard: pd.DataFrame
    pairs: pd.DataFrame
    profiles: pd.DataFrame
    difficulty: pd.DataFrame
    phases: pd.DataFrame
    mistakes: pd.DataFrame
    seeds: pd.DataFrame


def analyse(results: pd.DataFrame, moves: pd.DataFrame, groups: dict[str, list[str]]) -> Analysis:
    """Return all tables.

    Args:
        results: a row for each agent and deal, from :func:`experiments.comparison.compare.compare`.
        moves: a row for each move of the deals whose moves were valued; may be empty.
        groups: for each learner the agents that differ in the seed of their training only, see :func:`seeds`.
    """
    place = {agent: place for place, agent in enumerate(_agents(results))}
    moves = moves.sort_values("agent", key=lambda agents: agents.map(place), kind="stable")
    return Analysis(
        leaderboard(results),
        pairs(results),
        profiles(results),
        difficulty(results),
        phases(moves),
        mistakes(moves),
        seeds(results, groups),
    )


def leaderboard(results: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each agent, indexed by its name: fair agents first, then oracles, each by mean score.

    Columns: ``oracle``; ``deals``; each with ``_low`` and ``_high``, the ends of its interval: ``win_rate``; ``score``, the
    mean; ``iqm``, the mean of the middle half of the scores; ``regret``, the mean; ``winnable_won``, the share of the
    winnable deals that were won; ``normalised``, the mean score on the scale where random play has 0 and the optimum 1;
    and ``peaks``, ``draws`` and ``moves``, means. Without a winnable deal ``winnable_won`` is NaN, and where the optimum is
    no better than random play ``normalised`` is.

    Args:
        results: as for :func:`analyse`.
    """
    agents = _agents(results)
    of_agent = results.groupby("agent")
    won, score, winnable = (_by_deal(results, column, agents) for column in ("won", "score", "winnable"))
    of_deal = [_by_deal(results, column, agents[:1]) for column in ("random", "optimum")]
    values, lows, highs = (np.split(each, 4) for each in _bootstrap(_scores, np.concatenate([score, *of_deal])))
    mean, iqm, regret, normalised = zip(values, lows, highs, strict=True)
    columns = {
        "oracle": of_agent["oracle"].first().loc[agents],
        "deals": of_agent.size().loc[agents],
        **named("win_rate", _shares(won)),
        **named("score", mean),
        **named("iqm", iqm),
        **named("regret", regret),
        **named("winnable_won", _shares(won[:, winnable[0] > 0])),
        **named("normalised", normalised),
        **{name: of_agent[name].mean().loc[agents] for name in ("peaks", "draws", "moves")},
    }
    return pd.DataFrame(columns, index=pd.Index(agents, name="agent"))


def pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each two agents, the one that is higher on the leaderboard first.

    Columns: ``agent``; ``other``; each with ``_low`` and ``_high``, the ends of its interval: ``score`` and ``win_rate``, how
    much greater the agent's mean is than the other's; ``improvement``, the share of deals on which the agent scores more,
    where a tie counts half. Both play the same deals, so it compares them deal by deal, unlike the probability of
    improvement of Agarwal et al., whose runs have no partners.

    Args:
        results: as for :func:`analyse`.
    """
    agents = _agents(results)
    won, score = (_by_deal(results, column, agents) for column in ("won", "score"))
    both = list(combinations(range(len(agents)), 2))
    first, second = np.array(both, dtype=int).reshape(-1, 2).T
    ahead = score[first] - score[second]
    columns = {
        "agent": [agents[place] for place in first],
        "other": [agents[place] for place in second],
        **named("score", _bootstrap(np.mean, ahead)),
        **named("win_rate", _bootstrap(np.mean, won[first] - won[second])),
        **named("improvement", _bootstrap(np.mean, (np.sign(ahead) + 1) / 2)),
    }
    return pd.DataFrame(columns)


def profiles(results: pd.DataFrame) -> pd.DataFrame:
    """Return how often each agent stays within a regret: its performance profile.

    Columns: ``agent``; ``regret``, points; ``share`` of the deals with that regret or less; ``low`` and ``high``, the ends of
    the interval of each share by itself. The regrets are whole and the same for all agents: evenly spread, from 0 to the
    greatest one of all.

    Args:
        results: as for :func:`analyse`.
    """
    agents = _agents(results)
    regret = _by_deal(results, "regret", agents)
    points = np.unique(np.linspace(0, regret.max(), PROFILE_POINTS).round()).astype(int)
    rows = [
        (agent, point, *share_interval(of_agent <= point))
        for agent, of_agent in zip(agents, regret, strict=True)
        for point in points
    ]
    return pd.DataFrame(rows, columns=["agent", "regret", "share", "low", "high"])


def difficulty(results: pd.DataFrame) -> pd.DataFrame:
    """Return how each agent does on easy and on hard deals.

    Columns: ``agent``; ``group``; ``deals`` in the group; each with ``_low`` and ``_high``, the ends of its interval:
    ``win_rate``; ``regret``, the mean; ``score``, the mean. The groups, easiest first, are those of :func:`difficulty_groups`
    that have deals.

    Args:
        results: as for :func:`analyse`.
    """
    agents = _agents(results)
    won, score, regret, winnable, luck = (
        _by_deal(results, column, agents) for column in ("won", "score", "regret", "winnable", "luck")
    )
    of_deal = np.where(winnable[0] > 0, np.digitize(luck[0], LUCK_EDGES), -1)
    tables = []
    for number, group in reversed(list(enumerate(difficulty_groups(), start=-1))):
        inside = of_deal == number
        if inside.any():
            columns = {
                "agent": agents,
                "group": group,
                "deals": int(inside.sum()),
                **named("win_rate", _shares(won[:, inside])),
                **named("regret", _bootstrap(np.mean, regret[:, inside])),
                "score": score[:, inside].mean(axis=1),
            }
            tables.append(pd.DataFrame(columns))
    table = pd.concat(tables)
    return table.sort_values("agent", key=lambda names: names.map(agents.index), kind="stable", ignore_index=True)


def difficulty_groups() -> list[str]:
    """Return the names of the groups of deals, hardest first: what cannot be won, then by luck between ``LUCK_EDGES``.

    Luck is how often playouts win that remove at random. A group includes its lower edge.
    """
    edges = [f"{100 * edge:g}" for edge in LUCK_EDGES]
    between = [f"luck {low}–{high} %" for low, high in pairwise(edges)]
    return [UNWINNABLE, f"luck below {edges[0]} %", *between, f"luck {edges[-1]} % or more"]


def phases(moves: pd.DataFrame) -> pd.DataFrame:
    """Return when in a game each agent loses points: a row for each number of stock cards, the full stock first.

    Columns: ``agent``; ``stock``, cards left before the moves; ``moves``, their number in all games; ``loss``, the points
    they lose a game. The losses of an agent sum to its mean regret over these deals.

    Args:
        moves: as for :func:`analyse`.
    """
    stocks = np.sort(moves["stock"].unique())[::-1]
    return _per_game(moves, moves, "stock", stocks).rename(columns={"count": "moves"})


def mistakes(moves: pd.DataFrame) -> pd.DataFrame:
    """Return which mistakes each agent makes; a mistake is a move that lowers the best final score.

    Columns: ``agent``; ``kind``, one of ``MISTAKES``; ``per_game``, how many a game; ``loss``, the points they lose a game.
    The losses of an agent sum to its mean regret over these deals. Where a card was removed although both the draw and
    another card were better, the mistake is the wrong card.

    Args:
        moves: as for :func:`analyse`.
    """
    wrong = moves[moves["loss"] > 0]
    other_card = wrong["removal_best"].astype(bool)
    kind = np.select([wrong["action"] == DRAW, ~other_card], [DREW, REMOVED], WRONG_CARD)
    table = _per_game(moves, wrong.assign(kind=kind), "kind", MISTAKES)
    table["count"] /= _games(moves, table["agent"])
    return table.rename(columns={"count": "per_game"})


def seeds(results: pd.DataFrame, groups: dict[str, list[str]]) -> pd.DataFrame:
    """Return a row for each learner, with the spread between trainings apart from the spread between deals.

    Columns: ``group``; ``seeds``, the number of trainings; and for each of ``win_rate``, ``score`` and ``regret``: the mean
    over all trainings under its own name; ``_sd``, the standard deviation between trainings; ``_seeds_low`` and
    ``_seeds_high``, the mean's Student interval over trainings, for what another training would bring on these deals;
    ``_deals_low`` and ``_deals_high``, its bootstrap interval over deals, for what these trainings would bring on other
    deals. With a single training, ``_sd`` and the interval over trainings are NaN.

    Args:
        results: as for :func:`analyse`.
        groups: for each learner its agents, one for each seed. Agents without results are left out, and so are groups in
            which there is no other.
    """
    agents = _agents(results)
    places = {
        group: [agents.index(agent) for agent in of_group if agent in agents] for group, of_group in groups.items()
    }
    places = {group: of_group for group, of_group in places.items() if of_group}
    columns: dict[str, object] = {"group": list(places), "seeds": [len(of_group) for of_group in places.values()]}
    for name, column in (("win_rate", "won"), ("score", "score"), ("regret", "regret")):
        by_deal = _by_deal(results, column, agents)
        trainings = [by_deal[of_group] for of_group in places.values()]
        over_seeds = np.array([each.mean(axis=0) for each in trainings]).reshape(-1, by_deal.shape[1])
        mean, *over_deals = _bootstrap(np.mean, over_seeds)
        sd, *interval = np.array([_spread(each.mean(axis=1)) for each in trainings]).reshape(-1, 3).T
        if name == "win_rate":  # Student's interval knows no bounds
            interval = list(np.clip(interval, 0, 1))
        ends = ("", "_sd", "_seeds_low", "_seeds_high", "_deals_low", "_deals_high")
        columns |= {name + end: each for end, each in zip(ends, (mean, sd, *interval, *over_deals), strict=True)}
    return pd.DataFrame(columns)


def named(name: str, interval: Iterable[Any]) -> dict[str, Any]:
    """Return a value and the ends of its interval by name: the name itself, and with ``_low`` and ``_high``."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), interval, strict=True))


def _spread(means: np.ndarray) -> tuple[float, float, float]:
    """Return the standard deviation of values and the ends of the interval of their mean; NaN for a single one."""
    if len(means) < 2:
        return np.nan, np.nan, np.nan
    return float(np.std(means, ddof=1)), *mean_interval(means)[1:]


def _agents(results: pd.DataFrame) -> list[str]:
    """Return the agents in the order of the leaderboard."""
    table = results.groupby("agent", sort=False).agg({"oracle": "first", "score": "mean"})
    return table.sort_values(["oracle", "score"], ascending=[True, False]).index.tolist()


def _by_deal(results: pd.DataFrame, column: str, agents: list[str]) -> np.ndarray:
    """Return a column as float64 (agents, deals)."""
    return results.pivot(index="agent", columns="deal", values=column).loc[agents].to_numpy(dtype=float)


def _bootstrap(statistic: Callable[..., np.ndarray], sample: np.ndarray) -> Interval:
    """Return a statistic with the ends of its interval: three arrays.

    Args:
        statistic: takes the sample and ``axis``; may return any number of figures in place of the rows.
        sample: (rows, deals). A resample has the same deals in all rows, so the rows stay paired.
    """
    value = statistic(sample, axis=-1)
    rows, deals = sample.shape
    if not rows or deals < 2:
        nothing = np.full(value.shape, np.nan)
        return value, nothing, nothing
    interval = stats.bootstrap(
        (sample,),
        statistic,
        n_resamples=RESAMPLES,
        batch=max(1, BATCH // sample.size),
        vectorized=True,
        axis=-1,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return value, interval.low, interval.high


def _scores(sample: np.ndarray, axis: int) -> np.ndarray:
    """Return mean, interquartile mean, regret and normalised score, one after the other, each for all agents.

    Args:
        sample: the scores of each agent, and in the last two rows those of random play and the optimum.
        axis: of the deals.
    """
    means = sample.mean(axis)
    mean, random, optimum = means[:-2], means[-2], means[-1]
    room = np.where(optimum > random, optimum - random, np.nan)
    return np.concatenate([mean, stats.trim_mean(sample[:-2], 0.25, axis=axis), optimum - mean, (mean - random) / room])


def _shares(outcomes: np.ndarray) -> Interval:
    """Return the share of true outcomes of every row, (rows, deals), with the ends of its interval."""
    shares, lows, highs = np.array([share_interval(row) for row in outcomes]).T
    return shares, lows, highs


def _games(moves: pd.DataFrame, agents: pd.Series) -> np.ndarray:
    """Return the number of games of these agents."""
    return moves.groupby("agent")["deal"].nunique().reindex(agents).to_numpy(dtype=float)


def _per_game(moves: pd.DataFrame, some: pd.DataFrame, by: str, values: np.ndarray | tuple[str, ...]) -> pd.DataFrame:
    """Return for each agent and value of a column, also where there are none: ``count`` of moves, ``loss`` a game.

    Args:
        moves: all moves, for the agents and the number of their games.
        some: those to count.
        by: the column.
        values: all its values.
    """
    index = pd.MultiIndex.from_product([moves["agent"].unique(), values], names=["agent", by])
    table = some.groupby(["agent", by])["loss"].agg(["count", "sum"]).reindex(index, fill_value=0)
    table = table.reset_index().rename(columns={"sum": "loss"})
    table["loss"] /= _games(moves, table["agent"])
    return table
