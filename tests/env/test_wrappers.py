"""The masked forms show what the plain environments show, part by part, in the types that other libraries need."""

import pickle
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation

from tests.common import RULES, every_rules
from tripeaks_env import Rules
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.observation import Observation
from tripeaks_env.wrappers import MaskedObservation, Style, VectorMaskedObservation

CODE = "TP1-E-AAAAAAB"
FORMS: dict[Style, tuple[str, type]] = {"pettingzoo": ("observation", np.int8), "rllib": ("observations", np.float32)}
ORDER = ("tableau", "waste", "stock", "unseen", "run", "undos")

with_and_without_undo = pytest.mark.parametrize("max_undos", [0, 3])
every_style = pytest.mark.parametrize("style", FORMS)


def masked(style: Style = "pettingzoo", **arguments: Any) -> MaskedObservation:
    return MaskedObservation(gymnasium.make("TriPeaks-v0", **arguments), style=style)


def expected(plain: Observation, style: Style) -> Observation:
    """Return a plain observation, of one game or of many, in the form of a style; every part has to find its place."""
    key, dtype = FORMS[style]
    assert plain.keys() - {*ORDER} == {"action_mask"}
    parts = [plain[part] for part in ORDER if part in plain]
    return {"action_mask": plain["action_mask"], key: np.concatenate(parts, axis=-1).astype(dtype)}


def assert_same(first: Observation, second: Observation) -> None:
    assert first.keys() == second.keys()
    for key in first:
        assert (first[key].dtype, first[key].shape) == (second[key].dtype, second[key].shape)
        assert first[key].tobytes() == second[key].tobytes()


@every_rules
@with_and_without_undo
@every_style
def test_shows_what_the_plain_environment_shows(rules: Rules, max_undos: int, style: Style) -> None:
    """In random play: the same mask, the same values part by part, in the space; all else is passed on."""
    env = masked(style, rules=rules, max_undos=max_undos)
    plain = gymnasium.make("TriPeaks-v0", rules=rules, max_undos=max_undos)
    for seed in range(3):
        (observation, info), (shown, plain_info) = env.reset(seed=seed), plain.reset(seed=seed)
        rng, over = np.random.default_rng(seed), False
        while not over:
            assert_same(observation, expected(shown, style))
            assert observation in env.observation_space
            assert str(info) == str(plain_info)
            action = rng.choice(np.flatnonzero(shown["action_mask"]))
            observation, *outcome, info = env.step(action)
            shown, reward, terminated, truncated, plain_info = plain.step(action)
            assert outcome == [reward, terminated, truncated]
            over = terminated or truncated
        assert_same(observation, expected(shown, style))


@every_rules
@with_and_without_undo
@every_style
def test_bounds_are_those_of_the_parts(rules: Rules, max_undos: int, style: Style) -> None:
    env = masked(style, rules=rules, max_undos=max_undos)
    space, plain = env.observation_space, env.unwrapped.observation_space
    key, dtype = FORMS[style]
    assert isinstance(space, gymnasium.spaces.Dict)
    assert isinstance(plain, gymnasium.spaces.Dict)
    low, high = (
        expected({part: getattr(box, end, np.zeros(1)) for part, box in plain.items()}, style)[key]
        for end in ("low", "high")
    )
    assert space == gymnasium.spaces.Dict(
        {"action_mask": plain["action_mask"], key: gymnasium.spaces.Box(low, high, dtype=dtype)}
    )


@every_rules
@with_and_without_undo
@every_style
def test_gymnasium_finds_no_fault(rules: Rules, max_undos: int, style: Style) -> None:
    """Its checker only warns that there is a wrapper; every other warning fails."""
    env = masked(style, rules=rules, max_undos=max_undos)
    with pytest.warns(UserWarning, match="different from the unwrapped version") as warned:
        check_env(env)
    assert len(warned) == 1


@every_style
def test_where_everything_is(style: Style) -> None:
    """A known deal after the removal of a two, value by value."""
    env = masked(style, rules="traditional", max_undos=5)
    env.reset(options={"deal": "TP1-C-AAAAAAB"})
    observation = env.step(22)[0]
    key, dtype = FORMS[style]
    flat = observation[key]
    assert flat.dtype == dtype
    assert flat[:18].tolist() == [14] * 18
    assert flat[18:28].tolist() == [3, 5, 13, 4, 0, 1, 13, 8, 7, 9]
    assert flat[28:30].tolist() == [2, 23]
    assert flat[30:43].sum() == 41
    assert flat[43:].tolist() == [1, 5]


def test_styles_differ_in_key_and_type_alone() -> None:
    """And the mask is int8 in both, which is what sampling from an action space asks for."""
    first, second = masked("pettingzoo").reset(seed=0)[0], masked("rllib").reset(seed=0)[0]
    assert {key: value.dtype for key, value in first.items()} == {"action_mask": np.int8, "observation": np.int8}
    assert {key: value.dtype for key, value in second.items()} == {"action_mask": np.int8, "observations": np.float32}
    assert first["observation"].tolist() == second["observations"].tolist()
    assert first["action_mask"].tolist() == second["action_mask"].tolist()


