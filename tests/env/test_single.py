import copy
import re
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.common import RULES, WORKED_WIN, every_rules
from tripeaks_env import Deal, Game, Rules, TriPeaksEnv, is_evaluation
from tripeaks_env.env.episodes import Reward
from tripeaks_env.env.splits import Split
from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.engine import DRAW, UNDO
from tripeaks_env.game.observation import Observation

CODE = "TP1-E-AAAAAAB"


def same(first: Observation, second: Observation) -> bool:
    """Return whether two observations are equal to the byte."""
    return first.keys() == second.keys() and all(
        (first[key].dtype, first[key].shape, first[key].tobytes())
        == (second[key].dtype, second[key].shape, second[key].tobytes())
        for key in first
    )


def started(**arguments: Any) -> TriPeaksEnv:
    """Return an environment at the start of the deal of ``CODE``."""
    env = TriPeaksEnv(**arguments)
    env.reset(options={"deal": Deal.from_code(CODE)})
    return env


def play(env: TriPeaksEnv, actions: list[int]) -> list[tuple[Observation, float, bool, bool, dict[str, Any]]]:
    return [env.step(action) for action in actions]


@every_rules
@pytest.mark.parametrize("max_undos", [0, 3])
@pytest.mark.parametrize("reward", ["score", "win"])
def test_gymnasium_finds_no_fault(rules: Rules, max_undos: int, reward: Reward) -> None:
    """Its checker neither raises nor warns."""
    env = gymnasium.make("TriPeaks-v0", rules=rules, max_undos=max_undos, reward=reward)
    check_env(env.unwrapped, skip_render_check=True)
    assert env.reset(seed=1)[0] in env.observation_space


def test_arguments_survive_a_seeded_reset() -> None:
    env = gymnasium.make("TriPeaks-v0", rules="classic", reward="win", max_undos=2, render_mode="ansi", split="all")
    for seed in (1, None, 2):
        observation, info = env.reset(seed=seed)
        assert info["deal_code"].startswith("TP1-C-")
        assert observation["undos"].tolist() == [2]
        assert observation in env.observation_space
        assert isinstance(env.render(), str)
        assert env.step(DRAW)[1] == 0


def test_vector_environment_is_single_ones_side_by_side() -> None:
    """Sub-environment i is seeded with seed + i; observations, rewards and ends are those of single environments."""
    vector = gymnasium.make_vec("TriPeaks-v0", num_envs=4, rules="classic")
    singles = [gymnasium.make("TriPeaks-v0", rules="classic") for _ in range(4)]
    seen = vector.reset(seed=7)[0]
    assert all(same({k: v[i] for k, v in seen.items()}, env.reset(seed=7 + i)[0]) for i, env in enumerate(singles))
    for action in [DRAW] * 23:
        seen, rewards, terminated, truncated, _ = vector.step(np.full(4, action))
        for i, env in enumerate(singles):
            observation, *outcome, _ = env.step(action)
            assert same({key: value[i] for key, value in seen.items()}, observation)
            assert outcome == [rewards[i], terminated[i], truncated[i]]
    vector.close()


