from collections.abc import Callable

import numpy as np
import pytest

from tests.naive import below, random_words
from tripeaks_env import Deal, TriPeaksEnv, TriPeaksVectorEnv, is_evaluation, suite
from tripeaks_env.env.splits import Split, random_numbers
from tripeaks_env.game.deals import NUM_DEALS


def test_evaluation_deals_are_those_whose_code_ends_in_z() -> None:
    assert [is_evaluation(number) for number in range(53)] == [False] * 25 + [True] + [False] * 25 + [True, False]
    assert str(Deal.from_number(suite(1)[0]).code()).endswith("Z")


def test_golden_suite() -> None:
    """Published results are on these deals, so they never change."""
    assert suite(5) == [7094584743, 7797939759, 854156445, 2629018417, 1396473701]
    assert suite(2, seed=1) == [4550515033, 5989977525]


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_suite_comes_from_the_generator_of_the_deals(seed: int) -> None:
    words = random_words(seed)
    assert suite(50, seed) == [26 * below(26**6, words) + 25 for _ in range(50)]


def test_suite_has_different_evaluation_deals() -> None:
    numbers = suite(20_000)
    assert len(set(numbers)) == 20_000
    assert all(is_evaluation(number) and 0 <= number < NUM_DEALS for number in numbers)


def test_a_longer_suite_begins_with_the_shorter() -> None:
    assert suite(1000)[:10] == suite(10)
    assert suite(10, seed=1) != suite(10)


@pytest.mark.parametrize(("count", "seed"), [(0, 0), (1_000_001, 0), (5, -1), (5, 2**32)])
def test_suites_that_do_not_exist(count: int, seed: int) -> None:
    with pytest.raises(ValueError, match="it must be"):
        suite(count, seed)


@pytest.mark.parametrize(
    ("split", "letters"), [("train", range(25)), ("evaluation", range(25, 26)), ("all", range(26))]
)
def test_random_numbers_of_a_split(split: Split, letters: range) -> None:
    """Training deals never are evaluation deals; each split uses all its last letters and the whole range."""
    rng = np.random.default_rng(0)
    numbers = random_numbers(rng, split, 20_000).tolist()
    assert {number % 26 for number in numbers} == set(letters)
    assert {26 * number // NUM_DEALS for number in numbers} == set(range(26))
    assert 0 <= min(numbers) <= max(numbers) < NUM_DEALS


@pytest.mark.parametrize("made", [TriPeaksEnv, TriPeaksVectorEnv])
def test_a_split_that_does_not_exist(made: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="split is 'test'; it must be one of train, evaluation, all"):
        made(split="test")
