"""Agents that somebody brings: a function, a class or a model, what is refused, and what validation finds."""

import gc
import os
import re
import subprocess
import sys
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
import yaml
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv

import agents
from agents import Agent
from agents.learned.ppo import policy_arguments
from agents.simple import FunctionAgent, OpenerAgent, RandomAgent
from experiments.games.audit import audit, generators
from experiments.games.play import play
from experiments.validate import (
    BATCHES,
    HIDDEN,
    LEGAL,
    MADE,
    PLAYS,
    REPEATS,
    Candidate,
    Check,
    check_batches,
    check_hidden,
    check_legal,
    check_made,
    check_plays,
    check_repeats,
    training_games,
    validate,
)
from tests.common import compared
from tripeaks_env import Game, Rules, TriPeaksEnv, is_evaluation
from tripeaks_env.env.agent import AgentError, ask
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import DRAW, GAME, new_games
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.sb3 import TriPeaksVecEnv
from tripeaks_env.solver.one_deal import solve_record
from tripeaks_env.wrappers import MaskedObservation

HERE = "tests.experiments.test_own_agents"
WILD = Rules(wild=True)
DOCS = Path(__file__).parents[2] / "docs" / "own-agent.md"


# Agents as somebody may bring them.


def lowest(observation: Observation, action_mask: np.ndarray) -> np.ndarray:
    return np.argmax(action_mask, axis=1)


def highest(observation: Observation, action_mask: np.ndarray, rules: Rules, seed: int, least: int = 0) -> np.ndarray:
    assert (rules, seed) == (Rules.classic, 7)
    return np.argmax(np.where(np.arange(29) >= least, action_mask, action_mask - 2)[:, ::-1], axis=1) * -1 + 28


def anything(*arguments: Any, **keywords: Any) -> np.ndarray:
    assert keywords.keys() == {"rules", "seed", "colour"}
    return np.argmax(arguments[1], axis=1)


def factory(rules: Rules, seed: int = 0) -> Agent:
    return RandomAgent(rules, seed)


NOTHING = 3


class Lowest:
    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rules = rules

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.argmax(action_mask, axis=1)


class Optional(Lowest):
    def __init__(self, rules: Rules, seed: int, depth: int, width: float = 3.0) -> None:
        if depth < 0:
            raise ValueError("depth\nis negative")


class NoSeed(Lowest):
    def __init__(self, rules: Rules) -> None:
        pass


class NoRules(Lowest):
    def __init__(self, seed: int = 0) -> None:
        pass


class Keywords(Lowest):
    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


# Broken ones.


