"""Machine code on disk: a file for each kernel and signature, named by a digest of all that it is made of.

A file so never goes stale, and processes, checkouts and versions share a folder without heed of each other: who finds a
name finds what it would have compiled itself. The folder belongs to the user, not to the package, which may be read-only,
and whose uninstallation would leave it behind.
"""

import os
import pickle
import sys
import time
import warnings
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from tripeaks_env._jit.stamp import stamp

NAME = "tripeaks-env"
KEPT = 30 * 24 * 3600
"""Seconds after which a file that no process has used is removed: most likely of another version."""
CHECKSUM = sha256().digest_size


def folder() -> Path:
    """Return where machine code is kept: in ``NUMBA_CACHE_DIR`` if that is set, else in the user's folder for caches.

    Raises:
        OSError: the user has no such folder.
    """
    chosen: str = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    if chosen:
        return Path(chosen, NAME)
    own = Path(AppDirs(NAME, appauthor=False).user_cache_dir)  # type: ignore[no-untyped-call]
    if not own.is_absolute():  # without a home the name of its shortcut is left: ~
        raise OSError("there is no home folder")
    return own


class Cache(NullCache):
    """What a dispatcher of Numba asks for machine code before it compiles, and gives it after.

    Numba's own class knows a kernel's file only, fails where it cannot write or read, and numbers its files, which processes
    that compile at the same time then mix up. There is no public way to another one.
    """

    def __init__(self, dispatcher: Any) -> None:
        self._dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, or ``None`` if it is not there whole."""
        target_context.refresh()
        parts = None
        with suppress(OSError):
            parts = _read(folder() / self._name(sig, target_context.codegen()))
        return parts and CompileResult._rebuild(target_context, *parts)  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code of a signature, if that is possible."""
        if data.library.has_dynamic_globals:  # addresses of this process
            return
        try:
            _write(folder() / self._name(sig, data.codegen), data._reduce())
        except OSError as error:
            _warn(error.strerror or str(error))

    def _name(self, signature: Any, codegen: Any) -> str:
        function = self._dispatcher.py_func
        made_of = (
            *(function.__module__, function.__qualname__, stamp(self._dispatcher), signature),
            *(codegen.magic_tuple(), numba.config.BOUNDSCHECK),  # type: ignore[attr-defined]
            *(numba.__version__, sys.implementation.cache_tag),
        )
        return f"{function.__name__}-{sha256(repr(made_of).encode()).hexdigest()[:32]}.nbc"


def _read(file: Path) -> Any:
    """Return what :func:`_write` wrote; ``None`` if that is not all there.

    Raises:
        OSError: the file is not there, or cannot be read.
    """
    content = file.read_bytes()
    checksum, data = content[:CHECKSUM], content[CHECKSUM:]
    if sha256(data).digest() != checksum:
        return None
    with suppress(OSError):  # of another user
        os.utime(file)  # as a sign of use
    return pickle.loads(data)


def _write(file: Path, value: Any) -> None:
    """Write a file that other processes see whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    data: bytes = dumps(value)  # type: ignore[no-untyped-call]
    part = file.with_name(f"{uuid4().hex}.part")  # the folder may be shared by machines
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(sha256(data).digest() + data)
        part.replace(file)
    except OSError:
        with suppress(OSError):
            part.unlink()
        if not os.path.exists(file):  # Windows replaces no file that another process has open
            raise
    _tidy(file.parent)


@cache
def _tidy(folder: Path) -> None:
    """Remove what has not been used for long, once in a process."""
    for file in folder.iterdir():
        with suppress(OSError):  # another process was quicker, or it is another user's
            if file.stat().st_mtime < time.time() - KEPT:
                file.unlink()


@cache
def _warn(reason: str) -> None:
    """Say that machine code cannot be kept, and what would help; once in a process."""
    now: str = numba.config.CACHE_DIR or "not set"  # type: ignore[attr-defined]
    warnings.warn(
        f"compiled code cannot be kept on disk ({reason}), so that every process compiles anew; "
        f"NUMBA_CACHE_DIR, now {now}, can name a folder for it",
        RuntimeWarning,
        stacklevel=2,
    )
