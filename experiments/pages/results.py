"""A page about the agents: leaderboards of comparisons, strength against time a move, and learning curves."""

import json
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from experiments.config import ConfigError
from experiments.pages import markdown
from experiments.pages.curves import curves_figure, final_line, name_of_training, read_curves
from tripeaks_env.parallel.files import replacing

MARKERS = "osD^v<>pP*Xh"
HEAD = ("agent", "win rate, %", "mean score", "mean regret", "winnable won, %", "ms a move")


class Section(NamedTuple):
    """What the page says of a comparison of agents.

    Attributes:
        title: its name and rules.
        text: its deals, and the versions that made it.
        table: its leaderboard, a row for each agent, with ``milliseconds``, the time of a move.
        seeds: what training seeds make of learners, see :func:`experiments.comparison.analysis.seeds`.
    """

    title: str
    text: str
    table: pd.DataFrame
    seeds: pd.DataFrame


def read_comparison(folder: Path) -> Section:
    """Return what there is to say of the comparison in a folder, see ``python -m experiments compare``.

    Raises:
        ConfigError: there is none.
    """
    try:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        config, deals = summary["config"], summary["config"]["deals"]
        table = pd.DataFrame(summary["leaderboard"]).set_index("agent")
        table["milliseconds"] = pd.Series(summary["milliseconds_per_game"]) / table["moves"]
        return Section(
            f"{config['name']} ({config['rules']} rules)",
            f"{deals['count']:,} evaluation deals, suite seed {deals['seed']}. "
            + ", ".join(f"{name} {version}" for name, version in summary["versions"].items()),
            table,
            pd.DataFrame(summary["seeds"]),
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ConfigError(f"folder {folder} holds no comparison: {type(error).__name__} {error}") from error


def strength_figure(boards: dict[str, pd.DataFrame]) -> Figure:
    """Return a plot of win rate against the time of a move, for each set of rules, without the agents that see all cards."""
    figure = Figure(figsize=(5.5 * len(boards), 4.5), layout="constrained")
    for axis, (rules, table) in zip(figure.subplots(1, len(boards), squeeze=False)[0], boards.items(), strict=True):
        fair = table[~table["oracle"].astype(bool)]
        for name, row in fair.iterrows():
            rate, low, high = (100 * row[key] for key in ("win_rate", "win_rate_low", "win_rate_high"))
            marker = MARKERS[list(table.index).index(name) % len(MARKERS)]
            spread = [[rate - low], [high - rate]]
            axis.errorbar(row["milliseconds"], rate, yerr=spread, fmt=marker, capsize=2, label=str(name))
        axis.set(xscale="log", xlabel="milliseconds a move, one core", ylabel="win rate, %", title=rules)
        axis.legend(fontsize="small")
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def markdown_table(table: pd.DataFrame) -> str:
    """Return a leaderboard as Markdown; ranges are 95 % intervals, a star is for agents that see all cards."""
    lines = [markdown.row(HEAD), "|---|" + "---:|" * (len(HEAD) - 1)]
    for name, row in table.iterrows():
        cells = [f"{name} *" if row["oracle"] else str(name)]
        for column, scale in (("win_rate", 100), ("score", 1), ("regret", 1), ("winnable_won", 100)):
            low, high = scale * row[f"{column}_low"], scale * row[f"{column}_high"]
            cells.append(f"{scale * row[column]:.1f} ({low:.1f}–{high:.1f})")
        cells.append(f"{row['milliseconds']:.3g}")
        lines.append(markdown.row(cells))
    return "\n".join(lines)


def seeds_table(seeds: pd.DataFrame) -> str:
    """Return the table of training seeds as Markdown; see :func:`experiments.comparison.analysis.seeds`."""
    head = ("learner", "", "mean over seeds", "s.d. between seeds", "interval over seeds", "interval over deals")
    lines = [markdown.row(head), "|---|---|---:|---:|---:|---:|"]
    for _, row in seeds.iterrows():
        for column, name, scale in (("win_rate", "win rate, %", 100), ("score", "score", 1), ("regret", "regret", 1)):
            ends = (f"{column}_{end}" for end in ("seeds_low", "seeds_high", "deals_low", "deals_high"))
            low, high, deals_low, deals_high = (scale * row[end] for end in ends)
            mean, sd = scale * row[column], scale * row[f"{column}_sd"]
            cells = [f"{row['group']}, {row['seeds']} seeds", name, f"{mean:.1f}", f"{sd:.2f}"]
            lines.append(markdown.row([*cells, f"{low:.1f}–{high:.1f}", f"{deals_low:.1f}–{deals_high:.1f}"]))
    return "\n".join(lines)


def write_page(comparisons: list[Path], trainings: list[Path], command: str, output: Path) -> None:
    """Write the page and its pictures.

    Args:
        comparisons: folders of comparisons.
        trainings: folders of trainings; those whose configs have the same name, with different seeds, are one curve.
        command: what makes the page.
        output: the Markdown file; the pictures lie beside it.

    Raises:
        ConfigError: a folder holds something else, or two hold comparisons of the same name and rules.
    """
    boards: dict[str, pd.DataFrame] = {}
    sections: list[str] = []
    for folder in comparisons:
        found = read_comparison(folder)
        if found.title in boards:
            raise ConfigError(f"folder {folder} holds {found.title}, as another one does")
        boards[found.title] = found.table
        sections += [f"## {found.title}\n", f"{found.text}.\n", markdown_table(found.table), ""]
        if len(found.seeds):
            sections += [
                "What training seeds make of it, apart from what the deals do:\n",
                seeds_table(found.seeds),
                "",
            ]
    text = ["# The agents\n", f"Made by `{command}`. Ranges are 95 % intervals; \\* sees all cards."]
    text += [
        "The time of a move is the mean over all, forced ones included, of an agent that plays 100 games at once.\n"
    ]
    text += sections
    if boards:
        picture = output.with_name(f"{output.stem}-strength.svg")
        _save(strength_figure(boards), picture)
        text += [
            "## Strength against time\n",
            f"![Win rate against the time of a move, without agents that see all cards]({picture.name})\n",
        ]
    groups: dict[str, list[Path]] = {}
    for folder in trainings:
        groups.setdefault(name_of_training(folder), []).append(folder)
    for name, folders in groups.items():
        unit, table = read_curves(folders)
        picture = output.with_name(f"{output.stem}-{name}.svg")
        _save(curves_figure(unit, table, name), picture)
        text += [
            f"## Learning curve: {name}\n",
            final_line(table),
            "",
            f"![Learning curve of {name}]({picture.name})\n",
        ]
    with replacing(output) as path:
        path.write_text("\n".join(text), encoding="utf-8")


def _save(figure: Figure, path: Path) -> None:
    with replacing(path) as part:
        figure.savefig(part, metadata={"Date": None})
