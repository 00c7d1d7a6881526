"""Play in a window, with the mouse and keys."""

from __future__ import annotations

import time
from collections.abc import Callable

import pygame

from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.view import View
from tripeaks_env.pictures.board import Painter
from tripeaks_env.play.keys import PLAY
from tripeaks_env.play.session import Message, Move, RulesChoice, Session
from tripeaks_env.play.window.dialogs import Column, Dialog
from tripeaks_env.play.window.keys import key_name
from tripeaks_env.play.window.tabletop import SIZE, Tabletop
from tripeaks_env.play.window.widgets import INK, WARNING, Button, Field


def play(session: Session, language: str = "en") -> None:
    """Let somebody play in a window until it is closed. What was done is in ``session`` afterwards.

    Raises:
        OSError: there is no display.
    """
    PlayWindow(session, language).run()


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
        elif (name := key_name(event.key)) in PLAY:
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
        elif key_name(key) == "enter":
            self.command(self.dialog.buttons[0].command)
        elif self.dialog.entry is not None:
            if self.dialog.entry.key(key) and key in (pygame.K_BACKSPACE, pygame.K_DELETE):
                self.written()
        elif (command := PLAY.get(key_name(key))) in ("undo", "new", "compare"):
            self.command(command)

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


def _letter(code: str) -> str:
    """Return the rule letter of a whole code, else nothing."""
    try:
        return parse_code(code)[0]
    except ValueError:
        return ""
