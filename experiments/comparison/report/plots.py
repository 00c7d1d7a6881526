"""The plots of a comparison, as PNG files and as SVG inside the page."""

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from experiments.comparison.analysis import Analysis

COLORS = ("#3f7fc1", "#d9772b", "#2f9a6b", "#b45fc0", "#c9504f", "#938322", "#2b9fa6", "#8c6d5a", "#d1609a", "#6f74d6")
"""Of fair agents, in turn; readable on white and on black."""
MARKERS = "osD^v<>pPX"
LINES = ("-", "--", ":", "-.")
BANDS = 6
"""Agents in a plot whose intervals are drawn as bands, at most; more bands hide each other."""
GRAY = "#8a8f94"
"""Of agents that see all cards."""
MEASURES = (("win_rate", 100, "win rate, %"), ("regret", 1, "mean regret to the optimum, points"))
"""The columns in plots of two sides, what they are multiplied by, and what they are called."""
INK = "#010203"
"""Of text and axes of a plot inside the page, where it becomes the text's colour."""
STYLE: dict[Any, Any] = {
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "tripeaks",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "font.size": 10,
}
SHORT, NAME = 20, 0.14
"""Characters of a name that there is room for, and the inches that one more takes at most."""
INLINE = dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK)


def figures(analysis: Analysis, title: str = "") -> dict[str, Callable[[], Figure]]:
    """Return what makes each plot of a comparison, by its name."""
    board = analysis.leaderboard
    return {
        "leaderboard": partial(leaderboard_figure, board, title),
        "profiles": partial(profiles_figure, analysis.profiles, board, title),
        "pairs": partial(pairs_figure, analysis.pairs, board, title),
        "difficulty": partial(difficulty_figure, analysis.difficulty, board, title),
        "phases": partial(phases_figure, analysis.phases, analysis.mistakes, board, title),
    }


@contextmanager
def boxes_for_glyphs() -> Iterator[None]:
    """Draw a character that the font lacks, such as of a label in Chinese, as a box and without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


def save_png(path: Path, make: Callable[[], Figure]) -> None:
    """Write the plot that ``make`` returns to a PNG file, in the style of this module."""
    with matplotlib.rc_context(STYLE), boxes_for_glyphs():
        make().savefig(path, dpi=150, format="png")


def inline_svg(name: str, label: str, make: Callable[[], Figure]) -> str:
    """Return a plot as SVG to stand inside a page: transparent, text and axes in the colour of the page's text.

    Args:
        name: begins all ids, so that they differ from those of other plots.
        label: what is to be seen, for those who do not see it.
        make: returns the figure, in the style of this module.
    """
    file = io.StringIO()
    with matplotlib.rc_context(STYLE | INLINE), boxes_for_glyphs():
        make().savefig(
            file, format="svg", transparent=True, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
        )
    text = file.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)  # it would hold for the whole page
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    box = re.search(r'viewBox="[^"]*"', text)
    assert box  # Matplotlib always writes one
    shown = f'style="--natural: {float(box[0].split()[2]):.0f}pt" role="img" aria-label="{escape(label)}"'
    return f"<svg {box[0]} {shown}>{text[text.index('>') + 1 :]}"


class Look(NamedTuple):
    """How the line of an agent looks."""

    color: str
    marker: str
    line: str


def looks(board: pd.DataFrame) -> dict[str, Look]:
    """Return how the agents of a leaderboard look, each another way; those that see all cards are gray."""
    found: dict[str, Look] = {}
    fair = int((~board["oracle"].astype(bool)).sum())
    for place, name in enumerate(map(str, board.index)):
        color, line = (COLORS[place % len(COLORS)], place // len(COLORS)) if place < fair else (GRAY, place - fair)
        found[name] = Look(color, MARKERS[place % len(MARKERS)], LINES[line % len(LINES)])
    return found


def _legend(figure: Figure, axis: Axes) -> None:
    """Put a legend beside the plots. Matplotlib leaves out labels that begin with an underscore; here none does."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", fontsize="small")


