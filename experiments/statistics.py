"""From per-deal results to a leaderboard with 95 % intervals."""

import pandas as pd

from tripeaks_env.intervals import mean_interval, share_interval


def leaderboard(results: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each agent, indexed by its name: fair agents first, then oracles, each by mean score.

    Columns: ``oracle``; ``deals``; ``win_rate``, ``score``, ``regret``, ``winnable_won`` (share of the winnable deals that
    were won), each with ``_low`` and ``_high``, the ends of its interval; ``peaks``, ``draws`` and ``moves``, means. Shares
    have Wilson's interval, means Student's. Without a winnable deal, ``winnable_won`` is NaN.

    Args:
        results: the table of :func:`experiments.compare.compare`.
    """
    rows = {}
    for name, of_agent in results.groupby("agent", sort=False):
        row: dict[str, float] = {"oracle": bool(of_agent["oracle"].iloc[0]), "deals": len(of_agent)}
        row |= _named("win_rate", share_interval(of_agent["won"].to_numpy()))
        row |= _named("score", mean_interval(of_agent["score"].to_numpy()))
        row |= _named("regret", mean_interval(of_agent["regret"].to_numpy()))
        row |= _named("winnable_won", share_interval(of_agent.loc[of_agent["winnable"], "won"].to_numpy()))
        row |= {name: of_agent[name].mean() for name in ("peaks", "draws", "moves")}
        rows[name] = row
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.sort_values(["oracle", "score"], ascending=[True, False], kind="stable").rename_axis("agent")


def _named(name: str, interval: tuple[float, float, float]) -> dict[str, float]:
    return dict(zip((name, f"{name}_low", f"{name}_high"), interval, strict=True))
