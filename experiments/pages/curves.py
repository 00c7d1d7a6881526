"""Learning curves of trainings that differ in their seed: the mean over the seeds, with its interval."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from experiments.config import NAME, ConfigError, read_yaml
from tripeaks_env.parallel.intervals import mean_interval


def read_curves(folders: list[Path]) -> tuple[str, pd.DataFrame]:
    """Return what the first column of the curves counts, and the win rates: a row for each point, a column for each seed.

    Args:
        folders: of trainings, see ``python -m experiments train``.

    Raises:
        ConfigError: a folder holds no training, two have the same seed, differ in more than the seed, or in their points.
    """
    curves, others = {}, []
    for folder in folders:
        config = config_of(folder)
        seed = config.pop("seed")
        try:
            curve = pd.read_csv(folder / "curve.csv", index_col=0)["win_rate"].astype(float)
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(f"folder {folder} holds no learning curve: {error}") from error
        if seed in curves:
            raise ConfigError(f"folder {folder} has the seed {seed}, as another one has")
        curves[seed] = curve
        others.append(config)
        if config != others[0]:
            raise ConfigError(f"folder {folder} differs from {folders[0]} in more than the seed")
    table = pd.DataFrame(curves).sort_index(axis=1)
    if table.empty or table.isna().to_numpy().any():
        raise ConfigError(
            f"the curves in {', '.join(map(str, folders))} differ in their points; finish all trainings first"
        )
    return str(table.index.name), table


def config_of(folder: Path) -> dict[str, Any]:
    """Return the config of the training in a folder, with ``name`` and ``seed`` at least.

    Raises:
        ConfigError: it holds no training.
    """
    try:
        config = read_yaml(folder / "config.yaml")
        name, seed = config["name"], config["seed"]
        if not re.fullmatch(NAME, name) or not isinstance(seed, int):
            raise ValueError(f"name is {name!r} and seed {seed!r}; they must be those of a training")
        return config
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"folder {folder} holds no training: {error}; give a folder that train has written"
        ) from error


def intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Return ``mean``, ``low`` and ``high`` over the seeds for each point of the curves, see :func:`read_curves`.

    The interval, 95 % by Student's t, is that of the spread between seeds; with one seed it is the mean.
    """
    rows = [mean_interval(row) if len(row) > 1 else (row[0],) * 3 for row in table.to_numpy()]
    return pd.DataFrame(rows, index=table.index, columns=["mean", "low", "high"]).clip(0, 1)


def curves_figure(unit: str, table: pd.DataFrame, title: str) -> Figure:
    """Return a plot of the win rate on training deals: each seed, and the mean with its interval."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    across = intervals(table)
    for seed in table:
        axes.plot(table.index, 100 * table[seed], linewidth=0.8, label=f"seed {seed}")
    axes.plot(table.index, 100 * across["mean"], color="black", linewidth=2, label="mean")
    if table.shape[1] > 1:
        axes.fill_between(
            table.index, 100 * across["low"], 100 * across["high"], color="black", alpha=0.15, label="95 % interval"
        )
    axes.set(xlabel=unit, ylabel="win rate on training deals, %", ylim=(0, None), title=title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize="small")
    return figure


def final_line(table: pd.DataFrame) -> str:
    """Return a sentence on the last point of the curves."""
    mean, low, high = (100 * intervals(table).iloc[-1]).tolist()
    if table.shape[1] == 1:
        return f"At the end, with one seed, {mean:.1f} % of the training deals of the curve are won."
    seeds = ", ".join(f"seed {seed} {100 * value:.1f} %" for seed, value in table.iloc[-1].items())
    return (
        f"At the end, over {table.shape[1]} seeds, {mean:.1f} % ({low:.1f}–{high:.1f}, 95 % interval of the mean over seeds) "
        f"of the training deals of the curve are won: {seeds}. Standard deviation between seeds: "
        f"{100 * np.std(table.iloc[-1], ddof=1):.2f} points."
    )
