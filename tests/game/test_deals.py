import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.common import numbers
from tests.naive import DECK, below, naive_deal, naive_number, random_words
from tripeaks_env import Deal, Game, Rules
from tripeaks_env.game.cards import JOKER, NO_CARD, card_text
from tripeaks_env.game.deals import DECK as OUR_DECK
from tripeaks_env.game.deals import NUM_DEALS, as_deal, deal_slots, format_code, lay_out, parse_code, shuffle
from tripeaks_env.game.deals import below as our_below

VECTORS = {
    "AAAAAAA": "JD QD 9S 4H 3H 2C 8D 3C JC 4S 6S 8H AD 9D AC 4C 8S 5C 7D 8C TH 6D 6C 6H JH KC 3D QC "
    "TD QH AH 7S 3S 5H 5D KD QS AS 7H TC 9H 4D 9C 2S 2H 5S KS TS KH 7C 2D JS",
    "AAAAAAB": "KH JS 5D QH 8C JH 4C 7D TS 6D QS 2S KS 7S 3C AH TD TH 3S 5S KC 4S 2D AS KD 8H 7C 9S "
    "AC 5C 9H 3H 8D 3D JC 6H 5H 9D TC 6S QC 4D 2H JD AD 9C QD 2C 7H 4H 6C 8S",
    "AAAAAAD": "4D 4C JS 9S 8C 5C JD 3H TD 2D QH 7C TH 4S KH 6S 7S 5S 5D 9H KC AD 2C KS 2H JC QC KD "
    "JH TC 7D AS 6H 8D 4H 3C 9C 3S 8H QS 9D 3D 6C 7H AH 5H 8S 2S AC 6D QD TS",
    "ZZZZZZZ": "9C TD 7D 4H JH 7H KD 2D JD 8S KC 4C 3D TC 2C JC 3C KH 8H 9D 5S JS 8C 5D 6H 5H AH 4S "
    "7C QD 4D 9S 3S QC 3H 5C AC QH AS AD TS KS TH 6S 6C 2S 8D QS 2H 9H 6D 7S",
}
CARDS = VECTORS["AAAAAAB"].split()


def without_joker(deal: Deal) -> str:
    return deal.text().replace(" *", "")


def texts(slots: np.ndarray) -> list[str]:
    return [card_text(card) for card in slots.tolist() if card != NO_CARD]


@pytest.mark.parametrize("letters", VECTORS)
def test_what_the_codes_deal(letters: str) -> None:
    """These never change: codes name deals for ever. The rule letter does not matter."""
    assert without_joker(Deal.from_code(f"TP1-E-{letters}")) == VECTORS[letters]
    assert Deal.from_code(f"TP1-C-{letters}") == Deal.from_code(f"TP1-E-{letters}")


def test_deck() -> None:
    assert [card_text(card) for card in OUR_DECK.tolist()] == DECK


@given(numbers)
def test_shuffle_is_that_of_the_reference(number: int) -> None:
    """Cards and the joker's place."""
    cards, joker = naive_deal(number)
    deal = Deal.from_number(number)
    assert ([card_text(card) for card in deal.cards], deal.joker, deal.number) == (cards, joker, number)


def test_shuffle_of_many_is_that_of_each() -> None:
    rng = random.Random(0)
    chosen = [rng.randrange(NUM_DEALS) for _ in range(500)]
    cards, jokers = shuffle(chosen)
    assert [(tuple(c), j) for c, j in zip(cards.tolist(), jokers.tolist(), strict=True)] == [
        (deal.cards, deal.joker) for deal in map(Deal.from_number, chosen)
    ]
    assert set(jokers.tolist()) == set(range(24))


def test_known_facts_of_the_first_deal() -> None:
    """AAAAAAB: the waste card, the bottom row and what can be removed at the start under either rule."""
    deal = Deal.from_code("TP1-E-AAAAAAB")
    assert card_text(deal.cards[28]) == "AC"
    assert " ".join(map(card_text, deal.cards[18:28])) == "3S 5S KC 4S 2D AS KD 8H 7C 9S"
    starts = {rules: Game(deal, rules).legal_actions() for rules in ("easy", "classic")}
    assert starts == {"easy": [20, 22, 24, 28], "classic": [22, 28]}


@given(numbers)
def test_code_round_trip(number: int) -> None:
    for rules, letter in (("easy", "E"), ("classic", "C"), ("traditional", "C")):
        code = format_code(number, rules)
        assert parse_code(code) == (letter, number)
        assert naive_number(code[-7:]) == number
        assert Deal.from_code(code).code(rules) == code


