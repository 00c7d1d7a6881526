"""What a terminal shows: the board between lines of text, lists of keys, and the loop of keys and screens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import Console, ConsoleDimensions
from rich.control import Control
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game
from tripeaks_env.play.session import Session, card_name, value_texts
from tripeaks_env.play.terminal.board import SIZES, Marks, Size, board
from tripeaks_env.play.terminal.keys import reading
from tripeaks_env.play.texts import text

LEAST_COLUMNS, LEAST_LINES = 40, 12
POLL = 0.25
"""Seconds after which a terminal of another size is noticed."""

PLAIN = str.maketrans("╭╮╰╯┏┓┗┛╔╗╚╝─━═│┃║░×△▲←→↓♣♦♥♠“”«»’", '++++####@@@@-=@|#@#x.^<>vCDHS""""\'')
"""What stands for the characters that an encoding other than Unicode may lack."""


class Screens:
    """Something on a terminal: keys go in, screens come out."""

    def screen(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size."""
        raise NotImplementedError

    def press(self, key: str) -> bool:
        """Do what a key is for; return whether to go on."""
        raise NotImplementedError

    def tick(self) -> bool:
        """Do what is due by the clock; return whether the screen has changed."""
        return False

    def wait(self) -> float:
        """Return how many seconds it may take until something is due."""
        return POLL


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
    worth = value_texts(values, game)
    for action in sorted(worth, key=lambda action: (-values[action], action)):
        name = text("draw", language) if action == DRAW else card_name(game.deal.cards[action])
        best = values[action] == max(values[other] for other in worth)
        line.append("  ").append(f"{name}\u00a0{worth[action]}", "bold" if best else "")
    return line


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


def run(screens: Screens, console: Console) -> None:
    """Show screens on a terminal and pass its keys on, until there is enough of it or the input ends.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
    """
    with reading() as keys, console.screen(hide_cursor=True) as screen:
        shown: ConsoleDimensions | None = None
        changed = True
        while True:
            if changed or console.size != shown:
                shown = console.size
                console.control(Control.home())  # the last line may have left the cursor beyond it
                screen.update(plain(console, screens.screen(shown.width, shown.height)))
            key = keys.read(min(POLL, screens.wait()))
            if key is None:
                changed = screens.tick()
            elif not (screens.press(key) if fits(shown) else key not in ("q", "end")):
                return
            else:
                changed = True


def print_screen(screens: Screens, console: Console) -> None:
    """Print a screen, where the output is no terminal."""
    console.print(plain(console, screens.screen(max(console.width, LEAST_COLUMNS), 24)), soft_wrap=True)


def say_goodbye(session: Session, language: str, console: Console) -> None:
    """Print which game it was and how it stands."""
    game = session.game
    console.print(Text(text("goodbye", language, code=session.code, score=game.score, moves=game.moves)))
