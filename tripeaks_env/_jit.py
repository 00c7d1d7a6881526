"""The one way this package compiles: a typed Numba decorator with the settings every kernel shares."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache, partial
from hashlib import sha256
from inspect import get_annotations
from types import CodeType, ModuleType
from typing import Any, TypeVar, cast, overload

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

Function = TypeVar("Function", bound=Callable[..., object])


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, fastmath: bool) -> Callable[[Function], Function]: ...
def kernel(function: Function | None = None, *, fastmath: bool = False) -> Function | Callable[[Function], Function]:
    """Compile ``function`` with Numba on its first call, without the GIL, and cache the machine code on disk.

    The function keeps its type for type checkers and stays plain Python under ``NUMBA_DISABLE_JIT=1``, where integers of
    NumPy overflow without a warning, as compiled ones do. The machine code is compiled anew when anything has changed that
    it is made of, in whichever module.

    Args:
        function: what to compile.
        fastmath: whether sums of floats may be added up in any order, as vector instructions do.
    """
    if function is None:
        return partial(kernel, fastmath=fastmath)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return np.errstate(over="ignore")(function)
    dispatcher: Any = numba.njit(nogil=True, fastmath=fastmath)(function)
    dispatcher._cache = _Cache(dispatcher)
    return cast(Function, dispatcher)


class _Cache(FunctionCache):
    """Numba's cache of a kernel on disk, valid for the kernels and constants that the machine code is made of.

    Numba by itself looks at the kernel's own file only, and has no public way to say more.
    """

    def __init__(self, dispatcher: Any) -> None:
        super().__init__(dispatcher.py_func)  # type: ignore[no-untyped-call]
        self._dispatcher = dispatcher

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for a signature, if it is there; this comes before any is compiled and saved."""
        self._cache_file._source_stamp = _stamp(self._dispatcher)  # not earlier: by now all globals are defined
        return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]


@cache
def _stamp(dispatcher: Any) -> str:
    """Return a digest of a kernel, of all kernels that it calls, directly or not, and of what is frozen into them."""
    reached, waiting = set(), [dispatcher]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += _content(each)[1]
    return sha256("\n".join(sorted(_content(each)[0] for each in reached)).encode()).hexdigest()


@cache
def _content(dispatcher: Any) -> tuple[str, list[Any]]:
    """Return a kernel's own part of the digest, as text, and the kernels that it calls.

    It is the code in memory that counts, as that is what is compiled; the file may have changed since.
    """
    function = dispatcher.py_func
    used = dict(_used(_names(function.__code__), function.__globals__))
    frozen = {
        "kernel": function,
        "options": repr(dispatcher.targetoptions),
        "code": function.__code__,
        "fields of arguments": tuple(get_annotations(function, eval_str=True).values()),
        **dict(sorted(used.items())),
    }
    text = "\n".join(f"{name}: {_text(value)}" for name, value in frozen.items())
    return text, [value for value in used.values() if isinstance(value, Dispatcher)]


def _names(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that code uses, nested functions included."""
    return set(code.co_names).union(*(_names(each) for each in code.co_consts if isinstance(each, CodeType)))


def _used(names: set[str], scope: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Find the globals of some names, and the attributes of modules among them, by their dotted names."""
    for name in names & scope.keys():
        value = scope[name]
        if isinstance(value, ModuleType):
            yield from _used(names - {name}, vars(value), f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _text(value: object) -> str:
    """Return a constant as a text that is the same in every process; of anything else, the name."""
    if isinstance(value, CodeType):
        parts = (value.co_flags, value.co_argcount, value.co_code, value.co_exceptiontable, value.co_consts)
        return _text((*parts, value.co_names, value.co_varnames, value.co_cellvars, value.co_freevars))
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, tuple):
        return f"{type(value).__qualname__}({', '.join(map(_text, value))})"
    if isinstance(value, frozenset):
        return f"frozenset({', '.join(sorted(map(_text, value)))})"
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | Enum | np.dtype):
        return repr(value)
    name = getattr(value, "__qualname__", getattr(value, "__name__", type(value).__qualname__))
    members = getattr(value, "__members__", ""), getattr(value, "_fields", "")  # of enumerations, of named tuples
    return f"{getattr(value, '__module__', '')}.{name} {members}"
