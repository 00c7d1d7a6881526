"""The report of a comparison: every number on the page is found again in the result files, and it works in a browser."""

import io
import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from experiments.comparison.analysis import RESAMPLES, SEED, analyse
from experiments.comparison.compare import Comparison
from experiments.comparison.report import write_comparison
from experiments.comparison.report.page import number, render
from experiments.comparison.report.plots import inline_svg, leaderboard_figure
from experiments.comparison.report.replays import choose_deals, replay_data
from experiments.config import CompareConfig
from tripeaks_env import Deal, Game, Rules, action_values, solve, suite
from tripeaks_env.game.deals import format_code
from tripeaks_env.game.engine import DRAW
from tripeaks_env.parallel.intervals import mean_interval
from tripeaks_env.solver.advice import action_values_many

FILES = {
    *("results.parquet", "moves.parquet", "summary.json", "report.html", "leaderboard.svg"),
    *(f"{name}.png" for name in ("leaderboard", "profiles", "pairs", "difficulty", "phases")),
}
AGENTS = {"greedy": False, "learner 0": False, "learner 1": False, "sees-all": True}
DEALS, JUDGED = 40, 12
PROVENANCE: dict[str, Any] = {
    "command": "python -m experiments compare x.yaml",
    "created": "2026-01-02T03:04:05+00:00",
    "versions": {"python": "3.11.4", "numpy": "2.0"},
    "git": {"commit": "0123456789abcdef", "dirty": False},
    "machine": "a machine, 2 cores",
    "suite": "40 deals, seed 0",
}


def choose(agent: str, game: Game, rng: np.random.Generator) -> int:
    """Return what a made-up agent does."""
    legal = game.legal_actions()
    if agent == "sees-all":
        return solve(game).actions[0]
    if agent == "greedy":
        return legal[0]
    return int(rng.choice([action for action in legal if action != DRAW] or legal) if rng.random() < 0.9 else legal[-1])


