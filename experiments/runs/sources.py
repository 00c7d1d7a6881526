"""The code that somebody's agent is made of: files with their digests, so that a change of any of them is seen."""

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from experiments.runs.provenance import ROOT

OURS = tuple(ROOT / name for name in ("tripeaks_env", "agents", "experiments"))


def digest(files: Iterable[Path]) -> str:
    """Return a digest of the names and contents of files."""
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(f"{file.name} {file.stat().st_size} ".encode() + file.read_bytes())
    return found.hexdigest()


def sources() -> dict[str, str]:
    """Return the digests of the files of all modules that this process has imported, by path.

    Those of this project, which are looked at elsewhere, and of installed packages are left out.
    """
    found = {}
    for module in list(sys.modules.values()):
        name = getattr(module, "__file__", None)
        if isinstance(name, str) and name.endswith(".py") and _is_own(Path(name)):
            found[name] = digest([Path(name)])
    return found


def unchanged(files: dict[str, str]) -> bool:
    """Return whether all files of :func:`sources` are as they were."""
    return all(Path(name).is_file() and digest([Path(name)]) == known for name, known in files.items())


def _is_own(file: Path) -> bool:
    elsewhere = (*OURS, Path(sys.prefix), Path(sys.base_prefix))
    return file.is_file() and "site-packages" not in file.parts and not any(map(file.is_relative_to, elsewhere))
