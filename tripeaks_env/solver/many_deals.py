"""The exact optimum of many deals at once, by sweeps over the lattice of tableau masks with many deals side by side.

A state is a mask, the number of cards drawn, and the card on the waste: the one last removed or the one last drawn. In every
deal the card last removed comes from a known position, so the sweeps keep what they know for each edge of the lattice, the
edge being the removal. Their inner loops run over deals and do the same few operations for each, as vector instructions do.

*Fewest draws.* Where drawing is always allowed, a state is never worse than the same one after more draws, for it can follow
every play of that one from its next draw on. So one number for each edge is enough, the fewest draws, and a single sweep
finds the win with the fewest draws of each deal.

*Draw by draw.* The general method sweeps once for each number of draws, with one bit for each deal. Between two draws only
the mask counts. The last sweep finds the blocked games, for those have drawn every card. That one alone is added to the
first method, for the deals that have no win which is surely worth more than any blocked game.

*From positions in progress*, such as the worlds that a position's hidden cards may be, the general method sweeps over the
part of the lattice that they can reach, and each game joins at its own mask and number of draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import integer
from tripeaks_env.game.cards import RANK_OF
from tripeaks_env.game.deals import FIRST_WASTE, Deal, as_deal, deal_slots, lay_out, shuffle
from tripeaks_env.game.engine import new_games, tables
from tripeaks_env.game.layout import PEAKS, POSITIONS
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.solver.lattice import edge_rows, lattice
from tripeaks_env.solver.objective import Objective, Worth, check_objective, worth
from tripeaks_env.solver.one_deal import solve_record

LANES = 192
"""Deals side by side in a sweep for the fewest draws. A constant: the compiler unrolls the loops over them."""
BLOCK = 20 * LANES
"""Deals that a thread takes at a time."""
NEVER = 127
"""More draws than there can be: no play leads there."""
MOST_FITTING = 10
"""Most stock cards that a card can go on: four each of two ranks, the joker, and the empty waste of the start."""


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
    objective = check_objective(objective)
    threads = integer("threads", threads, low=1)
    slots = _slots(deals, rules)
    if rules.scoring.streak:
        return _solve_one_by_one(slots, rules, threads, objective)
    ranks = RANK_OF[slots].astype(np.uint8)  # unsigned, or each index would be tested for being negative
    share = -(-len(ranks) // threads)
    size = max(LANES, min(BLOCK, share + -share % LANES))  # all lanes of all sweeps in use, but the last
    board = _board()
    with ThreadPoolExecutor(threads) as pool:
        starts = range(0, len(ranks), size)
        blocks = list(
            pool.map(lambda start: _solve_block(ranks[start : start + size], rules, board, objective), starts)
        )
    scores, won, draws, peaks = (np.concatenate(column) for column in zip(_NO_DEALS, *blocks, strict=True))
    return Solutions(scores, won, draws, peaks, slots, rules, objective)


def _solve_one_by_one(slots: np.ndarray, rules: Rules, threads: int, objective: Objective) -> Solutions:
    games = new_games(slots, rules)
    with ThreadPoolExecutor(threads) as pool:
        best = list(pool.map(lambda i: solve_record(games[i : i + 1], rules, objective), range(len(games))))
    return Solutions(
        np.array([each.score for each in best], dtype=np.int32),
        np.array([each.won for each in best], dtype=np.bool_),
        np.array([each.draws for each in best], dtype=np.int8),
        np.array([each.peaks for each in best], dtype=np.int8),
        slots,
        rules,
        objective,
    )


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
    if len(numbers) < len(deals):
        return deal_slots([_deal(deal, rules) for deal in deals], rules)
    return lay_out(*shuffle(numbers), rules)


def _deal(deal: Deal | str | int, rules: Rules) -> Deal:
    return Deal.from_number(int(deal)) if isinstance(deal, int | np.integer) else as_deal(deal, rules)


class Board(NamedTuple):
    """The edges of the lattice by source and by target, as the sweeps of this module read them one after the other.

    Attributes:
        first_out: uint32 (22933,): index of the first edge that leaves each mask, for the next two.
        out_positions: uint8 (119364,): the position that an edge removes.
        out_rows: uint32 (119364,): the row of an edge, see :func:`tripeaks_env.solver.lattice.edge_rows`.
        first_in: uint32 (22933,): index of the first edge that leads to each mask, for the next two.
        in_positions: uint8 (119364,): the position that an edge removes.
        in_rows: uint32 (119364,): the row of an edge.
    """

    first_out: np.ndarray
    out_positions: np.ndarray
    out_rows: np.ndarray
    first_in: np.ndarray
    in_positions: np.ndarray
    in_rows: np.ndarray


@lru_cache(maxsize=1)
def _board() -> Board:
    return _part_of_board(np.ones(len(lattice().masks), dtype=np.bool_))


def _part_of_board(kept: np.ndarray) -> Board:
    """Return the edges between some masks, bool (22932,); with a mask, all that it leads to must be among them."""
    board, rows = lattice(), edge_rows()
    out = np.flatnonzero(kept[board.sources])
    into = board.incoming[kept[board.sources[board.incoming]]]
    firsts = (
        np.append(0, np.cumsum(np.bincount(ends, minlength=len(kept))[kept])).astype(np.uint32)
        for ends in (board.sources[out], board.targets[out])
    )
    return Board(next(firsts), board.positions[out], rows[out], next(firsts), board.positions[into], rows[into])


class Answers(NamedTuple):
    """The best that can be done in each of N games.

    Attributes:
        scores: int32 (N,): the best final score.
        won: bool (N,): whether the game is won there.
        draws: int8 (N,): cards drawn in the whole game.
        peaks: int8 (N,): peaks emptied in the whole game.
    """

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
    objective = check_objective(objective)
    if rules.scoring.streak:
        raise ValueError("the rules have streak scoring; positions are solved at once only where points just add up")
    if not len(games):
        return _NO_DEALS
    whole, points = lattice(), worth(rules, objective)
    kept = whole.masks & ~np.bitwise_or.reduce(games["remaining"]) == 0
    board, of_mask, peaks = _part_of_board(kept), points.of_mask[kept], whole.peaks[kept]
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
        wins |= _draw_by_draw(ranks, rules, board, on_stock, range(first, last))
    ends = _first_with_bit(on_stock, np.argsort(-of_mask, kind="stable"), len(games))
    best = _best_ends(wins, ends, rules, points._replace(of_mask=of_mask), peaks)
    before = rules.scoring.start + worth(rules, "score").of_mask[kept][starts] + drawn * rules.scoring.draw
    return best._replace(scores=(best.scores + games["score"] - before).astype(np.int32))


def _solve_block(ranks: np.ndarray, rules: Rules, board: Board, objective: Objective) -> Answers:
    """Return the answers for N deals, ``ranks`` being uint8 (N, 54), the rank codes by slot."""
    stock, points = rules.stock_size, worth(rules, objective)
    win_scores = points.of_mask[-1] + points.win + np.arange(stock + 1) * points.draw
    blocked_scores = points.of_mask + stock * points.draw
    wins = np.zeros((stock + 1, len(ranks)), dtype=np.bool_)
    if rules.draw == "any" and points.draw <= 0:
        enough = int(np.count_nonzero(win_scores > blocked_scores[:-1].max())) - 1
        draws, undecided, on_stock = _fewest_draws(ranks, rules, board, enough)
        winnable = np.flatnonzero(draws < NEVER)
        wins[draws[winnable], winnable] = True
        swept_draws = range(stock, stock + 1)
    else:
        undecided = np.arange(len(ranks))
        full = _bits(np.ones(len(ranks), dtype=np.bool_))
        on_stock = np.zeros((len(blocked_scores), len(full)), dtype=np.uint64)
        on_stock[0] = full
        swept_draws = range(stock + 1)
    wins[:, undecided] |= _draw_by_draw(ranks[undecided], rules, board, on_stock, swept_draws)
    ends = np.full(len(ranks), -1)  # where the best blocked game ends; of equally good ones, in the first mask
    ends[undecided] = _first_with_bit(on_stock, np.argsort(-points.of_mask, kind="stable"), len(undecided))
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


def _goes(rules: Rules) -> np.ndarray:
    """Return bool (16, 14): whether a rank (second index, 0 being none) goes on a waste rank code (first)."""
    return (tables(rules)["adjacent"][0][:, None] >> np.arange(14) & 1).astype(np.bool_)


def _fewest_draws(
    ranks: np.ndarray, rules: Rules, board: Board, enough: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return with how few draws each of N deals can be won, int8 (N,), ``NEVER`` if it cannot.

    For the K deals that need more draws than ``enough``, return also which they are, int64 (K,), and which of them reach
    each mask before the last draw, as bits: uint64 (22932, K / 64). Some are there several times, to fill whole bytes.
    """
    clash, stock = np.where(_goes(rules), 0, NEVER).astype(np.int8), rules.stock_size
    clashes = np.empty((POSITIONS, POSITIONS, LANES), dtype=np.int8)
    fitting = np.empty((POSITIONS, MOST_FITTING, LANES), dtype=np.int8)
    rows = np.empty((board.out_rows.max() + 1, LANES), dtype=np.int8)
    fewest = np.empty((len(board.first_in) - 1, LANES), dtype=np.int8)
    draws = np.empty(len(ranks), dtype=np.int8)
    undecided, octets = [np.empty(0, dtype=np.int64)], [np.empty((len(fewest), 0), dtype=np.uint8)]
    for start in range(0, len(ranks), LANES):
        part = ranks[start : start + LANES]
        _compare(part[np.arange(LANES) % len(part)], clash, stock, clashes, fitting)
        _sweep_fewest(board, clashes, fitting, rows, fewest)
        draws[start : start + LANES] = fewest[-1, : len(part)]
        lanes = np.flatnonzero(draws[start : start + LANES] > enough)
        if len(lanes):
            lanes = np.append(lanes, np.full(-len(lanes) % 8, lanes[-1]))
            undecided.append(start + lanes)
            octets.append(np.empty((len(fewest), len(lanes) // 8), dtype=np.uint8))
            _below(fewest, lanes.astype(np.uint32), stock, octets[-1])
    return draws, np.concatenate(undecided), _as_words(np.concatenate(octets, axis=1))


@kernel
def _compare(ranks: np.ndarray, clash: np.ndarray, stock: int, clashes: np.ndarray, fitting: np.ndarray) -> None:
    """Write what goes on what in each deal.

    Args:
        ranks: uint8 (LANES, 54): the rank codes by slot.
        clash: int8 (16, 14): 0 where a rank (second index) goes on a waste rank code (first), else ``NEVER``.
        stock: cards in the stock.
        clashes: int8 (28, 28, LANES), out: 0 where the card of a position (first index) goes on that of another.
        fitting: int8 (28, MOST_FITTING, LANES), out: after which draws the card of a position goes on the drawn card;
            filled up with -1.
    """
    for position in range(POSITIONS):
        for other in range(POSITIONS):
            for lane in range(LANES):
                clashes[position, other, lane] = clash[ranks[lane, other], ranks[lane, position]]
    draws_of = np.empty((clash.shape[1], MOST_FITTING), dtype=np.int8)
    for lane in range(LANES):
        for rank in range(len(draws_of)):
            found = 0
            for draws in range(stock + 1):
                if not clash[ranks[lane, FIRST_WASTE + draws], rank]:
                    draws_of[rank, found] = draws
                    found += 1
            for i in range(found, MOST_FITTING):
                draws_of[rank, i] = -1
        for position in range(POSITIONS):
            for i in range(MOST_FITTING):
                fitting[position, i, lane] = draws_of[ranks[lane, position], i]


@kernel
def _sweep_fewest(board: Board, clashes: np.ndarray, fitting: np.ndarray, rows: np.ndarray, fewest: np.ndarray) -> None:
    """Write with how few draws a removal can lead to each mask.

    Args:
        board: the edges.
        clashes: int8 (28, 28, LANES), see :func:`_compare`.
        fitting: int8 (28, MOST_FITTING, LANES), see :func:`_compare`.
        rows: int8 (rows, LANES): working memory; the same number for each edge.
        fewest: int8 (22932, LANES), out: ``NEVER`` where no play leads; -1 for the full tableau, before the first draw.
    """
    fewest[:] = NEVER
    fewest[0] = -1
    for mask in range(len(fewest)):
        here = fewest[mask]
        first, last = board.first_in[mask], board.first_in[mask + 1]
        for edge in range(first, last):
            came = rows[board.in_rows[edge]]
            for lane in range(LANES):
                here[lane] = min(here[lane], came[lane])
        for out in range(board.first_out[mask], board.first_out[mask + 1]):
            position = board.out_positions[out]
            going = rows[board.out_rows[out]]
            draws = fitting[position]
            for lane in range(LANES):
                best = np.int8(NEVER)  # by a draw before: the next card that fits
                for i in range(MOST_FITTING):
                    best = min(best, draws[i, lane] if draws[i, lane] > here[lane] else np.int8(NEVER))
                going[lane] = best
            for edge in range(first, last):  # on the card removed before
                came = rows[board.in_rows[edge]]
                clash = clashes[position, board.in_positions[edge]]
                for lane in range(LANES):
                    going[lane] = min(going[lane], came[lane] | clash[lane])  # x | 0 = x, x | NEVER = NEVER


@kernel
def _below(fewest: np.ndarray, lanes: np.ndarray, bound: int, octets: np.ndarray) -> None:
    """Write whether ``fewest`` is below ``bound`` in some lanes, uint32 (K,), as bits to uint8 (22932, K / 8)."""
    for mask in range(len(fewest)):
        here = fewest[mask]
        for octet in range(octets.shape[1]):
            bits = 0
            for bit in range(8):
                bits |= (here[lanes[8 * octet + bit]] < bound) << bit
            octets[mask, octet] = bits


def _bits(flags: np.ndarray) -> np.ndarray:
    """Return bool (N, ...) as uint64 (..., N / 64), rounded up: bit n % 64 of word n // 64 is for deal n."""
    return _as_words(np.packbits(np.moveaxis(flags, 0, -1), axis=-1, bitorder="little"))


def _as_words(octets: np.ndarray) -> np.ndarray:
    """Return uint8 (..., K) as uint64 (..., K / 8), rounded up, the first byte being the lowest."""
    padding = [(0, 0)] * (octets.ndim - 1) + [(0, -octets.shape[-1] % 8)]
    return np.ascontiguousarray(np.pad(octets, padding)).view("<u8").astype(np.uint64)


def _flags(bits: np.ndarray, deals: int) -> np.ndarray:
    """Return uint64 (N / 64,) as bool (N,), the reverse of :func:`_bits`."""
    return np.unpackbits(bits.astype("<u8").view(np.uint8), count=deals, bitorder="little").astype(np.bool_)


def _draw_by_draw(
    ranks: np.ndarray, rules: Rules, board: Board, on_stock: np.ndarray, swept_draws: range
) -> np.ndarray:
    """Sweep for some numbers of draws up to all of them; return the wins after each, bool (stock + 1, N).

    Args:
        ranks: uint8 (N, 54): the rank codes by slot.
        rules: the rules.
        board: the edges.
        on_stock: uint64 (22932, N / 64), as bits in: which deals reach a mask with the drawn card on the waste, after the
            first of the numbers of draws; out: which can end blocked there.
        swept_draws: the numbers of draws.
    """
    wins = np.zeros((rules.stock_size + 1, len(ranks)), dtype=np.bool_)
    if not len(ranks):
        return wins
    goes, tableau = _goes(rules), ranks[:, :POSITIONS]
    fits = _bits(goes[tableau[:, :, None], tableau[:, None]])
    rows = np.empty((board.out_rows.max(initial=0) + 1, on_stock.shape[1]), dtype=np.uint64)
    for draws in swept_draws:
        fits_drawn = _bits(goes[ranks[:, FIRST_WASTE + draws, None], tableau])
        stuck = rules.draw == "stuck" or draws == rules.stock_size
        _sweep_draw(board, fits, fits_drawn, stuck, rows, on_stock)
        wins[draws] = _flags(on_stock[-1], len(ranks))
        on_stock[-1] = 0
    return wins


@kernel
def _sweep_draw(
    board: Board, fits: np.ndarray, fits_drawn: np.ndarray, stuck: bool, rows: np.ndarray, on_stock: np.ndarray
) -> None:
    """Find every state that removals lead to between two draws, with one bit for each of N deals.

    Args:
        board: the edges.
        fits: uint64 (28, 28, N / 64): whether the cards of two positions are adjacent.
        fits_drawn: uint64 (28, N / 64): whether the card of a position goes on the drawn card.
        stuck: whether to ask for states in which no card can be removed.
        rows: uint64 (rows, N / 64): working memory; whether each edge can be taken.
        on_stock: uint64 (22932, N / 64), in: whether a mask is reached with the drawn card on the waste; out: whether it is
            reached at all, or if ``stuck``, so that no card can be removed.
    """
    words = on_stock.shape[1]
    for mask in range(len(on_stock)):
        here = on_stock[mask]
        first, last = board.first_in[mask], board.first_in[mask + 1]
        first_out, last_out = board.first_out[mask], board.first_out[mask + 1]
        for out in range(first_out, last_out):
            position = board.out_positions[out]
            going = rows[board.out_rows[out]]
            for word in range(words):
                going[word] = here[word] & fits_drawn[position, word]
            for edge in range(first, last):
                came = rows[board.in_rows[edge]]
                fit = fits[position, board.in_positions[edge]]
                for word in range(words):
                    going[word] |= came[word] & fit[word]
        if stuck:
            for out in range(first_out, last_out):
                fit = fits_drawn[board.out_positions[out]]
                for word in range(words):
                    here[word] &= ~fit[word]
        for edge in range(first, last):
            came = rows[board.in_rows[edge]]
            if stuck:
                for out in range(first_out, last_out):
                    fit = fits[board.out_positions[out], board.in_positions[edge]]
                    for word in range(words):
                        came[word] &= ~fit[word]
            for word in range(words):
                here[word] |= came[word]


@kernel
def _first_with_bit(bits: np.ndarray, order: np.ndarray, deals: int) -> np.ndarray:
    """Return int64 (N,): the first mask in ``order`` whose bit for each deal is set, or -1."""
    found = np.full(deals, -1, dtype=np.int64)
    unseen = np.full(bits.shape[1], ~np.uint64(0), dtype=np.uint64)
    left = deals
    for mask in order:
        if left == 0:
            break
        for word in range(len(unseen)):
            hits = bits[mask, word] & unseen[word]
            if hits:
                unseen[word] ^= hits
                for bit in range(64):
                    if (hits >> np.uint64(bit)) & np.uint64(1):
                        found[64 * word + bit] = mask
                        left -= 1
    return found
