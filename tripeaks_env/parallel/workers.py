"""Where work is done: by worker processes on this machine, or by Ray on many. What comes out does not depend on it.

An engine, of this kind, runs a function on many tasks. Each is in a worker process that may crash or hang without harm to the
others: a task whose worker died is tried again, and one that takes too long is given up.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args

EngineName = Literal["local", "ray"]
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
    """Processes on this machine.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._free: list[_Process] = []
        self._busy: list[_Process] = []

    def __exit__(self, *error: object) -> None:
        for process in [*self._free, *self._busy]:
            process.end()
        self._free, self._busy = [], []

    def _start(self, function: Callable[[Task], Result], task: Task, kind: str) -> "_Process":
        fitting = [process for process in self._free if process.kind == kind]
        if not fitting and len(self._free) + len(self._busy) >= self.workers:
            self._free.pop(0).end()
        process = fitting[0] if fitting else _Process(kind)
        if fitting:
            self._free.remove(process)
        self._busy.append(process)
        process.give(function, task)
        return process

    def _wait(self, handles: list["_Process"], seconds: float) -> list["_Process"]:
        said = wait([process.connection for process in handles], seconds)
        # A child of a dead worker may keep its connection open, so that only the process tells.
        return [process for process in handles if process.connection in said or not process.process.is_alive()]

    def _outcome(self, handle: "_Process") -> Any:
        self._busy.remove(handle)
        try:
            if not handle.connection.poll():
                raise EOFError
            raised, result = handle.connection.recv()
        except (EOFError, OSError) as error:
            handle.end()
            raise Died from error
        self._free.append(handle)
        if raised:
            raise result
        return result

    def _give_up(self, handle: "_Process") -> None:
        self._busy.remove(handle)
        handle.end()


class _Process:
    """One worker process, and the connection to it.

    Args:
        kind: of the tasks that it is for.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        spawn = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self.connection, other = spawn.Pipe()
        self.process = spawn.Process(target=_work, args=(other,))
        with _ctrl_c_blocked():
            self.process.start()
        other.close()

    def give(self, function: Callable[[Task], Result], task: Task) -> None:
        """Begin a task; that the worker has died shows later."""
        with suppress(BrokenPipeError):
            self.connection.send((function, task))

    def end(self) -> None:
        """Kill it, whatever it does, and what it has started."""
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform != "win32" and self.process.pid:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # where it has not made its group yet
        self.process.join(PATIENCE)
        self.connection.close()


def _work(connection: Connection) -> None:
    """Do one task after the other, in a process of its own, which ends with the main process, however that ends."""
    if sys.platform != "win32":
        os.setsid()  # a group of its own, with all that it starts
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        if sys.platform != "win32":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    while True:
        try:
            function, task = connection.recv()
        except EOFError:
            return
        answer: tuple[bool, Any]
        try:
            answer = False, function(task)
        except BaseException as error:
            answer = True, error
        try:
            connection.send(answer)
        except Exception as error:  # what it returned or raised cannot be pickled
            connection.send((True, RuntimeError(f"{function.__name__}: {type(error).__name__}: {error}")))


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
        self._environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        try:
            ray.init(
                address or "local",
                num_cpus=None if address else workers,
                include_dashboard=None if address else False,
                runtime_env={"env_vars": self._environment},
                logging_level="error",
                log_to_driver=False,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"no Ray cluster answers at address {address!r}" if address else "Ray cannot be started"
            raise ValueError(f"{where}: {' '.join(str(error).split())}") from error
        self.workers = workers or int(ray.cluster_resources().get("CPU", 1))
        self._remote = ray.remote(_run_there)

    def __exit__(self, *error: object) -> None:
        self.ray.shutdown()

    def _start(self, function: Callable[[Task], Result], task: Task, kind: str) -> Any:
        # Ray has other processes for other environments.
        environment = {"env_vars": {**self._environment, "TRIPEAKS_WORKER": kind}}
        return self._remote.options(max_retries=0, runtime_env=environment).remote(function, task, str(Path.cwd()))

    def _wait(self, handles: list[Any], seconds: float) -> list[Any]:
        return self.ray.wait(handles, num_returns=1, timeout=seconds)[0]

    def _outcome(self, handle: Any) -> Any:
        try:
            return self.ray.get(handle)
        except self.ray.exceptions.RayTaskError as error:  # raised by the task itself
            raise error.cause or RuntimeError(str(error)) from error
        except self.ray.exceptions.RayError as error:
            raise Died from error

    def _give_up(self, handle: Any) -> None:
        self.ray.cancel(handle, force=True)


def _run_there(function: Callable[[Task], Result], task: Task, folder: str) -> Result:
    """Run a task on another machine, in the folder that relative paths are meant from."""
    os.chdir(folder)
    return function(task)
