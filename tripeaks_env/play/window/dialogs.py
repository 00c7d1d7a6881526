"""Panels over the board: a text, something to choose or to write, two lines of play side by side, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import pygame

from tripeaks_env.game.engine import DRAW
from tripeaks_env.pictures.shapes import Colour
from tripeaks_env.play.session import Move, card_name
from tripeaks_env.play.window.widgets import (
    BAR,
    DIM,
    EDGE,
    GOLD,
    INK,
    LEAST_FONT,
    PANEL,
    PAPER,
    SUIT_COLOURS,
    WARNING,
    Button,
    Field,
    fitting,
    measure,
    panel,
    place,
    words,
)

DRAWN: Colour = (196, 204, 206)
"""The colour of cards that were drawn, among those that were removed."""

Block = tuple[int, Callable[[pygame.Surface, pygame.Rect], None]]
"""A part of a panel: its height, and what draws it into its rectangle."""


class Column(NamedTuple):
    """A line of play with what stands above it."""

    title: str
    moves: Sequence[Move]


@dataclass
class Dialog:
    """A panel.

    Attributes:
        title: what stands above.
        text: what there is to say.
        error: what was wrong with what was written.
        choices: switches above the line to write.
        entry: a line to write, or ``None``.
        columns: lines of play to show side by side.
        legend: what stands below them.
        buttons: what can be done; the first one is done with Enter.
    """

    title: str
    text: str = ""
    error: str = ""
    choices: list[Button] = field(default_factory=list)
    entry: Field | None = None
    columns: list[Column] = field(default_factory=list)
    legend: str = ""
    buttons: list[Button] = field(default_factory=list)

    def draw(self, surface: pygame.Surface, unit: int, mouse: tuple[int, int]) -> None:
        """Draw it in the middle, smaller than lines of ``unit`` pixels where there is no room."""
        screen = surface.get_rect()
        width = min(round(0.96 * screen.w), (46 if self.columns else 32) * unit)
        while True:
            edge = round(1.2 * unit)
            gap = round(0.6 * unit)
            blocks = self._blocks(unit, max(1, width - 2 * edge), mouse)
            height = sum(height for height, _ in blocks) + gap * (len(blocks) - 1) + 2 * edge
            if height <= 0.98 * screen.h or unit <= LEAST_FONT:
                break
            unit -= 1
        shade = pygame.Surface(screen.size, pygame.SRCALPHA)
        shade.fill((0, 0, 0, 120))
        surface.blit(shade, (0, 0))
        box = pygame.Rect(0, 0, width, height)
        box.center = screen.center
        box.top = max(0, box.top)
        surface.blit(panel(*box.size, round(0.8 * unit), PANEL, EDGE), box)
        y = box.y + edge
        for height, draw in blocks:
            draw(surface, pygame.Rect(box.x + edge, y, max(1, width - 2 * edge), height))
            y += height + gap

    def _blocks(self, unit: int, width: int, mouse: tuple[int, int]) -> list[Block]:
        blocks = [_text(self.title, round(1.35 * unit), INK, width)]
        if self.text:
            blocks.append(_text(self.text, unit, DIM, width))
        if self.columns:
            blocks.append(_columns(self.columns, unit, width))
        if self.legend:
            blocks.append(_text(self.legend, round(0.9 * unit), DIM, width))
        if self.choices:
            blocks.append(_buttons(self.choices, unit, width, mouse))
        if self.entry:
            blocks.append((2 * unit, partial(self.entry.draw, unit=unit)))
        if self.error:
            blocks.append(_text(self.error, unit, WARNING, width))
        if self.buttons:
            blocks.append(_buttons(self.buttons, unit, width, mouse))
        return blocks


def _text(text: str, size: int, colour: Colour, width: int) -> Block:
    lines, size = fitting(text, size, width, lines=3)
    height = measure(text, size)[1]

    def draw(surface: pygame.Surface, rect: pygame.Rect) -> None:
        for i, line in enumerate(lines):
            image = words(line, size, colour)
            surface.blit(image, (rect.centerx - image.get_width() // 2, rect.y + i * height))

    return len(lines) * height, draw


def _buttons(buttons: list[Button], unit: int, width: int, mouse: tuple[int, int]) -> Block:
    height = place(buttons, pygame.Rect(0, 0, width, 0), unit)

    def draw(surface: pygame.Surface, rect: pygame.Rect) -> None:
        place(buttons, rect, unit)
        for button in buttons:
            button.draw(surface, unit, button.rect.collidepoint(mouse))

    return height, draw


def _columns(columns: Sequence[Column], unit: int, width: int) -> Block:
    gap = unit
    each = (width - gap * (len(columns) - 1)) // len(columns)
    chip, line = (round(2.1 * unit), round(1.55 * unit)), round(1.75 * unit)
    in_row = max(1, (each - unit) // round(1.1 * chip[0]))
    rows = max(-(-len(column.moves) // in_row) for column in columns)
    title_height = round(1.8 * unit)
    height = title_height + rows * line + unit

    def draw(surface: pygame.Surface, rect: pygame.Rect) -> None:
        for i, column in enumerate(columns):
            box = pygame.Rect(rect.x + i * (each + gap), rect.y, each, height)
            surface.blit(panel(*box.size, round(0.5 * unit), BAR), box)
            (title, *_), size = fitting(column.title, unit, each - unit)
            image = words(title, size, GOLD)
            surface.blit(image, (box.x + unit // 2, box.y + (title_height - image.get_height()) // 2))
            left = box.x + (each - in_row * round(1.1 * chip[0])) // 2
            for j, move in enumerate(column.moves):
                x, y = left + j % in_row * round(1.1 * chip[0]), box.y + title_height + j // in_row * line
                _chip(surface, pygame.Rect((x, y), chip), move, unit)

    return height, draw


def _chip(surface: pygame.Surface, rect: pygame.Rect, move: Move, unit: int) -> None:
    """Draw one move: a small card, darker if it was drawn, with a golden edge if it emptied a peak."""
    paper = DRAWN if move.action == DRAW else PAPER
    surface.blit(panel(*rect.size, round(0.3 * unit), paper, GOLD if move.peak is not None else None), rect)
    name = card_name(move.card)
    image = words(name, round(0.9 * unit), SUIT_COLOURS[move.card // 13], suits=True)
    surface.blit(image, image.get_rect(center=rect.center))
