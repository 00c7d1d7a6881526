"""Exact play once nothing is unknown: then a search has nothing to guess, and the solver knows the best action."""

import numpy as np

from agents.search.worlds import deal_hidden
from tripeaks_env.game.cards import WILD
from tripeaks_env.game.engine import tables
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.one_deal import solve_record


def all_known(games: np.ndarray, rules: Rules) -> np.ndarray:
    """Return bool (N,): whether there is just one way to deal the hidden cards of each game as seen.

    So it is when none is hidden and the stock is empty, and also when all that are hidden are of one rank.
    """
    ranks = np.count_nonzero(games["unseen"][:, :WILD], axis=1)
    joker_has_a_choice = (games["unseen"][:, WILD] > 0) & (games["drawn"] < rules.stock_size - 1)
    return (ranks <= 1) & ~((ranks == 1) & joker_has_a_choice)


def best_action(game: np.ndarray, rules: Rules, win_bonus: float = 0) -> int:
    """Return the first action of a line that is worth most, in a game with just one way to deal its hidden cards.

    Args:
        game: (1,) of :data:`tripeaks_env.game.engine.GAME`, as seen, not over.
        rules: the rules that it is played by.
        win_bonus: what a win is worth on top of the score, not negative.
    """
    world = game.copy()
    deal_hidden(world[0], tables(rules)[0], np.zeros(1, dtype=np.uint64))
    best = solve_record(world, rules)
    if win_bonus and not best.won:
        win = solve_record(world, rules, "win")
        if win.won and win.score + win_bonus > best.score:
            best = win
    return best.actions[0]
