"""Shapes, symbols and letters at any size: drawn large, then shrunk, so that every edge is smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np
import pygame

Colour = tuple[int, int, int] | tuple[int, int, int, int]
Point = tuple[float, float]

FINE = 4  # how many times larger things are drawn than they are shown
CAPITALS = 2.02  # the size of the font by the height of its capitals


@lru_cache(maxsize=64)
def font(height: int) -> pygame.font.Font:
    """Return the font that pygame brings along, in a size in pixels; it is read once."""
    pygame.font.init()
    return pygame.font.Font(None, height)


def text_image(text: str, height: float, colour: Colour) -> pygame.Surface:
    """Return a text whose capitals are about ``height`` pixels high, cut to what is inked."""
    letters = font(max(6, round(height * FINE * CAPITALS)))
    if text.isdigit():  # the font kerns some pairs of digits apart
        one, high = letters.size("0")
        image = clear(one * len(text), high, colour)
        for i, digit in enumerate(text):
            image.blit(letters.render(digit, True, colour), (i * one, 0))
    else:
        image = letters.render(text, True, colour)
    image = image.subsurface(image.get_bounding_rect())
    return shrunk(image, round(image.get_width() / FINE), round(image.get_height() / FINE))


def shrunk(image: pygame.Surface, width: int, height: int) -> pygame.Surface:
    """Return an image made smaller, every pixel the mean of what it covers."""
    return pygame.transform.smoothscale(image, (max(1, width), max(1, height)))


def clear(width: int, height: int, colour: Colour) -> pygame.Surface:
    """Return a transparent image; ``colour`` is what its edges blend to when it is shrunk."""
    image = pygame.Surface((max(1, width), max(1, height)), pygame.SRCALPHA)
    image.fill((*colour[:3], 0))
    return image


def fine(width: float, height: float, colour: Colour, draw: Callable[[pygame.Surface, float], None]) -> pygame.Surface:
    """Return a transparent image of a size in pixels; ``draw`` gets it larger, and by how much."""
    w, h = max(1, round(width)), max(1, round(height))
    image = clear(w * FINE, h * FINE, colour)
    draw(image, FINE)
    return shrunk(image, w, h)


def curve(*points: Point) -> list[Point]:
    """Return 25 points on a cubic Bézier curve, given by its four control points."""
    t = np.linspace(0, 1, 25)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)
    return [(x, y) for x, y in (weights @ np.array(points)).tolist()]


def mirrored(half: Iterable[Point]) -> list[Point]:
    """Return a closed outline from its right half, given from top to bottom."""
    half = list(half)
    return half + [(1 - x, y) for x, y in reversed(half)]


_HEART = mirrored(
    curve((0.5, 0.24), (0.56, 0.02), (0.98, -0.02), (0.98, 0.33))
    + curve((0.98, 0.33), (0.98, 0.6), (0.62, 0.74), (0.5, 1.0))
)
_SPADE = mirrored(
    curve((0.5, 0.0), (0.62, 0.24), (0.98, 0.38), (0.98, 0.63))
    + curve((0.98, 0.63), (0.98, 0.9), (0.62, 0.9), (0.55, 0.7))
)
_STEM = mirrored(curve((0.53, 0.62), (0.54, 0.84), (0.6, 0.96), (0.74, 1.0)))
_DIAMOND = mirrored(
    curve((0.5, 0.0), (0.6, 0.2), (0.74, 0.38), (0.9, 0.5)) + curve((0.9, 0.5), (0.74, 0.62), (0.6, 0.8), (0.5, 1.0))
)
_CIRCLES = ((0.5, 0.25, 0.235), (0.25, 0.59, 0.235), (0.75, 0.59, 0.235), (0.5, 0.5, 0.15))


@lru_cache(maxsize=128)
def suit_image(suit: int, height: float, colour: Colour) -> pygame.Surface:
    """Return the symbol of a suit (0 clubs, 1 diamonds, 2 hearts, 3 spades), as wide as it is high; not to be drawn on."""

    def draw(image: pygame.Surface, scale: float) -> None:
        if suit == 0:
            side = image.get_width()
            for x, y, radius in _CIRCLES:
                pygame.draw.circle(image, colour, (x * side, y * side), radius * side)
        else:
            fill(image, colour, (_DIAMOND, _HEART, _SPADE)[suit - 1])
        if suit in (0, 3):
            fill(image, colour, _STEM)

    return fine(height, height, colour, draw)


def fill(image: pygame.Surface, colour: Colour, outline: Iterable[Point], line: int = 0) -> None:
    """Fill an outline, given in shares of an image's size, or draw it with the width of a ``line``."""
    w, h = image.get_size()
    pygame.draw.polygon(image, colour, [(x * w, y * h) for x, y in outline], line)


def rounded(
    image: pygame.Surface, colour: Colour, rectangle: tuple[float, ...], radius: float, line: float = 0
) -> None:
    """Draw a rectangle with round corners, filled or, with the width of a ``line``, its outline."""
    area = pygame.Rect(*(round(each) for each in rectangle))
    pygame.draw.rect(image, colour, area, width=max(1, round(line)) if line else 0, border_radius=round(radius))


def bordered(image: pygame.Surface, colour: Colour, edge: Colour, radius: float, line: float) -> None:
    """Fill an image with a rectangle with round corners that has an edge inside."""
    w, h = image.get_size()
    rounded(image, edge, (0, 0, w, h), radius)
    if min(w, h) > 2 * line:
        rounded(image, colour, (line, line, w - 2 * line, h - 2 * line), max(0.0, radius - line))


def centred(image: pygame.Surface, part: pygame.Surface, x: float, y: float) -> None:
    """Draw ``part`` with its middle at a point."""
    image.blit(part, (round(x - part.get_width() / 2), round(y - part.get_height() / 2)))
