"""The adapter for Stable-Baselines3 does what DummyVecEnv does with as many single environments, each in a Monitor."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecFrameStack, VecNormalize

from tests.common import RULES, slow
from tests.env.test_vector import CODE, assert_equal, choose
from tripeaks_env import Deal, Game, Rules
from tripeaks_env.sb3 import TriPeaksVecEnv

NUM_ENVS = 8


def both(**kwargs: Any) -> tuple[Any, Any]:
    """Return the adapter and the environment of Stable-Baselines3 that it stands for."""

    def single() -> gymnasium.Env:
        return Monitor(gymnasium.make("TriPeaks-v0", **kwargs))

    return TriPeaksVecEnv(NUM_ENVS, **kwargs), DummyVecEnv([single] * NUM_ENVS)


def without_time(infos: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    for info in infos:
        if "episode" in info:
            assert info["episode"].pop("t") >= 0
    return tuple(infos)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"rules": RULES["wild-empty-stuck-streak"], "max_undos": 2},
        {"rules": "classic", "reward": "win", "split": "evaluation", "skip_forced": True},
        *slow({}, {"max_episode_steps": 20}),
    ],
    ids=["streak-undo", "win-skip", "easy", "short"],
)
def test_equal_to_single_environments_in_monitors(kwargs: dict[str, Any]) -> None:
    """Observations, rewards, ends, all infos and action masks, through many episodes and a second seeding."""
    native, dummy = both(**kwargs)
    rng = np.random.default_rng(0)
    ended = truncated = 0
    for seed in (3, 4):
        assert native.seed(seed) == dummy.seed(seed)
        observation, expected = native.reset(), dummy.reset()
        assert_equal(observation, dict(expected))
        assert_equal(tuple(native.reset_infos), tuple(dummy.reset_infos))
        for step in range(150):
            masks = native.env_method("action_masks")
            assert_equal(tuple(masks), tuple(dummy.env_method("action_masks")))
            assert np.stack(masks).any(axis=1).all()
            actions = choose(rng, np.stack(masks).astype(np.int8))
            observation, rewards, dones, infos = native.step(actions)
            expected, *rest, expected_infos = dummy.step(actions)
            assert_equal(observation, dict(expected), f"step {step}")
            assert_equal((rewards, dones), tuple(rest), f"step {step}")
            assert_equal(without_time(infos), without_time(expected_infos), f"step {step}")
            assert_equal(tuple(native.reset_infos), tuple(dummy.reset_infos), f"step {step}")
            ended += dones.sum()
            truncated += sum(info["TimeLimit.truncated"] for info in infos)
    assert ended > NUM_ENVS
    assert truncated > 0 or "max_episode_steps" not in kwargs


def test_options_choose_the_starts_once() -> None:
    native, dummy = both()
    options: list[dict[str, Any]] = [{} for _ in range(NUM_ENVS)]
    options[1] = {"deal": CODE}
    options[2] = {"game": Game(CODE, actions=[20, 28])}
    options[5] = {"deal": Deal.from_code("TP1-E-ABCDEFG")}
    for env in (native, dummy):
        env.seed(7)
        env.set_options(options)
    for _ in range(2):
        assert_equal(native.reset(), dict(dummy.reset()))
        assert_equal(tuple(native.reset_infos), tuple(dummy.reset_infos))


def test_a_failed_reset_changes_nothing() -> None:
    """Not even the games and seeds before the wrong option."""
    env, twin = (TriPeaksVecEnv(2) for _ in range(2))
    for each in (env, twin):
        each.seed(0)
        each.reset()
    env.seed(7)
    env.set_options([{"deal": CODE}, {"game": "nonsense"}])
    with pytest.raises(ValueError, match="not one line of JSON"):
        env.reset()
    for actions in np.full((60, 2), 28):
        assert_equal(env.step(actions)[0], twin.step(actions)[0])


def test_masks_need_a_reset_and_arrays_are_fresh() -> None:
    env = TriPeaksVecEnv(2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.env_method("action_masks")
    env.seed(0)
    env.reset()
    before = env.action_masks()
    env.action_masks()[:] = True
    assert (env.action_masks() == before).all()
    with pytest.raises(TypeError, match="copy"):
        TriPeaksVecEnv(2, copy=False)
    with pytest.raises(IndexError):
        env.get_attr("rules", indices=7)


def test_times_of_episodes_count_from_the_making() -> None:
    """As those of Monitor do: they never fall."""
    env = TriPeaksVecEnv(1, max_episode_steps=3)
    env.reset()
    times = [env.step(np.array([28]))[3][0].get("episode", {}).get("t") for _ in range(9)]
    ended = [t for t in times if t is not None]
    assert len(ended) == 3
    assert ended == sorted(ended)


def test_pictures() -> None:
    """``render`` shows all games as one picture."""
    pytest.importorskip("pygame")
    env = TriPeaksVecEnv(4, render_mode="rgb_array", render_size=(32, 20))
    env.reset()
    picture = env.render()
    assert picture is not None
    assert picture.shape == (40, 64, 3)
    assert np.array_equal(picture[20:, :32], env.env_method("render", indices=2)[0])


def test_attributes_and_methods() -> None:
    env = TriPeaksVecEnv(3, rules="classic", render_mode="ansi")
    env.seed(0)
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (3, 29)
    assert (env.get_attr("action_masks")[2]() == env.action_masks()[2]).all()
    assert (env.env_method("action_masks", indices=[1])[0] == env.action_masks()[1]).all()
    assert env.get_attr("rules", indices=0) == [Rules.classic]
    assert env.get_attr("action_space") == [env.action_space] * 3
    assert env.env_method("render", indices=2)[0].splitlines()[-1].endswith("playing")
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False] * 3
    assert not env.has_attr("ale")
    with pytest.raises(AttributeError, match="method is 'fly'"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="'rules' cannot be set"):
        env.set_attr("rules", "easy")


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"rules": "hard"}, "rules is 'hard'"),
        ({"max_episode_steps": 0}, "steps is 0"),
        ({"box_mask": 1}, "box_mask is 1"),
    ],
)
def test_wrong_arguments(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TriPeaksVecEnv(**kwargs)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"seed": 3}, "reset option is 'seed'"), ({"deal": CODE, "game": Game(CODE)}, "both a deal and a game")],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    env = TriPeaksVecEnv(2)
    env.set_options(options)
    with pytest.raises(ValueError, match=message):
        env.reset()


@pytest.mark.slow
def test_algorithms_train_and_evaluate() -> None:
    """Masked and unmasked algorithms run, the masked one takes legal actions only, and evaluation needs no Monitor."""

    class Watch(TriPeaksVecEnv):
        rejected = 0

        def step_wait(self) -> Any:
            result = super().step_wait()
            self.rejected += sum(info["rejection"] != "" for info in result[3])
            return result

    env = Watch(16)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=64, batch_size=256, n_epochs=1, seed=0, device="cpu")
    model.learn(2048)
    assert env.rejected == 0
    assert len(model.ep_info_buffer or ()) > 20
    mean, _ = evaluate_policy(model, TriPeaksVecEnv(4), n_eval_episodes=8)
    assert -53 <= float(mean) <= 272  # type: ignore[arg-type]
    A2C("MultiInputPolicy", env, n_steps=8, seed=0, device="cpu").learn(256)
    assert env.rejected > 0


def test_frames_are_stacked_with_a_mask_in_a_box() -> None:
    """The last of the frames is what is seen now, and the last observation of an episode is stacked too."""
    plain = TriPeaksVecEnv(2, max_episode_steps=3)
    stacked = VecFrameStack(TriPeaksVecEnv(2, max_episode_steps=3, box_mask=True), 4)
    for env in (plain, stacked):
        env.seed(0)
    seen: Any = plain.reset()
    frames: Any = stacked.reset()
    for _ in range(7):
        for key, part in seen.items():
            assert frames[key].shape == (2, 4 * part.shape[1])
            assert np.array_equal(frames[key][:, -part.shape[1] :], part)
        actions = np.argmax(get_action_masks(stacked), axis=1)
        seen = plain.step(actions)[0]
        frames, _, dones, infos = stacked.step(actions)
        assert all(("terminal_observation" in info) == done for info, done in zip(infos, dones, strict=True))


def test_wraps_as_any_other() -> None:
    env: VecEnv = VecNormalize(TriPeaksVecEnv(2), norm_obs=False)
    env.seed(0)
    env.reset()
    for _ in range(60):
        _, _, dones, infos = env.step(np.argmax(get_action_masks(env), axis=1))
        if dones.any():
            break
    assert [info["episode"]["l"] for info, done in zip(infos, dones, strict=True) if done]