class Exits(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        sys.exit("enough")


class Slow(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        time.sleep(0.005)
        return super().act(observation, action_mask)


class OneAtATime(Lowest):
    """Cannot play two games at once."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.array([int(np.argmax(action_mask[0]))])


class Remembers(Lowest):
    """Chooses by the number of calls, not by what it sees."""

    calls = 0

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        self.calls += 1
        return (last if self.calls % 2 else lowest)(observation, action_mask)


def last(observation: Observation, action_mask: np.ndarray) -> np.ndarray:
    return DRAW - np.argmax(action_mask[:, ::-1], axis=1)


class Crowd(Lowest):
    """Chooses by how many cards the other games have left."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        few = np.count_nonzero(observation["tableau"]) < 25 * len(action_mask)
        return (last if few else lowest)(observation, action_mask)


class NeighbourPeeks(Lowest):
    """Chooses by its row."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        odd = np.arange(len(action_mask)) % 2 == 1
        return np.where(odd, last(observation, action_mask), lowest(observation, action_mask))


class GlobalNumPy(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.argmax(action_mask * np.random.random(action_mask.shape), axis=1)  # noqa: NPY002


class GlobalPython(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        import random

        return np.array([random.choice(np.flatnonzero(row).tolist()) for row in action_mask])


class GlobalTorch(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return (torch.from_numpy(action_mask) * torch.rand(action_mask.shape)).argmax(dim=1).numpy()


class SeedsNumPy(Lowest):
    """Repeats itself, but makes everybody else's random numbers the same too."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        np.random.seed(0)  # noqa: NPY002
        return super().act(observation, action_mask)


class NoSeedUsed(RandomAgent):
    """Has a generator that no seed makes."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rng = np.random.default_rng()


# Cheats. Each finds the records of the games in another way and plays by their hidden cards.


def fitting(arrays: Any, observation: Observation, rules: Rules) -> np.ndarray | None:
    """Return the first array of games that look like the observation."""
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype == GAME and len(array) == len(observation["tableau"]):
            seen = observe(array, rules)
            if all((seen[name] == observation[name]).all() for name in seen):
                return array
    return None


class Cheat(Lowest):
    """Draws exactly if the next stock card is odd."""

    def games(self, observation: Observation) -> np.ndarray | None:
        raise NotImplementedError

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        honest = lowest(observation, action_mask)
        games = self.games(observation)
        if games is None:
            return honest
        card = games["cards"][np.arange(len(games)), np.minimum(29 + games["drawn"], 53)]
        return np.where((action_mask[:, DRAW] == 1) & (card % 2 == 1), DRAW, honest)


class PeeksAtFrames(Cheat):
    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            found = fitting(list(frame.f_locals.values()), observation, self.rules)
            if found is not None:
                return found
            frame = frame.f_back
        return None


class PeeksFromOutside(Cheat):
    """Looks at the outermost frames first, where a copy of the true cards might be."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frames, frame = [], sys._getframe(1)
        while frame:
            frames.append(frame)
            frame = frame.f_back  # type: ignore[assignment]
        arrays = [value for frame in reversed(frames) for value in list(frame.f_locals.values())]
        return fitting(arrays, observation, self.rules)


class PeeksAtNames(Cheat):
    """Knows the variables of experiments.games.play.play."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            if {"games", "playing"} <= frame.f_locals.keys():
                return frame.f_locals["games"][frame.f_locals["playing"]]
            frame = frame.f_back
        return None


class PeeksAtStack(Cheat):
    def games(self, observation: Observation) -> np.ndarray | None:
        import inspect

        values = [value for each in inspect.stack(0) for value in list(each.frame.f_locals.values())]
        return fitting(values, observation, self.rules)


class PeeksAtObjects(Cheat):
    calls = 0

    def games(self, observation: Observation) -> np.ndarray | None:
        self.calls += 1
        if self.calls % 8 != 2:  # as it takes long
            return None
        values = (value for each in gc.get_objects() if type(each) is list for value in each)
        return fitting(values, observation, self.rules)


class PeeksRarely(PeeksAtFrames):
    """In one of ten calls, and then in one of ten games."""

    calls = 0

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        self.calls += 1
        if self.calls % 10:
            return lowest(observation, action_mask)
        rows = np.arange(len(action_mask)) % 10 == 0
        return np.where(rows, super().act(observation, action_mask), lowest(observation, action_mask))


class PeeksOnceAndPlans(PeeksAtFrames):
    """Solves the game at its start and follows the line later on: one game at a time only."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        super().__init__(rules, seed)
        self.plan: list[int] = []

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        if not self.plan:
            games = self.games(observation)
            assert games is not None
            self.plan = list(solve_record(games[:1].copy(), self.rules).actions)
        action = self.plan.pop(0)
        return np.array([action if action_mask[0, action] else int(np.argmax(action_mask[0]))])


class PeeksAtNumbers(PeeksAtFrames):
    """Finds deal numbers, and believes them if the deals look right: at the starts of games."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            numbers = frame.f_locals.get("numbers", ())
            if len(numbers) == len(observation["tableau"]):
                dealt = new_games(number_slots(np.asarray(numbers), self.rules), self.rules)
                return fitting([dealt], observation, self.rules)
            frame = frame.f_back
        return None


CHEATS = [PeeksAtNumbers, PeeksAtFrames, PeeksFromOutside, PeeksAtNames, PeeksAtStack, PeeksAtObjects, PeeksRarely]


def local(name: str) -> str:
    return f"{HERE}:{name}"


def candidate(made: type, games: int = 12) -> Candidate:
    return Candidate(local(made.__name__), Rules.easy, games=games)


def actions_of(agent: Agent, rules: Rules = Rules.easy) -> list[int]:
    return ask(agent, training_games(20, rules, seed=5), rules).actions.tolist()


# Ways to bring an agent.


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
        (local("Optional"), {"depth": -1}, "cannot be made: ValueError: depth is negative (test_own_agents.py, line "),
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


# Models of Stable-Baselines3.

SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [8]}, "device": "cpu", "seed": 0}


def load(path: Path, rules: str | Rules = "easy") -> Any:
    with pytest.warns(UserWarning, match="can run any code"):
        return agents.make(str(path), rules)


def saved(model: Any, folder: Path) -> Path:
    path = folder / "model.zip"
    model.save(path)
    return path


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO, A2C, TRPO, DQN, QRDQN])
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


def test_models_pass_the_checks(tmp_path: Path) -> None:
    path = saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    found = Candidate(str(path), Rules.easy)
    for check in (check_repeats, check_batches, check_hidden):
        with pytest.warns(UserWarning, match="can run any code"):
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
        with pytest.warns(UserWarning, match="any code"), pytest.raises(ValueError, match=message) as error:
            agents.make(str(path), rules)
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
        with (
            pytest.warns(UserWarning, match="any code"),
            pytest.raises(ValueError, match=r"model\.zip cannot be read as a model of Stable-Baselines3") as error,
        ):
            agents.make(str(path))
        assert "\n" not in str(error.value)


def test_loading_a_model_leaves_random_generators_alone(tmp_path: Path) -> None:
    path = saved(A2C("MultiInputPolicy", TriPeaksVecEnv(1), **SMALL), tmp_path)
    before = generators()
    load(path)
    assert generators() == before
    assert before.keys() == {"random", "numpy", "torch"}


# Asking.


class Meddles(Lowest):
    """Changes what it gets and returns an array of another type that it changes later."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        actions = super().act(observation, action_mask).astype(np.uint8)
        for array in (*observation.values(), action_mask):
            array[:] = 1
        return actions


class Claims(Lowest):
    """Makes all actions legal and takes an illegal one."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        observation["action_mask"][:] = 1
        action_mask[:] = 1
        return np.zeros(len(action_mask), dtype=int)


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


# Validation. The checks themselves are tried in this process, as starting another one takes seconds.


@pytest.mark.parametrize("cheat", CHEATS)
def test_an_audit_finds_who_peeks(cheat: type) -> None:
    found = check_hidden(candidate(cheat, games=20))
    assert found.passed is False
    assert re.fullmatch(
        r"with other hidden cards it chose otherwise in \d+ of [\d,]+ positions: it sees .*", found.message
    )


def test_an_audit_finds_who_peeks_at_the_start_only() -> None:
    games = training_games(1, Rules.easy)
    assert "it sees what is hidden" in audit(lambda: PeeksOnceAndPlans(Rules.easy), games, Rules.easy).message


def test_an_audit_of_a_few_rounds() -> None:
    asked = []

    class Counts(Lowest):
        def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
            asked.append(len(action_mask))
            return super().act(observation, action_mask)

    assert audit(lambda: Counts(Rules.easy), training_games(9, Rules.easy), Rules.easy, rounds=2).passed
    assert asked == [9] * 6


def test_an_audit_puts_the_games_back_and_clears_who_does_not_peek() -> None:
    games = training_games(20, WILD, seed=3)
    before = games.tobytes()
    assert audit(lambda: OpenerAgent(WILD, 4), games, WILD).passed
    assert audit(lambda: PeeksAtFrames(WILD), games, WILD).passed is False
    assert games.tobytes() == before


def test_an_audit_of_who_does_not_repeat_itself_says_so() -> None:
    games = training_games(20, Rules.easy)
    found = audit(lambda: NoSeedUsed(Rules.easy), games, Rules.easy)
    assert found.passed is None
    assert "as it does not repeat itself, whether it sees hidden cards cannot be told" in found.message


def test_an_audit_seeds_the_global_generators_for_who_uses_them() -> None:
    before = generators()
    for made in (GlobalNumPy, GlobalPython, GlobalTorch):
        assert audit(lambda made=made: made(Rules.easy), training_games(20, Rules.easy), Rules.easy).passed  # type: ignore[misc]
    assert generators() == before


@pytest.mark.parametrize(
    ("made", "library"),
    [(GlobalNumPy, "numpy"), (GlobalPython, "random"), (GlobalTorch, "torch"), (SeedsNumPy, "numpy")],
)
def test_global_generators_are_found(made: type, library: str) -> None:
    before = generators()
    found = check_repeats(candidate(made))
    assert found == (False, f"it uses or seeds the global generator of {library}; it must have its own", 0)
    assert generators() == before


def test_an_unseeded_generator_is_found() -> None:
    found = check_repeats(candidate(NoSeedUsed))
    assert found.passed is False
    assert "with the same seed and cards it chose otherwise in" in found.message


@pytest.mark.parametrize("made", [Crowd, NeighbourPeeks, Remembers])
def test_who_goes_by_other_games_is_found(made: type) -> None:
    found = check_batches(candidate(made))
    assert found.passed is False
    assert "must not depend on the other games" in found.message
    assert check_repeats(candidate(made)).passed


def test_batches_of_a_random_agent_cannot_be_told() -> None:
    assert check_batches(Candidate("random", Rules.easy, games=12)).passed is None
    assert check_batches(Candidate("rollout", Rules.easy, {"simulations": 20}, games=12)).passed


def test_who_cannot_play_two_games_is_found() -> None:
    assert check_plays(candidate(OneAtATime)).passed
    with pytest.raises(AgentError, match=r"act returned int64 \(1,\); it must be integers \(2,\)"):
        check_legal(candidate(OneAtATime))


def test_slowness_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.validate.SLOWEST", 0.001)
    found = check_plays(candidate(Slow))
    assert found.passed is False
    assert re.fullmatch(r"[\d.]+ ms a move; it must be 1 at most", found.message)


def test_all_deals_are_training_deals() -> None:
    assert not any(map(is_evaluation, Candidate("random", Rules.easy).deals(1000).tolist()))


@pytest.mark.parametrize(
    "name",
    [
        *("random", "greedy", "opener", "ppo"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("network", "lookahead", "ismcts", "pimc", "rollout")),
    ],
)
def test_shipped_agents_pass(name: str) -> None:
    options = {"pimc": {"worlds": 2}, "ismcts": {"simulations": 20}, "rollout": {"simulations": 20}}.get(name, {})
    found = Candidate(name, Rules.easy, options, games=3)
    for check in (check_made, check_plays, check_legal, check_repeats, check_hidden):
        assert check(found).passed, check(found)
    assert check_batches(found).passed is not False


def test_an_oracle_is_not_audited() -> None:
    found = check_hidden(Candidate("oracle", Rules.easy))
    assert found.passed is None
    assert "an oracle" in found.message


BROUGHT = """
import os, sys, time

class Lowest:
    def __init__(self, rules, seed=0):
        pass

    def act(self, observation, action_mask):
        return action_mask.argmax(axis=1)

class EasyOnly(Lowest):
    def __init__(self, rules, seed=0):
        if not rules.wrap or rules.wild:
            raise ValueError("it plays by easy rules only")

class Hangs(Lowest):
    def act(self, observation, action_mask):
        while True:
            time.sleep(0.1)

class Crashes(Lowest):
    def act(self, observation, action_mask):
        os._exit(3)

class Exits(Lowest):
    def act(self, observation, action_mask):
        sys.exit("enough")

class NoSeed(Lowest):
    def __init__(self, rules):
        pass

class Peeks(Lowest):
    def act(self, observation, action_mask):
        games, frame = None, sys._getframe()
        while games is None:
            frame = frame.f_back
            games = frame.f_locals.get("games")
        cards = games["cards"][:, 0]
        return [row.nonzero()[0][card % row.sum()] for row, card in zip(action_mask, cards)]
"""
"""A module of its own, as importing this one takes another process seconds."""


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought.py").write_text(BROUGHT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def passed(checks: list[Check]) -> dict[str, bool | None]:
    return {check.name: check.passed for check in checks}


@pytest.mark.usefixtures("brought")
def test_validation_under_all_rules() -> None:
    told: list[Check] = []
    checks = validate("brought:EasyOnly", "all", checked=told.append)
    assert told == checks
    found = passed(checks)
    assert found[f"{MADE}, easy"] is True
    assert found[f"{MADE}, classic"] is None
    messages = {check.name: check.message for check in checks}
    assert "ValueError: it plays by easy rules only" in messages[f"{MADE}, classic"]
    assert found[f"{LEGAL}, open"] is True
    assert f"{LEGAL}, classic" not in found
    assert [found[name] for name in (PLAYS, REPEATS, BATCHES, HIDDEN)] == [True] * 4


@pytest.mark.usefixtures("brought")
@pytest.mark.parametrize(
    ("name", "failing", "message"),
    [
        pytest.param("Hangs", PLAYS, "it took longer than 3 s", marks=pytest.mark.slow),
        pytest.param("Crashes", PLAYS, "it ended its worker process 3 times", marks=pytest.mark.slow),
        ("Exits", PLAYS, "act raised SystemExit: enough (brought.py, line "),
        pytest.param("NoSeed", MADE, "a class must take rules and seed", marks=pytest.mark.slow),
        pytest.param("Peeks", HIDDEN, "it sees what is hidden", marks=pytest.mark.slow),
    ],
)
def test_an_agent_that_breaks_costs_one_line(name: str, failing: str, message: str) -> None:
    checks = validate(f"brought:{name}", seconds=3 if name == "Hangs" else 60)
    results = passed(checks)
    assert list(results) == [MADE, PLAYS, LEGAL, REPEATS, BATCHES, HIDDEN]
    assert results[failing] is False, checks
    assert message in next(check.message for check in checks if check.name == failing)
    assert list(results.values()).count(False) == 1
    after = list(results).index(failing) + 1
    assert [check.message for check in checks[after:]] == ["not tried"] * (6 - after)
    assert all("\n" not in check.message for check in checks)


def test_validation_with_wrong_options_and_rules() -> None:
    with pytest.raises(ValueError, match="rules is 'hard'"):
        validate("random", "hard")
    with pytest.raises(ValueError, match="agent 'random' has no option 'seed'"):
        Candidate("random", Rules.easy, {"seed": 3}).make()


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
