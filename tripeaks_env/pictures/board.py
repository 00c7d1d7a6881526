"""The board as a picture of any size, drawn from a :class:`View` alone.

It needs pygame-ce, but no display: what is painted is a surface or an array. :mod:`~tripeaks_env.pictures.cards` draws cards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pygame

from tripeaks_env.game.cards import JOKER, NO_CARD
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import HALF_COLUMNS, PEAKS, POSITIONS, ROWS
from tripeaks_env.game.view import BACK, View
from tripeaks_env.pictures.cards import ASPECT, CardArt
from tripeaks_env.pictures.landscape import landscape
from tripeaks_env.pictures.shapes import Colour, Point, centred, fill, fine, rounded, text_image

TEXT: Colour = (255, 255, 255)
LABEL: Colour = (178, 214, 200)
PLAYABLE: Colour = (255, 204, 51)
LAST: Colour = (126, 226, 255)
DARK = (12, 24, 34)
EMPTY_PLACE: Colour = (255, 255, 255, 90)
VEIL: Colour = (10, 24, 40, 90)  # over face-up cards that others cover

# Lengths by the width of a card.
PITCH = 1.12  # from a card to its right neighbour
SIDE = 0.35  # free at the sides
WIDTH = 9 * PITCH + 1 + 2 * SIDE
LEAST_STEP, MOST_STEP = 0.42 * ASPECT, 0.62 * ASPECT  # from a row to the next
GAPS = (0.3, 0.36, 0.34)  # above the tableau, between it and the stock, below the stock
HEIGHT = sum(GAPS) + 3 * LEAST_STEP + 2 * ASPECT
FAN = 0.055  # from a stock card to the next
STOCK_LEFT, WASTE_LEFT = -1.0, 0.2  # from the middle
APEX = 0.62  # of a mountain, below the upper edge of its summit's card


class Words(NamedTuple):
    """The words in a picture."""

    score: str = "Score"
    moves: str = "Moves"
    won: str = "Won!"
    blocked: str = "No more moves"


class Painter:
    """Paints boards of one size. Fonts, background and images of cards are made here, once; those of texts when first met.

    Args:
        width: of the picture in pixels.
        height: of the picture in pixels.
        words: the words in the picture, for other languages.
    """

    def __init__(self, width: int, height: int, words: Words | None = None) -> None:
        if width < 1 or height < 1:
            raise ValueError(f"the size of a picture is {width} x {height}; it must be at least 1 x 1")
        self.size = (width, height)
        self.words = words or Words()
        self._unit = min(width / WIDTH, height / HEIGHT)
        art = CardArt(max(1, round(self._unit)))
        self.card_size = (art.width, art.height)
        self._place()
        self._margin = max(2, round(0.13 * art.width))
        self._dress(art)
        self._background = landscape(width, height, self._unit, self._horizon, self._summits())
        self._text = lru_cache(maxsize=512)(text_image)
        self.paint(Game(Deal.from_number(0)).view()._replace(status=Status.WON))  # so that every font is there

    def _place(self) -> None:
        """Find the places of the cards; what height is left over goes to the gaps."""
        (width, height), unit = self.size, self._unit
        spare = height / unit - HEIGHT
        step = min(MOST_STEP, LEAST_STEP + max(0.0, spare) / 3)
        free = max(0.0, spare - 3 * (step - LEAST_STEP)) / 3
        above, between, _ = (gap + free for gap in GAPS)

        def rectangle(x: float, y: float) -> pygame.Rect:
            return pygame.Rect((round(width / 2 + x * unit), round(y * unit)), self.card_size)

        self._rectangles = [
            rectangle(HALF_COLUMNS[position] * PITCH / 2 - 4.5 * PITCH - 0.5, above + row * step)
            for row, positions in enumerate(ROWS)
            for position in positions
        ]
        below = above + 3 * step + ASPECT + between
        self._rectangles.append(rectangle(STOCK_LEFT, below))
        self._waste = rectangle(WASTE_LEFT, below)
        self._horizon = (below - 0.5 * between - 0.35) * unit

    def _summits(self) -> list[Point]:
        return [(self._rectangles[p].centerx, self._rectangles[p].top + APEX * self._unit) for p in range(PEAKS)]

    def _dress(self, art: CardArt) -> None:
        """Make all images: each card with its shadow, what marks cards, a flag."""
        margin, unit = self._margin, self._unit
        self._shadow = art.glow((0, 0, 0, 170), margin)
        self._slight = self._shadow.copy()  # on other cards
        self._slight.set_alpha(110)
        self._cards = {card: art.back() if card == BACK else art.card(card) for card in (*range(JOKER + 1), BACK)}
        self._veil = art.shade(VEIL)
        self._empty = art.place(EMPTY_PLACE)
        self._left = art.place((*LAST[:3], 200))
        rim = max(1.5, 0.04 * unit)
        self._glow = art.glow(PLAYABLE, margin, rim)
        self._ring = art.glow(LAST, margin, rim)
        self._arrow = fine(
            0.14 * unit, 0.24 * unit, LAST, lambda image, s: fill(image, LAST, ((0, 0), (1, 0.5), (0, 1)))
        )
        self._flag = fine(0.42 * unit, 0.56 * unit, PLAYABLE, _draw_flag)
        self._badge = fine(0.64 * unit, 0.64 * unit, TEXT, _draw_badge)

    def rectangle(self, action: int) -> pygame.Rect:
        """Return where the card of an action lies, of 28 the topmost stock card."""
        return self._rectangles[action].copy()

    @property
    def waste_rectangle(self) -> pygame.Rect:
        """Where the waste card lies."""
        return self._waste.copy()

    def card_image(self, card: int) -> pygame.Surface:
        """Return the image of a card, by its number or ``BACK``; not to be drawn on."""
        return self._cards[card]

    def paint(self, view: View) -> pygame.Surface:
        """Return a picture of a board: a surface of its own."""
        surface = self._background.copy()
        tableau, exposed = view.tableau.tolist(), view.exposed()
        for peak, (x, y) in enumerate(self._summits()):
            if tableau[peak] == NO_CARD:
                surface.blit(self._flag, (round(x), round(y) - self._flag.get_height()))
        if view.last is not None and view.last != DRAW:
            surface.blit(self._left, self._rectangles[view.last])
        for position, card in enumerate(tableau):
            if card == NO_CARD:
                continue
            place = self._rectangles[position].topleft
            self._draw_card(surface, card, place, self._glow if position in view.playable else self._shadow)
            if card != BACK and position not in exposed:
                surface.blit(self._veil, place)
        self._paint_stock(surface, view)
        self._paint_waste(surface, view)
        self._paint_texts(surface, view)
        return surface

    def _draw_card(self, surface: pygame.Surface, card: int, place: tuple[int, int], light: pygame.Surface) -> None:
        """Draw a card with light or shadow around it."""
        surface.blit(light, (place[0] - self._margin, place[1] - self._margin))
        surface.blit(self._cards[card], place)

    def _paint_stock(self, surface: pygame.Surface, view: View) -> None:
        rectangle = self._rectangles[DRAW]
        if not view.stock:
            surface.blit(self._empty, rectangle)
        else:
            strip = pygame.Rect(0, 0, self.card_size[0] // 2, self.card_size[1])  # of a card, more than shows
            lefts = [round(rectangle.left - under * FAN * self._unit) for under in range(view.stock - 1, 0, -1)]
            if lefts:
                surface.blit(self._shadow, (lefts[0] - self._margin, rectangle.top - self._margin))
            for left in lefts:
                surface.blit(self._cards[BACK], (left, rectangle.top), strip)
            light = self._glow if DRAW in view.playable else self._slight
            self._draw_card(surface, BACK, rectangle.topleft, light)
            centred(surface, self._badge, *rectangle.center)
            centred(surface, self._text(str(view.stock), 0.25 * self._unit, TEXT), *rectangle.center)

    def _paint_waste(self, surface: pygame.Surface, view: View) -> None:
        if view.waste == NO_CARD:
            surface.blit(self._empty, self._waste)
            return
        self._draw_card(surface, view.waste, self._waste.topleft, self._shadow if view.last is None else self._ring)
        if view.last == DRAW:
            centred(surface, self._arrow, (self._rectangles[DRAW].right + self._waste.left) / 2, self._waste.centery)

    def _paint_texts(self, surface: pygame.Surface, view: View) -> None:
        unit, top = self._unit, self._waste.top
        for word, number, right in ((self.words.score, view.score, False), (self.words.moves, view.moves, True)):
            label = self._text(word.upper(), 0.17 * unit, LABEL)
            value = self._text(str(number), 0.46 * unit, TEXT)
            for image, y in ((label, top + 0.34 * unit), (value, top + 0.66 * unit)):
                edge = self._rectangles[ROWS[-1][-1]].right - image.get_width() if right else self._rectangles[18].left
                surface.blit(image, (edge, round(y)))
        if view.status != Status.PLAYING:
            words = self.words.won if view.status == Status.WON else self.words.blocked
            text = self._text(words, min(0.42, 12 / len(words)) * unit, TEXT)
            x, y = self.size[0] / 2, (self._rectangles[0].top + self._rectangles[18].bottom) / 2

            def draw_banner(image: pygame.Surface, s: float) -> None:
                w, h = image.get_size()
                rounded(image, (*DARK, 225), (0, 0, w, h), h / 2)
                rounded(image, PLAYABLE, (0, 0, w, h), h / 2, max(1.0, 0.03 * unit) * s)

            centred(surface, fine(text.width + 1.1 * unit, text.height + 0.8 * unit, PLAYABLE, draw_banner), x, y)
            centred(surface, text, x, y)

    def action_at(self, x: int, y: int, view: View) -> int | None:
        """Return the action of the topmost card at a point: 0-27, 28 for the stock's place, ``None`` elsewhere."""
        stock = self._rectangles[DRAW]
        lowest = stock.move(round(-max(0, view.stock - 1) * FAN * self._unit), 0)
        if stock.union(lowest).collidepoint(x, y):
            return DRAW
        for position in reversed(range(POSITIONS)):
            if view.tableau[position] != NO_CARD and self._rectangles[position].collidepoint(x, y):
                return position
        return None