def test_first_and_last_code() -> None:
    assert format_code(0) == "TP1-E-AAAAAAA"
    assert format_code(NUM_DEALS - 1, "classic") == "TP1-C-ZZZZZZZ"


@pytest.mark.parametrize("code", ["tp1-e-aaaaaab", " TP1-E-AAAAAAB\n", "TP1-N-AAAAAAB"])
def test_lenient_codes(code: str) -> None:
    """Lower case, white space around it, and the old N for easy."""
    assert parse_code(code) == ("E", 1)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "has 1 part; it must have three"),
        ("TP1-E", "has 2 parts; it must have three"),
        ("TP1-E-AAA-AAAA", "has 4 parts; it must have three"),
        ("TP2-E-AAAAAAB", "begins with 'TP2'; it must begin with 'TP1'"),
        ("TP1-X-AAAAAAB", "has the rule letter 'X'; it must be E .easy. or C .classic."),
        ("TP1--AAAAAAB", "has the rule letter ''"),
        ("TP1-E-AAAAAA", "ends with 6 letters; it must be 7"),
        ("TP1-E-AAAAAAAA", "ends with 8 letters; it must be 7"),
        ("TP1-E-AAAA1AB", "has '1' among its letters; they must be A to Z"),
        ("TP1-E-AAAAÄAB", "has 'Ä' among its letters; they must be A to Z"),
        ("TP1-E-AAA AAB", "has ' ' among its letters; they must be A to Z"),
    ],
)
def test_malformed_codes(code: str, message: str) -> None:
    """The message quotes the code and names the part that is wrong."""
    with pytest.raises(ValueError, match=message) as error:
        Deal.from_code(code)
    assert repr(code) in str(error.value)


def test_a_code_is_a_text() -> None:
    with pytest.raises(ValueError, match="deal code is None; it must be a text"):
        as_deal(None, Rules.easy)  # type: ignore[arg-type]


def test_a_code_of_another_rule_is_refused() -> None:
    """And the message tells the code that is right."""
    with pytest.raises(ValueError, match="for this rule it is 'TP1-C-AAAAAAB'"):
        as_deal("TP1-E-AAAAAAB", Rules.classic)
    with pytest.raises(ValueError, match="for this rule it is 'TP1-E-AAAAAAB'"):
        as_deal("TP1-C-AAAAAAB", Rules.easy)
    assert as_deal("TP1-C-AAAAAAB", Rules.traditional) == Deal.from_number(1)


@pytest.mark.parametrize("number", [-1, NUM_DEALS])
def test_numbers_that_no_deal_has(number: int) -> None:
    for function in (Deal.from_number, format_code):
        with pytest.raises(ValueError, match=f"deal number is {number}; it must be 0 to {26**7 - 1}"):
            function(number)


@given(numbers)
def test_cards_round_trip(number: int) -> None:
    deal = Deal.from_number(number)
    read = Deal.from_cards(deal.text())
    assert read == deal
    assert (read.code(), deal.code()) == (None, format_code(number))