@every_rules
def test_random_actions(rules: Rules) -> None:
    """100,000 of them over all rules, most illegal: none raises, rejected ones change nothing and earn nothing."""
    env, rng = TriPeaksEnv(rules, max_undos=3), np.random.default_rng(0)
    observation, info = env.reset(seed=0)
    rejected = 0
    for action in rng.integers(UNDO + 1, size=100_000 // len(RULES) + 1).tolist():
        legal = observation["action_mask"][action]
        before, score = observation, info["score"]
        observation, reward, terminated, truncated, info = env.step(action)
        assert reward == info["score"] - score
        assert not truncated
        assert bool(legal) == (info["rejection"] == "")
        if not legal:
            rejected += 1
            assert same(before, observation)
            assert (reward, terminated) == (0, False)
        if terminated:
            observation, info = env.reset()
    assert rejected > 3_000


@every_rules
def test_every_step_is_in_the_space_and_the_return_is_the_score(rules: Rules) -> None:
    """The return is the final score less that at the start; an info tells what the game does."""
    env, rng = TriPeaksEnv(rules), np.random.default_rng(1)
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        game, returned, terminated = Game(info["deal_code"], rules), 0.0, False
        while not terminated:
            assert observation in env.observation_space
            assert same(observation, game.observation())
            assert (info["score"], info["moves"], info["status"]) == (game.score, game.moves, game.status)
            assert info["peaks_cleared"] == game.peaks_cleared
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            observation, reward, terminated, _, info = env.step(action)
            game.play(int(action))
            returned += reward
        assert info["status"] == game.status != "playing"
        assert returned == info["score"] - rules.scoring.start


def test_rewards_of_the_worked_win() -> None:
    """A point for each move is lost, 100 for each peak won; or 1 for the winning move alone."""
    score = [step[1] for step in play(started(), WORKED_WIN)]
    win = [step[1] for step in play(started(reward="win"), WORKED_WIN)]
    assert score == [99 if move in (37, 42, 50) else -1 for move in range(1, 51)]
    assert win == [0] * 49 + [1]


def test_no_reward_after_the_win() -> None:
    env = started(reward="win")
    play(env, WORKED_WIN)
    _, reward, terminated, _, info = env.step(DRAW)
    assert (reward, terminated, info["rejection"]) == (0, True, "the game is won")


@pytest.mark.parametrize("action", [-1, 29, 30, 2.5, "28", None, np.array([1, 2])])
def test_actions_out_of_the_space(action: Any) -> None:
    env = started()
    with pytest.raises(ValueError, match="it must be an integer from 0 to 28"):
        env.step(action)


def test_undo_is_an_action_only_where_it_is_allowed() -> None:
    assert started().action_space == gymnasium.spaces.Discrete(29)
    env = started(max_undos=1)
    assert env.action_space == gymnasium.spaces.Discrete(30)
    with pytest.raises(ValueError, match="from 0 to 29"):
        env.step(30)


def test_a_seed_fixes_everything() -> None:
    """The deal of this reset and of those after it; other seeds deal other cards."""
    envs = [TriPeaksEnv(), TriPeaksEnv()]
    codes = [[env.reset(seed=seed)[1]["deal_code"] for seed in (5, None, None)] for env in envs]
    assert codes[0] == codes[1]
    assert len({*codes[0], TriPeaksEnv().reset(seed=6)[1]["deal_code"]}) == 4


@pytest.mark.parametrize("seed", [1.5, True, -1, "7", [1]])
def test_wrong_seeds(seed: Any) -> None:
    """They are refused and leave the deals to come as they were."""
    env, twin = TriPeaksEnv(), TriPeaksEnv()
    for each in (env, twin):
        each.reset(seed=0)
    with pytest.raises(ValueError, match=f"seed is {re.escape(repr(seed))}; it must be an integer of at least 0"):
        env.reset(seed=seed)
    assert env.reset()[1]["deal_code"] == twin.reset()[1]["deal_code"]


def test_a_seed_of_numpy() -> None:
    codes = {TriPeaksEnv().reset(seed=seed)[1]["deal_code"] for seed in (5, np.int64(5), np.uint8(5))}  # type: ignore[arg-type]
    assert len(codes) == 1


def test_foreign_random_numbers_change_nothing() -> None:
    """Nothing is taken from NumPy's global generator, and nothing is left in it."""
    codes = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        state = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
        env = TriPeaksEnv()
        codes.append([env.reset(seed=3)[1]["deal_code"], env.reset()[1]["deal_code"]])
        env.step(DRAW)
        assert np.random.get_state()[1].tolist() == state  # type: ignore[index]  # noqa: NPY002
    assert codes[0] == codes[1]


@pytest.mark.parametrize(("split", "evaluation"), [("train", {False}), ("evaluation", {True}), ("all", {False, True})])
def test_splits(split: Split, evaluation: set[bool]) -> None:
    """A reset deals from the chosen split only, by default never an evaluation deal."""
    env = TriPeaksEnv(split=split)
    codes = [env.reset(seed=0 if i == 0 else None)[1]["deal_code"] for i in range(300)]
    assert {is_evaluation(parse_code(code)[1]) for code in codes} == evaluation
    assert TriPeaksEnv().split == "train"


@pytest.mark.parametrize("deal", [CODE, Deal.from_code(CODE)])
def test_reset_to_a_deal(deal: str | Deal) -> None:
    env = TriPeaksEnv(render_mode="ansi")
    observation, info = env.reset(options={"deal": deal})
    assert same(observation, Game(CODE).observation())
    assert (info["deal_code"], info["score"], info["moves"]) == (CODE, 500, 0)
    assert env.render() == str(Game(CODE))


def test_a_reset_forgets_the_last_rejection() -> None:
    env = started()
    assert env.step(13)[4]["rejection"] == "this card is blocked"
    assert env.reset(seed=0)[1]["rejection"] == ""


def test_reset_to_a_deal_without_code() -> None:
    env = TriPeaksEnv(render_mode="ansi")
    deal = Deal.from_cards(Deal.from_code(CODE).text())
    assert env.reset(options={"deal": deal})[1]["deal_code"] is None
    assert env.render() == str(Game(CODE))


@pytest.mark.parametrize("as_text", [False, True])
def test_reset_to_a_game(as_text: bool) -> None:
    """It goes on from there, undo included, with the environment's own number of undos; the game stays as it is."""
    game = Game(CODE, actions=WORKED_WIN[:36])
    env = TriPeaksEnv(max_undos=1, render_mode="ansi")
    observation, info = env.reset(options={"game": game.to_text() if as_text else game})
    assert (info["score"], info["moves"], info["deal_code"]) == (game.score, 36, CODE)
    assert (observation["undos"].tolist(), observation["action_mask"].tolist()) == ([1], game.action_mask().tolist())
    assert env.render() == str(game)
    steps = play(env, [UNDO, WORKED_WIN[35], *WORKED_WIN[36:]])
    assert sum(step[1] for step in steps) == 750 - game.score
    assert steps[-1][2]
    assert game == Game(CODE, actions=WORKED_WIN[:36])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": "TP1-C-AAAAAAB"}, "for this rule it is 'TP1-E-AAAAAAB'"),
        ({"deal": "TP1-E"}, "has 2 parts"),
        ({"deal": None}, "deal code is None"),
        ({"game": Game("TP1-C-AAAAAAB")}, "the game is played by"),
        ({"game": Game(CODE, actions=WORKED_WIN)}, "the game is won; an episode cannot start from its end"),
        ({"game": "nonsense"}, "saved game is not one line of JSON"),
        (5, "reset options are 5; they must be a mapping"),
        ([], r"reset options are \[\]; they must be a mapping"),
        ("deal", "reset options are 'deal'; they must be a mapping"),
        ({"game": 7}, "saved game is"),
        ({"game": None}, "saved game is"),
        ({"code": CODE}, "reset option is 'code'; it must be one of deal, game"),
        ({"deal": CODE, "game": Game(CODE)}, "both a deal and a game"),
    ],
)
def test_reset_options_that_cannot_be_played(options: dict[str, Any], message: str) -> None:
    """And the episode that was being played is still there."""
    env = started()
    before = env.step(DRAW)[0]
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert same(env.step(13)[0], before)


