"""A page about the agents: leaderboards of comparisons, strength against time a move, and learning curves."""

import json
from pathlib import Path
from typing import NamedTuple

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from experiments.config import ConfigError
from experiments.pages import markdown
from experiments.pages.curves import config_of, curves_figure, final_line, read_curves
from tripeaks_env.game.arguments import counted, one_line
from tripeaks_env.parallel.files import replacing

MARKERS = "osD^v<>pP*Xh"
HEAD = ("agent", "win rate, %", "mean score", "mean regret", "winnable won, %", "ms a move")


class Section(NamedTuple):
    """What the page says of a comparison of agents.

    Attributes:
        title: its name and rules.
        text: its deals, and the versions that made it.
        table: its leaderboard, a row for each agent, with ``milliseconds``, the time of a move.
        remarks: on agents, such as how many of their choices would be illegal without a mask.
        seeds: what training seeds make of learners, see :func:`experiments.comparison.analysis.seeds`.
    """

    title: str
    text: str
    table: pd.DataFrame
    seeds: pd.DataFrame
    remarks: dict[str, str]


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
            one_line(f"{config['name']} ({config['rules']} rules)"),
            f"{deals['count']:,} evaluation deals, suite seed {deals['seed']}. "
            + ", ".join(f"{name} {version}" for name, version in summary["versions"].items()),
            table.rename(index=one_line),
            pd.DataFrame(summary["seeds"]),
            {one_line(name): one_line(remark) for name, remark in summary.get("remarks", {}).items()},
        )
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise ConfigError(
            f"folder {folder} holds no comparison: its summary.json is missing, or not as compare writes it; give a folder "
            "that compare has written"
        ) from error


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
    rows = []
    for name, row in table.iterrows():
        cells = [f"{markdown.text(name)} *" if row["oracle"] else markdown.text(name)]
        for column, scale in (("win_rate", 100), ("score", 1), ("regret", 1), ("winnable_won", 100)):
            low, high = scale * row[f"{column}_low"], scale * row[f"{column}_high"]
            cells.append(f"{scale * row[column]:.1f} ({low:.1f}–{high:.1f})")
        rows.append([*cells, f"{row['milliseconds']:.3g}"])
    return markdown.table(HEAD, "|---|---:|---:|---:|---:|---:|", rows)


def seeds_table(seeds: pd.DataFrame) -> str:
    """Return the table of training seeds as Markdown; see :func:`experiments.comparison.analysis.seeds`."""
    head = ("learner", "", "mean over seeds", "s.d. between seeds", "interval over seeds", "interval over deals")
    rows = []
    for _, row in seeds.iterrows():
        for column, name, scale in (("win_rate", "win rate, %", 100), ("score", "score", 1), ("regret", "regret", 1)):
            ends = (f"{column}_{end}" for end in ("seeds_low", "seeds_high", "deals_low", "deals_high"))
            low, high, deals_low, deals_high = (scale * row[end] for end in ends)
            mean, sd = scale * row[column], scale * row[f"{column}_sd"]
            cells = [
                f"{markdown.text(row['group'])}, {counted(row['seeds'], 'seed')}",
                name,
                f"{mean:.1f}",
                f"{sd:.2f}",
            ]
            rows.append([*cells, f"{low:.1f}–{high:.1f}", f"{deals_low:.1f}–{deals_high:.1f}"])
    return markdown.table(head, "|---|---|---:|---:|---:|---:|", rows)


@matplotlib.rc_context({"text.parse_math": False})
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
    text = [
        "# The agents\n",
        f"Made by `{command}`. Ranges are 95 % intervals; \\* sees all cards.",
        "The time of a move is the mean over all, forced ones included, of an agent that plays 100 games at once.\n",
    ]
    for folder in comparisons:
        found = read_comparison(folder)
        if found.title in boards:
            raise ConfigError(f"folder {folder} holds {found.title}, as another one does")
        boards[found.title] = found.table
        title, said = markdown.text(found.title), markdown.text(found.text)
        text += [f"## {title}\n", f"{said}.\n", markdown_table(found.table), ""]
        text += [f"- {markdown.text(name)}: {markdown.text(remark)}" for name, remark in found.remarks.items()]
        text += [""] if found.remarks else []
        if len(found.seeds):
            seeds = seeds_table(found.seeds)
            text += ["What training seeds make of it, apart from what the deals do:\n", seeds, ""]
    if boards:
        picture = output.with_name(f"{output.stem}-strength.svg")
        markdown.save(strength_figure(boards), picture)
        text += [
            "## Strength against time\n",
            f"![Win rate against the time of a move, without agents that see all cards]({picture.name})\n",
        ]
    groups: dict[str, list[Path]] = {}
    for folder in trainings:
        groups.setdefault(str(config_of(folder)["name"]), []).append(folder)
    for name, folders in groups.items():
        unit, table = read_curves(folders)
        picture = output.with_name(f"{output.stem}-{name}.svg")
        markdown.save(curves_figure(unit, table, name), picture)
        shown = f"![Learning curve of {name}]({picture.name})\n"
        text += [f"## Learning curve: {name}\n", final_line(table), "", shown]
    with replacing(output) as path:
        path.write_text("\n".join(text), encoding="utf-8")
