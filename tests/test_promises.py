"""What users build on and what therefore may not change: names, arguments, ids, commands, configs, tables and files.

Each list is complete, so that what is added is promised with care too. Deep import paths are no promise.
"""

import enum
import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import gymnasium
import pandas as pd
import pytest
import typer
import yaml

import agents
import tripeaks_env
from experiments import config, suites
from experiments.command_line import main as experiments_main
from tests.experiments.test_resume import PPO
from tests.experiments.test_training import TINY as ITERATION
from tripeaks_env.cli import main as tripeaks_main

PROMISE = "a promise: change only with a line in docs/changes.md"

NAMES = {
    "tripeaks_env": {
        "ENVIRONMENTS": "",
        "PRESETS": "",
        "Deal": "cards joker",
        "Difficulty": "winnable draws_in_hand winning_moves moves luck playouts",
        "Game": "deal rules actions",
        "Hint": "action value message",
        "Outcome": "action rejection points card turned_up turned_down peak status",
        "Rejection": "NONE WRONG_RANK BLOCKED REMOVED STOCK_EMPTY NOT_STUCK WON NOTHING_TO_UNDO NO_UNDO_LEFT",
        "Rules": "wrap draw scoring wild open_peaks empty_waste",
        "Scoring": "start removal draw peaks streak",
        "Solution": "score won draws peaks actions",
        "Solutions": "scores won draws peaks slots rules objective",
        "Status": "PLAYING WON BLOCKED",
        "TriPeaksEnv": "rules reward max_undos render_mode split skip_forced render_size highlight",
        "TriPeaksVectorEnv": "num_envs rules reward max_undos render_mode split skip_forced max_episode_steps autoreset_mode "
        "copy render_size highlight",
        "action_values": "game",
        "action_values_many": "games",
        "difficulty": "position rules playouts seed",
        "hint": "game",
        "is_evaluation": "number",
        "sample_actions": "action_mask rng",
        "solve": "position rules objective",
        "solve_many": "deals rules threads objective",
        "suite": "count seed",
    },
    "tripeaks_env.sb3": {"TriPeaksVecEnv": "num_envs max_episode_steps box_mask kwargs"},
    "tripeaks_env.wrappers": {"MaskedObservation": "env style", "VectorMaskedObservation": "env style"},
    "tripeaks_env.env": {
        "TriPeaksEnv": "rules reward max_undos render_mode split skip_forced render_size highlight",
        "TriPeaksVectorEnv": "num_envs rules reward max_undos render_mode split skip_forced max_episode_steps autoreset_mode "
        "copy render_size highlight",
    },
    "agents": {"AGENTS": "", "Agent": "", "OracleAgent": "", "make": "name rules seed trust options"},
}
"""Public names by module, each with its parameters, or with its members if it is an enumeration."""

ATTRIBUTES = {
    "Deal": "cards code from_cards from_code from_number joker number text",
    "Game": "action_mask actions copy deal from_text legal_actions line moves observation peaks_cleared play record "
    "remaining rules score status stock to_text undo",
    "Outcome": "accepted message",
    "Rules": "classic easy letter name stock_size to_json traditional",
    "Solutions": "line",
    "TriPeaksEnv": "reset step action_masks render close",
    "TriPeaksVectorEnv": "reset step render render_grid action_masks call get_attr set_attr close records",
}
"""Public attributes and methods that are not parameters."""

IDS: dict[str, dict[str, Any]] = {
    "TriPeaks-v0": {},
    "TriPeaksClassic-v0": {"rules": "classic"},
    "TriPeaksTraditional-v0": {"rules": "traditional"},
    "TriPeaksOpen-v0": {"rules": "open"},
    "TriPeaksWild-v0": {"rules": "wild"},
    "TriPeaksEmptyWaste-v0": {"rules": "empty-waste"},
    "TriPeaksUndo-v0": {"max_undos": 100},
}
ENTRY_POINTS = ("tripeaks_env.env:TriPeaksEnv", "tripeaks_env.env:TriPeaksVectorEnv")
"""Of all ids, single and vector. The first stands in the metadata of data sets too."""

AGENTS = "random greedy opener ppo rollout pimc ismcts network lookahead oracle"

