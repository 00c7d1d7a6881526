"""TriPeaks in a window: play with the mouse and keys, or watch an agent. It needs the extra ``render``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import numpy as np
import pygame

from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.engine import DRAW, UNDO, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.view import View
from tripeaks_env.pictures.board import Painter
from tripeaks_env.play.session import Message, Move, RulesChoice, Session, card_name
from tripeaks_env.play.texts import text
from tripeaks_env.play.window.dialogs import Column, Dialog
from tripeaks_env.play.window.tabletop import SIZE, Tabletop
from tripeaks_env.play.window.widgets import INK, WARNING, Button, Field
from tripeaks_env.solver.advice import action_values

Choose = Callable[[Game], tuple[int, np.ndarray | None]]
"""What :func:`watch` asks before each move: the action, and the values of all actions, float (29,), NaN where illegal; or
``None``."""

Values = Literal["agent", "solver", "none"]

FASTEST, SLOWEST = 0.01, 100.0
"""Bounds of the seconds between the moves of an agent."""
STEP_FACTOR = 1.6
"""One click makes the agent so many times faster or slower."""


def play(session: Session, language: str = "en") -> None:
    """Let somebody play in a window until it is closed. What was done is in ``session`` afterwards.

    Raises:
        OSError: there is no display.
    """
    PlayWindow(session, language).run()


def watch(
    game: Game,
    choose: Choose,
    name: str,
    language: str = "en",
    pause: float = 1.0,
    new: Callable[[], Game] | None = None,
    values: Values = "agent",
) -> None:
    """Show how ``choose`` plays on from ``game`` until the window is closed.

    Args:
        game: is played on in place.
        choose: is asked before each move. The window waits for it.
        name: of the agent, for the header.
        language: of the words.
        pause: seconds between moves at the start.
        new: deals the next game, for the button; without it the button plays the same deal again.
        values: whose values stand on the cards at the start. An agent without values is shown with the solver's.

    Raises:
        ValueError: the agent chose an illegal action.
        OSError: there is no display.
    """
    WatchWindow(game, choose, name, language, pause, new, values).run()


class PlayWindow(Tabletop):
    """The window of somebody who plays.

    Args:
        session: what is played.
        language: of the words.
        size: of the window at the start.
    """

    COMMANDS = {
        pygame.K_SPACE: "draw",
        pygame.K_d: "draw",
        pygame.K_u: "undo",
        pygame.K_BACKSPACE: "undo",
        pygame.K_h: "hint",
        pygame.K_w: "ask_winnable",
        pygame.K_o: "ask_optimum",
        pygame.K_b: "compare",
        pygame.K_n: "new",
        pygame.K_c: "enter_code",
        pygame.K_e: "error_help",
        pygame.K_p: "highlight",
    }

    def __init__(self, session: Session, language: str = "en", size: tuple[int, int] = SIZE) -> None:
        super().__init__("TriPeaks", language, size)
        self.session = session
        self.highlight = False
        self.hinted: int | None = None
        self.cursor: int | None = None
        self.dialog: Dialog | None = None
        self.say_ending()

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.session.game

    @property
    def live(self) -> bool:
        """Whether the buttons below the board can be clicked: not while a dialog is open."""
        return self.dialog is None

    def buttons(self) -> list[Button]:
        """Return the buttons below the board."""
        names = [("undo", "U"), ("hint", "H"), ("ask_winnable", "W"), ("ask_optimum", "O"), ("new", "N")]
        if self.session.over:
            names[1:3] = [("compare", "B")]
        if self.game.status == Status.WON:
            del names[0]
        shown = [Button(name, self.word(name), key) for name, key in names]
        shown.append(Button("error_help", self.word("error_help"), "E", on=self.session.help))
        shown.append(Button("highlight", self.word("highlight"), "P", on=self.highlight))
        return shown

    def playable(self) -> frozenset[int]:
        """Return the hinted action, or all legal ones if they are to be shown."""
        if self.hinted is not None:
            return frozenset({self.hinted})
        return frozenset(self.game.legal_actions()) if self.highlight else frozenset()

    # What is done.

    def board_clicked(self, action: int) -> None:
        """Remove a card or draw one."""
        before = self.game.view()
        moves = self.game.moves
        message = self.session.act(action)
        self.cursor = None
        if self.game.moves == moves:
            if message is None:  # error help is off
                self.say("")
            else:
                self.tell(message)
                self.mark_card(action, WARNING)
            return
        self.hinted = None
        self.move_card(before, action)
        self.tell(message)
        self.say_ending()

    def command(self, command: str) -> None:
        """Do what a button or a key asks for."""
        self.redraw()
        if command == "draw":
            self.board_clicked(DRAW)
        elif command == "undo":
            self.undo()
        elif command == "hint":
            message = self.session.hint()
            self.hinted = message.action
            self.tell(message)
        elif command == "ask_winnable":
            self.tell(self.session.winnable())
        elif command == "ask_optimum":
            self.tell(self.session.optimum())
        elif command == "compare":
            if self.session.over:  # the best line shows what is still hidden
                self.ask(self.ending_dialog(lines=True))
        elif command in ("new", "enter_code"):
            self.ask(self.new_dialog())
        elif command == "again":
            self.begun(self.session.again())
        elif command == "deal":
            self.deal()
        elif command in ("easy", "classic"):
            self.choose_rules(command)
        elif command == "error_help":
            self.tell(self.session.toggle_help())
        elif command == "highlight":
            self.highlight = not self.highlight
            self.hinted = None
        elif command == "cancel":
            self.ask(None)

    def undo(self) -> None:
        """Take the last action back."""
        self.ask(None)
        before, last = self.game.view(), self.session.last
        message = self.session.undo()
        if message is None and last is not None:
            self.hinted = None
            self.move_card(before, last, back=True)
        self.tell(message)

    def deal(self) -> None:
        """Begin the game that the dialog describes; it stays open if the code is wrong."""
        if self.dialog is None or self.dialog.entry is None:
            return
        code = self.dialog.entry.text.strip() or None
        message = self.session.new(code, self.chosen_rules())
        if message.error:
            self.dialog.error = self.words_of(message)
        else:
            self.begun(message)

    def begun(self, message: Message) -> None:
        """Show a game that has just begun."""
        self.ask(None)
        self.hinted = self.slide = self.mark = self.cursor = None
        self.tell(message)

    # Messages and dialogs.

    def words_of(self, message: Message) -> str:
        """Return a message in the language of the window."""
        return self.word(message.key, **message.parameters)

    def tell(self, message: Message | None) -> None:
        """Show a message; with ``None`` an old one goes."""
        self.say(self.words_of(message) if message else "", error=bool(message and message.error))

    def say_ending(self) -> None:
        """Say that the game is over, if it is."""
        ending = self.session.ending
        if ending is not None:
            self.say(self.words_of(ending))
            self.ask(self.ending_dialog(lines=self.game.status == Status.WON))

    def ask(self, dialog: Dialog | None) -> None:
        """Open a dialog, or close the one that is open."""
        self.dialog = dialog
        if dialog is not None and dialog.entry is not None:
            pygame.key.start_text_input()
        else:
            pygame.key.stop_text_input()
        self.redraw()

    def ending_dialog(self, lines: bool) -> Dialog:
        """Return what is asked at the end; with ``lines``, the best line stands beside the player's."""
        ending = self.session.ending
        assert ending is not None
        names = ["new", "again"] if self.game.status == Status.WON else ["undo", "new", "again"]
        if not lines:
            names.append("compare")
        buttons = [Button(name, self.word(name), main=name == names[0]) for name in names]
        buttons.append(Button("cancel", self.word("see_board")))
        dialog = Dialog(self.words_of(ending), buttons=buttons)
        if lines:
            dialog.text = self.words_of(self.session.optimum())
            dialog.legend = self.word("line_legend")
            pairs = (("yours", self.session.own_line()), ("best", self.session.best_line()))
            dialog.columns = [self.column(self.word(name), moves) for name, moves in pairs]
        return dialog

    def column(self, whose: str, moves: list[Move]) -> Column:
        """Return a line of play with its title."""
        score = moves[-1].score if moves else self.game.rules.scoring.start
        return Column(self.word("line_title", whose=whose, score=score, moves=len(moves)), moves)

    def new_dialog(self) -> Dialog:
        """Return what is asked before a new game: the rules, and perhaps a code."""
        choices = [
            Button(name, self.word(f"{name}_rules"), on=name == self.session.rules) for name in ("easy", "classic")
        ]
        buttons = [Button(name, self.word(name), main=name == "deal") for name in ("deal", "again", "cancel")]
        return Dialog(self.word("new"), choices=choices, entry=Field(), empty=self.word("empty_code"), buttons=buttons)

    def chosen_rules(self) -> RulesChoice:
        """Return the rules that are chosen in the dialog."""
        return (
            "classic" if self.dialog and any(c.on and c.command == "classic" for c in self.dialog.choices) else "easy"
        )

    def choose_rules(self, name: str) -> None:
        """Choose rules in the dialog; a code that stands there gets their letter."""
        if self.dialog is None or self.dialog.entry is None:
            return
        for choice in self.dialog.choices:
            choice.on = choice.command == name
        written = self.dialog.entry
        if _letter(written.text):
            first, _, last = written.text.split("-")
            written.text = f"{first}-{'C' if name == 'classic' else 'E'}-{last}"

    def written(self) -> None:
        """Respond to a change of the text field: a whole code chooses its rules."""
        if self.dialog is None or self.dialog.entry is None:
            return
        self.dialog.error = ""
        letter = _letter(self.dialog.entry.text)
        for choice in self.dialog.choices if letter else ():
            choice.on = (choice.command == "classic") == (letter == "C")

    # Events.

    def handle(self, event: pygame.Event) -> None:
        """Respond to one event."""
        if event.type == pygame.TEXTINPUT and self.dialog and self.dialog.entry:
            self.dialog.entry.write(event.text.upper())
            self.written()
        else:
            super().handle(event)

    def clicked(self, point: tuple[int, int]) -> None:
        """Respond to a click: as long as a dialog is open, in it only."""
        if self.dialog is None:
            super().clicked(point)
            return
        button = self.dialog.at(point)
        if button is not None:
            self.command(button.command)

    def key(self, event: pygame.Event) -> None:
        """Respond to a key."""
        control = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
        if control and event.key == pygame.K_v:
            self.paste()
        elif control and event.key == pygame.K_c:
            pygame.scrap.put_text(self.session.code)
            self.say(self.word("copied", code=self.session.code))
        elif control and event.key == pygame.K_z:
            self.command("undo")
        elif control:
            return
        elif self.dialog is not None:
            self._key_in_dialog(event.key)
        elif event.key in self.COMMANDS:
            self.command(self.COMMANDS[event.key])
        elif event.key in (pygame.K_LEFT, pygame.K_RIGHT, pygame.K_UP, pygame.K_DOWN):
            self._move_cursor(-1 if event.key in (pygame.K_LEFT, pygame.K_UP) else 1)
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER) and self.cursor is not None:
            self.board_clicked(self.cursor)

    def paste(self) -> None:
        """Write what is on the clipboard into the dialog for a code, which opens if need be."""
        try:
            pasted = pygame.scrap.get_text()
        except (pygame.error, UnicodeDecodeError):  # there is no text
            return
        if self.dialog is None or self.dialog.entry is None:
            self.ask(self.new_dialog())
        assert self.dialog is not None
        assert self.dialog.entry is not None
        self.dialog.entry.write(pasted.strip().upper())
        self.written()

    def _key_in_dialog(self, key: int) -> None:
        assert self.dialog is not None
        if key == pygame.K_ESCAPE:
            self.command("cancel")
        elif key in (pygame.K_RETURN, pygame.K_KP_ENTER):
            self.command(self.dialog.buttons[0].command)
        elif self.dialog.entry is not None:
            if self.dialog.entry.key(key) and key in (pygame.K_BACKSPACE, pygame.K_DELETE):
                self.written()
        elif self.COMMANDS.get(key) in ("undo", "new", "compare"):
            self.command(self.COMMANDS[key])

    def _move_cursor(self, step: int) -> None:
        cards = self.exposed()
        if not cards:
            self.cursor = None
        elif self.cursor not in cards:
            self.cursor = cards[0 if step > 0 else -1]
        else:
            self.cursor = cards[(cards.index(self.cursor) + step) % len(cards)]

    # Drawing.

    def view(self) -> View:
        """Return what is painted of the board: without the words about the end while a dialog has them."""
        view = super().view()
        return view._replace(status=Status.PLAYING) if self.dialog else view

    def draw_over_board(self, painter: Painter, corner: tuple[int, int], unit: int) -> None:
        """Draw an edge around the card that the arrow keys have chosen."""
        if self.cursor is not None:
            self.outline(self.cursor, painter, corner, INK)

    def draw_over_all(self, unit: int) -> None:
        """Draw the open dialog."""
        if self.dialog is not None and self.slide is None:
            self.dialog.draw(self.surface, unit, self.mouse)


