"""What can be reached with all cards known: the optimum of every preset over many evaluation deals."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from rich import box
from rich.progress import Progress
from rich.table import Table

from experiments import suites
from experiments.pages import markdown
from experiments.runs.store import Store
from tripeaks_env import PRESETS, suite
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.intervals import mean_interval, share_interval
from tripeaks_env.parallel.pool import Pool
from tripeaks_env.pictures.histogram import draw_histogram

BARS = 100  # most bars of a histogram
COLUMNS = ("rules", "can be won, %", "mean best score", "mean draws of the shortest win")


def solve_presets(deals: int, seed: int, store: Store, pool: Pool, progress: Progress) -> dict[str, pd.DataFrame]:
    """Return for each preset what is known of the deals of a suite, see :func:`experiments.suites.read`.

    Args:
        deals: how many.
        seed: of the suite.
        store: keeps what is done.
        pool: does it.
        progress: shows how far it is.
    """
    solved = {}
    numbers = suite(deals, seed)
    for name, rules in PRESETS.items():
        bar = progress.add_task(f"solving {name}", total=deals)
        solved[name] = suites.find_out(0, numbers, rules, store, pool, partial(progress.advance, bar))
    return solved


def rows(solved: Mapping[str, pd.DataFrame]) -> list[tuple[str, ...]]:
    """Return a line of the table for each preset, a text for each of :data:`COLUMNS`, with 95 % intervals."""
    return [
        (
            name,
            _text(share_interval(table["winnable"].to_numpy()), 100),
            _text(mean_interval(table["optimum"].to_numpy())),
            _text(mean_interval(table.loc[table["winnable"], "fewest_draws"].to_numpy())),
        )
        for name, table in solved.items()
    ]


def _text(interval: tuple[float, float, float], scale: float = 1) -> str:
    mean, low, high = (f"{scale * value:.2f}".replace("-", "−") for value in interval)
    return f"{mean} ({low} to {high})"


def table(lines: list[tuple[str, ...]], deals: int) -> Table:
    """Return the lines as a table for the terminal."""
    found = Table(title=f"The optimum of {deals:,} deals, all cards known", box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column in COLUMNS:
        found.add_column(column, justify="left" if column == "rules" else "right")
    for line in lines:
        found.add_row(*line)
    return found


def write_page(solved: Mapping[str, pd.DataFrame], deals: int, seed: int, command: str, path: Path) -> None:
    """Write the lines as a page of Markdown, and the distribution of the best scores as a picture beside it."""
    picture = path.with_suffix(".svg")
    text = [
        "# What can be reached with all cards known",
        f"`{command}` wrote this page: the exact optimum of {deals:,} evaluation deals (suite seed {seed}), the same for all "
        "rules, with 95 % intervals (Wilson's for shares, Student's for means).",
        markdown.table(COLUMNS, "| --- | ---: | ---: | ---: |", rows(solved)),
        "Whether a deal can be won does not depend on the points; the best score is in the points of the preset. A win has "
        "28 removals, so its draws tell its moves. Open peaks change nothing for a player who knows all cards anyway.",
        f"![Histograms of the best scores]({picture.name})",
    ]
    markdown.save(_histograms(solved), picture)
    with replacing(path) as part:
        part.write_text("\n\n".join(text) + "\n", encoding="utf-8")


def _histograms(solved: Mapping[str, pd.DataFrame]) -> Figure:
    figure = Figure(figsize=(8, 1.5 * len(solved)), layout="constrained")
    for axes, (name, found) in zip(figure.subplots(len(solved)), solved.items(), strict=True):
        style = {"histtype": "stepfilled", "label": ["won", "lost"], "color": ["tab:green", "tab:red"]}
        draw_histogram(axes, found["optimum"].to_numpy(), found["optimum_won"].to_numpy(), BARS, **style)
        axes.set_title(name, loc="left")
        axes.set_ylabel("deals")
    axes.set_xlabel("best score, all cards known")
    axes.legend()
    return figure
