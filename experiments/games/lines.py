"""Played games, kept as their lines of actions: all else about them follows by the rules."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from tripeaks_env.game.deals import format_code, number_slots
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

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Self:
        """Return the lines that :meth:`texts` wrote."""
        lines = [list(map(int, text.split())) for text in texts]
        actions = np.zeros((len(lines), MAX_LINE), np.int8)
        for row, line in zip(actions, lines, strict=True):
            row[: len(line)] = line
        return cls(actions, np.array(list(map(len, lines)), np.int8))

    def texts(self) -> list[str]:
        """Return each line as a text: its actions with blanks between them."""
        return [
            " ".join(map(str, row[:length]))
            for row, length in zip(self.actions.tolist(), self.lengths.tolist(), strict=True)
        ]

    @property
    def taken(self) -> np.ndarray:
        """Bool (N, 53): which of ``actions`` have a meaning."""
        return np.arange(MAX_LINE) < self.lengths[:, None]


def positions(numbers: Sequence[int] | np.ndarray, lines: Lines, rules: Rules) -> np.ndarray:
    """Replay N games side by side and return all their positions, (N, 54) of :data:`tripeaks_env.game.engine.GAME`.

    Position i of a game is the one after i actions; after its end, the last is repeated.

    Args:
        numbers: the deal numbers.
        lines: what was played.
        rules: the rules of the games.

    Raises:
        ValueError: a line has an illegal action, goes on after the end of its game or stops before it.
    """
    numbers = np.asarray(numbers, dtype=np.int64)
    games = new_games(number_slots(numbers, rules), rules)
    found = np.empty((len(games), MAX_LINE + 1), dtype=games.dtype)
    found[:, 0] = games
    for move, taken in enumerate(lines.taken.T):
        playing = np.flatnonzero(taken)
        moved = games[playing]
        stepped = play_actions(moved, lines.actions[playing, move].astype(np.int64), rules)
        wrong = (stepped.rejections != 0) | (stepped.over != (lines.lengths[playing] == move + 1))
        if wrong.any():
            deal = format_code(int(numbers[playing[wrong][0]]), rules)
            raise ValueError(
                f"the line of deal {deal} is no whole game: action {move} is illegal or wrongly the last one"
            )
        games[playing] = moved
        found[:, move + 1] = games
    return found
