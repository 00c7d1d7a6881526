"""Training the PPO agent, with checkpoints to go on from."""

import random
from collections import deque
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback, ProgressBarCallback

from agents.learned.policy_network import NetworkAgent, PolicyNetwork, actor, policy_arguments
from experiments.config import ConfigError, TrainConfig
from experiments.games.play import play
from experiments.training.folder import (
    CHECKPOINT,
    Curve,
    check_weights,
    choose_device,
    claim,
    is_network,
    read_state,
    unreadable,
    write_state,
)
from experiments.training.rewards import AdvantageReward, KeptGames, ShapedReward
from experiments.training.value_learner import ValueLearner
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.parallel.files import replacing
from tripeaks_env.sb3 import TriPeaksVecEnv


def train(config: TrainConfig, folder: Path) -> None:
    """Train until ``config.total_steps``, from the checkpoint in ``folder`` if there is one.

    The same config gives the same agent on the same machine, interrupted, killed or neither: the checkpoint holds the whole
    state of the training, and what was done after it is done again.

    Raises:
        ConfigError: the folder holds a training of another config, or a checkpoint that cannot be read; or it diverges.
    """
    keep = None
    try:
        model, envs, kept = _begin(config, folder)
        left = config.total_steps - model.num_timesteps
        if left <= 0:
            agent = folder / "agent.safetensors"
            if not is_network(partial(PolicyNetwork.load, "ppo"), config, agent):
                with replacing(agent) as path:
                    network_of(model, config).save(path, "ppo")
            print(f"The training in {folder} is finished, after {model.num_timesteps:,} steps.")
            return
        if model.num_timesteps:
            print(f"The training in {folder} goes on after {model.num_timesteps:,} steps.")
        keep = Keep(config, folder, envs, kept)
        bar = Bar()
        try:
            model.learn(left, [keep, bar], reset_num_timesteps=False, tb_log_name="ppo")
        except (ValueError, RuntimeError):  # of distributions and optimizers, when weights are no numbers any more
            check_weights(model.policy, "policy")
            raise
        finally:
            if hasattr(bar, "pbar"):
                bar.pbar.close()  # so that the terminal of an interrupted training has its cursor again
    except KeyboardInterrupt:
        if keep and keep.kept is not None:
            where = f"goes on after {keep.kept:,} steps"
        else:
            where = "goes on from the checkpoint" if (folder / CHECKPOINT).exists() else "begins anew"
        print(f"Interrupted; the same command {where}.")
        raise


def _begin(config: TrainConfig, folder: Path) -> tuple[MaskablePPO, KeptGames, int | None]:
    """Return a model, its games, and of how many steps the checkpoint is that they are from, if there is one."""
    device = choose_device(config.device)
    checkpoint, tensorboard = folder / CHECKPOINT, folder / "tensorboard"
    kept = None
    if checkpoint.exists():
        claim(folder, config)
        model, envs = load(checkpoint, config, device, tensorboard)
        kept = model.num_timesteps
    else:
        envs = training_games(config, device)
        model = new_model(config, envs, device, tensorboard)  # before the folder is claimed: the config may be wrong
        claim(folder, config)
    return model, envs, kept


def save(path: Path, model: MaskablePPO, envs: KeptGames) -> None:
    """Write the whole state of a training between two rollouts: the model, its games, and the random generators."""
    state = {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "starts": model._last_episode_starts,
        "episodes": list(model.ep_info_buffer or ()),
        "games": envs.state(),
        "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002 - the library draws from it
        "cuda": torch.cuda.get_rng_state(model.device) if model.device.type == "cuda" else None,
    }
    write_state(path, state)


def load(
    path: Path, config: TrainConfig, device: torch.device, tensorboard: Path | None = None
) -> tuple[MaskablePPO, KeptGames]:
    """Return the model and the games of a checkpoint, and set the random generators as they were.

    Args:
        path: the file that :func:`save` wrote.
        config: of the training.
        device: where the networks are from now on.
        tensorboard: folder of the logs.

    Raises:
        ConfigError: the file cannot be read, or is of another config.
    """
    state = read_state(path)
    envs = training_games(config, device)
    model = _random_model(config, envs, device, tensorboard)
    try:
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        model.num_timesteps, model._n_updates = int(state["steps"]), int(state["updates"])
        model._last_obs, model._last_episode_starts = envs.load_state(state["games"]), state["starts"]
        model.ep_info_buffer = deque(state["episodes"], model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        of_python, of_numpy, of_torch = state["random"]
        random.setstate(of_python)
        np.random.set_state(of_numpy)  # noqa: NPY002
        torch.set_rng_state(of_torch)
        if device.type == "cuda" and state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], device)
    except Exception as error:  # whatever the state of another training does
        raise unreadable(path, error) from error
    return model, envs


