"""The exact optimum of many deals at once, by sweeps over the lattice of tableau masks with many deals side by side.

A state is a mask, the number of cards drawn, and the card on the waste: the one last removed or the one last drawn. In every
deal the card last removed comes from a known position, so the sweeps keep what they know for each edge of the lattice, the
edge being the removal. Their inner loops run over deals and do the same few operations for each, as vector instructions do.

Where drawing is always allowed, a single sweep finds the win with the fewest draws of each deal
(:mod:`tripeaks_env.solver.fewest_draws`). The general method sweeps once for each number of draws
(:mod:`tripeaks_env.solver.draw_by_draw`); its last sweep, which finds the blocked games, is added to the first method for the
deals that have no win which is surely worth more than any blocked game.

From positions in progress, such as the worlds that a position's hidden cards may be, the general method sweeps over the part
of the lattice that they can reach, and each game joins at its own mask and number of draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tripeaks_env.game.arguments import integer, one_of
from tripeaks_env.game.cards import RANK_OF
from tripeaks_env.game.deals import FIRST_WASTE, Deal, as_deal, deal_slots, lay_out, shuffle
from tripeaks_env.game.engine import new_games
from tripeaks_env.game.layout import PEAKS
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.solver.draw_by_draw import draw_by_draw, first_with_bit
from tripeaks_env.solver.fewest_draws import LANES, NEVER, fewest_draws
from tripeaks_env.solver.lattice import lattice, part_of_board, whole_board
from tripeaks_env.solver.objective import OBJECTIVES, Objective, Worth, worth
from tripeaks_env.solver.one_deal import solve_record

BLOCK = 20 * LANES
"""Deals that a thread takes at a time."""


@dataclass(frozen=True, eq=False)
class Solutions:
    """The best that can be done in each of N deals, as :class:`tripeaks_env.Solution` tells it of one.

    Attributes:
        scores: int32 (N,): the best final score.
        won: bool (N,): whether the game is won there.
        draws: int8 (N,): cards drawn.
        peaks: int8 (N,): peaks emptied.
        slots: int8 (N, 54): the card numbers of each deal, see :func:`tripeaks_env.game.deals.lay_out`.
        rules: the rules that the deals are played by.
        objective: what was looked for.
    """

    scores: np.ndarray
    won: np.ndarray
    draws: np.ndarray
    peaks: np.ndarray
    slots: np.ndarray
    rules: Rules
    objective: Objective = "score"

    def __len__(self) -> int:
        return len(self.scores)

    def line(self, index: int) -> tuple[int, ...]:
        """Return a line of one deal, each action 0-27 or 28 (draw), that replays to exactly its score.

        The solver of single deals finds it, at each call.

        Raises:
            IndexError: there is no deal of that index.
        """
        return solve_record(new_games(self.slots[index][None], self.rules), self.rules, self.objective).actions


def solve_many(
    deals: Sequence[Deal | str | int] | np.ndarray,
    rules: str | Rules = "easy",
    threads: int = 1,
    objective: Objective = "score",
) -> Solutions:
    """Return the optimum of many deals from their start: what :func:`tripeaks_env.solve` finds, many times faster.

    One deal takes as long as 192, so for less than about ten, ``solve`` is faster. Of equally good ends it is the same one
    as there: a blocked game before a won one, then the first mask of the lattice, then the fewest draws. Under streak scoring
    the deals are solved one by one.

    Args:
        deals: deals, deal codes or deal numbers.
        rules: a preset's name or :class:`Rules`.
        threads: how many threads share the work; the answers do not depend on it.
        objective: what to look for, see :func:`tripeaks_env.solve`.

    Raises:
        ValueError: a deal, the rules, ``threads`` or the objective are not valid.

    >>> best = solve_many(["TP1-E-AAAAAAB", "TP1-E-AAAAAAD"])
    >>> best.scores.tolist(), best.won.tolist(), best.draws.tolist()
    ([762, 759], [True, True], [10, 13])
    """
    rules = as_rules(rules)
    objective = one_of("objective", objective, OBJECTIVES)
    threads = integer("threads", threads, low=1)
    slots = _slots(deals, rules)
    whole_board()  # here, or each thread would build it
    share = -(-len(slots) // threads)
    solve_block, size = _solve_block, max(LANES, min(BLOCK, share + -share % LANES))  # all lanes in use, but the last
    if rules.scoring.streak:
        solve_block, size = _solve_one, 1
    with ThreadPoolExecutor(threads) as pool:
        starts = range(0, len(slots), size)
        blocks = list(pool.map(lambda start: solve_block(slots[start : start + size], rules, objective), starts))
    scores, won, draws, peaks = (np.concatenate(column) for column in zip(_NO_DEALS, *blocks, strict=True))
    return Solutions(scores, won, draws, peaks, slots, rules, objective)


def _slots(deals: Sequence[Deal | str | int] | np.ndarray, rules: Rules) -> np.ndarray:
    """Return the slots of N deals, int8 (N, 54), see :func:`tripeaks_env.game.deals.lay_out`.

    Raises:
        ValueError: see :func:`solve_many`.
    """
    if isinstance(deals, np.ndarray):
        if deals.ndim != 1 or deals.dtype.kind not in "iu":
            raise ValueError(
                f"deals are an array {deals.shape} of {deals.dtype}; it must be deal numbers, integers (N,)"
            )
        deals = deals.tolist()
    if isinstance(deals, str) or not isinstance(deals, Sequence):
        raise ValueError(f"deals are {deals!r}; they must be a sequence of deals, deal codes or deal numbers")
    numbers = [int(deal) for deal in deals if isinstance(deal, int | np.integer)]
    if len(numbers) == len(deals):
        return lay_out(*shuffle(numbers), rules)
    known = (
        Deal.from_number(int(deal)) if isinstance(deal, int | np.integer) else as_deal(deal, rules) for deal in deals
    )
    return deal_slots(list(known), rules)


class Answers(NamedTuple):
    """The best that can be done in each of N games, as :class:`Solutions` tells it of deals."""

    scores: np.ndarray
    won: np.ndarray
    draws: np.ndarray
    peaks: np.ndarray


_NO_DEALS = Answers(np.empty(0, np.int32), np.empty(0, np.bool_), np.empty(0, np.int8), np.empty(0, np.int8))


def solve_positions(games: np.ndarray, rules: Rules, objective: Objective = "score") -> Answers:
    """Return the optimum of N games in progress: what :func:`tripeaks_env.solve` finds, many times faster.

    The less the tableaus differ and the fewer cards are left, the less there is to sweep: it is for positions that have much
    in common, such as the worlds of one observation. Of equally good ends it is the same one as there.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, all cards dealt.
        rules: the rules that they are played by.
        objective: what to look for, see :func:`tripeaks_env.solve`.

    Raises:
        ValueError: the rules have streak scoring, which these sweeps do not know, or the objective is not valid.
    """
    objective = one_of("objective", objective, OBJECTIVES)
    if rules.scoring.streak:
        raise ValueError("the rules have streak scoring; positions are solved at once only where points just add up")
    if not len(games):
        return _NO_DEALS
    whole, points = lattice(), worth(rules, objective)
    kept = whole.masks & ~np.bitwise_or.reduce(games["remaining"]) == 0
    board, of_mask, peaks = part_of_board(kept), points.of_mask[kept], whole.peaks[kept]
    lanes, drawn = np.arange(len(games)), games["drawn"].astype(np.int64)
    starts = np.searchsorted(-whole.masks[kept], -games["remaining"])
    ranks = games["cards"].copy()
    ranks[lanes, FIRST_WASTE + drawn] = games["waste"]

    on_stock = np.zeros((len(of_mask), -(-len(games) // 64)), dtype=np.uint64)
    wins = np.zeros((rules.stock_size + 1, len(games)), dtype=np.bool_)
    joins = np.unique(drawn).tolist()
    for first, last in pairwise([*joins, rules.stock_size + 1]):
        joining = lanes[drawn == first]
        bits = np.uint64(1) << (joining % 64).astype(np.uint64)
        np.bitwise_or.at(on_stock, (starts[joining], joining // 64), bits)
        wins |= draw_by_draw(ranks, rules, board, on_stock, range(first, last))
    ends = first_with_bit(on_stock, np.argsort(-of_mask, kind="stable"), len(games))
    best = _best_ends(wins, ends, rules, points._replace(of_mask=of_mask), peaks)
    before = rules.scoring.start + worth(rules, "score").of_mask[kept][starts] + drawn * rules.scoring.draw
    return best._replace(scores=(best.scores + games["score"] - before).astype(np.int32))


def _solve_one(slots: np.ndarray, rules: Rules, objective: Objective) -> Answers:
    """Return the answer for one deal, int8 (1, 54), under any scoring."""
    best = solve_record(new_games(slots, rules), rules, objective)
    values = (best.score, best.won, best.draws, best.peaks)
    return Answers(*(np.array([value], none.dtype) for value, none in zip(values, _NO_DEALS, strict=True)))


def _solve_block(slots: np.ndarray, rules: Rules, objective: Objective) -> Answers:
    """Return the answers for N deals, int8 (N, 54), without streak scoring."""
    stock, points, board = rules.stock_size, worth(rules, objective), whole_board()
    if rules.draw == "stuck" or points.draw > 0:
        return solve_positions(new_games(slots, rules), rules, objective)
    ranks = RANK_OF[slots].astype(np.uint8)  # unsigned, or each index would be tested for being negative
    win_scores = points.of_mask[-1] + points.win + np.arange(stock + 1) * points.draw
    blocked_scores = points.of_mask + stock * points.draw
    enough = int(np.count_nonzero(win_scores > blocked_scores[:-1].max())) - 1
    draws, undecided, on_stock = fewest_draws(ranks, rules, board, enough)
    winnable = np.flatnonzero(draws < NEVER)
    wins = np.zeros((stock + 1, len(ranks)), dtype=np.bool_)
    wins[draws[winnable], winnable] = True
    wins[:, undecided] |= draw_by_draw(ranks[undecided], rules, board, on_stock, range(stock, stock + 1))
    ends = np.full(len(ranks), -1)  # where the best blocked game ends; of equally good ones, in the first mask
    ends[undecided] = first_with_bit(on_stock, np.argsort(-points.of_mask, kind="stable"), len(undecided))
    return _best_ends(wins, ends, rules, points, lattice().peaks)


def _best_ends(wins: np.ndarray, ends: np.ndarray, rules: Rules, points: Worth, peaks: np.ndarray) -> Answers:
    """Return the better of the win and the blocked game of each of N games.

    Args:
        wins: bool (stock + 1, N): whether a game can be won after each number of draws.
        ends: int64 (N,): the mask of the best blocked game, -1 if there is none.
        rules: the rules.
        points: what everything is worth.
        peaks: int8: the peaks emptied in each mask.
    """
    stock = rules.stock_size
    best = np.where(ends < 0, np.iinfo(np.int64).min, points.of_mask[ends] + stock * points.draw)
    draws = np.full(len(ends), stock, dtype=np.int8)
    won = np.zeros(len(ends), dtype=np.bool_)
    for drawn, win in enumerate(wins):
        score = points.of_mask[-1] + points.win + drawn * points.draw
        better = win & (score > best)
        best[better], draws[better], won[better] = score, drawn, True
    scores = rules.scoring.start + points.of_mask[np.where(won, -1, ends)] + draws * np.int64(rules.scoring.draw)
    return Answers(scores.astype(np.int32), won, draws, np.where(won, PEAKS, peaks[ends]))
