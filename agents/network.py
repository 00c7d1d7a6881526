"""The network's inputs: what an observation means, made of ranks relative to the waste card."""

import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch.nn import functional

from agents.simple import COVER_MATRIX
from tripeaks_env.cards import EMPTY, FACE_DOWN, WILD
from tripeaks_env.layout import POSITIONS

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
