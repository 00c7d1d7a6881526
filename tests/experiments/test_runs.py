"""Runs that last: whatever happens to them, nothing is lost, doubled or mixed."""

import importlib.util
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from rich.console import Console
from rich.progress import Progress

from experiments.comparison.compare import compare
from experiments.comparison.report import write_comparison
from experiments.config import CompareConfig, ConfigError
from experiments.games import tasks as game_tasks
from experiments.games.tasks import CHUNK
from experiments.runs.folder import opened
from experiments.runs.provenance import provenance
from experiments.runs.store import Store
from tests.common import compared, exhaustive, slow
from tripeaks_env import Game, solve
from tripeaks_env.parallel.processes import LocalPool

CONFIG = {"name": "x", "deals": {"count": 350}, "agents": ["random", "oracle"], "moves": 12}
TABLES = ("results.parquet", "moves.parquet")


def command(folder: Path, settings: dict[str, Any], *options: str) -> list[str]:
    """Return the command line that compares into a folder beside the config."""
    config = folder.with_suffix(".yaml")
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")
    return [sys.executable, "-m", "experiments", "compare", str(config), "--output", str(folder), *options]


def finish(folder: Path, settings: dict[str, Any], *options: str) -> None:
    subprocess.run(command(folder, settings, *options), check=True, capture_output=True)


def undisturbed(folder: Path, settings: dict[str, Any]) -> None:
    """Compare in this process alone, which starts no worker."""
    config = CompareConfig.model_validate(settings)
    write_comparison(folder, config, compared(config, folder), provenance(), Console(file=io.StringIO()))


def files(folder: Path) -> dict[str, bytes]:
    """Return what must not depend on how a comparison came about."""
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    for varying in ("milliseconds_per_game", "provenance"):
        summary.pop(varying)
    return {name: (folder / name).read_bytes() for name in TABLES} | {"summary": json.dumps(summary).encode()}


