"""Every registered environment: what its users may rely on."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from tests.bounds import score_bounds
from tests.env.test_vector import assert_equal, choose
from tripeaks_env import (
    ENVIRONMENTS,
    Deal,
    Game,
    TriPeaksEnv,
    TriPeaksVectorEnv,
    is_evaluation,
    sample_actions,
    solve_many,
)
from tripeaks_env.game.deals import parse_code
from tripeaks_env.game.observation import num_actions
from tripeaks_env.game.rules import as_rules

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

every_environment = pytest.mark.parametrize("name", ENVIRONMENTS)


def returns(name: str, games: int, greedy: bool, **kwargs: Any) -> tuple[list[float], list[str]]:
    """Play at least that many whole games with random legal actions; return their returns and deal codes."""
    env = gymnasium.make_vec(name, num_envs=100, autoreset_mode=AutoresetMode.SAME_STEP, **kwargs)
    rng = np.random.default_rng(0)
    observation, _ = env.reset(seed=0)
    totals = np.zeros(100)
    found: list[float] = []
    codes: list[str] = []
    while len(found) < games:
        mask = observation["action_mask"].copy()
        if greedy:
            mask[mask[:, :28].any(axis=1), 28:] = 0
        observation, rewards, terminated, truncated, infos = env.step(sample_actions(mask, rng))
        assert not truncated.any()
        totals += rewards
        found += totals[terminated].tolist()
        codes += infos["final_info"]["deal_code"][terminated].tolist() if terminated.any() else []
        totals[terminated] = 0
    return found, codes


@every_environment
def test_makes_what_it_says(name: str) -> None:
    """The id, with and without the module, makes the environment of its arguments, single and vector."""
    arguments = ENVIRONMENTS[name]
    for env in (gymnasium.make(name), gymnasium.make(f"tripeaks_env:{name}")):
        single = env.unwrapped
        assert isinstance(single, TriPeaksEnv)
        assert single.rules == as_rules(arguments.get("rules", "easy"))
        assert single.max_undos == arguments.get("max_undos", 0)
        assert env.spec is not None
        assert env.spec.max_episode_steps == 300
    assert isinstance(gymnasium.make_vec(name, num_envs=2), TriPeaksVectorEnv)
    check_env(gymnasium.make(name).unwrapped)


@every_environment
def test_masks_tell_the_truth(name: str) -> None:
    """Of every action in random games, exactly the masked ones are carried out; a seed repeats the game."""
    env, again = gymnasium.make(name), gymnasium.make(name)
    rng = np.random.default_rng(0)
    for seed in range(4):
        shown: Any = env.reset(seed=seed)
        assert_equal(shown, again.reset(seed=seed))
        observation, info = shown
        assert not is_evaluation(parse_code(info["deal_code"])[1])
        over = False
        while not over:
            action = choose(rng, observation["action_mask"][None])[0]
            legal = observation["action_mask"][action]
            shown = env.step(action)
            assert_equal(shown, again.step(action))
            observation, reward, over, truncated, info = shown
            assert (info["rejection"] == "") == legal
            assert legal or reward == 0
            assert env.observation_space.contains(observation)
            assert not truncated


@every_environment
def test_single_and_vector_are_equal(name: str) -> None:
    native = gymnasium.make_vec(name, num_envs=8)
    sync = gymnasium.make_vec(name, num_envs=8, vectorization_mode="sync")
    rng = np.random.default_rng(0)
    shown, expected = native.reset(seed=3), sync.reset(seed=3)
    for _ in range(120):
        assert_equal(shown, expected)
        actions = choose(rng, shown[0]["action_mask"])
        shown, expected = native.step(actions), sync.step(actions)  # type: ignore[assignment]


@every_environment
@pytest.mark.parametrize("greedy", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_returns_are_within_the_bounds_and_below_the_optimum(name: str, greedy: bool) -> None:
    rules = as_rules(ENVIRONMENTS[name].get("rules", "easy"))
    start = rules.scoring.start
    found, codes = returns(name, 300, greedy)
    low, high = score_bounds(rules)
    assert low <= start + min(found) < start + max(found) <= high
    best = solve_many(codes[:20], rules)
    assert (start + np.array(found[:20]) <= best.scores).all()
    assert (best.scores <= high).all()


@every_environment
def test_a_win_is_the_only_reward_if_asked_for(name: str) -> None:
    found, _ = returns(name, 300, greedy=True, reward="win")
    assert set(found) == {0.0, 1.0}


@every_environment
def test_documented_figures(name: str) -> None:
    """The table of environments in the README has its arguments, number of actions and bounds of score and return."""
    arguments = ENVIRONMENTS[name]
    rules = as_rules(arguments.get("rules", "easy"))
    low, high = score_bounds(rules)
    start = rules.scoring.start
    actions = num_actions(arguments.get("max_undos", 0))
    figures = f"| {actions} | {low - start} to {high - start} | {high} |".replace("-", "−")
    row = next(line for line in README.splitlines() if line.startswith(f"| `{name}` |"))
    assert row.endswith(figures), figures
    for argument, value in arguments.items():
        shown = f'"{value}"' if isinstance(value, str) else value
        assert f"`{argument}={shown}`" in row


def test_the_highest_score_can_be_reached() -> None:
    """An ordered deal that is played without a draw."""
    order = "8C 7C 6C 5C 4C 3C 2C AC KC QC JC TC 9C 8D 7D 6D 5D 4D 3D 2D AD KD QD JD TD 9D 8H 7H".split()
    rest = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK" if rank + suit not in order]
    rest.sort(key=lambda card: card != "6H")
    game = Game(Deal.from_cards(" ".join([*order, *rest])))
    for position in reversed(range(28)):
        assert game.play(position).accepted
    assert game.score == score_bounds(game.rules)[1] == 772
