"""Writing results so that a reader never meets half a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to, which replaces ``path`` at once when the block ends without an error.

    The folder is made if it is missing. The path that is yielded ends like ``path``. What is written is on the disk before it
    replaces anything, and that it does before this returns, so that it outlasts a power cut.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part-{os.getpid()}-{path.name}")
    try:
        yield part
        _to_disk(part)
        part.replace(path)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            _to_disk(path.parent)
    finally:
        part.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
