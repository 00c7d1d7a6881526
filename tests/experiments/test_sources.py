"""What is kept of a comparison depends on all code that workers run, and on that of the agents that somebody brings."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.runs.provenance import ROOT
from experiments.runs.sources import sources, unchanged, workers_code
from experiments.runs.store import own_facts

WORK = """
import json, sys
from experiments.config import Entry
from experiments.games.lines import Lines
from experiments.games.move_values import MovesTask, value_moves
from experiments.games.tasks import GamesTask, play_games, try_agent
from experiments.suites import DealsTask, examine
from tripeaks_env import Rules

task = GamesTask("", Rules.easy, 0, (25, 51), Entry(agent="opener"))
assert try_agent(task) == ""
played = play_games(task)
value_moves(MovesTask("", Rules.easy, 0, (25,), (Lines(played["actions"][:1], played["lengths"][:1]),)))
examine(DealsTask("", Rules.easy, 0, (25,)))
files = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
print(json.dumps([files, json.loads(played["sources"].tobytes())]))
"""
"""What a worker imports to run its tasks, and the tasks."""
ROOMS = ("tripeaks_env", "agents", "experiments")


@pytest.mark.slow
def test_all_of_this_project_that_workers_import_is_under_the_digest(tmp_path: Path) -> None:
    """The module that starts them too, which they import as ``__mp_main__``."""
    done = subprocess.run([sys.executable, "-c", WORK], cwd=ROOT, capture_output=True, text=True, check=True)
    files, own = json.loads(done.stdout)
    ours = {name: Path(file) for name, file in files.items() if file and name.split(".")[0] in ROOMS}
    assert {"experiments.games.audit", "experiments.config", "agents.simple", "tripeaks_env.game.engine"} <= ours.keys()
    assert set(ours.values()) | {ROOT / "experiments" / "__main__.py"} <= workers_code()
    assert own == {}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the code."""
    folder = tmp_path_factory.mktemp("checkout")
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__", "*.csv"))
    return folder


def facts(checkout: Path) -> object:
    """Return the facts that go into all keys, as a new process finds them."""
    workers_code.cache_clear()
    own_facts.cache_clear()
    return own_facts(checkout)


@pytest.mark.slow
def test_a_change_of_any_file_that_workers_run_changes_the_keys(checkout: Path) -> None:
    before = facts(checkout)
    assert before == facts(ROOT)
    files = {file.relative_to(checkout).as_posix() for file in workers_code(checkout)}
    assert {"experiments/games/audit.py", "experiments/runs/sources.py", "experiments/suites/__init__.py"} <= files
    assert len([name for name in files if name.endswith(".safetensors")]) == 6
    for file in files:
        path = checkout / file
        kept = path.read_bytes()
        path.write_bytes(kept + b"\n")
        assert facts(checkout) != before, file
        path.write_bytes(kept)
    assert facts(checkout) == before


def test_new_moved_and_swapped_files_change_the_keys(checkout: Path) -> None:
    before = facts(checkout)
    new, games, suites = (checkout / "experiments" / name for name in ("games/new.py", "games", "suites"))
    new.touch()
    assert facts(checkout) != before
    new.unlink()
    contents = [(folder / "__init__.py").read_bytes() for folder in (games, suites)]
    for folder, content in zip((suites, games), contents, strict=True):
        (folder / "__init__.py").write_bytes(content)
    assert facts(checkout) != before
    for folder, content in zip((games, suites), contents, strict=True):
        (folder / "__init__.py").write_bytes(content)
    assert facts(checkout) == before


def test_what_workers_do_not_run_changes_no_key(checkout: Path) -> None:
    before = facts(checkout)
    for name in ("comparison/report/plots.py", "pages/results.py", "command_line.py", "training/ppo.py"):
        (checkout / "experiments" / name).write_text("")
    assert facts(checkout) == before


def test_code_of_agents_is_told_unless_it_is_under_the_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of other parts of this project too, which an agent may use."""
    import experiments.validate

    (tmp_path / "brought_code.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("brought_code")
    found = sources()
    assert {str(tmp_path / "brought_code.py"), experiments.validate.__file__} <= found.keys()
    assert not {str(file) for file in workers_code()} & found.keys()
    assert not [name for name in found if "site-packages" in name]
    assert unchanged(found)
    (tmp_path / "brought_code.py").write_text("x = 2\n")
    assert not unchanged(found)
