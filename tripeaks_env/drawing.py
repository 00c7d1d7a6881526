"""The board as a picture: everything is drawn by this module, at any size, from a :class:`View` alone.

It needs pygame-ce, but neither a display nor its initialization.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pygame

from tripeaks_env.cards import NO_CARD, card_text
from tripeaks_env.engine import DRAW, Status
from tripeaks_env.layout import COVERS, POSITIONS, ROWS
from tripeaks_env.view import BACK, View, view_of, view_of_record

__all__ = ["BACK", "DEFAULT_SIZE", "Painter", "View", "Words", "frame", "view_of", "view_of_record"]

DEFAULT_SIZE = (960, 540)
"""Width and height of a picture if nobody says otherwise."""


class Words(NamedTuple):
    """The words in a picture."""

    score: str = "Score"
    moves: str = "Moves"
    won: str = "You won!"
    blocked: str = "No more moves"


class Painter:
    """Paints boards of one size; fonts and images of cards are made once, here.

    Args:
        width: of the picture in pixels.
        height: of the picture in pixels.
        words: the words in the picture, for other languages.
    """

    def __init__(self, width: int, height: int, words: Words | None = None) -> None:
        pygame.font.init()
        self.size = (width, height)
        self.words = words or Words()
        self._place()
        self._font = pygame.font.Font(None, max(8, self.card_size[0] // 2))

    def _place(self) -> None:
        width, height = self.size
        card = min(width / 11.8, height / 6.4)
        self.card_size = (max(1, round(card)), max(1, round(1.4 * card)))
        w, h = self.card_size
        left, top = (width - 11.08 * card) / 2, 0.3 * card
        columns = [0.0] * POSITIONS
        for position in reversed(range(POSITIONS)):
            covers = COVERS[position]
            columns[position] = sum(columns[c] for c in covers) / 2 if covers else 1.12 * (position - ROWS[-1].start)
        self._rectangles = [
            pygame.Rect(round(left + columns[position] * card), round(top + row * 0.55 * 1.4 * card), w, h)
            for row, positions in enumerate(ROWS)
            for position in positions
        ]
        bottom = round(height - 1.7 * card)
        self._rectangles.append(pygame.Rect(round(width / 2 - 1.1 * card), bottom, w, h))
        self._waste = pygame.Rect(round(width / 2 + 0.1 * card), bottom, w, h)

    def rectangle(self, action: int) -> pygame.Rect:
        """Return where the card of an action lies, of 28 the topmost stock card."""
        return self._rectangles[action].copy()

    @property
    def waste_rectangle(self) -> pygame.Rect:
        """Where the waste card lies."""
        return self._waste.copy()

    def card_image(self, card: int) -> pygame.Surface:
        """Return the image of a card number or of ``BACK``; not to be drawn on."""
        image = pygame.Surface(self.card_size)
        image.fill("darkred" if card == BACK else "white")
        if card != BACK:
            image.blit(self._font.render(card_text(card), True, "black"), (2, 2))
        return image

    def paint(self, view: View) -> pygame.Surface:
        """Return a picture of a board: a surface of its own."""
        surface = pygame.Surface(self.size)
        surface.fill("darkgreen")
        for position, card in enumerate(view.tableau.tolist()):
            if card != NO_CARD:
                surface.blit(self.card_image(card), self._rectangles[position])
        if view.stock:
            surface.blit(self.card_image(BACK), self._rectangles[DRAW])
        if view.waste != NO_CARD:
            surface.blit(self.card_image(view.waste), self._waste)
        text = f"{self.words.score} {view.score}  {self.words.moves} {view.moves}  {view.stock}"
        if view.status != Status.PLAYING:
            text += " " + (self.words.won if view.status == Status.WON else self.words.blocked)
        surface.blit(self._font.render(text, True, "white"), (4, self.size[1] - self._font.get_height()))
        return surface

    def action_at(self, x: int, y: int, view: View) -> int | None:
        """Return the action of the topmost card at a point: 0-27, 28 for the stock's place, ``None`` elsewhere."""
        for action in reversed(range(DRAW + 1)):
            if self._rectangles[action].collidepoint(x, y) and (action == DRAW or view.tableau[action] != NO_CARD):
                return action
        return None


def frame(view: View, painter: Painter) -> np.ndarray:
    """Return a picture of a board, uint8 (height, width, 3)."""
    pixels = np.frombuffer(pygame.image.tobytes(painter.paint(view), "RGB"), dtype=np.uint8)
    return pixels.reshape(painter.size[1], painter.size[0], 3).copy()
