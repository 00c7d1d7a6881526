"""The README's examples run as they are written."""

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import agents
from tests.common import compared
from tripeaks_env import ENVIRONMENTS
from tripeaks_env.game.rules import PRESETS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language: str, containing: str) -> str:
    """Return the one code block of a language that contains a text."""
    found = [code for code in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if containing in code]
    assert len(found) == 1
    return found[0]


def test_environment_example_plays_a_whole_game(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    exec(block("python", "ansi"), names)
    printed = capsys.readouterr().out
    assert re.search(r"(won|blocked) \d+ of at most \d+\n$", printed)
    assert names["terminated"]


def test_vector_example_steps_all_games() -> None:
    names: dict[str, Any] = {}
    exec(block("python", "make_vec"), names)
    assert names["rewards"].shape == (1024,)
    assert not names["info"]["rejection"].any()


@pytest.mark.slow
def test_training_example_trains() -> None:
    names: dict[str, Any] = {}
    exec(block("python", "MaskablePPO("), names)
    assert names["model"].num_timesteps == 4096


def test_masked_example_plays_a_whole_game() -> None:
    names: dict[str, Any] = {}
    exec(block("python", "action_space.sample"), names)
    assert names["terminated"]
    assert names["observation"]["observation"].shape == (43,)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_video_example_makes_a_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("moviepy")
    monkeypatch.chdir(tmp_path)
    exec(block("python", "RecordVideo("), {})
    assert (tmp_path / "runs" / "videos" / "rl-video-episode-0.mp4").stat().st_size > 10_000


def test_game_example_prints_what_it_shows() -> None:
    failed, tried = doctest.testfile("../README.md", encoding="utf-8")
    assert failed == 0
    assert tried > 10


def test_agent_example_plays_in_the_config_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_agent.py").write_text(block("python", "class LowestPosition"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_agent", raising=False)
    values = yaml.safe_load(block("yaml", "LowestPosition"))
    results = compared(values | {"deals": {"count": 20}}, tmp_path).results
    assert results["agent"].value_counts().to_dict() == {"opener": 20, "ppo": 20, "mine": 20}


@pytest.mark.slow
def test_command_line_example_prints_what_it_shows() -> None:
    (shown,) = re.findall(r"```\n\$ tripeaks values TP1-E-AAAAAAB\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-m", "tripeaks_env", "values", "TP1-E-AAAAAAB"],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()


def test_tables_name_every_preset_environment_and_agent() -> None:
    for name in PRESETS:
        assert f'| `"{name}"`' in README
    for name in ENVIRONMENTS:
        assert f"`{name}`" in README or f'"{name}"' in README
    for name in agents.AGENTS:
        assert f"| `{name}` |" in README
