"""A value network for searches: what a position is worth to a fair player, from what is seen of it.

It is small and evaluated inside the search's kernels, millions of times. Its inputs are many zeros and a few ones, so the
first layer is a sum of rows of a table, one for each input that is one; the tables of related positions differ by a few rows.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.learned import checkpoint
from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import EMPTY, WILD
from tripeaks_env.game.layout import MIRROR, POSITIONS
from tripeaks_env.game.rules import Rules

CATEGORIES = 14
"""Of a position: 13 ranks relative to the waste card, face down. A removed card has no input."""
FACE_DOWN_CATEGORY = 13
UNSEEN = POSITIONS * CATEGORIES
"""First input of the unseen cards: for each relative rank whether there are 1, 2, 3, 4 of them."""
JOKER = UNSEEN + 13 * 4
"""Whether the joker is unseen."""
STOCK = JOKER + 1
"""First input of the number of stock cards, 0 to 25."""
ANY_RANK = STOCK + 26
"""Whether any rank goes on the waste card."""
WASTE = ANY_RANK + 1
"""First input of the waste card's own rank, where king and ace are not adjacent."""
RUN = WASTE + 13
"""First input of the run length, 0 to 28, where removals since the last draw score more and more."""
INPUTS = RUN + POSITIONS + 1
MOST = POSITIONS + 13 + 5
"""The most inputs that are one."""
HIGHEST = np.float32(1e6)
"""The highest value, far beyond what a game is worth; the lowest is as far below 0."""
POINTS = np.float32(100)
"""Points of score in a unit of value."""


class ValueNetwork(NamedTuple):
    """Weights of a network with two hidden layers of rectified linear units; all float32.

    Attributes:
        rows: (INPUTS, H): what each input adds to the first layer.
        bias: (H,).
        hidden: (K, H): the second layer.
        hidden_bias: (K,).
        head: (K,).
        head_bias: (1,).
        win: (1,): what a win is worth more than its points, in units of 100 points.
    """

    rows: np.ndarray
    bias: np.ndarray
    hidden: np.ndarray
    hidden_bias: np.ndarray
    head: np.ndarray
    head_bias: np.ndarray
    win: np.ndarray


class Work(NamedTuple):
    """Working memory of an evaluation.

    Attributes:
        found: int64 (MOST,): the inputs that are one.
        base: float32 (H,): sums of the first layer that several positions share.
        sums: float32 (H,): the first layer.
    """

    found: np.ndarray
    base: np.ndarray
    sums: np.ndarray


def working_memory(network: ValueNetwork) -> Work:
    """Return working memory for one thread."""
    size = len(network.bias)
    return Work(np.empty(MOST, np.int64), np.empty(size, np.float32), np.empty(size, np.float32))


@kernel
def relative_rank(rank: int, waste: int) -> int:
    """Return how much higher a rank is than the waste card, modulo 13; than an ace if any rank goes on that."""
    base = 1 if waste in (EMPTY, WILD) else int(waste)
    return rank - base if rank >= base else rank - base + 13


@kernel
def inputs(game: np.void, table: np.void, found: np.ndarray) -> int:
    """Write to ``found`` which inputs are one for a game as seen; return how many.

    An exposed card that is not known yet (rank code 0) has no input.
    """
    number = 0
    base = int(game["waste"])
    if base in (EMPTY, WILD):
        base = 1
        found[number] = ANY_RANK
        number += 1
    remaining = np.uint32(game["remaining"])
    shown = remaining if table["open"] else np.uint32(game["exposed"])
    for position in range(POSITIONS):
        place = np.uint32(position)
        if not (remaining >> place) & np.uint32(1):
            continue
        category = FACE_DOWN_CATEGORY
        if (shown >> place) & np.uint32(1):
            card = int(game["cards"][position])
            if card == EMPTY:
                continue
            category = relative_rank(card, base)
        found[number] = position * CATEGORIES + category
        number += 1
    for relative in range(13):
        rank = base + relative if base + relative <= 13 else base + relative - 13
        count = int(game["unseen"][rank])
        if count > 0:
            found[number] = UNSEEN + 4 * relative + count - 1
            number += 1
    if game["unseen"][WILD] > 0:
        found[number] = JOKER
        number += 1
    found[number] = STOCK + int(table["stock"]) - int(game["drawn"])
    number += 1
    if not table["adjacent"][13] & 2:  # no ace on a king
        found[number] = WASTE + base - 1
        number += 1
    if table["streak"]:
        found[number] = RUN + int(game["run"])
        number += 1
    return number


