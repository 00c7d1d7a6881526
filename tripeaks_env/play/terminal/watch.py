"""Watch an agent play in the terminal."""

from __future__ import annotations

import time

import numpy as np
from rich.console import Console, ConsoleDimensions
from rich.control import Control
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.play.session import Message, Session, card_name
from tripeaks_env.play.terminal.board import Marks
from tripeaks_env.play.terminal.keys import reading
from tripeaks_env.play.terminal.play import (
    LEAST_COLUMNS,
    LEAST_LINES,
    POLL,
    compose,
    is_interactive,
    plain,
    too_small,
    value_line,
)
from tripeaks_env.play.texts import text
from tripeaks_env.play.watching import Choose
from tripeaks_env.solver.advice import action_values

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Moves a second to choose from with keys."""
KEYS = (
    ("keys_space", "pause"),
    ("→", "step"),
    ("←", "back"),
    ("+ -", "faster_slower"),
    ("v", "values_next"),
    ("n", "new"),
    ("a", "again"),
    ("q", "quit"),
)
SHOWN = ("agent", "solver", "")


class Watcher:
    """An agent's play as screens; keys pause it, step through it and say what is shown.

    Args:
        session: the game that it plays on from, and the next ones.
        choose: the agent.
        name: of the agent.
        language: of the texts.
        speed: moves a second.
        values: whose values of the actions to show: ``"agent"``, ``"solver"`` or ``""``.
    """

    def __init__(
        self,
        session: Session,
        choose: Choose,
        name: str,
        language: str = "en",
        speed: float = 1.0,
        values: str = "agent",
    ) -> None:
        self.session, self.choose, self.name, self.language = session, choose, name, language
        self.speed, self.paused, self.shown = speed, False, values
        self.next = self._ask()

    def move(self) -> None:
        """Have the agent make its move, if the game is not over."""
        if self.next:
            self.session.act(self.next[0])
            self.next = self._ask()

    def press(self, key: str) -> bool:
        """Do what a key is for; return whether to go on."""
        if key in ("q", "end"):
            return False
        if key == " ":
            self.paused = not self.paused
        elif key in ("right", "enter"):
            self.paused = True
            self.move()
        elif key == "left":
            self.paused = True
            self.session.undo()
            self.next = self._ask()
        elif key in ("+", "-"):
            faster = [speed for speed in SPEEDS if (speed > self.speed if key == "+" else speed < self.speed)]
            self.speed = (faster[0] if key == "+" else faster[-1]) if faster else self.speed
        elif key == "v":
            self.shown = SHOWN[(SHOWN.index(self.shown) + 1) % len(SHOWN)]
        elif key in ("n", "a"):
            self.session.new() if key == "n" else self.session.again()
            self.next = self._ask()
        return True

    def screen(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size."""
        if columns < LEAST_COLUMNS or lines < LEAST_LINES:
            return too_small(self.language, columns, lines)
        game = self.session.game
        marks = Marks(hint=self.next[0] if self.next else None, labels=False)
        keys = KEYS if lines >= 2 * LEAST_LINES else (*KEYS[:2], *KEYS[4:5], KEYS[-1])
        return compose(game, self.session.code, marks, self.language, self.told(), keys, columns, lines)

    def told(self) -> list[Text]:
        """Return what there is to say, the most important first."""
        say = self.language
        head = Text(text("watching", say, agent=self.name), "bold")
        line = self.session.own_line()[-1:]
        if line:
            what = "did_draw" if line[0].action == DRAW else "did_remove"
            points = f"{line[0].points:+d}"
            head.append(f"   {text(what, say, card=card_name(line[0].card), points=points)}")
        ending = self.session.ending
        if ending:
            return [self._say(ending), self._say(self.session.optimum()), head]
        speed = Text(text("paused", say) if self.paused else text("speed", say, speed=f"{self.speed:g}"))
        return [head, *self._values(), speed]

    def _values(self) -> list[Text]:
        if not self.shown or not self.next:
            return []
        game, own = self.session.game, self.next[1]
        if self.shown == "agent" and own is not None:
            return [value_line("values_agent", own, game, self.language)]
        line = value_line("values_solver", action_values(game), game, self.language)
        missing = [Text(text("no_agent_values", self.language), "dim")] if self.shown == "agent" else []
        return [line, *missing]

    def _say(self, message: Message) -> Text:
        key = "blocked_watched" if message.key == "no_more_moves" else message.key
        key = "won_watched" if key == "won" else key
        return Text(text(key, self.language, **message.parameters), "bold")

    def _ask(self) -> tuple[int, np.ndarray | None] | None:
        return None if self.session.over else self.choose(self.session.game)


def watch(
    session: Session, choose: Choose, name: str, language: str = "en", speed: float = 1.0, values: str = "agent"
) -> None:
    """Show an agent's play until somebody quits or the input ends.

    Where the input or the output is no terminal, one game is printed, screen by screen, without waiting.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
        ValueError: the agent raised an error or chose an illegal action.
    """
    watcher, console = Watcher(session, choose, name, language, speed, values), Console(highlight=False)
    if is_interactive():
        _watch_on_screen(watcher, console)
    else:
        while True:
            console.print(plain(console, watcher.screen(max(console.width, LEAST_COLUMNS), 24)), soft_wrap=True)
            if watcher.next is None:
                break
            watcher.move()
    game = session.game
    console.print(Text(text("goodbye", language, code=session.code, score=game.score, moves=game.moves)))


def _watch_on_screen(watcher: Watcher, console: Console) -> None:
    with reading() as keys, console.screen(hide_cursor=True) as screen:
        shown: ConsoleDimensions | None = None
        changed, due = True, time.monotonic() + 1 / watcher.speed
        while True:
            if changed or console.size != shown:
                shown = console.size
                console.control(Control.home())  # the last line may have left the cursor beyond it
                screen.update(plain(console, watcher.screen(shown.width, shown.height)))
            left = POLL if watcher.paused or watcher.next is None else min(POLL, max(0.0, due - time.monotonic()))
            key = keys.read(left)
            changed = key is not None
            if key is not None:
                if not watcher.press(key):
                    return
                due = time.monotonic() + 1 / watcher.speed
            elif not watcher.paused and watcher.next and time.monotonic() >= due:
                watcher.move()
                changed, due = True, time.monotonic() + 1 / watcher.speed
