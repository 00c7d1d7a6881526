"""The experiments: configs, comparison, statistics, and the command line as a user meets it."""

import json
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from rich.progress import Progress
from rich.table import Table

from experiments import suites
from experiments.command_line import _options, main
from experiments.comparison.analysis import leaderboard
from experiments.comparison.compare import Comparison, compare
from experiments.comparison.report.terminal import save_picture
from experiments.config import (
    CONFIGS,
    SUITES,
    CompareConfig,
    ConfigError,
    Entry,
    TrainConfig,
    load,
    load_training,
)
from experiments.games.tasks import GamesTask, play_games
from experiments.pages.curves import read_curves
from experiments.pages.speed.harness import QUICK, Measure, Row, Sample, Size, measure
from experiments.pages.speed.page import COLUMNS, report
from experiments.pages.speed.rows import SECTIONS
from experiments.runs.store import facts_of_agent
from tests.common import AtOnce, compared
from tripeaks_env import PRESETS, Deal, Rules, is_evaluation, solve, suite
from tripeaks_env.game.deals import format_code, parse_code
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.intervals import mean_interval, share_interval

FILES = {
    *("report.html", "results.parquet", "moves.parquet", "summary.json", "leaderboard.svg"),
    *(f"{name}.png" for name in ("leaderboard", "profiles", "pairs", "difficulty", "phases")),
    *("done", "run.json", "log.txt", ".lock"),
}
"""What a comparison leaves in its folder."""


def write(folder: Path, text: str) -> Path:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    """Run ``python -m experiments`` with these arguments and return its exit code."""
    monkeypatch.setattr("sys.argv", ["experiments", *map(str, arguments)])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path: Path) -> None:
    config = load(path, CompareConfig) if "agents:" in path.read_text() else load_training(path)
    assert config.name == path.stem


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (None, "cannot be read"),
        ("name: x\nagents: [nobody]", "agent is 'nobody'; it must be one of"),
        ("name: x\nagents: ['os:nothing']", "agent 'os:nothing'"),
        (
            "name: x\nagents: [{agent: random, options: {speed: 3}}]",
            "agent 'random' has no option 'speed'; it has no options",
        ),
        (
            "name: x\nagents: [{agent: rollout, options: {simulations: many}}]",
            "simulations is 'many'; it must be an integer of at least 1",
        ),
        (
            "name: x\nagents: [{agent: lookahead, options: {dept: 2}}]",
            "has no option 'dept'; its options are simulations, milliseconds, depth,",
        ),
        ("name: x\nagents: [{agent: ppo, options: {checkpoint: 3}}]", "checkpoint is 3; it must be the path of a file"),
        ("name: x\nagents: [ppo]\nrules: {wild: true}", "no checkpoint"),
        ("name: x\nagents: ['tests.broken_agents:Illegal']", "the action 0 where it is illegal"),
        (
            "name: x\nagents: ['tests.broken_agents:Raises']",
            "Raises': act raised KeyError: 'lost' (broken_agents.py, line ",
        ),
        ("name: x\nagents: ['tests.broken_agents:NotMade']", "cannot be made: SystemExit"),
        ("name: x\nagents: ['tests.broken_agents:WrongShape']", "it must be integers (2,)"),
        ("name: x\nagents: ['tests.broken_agents:OutOfRange']", "the action 29; it must be 0 to 28"),
    ],
)
def test_failed_comparison_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str | None, named: str
) -> None:
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *arguments: AtOnce())
    path = tmp_path / "config.yaml" if text is None else write(tmp_path, text + "\ndeals: {count: 20}")
    assert run(monkeypatch, "compare", path, "--output", tmp_path / "out") == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert named in last
    assert not list((tmp_path / "out").glob("*.parquet"))


@pytest.mark.parametrize("folder", ["config.yaml", "/proc/x"])
def test_unusable_folder_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    path = write(tmp_path, "name: x\nagents: [random]")
    assert run(monkeypatch, "compare", path, "--output", tmp_path / folder) == 2
    error = capsys.readouterr().err.strip()
    assert "cannot be written to" in error
    assert len(error.splitlines()) == 1


