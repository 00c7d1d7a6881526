"""The page of a comparison: one HTML file that needs nothing else."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from experiments.comparison.analysis import Analysis, named
from experiments.comparison.compare import Comparison
from experiments.comparison.report.plots import (
    BANDS,
    difficulty_figure,
    inline_svg,
    leaderboard_figure,
    pairs_figure,
    phases_figure,
    profiles_figure,
)
from experiments.config import CompareConfig
from tripeaks_env.parallel.intervals import mean_interval, share_interval

HERE = Path(__file__).parent
PROFILE_ROWS = 10
"""Rows of the table of performance profiles, at most so many and one."""


def number(value: float, path: list[object], digits: int = 1, scale: float = 1) -> Markup:
    """Return a number as HTML: rounded to read, and in full in the element's value; a dash for NaN.

    Args:
        value: the number.
        path: where it stands: table, rows and column; joined by ``/`` it is the attribute ``data-of``.
        digits: digits after the point.
        scale: 100 for a percentage; both the shown and the full number are multiplied by it.
    """
    if value is None or math.isnan(value):
        return Markup('<span class="none" title="not defined here">–</span>')
    value = float(scale * value)
    shown = f"{value:,.{digits}f}"
    if float(shown.replace(",", "")) == 0:
        shown = shown.removeprefix("-")
    of = "/".join(str(part) for part in path)
    return Markup('<data value="{}" data-of="{}">{}</data>').format(repr(value), of, shown.replace("-", "−"))


def render(
    config: CompareConfig, found: Comparison, analysis: Analysis, replays: dict[str, Any], provenance: dict[str, Any]
) -> str:
    """Return the page as HTML.

    Args:
        config: what was run.
        found: what was found.
        analysis: its statistics.
        replays: see :func:`experiments.comparison.report.replays.replay_data`.
        provenance: facts on how it was made, made of JSON types only.
    """
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = number
    board = analysis.leaderboard
    deals = found.results.drop_duplicates("deal")
    values = {
        "config": config,
        "failed": found.failed,
        "remarks": found.remarks,
        "milliseconds": found.milliseconds,
        "provenance": provenance,
        "replays": replays,
        **{name: table.to_dict("records") for name, table in analysis._asdict().items() if name != "leaderboard"},
        "leaderboard": board.reset_index().to_dict("records"),
        "agents": [str(name) for name in board.index],
        "facts": {
            "deals": len(deals),
            "agents": len(board) + len(found.failed),
            **named("winnable", share_interval(deals["winnable"].to_numpy())),
            **named("optimum", mean_interval(deals["optimum"].to_numpy())),
            **named("random", mean_interval(deals["random"].to_numpy())),
            "judged": min(config.moves, len(deals)),
        },
        "profile_rows": _profile_rows(analysis.profiles, board),
        "stocks": list(analysis.phases["stock"].unique()),
        "phase_loss": {(str(row["agent"]), row["stock"]): row["loss"] for row in analysis.phases.to_dict("records")},
        "groups": list(analysis.difficulty["group"].unique()),
        "rules": str(config.rules),
        "yaml": yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True),
        "plots": _plots(analysis),
        "bands": len(board) <= BANDS,
        "css": Markup((HERE / "page.css").read_text(encoding="utf-8")),
        "js": Markup((HERE / "page.js").read_text(encoding="utf-8")),
    }
    return environment.get_template("page.html").render(values)


def _profile_rows(profiles: pd.DataFrame, board: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the profiles at some regrets: for each ``regret`` and, by agent, ``shares``."""
    wide = profiles.pivot(index="regret", columns="agent", values="share")[list(board.index)]
    step = max(1, math.ceil((len(wide) - 1) / PROFILE_ROWS))
    chosen = wide.iloc[::step]
    return [
        {"regret": regret, "shares": {str(agent): share for agent, share in row.items()}}
        for regret, row in chosen.iterrows()
    ]


def _plots(analysis: Analysis) -> dict[str, Markup]:
    board = analysis.leaderboard
    best = board.index[0]
    plots = {
        "leaderboard": (
            f"Bars of win rate and mean regret with intervals, a row for each agent; {best} is first. "
            "The table above has the numbers.",
            lambda: leaderboard_figure(board),
        ),
        "profiles": (
            "Lines that rise with the regret: the share of deals on which each agent is at most so far from the optimum. "
            "The table below has the numbers.",
            lambda: profiles_figure(analysis.profiles, board),
        ),
        "difficulty": (
            "Win rate and mean regret of each agent by how hard the deals are. The table below has the numbers.",
            lambda: difficulty_figure(analysis.difficulty, board),
        ),
    }
    if len(analysis.pairs):
        plots["pairs"] = (
            "A square of percentages: how often the agent of the row scores more than that of the column. "
            "The table below has the numbers.",
            lambda: pairs_figure(analysis.pairs, board),
        )
    if len(analysis.phases):
        plots["phases"] = (
            "Above, lines of the points lost so far by cards left in the stock; below, bars of the loss by kind of mistake. "
            "The tables below have the numbers.",
            lambda: phases_figure(analysis.phases, analysis.mistakes, board),
        )
    return {name: Markup(inline_svg(name, label, make)) for name, (label, make) in plots.items()}
