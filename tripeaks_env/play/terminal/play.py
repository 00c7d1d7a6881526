"""Play in the terminal: what a key does, and what the screen shows."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from itertools import zip_longest

from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.play.keys import PLAY
from tripeaks_env.play.session import ANSWERS, Message, Move, RulesChoice, Session, card_name
from tripeaks_env.play.terminal.board import DIGITS, Marks, at_column, moved, nearest
from tripeaks_env.play.terminal.screen import Screens
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
    ("q", "quit"),
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
QUESTIONS = {"new": "new_menu", "code": "type_code", "quit": "quit_question"}
"""What is asked for the next key, by :attr:`Player.mode`."""


class Player(Screens):
    """A session in the terminal.

    Attributes:
        mode: ``"play"``; or what else the next key is for: ``"new"``, ``"code"``, ``"lines"``, ``"keys"``, ``"quit"``.
        message: what is to be told about the last key, in words.
        error: whether it says why nothing happened.
        cursor: the card or stock chosen with the arrows, or ``None``.
    """

    def __init__(self, session: Session, language: str = "en") -> None:
        super().__init__(session, language)
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

    def steps(self) -> Iterator[None]:
        """Press the keys that each line of the standard input has."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield
        for line in sys.stdin:
            self.typed = ""  # a line is a whole code
            going = all(self.press(key) for key in list(line.rstrip("\r\n")) or ["enter"])
            if going and self.mode == "code" and self.typed:
                going = self.press("enter")
            if not going:
                return
            yield

    def shown(self, columns: int, lines: int) -> Text:
        """Return the board with what there is to say and the main keys, or what somebody has asked for in its place."""
        if self.mode == "keys":
            return self.key_table(ALL_KEYS, columns, lines)
        if self.mode == "lines":
            return self._compared(lines)
        marks = Marks(self.session.game.legal_actions() if self.highlight else (), self.cursor, self.hinted)
        return self.compose(marks, self.told(), MAIN_KEYS if self.mode == "play" else (), columns, lines)

    def told(self) -> list[Text]:
        """Return what there is to say, the most important first."""
        session, told = self.session, []
        if self.mode in QUESTIONS:
            told.append(self.words(QUESTIONS[self.mode], "bold", code=self.typed))
        if self.message:
            told.append(Text(f"! {self.message}", "bold yellow") if self.error else Text(self.message))
        ending = session.ending
        if ending:
            told.append(self.say(ending, "bold green" if ending.key == "won" else "bold"))
            told.append(Text(f"{self.say(session.optimum())} (l: {self.words('compare')})"))
        elif self.values:
            told.append(self.value_line("values_solver", action_values(session.game)))
        return told

    def _press_play(self, key: str) -> bool:
        game = self.session.game
        if key in ("left", "right", "up", "down"):  # what was told stays
            self.cursor = moved(game, self.cursor, key)
            return True
        self.message, self.error, self.hinted = "", False, None
        name = key.lower()
        if name == "q":
            if self.session.over or not game.moves:
                return False
            self.mode = "quit"
        elif name == "v":
            self.values = not self.values
        elif key == "?":
            self.mode = "keys"
        elif key == "enter":
            if self.cursor is not None:
                self._act(self.cursor)
        elif name in PLAY:
            self._do(PLAY[name])
        elif key and key in DIGITS:
            self._act(at_column(game, DIGITS.index(key)))
        elif len(key) == 1:
            self._tell(Message("unknown_key", {"key": key}, error=True))
        return True

    def _do(self, command: str) -> None:
        session = self.session
        if command in ANSWERS:
            answer = ANSWERS[command](session)
            self._tell(answer)
            self.hinted = answer.action
        elif command == "draw":
            self._act(DRAW)
        elif command == "undo":
            self._tell(session.undo() or Message("undone"))
        elif command == "highlight":
            self.highlight = not self.highlight
        elif command != "compare":
            self.mode, self.typed = ("new" if command == "new" else "code"), ""
        elif session.over:
            self.mode, self.scroll = "lines", 0
        else:
            self._tell(Message("compare_later", error=True))

    def _press_new(self, key: str) -> bool:
        self.mode = "play"
        rules: dict[str, RulesChoice | None] = {"n": None, "enter": None, "e": "easy", "c": "classic"}
        if key in rules:
            self._begin(rules=rules[key])
        elif key == "a":
            self._begin(self.session.code)
        elif key == "t":
            self._do("enter_code")
        return True

    def _press_code(self, key: str) -> bool:
        if key == "escape" or (key == "enter" and not self.typed.strip()):
            self.mode, self.message, self.error = "play", "", False
        elif key == "enter":
            self._begin(self.typed)
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
        game = self.session.game
        before = game.moves
        message = self.session.act(action)
        self._tell(self.session.last_move() if game.moves > before and not message else message)
        if self.cursor is not None and self.cursor != DRAW and self.cursor not in game.remaining:
            self.cursor = nearest(game, self.cursor)

    def _begin(self, code: str | None = None, rules: RulesChoice | None = None) -> None:
        message = self.session.new(code, rules)
        self._tell(message)
        if not message.error:
            self.mode, self.cursor = "play", None

    def _tell(self, message: Message | None) -> None:
        self.message, self.error = (str(self.say(message)), message.error) if message else ("", False)

    def _compared(self, lines: int) -> Text:
        """Return the best line beside one's own."""
        best, own = self.session.best_line(), self.session.own_line()
        pairs, shown = list(zip_longest(best, own)), lines - 3
        self.scroll = max(0, min(self.scroll, len(pairs) - shown))
        body = [Text(f"    {text('best', self.language):<16}{text('yours', self.language)}", "bold")]
        for number, (left, right) in enumerate(pairs[self.scroll : self.scroll + shown], self.scroll + 1):
            same = left and right and left.action == right.action
            body.append(Text(f"{number:>2}  {_step(left):<16}{_step(right)}", "dim" if same else ""))
        return Text("\n").join([*body, Text(), self.words("scroll", "dim")])


def _step(move: Move | None) -> str:
    """Return a move of a line as text, or nothing where the line has ended."""
    if move is None:
        return ""
    what = "↓" if move.action == DRAW else " "
    return f"{what}{card_name(move.card):<4}{move.score:>4}{' ▲' if move.peak is not None else ''}"
