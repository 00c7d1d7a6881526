"""The PPO agent: plays a policy network that ``python -m experiments train`` made with MaskablePPO of sb3-contrib."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy

from agents.learned.policy_network import NetworkAgent, PolicyNetwork, RelativeRanks
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules


def policy_arguments(rules: Rules, hidden: list[int]) -> dict[str, Any]:
    """Return the keyword arguments of the policy class for rules and widths of the hidden layers."""
    return {
        "features_extractor_class": RelativeRanks,
        "features_extractor_kwargs": {"wrap": rules.wrap},
        "net_arch": {"pi": hidden, "vf": hidden},
        "activation_fn": torch.nn.ReLU,
    }


class PolicyAgent:
    """Takes the most probable legal action of a policy of sb3-contrib.

    Args:
        policy: maps batches of observations and action masks to distributions over the actions.
    """

    def __init__(self, policy: MaskableMultiInputActorCriticPolicy) -> None:
        self.policy = policy

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        tensors = {key: torch.as_tensor(value, device=self.policy.device) for key, value in observation.items()}
        with torch.inference_mode():
            actions = self.policy.get_distribution(tensors, action_mask).get_actions(deterministic=True)
        return actions.cpu().numpy()


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
        if checkpoint and Path(checkpoint).suffix == ".zip":
            raise ValueError(
                f"checkpoint is {checkpoint}; it must be a .safetensors file: give a zip as the agent itself"
            )
        super().__init__(PolicyNetwork.load("ppo", rules, checkpoint))
