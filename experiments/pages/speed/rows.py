"""The rows of the table: what is measured of this project, and of other libraries where they are installed.

The functions with a size as their last argument prepare a sample, see :class:`experiments.pages.speed.harness.Measure`.
"""

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
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
from experiments.pages.speed.harness import LeftOut, Measure, Sample, Size
from experiments.training.ppo import new_model, training_games
from experiments.training.rewards import ShapedReward
from tripeaks_env import Deal, Game, Rules, TriPeaksEnv, action_values, sample_actions, solve, solve_many, suite
from tripeaks_env.game.engine import play_actions, step_games, tables

IMPORT = "import time; start = time.perf_counter(); import tripeaks_env; print(time.perf_counter() - start)"
FIRST_CALLS = """
import time
import gymnasium, numpy, tripeaks_env
start = time.perf_counter()
env = gymnasium.make("TriPeaks-v0")
env.reset(seed=0)
env.step(28)
envs = gymnasium.make_vec("TriPeaks-v0", num_envs=64)
observation, _ = envs.reset(seed=0)
envs.step(tripeaks_env.sample_actions(observation["action_mask"], numpy.random.default_rng(0)))
tripeaks_env.solve("TP1-E-AAAAAAB")
tripeaks_env.solve_many(tripeaks_env.suite(64))
print(time.perf_counter() - start)
"""
NUM_ENVS = (64, 1024, 4096)
VARIANTS = {  # of the vector environment: whether choosing counts, and copy
    "steps": (False, True),
    "choosing and steps": (True, True),
    "steps, copy=False": (False, False),
}
QUICK = ("random", "greedy", "opener", "ppo", "network", "oracle")
"""Agents that do not search; how long the others take is up to their budget."""
PRESETS = {"easy": Rules.easy, "classic": Rules.classic}

Item = TypeVar("Item")


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _new_process(code: str, cached: bool, size: Size) -> Sample:
    """Return a sample of the seconds that ``code`` prints in a new process; unless ``cached``, nothing is compiled yet."""
    if not (cached or size.compiling):
        raise LeftOut

    def sample() -> float:
        with TemporaryDirectory() as folder:
            environment = os.environ if cached else os.environ | {"NUMBA_CACHE_DIR": folder}
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        return float(done.stdout)

    return sample


def _single_steps(env: gymnasium.Env, choose: Callable[[Any, float], Any], steps: int) -> Sample:
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


def _batch_steps(env: Any, num_envs: int, choose: Callable[[Any], Any], steps: int, choosing: bool = False) -> Sample:
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


def _environment(size: Size) -> Sample:
    return _single_steps(gymnasium.make("TriPeaks-v0"), _legal, size.single_steps)


def _vector(num_envs: int, choosing: bool, copy: bool, size: Size) -> Sample:
    env = gymnasium.make_vec("TriPeaks-v0", num_envs=num_envs, copy=copy)
    rng = np.random.default_rng(0)
    return _batch_steps(
        env, num_envs, lambda observation: sample_actions(observation["action_mask"], rng), size.steps, choosing
    )


class _Shown(gymnasium.Wrapper):
    """Makes a picture after each step."""

    def step(self, action: Any) -> Any:
        result = self.env.step(action)
        self.env.render()
        return result


def _pictures(width: int, height: int, size: Size) -> Sample:
    """Return a sample of the pictures per second of one environment, with steps and resets."""
    import tripeaks_env.pictures.board  # noqa: F401 - says whether pygame-ce is there

    env = _Shown(gymnasium.make("TriPeaks-v0", render_mode="rgb_array", render_size=(width, height)))
    env.reset()
    env.render()  # makes the images of the cards
    return _single_steps(env, _legal, size.pictures)


