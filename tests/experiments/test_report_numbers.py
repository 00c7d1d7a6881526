"""Every number on the page of a comparison is found again in the result files."""

import math
import re

import numpy as np
import pandas as pd
import pytest

from experiments.comparison.analysis import RESAMPLES, SEED
from tests.experiments.reports import (
    AGENTS,
    DEALS,
    JUDGED,
    MILLISECONDS,
    Page,
    Written,
)
from tripeaks_env.parallel.intervals import mean_interval

pytestmark = pytest.mark.slow


def wilson(outcomes: pd.Series) -> dict[str, float]:
    if not len(outcomes):
        return {}
    n, share, z = len(outcomes), outcomes.sum() / len(outcomes), 1.959963984540054
    centre, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
    return {"": share, "_low": low, "_high": high}


def bootstrap(*columns: pd.Series, of: str = "mean") -> dict[str, float]:
    """Return a statistic and its interval, by drawing the rows again, in the order of the deals."""

    def statistic(rows: np.ndarray) -> float:
        values = [column.to_numpy(dtype=float)[rows] for column in columns]
        if of == "iqm":
            cut = len(rows) // 4
            return float(np.sort(values[0])[cut : len(rows) - cut].mean())
        if of == "normalised":
            score, random, optimum = (each.mean() for each in values)
            return float((score - random) / (optimum - random))
        return float(values[0].mean())

    n = len(columns[0])
    drawn = np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n))
    low, high = np.percentile([statistic(rows) for rows in drawn], (2.5, 97.5))
    return {"": statistic(np.arange(n)), "_low": float(low), "_high": float(high)}


def student(values: pd.Series) -> dict[str, float]:
    mean, low, high = mean_interval(values.to_numpy())
    return {"": mean, "_low": low, "_high": high}


def put(found: dict[str, float], where: str, interval: dict[str, float], scale: float = 1) -> None:
    found.update({f"{where}{end}": scale * value for end, value in interval.items()})


def group_of(luck: float, winnable: bool) -> str:
    if not winnable:
        return "cannot be won"
    if luck < 0.01:
        return "luck below 1 %"
    for low, high in ((1, 10), (10, 30), (30, 60)):
        if luck < high / 100:
            return f"luck {low}–{high} %"
    return "luck 60 % or more"


def expected_numbers(results: pd.DataFrame, moves: pd.DataFrame) -> dict[str, float]:
    """Return every number that the page must show, by where it stands, computed from the result files alone."""
    found: dict[str, float] = {"facts/agents": 5, "facts/failed": 1, "facts/deals": DEALS, "facts/judged": JUDGED}
    of = {str(agent): rows.sort_values("deal").reset_index(drop=True) for agent, rows in results.groupby("agent")}
    order = sorted(of, key=lambda agent: (AGENTS[agent], -of[agent]["score"].mean()))
    deals = of["greedy"]
    put(found, "facts/winnable", wilson(deals["winnable"]), 100)
    put(found, "facts/optimum", student(deals["optimum"]))
    put(found, "facts/random", student(deals["random"]))
    for agent, rows in of.items():
        at = f"leaderboard/{agent}"
        put(found, f"{at}/win_rate", wilson(rows["won"]), 100)
        put(found, f"{at}/score", bootstrap(rows["score"]))
        put(found, f"{at}/iqm", bootstrap(rows["score"], of="iqm"))
        put(found, f"{at}/regret", bootstrap(rows["optimum"] - rows["score"]))
        put(found, f"{at}/winnable_won", wilson(rows["won"][rows["winnable"]]), 100)
        put(found, f"{at}/normalised", bootstrap(rows["score"], rows["random"], rows["optimum"], of="normalised"))
        found |= {f"{at}/{name}": rows[name].sum() / DEALS for name in ("peaks", "draws", "moves")}
        found[f"{at}/milliseconds"] = MILLISECONDS[agent]
        groups = [group_of(luck, winnable) for luck, winnable in zip(rows["luck"], rows["winnable"], strict=True)]
        for group, inside in rows.groupby(np.array(groups)):
            at = f"difficulty/{group}"
            found[f"{at}/deals"] = len(inside)
            put(found, f"{at}/{agent}/win_rate", wilson(inside["won"]), 100)
            regret = bootstrap(inside["regret"]) if len(inside) > 1 else {"": inside["regret"].iloc[0]}
            put(found, f"{at}/{agent}/regret", regret)
            found[f"{at}/{agent}/score"] = inside["score"].sum() / len(inside)
        judged = moves[moves["agent"] == agent]
        for stock in set(moves["stock"]):
            found[f"phases/{stock}/{agent}"] = judged["loss"][judged["stock"] == stock].sum() / JUDGED
        wrong = judged[judged["loss"] > 0]
        drew = wrong["action"] == 28
        kinds = {
            "drew, a removal was better": drew,
            "removed, the draw was better": ~drew & ~wrong["removal_best"],
            "removed the wrong card": ~drew & wrong["removal_best"],
        }
        for kind, of_kind in kinds.items():
            found[f"mistakes/{agent}/{kind}/per_game"] = of_kind.sum() / JUDGED
            found[f"mistakes/{agent}/{kind}/loss"] = wrong["loss"][of_kind].sum() / JUDGED
    for place, agent in enumerate(order):
        for other in order[place + 1 :]:
            at, ahead = f"pairs/{agent}/{other}", of[agent]["score"] - of[other]["score"]
            put(found, f"{at}/score", bootstrap(ahead))
            put(found, f"{at}/win_rate", bootstrap(of[agent]["won"].astype(int) - of[other]["won"].astype(int)), 100)
            put(found, f"{at}/improvement", bootstrap((ahead > 0) + 0.5 * (ahead == 0)), 100)
    learners = [of["learner 0"], of["learner 1"]]
    for name, column, scale in (("win_rate", "won", 100), ("score", "score", 1), ("regret", "regret", 1)):
        at, each = f"seeds/learner/{name}", [rows[column].mean() for rows in learners]
        over_seeds = student(pd.Series(each))
        over_deals = bootstrap((learners[0][column].astype(float) + learners[1][column]) / 2)
        low, high = over_seeds["_low"], over_seeds["_high"]
        found |= {f"{at}/seeds": 2, f"{at}/mean": scale * sum(each) / 2}
        found[f"{at}/sd"] = scale * abs(each[0] - each[1]) / math.sqrt(2)
        found[f"{at}/seeds_low"] = scale * (max(low, 0) if column == "won" else low)
        found[f"{at}/seeds_high"] = scale * (min(high, 1) if column == "won" else high)
        put(found, f"{at}/deals", {end: scale * value for end, value in over_deals.items() if end})
    return found


