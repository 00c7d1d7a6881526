"""The win with the fewest draws of many deals, where drawing is always allowed, by a single sweep over the lattice.

There a state is never worse than the same one after more draws, for it can follow every play of that one from its next draw
on. So one number for each edge is enough, the fewest draws.
"""

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.draw_by_draw import as_words, goes_on
from tripeaks_env.solver.lattice import Board

LANES = 192
"""Deals side by side in a sweep for the fewest draws. A constant: the compiler unrolls the loops over them."""
NEVER = 127
"""More draws than there can be: no play leads there."""
MOST_FITTING = 10
"""Most stock cards that a card can go on: four each of two ranks, the joker, and the empty waste of the start."""


def fewest_draws(
    ranks: np.ndarray, rules: Rules, board: Board, enough: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return with how few draws each of N deals can be won, int8 (N,), ``NEVER`` if it cannot.

    For the K deals that need more draws than ``enough``, return also which they are, int64 (K,), and which of them reach
    each mask before the last draw, as bits: uint64 (22932, K / 64). Some are there several times, to fill whole bytes.
    """
    clash, stock = np.where(goes_on(rules), 0, NEVER).astype(np.int8), rules.stock_size
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
    return draws, np.concatenate(undecided), as_words(np.concatenate(octets, axis=1))


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