def test_the_bar_of_an_agent_that_fails_late_is_never_over_its_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play_some(task: GamesTask) -> dict[str, np.ndarray] | str:
        return "it failed" if task.entry.name == "greedy" and task.first == 100 else play_games(task)

    monkeypatch.setattr("experiments.comparison.compare.play_games", play_some)
    settings = {"name": "x", "agents": ["greedy", "opener"], "deals": {"count": 300}, "moves": 0}
    with Progress(disable=True) as progress:
        found = compare(CompareConfig.model_validate(settings), tmp_path, AtOnce(), progress)
    assert found.failed == {"greedy": "it failed"}
    done = {task.description: (task.completed, task.total) for task in progress.tasks}
    assert (done["greedy failed"], done["opener plays"]) == ((0, 0), (300, 300))


def test_replays_are_named_in_lower_case_too() -> None:
    code = format_code(suite(5)[4], "classic")
    settings = {"name": "x", "agents": ["random"], "deals": {"count": 5}, "rules": "classic"}
    config = CompareConfig.model_validate({**settings, "replays": [code.lower()]})
    assert config.replayed == [code]
    assert CompareConfig.model_validate({**settings, "replays": 3}).replayed == 3


def test_odd_names_and_options_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent named like markup is refused in one line, and a long option is no file name."""
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *arguments: AtOnce())
    path = write(tmp_path, "name: x\nagents: [random, '[/x]']\ndeals: {count: 20}")
    assert run(monkeypatch, "compare", path, "--output", tmp_path / "out") == 2
    entry = Entry.model_validate({"agent": "random", "options": {"a": ["x" * 400, {"b": str(path)}, "\0"]}})
    before = facts_of_agent(entry)
    path.write_text("name: y")
    assert facts_of_agent(entry) != before


def test_a_learning_rate_needs_no_point(tmp_path: Path) -> None:
    """YAML 1.1 reads 3e-4 as a text."""
    path = write(tmp_path, "name: x\ntotal_steps: 1\nlearning_rate: 3e-4\nent_coef: 1E-2")
    config = load(path, TrainConfig)
    assert (config.learning_rate, config.ent_coef) == (0.0003, 0.01)


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]\n" for old, new in pairwise("abcdefghij")
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (ALIASES, "it has more than 10,000 parts"),
        ("a: &a [*a]", "it has more than 10,000 parts"),
        ("a: " + "[" * 5000 + "]" * 5000, "it is nested more than 50 deep"),
        ("a: " + "9" * 5000, "a number has more than 40 digits"),
        ("a: 0x" + "f" * 5000, "a number has more than 40 digits"),
        ("a: 2020-13-45", "month must be in 1..12"),
        ("a: [" + "x, " * 20_000 + "]", "it has more than 10,000 parts"),
        ("a: " + "x" * 2_000_000, "it has more than 1,000,000 bytes"),
    ],
    ids=["aliases", "itself", "depth", "digits", "hexadecimal", "date", "parts", "bytes"],
)
def test_yaml_that_would_take_all_memory_is_one_line(tmp_path: Path, text: str, named: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError, match=re.escape(named)) as error:
        load(path, CompareConfig)
    assert len(str(error.value).splitlines()) == 1


def test_all_yaml_is_read_alike(tmp_path: Path) -> None:
    text = "a: &a [*a]"
    path = write(tmp_path, text)
    for read in (lambda: load_training(path), lambda: read_curves([tmp_path]), lambda: _options([f"x={text}"])):
        with pytest.raises(ConfigError, match="it has more than 10,000 parts"):
            read()


def test_aliases_of_a_config_are_read(tmp_path: Path) -> None:
    text = "name: x\nagents: [{agent: rollout, options: &o {simulations: 5}}, {agent: pimc, options: *o}]"
    assert load(write(tmp_path, text), CompareConfig).agents[1].options == {"simulations": 5}


def test_config_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"name: caf\xe9")
    with pytest.raises(ConfigError, match="is not right YAML"):
        load(path, CompareConfig)


def test_winnable_does_not_depend_on_the_points(tmp_path: Path) -> None:
    """Where removals cost a lot, the best score is a loss although the deals can be won."""
    rules = {"scoring": {"removal": -100}}
    results = compared({"deals": {"count": 30}, "agents": ["oracle"], "rules": rules}, tmp_path).results
    assert not results["won"].any()
    assert results["winnable"].tolist() == [solve(Deal.from_code(code)).won for code in results["deal"]]


@pytest.mark.slow
def test_streak_scoring_is_compared_with_its_optimum(tmp_path: Path) -> None:
    settings = {"deals": {"count": 10, "seed": 1}, "agents": ["opener", "oracle"], "rules": "traditional"}
    results = compared(settings, tmp_path).results
    oracle, opener = results[results["oracle"]], results[~results["oracle"]]
    assert (oracle["regret"] == 0).all()
    assert (opener["regret"] >= 0).all()
    assert opener["regret"].sum() > 0
    assert oracle["optimum"].tolist() == [solve(Deal.from_code(code), "traditional").score for code in oracle["deal"]]


@pytest.mark.slow
def test_page_of_optima(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row for every preset, of the solver's answers; solved presets are not solved again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *arguments: AtOnce())
    assert run(monkeypatch, "optima", "--deals", "12", "--output", "pages/optima.md") == 0
    page = Path("pages/optima.md").read_text(encoding="utf-8")
    assert "`python -m experiments optima --deals 12 --output pages/optima.md`" in page
    assert Path("pages/optima.svg").stat().st_size > 10_000
    rows = {line.split(" | ")[0][2:]: line for line in page.splitlines() if line.startswith("| ")}
    assert set(PRESETS) < set(rows)
    for name, rules in PRESETS.items():
        deals = [Deal.from_number(number) for number in suite(12)]
        best, shortest = ([solve(d, rules, objective) for d in deals] for objective in ("score", "moves"))
        won = [each for each in shortest if each.won]
        cells = [cell.split(" (")[0] for cell in rows[name].strip("| ").split(" | ")[1:]]
        expected = [len(won) / 0.12, np.mean([each.score for each in best]), np.mean([each.draws for each in won])]
        assert cells == [f"{value:.2f}".replace("-", "−") for value in expected]
    kept = [file.stat().st_mtime_ns for file in sorted(Path("runs/optima").iterdir())]
    assert len(kept) == len(PRESETS)
    assert run(monkeypatch, "optima", "--deals", "12") == 0
    assert kept == [file.stat().st_mtime_ns for file in sorted(Path("runs/optima").iterdir())]


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["opener", "--rules", "all"], 0, "hidden cards"),
        (
            ["tests.broken_agents:Illegal"],
            1,
            "FAILED plays a game         act returned the action 0 where it is illegal",
        ),
        (["rollout", "--option", "simulations=few"], 1, "simulations is 'few'"),
    ],
)
def test_validate_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, named: str
) -> None:
    monkeypatch.setattr("experiments.validate.LocalPool", lambda workers: AtOnce())
    monkeypatch.setenv("COLUMNS", "40")
    assert run(monkeypatch, "validate", *arguments) == code
    said = capsys.readouterr()
    assert all(re.match("passed |FAILED |-      ", line) for line in said.out.splitlines())
    assert named in said.out + said.err
    assert ("FAILED" in said.out) == (code == 1)


def test_export_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    minari = pytest.importorskip("minari")
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *arguments: AtOnce())
    export: list[str | Path] = [
        "export",
        "oracle",
        "--dataset-id",
        "test/oracle-v0",
        "--deals",
        "5",
        "--output",
        tmp_path,
    ]
    assert run(monkeypatch, *export, "--rules", "classic") == 0
    dataset = minari.MinariDataset(tmp_path / "test" / "oracle-v0" / "data")
    assert dataset.total_episodes == 5
    facts = dataset.storage.get_episode_metadata(range(5))
    for episode, fact in zip(dataset.iterate_episodes(), facts, strict=True):
        assert solve(fact["options"]["deal"], "classic").score == 500 + episode.rewards.sum()
    assert run(monkeypatch, *export) == 2
    assert "error: data set" in capsys.readouterr().err
    assert run(monkeypatch, *export, "--overwrite", "--explore", "0.5") == 0
    assert run(monkeypatch, "export", "nobody", "--dataset-id", "test/x-v0", "--output", tmp_path) == 2


def test_suites_command_writes_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer deals than the full suite: the same first rows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *arguments: AtOnce())
    monkeypatch.setitem(SUITES, "full", 20)
    kept = suites.kept_file(Rules.easy).read_bytes()
    monkeypatch.setattr("experiments.suites.kept_file", lambda rules: tmp_path / f"{rules.name}.csv")
    assert run(monkeypatch, "suites", "--rules", "easy") == 0
    written = (tmp_path / "easy.csv").read_bytes()
    assert kept.startswith(written)
    assert len(written.splitlines()) == 21
    assert run(monkeypatch, "suites", "--rules", "wild") == 2


@pytest.mark.slow
def test_foreign_texts_are_shown_in_one_line_that_no_terminal_obeys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = r'"\e]0;title\a\u202e\n<b>"'
    for command, text in (
        ("compare", f"name: x\nagents: [random]\n{key}: 1"),
        ("compare", f"name: x\nagents: [{key}]"),
        ("train", f"name: x\ntotal_steps: 1\nstart: {key}\nvalue: null\ndevice: cpu"),
    ):
        monkeypatch.setattr("experiments.command_line.make_pool", lambda *_: AtOnce())
        assert run(monkeypatch, command, write(tmp_path, text), "--output", tmp_path / "run") == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert last.startswith("error: ")
        assert last.isprintable()
        shutil.rmtree(tmp_path / "run", ignore_errors=True)


def test_names_of_agents_are_told_apart_by_what_is_seen(tmp_path: Path) -> None:
    def names(*labels: str) -> list[str]:
        settings = {"name": "x", "agents": [{"agent": "random"} | {"label": each} for each in labels]}
        return [entry.name for entry in CompareConfig.model_validate(settings).agents]

    assert names("日本", "Ünï 2", "a b") == ["日本", "Ünï 2", "a b"]
    for one, other in (("ab", "a b"), ("a", "a "), ("a", "a\u200d"), ("\u00e9", "e\u0301")):
        with pytest.raises(ValidationError, match="two agents are called"):
            names(one, other)
    with pytest.raises(ValidationError, match="a label without a character that can be seen"):
        names(" ")
    with pytest.raises(ValidationError, match="at most 100 characters"):
        names(101 * "x")
    foreign = Entry(agent="a\x1b[31m\n<b>\x00\udcff" + 100_000 * "x")
    assert foreign.name.isprintable()
    assert len(foreign.name) < 150
    found = Comparison(pd.DataFrame(), pd.DataFrame(), {foreign.name: "lost"}, {}, {})
    save_picture(Table(), found, tmp_path / "leaderboard.svg")
    ElementTree.parse(tmp_path / "leaderboard.svg")


def test_too_little_memory_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def load_training(path: Path) -> None:
        np.empty(2**50)

    monkeypatch.setattr("experiments.command_line.load_training", load_training)
    assert run(monkeypatch, "train", "x.yaml") == 2
    assert capsys.readouterr().err.startswith("error: not enough memory: Unable to allocate 8.00 PiB")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    settings = {"deals": {"count": 60, "seed": 3}, "agents": ["greedy", "oracle", "opener"], "rules": "classic"}
    return compared(settings, tmp_path_factory.mktemp("results")).results


def test_results_hold_every_agent_on_the_same_evaluation_deals(results: pd.DataFrame) -> None:
    deals = {name: list(of_agent["deal"]) for name, of_agent in results.groupby("agent")}
    assert set(deals) == {"greedy", "oracle", "opener"}
    assert deals["greedy"] == deals["oracle"] == deals["opener"]
    assert len(set(deals["greedy"])) == 60
    assert all(is_evaluation(parse_code(code)[1]) for code in deals["greedy"])


def test_results_agree_with_the_rules_and_the_solver(results: pd.DataFrame) -> None:
    for row in results.to_dict("records"):
        best = solve(Deal.from_code(row["deal"]), Rules.classic)
        assert (row["optimum"], row["winnable"]) == (best.score, best.won)
        assert row["regret"] == best.score - row["score"] >= 0
        assert row["won"] == (row["peaks"] == 3)
        if row["won"]:
            assert row["score"] == 772 - row["draws"]
        if row["oracle"]:
            assert row["agent"] == "oracle"
            assert (row["regret"], row["draws"]) == (0, best.draws)


def test_leaderboard_is_the_mean_of_the_results(results: pd.DataFrame) -> None:
    board = leaderboard(results)
    assert board.index[-1] == "oracle"  # oracles come last, whatever they score
    for name, row in board.iterrows():
        of_agent = results[results["agent"] == name]
        assert row["deals"] == 60
        assert row["win_rate"] == pytest.approx(of_agent["won"].mean())
        assert row["score"] == pytest.approx(of_agent["score"].mean())
        assert row["regret"] == pytest.approx((of_agent["optimum"] - of_agent["score"]).mean())
        assert row["winnable_won"] == pytest.approx(of_agent["won"].sum() / of_agent["winnable"].sum())
        for column in ("win_rate", "score", "regret", "winnable_won"):
            assert row[f"{column}_low"] <= row[column] <= row[f"{column}_high"]


def test_intervals_against_published_values() -> None:
    # Wilson's interval of 81 successes in 263: Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    assert share_interval(np.arange(263) < 81) == pytest.approx((0.3080, 0.2553, 0.3662), abs=5e-5)
    # Student's of 1 to 5: 3 -+ 2.7764 * sqrt(2.5 / 5).
    assert mean_interval(np.arange(1, 6)) == pytest.approx((3, 1.0368, 4.9632), abs=5e-5)
    assert mean_interval(np.zeros(9)) == (0, 0, 0)
    assert np.isnan(share_interval(np.empty(0))).all()


class Interrupted(AtOnce):
    """A pool in which somebody presses Ctrl-C."""

    def run(self, *arguments: Any, **options: Any) -> Iterator[Any]:
        raise KeyboardInterrupt


@pytest.mark.slow
def test_compare_command_goes_on_after_an_interrupt_and_writes_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = write(tmp_path, "name: x\ndeals: {count: 5}\nagents: [opener]\nmoves: 1"), tmp_path / "run"
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *_: Interrupted())
    assert run(monkeypatch, "compare", path, "--output", folder) == 130
    error = capsys.readouterr().err
    assert "goes on" in error
    assert "Traceback" not in error
    assert "ended after" in (folder / "log.txt").read_text()
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *_: AtOnce())
    assert run(monkeypatch, "compare", path, "--output", folder) == 0
    assert "opener" in capsys.readouterr().out
    assert {file.name for file in folder.iterdir()} == FILES
    assert [row["agent"] for row in json.loads((folder / "summary.json").read_text())["leaderboard"]] == ["opener"]


def test_results_of_other_deals_or_rules_are_replaced_only_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Agents may come and go in a folder of results."""
    monkeypatch.setattr("experiments.command_line.make_pool", lambda *_: AtOnce())
    folder = tmp_path / "run"

    def write_comparison(folder: Path, config: CompareConfig, *_: Any) -> None:
        (folder / "results.parquet").write_text(str(config))

    monkeypatch.setattr("experiments.comparison.report.write_comparison", write_comparison)

    def compare(count: int, more: str = "", *options: str) -> int:
        path = write(tmp_path, f"name: x\ndeals: {{count: {count}}}\nagents: [opener{more}]\nmoves: 0\nreplays: 0")
        return run(monkeypatch, "compare", path, "--output", folder, *options)

    assert compare(4) == compare(4, ", greedy") == 0
    before = (folder / "results.parquet").read_bytes(), (folder / "run.json").read_bytes()
    for count, more, differs in ((5, "", 'deals {"count": 4, "seed": 0}'), (4, "]\nrules: classic #", 'rules "easy"')):
        capsys.readouterr()
        assert compare(count, more) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"holds results with {differs}, the config has" in line
        assert "give another --output, or --overwrite to replace them" in line
        assert ((folder / "results.parquet").read_bytes(), (folder / "run.json").read_bytes()) == before
    assert compare(5, "", "--overwrite") == 0
    assert (folder / "results.parquet").read_bytes() != before[0]


