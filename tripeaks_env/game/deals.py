"""Deals: the order of the cards as a pure function of a deal number, the codes that name deals, and deals given as cards.

A deal does not depend on the rules: the same seven letters deal the same cards under every rule. The app whose rules these
are does not publish its shuffle; this one agrees with everything that is known of the app's deals ``AAAAAAB`` and
``AAAAAAD``, and every other code deals other cards than the app does.

The deal of number n: the words of SplitMix64 with n as its state, their high halves made into integers below a bound by
Lemire's method, and a Fisher-Yates shuffle from the top over a fixed deck. No library's random stream is involved, so a
code deals the same cards for ever and everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import counted, integer, is_integer
from tripeaks_env.game.cards import JOKER, JOKER_TEXT, NO_CARD, card_text, parse_card
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules, as_rules

CODE_PREFIX = "TP1"
CODE_LETTERS = 7
NUM_DEALS = 26**CODE_LETTERS

JOKER_PLACES = 24
"""The joker is shuffled into so many cards, the last ones of the stock: an empty waste puts one more on top of them."""
FIRST_WASTE = POSITIONS
"""The slot of the first waste card; the slots before it are the tableau, those after it the stock in draw order."""
SLOTS = POSITIONS + 1 + 25
"""Slots of a dealt game: tableau, first waste card, and the largest stock (with joker and first waste card)."""

_UNSHUFFLED = """
8C 7C 3H AC TH TS 5H 5S 9S TD 2S 3C JD 8H 5C KS 4D KD 6S QS TC 7H 2D AD QC 4S
AS 3S JC 8S 6D 9H 7S JH 2H QD 7D 5D 6C AH 9C 9D QH KC 6H JS 3D KH 4H 2C 4C 8D
"""
DECK = np.array([parse_card(text) for text in _UNSHUFFLED.split()], dtype=np.int8)
"""int8 (52,): the order of the cards before the shuffle."""
DECK.setflags(write=False)


_FIRST_CODES = {
    letter: np.array([f"{CODE_PREFIX}-{letter}-{'A' * CODE_LETTERS}"]).view(np.uint32) for letter in ("E", "C")
}  # the characters of the codes of deal number 0


@dataclass(frozen=True)
class Deal:
    """All cards of a game in dealing order, hidden ones included.

    Attributes:
        cards: 52 card numbers: the 28 tableau positions, the first waste card, 23 stock cards in draw order.
        joker: the joker's place in the stock under wild rules (0 to 23), or ``None`` if the deal has no joker.
        number: the number that deals these cards, or ``None`` if they were given otherwise. Deals are equal if their cards
            and jokers are.

    Raises:
        ValueError: the cards are not the 52 cards, or the joker's place is not in the stock.

    >>> Deal.from_code("TP1-E-AAAAAAB").code("classic")
    'TP1-C-AAAAAAB'
    """

    cards: tuple[int, ...]
    joker: int | None = None
    number: int | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        cards = tuple(self.cards)
        if not all(is_integer(card) for card in cards):
            raise ValueError(f"cards are {cards}; they must be card numbers, 0 to 51")
        if sorted(cards) != list(range(52)):
            raise ValueError(_deck_fault(list(cards)))
        if self.joker is not None and not (is_integer(self.joker) and 0 <= self.joker <= 23):
            raise ValueError(f"the joker is at place {self.joker} of the stock; it must be 0 to 23")
        object.__setattr__(self, "cards", tuple(int(card) for card in cards))

    @classmethod
    def from_number(cls, number: int) -> Deal:
        """Return the deal of a number from 0 to 26**7 - 1.

        Raises:
            ValueError: no deal has that number.
        """
        cards, jokers = shuffle([number])
        deal = cls(tuple(cards[0].tolist()), int(jokers[0]))
        object.__setattr__(deal, "number", int(number))
        return deal

    @classmethod
    def from_code(cls, code: str) -> Deal:
        """Return the deal that a code names, such as ``TP1-E-AAAAAAB``. The rule letter does not change the cards.

        Raises:
            ValueError: see :func:`parse_code`.
        """
        return cls.from_number(parse_code(code)[1])

    @classmethod
    def from_cards(cls, text: str) -> Deal:
        """Return the deal of 52 cards written in dealing order, such as ``6d 5h … Jc``; ``T`` or ``10`` is a ten.

        A joker ``*`` may stand among the stock cards (the last 23), as a 53rd card; wild rules need it.

        Raises:
            ValueError: a card does not exist, is missing or is there twice, or the joker is not in the stock.
        """
        if not isinstance(text, str):
            raise ValueError(f"cards are {text!r}; they must be a text like '6d 5h …'")
        cards = [parse_card(word) for word in text.replace(",", " ").split()]
        if JOKER not in cards:
            return cls(tuple(cards))
        place = cards.index(JOKER)
        cards.remove(JOKER)
        if JOKER in cards:
            raise ValueError(f"there twice: {JOKER_TEXT}; a deal has one joker at most")
        if place <= FIRST_WASTE:
            raise ValueError(f"the joker {JOKER_TEXT} is card {place + 1}; it must be in the stock (card 30 to 53)")
        return cls(tuple(cards), place - FIRST_WASTE - 1)

    def code(self, rules: str | Rules = "easy") -> str | None:
        """Return the code of this deal with the letter of ``rules``, or ``None`` if no number is known for it."""
        return None if self.number is None else format_code(self.number, rules)

    def text(self) -> str:
        """Return the cards as :meth:`from_cards` reads them."""
        words = [card_text(card) for card in self.cards]
        if self.joker is not None:
            words.insert(FIRST_WASTE + 1 + self.joker, JOKER_TEXT)
        return " ".join(words)

    def __repr__(self) -> str:
        return f"<Deal {self.code() or self.text()}>"


def as_deal(deal: Deal | str, rules: Rules) -> Deal:
    """Return ``deal``, or the deal that a code names.

    Raises:
        ValueError: the code is malformed or its rule letter contradicts ``rules``, or ``deal`` is neither.
    """
    if isinstance(deal, Deal):
        return deal
    letter, number = parse_code(deal)
    if letter != rules.letter:
        right = format_code(number, rules)
        raise ValueError(f"deal code {deal!r} names another rule than the one played; for this rule it is {right!r}")
    return Deal.from_number(number)


def parse_code(code: str) -> tuple[str, int]:
    """Return the rule letter (``E`` or ``C``) and the deal number of a deal code.

    Lower case is read like upper case, white space around the code is ignored, and an old ``N`` is read as ``E``.

    Raises:
        ValueError: naming the part of the code that is wrong.

    >>> parse_code("TP1-E-AAAAAAB")
    ('E', 1)
    """
    if not isinstance(code, str):
        raise ValueError(f"deal code is {code!r}; it must be a text like 'TP1-E-AAAAAAB'")
    parts = (code.upper() if code.isascii() else code).strip().split("-")
    if len(parts) != 3:
        raise ValueError(
            f"deal code {code!r} has {counted(len(parts), 'part')}; it must have three, like 'TP1-E-AAAAAAB'"
        )
    prefix, letter, letters = parts
    if prefix != CODE_PREFIX:
        raise ValueError(f"deal code {code!r} begins with {prefix!r}; it must begin with {CODE_PREFIX!r}")
    if letter not in ("E", "C", "N"):
        raise ValueError(f"deal code {code!r} has the rule letter {letter!r}; it must be E (easy) or C (classic)")
    if len(letters) != CODE_LETTERS:
        raise ValueError(f"deal code {code!r} ends with {len(letters)} letters; it must be {CODE_LETTERS}")
    number = 0
    for character in letters:
        if not "A" <= character <= "Z":
            raise ValueError(f"deal code {code!r} has {character!r} among its letters; they must be A to Z")
        number = 26 * number + ord(character) - ord("A")
    return ("C" if letter == "C" else "E"), number


def format_codes(numbers: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the codes of deal numbers, int64 (N,), with the letter of ``rules``: an array (N,) of texts as objects."""
    characters = np.empty((len(numbers), len(_FIRST_CODES[rules.letter])), dtype=np.uint32)
    _write_codes(numbers, _FIRST_CODES[rules.letter], characters)
    return characters.view(f"U{characters.shape[1]}")[:, 0].astype(object)


