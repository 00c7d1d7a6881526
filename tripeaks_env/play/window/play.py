"""Play in a window, with the mouse and keys."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

import pygame

from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.view import View
from tripeaks_env.play.keys import PLAY
from tripeaks_env.play.session import ANSWERS, Message, RulesChoice, Session, uncovered
from tripeaks_env.play.window.dialogs import Column, Dialog
from tripeaks_env.play.window.tabletop import MARK_SECONDS, SIZE, Mark, Tabletop
from tripeaks_env.play.window.widgets import Button, Field


def play(session: Session, language: str = "en") -> None:
    """Let somebody play in a window until it is closed. What was done is in ``session`` afterwards.

    Raises:
        OSError: there is no display.
    """
    PlayWindow(session, language).run()


@dataclass(kw_only=True)
class NewGame(Dialog):
    """What is asked before a new game: the rules, and perhaps a code."""

    entry: Field

    @property
    def rules(self) -> RulesChoice:
        """The rules that are chosen."""
        return "classic" if any(choice.on and choice.command == "classic" for choice in self.choices) else "easy"

    def choose(self, rules: str) -> None:
        """Choose rules; a code that stands there gets their letter."""
        for choice in self.choices:
            choice.on = choice.command == rules
        if _letter(self.entry.text):
            self.entry.text = re.sub("-.-", f"-{rules[0].upper()}-", self.entry.text)

    def write(self, text: str) -> None:
        """Write into the line for the code."""
        self.entry.write(text.upper())
        self.written()

    def written(self) -> None:
        """Respond to a change of the code: a whole one chooses its rules."""
        self.error = ""
        letter = _letter(self.entry.text)
        if letter:
            self.choose("classic" if letter == "C" else "easy")


class PlayWindow(Tabletop):
    """The window of somebody who plays.

    Args:
        session: what is played.
        language: of the words.
        size: of the window at the start.
        clock: tells the time in seconds.
    """

    def __init__(
        self,
        session: Session,
        language: str = "en",
        size: tuple[int, int] = SIZE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__("TriPeaks", language, size, clock)
        self.session = session
        self.highlight = False
        self.hinted: int | None = None
        self.say_ending()

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.session.game

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
                self.mark = Mark(action, self.clock() + MARK_SECONDS)
            return
        self.hinted = None
        self.move_card(before, action)
        self.tell(message)
        self.say_ending()

    def command(self, command: str) -> None:
        """Do what a button or a key asks for."""
        self.redraw()
        if command in ANSWERS:
            answer = ANSWERS[command](self.session)
            self.tell(answer)
            if command == "hint":
                self.hinted = answer.action
        elif command == "draw":
            self.board_clicked(DRAW)
        elif command == "undo":
            self.undo()
        elif command == "compare":
            if self.session.over:  # the best line shows what is still hidden
                self.ask(self.ending_dialog(lines=True))
        elif command in ("new", "enter_code"):
            self.ask(self.new_dialog())
        elif command == "again":
            self.begun(self.session.again())
        elif command == "deal" and isinstance(self.dialog, NewGame):
            self.deal(self.dialog)
        elif command in get_args(RulesChoice) and isinstance(self.dialog, NewGame):
            self.dialog.choose(command)
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

    def deal(self, dialog: NewGame) -> None:
        """Begin the game that a dialog describes; it stays open if the code is wrong."""
        message = self.session.new(dialog.entry.text.strip() or None, dialog.rules)
        if message.error:
            dialog.error = self.words_of(message)
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
            for name, moves in (("yours", self.session.own_line()), ("best", self.session.best_line())):
                score = moves[-1].score if moves else self.game.rules.scoring.start
                title = self.word("line_title", whose=self.word(name), score=score, moves=len(moves))
                dialog.columns.append(Column(title, moves))
        return dialog

    def new_dialog(self) -> NewGame:
        """Return what is asked before a new game."""
        rules = [
            Button(name, self.word(f"{name}_rules"), on=name == self.session.rules) for name in get_args(RulesChoice)
        ]
        buttons = [Button(name, self.word(name), main=name == "deal") for name in ("deal", "again", "cancel")]
        return NewGame(self.word("new"), choices=rules, entry=Field(self.word("empty_code")), buttons=buttons)

    # Events.

    def handle(self, event: pygame.Event) -> None:
        """Respond to one event."""
        if event.type == pygame.TEXTINPUT and isinstance(self.dialog, NewGame):
            self.dialog.write(event.text)
        else:
            super().handle(event)

    def key(self, name: str, control: bool) -> None:
        """Respond to a key."""
        if control:
            if name == "v":
                self.paste()
            elif name == "c":
                pygame.scrap.put_text(self.session.code)
                self.say(self.word("copied", code=self.session.code))
            elif name == "z":
                self.command("undo")
        elif self.dialog is not None:
            self._key_in_dialog(self.dialog, name)
        elif name in PLAY:
            self.command(PLAY[name])
        elif name in ("left", "right", "up", "down"):
            self._move_cursor(-1 if name in ("left", "up") else 1)
        elif name == "enter" and self.cursor is not None:
            self.board_clicked(self.cursor)

    def paste(self) -> None:
        """Write what is on the clipboard into the dialog for a code, which opens if need be."""
        try:
            pasted = pygame.scrap.get_text()
        except (pygame.error, UnicodeDecodeError):  # there is no text
            return
        dialog = self.dialog if isinstance(self.dialog, NewGame) else self.new_dialog()
        self.ask(dialog)
        dialog.write(pasted.strip())

    def _key_in_dialog(self, dialog: Dialog, name: str) -> None:
        if name == "escape":
            self.command("cancel")
        elif name == "enter":
            self.command(dialog.buttons[0].command)
        elif isinstance(dialog, NewGame):
            if dialog.entry.key(name):
                dialog.written()
        elif PLAY.get(name) in ("undo", "new", "compare"):
            self.command(PLAY[name])

    def _move_cursor(self, step: int) -> None:
        cards = uncovered(self.game) + ([DRAW] if self.game.stock else [])
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


def _letter(code: str) -> str:
    """Return the rule letter of a whole code, else nothing."""
    try:
        return parse_code(code)[0]
    except ValueError:
        return ""