@pytest.mark.slow
def test_compare_command_writes_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(
        tmp_path, "name: x\ndeals: {count: 30}\nagents: [random, {agent: greedy, label: mine, seed: 4}]\nmoves: 5"
    )
    folder = tmp_path / "run"
    assert run(monkeypatch, "compare", path, "--output", folder, "--workers", "1") == 0
    assert "mine" in capsys.readouterr().out
    assert {file.name for file in folder.iterdir()} == FILES
    summary = json.loads((folder / "summary.json").read_text())
    assert [row["agent"] for row in summary["leaderboard"]] == ["mine", "random"]
    assert summary["config"]["deals"] == {"count": 30, "seed": 0}


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_text("old")
    with pytest.raises(FileNotFoundError), replacing(path) as part:
        part.with_name("missing").rename(part)
    assert path.read_text() == "old"
    with replacing(path) as part:
        part.write_text("new")
    assert path.read_text() == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["results"]


@pytest.mark.skipif(os.name != "posix", reason="names in a folder are written otherwise")
def test_what_is_written_is_on_the_disk_before_and_after_it_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def sync(opened: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(opened).st_mode) else f"{os.fstat(opened).st_size} bytes")
        real_sync(opened)

    def replace(path: Path, target: Path) -> Path:
        done.append("replaced")
        return real_replace(path, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    with replacing(tmp_path / "x") as part:
        part.write_text("text")
    assert done == ["4 bytes", "replaced", "folder"]


@pytest.mark.slow
def test_quick_speed_run_writes_a_page_of_every_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / "speed.md"
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 0
    assert run(monkeypatch, "speed", "--quick", "--output", path) == 0
    assert "CartPole" in capsys.readouterr().out
    assert [file.name for file in path.parent.iterdir()] == ["speed.md"]
    page = path.read_text(encoding="utf-8")
    assert f"`python -m experiments speed --quick --output {path}`" in page
    assert platform.python_version() in page
    assert f"gymnasium {metadata.version('gymnasium')}" in page
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    rows = [row for row in cells if row[1] not in ("median", "---:")]
    measures = [each for section in SECTIONS.values() for each in section]
    for row, each in zip(rows, measures, strict=True):
        assert len(row) == len(COLUMNS)
        assert row[0].startswith(each.name)
        if each.package is None or each.package == "gymnasium":
            assert (row[1] == "left out") == ("empty" in each.name)
        else:
            assert row[1].endswith("/s") or row[1] == "not installed"
    if sys.platform == "linux":
        assert len(os.sched_getaffinity(0)) == cores


def test_speed_rows_are_measured_in_turn_and_compared_within_a_round() -> None:
    order = []

    def each_time(name: str, *values: float) -> Callable[[Size], Sample]:
        left = iter(values)

        def sample() -> float:
            order.append(name)
            return next(left)

        return lambda size: sample

    def missing(size: Size) -> Sample:
        raise ModuleNotFoundError

    measures = (
        Measure("ours", "steps/s", each_time("ours", 1, 2_000_000, 1_000_000, 3_000_000), games=64),
        Measure("alone", "s", each_time("alone", 9, 0.0025, 0.00123456, 0.5)),
        Measure("none", "steps/s", missing, 64, package="no-such-library"),
        Measure("theirs", "steps/s", each_time("theirs", 1, 1_000_000, 500_000, 6_000_000), 64, True, "numpy"),
    )
    with Progress(disable=True) as progress:
        rows = measure(measures, replace(QUICK, rounds=3, uncounted=1), progress)
    assert order == ["alone", "ours", "theirs"] * 4
    assert rows[2] == Row(measures[2], reason="not installed")
    assert report({"first": measures[:2], "empty": (), "second": measures[2:]}, rows) == {
        "first": [
            ("ours", "2,000,000 steps/s", "-50 to +50", "2.00"),
            ("alone", "2.50 ms", "-51 to +19900", ""),
        ],
        "second": [
            ("none (no-such-library)", "not installed", "", ""),
            (f"theirs (numpy {metadata.version('numpy')})", "1,000,000 steps/s", "-50 to +500", "1.00"),
        ],
    }


@pytest.mark.parametrize(("output", "named"), [(".", "is a folder"), ("config.yaml/speed.md", "cannot be written to")])
def test_a_page_that_cannot_be_written_is_found_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: str, named: str
) -> None:
    write(tmp_path, "")
    assert run(monkeypatch, "speed", "--output", tmp_path / output) == 2
    error = capsys.readouterr().err.strip()
    assert named in error
    assert len(error.splitlines()) == 1
