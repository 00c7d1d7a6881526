"""Images of playing cards, drawn from shapes at any size."""

from __future__ import annotations

import math
from itertools import product

import pygame

from tripeaks_env.game.cards import JOKER, RANKS
from tripeaks_env.pictures.shapes import (
    Colour,
    Point,
    bordered,
    centred,
    clear,
    curve,
    fill,
    fine,
    rounded,
    shrunk,
    suit_image,
    text_image,
)

PAPER: Colour = (253, 251, 245)
EDGE: Colour = (176, 168, 152)
RED: Colour = (200, 28, 40)
BLACK: Colour = (24, 28, 36)
GOLD: Colour = (240, 184, 48)
BACK_RED: Colour = (158, 30, 46)
BACK_LIGHT: Colour = (214, 92, 92)
SKIN: Colour = (248, 214, 178)
SUIT_COLOURS = (BLACK, RED, RED, BLACK)  # clubs, diamonds, hearts, spades
HAIR = {"J": (196, 128, 52), "Q": (122, 66, 32), "K": (110, 104, 104)}
ROBES = {"red": ((196, 40, 48), (44, 72, 140)), "black": ((44, 72, 140), (196, 40, 48))}

ASPECT = 1.4
"""Height of a card by its width."""
SMALL = 44  # a card narrower than this shows only rank and suit, as large as they can be

# How far down the field of the pips of 2 to 10 two lie side by side, and one in the middle. Those below its middle stand on
# their head.
PIPS: dict[int, tuple[tuple[float, ...], tuple[float, ...]]] = {
    2: ((), (0, 1)),
    3: ((), (0, 0.5, 1)),
    4: ((0, 1), ()),
    5: ((0, 1), (0.5,)),
    6: ((0, 0.5, 1), ()),
    7: ((0, 0.5, 1), (0.25,)),
    8: ((0, 0.5, 1), (0.25, 0.75)),
    9: ((0, 1 / 3, 2 / 3, 1), (0.5,)),
    10: ((0, 1 / 3, 2 / 3, 1), (1 / 6, 5 / 6)),
}


