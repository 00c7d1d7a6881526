"""Models of Stable-Baselines3 and sb3-contrib as agents, from the zip files that their ``save`` writes."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn.policies import QRDQNPolicy
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.save_util import load_from_zip_file
from stable_baselines3.dqn.policies import DQNPolicy

from agents.learned.policy_network import RelativeRanks
from tripeaks_env import TriPeaksEnv
from tripeaks_env.env.agent import describe
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.observation import Observation, observation_space
from tripeaks_env.game.rules import Rules
from tripeaks_env.wrappers import MaskedObservation

PARTS = ("policy_class", "policy_kwargs", "observation_space", "action_space")
"""What makes a policy, of all that the zip file of a model holds."""
LARGEST = 2**30
"""How many bytes a file may have when it is unpacked."""
KNOWN = "MaskablePPO, PPO, A2C, TRPO, DQN and QRDQN"


class SB3Agent:
    """Plays the action that the policy of a model prefers among the legal ones: nothing is random.

    The preferred action is the most probable one of MaskablePPO, PPO, A2C and TRPO, and the one of the highest value of DQN
    and QRDQN, whether the model was trained with action masks or not.

    It may have been trained on the observations of ``TriPeaks-v0``, with or without ``action_mask``, on those of
    :class:`tripeaks_env.wrappers.MaskedObservation` or of Gymnasium's ``FlattenObservation``. Whatever else changed them,
    such as ``VecNormalize``, is not in the file, and so is not done here.

    Args:
        path: the zip file. Loading it can run any code that is in it.
        rules: the rules to play by. The file does not tell by which ones the model was trained; they are refused where they
            show other observations, and where this project's own network tells.
        seed: has no effect.

    Raises:
        ValueError: there is no such file, it cannot be read, its policy is of another kind, or it has other observations or
            actions.
    """

    def __init__(self, path: str | Path, rules: Rules, seed: int = 0) -> None:
        torch.set_num_threads(1)  # for networks this small, more are slower
        self.policy = _load(Path(path))
        view = _view(self.policy.observation_space, rules)
        if view is None:
            raise ValueError(f"model {path} was trained on other observations than those of the rules {rules}")
        if self.policy.action_space != spaces.Discrete(DRAW + 1):
            raise ValueError(
                f"model {path} has the actions {self.policy.action_space}; they must be Discrete({DRAW + 1})"
            )
        wrap = self.policy.features_extractor_kwargs.get("wrap", rules.wrap)
        if self.policy.features_extractor_class is RelativeRanks and wrap != rules.wrap:
            raise ValueError(f"model {path} was trained for rules with wrap={wrap}, not for {rules}")
        self.view = view

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games; see :meth:`tripeaks_env.env.agent.Agent.act`."""
        return np.where(action_mask == 1, self._preferences(observation), -np.inf).argmax(axis=1)

    def unmasked(self, observation: Observation) -> np.ndarray | None:
        """Return the actions that the model prefers, legal or not, (N,); ``None`` if it was trained with masks."""
        if isinstance(self.policy, MaskableActorCriticPolicy):
            return None
        return self._preferences(observation).argmax(axis=1)

    def _preferences(self, observation: Observation) -> np.ndarray:
        tensors, _ = self.policy.obs_to_tensor(self.view(observation))
        with torch.inference_mode():
            return _preferences(self.policy, tensors).cpu().numpy()


def _load(path: Path) -> BasePolicy:
    """Return the policy of a model.

    The class of the policy is in the file; of which algorithm the model is does not matter. What is not a part of the policy
    is not unpickled, so that schedules, callbacks and the like from another version of Python do no harm.
    """
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    try:
        with zipfile.ZipFile(path) as archive:
            if (size := _unpacked_size(archive)) > LARGEST:
                raise ValueError(f"unpacked it has {size:,} bytes; it may have {LARGEST:,}")
            names = json.loads(archive.read("data"))
        data, weights, _ = load_from_zip_file(
            path, device="cpu", custom_objects={name: None for name in names if name not in PARTS}
        )
        assert data is not None
        made, options, observations, actions = (data[part] for part in PARTS)
    except Exception as error:  # whatever unpickling a file does
        raise ValueError(f"{path} cannot be read as a model of Stable-Baselines3: {describe(error)}") from error
    if not isinstance(made, type) or not issubclass(
        made, ActorCriticPolicy | MaskableActorCriticPolicy | DQNPolicy | QRDQNPolicy
    ):
        raise ValueError(f"model {path} has a policy {getattr(made, '__name__', made)}; it must be one of {KNOWN}")
    if issubclass(made, RecurrentActorCriticPolicy):
        raise ValueError(f"model {path} is recurrent; it must choose from one observation, as {KNOWN} do")
    try:
        with torch.random.fork_rng(devices=[]):  # new layers draw random weights
            policy = made(observations, actions, lambda progress: 0.0, **(options or {}))
        policy.load_state_dict(weights["policy"])  # type: ignore[arg-type]
        policy.set_training_mode(False)
        return policy
    except Exception as error:  # whatever the classes in the file do
        raise ValueError(f"the policy of {path} cannot be made: {describe(error)}") from error


def _unpacked_size(archive: zipfile.ZipFile) -> int:
    """Return how many bytes the files of an archive have, and those of the archives in it, as far as it is not too large."""
    size = sum(each.file_size for each in archive.infolist())
    for each in archive.infolist():
        if size <= LARGEST and each.filename.endswith(".pth"):
            with archive.open(each) as file, zipfile.ZipFile(file) as inner:
                size += _unpacked_size(inner)
    return size


def _preferences(policy: BasePolicy, tensors: Any) -> torch.Tensor:
    """Return how much a policy prefers each action, float (N, 29)."""
    if isinstance(policy, DQNPolicy):
        return policy.q_net(tensors)
    if isinstance(policy, QRDQNPolicy):
        return policy.quantile_net(tensors).mean(dim=1)
    assert isinstance(policy, ActorCriticPolicy | MaskableActorCriticPolicy)
    return policy.get_distribution(tensors).distribution.logits  # type: ignore[union-attr]


def _view(space: spaces.Space, rules: Rules) -> Callable[[Observation], Any] | None:
    """Return what turns observations under ``rules`` into those of a model with this space, or ``None`` if nothing does."""
    parts = observation_space(rules)
    for whole in (parts, spaces.Dict({name: part for name, part in parts.items() if name != "action_mask"})):
        names, flat = tuple(whole), spaces.flatten_space(whole)
        if space == whole:
            return lambda observation: {name: observation[name] for name in names}
        if space == flat:
            return lambda observation: np.concatenate([observation[name] for name in names], axis=1).astype(flat.dtype)
    for style in ("pettingzoo", "rllib"):
        wrapped = MaskedObservation(TriPeaksEnv(rules), style)
        if space == wrapped.observation_space:
            return wrapped.observation
    return None
