"""Play in the terminal: what a key does, what the screen shows, and the loop between them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Console, ConsoleDimensions
from rich.control import Control
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import HALF_COLUMNS
from tripeaks_env.play.session import Message, Move, Session, card_name
from tripeaks_env.play.terminal.board import DIGITS, SIZES, Marks, Size, at_column, board, row_of
from tripeaks_env.play.terminal.keys import reading
from tripeaks_env.play.texts import text
from tripeaks_env.solver.advice import action_values

LEAST_COLUMNS, LEAST_LINES = 40, 12
MOST_OF_A_CODE = 24
"""Characters that are taken of what is typed as a code."""
POLL = 0.25
"""Seconds after which a terminal of another size is noticed."""

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
PLAIN = str.maketrans("╭╮╰╯┏┓┗┛╔╗╚╝─━═│┃║░×△▲←→↓♣♦♥♠“”«»’", '++++####@@@@-=@|#@#x.^<>vCDHS""""\'')
"""What stands for the characters that an encoding other than Unicode may lack."""


class Player:
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
        if key == "q":
            if session.over or not session.game.moves:
                return False
            self.mode = "quit"
        elif key in DIGITS:
            self._act(at_column(session.game, DIGITS.index(key)))
        elif key in (" ", "d"):
            self._act(DRAW)
        elif key == "enter":
            if self.cursor is not None:
                self._act(self.cursor)
        elif key == "u":
            self._tell(session.undo() or Message("undone"))
        elif key in ("h", "w", "o"):
            told = {"h": session.hint, "w": session.winnable, "o": session.optimum}[key]()
            self._tell(told)
            self.hinted = told.action
        elif key == "x":
            self._tell(session.toggle_help())
        elif key == "p":
            self.highlight = not self.highlight
        elif key == "v":
            self.values = not self.values
        elif key == "l":
            if session.over:
                self.mode, self.scroll = "lines", 0
            else:
                self._tell(Message("compare_later", error=True))
        elif key in ("n", "c"):
            self.mode, self.typed = ("new" if key == "n" else "code"), ""
        elif key == "?":
            self.mode = "keys"
        elif len(key) == 1:
            self._tell(Message("unknown_key", {"key": key}, error=True))
        return True

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


def fits(size: ConsoleDimensions) -> bool:
    """Return whether a terminal of some size has room for the board."""
    return size.width >= LEAST_COLUMNS and size.height >= LEAST_LINES


def too_small(language: str, columns: int, lines: int) -> Text:
    """Return what a terminal shows that the board does not fit on."""
    told = text("too_small", language, columns=LEAST_COLUMNS, lines=LEAST_LINES)
    return Text("\n").join(wrapped(Text(told, "bold"), columns)[:lines])


def fitting(columns: int, lines: int) -> Size:
    """Return the largest cards with which everything fits."""
    for size in SIZES:
        if size.columns <= columns and size.lines + size.height + (size.height == 1) + 6 <= lines:
            return size
    return SIZES[-1]


def compose(
    game: Game,
    code: str,
    marks: Marks,
    language: str,
    told: Sequence[Text],
    keys: Iterable[tuple[str, str]],
    columns: int,
    lines: int,
) -> Text:
    """Return a whole screen: a line of code and counters, the board, what is told, and keys; not more than fits."""
    size = fitting(columns, lines)
    words = text("stock", language), text("waste", language)
    margin = (columns - max(size.columns, LEAST_COLUMNS)) // 2
    inner = columns - 2 * margin
    cards = board(game.view(), size, marks, words)
    top = [_header(game, code, language, inner), *cards.split("\n", allow_blank=True)]
    bottom = key_lines(keys, language, inner)
    room = lines - len(top) - len(bottom)
    middle: list[Text] = []
    for each in told:
        middle += wrapped(each, inner)
    middle = middle[: max(room, 0)]
    spare = room - len(middle)
    if spare > 1:
        top, spare = [top[0], Text(), *top[1:]], spare - 1
    if spare > 1:
        top, spare = [*top, Text()], spare - 1
    screen = [*top, *middle, *[Text()] * min(spare, 1), *bottom]
    return Text("\n").join(Text(" " * margin) + line for line in screen)


def _header(game: Game, code: str, language: str, columns: int) -> Text:
    counters = "  ".join(
        f"{text(key, language)} {value}" for key, value in (("score", game.score), ("moves", game.moves))
    )
    rules = text("easy" if game.rules.wrap else "classic", language)
    peaks = "▲" * game.peaks_cleared + "△" * (3 - game.peaks_cleared)
    for line in (f"{code}   {rules}   {counters}   {peaks}", f"{code} {rules}  {counters}", f"{code}  {counters}"):
        if len(line) <= columns:
            break
    return Text(line, "bold")


def wrapped(line: Text, columns: int) -> list[Text]:
    """Return a text as lines that fit."""
    lines = list(line.wrap(Console(width=columns), columns))
    for each in lines:
        each.rstrip()
    return lines


def key_lines(keys: Iterable[tuple[str, str]], language: str, columns: int) -> list[Text]:
    """Return keys and what they do, as many in a line as fit."""
    lines: list[Text] = []
    for key, what in keys:
        name = text(key, language) if len(key) > 3 else key
        part = Text.assemble((name, "bold"), " ", (text(what, language), ""))
        if lines and len(lines[-1]) + 2 + len(part) <= columns:
            lines[-1].append("  ").append(part)
        else:
            lines.append(part)
    return lines


