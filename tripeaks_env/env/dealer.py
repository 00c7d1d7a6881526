"""The random deals of many environments, each from its own random generator."""

import numpy as np
from gymnasium.utils import seeding

from tripeaks_env.env.splits import Split, random_numbers
from tripeaks_env.game.deals import format_codes, number_slots
from tripeaks_env.game.rules import Rules

AHEAD = 256
"""Deal numbers that are drawn at a time for each environment; one by one would take most of the time of a vector step."""


class Dealer:
    """Deals to N environments. Environment i gets the deals that a single one gets whose generator has the same seed.

    Args:
        number: how many environments.
        rules: the rules that are played by.
        split: which deals to draw from.
    """

    def __init__(self, number: int, rules: Rules, split: Split) -> None:
        self.rules = rules
        self.split = split
        self._generators: list[np.random.Generator | None] = [None] * number
        self._numbers = np.empty((number, AHEAD), dtype=np.int64)
        self._used = np.full(number, AHEAD)

    def seed(self, i: int, seed: int) -> None:
        """Begin the deals of environment ``i`` anew, from ``seed``."""
        self._generators[i], _ = seeding.np_random(seed)
        self._used[i] = AHEAD

    def deal(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the next deal of each of the environments ``which``, indices (M,): slots int8 (M, 54), codes (M,)."""
        used = self._used[which]
        if (used == AHEAD).any():
            for i in which[used == AHEAD].tolist():
                self._draw(i)
            used = self._used[which]
        self._used[which] = used + 1
        numbers = self._numbers[which, used]
        return number_slots(numbers, self.rules), format_codes(numbers, self.rules)

    def _draw(self, i: int) -> None:
        generator = self._generators[i]
        if generator is None:
            generator, _ = seeding.np_random()
            self._generators[i] = generator
        self._numbers[i] = random_numbers(generator, self.split, AHEAD)
        self._used[i] = 0