class WatchWindow(Tabletop):
    """The window of somebody who watches an agent; the arguments are those of :func:`watch`."""

    COMMANDS = {
        pygame.K_SPACE: "pause",
        pygame.K_s: "step",
        pygame.K_RIGHT: "step",
        pygame.K_MINUS: "slower",
        pygame.K_KP_MINUS: "slower",
        pygame.K_PLUS: "faster",
        pygame.K_EQUALS: "faster",
        pygame.K_KP_PLUS: "faster",
        pygame.K_v: "show_values",
        pygame.K_o: "solver_values",
        pygame.K_n: "next_deal",
    }

    def __init__(
        self,
        game: Game,
        choose: Choose,
        name: str,
        language: str = "en",
        pause: float = 1.0,
        new: Callable[[], Game] | None = None,
        values: Values = "agent",
    ) -> None:
        super().__init__(f"TriPeaks: {name}", language)
        self._game, self._choose, self._new = game, choose, new
        self.name = name
        self.pause = min(SLOWEST, max(FASTEST, pause))
        self.running, self.show_values, self.of_solver = True, values != "none", values == "solver"
        self.chosen: int | None = None
        self.values: np.ndarray | None = None
        self._solved: np.ndarray | None = None
        self._due = 0.0
        try:
            self._look()
        except BaseException:  # whatever an agent does
            self.close()
            raise

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self._game

    def header(self) -> tuple[str, str]:
        """Return the agent's name, and the code and the pace."""
        code, _ = super().header()
        rules = self.word("easy" if self.game.rules.wrap else "classic")
        pace = self.word("seconds", seconds=f"{self.pause:.2g}")
        return self.name, f"{code}   {rules}   {pace}"

    def buttons(self) -> list[Button]:
        """Return the buttons below the board."""
        names = [("step", "S"), ("slower", "-"), ("faster", "+"), ("next_deal", "N")]
        shown = [Button(name, self.word(name), key) for name, key in names]
        shown.insert(0, Button("pause", self.word("pause" if self.running else "play"), main=not self.running))
        shown.append(Button("show_values", self.word("show_values"), "V", on=self.show_values))
        shown.append(Button("solver_values", self.word("solver_values"), "O", on=self.of_solver))
        return shown

    def playable(self) -> frozenset[int]:
        """Return the action that the agent has chosen."""
        return frozenset() if self.chosen is None else frozenset({self.chosen})

    def key(self, event: pygame.Event) -> None:
        """Respond to a key."""
        if event.key in self.COMMANDS:
            self.command(self.COMMANDS[event.key])

    def command(self, command: str) -> None:
        """Do what a button or a key asks for."""
        self.redraw()
        if command == "pause":
            self.running = not self.running
            self._due = time.monotonic() + self.pause
        elif command == "step":
            self.running = False
            self.step()
        elif command in ("slower", "faster"):
            factor = STEP_FACTOR if command == "slower" else 1 / STEP_FACTOR
            self.pause = min(SLOWEST, max(FASTEST, self.pause * factor))
            self._due = min(self._due, time.monotonic() + self.pause)
        elif command == "show_values":
            self.show_values = not self.show_values
        elif command == "solver_values":
            self.of_solver = not self.of_solver
            self.show_values = True
        elif command == "next_deal":
            self._game = self._new() if self._new else Game(self._game.deal, self._game.rules)
            self.slide = None
            self._look()

    def tick(self) -> bool:
        """Make the agent's move when it is due."""
        if self.running and self.chosen is not None and time.monotonic() >= self._due:
            self.step()
        return self.running and self.chosen is not None

    def step(self) -> None:
        """Make the agent's move, and look at the next one."""
        if self.chosen is None:
            return
        before, action = self.game.view(), self.chosen
        outcome = self.game.play(action)
        if not outcome.accepted:
            raise ValueError(f"{self.name} chose the illegal action {action}: {outcome.message}")
        self.slide_seconds = min(type(self).slide_seconds, self.pause / 2)
        self.move_card(before, action)
        self._look()

    def _look(self) -> None:
        """Ask the agent for its next move, and say what it will do."""
        self._due = time.monotonic() + self.pause
        self.chosen = self.values = self._solved = None
        if self.game.status != Status.PLAYING:
            how = "agent_won" if self.game.status == Status.WON else "agent_blocked"
            self.say(text(how, self.language, name=self.name, score=self.game.score))
            return
        action, self.values = self._choose(self.game)
        self.chosen = int(action)
        if self.chosen == DRAW:
            self.say(text("agent_draws", self.language, name=self.name))
        elif self.chosen < UNDO:
            card = card_name(self.game.deal.cards[self.chosen])
            self.say(text("agent_removes", self.language, name=self.name, card=card))

    def shown_values(self) -> dict[int, str]:
        """Return what is written on the cards: the agent's values; the solver's if it has none, or if they are asked for."""
        if not self.show_values or self.chosen is None:
            return {}
        own = None if self.of_solver else self.values
        if own is None and self._solved is None:
            self._solved = action_values(self.game)
        values = self._solved if own is None else np.asarray(own, dtype=float)
        assert values is not None
        legal = self.game.legal_actions()
        digits = 0 if own is None else 2 if np.nanmax(np.abs(values[legal]), initial=0) <= 10 else 1
        return {action: f"{values[action]:.{digits}f}" for action in legal if np.isfinite(values[action])}

    def draw_over_board(self, painter: Painter, corner: tuple[int, int], unit: int) -> None:
        """Draw the values on the cards."""
        for action, value in self.shown_values().items():
            self.badge(value, painter.rectangle(action).move(corner), unit, action == self.chosen)


def _letter(code: str) -> str:
    """Return the rule letter of a whole code, else nothing."""
    try:
        return parse_code(code)[0]
    except ValueError:
        return ""
