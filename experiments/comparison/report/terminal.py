"""The leaderboard as a table for the terminal, and as a picture of it."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from experiments.comparison.compare import Comparison
from tripeaks_env.parallel.intervals import mean_interval, share_interval
from tripeaks_env.pictures.tables import print_table

WIDTH = 96
"""Columns of text in the picture."""


def leaderboard_table(board: pd.DataFrame, found: Comparison, title: str) -> Table:
    """Return the leaderboard as a table for the terminal; below each figure stands its interval.

    Args:
        board: the leaderboard of :func:`experiments.comparison.analysis.analyse`.
        found: what it is of; agents without results come last.
        title: the line above.
    """
    table = Table(
        title=title, caption=_optimum_line(found.results), caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0)
    )
    table.add_column("agent")
    for heading in ("win rate\n%", "mean\nscore", "mean\nregret", "winnable\nwon %", "peaks", "ms a\ngame"):
        table.add_column(heading, justify="right")
    for name, row in board.iterrows():
        table.add_row(
            Text(f"{name} *" if row["oracle"] else str(name)),
            _interval(row, "win_rate", 100),
            _interval(row, "score"),
            _interval(row, "regret"),
            _interval(row, "winnable_won", 100),
            f"{row['peaks']:.2f}",
            f"{found.milliseconds[str(name)]:.2f}",
        )
    for name in found.failed:
        table.add_row(Text(name), "[red]failed[/]")
    return table


def _interval(row: pd.Series, name: str, scale: float = 1) -> str:
    mean, low, high = (scale * row[key] for key in (name, f"{name}_low", f"{name}_high"))
    if np.isnan(mean):
        return "–"
    return f"[bold]{mean:.1f}[/]\n[dim]{low:.1f}–{high:.1f}[/]"


def _optimum_line(results: pd.DataFrame) -> str:
    """Return a sentence on the optimum of the deals that were played."""
    deals = results.drop_duplicates("deal")
    share, share_low, share_high = share_interval(deals["winnable"].to_numpy())
    mean, low, high = mean_interval(deals["optimum"].to_numpy())
    return (
        f"The optimum, with all cards known: {100 * share:.1f} % ({100 * share_low:.1f}–{100 * share_high:.1f}) can be won, "
        f"mean best score {mean:.1f} ({low:.1f}–{high:.1f}). Ranges are 95 % intervals."
        + (" * sees all cards." if results["oracle"].any() else "")
    )


def print_leaderboard(table: Table, found: Comparison, console: Console) -> None:
    """Print what :func:`leaderboard_table` returned, and a line for each agent that failed or that there is a remark on."""
    print_table(table, console)
    for name, message in found.failed.items():
        console.print(Text(f"failed: {name}: {message}", style="red"), soft_wrap=True)
    for name, message in found.remarks.items():
        console.print(Text(f"note: {name}: {message}", style="yellow"), soft_wrap=True)


def save_picture(table: Table, found: Comparison, path: Path) -> None:
    """Write what :func:`print_leaderboard` prints to a picture (SVG)."""
    picture = Console(record=True, width=WIDTH, file=io.StringIO())
    print_leaderboard(table, found, picture)
    picture.save_svg(str(path), title="python -m experiments compare")
