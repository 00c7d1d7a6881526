"""TriPeaks in a window: play with the mouse and keys, or watch an agent. It needs the extra ``render``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tripeaks_env.game import Game

if TYPE_CHECKING:
    from tripeaks_env.session import Session

Choose = Callable[[Game], tuple[int, "np.ndarray | None"]]
"""What :func:`watch` asks before each move: the action, and the values of all actions, float (29,), NaN where illegal, or ``None``."""


def play(session: Session, language: str = "en") -> None:
    """Let somebody play in a window until it is closed. What was done is in ``session`` afterwards."""
    raise NotImplementedError


def watch(
    game: Game, choose: Choose, name: str, language: str = "en", pause: float = 1.0, new: Callable[[], Game] | None = None
) -> None:
    """Show how ``choose`` plays on from ``game`` until the window is closed.

    Args:
        game: is played on in place.
        choose: is asked before each move.
        name: of the agent, for the header.
        language: of the words.
        pause: seconds between moves at the start.
        new: deals the next game, for the button; without it the button plays the same deal again.
    """
    raise NotImplementedError