def test_wild_rules_need_a_deal_with_a_joker() -> None:
    deal = Deal(Deal.from_code(CODE).cards)
    with pytest.raises(ValueError, match="has no joker"):
        TriPeaksEnv(Rules(wild=True)).reset(options={"deal": deal})


def test_options_stay_as_they_are() -> None:
    options = {"game": Game(CODE, actions=[20])}
    kept = copy.deepcopy(options)
    env = TriPeaksEnv(max_undos=2)
    env.reset(options=options)
    play(env, [23, UNDO, UNDO])
    assert options == kept


def test_a_blocked_episode_ends_when_no_undo_is_left() -> None:
    game = Game(CODE, actions=[DRAW] * 23)
    while game.legal_actions():
        game.play(game.legal_actions()[0])
    *start, last = game.line
    steps = play(started(max_undos=2), [*start, last, UNDO, last, UNDO, last])[-5:]
    assert [step[4]["status"] for step in steps] == ["blocked", "playing", "blocked", "playing", "blocked"]
    assert [step[2] for step in steps] == [False, False, False, False, True]
    assert [step[0]["undos"].item() for step in steps] == [2, 1, 1, 0, 0]
    assert [step[0]["action_mask"].sum() for step in steps][::4] == [1, 0]
    assert [step[1] for step in steps] == [-1, 1, -1, 1, -1]
    assert play(started(), [*start, last])[-1][2]


def test_a_blocked_game_is_a_start_only_with_undo() -> None:
    game = Game(CODE, actions=[DRAW] * 23)
    while game.legal_actions():
        game.play(game.legal_actions()[0])
    with pytest.raises(ValueError, match="the game is blocked; an episode cannot start from its end"):
        TriPeaksEnv().reset(options={"game": game})
    observation, _ = TriPeaksEnv(max_undos=1).reset(options={"game": game})
    assert observation["action_mask"].tolist() == [0] * UNDO + [1]


def test_reset_comes_first() -> None:
    env = TriPeaksEnv(render_mode="ansi")
    for call in (lambda: env.step(DRAW), env.render, env.action_masks):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()


