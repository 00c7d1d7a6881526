"""The one way this package compiles: a typed Numba decorator with the settings every kernel shares."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile ``function`` with Numba on its first call, without the GIL, and cache the machine code on disk.

    The function keeps its type for type checkers and stays plain Python under ``NUMBA_DISABLE_JIT=1``, where integers of
    NumPy overflow without a warning, as compiled ones do.
    """
    return _compiled(function)


def kernel_on(*modules: ModuleType, fastmath: bool = False) -> Callable[[Function], Function]:
    """Return :func:`kernel` for functions that call kernels of other modules.

    Those become part of the machine code, so that it is compiled anew when one of the modules has changed; Numba by itself
    looks at the function's own file only.

    Args:
        modules: whose kernels the function calls, directly or not.
        fastmath: whether sums of floats may be added up in any order, as vector instructions do.
    """
    return lambda function: _compiled(function, modules, fastmath)


def _compiled(function: Function, modules: tuple[ModuleType, ...] = (), fastmath: bool = False) -> Function:
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.errstate(over="ignore")(function)
    dispatcher: Any = numba.njit(cache=True, nogil=True, fastmath=fastmath)(function)
    if modules:
        index = dispatcher._cache._cache_file  # Numba has no public way to say what machine code depends on
        files = [Path(str(module.__file__)).stat() for module in modules]
        index._source_stamp = (index._source_stamp, *((file.st_mtime, file.st_size) for file in files))
    return cast(Function, dispatcher)
