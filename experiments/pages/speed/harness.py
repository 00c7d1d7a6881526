"""Measuring rows in turn, round after round, on one core."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from rich.progress import Progress

Sample = Callable[[], float]
"""Measures once: returns seconds, or how much is done in a second."""


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Attributes:
        rounds: how many samples of each row.
        uncounted: rounds before them, in which functions are compiled and caches filled.
        steps: steps in a sample where many games move at once.
        single_steps: steps in a sample where games move one by one.
        deals: deals in a sample of ``solve``.
        slow_deals: the same where a deal takes some tens of milliseconds.
        many_deals: deals in a call of ``solve_many``.
        pictures: pictures of boards in a sample.
        games: games that an agent plays at once.
        lone_games: games that an agent plays one by one.
        training: what to change in the config of a training.
        compiling: whether to measure what takes half a minute a sample because everything is compiled.
    """

    rounds: int = 7
    uncounted: int = 1
    steps: int = 200_000
    single_steps: int = 20_000
    deals: int = 1000
    slow_deals: int = 50
    many_deals: int = 8192
    pictures: int = 500
    games: int = 1000
    lone_games: int = 20
    training: Mapping[str, int] = field(default_factory=dict)
    compiling: bool = True


FULL = Size()
QUICK = Size(
    rounds=1,
    uncounted=0,
    steps=1,
    single_steps=50,
    deals=2,
    slow_deals=1,
    many_deals=16,
    pictures=2,
    games=4,
    lone_games=1,
    training={"num_envs": 2, "n_steps": 8, "batch_size": 16},
    compiling=False,
)
"""Enough to see that every row can be measured; the numbers mean nothing."""


@dataclass(frozen=True)
class Measure:
    """A row of the table.

    Attributes:
        name: what is measured.
        unit: ``"s"`` where samples are seconds, else what is done in a second, such as ``"steps/s"``.
        prepare: makes everything ready for samples of a size. An ``ImportError`` says that the library is not there, a
            :class:`LeftOut` that the row is not for this size.
        games: how many games a step moves; rows of the same number are compared.
        yardstick: whether this is the row that they are compared with.
        package: the distribution that is measured, if it is not this one.
    """

    name: str
    unit: str
    prepare: Callable[[Size], Sample]
    games: int | None = None
    yardstick: bool = False
    package: str | None = None


class LeftOut(Exception):
    """The row is not measured in a run of this size."""


@dataclass(frozen=True)
class Row:
    """What was measured.

    Attributes:
        measure: the row of the table.
        samples: one of each round; none if it could not be measured.
        reason: why it could not.
    """

    measure: Measure
    samples: tuple[float, ...] = ()
    reason: str = ""


def measure(measures: Sequence[Measure], size: Size, progress: Progress) -> list[Row]:
    """Measure all rows in turn, round after round, so that what slows the machine for a while slows all of them.

    In a round, rows that are compared follow each other.
    """
    with one_core():
        samplers: dict[Measure, Sample] = {}
        reasons: dict[Measure, str] = {}
        for each in progress.track(measures, description="preparing"):
            try:
                samplers[each] = each.prepare(size)
            except (ImportError, LeftOut) as error:
                reasons[each] = "left out" if isinstance(error, LeftOut) else "not installed"
        samples: dict[Measure, list[float]] = {each: [] for each in measures}
        turns = sorted(samplers, key=lambda each: each.games or 0) * (size.uncounted + size.rounds)
        for each in progress.track(turns, description="measuring"):
            samples[each].append(samplers[each]())
    return [Row(each, tuple(samples[each][size.uncounted :]), reasons.get(each, "")) for each in measures]


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, all its threads and the processes that it starts to one core, where the system has a way to."""
    if sys.platform != "linux":
        yield
        return
    cores = os.sched_getaffinity(0)
    try:
        _keep_to({max(cores)})
        yield
    finally:
        _keep_to(cores)


def _keep_to(cores: set[int]) -> None:
    if sys.platform == "linux":
        for thread in os.listdir("/proc/self/task"):
            with suppress(ProcessLookupError):  # it has just ended
                os.sched_setaffinity(int(thread), cores)