@pytest.mark.parametrize("kills", [*slow(2), *exhaustive(20)])
def test_killed_at_any_moment_it_ends_as_if_undisturbed(kills: int, tmp_path: Path) -> None:
    """The moments are a while after some line of its log."""
    undisturbed(tmp_path / "whole", CONFIG)
    rng = random.Random(0)
    log = tmp_path / "parts" / "log.txt"
    killed = 0
    while killed < kills:
        lines = count_lines(log) + rng.randint(1, 11)
        with subprocess.Popen(
            command(tmp_path / "parts", CONFIG), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run:
            while run.poll() is None and count_lines(log) < lines:
                time.sleep(0.01)
            try:
                run.wait(rng.uniform(0, 1))
                shutil.rmtree(tmp_path / "parts")  # it has finished: begin again
            except subprocess.TimeoutExpired:
                run.kill()
                killed += 1
    finish(tmp_path / "parts", CONFIG)
    assert files(tmp_path / "parts") == files(tmp_path / "whole")
    assert not list((tmp_path / "parts").rglob(".part-*"))


def count_lines(log: Path) -> int:
    return log.read_text(encoding="utf-8").count("\n") if log.exists() else 0


@pytest.mark.parametrize(
    "options",
    [*slow(["--engine", "ray", "--workers", "2"]), *exhaustive(["--workers", "1"], ["--workers", "2"])],
    ids=" ".join,
)
def test_all_engines_give_equal_tables(options: list[str], tmp_path: Path) -> None:
    if "ray" in options and not importlib.util.find_spec("ray"):
        pytest.skip("Ray is not installed")
    undisturbed(tmp_path / "whole", CONFIG)
    finish(tmp_path / "run", CONFIG, *options)
    for name in TABLES:
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.slow
def test_broken_agents_cost_their_own_rows(tmp_path: Path) -> None:
    said = {
        "Illegal": "act returned the action 0 where it is illegal",
        "Raises": "act raised KeyError: 'lost' (broken_agents.py, line ",
        "RaisesOdd": r"act raised Odd: odd \udcff \x1b[31mxxx",
        "RaisesMute": "act raised Odd: its message cannot be shown (broken_agents.py, line ",
        "Interrupts": "it raised KeyboardInterrupt: ",
        "WrongShape": "act returned int64 (1,); it must be integers (2,)",
        "OutOfRange": "act returned the action 29; it must be 0 to 28",
        "Leaves": "ended its worker process 3 times (crashed, or was killed)",
        "LeavesAChild": "ended its worker process 3 times (crashed, or was killed)",
        "Peeks": "it sees what is hidden",
    }
    others = ["Poisons", "Unseeded"]
    settings = {
        "name": "x",
        "deals": "smoke",
        "agents": [
            "opener",
            *({"agent": f"tests.broken_agents:{name}", "label": name} for name in (*said, *others)),
            "greedy",
        ],
        "moves": 10,
    }
    done = subprocess.run(command(tmp_path / "run", settings), capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr + done.stdout
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    failed, remarks = summary["failed"], summary["remarks"]
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert failed.keys() == said.keys()
    for name, line in said.items():
        assert line in failed[name]
        assert len(failed[name]) < 400
        assert failed[name].isprintable()
        assert name in done.stdout
        assert name in page
    assert list(remarks) == ["Unseeded"]
    assert "it does not repeat itself" in remarks["Unseeded"]
    assert f"note: Unseeded: {remarks['Unseeded']}" in done.stdout
    assert "it does not repeat itself" in page
    results = pd.read_parquet(tmp_path / "run" / "results.parquet")
    results = results[~results["agent"].isin(others)].reset_index(drop=True)
    alone = compared(settings | {"agents": ["opener", "greedy"]}, tmp_path / "alone")
    pd.testing.assert_frame_equal(results, alone.results, check_dtype=False)


@pytest.mark.slow
def test_an_agent_that_hangs_costs_its_own_row(tmp_path: Path) -> None:
    """The other one has played before, with all the time that it needed."""
    settings = CONFIG | {"agents": ["opener"], "deals": "smoke", "moves": 10}
    undisturbed(tmp_path / "run", settings)
    before = (tmp_path / "run" / "results.parquet").read_bytes()
    hanging = {"agents": ["opener", "tests.broken_agents:Hangs"], "timeout": 3.0}
    done = subprocess.run(command(tmp_path / "run", settings | hanging), capture_output=True, text=True)
    assert done.returncode == 1
    failed = json.loads((tmp_path / "run" / "summary.json").read_text())["failed"]
    assert list(failed) == ["tests.broken_agents:Hangs"]
    assert "took longer than 3 s" in failed["tests.broken_agents:Hangs"]
    assert (tmp_path / "run" / "results.parquet").read_bytes() == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal of Unix")
def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    settings = CONFIG | {"agents": ["tests.broken_agents:Hangs"]}  # so that it does not finish before

    def prepare() -> None:  # pytest may run in the background, where the signal is ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)

    with subprocess.Popen(
        command(tmp_path / "run", settings),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,
        start_new_session=True,
    ) as run:
        log = tmp_path / "run" / "log.txt"
        while not (log.exists() and "agents made" in log.read_text()):
            assert run.poll() is None
            time.sleep(0.1)
        os.killpg(run.pid, signal.SIGINT)
        error = run.communicate()[1]
    assert run.returncode == 130
    assert "Traceback" not in error
    assert "goes on" in error
    assert "ended after" in log.read_text()


class Watched(LocalPool):
    """A worker that notes whose games it plays."""

    def __init__(self, played: list[tuple[str, int]]) -> None:
        super().__init__(1)
        self.played = played

    def _start(self, function: Any, task: Any, kind: str) -> Any:
        if function is game_tasks.play_games:
            self.played.append((task.entry.agent, len(task.numbers)))
        return super()._start(function, task, kind)


@pytest.mark.slow
def test_what_is_played_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither after more deals nor more agents nor another label; another seed, option or code of an agent plays anew."""
    played: list[tuple[str, int]] = []
    module = tmp_path / "changing_helper.py"
    code = "import numpy as np\ndef lowest(action_mask): return np.argmax(action_mask, axis=1)\n"
    module.write_text(code)
    (tmp_path / "changing_agent.py").write_text(
        "import changing_helper\nclass Lowest:\n    def __init__(self, rules, seed=0): pass\n"
        "    def act(self, observation, action_mask): return changing_helper.lowest(action_mask)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    mine = "changing_agent:Lowest"

    def run(*agents: Any, count: int = CHUNK + 50) -> pd.DataFrame:
        played.clear()
        settings = {"name": "x", "moves": 0, "deals": {"count": count}, "agents": list(agents)}
        with Watched(played) as engine, Progress(disable=True) as progress:
            return compare(CompareConfig.model_validate(settings), tmp_path / "run", engine, progress).results

    first = run("opener", mine)
    assert sorted(played) == sorted([("opener", CHUNK), ("opener", 50), (mine, CHUNK), (mine, 50)])
    pd.testing.assert_frame_equal(run("opener", mine), first)
    assert played == []
    assert (run({"agent": "opener", "label": "other"}, mine)["agent"] == "other").sum() == CHUNK + 50
    assert played == []
    run("opener", mine, count=2 * CHUNK)
    assert sorted(played) == [(mine, CHUNK), ("opener", CHUNK)]
    run("opener", {"agent": "opener", "label": "seeded", "seed": 1})
    assert played == [("opener", CHUNK), ("opener", 50)]
    module.write_text(code.replace("argmax(action_mask", "argmax(action_mask * 1"))
    run("opener", mine)
    assert played == [(mine, CHUNK), (mine, 50)]
    for kept in (tmp_path / "run" / "done").iterdir():
        kept.write_bytes(kept.read_bytes()[:100])  # half a file is as none
    pd.testing.assert_frame_equal(run("opener", mine), first)
    assert len(played) == 4


@pytest.mark.slow
def test_another_config_in_the_same_folder_gives_its_own_results(tmp_path: Path) -> None:
    one = {"deals": {"count": 30}, "agents": ["greedy", "opener"], "moves": 6}
    two = {"deals": {"count": 40}, "agents": ["opener", "oracle"], "rules": "classic", "moves": 8}
    for settings in (one, two, one):
        again, alone = (compared(settings, tmp_path / name) for name in ("same", f"own {settings['moves']}"))
        pd.testing.assert_frame_equal(again.results, alone.results)
        pd.testing.assert_frame_equal(again.moves, alone.moves)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["easy", "traditional"])
def test_moves_add_up_to_the_regret_of_their_games(rules: str, tmp_path: Path) -> None:
    """And the value before the first is the optimum, that after the last the score; each is the solver's."""
    settings = {
        "deals": {"count": 30, "seed": 5},
        "agents": ["random", "opener", "oracle"],
        "moves": 12,
        "rules": rules,
    }
    found = compared(settings, tmp_path)
    results = found.results.set_index(["agent", "deal"])
    games = found.moves.groupby(["agent", "deal"], sort=False)
    assert len(games) == 3 * 12
    for key, moves in games:
        row: Any = results.loc[key]  # type: ignore[index]
        assert moves["loss"].sum() == row["regret"]
        assert moves["value"].iloc[0] == row["optimum"]
        assert moves["chosen"].iloc[-1] == row["score"]
        assert moves["action"].tolist() == [int(action) for action in row["actions"].split()]
        assert moves["move"].tolist() == list(range(row["moves"]))
    for each in found.moves.iloc[::97].to_dict("records"):
        actions = [int(action) for action in results.loc[(each["agent"], each["deal"]), "actions"].split()]
        game = Game(each["deal"], rules, actions=actions[: each["move"]])
        assert (each["options"], each["stock"]) == (len(game.legal_actions()), game.stock)
        values = {}
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            values[action] = solve(after).score
        assert each["value"] == max(values.values())
        assert each["chosen"] == values[each["action"]]
        assert each["draw_best"] == (values.get(28) == each["value"])
        assert each["removal_best"] == (each["value"] in [value for action, value in values.items() if action < 28])
    assert found.moves.loc[found.moves["agent"] == "oracle", "loss"].eq(0).all()


def test_a_folder_is_for_one_run_at_a_time_and_of_one_kind(tmp_path: Path) -> None:
    config = CompareConfig.model_validate(CONFIG)
    with opened(tmp_path, "compare", config) as log:
        log.info("working")
        with (
            pytest.raises(ConfigError, match="is in use by another run; wait for it, or give another --output"),
            opened(tmp_path, "compare", config),
        ):
            pass
    with (
        pytest.raises(ConfigError, match="holds a run of compare; give another --output for train"),
        opened(tmp_path, "train", config),
    ):
        pass
    with pytest.raises(LookupError), opened(tmp_path, "compare", config):
        raise LookupError("lost")
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["kind"] == "compare"
    assert run["config"]["agents"][1]["agent"] == "oracle"
    assert {"command", "started", "versions", "git", "machine"} <= run.keys()
    lines = (tmp_path / "log.txt").read_text().splitlines()
    said = (
        "started: python -m experiments",
        "working",
        "finished after",
        "started: ",
        r"ended after \d+ s by LookupError: lost$",
    )
    assert len(lines) == len(said)
    assert all(re.search(text, line) for text, line in zip(said, lines, strict=True))
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(ConfigError, match=r"run\.json cannot be read"), opened(tmp_path, "compare", config):
        pass


def test_a_folder_that_is_deleted_while_it_is_used_is_no_success(tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def run() -> None:
        with opened(folder, "compare", CompareConfig.model_validate(CONFIG)):
            shutil.rmtree(folder)
            folder.mkdir()
            (folder / "results.parquet").touch()

    with pytest.raises(ConfigError, match=r"folder .*run was deleted or moved while it was in use"):
        run()


@pytest.mark.parametrize("left", [b"", bytes(300)])
def test_what_a_power_cut_leaves_of_run_json_is_no_run(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(left)
    with opened(tmp_path, "compare", CompareConfig.model_validate(CONFIG), fixed=["rules"]):
        pass
    assert json.loads((tmp_path / "run.json").read_text())["kind"] == "compare"


def test_a_foreign_run_json_without_the_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"kind": "compare", "config": {}}')
    config = CompareConfig.model_validate(CONFIG)
    with (
        pytest.raises(ConfigError, match="holds results with rules null"),
        opened(tmp_path, "compare", config, fixed=["rules"]),
    ):
        pass


def test_kept_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    """Also those whose columns lie one after the other in memory, and single numbers."""
    rows = np.arange(6).reshape(2, 3)
    arrays = {"columns": np.asfortranarray(rows), "part": rows[:, ::2], "number": np.array(3.5), "none": rows[:0]}
    store = Store(tmp_path)
    store._put("x", arrays)
    found = store.get("x")
    assert found is not None
    for name, array in arrays.items():
        assert (found[name].tolist(), found[name].shape, found[name].dtype) == (
            array.tolist(),
            array.shape,
            array.dtype,
        )


def test_provenance_tells_of_the_checkout() -> None:
    found = provenance()
    assert found["versions"]["numpy"]
    here = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent)
    if here.returncode == 0:
        assert found["git"]["commit"] == here.stdout.strip()
        assert isinstance(found["git"]["changed"], bool)
