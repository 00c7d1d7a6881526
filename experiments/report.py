"""What a comparison leaves behind: the leaderboard as a table and as a plot, and its files."""

import io
import json
import platform
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich import box
from rich.console import Console
from rich.table import Table

from experiments.config import CompareConfig
from experiments.statistics import leaderboard
from tripeaks_env.files import replacing
from tripeaks_env.intervals import mean_interval, share_interval

VERSIONS = ("tripeaks-env", "gymnasium", "numba", "numpy", "scipy", "stable-baselines3", "sb3-contrib", "torch")


def leaderboard_table(board: pd.DataFrame, milliseconds: dict[str, float], title: str, caption: str) -> Table:
    """Return the leaderboard as a table for the terminal; below each figure stands its interval.

    Args:
        board: the table of :func:`experiments.statistics.leaderboard`.
        milliseconds: time of a game, by agent.
        title: the line above.
        caption: the line below.
    """
    table = Table(title=title, caption=caption, caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold")
    for heading in ("win rate\n%", "mean\nscore", "mean\nregret", "winnable\nwon %", "peaks", "draws", "ms a\ngame"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in board.iterrows():
        table.add_row(
            f"{name} *" if row["oracle"] else str(name),
            _interval(row, "win_rate", 100),
            _interval(row, "score"),
            _interval(row, "regret"),
            _interval(row, "winnable_won", 100),
            f"{row['peaks']:.2f}",
            f"{row['draws']:.1f}",
            f"{milliseconds[str(name)]:.2f}",
        )
    return table


def _interval(row: pd.Series, name: str, scale: float = 1) -> str:
    mean, low, high = (scale * row[key] for key in (name, f"{name}_low", f"{name}_high"))
    if np.isnan(mean):
        return "–"
    return f"[bold]{mean:.1f}[/]\n[dim]{low:.1f}–{high:.1f}[/]"


def optimum_line(results: pd.DataFrame) -> str:
    """Return a sentence on the optimum of the deals that were played."""
    deals = results.drop_duplicates("deal")
    share, share_low, share_high = share_interval(deals["winnable"].to_numpy())
    mean, low, high = mean_interval(deals["optimum"].to_numpy())
    return (
        f"The optimum, with all cards known: {100 * share:.1f} % ({100 * share_low:.1f}–{100 * share_high:.1f}) can be won, "
        f"mean best score {mean:.1f} ({low:.1f}–{high:.1f}). Ranges are 95 % intervals."
        + (" * sees all cards." if results["oracle"].any() else "")
    )


def leaderboard_figure(board: pd.DataFrame, title: str) -> Figure:
    """Return a plot of win rate and mean regret, a row for each agent, with intervals."""
    figure = Figure(figsize=(9, 1.3 + 0.45 * len(board)), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    colors = ["tab:gray" if oracle else "tab:blue" for oracle in board["oracle"]]
    for axis, name, scale, label in zip(
        axes, ("win_rate", "regret"), (100, 1), ("win rate, %", "mean regret to the optimum, points"), strict=True
    ):
        mean, low, high = (scale * board[key] for key in (name, f"{name}_low", f"{name}_high"))
        axis.barh(board.index, mean, xerr=[mean - low, high - mean], color=colors, height=0.6, capsize=3)
        for row, value in enumerate(mean):
            axis.annotate(f"{value:.1f}", (high.iloc[row], row), (6, 0), textcoords="offset points", va="center")
        axis.set(xlabel=label, xlim=(0, 1.15 * max(1, high.max())))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    figure.suptitle(title, fontsize="medium")
    return figure


def write_comparison(
    folder: Path, config: CompareConfig, results: pd.DataFrame, milliseconds: dict[str, float], console: Console
) -> None:
    """Print the leaderboard and write the files of a comparison to ``folder``, each at once.

    ``results.parquet``: a row for each agent and deal. ``summary.json``: the leaderboard, the config and the versions.
    ``leaderboard.png`` and ``leaderboard.svg``: a plot and the table.
    """
    board = leaderboard(results)
    title = f"TriPeaks {config.name}: {config.rules}, {config.deals.count:,} evaluation deals"
    table = leaderboard_table(board, milliseconds, title, optimum_line(results))
    console.print(table)
    with replacing(folder / "results.parquet") as path:
        results.to_parquet(path, index=False)
    with replacing(folder / "summary.json") as path:
        summary = {
            "config": config.model_dump(mode="json"),
            "leaderboard": json.loads(board.reset_index().to_json(orient="records")),
            "milliseconds_per_game": milliseconds,
            "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in VERSIONS},
        }
        path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    with replacing(folder / "leaderboard.png") as path:
        leaderboard_figure(board, title).savefig(path, dpi=150)
    with replacing(folder / "leaderboard.svg") as path:
        picture = Console(record=True, width=96, file=io.StringIO())
        picture.print(table)
        picture.save_svg(str(path), title="python -m experiments compare")
