"""Checks of arguments that more than one function has, and how people are told of what they gave."""

import re
import warnings
from collections.abc import Iterable
from typing import TypeGuard, TypeVar

import numpy as np

Choice = TypeVar("Choice")

GYMNASIUM = re.compile(r"^\x1b\[\d+m(WARN: )?|\x1b\[0m$")
"""What Gymnasium puts around the text of its warnings: a colour, and that it is one."""


def is_integer(value: object) -> TypeGuard[int | np.integer]:
    """Return whether a value is an integer, of Python or NumPy; a bool is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def integer(name: str, value: object, low: int, high: int | None = None, wanted: str | None = None) -> int:
    """Return an argument that must be an integer from ``low`` to ``high``.

    Args:
        name: of the argument, for the message.
        value: the argument.
        low: the least.
        high: the most; ``None``: there is none.
        wanted: what it must be, in words; by default an integer between these bounds.

    Raises:
        ValueError: it is something else.

    >>> integer("playouts", 0, low=1)
    Traceback (most recent call last):
    ValueError: playouts is 0; it must be an integer of at least 1
    """
    if not is_integer(value) or value < low or (high is not None and value > high):
        wanted = wanted or f"an integer {f'of at least {low}' if high is None else f'from {low} to {high}'}"
        raise ValueError(f"{name} is {value!r}; it must be {wanted}")
    return int(value)


def boolean(name: str, value: object) -> bool:
    """Return an argument that must be true or false.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it must be true or false")
    return value


def one_of(name: str, value: object, choices: Iterable[Choice]) -> Choice:
    """Return an argument that must be one of some choices.

    Raises:
        ValueError: it is something else.
    """
    choices = tuple(choices)
    for choice in choices:
        if isinstance(value, type(choice)) and value == choice:
            return choice
    raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(str, choices))}")


def counted(number: int, what: str) -> str:
    """Return how many there are of something, whose plural ends in s.

    >>> counted(1, "deal"), counted(12, "deal")
    ('1 deal', '12 deals')
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def one_line(text: object, longest: int = 1000) -> str:
    """Return a text of whatever origin as it may be shown: in one line, without the middle if that is long.

    What a terminal would obey, and what nobody sees, is escaped.

    >>> print(one_line("a\\n  b \\x1b[31m"))
    a b \\x1b[31m
    >>> one_line(1000 * "x", longest=10)
    'xxxxx … xxxxx'
    """
    line = " ".join(str(text).split())
    if len(line) > longest:
        line = f"{line[: longest // 2]} … {line[len(line) - longest // 2 :]}"
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)


def plain_warnings() -> None:
    """Show warnings in this process as one line each, without the source: those who read them ran a command."""

    def plain(message: Warning | str, *where: object, **more: object) -> str:
        return f"warning: {one_line(GYMNASIUM.sub('', str(message)))}\n"

    warnings.formatwarning = plain
