"""The PPO agent: plays a policy network that ``python -m experiments train`` made with MaskablePPO of sb3-contrib.

Weights are stored as safetensors, a format that cannot execute code when it is loaded.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from gymnasium import spaces
from safetensors import SafetensorError, safe_open
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy

from agents.network import RelativeRanks
from tripeaks_env.engine import DRAW
from tripeaks_env.observation import Observation, observation_space
from tripeaks_env.rules import Rules, as_rules

CHECKPOINTS = Path(__file__).parent / "checkpoints"
FORMAT = "tripeaks-env ppo 1"
HEADER = "agent"  # one key: with more, their order in the file would vary


def policy_arguments(rules: Rules, hidden: list[int]) -> dict[str, Any]:
    """Return the keyword arguments of the policy class for rules and widths of the hidden layers."""
    return {
        "features_extractor_class": RelativeRanks,
        "features_extractor_kwargs": {"wrap": rules.wrap},
        "net_arch": {"pi": hidden, "vf": hidden},
        "activation_fn": torch.nn.ReLU,
    }


def save_policy(policy: torch.nn.Module, rules: Rules, hidden: list[int], path: Path) -> None:
    """Write a policy's weights to ``path``, with what :class:`PPOAgent` needs to build it again."""
    header = json.dumps({"format": FORMAT, "rules": rules.to_json(), "hidden": hidden})
    weights = {name: weight.contiguous() for name, weight in policy.state_dict().items()}
    safetensors.torch.save_file(weights, path, {HEADER: header})
    path.chmod(0o644)  # the library leaves it to its owner alone


class PolicyAgent:
    """Takes the most probable legal action of a policy of sb3-contrib.

    Args:
        policy: maps batches of observations and action masks to distributions over the actions.
    """

    def __init__(self, policy: MaskableMultiInputActorCriticPolicy) -> None:
        self.policy = policy

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`agents.agent.Agent.act`."""
        tensors = {key: torch.as_tensor(value, device=self.policy.device) for key, value in observation.items()}
        with torch.inference_mode():
            actions = self.policy.get_distribution(tensors, action_mask).get_actions(deterministic=True)
        return actions.cpu().numpy()


class PPOAgent(PolicyAgent):
    """The agent of a checkpoint that training wrote.

    Args:
        rules: the rules to play by; they must be those that the network was trained for.
        seed: has no effect, as nothing is random.
        checkpoint: a file that training wrote; by default the one shipped for these rules.

    Raises:
        ValueError: there is no such checkpoint, it is none, or it was trained for other rules.
    """

    def __init__(self, rules: Rules, seed: int = 0, checkpoint: str | Path | None = None) -> None:
        path = Path(checkpoint) if checkpoint else CHECKPOINTS / f"ppo-{rules.name}.safetensors"
        if not path.is_file():
            shipped = ", ".join(sorted(file.stem for file in CHECKPOINTS.glob("*.safetensors")))
            raise ValueError(f"no checkpoint at {path} for the rules {rules}; shipped are {shipped}")
        try:
            with safe_open(path, "pt") as file:
                header = json.loads((file.metadata() or {})[HEADER])
            weights = safetensors.torch.load_file(path)
            found = header["format"]
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"checkpoint {path} cannot be read: {type(error).__name__}: {error}") from error
        if found != FORMAT:
            raise ValueError(f"checkpoint {path} has the format {found!r}; it must be {FORMAT!r}")
        trained = as_rules(header["rules"])
        if trained != rules:
            raise ValueError(f"checkpoint {path} was trained for the rules {trained}, not for {rules}")
        policy = MaskableMultiInputActorCriticPolicy(
            observation_space(rules),
            spaces.Discrete(DRAW + 1),
            lr_schedule=lambda _: 0.0,
            **policy_arguments(rules, header["hidden"]),
        )
        policy.load_state_dict(weights)
        torch.set_num_threads(1)  # for networks this small, more are slower
        super().__init__(policy.eval())