@kernel(fastmath=True)
def add_up(game: np.void, table: np.void, network: ValueNetwork, found: np.ndarray, sums: np.ndarray) -> None:
    """Write the first layer's sums of a game as seen to ``sums``, float32 (H,)."""
    rows = network.rows
    number = inputs(game, table, found)
    sums[:] = network.bias
    first = 0
    while first + 4 <= number:  # four rows at a time, so that the sums are read and written less often
        a, b, c, d = found[first], found[first + 1], found[first + 2], found[first + 3]
        for unit in range(len(sums)):
            sums[unit] += (rows[a, unit] + rows[b, unit]) + (rows[c, unit] + rows[d, unit])
        first += 4
    for i in range(first, number):
        a = found[i]
        for unit in range(len(sums)):
            sums[unit] += rows[a, unit]


@kernel(fastmath=True)
def change_row(sums: np.ndarray, rows: np.ndarray, row: int, sign: np.float32) -> None:
    """Add a row to the first layer's sums (``sign`` 1) or take it away (-1)."""
    for unit in range(len(sums)):
        sums[unit] += sign * rows[row, unit]


@kernel(fastmath=True)
def output(sums: np.ndarray, network: ValueNetwork) -> np.float32:
    """Return the value, in units of 100 points, for the first layer's sums, which are changed."""
    hidden = network.hidden
    for unit in range(len(sums)):
        sums[unit] = max(sums[unit], np.float32(0))
    value = network.head_bias[0]
    for other in range(len(hidden)):
        total = np.float32(0)
        for unit in range(len(sums)):
            total += hidden[other, unit] * sums[unit]
        value += network.head[other] * max(total + network.hidden_bias[other], np.float32(0))
    return min(max(value, -HIGHEST), HIGHEST)


@kernel(fastmath=True)
def evaluate(game: np.void, table: np.void, network: ValueNetwork, work: Work) -> np.float32:
    """Return what is still to come in a game as seen that is not over, in units of 100 points, a win counted extra."""
    add_up(game, table, network, work.found, work.sums)
    return output(work.sums, network)


def mirrored() -> np.ndarray:
    """Return for each input the one that is one in the mirrored tableau instead, int64 (INPUTS,)."""
    found = np.arange(INPUTS)
    found[:UNSEEN] = found[:UNSEEN].reshape(POSITIONS, CATEGORIES)[MIRROR].ravel()
    return found


def reversed_ranks() -> np.ndarray:
    """Return for each input the one that is one with the ranks reversed, r to 14 - r, instead, int64 (INPUTS,).

    It holds as long as the waste card has a rank.
    """
    found, other = np.arange(INPUTS), -np.arange(13) % 13
    for by_rank in (found[:UNSEEN].reshape(POSITIONS, CATEGORIES)[:, :13], found[UNSEEN:JOKER].reshape(1, 13, 4)):
        by_rank[:] = by_rank[:, other]
    found[WASTE:RUN] = found[WASTE:RUN][::-1]
    return found


def save_network(network: ValueNetwork, rules: Rules, path: Path) -> None:
    """Write a network to a file; see :mod:`agents.learned.checkpoint`."""
    checkpoint.write(path, "value", rules, network._asdict())


def load_network(rules: Rules, path: str | Path | None = None) -> ValueNetwork:
    """Return the network of a checkpoint; see :func:`agents.learned.checkpoint.read` for the arguments and errors."""
    weights = checkpoint.read("value", rules, path)
    try:
        network = ValueNetwork(**weights)
    except TypeError as error:
        raise ValueError(f"checkpoint {path} is no value network: {error}") from error
    size, following = network.bias.size, network.head.size
    shapes = ((INPUTS, size), (size,), (following, size), (following,), (following,), (1,), (1,))
    for name, array, shape in zip(ValueNetwork._fields, network, shapes, strict=True):
        if array.shape != shape:
            raise ValueError(f"checkpoint {path} has {name} of shape {array.shape}; it must be {shape}")
    return network