def key_table(keys: Sequence[tuple[str, str]], language: str, columns: int, lines: int) -> Text:
    """Return all keys, each in a line of its own if there are enough, and what the game is about, if that still fits."""
    rows = [(text(key, language) if len(key) > 3 else key, text(what, language)) for key, what in keys]
    width = max(len(key) for key, _ in rows)
    body = [Text.assemble((key.ljust(width + 2), "bold"), what) for key, what in rows]
    if len(body) + 1 > lines or max(map(len, body)) > columns:
        body = key_lines(keys, language, columns)[: lines - 1]
    about = [*wrapped(Text(text("how", language)), min(columns, 80)), Text()]
    last = Text(text("any_key", language), "dim")
    fits = len(about) + len(body) + 2 <= lines
    return Text("\n").join([*about, *body, Text(), last] if fits else [*body, last])


def value_line(title: str, values: np.ndarray, game: Game, language: str) -> Text:
    """Return what each legal action is worth, the best first."""
    line = Text.assemble((text(title, language), "dim"))
    worth = [(float(values[action]), action) for action in game.legal_actions() if not np.isnan(values[action])]
    best = max((value for value, _ in worth), default=0.0)
    whole = all(value.is_integer() for value, _ in worth)
    digits = 0 if whole else 2 if max(abs(value) for value, _ in worth) <= 10 else 1
    for value, action in sorted(worth, key=lambda each: (-each[0], each[1])):
        name = text("draw", language) if action == DRAW else card_name(game.deal.cards[action])
        line.append("  ").append(f"{name}\u00a0{value:.{digits}f}", "bold" if value == best else "")
    return line


def nearest(game: Game, position: int) -> int | None:
    """Return the uncovered card nearest to a position, or the stock, or ``None`` if the game is won."""
    found = uncovered(game)
    if not found:
        return None
    return min(found, key=lambda each: abs(HALF_COLUMNS[each] - HALF_COLUMNS[position]))


def uncovered(game: Game) -> list[int]:
    """Return the cards that nothing covers, left to right."""
    return sorted(game.view().exposed(), key=HALF_COLUMNS.__getitem__)


def moved(game: Game, cursor: int | None, key: str) -> int | None:
    """Return where the cursor is after an arrow: sideways among uncovered cards, up and down among all, the stock below."""
    cards = uncovered(game)
    if cursor is None or not cards:
        playable = [card for card in cards if card in game.legal_actions()]
        return playable[0] if playable else DRAW
    if cursor == DRAW:
        return {"up": cards[0], "right": cards[0], "left": cards[-1]}.get(key, DRAW)
    x, y = HALF_COLUMNS[cursor], row_of(cursor)
    if key in ("left", "right"):
        beside = [card for card in cards if (HALF_COLUMNS[card] < x if key == "left" else HALF_COLUMNS[card] > x)]
        if not beside:
            return cursor
        return beside[-1] if key == "left" else beside[0]
    others = [card for card in game.remaining if (row_of(card) < y if key == "up" else row_of(card) > y)]
    if not others:
        return DRAW if key == "down" else cursor
    return min(others, key=lambda card: (abs(row_of(card) - y), abs(HALF_COLUMNS[card] - x)))


def is_interactive() -> bool:
    """Return whether keys can be read and screens shown: both ends are a terminal that can do more than print."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")


def plain(console: Console, shown: Text) -> Text:
    """Return a text that the console's encoding has all characters of."""
    if not console.options.ascii_only:
        return shown
    copy = shown.copy()
    copy.plain = copy.plain.translate(PLAIN)
    return copy


def play(session: Session, language: str = "en") -> None:
    """Let somebody play until they quit or the input ends.

    Where the input or the output is no terminal, each line of the input has keys, and screens are printed one after another.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
    """
    player, console = Player(session, language), Console(highlight=False)
    if is_interactive():
        _play_on_screen(player, console)
    else:
        _play_by_lines(player, console)
    game = session.game
    farewell = text("goodbye", language, code=session.code, score=game.score, moves=game.moves)
    console.print(Text(farewell))


def _play_on_screen(player: Player, console: Console) -> None:
    with reading() as keys, console.screen(hide_cursor=True) as screen:
        shown: ConsoleDimensions | None = None
        key: str | None = None
        while key is None or (player.press(key) if shown is None or fits(shown) else key not in ("q", "end")):
            if key is not None or console.size != shown:
                shown = console.size
                console.control(Control.home())  # the last line may have left the cursor beyond it
                screen.update(plain(console, player.screen(shown.width, shown.height)))
            key = keys.read(POLL)


def _play_by_lines(player: Player, console: Console) -> None:
    columns = console.width

    def show() -> None:
        console.print(plain(console, player.screen(max(columns, LEAST_COLUMNS), 24)), soft_wrap=True)

    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    show()
    for line in sys.stdin:
        player.typed = ""  # a line is a whole code
        keys = list(line.rstrip("\r\n")) or ["enter"]
        going = all(player.press(key) for key in keys)
        if going and player.mode == "code" and player.typed:
            going = player.press("enter")
        if not going:
            return
        show()
