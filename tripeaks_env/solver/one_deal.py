"""The exact optimum: the best final score of a position with all cards known, and a line of play that reaches it.

One sweep over the lattice of tableau masks, from the position towards the empty tableau, finds every state that can be
reached, all numbers of draws at once: a state is a mask, the number of cards drawn and the waste card, and the draws are the
bits of one integer. For each mask there is one such integer for "the waste card was drawn" (then the number of draws tells
its rank), and one for each rank that a removed card on the waste can have. A removal takes a few bit operations for all
draws together; a draw moves bits up by one. As long as points are added up move by move, whatever the order, the score of
a state depends on its mask and draws alone, so the optimum is the best end among the reachable ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.deals import FIRST_WASTE, Deal
from tripeaks_env.game.engine import DRAW, MAX_LINE, play_line, tables
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import peaks_cleared
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.solver.every_action import best_line
from tripeaks_env.solver.lattice import Lattice, lattice
from tripeaks_env.solver.objective import OBJECTIVES, Objective, Worth, worth

RANKS = 14  # 1 to 13; 0 stands for "no rank" and is never reached


@dataclass(frozen=True)
class Solution:
    """The best that can be done from a position with all cards known, at a proper end of the game (won or blocked).

    Attributes:
        score: the best final score.
        won: whether the game is won there.
        draws: cards drawn in the whole game.
        peaks: peaks emptied in the whole game.
        actions: a line from the position to that end, each 0-27 or 28 (draw); it replays to exactly ``score``.
    """

    score: int
    won: bool
    draws: int
    peaks: int
    actions: tuple[int, ...]


def solve(position: Deal | str | Game, rules: str | Rules | None = None, objective: Objective = "score") -> Solution:
    """Return the optimum of a deal from its start, or of a game in progress. Undo takes no part in it.

    Under streak scoring it takes some tens of milliseconds, else about one.

    Args:
        position: a :class:`Deal`, a deal code, or a :class:`Game`, which stays as it is.
        rules: a preset's name or :class:`Rules`; by default the game's, or easy or classic as the code says, or easy.
        objective: what to look for: ``"score"``, ``"win"`` or ``"moves"``, see :data:`Objective`.

    Raises:
        ValueError: the deal, the rules or the objective are not valid, or ``rules`` are not those of the game.

    >>> best = solve("TP1-E-AAAAAAB")
    >>> best.score, best.won, best.draws
    (762, True, 10)
    """
    game = as_game(position, rules)
    return solve_record(game.record, game.rules, one_of("objective", objective, OBJECTIVES))


def as_game(position: Deal | str | Game, rules: str | Rules | None) -> Game:
    """Return ``position`` if it is a game, or the game of a deal or deal code at its start; see :func:`solve`.

    Raises:
        ValueError: the deal or the rules are not valid, or ``rules`` are not those of the game.
    """
    if not isinstance(position, Game):
        return Game(position, rules)
    if rules is not None and as_rules(rules) != position.rules:
        raise ValueError(f"the game is played by {position.rules}; it cannot be solved by {as_rules(rules)}")
    return position


def solve_record(game: np.ndarray, rules: Rules, objective: Objective = "score") -> Solution:
    """Return the optimum of one game of the engine, (1,) of :data:`tripeaks_env.game.engine.GAME`; see :func:`solve`."""
    if rules.scoring.streak:
        actions = best_line(game, rules, objective)
    else:
        board = lattice()
        start = board.index_of(int(game["remaining"][0]))
        line = np.empty(MAX_LINE, dtype=np.int8)
        length = _solve(start, game[0], tables(rules)[0], board, worth(rules, objective), line)
        actions = line[MAX_LINE - length :].tolist()
    end = game.copy()
    play_line(end, np.array(actions, dtype=np.int64), tables(rules))
    return Solution(
        score=int(end["score"][0]),
        won=bool(end["remaining"][0] == 0),
        draws=int(end["drawn"][0]),
        peaks=int(peaks_cleared(end["remaining"][0])),
        actions=tuple(actions),
    )


class Reach(NamedTuple):
    """Which states can be reached: the numbers of draws as bits, for each mask of the lattice.

    Attributes:
        on_stock: int32 (22932,): with the last drawn card (or the waste card of the start) on the waste.
        on_card: int32 (22932, 14): with a removed card of each rank on the waste.
    """

    on_stock: np.ndarray
    on_card: np.ndarray


@kernel
def _fits(game: np.void, table: np.void) -> np.ndarray:
    """Return int32 (14,): the numbers of draws, as bits, after which each rank goes on the last drawn card."""
    fits = np.zeros(RANKS, dtype=np.int32)
    for draws in range(game["drawn"], table["stock"] + 1):
        waste = game["waste"] if draws == game["drawn"] else game["cards"][FIRST_WASTE + draws]
        for rank in range(1, RANKS):
            fits[rank] |= ((table["adjacent"][waste] >> rank) & 1) << draws
    return fits


@kernel
def _spread(bits: int, through: int) -> int:
    """Return ``bits`` with each bit carried upwards, step by step, as long as ``through`` has the bit it leaves."""
    through <<= 1
    for shift in (1, 2, 4, 8, 16):
        bits |= through & (bits << shift)
        through &= through << shift
    return bits


@kernel
def _stuck(index: int, game: np.void, table: np.void, board: Lattice, fits: np.ndarray) -> tuple[int, int]:
    """Return where no exposed card of a mask fits: after which draws, on the card drawn, and on which removed ranks."""
    fitted_draws, fitted_ranks = 0, 0
    for edge in range(board.first[index], board.first[index + 1]):
        rank = game["cards"][board.positions[edge]]
        fitted_draws |= fits[rank]
        fitted_ranks |= table["adjacent"][rank]  # adjacency is symmetric
    return ~fitted_draws, ~fitted_ranks


@kernel
def _union(on_card: np.ndarray, index: int, ranks: int) -> int:
    """Return the draws, as bits, after which a mask is reached with one of ``ranks`` (a mask) on the waste."""
    union = 0
    for rank in range(1, RANKS):
        if (ranks >> rank) & 1:
            union |= on_card[index, rank]
    return union


@kernel
def _sweep(
    start: int, game: np.void, table: np.void, board: Lattice, points: Worth, fits: np.ndarray, reach: Reach
) -> tuple[int, int]:
    """Fill ``reach`` from the position on; return the mask's index and the draws of the best end."""
    cards = game["cards"]
    drawn, stock = int(game["drawn"]), table["stock"]  # as an int: plain NumPy would shift within its 8 bits
    every_draw, every_rank = (1 << (stock + 1)) - 1, (1 << RANKS) - 2
    best, best_index, best_draws = -(1 << 62), -1, -1

    reach.on_stock[start] = 1 << drawn
    for index in range(start, len(board.masks)):
        on_cards = _union(reach.on_card, index, every_rank)
        if not reach.on_stock[index] | on_cards:
            continue
        gained = points.of_mask[index]
        if board.masks[index] == 0:  # won, after any number of draws
            gained += points.win
            ends, fewest = reach.on_stock[index] | on_cards, drawn
        else:  # blocked, after all of them
            improves = gained + stock * points.draw > best
            stuck_draws, stuck_on_cards = every_draw, on_cards
            if improves or table["stuck"]:
                stuck_draws, stuck_ranks = _stuck(index, game, table, board, fits)
                stuck_on_cards = _union(reach.on_card, index, stuck_ranks)
            if table["stuck"]:
                on_stock = _spread(reach.on_stock[index] | stuck_on_cards << 1, stuck_draws)
            else:
                on_stock = _spread(reach.on_stock[index] | on_cards << 1, every_draw)
            reach.on_stock[index] = on_stock & every_draw
            ends, fewest = (reach.on_stock[index] & stuck_draws) | stuck_on_cards, stock
            if not improves:
                ends = 0
        if ends:
            for draws in range(fewest, stock + 1):
                if (ends >> draws) & 1 and gained + draws * points.draw > best:
                    best, best_index, best_draws = gained + draws * points.draw, index, draws

        for edge in range(board.first[index], board.first[index + 1]):
            rank = cards[board.positions[edge]]
            first, second = table["neighbours"][rank, 0], table["neighbours"][rank, 1]
            on_neighbours = reach.on_card[index, first] | reach.on_card[index, second]
            reach.on_card[board.targets[edge], rank] |= on_neighbours | (reach.on_stock[index] & fits[rank])
    return best_index, best_draws


