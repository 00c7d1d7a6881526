"""What a terminal shows: the board between lines of text, lists of keys, and the loop of keys and screens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import numpy as np
from rich.console import Console, ConsoleDimensions
from rich.control import Control
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.play.session import Message, Session, card_name, value_texts
from tripeaks_env.play.terminal.board import SIZES, Marks, Size, board
from tripeaks_env.play.terminal.keys import reading
from tripeaks_env.play.texts import text

LEAST_COLUMNS, LEAST_LINES = 40, 12
POLL = 0.25
"""Seconds after which a terminal of another size is noticed."""

PLAIN = str.maketrans("╭╮╰╯┏┓┗┛╔╗╚╝─━═│┃║░×△▲←→↓♣♦♥♠“”«»’", '++++####@@@@-=@|#@#x.^<>vCDHS""""\'')
"""What stands for the characters that an encoding other than Unicode may lack."""


class Screens:
    """Games on a terminal: keys go in, screens come out.

    Args:
        session: the games.
        language: of the texts.
    """

    def __init__(self, session: Session, language: str) -> None:
        self.session, self.language = session, language

    def press(self, key: str) -> bool:
        """Do what a key is for; return whether to go on."""
        raise NotImplementedError

    def shown(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size, which is large enough."""
        raise NotImplementedError

    def steps(self) -> Iterator[None]:
        """Go on without a terminal; a screen is printed after each step."""
        raise NotImplementedError

    def tick(self) -> bool:
        """Do what is due by the clock; return whether the screen has changed."""
        return False

    def wait(self) -> float:
        """Return how many seconds it may take until something is due."""
        return POLL

    def screen(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size."""
        if fits(columns, lines):
            return self.shown(columns, lines)
        told = self.words("too_small", "bold", columns=LEAST_COLUMNS, lines=LEAST_LINES)
        return Text("\n").join(wrapped(told, columns)[:lines])

    def words(self, key: str, style: str = "", /, **parameters: object) -> Text:
        """Return a text in the language."""
        return Text(text(key, self.language, **parameters), style)

    def say(self, message: Message, style: str = "") -> Text:
        """Return a message in the language."""
        return self.words(message.key, style, **message.parameters)

    def compose(
        self, marks: Marks, told: Sequence[Text], keys: Sequence[tuple[str, str]], columns: int, lines: int
    ) -> Text:
        """Return a whole screen: a line of code and counters, the board, what is told, and keys; not more than fits."""
        size = fitting(columns, lines)
        margin = (columns - max(size.columns, LEAST_COLUMNS)) // 2
        inner = columns - 2 * margin
        piles = text("stock", self.language), text("waste", self.language)
        cards = board(self.session.game.view(), size, marks, piles)
        top = [self._header(inner), *cards.split("\n", allow_blank=True)]
        bottom = self.key_lines(keys, inner)
        room = max(0, lines - len(top) - len(bottom))
        middle = [line for each in told for line in wrapped(each, inner)][:room]
        spare = room - len(middle)
        if spare > 1:
            top, spare = [top[0], Text(), *top[1:]], spare - 1
        if spare > 1:
            top, spare = [*top, Text()], spare - 1
        screen = [*top, *middle, *[Text()] * min(spare, 1), *bottom]
        return Text("\n").join(Text(" " * margin) + line for line in screen)

    def _header(self, columns: int) -> Text:
        game, code = self.session.game, self.session.code
        counters = "  ".join(str(self.words(key)) + f" {getattr(game, key)}" for key in ("score", "moves"))
        rules = self.words(self.session.rules)
        peaks = "▲" * game.peaks_cleared + "△" * (3 - game.peaks_cleared)
        for line in (f"{code}   {rules}   {counters}   {peaks}", f"{code} {rules}  {counters}", f"{code}  {counters}"):
            if len(line) <= columns:
                break
        return Text(line, "bold")

    def key_lines(self, keys: Sequence[tuple[str, str]], columns: int) -> list[Text]:
        """Return keys and what they do, as many in a line as fit."""
        lines: list[Text] = []
        for key, what in self._named(keys):
            part = Text.assemble((key, "bold"), " ", what)
            if lines and len(lines[-1]) + 2 + len(part) <= columns:
                lines[-1].append("  ").append(part)
            else:
                lines.append(part)
        return lines

    def key_table(self, keys: Sequence[tuple[str, str]], columns: int, lines: int) -> Text:
        """Return all keys, each in a line of its own if there are enough, and what the game is about, if that still fits."""
        rows = self._named(keys)
        width = max(len(key) for key, _ in rows)
        body = [Text.assemble((key.ljust(width + 2), "bold"), what) for key, what in rows]
        if len(body) + 1 > lines or max(map(len, body)) > columns:
            body = self.key_lines(keys, columns)[: lines - 1]
        about = [*wrapped(self.words("how"), min(columns, 80)), Text()]
        last = self.words("any_key", "dim")
        whole = [*about, *body, Text(), last]
        return Text("\n").join(whole if len(whole) <= lines else [*body, last])

    def _named(self, keys: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return keys, or the texts that name them, and what they do, in the language."""
        return [(text(key, self.language) if len(key) > 3 else key, text(what, self.language)) for key, what in keys]

    def value_line(self, title: str, values: np.ndarray) -> Text:
        """Return what each legal action is worth, the best first."""
        line, game = Text.assemble(self.words(title, "dim")), self.session.game
        worth = value_texts(values, game)
        best = max((values[action] for action in worth), default=None)
        for action in sorted(worth, key=lambda action: (-values[action], action)):
            name = text("draw", self.language) if action == DRAW else card_name(game.deal.cards[action])
            line.append("  ").append(f"{name}\u00a0{worth[action]}", "bold" if values[action] == best else "")
        return line


def fits(columns: int, lines: int) -> bool:
    """Return whether a terminal of some size has room for the board."""
    return columns >= LEAST_COLUMNS and lines >= LEAST_LINES


def fitting(columns: int, lines: int) -> Size:
    """Return the largest cards with which everything fits."""
    for size in SIZES:
        if size.columns <= columns and size.lines + size.height + (size.height == 1) + 6 <= lines:
            return size
    return SIZES[-1]


def wrapped(line: Text, columns: int) -> list[Text]:
    """Return a text as lines that fit."""
    lines = list(line.wrap(Console(width=columns), columns))
    for each in lines:
        each.rstrip()
    return lines


def plain(console: Console, shown: Text) -> Text:
    """Return a text that the console's encoding has all characters of."""
    if not console.options.ascii_only:
        return shown
    copy = shown.copy()
    copy.plain = copy.plain.translate(PLAIN)
    return copy


def run(screens: Screens) -> None:
    """Show screens until somebody quits or the input ends; then print which game it was and how it stands.

    Where keys cannot be read or screens not be shown, as either end is no terminal or one that can do no more than print,
    screens are printed one after another.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
        OSError: one of the two is closed.
    """
    if sys.stdin is None or sys.stdout is None:
        raise OSError("standard input or output is closed")
    console, session = Console(highlight=False), screens.session
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown"):
        _show(screens, console)
    else:
        for _ in screens.steps():
            console.print(plain(console, screens.screen(max(console.width, LEAST_COLUMNS), 24)), soft_wrap=True)
    game = session.game
    console.print(screens.words("goodbye", code=session.code, score=game.score, moves=game.moves))


def _show(screens: Screens, console: Console) -> None:
    with reading() as keys, console.screen(hide_cursor=True) as screen:
        shown: ConsoleDimensions | None = None
        changed = True
        while True:
            if changed or console.size != shown:
                shown = console.size
                console.control(Control.home())  # the last line may have left the cursor beyond it
                screen.update(plain(console, screens.screen(*shown)))
            key = keys.read(min(POLL, screens.wait()))
            if key is None:
                changed = screens.tick()
            elif not (screens.press(key) if fits(*shown) else key not in ("q", "end")):
                return
            else:
                changed = True
