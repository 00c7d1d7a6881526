"""Agents that somebody brings: how they are made, what is refused, how they are asked, and the page about them."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import agents
from agents.simple import FunctionAgent
from experiments.validate import training_games
from tests.common import AtOnce, compared
from tests.experiments.own_agents import Claims, Exits, Lowest, Meddles, actions_of, local
from tripeaks_env import Rules
from tripeaks_env.env.agent import AgentError, ask

DOCS = Path(__file__).parents[2] / "docs" / "own-agent.md"


def test_a_class_a_function_and_a_name_play_alike() -> None:
    assert actions_of(agents.make(local("Lowest"))) == actions_of(agents.make(local("lowest")))
    assert isinstance(agents.make(local("lowest")), FunctionAgent)
    assert len(set(actions_of(agents.make(local("lowest"))))) > 1


def test_a_function_gets_rules_seed_and_options_where_it_takes_them() -> None:
    agent = agents.make(local("highest"), "classic", 7, least=28)
    assert set(actions_of(agent, Rules.classic)) == {28}
    agent = agents.make(local("highest"), "classic", 7)
    assert actions_of(agent, Rules.classic) == actions_of(agent, Rules.classic)
    assert actions_of(agents.make(local("anything"), colour="red")) == actions_of(agents.make(local("lowest")))


def test_a_class_gets_options() -> None:
    assert actions_of(agents.make(local("Optional"), depth=3)) == actions_of(agents.make(local("lowest")))
    agent: Any = agents.make(local("Keywords"), "classic", 3, colour="red")
    assert agent.keywords == {"rules": Rules.classic, "seed": 3, "colour": "red"}


@pytest.mark.slow
def test_a_module_in_the_current_folder_is_found(tmp_path: Path) -> None:
    """As ``python -m experiments`` puts that folder first on the path."""
    (tmp_path / "brought.py").write_text("def f(observation, action_mask):\n    return action_mask.argmax(axis=1)\n")
    (tmp_path / "run.py").write_text("import agents\nprint(type(agents.make('brought:f')).__name__)\n")
    done = subprocess.run(
        [sys.executable, "-m", "run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "FunctionAgent\n"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (local("NoSeed"), {}, "takes (rules: tripeaks_env.game.rules.Rules) -> None; a class must take rules and seed"),
        (local("NoRules"), {}, "a class must take rules and seed: (rules, seed=0)"),
        (local("Optional"), {}, "needs the option 'depth'; its options are depth, width"),
        (local("Optional"), {"dept": 3}, "has no option 'dept'; its options are depth, width"),
        (local("Optional"), {"depth": -1}, "cannot be made: ValueError: depth is negative (own_agents.py, line "),
        (local("lowest"), {"depth": 1}, "has no option 'depth'; it has no options"),
        (local("highest"), {"most": 1}, "has no option 'most'; its options are least"),
        (local("factory"), {}, "a function must take (observation, action_mask)"),
        (local("NOTHING"), {}, "is int; it must be a class or a function"),
        ("random", {"temperature": 1}, "agent 'random' has no option 'temperature'; it has no options"),
        ("rollout", {"simulations": 0}, "agent 'rollout' cannot be made: simulations is 0; it must be an integer"),
        (
            "ppo",
            {"checkpoint": "x.zip"},
            "checkpoint is x.zip; it must be a .safetensors file: give a zip as the agent",
        ),
        ("no_such_module:f", {}, "No module named 'no_such_module'"),
        ("nobody", {}, "or module:Class, module:function, or a file MODEL.zip"),
        ("no_such_file.zip", {}, "agent 'no_such_file.zip' cannot be made: there is no file no_such_file.zip"),
        ("no_such_file.zip", {"depth": 1}, "has no option 'depth'; it has no options"),
    ],
)
def test_what_cannot_be_made_is_told_in_one_line(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        agents.make(name, **options)
    assert "\n" not in str(error.value)


def test_an_agent_gets_arrays_of_its_own() -> None:
    games = training_games(10, Rules.easy)
    before = games.tobytes()
    actions = ask(Meddles(Rules.easy), games, Rules.easy).actions
    assert actions.tolist() == ask(Lowest(Rules.easy), games, Rules.easy).actions.tolist()
    assert actions.dtype == np.int64
    assert games.tobytes() == before
    with pytest.raises(AgentError, match="the action 0 where it is illegal"):
        ask(Claims(Rules.easy), games, Rules.easy)
    with pytest.raises(AgentError, match="act raised SystemExit: enough"):
        ask(Exits(Rules.easy), games, Rules.easy)


# The page.


def block(language: str, containing: str) -> str:
    """Return the one code block of a language that contains a text."""
    found = re.findall(rf"```{language}\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [code for code in found if containing in code]
    return code


@pytest.mark.slow
def test_the_page_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("experiments.validate.LocalPool", lambda workers: AtOnce())  # which sets no time
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_function", "my_agent"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "my_function.py").write_text(block("python", "my_function.py"))
    (tmp_path / "my_agent.py").write_text(block("python", "my_agent.py"))
    exec(block("python", "my_training.py"), {})
    exec(block("python", "from experiments.validate"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in printed] == ["passed"] * 4 + ["-", "passed"]
    settings = yaml.safe_load(block("yaml", "my_model.zip")) | {"deals": {"count": 20}}
    with warnings.catch_warnings(action="ignore"):
        results = compared(settings, tmp_path).results
    assert list(results["agent"].unique()) == ["opener", "ppo", "lowest", "hasty", "my model"]
    assert len({tuple(games["score"]) for _, games in results.groupby("agent")}) == 5


def test_the_commands_of_the_page_are_those_of_the_readme() -> None:
    commands = re.findall(r"-m experiments (\w+)", DOCS.read_text(encoding="utf-8"))
    assert set(commands) == {"validate", "compare"}