def _random_games(size: Size) -> list[tuple[Game, list[int]]]:
    """Return games at their start, and with each the actions that a random player takes in it."""
    numbers = suite(max(1, size.single_steps // 40))
    played = play(make("random"), numbers, Rules.easy).games
    lines = [game["line"][: game["length"]].tolist() for game in played]
    return [(Game(Deal.from_number(number)), line) for number, line in zip(numbers, lines, strict=True)]


def _engine(size: Size) -> Sample:
    """Return a sample of the steps per second of the engine, one game a call."""
    games = [(game.record, [np.array([action]) for action in line]) for game, line in _random_games(size)]
    table = tables(Rules.easy)
    outputs = play_actions(games[0][0].copy(), games[0][1][0], Rules.easy)
    return _replay(games, lambda game, action: step_games(game, action, table, *outputs))


def _game_play(size: Size) -> Sample:
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


def _solving(rules: Rules, size: Size) -> Sample:
    numbers = suite(size.slow_deals if rules.scoring.streak else size.deals)
    return _median(lambda deal: solve(deal, rules), map(Deal.from_number, numbers))


def _valuing(rules: Rules, size: Size) -> Sample:
    return _median(action_values, [Game(Deal.from_number(number), rules) for number in suite(size.slow_deals)])


def _solving_many(rules: Rules, size: Size) -> Sample:
    numbers = suite(size.many_deals)
    return lambda: len(numbers) / _seconds(partial(solve_many, numbers, rules))


def _agent(name: str, lone: bool, size: Size) -> Sample:
    """Return a sample of the seconds a move of an agent that plays many games at once, or one after the other."""
    calls = [[number] for number in suite(size.lone_games)] if lone else [suite(size.games)]

    def sample() -> float:
        agent = make(name)
        played = [play(agent, numbers, Rules.easy) for numbers in calls]
        return sum(each.seconds for each in played) / sum(int(each.games["moves"].sum()) for each in played)

    return sample


def _training(native: bool, size: Size) -> Sample:
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


def _two_actions(env: Any, num_envs: int, steps: int) -> Sample:
    """Return a sample for an environment in which every state has the same two legal actions."""
    rng = np.random.default_rng(0)
    return _batch_steps(env, num_envs, lambda observation: rng.integers(2, size=num_envs, dtype=np.int32), steps)


def _cart_pole(size: Size) -> Sample:
    return _single_steps(gymnasium.make("CartPole-v1"), lambda observation, choice: int(2 * choice), size.single_steps)


def _cart_poles(num_envs: int, size: Size) -> Sample:
    env = gymnasium.make_vec("CartPole-v1", num_envs=num_envs, vectorization_mode="vector_entry_point")
    return _two_actions(env, num_envs, size.steps)


def _blackjack(num_envs: int, size: Size) -> Sample:
    env = gymnasium.make_vec("Blackjack-v1", num_envs=num_envs, vectorization_mode="sync")
    return _two_actions(env, num_envs, size.single_steps)


def _envpool(num_envs: int, size: Size) -> Sample:
    envpool = import_module("envpool")
    env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=num_envs, num_threads=1)
    return _two_actions(env, num_envs, size.steps)


def _openspiel(name: str, size: Size) -> Sample:
    """Return a sample of moves per second; the dealer's moves take time, but are not counted."""
    game = import_module("pyspiel").load_game(name)
    rng = random.Random(0)

    def sample() -> float:
        state = game.new_initial_state()
        moves = 0
        start = time.perf_counter()
        while moves < size.single_steps:
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            moves += not state.is_chance_node()
            state.apply_action(legal[int(rng.random() * len(legal))])
        return moves / (time.perf_counter() - start)

    return sample


def _pgx(name: str, num_envs: int, size: Size) -> Sample:
    """Return a sample of steps per second of one compiled loop, on the processor."""
    jax = import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    pgx, experimental = import_module("pgx"), import_module("pgx.experimental")
    env = pgx.make(name)
    start_all, step_all = jax.vmap(env.init), jax.vmap(experimental.auto_reset(env.step, env.init))
    calls = max(1, size.steps // num_envs)

    def step(carry: Any, _: None) -> tuple[Any, None]:
        state, key = carry
        key, for_actions, for_resets = jax.random.split(key, 3)
        scores = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(for_actions, scores)
        return (step_all(state, actions, jax.random.split(for_resets, num_envs)), key), None

    steps = jax.jit(lambda carry: jax.lax.scan(step, carry, None, length=calls)[0])
    key = jax.random.key(0)
    carry = (jax.jit(start_all)(jax.random.split(key, num_envs)), key)

    def sample() -> float:
        nonlocal carry
        start = time.perf_counter()
        carry = jax.block_until_ready(steps(carry))
        return calls * num_envs / (time.perf_counter() - start)

    return sample


SECTIONS: dict[str, tuple[Measure, ...]] = {
    "Start": (
        Measure("import tripeaks_env", "s", partial(_new_process, IMPORT, True)),
        Measure("first calls, empty Numba cache", "s", partial(_new_process, FIRST_CALLS, False)),
        Measure("first calls, filled Numba cache", "s", partial(_new_process, FIRST_CALLS, True)),
    ),
    "Steps": (
        Measure("engine, one game", "steps/s", _engine),
        Measure("Game.play", "steps/s", _game_play),
        Measure("one environment, gymnasium.make", "steps/s", _environment, games=1),
        *(
            Measure(f"vector env, {games:,} games, {variant}", "steps/s", partial(_vector, games, *options), games)
            for games in NUM_ENVS
            for variant, options in VARIANTS.items()
        ),
    ),
    "Pictures": tuple(
        Measure(f"rgb_array, {width} x {height}", "frames/s", partial(_pictures, width, height), package="pygame-ce")
        for width, height in ((320, 240), (960, 540), (1920, 1080))
    ),
    "Solvers": (
        *(Measure(f"solve, {name}", "s", partial(_solving, rules)) for name, rules in PRESETS.items()),
        Measure("solve, traditional (streak scoring)", "s", partial(_solving, Rules.traditional)),
        Measure("action_values, easy", "s", partial(_valuing, Rules.easy)),
        Measure("action_values, traditional", "s", partial(_valuing, Rules.traditional)),
        *(Measure(f"solve_many, {name}", "deals/s", partial(_solving_many, rules)) for name, rules in PRESETS.items()),
    ),
    "Agents": (
        *(Measure(f"{name}, a move, many games", "s", partial(_agent, name, False)) for name in QUICK),
        Measure("ppo, a move, one game", "s", partial(_agent, "ppo", True)),
    ),
    "Training": (
        Measure("PPO, native vector env", "decisions/s", partial(_training, True)),
        Measure("PPO, DummyVecEnv of as many single ones", "decisions/s", partial(_training, False)),
    ),
    "Other libraries": (
        Measure("CartPole, one environment", "steps/s", _cart_pole, 1, True, "gymnasium"),
        *(
            Measure(f"CartPole, {num:,} environments", "steps/s", partial(_cart_poles, num), num, True, "gymnasium")
            for num in NUM_ENVS
        ),
        Measure("Blackjack, 64 environments", "steps/s", partial(_blackjack, 64), 64, package="gymnasium"),
        Measure("Blackjack, 1,024 environments", "steps/s", partial(_envpool, 1024), 1024, package="envpool"),
        Measure("Kuhn poker, 1,024 games", "steps/s", partial(_pgx, "kuhn_poker", 1024), 1024, package="pgx"),
        Measure("Klondike, one game", "steps/s", partial(_openspiel, "solitaire"), 1, package="open_spiel"),
    ),
}
"""All rows by the heading they stand under. Gymnasium's CartPole is what the others are compared with."""
