"""What each move is worth with all cards known, and the best one in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tripeaks_env.game.arguments import counted
from tripeaks_env.game.cards import card_symbol
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game
from tripeaks_env.solver.every_action import values_of_actions
from tripeaks_env.solver.one_deal import solve


def action_values(game: Game) -> np.ndarray:
    """Return the best final score after each action with all cards known, float64 (29,), NaN where it is illegal.

    The highest is the optimum of the position, and what an action is below it is its regret. Undo takes no part.

    Args:
        game: a game in progress or at its end; it stays as it is.

    >>> values = action_values(Game("TP1-E-AAAAAAB"))
    >>> {action: values.item(action) for action in (20, 22, 24, 28)}
    {20: 762.0, 22: 756.0, 24: 762.0, 28: 762.0}
    """
    return values_of_actions(game.record, game.rules)[0]


def action_values_many(games: Sequence[Game]) -> np.ndarray:
    """Return :func:`action_values` of N games, float64 (N, 29). Positions of the same deal cost little more than one."""
    found = np.full((len(games), DRAW + 1), np.nan)
    alike: dict[tuple[object, bytes], list[int]] = {}
    records = [game.record for game in games]
    for i, (game, record) in enumerate(zip(games, records, strict=True)):
        alike.setdefault((game.rules, record["cards"].tobytes()), []).append(i)
    for which in alike.values():
        positions = np.concatenate([records[i] for i in which])
        found[which] = values_of_actions(positions, games[which[0]].rules)
    return found


@dataclass(frozen=True)
class Hint:
    """A best move of a position.

    Attributes:
        action: 0-27 or 28 (draw).
        value: the best final score after it, with all cards known.
        message: what it is and why, in words.
    """

    action: int
    value: int
    message: str


def hint(game: Game) -> Hint:
    """Return a best move and why. It looks at the hidden cards.

    Raises:
        ValueError: the game is over.

    >>> hint(Game("TP1-E-AAAAAAB")).message
    'Remove the K♦ (24): the game can be won with 762 points. The same holds for 2 other moves.'
    """
    values = action_values(game)
    legal = np.flatnonzero(~np.isnan(values))
    if not len(legal):
        raise ValueError(f"the game is {game.status}; there is no move to hint at")
    best = solve(game)
    action = best.actions[0] if values[best.actions[0]] == values[legal].max() else int(np.nanargmax(values))
    move = "Draw" if action == DRAW else f"Remove the {card_symbol(game.deal.cards[action])} ({action})"
    if best.won:
        outcome = f"the game can be won with {counted(best.score, 'point')}"
    elif solve(game, objective="win").won:
        outcome = f"the game can be won, and the most it can get is {counted(best.score, 'point')}"
    else:
        outcome = f"the game is lost, and the most it can get is {counted(best.score, 'point')}"
    others = values[legal[legal != action]]
    equals = int(np.count_nonzero(others == values[action]))
    if equals:
        rest = f"The same holds for {equals} other move{'s' if equals > 1 else ''}."
    elif len(others):
        rest = f"The next best move leads to {others.max():.0f}."
    else:
        rest = "It is the only move."
    return Hint(action, int(values[action]), f"{move}: {outcome}. {rest}")
