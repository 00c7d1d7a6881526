"""The folder of a training: its config, its learning curve, and where the networks are trained."""

import csv
import time
from pathlib import Path

import numpy as np
import torch
import yaml
from stable_baselines3.common.utils import get_device

from experiments.config import ConfigError, Training
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.parallel.files import replacing


def claim(folder: Path, config: Training) -> None:
    """Keep the config in the folder, so that no other training goes on from what is there.

    The number of threads is left out: it changes nothing.

    Raises:
        ConfigError: the folder holds a training of another config.
    """
    settings = yaml.safe_dump(config.model_dump(mode="json", exclude={"threads"}), sort_keys=False)
    kept = folder / "config.yaml"
    if kept.exists() and kept.read_text(encoding="utf-8") != settings:
        raise ConfigError(f"folder {folder} holds a training of another config; give another one with --output")
    with replacing(kept) as path:
        path.write_text(settings, encoding="utf-8")


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of an npz file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with np.load(path) as arrays:
            return dict(arrays)
    except Exception as error:  # whatever reading half a file does
        raise ConfigError(f"file {path} cannot be read ({error}); delete the folder to start anew") from error


def choose_device(name: str) -> torch.device:
    """Return the device of that name, ``auto`` for a GPU where there is one.

    Raises:
        ConfigError: there is no such device.
    """
    torch.set_num_threads(1)  # for networks this small, more are slower
    try:
        device = get_device(name)
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, NotImplementedError) as error:
        raise ConfigError(f"device is {name!r}; it must be auto, cpu, cuda or the like: {error}") from error
    if name.startswith("cuda") and device.type != "cuda":  # the library falls back to the CPU without a word
        raise ConfigError(f"device is {name!r}; this machine or this build of PyTorch has no CUDA")
    return device


def curve_deals(config: Training) -> np.ndarray:
    """Return the numbers of the deals that learning curves are measured on: training deals, from a stream of their own."""
    return random_numbers(np.random.default_rng([config.seed, 3, 1]), "train", config.evaluation_deals)


class Curve:
    """A learning curve in a CSV file: a row for each evaluation, with how far the training was and how long it took.

    Args:
        path: the file; rows that are there already are kept.
        unit: the name of the first column, such as ``"steps"``.

    Raises:
        ConfigError: the file is no learning curve.
    """

    def __init__(self, path: Path, unit: str) -> None:
        self.path = path
        self.columns = (unit, "seconds", "win_rate", "score")
        self.rows = self._read()
        self.started = time.perf_counter() - (self.rows[-1][1] if self.rows else 0)

    def _read(self) -> list[tuple[float, ...]]:
        if not self.path.exists():
            return []
        with self.path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        try:
            return [(int(at), int(seconds), float(win_rate), float(score)) for at, seconds, win_rate, score in rows]
        except ValueError as error:
            raise ConfigError(f"learning curve {self.path} cannot be read ({error}); delete it") from error

    def add(self, at: int, games: np.ndarray) -> tuple[float, float]:
        """Add a row on games at their ends and write the file at once; return their win rate and mean score.

        Rows from ``at`` on are of a training killed after them: they go.
        """
        win_rate, score = float(np.mean(games["remaining"] == 0)), float(np.mean(games["score"]))
        self.rows = [row for row in self.rows if row[0] < at]
        self.rows.append((at, round(time.perf_counter() - self.started), win_rate, score))
        with replacing(self.path) as path, path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([self.columns, *self.rows])
        return win_rate, score
