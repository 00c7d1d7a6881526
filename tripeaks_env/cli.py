"""The command ``tripeaks``: how it starts and how it ends. What it can do is in :mod:`tripeaks_env.commands`."""

import io
import sys
from collections.abc import Callable
from typing import Any

from tripeaks_env.game.arguments import one_line

EXTRAS = dict.fromkeys(("matplotlib", "pydantic", "rich", "scipy", "typer"), "cli") | {"pygame": "render"}
"""What the command needs beside the package itself, and the extra that brings it; ``render`` is for windows."""


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

    try:
        return app(arguments, prog_name=name, standalone_mode=False)
    except Exception as error:
        if not hasattr(error, "format_message"):  # Typer's own have had several classes
            raise
        fault = error.format_message().replace("Value error, ", "")
        if isinstance(error.__cause__, ValidationError):
            value = repr(error.__cause__.errors()[0]["input"])
            fault += "" if value in fault else f", not {value}"
        raise UsageError(fault) from error
