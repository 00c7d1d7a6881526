"""Agents that search without a network: fair, reproducible, and right where the truth can be counted out."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import count, islice, permutations
from math import sqrt
from typing import Any, Literal

import numpy as np
import pytest

import agents
from agents.search.agent import SearchAgent, all_known
from agents.search.halving import halve, worlds_per_round
from agents.search.ismcts import Options, new_tree, search_in_worlds, sight
from agents.search.playouts import POLICIES
from agents.search.worlds import deal_hidden, games_as_seen
from agents.simple import frees
from tests.agents.test_agents import play
from tests.common import RULES, additive_rules, endgame, every_rules, exhaustive, random_game, slow
from tests.env.test_no_leak import pairs
from tests.naive import COVERS, DRAW, NaiveGame, naive_choice, naive_ends, naive_luck
from tripeaks_env import Game, Rules, Scoring
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import new_games, play_actions, step, tables
from tripeaks_env.game.observation import observe
from tripeaks_env.solver.every_action import values_of_actions

SMALL: dict[str, dict[str, Any]] = {
    "rollout": {"simulations": 30},
    "pimc": {"worlds": 3},
    "ismcts": {"simulations": 60, "visits": 1},
}
"""The agents, with budgets that make tests fast."""
SEARCHES = list(SMALL)

every_search = pytest.mark.parametrize("name", SEARCHES)


def make(name: str, rules: Rules = Rules.easy, seed: int = 0, **options: Any) -> SearchAgent:
    agent = agents.make(name, rules, seed, **{**SMALL[name], **options})
    assert isinstance(agent, SearchAgent)
    return agent


def training_deals(number: int) -> list[int]:
    return random_numbers(np.random.default_rng(2), size=number).tolist()


def choose(agent: SearchAgent, games: np.ndarray) -> list[int]:
    observation = observe(games, agent.rules)
    return agent.act(observation, observation["action_mask"]).tolist()


def as_seen(games: np.ndarray, rules: Rules) -> np.ndarray:
    return games_as_seen(observe(games, rules), rules)


@cache
def positions(rules: Rules, number: int = 20) -> np.ndarray:
    """Return random games with a choice."""
    games = (random_game(rules, seed, undos=False) for seed in count())
    return np.concatenate([game.record for game in islice((g for g in games if len(g.legal_actions()) > 1), number)])


@every_rules
@pytest.mark.parametrize("name", ["rollout", "ismcts"])
def test_whole_games(name: str, rules: Rules) -> None:
    """All moves are legal to the end, under all rules."""
    assert len(play(make(name, rules), rules, training_deals(3))[0]) == 3


@additive_rules
def test_pimc_plays_by_all_rules_without_streaks(rules: Rules) -> None:
    games = positions(rules)[:4]
    actions = choose(make("pimc", rules), games)
    assert observe(games, rules)["action_mask"][np.arange(4), actions].all()


def test_pimc_refuses_streaks() -> None:
    """Its solver does not know them."""
    with pytest.raises(ValueError, match="pimc does not play by streak scoring"):
        make("pimc", Rules.traditional)


@every_search
def test_many_games_as_one_by_one(name: str) -> None:
    for rules in (Rules.easy, RULES["wild-empty-stuck"]):
        agent, games = make(name, rules), positions(rules)[:8]
        assert choose(agent, games) == [choose(agent, games[i : i + 1])[0] for i in range(len(games))]


@every_search
def test_seeds(name: str) -> None:
    """The same seed makes the same moves, whatever was played before; another seed makes others."""
    games = positions(Rules.easy)[:10]
    agent = make(name, seed=4)
    first = choose(agent, games)
    assert choose(agent, games) == choose(make(name, seed=4), games) == first
    assert choose(make(name, seed=5), games) != first


@every_search
def test_foreign_random_numbers_change_nothing(name: str) -> None:
    choices = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        choices.append(choose(make(name), positions(Rules.easy)[:8]))
    assert choices[0] == choices[1]


@every_search
@pytest.mark.parametrize("rules_name", ["wild-empty-classic", *slow("easy", "open")])
def test_hidden_cards_change_nothing(name: str, rules_name: str) -> None:
    """Games that differ in hidden cards only get the same action."""
    rules = RULES[rules_name]
    agent = make(name, rules)
    games, twins = (np.concatenate([game.record for game in each]) for each in zip(*pairs(rules)[:12], strict=True))
    assert choose(agent, games) == choose(agent, twins)


@every_search
def test_undo_is_left_alone(name: str) -> None:
    """With undo allowed the agent plays what it would without, and takes back only what it must."""
    agent, games = make(name), positions(Rules.easy, 5).copy()
    expected = choose(agent, games)
    games["undos_left"], games["length"] = 3, 1
    observation = observe(games, Rules.easy, max_undos=3)
    assert observation["action_mask"][:, 29].all()
    assert agent.act(observation, observation["action_mask"]).tolist() == expected
    only_undo = np.zeros((5, 30), dtype=np.int8)
    only_undo[:, 29] = 1
    assert agent.act(observation, only_undo).tolist() == [29] * 5


@every_search
def test_time_as_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is kept, and used well, where every simulation takes a tenth of a millisecond; what is played is legal."""
    games = positions(Rules.easy, 6)
    observation = observe(games, Rules.easy)
    agent = make(name, milliseconds=30)
    now, search = 0.0, agent.search

    def timed_search(games: np.ndarray, simulations: int) -> np.ndarray:
        nonlocal now
        now += simulations / 10_000
        return search(games, simulations)

    monkeypatch.setattr(agent, "search", timed_search)
    monkeypatch.setattr("agents.search.agent.perf_counter", lambda: now)
    actions = agent.act(observation, observation["action_mask"])
    assert 0.8 * 6 * 0.03 < now <= 6 * 0.03
    assert observation["action_mask"][np.arange(len(games)), actions].all()


