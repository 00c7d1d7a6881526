"""The report of a comparison: its files, its page, and its replays."""

import io
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from rich.console import Console

from experiments.comparison.analysis import analyse
from experiments.comparison.compare import Comparison
from experiments.comparison.report import write_comparison
from experiments.comparison.report.page import number
from experiments.comparison.report.plots import figures, inline_svg, leaderboard_figure, save_png
from experiments.comparison.report.replays import choose_deals, replay_data
from tests.experiments.reports import (
    AGENTS,
    FAILED,
    FILES,
    MILLISECONDS,
    NASTY,
    PROVENANCE,
    Page,
    Written,
    config_of,
    played,
    rendered,
)
from tripeaks_env import Game, Rules, action_values
from tripeaks_env.solver.advice import action_values_many


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_results_that_are_not_of_their_actions_are_refused(written: Written) -> None:
    deals = choose_deals(1, written.results, written.moves)
    with pytest.raises(ValueError, match="its actions lead to"):
        replay_data(deals, written.results.assign(score=1), Rules.easy)


@pytest.mark.slow
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


@pytest.mark.slow
def test_page_of_one_agent_without_judged_moves_and_replays() -> None:
    page = Page(rendered({"alone": False}, moves=0, replays=0))
    assert not {"pairs", "phases", "mistakes", "seeds"} & {where.split("/")[0] for where in page.numbers}
    assert page.replays == {}
    assert "There is only one agent with results." in page.text
    assert page.tags["svg"] == 3


@pytest.mark.slow
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


@pytest.mark.slow
def test_plots_inside_the_page_take_its_colour_and_repeat() -> None:
    results, moves = played({"greedy": False}, 4, 0)
    board = analyse(results, moves, {}).leaderboard
    once, again = (inline_svg("x", 'a "label"', lambda: leaderboard_figure(board)) for _ in range(2))
    assert once == again
    assert "currentColor" in once
    assert not re.search(r"<style|<metadata|#000000|#ffffff", once)
    assert 'aria-label="a &#34;label&#34;"' in once


def test_a_character_that_the_font_lacks_is_no_warning(tmp_path: Path) -> None:
    def figure() -> Figure:
        made = Figure()
        made.suptitle("日本")
        return made

    save_png(tmp_path / "x.png", figure)
    assert "日本" in inline_svg("x", "a plot", figure)


class ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.slow
def test_all_is_written_when_nobody_reads_what_is_printed(
    tmp_path: Path, written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.comparison.report.save_png", lambda path, make: path.touch())
    monkeypatch.setattr("experiments.comparison.report.render", lambda *_: "")
    found = Comparison(written.results, written.moves, FAILED, {}, MILLISECONDS)
    with pytest.raises((BrokenPipeError, SystemExit)):
        write_comparison(tmp_path, config_of(), found, PROVENANCE, Console(file=ClosedPipe()))
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in written.folder.iterdir()}


@pytest.mark.slow
def test_bytes_of_the_tables_do_not_depend_on_time(tmp_path: Path, written: Written) -> None:
    later = PROVENANCE | {"created": "2030-01-01", "machine": "another"}
    times = {agent: 2 * value for agent, value in MILLISECONDS.items()}
    console = Console(file=io.StringIO())
    found = Comparison(written.results, written.moves, FAILED, {}, times)
    write_comparison(tmp_path, config_of(), found, later, console)
    for name in ("results.parquet", "moves.parquet", "leaderboard.png", "phases.png"):
        assert (tmp_path / name).read_bytes() == (written.folder / name).read_bytes(), name


def test_plots_have_room_for_long_names() -> None:
    """Of a model, the name is the path of its file."""
    results, moves = played(AGENTS, 20, 5)
    long = "/home/somebody/models/of-a-long-training/" + 59 * "W"
    results, moves = (table.replace("greedy", long) for table in (results, moves))
    for make in figures(analyse(results, moves, {})).values():
        make().savefig(io.BytesIO())  # where there is no room, Matplotlib warns, and a warning is an error here
