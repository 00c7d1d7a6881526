"""The PPO agent: plays a policy network that ``python -m experiments train`` made with MaskablePPO of sb3-contrib."""

from pathlib import Path
from typing import Any

import torch

from agents.learned.policy_network import NetworkAgent, PolicyNetwork, RelativeRanks
from tripeaks_env.game.rules import Rules


def policy_arguments(rules: Rules, hidden: list[int]) -> dict[str, Any]:
    """Return the keyword arguments of the policy class for rules and widths of the hidden layers."""
    return {
        "features_extractor_class": RelativeRanks,
        "features_extractor_kwargs": {"wrap": rules.wrap},
        "net_arch": {"pi": hidden, "vf": hidden},
        "activation_fn": torch.nn.ReLU,
    }


class PPOAgent(NetworkAgent):
    """The agent of a checkpoint that training wrote.

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
