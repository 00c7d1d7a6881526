"""What can be reached with all cards known: the optimum of every preset over many evaluation deals."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich import box
from rich.progress import Progress
from rich.table import Table

from tripeaks_env import PRESETS, Rules, Scoring, solve_many, suite
from tripeaks_env.deals import format_code
from tripeaks_env.files import replacing
from tripeaks_env.intervals import mean_interval, share_interval

BARS = 100  # most bars of a histogram
CHUNK = 960  # deals between two steps of the progress bar
COLUMNS = ("rules", "can be won, %", "mean best score", "mean draws of the shortest win")


def solve_presets(deals: int, seed: int, threads: int, folder: Path, progress: Progress) -> dict[str, pd.DataFrame]:
    """Return for each preset a row for each deal of a suite, and keep it in ``folder``, from where the next call takes it.

    The columns: ``deal``: the code; ``score``: the best; ``won``: whether that is a win; ``winnable``: whether the deal can
    be won; ``draws``: of the win with the fewest moves, else -1.

    Args:
        deals: how many.
        seed: of the suite.
        threads: how many threads share the work.
        folder: for a file for each preset.
        progress: shows how far it is.
    """
    solved = {}
    for name, rules in PRESETS.items():
        path = folder / f"{name}-{deals}-{seed}.parquet"
        if not path.exists():
            table = _solve(suite(deals, seed), rules, threads, progress, f"solving {name}")
            with replacing(path) as part:
                table.to_parquet(part)
        solved[name] = pd.read_parquet(path)
    return solved


def _solve(numbers: list[int], rules: Rules, threads: int, progress: Progress, description: str) -> pd.DataFrame:
    additive = replace(rules, scoring=Scoring())  # what can be won does not depend on the points
    parts = []
    task = progress.add_task(description, total=len(numbers))
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        best, shortest = solve_many(chunk, rules, threads), solve_many(chunk, additive, threads, "moves")
        part = {
            "deal": [format_code(number, rules) for number in chunk],
            "score": best.scores,
            "won": best.won,
            "winnable": shortest.won,
            "draws": np.where(shortest.won, shortest.draws, -1),
        }
        parts.append(pd.DataFrame(part))
        progress.advance(task, len(chunk))
    return pd.concat(parts, ignore_index=True)


def rows(solved: Mapping[str, pd.DataFrame]) -> list[tuple[str, ...]]:
    """Return a line of the table for each preset, a text for each of :data:`COLUMNS`, with 95 % intervals."""
    return [
        (
            name,
            _text(share_interval(table["winnable"].to_numpy()), 100),
            _text(mean_interval(table["score"].to_numpy())),
            _text(mean_interval(table.loc[table["winnable"], "draws"].to_numpy())),
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
    lines = [COLUMNS, ("---", *["---:"] * (len(COLUMNS) - 1)), *rows(solved)]
    text = [
        "# What can be reached with all cards known",
        f"`{command}` wrote this page: the exact optimum of {deals:,} evaluation deals (suite seed {seed}), the same for all "
        "rules, with 95 % intervals (Wilson's for shares, Student's for means).",
        "\n".join(f"| {' | '.join(line)} |" for line in lines),
        "Whether a deal can be won does not depend on the points; the best score is in the points of the preset. A win has "
        "28 removals, so its draws tell its moves. Open peaks change nothing for a player who knows all cards anyway.",
        f"![Histograms of the best scores]({picture.name})",
    ]
    with replacing(picture) as part:
        _histograms(solved).savefig(part, metadata={"Date": None})
    with replacing(path) as part:
        part.write_text("\n\n".join(text) + "\n", encoding="utf-8")


def _histograms(solved: Mapping[str, pd.DataFrame]) -> Figure:
    figure = Figure(figsize=(8, 1.5 * len(solved)), layout="constrained")
    for axes, (name, found) in zip(figure.subplots(len(solved)), solved.items(), strict=True):
        scores = found["score"].to_numpy()
        width = -(-int(np.ptp(scores) + 1) // BARS)  # of a bar, in points
        bins = np.arange(scores.min(), scores.max() + width + 1, width) - 0.5
        groups = [scores[found["won"]], scores[~found["won"]]]
        axes.hist(
            groups, bins, histtype="stepfilled", stacked=True, label=["won", "lost"], color=["tab:green", "tab:red"]
        )
        axes.set_title(name, loc="left")
        axes.set_ylabel("deals")
    axes.set_xlabel("best score, all cards known")
    axes.legend()
    return figure
