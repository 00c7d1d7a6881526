"""Keys from a terminal, one at a time."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

NAMES = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1bOC": "right",
    "\x1bOD": "left",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x03": "interrupt",
    "\x04": "end",
}
"""What terminals send, by the name of the key; a key that is a character is named by it, and "" is none that is known."""

SEQUENCE = 0.05
"""Seconds within which the rest of an escape sequence comes."""


class Keys:
    """Reads keys from the standard input, which must be a terminal; made by :func:`reading`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""

    def read(self, seconds: float) -> str | None:
        """Return the next key, or ``None`` if none comes within so many seconds. ``"end"`` is the end of the input.

        Raises:
            KeyboardInterrupt: it is Ctrl-C.
        """
        if not self._pending and not self._more(seconds):
            return None
        if not self._pending:
            return "end"
        if self._pending == b"\x1b" and self._more(SEQUENCE) and not self._pending:
            return "end"
        key = self._take()
        if key == "interrupt":
            raise KeyboardInterrupt
        return key

    def _more(self, seconds: float) -> bool:
        """Wait for input and keep it; return whether some came, which may be its end: nothing."""
        if not select.select([self._descriptor], [], [], seconds)[0]:
            return False
        try:
            self._pending += os.read(self._descriptor, 1024)
        except OSError:  # the terminal is gone
            self._pending = b""
        return True

    def _take(self) -> str:
        """Return the first pending key: the longest known sequence, or one character."""
        waiting = self._pending.decode("utf-8", "replace")
        if waiting.startswith(("\x1b[", "\x1bO")):
            length = next((i + 1 for i in range(2, len(waiting)) if "@" <= waiting[i] <= "~"), len(waiting))
        else:
            length = 1
        first = waiting[:length]
        self._pending = waiting[length:].encode()
        return NAMES.get(first, first if first.isprintable() and length == 1 else "")


class WindowsKeys(Keys):
    """Reads keys from the console of Windows."""

    CODES = {"H": "up", "P": "down", "M": "right", "K": "left", "I": "page up", "Q": "page down"}

    def read(self, seconds: float) -> str | None:
        """Return the next key; see :meth:`Keys.read`."""
        import msvcrt
        import time

        end = time.monotonic() + seconds
        while not msvcrt.kbhit():  # type: ignore[attr-defined]
            if time.monotonic() > end:
                return None
            time.sleep(0.01)
        character: str = msvcrt.getwch()  # type: ignore[attr-defined]
        if character in "\x00\xe0":
            return self.CODES.get(msvcrt.getwch(), "")  # type: ignore[attr-defined]
        if character == "\x03":
            raise KeyboardInterrupt
        return NAMES.get(character, character if character.isprintable() else "")


@contextmanager
def reading() -> Iterator[Keys]:
    """Have the terminal send each key at once and show none; as it was before in the end."""
    if sys.platform == "win32":
        yield WindowsKeys(0)
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        after = termios.tcgetattr(descriptor)
        for stopping in (termios.VSUSP, termios.VQUIT):  # they would leave the terminal as it is now; Ctrl-C does not
            after[6][stopping] = b"\0"
        termios.tcsetattr(descriptor, termios.TCSANOW, after)
        yield Keys(descriptor)
    finally:
        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