@kernel
def _waste(
    index: int, draws: int, stuck: bool, game: np.void, table: np.void, board: Lattice, fits: np.ndarray, reach: Reach
) -> int:
    """Return a waste card with which a mask is reached after ``draws``: the rank of a removed one, or 0 for a drawn one.

    With ``stuck``, only waste cards on which no exposed card goes are looked for.
    """
    stuck_draws, stuck_ranks = _stuck(index, game, table, board, fits) if stuck else (-1, -1)
    if (reach.on_stock[index] & stuck_draws) >> draws & 1:
        return 0
    for rank in range(1, RANKS):
        if (stuck_ranks >> rank) & (reach.on_card[index, rank] >> draws) & 1:
            return rank
    return -1


@kernel
def _trace(
    start: int,
    index: int,
    draws: int,
    game: np.void,
    table: np.void,
    board: Lattice,
    fits: np.ndarray,
    reach: Reach,
    line: np.ndarray,
) -> int:
    """Write a line from the start to a reachable end to the end of ``line``, backwards; return its length."""
    cards = game["cards"]
    at = len(line)
    waste = _waste(index, draws, True, game, table, board, fits, reach)
    while index != start or draws != game["drawn"] or waste != 0:
        at -= 1
        if waste == 0:
            draws -= 1
            waste = _waste(index, draws, table["stuck"], game, table, board, fits, reach)
            line[at] = DRAW
            continue
        for edge in board.incoming[board.first_in[index] : board.first_in[index + 1]]:
            before = board.sources[edge]
            if before < start or cards[board.positions[edge]] != waste:
                continue
            first, second = table["neighbours"][waste, 0], table["neighbours"][waste, 1]
            if (reach.on_stock[before] & fits[waste]) >> draws & 1:
                waste = 0
            elif (reach.on_card[before, first] >> draws) & 1:
                waste = first
            elif (reach.on_card[before, second] >> draws) & 1:
                waste = second
            else:
                continue
            index = before
            line[at] = board.positions[edge]
            break
    return len(line) - at


@kernel
def _solve(start: int, game: np.void, table: np.void, board: Lattice, points: Worth, line: np.ndarray) -> int:
    """Write a best line to the end of ``line`` and return its length."""
    fits = _fits(game, table)
    number = len(board.masks)
    reach = Reach(np.zeros(number, dtype=np.int32), np.zeros((number, RANKS), dtype=np.int32))
    index, draws = _sweep(start, game, table, board, points, fits, reach)
    return _trace(start, index, draws, game, table, board, fits, reach, line)
