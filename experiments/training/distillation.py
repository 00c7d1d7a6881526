"""Distillation: a policy network learns which actions a search prefers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from rich.progress import Progress
from torch.nn import functional

from agents.learned.policy_network import NetworkAgent, PolicyNetwork
from agents.learned.value_network import ValueNetwork
from experiments.config import ConfigError, IterationConfig
from experiments.games.play import play
from experiments.training.folder import Curve, curve_deals, read_arrays
from experiments.training.self_play import play_games
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.cards import EMPTY, FACE_DOWN, WILD
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.layout import MIRROR
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.parallel.files import replacing

CHUNK = 1000
"""Games between two files of decisions; a killed training goes on from the last."""
VALUES = "values"
MIRRORED_ACTION = np.append(MIRROR, DRAW)
"""int64 (29,): for each action the one that it is in the mirrored tableau."""


def decisions(config: IterationConfig, network: ValueNetwork, folder: Path, progress: Progress) -> Observation:
    """Return the decisions of games that a search plays, a batch of observations, with the values of the actions.

    These are float32 (M, 29) under the key ``"values"``; see :func:`agents.learned.expectation.search`. Chunks of games that
    are in ``folder`` already are read from there.
    """
    parts = []
    policy = config.policy
    for start in progress.track(range(0, policy.games, CHUNK), description="games to learn the policy from"):
        path = folder / f"{start:08}.npz"
        if not path.exists():
            rng = np.random.default_rng([config.seed, 1, start])
            numbers = random_numbers(rng, "train", min(CHUNK, policy.games - start))
            found = play_games(
                numbers,
                config.rules,
                network,
                rng,
                depth=policy.depth,
                width=policy.width / 100,
                positions=policy.positions,
                explore=config.explore,
                threads=config.threads,
            )
            observation = observe(found.positions[found.reached], config.rules)
            choice = observation["action_mask"].sum(axis=1) > 1
            chunk = {key: part[choice] for key, part in observation.items()}
            chunk[VALUES] = found.action_values[found.reached][choice]
            with replacing(path) as part:
                np.savez(part, **chunk)
        parts.append(read_arrays(path))
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def transformed(batch: Observation, mirror: bool, reverse: bool) -> Observation:
    """Return a batch of decisions in the mirrored tableau, or with the ranks reversed (r to 14 - r), which change nothing."""
    batch = dict(batch)
    if mirror:
        batch |= {key: batch[key][:, MIRRORED_ACTION] for key in ("action_mask", VALUES)}
        batch["tableau"] = batch["tableau"][:, MIRROR]
    if reverse:
        for key in ("tableau", "waste"):
            ranks = batch[key]
            other = (ranks == EMPTY) | (ranks == FACE_DOWN) | (ranks == WILD)
            batch[key] = np.where(other, ranks, 14 - ranks)
        batch["unseen"] = np.concatenate([batch["unseen"][:, 12::-1], batch["unseen"][:, 13:]], axis=1)
    return batch


def distil(
    config: IterationConfig, network: ValueNetwork, folder: Path, device: torch.device, progress: Progress
) -> None:
    """Train a policy network on the decisions of a search and write it to ``policy.safetensors`` in ``folder``.

    Its learning curve, one row an epoch, is in ``policy-curve.csv``. The network is written last: that it is there says that
    the training is finished. One that was killed before begins anew, from the same decisions.

    Raises:
        ConfigError: there are less decisions than a batch has, or a file of them cannot be read.
    """
    policy = config.policy
    data = decisions(config, network, folder / "decisions", progress)
    if len(data[VALUES]) < policy.batch_size:
        raise ConfigError(
            f"policy: batch_size is {policy.batch_size}; it must be at most the {len(data[VALUES])} decisions of the games"
        )
    rng = np.random.default_rng([config.seed, 2, 1])
    evaluation = curve_deals(config)
    torch.manual_seed(config.seed)
    net = PolicyNetwork(config.rules, policy.hidden).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=policy.learning_rate)
    steps = policy.epochs * (len(data[VALUES]) // policy.batch_size)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(steps, 1))
    (folder / "policy-curve.csv").unlink(missing_ok=True)
    curve = Curve(folder / "policy-curve.csv", "epochs")
    task = progress.add_task("training the policy", total=steps)
    for epoch in range(policy.epochs):
        net.train()
        for batch in _batches(data, policy.batch_size, rng):
            wanted = functional.softmax(torch.as_tensor(batch.pop(VALUES) * (100 / policy.temperature)), dim=1)
            tensors = {key: torch.as_tensor(part, device=device) for key, part in batch.items()}
            loss = functional.cross_entropy(net(tensors), wanted.to(device))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            progress.advance(task)
        curve.add(epoch + 1, play(NetworkAgent(net), evaluation.tolist(), config.rules).games)
    with replacing(folder / "policy.safetensors") as path:
        net.save(path, "network")


def _batches(data: Observation, size: int, rng: np.random.Generator) -> Iterator[Observation]:
    """Yield all decisions once, in random batches, each mirrored or not and with its ranks reversed or not."""
    order = rng.permutation(len(data[VALUES]))
    for start in range(0, len(order) - size + 1, size):
        chosen = order[start : start + size]
        mirror, reverse = rng.integers(2, size=2)
        yield transformed({key: part[chosen] for key, part in data.items()}, bool(mirror), bool(reverse))