@cache
def known_games(rules: Rules) -> np.ndarray:
    """Return games with a choice in which nothing is unknown any more."""
    agent, found = agents.make("greedy", rules), []
    games = new_games(number_slots(np.array(training_deals(2000)), rules), rules)
    while len(games):
        observation = observe(games, rules)
        choice = np.count_nonzero(observation["action_mask"], axis=1) > 1
        found.append(games[choice & all_known(as_seen(games, rules), rules)])
        over = play_actions(games, agent.act(observation, observation["action_mask"]), rules).over
        games = games[~over]
    return np.concatenate(found)[:15]


@every_search
@pytest.mark.parametrize("rules_name", ["easy", "traditional", "wild", "draws-pay"])
def test_exact_where_nothing_is_unknown(name: str, rules_name: str) -> None:
    """There every move is one of the best, as the solver, which sees all cards, finds them."""
    rules = RULES[rules_name]
    if name == "pimc" and rules.scoring.streak:
        return
    games = known_games(rules)
    assert len(games) == 15
    for i, action in enumerate(choose(make(name, rules), games)):
        values = values_of_actions(games[i : i + 1], rules)[0]
        assert values[action] == np.nanmax(values)


def hidden_places(game: NaiveGame) -> list[int]:
    """Return the face-down positions, then the places in the stock as 100, 101, ..."""
    down = [position for position, value in enumerate(game.observation()["tableau"]) if value == 14]
    return down + [100 + i for i in range(len(game.stock))]


def naive_worlds(game: NaiveGame) -> list[NaiveGame]:
    """Return the game with its hidden cards in all orders."""
    places = hidden_places(game)
    cards = [game.tableau[place] if place < 100 else game.stock[place - 100] for place in places]
    worlds = []
    for order in permutations(cards):
        world = game.copy()
        for place, card in zip(places, order, strict=True):
            if place < 100:
                world.tableau[place] = card
            else:
                world.stock[place - 100] = card
        if "*" not in world.tableau.values():
            worlds.append(world)
    return worlds


