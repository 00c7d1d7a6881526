"""Trainings that are killed at any moment and go on end with the files of one that was left alone."""

import multiprocessing
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tqdm import tqdm  # type: ignore[import-untyped]

from experiments.config import TrainConfig
from experiments.training import ppo
from tests.common import exhaustive, slow
from tests.experiments.test_training import iterate

KILLS = 8
"""How often a training of each kind is killed at a random moment."""

PPO: dict[str, Any] = {
    "name": "tiny",
    "total_steps": 1024,
    "num_envs": 8,
    "hidden": [8],
    "n_steps": 32,
    "batch_size": 64,
    "refit": 400,
    "evaluate_every": 256,
    "evaluation_deals": 10,
    "value": {"hidden": [16, 4], "batch_size": 32, "window": 2},
}


def train_ppo(folder: Path) -> None:
    ppo.train(TrainConfig.model_validate(PPO), folder)


def train_points(folder: Path) -> None:
    """Train with points of score as rewards."""
    ppo.train(TrainConfig.model_validate(PPO | {"value": None}), folder)


Train = Callable[[Path], None]
TRAININGS: list[Train] = [train_ppo, train_points, iterate]


def files(folder: Path) -> dict[str, object]:
    """Return what a training wrote, by name: curves without the seconds, checkpoints by name only, no logs.

    Nor what was half written: it goes when the folder is opened for a run.
    """
    found: dict[str, object] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_dir() or name.startswith("tensorboard") or path.name.startswith(".part-"):
            continue
        if path.suffix == ".csv":
            found[name] = [row.split(",")[:1] + row.split(",")[2:] for row in path.read_text().splitlines()]
        else:
            found[name] = None if name.startswith("checkpoint") else path.read_bytes()
    return found


def die_at(moment: int) -> None:
    """Let this process die by SIGKILL at a moment: before its first file gets its name (0), after that (1), and so on."""
    real, count = Path.replace, 0

    def replace(path: Path, target: Path) -> Path:
        nonlocal count
        count += 2
        if count - 2 == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        found = real(path, target)
        if count - 1 == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    Path.replace = replace  # type: ignore[method-assign, assignment]


def run(train: Train, folder: Path, moment: int = -1, seconds: float | None = None) -> bool:
    """Train in a process of its own that dies at a moment, see :func:`die_at`, or after so many seconds.

    Returns:
        Whether it came to the end.
    """
    child = os.fork()
    if not child:
        die_at(moment)
        try:
            train(folder)
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
            os._exit(1)
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)  # nothing happens to one that has ended, as nobody has waited for it
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code == 0


def kill_at_many_files(train: Train, folder: Path) -> str:
    """Kill a training before or after every fourth file or so."""
    return kill_at_every_file(train, folder, step=7)


def kill_at_random(train: Train, folder: Path) -> str:
    """Kill a training at random moments again and again until it ends nevertheless; then the next, until ``KILLS`` kills."""
    train(folder / "first")  # in this process, so that those that it forks have all kernels
    started = time.perf_counter()
    train(folder / "whole")
    whole, seconds = files(folder / "whole"), time.perf_counter() - started
    rng = random.Random(0)
    kills = trainings = 0
    while kills < KILLS:
        killed = folder / f"killed-{trainings}"
        trainings += 1
        while not run(train, killed, seconds=rng.uniform(0, seconds) if kills < KILLS else None):
            kills += 1
        assert files(killed) == whole
    return f"{kills} kills in {trainings} trainings of {seconds:.2f} s each"


def kill_at_every_file(train: Train, folder: Path, step: int = 1) -> str:
    """Kill a training once, before and after each file that it writes, or at every so many of these moments."""
    train(folder / "whole")
    whole, moment = files(folder / "whole"), 0
    while not run(train, folder / f"killed-{moment}", moment):
        assert run(train, folder / f"killed-{moment}")
        assert files(folder / f"killed-{moment}") == whole
        moment += step
    assert moment > 2 * len(whole)
    return f"killed at {moment} moments"


@pytest.mark.parametrize(
    ("kill", "train"),
    [
        *slow((kill_at_many_files, train_ppo), (kill_at_many_files, iterate)),
        *exhaustive(*product((kill_at_every_file, kill_at_random), TRAININGS)),
    ],
)
def test_killed_training_ends_like_an_undisturbed_one(
    kill: Callable[[Train, Path], str], train: Train, tmp_path: Path
) -> None:
    """All this happens in a fresh process, which can be forked safely: no thread of it is at work then."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), prepare) as pool:
        print(pool.submit(kill, train, tmp_path).result())


def prepare() -> None:
    """Keep the threads away that would be missing in a fork: of a GPU, and the one that looks after progress bars."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    tqdm.monitor_interval = 0
