"""The one way this package compiles: a typed Numba decorator with the settings every kernel shares."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np

from tripeaks_env._jit.cache import Cache

Function = TypeVar("Function", bound=Callable[..., object])


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, fastmath: bool) -> Callable[[Function], Function]: ...
def kernel(function: Function | None = None, *, fastmath: bool = False) -> Function | Callable[[Function], Function]:
    """Compile ``function`` with Numba on its first call, without the GIL, and cache the machine code on disk.

    The function keeps its type for type checkers and stays plain Python under ``NUMBA_DISABLE_JIT=1``, where integers of
    NumPy overflow without a warning, as compiled ones do. The machine code is compiled anew when anything has changed that
    it is made of, in whichever module. Where it cannot be kept, every process compiles, and says so once.

    Args:
        function: what to compile.
        fastmath: whether sums of floats may be added up in any order, as vector instructions do.
    """
    if function is None:
        return partial(kernel, fastmath=fastmath)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.errstate(over="ignore")(function)
    dispatcher: Any = numba.njit(nogil=True, fastmath=fastmath)(function)
    dispatcher._cache = Cache(dispatcher)
    return cast(Function, dispatcher)