def _named(name: str) -> str:
    return f"\u200b{name}"  # zero-width, before what may be an underscore


def leaderboard_figure(board: pd.DataFrame, title: str = "") -> Figure:
    """Return a plot of win rate and mean regret, a row for each agent, with intervals."""
    figure = _figure(board, title, 9, 1.3 + 0.45 * len(board))
    axes = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(board))
    colors = [look.color for look in looks(board).values()]
    for axis, (name, scale, label) in zip(axes, MEASURES, strict=True):
        mean, low, high = ((scale * board[key]).to_numpy() for key in (name, f"{name}_low", f"{name}_high"))
        errors = np.maximum([mean - low, high - mean], 0)
        axis.barh(places, mean, color=colors, height=0.6)
        axis.errorbar(mean, places, xerr=errors, fmt="none", capsize=3, ecolor=axis.spines["left"].get_edgecolor())
        for row, value in enumerate(mean):
            text = axis.annotate(f"{value:.1f}", (high[row], row), (6, 0), textcoords="offset points", va="center")
            text.set_gid(f"value-{name}-{row}")
        axis.set(xlabel=label, xlim=(0, 1.15 * max(1, high.max())))
    axes[0].set_yticks(places, [str(name) for name in board.index])
    axes[0].invert_yaxis()
    return figure


def profiles_figure(profiles: pd.DataFrame, board: pd.DataFrame, title: str = "") -> Figure:
    """Return a plot of the share of deals with at most so much regret, a line for each agent. Few agents have
    their intervals as bands.
    """
    figure = _figure(board, title, 8, 4.2)
    axis = figure.subplots()
    for name, (color, _, line) in looks(board).items():
        of_agent = profiles[profiles["agent"] == name]
        x = of_agent["regret"].to_numpy()
        share, low, high = (100 * of_agent[key].to_numpy() for key in ("share", "low", "high"))
        axis.step(x, share, where="post", color=color, linestyle=line, label=_named(name), linewidth=1.8)
        if len(board) <= BANDS:
            axis.fill_between(x, low, high, step="post", color=color, alpha=0.15, linewidth=0)
    axis.set(xlabel="regret to the optimum, points", ylabel="deals with at most that, %", ylim=(0, 102), xlim=(0, None))
    _legend(figure, axis)
    return figure


def pairs_figure(pairs: pd.DataFrame, board: pd.DataFrame, title: str = "") -> Figure:
    """Return a chart of the share of deals on which the agent of the row scores more than that of the column."""
    names = [str(name) for name in board.index]
    shares = {(a, b): share for a, b, share in zip(pairs["agent"], pairs["other"], pairs["improvement"], strict=True)}
    shares |= {(b, a): 1 - share for (a, b), share in shares.items()}
    figure = _figure(board, title, 2.5 + 0.62 * len(names), 1.8 + 0.48 * len(names), down=1)
    axis = figure.subplots()
    for (agent, other), share in shares.items():
        row, column = names.index(agent), names.index(other)
        color, strength = COLORS[0] if share >= 0.5 else COLORS[1], 1.3 * abs(share - 0.5)
        axis.add_patch(Rectangle((column - 0.48, row - 0.48), 0.96, 0.96, color=color, alpha=strength, linewidth=0))
        text = axis.text(column, row, f"{100 * share:.0f}", ha="center", va="center")
        text.set_gid(f"value-improvement-{row}-{column}")
    places = np.arange(len(names))
    axis.set_yticks(places, names)
    axis.set_xticks(places, names, rotation=45, ha="right", rotation_mode="anchor")
    axis.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
    axis.set(xlabel="… than this agent", ylabel="this agent scores more …")
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    return figure


