"""The one way this package compiles: a typed Numba decorator with the settings every kernel shares."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile ``function`` with Numba on its first call, without the GIL, and cache the machine code on disk.

    The function keeps its type for type checkers and stays plain Python under ``NUMBA_DISABLE_JIT=1``, where integers of
    NumPy overflow without a warning, as compiled ones do.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.errstate(over="ignore")(function)
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
