import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.common import WORKED_WIN, all_rules, known_deal, random_game, seeds
from tests.naive import NEIGHBOURS, RANKS
from tripeaks_env import PRESETS, Game, Rules, Scoring, Status, solve
from tripeaks_env.game.cards import EMPTY, WILD
from tripeaks_env.game.engine import ANY, neighbours
from tripeaks_env.game.rules import adjacency, as_rules
from tripeaks_env.solver.lattice import lattice


@pytest.mark.parametrize(("wrap", "pairs"), [(True, 26), (False, 24)])
def test_adjacency(wrap: bool, pairs: int) -> None:
    """26 ordered pairs with king and ace adjacent, 24 without; symmetric; the same as read off a string of ranks."""
    table = adjacency(wrap)
    found = {(waste, rank) for waste in range(1, 14) for rank in range(32) if table[waste] >> rank & 1}
    assert len(found) == pairs
    assert found == {(rank, waste) for waste, rank in found}
    assert found == {(w + 1, RANKS.index(r) + 1) for w in range(13) for r in NEIGHBOURS[RANKS[w], wrap]}


@pytest.mark.parametrize("wrap", [True, False])
def test_every_rank_goes_on_a_joker_and_on_an_empty_waste(wrap: bool) -> None:
    table = adjacency(wrap)
    for waste in (EMPTY, WILD):
        assert [rank for rank in range(32) if table[waste] >> rank & 1] == list(range(1, 14))


@pytest.mark.parametrize("wrap", [True, False])
def test_neighbours_are_the_adjacent_ranks(wrap: bool) -> None:
    table = adjacency(wrap)
    for waste, pair in enumerate(neighbours(table).tolist()):
        ranks = set(range(1, 14)) if pair == [ANY, ANY] else set(pair) - {0}
        assert sum(1 << rank for rank in ranks) == table[waste]


def test_ranks_with_three_neighbours_are_refused() -> None:
    """A pair has no room for them."""
    table = adjacency(wrap=True)
    table[5] |= 1 << 9
    with pytest.raises(
        ValueError, match=r"on the waste rank code 5 go the ranks \[4, 6, 9\]; it must be two at most, or"
    ):
        neighbours(table)


def test_presets() -> None:
    assert (Rules.easy, Rules.classic, Rules.traditional) == (Rules(), Rules(wrap=False), PRESETS["traditional"])
    assert {name for name, rules in PRESETS.items() if rules.letter == "C"} == {"classic", "traditional"}
    assert PRESETS["open"] == Rules(open_peaks=True)
    assert PRESETS["wild"] == Rules(wild=True)
    assert PRESETS["empty-waste"] == Rules(empty_waste=True)
    assert Rules.easy.scoring == Rules.classic.scoring == Scoring(500, -1, -1, (100, 100, 100), False)
    assert Rules.traditional.scoring == Scoring(0, 0, -5, (15, 15, 30), True)
    assert (Rules.traditional.wrap, Rules.traditional.draw) == (False, "stuck")
    assert {name: rules.name for name, rules in PRESETS.items()} == {name: name for name in PRESETS}
    assert Rules(wild=True, empty_waste=True).name is None


def test_stock_size() -> None:
    """23 cards; the joker and the first waste card add one each."""
    sizes = [Rules(wild=wild, empty_waste=empty).stock_size for wild in (False, True) for empty in (False, True)]
    assert sizes == [23, 24, 24, 25]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"wrap": 1}, "wrap is 1; it must be true or false"),
    ({"wild": None}, "wild is None; it must be true or false"),
    ({"open_peaks": "yes"}, "open_peaks is 'yes'; it must be true or false"),
    ({"empty_waste": 0}, "empty_waste is 0; it must be true or false"),
    ({"draw": "never"}, "draw is 'never'; it must be any or stuck"),
    ({"draw": ["any"]}, "draw is ['any']; it must be any or stuck"),
    ({"scoring": "fancy"}, "scoring is 'fancy'; it must be one of standard, traditional, or a Scoring"),
    ({"scoring": 5}, "scoring is 5; it must be one of standard, traditional, or a Scoring"),
    ({"scoring": {"start": 1.5}}, "scoring start is 1.5; it must be an integer from -1000000 to 1000000"),
    ({"scoring": {"removal": None}}, "scoring removal is None; it must be an integer from -1000000 to 1000000"),
    ({"scoring": {"draw": "1"}}, "scoring draw is '1'; it must be an integer from -1000000 to 1000000"),
    ({"scoring": {"peaks": [1, 2]}}, "scoring peaks is [1, 2]; it must be three integers from -1000000 to 1000000"),
    (
        {"scoring": {"peaks": [1, 2, "3"]}},
        "scoring peaks is [1, 2, '3']; it must be three integers from -1000000 to 1000000",
    ),
    ({"scoring": {"peaks": 100}}, "scoring peaks is 100; it must be three integers from -1000000 to 1000000"),
    ({"scoring": {"streak": 1}}, "scoring streak is 1; it must be true or false"),
    ({"scoring": {"floor": 0}}, "scoring attribute is 'floor'; it must be one of start, removal, draw, peaks, streak"),
    (
        {"jokers": 2},
        "rules attribute is 'jokers'; it must be one of wrap, draw, scoring, wild, open_peaks, empty_waste",
    ),
]


