"""The statistics of a comparison, against naive computation, values by hand, and their coverage of the truth."""

import json
import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from experiments.comparison.analysis import (
    DREW,
    MISTAKES,
    REMOVED,
    WRONG_CARD,
    Analysis,
    analyse,
    difficulty,
    difficulty_groups,
    leaderboard,
    mistakes,
    pairs,
    phases,
    profiles,
    seeds,
)

SKILLS = {"a": -0.4, "b": 0.3, "c": 1.5}
INTERVALS = {"leaderboard": ["win_rate", "score", "iqm", "regret", "winnable_won", "normalised"]} | {
    "pairs": ["score", "win_rate", "improvement"],
    "difficulty": ["win_rate", "regret"],
}


def simulate(rng: np.random.Generator, deals: int, skills: dict[str, float] = SKILLS) -> pd.DataFrame:
    """Return results: each agent wins the sooner the easier a deal is, with 749 to 772 points, and loses with 520 to 620."""
    ease = rng.normal(size=deals)
    winnable = rng.random(deals) < 1 / (1 + np.exp(-(ease + 3)))
    fewest = rng.integers(0, 13, deals)
    of_deal = {
        "deal": [f"TP1-E-{number:07d}" for number in range(deals)],
        "optimum": np.where(winnable, 772 - fewest, 640 + fewest),
        "winnable": winnable,
        "fewest_draws": np.where(winnable, fewest, -1),
        "luck": np.where(winnable, 1 / (1 + np.exp(1 - 2 * ease)), 0),
        "random": 552 + 18 * np.tanh(ease),
    }
    tables = []
    for agent, skill in skills.items():
        won = winnable & (rng.random(deals) < 1 / (1 + np.exp(-(skill + 1.5 * ease))))
        lost = np.clip(rng.normal(570 + 8 * ease, 25), 520, 620).astype(int)
        score = np.where(won, 772 - fewest - rng.integers(0, 11, deals), lost)
        columns = {
            "won": won,
            "score": score,
            "regret": of_deal["optimum"] - score,
            "peaks": 3 * won,
            "draws": 9,
            "moves": 40,
        }
        tables.append(pd.DataFrame({"agent": agent, "oracle": False} | columns | of_deal))
    return pd.concat(tables, ignore_index=True)


def oracle(results: pd.DataFrame) -> pd.DataFrame:
    """Return results of one more agent, which plays the optimum."""
    first = results[results["agent"] == results["agent"].iloc[0]]
    best = {"score": first["optimum"], "won": first["winnable"], "regret": 0}
    return first.assign(agent="oracle", oracle=True, **best)


def random_moves(rng: np.random.Generator, games: int, agents: list[str]) -> pd.DataFrame:
    rows = []
    for agent in agents:
        for game in range(games):
            stocks = sorted(rng.integers(0, 24, 30), reverse=True)
            for move, stock in enumerate(stocks):
                action, loss = int(rng.integers(20, 29)), int(rng.integers(0, 4))
                draw_best, removal_best = [(True, False), (False, True), (True, True)][rng.integers(3)]
                if action == 28:
                    draw_best, removal_best = loss == 0, loss > 0 or removal_best
                row = {"agent": agent, "deal": f"TP1-E-{game:07d}", "move": move, "action": action, "cards": 28}
                row |= {"stock": stock, "options": 3, "value": 700, "chosen": 700 - loss, "loss": loss}
                rows.append(row | {"draw_best": draw_best, "removal_best": removal_best})
    return pd.DataFrame(rows)


NO_MOVES = random_moves(np.random.default_rng(0), 1, ["a"]).iloc[:0]


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    fair = simulate(np.random.default_rng(5), 150)
    return pd.concat([oracle(fair), fair], ignore_index=True)


@pytest.fixture(scope="module")
def moves() -> pd.DataFrame:
    return random_moves(np.random.default_rng(6), 20, ["oracle", "a", "b", "c"])


@pytest.fixture(scope="module")
def analysis(results: pd.DataFrame, moves: pd.DataFrame) -> Analysis:
    return analyse(results, moves, {"learner": ["a", "b"], "single": ["c"], "failed": ["x"]})


def scores(results: pd.DataFrame, agent: str, column: str = "score") -> list[float]:
    return results.loc[results["agent"] == agent, column].tolist()


