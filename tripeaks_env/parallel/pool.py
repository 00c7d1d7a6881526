"""Where work is done: by worker processes on this machine, or by Ray on many. What comes out does not depend on it.

A pool runs a function on many tasks. Each is in a worker process that may crash or hang without harm to the
others: a task whose worker died is tried again, and one that takes too long is given up.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

PATIENCE = 1.0
"""Seconds after which it is seen anew which workers are alive."""
RETRIES = 2
"""How often a task is tried again whose worker died."""

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Lost:
    """Stands for the result of a task that has none.

    Attributes:
        reason: why, such as ``"took longer than 60 s"``.
    """

    reason: str


class Died(Exception):
    """The worker process of a task ended before the task."""


class Pool:
    """A pool of workers, to be used in a ``with`` statement. The subclasses say where the workers are.

    Attributes:
        workers: how many tasks run at once.
    """

    workers: int

    def run(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        timeout: float,
        unwanted: Callable[[Task], bool] = lambda task: False,
        kind: Callable[[Task], str] = lambda task: "",
    ) -> Iterator[tuple[Task, Result | Lost]]:
        """Yield each task with its result, in the order in which they end.

        Args:
            function: what to do, a function of a module; what it raises is raised here.
            tasks: its arguments, which can be pickled.
            timeout: seconds after which a task is given up; may be infinite.
            unwanted: is asked before a task begins whether it can be left out.
            kind: of a task; tasks of different kinds never share a worker process, so that what one does to its process is
                nothing to the other.
        """
        waiting = deque((task, 0) for task in tasks)
        running: dict[Any, tuple[Task, int, float]] = {}
        while waiting or running:
            while waiting and len(running) < self.workers:
                task, tries = waiting.popleft()
                if not unwanted(task):
                    running[self._start(function, task, kind(task))] = task, tries, time.monotonic() + timeout
            if not running:
                break
            left = min(deadline for _, _, deadline in running.values()) - time.monotonic()
            done = self._wait(list(running), min(max(left, 0.0), PATIENCE))
            late = [each for each in running if each not in done and running[each][2] <= time.monotonic()]
            for handle in late:
                self._give_up(handle)
                yield running.pop(handle)[0], Lost(f"took longer than {timeout:g} s")
            for handle in done:
                task, tries, _ = running.pop(handle)
                try:
                    yield task, self._outcome(handle)
                except Died:
                    if tries < RETRIES:
                        waiting.appendleft((task, tries + 1))
                    else:
                        yield task, Lost(f"ended its worker process {tries + 1} times (crashed, or was killed)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End all workers."""

    def _start(self, function: Callable[[Task], Result], task: Task, kind: str) -> Any:
        """Start a task and return a handle of it; less than ``workers`` are running."""
        raise NotImplementedError

    def _wait(self, handles: list[Any], seconds: float) -> list[Any]:
        """Return those that have ended, as soon as there is one, or none after some seconds."""
        raise NotImplementedError

    def _outcome(self, handle: Any) -> Any:
        """Return the result of a task that has ended, or raise what it raised, or :class:`Died`."""
        raise NotImplementedError

    def _give_up(self, handle: Any) -> None:
        """End the worker of a task."""
        raise NotImplementedError
