"""A page about the agents: leaderboards of comparisons, strength against time a move, and learning curves."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from experiments.config import ConfigError
from experiments.curves import curves_figure, final_line, read_curves
from tripeaks_env.files import replacing

HEAD = ("agent", "win rate, %", "mean score", "mean regret", "winnable won, %", "ms a move")


def read_comparison(folder: Path) -> dict[str, Any]:
    """Return the summary of a comparison in a folder, see ``python -m experiments compare``.

    Raises:
        ConfigError: there is none.
    """
    try:
        summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        summary["leaderboard"][0]["moves"]
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise ConfigError(f"folder {folder} holds no comparison: {error}") from error
    return summary


def board(summary: dict[str, Any]) -> pd.DataFrame:
    """Return the leaderboard of a comparison, a row for each agent, with ``milliseconds``, the time of a move."""
    table = pd.DataFrame(summary["leaderboard"]).set_index("agent")
    table["milliseconds"] = pd.Series(summary["milliseconds_per_game"]) / table["moves"]
    return table


def strength_figure(boards: dict[str, pd.DataFrame]) -> Figure:
    """Return a plot of win rate against the time of a move, for each set of rules, without the agents that see all cards."""
    figure = Figure(figsize=(5.5 * len(boards), 4.5), layout="constrained")
    for axis, (rules, table) in zip(figure.subplots(1, len(boards), squeeze=False)[0], boards.items(), strict=True):
        fair = table[~table["oracle"].astype(bool)]
        low, high = (100 * fair[f"win_rate_{end}"] for end in ("low", "high"))
        middle = 100 * fair["win_rate"]
        axis.errorbar(fair["milliseconds"], middle, yerr=[middle - low, high - middle], fmt="o", capsize=2)
        for name, row in fair.iterrows():
            axis.annotate(
                str(name), (row["milliseconds"], 100 * row["win_rate"]), (5, 4), textcoords="offset points", fontsize=8
            )
        axis.set(xscale="log", xlabel="milliseconds a move, one core", ylabel="win rate, %", title=rules)
        axis.margins(x=0.15)
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def markdown_table(table: pd.DataFrame) -> str:
    """Return a leaderboard as Markdown; ranges are 95 % intervals, a star is for agents that see all cards."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|" + "---:|" * (len(HEAD) - 1)]
    for name, row in table.iterrows():
        cells = [f"{name} *" if row["oracle"] else str(name)]
        for column, scale in (("win_rate", 100), ("score", 1), ("regret", 1), ("winnable_won", 100)):
            low, high = scale * row[f"{column}_low"], scale * row[f"{column}_high"]
            cells.append(f"{scale * row[column]:.1f} ({low:.1f}–{high:.1f})")
        cells.append(f"{row['milliseconds']:.3g}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_page(comparisons: list[Path], trainings: list[Path], command: str, output: Path) -> None:
    """Write the page and its pictures.

    Args:
        comparisons: folders of comparisons.
        trainings: folders of trainings; those whose configs have the same name are one curve.
        command: what makes the page.
        output: the Markdown file; the pictures lie beside it.

    Raises:
        ConfigError: a folder holds something else.
    """
    summaries = [read_comparison(folder) for folder in comparisons]
    boards = {f"{each['config']['name']} ({each['config']['rules']} rules)": board(each) for each in summaries}
    text = ["# The agents\n", f"Made by `{command}`. Ranges are 95 % intervals; \\* sees all cards."]
    text += ["The time of a move is that of an agent that chooses for all games at once, on one core.\n"]
    for (title, table), summary in zip(boards.items(), summaries, strict=True):
        deals = summary["config"]["deals"]
        versions = ", ".join(f"{name} {version}" for name, version in summary["versions"].items())
        text += [f"## {title}\n", f"{deals['count']:,} evaluation deals, suite seed {deals['seed']}. {versions}.\n"]
        text += [markdown_table(table), ""]
    if boards:
        picture = output.with_name(f"{output.stem}-strength.svg")
        _save(strength_figure(boards), picture)
        text += ["## Strength against time\n", f"![Win rate against the time of a move]({picture.name})\n"]
    for name, group in groupby(sorted(trainings), key=lambda folder: folder.name.rsplit("-seed", 1)[0]):
        unit, table = read_curves(list(group))
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
