"""What workers have finished, kept in files that are named by everything that it depends on.

So a run that was killed goes on where it was, a changed agent plays anew while the results of the others stay, and results
of different things are never taken for each other.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from experiments.config import Entry
from experiments.runs.provenance import ROOT, versions
from experiments.runs.sources import digest, unchanged, workers_code
from tripeaks_env.game.rules import Rules
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.pool import Lost, Pool

SOURCES_KEY, NO_SOURCES = "sources", np.frombuffer(b"{}", np.uint8)
"""The key of arrays that tells of code they depend on, see :func:`experiments.runs.sources.sources`, and that of none."""
LIBRARIES = ("numpy", "numba", "torch", "safetensors", "stable-baselines3", "sb3-contrib")
"""Libraries whose versions may change what an agent plays."""

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class DealsTask:
    """Deals of a suite that something is to be found out about.

    Attributes:
        key: of what comes out, see :func:`key_of`.
        rules: the rules that they are played by.
        first: index in the suite of the first deal.
        numbers: the deal numbers.
    """

    key: str
    rules: Rules
    first: int
    numbers: tuple[int, ...]


AnyTask = TypeVar("AnyTask", bound=DealsTask)


class Store:
    """Arrays in files of a folder, by key.

    Args:
        folder: is made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Arrays | None:
        """Return the arrays of a key, or ``None`` if there are none that can be read, or of code that has changed since."""
        try:
            kept = load_file(self._path(key))
            return kept if unchanged(json.loads(to_text(kept.get(SOURCES_KEY, NO_SOURCES)))) else None
        except (OSError, ValueError, RecursionError, SafetensorError):
            return None

    def finish(
        self,
        pool: Pool,
        function: Callable[[AnyTask], Arrays | str],
        tasks: Iterable[AnyTask],
        timeout: float,
        unwanted: Callable[[AnyTask], bool] = lambda task: False,
        kind: Callable[[AnyTask], str] = lambda task: "",
    ) -> Iterator[tuple[AnyTask, Arrays | str]]:
        """Yield each task with its outcome: what is kept, or what the function returns, which is kept then.

        Where there is no outcome, a text says why, which is not kept.

        Args:
            pool: runs what is not kept.
            function: returns the outcome of a task or a text.
            tasks: its arguments.
            timeout: see :meth:`tripeaks_env.parallel.pool.Pool.run`, as ``unwanted`` and ``kind``.
        """
        left = []
        for task in tasks:
            kept = self.get(task.key)
            if kept is None:
                left.append(task)
            else:
                yield task, kept
        for task, found in pool.run(function, left, timeout, unwanted, kind):
            if isinstance(found, Lost):
                yield task, found.reason
            else:
                if not isinstance(found, str):
                    self._put(task.key, found)
                yield task, found

    def finish_all(
        self,
        pool: Pool,
        function: Callable[[AnyTask], Arrays],
        tasks: Sequence[AnyTask],
        what: str,
        advance: Callable[[int], object],
    ) -> list[Arrays]:
        """Return the outcomes of tasks of this project's own code, in the order of the tasks; see :meth:`finish`.

        Args:
            pool: as there, as ``function`` and ``tasks``.
            what: a worker does, for the message.
            advance: is told how many more deals are done.

        Raises:
            OSError: a worker died again and again.
        """
        outcomes = {}
        for task, found in self.finish(pool, function, tasks, math.inf):
            if isinstance(found, str):
                raise OSError(f"a worker that {what} {found}")
            outcomes[task.first] = found
            advance(len(task.numbers))
        return [outcomes[task.first] for task in tasks]

    def _put(self, key: str, arrays: Arrays) -> None:
        with replacing(self._path(key)) as path:
            path.write_bytes(save({name: np.asarray(array, order="C") for name, array in arrays.items()}))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.safetensors"


def key_of(*facts: Any) -> str:
    """Return a key that differs for different facts, which must be made of JSON types."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]


def to_bytes(text: str) -> np.ndarray:
    """Return a text as an array, uint8."""
    return np.frombuffer(text.encode(), np.uint8)


def to_text(array: np.ndarray) -> str:
    """Return the text of :func:`to_bytes`."""
    return array.tobytes().decode()


def facts_of_agent(entry: Entry) -> list[Any]:
    """Return how an agent is made, with the contents of the files that its name and its options are paths of."""
    contents = [digest([Path(text)]) for text in (entry.agent, *_texts(entry.options)) if _is_file(text)]
    return [entry.agent, entry.seed, entry.options, contents]


@cache
def own_facts(checkout: Path = ROOT) -> list[Any]:
    """Return what every outcome depends on beside its task: this project's code and networks, and versions of libraries."""
    return [digest(workers_code(checkout), checkout), versions(LIBRARIES)]


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a value of JSON types."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # it can be no path
        return False