def format_code(number: int, rules: str | Rules = "easy") -> str:
    """Return the code of a deal number with the letter of ``rules``.

    Raises:
        ValueError: no deal has that number.
    """
    return format_codes(np.array([_check_number(number)]), as_rules(rules))[0]


def shuffle(numbers: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cards int8 (N, 52) in dealing order and the joker places int8 (N,) of N deal numbers.

    Raises:
        ValueError: no deal has one of the numbers.
    """
    for number in (min(numbers), max(numbers)) if len(numbers) else ():
        _check_number(number)
    return _shuffled(np.array(numbers, dtype=np.int64))


def _shuffled(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    cards = np.empty((len(numbers), len(DECK)), dtype=np.int8)
    jokers = np.empty(len(numbers), dtype=np.int8)
    _shuffle(numbers, DECK, cards, jokers)
    return cards, jokers


def number_slots(numbers: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the slots of N deal numbers that exist, int64 (N,); see :func:`lay_out`."""
    return lay_out(*_shuffled(numbers), rules)


def lay_out(cards: np.ndarray, jokers: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the slots of N games, int8 (N, 54): card numbers of tableau, first waste card and stock, then ``NO_CARD``.

    Args:
        cards: int8 (N, 52) card numbers in dealing order.
        jokers: int8 (N,) places of the joker in the stock; used under wild rules only.
        rules: whether the joker takes part and whether the waste starts empty.
    """
    slots = np.full((len(cards), SLOTS), NO_CARD, dtype=np.int8)
    _lay_out(cards, jokers, rules.wild, rules.empty_waste, slots)
    return slots


def deal_slots(deals: Sequence[Deal], rules: Rules) -> np.ndarray:
    """Return the slots of N deals, int8 (N, 54), see :func:`lay_out`.

    Raises:
        ValueError: the rules are wild and a deal has no joker.
    """
    for deal in deals:
        if rules.wild and deal.joker is None:
            name = deal.code(rules) or "given by its cards"
            raise ValueError(
                f"the deal {name} has no joker; wild rules need one: write {JOKER_TEXT} among the stock cards"
            )
    cards = np.array([deal.cards for deal in deals], dtype=np.int8).reshape(-1, 52)
    jokers = np.array([deal.joker or 0 for deal in deals], dtype=np.int8)
    return lay_out(cards, jokers, rules)


def _check_number(number: int) -> int:
    return integer("deal number", number, 0, NUM_DEALS - 1, f"0 to {NUM_DEALS - 1}")


def _deck_fault(cards: list[int]) -> str:
    twice = [card_text(card) for card in sorted(set(cards)) if cards.count(card) > 1]
    missing = [card_text(card) for card in range(52) if card not in cards]
    faults = [f"a deal must have 52 different cards, not {len(cards)}"]
    faults += [f"there twice: {' '.join(twice)}"] if twice else []
    faults += [f"missing: {' '.join(missing)}"] if missing else []
    return "; ".join(faults)


@kernel
def _next_word(state: np.ndarray) -> np.uint64:
    """Advance a SplitMix64 generator, uint64 (1,), and return the high half of its next word."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    word = state[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))) >> np.uint64(32)


@kernel
def below(state: np.ndarray, bound: int) -> int:
    """Return a uniform integer below ``bound`` by Lemire's method over 32-bit words."""
    n = np.uint64(bound)
    low_half = np.uint64(0xFFFFFFFF)
    product = _next_word(state) * n
    if product & low_half < n:  # only then can the word be an unfair one, and the slow division is needed
        unfair = (low_half + np.uint64(1)) % n
        while product & low_half < unfair:
            product = _next_word(state) * n
    return int(product >> np.uint64(32))


@kernel
def _write_codes(numbers: np.ndarray, first: np.ndarray, characters: np.ndarray) -> None:
    """Write the codes of deal numbers as characters, uint32 (N, 13), given the code of number 0."""
    length = len(first)
    for i in range(len(numbers)):
        number = numbers[i]
        characters[i] = first
        for place in range(length - 1, length - 1 - CODE_LETTERS, -1):
            characters[i, place] += number % 26
            number //= 26


@kernel
def _shuffle(numbers: np.ndarray, deck: np.ndarray, cards: np.ndarray, jokers: np.ndarray) -> None:
    """Write the cards of each deal number to a row of ``cards`` and its joker place to ``jokers``."""
    state = np.empty(1, dtype=np.uint64)
    for game in range(len(numbers)):
        state[0] = numbers[game]
        cards[game] = deck
        for i in range(51, 0, -1):
            j = below(state, i + 1)
            card = cards[game, i]
            cards[game, i] = cards[game, j]
            cards[game, j] = card
        jokers[game] = below(state, JOKER_PLACES)


@kernel
def _lay_out(cards: np.ndarray, jokers: np.ndarray, wild: bool, empty_waste: bool, slots: np.ndarray) -> None:
    """Write the cards of each row to their slots, with the joker among the stock and the waste card on it if so ruled."""
    for game in range(len(cards)):
        slots[game, :FIRST_WASTE] = cards[game, :FIRST_WASTE]
        slot = FIRST_WASTE + 1 if empty_waste else FIRST_WASTE
        slots[game, slot] = cards[game, FIRST_WASTE]
        for i in range(FIRST_WASTE + 1, 53):
            if wild and i - FIRST_WASTE - 1 == jokers[game]:
                slot += 1
                slots[game, slot] = JOKER
            if i < 52:
                slot += 1
                slots[game, slot] = cards[game, i]
