"""Watch an agent play in a window."""

from __future__ import annotations

from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.view import View
from tripeaks_env.play.keys import WATCH
from tripeaks_env.play.session import card_name, value_texts
from tripeaks_env.play.texts import text
from tripeaks_env.play.watching import Watching
from tripeaks_env.play.window.tabletop import SIZE, Tabletop
from tripeaks_env.play.window.widgets import Button


def watch(watching: Watching, language: str = "en") -> None:
    """Show an agent's play until the window is closed.

    Raises:
        ValueError: the agent raised an error or chose an illegal action.
        OSError: there is no display.
    """
    WatchWindow(watching, language).run()


class WatchWindow(Tabletop):
    """The window of somebody who watches an agent.

    Args:
        watching: what is shown; its clock is that of the window too.
        language: of the words.
        size: of the window at the start.
    """

    def __init__(self, watching: Watching, language: str = "en", size: tuple[int, int] = SIZE) -> None:
        super().__init__(f"TriPeaks: {watching.name}", language, size, watching.clock)
        self.watching = watching
        self._say_next()

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.watching.session.game

    def header(self) -> tuple[str, str]:
        """Return the agent's name, and the code and the pace."""
        code, _ = super().header()
        rules = self.word("easy" if self.game.rules.wrap else "classic")
        pace = text("speed", self.language, speed=f"{self.watching.speed:g}")
        return self.watching.name, f"{code}   {rules}   {pace}"

    def buttons(self) -> list[Button]:
        """Return the buttons below the board."""
        paused = self.watching.paused
        names = [("step", "S"), ("back", "U"), ("slower", "-"), ("faster", "+"), ("next_deal", "N"), ("again", "A")]
        return [
            Button("pause", self.word("play" if paused else "pause"), main=paused),
            *(Button(name, self.word(name), key) for name, key in names),
            Button("next_values", self.word(f"shown_{self.watching.shown}"), "V"),
        ]

    def playable(self) -> frozenset[int]:
        """Return the action that the agent has chosen."""
        chosen = self.watching.next
        return frozenset() if chosen is None else frozenset({chosen.action})

    def key(self, name: str, control: bool) -> None:
        """Respond to a key."""
        if name in WATCH:
            self.command(WATCH[name])

    def command(self, command: str) -> None:
        """Do what a button or a key asks for."""
        self.redraw()
        game, before, line = self.game, self.game.view(), self.game.line
        self.open = self.watching.do(command)
        if self.game is game:
            self._slide(before, line)
        else:
            self.slide = None
        self._say_next()

    def tick(self) -> bool:
        """Have the agent make its move, if it is due."""
        before, line = self.game.view(), self.game.line
        if self.watching.tick():
            self._slide(before, line)
            self._say_next()
        return self.watching.running

    def _slide(self, before: View, line: tuple[int, ...]) -> None:
        """Let the card slide that was moved, or taken back, since the board and the line were these."""
        now = self.game.line
        self.slide_seconds = min(type(self).slide_seconds, 0.5 / self.watching.speed)
        if len(now) > len(line):
            self.move_card(before, now[-1])
        elif len(now) < len(line):
            self.move_card(before, line[-1], back=True)

    def _say_next(self) -> None:
        """Say what the agent will do, or how it ended."""
        chosen, told = self.watching.next, {"name": self.watching.name}
        if chosen is None:
            how = "agent_won" if self.game.status == Status.WON else "agent_blocked"
            self.say(text(how, self.language, score=self.game.score, **told))
        elif chosen.action == DRAW:
            self.say(text("agent_draws", self.language, **told))
        elif chosen.action < DRAW:
            card = card_name(self.game.deal.cards[chosen.action])
            self.say(text("agent_removes", self.language, card=card, **told))

    def shown_values(self) -> dict[int, str]:
        """Return what is written on the cards."""
        values = self.watching.values()
        return {} if values is None else value_texts(values, self.game)
