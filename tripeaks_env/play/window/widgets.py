"""What a window has beside the board: words, buttons, a text field, panels. Drawn at any size, without a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import pygame

from tripeaks_env.game.cards import SUIT_SYMBOLS
from tripeaks_env.pictures.shapes import FINE, Colour, bordered, clear, fill, fine, font, shrunk, suit_image

FELT: Colour = (16, 52, 42)
BAR: Colour = (11, 36, 30)
PANEL: Colour = (24, 50, 44)
EDGE: Colour = (62, 96, 84)
BUTTON: Colour = (38, 78, 66)
HOVER: Colour = (54, 104, 88)
INK: Colour = (243, 239, 226)
DIM: Colour = (160, 184, 170)
GOLD: Colour = (244, 196, 86)
WARNING: Colour = (255, 158, 120)
PAPER: Colour = (250, 248, 240)
RED: Colour = (196, 36, 44)
BLACK: Colour = (26, 28, 34)
SUIT_COLOURS = (BLACK, RED, RED, BLACK)  # clubs, diamonds, hearts, spades

LEAST_FONT = 6
MOST_WRITTEN = 40
"""Characters that a text field takes."""


@lru_cache(maxsize=256)
def panel(width: int, height: int, radius: int, colour: Colour, edge: Colour | None = None) -> pygame.Surface:
    """Return a rectangle with round corners, perhaps with an edge; not to be drawn on."""
    line = max(1, radius // 6) if edge else 0

    def draw(image: pygame.Surface, scale: float) -> None:
        bordered(image, colour, edge or colour, radius * scale, line * scale)

    return fine(width, height, edge or colour, draw)


@lru_cache(maxsize=16)
def peak(size: int, colour: Colour, full: bool) -> pygame.Surface:
    """Return a peak: a triangle, full or as an outline."""

    def draw(image: pygame.Surface, scale: float) -> None:
        fill(image, colour, ((0.5, 0.1), (0.95, 0.9), (0.05, 0.9)), 0 if full else max(1, image.get_width() // 12))

    return fine(size, size, colour, draw)


def measure(text: str, size: int) -> tuple[int, int]:
    """Return the width and height of a line of text without suits."""
    width, height = font(size * FINE).size(text)
    return round(width / FINE), round(height / FINE)


def words(text: str, size: int, colour: Colour, suits: bool = False) -> pygame.Surface:
    """Return one line of text, with ♣♦♥♠ as pictures: in their own colours if ``suits``, else in that of the text."""
    size = max(LEAST_FONT, size)
    parts: list[pygame.Surface] = []
    for part in re.split(f"([{SUIT_SYMBOLS}])", text):
        if len(part) == 1 and part in SUIT_SYMBOLS:
            suit = SUIT_SYMBOLS.index(part)
            parts.append(suit_image(suit, round(0.58 * size), SUIT_COLOURS[suit] if suits else colour))
        elif part:
            # Scaled down from large letters, small ones keep their shape and their distance.
            parts.append(shrunk(font(size * FINE).render(part, True, colour), *measure(part, size)))
    height, gap = measure("", size)[1], max(1, size // 12)
    line = clear(sum(part.get_width() + gap for part in parts) - gap, height, colour)
    x = 0
    for part in parts:
        line.blit(part, (x, (height - part.get_height()) // 2))
        x += part.get_width() + gap
    return line


def wrapped(text: str, size: int, width: int) -> list[str]:
    """Return a text as lines that are at most ``width`` pixels wide, as far as its words allow."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}".strip()
            if line and measure(longer, size)[0] > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines


def fitting(text: str, size: int, width: int, lines: int = 1) -> tuple[list[str], int]:
    """Return a text as lines, and the largest size up to ``size`` at which they are at most so many and so wide."""
    while True:
        found = wrapped(text, size, width)
        if size <= LEAST_FONT or (len(found) <= lines and all(measure(line, size)[0] <= width for line in found)):
            return found[:lines], size
        size -= 1


