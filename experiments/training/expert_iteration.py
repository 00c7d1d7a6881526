"""Expert iteration: play with a search on a value network, train the network on what the search found, and again.

The search is :mod:`agents.learned.expectation`; the games are training deals. In the end a policy network learns from more of
them which actions the search prefers.
"""

from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import Progress
from rich.text import Text
from torch.utils.tensorboard import SummaryWriter

from agents.learned.policy_network import PolicyNetwork
from agents.learned.value_network import load_network, save_network
from experiments.config import ConfigError, IterationConfig
from experiments.training.distillation import distil
from experiments.training.folder import (
    CHECKPOINT,
    Curve,
    choose_device,
    claim,
    curve_deals,
    is_network,
    read_arrays,
    read_state,
    unreadable,
    write_state,
)
from experiments.training.self_play import input_lists, outcomes, play_games, returns
from experiments.training.value_learner import ValueLearner
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.parallel.files import replacing

BLIND = 2
"""Iterations in which the network knows too little to be learned from, so that only what happened counts."""


def train(config: IterationConfig, folder: Path, progress: Progress) -> None:
    """Train a value and a policy network, going on from what is in ``folder`` if there is something.

    The same config gives the same networks on the same machine, interrupted, killed or neither. An iteration that was not
    finished begins anew, and so does the policy's training, but for the files of games that it learns from. Each file is
    replaced at once; of the files of an iteration the checkpoint is written last, and of all files ``policy.safetensors``.

    Raises:
        ConfigError: the folder holds a training of another config, or a checkpoint that cannot be read.
    """
    device = choose_device(config.device)
    claim(folder, config)
    learner = ValueLearner(config.value, config.rules, config.win_bonus, config.seed, device)
    done = _resume(learner, folder)
    curve = Curve(folder / "curve.csv", "iterations")
    _forget_rounds(folder, done - config.value.window)
    first = max(BLIND if done > BLIND else 0, done - config.value.window)
    rounds = [_read_round(folder, i) for i in range(first, done)] if done < config.iterations else []
    evaluation = curve_deals(config)
    task = progress.add_task("expert iteration", total=config.iterations, completed=done)
    with SummaryWriter(str(folder / "tensorboard"), purge_step=done) as log:  # what is done again is shown once
        for iteration in range(done, config.iterations):
            rng = np.random.default_rng([config.seed, iteration])
            positions, targets = _play_round(config, learner, iteration, rng)
            rounds = [*(rounds if iteration != BLIND else ()), (positions, targets)][-config.value.window :]
            lists, wanted = (np.concatenate(parts) for parts in zip(*rounds, strict=True))
            rate = config.value.learning_rate * max(0.02, min(1.0, 1.25 * (1 - iteration / config.iterations)))
            loss = learner.train(lists, wanted, learner.steps(len(targets)), rng, rate)
            log.add_scalar("train/loss", loss, iteration)
            if iteration % config.evaluate_every == config.evaluate_every - 1 or iteration == config.iterations - 1:
                games = play_games(evaluation, config.rules, learner.network(), rng, threads=config.threads).games
                win_rate, score = curve.add(iteration + 1, games)
                log.add_scalar("evaluation/win_rate", win_rate, iteration)
                log.add_scalar("evaluation/score", score, iteration)
                with replacing(folder / "value.safetensors") as path:
                    save_network(learner.network(), config.rules, path)
            _keep(learner, folder, iteration, positions, targets, config.value.window)
            progress.advance(task)
    if not is_network(load_network, config, folder / "value.safetensors"):
        with replacing(folder / "value.safetensors") as path:
            save_network(learner.network(), config.rules, path)
    if is_network(partial(PolicyNetwork.load, "network"), config, folder / "policy.safetensors"):
        progress.console.print(Text(f"The training in {folder} is finished."), soft_wrap=True)
    else:
        distil(config, learner.network(), folder, device, progress)


def _play_round(
    config: IterationConfig, learner: ValueLearner, iteration: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Play the games of an iteration; return the inputs of their positions and what they are worth."""
    found = play_games(
        random_numbers(rng, "train", config.games),
        config.rules,
        learner.network(),
        rng,
        explore=config.explore if iteration else 1.0,
        threads=config.threads,
    )
    if iteration:
        worth = returns(found, config.value.trace if iteration > BLIND else 1.0)
    else:
        worth = outcomes(found, config.win_bonus / 100)
    return input_lists(found.positions[found.reached], config.rules), worth[found.reached]


def _round_file(folder: Path, iteration: int) -> Path:
    return folder / "rounds" / f"{iteration:06}.npz"


def _read_round(folder: Path, iteration: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what :func:`_keep` wrote of an iteration.

    Raises:
        ConfigError: it cannot be read.
    """
    path = _round_file(folder, iteration)
    kept = read_arrays(path, ("lists", "targets"))
    if kept is None:
        raise ConfigError(f"file {path} cannot be read; delete {folder / CHECKPOINT} to start anew")
    return kept["lists"], kept["targets"]


def _keep(
    learner: ValueLearner, folder: Path, iteration: int, lists: np.ndarray, targets: np.ndarray, window: int
) -> None:
    """Write what the next iteration goes on from; the checkpoint last, as it says how far the training is."""
    with replacing(_round_file(folder, iteration)) as path:
        np.savez(path, lists=lists, targets=targets)
    with replacing(folder / CHECKPOINT) as path:
        write_state(path, {"iterations": iteration + 1, **learner.state()})
    _forget_rounds(folder, iteration + 1 - window)


def _forget_rounds(folder: Path, first: int) -> None:
    """Delete the rounds before ``first``. A training that was killed may have left more than one."""
    for path in (folder / "rounds").glob("[0-9]*.npz"):
        if int(path.stem) < first:
            path.unlink()


def _resume(learner: ValueLearner, folder: Path) -> int:
    """Load the checkpoint in ``folder`` if there is one; return after how many iterations it was written."""
    path = folder / CHECKPOINT
    if not path.exists():
        return 0
    kept = read_state(path)
    try:
        learner.load_state(kept)
        return int(kept["iterations"])
    except Exception as error:  # whatever the state of another training does
        raise unreadable(path, error) from error
