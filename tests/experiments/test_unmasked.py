"""What agents would choose without the mask: reports and validation tell how much of their play is the mask."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3 import A2C

import agents
from experiments.comparison.compare import Comparison
from experiments.comparison.report import write_comparison
from experiments.config import CompareConfig
from experiments.games.lines import Lines, positions
from experiments.games.play import play
from experiments.games.unmasked import Unmasked, count_illegal
from experiments.pages.results import read_comparison
from experiments.validate import check_legal
from tests.common import compared
from tests.experiments.own_agents import Idle, Lost, Lowest, Masked, Sensible, Shapeless, Tempted, candidate, local
from tests.experiments.reports import PROVENANCE
from tripeaks_env import Rules, suite
from tripeaks_env.env.agent import AgentError
from tripeaks_env.game.observation import observe
from tripeaks_env.sb3 import TriPeaksVecEnv

IDLE = "would choose an illegal action at 100 % of its decisions if not masked: what is compared is mostly the mask"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    entries = [
        {"agent": local(each.__name__), "label": each.__name__} for each in (Idle, Tempted, Sensible, Masked, Lowest)
    ]
    settings = {"agents": [*entries, "oracle"], "deals": {"count": 110}, "moves": 0}
    return compared(settings, tmp_path_factory.mktemp("unmasked"))


def test_a_comparison_says_how_many_choices_would_be_illegal(found: Comparison) -> None:
    """Over all chunks; those without a choice show nothing."""
    lowest = found.results[found.results["agent"] == "Lowest"]
    over = sum(int(row["moves"]) - _with_stock(row["actions"]) for row in lowest.to_dict("records"))
    share = 100 * over / lowest["moves"].sum()
    assert 0 < share < 50
    assert found.remarks == {
        "Idle": IDLE,
        "Tempted": f"would choose an illegal action at {share:.1f} % of its decisions if not masked",
        "Sensible": "would choose an illegal action at 0 % of its decisions if not masked",
    }


def _with_stock(actions: str) -> int:
    """Return how many actions of a game were chosen while there was stock to draw from: 23 cards by the easy rules."""
    line = actions.split()
    draws = [index for index, action in enumerate(line) if action == "28"]
    return len(line) if len(draws) < 23 else draws[22] + 1


def test_the_tables_of_results_stay_as_they_are(found: Comparison) -> None:
    assert not {"unmasked", "illegal"} & set(found.results.columns)


@pytest.mark.slow
def test_all_reports_say_so(found: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.comparison.report.save_png", lambda path, make: path.touch())
    names = [str(name) for name in found.results["agent"].unique()]
    config = CompareConfig.model_validate(
        {"name": "x", "agents": names, "deals": {"count": 110}, "moves": 0, "replays": 0}
    )
    console = Console(record=True, width=100)
    write_comparison(tmp_path, config, found, PROVENANCE, console)
    assert f"note: Idle: {IDLE}" in console.export_text()
    assert IDLE in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))["remarks"]["Idle"] == IDLE
    assert read_comparison(tmp_path).remarks["Idle"] == IDLE


def test_validation_says_so() -> None:
    assert check_legal(candidate(Idle)).message.endswith(f"; {IDLE}")
    assert check_legal(candidate(Lost)).message.endswith(f"; {IDLE}")
    assert check_legal(candidate(Sensible)).message.endswith(
        "; would choose an illegal action at 0 % of its decisions if not masked"
    )
    for made in (Masked, Lowest):
        assert "masked" not in check_legal(candidate(made)).message


def test_a_choice_of_the_wrong_shape_is_told() -> None:
    with pytest.raises(AgentError, match=r"unmasked returned float64 \(3,\); it must be integers \(\d+,\)"):
        check_legal(candidate(Shapeless))


@pytest.mark.parametrize(
    ("illegal", "words"),
    [
        (0, "at 0 % of its decisions if not masked"),
        (1, "at 0.1 % of its"),
        (100, "at 1.0 % of its decisions if not masked"),
    ],
)
def test_a_small_share_is_told_without_a_judgement(illegal: int, words: str) -> None:
    said = Unmasked(illegal, 10_000).in_words()
    assert words in said
    assert "what is compared" not in said


def test_a_larger_share_is_judged() -> None:
    assert (
        "at 1.1 % of its decisions if not masked: what is compared is in part the mask" in Unmasked(11, 1000).in_words()
    )
    assert (
        "at 99.9 % of its decisions if not masked: what is compared is mostly the" in Unmasked(9_999, 10_000).in_words()
    )


@pytest.mark.slow
def test_models_of_stable_baselines_are_asked_unless_they_were_trained_with_masks(tmp_path: Path) -> None:
    games = TriPeaksVecEnv(2)
    small: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 0, "n_steps": 8}
    numbers = np.array(suite(5))
    counted = []
    for model in (
        A2C("MultiInputPolicy", games, **small),
        MaskablePPO("MultiInputPolicy", games, batch_size=16, **small),
    ):
        model.save(tmp_path / "model.zip")
        agent = agents.make(str(tmp_path / "model.zip"), trust=True)
        lines = Lines.of(play(agent, numbers.tolist(), Rules.easy).games)
        asked = positions(numbers, lines, Rules.easy)[:, :-1][lines.taken]
        counted.append(count_illegal(agent, numbers, lines, Rules.easy))
        if isinstance(model, A2C):
            observation = observe(asked, Rules.easy)
            chosen, _ = model.predict(observation, deterministic=True)
            illegal = observation["action_mask"][np.arange(len(asked)), chosen] == 0
            assert illegal.any()
            assert counted[0] == Unmasked(int(np.count_nonzero(illegal)), len(asked))
    assert counted[1] == Unmasked(0, 0)
