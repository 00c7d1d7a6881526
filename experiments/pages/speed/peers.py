"""What the rows of other libraries measure, where they are installed: each public function makes a sample."""

import random
import time
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np

from experiments.pages.speed.harness import Sample, Size
from experiments.pages.speed.samples import batch_steps, single_steps


def _two_actions(env: Any, num_envs: int, steps: int) -> Sample:
    """Return a sample for an environment in which every state has the same two legal actions."""
    rng = np.random.default_rng(0)
    return batch_steps(env, num_envs, lambda observation: rng.integers(2, size=num_envs, dtype=np.int32), steps)


def cart_pole(size: Size) -> Sample:
    """Return a sample of the steps per second of Gymnasium's CartPole."""
    return single_steps(gymnasium.make("CartPole-v1"), lambda observation, choice: int(2 * choice), size.single_steps)


def cart_poles(num_envs: int, size: Size) -> Sample:
    """Return a sample of the steps per second of Gymnasium's native vector environment of CartPole."""
    env = gymnasium.make_vec("CartPole-v1", num_envs=num_envs, vectorization_mode="vector_entry_point")
    return _two_actions(env, num_envs, size.steps)


def blackjack(num_envs: int, size: Size) -> Sample:
    """Return a sample of the steps per second of Gymnasium's Blackjack, one after the other."""
    env = gymnasium.make_vec("Blackjack-v1", num_envs=num_envs, vectorization_mode="sync")
    return _two_actions(env, num_envs, size.single_steps)


def envpool(num_envs: int, size: Size) -> Sample:
    """Return a sample of the steps per second of EnvPool's Blackjack."""
    envpool = import_module("envpool")
    env = envpool.make("Blackjack-v1", env_type="gymnasium", num_envs=num_envs, num_threads=1)
    return _two_actions(env, num_envs, size.steps)


def openspiel(name: str, size: Size) -> Sample:
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


def pgx(name: str, num_envs: int, size: Size) -> Sample:
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
