"""The agents whose networks are shipped: fair, reproducible, and better than the simple ones."""

import random
from typing import Any

import numpy as np
import pytest

import agents
from agents import Agent
from agents.learned.checkpoint import SHIPPED
from experiments.games.play import play
from tests.agents.test_agents import play as play_legally
from tests.agents.test_search import positions
from tests.common import exhaustive, slow
from tests.env.test_no_leak import pairs
from tripeaks_env import Rules
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.observation import observe
from tripeaks_env.game.rules import PRESETS

SHIPPED_AGENTS = ("ppo", "network", "lookahead")
SHIPPED_RULES = ("easy", "classic")

every_agent = pytest.mark.parametrize("name", SHIPPED_AGENTS)
both_rules = pytest.mark.parametrize("rules", [PRESETS[name] for name in SHIPPED_RULES], ids=str)


def choose(agent: Agent, games: np.ndarray, rules: Rules) -> list[int]:
    observation = observe(games, rules)
    return agent.act(observation, observation["action_mask"]).tolist()


def training_deals(number: int) -> list[int]:
    return random_numbers(np.random.default_rng(11), "train", number).tolist()


def test_checkpoints_are_small_and_cannot_run_code() -> None:
    files = [file for file in SHIPPED.iterdir() if file.is_file()]
    assert {file.suffix for file in files} == {".safetensors"}
    assert sum(file.stat().st_size for file in files) < 10_000_000


@every_agent
@both_rules
def test_moves_are_legal_and_depend_on_what_is_seen_alone(name: str, rules: Rules) -> None:
    """In whole games; alone as in a batch; whatever the hidden cards, the seed and foreign random numbers are."""
    agent = agents.make(name, rules)
    assert len(play_legally(agent, rules, training_deals(5))[0]) == 5
    games = positions(rules)
    together = choose(agent, games, rules)
    assert together == [choose(agent, games[i : i + 1], rules)[0] for i in range(len(games))]
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    assert choose(agents.make(name, rules, seed=5), games, rules) == together
    real, twins = (np.concatenate([game.record for game in each]) for each in zip(*pairs(rules)[:30], strict=True))
    assert choose(agent, real, rules) == choose(agent, twins, rules)


@every_agent
def test_other_rules_are_refused(name: str) -> None:
    for preset in set(PRESETS) - set(SHIPPED_RULES):
        with pytest.raises(ValueError, match=rf"no checkpoint at .* for the rules {preset}; shipped are "):
            agents.make(name, preset)


@pytest.mark.parametrize("rules", [Rules.easy, Rules.classic], ids=str)
@pytest.mark.parametrize(
    ("name", "other"), [*slow(("network", "ppo"), ("ppo", "greedy")), *exhaustive(("network", "opener"))]
)
def test_networks_win_more(name: str, other: str, rules: Rules) -> None:
    """On the same 3,000 training deals, by more than three standard errors."""
    deals = training_deals(3000)
    won, won_by_other = (play(agents.make(each, rules), deals, rules).games["remaining"] == 0 for each in (name, other))
    better = won.astype(float) - won_by_other
    assert better.mean() > 3 * better.std() / len(better) ** 0.5


def test_time_as_budget_of_the_lookahead() -> None:
    """With next to no time it plays what it sees at first sight, with enough of it what the deeper search finds."""
    games = positions(Rules.easy)
    shallow, deep = (choose(agents.make("lookahead", depth=depth), games, Rules.easy) for depth in (1, 2))
    assert choose(agents.make("lookahead", depth=2, milliseconds=300.0), games[:2], Rules.easy) == deep[:2]
    assert choose(agents.make("lookahead", simulations=1), games, Rules.easy) == shallow


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "depth is 0; it must be an integer of at least 1, and at most 6"),
        ({"width": -1}, "width is -1; it must be a number of at least 0"),
        ({"simulations": 0}, "simulations is 0; it must be an integer of at least 1"),
        ({"milliseconds": 0}, "milliseconds is 0; it must be a number above 0"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make("lookahead", **options)
