"""The rows of the table: what is measured of this project, and of other libraries where they are installed."""

from functools import partial

from experiments.pages.speed import peers, samples
from experiments.pages.speed.harness import Measure
from tripeaks_env import Rules

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

SECTIONS: dict[str, tuple[Measure, ...]] = {
    "Start": (
        Measure("import tripeaks_env", "s", partial(samples.new_process, IMPORT, True)),
        Measure("first calls, empty Numba cache", "s", partial(samples.new_process, FIRST_CALLS, False)),
        Measure("first calls, filled Numba cache", "s", partial(samples.new_process, FIRST_CALLS, True)),
    ),
    "Steps": (
        Measure("engine, one game", "steps/s", samples.engine),
        Measure("Game.play", "steps/s", samples.game_play),
        Measure("one environment, gymnasium.make", "steps/s", samples.environment, games=1),
        *(
            Measure(
                f"vector env, {games:,} games, {variant}", "steps/s", partial(samples.vector, games, *options), games
            )
            for games in NUM_ENVS
            for variant, options in VARIANTS.items()
        ),
    ),
    "Pictures": tuple(
        Measure(
            f"rgb_array, {width} x {height}", "frames/s", partial(samples.pictures, width, height), package="pygame-ce"
        )
        for width, height in ((320, 240), (960, 540), (1920, 1080))
    ),
    "Solvers": (
        *(Measure(f"solve, {name}", "s", partial(samples.solving, rules)) for name, rules in PRESETS.items()),
        Measure("solve, traditional (streak scoring)", "s", partial(samples.solving, Rules.traditional)),
        Measure("action_values, easy", "s", partial(samples.valuing, Rules.easy)),
        Measure("action_values, traditional", "s", partial(samples.valuing, Rules.traditional)),
        *(
            Measure(f"solve_many, {name}", "deals/s", partial(samples.solving_many, rules))
            for name, rules in PRESETS.items()
        ),
    ),
    "Agents": (
        *(Measure(f"{name}, a move, many games", "s", partial(samples.agent, name, False)) for name in QUICK),
        Measure("ppo, a move, one game", "s", partial(samples.agent, "ppo", True)),
    ),
    "Training": (
        Measure("PPO, native vector env", "decisions/s", partial(samples.training, True)),
        Measure("PPO, DummyVecEnv of as many single ones", "decisions/s", partial(samples.training, False)),
    ),
    "Other libraries": (
        Measure("CartPole, one environment", "steps/s", peers.cart_pole, 1, True, "gymnasium"),
        *(
            Measure(
                f"CartPole, {num:,} environments", "steps/s", partial(peers.cart_poles, num), num, True, "gymnasium"
            )
            for num in NUM_ENVS
        ),
        Measure("Blackjack, 64 environments", "steps/s", partial(peers.blackjack, 64), 64, package="gymnasium"),
        Measure("Blackjack, 1,024 environments", "steps/s", partial(peers.envpool, 1024), 1024, package="envpool"),
        Measure("Kuhn poker, 1,024 games", "steps/s", partial(peers.pgx, "kuhn_poker", 1024), 1024, package="pgx"),
        Measure("Klondike, one game", "steps/s", partial(peers.openspiel, "solitaire"), 1, package="open_spiel"),
    ),
}
"""All rows by the heading they stand under. Gymnasium's CartPole is what the others are compared with."""
