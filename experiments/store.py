"""What workers have finished, kept in files that are named by everything that it depends on.

So a run that was killed goes on where it was, a changed agent plays anew while the results of the others stay, and results
of different things are never taken for each other.
"""

import hashlib
import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

import agents
from experiments.config import Entry
from experiments.provenance import ROOT, versions
from tripeaks_env.files import replacing
from tripeaks_env.workers import Engine, Lost

SOURCES = ("*.py", "*.safetensors")
WORKERS_CODE = ("games.py", "game_tasks.py", "move_values.py", "play.py", "suites/__init__.py")
"""What workers run, beside the packages that play."""
LIBRARIES = ("numpy", "numba", "torch", "safetensors", "stable-baselines3", "sb3-contrib")
"""Libraries whose versions may change what an agent plays."""


Arrays = dict[str, np.ndarray]


class Keyed(Protocol):
    """A task whose outcome is kept under a key."""

    @property
    def key(self) -> str:
        """The key, see :func:`key_of`."""
        ...


AnyKeyed = TypeVar("AnyKeyed", bound=Keyed)


class Store:
    """Arrays in files of a folder, by key.

    Args:
        folder: is made when something is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> Arrays | None:
        """Return the arrays of a key, or ``None`` if there are none that can be read."""
        try:
            return load_file(self._path(key))
        except (OSError, SafetensorError):
            return None

    def finish(
        self,
        engine: Engine,
        function: Callable[[AnyKeyed], Arrays | str],
        tasks: Iterable[AnyKeyed],
        timeout: float,
        unwanted: Callable[[AnyKeyed], bool] = lambda task: False,
    ) -> Iterator[tuple[AnyKeyed, Arrays | str]]:
        """Yield each task with its outcome: what is kept, or what the function returns, which is kept then.

        Where there is no outcome, a text says why, which is not kept.

        Args:
            engine: runs what is not kept.
            function: returns the outcome of a task or a text.
            tasks: its arguments.
            timeout: see :meth:`tripeaks_env.workers.Engine.run`, as ``unwanted``.
        """
        left = []
        for task in tasks:
            kept = self.get(task.key)
            if kept is None:
                left.append(task)
            else:
                yield task, kept
        for task, found in engine.run(function, left, timeout, unwanted):
            if isinstance(found, Lost):
                yield task, found.reason
            else:
                if not isinstance(found, str):
                    self._put(task.key, found)
                yield task, found

    def _put(self, key: str, arrays: Arrays) -> None:
        with replacing(self._path(key)) as path:
            save_file(arrays, path)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.safetensors"


def key_of(*facts: Any) -> str:
    """Return a key that differs for different facts, which must be made of JSON types."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]


def facts_of_agent(entry: Entry) -> list[Any]:
    """Return what the play of an agent depends on beside rules and deals.

    That is how it is made; the code of its module or package, but not of others that it imports; and the content of files
    that its options name. See :func:`own_facts` too.
    """
    files = [Path(value) for value in (entry.agent, *entry.options.values()) if isinstance(value, str)]
    contents = [_digest([file]) for file in files if file.is_file()]
    return [entry.agent, entry.seed, entry.options, contents, _module_digest(entry.agent)]


@cache
def own_facts() -> list[Any]:
    """Return what every outcome depends on beside its task: this project's code and networks, and versions of libraries."""
    files = [file for folder in ("tripeaks_env", "agents") for name in SOURCES for file in (ROOT / folder).rglob(name)]
    return [_digest([*files, *(ROOT / "experiments" / name for name in WORKERS_CODE)]), versions(LIBRARIES)]


def _module_digest(agent: str) -> str:
    """Return a digest of the code of a module, or of all code of its package; of nothing if there is none."""
    top = str(agents.AGENTS.get(agent, agent)).partition(":")[0].partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return ""
    if spec is None or top in ("agents", "tripeaks_env"):
        return ""
    folders = spec.submodule_search_locations
    if folders:
        return _digest(file for folder in folders for file in Path(folder).rglob("*.py"))
    return _digest([Path(spec.origin)]) if spec.origin and Path(spec.origin).is_file() else ""


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    return digest.hexdigest()
