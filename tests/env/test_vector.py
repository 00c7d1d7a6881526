"""The vector environment equals as many single environments, step by step, through every kind of reset."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tests.common import RULES, every_rules, naive_game, sizes, slow
from tests.game.test_engine import REASONS
from tripeaks_env import Deal, Game, Rules, TriPeaksEnv, TriPeaksVectorEnv, is_evaluation
from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.game import MESSAGES

CODE = "TP1-E-AAAAAAB"
NUM_ENVS = 16
SIX = [
    *("easy", "traditional", "wild-empty-stuck-streak", "open-classic"),
    *slow("draws-pay", "wild"),
]


def assert_equal(first: Any, second: Any, where: str = "") -> None:
    """Compare observations and infos: types, dtypes and every byte."""
    assert type(first) is type(second), where
    if isinstance(first, dict):
        assert first.keys() == second.keys(), where
        for key in first:
            assert_equal(first[key], second[key], f"{where} {key}")
    elif isinstance(first, tuple):
        for one, other in zip(first, second, strict=True):
            assert_equal(one, other, where)
    elif isinstance(first, np.ndarray):
        assert (first.dtype, first.shape) == (second.dtype, second.shape), where
        if first.dtype == object:
            for one, other in zip(first, second, strict=True):
                assert_equal(one, other, where)
        else:
            assert first.tobytes() == second.tobytes(), where
    else:
        assert first == second, where


def both(mode: AutoresetMode, **kwargs: Any) -> tuple[Any, Any]:
    """Return the native vector environment and the synchronous one of Gymnasium."""
    native = gymnasium.make_vec("TriPeaks-v0", num_envs=NUM_ENVS, autoreset_mode=mode, **kwargs)
    sync = gymnasium.make_vec(
        "TriPeaks-v0",
        num_envs=NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **kwargs,
    )
    assert isinstance(native, TriPeaksVectorEnv)
    assert isinstance(sync, SyncVectorEnv)
    return native, sync


def choose(rng: np.random.Generator, mask: np.ndarray) -> np.ndarray:
    """Return mostly legal actions; where none is legal, or one time in twenty, any."""
    blind = (rng.random(len(mask)) < 0.05) | (mask.sum(axis=1) == 0)
    return np.argmax(rng.random(mask.shape) * np.where(blind[:, None], 1, mask), axis=1)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", SIX)
@pytest.mark.parametrize("steps", sizes(150, 600, 2000))
def test_equal_to_single_environments(mode: AutoresetMode, name: str, steps: int) -> None:
    """Observations, rewards, flags and infos, for the same seeds, with the statistics of episodes recorded too."""
    kwargs: dict[str, Any] = {"rules": RULES[name], "max_undos": 3 if name in ("easy", "wild") else 0}
    if name == "open-classic":
        kwargs |= {"reward": "win", "split": "evaluation", "max_episode_steps": 30}
    if name in ("wild", "draws-pay", "traditional"):
        kwargs |= {"skip_forced": True}
    native, sync = both(mode, **kwargs)
    if mode != AutoresetMode.DISABLED:
        native, sync = RecordEpisodeStatistics(native), RecordEpisodeStatistics(sync)
    rng = np.random.default_rng(0)
    shown, expected = native.reset(seed=7), sync.reset(seed=7)
    assert_equal(shown, expected)
    ended = 0
    for step in range(steps):
        actions = choose(rng, shown[0]["action_mask"])
        shown, expected = native.step(actions), sync.step(actions)
        for part in (shown, expected):  # the clock differs
            for info in (part[4], part[4].get("final_info", {})):
                if "episode" in info:
                    info["episode"].pop("t")
                    info["episode"].pop("_t", None)
        assert_equal(shown, expected, f"step {step}")
        done = shown[2] | shown[3]
        ended += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            shown, expected = (env.reset(options={"reset_mask": done.copy()}) for env in (native, sync))
            assert_equal(shown, expected, f"reset after step {step}")
    assert ended > NUM_ENVS


@pytest.mark.parametrize("seed", [3, list(range(5, 5 + NUM_ENVS))], ids=["integer", "list"])
def test_seeds(seed: int | list[int]) -> None:
    """A second seeding begins again, whatever was dealt between."""
    native, sync = both(AutoresetMode.NEXT_STEP)
    for _ in range(2):
        assert_equal(native.reset(seed=seed), sync.reset(seed=seed))
        for _ in range(70):
            assert_equal(native.reset(), sync.reset())


def test_unseeded_environments_deal_differently() -> None:
    codes = {code for _ in range(2) for code in TriPeaksVectorEnv(50).reset()[1]["deal_code"]}
    assert len(codes) == 100
    assert not any(is_evaluation(parse_code(code)[1]) for code in codes)


def test_options_choose_the_start_of_each_environment() -> None:
    env = TriPeaksVectorEnv(3, render_mode="ansi")
    game = Game("TP1-E-BBBBBBB", actions=[28, 28])
    options: dict[str, Any] = {"deal": [CODE, None, Deal.from_code("TP1-E-ABCDEFG")]}
    before = copy.deepcopy(options)
    _, info = env.reset(seed=1, options=options)
    assert options == before
    expected = [CODE, TriPeaksVectorEnv(3).reset(seed=1)[1]["deal_code"][1], "TP1-E-ABCDEFG"]
    assert info["deal_code"].tolist() == expected
    mask = np.array([False, True, False])
    _, info = env.reset(options={"game": game.to_text(), "reset_mask": mask})
    assert info["moves"].tolist() == [0, 2, 0]
    assert info["_moves"].tolist() == mask.tolist()
    boards = env.render()
    assert boards is not None
    assert boards[:2] == (str(Game(CODE)), str(game))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 3}, "reset option is 'seed'; it must be one of deal, game"),
        ({"deal": CODE, "game": Game(CODE)}, "both a deal and a game"),
        ({"deal": [CODE]}, "it must be one deal, or a list of 2"),
        ({"deal": "TP1-C-AAAAAAB"}, "names another rule"),
        ({"game": Game(CODE, "easy", [20]).to_text().replace("easy", "classic")}, "names another rule"),
        ({"reset_mask": np.zeros(2, dtype=bool)}, "true somewhere"),
        ({"reset_mask": [True, False]}, "it must be a bool array"),
        (5, "reset options are 5; they must be a mapping"),
        ([], r"reset options are \[\]; they must be a mapping"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TriPeaksVectorEnv(2).reset(options=options)


def test_a_failed_reset_changes_nothing() -> None:
    """Not even the games and seeds before the wrong option; a twin that was not asked goes on alike."""
    env, twin = (TriPeaksVectorEnv(3, max_episode_steps=5) for _ in range(2))
    for each in (env, twin):
        each.reset(seed=1)
        each.step(np.full(3, 28))
    for bad in ({"deal": [CODE, None, "TP1-C-AAAAAAB"]}, {"game": [Game(CODE), "nothing", None]}, {"deal": 5}):
        with pytest.raises(ValueError, match=r"names another rule|not one line of JSON|it must be one deal"):
            env.reset(seed=[7, 8, 9], options=bad)
    for seed in ([7, 8, -1], [7, 8], [7, 8, 1.5], [7, "8", 9], np.array([7, 8, -1]), 1.5, "789", True, -1):
        with pytest.raises(ValueError, match=r"seed has 2 parts|seed is .*; it must be an integer of at least 0"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    for _ in range(12):
        assert_equal(env.step(np.full(3, 28)), twin.step(np.full(3, 28)))


@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_methods_and_attributes_of_each_environment(render_mode: str | None) -> None:
    native, sync = both(AutoresetMode.NEXT_STEP, rules="classic", max_undos=2, render_mode=render_mode)
    with pytest.raises(gymnasium.error.ResetNeeded):
        native.call("action_masks")
    for env in (native, sync):
        env.reset(seed=0)
    for name in ("render", "rules", "reward", "max_undos", "render_mode", "observation_space", "action_space"):
        assert native.get_attr(name) == native.call(name) == sync.call(name), name
    for name in ("split", "skip_forced", "highlight"):
        assert native.get_attr(name) == tuple(getattr(env.unwrapped, name) for env in sync.envs)
    assert_equal(native.call("action_masks"), sync.call("action_masks"))
    with pytest.raises(AttributeError, match="no attribute 'ale'; they have action_masks, render, "):
        native.get_attr("ale")
    with pytest.raises(TypeError):
        native.call("action_masks", 5)
    with pytest.raises(AttributeError, match="'rules' cannot be set; make another environment"):
        native.set_attr("rules", "easy")


def test_texts_and_masks_without_copies_are_read_only() -> None:
    env = TriPeaksVectorEnv(2, copy=False)
    env.reset(seed=0)
    infos = env.step(np.full(2, 28))[4]
    assert {infos[key].dtype for key in ("status", "rejection", "deal_code")} == {np.dtype(object)}
    for key in ("status", "rejection", "deal_code", "_score"):
        with pytest.raises(ValueError, match="read-only"):
            infos[key][:] = None


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"copy": "no"}, "copy is 'no'"),
        ({"num_envs": 0}, "num_envs is 0"),
        ({"max_episode_steps": 0}, "max_episode_steps is 0"),
        ({"rules": "hard"}, "rules is 'hard'"),
        ({"reward": "money"}, "reward is 'money'"),
        ({"max_undos": 101}, "max_undos is 101"),
        ({"render_mode": "svg"}, "render_mode is 'svg'"),
        ({"split": "test"}, "split is 'test'"),
        ({"skip_forced": 1}, "skip_forced is 1"),
        ({"autoreset_mode": "same-step"}, "is 'same-step'; it must be one of NextStep, SameStep, Disabled"),
        ({"autoreset_mode": 1}, "autoreset_mode is 1"),
        ({"reward": np.array([1, 2])}, r"reward is array\(\[1, 2\]\)"),
    ],
)
def test_wrong_arguments(kwargs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TriPeaksVectorEnv(**kwargs)


def test_what_could_not_be_made_can_be_closed() -> None:
    """As Gymnasium does when it is thrown away."""
    env = TriPeaksVectorEnv.__new__(TriPeaksVectorEnv)
    with pytest.raises(ValueError, match="num_envs is 0"):
        TriPeaksVectorEnv.__init__(env, 0)
    env.close()
    assert not TriPeaksVectorEnv(1).closed


@pytest.mark.parametrize("actions", [[28], [28.0, 28.0], [28, 29], [-1, 28]])
def test_wrong_actions(actions: list[int]) -> None:
    env = TriPeaksVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="actions are"):
        env.step(np.array(actions))


def test_steps_need_a_reset() -> None:
    env = TriPeaksVectorEnv(2, autoreset_mode="Disabled", max_episode_steps=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.array([28, 28]))
    env.reset(seed=0)
    env.step(np.array([28, 28]))
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"\[0, 1\]"):
        env.step(np.array([28, 28]))


@every_rules
def test_observations_are_in_the_space_and_fresh(rules: Rules) -> None:
    env = TriPeaksVectorEnv(4, rules)
    first, _ = env.reset(seed=0)
    kept = copy.deepcopy(first)
    second = env.step(np.full(4, 28))[0]
    assert_equal(first, kept)
    for observation in (first, second):
        assert env.observation_space.contains(observation)
    assert not any(np.shares_memory(first[key], second[key]) for key in first)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_without_copies(mode: AutoresetMode) -> None:
    """The same values as with copies, in the same arrays at every step."""
    fresh, reused = (TriPeaksVectorEnv(8, max_undos=2, autoreset_mode=mode, copy=copy) for copy in (True, False))
    rng = np.random.default_rng(0)
    expected: tuple[Any, ...] = fresh.reset(seed=0)
    shown: tuple[Any, ...] = reused.reset(seed=0)
    assert_equal(shown, expected)
    first: tuple[Any, ...] = ()
    ended = 0
    for step in range(150):
        actions = choose(rng, expected[0]["action_mask"])
        expected, shown = fresh.step(actions), reused.step(actions)
        assert_equal(shown, expected, f"step {step}")
        first = first or shown
        for part in (0, 4):
            for key in first[part].keys() - {"final_obs", "final_info"}:
                if not key.startswith("_"):
                    assert shown[part][key] is first[part][key]
                    assert expected[part][key] is not shown[part][key]
        done = expected[2] | expected[3]
        ended += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            expected, shown = (env.reset(options={"reset_mask": done.copy()}) for env in (fresh, reused))
            assert_equal(shown, expected, f"reset after step {step}")
    assert ended > 8
    assert shown[4]["action_mask"] is shown[0]["action_mask"] or mode == AutoresetMode.DISABLED


@pytest.mark.parametrize(
    ("name", "steps", "limit"),
    [
        ("easy", 200, 60),
        pytest.param("easy", 2_000, 300, marks=pytest.mark.slow),
        pytest.param("wild-empty-stuck-streak", 2_000, 300, marks=pytest.mark.slow),
    ],
)
def test_blind_actions_as_the_reference_plays_them(name: str, steps: int, limit: int) -> None:
    """50 actions a step, most of them illegal: observation, reward, score and rejection are the naive reference's."""
    rules = RULES[name]
    env = TriPeaksVectorEnv(50, rules, max_episode_steps=limit)
    rng = np.random.default_rng(0)
    observation, infos = env.reset(seed=0)
    games = [naive_game(parse_code(code)[1], rules) for code in infos["deal_code"]]
    done = np.zeros(50, dtype=bool)
    rejected = ended = 0
    for _ in range(steps):
        actions = rng.integers(29, size=50)
        before = [game.score for game in games]
        reasons = [
            REASONS[None] if d else REASONS[g.play(int(a))] for g, a, d in zip(games, actions, done, strict=True)
        ]
        observation, rewards, terminated, truncated, infos = env.step(actions)
        for i in done.nonzero()[0]:
            games[i] = naive_game(parse_code(infos["deal_code"][i])[1], rules)
            before[i] = games[i].score
        expected = [game.observation() for game in games]
        assert {key: value.tolist() for key, value in observation.items()} == {
            key: [seen[key] for seen in expected] for key in expected[0]
        }
        assert rewards.tolist() == [game.score - score for game, score in zip(games, before, strict=True)]
        assert infos["score"].tolist() == [game.score for game in games]
        assert infos["status"].tolist() == [game.status() for game in games]
        assert infos["rejection"].tolist() == [MESSAGES.get(reason, "") for reason in reasons]
        assert terminated.tolist() == [game.status() != "playing" for game in games]
        done = terminated | truncated
        rejected += sum(map(bool, reasons))
        ended += done.sum()
    assert rejected > 25 * steps
    assert ended > steps / 20


@every_rules
def test_skipping_forced_moves(rules: Rules) -> None:
    """One step is the chosen action and every action after it that is the only one, until there is a choice or the end."""
    env, plain = (TriPeaksEnv(rules, skip_forced=skip) for skip in (True, False))
    rng = np.random.default_rng(0)
    skipped = 0
    for seed in range(20):
        observation, _ = env.reset(seed=seed)
        plain.reset(seed=seed)
        terminated = False
        while not terminated:
            action = rng.choice(np.flatnonzero(observation["action_mask"]))
            observation, reward, terminated, _, info = env.step(action)
            expected, total, end, _, plain_info = plain.step(action)
            while not end and expected["action_mask"].sum() == 1:
                expected, more, end, _, plain_info = plain.step(np.argmax(expected["action_mask"]))
                total += more
                skipped += 1
            assert_equal((observation, info), (expected, plain_info))
            assert (reward, terminated) == (total, end)
            before = observation
            observation, reward, *_ = env.step(
                np.argmin(observation["action_mask"])
            )  # an illegal action changes nothing
            assert reward == 0
            assert_equal(observation, before)
    assert skipped > 100