class CardArt:
    """The images of cards of one width.

    Args:
        width: of a card, in pixels.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.height = round(width * ASPECT)
        self.radius = 0.08 * width

    def card(self, number: int) -> pygame.Surface:
        """Return the face of a card number, the joker included."""
        if number == JOKER:
            return self._joker()
        suit, rank = divmod(number, 13)
        image = self._paper()
        if self.width < SMALL:
            self._draw_large(image, rank + 1, suit)
        else:
            self._draw_index(image, rank + 1, suit)
            if rank == 0:
                centred(image, _symbol(suit, 0.5 * self.width), self.width / 2, self.height / 2)
            elif rank < 10:
                self._draw_pips(image, rank + 1, suit)
            else:
                self._draw_court(image, rank + 1, suit)
        return image

    def back(self) -> pygame.Surface:
        """Return the back of the cards: a lattice, and three peaks in the middle of it."""
        w, h, r = self.width, self.height, self.radius

        def draw(image: pygame.Surface, s: float) -> None:
            self._draw_paper(image, s)
            inset = min(max(2, 0.06 * w), w / 4) * s
            field = pygame.Surface((round(w * s - 2 * inset), round(h * s - 2 * inset)), pygame.SRCALPHA)
            field.fill(BACK_RED)
            step, thick = max(5.0, 0.115 * w) * s, max(1, round(max(0.6, 0.012 * w) * s))
            fw, fh = field.get_size()
            for i in range(-math.ceil(fh / step) - 1, math.ceil(fw / step) + math.ceil(fh / step) + 1):
                x = fw / 2 % step + i * step
                pygame.draw.line(field, BACK_LIGHT, (x, 0), (x + fh, fh), thick)
                pygame.draw.line(field, BACK_LIGHT, (x, 0), (x - fh, fh), thick)
            if w >= SMALL:
                line = 0.03 * w * s
                rounded(field, PAPER, (line, line, fw - 2 * line, fh - 2 * line), 0.04 * w * s, thick)
            radius = 0.27 * w * s
            pygame.draw.circle(field, PAPER, (fw / 2, fh / 2), radius)
            pygame.draw.circle(field, BACK_RED, (fw / 2, fh / 2), radius * 0.88)
            for x, peak, half in ((-0.42, -0.05, 0.34), (0.42, -0.05, 0.34), (0.0, -0.48, 0.46)):
                tip = (fw / 2 + x * radius, fh / 2 + peak * radius)
                foot = fh / 2 + 0.4 * radius
                pygame.draw.polygon(field, PAPER, [tip, (tip[0] + half * radius, foot), (tip[0] - half * radius, foot)])
            mask = clear(fw, fh, BACK_RED)
            rounded(mask, (255, 255, 255, 255), (0, 0, fw, fh), max(0.0, r * s - inset / 2))
            field.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
            image.blit(field, (inset, inset))

        return fine(w, h, EDGE, draw)

    def place(self, colour: Colour) -> pygame.Surface:
        """Return an empty place for a card: its outline, dashed."""
        w, h, r = self.width, self.height, self.radius

        def draw(image: pygame.Surface, s: float) -> None:
            line, dash = max(1.2, 0.022 * w) * s, 0.1 * w * s
            rounded(image, colour, (line, line, w * s - 2 * line, h * s - 2 * line), r * s, line)
            across, down = (range(round(dash), round(length * s - dash), round(2 * dash)) for length in (w, h))
            gaps: list[tuple[float, ...]] = [(x, y, dash, 3 * line) for x in across for y in (0, h * s - 3 * line)]
            gaps += [(x, y, 3 * line, dash) for y in down for x in (0.0, w * s - 3 * line)]
            for gap in gaps:
                image.fill((*colour[:3], 0), gap)

        return fine(w, h, colour, draw)

    def shade(self, colour: Colour) -> pygame.Surface:
        """Return a veil of the shape of a card."""
        w, h, r = self.width, self.height, self.radius
        return fine(w, h, colour, lambda image, s: rounded(image, colour, (0, 0, w * s, h * s), r * s))

    def glow(self, colour: Colour, margin: int, rim: float = 0) -> pygame.Surface:
        """Return light or shadow around a card, ``margin`` pixels larger on each side; it fades outwards from a full rim."""
        w, h, r = self.width, self.height, self.radius
        opacity = colour[3] if len(colour) == 4 else 255
        steps = 2 * margin

        def draw(image: pygame.Surface, s: float) -> None:
            def around(width: float, share: float) -> None:
                area = tuple(each * s for each in (margin - width, margin - width, w + 2 * width, h + 2 * width))
                rounded(image, (*colour[:3], round(opacity * share)), area, (r + width) * s)

            for i in range(1, steps + 1):
                around(margin * (1 - i / steps), 0.8 * (i / steps) ** 2)
            if rim:
                around(rim, 1)

        return fine(w + 2 * margin, h + 2 * margin, colour, draw)

    def _paper(self) -> pygame.Surface:
        """Return an empty face."""
        return fine(self.width, self.height, EDGE, self._draw_paper)

    def _draw_paper(self, image: pygame.Surface, s: float) -> None:
        bordered(image, PAPER, EDGE, self.radius * s, max(1.0, 0.012 * self.width) * s)

    def _draw_large(self, image: pygame.Surface, rank: int, suit: int) -> None:
        """Draw rank and suit as large as the card allows: the rank above, where no other card lies."""
        w, h = self.width, self.height
        text = _rank_image(rank, 0.46 * w, SUIT_COLOURS[suit], 0.66 * w)
        image.blit(text, (round(0.12 * w), round(0.12 * w)))
        symbol = _symbol(suit, 0.56 * w)
        image.blit(symbol, (w - round(0.12 * w) - symbol.get_width(), h - round(0.12 * w) - symbol.get_height()))

    def _draw_index(self, image: pygame.Surface, rank: int, suit: int) -> None:
        """Draw rank and suit into the upper left corner and, turned, into the lower right one."""
        w, h = self.width, self.height
        text = _rank_image(rank, 0.225 * w, SUIT_COLOURS[suit], 0.225 * w)
        symbol = _symbol(suit, 0.18 * w)
        corner = clear(round(0.26 * w), round(0.56 * w), PAPER)
        middle = 0.143 * w
        corner.blit(text, (round(middle - text.get_width() / 2), round(0.08 * w)))
        corner.blit(symbol, (round(middle - symbol.get_width() / 2), round(0.345 * w)))
        image.blit(corner, (0, 0))
        turned = pygame.transform.rotate(corner, 180)
        image.blit(turned, (w - turned.get_width(), h - turned.get_height()))

    def _draw_pips(self, image: pygame.Surface, rank: int, suit: int) -> None:
        w, h = self.width, self.height
        symbol = _symbol(suit, (0.18 if rank < 9 else 0.155) * w)
        turned = pygame.transform.flip(symbol, False, True)
        for ys, xs in zip(PIPS[rank], ((0.37, 0.63), (0.5,)), strict=True):
            for x, y in product(xs, ys):
                centred(image, turned if y > 0.5 else symbol, w * x, h * (0.16 + 0.68 * y))

    def _draw_court(self, image: pygame.Surface, rank: int, suit: int) -> None:
        """Draw a jack, queen or king: a panel with the figure in its upper half and, turned, in its lower one."""
        w, h = self.width, self.height
        pw, ph = round(0.48 * w), round(0.76 * h / 2) * 2

        def draw(panel: pygame.Surface, s: float) -> None:
            ground = (247, 236, 206)
            panel.fill(ground)
            half = clear(round(pw * s), round(ph * s / 2), ground)
            _draw_figure(half, RANKS[rank - 1], SUIT_COLOURS[suit] == RED)
            panel.blit(half, (0, 0))
            panel.blit(pygame.transform.rotate(half, 180), (0, ph * s / 2))
            thick = max(1, round(0.018 * w * s))
            pygame.draw.line(panel, GOLD, (0, ph * s / 2), (pw * s, ph * s / 2), 2 * thick)
            pygame.draw.rect(panel, SUIT_COLOURS[suit], panel.get_rect(), thick)

        panel = fine(pw, ph, PAPER, draw)
        symbol = _symbol(suit, 0.15 * w)
        inset = round(0.035 * w)
        panel.blit(symbol, (inset, inset))
        turned = pygame.transform.flip(symbol, False, True)
        panel.blit(turned, (pw - inset - turned.get_width(), ph - inset - turned.get_height()))
        image.blit(panel, (round((w - pw) / 2), round((h - ph) / 2)))

    def _joker(self) -> pygame.Surface:
        """Return the joker: a star in the colours of all suits."""
        w, h = self.width, self.height
        image = self._paper()
        colours: tuple[Colour, ...] = (RED, (44, 72, 140), GOLD, (40, 130, 84), (122, 66, 150))

        def draw(star: pygame.Surface, s: float) -> None:
            side = star.get_width()
            corners = []
            for i in range(10):
                angle, radius = math.pi * i / 5, side * (0.5 if i % 2 == 0 else 0.22)
                corners.append((side / 2 + math.sin(angle) * radius, side / 2 - math.cos(angle) * radius))
            for at, colour in zip(range(0, 10, 2), colours, strict=True):
                pygame.draw.polygon(star, colour, [(side / 2, side / 2), corners[at - 1], *corners[at : at + 2]])

        star = fine(0.72 * w, 0.72 * w, GOLD, draw)
        centred(image, star, w / 2, h * (0.5 if self.width >= SMALL else 0.42))
        if self.width >= SMALL:
            text = text_image("JOKER", 0.12 * w, BLACK)
            centred(image, text, w / 2, 0.13 * h)
            centred(image, pygame.transform.rotate(text, 180), w / 2, 0.87 * h)
        return image


def _symbol(suit: int, height: float) -> pygame.Surface:
    """Return the symbol of a suit in its colour."""
    return suit_image(suit, height, SUIT_COLOURS[suit])


def _rank_image(rank: int, height: float, colour: Colour, widest: float) -> pygame.Surface:
    image = text_image("10" if rank == 10 else RANKS[rank - 1], height, colour)
    return shrunk(image, round(widest), image.height) if image.width > widest else image


def _draw_figure(image: pygame.Surface, rank: str, red: bool) -> None:
    """Draw the bust of a jack, queen or king that fills an image from its lower edge."""
    w, h = image.get_size()
    robe, trim = ROBES["red" if red else "black"]
    hair = HAIR[rank]

    def polygon(colour: Colour, *points: Point) -> None:
        fill(image, colour, points)

    def disc(colour: Colour, x: float, y: float, radius: float) -> None:
        pygame.draw.circle(image, colour, (x * w, y * h), radius * w)

    def oval(colour: Colour, x: float, y: float, rx: float, ry: float) -> None:
        pygame.draw.ellipse(image, colour, ((x - rx) * w, (y - ry) * h, 2 * rx * w, 2 * ry * h))

    # Hair behind the head, then shoulders, collar and neck.
    if rank == "Q":
        oval(hair, 0.5, 0.6, 0.3, 0.3)
        polygon(hair, (0.2, 0.6), (0.8, 0.6), (0.84, 0.92), (0.16, 0.92))
    elif rank == "J":
        oval(hair, 0.5, 0.56, 0.27, 0.23)
        polygon(hair, (0.23, 0.56), (0.77, 0.56), (0.79, 0.76), (0.21, 0.76))
    else:
        oval(hair, 0.5, 0.58, 0.27, 0.26)
    polygon(robe, (0.02, 1.0), (0.06, 0.9), (0.3, 0.8), (0.7, 0.8), (0.94, 0.9), (0.98, 1.0))
    polygon(GOLD, (0.34, 0.78), (0.66, 0.78), (0.56, 1.0), (0.44, 1.0))
    polygon(trim, (0.39, 0.78), (0.61, 0.78), (0.53, 1.0), (0.47, 1.0))
    polygon(SKIN, (0.43, 0.66), (0.57, 0.66), (0.58, 0.82), (0.5, 0.87), (0.42, 0.82))
    oval(SKIN, 0.5, 0.57, 0.185, 0.2)
    if rank == "K":  # beard
        polygon(
            hair,
            *curve((0.31, 0.58), (0.33, 0.8), (0.42, 0.86), (0.5, 0.92)),
            *curve((0.5, 0.92), (0.58, 0.86), (0.67, 0.8), (0.69, 0.58)),
            *((0.6, 0.66), (0.5, 0.64), (0.4, 0.66)),
        )
        oval((168, 62, 58), 0.5, 0.705, 0.05, 0.022)
    else:
        oval((190, 66, 70), 0.5, 0.685, 0.055, 0.022)
        for x in (0.38, 0.62):
            oval((244, 188, 160), x, 0.65, 0.04, 0.03)
    for x in (0.425, 0.575):
        oval(BLACK, x, 0.56, 0.024, 0.03)
    # What is on the head.
    if rank == "J":
        oval(hair, 0.5, 0.43, 0.2, 0.07)
        polygon(robe, (0.22, 0.42), (0.26, 0.27), (0.5, 0.2), (0.74, 0.25), (0.8, 0.42))
        polygon(trim, (0.2, 0.46), (0.2, 0.37), (0.82, 0.37), (0.82, 0.46))
        feather = curve((0.7, 0.38), (0.78, 0.26), (0.82, 0.14), (0.96, 0.1))
        back = curve((0.96, 0.1), (0.98, 0.24), (0.88, 0.34), (0.7, 0.38))
        polygon(GOLD, *feather, *back)
    elif rank == "Q":
        oval(hair, 0.5, 0.44, 0.2, 0.08)
        polygon(GOLD, (0.29, 0.44), (0.25, 0.24), (0.38, 0.33), (0.5, 0.17), (0.62, 0.33), (0.75, 0.24), (0.71, 0.44))
        for x, y in ((0.25, 0.23), (0.5, 0.16), (0.75, 0.23)):
            disc(PAPER, x, y, 0.042)
            disc(trim, x, y, 0.028)
        disc(robe, 0.5, 0.36, 0.04)
    else:
        polygon(
            GOLD,
            *((0.27, 0.45), (0.22, 0.16), (0.36, 0.29), (0.43, 0.12), (0.5, 0.27)),
            *((0.57, 0.12), (0.64, 0.29), (0.78, 0.16), (0.73, 0.45)),
        )
        polygon(robe, (0.275, 0.44), (0.265, 0.38), (0.735, 0.38), (0.725, 0.44))
        for x, y in ((0.22, 0.16), (0.43, 0.12), (0.57, 0.12), (0.78, 0.16)):
            disc(GOLD, x, y, 0.04)
        for x in (0.36, 0.5, 0.64):
            disc(PAPER, x, 0.41, 0.022)