def test_spellings_of_cards() -> None:
    """Case, commas, and 10 for ten."""
    text = VECTORS["AAAAAAB"]
    assert Deal.from_cards(text.lower().replace(" ", ", ").replace("t", "10")) == Deal.from_cards(text)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (CARDS[:-1], "52 different cards, not 51; missing: 8S"),
        ([*CARDS, "8S"], "52 different cards, not 53; there twice: 8S"),
        ([*CARDS[:-1], "KH"], "52 different cards, not 52; there twice: KH; missing: 8S"),
        ([], "52 different cards, not 0; missing: AC"),
        ([*CARDS[:-1], "1S"], "card '1S' has no rank"),
        ([*CARDS[:-1], "8X"], "card '8X' has no suit"),
        (["*", *CARDS], "the joker . is card 1; it must be in the stock .card 30 to 53."),
        ([*CARDS[:28], "*", *CARDS[28:]], "the joker . is card 29; it must be in the stock"),
        ([*CARDS[:28], "*", *CARDS[29:]], "the joker . is card 29; it must be in the stock"),
        ([*CARDS[:-1], "*"], "52 different cards, not 51; missing: 8S"),
        ([*CARDS, "*", "*"], "twice: [*]"),
    ],
)
def test_wrong_cards(cards: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Deal.from_cards(" ".join(cards))


@pytest.mark.parametrize("joker", [-1, 24])
def test_joker_out_of_the_stock(joker: int) -> None:
    with pytest.raises(ValueError, match=f"the joker is at place {joker} of the stock; it must be 0 to 23"):
        Deal(Deal.from_number(1).cards, joker)


def test_slots_of_several_deals() -> None:
    """Each deal has a row, without any there is none, and a deal without a joker is as good where none is played."""
    deals, rules = [Deal.from_cards(VECTORS["AAAAAAB"]), Deal.from_number(5)], Rules(empty_waste=True)
    slots = deal_slots(deals, rules)
    assert (slots == np.concatenate([deal_slots([deal], rules) for deal in deals])).all()
    assert (slots.shape, deal_slots([], rules).shape) == ((2, 54), (0, 54))


def test_a_deal_shows_its_code_or_its_cards() -> None:
    assert repr(Deal.from_number(1)) == "<Deal TP1-E-AAAAAAB>"
    assert repr(Deal.from_cards(VECTORS["AAAAAAB"])) == f"<Deal {VECTORS['AAAAAAB']}>"


@pytest.mark.parametrize("place", [0, 1, 22, 23])
def test_where_the_joker_is_written(place: int) -> None:
    """Among the stock cards, first to last."""
    deal = Deal.from_cards(" ".join([*CARDS[: 29 + place], "*", *CARDS[29 + place :]]))
    assert deal == Deal(Deal.from_cards(" ".join(CARDS)).cards, joker=place)
    assert texts(deal_slots([deal], Rules(wild=True))[0])[29 + place] == "*"


def test_wild_rules_need_a_joker() -> None:
    with pytest.raises(ValueError, match="has no joker; wild rules need one"):
        Game(Deal.from_cards(VECTORS["AAAAAAB"]), Rules(wild=True))


@given(numbers)
def test_lay_out(number: int) -> None:
    """Joker in its place, first waste card on top of the stock when the waste starts empty."""
    cards, joker = naive_deal(number)
    stock = cards[29:]
    with_joker = [*stock[:joker], "*", *stock[joker:]]
    for wild, empty in ((False, False), (False, True), (True, False), (True, True)):
        rules = Rules(wild=wild, empty_waste=empty)
        slots = lay_out(*shuffle([number]), rules)[0]
        assert slots.dtype == np.int8
        assert texts(slots) == cards[:29] + (with_joker if wild else stock)
        assert slots[28] == NO_CARD if empty else card_text(slots[28]) == cards[28]
        assert (slots[29 + rules.stock_size :] == NO_CARD).all()
        assert (JOKER in slots) == wild


def test_the_deck_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        OUR_DECK[0] = 5


def test_unfair_words_are_rejected() -> None:
    """Lemire's method: with the bound 2**31 + 1 nearly half of the words must be skipped, as the reference skips them."""
    bound, words = 2**31 + 1, random_words(7)
    state = np.array([7], dtype=np.uint64)
    assert [int(our_below(state, bound)) for _ in range(200)] == [below(bound, words) for _ in range(200)]


@pytest.mark.parametrize("number", [-1, NUM_DEALS, 1.5, "1", None, True])
def test_numbers_that_are_none(number: Any) -> None:
    with pytest.raises(ValueError, match=r"deal number is .*; it must be 0 to"):
        Deal.from_number(number)


@pytest.mark.parametrize("cards", [[*range(51), 51.0], [*range(51), "51"]])
def test_cards_that_are_no_numbers(cards: Any) -> None:
    with pytest.raises(ValueError, match="they must be card numbers"):
        Deal(cards)


def test_only_a_number_gives_a_deal_its_code() -> None:
    """Cards that a number does not deal never get its code."""
    deal = Deal(list(Deal.from_code("TP1-E-AAAAAAH").cards))  # type: ignore[arg-type]
    assert (deal.number, deal.code()) == (None, None)
    assert hash(deal) == hash(Deal(deal.cards))
    with pytest.raises(TypeError):
        Deal(deal.cards, None, 7)  # type: ignore[call-arg]


def test_letters_that_become_others_in_upper_case() -> None:
    with pytest.raises(ValueError, match="TP1-E-ßAAAAA"):
        parse_code("TP1-E-ßAAAAA")


def test_shuffle_leaves_its_argument_alone() -> None:
    numbers_given = np.array([1, 2, 3], dtype=np.uint64)
    shuffle(numbers_given)
    assert numbers_given.tolist() == [1, 2, 3]
