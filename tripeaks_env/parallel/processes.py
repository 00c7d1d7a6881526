"""A pool of processes on this machine."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from tripeaks_env.game.arguments import plain_warnings
from tripeaks_env.parallel.pool import PATIENCE, Died, Pool, Result, Task


class LocalPool(Pool):
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
    plain_warnings()
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
