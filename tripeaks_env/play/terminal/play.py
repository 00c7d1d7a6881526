"""Play in the terminal: what a key does, and what the screen shows."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.play.keys import PLAY
from tripeaks_env.play.session import Message, Move, Session, card_name
from tripeaks_env.play.terminal.board import DIGITS, Marks, at_column
from tripeaks_env.play.terminal.cursor import moved, nearest
from tripeaks_env.play.terminal.screen import (
    LEAST_COLUMNS,
    LEAST_LINES,
    Screens,
    compose,
    is_interactive,
    key_table,
    print_screen,
    run,
    say_goodbye,
    too_small,
    value_line,
)
from tripeaks_env.play.texts import text
from tripeaks_env.solver.advice import action_values

MOST_OF_A_CODE = 24
"""Characters that are taken of what is typed as a code."""
MAIN_KEYS = (
    ("1-0", "keys_card"),
    ("d", "draw"),
    ("u", "undo"),
    ("h", "hint"),
    ("n", "keys_new"),
    ("?", "all_keys"),
)
"""What is always shown: a key, or the text that names it, and the text of what it does."""
ALL_KEYS = (
    ("1-0", "play_column"),
    ("keys_arrows", "choose_card"),
    ("keys_draw", "draw"),
    ("u", "undo"),
    ("h", "hint"),
    ("w", "ask_winnable"),
    ("o", "ask_optimum"),
    ("v", "ask_values"),
    ("l", "compare"),
    ("p", "highlight"),
    ("x", "error_help"),
    ("n", "new"),
    ("c", "enter_code"),
    ("q", "quit"),
)


class Player(Screens):
    """A session in the terminal: keys go in, screens come out.

    Args:
        session: what is played.
        language: of the texts.

    Attributes:
        mode: ``"play"``; or what else the next key is for: ``"new"``, ``"code"``, ``"lines"``, ``"keys"``, ``"quit"``.
        message: what is to be told about the last key, in words.
        error: whether it says why nothing happened.
        cursor: the card or stock chosen with the arrows, or ``None``.
    """

    def __init__(self, session: Session, language: str = "en") -> None:
        self.session, self.language = session, language
        self.mode, self.typed, self.scroll = "play", "", 0
        self.message, self.error = "", False
        self.cursor: int | None = None
        self.hinted: int | None = None
        self.highlight, self.values = True, False

    def press(self, key: str) -> bool:
        """Do what a key is for; return whether to go on."""
        if key == "end":
            return False
        return getattr(self, f"_press_{self.mode}")(key)

    def screen(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size."""
        if columns < LEAST_COLUMNS or lines < LEAST_LINES:
            return too_small(self.language, columns, lines)
        if self.mode == "keys":
            return key_table(ALL_KEYS, self.language, columns, lines)
        if self.mode == "lines":
            return self._compared(lines)
        game = self.session.game
        marks = Marks(game.legal_actions() if self.highlight else (), self.cursor, self.hinted)
        keys = () if self.mode != "play" else (*MAIN_KEYS, ("q", "quit"))
        return compose(game, self.session.code, marks, self.language, self.told(), keys, columns, lines)

    def told(self) -> list[Text]:
        """Return what there is to say, the most important first."""
        session, told = self.session, []
        if self.mode == "code":
            told.append(self._words("type_code", code=self.typed))
        elif self.mode in ("new", "quit"):
            told.append(self._words("new_menu" if self.mode == "new" else "quit_question"))
        if self.message:
            told.append(Text(f"! {self.message}", "bold yellow") if self.error else Text(self.message))
        ending = session.ending
        if ending:
            told.append(Text(self._say(ending), "bold green" if ending.key == "won" else "bold"))
            told.append(Text(f"{self._say(session.optimum())} (l: {text('compare', self.language)})"))
        elif self.values:
            told.append(value_line("values_solver", action_values(session.game), session.game, self.language))
        return told

    def _press_play(self, key: str) -> bool:
        session = self.session
        if key in ("left", "right", "up", "down"):  # what was told stays
            self.cursor = moved(session.game, self.cursor, key)
            return True
        self.message, self.error, self.hinted = "", False, None
        name = key.lower()
        if name == "q":
            if session.over or not session.game.moves:
                return False
            self.mode = "quit"
        elif key in DIGITS:
            self._act(at_column(session.game, DIGITS.index(key)))
        elif key == "enter":
            if self.cursor is not None:
                self._act(self.cursor)
        elif name == "v":
            self.values = not self.values
        elif key == "?":
            self.mode = "keys"
        elif name in PLAY:
            self._do(PLAY[name])
        elif len(key) == 1:
            self._tell(Message("unknown_key", {"key": key}, error=True))
        return True

    def _do(self, command: str) -> None:
        session = self.session
        if command == "draw":
            self._act(DRAW)
        elif command == "undo":
            self._tell(session.undo() or Message("undone"))
        elif command in ("hint", "ask_winnable", "ask_optimum"):
            asked = {"hint": session.hint, "ask_winnable": session.winnable, "ask_optimum": session.optimum}
            told = asked[command]()
            self._tell(told)
            self.hinted = told.action
        elif command == "error_help":
            self._tell(session.toggle_help())
        elif command == "highlight":
            self.highlight = not self.highlight
        elif command == "compare":
            if session.over:
                self.mode, self.scroll = "lines", 0
            else:
                self._tell(Message("compare_later", error=True))
        elif command in ("new", "enter_code"):
            self.mode, self.typed = ("new" if command == "new" else "code"), ""

    def _press_new(self, key: str) -> bool:
        self.mode = "play"
        session = self.session
        if key in ("n", "enter"):
            self._begun(session.new())
        elif key in ("e", "c"):
            self._begun(session.new(rules="easy" if key == "e" else "classic"))
        elif key == "a":
            self._begun(session.again())
        elif key == "t":
            self.mode, self.typed = "code", ""
        return True

    def _press_code(self, key: str) -> bool:
        if key == "escape" or (key == "enter" and not self.typed.strip()):
            self.mode, self.message, self.error = "play", "", False
        elif key == "enter":
            message = self.session.new(self.typed)
            if message.error:
                self._tell(message)
            else:
                self.mode = "play"
                self._begun(message)
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif len(key) == 1 and len(self.typed) < MOST_OF_A_CODE:
            self.typed += key
        return True

    def _press_quit(self, key: str) -> bool:
        self.mode = "play"
        return key not in ("q", "s" if self.language == "ca" else "y")

    def _press_keys(self, key: str) -> bool:
        self.mode = "play"
        return True

    def _press_lines(self, key: str) -> bool:
        step = {"up": -1, "down": 1, "page up": -8, "page down": 8}.get(key)
        if step is None:
            self.mode = "play"
        else:
            self.scroll = max(0, self.scroll + step)
        return True

    def _act(self, action: int) -> None:
        before = self.session.game.moves
        message = self.session.act(action)
        if self.session.game.moves > before and not message:
            (move,) = self.session.own_line()[-1:]
            what = "did_draw" if action == DRAW else "did_remove"
            message = Message(what, {"card": card_name(move.card), "points": f"{move.points:+d}"})
        self._tell(message)
        if self.cursor is not None and self.cursor != DRAW and self.cursor not in self.session.game.remaining:
            self.cursor = nearest(self.session.game, self.cursor)

    def _begun(self, message: Message) -> None:
        self.cursor = self.hinted = None
        self._tell(message)

    def _tell(self, message: Message | None) -> None:
        self.message, self.error = (self._say(message), message.error) if message else ("", False)

    def _say(self, message: Message) -> str:
        return text(message.key, self.language, **message.parameters)

    def _words(self, key: str, **parameters: object) -> Text:
        return Text(text(key, self.language, **parameters), "bold")

    def _compared(self, lines: int) -> Text:
        """Return the best line beside one's own."""
        best, own = self.session.best_line(), self.session.own_line()
        rows = max(len(best), len(own))
        shown = lines - 3
        self.scroll = max(0, min(self.scroll, rows - shown))
        head = Text(f"    {text('best', self.language):<16}{text('yours', self.language)}", "bold")
        body = [head]
        for number in range(self.scroll, min(self.scroll + shown, rows)):
            left, right = (_step(line[number : number + 1], self.language) for line in (best, own))
            same = number < min(len(best), len(own)) and best[number].action == own[number].action
            body.append(Text(f"{number + 1:>2}  {left:<16}{right}", "dim" if same else ""))
        body.append(Text(""))
        body.append(Text(text("scroll", self.language), "dim"))
        return Text("\n").join(body)


def _step(move: Sequence[Move], language: str) -> str:
    """Return a move of a line as text, or nothing where the line has ended."""
    if not move:
        return ""
    what = "↓" if move[0].action == DRAW else " "
    return f"{what}{card_name(move[0].card):<4}{move[0].score:>4}{' ▲' if move[0].peak is not None else ''}"


def play(session: Session, language: str = "en") -> None:
    """Let somebody play until they quit or the input ends.

    Where the input or the output is no terminal, each line of the input has keys, and screens are printed one after another.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
    """
    player, console = Player(session, language), Console(highlight=False)
    if is_interactive():
        run(player, console)
    else:
        _play_by_lines(player, console)
    say_goodbye(session, language, console)


def _play_by_lines(player: Player, console: Console) -> None:
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    print_screen(player, console)
    for line in sys.stdin:
        player.typed = ""  # a line is a whole code
        keys = list(line.rstrip("\r\n")) or ["enter"]
        going = all(player.press(key) for key in keys)
        if going and player.mode == "code" and player.typed:
            going = player.press("enter")
        if not going:
            return
        print_screen(player, console)