@lru_cache(maxsize=4)
def painter_of(width: int, height: int) -> Painter:
    """Return the painter of a size with English words: the same one each time, as long as few sizes are in use."""
    return Painter(width, height)


def frame(view: View, painter: Painter) -> np.ndarray:
    """Return a picture of a board, uint8 (height, width, 3)."""
    width, height = painter.size
    padded = -(-width // 4) * 4  # so that its lines lie without gaps
    red_first = (0xFF, 0xFF00, 0xFF0000, 0)
    pixels = pygame.Surface((padded, height), 0, 24, red_first)  # drawing is the fastest way to get bytes in order
    pixels.blit(painter.paint(view), (0, 0))
    return np.asarray(pixels.get_view("0"), dtype=np.uint8).reshape(height, padded, 3)[:, :width].copy()


def _draw_flag(image: pygame.Surface, scale: float) -> None:
    w, h = image.get_size()
    image.fill((*TEXT, 255), (0, 0, max(1, w // 9), h))
    fill(image, PLAYABLE, ((0.09, 0.02), (1, 0.26), (0.09, 0.5)))


def _draw_badge(image: pygame.Surface, scale: float) -> None:
    side = image.get_width()
    pygame.draw.circle(image, TEXT, (side / 2, side / 2), side / 2)
    pygame.draw.circle(image, DARK, (side / 2, side / 2), 0.45 * side)
