"""Where work is done: by worker processes on this machine, or by Ray on many. What comes out does not depend on it.

An engine, of this kind, runs a function on many tasks. Each is in a worker process that may crash or hang without harm to the
others: a task whose worker died is tried again, and one that takes too long is given up.
"""

import importlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args

EngineName = Literal["local", "ray"]
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


class Engine:
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
    ) -> Iterator[tuple[Task, Result | Lost]]:
        """Yield each task with its result, in the order in which they end.

        Args:
            function: what to do, a function of a module; what it raises is raised here.
            tasks: its arguments, which can be pickled.
            timeout: seconds after which a task is given up; may be infinite.
            unwanted: is asked before a task begins whether it can be left out.
        """
        waiting = deque((task, 0) for task in tasks)
        running: dict[Future, tuple[Task, int, float]] = {}
        while waiting or running:
            while waiting and len(running) < self.workers:
                task, tries = waiting.popleft()
                if not unwanted(task):
                    running[self._submit(function, task)] = task, tries, time.monotonic() + timeout
            if not running:
                break
            left = min(deadline for _, _, deadline in running.values()) - time.monotonic()
            done = wait(running, None if left == math.inf else max(0.0, left), FIRST_COMPLETED).done
            late = [each for each in running if each not in done and running[each][2] <= time.monotonic()]
            for future in late:
                self._give_up(future)
                yield running.pop(future)[0], Lost(f"took longer than {timeout:g} s")
            for future in done:
                task, tries, _ = running.pop(future)
                try:
                    yield task, self._outcome(future)
                except Died as death:
                    if tries < RETRIES:
                        waiting.appendleft((task, tries + 1))
                    else:
                        yield task, Lost(f"ended its worker process {tries + 1} times ({death})")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """End all workers."""

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future:
        """Start a task; less than ``workers`` are running."""
        raise NotImplementedError

    def _outcome(self, future: Future) -> Any:
        """Return the result of a task that has ended, or raise what it raised, or :class:`Died`."""
        raise NotImplementedError

    def _give_up(self, future: Future) -> None:
        """End the worker of a task."""
        raise NotImplementedError


def make_engine(name: str = "local", workers: int | None = None, address: str | None = None) -> Engine:
    """Return an engine.

    Args:
        name: ``"local"`` for processes on this machine, ``"ray"`` for Ray.
        workers: how many tasks run at once, at least 1; by default as many as there are cores.
        address: of a running Ray cluster, such as ``"auto"`` or ``"ray://host:10001"``; by default Ray is started here.

    Raises:
        ValueError: there is no such engine, or it cannot be started.
    """
    if name not in get_args(EngineName):
        raise ValueError(f"engine is {name!r}; it must be {' or '.join(get_args(EngineName))}")
    if name == "ray":
        return RayEngine(workers, address)
    if address is not None:
        raise ValueError(f"address is {address!r}; only the engine ray takes one")
    return LocalEngine(workers or _cores())


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class LocalEngine(Engine):
    """Processes on this machine, each a pool of one, so that it is known whose task a death was.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._free: list[_Process] = []
        self._busy: dict[Future, _Process] = {}

    def __exit__(self, *error: object) -> None:
        for process in [*self._free, *self._busy.values()]:
            process.end()
        self._free, self._busy = [], {}

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future:
        process = self._free.pop() if self._free else _Process()
        future = process.pool.submit(function, task)
        self._busy[future] = process
        return future

    def _outcome(self, future: Future) -> Any:
        process = self._busy.pop(future)
        try:
            result = future.result()
        except BrokenProcessPool as error:
            process.end()
            raise Died("crashed, or was killed") from error
        except BaseException:
            self._free.append(process)
            raise
        self._free.append(process)
        return result

    def _give_up(self, future: Future) -> None:
        self._busy.pop(future).end()


class _Process:
    """One worker process."""

    def __init__(self) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self.pool = ProcessPoolExecutor(1, spawn, _watch_parent)
        with _ctrl_c_blocked():
            self.pid = self.pool.submit(os.getpid)

    def end(self) -> None:
        """Kill it, whatever it does."""
        with suppress(BrokenProcessPool, ProcessLookupError):  # it has ended already
            os.kill(self.pid.result(), signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        self.pool.shutdown(wait=True)


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Hold Ctrl-C back; a process that is started meanwhile never hears it, and so leaves it to this one."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch_parent() -> None:
    """End with the main process, however it ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class RayEngine(Engine):
    """Tasks on Ray, which is started on this machine, or runs already on one or many.

    The other machines of a cluster need this checkout and its virtual environment at the same path, as on a shared disk.

    Args:
        workers: how many tasks run at once; by default as many as Ray has cores.
        address: of a running cluster.

    Raises:
        ValueError: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        try:
            ray: Any = importlib.import_module("ray")  # here, as it is an extra and takes seconds to import
        except ImportError as error:
            raise ValueError("engine is 'ray', which needs Ray; install it with pip install 'ray>=2.40'") from error
        self.ray = ray
        try:
            ray.init(
                address or "local",
                num_cpus=None if address else workers,
                include_dashboard=None if address else False,
                runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}},
                logging_level="error",
                log_to_driver=False,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"no Ray cluster answers at address {address!r}" if address else "Ray cannot be started"
            raise ValueError(f"{where}: {' '.join(str(error).split())}") from error
        self.workers = workers or int(ray.cluster_resources().get("CPU", 1))
        self._references: dict[Future, Any] = {}

    def __exit__(self, *error: object) -> None:
        self.ray.shutdown()

    def _submit(self, function: Callable[[Task], Result], task: Task) -> Future:
        reference = self._remote.remote(function, task, str(Path.cwd()))
        future = reference.future()
        self._references[future] = reference
        return future

    @property
    def _remote(self) -> Any:
        return self.ray.remote(_run_there).options(max_retries=0)

    def _outcome(self, future: Future) -> Any:
        self._references.pop(future)
        try:
            return future.result()
        except self.ray.exceptions.RayTaskError as error:  # raised by the task itself
            raise error.cause from error
        except self.ray.exceptions.RayError as error:
            raise Died("crashed, or was killed") from error

    def _give_up(self, future: Future) -> None:
        self.ray.cancel(self._references.pop(future), force=True)


def _run_there(function: Callable[[Task], Result], task: Task, folder: str) -> Result:
    """Run a task on another machine, in the folder that relative paths are meant from."""
    os.chdir(folder)
    return function(task)
