"""The policy network, its inputs, made of ranks relative to the waste card, and the agents that play by one alone."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn import functional

from agents.learned import checkpoint
from agents.simple import COVER_MATRIX
from tripeaks_env.game.cards import EMPTY, FACE_DOWN, WILD
from tripeaks_env.game.engine import DRAW, UNDO
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.observation import Observation, observation_space
from tripeaks_env.game.rules import Rules

CATEGORIES = 15  # of a position: 13 ranks relative to the waste card, removed, face down
GONE, HIDDEN = 13, 14


class RelativeRanks(BaseFeaturesExtractor):
    """Turn a batch of observations into a flat float vector each.

    Where king and ace are adjacent, adding a constant to every rank (modulo 13) changes nothing about the game. Ranks
    relative to the waste card, (rank - waste) mod 13, take that symmetry out of the input. Where they are not, the waste
    card's own rank is added.

    The vector: for each position its category, one-hot; the relative counts of the unseen ranks; the legal actions; for each
    legal removal how many cards it turns up and how many exposed cards could follow it; the stock, one-hot; and what
    the rules add (joker unseen, run length, undos left).

    Args:
        observation_space: the environment's.
        wrap: whether king and ace are adjacent.
    """

    def __init__(self, observation_space: spaces.Dict, wrap: bool) -> None:
        self.stock_size = int(observation_space["stock"].high[0])  # type: ignore[attr-defined]
        self.extras = [key for key in ("run", "undos") if key in observation_space.spaces]
        self.wrap = wrap
        size = POSITIONS * (CATEGORIES + 2) + observation_space["unseen"].shape[0]  # type: ignore[index]
        size += observation_space["action_mask"].shape[0] + self.stock_size + 1  # type: ignore[index]
        size += len(self.extras) + (0 if wrap else 13) + 1
        super().__init__(observation_space, size)
        self.covers: torch.Tensor
        self.one_hot: torch.Tensor
        self.register_buffer("covers", torch.from_numpy(COVER_MATRIX).float(), persistent=False)
        self.register_buffer("one_hot", torch.eye(max(CATEGORIES, self.stock_size + 1)), persistent=False)

    def forward(self, observation: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return float32 (N, features_dim) for observations with a leading axis N."""
        tableau = observation["tableau"].long()
        waste = observation["waste"].long()
        mask = observation["action_mask"].float()
        any_rank = (waste == EMPTY) | (waste == WILD)
        base = torch.where(any_rank, 1, waste)

        there = (tableau != EMPTY).float()
        face_up = (tableau != EMPTY) & (tableau != FACE_DOWN)
        relative = (tableau - base) % 13
        category = torch.where(face_up, relative, torch.where(tableau == EMPTY, GONE, HIDDEN))
        order = (torch.arange(13, device=waste.device) + base - 1) % 13
        unseen = observation["unseen"].float() / 4
        unseen = torch.cat([unseen[:, :13].gather(1, order), unseen[:, 13:]], dim=1)

        covered_by = there @ self.covers.T  # how many covers of each position are there
        frees = (covered_by == 1).float() @ self.covers  # how many cards each removal frees
        exposed = face_up & (covered_by == 0)
        rank = torch.where(exposed, tableau, 0)
        counts = torch.zeros(len(rank), 16, device=rank.device).scatter_add_(1, rank, exposed.float())[:, 1:14]
        if self.wrap:
            beside = counts.roll(1, dims=1) + counts.roll(-1, dims=1)
        else:
            beside = functional.pad(counts, (1, 0))[:, :-1] + functional.pad(counts, (0, 1))[:, 1:]
        follow = functional.pad(beside, (1, 2)).gather(1, rank)

        removals = mask[:, :POSITIONS]
        parts = [
            self.one_hot[category, :CATEGORIES].flatten(1),
            unseen,
            mask,
            removals * frees,
            removals * follow / 4,
            self.one_hot[observation["stock"].long()[:, 0], : self.stock_size + 1],
            any_rank.float(),
        ]
        if not self.wrap:
            parts.append(self.one_hot[base[:, 0] - 1, :13])
        parts += [observation[key].float() / 28 for key in self.extras]
        return torch.cat(parts, dim=1)


def policy_arguments(rules: Rules, hidden: list[int]) -> dict[str, Any]:
    """Return the keyword arguments of the policy class for rules and widths of the hidden layers."""
    return {
        "features_extractor_class": RelativeRanks,
        "features_extractor_kwargs": {"wrap": rules.wrap},
        "net_arch": {"pi": hidden, "vf": hidden},
        "activation_fn": nn.ReLU,
    }


