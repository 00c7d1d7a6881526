"""Watch an agent play in the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from tripeaks_env.game.engine import DRAW
from tripeaks_env.play.keys import WATCH
from tripeaks_env.play.session import Message, card_name
from tripeaks_env.play.terminal.board import Marks
from tripeaks_env.play.terminal.screen import (
    LEAST_COLUMNS,
    LEAST_LINES,
    POLL,
    Screens,
    compose,
    is_interactive,
    print_screen,
    run,
    say_goodbye,
    too_small,
    value_line,
)
from tripeaks_env.play.texts import text
from tripeaks_env.play.watching import Watching

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


class Watcher(Screens):
    """An agent's play as screens.

    Args:
        watching: what is shown.
        language: of the texts.
    """

    def __init__(self, watching: Watching, language: str = "en") -> None:
        self.watching, self.language = watching, language

    def press(self, key: str) -> bool:
        """Do what a key is for; return whether to go on."""
        command = WATCH.get(key.lower())
        return key != "end" and (command is None or self.watching.do(command))

    def tick(self) -> bool:
        """Have the agent make its move, if it is due; return whether it was."""
        return self.watching.tick()

    def wait(self) -> float:
        """Return how many seconds it may take until a move is due."""
        return self.watching.wait() if self.watching.running else POLL

    def screen(self, columns: int, lines: int) -> Text:
        """Return what to show on a terminal of that size."""
        if columns < LEAST_COLUMNS or lines < LEAST_LINES:
            return too_small(self.language, columns, lines)
        session, chosen = self.watching.session, self.watching.next
        marks = Marks(hint=chosen.action if chosen else None, labels=False)
        keys = KEYS if lines >= 2 * LEAST_LINES else (*KEYS[:2], *KEYS[4:5], KEYS[-1])
        return compose(session.game, session.code, marks, self.language, self.told(), keys, columns, lines)

    def told(self) -> list[Text]:
        """Return what there is to say, the most important first."""
        watching, say = self.watching, self.language
        head = Text(text("watching", say, agent=watching.name), "bold")
        line = watching.session.own_line()[-1:]
        if line:
            what = "did_draw" if line[0].action == DRAW else "did_remove"
            points = f"{line[0].points:+d}"
            head.append(f"   {text(what, say, card=card_name(line[0].card), points=points)}")
        ending = watching.session.ending
        if ending:
            return [self._say(ending), self._say(watching.session.optimum()), head]
        speed = Text(text("paused", say) if watching.paused else text("speed", say, speed=f"{watching.speed:g}"))
        return [head, *self._values(), speed]

    def _values(self) -> list[Text]:
        watching = self.watching
        values = watching.values()
        if values is None:
            return []
        title = "values_agent" if watching.own else "values_solver"
        line = value_line(title, values, watching.session.game, self.language)
        missing = watching.shown == "agent" and not watching.own
        return [line, Text(text("no_agent_values", self.language), "dim")] if missing else [line]

    def _say(self, message: Message) -> Text:
        key = "blocked_watched" if message.key == "no_more_moves" else message.key
        key = "won_watched" if key == "won" else key
        return Text(text(key, self.language, **message.parameters), "bold")


def watch(watching: Watching, language: str = "en") -> None:
    """Show an agent's play until somebody quits or the input ends.

    Where the input or the output is no terminal, one game is printed, screen by screen, without waiting.

    Raises:
        KeyboardInterrupt: by Ctrl-C; the terminal is as it was.
        ValueError: the agent raised an error or chose an illegal action.
    """
    watcher, console = Watcher(watching, language), Console(highlight=False)
    if is_interactive():
        run(watcher, console)
    else:
        print_screen(watcher, console)
        while watching.next is not None:
            watching.move()
            print_screen(watcher, console)
    say_goodbye(watching.session, language, console)
