"""Watch an agent play in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from tripeaks_env.play.keys import WATCH
from tripeaks_env.play.terminal.board import Marks
from tripeaks_env.play.terminal.screen import LEAST_LINES, POLL, Screens
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

    What it raises is a ValueError: the agent raised an error or chose an illegal action.
    """

    def __init__(self, watching: Watching, language: str = "en") -> None:
        super().__init__(watching.session, language)
        self.watching = watching

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

    def steps(self) -> Iterator[None]:
        """Play one game without waiting."""
        yield
        while self.watching.next is not None:
            self.watching.move()
            yield

    def shown(self, columns: int, lines: int) -> Text:
        """Return the board with what the agent will do, what there is to say, and keys."""
        chosen = self.watching.next
        marks = Marks(hint=chosen.action if chosen else None, labels=False)
        keys = KEYS if lines >= 2 * LEAST_LINES else (*KEYS[:2], *KEYS[4:5], KEYS[-1])
        return self.compose(marks, self.told(), keys, columns, lines)

    def told(self) -> list[Text]:
        """Return what there is to say, the most important first."""
        watching, session = self.watching, self.session
        head = self.words("watching", "bold", agent=watching.name)
        move, ending = session.last_move(), session.ending
        if move:
            head.append(f"   {self.say(move)}")
        if ending:
            key = "won_watched" if ending.key == "won" else "blocked_watched"
            return [self.words(key, "bold", **ending.parameters), self.say(session.optimum(), "bold"), head]
        told, values = [head], watching.values()
        if values is not None:
            told.append(self.value_line("values_agent" if watching.own else "values_solver", values))
            if watching.shown == "agent" and not watching.own:
                told.append(self.words("no_agent_values", "dim"))
        speed = self.words("paused") if watching.paused else self.words("speed", speed=f"{watching.speed:g}")
        return [*told, speed]
