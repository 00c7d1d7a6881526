"""Make the pictures of the documentation: ``make docs``, or ``python -m experiments.pages.pictures [FOLDER]``."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from tripeaks_env import Game, TriPeaksVectorEnv, sample_actions
from tripeaks_env.parallel.files import replacing
from tripeaks_env.pictures.board import Painter, frame
from tripeaks_env.pictures.screen import DEFAULT_SIZE

CODE = "TP1-E-AAAAAAB"
LINE = tuple(
    int(action)
    for action in (
        "20 23 22 18 21 19 9 13 25 26 28 28 16 27 17 28 28 28 28 10 12 3 24 15 11 14 6 28 7 4 28 28 28 5 28 28 0 28 28 28 "
        "8 1 28 28 28 28 28 28 28 2"
    ).split()
)
"""The actions of a won game."""
SHOWN = 12  # moves before the picture of the board
FILM_SIZE = (640, 360)
MOVE, END = 450, 3000  # milliseconds that a picture of the film stands
GRID, GRID_SIZE, GRID_STEPS = 9, (320, 180), 30


def board() -> np.ndarray:
    """Return a picture of a board in the middle of a game, with the legal actions marked."""
    return frame(Game(CODE, actions=LINE[:SHOWN]).view(highlight=True), Painter(*DEFAULT_SIZE))


def film() -> list[np.ndarray]:
    """Return pictures of a whole game, move by move."""
    painter = Painter(*FILM_SIZE)
    return [frame(Game(CODE, actions=LINE[:moves]).view(), painter) for moves in range(len(LINE) + 1)]


def games() -> np.ndarray:
    """Return a picture of games that a random player is playing in the vector environment."""
    envs = TriPeaksVectorEnv(GRID, split="evaluation", render_size=GRID_SIZE)
    observation, _ = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(GRID_STEPS):
        observation, *_ = envs.step(sample_actions(observation["action_mask"], rng))
    return envs.render_grid()


def write_picture(pixels: np.ndarray, path: Path) -> None:
    """Write a picture as PNG."""
    with replacing(path) as part:
        Image.fromarray(pixels).save(part, format="PNG", optimize=True)


def write_film(frames: Sequence[np.ndarray], path: Path) -> None:
    """Write pictures as an animation (WebP) that begins again after its end."""
    first, *others = (Image.fromarray(pixels) for pixels in frames)
    durations = [MOVE] * len(others) + [END]
    with replacing(path) as part:
        first.save(
            part, format="WEBP", save_all=True, append_images=others, duration=durations, loop=0, quality=80, method=6
        )


if __name__ == "__main__":
    folder = Path(*(sys.argv[1:] or ["docs"]))
    write_picture(board(), folder / "board.png")
    write_picture(games(), folder / "games.png")
    write_film(film(), folder / "game.webp")
