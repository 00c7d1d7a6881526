"""Which deals are for training and which for evaluation. They never meet.

A deal whose code ends in Z is an evaluation deal: one in 26, 308,915,776 in all. Seeded resets deal the others unless
asked otherwise; published results are on evaluation deals only.
"""

from typing import Literal, get_args

import numpy as np

from tripeaks_env.game.arguments import integer, is_integer
from tripeaks_env.game.deals import NUM_DEALS, below

Split = Literal["train", "evaluation", "all"]
SPLITS: tuple[Split, ...] = get_args(Split)
LAST_LETTER = 25
NUM_PREFIXES = NUM_DEALS // 26


def is_evaluation(number: int) -> bool:
    """Return whether a deal number is kept for evaluation: its code ends in Z."""
    return number % 26 == LAST_LETTER


def random_numbers(rng: np.random.Generator, split: Split = "train", size: int = 1) -> np.ndarray:
    """Return uniform deal numbers of a split, int64 (size,); one draw of ``rng`` each."""
    if split == "all":
        return rng.integers(NUM_DEALS, size=size)
    if split == "evaluation":
        return 26 * rng.integers(NUM_PREFIXES, size=size) + LAST_LETTER
    prefixes, letters = np.divmod(rng.integers(NUM_PREFIXES * LAST_LETTER, size=size), LAST_LETTER)
    return 26 * prefixes + letters


def suite(count: int, seed: int = 0) -> list[int]:
    """Return ``count`` different evaluation deal numbers, the same for ever for a seed.

    A longer suite of a seed begins with the shorter ones. The numbers come from the generator that deals the cards.

    Args:
        count: how many, 1 to 1,000,000.
        seed: 0 to 2**32 - 1.

    Raises:
        ValueError: ``count`` or ``seed`` is out of range.
    """
    if not is_integer(count) or not 1 <= count <= 1_000_000:
        raise ValueError(f"a suite of {count!r} deals was asked for; it must be 1 to 1000000")
    seed = integer("suite seed", seed, 0, 2**32 - 1, f"0 to {2**32 - 1}")
    state = np.array([seed], dtype=np.uint64)
    numbers: dict[int, None] = {}  # an ordered set
    while len(numbers) < count:
        numbers[26 * int(below(state, NUM_PREFIXES)) + LAST_LETTER] = None
    return list(numbers)
