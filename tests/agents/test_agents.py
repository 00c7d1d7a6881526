import random
from collections.abc import Sequence
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np
import pytest

import agents
from agents import Agent, OracleAgent
from tests.common import RULES, additive_rules, every_rules, random_game, swept
from tripeaks_env import Deal, Game, Rules, solve
from tripeaks_env.game.deals import NUM_DEALS, lay_out, shuffle
from tripeaks_env.game.engine import DRAW, new_games, play_actions
from tripeaks_env.game.observation import observe

FAIR = ("random", "greedy", "opener")


def deals(number: int) -> list[int]:
    rng = random.Random(0)
    return [rng.randrange(NUM_DEALS) for _ in range(number)]


def play(agent: Agent, rules: Rules, numbers: list[int]) -> tuple[np.ndarray, list[list[int]]]:
    """Play games to their ends; return them and the actions of each round. Every action must be legal."""
    games = new_games(lay_out(*shuffle(numbers), rules), rules)
    going, rounds = np.arange(len(games)), []
    while len(going):
        now = games[going]
        observation = observe(now, rules)
        if isinstance(agent, OracleAgent):
            agent.reveal(now, rules)
        actions = agent.act(observation, observation["action_mask"])
        assert observation["action_mask"][np.arange(len(now)), actions].all()
        _, rejections, over = play_actions(now, actions, rules)
        assert not rejections.any()
        games[going] = now
        rounds.append(actions.tolist())
        going = going[~over]
    return games, rounds


@cache
def positions(rules: Rules) -> tuple[Game, ...]:
    """Return a hundred random games that can still be played."""
    games = (random_game(rules, seed) for seed in count())
    return tuple(islice((game for game in games if game.legal_actions()), 100))


def act(name: str, rules: Rules, games: Sequence[Game]) -> list[int]:
    """Return the actions of a new agent in these games."""
    observation = observe(np.concatenate([game.record for game in games]), rules)
    return agents.make(name, rules).act(observation, observation["action_mask"]).tolist()


@every_rules
@pytest.mark.parametrize("name", FAIR)
def test_fair_agents(rules: Rules, name: str) -> None:
    """They play legally to the end; the same seed makes the same moves, another seed makes others."""
    first, again, other = (play(agents.make(name, rules, seed=seed), rules, deals(40)) for seed in (1, 1, 2))
    assert first[1] == again[1]
    assert (first[0] == again[0]).all()
    assert first[1] != other[1]


@pytest.mark.parametrize("name", [*FAIR, "oracle"])
def test_foreign_random_numbers_change_nothing(name: str) -> None:
    """Agents have generators of their own."""
    rounds = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        rounds.append(play(agents.make(name, seed=5), Rules.easy, deals(10))[1])
    assert rounds[0] == rounds[1]


@every_rules
@pytest.mark.parametrize("name", ["greedy", "opener"])
def test_draws_only_when_no_card_can_be_removed(rules: Rules, name: str) -> None:
    games = positions(rules)
    actions = act(name, rules, games)
    assert [action == DRAW for action in actions] == [game.legal_actions() == [DRAW] for game in games]
    assert DRAW in actions


def test_random_draws_although_a_card_can_be_removed() -> None:
    games = [game for game in positions(Rules.easy) if DRAW in game.legal_actions() != [DRAW]]
    assert 0 < act("random", Rules.easy, games).count(DRAW) < len(games)


@swept({name: rules for name, rules in RULES.items() if not rules.open_peaks})
def test_opener_removes_what_turns_up_the_most(rules: Rules) -> None:
    """As the outcomes of playing each removal tell."""
    games = [game for game in positions(rules) if game.legal_actions() != [DRAW]]
    best = 0
    for game, action in zip(games, act("opener", rules, games), strict=True):
        removals = [removal for removal in game.legal_actions() if removal != DRAW]
        turned = {removal: len(game.copy().play(removal).turned_up) for removal in removals}
        assert turned[action] == max(turned.values())
        best = max(best, turned[action])
    assert best > 0


def test_opener_chooses_among_equals_at_random() -> None:
    """At the start nothing turns up a card: each of the three removals of AAAAAAB is taken at times."""
    actions = act("opener", Rules.easy, [Game("TP1-E-AAAAAAB")] * 300)
    assert {action: actions.count(action) > 60 for action in set(actions)} == {20: True, 22: True, 24: True}


@additive_rules
def test_oracle_reaches_the_optimum(rules: Rules) -> None:
    numbers = deals(30)
    games, _ = play(agents.make("oracle", rules), rules, numbers)
    assert games["score"].tolist() == [solve(Deal.from_number(number), rules).score for number in numbers]


@pytest.mark.slow
def test_oracle_goes_on_from_any_position() -> None:
    """Also from positions that its own line does not pass, and with the same cards twice in a batch."""
    oracle = agents.make("oracle")
    assert isinstance(oracle, OracleAgent)
    for game in map(Game.copy, positions(Rules.easy)):
        while game.legal_actions():
            best = solve(game).score
            records = np.concatenate([game.record, Game(game.deal).record])
            oracle.reveal(records, Rules.easy)
            observation = observe(records, Rules.easy)
            action = int(oracle.act(observation, observation["action_mask"])[0])
            outcome = game.play(action)
            assert (outcome.accepted, solve(game).score) == (True, best)
            if game.legal_actions():
                game.play(game.legal_actions()[-1])


def test_only_the_oracle_sees_all_cards() -> None:
    shown = {name: isinstance(agents.make(name), OracleAgent) for name in (*FAIR, "oracle")}
    assert shown == {"random": False, "greedy": False, "opener": False, "oracle": True}


def test_agents_of_other_modules() -> None:
    agent: Any = agents.make("agents.simple:GreedyAgent", "classic", seed=4)
    expected: Any = agents.make("greedy", "classic", seed=4)
    assert type(agent) is type(expected)
    assert agent.rng.bit_generator.state == expected.rng.bit_generator.state


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nobody", "agent is 'nobody'; it must be one of random, greedy, opener, .*, or module:Class"),
        ("", "agent is ''; it must be one of"),
        ("no_such_module:Agent", "agent 'no_such_module:Agent' cannot be made: .*No module named 'no_such_module'"),
        ("agents.simple:Nobody", "agent 'agents.simple:Nobody' cannot be made: .* no attribute 'Nobody'"),
        ("builtins:dict", "agent 'builtins:dict' has no method act"),
    ],
)
def test_agents_that_cannot_be_made(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make(name)


def test_agents_of_rules_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="rules is 'hard'"):
        agents.make("random", "hard")


def test_oracle_plans_for_the_rules_it_plays_by() -> None:
    oracle = agents.make("oracle")
    assert isinstance(oracle, agents.OracleAgent)
    for rules in (Rules.easy, Rules.classic):
        games = new_games(lay_out(*shuffle(range(40)), rules), rules)
        oracle.reveal(games, rules)
        mask = observe(games, rules)["action_mask"]
        assert mask[np.arange(40), oracle.act({}, mask)].all()
