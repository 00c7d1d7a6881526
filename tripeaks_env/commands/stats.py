"""The command stats: many deals solved, on threads of this machine or on a pool of workers."""

import json
import math
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tripeaks_env.commands.options import AsJson, DealRules, ObjectiveOption
from tripeaks_env.env.splits import suite
from tripeaks_env.game.rules import PRESETS, Rules, Scoring
from tripeaks_env.parallel import PoolName, make_pool
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.intervals import mean_interval, share_interval
from tripeaks_env.parallel.pool import Lost, Pool
from tripeaks_env.pictures.histogram import draw_histogram
from tripeaks_env.pictures.tables import print_table, progress_bars
from tripeaks_env.solver.many_deals import solve_many
from tripeaks_env.solver.objective import Objective

PATIENCE = 3.0
"""Seconds of work before a progress bar is shown."""
QUANTILES = {"least": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "most": 1.0}
FORMATS = (".svg", ".png")
BARS = 250
"""Most bars of a picture."""


def show_stats(
    deals: Annotated[int, typer.Option(min=2, help="How many evaluation deals, up to a million.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the suite of deals.")] = 0,
    rules: DealRules = "easy",
    objective: ObjectiveOption = "score",
    engine: Annotated[PoolName, typer.Option(help="Threads of this machine, or Ray, if it is installed.")] = "local",
    workers: Annotated[int, typer.Option(min=1, help="How many threads or processes share the work.")] = 1,
    address: Annotated[
        str | None, typer.Option(help="Of a running Ray cluster, such as auto; by default Ray is started here.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the scores into this file, .svg or .png.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve many evaluation deals: which share can be won, and the scores of the best lines, with 95 % intervals.

    JSON: rules, objective, seed, deals; winnable and won (by the best lines), each a share and the ends of its interval
    (Wilson's); score, the mean and the ends of its interval (Student's); scores, how many deals have each.
    """
    if picture and picture.suffix.lower() not in FORMATS:
        raise ValueError(f"--picture is {str(picture)!r}; it must end in {' or '.join(FORMATS)}")
    if picture and not picture.parent.is_dir():
        raise ValueError(f"--picture {picture} cannot be written: No such file or directory")
    played, numbers = PRESETS[rules], suite(deals, seed)
    with replacing(picture) if picture else nullcontext() as part:
        if part:
            part.touch()  # a folder that cannot be written to is found before the work
        pool = make_pool(engine, workers, address) if engine == "ray" or address else None
        with pool or nullcontext():
            scores, won = _solve(numbers, played, objective, workers, pool)
            winnable = won
            if objective == "score" and played.scoring != Scoring():  # by the standard points a win is the best score
                _, winnable = _solve(numbers, replace(played, scoring=Scoring()), objective, workers, pool)
        if part:
            _draw(part, scores, won, f"{deals:,} deals, {rules} rules")
    found: dict[str, Any] = {"rules": rules, "objective": objective, "seed": seed, "deals": deals}
    found |= {"winnable": share_interval(winnable), "won": share_interval(won), "score": mean_interval(scores)}
    if as_json:
        each, counts = np.unique(scores, return_counts=True)
        typer.echo(json.dumps(found | {"scores": dict(zip(each.tolist(), counts.tolist(), strict=True))}))
        return
    typer.echo(f"{deals:,} evaluation deals, seed {seed}   rules {rules}   objective {objective}")
    for name, key in (("can be won", "winnable"), ("won by the best lines", "won")):
        typer.echo("{:<23}{:.1%}   ({:.1%} to {:.1%})".format(name, *found[key]))
    typer.echo("{:<23}{:.1f}   ({:.1f} to {:.1f})".format("mean best score", *found["score"]))
    table = Table(*QUANTILES, title="best scores", box=box.SIMPLE)
    table.add_row(*(f"{score:g}" for score in np.quantile(scores, list(QUANTILES.values()), method="lower")))
    print_table(table, Console())


def _solve(
    numbers: list[int], rules: Rules, objective: Objective, workers: int, pool: Pool | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best scores of deals and which are won; in parts, so that progress shows and an interrupt is heard."""
    size = (8 if rules.scoring.streak else 1000) * (1 if pool else workers)
    progress = progress_bars(Console(stderr=True), transient=True)
    bar, began = progress.add_task("deals", total=len(numbers)), time.monotonic()
    tasks = [_Deals(start, numbers[start : start + size], rules, objective) for start in range(0, len(numbers), size)]
    threads = partial(_solve_part, threads=workers)
    parts: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    try:
        for task, part in pool.run(_solve_part, tasks, math.inf) if pool else ((task, threads(task)) for task in tasks):
            if isinstance(part, Lost):
                raise OSError(f"a worker {part.reason}")
            parts[task.start] = part
            progress.advance(bar, len(task.numbers))
            if progress.console.is_terminal and time.monotonic() - began > PATIENCE:
                progress.start()
    finally:
        progress.live.stop()
    scores, won = zip(*(parts[start] for start in sorted(parts)), strict=True)
    return np.concatenate(scores), np.concatenate(won)


class _Deals(NamedTuple):
    """Some of the deals to solve, which begin at ``start``."""

    start: int
    numbers: list[int]
    rules: Rules
    objective: Objective


def _solve_part(task: _Deals, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    found = solve_many(task.numbers, task.rules, threads, task.objective)
    return found.scores, found.won


def _draw(path: Path, scores: np.ndarray, won: np.ndarray, title: str) -> None:
    """Write a histogram of best scores."""
    from matplotlib.figure import Figure  # here, as it takes long to import

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    draw_histogram(axes, scores, won, BARS, label=["won", "not won"])
    axes.set(title=f"Best scores of {title}", xlabel="best score", ylabel="deals")
    axes.legend()
    figure.savefig(path)
