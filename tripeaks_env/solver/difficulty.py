"""How hard a deal is, by figures that take milliseconds and mean something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripeaks_env.game.arguments import integer
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.engine import DRAW, play_actions
from tripeaks_env.game.game import Game
from tripeaks_env.game.observation import observe
from tripeaks_env.game.rules import Rules
from tripeaks_env.game.sampling import sample_actions
from tripeaks_env.solver.one_deal import as_game, solve


@dataclass(frozen=True)
class Difficulty:
    """How hard it is to win from a position.

    Attributes:
        winnable: whether it can be won with all cards known.
        draws_in_hand: stock cards that are left after the win with the fewest draws: how many draws may be wasted; ``None``
            if it cannot be won.
        winning_moves: legal moves after which it can still be won.
        moves: legal moves.
        luck: share of the playouts that win in which a legal removal is chosen at random, and a card drawn only where none
            is legal: what a player without a plan gets.
        playouts: how many playouts.
    """

    winnable: bool
    draws_in_hand: int | None
    winning_moves: int
    moves: int
    luck: float
    playouts: int


def difficulty(
    position: Deal | str | Game, rules: str | Rules | None = None, playouts: int = 1000, seed: int = 0
) -> Difficulty:
    """Return how hard it is to win a deal from its start, or a game in progress.

    Args:
        position: a :class:`Deal`, a deal code, or a :class:`Game`, which stays as it is.
        rules: see :func:`tripeaks_env.solve`.
        playouts: how many playouts, at least 1.
        seed: of their random moves.

    Raises:
        ValueError: the deal, the rules or ``playouts`` are not valid.

    >>> deal = difficulty("TP1-E-AAAAAAB")
    >>> deal.winnable, deal.draws_in_hand, deal.winning_moves, deal.moves
    (True, 13, 4, 4)
    """
    playouts = integer("playouts", playouts, low=1)
    game = as_game(position, rules)
    fewest = solve(game, objective="moves")
    winning = 0
    legal = game.legal_actions()
    for action in legal:
        after = game.copy()
        after.play(action)
        winning += solve(after, objective="win").won
    return Difficulty(
        winnable=fewest.won,
        draws_in_hand=game.rules.stock_size - fewest.draws if fewest.won else None,
        winning_moves=winning,
        moves=len(legal),
        luck=_luck(game, playouts, seed),
        playouts=playouts,
    )


def _luck(game: Game, playouts: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    games = np.repeat(game.record, playouts)
    won = 0
    while len(games):
        mask = observe(games, game.rules)["action_mask"]
        won += int(np.count_nonzero(games["remaining"] == 0))
        going = mask.any(axis=1)
        games, mask = games[going], mask[going]
        mask[mask[:, :DRAW].any(axis=1), DRAW] = 0
        play_actions(games, sample_actions(mask, rng), game.rules)
    return won / playouts
