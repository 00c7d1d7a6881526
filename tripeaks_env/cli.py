"""The command ``tripeaks``: how it starts and how it ends. What it can do is in :mod:`tripeaks_env.commands`."""

import io
import sys
from collections.abc import Callable, Mapping
from typing import Any

from tripeaks_env.game.arguments import one_line, plain_warnings

EXTRAS = dict.fromkeys(("matplotlib", "pydantic", "rich", "scipy", "typer"), "cli") | {"pygame": "render"}
"""What the command needs beside the package itself, and the extra that brings it; ``render`` is for windows."""


MUST_BE = {
    "int": "an integer",
    "float": "a number",
    "finite_number": "a finite number",
    "bool": "true or false",
    "string": "a text",
    "list": "a list",
    "dict": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "string_too_short": "at least {min_length} characters long",
    "string_too_long": "at most {max_length} characters long",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "literal_error": "{expected}",
}
"""By the type of an error of Pydantic, or by how it begins, what the value must be; in braces what the error holds."""


class UsageError(ValueError):
    """An argument of a command line is wrong."""


def main() -> None:
    """Run the command line.

    Wrong input ends with one line and exit code 2, an interrupt (Ctrl-C) with 130, and a closed pipe quietly with 1.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # an encoding without card symbols is no reason to fail
    try:
        from tripeaks_env.commands import app  # here, as what it needs may not be installed

        sys.exit(run(app, sys.argv[1:] or ["--help"], "tripeaks"))
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        extra = EXTRAS[error.name]
        needs = "the command line" if extra == "cli" else "a window"
        fault = f"{error.name} is not installed; {needs} needs the extra {extra}: pip install 'tripeaks-env[{extra}]'"
    except (ValueError, OSError) as error:
        fault = str(error)
    except MemoryError as error:
        fault = f"not enough memory: {error}"
    except KeyboardInterrupt:
        sys.exit(130)
    print(f"error: {one_line(fault)}", file=sys.stderr)
    sys.exit(2)


def run(app: Callable[..., Any], arguments: list[str], name: str) -> int | None:
    """Run one command of an app made with Typer and return its exit code.

    Raises:
        UsageError: an argument is wrong.
    """
    from pydantic import ValidationError  # here, as it may not be installed

    plain_warnings()
    try:
        return app(arguments, prog_name=name, standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # Typer's own have had several classes
            raise
        fault = error.format_message().replace("Value error, ", "")
        if isinstance(error.__cause__, ValidationError):
            details = error.__cause__.errors()[0]
            where, message = fault.partition(": ")[0], must_be(details)
            fault = f"{where}: {details['input']!r}; it must be {message}" if message else fault
        raise UsageError(fault) from error


def must_be(details: Mapping[str, Any]) -> str:
    """Return what a value must be that Pydantic has refused; nothing if that is not known.

    Args:
        details: one of the ``errors()`` of its ``ValidationError``.
    """
    kind: str = details["type"]
    words = MUST_BE.get(kind, MUST_BE.get(kind.partition("_")[0], ""))
    bounds = details.get("ctx", {})
    whole = {key: int(each) for key, each in bounds.items() if isinstance(each, float) and each.is_integer()}
    return words.format_map(bounds | whole)
