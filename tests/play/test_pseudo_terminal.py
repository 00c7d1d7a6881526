"""The command on a pseudo-terminal."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.common import WORKED_WIN
from tests.play.test_terminal import CODE, key_of, on_one_line

CHECKOUT = Path(__file__).parents[2]
HANGS = 900  # seconds without a sign of life, on however busy a machine

if sys.platform != "win32":
    import fcntl
    import pty
    import struct
    import termios

    def _heed_signals() -> None:
        for each in (signal.SIGINT, signal.SIGHUP):  # shells in the background and nohup have them ignored
            signal.signal(each, signal.SIG_DFL)

    def _take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        _heed_signals()

    class Terminal:
        """A process on a pseudo-terminal."""

        def __init__(
            self, *arguments: str, columns: int = 80, lines: int = 24, controls: bool = True, **environment: str
        ) -> None:
            self.master, child = pty.openpty()
            self.resize(columns, lines)
            self.before = termios.tcgetattr(child)
            self.child = child
            kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tripeaks_env", *arguments],
                stdin=child,
                stdout=child,
                stderr=child,
                cwd=CHECKOUT,
                start_new_session=True,
                preexec_fn=_take_terminal if controls else _heed_signals,
                env=kept | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | environment,
            )
            self.raw = ""
            self.decoder = codecs.getincrementaldecoder("utf-8")()

        def resize(self, columns: int, lines: int) -> None:
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

        def send(self, keys: str) -> None:
            """Press keys."""
            self.raw = ""
            os.write(self.master, keys.encode())

        def expect(self, wanted: str) -> str:
            """Wait until something is shown that was not before the last keys."""
            while wanted not in self.shown:
                assert self.read(), f"{wanted!r} is not in {self.shown[-2000:]!r}"
            return self.shown

        def read(self) -> bool:
            """Wait until something is written and take it; return whether there was something before the process ended."""
            end = time.monotonic() + HANGS
            while not select.select([self.master], [], [], 0.1)[0]:
                if self.process.poll() is not None:
                    return False
                assert time.monotonic() < end, self.shown[-2000:]
            self.raw += self.decoder.decode(os.read(self.master, 1 << 16))
            return True

        @property
        def shown(self) -> str:
            """What was written since the last keys, without escape sequences, its lines joined."""
            return on_one_line(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.raw))

        def ended(self, code: int) -> str:
            """Wait for the end; the terminal must be as it was."""
            while self.read():
                pass
            assert self.process.wait() == code, self.shown[-2000:]
            assert termios.tcgetattr(self.child) == self.before
            assert self.raw.rindex("\x1b[?1049l") > self.raw.rfind("\x1b[?1049h")  # back from the alternate screen
            assert self.raw.rindex("\x1b[?25h") > self.raw.rfind("\x1b[?25l")  # and the cursor shows
            return self.shown

        def close(self) -> None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait()
            os.close(self.master)
            os.close(self.child)

    @pytest.fixture
    def terminals() -> Iterator[list[Terminal]]:
        opened: list[Terminal] = []
        yield opened
        for terminal in opened:
            terminal.close()

    @pytest.mark.slow
    def test_a_game_on_a_terminal(terminals: list[Terminal]) -> None:
        """Wrong keys, undo, hint, code, resizing and quitting; colours are there."""
        terminal = Terminal("play", CODE)
        terminals.append(terminal)
        terminal.expect("q quit")
        assert "\x1b[31m" in terminal.raw or "\x1b[1;31m" in terminal.raw
        for keys, wanted in (
            ("1", "It must be one rank higher or lower."),
            ("\x1b[24~", "1-0 card"),  # F12, which nobody knows
            ("z", "“z” does nothing"),
            ("é", "“é” does nothing"),
            ("h", "a win with 762 points is possible."),
            ("\x1b[C\r", "K♣ removed: -1"),
            ("\x1b[A\r", "This card is blocked."),
            ("u", "Undone."),
            (" ", "drawn: -1"),
            ("cTP1-X\r", "is no deal code"),
            ("\x1b", "moves 2"),
            ("nt", "Code: _"),
            ("TP1-C-AAAAAAD\r", "New game TP1-C-AAAAAAD."),
        ):
            terminal.send(keys)
            terminal.expect(wanted)
        terminal.send("")
        terminal.resize(20, 5)
        terminal.expect("too small")
        terminal.send("")
        terminal.resize(40, 12)
        terminal.expect("TP1-C-AAAAAAD score 500")
        terminal.send("q")
        assert "TP1-C-AAAAAAD score 500 moves 0" in terminal.ended(0)

    @pytest.mark.slow
    def test_a_whole_game_without_colour(terminals: list[Terminal]) -> None:
        terminal = Terminal("play", CODE, "--language", "ca", columns=40, lines=12, NO_COLOR="1")
        terminals.append(terminal)
        terminal.expect("q sortir")
        assert not re.search(r"\x1b\[[0-9;]*\b(3[0-7]|9[0-7])m", terminal.raw)
        terminal.send("".join(map(key_of, WORKED_WIN)))
        terminal.expect("Has guanyat amb 750 punts i 50 moviments!")
        terminal.send("l")
        terminal.expect("la teva")
        terminal.send("xq")
        terminal.ended(0)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("keys", "code"),
        [("\x1a\x1c3q\x03", 130), ("\x04", 0), ("cTP1\x04", 0)],
    )
    def test_interrupt_and_end(terminals: list[Terminal], keys: str, code: int) -> None:
        terminal = Terminal("play", CODE)
        terminals.append(terminal)
        terminal.expect("q quit")
        terminal.send(keys)
        assert "Traceback" not in terminal.ended(code)

    @pytest.mark.slow
    def test_interrupt_of_an_agent_that_hangs(terminals: list[Terminal]) -> None:
        terminal = Terminal("watch", "tests.broken_agents:SaysThatItHangs", CODE)
        terminals.append(terminal)
        terminal.expect("hangs")
        terminal.send("\x03")
        assert terminal.process.wait() == 130

    @pytest.mark.slow
    def test_watching_on_a_terminal(terminals: list[Terminal]) -> None:
        terminal = Terminal("watch", "greedy", CODE, "--speed", "20", "--values", "solver", columns=118, lines=30)
        terminals.append(terminal)
        terminal.expect("greedy plays")
        terminal.expect("The best of this deal")
        terminal.send("a ")
        terminal.expect("paused")
        terminal.send("\x1b[C\x1b[C")
        terminal.expect("moves 2")
        terminal.send("q")
        terminal.ended(0)

    @pytest.mark.slow
    @pytest.mark.parametrize("controls", [True, False])
    def test_a_terminal_that_goes_away(terminals: list[Terminal], controls: bool) -> None:
        terminal = Terminal("play", CODE, controls=controls)
        terminals.append(terminal)
        terminal.expect("q quit")
        os.close(terminal.child)
        os.close(terminal.master)
        code = terminal.process.wait()
        assert code == -signal.SIGHUP if controls else code > 0
        terminal.master, terminal.child = os.open(os.devnull, os.O_RDONLY), os.open(os.devnull, os.O_RDONLY)