def test_the_style_is_pettingzoo_unless_said_otherwise() -> None:
    single = MaskedObservation(gymnasium.make("TriPeaks-v0"))
    vector = VectorMaskedObservation(gymnasium.make_vec("TriPeaks-v0", num_envs=2))
    assert single.observation_space == vector.single_observation_space == masked("pettingzoo").observation_space


@every_style
@with_and_without_undo
def test_sampling_with_the_mask_plays_legally(style: Style, max_undos: int) -> None:
    """Whole games, to their end."""
    env = masked(style, max_undos=max_undos)
    env.action_space.seed(0)
    for seed in range(20):
        (observation, info), over = env.reset(seed=seed), False
        while not over:
            observation, _, over, truncated, info = env.step(env.action_space.sample(observation["action_mask"]))
            assert not truncated
            assert info["rejection"] == ""
        assert info["status"] != "playing"


def test_masks_under_the_name_that_maskable_algorithms_call() -> None:
    env = masked(max_undos=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.action_masks()
    observation, _ = env.reset(seed=0)
    for action in (DRAW, DRAW, 29):
        assert env.action_masks().dtype == np.bool_
        assert env.action_masks().tolist() == observation["action_mask"].astype(bool).tolist()
        observation = env.step(action)[0]


@every_style
def test_arrays_are_fresh(style: Style) -> None:
    """Those of one step share no memory with others, and writing into them does not reach the game."""
    env, untouched = masked(style), masked(style)
    shown = [part[0] for part in (env.reset(options={"deal": CODE}), env.step(20), env.step(13), env.step(23))]
    infos = [env.step(DRAW)[4] for _ in range(2)]
    arrays = [array for one in (*shown, *infos) for array in one.values() if isinstance(array, np.ndarray)]
    assert len(arrays) == 10
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    for array in arrays:
        array[:] = 1
    untouched.reset(options={"deal": CODE})
    last = [untouched.step(action)[0] for action in (20, 13, 23, DRAW, DRAW, DRAW)][-1]
    assert_same(env.step(DRAW)[0], last)


@every_style
def test_its_spec_makes_it_again(style: Style) -> None:
    env = masked(style, rules=RULES["wild-empty-stuck-streak"], max_undos=2)
    assert env.spec is not None
    again = gymnasium.make(env.spec)
    assert isinstance(again, MaskedObservation)
    assert again.observation_space == env.observation_space
    assert_same(again.reset(seed=3)[0], env.reset(seed=3)[0])


@every_style
def test_a_pickled_copy_plays_on(style: Style) -> None:
    """In the middle of an episode, and deals the same next."""
    env = masked(style)
    env.reset(seed=5)
    env.step(DRAW)
    copied = pickle.loads(pickle.dumps(env))
    assert_same(copied.step(DRAW)[0], env.step(DRAW)[0])
    assert_same(copied.reset()[0], env.reset()[0])


@every_style
@with_and_without_undo
@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_vector_form_is_single_ones_side_by_side(style: Style, max_undos: int, mode: str) -> None:
    """Around the native vector environment and around Gymnasium's, past the ends of episodes."""
    arguments: dict[str, Any] = {"rules": "traditional", "max_undos": max_undos, "max_episode_steps": 40}
    vector = VectorMaskedObservation(
        gymnasium.make_vec("TriPeaks-v0", num_envs=3, vectorization_mode=mode, **arguments), style=style
    )
    singles, rng, ends = [masked(style, **arguments) for _ in range(3)], np.random.default_rng(0), 0
    assert vector.single_observation_space == singles[0].observation_space
    shown, alone = vector.reset(seed=7)[0], [env.reset(seed=7 + i)[0] for i, env in enumerate(singles)]
    over = [False] * 3
    for _ in range(100):
        assert shown in vector.observation_space
        for i in range(3):
            assert_same({key: value[i] for key, value in shown.items()}, alone[i])
        actions = [rng.choice(np.flatnonzero(one["action_mask"])) if one["action_mask"].any() else 0 for one in alone]
        shown, _, terminated, truncated, _ = vector.step(np.array(actions))
        alone = [
            env.reset()[0] if ended else env.step(action)[0]
            for env, ended, action in zip(singles, over, actions, strict=True)
        ]
        over = (terminated | truncated).tolist()
        ends += sum(over)
    assert ends >= 6
    vector.close()


@pytest.mark.parametrize("style", ["x", "RLlib", "", None, ["rllib"]])
def test_styles_that_do_not_exist(style: Any) -> None:
    message = re.escape(f"style is {style!r}; it must be one of pettingzoo, rllib")
    with pytest.raises(ValueError, match=f"^{message}$"):
        masked(style)
    with pytest.raises(ValueError, match=f"^{message}$"):
        VectorMaskedObservation(gymnasium.make_vec("TriPeaks-v0", num_envs=2), style=style)


@pytest.mark.parametrize("wrapper", [MaskedObservation, FlattenObservation])
def test_an_observation_without_parts(wrapper: Any) -> None:
    with pytest.raises(ValueError, match="the observation has no tableau and action_mask; wrap TriPeaks before"):
        MaskedObservation(wrapper(gymnasium.make("TriPeaks-v0")))
