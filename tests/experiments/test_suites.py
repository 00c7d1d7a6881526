"""The named suites: what their files say of the deals is true, and comparisons go by it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import suites
from experiments.config import KEPT, SUITES, CompareConfig
from experiments.runs.store import Store
from tests.common import AtOnce, compared, slow
from tests.naive import NaiveGame, naive_deal
from tripeaks_env import PRESETS, Rules, difficulty, is_evaluation, solve, suite
from tripeaks_env.game.deals import format_code, parse_code


def found(first: int, count: int, rules: Rules, folder: Path) -> pd.DataFrame:
    return suites.find_out(first, suite(count), rules, Store(folder), AtOnce())


@pytest.mark.parametrize("name", [*KEPT][:1] + slow(*[*KEPT][1:]))
def test_the_file_of_a_suite_has_its_deals_and_their_optimum(name: str) -> None:
    rules = PRESETS[name]
    table = suites.read(rules, 10**6)
    assert len(table) == max(SUITES.values()) == 10_000
    assert table["deal"].tolist() == [format_code(number, rules) for number in suite(len(table))]
    assert all(is_evaluation(parse_code(code)[1]) for code in table["deal"])
    assert (table["luck"].between(0, 1)).all()
    assert (table["luck"][~table["winnable"]] == 0).all()
    assert (table["winnable"] == (table["fewest_draws"] >= 0)).all()
    assert (table["optimum_won"] <= table["winnable"]).all()
    assert (table["random"] < table["optimum"]).mean() > 0.95
    for row in table.iloc[::2000].to_dict("records"):
        best, shortest = (solve(row["deal"], rules, objective) for objective in ("score", "moves"))
        assert (row["optimum"], row["optimum_won"], row["winnable"]) == (best.score, best.won, shortest.won)
        assert row["fewest_draws"] == (shortest.draws if shortest.won else -1)
        luck = difficulty(row["deal"], rules, playouts=2000).luck
        assert abs(row["luck"] - luck) <= 5 * np.sqrt(max(luck * (1 - luck), 0.001) * (1 / suites.PLAYOUTS + 1 / 2000))


@pytest.mark.parametrize("name", [*KEPT][:1] + slow(*[*KEPT][1:]))
def test_the_file_of_a_suite_is_what_the_command_finds(name: str, tmp_path: Path) -> None:
    """To the last digit, for the first of its deals."""
    rules = PRESETS[name]
    pd.testing.assert_frame_equal(found(0, 8, rules, tmp_path), suites.read(rules, 8), check_exact=True)


@pytest.mark.slow
def test_random_play_scores_what_naive_random_play_does() -> None:
    rules = Rules.easy
    rng = np.random.default_rng(0)
    for row in suites.read(rules, 3).to_dict("records"):
        scores = []
        for _ in range(300):
            game = NaiveGame(naive_deal(parse_code(row["deal"])[1])[0])
            while game.legal_actions():
                game.play(int(rng.choice(game.legal_actions())))
            scores.append(game.score)
        error = np.std(scores) * np.sqrt(1 / 300 + 1 / suites.PLAYOUTS)
        assert abs(np.mean(scores) - row["random"]) < 5 * error


def test_deals_beyond_the_file_are_examined_alike(tmp_path: Path) -> None:
    """A comparison of 10,003 deals takes the first 10,000 from the file; of another seed, it finds out about all."""
    beyond = found(10_000, 10_003, Rules.easy, tmp_path)
    assert beyond["deal"].tolist() == [format_code(number) for number in suite(10_003)[-3:]]
    again = found(9_999, 10_003, Rules.easy, tmp_path / "again")
    pd.testing.assert_frame_equal(again.iloc[1:].reset_index(drop=True), beyond)
    pd.testing.assert_frame_equal(again.iloc[:1], suites.read(Rules.easy, 10_000).iloc[-1:].reset_index(drop=True))
    other = compared({"deals": {"count": 5, "seed": 3}, "agents": ["oracle"]}, tmp_path / "other").results
    assert other["optimum"].tolist() == other["score"].tolist()
    assert other["deal"].tolist() == [format_code(number) for number in suite(5, 3)]


@pytest.mark.parametrize("name", SUITES)
def test_a_config_names_a_suite(name: str) -> None:
    config = CompareConfig.model_validate({"name": "x", "deals": name, "agents": ["random"]})
    assert (config.deals.count, config.deals.seed) == (SUITES[name], 0)
    with pytest.raises(ValueError, match="the suite is 'huge'; it must be one of smoke, standard, full"):
        CompareConfig.model_validate({"name": "x", "deals": "huge", "agents": ["random"]})
