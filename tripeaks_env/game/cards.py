"""Cards: their numbers, their ranks as the engine and the observations code them, and their text.

A card is an integer: ``13 * suit + rank - 1`` for the 52 cards (suits in the order clubs, diamonds, hearts, spades;
ranks 1 = ace to 13 = king), then the joker, then "no card".
"""

import numpy as np

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"
JOKER_TEXT = "*"

JOKER = 52
NO_CARD = 53

# Rank codes beside 1 to 13. The engine and the observations share them.
EMPTY = 0
FACE_DOWN = 14
WILD = 15

RANK_OF = np.array([1 + card % 13 for card in range(52)] + [WILD, EMPTY], dtype=np.int8)
"""int8 (54,): the rank code of each card number."""
RANK_OF.setflags(write=False)


def parse_card(text: str) -> int:
    """Return the number of the card written as rank and suit, such as ``6D``, ``td`` or ``10d``, or ``*`` (joker).

    Raises:
        ValueError: the rank or the suit does not exist.
    """
    if text == JOKER_TEXT:
        return JOKER
    rank, suit = text[:-1].upper().replace("10", "T"), text[-1:].upper()
    if len(rank) != 1 or rank not in RANKS:
        raise ValueError(f"card {text!r} has no rank out of {' '.join(RANKS)} (or 10)")
    if suit not in SUITS:
        raise ValueError(f"card {text!r} has no suit out of {' '.join(SUITS)}")
    return 13 * SUITS.index(suit) + RANKS.index(rank)


def card_text(card: int) -> str:
    """Return the two-letter text of a card number (``6D``), or ``*`` for the joker."""
    return JOKER_TEXT if card == JOKER else RANKS[card % 13] + SUITS[card // 13]


def card_symbol(card: int) -> str:
    """Return the text of a card number with its suit symbol, as people read it: ``6♦``, or ``*`` for the joker."""
    return JOKER_TEXT if card == JOKER else RANKS[card % 13] + SUIT_SYMBOLS[card // 13]