def test_every_number_is_that_of_the_result_files(written: Written, page: Page) -> None:
    expected = expected_numbers(written.results, written.moves)
    profiles = {where: found for where, found in page.numbers.items() if where.startswith("profiles/")}
    assert expected.keys() == page.numbers.keys() - profiles.keys()
    for where, value in expected.items():
        assert page.numbers[where][0] == pytest.approx(value, rel=1e-9, abs=1e-9), where
    regrets = {where.split("/")[1] for where in profiles}
    assert "0" in regrets
    assert len(profiles) == len(regrets) * (1 + len(AGENTS))
    for regret in regrets:
        assert profiles[f"profiles/{regret}/regret"][0] == int(regret)
        for agent in AGENTS:
            of_agent = written.results[written.results["agent"] == agent]
            share = sum(each <= int(regret) for each in of_agent["regret"]) / DEALS
            assert profiles[f"profiles/{regret}/{agent}"][0] == pytest.approx(100 * share)


def test_what_is_shown_is_the_value_rounded(page: Page) -> None:
    for where, (value, shown) in page.numbers.items():
        plain = shown.replace("−", "-").replace(",", "")
        digits = len(plain.partition(".")[2])
        assert abs(float(plain) - value) <= 0.5 * 10**-digits + 1e-9, where
        assert digits > 0 or value == int(value), where


def test_no_other_digits_are_on_the_page(written: Written, page: Page) -> None:
    """Names, and the 95 of the intervals, are all that is left without the numbers."""
    text = "\n".join(page.text)
    for name in (*AGENTS, "trial"):
        text = text.replace(name, "")
    text = text.replace("95 %", "")
    assert re.findall(r".*\d.*", text) == []
    of_deals = {
        group_of(luck, win) for luck, win in zip(written.results["luck"], written.results["winnable"], strict=True)
    }
    assert sorted(page.labels) == sorted([*of_deals, *(str(stock) for stock in set(written.moves["stock"]))])


def test_numbers_in_the_plots_are_those_of_the_tables(page: Page) -> None:
    order = [row.split("/")[1] for row in page.numbers if row.startswith("leaderboard/") and row.endswith("/score")]
    seen = 0
    for ids, text in page.drawn:
        value = re.search(r"value-(\w+)-(\d+)(?:-(\d+))?", ids)
        if value is None:
            of_axis = re.search(r"-([xy]tick_|legend_)", ids)
            assert of_axis or not re.search(r"\d", text), (ids, text)
            continue
        seen += 1
        name, row = value[1], int(value[2])
        if name == "improvement":
            column = int(value[3])
            first, second = (order[place] for place in sorted((row, column)))
            share = page.numbers[f"pairs/{first}/{second}/improvement"][0]
            assert abs(float(text) - (share if row < column else 100 - share)) <= 0.5 + 1e-9
        else:
            assert abs(float(text) - page.numbers[f"leaderboard/{order[row]}/{name}"][0]) <= 0.05 + 1e-9
    assert seen == 2 * len(AGENTS) + len(AGENTS) * (len(AGENTS) - 1)