def middle_half(values: list[float]) -> float:
    cut = len(values) // 4
    middle = sorted(values)[cut : len(values) - cut]
    return math.fsum(middle) / len(middle)


def test_leaderboard_against_plain_python(results: pd.DataFrame) -> None:
    board = leaderboard(results)
    fair = ["a", "b", "c"]
    assert list(board.index) == [*sorted(fair, key=lambda agent: -sum(scores(results, agent))), "oracle"]
    assert board["oracle"].tolist() == [False, False, False, True]
    for agent, row in board.iterrows():
        table = results[results["agent"] == agent]
        score, optimum, random = (table[column].mean() for column in ("score", "optimum", "random"))
        assert row["deals"] == 150
        assert row["win_rate"] == pytest.approx(sum(table["won"]) / 150)
        assert row["score"] == pytest.approx(score)
        assert row["iqm"] == pytest.approx(middle_half(table["score"].tolist()))
        assert row["regret"] == pytest.approx(table["regret"].mean())
        assert row["winnable_won"] == pytest.approx(sum(table["won"]) / sum(table["winnable"]))
        assert row["normalised"] == pytest.approx((score - random) / (optimum - random))
        assert (row["draws"], row["moves"]) == (9, 40)


def test_iqm_of_eight_scores_by_hand() -> None:
    results = simulate(np.random.default_rng(0), 8, {"a": 0.0}).assign(score=[9, 1, 2, 3, 4, 5, 100, 0])
    assert leaderboard(results).loc["a", "iqm"] == (2 + 3 + 4 + 5) / 4


def test_normalised_is_0_for_random_play_and_1_for_the_optimum(results: pd.DataFrame) -> None:
    same = results[results["agent"] == "a"]
    both = pd.concat([same.assign(score=same["random"]), oracle(same)])
    board = leaderboard(both)
    for column in ("normalised", "normalised_low", "normalised_high"):
        assert board[column].tolist() == [0, 1]


@pytest.mark.slow
def test_bootstrap_against_a_naive_one(results: pd.DataFrame, analysis: Analysis) -> None:
    """Deals are drawn again for all agents alike; with other random numbers the ends differ by a part of the width."""
    rng = np.random.default_rng(123)
    a, c, random, optimum = (
        np.array(scores(results, agent, column))
        for agent, column in (("a", "score"), ("c", "score"), ("a", "random"), ("a", "optimum"))
    )
    won = [np.array(scores(results, agent, "won")) * 1.0 for agent in "ca"]
    figures: dict[str, list[float]] = {}
    for _ in range(4000):
        drawn = rng.integers(0, 150, 150)
        low, high = random[drawn].mean(), optimum[drawn].mean()
        for name, figure in {
            "score": a[drawn].mean(),
            "iqm": middle_half(a[drawn].tolist()),
            "regret": (optimum - a)[drawn].mean(),
            "normalised": (a[drawn].mean() - low) / (high - low),
            "pair score": (c - a)[drawn].mean(),
            "pair win_rate": (won[0] - won[1])[drawn].mean(),
            "pair improvement": np.where(c == a, 0.5, c > a)[drawn].mean(),
        }.items():
            figures.setdefault(name, []).append(float(figure))
    pair = analysis.pairs.query("agent == 'c' and other == 'a'").iloc[0]
    for name, drawn_figures in figures.items():
        row = pair if name.startswith("pair") else analysis.leaderboard.query("agent == 'a'").iloc[0]
        column = name.removeprefix("pair ")
        low, high = np.percentile(drawn_figures, [2.5, 97.5])
        ends = [row[f"{column}_low"], row[f"{column}_high"]]
        assert ends == pytest.approx([low, high], abs=0.08 * (high - low)), name


def test_pairs_against_plain_python(results: pd.DataFrame) -> None:
    table = pairs(results)
    order = list(leaderboard(results).index)
    assert list(zip(table["agent"], table["other"], strict=True)) == [
        (agent, other) for place, agent in enumerate(order) for other in order[place + 1 :]
    ]
    for row in table.to_dict("records"):
        mine, theirs = (scores(results, row[which]) for which in ("agent", "other"))
        better = [1 if own > other else 0.5 if own == other else 0 for own, other in zip(mine, theirs, strict=True)]
        assert row["score"] == pytest.approx((sum(mine) - sum(theirs)) / 150)
        assert row["improvement"] == pytest.approx(sum(better) / 150)
        wins = [sum(scores(results, row[which], "won")) for which in ("agent", "other")]
        assert row["win_rate"] == pytest.approx((wins[0] - wins[1]) / 150)


