"""The value network in training."""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel

from agents.learned.value_network import INPUTS, ValueNetwork, mirrored, reversed_ranks
from experiments.config import ValuePart
from experiments.training.folder import check_weights
from experiments.training.self_play import NO_INPUT
from tripeaks_env._jit import kernel
from tripeaks_env.game.rules import Rules

PARTS = ("net", "average", "optimizer")
"""What changes of a learner in training."""


class ValueLearner:
    """The value network in training, and its average.

    Args:
        config: its widths and how to train it.
        rules: the rules of the games.
        win_bonus: what a win is worth more than its points, in points.
        seed: of the weights at the start.
        device: where it is trained.
    """

    def __init__(self, config: ValuePart, rules: Rules, win_bonus: float, seed: int, device: torch.device) -> None:
        self.config, self.win_bonus, self.device = config, win_bonus, device
        generator = torch.Generator().manual_seed(seed)
        first, second = config.hidden
        layers = nn.Linear(INPUTS, first), nn.Linear(first, second), nn.Linear(second, 1)
        with torch.no_grad():
            for layer in layers:
                bound = layer.in_features**-0.5
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.zero_()
        self.net = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2]).to(device)
        self.average = AveragedModel(self.net, avg_fn=self._averaged)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.learning_rate)
        maps = [np.arange(INPUTS), mirrored()]
        if not (rules.wild or rules.empty_waste):
            maps += [reversed_ranks(), mirrored()[reversed_ranks()]]
        self.symmetries = np.stack(maps).astype(np.int16)

    def _averaged(self, average: torch.Tensor, now: torch.Tensor, updates: torch.Tensor | int) -> torch.Tensor:
        share = max(1 - self.config.average, 9 / (10 + int(updates)))  # at first it follows fast
        return torch.lerp(average, now, share)

    def network(self) -> ValueNetwork:
        """Return the averaged network for the search.

        Raises:
            ConfigError: its weights are out of all bounds.
        """
        check_weights(self.average.module, "value")
        arrays = [weights.detach().cpu().numpy().copy() for weights in self.average.module.parameters()]
        rows, bias, hidden, hidden_bias, head, head_bias = arrays
        win = np.array([self.win_bonus / 100], dtype=np.float32)
        return ValueNetwork(np.ascontiguousarray(rows.T), bias, hidden, hidden_bias, head[0], head_bias, win)

    def state(self) -> dict[str, Any]:
        """Return what a training goes on from."""
        return {part: getattr(self, part).state_dict() for part in PARTS}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        for part in PARTS:
            getattr(self, part).load_state_dict(state[part])

    def steps(self, positions: int) -> int:
        """Return how many batches to train on after a round of so many positions, at least one."""
        return max(1, int(self.config.passes * positions / self.config.batch_size))

    def train(
        self, lists: np.ndarray, targets: np.ndarray, steps: int, rng: np.random.Generator, rate: float | None = None
    ) -> float:
        """Train on random batches, each position as it is or mirrored, its ranks as they are or reversed.

        Args:
            lists: int16 (M, MOST), see :func:`experiments.training.self_play.input_lists`.
            targets: float32 (M,).
            steps: how many batches.
            rate: the learning rate.
            rng: chooses them.

        Returns:
            The mean loss, the squared error.
        """
        for group in self.optimizer.param_groups if rate is not None else ():
            group["lr"] = rate
        batch = np.empty((self.config.batch_size, INPUTS), dtype=np.float32)
        total = 0.0
        for _ in range(steps):
            chosen = rng.integers(len(lists), size=len(batch))
            _fill(lists, chosen, rng.integers(len(self.symmetries), size=len(batch)), self.symmetries, batch)
            wanted = torch.from_numpy(targets[chosen]).to(self.device)
            loss = functional.mse_loss(self.net(torch.from_numpy(batch).to(self.device))[:, 0], wanted)
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            self.average.update_parameters(self.net)
            total += loss.item()
        return total / steps


@kernel
def _fill(lists: np.ndarray, chosen: np.ndarray, which: np.ndarray, symmetries: np.ndarray, batch: np.ndarray) -> None:
    """Write the inputs of positions, each under one of the symmetries, as zeros and ones to ``batch``."""
    batch[:] = 0
    for i in range(len(chosen)):
        for k in range(lists.shape[1]):
            found = lists[chosen[i], k]
            if found == NO_INPUT:
                break
            batch[i, symmetries[which[i], found]] = 1
