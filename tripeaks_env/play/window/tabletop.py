"""A window with a board in it: its layout, its event loop, sliding cards and marks. What is done in it, others decide."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pygame

from tripeaks_env.game.cards import NO_CARD
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import COVERS, PEAKS, POSITIONS
from tripeaks_env.game.view import View
from tripeaks_env.pictures.board import Painter, Words
from tripeaks_env.pictures.screen import open_display
from tripeaks_env.pictures.shapes import Colour, font
from tripeaks_env.play.texts import text
from tripeaks_env.play.window.dialogs import Dialog
from tripeaks_env.play.window.widgets import (
    BAR,
    BLACK,
    DIM,
    EDGE,
    FELT,
    GOLD,
    INK,
    WARNING,
    Button,
    fitting,
    panel,
    peak,
    place,
    words,
)

SIZE = (1120, 780)
"""Width and height of a new window."""
MARK_SECONDS = 1.5
"""How long a card is marked that cannot be played."""
WAIT_MS = 200
"""The longest wait for events: an interrupt (Ctrl-C) is seen after it."""
FRAME_MS = 12
"""The wait for events while something moves."""
NAMED = ("left", "right", "up", "down", "home", "end", "backspace", "delete", "escape")
KEY_NAMES = {getattr(pygame, f"K_{name.upper()}"): name for name in NAMED} | {
    pygame.K_RETURN: "enter",
    pygame.K_KP_ENTER: "enter",
    pygame.K_KP_PLUS: "+",
    pygame.K_KP_MINUS: "-",
}
"""Names of keys as in :mod:`tripeaks_env.play.keys`, of those that are no character."""


class Slide(NamedTuple):
    """A card on its way.

    Attributes:
        card: its number.
        start: the action at whose place it starts, ``None`` for the waste.
        end: the action at whose place it ends, ``None`` for the waste.
        under: the board without it.
        began: when, in seconds.
    """

    card: int
    start: int | None
    end: int | None
    under: View
    began: float


class Mark(NamedTuple):
    """A card with a coloured edge for a while, until so many seconds."""

    action: int
    until: float


class Layout(NamedTuple):
    """Where things are; rectangles are empty where there is no room.

    Attributes:
        unit: the height of a line of text.
        header: what stands above.
        board: the board.
        message: the line below it.
        keys: whether buttons show their keys.
        buttons: those below the board, with their places.
    """

    unit: int
    header: pygame.Rect
    board: pygame.Rect
    message: pygame.Rect
    keys: bool
    buttons: list[Button]


class Tabletop:
    """A window with a board, a header, a line of text and buttons below, and perhaps a dialog over it all.

    Args:
        title: of the window.
        language: of the words.
        size: of the window.
        clock: tells the time in seconds.

    Raises:
        OSError: there is no display.
    """

    slide_seconds = 0.16
    """How long a card is on its way."""

    def __init__(self, title: str, language: str, size: tuple[int, int], clock: Callable[[], float]) -> None:
        self.language, self.clock = language, clock
        os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")
        try:
            open_display()
            self.window = pygame.Window(title, size, resizable=True, allow_high_dpi=True)
        except pygame.error as error:
            pygame.display.quit()
            raise OSError(f"no window can be opened: {error}") from None
        self.surface = self.window.get_surface()
        pygame.key.set_repeat(400, 40)
        pygame.key.stop_text_input()
        self.open = True
        self.message = ""
        self.message_colour: Colour = INK
        self.mouse = (-1, -1)
        self.slide: Slide | None = None
        self.mark: Mark | None = None
        self.cursor: int | None = None
        self.dialog: Dialog | None = None
        self._painter: Painter | None = None
        self._dirty = True

    # What a kind of window says.

    @property
    def game(self) -> Game:
        """The game on the board."""
        raise NotImplementedError

    def buttons(self) -> list[Button]:
        """Return the buttons below the board."""
        raise NotImplementedError

    def command(self, command: str) -> None:
        """Do what a button or a key asks for."""
        raise NotImplementedError

    def key(self, name: str, control: bool) -> None:
        """Respond to a key by its name, see :mod:`tripeaks_env.play.keys`; with ``control``, Ctrl or ⌘ is held."""
        raise NotImplementedError

    def board_clicked(self, action: int) -> None:
        """Respond to a click on a card (0-27) or the stock (28)."""

    @property
    def bonus(self) -> int:
        """The points that the emptied peaks have brought."""
        return sum(self.game.rules.scoring.peaks[: self.game.peaks_cleared])

    def playable(self) -> frozenset[int]:
        """Return the actions to highlight."""
        return frozenset()

    def view(self) -> View:
        """Return what is painted of the board."""
        return self.game.view()._replace(playable=self.playable())

    def shown_values(self) -> dict[int, str]:
        """Return what is written on the cards of actions."""
        return {}

    def tick(self) -> bool:
        """Do what is due by the clock; return whether to come back soon."""
        return False

    def header(self) -> tuple[str, str]:
        """Return what stands above: a name and what is told beside it."""
        code = self.game.deal.code(self.game.rules) or ""
        return code, self.word("easy_rules" if self.game.rules.wrap else "classic_rules")

    # The loop.

    def run(self) -> None:
        """Show the window until it is closed. An interrupt closes it too and goes on to the caller."""
        try:
            while self.open:
                self.turn()
        finally:
            self.close()

    def turn(self, wait_ms: int | None = None) -> None:
        """Respond to the events that are there, and draw.

        Args:
            wait_ms: how long to wait for one at most; by default as long as nothing is to be done.
        """
        busy = self.tick() or self.slide is not None or self.mark is not None
        if wait_ms is None:
            wait_ms = 1 if self._dirty else FRAME_MS if busy else WAIT_MS
        first = pygame.event.wait(max(1, wait_ms))  # 0 would be for ever
        for event in [first, *pygame.event.get()]:
            if event.type != pygame.NOEVENT and self.open:
                self._dirty = True
                self.handle(event)
        if self.open and (self._dirty or busy):
            self._dirty = False
            self.draw()
            self.window.flip()

    def close(self) -> None:
        """Close the window and let go of the display."""
        self.open = False
        self._painter = None
        self.window.destroy()
        font.cache_clear()  # fonts do not outlive pygame's quit
        pygame.display.quit()

    def redraw(self) -> None:
        """Have the window drawn again."""
        self._dirty = True

    def handle(self, event: pygame.Event) -> None:
        """Respond to one event."""
        if event.type in (pygame.QUIT, pygame.WINDOWCLOSE):
            self.open = False
        elif event.type == pygame.MOUSEMOTION:
            self.mouse = self._pixels(event.pos)
        elif event.type == pygame.WINDOWLEAVE:
            self.mouse = (-1, -1)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self.mouse = self._pixels(event.pos)
            self.clicked(self.mouse)
        elif event.type == pygame.KEYDOWN:
            name = KEY_NAMES.get(event.key) or (chr(event.key) if ord(" ") <= event.key <= ord("~") else "")
            control = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
            if control and name in ("q", "w"):
                self.open = False
            else:
                self.key(name, control)

    def clicked(self, point: tuple[int, int]) -> None:
        """Respond to a click at a point of the surface: as long as a dialog is open, in it only."""
        layout, dialog = self.layout(), self.dialog
        for button in [*dialog.choices, *dialog.buttons] if dialog else layout.buttons:
            if button.rect.collidepoint(point):
                self.command(button.command)
                return
        if not dialog and layout.board.collidepoint(point):
            x, y = point[0] - layout.board.x, point[1] - layout.board.y
            action = self.painter().action_at(x, y, self.game.view())
            if action is not None:
                self.board_clicked(action)

    def _pixels(self, position: tuple[int, int]) -> tuple[int, int]:
        """Return a point of the window as one of the surface, which has more pixels on a fine screen."""
        (width, height), size = self.window.size, self.surface.get_size()
        return int(position[0] * size[0] / max(1, width)), int(position[1] * size[1] / max(1, height))

    # Words and messages.

    def word(self, key: str, **parameters: object) -> str:
        """Return a text in the language of the window, with a capital letter."""
        found = text(key, self.language, **parameters)
        return found[:1].upper() + found[1:]

    def say(self, message: str, error: bool = False) -> None:
        """Show a message until the next one."""
        self.message, self.message_colour = message, WARNING if error else INK
        self.redraw()

    # The board.

    def move_card(self, before: View, action: int, back: bool = False) -> None:
        """Let the card of an action slide, after it is done: to the waste, or back from it.

        Args:
            before: what was seen before.
            action: 0-27 or 28.
            back: whether it was taken back.
        """
        now = self.game.view()
        card = (before if back else now).waste
        tableau = now.tableau.copy()
        if action < POSITIONS:
            tableau[action] = NO_CARD
        # While a card is on its way, it lies in neither place.
        waste, stock = (now if back else before).waste, min(before.stock, now.stock)
        under = now._replace(tableau=tableau, waste=waste, stock=stock, last=None, playable=frozenset())
        start, end = (None, action) if back else (action, None)
        self.slide = Slide(card, start, end, under, self.clock()) if self.slide_seconds else None
        self.redraw()

    def painter(self) -> Painter:
        """Return the painter for the size of the board."""
        width, height = self.layout().board.size
        if self._painter is None or self._painter.size != (width, height):
            names = Words(*(self.word(key) for key in ("score", "moves", "won_short", "blocked_short")))
            self._painter = Painter(width, height, names)
        return self._painter

    # Layout and drawing.

    def layout(self) -> Layout:
        """Return where things are. Where there is little room, the board has it, and keys still do what buttons did."""
        screen = self.surface.get_rect()
        unit = max(11, round((screen.w * screen.h) ** 0.5 / 46))
        buttons = self.buttons()
        gap = round(0.4 * unit)
        for missing in range(5):
            keys, header, shown, message = (missing <= part for part in range(4))  # as long as there is room for them
            buttons = buttons if shown else []
            top = round(2.1 * unit) if header else 0
            line = round(1.7 * unit) if message else 0
            box = pygame.Rect(gap, 0, max(1, screen.w - 2 * gap), 0)
            below = place(buttons, box, unit, keys) + gap if buttons else 0
            height = screen.h - top - line - below
            if height >= 0.6 * screen.h or not message:
                break
        board = pygame.Rect(0, top, screen.w, max(1, height))
        bar = pygame.Rect(0, board.bottom, screen.w, line)
        box.top = bar.bottom
        place(buttons, box, unit, keys)
        return Layout(unit, pygame.Rect(0, 0, screen.w, top), board, bar, keys, buttons)

    def draw(self) -> None:
        """Draw everything."""
        self.surface = self.window.get_surface()
        surface, layout = self.surface, self.layout()
        surface.fill(BAR)
        self._draw_board(layout)
        if layout.header.h:
            self._draw_header(layout)
        if layout.message.h and self.message:
            room = layout.message.w - 2 * layout.unit
            (line, *_), size = fitting(self.message, layout.unit, room)
            image = words(line, size, self.message_colour)
            surface.blit(image, image.get_rect(center=layout.message.center))
        for button in layout.buttons:
            hover = self.dialog is None and button.rect.collidepoint(self.mouse)
            button.draw(surface, layout.unit, hover, layout.keys)
        if self.dialog is not None and self.slide is None:
            self.dialog.draw(surface, layout.unit, self.mouse)

    def _draw_board(self, layout: Layout) -> None:
        painter, corner = self.painter(), layout.board.topleft
        slide = self.slide
        if slide is not None:
            part = (self.clock() - slide.began) / self.slide_seconds
            if part < 1:
                self.surface.blit(painter.paint(slide.under), corner)
                start, end = (
                    painter.waste_rectangle if place is None else painter.rectangle(place)
                    for place in (slide.start, slide.end)
                )
                part = 1 - (1 - part) ** 3
                x, y = np.array(start.topleft) * (1 - part) + np.array(end.topleft) * part
                self.surface.blit(painter.card_image(slide.card), (round(corner[0] + x), round(corner[1] + y)))
                return
            self.slide = None
        view = self.view()
        self.surface.blit(painter.paint(view), corner)
        for action, value in self.shown_values().items():
            self._draw_badge(value, painter.rectangle(action).move(corner), layout.unit, action in view.playable)
        if self.cursor is not None:
            self._draw_edge(self.cursor, corner, INK)
        if self.mark is not None:
            if self.clock() < self.mark.until:
                self._draw_edge(self.mark.action, corner, WARNING)
            else:
                self.mark = None

    def _draw_edge(self, action: int, corner: tuple[int, int], colour: Colour) -> None:
        """Draw an edge around what is seen of the card of an action."""
        painter = self.painter()
        card = painter.rectangle(action).move(corner)
        line = max(2, card.w // 18)
        edge = card.inflate(line, line)
        seen = edge.copy()
        if action < POSITIONS and action not in self.game.view().exposed():
            seen.h = painter.rectangle(COVERS[action][0]).move(corner).top - seen.top
        self.surface.set_clip(seen)
        pygame.draw.rect(self.surface, colour, edge, line, border_radius=max(1, card.w // 8))
        self.surface.set_clip(None)

    def _draw_badge(self, value: str, card: pygame.Rect, unit: int, main: bool) -> None:
        """Draw a small label on the lower part of a card."""
        (value, *_), size = fitting(value, min(round(1.2 * unit), round(0.36 * card.w)), card.w)
        image = words(value, size, BLACK if main else INK)
        box = image.get_rect().inflate(round(0.8 * size), round(0.3 * size))
        box.midbottom = (card.centerx, card.bottom - max(2, card.h // 24))
        self.surface.blit(panel(*box.size, box.h // 2, GOLD if main else FELT, INK), box)
        self.surface.blit(image, image.get_rect(center=box.center))

    def _draw_header(self, layout: Layout) -> None:
        """Draw the code, the rules, and the peaks with their bonus."""
        unit, box = layout.unit, layout.header.inflate(-2 * layout.unit, 0)
        surface = self.surface
        size = round(1.1 * unit)
        bonus, cleared = self.bonus, [summit not in self.game.remaining for summit in range(PEAKS)]
        points = words(f"+{bonus}", unit, GOLD if bonus else DIM)
        x = box.right - points.get_width()
        surface.blit(points, points.get_rect(midleft=(x, box.centery)))
        for done in reversed(cleared):
            x -= round(1.25 * size)
            image = peak(size, GOLD if done else EDGE, done)
            surface.blit(image, image.get_rect(midleft=(x, box.centery)))
        room = x - box.x - unit
        name, beside = self.header()
        image = words(name, unit, INK)
        if image.get_width() <= room:
            surface.blit(image, image.get_rect(midleft=box.midleft))
            after = words(beside, round(0.9 * unit), DIM)
            if image.get_width() + unit + after.get_width() <= room:
                left = box.x + image.get_width() + unit
                surface.blit(after, after.get_rect(midleft=(left, box.centery)))
