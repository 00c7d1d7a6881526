import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.common import seeds
from tripeaks_env import sample_actions


@given(st.integers(0, 6), st.integers(1, 30), seeds, st.sampled_from([np.int8, np.bool_]))
def test_takes_a_legal_action(rows: int, columns: int, seed: int, dtype: type) -> None:
    rng = np.random.default_rng(seed)
    allowed = rng.random((rows, columns)) < rng.random()
    allowed[np.arange(rows), rng.integers(columns, size=rows)] = True
    assert allowed[np.arange(rows), sample_actions(allowed.astype(dtype), rng)].all()


def test_is_uniform() -> None:
    """Over the allowed entries: 3,000 of 9,000 each, give or take five standard deviations."""
    allowed = np.tile([False, True, True, False, True], (9_000, 1))
    counts = np.bincount(sample_actions(allowed, np.random.default_rng(0)), minlength=5)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert (abs(counts[[1, 2, 4]] - 3_000) < 5 * np.sqrt(9_000 * 2 / 9)).all()


def test_a_game_without_legal_action_is_named() -> None:
    with pytest.raises(ValueError, match="game 1 has no legal action"):
        sample_actions(np.array([[0, 1], [0, 0]]), np.random.default_rng(0))