def test_order_of_rows_does_not_matter(results: pd.DataFrame, analysis: Analysis) -> None:
    """Agents are paired by deal, and an agent's figures do not depend on the others."""
    shuffled = results.sample(frac=1, random_state=3)
    pd.testing.assert_frame_equal(pairs(shuffled), analysis.pairs)
    alone = results[results["agent"] == "b"]
    pd.testing.assert_frame_equal(leaderboard(alone), analysis.leaderboard.loc[["b"]])


@pytest.mark.slow
def test_same_results_give_the_same_tables(results: pd.DataFrame, moves: pd.DataFrame, analysis: Analysis) -> None:
    again = analyse(results, moves, {"learner": ["a", "b"], "single": ["c"], "failed": ["x"]})
    for one, other in zip(analysis, again, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_intervals_hold_their_figures_and_tables_are_json(analysis: Analysis) -> None:
    for name, table in analysis._asdict().items():
        assert len(table) > 0
        for column in INTERVALS.get(name, []):
            assert (table[f"{column}_low"] <= table[column]).all()
            assert (table[column] <= table[f"{column}_high"]).all()
        if name != "seeds":
            assert not table.isna().to_numpy().any()
        assert len(json.loads(table.to_json(orient="records"))) == len(table)


def test_profiles_are_counts_that_grow_to_all_deals(results: pd.DataFrame) -> None:
    table = profiles(results)
    grids = []
    for agent, profile in table.groupby("agent"):
        regret = scores(results, str(agent), "regret")
        counts = [sum(each <= point for each in regret) / 150 for point in profile["regret"]]
        assert profile["share"].tolist() == pytest.approx(counts)
        assert profile["share"].is_monotonic_increasing
        assert profile["share"].iloc[-1] == 1
        grids.append(profile["regret"].tolist())
    assert all(grid == grids[0] for grid in grids)
    assert (grids[0][0], grids[0][-1]) == (0, results["regret"].max())
    assert all(low < high for low, high in pairwise(grids[0]))
    assert len(grids[0]) <= 101
    row = table.iloc[7]  # Wilson's formula
    share, z = row["share"], 1.959964
    half = z * math.sqrt(share * (1 - share) / 150 + z**2 / (4 * 150**2)) / (1 + z**2 / 150)
    middle = (share + z**2 / 300) / (1 + z**2 / 150)
    assert (row["low"], row["high"]) == pytest.approx((middle - half, middle + half), abs=1e-6)


def test_difficulty_splits_the_deals(results: pd.DataFrame) -> None:
    table = difficulty(results)
    names = [
        "luck 60 % or more",
        "luck 30–60 %",
        "luck 10–30 %",
        "luck 1–10 %",
        "luck below 1 %",
        "cannot be won",
    ]
    assert difficulty_groups() == names[::-1]
    low_ends = dict(zip(names, [0.6, 0.3, 0.1, 0.01, 0, 0], strict=True))
    assert list(table["agent"].unique()) == list(leaderboard(results).index)
    for agent, rows in table.groupby("agent"):
        assert rows["deals"].sum() == 150
        assert rows["group"].tolist() == [name for name in names if name in set(rows["group"])]
        assert (rows["deals"] * rows["regret"]).sum() / 150 == pytest.approx(
            np.mean(scores(results, str(agent), "regret"))
        )
        for row in rows.to_dict("records"):
            inside = [
                each
                for each in results[results["agent"] == agent].to_dict("records")
                if each["winnable"] == (row["group"] != "cannot be won")
                and each["luck"] >= low_ends[row["group"]]
                and (each["luck"] < dict(zip(names[1:], [0.6, 0.3, 0.1, 0.01, 1], strict=True)).get(row["group"], 2))
            ]
            assert row["deals"] == len(inside)
            assert row["win_rate"] == pytest.approx(sum(each["won"] for each in inside) / len(inside))
            assert row["score"] == pytest.approx(sum(each["score"] for each in inside) / len(inside))


def test_a_group_includes_its_lower_edge() -> None:
    results = simulate(np.random.default_rng(0), 4, {"a": 0.0})
    results = results.assign(winnable=[True, True, True, False], luck=[0.3, 0.01, 0.2999, 0])
    table = difficulty(results)
    assert table["group"].tolist() == ["luck 30–60 %", "luck 10–30 %", "luck 1–10 %", "cannot be won"]
    assert table["regret_low"].isna().all()  # a single deal each


def test_phases_and_mistakes_sum_to_the_mean_regret(moves: pd.DataFrame, analysis: Analysis) -> None:
    regret = {agent: of_agent["loss"].sum() / 20 for agent, of_agent in moves.groupby("agent")}
    for table in (analysis.phases, analysis.mistakes):
        assert list(table["agent"].unique()) == list(analysis.leaderboard.index)
        for agent, rows in table.groupby("agent"):
            assert rows["loss"].sum() == pytest.approx(regret[agent])


def test_phases_against_plain_python(moves: pd.DataFrame) -> None:
    table = phases(moves)
    records = moves.to_dict("records")
    assert len(table) == 4 * 24
    for row in table.to_dict("records"):
        inside = [each for each in records if (each["agent"], each["stock"]) == (row["agent"], row["stock"])]
        assert row["moves"] == len(inside)
        assert row["loss"] == pytest.approx(sum(each["loss"] for each in inside) / 20)
    assert table["stock"].tolist() == 4 * list(range(23, -1, -1))


def test_mistakes_by_hand() -> None:
    columns = ["agent", "deal", "stock", "action", "loss", "draw_best", "removal_best"]
    moves = pd.DataFrame(
        [
            ("a", "one", 9, 28, 5, False, True),
            ("a", "one", 9, 28, 0, True, True),
            ("a", "one", 8, 3, 7, True, False),
            ("a", "two", 9, 28, 4, False, True),
            ("a", "two", 9, 3, 1, True, True),
            ("a", "two", 8, 3, 2, False, True),
            ("b", "one", 9, 28, 0, True, False),
        ],
        columns=columns,
    )
    expected = [("a", DREW, 1, 4.5), ("a", REMOVED, 0.5, 3.5), ("a", WRONG_CARD, 1, 1.5)]
    expected += [("b", kind, 0, 0) for kind in MISTAKES]
    assert [tuple(row) for row in mistakes(moves).to_numpy()] == expected
    assert [tuple(row) for row in phases(moves).to_numpy()] == [
        ("a", 9, 4, 5),
        ("a", 8, 2, 4.5),
        ("b", 9, 1, 0),
        ("b", 8, 0, 0),
    ]


def test_seeds_tell_trainings_and_deals_apart(results: pd.DataFrame, analysis: Analysis) -> None:
    table = analysis.seeds.set_index("group")
    assert table["seeds"].to_dict() == {"learner": 2, "single": 1}  # a group without results is left out
    means = [np.mean(scores(results, agent)) for agent in "ab"]
    row = table.loc["learner"]
    assert row["score"] == pytest.approx(sum(means) / 2)
    assert row["score_sd"] == pytest.approx(abs(means[0] - means[1]) / math.sqrt(2))
    # Student's t with one degree of freedom is 12.7062 at 97.5 %; the error of the mean of two is half their distance.
    half = 12.7062 * abs(means[0] - means[1]) / 2
    assert row["score_seeds_high"] - row["score"] == pytest.approx(half, rel=1e-4)
    assert row["score"] - row["score_seeds_low"] == pytest.approx(half, rel=1e-4)
    assert 0 <= row["win_rate_seeds_low"] <= row["win_rate_deals_low"] < row["win_rate"]
    single, board = table.loc["single"], analysis.leaderboard.loc["c"]
    assert single[["score_sd", "score_seeds_low", "score_seeds_high"]].isna().all()
    assert [single["score_deals_low"], single["score_deals_high"]] == [board["score_low"], board["score_high"]]


def test_equal_trainings_have_no_spread_but_that_of_deals(results: pd.DataFrame) -> None:
    one = results[results["agent"] == "a"]
    row = seeds(pd.concat([one, one.assign(agent="twin")]), {"learner": ["a", "twin"]}).iloc[0]
    assert (row["regret_sd"], row["regret_seeds_low"], row["regret_seeds_high"]) == (0, row["regret"], row["regret"])
    assert row["regret_deals_low"] < row["regret"] < row["regret_deals_high"]


@pytest.mark.parametrize("moves", [NO_MOVES, pd.DataFrame(columns=NO_MOVES.columns)], ids=["typed", "untyped"])
def test_one_agent_without_moves_or_learners(results: pd.DataFrame, moves: pd.DataFrame) -> None:
    analysis = analyse(results[results["agent"] == "a"], moves, {})
    assert [len(table) for table in analysis] == [1, 0, len(analysis.profiles), len(analysis.difficulty), 0, 0, 0]
    assert list(analysis.phases.columns) == ["agent", "stock", "moves", "loss"]
    assert list(analysis.mistakes.columns) == ["agent", "kind", "per_game", "loss"]
    assert {"agent", "other", "improvement_high"} < set(analysis.pairs.columns)
    assert {"group", "seeds", "win_rate_deals_high"} < set(analysis.seeds.columns)


def test_values_all_alike() -> None:
    results = simulate(np.random.default_rng(0), 30, {"a": 0.0, "b": 0.0})
    results = results.assign(score=571, optimum=771, regret=200, won=False, winnable=False)
    board, pair = leaderboard(results), pairs(results).iloc[0]
    for column, value in (("score", 571), ("iqm", 571), ("regret", 200)):
        assert (board[[column, f"{column}_low", f"{column}_high"]] == value).to_numpy().all()
    assert board[["winnable_won", "winnable_won_low", "winnable_won_high"]].isna().to_numpy().all()
    for column, alike in (("score", 0), ("win_rate", 0), ("improvement", 0.5)):
        assert pair[[column, f"{column}_low", f"{column}_high"]].tolist() == [alike] * 3
    assert set(difficulty(results)["group"]) == {"cannot be won"}
    best = profiles(results.assign(regret=0))
    assert best[["regret", "share"]].to_numpy().tolist() == [[0, 1], [0, 1]]


def test_a_single_deal_and_a_game_without_choice() -> None:
    results = simulate(np.random.default_rng(0), 1, {"a": 0.0, "b": 0.0}).assign(score=600, random=600.0, optimum=600)
    board, pair = leaderboard(results), pairs(results).iloc[0]
    assert board["score"].tolist() == [600, 600]
    assert board[["score_low", "score_high", "normalised"]].isna().to_numpy().all()
    assert (pair["score"], pair["improvement"]) == (0, 0.5)
    assert math.isnan(pair["score_low"])


@pytest.mark.exhaustive
def test_intervals_hold_the_truth_in_95_percent_of_repeats() -> None:
    """The truth is that of a million deals, whose own error is a fiftieth of the intervals' or less."""
    repeats, skills = 500, {"a": -0.2, "b": 0.4}
    truth_board, truth_pair = _figures(simulate(np.random.default_rng(1), 1_000_000, skills))
    rng = np.random.default_rng(2)
    held: dict[str, int] = {}
    for _ in range(repeats):
        results = simulate(rng, 250, skills)
        board = leaderboard(results)
        agent, pair = board.query("agent == 'b'").iloc[0], pairs(results).iloc[0]
        sign = 1 if pair["agent"] == "b" else -1  # the one that was luckier stands first
        rows = [(name, agent, truth) for name, truth in truth_board.items()]
        rows += [(name, pair, sign * truth) for name, truth in truth_pair.items()]
        for (name, row, truth), where in zip(rows, ["", "", "", "", "pair ", "pair "], strict=True):
            held[where + name] = held.get(where + name, 0) + (
                float(row[f"{name}_low"]) <= truth <= float(row[f"{name}_high"])
            )
    coverage = {name: count / repeats for name, count in held.items()}
    assert all(0.92 <= share <= 0.98 for share in coverage.values()), coverage


def _figures(results: pd.DataFrame) -> tuple[dict[str, float], dict[str, float]]:
    """Return the figures of agent b, and by how much it is ahead of a."""
    a, b = (results[results["agent"] == agent].reset_index() for agent in "ab")
    score, random, optimum = (b[column].mean() for column in ("score", "random", "optimum"))
    of_agent = {
        "score": score,
        "iqm": middle_half(b["score"].tolist()),
        "regret": b["regret"].mean(),
        "normalised": (score - random) / (optimum - random),
    }
    return of_agent, {"score": score - a["score"].mean(), "win_rate": b["won"].mean() - a["won"].mean()}