TRIPEAKS = {
    "": "--version",
    "deal": "POSITION --all --rules --json",
    "solve": "POSITION --line --objective --rules --json",
    "values": "POSITION --rules --json",
    "difficulty": "POSITION --rules --json",
    "random": "--deals --count --seed --split --rules --json",
    "stats": "--deals --seed --rules --objective --engine --workers --address --picture --json",
    "play": "CODE --rules --language --no-help --window",
    "watch": "AGENT CODE --rules --speed --values --seed --trust --language --window",
}
EXPERIMENTS = {
    "": "",
    "compare": "CONFIG --output --overwrite --engine --workers --address",
    "train": "CONFIG --output --seed",
    "validate": "AGENT --rules --option --seed --trust",
    "export": "AGENT --dataset-id --deals --rules --option --seed --trust --explore --output --overwrite --engine --workers "
    "--address",
    "results": "--output --comparison --training",
    "optima": "--deals --seed --output --engine --workers --address",
    "suites": "--rules --engine --workers --address",
    "speed": "--output --quick",
}
"""Commands with their arguments, in capitals, and options; with none, those of the command line itself."""

CONFIGS = (
    "agents-classic agents-easy agents-pimc-easy benchmark expert-iteration-classic expert-iteration-easy full-easy "
    "ppo-classic ppo-easy ppo-easy-distilled ppo-easy-evaluation ppo-easy-seeds reference-classic reference-easy"
)
TRAINING = "name rules seed device evaluation_deals"
KEYS = {
    "Suite": "count seed",
    "Entry": "agent label group seed trust options",
    "CompareConfig": "name rules deals agents moves replays timeout",
    "ValuePart": "hidden trace window passes batch_size learning_rate average",
    "PolicyPart": "games depth width positions hidden temperature epochs batch_size learning_rate",
    "IterationConfig": f"{TRAINING} method iterations games explore win_bonus value policy threads evaluate_every",
    "TrainConfig": f"{TRAINING} method total_steps num_envs hidden start win_bonus value refit n_steps batch_size n_epochs "
    "learning_rate gamma gae_lambda clip_range ent_coef evaluate_every",
}
"""The keys of the parts of configs."""

DEALS = "deal optimum optimum_won winnable fewest_draws luck random"
TABLES = {
    "results.parquet": f"agent oracle won score peaks draws moves actions {DEALS} regret",
    "moves.parquet": "agent deal move action cards stock options value chosen loss draw_best removal_best",
}
SUMMARY = (
    "config leaderboard pairs profiles difficulty phases mistakes seeds failed remarks milliseconds_per_game versions "
    "provenance"
)
COMPARISON = (
    "report.html results.parquet moves.parquet summary.json leaderboard.svg leaderboard.png profiles.png pairs.png "
    "difficulty.png phases.png run.json log.txt done"
)
TRAININGS = {
    "ppo": "agent.safetensors curve.csv config.yaml checkpoint.pt run.json log.txt tensorboard",
    "expert-iteration": "value.safetensors policy.safetensors curve.csv policy-curve.csv config.yaml checkpoint.pt run.json "
    "log.txt tensorboard rounds decisions",
}
CURVES = {"ppo": "steps seconds win_rate score", "expert-iteration": "iterations seconds win_rate score"}
RUN = "kind config command started versions machine git"


def check(what: str, found: Iterable[str], promised: str) -> None:
    """See that names, in whatever order, are those that were promised."""
    names, kept = set(found), set(promised.split())
    gone, new = sorted(kept - names), sorted(names - kept)
    assert names == kept, f"{what}: gone {gone}, new {new}. This is {PROMISE}"


def parameters(thing: Any) -> list[str]:
    if isinstance(thing, type) and issubclass(thing, enum.Enum):
        return list(thing.__members__)
    if not callable(thing) or getattr(thing, "_is_protocol", False):
        return []
    return list(inspect.signature(thing).parameters)


def own_names(module: Any) -> list[str]:
    """Return the public names of a module: what it lists, or the classes and functions that it defines."""
    listed = getattr(module, "__all__", None)
    return listed or [
        name
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "") == module.__name__
    ]


@pytest.mark.parametrize("name", NAMES)
def test_names_and_their_parameters(name: str) -> None:
    module = importlib.import_module(name)
    check(f"names of {name}", own_names(module), " ".join(NAMES[name]))
    for each, promised in NAMES[name].items():
        found = parameters(getattr(module, each))
        assert found == promised.split(), f"{name}.{each} takes {found}, not {promised}. This is {PROMISE}"