def played(
    agents: dict[str, bool], deals: int, judged: int, rules: Rules = Rules.easy
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the results and the judged actions of agents on deals, made with single games."""
    results, moves = [], []
    rng = np.random.default_rng(5)
    codes = [format_code(number, rules) for number in suite(deals)]
    facts: dict[str, dict[str, Any]] = {}
    for code in codes:
        best = solve(Deal.from_code(code), rules)
        facts[code] = {"optimum": best.score, "winnable": best.won}
        facts[code] |= {"fewest_draws": 10 if facts[code]["winnable"] else -1}
        facts[code] |= {"luck": rng.random() ** 2, "random": rng.uniform(430, 480)}
    for agent, oracle in agents.items():
        for place, code in enumerate(codes):
            game, before = Game(Deal.from_code(code), rules), []
            while game.legal_actions():
                before.append(game.copy())
                game.play(choose(agent, game, rng))
            won = not game.remaining
            end = {"won": won, "score": game.score, "peaks": game.peaks_cleared}
            counts = {"draws": game.actions.count(DRAW), "moves": len(game.actions)}
            line = {"actions": " ".join(map(str, game.actions))}
            row: dict[str, Any] = {"agent": agent, "oracle": oracle, "deal": code} | end | counts | line | facts[code]
            results.append(row | {"regret": row["optimum"] - row["score"]})
            if place >= judged:
                continue
            for count, (each, action, values) in enumerate(
                zip(before, game.actions, action_values_many(before), strict=True)
            ):
                most, chosen = int(np.nanmax(values)), int(values[action])
                where: dict[str, Any] = {
                    "agent": agent,
                    "deal": code,
                    "move": count,
                    "action": action,
                    "cards": len(each.remaining),
                }
                worth = {"value": most, "chosen": chosen, "loss": most - chosen}
                kinds = {"draw_best": values[DRAW] == most, "removal_best": bool((values[:DRAW] == most).any())}
                options = {"stock": each.stock, "options": int((~np.isnan(values)).sum())}
                moves.append(where | options | worth | kinds)
    columns = ["agent", "deal", "move", "action", "cards", "stock", "options", "value", "chosen", "loss"]
    return pd.DataFrame(results), pd.DataFrame(moves, columns=[*columns, "draw_best", "removal_best"])


def config_of(**more: Any) -> CompareConfig:
    agents: list[dict[str, Any]] = [
        {"agent": "greedy"},
        {"agent": "opener", "label": "sees-all"},
        {"agent": "random", "label": "broken"},
    ]
    agents += [{"agent": "random", "label": f"learner {seed}", "seed": seed, "group": "learner"} for seed in (0, 1)]
    values = {"name": "trial", "deals": {"count": DEALS}, "agents": agents, "moves": JUDGED, "replays": 3}
    return CompareConfig.model_validate(values | more)


class Written(NamedTuple):
    folder: Path
    results: pd.DataFrame
    moves: pd.DataFrame
    text: str
    printed: str


FAILED = {"broken": "act returned the action 29; it must be 0 to 28"}
MILLISECONDS = {"greedy": 0.0123, "learner 0": 1.5, "learner 1": 12.25, "sees-all": 3.0}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A comparison of four agents, and one that failed, as it is on disk."""
    folder = tmp_path_factory.mktemp("report")
    results, moves = played(AGENTS, DEALS, JUDGED)
    console = Console(file=io.StringIO(), width=100)
    write_comparison(folder, config_of(), Comparison(results, moves, FAILED, {}, MILLISECONDS), PROVENANCE, console)
    assert isinstance(console.file, io.StringIO)
    return Written(
        folder,
        pd.read_parquet(folder / "results.parquet"),
        pd.read_parquet(folder / "moves.parquet"),
        (folder / "report.html").read_text(encoding="utf-8"),
        console.file.getvalue(),
    )


class Page(HTMLParser):
    """What a page shows, taken apart.

    ``numbers``: value and shown text of each <data>, by where it stands; ``text``: the visible text outside of numbers, code
    and the section on how the page was made; ``labels``: texts that name a group; ``drawn``: texts of the plots with the ids
    of the elements they are in; ``tags``: how often each tag is there; ``replays``: the data of the replays.
    """

    VOID = {"meta", "link", "input", "img"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.numbers: dict[str, tuple[float, str]] = {}
        self.text: list[str] = []
        self.labels: list[str] = []
        self.drawn: list[tuple[str, str]] = []
        self.tags: dict[str, int] = {}
        self.attributes: list[dict[str, str | None]] = []
        self.replays: dict[str, Any] = {}
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes.append(dict(attrs) | {"tag": tag})
        if tag not in self.VOID:
            self._open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append(dict(attrs) | {"tag": tag})

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if not data.strip() or not self._open:
            return
        tags = [tag for tag, _ in self._open]
        tag, attributes = self._open[-1]
        if tag == "data":
            where = attributes["data-of"] or ""
            assert where not in self.numbers
            self.numbers[where] = (float(attributes["value"] or ""), data)
        elif attributes.get("id") == "replay-data":
            self.replays = json.loads(data)
        elif "svg" in tags:
            self.drawn.append((" ".join(each.get("id") or "" for _, each in self._open), data.strip()))
        elif attributes.get("class") == "group":
            self.labels.append(data)
        elif not {"script", "style", "code"} & set(tags) and not any(
            each.get("id") == "made" for _, each in self._open
        ):
            self.text.append(data)


@pytest.fixture(scope="module")
def page(written: Written) -> Page:
    return Page(written.text)


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


def test_the_page_is_whole_and_accessible(page: Page) -> None:
    ids = [each["id"] for each in page.attributes if each.get("id")]
    assert len(ids) == len(set(ids))
    for each in page.attributes:
        for name in ("href", "xlink:href"):
            target = each.get(name)
            assert target is None or target == "data:," or (target[0] == "#" and target[1:] in ids), each
        assert not each.get("src")
        for used in re.findall(r"url\(#([^)]*)\)", " ".join(str(value) for value in each.values())):
            assert used in ids
        if each["tag"] == "svg":
            assert each["role"] == "img"
            assert each["aria-label"]
        if each["tag"] == "th":
            assert each["scope"] in ("col", "row", "rowgroup")
    assert page.tags["svg"] == 6  # five plots and the board
    assert page.tags["h1"] == 1
    assert any(each.get("aria-live") == "polite" for each in page.attributes)


def test_replays_are_the_games_of_the_results(written: Written, page: Page) -> None:
    deals = page.replays["deals"]
    assert [deal["code"] for deal in deals] == list(choose_deals(3, written.results, written.moves))
    for deal in deals:
        of_deal = written.results[written.results["deal"] == deal["code"]].set_index("agent")
        assert [game["agent"] for game in deal["games"]] == list(AGENTS)
        assert (deal["optimum"], deal["winnable"]) == (of_deal["optimum"].iloc[0], of_deal["winnable"].iloc[0])
        for game in deal["games"]:
            row = of_deal.loc[game["agent"]]
            assert [move["action"] for move in game["moves"]] == [int(action) for action in row["actions"].split()]
            assert (game["score"], game["won"], game["oracle"]) == (row["score"], row["won"], row["oracle"])
            assert sum(move["loss"] for move in game["moves"]) == row["regret"]
            board, positions = Game(deal["code"]), []
            for move in game["moves"]:
                positions.append(board.copy())
                assert move["score"] == board.score
                assert [action for action, _ in move["values"]] == board.legal_actions()
                board.play(move["action"])
            assert not board.legal_actions()
            for move, values in zip(game["moves"], action_values_many(positions), strict=True):
                assert dict(map(tuple, move["values"])) == {a: v for a, v in enumerate(values.tolist()) if v == v}
                assert move["loss"] == np.nanmax(values) - values[move["action"]]
            judged = written.moves[(written.moves["agent"] == game["agent"]) & (written.moves["deal"] == deal["code"])]
            if len(judged):
                assert [move["loss"] for move in game["moves"]] == judged["loss"].tolist()
        start = action_values(Game(deal["code"]))
        assert deal["games"][0]["moves"][0]["values"] == [[a, v] for a, v in enumerate(start.tolist()) if v == v]


@pytest.mark.parametrize(
    "rules", [Rules.classic, Rules.traditional, Rules(wild=True), Rules(open_peaks=True, empty_waste=True)]
)
def test_replays_of_other_rules(rules: Rules) -> None:
    results, moves = played({"greedy": False}, 2, 0, rules)
    data = replay_data(choose_deals(1, results, moves), results, rules)
    deal, board = data["deals"][0], Game(data["deals"][0]["code"], rules)
    assert data["open"] == rules.open_peaks
    assert len(deal["cards"]) == 29 + rules.stock_size
    assert ("*" in deal["cards"]) == rules.wild
    assert (deal["cards"][28] == "") == rules.empty_waste
    for move in deal["games"][0]["moves"]:
        values = action_values(board).tolist()
        assert move["score"] == board.score
        assert move["values"] == [[action, value] for action, value in enumerate(values) if value == value]
        board.play(move["action"])
    assert board.score == deal["games"][0]["score"]


def test_replayed_deals_follow_the_rule(written: Written) -> None:
    """In turn: where the fair agents differ most, and where one of them lost most by one action."""
    results, moves = written.results, written.moves
    fair = [agent for agent, oracle in AGENTS.items() if not oracle]
    codes = [code for code in dict.fromkeys(results["deal"]) if results["winnable"][results["deal"] == code].iloc[0]]

    def of(table: pd.DataFrame, code: str, column: str) -> np.ndarray:
        return table[(table["deal"] == code) & table["agent"].isin(fair)][column].to_numpy()

    differ = sorted(codes, key=lambda c: (-np.std(of(results, c, "score")), -of(results, c, "regret").mean()))
    largest = sorted((c for c in codes if len(of(moves, c, "loss"))), key=lambda c: -of(moves, c, "loss").max())
    expected: list[str] = []
    for pair in zip(differ, largest, strict=False):
        expected += [code for code in dict.fromkeys(pair) if code not in expected]
    assert list(choose_deals(6, results, moves)) == expected[:6]
    assert list(choose_deals(6, results, moves.iloc[:0])) == differ[:6]
    assert choose_deals(0, results, moves) == {}
    assert len(choose_deals(1000, results, moves)) == len(codes)
    assert list(choose_deals([codes[4], codes[1]], results, moves)) == [codes[4], codes[1]]


def test_results_that_are_not_of_their_actions_are_refused(written: Written) -> None:
    deals = choose_deals(1, written.results, written.moves)
    with pytest.raises(ValueError, match="its actions lead to"):
        replay_data(deals, written.results.assign(score=1), Rules.easy)


def test_all_files_are_written_and_the_leaderboard_is_printed(written: Written) -> None:
    assert {file.name for file in written.folder.iterdir()} == FILES
    assert "greedy" in written.printed
    assert "failed: broken: act returned the action 29; it must be 0 to 28" in written.printed.splitlines()
    summary = json.loads((written.folder / "summary.json").read_text(encoding="utf-8"))
    analysis = analyse(written.results, written.moves, {"learner": ["learner 0", "learner 1"]})
    for name, table in analysis._asdict().items():
        assert len(summary[name]) == len(table) > 0, name
    assert [row["agent"] for row in summary["leaderboard"]] == analysis.leaderboard.index.tolist()
    assert summary["failed"] == FAILED
    assert summary["milliseconds_per_game"] == MILLISECONDS
    assert summary["versions"] == PROVENANCE["versions"]
    assert summary["provenance"]["git"] == PROVENANCE["git"]
    for name in ("leaderboard", "profiles", "pairs", "difficulty", "phases"):
        assert (written.folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def rendered(agents: dict[str, bool], moves: int = 2, **config: Any) -> str:
    """Return the page of made-up agents on four deals."""
    results, judged = played(dict.fromkeys(agents, False), 4, moves)
    results["oracle"] = results["agent"].map(agents)
    settings = config_of(deals={"count": 4}, moves=moves, **config)
    replays = replay_data(choose_deals(settings.replays, results, judged), results, settings.rules)
    found = Comparison(results, judged, {}, {}, dict.fromkeys(agents, 1.0))
    return render(settings, found, analyse(results, judged, {}), replays, PROVENANCE)


def test_page_of_one_agent_without_judged_moves_and_replays() -> None:
    page = Page(rendered({"alone": False}, moves=0, replays=0))
    assert not {"pairs", "phases", "mistakes", "seeds"} & {where.split("/")[0] for where in page.numbers}
    assert page.replays == {}
    assert "There is only one agent with results." in page.text
    assert page.tags["svg"] == 3


NASTY = "</script><b>&\"'$_"


@pytest.fixture(scope="module")
def nasty() -> str:
    return rendered({NASTY: False, "_hidden": True})


def test_a_label_cannot_break_the_page(nasty: str) -> None:
    page = Page(nasty)
    assert "b" not in page.tags
    assert page.tags["script"] == 2
    assert NASTY in [text.strip() for text in page.text]
    assert NASTY in [text.strip("\u200b") for _, text in page.drawn]
    assert "_hidden" in [text.strip("\u200b") for ids, text in page.drawn if "legend_" in ids]
    assert [game["agent"] for game in page.replays["deals"][0]["games"]] == [NASTY, "_hidden"]
    assert f"leaderboard/{NASTY}/score" in page.numbers


def test_number() -> None:
    assert str(number(0.12345, ["a", "b"], scale=100)) == f'<data value="{12.345!r}" data-of="a/b">12.3</data>'
    assert str(number(-1234.56, ["a"])) == '<data value="-1234.56" data-of="a">−1,234.6</data>'
    assert ">0.0</data>" in number(-0.01, ["a"])
    assert "data-of" not in number(math.nan, ["a"])


def test_plots_inside_the_page_take_its_colour_and_repeat() -> None:
    results, moves = played({"greedy": False}, 4, 0)
    board = analyse(results, moves, {}).leaderboard
    once, again = (inline_svg("x", 'a "label"', lambda: leaderboard_figure(board)) for _ in range(2))
    assert once == again
    assert "currentColor" in once
    assert not re.search(r"<style|<metadata|#000000|#ffffff", once)
    assert 'aria-label="a &#34;label&#34;"' in once


ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


class Visit(NamedTuple):
    page: Any  # of Playwright
    complaints: list[str]
    requests: list[str]


class Visitor:
    """Opens pages in Chromium and notes what goes wrong there."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.contexts: list[Any] = []

    def __call__(self, path: Path, width: int = 1280, height: int = 900, scheme: str = "light") -> Visit:
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.contexts.append(context)
        page, complaints, requests = context.new_page(), [], []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return Visit(page, complaints, requests)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium")
    if path is None:
        if "CI" in os.environ:
            pytest.fail("there is no chromium, and CI is set")
        pytest.skip("there is no chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Visitor]:
    visitor = Visitor(browser)
    yield visitor
    for context in visitor.contexts:
        context.close()


def status(page: Any) -> str:
    return str(page.locator("#r-status").inner_text())


def test_replay_by_keyboard_shows_the_game(written: Written, page: Page, visit: Visitor) -> None:
    """Every position: the cards, the actions with their values and the score are those of the game."""
    window, complaints, requests = visit(written.folder / "report.html")
    deal = page.replays["deals"][0]
    game = deal["games"][0]
    moves = game["moves"]
    board = Game(deal["code"])
    window.locator("#replay").focus()
    for place, move in enumerate(moves):
        assert status(window).startswith(f"Move {place + 1} of {len(moves)}: greedy ")
        lost = re.search(r"This lost (\d+) point", status(window))
        assert (int(lost[1]) if lost else 0) == move["loss"]
        drawn = window.locator("#r-board")
        assert f"{len(board.remaining)} card" in drawn.get_attribute("aria-label")
        assert drawn.get_attribute("aria-label").endswith(f"score {board.score}")
        assert drawn.locator(".b-card").count() == sum(0 < rank < 14 for rank in board.observation()["tableau"]) + 1
        assert drawn.locator(".b-back").count() == sum(board.observation()["tableau"] == 14) + (board.stock > 0)
        assert drawn.locator(".b-mark.chosen").get_attribute("data-action") == str(move["action"])
        rows = window.locator("#r-values tbody tr").evaluate_all(
            "rows => rows.map(row => [row.dataset.action, ...Array.from(row.cells, cell => cell.textContent)])"
        )
        best = max(value for _, value in move["values"])
        assert {int(row[0]): (int(row[2]), int(row[3])) for row in rows} == {
            action: (value, best - value) for action, value in move["values"]
        }
        board.play(move["action"])
        window.keyboard.press("ArrowRight")
    assert f"with {game['score']} points; the best was {deal['optimum']}." in status(window)
    window.keyboard.press("ArrowRight")
    assert status(window).startswith("End after")
    window.keyboard.press("ArrowLeft")
    assert status(window).startswith(f"Move {len(moves)} of")
    window.keyboard.press("Home")
    assert status(window).startswith("Move 1 of")
    window.keyboard.press("End")
    assert status(window).startswith("End after")
    assert complaints == []
    assert all(url.startswith(("file:", "data:")) for url in requests)


def test_replay_by_mouse(written: Written, page: Page, visit: Visitor) -> None:
    window, complaints, _ = visit(written.folder / "report.html")
    window.locator("#r-deal").select_option(index=1)
    window.locator("#r-agent").select_option(index=2)
    game = page.replays["deals"][1]["games"][2]
    losses = [place for place, move in enumerate(game["moves"]) if move["loss"] > 0]
    assert "learner 1 " in status(window)
    window.locator("#r-next").click()
    assert status(window).startswith("Move 2 of")
    window.locator("#r-prev").click()
    assert window.locator("#r-prev").is_disabled()
    reached = []
    while window.locator("#r-mistake").is_enabled():
        window.locator("#r-mistake").click()
        reached.append(int(status(window).split()[1]) - 1)
        assert "This lost " in status(window)
    assert reached == [place for place in losses if place > 0]
    window.locator("#r-last").click()
    assert status(window).startswith("End after")
    window.locator("#r-moves button").nth(4).click()
    assert status(window).startswith("Move 5 of")
    window.locator("#r-slider").fill("7")
    assert status(window).startswith("Move 8 of")
    window.locator("#r-first").click()
    assert window.locator("#r-board .b-hidden").count() == 0
    window.locator("#r-hidden").check()
    assert window.locator("#r-board .b-back").count() == 0
    assert window.locator("#r-board .b-hidden").count() == 18 + 1
    assert complaints == []


def test_next_mistake_by_key(written: Written, page: Page, visit: Visitor) -> None:
    window = visit(written.folder / "report.html").page
    losses = [place for place, move in enumerate(page.replays["deals"][0]["games"][0]["moves"]) if move["loss"] > 0]
    window.locator("#replay").focus()
    for place in (place for place in losses if place > 0):
        window.keyboard.press("m")
        assert status(window).startswith(f"Move {place + 1} of")
        assert "This lost " in status(window)
    before = status(window)
    window.keyboard.press("m")
    assert status(window) == before


def lightness(color: str) -> float:
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_and_light(written: Written, visit: Visitor, scheme: str) -> None:
    """Paper and ink swap with the system's scheme and with the button, in the plots too."""
    window, complaints, _ = visit(written.folder / "report.html", scheme=scheme)

    def dark() -> bool:
        paper = window.evaluate("getComputedStyle(document.body).backgroundColor")
        ink = window.evaluate("getComputedStyle(document.body).color")
        drawn = window.locator(".plot svg text").first.evaluate("each => getComputedStyle(each).fill")
        assert drawn == ink
        assert abs(lightness(paper) - lightness(ink)) > 150
        return lightness(paper) < lightness(ink)

    assert dark() == (scheme == "dark")
    window.locator("#theme").click()
    assert dark() != (scheme == "dark")
    window.reload()
    assert dark() != (scheme == "dark")
    window.locator("#theme").focus()
    window.keyboard.press("Enter")
    assert dark() == (scheme == "dark")
    assert complaints == []


def test_phone(written: Written, visit: Visitor) -> None:
    """The page itself does not scroll sideways, whatever is opened; wide tables do in their boxes."""
    window, complaints, _ = visit(written.folder / "report.html", width=360, height=740)
    window.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    window.locator("#replay").focus()
    window.keyboard.press("End")
    wide, inner = window.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= inner == 360
    box = window.locator("#leaderboard .scroll").first
    assert box.evaluate("each => each.scrollWidth > each.clientWidth")
    assert complaints == []


def test_a_nasty_label_in_the_browser(tmp_path: Path, nasty: str, visit: Visitor) -> None:
    path = tmp_path / "report.html"
    path.write_text(nasty, encoding="utf-8")
    window, complaints, _ = visit(path)
    assert complaints == []
    assert window.locator("b").count() == 0
    assert window.locator("#t-leaderboard tbody th[scope=row]").all_inner_texts().count(NASTY) == 1
    assert status(window).startswith(f"Move 1 of {window.locator('#r-moves button').count()}: {NASTY} ")


@pytest.mark.slow
def test_bytes_of_the_tables_do_not_depend_on_time(tmp_path: Path, written: Written) -> None:
    later = PROVENANCE | {"created": "2030-01-01", "machine": "another"}
    times = {agent: 2 * value for agent, value in MILLISECONDS.items()}
    console = Console(file=io.StringIO())
    found = Comparison(written.results, written.moves, FAILED, {}, times)
    write_comparison(tmp_path, config_of(), found, later, console)
    for name in ("results.parquet", "moves.parquet", "leaderboard.png", "phases.png"):
        assert (tmp_path / name).read_bytes() == (written.folder / name).read_bytes(), name