@pytest.mark.parametrize(("attributes", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_values_are_named_with_what_is_right(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be") as error:
        as_rules(attributes)
    assert str(error.value) == message


@pytest.mark.parametrize("points", [2**30, -(2**30), 10**30])
@pytest.mark.parametrize("name", ["start", "removal", "draw", "peaks"])
def test_points_too_large_for_the_engine_are_refused(name: str, points: int) -> None:
    """Scores are 32-bit integers: points that could overflow them are not allowed."""
    with pytest.raises(ValueError, match=f"scoring {name} is .*; (it|they) must be"):
        Scoring(**{name: (0, 0, points) if name == "peaks" else points})  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", ["hard", "", 7, None])
def test_rules_that_do_not_exist(rules: Any) -> None:
    wanted = f"must be one of {', '.join(PRESETS)}, a Rules, or a mapping of its attributes"
    with pytest.raises(ValueError, match=wanted) as error:
        as_rules(rules)
    assert repr(rules) in str(error.value)


def test_rules_are_shown_by_what_differs_from_easy() -> None:
    """Or by their name."""
    assert str(Rules.classic) == "classic"
    assert str(Rules(wrap=False, wild=True)) == "Rules(wrap=False, wild=True)"


@given(all_rules)
def test_json_round_trip(rules: Rules) -> None:
    """Presets are written as their name, other rules as their attributes."""
    written = rules.to_json()
    assert isinstance(written, str) == (rules in PRESETS.values())
    assert as_rules(json.loads(json.dumps(written))) == rules


@given(all_rules)
def test_equal_rules_hash_alike(rules: Rules) -> None:
    """Rules are keys of caches."""
    assert hash(as_rules(json.loads(json.dumps(rules.to_json())))) == hash(rules)


def test_best_standard_scores() -> None:
    """A win is worth 800 less its moves: 772 without a draw, 749 with all 23, 750 for the worked win of 50 moves."""
    ordered, slow = solve(known_deal("mchung-t-ordered")), solve(known_deal("mchung-t-card"), "classic")
    assert (ordered.score, ordered.draws, len(ordered.actions)) == (772, 0, 28)
    assert (slow.score, slow.draws, len(slow.actions)) == (749, 23, 51)
    assert Game("TP1-E-AAAAAAB", actions=WORKED_WIN).score == 750


def test_best_traditional_score() -> None:
    """One run of 28 removals and all bonuses: 406 + 60."""
    deal = known_deal("mchung-t-ordered")
    game = Game(deal, Rules(scoring=Rules.traditional.scoring), solve(deal, "easy").actions)
    assert (game.status, game.moves, game.score) == (Status.WON, 28, 466)


def test_the_standard_score_cannot_reach_its_floor() -> None:
    """Over all tableaus and draws it stays at 450 or more, even with joker and empty waste."""
    board, most_draws = lattice(), Rules(wild=True, empty_waste=True).stock_size
    assert int((500 - most_draws - board.removed.astype(np.int32) + 100 * board.peaks.astype(np.int32)).min()) == 450


@given(st.booleans(), st.booleans(), st.booleans(), seeds)
def test_the_standard_score_in_play(wild: bool, empty: bool, wrap: bool, seed: int) -> None:
    """447 to 772, undos included."""
    game = random_game(Rules(wrap=wrap, wild=wild, empty_waste=empty), seed)
    assert 447 <= game.score <= 772
