"""Models of Stable-Baselines3 as agents."""

import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv

import agents
from agents.learned.policy_network import policy_arguments
from experiments.config import Entry
from experiments.games.audit import generators
from experiments.games.play import play
from experiments.games.tasks import GamesTask
from experiments.offline.export import Export
from experiments.offline.games import record_games
from experiments.validate import Candidate, check_batches, check_hidden, check_repeats, training_games
from tests.experiments.own_agents import actions_of
from tripeaks_env import Game, Rules, TriPeaksEnv
from tripeaks_env.commands.people import _load_agent
from tripeaks_env.env.agent import ask
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.observation import observe
from tripeaks_env.sb3 import TriPeaksVecEnv
from tripeaks_env.wrappers import MaskedObservation

SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 0}


def load(path: Path, rules: str | Rules = "easy") -> Any:
    return agents.make(str(path), rules, trust=True)


def saved(model: Any, folder: Path) -> Path:
    path = folder / "model.zip"
    model.save(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [MaskablePPO, DQN, PPO, A2C, TRPO, QRDQN])
def test_models_play_what_they_prefer_among_legal_actions(tmp_path: Path, algorithm: Any) -> None:
    """Where the model's own choice is legal, the agent makes it; the others are legal too."""
    with warnings.catch_warnings(action="ignore"):  # of the library about PPO's batches
        model = algorithm("MultiInputPolicy", TriPeaksVecEnv(2), **SMALL)
    agent = load(saved(model, tmp_path))
    games = training_games(40, Rules.easy)
    observation = observe(games, Rules.easy)
    chosen = ask(agent, games, Rules.easy).actions
    if algorithm is MaskablePPO:
        expected, _ = model.predict(observation, deterministic=True, action_masks=observation["action_mask"])
        assert chosen.tolist() == expected.tolist()
    else:
        expected, _ = model.predict(observation, deterministic=True)
        legal = observation["action_mask"][np.arange(40), expected] == 1
        assert chosen[legal].tolist() == expected[legal].tolist()
    assert len(play(agent, [0, 1, 2], Rules.easy).games) == 3


@pytest.mark.slow
def test_models_pass_the_checks(tmp_path: Path) -> None:
    path = saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    found = Candidate(str(path), Rules.easy, trust=True)
    for check in (check_repeats, check_batches, check_hidden):
        result = check(found)
        assert result.passed, result


def test_trained_weights_are_those_that_play(tmp_path: Path) -> None:
    """A model that was made to prefer draws draws at once."""
    model: Any = PPO("MultiInputPolicy", DummyVecEnv([TriPeaksEnv]), **SMALL)
    with torch.no_grad():
        model.policy.action_net.bias[DRAW] += 100
    assert set(actions_of(load(saved(model, tmp_path)))) == {DRAW}


@pytest.mark.parametrize(
    ("policy", "wrap"),
    [
        ("MultiInputPolicy", lambda env: MaskedObservation(env)),
        ("MultiInputPolicy", lambda env: MaskedObservation(env, "rllib")),
        ("MlpPolicy", FlattenObservation),
        (
            "MultiInputPolicy",
            lambda env: gymnasium.wrappers.FilterObservation(env, ["tableau", "waste", "stock", "unseen"]),
        ),
    ],
)
def test_other_forms_of_observations(tmp_path: Path, policy: str, wrap: Callable[[Any], Any]) -> None:
    """The agent shows the model what the wrapped environment shows."""
    env = wrap(TriPeaksEnv())
    model: Any = DQN(policy, DummyVecEnv([lambda: env]), **SMALL)
    agent = load(saved(model, tmp_path))
    for number in range(5):
        seen, info = env.reset(seed=number)
        game = Game(info["deal_code"])
        values = model.q_net(model.policy.obs_to_tensor(seen)[0]).detach().numpy()[0]
        expected = np.where(game.action_mask()[:29] == 1, values, -np.inf).argmax()
        assert ask(agent, game.record, Rules.easy).actions.tolist() == [expected]


class Two(gymnasium.Env):
    observation_space = spaces.Box(0, 1, (3,))
    action_space = spaces.Discrete(2)


def test_models_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    cases: list[tuple[Any, str, str]] = [
        (
            RecurrentPPO("MultiInputLstmPolicy", TriPeaksVecEnv(1), **SMALL),
            "easy",
            "is recurrent; it must choose from one",
        ),
        (A2C("MlpPolicy", Two(), **SMALL), "easy", "was trained on other observations than those of the rules easy"),
        (
            A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL),
            "wild",
            "other observations than those of the rules wild",
        ),
        (A2C("MultiInputPolicy", TriPeaksVecEnv(1, max_undos=3), **SMALL), "easy", "other observations than those"),
        (
            MaskablePPO("MultiInputPolicy", TriPeaksVecEnv(1), policy_kwargs=policy_arguments(Rules.easy, [8])),
            "classic",
            "was trained for rules with wrap=True, not for classic",
        ),
    ]
    for model, rules, message in cases:
        path = saved(model, tmp_path)
        with pytest.raises(ValueError, match=message) as error:
            load(path, rules)
        assert "\n" not in str(error.value)


def test_zip_files_that_are_no_models_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    for write in (
        lambda: path.write_bytes(b"nothing"),
        lambda: zipfile.ZipFile(path, "w").close(),
        lambda: saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path),
    ):
        write()
        if path.stat().st_size > 1000:
            path.write_bytes(path.read_bytes()[:-1000])
        with pytest.raises(ValueError, match=r"model\.zip cannot be read as a model of Stable-Baselines3") as error:
            load(path)
        assert "\n" not in str(error.value)


class RunsCode:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_a_model_is_loaded_only_when_it_is_trusted(tmp_path: Path) -> None:
    options: dict[str, Any] = SMALL["policy_kwargs"] | {"optimizer_kwargs": {"lr": RunsCode(tmp_path / "touched")}}
    model = A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL)
    model.policy_kwargs = options
    path = str(saved(model, tmp_path))
    for make in (
        lambda: agents.make(path),
        lambda: Candidate(path, Rules.easy).make(),
        lambda: GamesTask("", Rules.easy, 0, (0, 1), Entry(agent=path)).make(),
        lambda: record_games(Export(path, 1).tasks()[0]),
        lambda: _load_agent(path, Rules.easy, 0, False),
    ):
        with pytest.raises(ValueError, match=r"model.zip' is not loaded, as .*: --trust, trust: true in a config, or"):
            make()
    assert not (tmp_path / "touched").exists()
    with pytest.raises(ValueError, match="cannot be made"):  # a path is no learning rate
        GamesTask("", Rules.easy, 0, (0, 1), Entry(agent=path, trust=True)).make()
    assert (tmp_path / "touched").exists()


def test_a_model_that_is_too_large_when_unpacked_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if what is large lies in one of its parts, which are archives themselves."""
    path = saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    load(path)
    monkeypatch.setattr("agents.learned.sb3.LARGEST", 2**20)
    load(path)
    inner = io.BytesIO()
    for target in (path, inner):
        with zipfile.ZipFile(target, "a" if target is path else "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("zeros", bytes(2**20))
        if target is path:
            with pytest.raises(ValueError, match=r"unpacked it has 1,\d{3},\d{3} bytes; it may have 1,048,576"):
                load(path)
    saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.pth", inner.getvalue())
    with pytest.raises(ValueError, match="unpacked it has"):
        load(path)


def test_loading_a_model_leaves_random_generators_alone(tmp_path: Path) -> None:
    path = saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    before = generators()
    load(path)
    assert generators() == before
    assert before.keys() == {"random", "numpy", "torch"}
