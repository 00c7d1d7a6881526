"""Training the PPO agent, with checkpoints to go on from."""

from pathlib import Path
from typing import cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.network import PolicyNetwork
from agents.ppo import PolicyAgent, policy_arguments
from experiments.config import ConfigError, TrainConfig
from experiments.play import play
from experiments.training.advantage import AdvantageReward
from experiments.training.folder import Curve, choose_device, claim
from experiments.training.rewards import ShapedReward
from experiments.training.value_learner import ValueLearner
from tripeaks_env.files import replacing
from tripeaks_env.sb3 import TriPeaksVecEnv
from tripeaks_env.splits import random_numbers

VALUE = "value.pt"
"""The file of the value network that tells advantages."""


def train(config: TrainConfig, folder: Path) -> None:
    """Train until ``config.total_steps``, from the checkpoint in ``folder`` if there is one.

    A training that goes on from a checkpoint deals other cards than one that was never interrupted, as the state of the
    random generators is not kept, nor are the last positions that the value network learns from. Without interruption, the
    same config gives the same agent on the same machine.

    Raises:
        ConfigError: the folder holds a training of another config.
    """
    device = choose_device(config.device)
    envs = training_games(config, device)
    fresh = new_model(config, envs, device, folder / "tensorboard")
    claim(folder, config)
    checkpoint = folder / "checkpoint.zip"
    if checkpoint.exists():
        try:
            model = MaskablePPO.load(checkpoint, envs, device=device)
            if isinstance(envs, AdvantageReward):
                envs.load(folder / VALUE)
        except Exception as error:  # whatever unpickling half a file does
            raise ConfigError(f"checkpoint {checkpoint} cannot be read ({error}); delete it to start anew") from error
    else:
        model = fresh
    envs.seed(config.seed + model.num_timesteps)  # a training that goes on gets other deals than at its beginning
    left = config.total_steps - model.num_timesteps
    if left <= 0:
        print(f"The training in {folder} is finished, after {model.num_timesteps:,} steps.")
    else:
        if model.num_timesteps:
            print(f"The training in {folder} goes on after {model.num_timesteps:,} steps.")
        keep = Keep(config, folder, envs)
        try:
            model.learn(left, keep, reset_num_timesteps=False, tb_log_name="ppo", progress_bar=True)
        except KeyboardInterrupt:
            if not model.num_timesteps:  # not begun: there is nothing to keep
                raise
            print("Interrupted; writing the checkpoint.")
            keep.keep()
            print(f"Interrupted after {model.num_timesteps:,} steps; the same command goes on from there.")
            raise


def training_games(config: TrainConfig, device: torch.device | str = "cpu") -> VecEnv:
    """Return the games that a config trains in."""
    games = TriPeaksVecEnv(config.num_envs, rules=config.rules, skip_forced=True)
    if config.value is None:
        return ShapedReward(games, config.win_bonus)
    learner = ValueLearner(config.value, config.rules, config.win_bonus, config.seed, torch.device(device))
    return AdvantageReward(games, learner, config.refit, config.seed)


def new_model(
    config: TrainConfig, envs: VecEnv, device: torch.device | str, tensorboard: Path | None = None
) -> MaskablePPO:
    """Return an untrained model of a config, or one with the policy of ``config.start``.

    Args:
        config: how to train.
        envs: see :func:`training_games`.
        device: where the network is.
        tensorboard: folder of the logs.

    Raises:
        ConfigError: ``config.start`` is no policy network of these widths for these rules.
    """
    model = MaskablePPO(
        "MultiInputPolicy",
        envs,
        learning_rate=Falling(config.learning_rate),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        policy_kwargs=policy_arguments(config.rules, config.hidden),
        tensorboard_log=str(tensorboard) if tensorboard else None,
        seed=config.seed,
        device=device,
    )
    if config.start:
        try:
            start = PolicyNetwork.load("network", config.rules, config.start)
        except ValueError as error:
            raise ConfigError(f"start: {error}") from error
        if start.hidden != config.hidden:
            raise ConfigError(f"start has hidden layers {start.hidden}; hidden is {config.hidden} and must be the same")
        start.to(device).copy_to_or_from(cast(MaskableMultiInputActorCriticPolicy, model.policy), to=True)
    return model


class Falling:
    """A learning rate that falls linearly from ``start`` to 2 % of it."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self, progress_left: float) -> float:
        """Return the rate when ``progress_left``, 1 to 0, of the training is left."""
        return self.start * max(progress_left, 0.02)


class Keep(BaseCallback):
    """Writes the learning curve, the agent and a checkpoint every ``evaluate_every`` steps, and at the end."""

    def __init__(self, config: TrainConfig, folder: Path, envs: VecEnv) -> None:
        super().__init__()
        self.config, self.folder, self.envs = config, folder, envs
        rng = np.random.default_rng(config.seed)
        self.deals = random_numbers(rng, "train", config.evaluation_deals).tolist()
        self.curve = Curve(folder / "curve.csv", "steps")
        self.due = 0

    def _init_callback(self) -> None:
        if self.model.num_timesteps:  # goes on from a checkpoint, which is kept already
            self.due = self.model.num_timesteps + self.config.evaluate_every

    def _on_rollout_start(self) -> None:
        left = 1 - self.num_timesteps / self.config.total_steps
        cast(MaskablePPO, self.model).ent_coef = self.config.ent_coef * max(left, 0.1)
        if self.num_timesteps >= self.due:
            self.keep()
            self.due = self.num_timesteps + self.config.evaluate_every

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self.keep()

    def keep(self) -> None:
        """Evaluate the policy on training deals and write everything, each file at once."""
        policy = cast(MaskableMultiInputActorCriticPolicy, self.model.policy)
        policy.set_training_mode(False)
        games = play(PolicyAgent(policy), self.deals, self.config.rules).games
        win_rate, score = float(np.mean(games["remaining"] == 0)), float(np.mean(games["score"]))
        self.logger.record("evaluation/win_rate", win_rate)
        self.logger.record("evaluation/score", score)
        self.curve.add(self.num_timesteps, win_rate, score)
        if isinstance(self.envs, AdvantageReward):
            with replacing(self.folder / VALUE) as path:
                self.envs.save(path)
        with replacing(self.folder / "checkpoint.zip") as path:
            self.model.save(path)
        with replacing(self.folder / "agent.safetensors") as path:
            PolicyNetwork.of_sb3(policy, self.config.rules, self.config.hidden).save(path, "ppo")
