"""The folder of a training: its config, its learning curve, and where the networks are trained."""

import csv
import io
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from stable_baselines3.common.utils import get_device
from torch import nn

from experiments.config import ConfigError, Training
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.rules import Rules
from tripeaks_env.parallel.files import replacing

CHECKPOINT = "checkpoint.pt"
"""The file that a training goes on from."""
MOST = 60_000.0
"""The greatest weight: networks are kept in half precision."""
ARRAY = "array of NumPy"
"""The key under which a checkpoint has the tensor of an array."""


def claim(folder: Path, config: Training) -> None:
    """Keep the config in the folder, so that no other training goes on from what is there.

    The number of threads is left out: it changes nothing.

    Raises:
        ConfigError: the folder holds a training of another config, or a checkpoint without one.
    """
    settings = yaml.safe_dump(config.model_dump(mode="json", exclude={"threads"}), sort_keys=False)
    kept = folder / "config.yaml"
    if kept.exists() and kept.read_bytes() != settings.encode():
        raise ConfigError(f"folder {folder} holds a training of another config; give another one with --output")
    if not kept.exists() and (folder / CHECKPOINT).exists():
        raise ConfigError(f"folder {folder} has a {CHECKPOINT} without its config.yaml; give another one with --output")
    with replacing(kept) as path:
        path.write_text(settings, encoding="utf-8")


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Write what a training goes on from: tensors, arrays of numbers, and numbers, texts, lists, tuples, dictionaries."""
    file = io.BytesIO()  # as the library tells of a full disk by other errors than of the system
    torch.save(_exchanged(state, _packed), file)
    path.write_bytes(file.getbuffer())


def read_state(path: Path) -> dict[str, Any]:
    """Return what :func:`write_state` wrote, tensors on the CPU. No code that is in the file is run.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        state: dict[str, Any] = _exchanged(torch.load(path, "cpu", weights_only=True), _unpacked)
        return state
    except Exception as error:  # whatever reading half a file, or another one, does
        raise unreadable(path, error) from error


def _packed(value: Any) -> Any:
    return {ARRAY: torch.from_numpy(value)} if isinstance(value, np.ndarray) else value


def _unpacked(value: Any) -> Any:
    return value[ARRAY].numpy() if isinstance(value, dict) and ARRAY in value else value


def unreadable(path: Path, error: Exception) -> ConfigError:
    """Return the error that a checkpoint cannot be read, for whatever happened."""
    return ConfigError(f"checkpoint {path} cannot be read ({type(error).__name__}); delete it to start anew")


def _exchanged(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return what a function makes of a value, or else of each that is in its lists, tuples and dictionaries."""
    found = function(value)
    if found is not value:
        return found
    if isinstance(value, dict):
        return {key: _exchanged(each, function) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_exchanged(each, function) for each in value)
    return value


def read_arrays(path: Path, names: Iterable[str]) -> dict[str, np.ndarray] | None:
    """Return the arrays of those names of an npz file, or ``None`` if it is not there or cannot be read."""
    try:
        with np.load(path) as arrays:
            return {name: arrays[name] for name in names}
    except Exception:  # whatever reading half a file does
        return None


def is_network(load: Callable[[Rules, Path], object], config: Training, path: Path) -> bool:
    """Return whether a network that the training has written can be loaded."""
    try:
        load(config.rules, path)
    except ValueError:
        return False
    return True


def check_weights(network: nn.Module, name: str) -> None:
    """See that the weights of a network can be kept.

    Raises:
        ConfigError: some are out of all bounds.
    """
    if not all(bool((weights.abs() < MOST).all()) for weights in network.parameters()):
        raise ConfigError(f"the {name} network has diverged; lower its learning_rate")


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
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))[1:]
            return [(int(at), int(seconds), float(win_rate), float(score)) for at, seconds, win_rate, score in rows]
        except (ValueError, csv.Error) as error:
            raise ConfigError(f"learning curve {self.path} cannot be read ({error}); delete it") from error

    def add(self, at: int, games: np.ndarray) -> tuple[float, float]:
        """Add a row for games at their ends and write the file at once; return their win rate and mean score.

        Rows from ``at`` on are of a training killed after them: they go.
        """
        win_rate, score = float(np.mean(games["remaining"] == 0)), float(np.mean(games["score"]))
        self.rows = [row for row in self.rows if row[0] < at]
        self.rows.append((at, round(time.perf_counter() - self.started), win_rate, score))
        with replacing(self.path) as path, path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([self.columns, *self.rows])
        return win_rate, score
