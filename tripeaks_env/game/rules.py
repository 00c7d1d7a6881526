"""What can be chosen about the game: the rank sequence, when a draw is allowed, the score, and the variants.

The default, *easy*, and *classic* are the rules of an existing TriPeaks app; *traditional* is what the app's rules page
reports of other sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from tripeaks_env.game.arguments import boolean, one_of
from tripeaks_env.game.cards import EMPTY, WILD

DrawRule = Literal["any", "stuck"]
MAX_POINTS = 1_000_000  # so that no score leaves 32 bits
WITHIN = f"from {-MAX_POINTS} to {MAX_POINTS}"


def _check(right: bool, name: str, value: object, expected: str) -> None:
    if not right:
        raise ValueError(f"{name} is {value!r}; it must be {expected}")


@dataclass(frozen=True)
class Scoring:
    """Points of a game.

    The app's score has a floor at 0. It starts at 500 and loses at most one point for each of the 53 actions a line can
    have, and an undo gives back exactly what its move changed, so the floor is never reached; it needs no code.

    Attributes:
        start: score at the start.
        removal: points for each removed tableau card.
        draw: points for each card drawn from the stock.
        peaks: points for the first, second and third peak that is emptied, on top of the removal.
        streak: whether the n-th removal in a row since the last draw scores n points more.

    Raises:
        ValueError: points are not integers of at most a million, up or down, or ``streak`` is no bool.
    """

    start: int = 500
    removal: int = -1
    draw: int = -1
    peaks: tuple[int, int, int] = (100, 100, 100)
    streak: bool = False

    def __post_init__(self) -> None:
        for name in ("start", "removal", "draw"):
            _check(_are_points(getattr(self, name)), f"scoring {name}", getattr(self, name), f"an integer {WITHIN}")
        peaks = tuple(self.peaks) if isinstance(self.peaks, tuple | list) else ()
        _check(len(peaks) == 3 and _are_points(*peaks), "scoring peaks", self.peaks, f"three integers {WITHIN}")
        object.__setattr__(self, "peaks", peaks)
        boolean("scoring streak", self.streak)


def _are_points(*values: object) -> bool:
    return all(type(value) is int and abs(value) <= MAX_POINTS for value in values)


SCORINGS = {
    "standard": Scoring(),
    "traditional": Scoring(start=0, removal=0, draw=-5, peaks=(15, 15, 30), streak=True),
}
"""Named scorings: the app's, and the one that four public sources agree on."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game; immutable and hashable.

    Attributes:
        wrap: whether king and ace are adjacent.
        draw: ``"any"``: a card may be drawn whenever the stock has one; ``"stuck"``: only when no card can be removed.
        scoring: a :class:`Scoring`, or the name of one (``"standard"``, ``"traditional"``).
        wild: a joker is shuffled into the stock (24 cards); any exposed card goes on it.
        open_peaks: all tableau cards are face up from the start; covered ones still cannot be played.
        empty_waste: the waste starts empty, its first card lies on top of the stock, and any exposed card may go first.

    Raises:
        ValueError: an attribute has a value that is not allowed.

    >>> Rules(wrap=False) == Rules.classic
    True
    """

    wrap: bool = True
    draw: DrawRule = "any"
    scoring: Scoring = SCORINGS["standard"]
    wild: bool = False
    open_peaks: bool = False
    empty_waste: bool = False

    easy: ClassVar[Rules]
    classic: ClassVar[Rules]
    traditional: ClassVar[Rules]

    def __post_init__(self) -> None:
        scoring = SCORINGS.get(self.scoring) if isinstance(self.scoring, str) else self.scoring
        _check(isinstance(scoring, Scoring), "scoring", self.scoring, f"one of {', '.join(SCORINGS)}, or a Scoring")
        object.__setattr__(self, "scoring", scoring)
        _check(self.draw in get_args(DrawRule), "draw", self.draw, " or ".join(get_args(DrawRule)))
        for name in ("wrap", "wild", "open_peaks", "empty_waste"):
            boolean(name, getattr(self, name))

    @property
    def letter(self) -> str:
        """The rule letter of deal codes: ``E`` where king and ace are adjacent, else ``C``."""
        return "E" if self.wrap else "C"

    @property
    def stock_size(self) -> int:
        """Number of cards in the stock at the start: 23 to 25."""
        return 23 + self.wild + self.empty_waste

    @property
    def name(self) -> str | None:
        """The name of the preset that these rules are, or ``None``."""
        return next((name for name, rules in PRESETS.items() if rules == self), None)

    def __str__(self) -> str:
        """The preset's name, or what differs from easy."""
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return self.name or f"Rules({', '.join(changed)})"

    def to_json(self) -> str | dict[str, Any]:
        """Return the preset's name or the attributes, as :func:`as_rules` reads them; made of JSON types only."""
        return self.name or asdict(self)


PRESETS = {
    "easy": Rules(),
    "classic": Rules(wrap=False),
    "traditional": Rules(wrap=False, draw="stuck", scoring=SCORINGS["traditional"]),
    "open": Rules(open_peaks=True),
    "wild": Rules(wild=True),
    "empty-waste": Rules(empty_waste=True),
}
"""Rules by name."""
Rules.easy, Rules.classic, Rules.traditional = (PRESETS[name] for name in ("easy", "classic", "traditional"))


def as_rules(rules: str | Rules | Mapping[str, Any]) -> Rules:
    """Return ``rules`` as :class:`Rules`: a preset's name, a mapping of attributes, or rules already.

    Raises:
        ValueError: no preset has that name, or an attribute does not exist or has a value that is not allowed.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str) and rules in PRESETS:
        return PRESETS[rules]
    if not isinstance(rules, Mapping):
        wanted = f"one of {', '.join(PRESETS)}, a Rules, or a mapping of its attributes"
        raise ValueError(f"rules is {rules!r}; it must be {wanted}")
    _check_keys(Rules, rules)
    scoring = rules.get("scoring", "standard")
    if isinstance(scoring, Mapping):
        _check_keys(Scoring, scoring)
        scoring = Scoring(**scoring)
    return Rules(**{**rules, "scoring": scoring})


def _check_keys(cls: type[Rules] | type[Scoring], values: Mapping[str, Any]) -> None:
    names = [field.name for field in fields(cls)]
    for key in values:
        one_of(f"{cls.__name__.lower()} attribute", key, names)


def adjacency(wrap: bool) -> np.ndarray:
    """Return which ranks go on which waste card: int32 (16,), bit r of entry w is set if rank r goes on rank code w.

    Every rank goes on a joker and on an empty waste.
    """
    ranks = np.arange(1, 14)
    distances = abs(ranks[:, None] - ranks)
    table = np.zeros(16, dtype=np.int32)
    table[ranks] = ((distances == 1) | (wrap & (distances == 12))) @ (1 << ranks)
    table[[EMPTY, WILD]] = sum(1 << ranks)
    return table
