"""Which states many deals reach, by a sweep over the lattice for each number of draws, with one bit for each deal.

Between two draws only the mask counts. The last sweep finds the blocked games, for those have drawn every card.
"""

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.engine import tables
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.lattice import Board


def draw_by_draw(ranks: np.ndarray, rules: Rules, board: Board, on_stock: np.ndarray, swept_draws: range) -> np.ndarray:
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
    goes, tableau = goes_on(rules), ranks[:, :POSITIONS]
    fits = as_bits(goes[tableau[:, :, None], tableau[:, None]])
    rows = np.empty((board.out_rows.max(initial=0) + 1, on_stock.shape[1]), dtype=np.uint64)
    for draws in swept_draws:
        fits_drawn = as_bits(goes[ranks[:, FIRST_WASTE + draws, None], tableau])
        stuck = rules.draw == "stuck" or draws == rules.stock_size
        _sweep_draw(board, fits, fits_drawn, stuck, rows, on_stock)
        wins[draws] = _flags(on_stock[-1], len(ranks))
        on_stock[-1] = 0
    return wins


@kernel
def first_with_bit(bits: np.ndarray, order: np.ndarray, deals: int) -> np.ndarray:
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


def goes_on(rules: Rules) -> np.ndarray:
    """Return bool (16, 14): whether a rank (second index, 0 being none) goes on a waste rank code (first)."""
    return (tables(rules)["adjacent"][0][:, None] >> np.arange(14) & 1).astype(np.bool_)


def as_bits(flags: np.ndarray) -> np.ndarray:
    """Return bool (N, ...) as uint64 (..., N / 64), rounded up: bit n % 64 of word n // 64 is for deal n."""
    return as_words(np.packbits(np.moveaxis(flags, 0, -1), axis=-1, bitorder="little"))


def as_words(octets: np.ndarray) -> np.ndarray:
    """Return uint8 (..., K) as uint64 (..., K / 8), rounded up, the first byte being the lowest."""
    padding = [(0, 0)] * (octets.ndim - 1) + [(0, -octets.shape[-1] % 8)]
    return np.ascontiguousarray(np.pad(octets, padding)).view("<u8").astype(np.uint64)


def _flags(bits: np.ndarray, deals: int) -> np.ndarray:
    """Return uint64 (N / 64,) as bool (N,), the reverse of :func:`as_bits`."""
    return np.unpackbits(bits.astype("<u8").view(np.uint8), count=deals, bitorder="little").astype(np.bool_)


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
