import pytest

from tripeaks_env.game.cards import EMPTY, JOKER, NO_CARD, RANK_OF, WILD, card_symbol, card_text, parse_card


def test_every_card_reads_back_from_its_text() -> None:
    assert [parse_card(card_text(card)) for card in range(53)] == list(range(53))


def test_rank_codes_follow_the_texts() -> None:
    """Ace is 1, king is 13; the joker and an empty place have codes of their own."""
    assert [RANK_OF[parse_card(rank + suit)] for suit in "CDHS" for rank in "A23456789TJQK"] == [*range(1, 14)] * 4
    assert (RANK_OF[JOKER], RANK_OF[NO_CARD]) == (WILD, EMPTY)


def test_spellings() -> None:
    """Case does not matter, a ten is T or 10, and the symbols name the same suits."""
    assert parse_card("td") == parse_card("10D") == parse_card("TD")
    assert [card_symbol(parse_card(text)) for text in ("6c", "6d", "10h", "as", "*")] == ["6♣", "6♦", "T♥", "A♠", "*"]


@pytest.mark.parametrize("text", ["", "D", "1D", "0d", "11D", "1010D", "100D", "XD", "A2D", "**"])
def test_a_rank_that_does_not_exist_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="no rank out of A 2 3 4 5 6 7 8 9 T J Q K") as error:
        parse_card(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", ["6", "6X", "10", "T♣", "6 "])
def test_a_suit_that_does_not_exist_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="has no") as error:
        parse_card(text)
    assert repr(text) in str(error.value)


def test_the_table_of_ranks_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        RANK_OF[0] = 5