def test_attributes() -> None:
    """More may be added: what is promised is there."""
    for name, promised in ATTRIBUTES.items():
        thing = getattr(tripeaks_env, name)
        made = thing("TP1-E-AAAAAAB") if name == "Game" else thing
        missing = [each for each in promised.split() if not hasattr(made, each) and each not in parameters(thing)]
        assert not missing, f"{name} has no {missing}. This is {PROMISE}"


def test_registered_ids() -> None:
    assert tripeaks_env.ENVIRONMENTS == IDS, f"the ids of environments are {PROMISE}"
    for name, kwargs in IDS.items():
        spec = gymnasium.spec(name)
        found = (spec.entry_point, spec.vector_entry_point, spec.kwargs, spec.max_episode_steps)
        assert found == (*ENTRY_POINTS, kwargs, 300), f"{name} is registered as {found}. This is {PROMISE}"


def test_agents() -> None:
    check("names of agents", agents.AGENTS, AGENTS)


@pytest.mark.parametrize(
    ("main", "program", "commands"),
    [(tripeaks_main, "tripeaks", TRIPEAKS), (experiments_main, "python -m experiments", EXPERIMENTS)],
    ids=["tripeaks", "experiments"],
)
def test_commands_and_options(
    monkeypatch: pytest.MonkeyPatch, main: Callable[[], None], program: str, commands: dict[str, str]
) -> None:
    apps: list[typer.Typer] = []
    monkeypatch.setattr(typer.Typer, "__call__", lambda app, *args, **kwargs: apps.append(app))
    with suppress(SystemExit):
        main()
    command: Any = typer.main.get_command(apps[0])
    check(f"commands of {program}", command.commands, " ".join(commands))
    for name, promised in commands.items():
        each = command.commands[name] if name else command
        found = [
            text
            for param in each.params
            for text in ([param.name.upper()] if param.param_type_name == "argument" else param.opts)
        ]
        check(f"arguments and options of {program} {name}", found, promised)


def test_configs() -> None:
    check("names of configs", [path.stem for path in config.CONFIGS.iterdir()], CONFIGS)
    for name, promised in KEYS.items():
        check(f"keys of {name}", getattr(config, name).model_fields, promised)
    assert config.SUITES == {"smoke": 100, "standard": 1_000, "full": 10_000}, f"suites of deals are {PROMISE}"
    assert config.KEPT == ("easy", "classic", "traditional"), f"rules of the kept suites are {PROMISE}"
    for name in config.KEPT:
        file = suites.kept_file(tripeaks_env.PRESETS[name])
        check(f"columns of {file.name}", pd.read_csv(file, nrows=0).columns, DEALS)


def run(monkeypatch: pytest.MonkeyPatch, command: str, settings: dict[str, Any], folder: Path) -> list[str]:
    """Run a command on a config, and return what it leaves in its folder, hidden files aside."""
    path = folder.with_suffix(".yaml")
    path.write_text(yaml.safe_dump(settings), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["experiments", command, str(path), "--output", str(folder)])
    with pytest.raises(SystemExit) as end:
        experiments_main()
    assert not end.value.code
    check("keys of run.json", json.loads((folder / "run.json").read_text(encoding="utf-8")), RUN)
    return [path.name for path in folder.iterdir() if not path.name.startswith(".")]


@pytest.mark.slow
def test_what_a_comparison_writes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = {"name": "x", "deals": {"count": 4}, "agents": ["random", "oracle"], "moves": 2, "replays": 1}
    check("files of a comparison", run(monkeypatch, "compare", settings, tmp_path / "x"), COMPARISON)
    for name, promised in TABLES.items():
        check(f"columns of {name}", pd.read_parquet(tmp_path / "x" / name).columns, promised)
    check("keys of summary.json", json.loads((tmp_path / "x/summary.json").read_text(encoding="utf-8")), SUMMARY)
    kept = [path.name for path in (tmp_path / "x/done").iterdir()]
    assert all(re.fullmatch(r"[0-9a-f]{24}\.safetensors", name) for name in kept), f"names in done/ are {PROMISE}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the training library and TensorBoard
@pytest.mark.parametrize(("method", "settings"), [("ppo", PPO), ("expert-iteration", ITERATION)], ids=list(TRAININGS))
def test_what_a_training_writes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: str, settings: dict[str, Any]
) -> None:
    check(f"files of {method}", run(monkeypatch, "train", settings, tmp_path / "x"), TRAININGS[method])
    check("columns of curve.csv", pd.read_csv(tmp_path / "x/curve.csv", nrows=0).columns, CURVES[method])
