"""The landscape behind the cards: a mountain for each peak, and a meadow under the stock and the waste."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pygame

from tripeaks_env.pictures.shapes import FINE, Colour, Point, shrunk

SKY: tuple[Colour, Colour] = ((30, 62, 98), (92, 142, 158))  # above and at the horizon
GROUND: tuple[Colour, Colour] = ((28, 98, 78), (14, 58, 50))
ROCK: Colour = (48, 88, 114)
ROCK_SHADE: Colour = (38, 74, 100)
SNOW: Colour = (206, 224, 232)
SNOW_SHADE: Colour = (168, 194, 208)


def landscape(width: int, height: int, unit: float, horizon: float, summits: Sequence[Point]) -> pygame.Surface:
    """Return the landscape as an opaque image.

    Args:
        width: in pixels.
        height: in pixels.
        unit: the width of a card, in pixels.
        horizon: how far down the meadow begins, in pixels.
        summits: the points of the left, centre and right mountain, in pixels.
    """
    scale = 2 if width > 400 else FINE
    image = pygame.Surface((width * scale, height * scale))
    for line in range(image.height):
        image.fill(_between(SKY, line / max(1.0, horizon * scale)), (0, line, image.width, 1))
    for x, y in (summits[0], summits[2], summits[1]):
        _draw_mountain(image, x * scale, y * scale, (horizon + 0.5 * unit) * scale, unit * scale)
    _draw_meadow(image, horizon * scale, 0.16 * unit * scale)
    small = shrunk(image, width, height)
    surface = pygame.Surface((width, height), depth=32)
    surface.blit(small, (0, 0))
    return surface


def _draw_meadow(image: pygame.Surface, horizon: float, bulge: float) -> None:
    """Draw a round hill from the horizon down."""
    width, height = image.get_size()
    reach, depth, top = 1.2 * width, 3 * height, horizon - bulge
    for y in range(max(0, round(top)), height):
        half = reach * math.sqrt(max(0.0, 1 - (1 - 2 * (y - top) / depth) ** 2))
        colour = _between(GROUND, (y - horizon) / max(1.0, height - horizon))
        image.fill(colour, (round(width / 2 - half), y, round(2 * half), 1))


def _between(colours: tuple[Colour, Colour], share: float) -> pygame.Color:
    """Return the colour so far from the first to the second, 0 to 1."""
    first, second = (pygame.Color(*colour) for colour in colours)
    return first.lerp(second, min(1.0, max(0.0, share)))


def _draw_mountain(image: pygame.Surface, x: float, y: float, foot: float, unit: float) -> None:
    """Draw a mountain with its summit at a point: lit from the left, with snow on it."""
    slope = 2.5 * unit / max(1.0, foot - y)

    def at(across: float, down: float) -> Point:
        return x + across * slope * down, y + down

    high = foot - y
    ridge = [at(0, 0), at(0.12, 0.3 * high), at(-0.06, 0.62 * high), at(0.1, high)]
    pygame.draw.polygon(image, ROCK, [at(0, 0), at(1, 2 * high), at(-1, 2 * high)])  # on under the meadow
    pygame.draw.polygon(image, ROCK_SHADE, [*ridge, at(0.1, 2 * high), at(1, 2 * high)])
    cap = 0.34 * high
    snow = [at(0, 0), at(1, 0.92 * cap), at(0.45, 0.74 * cap), at(0.1, cap), at(-0.3, 0.72 * cap), at(-1, 0.86 * cap)]
    pygame.draw.polygon(image, SNOW, snow)
    pygame.draw.polygon(image, SNOW_SHADE, [at(0, 0), at(1, 0.92 * cap), at(0.45, 0.74 * cap), at(0.1, cap)])