def test_endless_illegal_play_is_truncated() -> None:
    """After 300 steps, by the registered limit; the environment itself never truncates."""
    env = gymnasium.make("TriPeaks-v0")
    env.reset(options={"deal": CODE})
    steps = [env.step(13) for _ in range(300)]
    assert [step[3] for step in steps] == [False] * 299 + [True]
    assert not any(step[2] or step[1] for step in steps)
    assert {step[4]["rejection"] for step in steps} == {"this card is blocked"}


def test_an_episode_without_undo_has_few_legal_actions() -> None:
    """At most 53, with joker and empty waste: far below the registered limit."""
    env, rng = gymnasium.make("TriPeaks-v0", rules=Rules(wild=True, empty_waste=True)), np.random.default_rng(0)
    for seed in range(50):
        (observation, _), steps, over = env.reset(seed=seed), 0, False
        while not over:
            observation, _, over, truncated, _ = env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
            steps += 1
        assert not truncated
        assert 25 < steps <= 53


def test_arrays_are_fresh() -> None:
    """Those of one step share no memory with others, and writing into them does not reach the game."""
    env = started(max_undos=1)
    steps = play(env, [20, 23, UNDO])
    arrays = [array for step in steps for array in (*step[0].values(), step[4]["action_mask"], env.action_masks())]
    assert not any(np.shares_memory(a, b) for i, a in enumerate(arrays) for b in arrays[:i])
    for array in arrays:
        array[:] = 1
    tableau = env.step(23)[0]["tableau"]
    assert tableau.tolist() == Game(CODE, actions=[20, 23]).observation()["tableau"].tolist()


def test_masks() -> None:
    """The same in the observation, in the info and under the name that maskable algorithms call."""
    env = started(max_undos=1)
    for action in (20, 23, 22, UNDO):
        observation, _, _, _, info = env.step(action)
        assert observation["action_mask"].tolist() == info["action_mask"].tolist() == env.action_masks().tolist()
        assert env.action_masks().dtype == np.bool_


def test_rendering() -> None:
    assert started().render() is None
    env = started(render_mode="ansi", max_undos=1)
    for length, action in enumerate(WORKED_WIN, 1):
        env.step(action)
        assert env.render() == str(Game(CODE, actions=WORKED_WIN[:length]))


def test_rendering_of_a_random_deal() -> None:
    env = TriPeaksEnv(render_mode="ansi")
    code = env.reset(seed=0)[1]["deal_code"]
    assert env.render() == str(Game(code))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rules": "hard"}, "rules is 'hard'; it must be one of easy, classic, traditional"),
        ({"reward": "points"}, "reward is 'points'; it must be one of score, win"),
        ({"max_undos": -1}, "max_undos is -1; it must be an integer from 0 to 100"),
        ({"max_undos": 101}, "max_undos is 101; it must be an integer from 0 to 100"),
        ({"max_undos": "3"}, "max_undos is '3'; it must be an integer from 0 to 100"),
        ({"render_mode": "svg"}, "render_mode is 'svg'; it must be None or one of human, rgb_array, ansi"),
        ({"split": "test"}, "split is 'test'; it must be one of train, evaluation, all"),
    ],
)
def test_arguments_that_are_not_allowed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TriPeaksEnv(**arguments)


@pytest.mark.slow
def test_importing_compiles_and_builds_nothing() -> None:
    """No kernel has machine code, no lattice exists, and nothing of the benchmark is loaded."""
    code = (
        "import sys, tripeaks_env\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "from tripeaks_env.solver.lattice import lattice\n"
        "modules = [module for name, module in sys.modules.items() if name.startswith('tripeaks_env')]\n"
        "kernels = [value for module in modules for value in vars(module).values() if isinstance(value, Dispatcher)]\n"
        "print(len(kernels) > 10, sum(len(kernel.signatures) for kernel in kernels), lattice.cache_info().currsize)\n"
        "print([name for name in ('torch', 'stable_baselines3', 'pandas', 'agents', 'experiments') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stderr, done.stdout) == ("", "True 0 0\n[]\n")


def test_a_wrong_option_leaves_the_random_generator_alone() -> None:
    env = TriPeaksEnv()
    env.reset(seed=5)
    expected = env.reset()[1]["deal_code"]
    env.reset(seed=5)
    with pytest.raises(ValueError, match="reset option"):
        env.reset(seed=6, options={"speed": 1})
    assert env.reset()[1]["deal_code"] == expected
