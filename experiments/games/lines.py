"""Played games, kept as their lines of actions: all else about them follows by the rules."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import MAX_LINE, new_games, play_actions
from tripeaks_env.game.rules import Rules


class Lines(NamedTuple):
    """The actions of N games.

    Attributes:
        actions: int8 (N, 53): each row begins with the actions of a game, 0-28; what follows them has no meaning.
        lengths: int8 (N,): how many they are.
    """

    actions: np.ndarray
    lengths: np.ndarray

    @classmethod
    def of(cls, games: np.ndarray) -> Self:
        """Return the lines that led to N positions, (N,) of :data:`tripeaks_env.game.engine.GAME`."""
        return cls(games["line"].copy(), games["length"].copy())

    def texts(self) -> list[str]:
        """Return each line as a text: its actions with blanks between them."""
        return [
            " ".join(map(str, row[:length]))
            for row, length in zip(self.actions.tolist(), self.lengths.tolist(), strict=True)
        ]


def positions(numbers: Sequence[int] | np.ndarray, lines: Lines, rules: Rules) -> np.ndarray:
    """Return all positions of N games, an array (N, 54) of :data:`tripeaks_env.game.engine.GAME`.

    Position i of a game is the one after i actions; after its end, the last is repeated.

    Args:
        numbers: the deal numbers.
        lines: what was played, legal actions.
        rules: the rules of the games.
    """
    games = new_games(number_slots(np.asarray(numbers, dtype=np.int64), rules), rules)
    found = np.empty((len(games), MAX_LINE + 1), dtype=games.dtype)
    found[:, 0] = games
    for turn in range(MAX_LINE):
        playing = turn < lines.lengths
        moved = games[playing]
        play_actions(moved, lines.actions[playing, turn].astype(np.int64), rules)
        games[playing] = moved
        found[:, turn + 1] = games
    return found


def ends(numbers: Sequence[int] | np.ndarray, lines: Lines, rules: Rules) -> np.ndarray:
    """Return the last positions of N games, (N,) of :data:`tripeaks_env.game.engine.GAME`; see :func:`positions`."""
    return positions(numbers, lines, rules)[:, -1]