class PolicyNetwork(nn.Module):
    """Maps observations to the logits of the actions: :class:`RelativeRanks`, then layers of rectified linear units.

    Args:
        rules: the rules to play by.
        hidden: widths of the hidden layers.
    """

    def __init__(self, rules: Rules, hidden: list[int]) -> None:
        super().__init__()
        self.rules, self.hidden = rules, list(hidden)
        self.features = RelativeRanks(observation_space(rules), rules.wrap)
        layers: list[nn.Module] = []
        for size, following in pairwise([self.features.features_dim, *hidden]):
            layers += [nn.Linear(size, following), nn.ReLU()]
        self.layers = nn.Sequential(*layers, nn.Linear(hidden[-1], DRAW + 1))

    @classmethod
    def of_sb3(cls, policy: MaskableMultiInputActorCriticPolicy, rules: Rules, hidden: list[int]) -> "PolicyNetwork":
        """Return the actor of a policy that was made with :func:`policy_arguments`."""
        network = cls(rules, hidden).to(policy.device)
        network.layers.load_state_dict(actor(policy).state_dict())
        return network

    def forward(self, observation: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the logits, float32 (N, 29), the lowest number where an action is illegal."""
        logits = self.layers(self.features(observation))
        return torch.where(observation["action_mask"] == 1, logits, torch.finfo(logits.dtype).min)

    def save(self, path: Path, kind: str) -> None:
        """Write the weights; see :mod:`agents.learned.checkpoint`."""
        weights = {name: weight.detach().cpu().numpy() for name, weight in self.layers.state_dict().items()}
        checkpoint.write(path, kind, self.rules, weights)

    @classmethod
    def load(cls, kind: str, rules: Rules, path: str | Path | None = None) -> "PolicyNetwork":
        """Return the network of a checkpoint; see :func:`agents.learned.checkpoint.read` for the arguments and errors."""
        weights = checkpoint.read(kind, rules, path)
        try:
            layers = sorted((int(name.removesuffix(".bias")), name) for name in weights if name.endswith(".bias"))
            network = cls(rules, [len(weights[name]) for _, name in layers[:-1]])
            network.layers.load_state_dict({name: torch.from_numpy(weight) for name, weight in weights.items()})
        except (IndexError, TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"checkpoint {path} cannot be read: {type(error).__name__}: {error}") from error
        return network


def actor(policy: MaskableMultiInputActorCriticPolicy) -> nn.Sequential:
    """Return the layers of a policy, made with :func:`policy_arguments`, that choose: those of a :class:`PolicyNetwork`."""
    return nn.Sequential(*policy.mlp_extractor.policy_net, policy.action_net)


class NetworkAgent:
    """Takes the action that a policy network prefers: no search, nothing random.

    Args:
        network: the policy network.
    """

    def __init__(self, network: PolicyNetwork) -> None:
        torch.set_num_threads(1)  # for networks this small, more are slower
        self.network = network.eval()

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        actions: np.ndarray = self._logits(observation, action_mask).argmax(dim=1).cpu().numpy()
        return np.where(action_mask[:, :UNDO].any(axis=1), actions, UNDO)  # undo only where nothing else is legal

    def values(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return how likely it finds each action the best, in percent, float (N, 29), NaN where it is illegal."""
        shares: np.ndarray = self._logits(observation, action_mask).softmax(dim=1).cpu().numpy()
        return np.where(action_mask[:, :UNDO] == 1, 100 * shares, np.nan)

    def _logits(self, observation: Observation, action_mask: np.ndarray) -> torch.Tensor:
        device = next(self.network.parameters()).device
        tensors = {key: torch.as_tensor(value, device=device) for key, value in observation.items()}
        tensors["action_mask"] = torch.as_tensor(action_mask[:, :UNDO], device=device)
        with torch.inference_mode():
            return self.network(tensors)


class DistilledAgent(NetworkAgent):
    """The policy network that learned from the search of expert iteration, alone.

    Args:
        rules: the rules to play by; they must be those that the network was trained for.
        seed: has no effect.
        checkpoint: a ``policy.safetensors`` that training wrote; by default the one shipped for these rules.

    Raises:
        ValueError: there is no such checkpoint, it is none, or it was trained for other rules.
    """

    def __init__(self, rules: Rules, seed: int = 0, checkpoint: str | Path | None = None) -> None:
        super().__init__(PolicyNetwork.load("network", rules, checkpoint))


class PPOAgent(NetworkAgent):
    """The policy network that ``python -m experiments train`` made with MaskablePPO of sb3-contrib, alone.

    Args:
        rules: the rules to play by; they must be those that the network was trained for.
        seed: has no effect, as nothing is random.
        checkpoint: an ``agent.safetensors`` that training wrote; by default the one shipped for these rules.

    Raises:
        ValueError: there is no such checkpoint, it is none, or it was trained for other rules.
    """

    def __init__(self, rules: Rules, seed: int = 0, checkpoint: str | Path | None = None) -> None:
        if str(checkpoint).endswith(".zip"):
            raise ValueError(
                f"checkpoint is {checkpoint}; it must be a .safetensors file: give a zip as the agent itself"
            )
        super().__init__(PolicyNetwork.load("ppo", rules, checkpoint))
