"""A hand at a window, and a clock that goes when a test says so."""

import pygame

from tripeaks_env.play.window.play import PlayWindow
from tripeaks_env.play.window.tabletop import Tabletop

CODE = "TP1-E-AAAAAAB"
SIZE = (720, 500)
CONTROL = pygame.KMOD_LCTRL


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Hand:
    """Somebody at a window, who clicks, types and looks."""

    def __init__(self, window: Tabletop) -> None:
        self.window = window
        window.slide_seconds = 0
        window.turn(1)

    def does(self, kind: int, **details: object) -> None:
        pygame.event.post(pygame.Event(kind, details))
        self.window.turn(1)

    def clicks(self, x: float, y: float) -> None:
        self.does(pygame.MOUSEBUTTONDOWN, pos=(int(x), int(y)), button=1)
        self.does(pygame.MOUSEBUTTONUP, pos=(int(x), int(y)), button=1)

    def clicks_card(self, action: int) -> None:
        """Click a card where it can be seen, covered or not."""
        place = self.window.painter().rectangle(action).move(self.window.layout().board.topleft)
        self.clicks(place.centerx, place.y + place.h // 6)

    def clicks_button(self, command: str) -> None:
        dialog = self.window.dialog if isinstance(self.window, PlayWindow) else None
        buttons = [*dialog.choices, *dialog.buttons] if dialog else self.window._placed()
        (rect,) = (button.rect for button in buttons if button.command == command)
        assert self.window.surface.get_rect().contains(rect)
        self.clicks(*rect.center)

    def presses(self, key: int, mod: int = 0) -> None:
        self.does(pygame.KEYDOWN, key=key, mod=mod, unicode="", scancode=0)
        self.does(pygame.KEYUP, key=key, mod=mod, unicode="", scancode=0)

    def types(self, text: str) -> None:
        for letter in text:
            self.does(pygame.TEXTINPUT, text=letter)

    def resizes(self, width: int, height: int) -> None:
        self.window.window.size = (width, height)
        self.window.turn(1)
        assert self.window.surface.get_size() == (width, height)

    def sees(self, rect: pygame.Rect | None = None) -> bytes:
        """Return what is in a part of the window."""
        self.window.redraw()
        self.window.turn(1)
        surface = self.window.surface
        return pygame.image.tobytes(surface.subsurface(rect.clip(surface.get_rect())) if rect else surface, "RGB")

    def sees_card(self, action: int) -> bytes:
        place = self.window.painter().rectangle(action).move(self.window.layout().board.topleft)
        return self.sees(place)

    def sees_message(self) -> bytes:
        return self.sees(self.window.layout().message)


def goes(window: Tabletop, seconds: float) -> None:
    """Let time pass for a window."""
    assert isinstance(window.clock, Clock)
    window.clock.seconds += seconds


def line(window: Tabletop) -> tuple[int, ...]:
    return window.game.line
