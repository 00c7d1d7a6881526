"""The code that results depend on, as digests of its files, so that a change of any of them is seen."""

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from os.path import isfile
from pathlib import Path

from experiments.runs.provenance import ROOT

WORKERS_CODE = (
    *("tripeaks_env/**/*.py", "agents/**/*.py", "agents/**/*.safetensors", "experiments/__*__.py"),
    *("experiments/config.py", "experiments/runs/**/*.py", "experiments/games/**/*.py", "experiments/suites/**/*.py"),
)
"""The files of what workers run: games and suites, and all of this project that these may import."""


def digest(files: Iterable[Path], folder: Path | None = None) -> str:
    """Return a digest of files: of their contents, and of their paths in a folder or, without one, of their names."""
    found = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(folder).as_posix() if folder else file.name
        found.update(f"{name} {file.stat().st_size} ".encode() + file.read_bytes())
    return found.hexdigest()


@cache
def workers_code(checkout: Path = ROOT) -> frozenset[Path]:
    """Return the files of this project that workers run."""
    return frozenset(file for pattern in WORKERS_CODE for file in checkout.glob(pattern))


def sources() -> dict[str, str]:
    """Return the digests of the files of all modules that this process has imported, by path.

    Those of :func:`workers_code`, which are looked at elsewhere, and of installed packages are left out.
    """
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return {name: digest([Path(name)]) for name in files if isinstance(name, str) and _is_own(name) and isfile(name)}


def unchanged(files: dict[str, str]) -> bool:
    """Return whether all files of :func:`sources` are as they were."""
    return all(Path(name).is_file() and digest([Path(name)]) == known for name, known in files.items())


@cache  # of the thousands of modules that a process may have imported, most are installed
def _is_own(name: str) -> bool:
    file = Path(name)
    installed = "site-packages" in file.parts or any(map(file.is_relative_to, (sys.prefix, sys.base_prefix)))
    return name.endswith(".py") and not installed and file not in workers_code()