def naive_policy(game: NaiveGame, policy: str) -> list[int]:
    """Return the actions among which a playout chooses uniformly."""
    removals = game.removals()
    if policy == "opener" and removals:
        turned = {}
        for removal in removals:
            after = game.tableau.keys() - {removal}
            turned[removal] = sum(removal in COVERS[p] and after.isdisjoint(COVERS[p]) for p in game.tableau)
        removals = [removal for removal in removals if turned[removal] == max(turned.values())]
    return removals or [DRAW]


def naive_expectation(game: NaiveGame, policy: str) -> Fraction:
    """Return the expected final score of a playout with all cards fixed."""
    if game.status() != "playing":
        return Fraction(game.score)
    actions = naive_policy(game, policy)
    return sum((naive_expectation(played(game, action), policy) for action in actions), Fraction(0)) / len(actions)


def naive_fair_values(worlds: list[NaiveGame]) -> dict[int, Fraction]:
    """Return the best expected final score of fair play after each action, in a game that may be any of some worlds."""
    return {
        action: sum(
            (len(alike) * naive_fair_value(alike) for alike in told_apart([played(w, action) for w in worlds])),
            Fraction(0),
        )
        / len(worlds)
        for action in worlds[0].legal_actions()
    }


def naive_fair_value(worlds: list[NaiveGame]) -> Fraction:
    if worlds[0].status() != "playing":
        return Fraction(worlds[0].score)
    return max(naive_fair_values(worlds).values())


def told_apart(worlds: list[NaiveGame]) -> list[list[NaiveGame]]:
    """Return worlds in groups of those that look the same."""
    groups: dict[str, list[NaiveGame]] = {}
    for world in worlds:
        groups.setdefault(str(world.observation()), []).append(world)
    return list(groups.values())


def played(game: NaiveGame, action: int) -> NaiveGame:
    after = game.copy()
    assert after.play(action) is None
    return after


def small_endgames(rules: Rules, tableau: int, stock: int, number: int) -> Iterator[tuple[Game, NaiveGame]]:
    """Yield endgames with a choice in which something, but little, is unknown."""
    games = (endgame(rules, seed, tableau, stock) for seed in count())
    wanted = (
        (game, naive)
        for game, naive in games
        if len(game.legal_actions()) > 1
        and len(hidden_places(naive)) <= 4
        and not all_known(as_seen(game.record, rules), rules)[0]
    )
    return islice(wanted, number)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ["traditional", *slow("easy", "wild")])
def test_rollouts_have_the_right_mean(name: str, policy: str) -> None:
    """That of the playout policy over all worlds and all its choices, counted out."""
    rules, simulations = RULES[name], 40_000
    for game, naive in small_endgames(rules, 6, 3, 3):
        actions, means = np.empty(1, dtype=np.int64), np.empty((1, 29))
        record = as_seen(game.record, rules)
        options = Options(POLICIES.index(policy), 0.0)
        search_in_worlds(record, tables(rules), 0, simulations, options, new_tree(0), actions, means)
        legal = game.legal_actions()
        worlds = naive_worlds(naive)
        tried = worlds_per_round(simulations, len(legal), len(legal))
        assert np.flatnonzero(~np.isnan(means[0])).tolist() == legal
        for action in legal:
            values = [naive_expectation(played(world, action), policy) - game.score for world in worlds]
            expected = float(sum(values, Fraction(0)) / len(values))
            assert abs(means[0, action] - expected) < 4 * 150 / sqrt(tried)


def test_a_win_is_worth_its_bonus() -> None:
    """Of the worth of a bonus, a share is added that is the chance to win."""
    game, naive = next(small_endgames(Rules.easy, 6, 3, 1))
    means = np.empty((2, 1, 29))
    for bonus, found in zip((0.0, 1000.0), means, strict=True):
        record, actions = as_seen(game.record, Rules.easy), np.empty(1, dtype=np.int64)
        options = Options(POLICIES.index("greedy"), bonus)
        search_in_worlds(record, tables(Rules.easy), 0, 4000, options, new_tree(0), actions, found)
    for action in game.legal_actions():
        wins = [naive_luck(played(world, action)) for world in naive_worlds(naive)]
        expected = float(sum(wins, Fraction(0)) / len(wins))
        assert (means[1, 0, action] - means[0, 0, action]) / 1000 == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("name", ["easy", *slow("traditional")])