def difficulty_figure(difficulty: pd.DataFrame, board: pd.DataFrame, title: str = "") -> Figure:
    """Return a plot of win rate and mean regret in each group of deals, a point with interval for each agent."""
    groups = list(difficulty["group"].unique())
    styles = looks(board)
    shifts = (np.arange(len(styles)) - (len(styles) - 1) / 2) / (len(styles) + 2)  # of agents in their row, 1 high
    figure = _figure(board, title, 9, 1.2 + len(groups) * (0.3 + 0.12 * len(styles)))
    axes = figure.subplots(1, 2, sharey=True)
    for axis, (name, scale, label) in zip(axes, MEASURES, strict=True):
        for shift, (agent, (color, marker, _)) in zip(shifts, styles.items(), strict=True):
            of_agent = difficulty[difficulty["agent"] == agent]
            mean, low, high = (scale * of_agent[key].to_numpy() for key in (name, f"{name}_low", f"{name}_high"))
            places = np.array([groups.index(group) for group in of_agent["group"]]) + shift
            errors = np.maximum([mean - low, high - mean], 0)
            axis.errorbar(mean, places, xerr=errors, fmt=marker, color=color, markersize=4, label=_named(agent))
        for place in range(1, len(groups)):
            axis.axhline(place - 0.5, color=GRAY, linewidth=0.5, alpha=0.6)
        axis.set(xlabel=label, ylim=(len(groups) - 0.5, -0.5))
    axes[0].set_xlim(-3, 103)
    axes[0].set_yticks(range(len(groups)), groups)
    _legend(figure, axes[0])
    return figure


def phases_figure(phases: pd.DataFrame, mistakes: pd.DataFrame, board: pd.DataFrame, title: str = "") -> Figure:
    """Return a plot of the mean loss up to each number of stock cards left, and below it the loss by kind of mistake."""
    styles = looks(board)
    figure = _figure(board, "" if phases.empty else title, 8, 4.4 + 0.36 * len(styles), across=2)
    axes = figure.subplots(2, 1, height_ratios=(3.2, 0.8 + 0.36 * len(styles)))
    if phases.empty:
        for axis in axes:
            axis.set_axis_off()
        axes[0].text(0.5, 0.5, "no actions were judged", ha="center", transform=axes[0].transAxes)
        return figure
    stocks = list(phases["stock"].unique())
    for agent, (color, marker, line) in styles.items():
        lost = phases[phases["agent"] == agent].set_index("stock")["loss"].reindex(stocks).fillna(0).cumsum()
        axes[0].plot(range(len(stocks)), lost, line, marker=marker, markersize=4, color=color, label=_named(agent))
    ticks = range(0, len(stocks), 2 if len(stocks) > 12 else 1)
    axes[0].set_xticks(ticks, [str(stocks[place]) for place in ticks])
    axes[0].set(xlabel="cards left in the stock", ylabel="lost so far per game, points", ylim=(0, None))
    kinds = list(mistakes["kind"].unique())
    left = np.zeros(len(styles))
    for kind, color in zip(kinds, (COLORS[0], COLORS[1], COLORS[5], COLORS[3]), strict=False):
        loss = mistakes[mistakes["kind"] == kind].set_index("agent")["loss"].reindex(list(styles)).fillna(0).to_numpy()
        axes[1].barh(range(len(styles)), loss, left=left, color=color, height=0.6, label=kind)
        left += loss
    axes[1].set_yticks(range(len(styles)), list(styles))
    axes[1].invert_yaxis()
    axes[1].set(xlabel="loss per game by kind of mistake, points")
    _legend(figure, axes[0])
    axes[1].legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize="small")
    return figure


def _figure(board: pd.DataFrame, title: str, width: float, height: float, across: int = 1, down: int = 0) -> Figure:
    """Return a figure of a size in inches, with more where an agent has a long name, which would leave no room for the rest.

    Args:
        board: the leaderboard.
        title: of the figure.
        width: with short names.
        height: likewise.
        across: how many names stand beside each other.
        down: how many stand below each other, slanted.
    """
    longer = NAME * max(0, max(len(str(name)) for name in board.index) - SHORT)
    figure = Figure(figsize=(width + across * longer, height + down * longer), layout="constrained")
    if title:
        figure.suptitle(title, fontsize="medium")
    return figure
