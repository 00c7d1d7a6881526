"""What keys do, the same in the terminal and in the window.

A key that is a character is named by it, others are ``"left"``, ``"enter"``, ``"backspace"`` and so on. What is moved or
written on the screen itself (arrows, digits, dialogs) is a matter of either.
"""

from collections.abc import Mapping

PLAY: Mapping[str, str] = {
    " ": "draw",
    "d": "draw",
    "u": "undo",
    "backspace": "undo",
    "h": "hint",
    "w": "ask_winnable",
    "o": "ask_optimum",
    "l": "compare",
    "b": "compare",
    "p": "highlight",
    "x": "error_help",
    "e": "error_help",
    "n": "new",
    "c": "enter_code",
}
"""The commands of somebody who plays."""

WATCH: Mapping[str, str] = {
    " ": "pause",
    "right": "step",
    "enter": "step",
    "s": "step",
    "left": "back",
    "backspace": "back",
    "u": "back",
    "+": "faster",
    "=": "faster",  # + without shift
    "-": "slower",
    "v": "next_values",
    "o": "solver_values",
    "n": "next_deal",
    "a": "again",
    "q": "quit",
}
"""The commands of somebody who watches, see :meth:`tripeaks_env.play.watching.Watching.do`."""