def test_tree_search_finds_fair_play(name: str) -> None:
    """Its moves are as good as the best that can be counted out, though playouts know less than the tree."""
    rules = RULES[name]
    agent = make("ismcts", rules, simulations=4000, exploration=0.5)
    for game, naive in small_endgames(rules, 6, 3, 12):
        values = naive_fair_values(naive_worlds(naive))
        assert values[choose(agent, game.record)[0]] >= max(values.values()) - 2


@every_rules
def test_sights_tell_what_is_seen(rules: Rules) -> None:
    """Two games that a search comes to have the same hash if, and only if, they look the same."""
    rng, state, root = random.Random(0), np.zeros(1, dtype=np.uint64), as_seen(positions(rules, 1), rules)
    table = tables(rules)[0]
    looks: dict[bytes, np.uint64] = {}
    for _ in range(400):
        world = root.copy()
        deal_hidden(world[0], table, state)
        for _ in range(rng.randrange(1, 6)):
            legal = np.flatnonzero(observe(world, rules)["action_mask"][0]).tolist()
            if legal:
                step(world[0], rng.choice(legal), table)
        look = b"".join(part.tobytes() for part in observe(world, rules).values())
        assert looks.setdefault(look, sight(world[0], table)) == sight(world[0], table)
    assert len(set(looks.values())) == len(looks) > 20


@pytest.mark.parametrize("name", ["easy", "wild-empty-classic"])
def test_known_games_have_one_world(name: str) -> None:
    """Sampling worlds again and again gives the same one if, and only if, all is known."""
    rules, state = RULES[name], np.zeros(1, dtype=np.uint64)
    known = []
    for seed in range(60):
        game, _ = endgame(rules, seed, tableau=5, stock=2)
        record = as_seen(game.record, rules)
        dealt = np.repeat(record, 60)
        for world in dealt:
            deal_hidden(world, tables(rules)[0], state)
        known.append(bool(all_known(record, rules)[0]))
        assert (len({world.tobytes() for world in dealt}) == 1) == known[-1]
    assert 0 < sum(known) < len(known)


def test_halving_spends_the_budget() -> None:
    for simulations in (1, 10, 100, 1000, 12345):
        for actions in range(2, 30):
            left, spent = actions, 0
            while left > 1:
                spent += left * worlds_per_round(simulations, left, actions)
                order = np.arange(29)
                left = halve(order, left, np.zeros(29))
                assert order.tolist() == list(range(29))  # equals keep their order
            assert spent <= max(simulations, 2 * actions + 4)
            assert spent > simulations * 0.9 - 4 * actions


def test_halving_keeps_the_best() -> None:
    totals, order = np.zeros(29), np.array([3, 5, 7, 9, 11] + [0] * 24)
    totals[[3, 5, 7, 9, 11]] = [1, 4, 2, 4, 3]
    assert halve(order, 5, totals) == 3
    assert order[:5].tolist() == [5, 9, 11, 7, 3]


@pytest.mark.slow
def test_rollouts_beat_the_policies_they_play() -> None:
    """On the same deals, by more than chance would do."""
    numbers = training_deals(250)
    searched = play(make("rollout", simulations=200), Rules.easy, numbers)[0]["score"]
    for name in ("greedy", "opener"):
        gained = searched - play(agents.make(name), Rules.easy, numbers)[0]["score"]
        assert gained.mean() > 2.5 * gained.std() / sqrt(len(gained))


@pytest.mark.parametrize("deals", [*slow(100), *exhaustive(300)])
def test_tree_search_beats_the_opener(deals: int) -> None:
    """With the options that it has by default."""
    numbers = training_deals(deals)
    gained = play(agents.make("ismcts"), Rules.easy, numbers)[0]["score"].astype(float)
    gained -= play(agents.make("opener"), Rules.easy, numbers)[0]["score"]
    assert gained.mean() > 2.5 * gained.std() / sqrt(len(gained))


