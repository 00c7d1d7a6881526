"""The leaderboard as a table for the terminal, and as a picture of it."""

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tripeaks_env.parallel.intervals import mean_interval, share_interval

WIDTH = 96
"""Columns of text in the picture."""


def leaderboard_table(
    board: pd.DataFrame, failed: Iterable[str], milliseconds: dict[str, float], title: str, caption: str
) -> Table:
    """Return the leaderboard as a table for the terminal; below each figure stands its interval.

    Args:
        board: the leaderboard of :func:`experiments.comparison.analysis.analyse`.
        failed: agents without results, which come last.
        milliseconds: time of a game, by agent.
        title: the line above.
        caption: the line below.
    """
    table = Table(title=title, caption=caption, caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold")
    for heading in ("win rate\n%", "mean\nscore", "mean\nregret", "winnable\nwon %", "peaks", "ms a\ngame"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, row in board.iterrows():
        table.add_row(
            Text(f"{name} *" if row["oracle"] else str(name)),
            _interval(row, "win_rate", 100),
            _interval(row, "score"),
            _interval(row, "regret"),
            _interval(row, "winnable_won", 100),
            f"{row['peaks']:.2f}",
            f"{milliseconds[str(name)]:.2f}",
        )
    for name in failed:
        table.add_row(Text(name), "[red]failed[/]")
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


def print_leaderboard(table: Table, failed: dict[str, str], remarks: dict[str, str], console: Console) -> None:
    """Print the leaderboard and below it a line for each agent that failed or that there is something to say of.

    Args:
        table: see :func:`leaderboard_table`.
        failed: what went wrong, by agent.
        remarks: what there is to say, by agent.
        console: where to print.
    """
    console.print(table)
    for name, message in failed.items():
        console.print(Text(f"failed: {name}: {message}", style="red"), soft_wrap=True)
    for name, message in remarks.items():
        console.print(Text(f"note: {name}: {message}", style="yellow"), soft_wrap=True)


def save_picture(table: Table, failed: dict[str, str], remarks: dict[str, str], path: Path) -> None:
    """Write what :func:`print_leaderboard` prints to a picture (SVG)."""
    picture = Console(record=True, width=WIDTH, file=io.StringIO())
    print_leaderboard(table, failed, remarks, picture)
    picture.save_svg(str(path), title="python -m experiments compare")
