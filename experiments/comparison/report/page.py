"""The page of a comparison: one HTML file that needs nothing else."""

import math
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from experiments.comparison.analysis import Analysis, named
from experiments.comparison.compare import Comparison
from experiments.comparison.report.plots import BANDS, figures, inline_svg
from experiments.config import CompareConfig
from tripeaks_env.parallel.intervals import mean_interval, share_interval

HERE = Path(__file__).parent
PROFILE_ROWS = 10
"""Rows of the table of performance profiles, at most so many and one."""
LABELS = {
    "leaderboard": "Bars of win rate and mean regret with intervals, a row for each agent; {best} is first. "
    "The table above has the numbers.",
    "profiles": "Lines that rise with the regret: the share of deals on which each agent is at most so far from the optimum. "
    "The table below has the numbers.",
    "pairs": "A square of percentages: how often the agent of the row scores more than that of the column. "
    "The table below has the numbers.",
    "difficulty": "Win rate and mean regret of each agent by how hard the deals are. The table below has the numbers.",
    "phases": "Above, lines of the points lost so far by cards left in the stock; below, bars of the loss by kind of "
    "mistake. The tables below have the numbers.",
}
"""What is to be seen in each plot, for those who do not see it."""


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
    profiles = analysis.profiles.pivot(index="regret", columns="agent", values="share")[list(board.index)]
    step = max(1, math.ceil((len(profiles) - 1) / PROFILE_ROWS))
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
        "profile_rows": profiles.iloc[::step].to_dict("index"),
        "stocks": list(analysis.phases["stock"].unique()),
        "phase_loss": analysis.phases.set_index(["agent", "stock"])["loss"].to_dict(),
        "groups": list(analysis.difficulty["group"].unique()),
        "rules": str(config.rules),
        "yaml": yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True),
        "plots": {
            name: Markup(inline_svg(name, LABELS[name].format(best=board.index[0]), make))
            for name, make in figures(analysis).items()
        },
        "bands": len(board) <= BANDS,
        "css": Markup((HERE / "page.css").read_text(encoding="utf-8")),
        "js": Markup((HERE / "page.js").read_text(encoding="utf-8")),
    }
    return environment.get_template("page.html").render(values)