def training_games(config: TrainConfig, device: torch.device | str = "cpu") -> KeptGames:
    """Return the games that a config trains in."""
    games = TriPeaksVecEnv(config.num_envs, rules=config.rules, skip_forced=True)
    if config.value is None:
        return ShapedReward(games, config.win_bonus)
    learner = ValueLearner(config.value, config.rules, config.win_bonus, config.seed, torch.device(device))
    return AdvantageReward(games, learner, config.refit, config.seed)


def new_model(
    config: TrainConfig, envs: KeptGames, device: torch.device | str, tensorboard: Path | None = None
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
    model = _random_model(config, envs, device, tensorboard)
    if config.start:
        try:
            start = PolicyNetwork.load("network", config.rules, config.start)
        except ValueError as error:
            raise ConfigError(f"start: {error}") from error
        if start.hidden != config.hidden:
            raise ConfigError(f"start has hidden layers {start.hidden}; hidden is {config.hidden} and must be the same")
        actor(cast(MaskableMultiInputActorCriticPolicy, model.policy)).load_state_dict(start.layers.state_dict())
    return model


def _random_model(
    config: TrainConfig, envs: KeptGames, device: torch.device | str, tensorboard: Path | None
) -> MaskablePPO:
    return MaskablePPO(
        "MultiInputPolicy",
        envs,
        learning_rate=partial(_falling, config.learning_rate),
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


def network_of(model: MaskablePPO, config: TrainConfig) -> PolicyNetwork:
    """Return the actor of a model of a config."""
    policy = cast(MaskableMultiInputActorCriticPolicy, model.policy)
    policy.set_training_mode(False)
    return PolicyNetwork.of_sb3(policy, config.rules, config.hidden)


def _falling(start: float, progress_left: float) -> float:
    """Return a learning rate that falls linearly from ``start`` to 2 % of it as ``progress_left`` does from 1 to 0."""
    return start * max(progress_left, 0.02)


class Bar(ProgressBarCallback):
    """A progress bar that is full when the training ends: after the rollout in which it reaches its steps."""

    def _on_training_start(self) -> None:
        model = cast(MaskablePPO, self.model)
        rollout = self.training_env.num_envs * model.n_steps
        left = self.locals["total_timesteps"] - model.num_timesteps
        self.locals = self.locals | {"total_timesteps": model.num_timesteps + -(-left // rollout) * rollout}
        super()._on_training_start()


class Keep(BaseCallback):
    """Writes the learning curve, the agent and a checkpoint every ``evaluate_every`` steps, and at the end.

    Args:
        config: of the training.
        folder: where the files are.
        envs: the games.
        kept: of how many steps the checkpoint is that the training goes on from, which is not written again; ``None``
            without one.
    """

    def __init__(self, config: TrainConfig, folder: Path, envs: KeptGames, kept: int | None = None) -> None:
        super().__init__()
        self.config, self.folder, self.envs, self.kept = config, folder, envs, kept
        rng = np.random.default_rng(config.seed)
        self.deals = random_numbers(rng, "train", config.evaluation_deals).tolist()
        self.curve = Curve(folder / "curve.csv", "steps")
        self.due = 0 if kept is None else kept + config.evaluate_every

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
        """Evaluate the policy on training deals and write everything, each file at once.

        The checkpoint is the last: a training that is killed before goes on from the one before, and writes the others again.
        """
        network = network_of(cast(MaskablePPO, self.model), self.config)
        games = play(NetworkAgent(network), self.deals, self.config.rules).games
        win_rate, score = self.curve.add(self.num_timesteps, games)
        self.logger.record("evaluation/win_rate", win_rate)
        self.logger.record("evaluation/score", score)
        self.logger.dump(self.num_timesteps)  # at once, as what is written later may be lost
        with replacing(self.folder / "agent.safetensors") as path:
            network.save(path, "ppo")
        with replacing(self.folder / CHECKPOINT) as path:
            save(path, cast(MaskablePPO, self.model), self.envs)
        self.kept = self.num_timesteps