def test_pimc_among_equals() -> None:
    """Where nothing counts, a removal goes before the draw, then the one that turns up most, then the lowest position."""
    rules = Rules(scoring=Scoring(removal=0, draw=0, peaks=(0, 0, 0)))
    games = positions(rules)
    observation = observe(games, rules)
    turned, mask = frees(observation), observation["action_mask"]
    for i, action in enumerate(choose(make("pimc", rules), games)):
        removals = np.flatnonzero(mask[i, :DRAW])
        assert action == (removals[turned[i, removals].argmax()] if len(removals) else DRAW)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["score", "win"])
def test_pimc_averages_the_optimum(objective: Literal["score", "win"]) -> None:
    """In endgames with many worlds a draw, what it takes is best on average over all orders of the hidden cards."""
    agent = make("pimc", worlds=2000, objective=objective)
    for game, naive in small_endgames(Rules.easy, 6, 3, 6):
        means = {}
        for action in game.legal_actions():
            ends = [naive_choice(naive_ends(played(world, action)), objective) for world in naive_worlds(naive)]
            means[action] = sum(end[2] + 1000 * end[0] * (objective == "win") for end in ends) / len(ends)
        assert means[choose(agent, game.record)[0]] >= max(means.values()) - 10


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        *((name, {"milliseconds": 0}, "milliseconds is 0; it must be a number above 0") for name in SEARCHES),
        *((name, {"milliseconds": "5"}, "milliseconds is '5'; it must be a number above 0") for name in SEARCHES),
        ("rollout", {"simulations": 0}, "simulations is 0; it must be an integer of at least 1"),
        ("rollout", {"simulations": 2.5}, "simulations is 2.5; it must be an integer"),
        ("rollout", {"playout": "best"}, "playout is 'best'; it must be one of greedy, opener"),
        ("rollout", {"win_bonus": -1}, "win_bonus is -1; it must be a number of at least 0"),
        ("rollout", {"win_bonus": float("nan")}, "win_bonus is nan; it must be a number of at least 0"),
        ("pimc", {"worlds": True}, "worlds is True; it must be an integer of at least 1"),
        ("pimc", {"objective": "moves"}, "objective is 'moves'; it must be one of score, win"),
        ("ismcts", {"exploration": -0.1}, "exploration is -0.1; it must be a number of at least 0"),
        ("ismcts", {"visits": 0}, "visits is 0; it must be an integer of at least 1"),
        ("ismcts", {"prior": 0}, "prior is 0; it must be a number above 0"),
        ("ismcts", {"playout": ["opener"]}, "playout is .'opener'.; it must be one of greedy, opener"),
    ],
)
def test_options_that_are_not_allowed(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.make(name, **options)


@every_search
def test_seed_that_is_not_allowed(name: str) -> None:
    with pytest.raises(ValueError, match="seed is -1; it must be an integer of at least 0"):
        agents.make(name, seed=-1)


@pytest.mark.slow
@every_search
def test_plain_python(name: str) -> None:
    """Without the compiler the same moves come out, without any warning."""
    code = (
        "import agents\n"
        "from tripeaks_env import Game\n"
        f"options = {SMALL[name]!r}\n"
        "game = Game('TP1-E-AAAAAAB', actions=[20, 23, 22, 18, 21, 19, 9, 13, 25, 26])\n"
        "seen = {part: array[None] for part, array in game.observation().items()}\n"
        f"agent = agents.make({name!r}, **options)\n"
        "print(agent.act(seen, game.action_mask()[None, :29]))"
    )
    shown = []
    for plain in ("0", "1"):
        command = [sys.executable, "-W", "error", "-c", code]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
        shown.append((done.stderr, done.stdout))
    assert shown[0] == shown[1]
    assert shown[0][1]
