"""What the machine code of a kernel is made of, as a digest."""

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from hashlib import sha256
from inspect import get_annotations
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher


@cache
def stamp(dispatcher: Any) -> str:
    """Return a digest of a kernel, of all kernels that it calls, directly or not, and of what is frozen into them.

    It is to be asked for when the kernel is called, not earlier: by then all globals are defined.
    """
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
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    used = dict(_used(_names(function.__code__), function.__globals__))
    used |= {f"{name} around it": cell.cell_contents for name, cell in cells}
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
