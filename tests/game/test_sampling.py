import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.common import seeds
from tripeaks_env import TriPeaksVectorEnv, sample_actions


@given(st.integers(0, 6), st.integers(1, 30), seeds, st.sampled_from([np.int8, np.bool_]))
def test_takes_a_legal_action(rows: int, columns: int, seed: int, dtype: type) -> None:
    rng = np.random.default_rng(seed)
    allowed = rng.random((rows, columns)) < rng.random()
    allowed[np.arange(rows), rng.integers(columns, size=rows)] = True
    assert allowed[np.arange(rows), sample_actions(allowed.astype(dtype), rng)].all()


@pytest.mark.parametrize("value", [2, 100, 127, -1, 255, 0.5])
def test_what_is_not_zero_is_legal(value: float) -> None:
    """Whatever marks the legal actions, chosen is one of them."""
    allowed = np.random.default_rng(0).random((2_000, 29)) < 0.3
    allowed[:, 5] = True
    marked = allowed * np.array(value)
    rng, same = np.random.default_rng(1), np.random.default_rng(1)
    assert (sample_actions(marked, rng) == sample_actions(allowed, same)).all()


@pytest.mark.parametrize(
    ("mask", "rng", "message"),
    [(np.ones(29), np.random.default_rng(0), "(29,)"), (np.ones((1, 2)), 0, "rng is 0")],
    ids=["one row", "no generator"],
)
def test_wrong_arguments(mask: np.ndarray, rng: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        sample_actions(mask, rng)


def test_is_uniform() -> None:
    """Over the allowed entries: 3,000 of 9,000 each, give or take five standard deviations."""
    allowed = np.tile([False, True, True, False, True], (9_000, 1))
    counts = np.bincount(sample_actions(allowed, np.random.default_rng(0)), minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert (abs(counts[[1, 2, 4]] - 3_000) < 5 * np.sqrt(9_000 * 2 / 9)).all()


def test_a_game_that_is_over_gets_an_action_that_is_ignored() -> None:
    """A whole random play through the native vector environment, ends of episodes included."""
    env = TriPeaksVectorEnv(8)
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    over = 0
    for _ in range(120):
        mask = observation["action_mask"]
        actions = sample_actions(mask, rng)
        assert not actions[~mask.any(axis=1)].any()
        observation, _, terminated, _, infos = env.step(actions)
        assert not infos["rejection"].any()
        over += terminated.sum()
    assert over > 8
