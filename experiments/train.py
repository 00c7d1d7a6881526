"""Training the PPO agent, with checkpoints to go on from."""

import csv
import time
from pathlib import Path
from typing import cast

import numpy as np
import torch
import yaml
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import get_device
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo import PolicyAgent, policy_arguments, save_policy
from experiments.config import ConfigError, TrainConfig
from experiments.play import play
from experiments.shaping import ShapedReward
from tripeaks_env.files import replacing
from tripeaks_env.sb3 import TriPeaksVecEnv
from tripeaks_env.splits import random_numbers

CURVE = ("steps", "seconds", "win_rate", "score")


def train(config: TrainConfig, folder: Path) -> None:
    """Train until ``config.total_steps``, from the checkpoint in ``folder`` if there is one.

    A training that goes on from a checkpoint deals other cards than one that was never interrupted, as the state of the
    random generators is not kept. Without interruption, the same config gives the same agent on the same machine.

    Raises:
        ConfigError: the folder holds a training of another config.
    """
    torch.set_num_threads(1)  # for networks this small, more are slower
    try:
        device = get_device(config.device)
    except RuntimeError as error:
        raise ConfigError(f"device is {config.device!r}; it must be auto, cpu, cuda or the like: {error}") from error
    if config.device.startswith("cuda") and device.type != "cuda":  # the library falls back to the CPU without a word
        raise ConfigError(f"device is {config.device!r}; this machine or this build of PyTorch has no CUDA")
    settings = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False)
    kept = folder / "config.yaml"
    if kept.exists() and kept.read_text(encoding="utf-8") != settings:
        raise ConfigError(f"folder {folder} holds a training of another config; give another one with --output")
    with replacing(kept) as path:
        path.write_text(settings, encoding="utf-8")

    envs = training_games(config)
    checkpoint = folder / "checkpoint.zip"
    if checkpoint.exists():
        try:
            model = MaskablePPO.load(checkpoint, envs, device=device)
        except Exception as error:  # whatever unpickling half a file does
            raise ConfigError(f"checkpoint {checkpoint} cannot be read ({error}); delete it to start anew") from error
    else:
        model = new_model(config, envs, device, folder / "tensorboard")
    envs.seed(config.seed + model.num_timesteps)  # a training that goes on gets other deals than at its beginning
    left = config.total_steps - model.num_timesteps
    if left <= 0:
        print(f"The training in {folder} is finished, after {model.num_timesteps:,} steps.")
    else:
        if model.num_timesteps:
            print(f"The training in {folder} goes on after {model.num_timesteps:,} steps.")
        keep = Keep(config, folder)
        try:
            model.learn(left, keep, reset_num_timesteps=False, tb_log_name="ppo", progress_bar=True)
        except KeyboardInterrupt:
            if not model.num_timesteps:  # not begun: there is nothing to keep
                raise
            print("Interrupted; writing the checkpoint.")
            keep.keep()
            print(f"Interrupted after {model.num_timesteps:,} steps; the same command goes on from there.")
            raise


def training_games(config: TrainConfig) -> VecEnv:
    """Return the games that a config trains in."""
    games = TriPeaksVecEnv(config.num_envs, rules=config.rules, skip_forced=True)
    return ShapedReward(games, config.points, config.win_bonus)


def new_model(
    config: TrainConfig, envs: VecEnv, device: torch.device | str, tensorboard: Path | None = None
) -> MaskablePPO:
    """Return an untrained model of a config.

    Args:
        config: how to train.
        envs: see :func:`training_games`.
        device: where the network is.
        tensorboard: folder of the logs.
    """
    return MaskablePPO(
        "MultiInputPolicy",
        envs,
        learning_rate=Falling(config.learning_rate),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        policy_kwargs=policy_arguments(config.rules, config.hidden),
        tensorboard_log=str(tensorboard) if tensorboard else None,
        seed=config.seed,
        device=device,
    )


class Falling:
    """A learning rate that falls linearly from ``start`` to 2 % of it."""

    def __init__(self, start: float) -> None:
        self.start = start

    def __call__(self, progress_left: float) -> float:
        """Return the rate when ``progress_left``, 1 to 0, of the training is left."""
        return self.start * max(progress_left, 0.02)


class Keep(BaseCallback):
    """Writes the learning curve, the agent and a checkpoint every ``evaluate_every`` steps, and at the end."""

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        super().__init__()
        self.config, self.folder = config, folder
        rng = np.random.default_rng(config.seed)
        self.deals = random_numbers(rng, "train", config.evaluation_deals).tolist()
        self.curve = folder / "curve.csv"
        self.rows = self._rows()
        self.started = time.perf_counter() - (self.rows[-1][1] if self.rows else 0)
        self.due = 0

    def _init_callback(self) -> None:
        if self.model.num_timesteps:  # goes on from a checkpoint, which is kept already
            self.due = self.model.num_timesteps + self.config.evaluate_every

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.due:
            self.keep()
            self.due = self.num_timesteps + self.config.evaluate_every

    def _on_step(self) -> bool:
        return True

    def _on_training_end(self) -> None:
        self.keep()

    def _rows(self) -> list[tuple[float, ...]]:
        if not self.curve.exists():
            return []
        with self.curve.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        return [(int(steps), int(seconds), float(win_rate), float(score)) for steps, seconds, win_rate, score in rows]

    def keep(self) -> None:
        """Evaluate the policy on training deals and write everything, each file at once."""
        policy = self.model.policy
        policy.set_training_mode(False)
        games = play(
            PolicyAgent(cast(MaskableMultiInputActorCriticPolicy, policy)), self.deals, self.config.rules
        ).games
        win_rate, score = float(np.mean(games["remaining"] == 0)), float(np.mean(games["score"]))
        self.logger.record("evaluation/win_rate", win_rate)
        self.logger.record("evaluation/score", score)
        self.rows = [row for row in self.rows if row[0] < self.num_timesteps]  # of a training killed after this point
        self.rows.append((self.num_timesteps, round(time.perf_counter() - self.started), win_rate, score))
        with replacing(self.curve) as path, path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([CURVE, *self.rows])
        with replacing(self.folder / "checkpoint.zip") as path:
            self.model.save(path)
        with replacing(self.folder / "agent.safetensors") as path:
            save_policy(policy, self.config.rules, self.config.hidden, path)