@dataclass
class Button:
    """Something to click.

    Attributes:
        command: what it asks for.
        label: what is written on it.
        key: the key that does the same, as it is written beside the label; empty for none.
        on: whether a switch is on; ``None`` for a plain button.
        main: whether it is the one that stands out.
        rect: where it is; empty as long as it has no place.
    """

    command: str
    label: str
    key: str = ""
    on: bool | None = None
    main: bool = False
    rect: pygame.Rect = field(default_factory=lambda: pygame.Rect(0, 0, 0, 0))

    def width(self, unit: int, keys: bool = True) -> int:
        """Return how wide it wants to be where a line of text is ``unit`` pixels high."""
        width = measure(self.label, unit)[0] + 1.3 * unit
        if self.on is not None:
            width += 1.3 * unit
        if self.key and keys:
            width += measure(self.key, round(0.75 * unit))[0] + 0.5 * unit
        return round(width)

    def draw(self, surface: pygame.Surface, unit: int, hover: bool, keys: bool = True) -> None:
        """Draw it at its place."""
        if not self.rect.w:
            return
        colour = GOLD if self.main else HOVER if hover else BUTTON
        ink = BLACK if self.main else INK
        edge = INK if hover and self.main else HOVER
        surface.blit(panel(*self.rect.size, round(0.45 * unit), colour, edge), self.rect)
        x, middle = self.rect.x + 0.65 * unit, self.rect.centery
        if self.on is not None:
            size = round(0.8 * unit)
            box = panel(size, size, size // 2, GOLD if self.on else BAR, GOLD if self.on else DIM)
            surface.blit(box, (round(x), middle - size // 2))
            x += 1.3 * unit
        label = words(self.label, unit, ink)
        surface.blit(label, (round(x), middle - label.get_height() // 2))
        if self.key and keys:
            key = words(self.key, round(0.75 * unit), ink if self.main else DIM)
            surface.blit(key, (self.rect.right - round(0.5 * unit) - key.get_width(), middle - key.get_height() // 2))


def place(buttons: Sequence[Button], box: pygame.Rect, unit: int, keys: bool = True) -> int:
    """Put buttons side by side, in as many centred rows as they need, from the top of a box; return the height taken."""
    gap, height = round(0.4 * unit), round(1.9 * unit)
    rows: list[list[Button]] = [[]]
    used = 0
    for button in buttons:
        button.rect.size = min(button.width(unit, keys), box.w), height
        if rows[-1] and used + button.rect.w > box.w:
            rows.append([])
            used = 0
        used += button.rect.w + gap
        rows[-1].append(button)
    y = box.y
    for row in rows:
        x = box.centerx - (sum(button.rect.w + gap for button in row) - gap) // 2
        for button in row:
            button.rect.topleft = x, y
            x += button.rect.w + gap
        y += height + gap
    return max(0, y - gap - box.y)


@dataclass
class Field:
    """A line of text to write; ``empty`` is what stands there as long as nothing is written."""

    empty: str
    text: str = ""
    cursor: int = 0

    def write(self, text: str) -> None:
        """Put a text in at the cursor, without what no line holds."""
        text = "".join(char for char in text if char.isprintable())[: MOST_WRITTEN - len(self.text)]
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def key(self, name: str) -> bool:
        """Carry out a key that moves or deletes; return whether it deletes."""
        before, after = self.text[: self.cursor], self.text[self.cursor :]
        steps = {"left": -1, "backspace": -1, "right": 1, "home": -MOST_WRITTEN, "end": MOST_WRITTEN}
        if name == "backspace":
            self.text = before[:-1] + after
        elif name == "delete":
            self.text = before + after[1:]
        self.cursor = min(max(0, self.cursor + steps.get(name, 0)), len(self.text))
        return name in ("backspace", "delete")

    def draw(self, surface: pygame.Surface, rect: pygame.Rect, unit: int) -> None:
        """Draw it into a rectangle."""
        surface.blit(panel(*rect.size, round(0.4 * unit), BAR, GOLD), rect)
        shown = words(self.text, unit, INK) if self.text else words(self.empty, unit, EDGE)
        inside = rect.inflate(-unit, 0)
        before = measure(self.text[: self.cursor], unit)[0]
        shift = max(0, before - inside.w + 2)
        old = surface.get_clip()
        surface.set_clip(inside.clip(old))
        surface.blit(shown, (inside.x - shift, rect.centery - shown.get_height() // 2))
        width = max(1, unit // 12)
        surface.fill(GOLD, (inside.x - shift + before, rect.centery - unit // 2, width, unit))
        surface.set_clip(old)
