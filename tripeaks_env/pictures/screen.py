"""What the environments show: pictures of their games as arrays, or a window of them."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from tripeaks_env.game.arguments import integer
from tripeaks_env.game.view import View

if TYPE_CHECKING:
    import pygame

DEFAULT_SIZE = (960, 540)  # of the picture of one game
WHOLE = (1920, 1080)  # that the pictures of many fit into
LEAST = (160, 90)  # of a picture among many, by default
LARGEST = 8192  # pixels
GRID_LINE = 4  # pixels between the pictures of a grid
PYGAME_MISSING = "pictures of boards need pygame-ce: pip install 'tripeaks-env[render]'"


def check_render_size(size: Sequence[int] | None, games: int) -> tuple[int, int]:
    """Return width and height of the picture of each game: the given ones, or, of many games, such
    that all fit a screen unless they are too many to be seen there.

    Raises:
        ValueError: the size is not two integers from 16 to 8192.
    """
    if size is None:
        columns = math.ceil(math.sqrt(games))
        rows = math.ceil(games / columns)
        width, height = (
            min(one, max(least, ((whole + GRID_LINE) // number - GRID_LINE) // 2 * 2))  # videos want even numbers
            for one, whole, least, number in zip(DEFAULT_SIZE, WHOLE, LEAST, (columns, rows), strict=True)
        )
        return width, height
    if (
        not isinstance(size, Sequence)
        or len(size) != 2
        or any(type(each) is not int or not 16 <= each <= LARGEST for each in size)
    ):
        raise ValueError(f"render_size is {size!r}; it must be width and height, integers from 16 to {LARGEST}")
    return size[0], size[1]


NO_DISPLAY = "there is no display"
UNSEEN = ("dummy", "offscreen", "evdev")
"""Drivers that SDL falls back to without a display; nobody sees their windows."""


class Screen:
    """Shows the games of an environment, all in one size. Nothing is loaded before the first picture is wanted.

    Args:
        size: width and height of the picture of a game, or ``None`` for a fitting one.
        games: how many games there are.
        fps: how many pictures a second the window shows.

    Raises:
        ValueError: the size is not two integers from 16 to 8192.
    """

    def __init__(self, size: tuple[int, int] | None, games: int, fps: float) -> None:
        self.size = check_render_size(size, games)
        self.fps = fps
        self.closed_by_user = False
        self._clock: pygame.time.Clock | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the window; a copy opens its own."""
        return self.__dict__ | {"_clock": None}

    def frame(self, view: View) -> np.ndarray:
        """Return the picture of a game, uint8 (height, width, 3).

        Raises:
            gymnasium.error.DependencyNotInstalled: pygame-ce is missing.
        """
        drawing = _drawing()
        return drawing.frame(view, drawing.painter_of(*self.size))

    def grid(self, views: Sequence[View], columns: int | None = None) -> np.ndarray:
        """Return the pictures of games as one, uint8 (height, width, 3); see :func:`grid`."""
        return grid([self.frame(view) for view in views], columns)

    def show(self, views: Sequence[View]) -> None:
        """Show games in the window and wait as ``fps`` says; once its user has closed it, do nothing any more.

        Without a display SDL makes a window that nobody sees, and a warning says so.

        Raises:
            gymnasium.error.DependencyNotInstalled: pygame-ce is missing.
            gymnasium.error.Error: no window can be opened.
        """
        if self.closed_by_user:
            return
        picture = self.grid(views)
        size = (picture.shape[1], picture.shape[0])
        import pygame

        window = pygame.display.get_surface()  # pygame has one, which environments share
        if self._clock is None or window is None or window.get_size() != size:
            try:
                pygame.display.init()
                if not is_seen():
                    gymnasium.logger.warn(f"{NO_DISPLAY}: nobody sees the window; render_mode='rgb_array' needs none")
                window = pygame.display.set_mode(size)
            except pygame.error as error:
                raise gymnasium.error.Error(
                    f"no window can be opened ({error}); render_mode='rgb_array' needs none"
                ) from None
            pygame.display.set_caption("TriPeaks")
            self._clock = pygame.time.Clock()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self.closed_by_user = True
            return
        window.blit(pygame.image.frombuffer(picture.tobytes(), size, "RGB"), (0, 0))
        pygame.display.flip()
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._clock is not None:
            import pygame

            pygame.display.quit()
            self._clock = None


def grid(frames: Sequence[np.ndarray], columns: int | None = None) -> np.ndarray:
    """Return pictures of one size beside and below each other, with black lines between, as one: uint8 (height, width, 3).

    Args:
        frames: the pictures, uint8 (height, width, 3).
        columns: how many stand in a row, at most; by default about as many as there are rows.

    Raises:
        ValueError: ``columns`` is no integer of at least 1.
    """
    columns = int(np.ceil(np.sqrt(len(frames)))) if columns is None else columns
    columns = min(integer("columns", columns, low=1), len(frames))
    rows = -(-len(frames) // columns)
    height, width, _ = frames[0].shape
    down, across = height + GRID_LINE, width + GRID_LINE
    whole = np.zeros((rows * down - GRID_LINE, columns * across - GRID_LINE, 3), dtype=np.uint8)
    for i, each in enumerate(frames):
        top, left = i // columns * down, i % columns * across
        whole[top : top + height, left : left + width] = each
    return whole


def open_display() -> None:
    """Start pygame's display for people.

    Raises:
        pygame.error: there is no display.
    """
    import pygame

    pygame.display.init()
    if not is_seen():
        pygame.display.quit()
        raise pygame.error(NO_DISPLAY)


def is_seen() -> bool:
    """Return whether somebody can see pygame's display, or it is as ``SDL_VIDEODRIVER`` wants it."""
    import pygame

    wanted = "SDL_VIDEODRIVER" in os.environ or "SDL_VIDEO_DRIVER" in os.environ
    return wanted or pygame.display.get_driver() not in UNSEEN


def _drawing() -> ModuleType:
    try:
        from tripeaks_env.pictures import board as drawing
    except ImportError as error:
        if error.name != "pygame":
            raise
        raise gymnasium.error.DependencyNotInstalled(PYGAME_MISSING) from None
    return drawing
