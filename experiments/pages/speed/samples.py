"""What the rows of this project measure: each function with a size as its last argument makes a sample."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import gymnasium
import numpy as np
import torch
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from agents import make
from experiments.config import CONFIGS, TrainConfig, load
from experiments.games.play import play
from experiments.pages.speed.harness import LeftOut, Sample, Size
from experiments.training.ppo import new_model, training_games
from experiments.training.rewards import ShapedReward
from tripeaks_env import Deal, Game, Rules, TriPeaksEnv, action_values, sample_actions, solve, solve_many, suite
from tripeaks_env.game.engine import play_actions, step_games, tables

Item = TypeVar("Item")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def new_process(code: str, cached: bool, size: Size) -> Sample:
    """Return a sample of the seconds that ``code`` prints in a new process; unless ``cached``, nothing is compiled yet."""
    if not (cached or size.compiling):
        raise LeftOut

    def sample() -> float:
        with TemporaryDirectory() as folder:
            environment = os.environ if cached else os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        return float(done.stdout)

    return sample


def single_steps(env: gymnasium.Env, choose: Callable[[Any, float], Any], steps: int) -> Sample:
    """Return a sample of the steps per second of one environment, with choosing the actions and resets.

    Args:
        env: the environment.
        choose: returns an action for an observation and a random number below 1.
        steps: how many.
    """
    choices = np.random.default_rng(0).random(steps).tolist()

    def sample() -> float:
        start = time.perf_counter()
        observation, _ = env.reset(seed=0)
        for choice in choices:
            observation, _, terminated, truncated, _ = env.step(choose(observation, choice))
            if terminated or truncated:
                observation, _ = env.reset()
        return len(choices) / (time.perf_counter() - start)

    return sample


def batch_steps(env: Any, num_envs: int, choose: Callable[[Any], Any], steps: int, choosing: bool = False) -> Sample:
    """Return a sample of the steps per second of a vector environment, each of its environments counted.

    Args:
        env: it has Gymnasium's ``reset`` and ``step``, and resets by itself.
        num_envs: how many environments it has.
        choose: returns actions for a batch of observations.
        steps: how many steps, of all environments together.
        choosing: whether the time that ``choose`` takes counts.
    """
    observation, _ = env.reset()
    calls = max(1, steps // num_envs)

    def sample() -> float:
        nonlocal observation
        seconds = 0.0
        for _ in range(calls):
            start = time.perf_counter()
            actions = choose(observation)
            chosen = time.perf_counter()
            observation, *_ = env.step(actions)
            seconds += time.perf_counter() - (start if choosing else chosen)
        return calls * num_envs / seconds

    return sample


def _legal(observation: dict[str, np.ndarray], choice: float) -> int:
    legal = observation["action_mask"].nonzero()[0]
    return legal[int(choice * len(legal))]


def environment(size: Size) -> Sample:
    """Return a sample of the steps per second of one environment, with random legal actions."""
    return single_steps(gymnasium.make("TriPeaks-v0"), _legal, size.single_steps)


def vector(num_envs: int, choosing: bool, copy: bool, size: Size) -> Sample:
    """Return a sample of the steps per second of the vector environment, with random legal actions."""
    env = gymnasium.make_vec("TriPeaks-v0", num_envs=num_envs, copy=copy)
    rng = np.random.default_rng(0)
    return batch_steps(
        env, num_envs, lambda observation: sample_actions(observation["action_mask"], rng), size.steps, choosing
    )


class _Shown(gymnasium.Wrapper):
    """Makes a picture after each step."""

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        self.env.render()
        return result


def pictures(width: int, height: int, size: Size) -> Sample:
    """Return a sample of the pictures per second of one environment, with steps and resets."""
    import tripeaks_env.pictures.board  # noqa: F401 - says whether pygame-ce is there

    env = _Shown(gymnasium.make("TriPeaks-v0", render_mode="rgb_array", render_size=(width, height)))
    env.reset()
    env.render()  # makes the images of the cards
    return single_steps(env, _legal, size.pictures)


def _random_games(size: Size) -> list[tuple[Game, list[int]]]:
    """Return games at their start, and with each the actions that a random player takes in it."""
    numbers = suite(max(1, size.single_steps // 40))
    played = play(make("random"), numbers, Rules.easy).games
    lines = [game["line"][: game["length"]].tolist() for game in played]
    return [(Game(Deal.from_number(number)), line) for number, line in zip(numbers, lines, strict=True)]


def engine(size: Size) -> Sample:
    """Return a sample of the steps per second of the engine, one game a call."""
    games = [(game.record, [np.array([action]) for action in line]) for game, line in _random_games(size)]
    table = tables(Rules.easy)
    outputs = play_actions(games[0][0].copy(), games[0][1][0], Rules.easy)
    return _replay(games, lambda game, action: step_games(game, action, table, *outputs))


def game_play(size: Size) -> Sample:
    """Return a sample of the actions per second of :meth:`tripeaks_env.Game.play`."""
    return _replay(_random_games(size), Game.play)


def _replay(games: Sequence[tuple[Any, Sequence[Any]]], play_one: Callable[[Any, Any], object]) -> Sample:
    """Return a sample of the actions per second with which copies of games are played along their lines."""

    def sample() -> float:
        seconds = 0.0
        for new, line in games:
            game = new.copy()
            start = time.perf_counter()
            for action in line:
                play_one(game, action)
            seconds += time.perf_counter() - start
        return sum(len(line) for _, line in games) / seconds

    return sample


def _median(work: Callable[[Item], object], items: Iterable[Item]) -> Sample:
    """Return a sample of the median seconds that work on an item takes."""
    works = [partial(work, item) for item in items]
    return lambda: statistics.median(map(_seconds, works))


def solving(rules: Rules, size: Size) -> Sample:
    """Return a sample of the median seconds that a deal takes."""
    numbers = suite(size.slow_deals if rules.scoring.streak else size.deals)
    return _median(lambda deal: solve(deal, rules), map(Deal.from_number, numbers))


def valuing(rules: Rules, size: Size) -> Sample:
    """Return a sample of the median seconds that the values of all actions at the start of a deal take."""
    return _median(action_values, [Game(Deal.from_number(number), rules) for number in suite(size.slow_deals)])


def solving_many(rules: Rules, size: Size) -> Sample:
    """Return a sample of the deals per second of one call."""
    numbers = suite(size.many_deals)
    return lambda: len(numbers) / _seconds(partial(solve_many, numbers, rules))


def agent(name: str, lone: bool, size: Size) -> Sample:
    """Return a sample of the seconds a move of an agent that plays many games at once, or one after the other."""
    calls = [[number] for number in suite(size.lone_games)] if lone else [suite(size.games)]

    def sample() -> float:
        agent = make(name)
        played = [play(agent, numbers, Rules.easy) for numbers in calls]
        return sum(each.seconds for each in played) / sum(int(each.games["moves"].sum()) for each in played)

    return sample


def training(native: bool, size: Size) -> Sample:
    """Return a sample of the decisions per second of the training of the shipped agent, network updates included.

    Args:
        native: whether its games are played by the native vector environment, or one by one.
        size: what to change in the config.
    """
    config = load(CONFIGS / "ppo-easy.yaml", TrainConfig).model_copy(update={**size.training, "value": None})
    if native:
        envs = training_games(config)
    else:
        singles = DummyVecEnv([lambda: Monitor(TriPeaksEnv(config.rules, skip_forced=True))] * config.num_envs)
        envs = ShapedReward(singles, config.win_bonus)
    torch.set_num_threads(1)
    model = new_model(config, envs, "cpu")
    decisions = config.num_envs * config.n_steps
    return lambda: decisions / _seconds(partial(model.learn, decisions, reset_num_timesteps=False))
