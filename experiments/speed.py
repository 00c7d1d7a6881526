"""How fast this is here: a table of medians, with the machine and the versions below it."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import gymnasium
import numpy as np
from rich import box
from rich.progress import Progress
from rich.table import Table

from tripeaks_env import Deal, Rules, sample_actions, solve, solve_many, suite

REPEATS = 5
DEALS, MANY_DEALS, STEPS = 1000, 8192, 20_000
IMPORT = "import time; start = time.perf_counter(); import tripeaks_env; print(time.perf_counter() - start)"


def speed(progress: Progress) -> Table:
    """Measure, each after a warm-up that compiles, and return the table. One core works at a time."""
    caption = (
        f"{_processor()}, {os.cpu_count()} cores, one at work; Python {platform.python_version()}, "
        f"numba {metadata.version('numba')}, numpy {metadata.version('numpy')}. Medians of {REPEATS} runs, "
        f"of {DEALS:,} deals for solve."
    )
    table = Table(title="Speed", caption=caption, caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("what")
    table.add_column("speed", justify="right")
    for name, measure in progress.track(MEASURES.items(), description="measuring"):
        table.add_row(name, measure())
    return table


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the median time that ``work`` takes, after a first call that does not count."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _import() -> str:
    def once() -> float:
        return float(subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, check=True).stdout)

    once()
    return f"{statistics.median(once() for _ in range(REPEATS)):.2f} s"


def _steps() -> str:
    env = gymnasium.make("TriPeaks-v0")
    rng = np.random.default_rng(0)
    choices = rng.random(STEPS)

    def play() -> None:
        observation, _ = env.reset(seed=0)
        for choice in choices:
            legal = observation["action_mask"].nonzero()[0]
            observation, _, terminated, truncated, _ = env.step(legal[int(choice * len(legal))])
            if terminated or truncated:
                observation, _ = env.reset()

    return f"{STEPS / seconds(play):,.0f} steps/s"


def _vector_steps(num_envs: int) -> str:
    """Time the steps alone: choosing the actions takes about as long."""
    env = gymnasium.make_vec("TriPeaks-v0", num_envs=num_envs)
    rng = np.random.default_rng(0)
    rounds = max(20, 200_000 // num_envs)

    def play() -> float:
        observation, _ = env.reset(seed=0)
        stepping = 0.0
        for _ in range(rounds):
            actions = sample_actions(observation["action_mask"], rng)
            start = time.perf_counter()
            observation, *_ = env.step(actions)
            stepping += time.perf_counter() - start
        return stepping

    play()
    return f"{rounds * num_envs / statistics.median(play() for _ in range(REPEATS)):,.0f} steps/s"


def _solve(rules: Rules) -> str:
    deals = iter([Deal.from_number(number) for number in suite(DEALS + 1)])
    return f"{1000 * seconds(lambda: solve(next(deals), rules), DEALS):.2f} ms"


def _solve_many(rules: Rules) -> str:
    numbers = suite(MANY_DEALS)
    return f"{MANY_DEALS / seconds(lambda: solve_many(numbers, rules)):,.0f} deals/s"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


MEASURES: dict[str, Callable[[], str]] = {
    "import tripeaks_env, in a new process": _import,
    "single environment through gymnasium.make, random legal actions": _steps,
    "vector environment, 64 games, steps alone": lambda: _vector_steps(64),
    "vector environment, 1,024 games, steps alone": lambda: _vector_steps(1024),
    "solve, a deal, easy": lambda: _solve(Rules.easy),
    "solve, a deal, classic": lambda: _solve(Rules.classic),
    f"solve_many, {MANY_DEALS:,} deals, easy": lambda: _solve_many(Rules.easy),
    f"solve_many, {MANY_DEALS:,} deals, classic": lambda: _solve_many(Rules.classic),
}
