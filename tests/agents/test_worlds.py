"""Games made from observations, and the worlds that are sampled for them."""

import os
import random
import subprocess
import sys
from functools import cache
from itertools import count, islice

import numpy as np
import pytest
from scipy.stats import chisquare

from agents.search.worlds import deal_hidden, games_as_seen, random_state
from tests.common import RULES, every_rules, random_game
from tests.env.test_no_leak import hidden_twin
from tripeaks_env import Deal, Game, Rules, Status
from tripeaks_env.game.cards import WILD
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.engine import play_actions, tables
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.observation import observe


@cache
def records(rules: Rules) -> np.ndarray:
    """Return fifty random games that can still be played."""
    games = (random_game(rules, seed, undos=False) for seed in count())
    return np.concatenate([game.record for game in islice((game for game in games if game.legal_actions()), 50)])


def seen(games: np.ndarray, rules: Rules) -> dict[str, list]:
    return {name: part.tolist() for name, part in observe(games, rules).items()}


def as_seen(games: np.ndarray, rules: Rules) -> np.ndarray:
    return games_as_seen(observe(games, rules), rules)


def worlds(game: np.ndarray, rules: Rules, number: int) -> np.ndarray:
    """Return worlds that one game as seen may be, (number,) records."""
    dealt, state = np.repeat(game, number), np.zeros(1, dtype=np.uint64)
    for world in dealt:
        deal_hidden(world, tables(rules)[0], state)
    return dealt


def hidden_slots(record: np.ndarray, rules: Rules) -> list[int]:
    """Return the slots of the cards of one game that nobody has seen yet."""
    shown = np.flatnonzero(observe(record, rules)["tableau"][0] == 14).tolist()
    return shown + list(range(FIRST_WASTE + 1 + record["drawn"].item(), FIRST_WASTE + 1 + rules.stock_size))


@every_rules
def test_games_as_seen_look_the_same(rules: Rules) -> None:
    games = records(rules)
    assert seen(as_seen(games, rules), rules) == seen(games, rules)


@every_rules
def test_games_as_seen_hold_nothing_hidden(rules: Rules) -> None:
    games = as_seen(records(rules), rules)
    for i in range(len(games)):
        assert not games["cards"][i, hidden_slots(games[i : i + 1], rules)].any()


@every_rules
def test_worlds_look_the_same_and_hold_what_is_hidden(rules: Rules) -> None:
    games = records(rules)
    for i in range(len(games)):
        slots = hidden_slots(games[i : i + 1], rules)
        dealt = worlds(as_seen(games[i : i + 1], rules), rules, 3)
        assert seen(dealt, rules) == seen(np.repeat(games[i : i + 1], 3), rules)
        for world in dealt:
            assert sorted(world["cards"][slots]) == sorted(games["cards"][i, slots])
            assert WILD not in world["cards"][:POSITIONS]


@every_rules
def test_worlds_play_on_to_the_end(rules: Rules) -> None:
    """In step with the real game, once it is dealt the same cards: what turns up is what was dealt."""
    for seed in range(20):
        game = random_game(rules, seed, undos=False)
        record = as_seen(game.record, rules)
        slots = hidden_slots(record, rules)
        world = worlds(record, rules, 1)
        twin = game.record.copy()
        twin["cards"][0, slots] = world["cards"][0, slots]
        for rank in range(1, 14):  # the masks by rank follow from the cards
            twin["by_rank"][0, rank] = sum(1 << p for p in range(POSITIONS) if twin["cards"][0, p] == rank)
        rng = random.Random(seed)
        while legal := np.flatnonzero(observe(twin, rules)["action_mask"][0]).tolist():
            actions = np.array([rng.choice(legal)])
            points = [play_actions(each, actions, rules).points.item() for each in (twin, world)]
            assert points[0] == points[1]
            assert seen(world, rules) == seen(twin, rules)


@pytest.mark.parametrize("name", ["easy", "open", "wild", "empty-waste", "wild-empty-classic"])
@pytest.mark.parametrize("moves", [0, 12])
def test_hidden_cards_are_uniform(name: str, moves: int) -> None:
    """Each hidden place holds each hidden rank as often as there are cards of it."""
    rules, number, rng = RULES[name], 8000, random.Random(5)
    game = Game(Deal.from_number(77), rules)
    for _ in range(moves):
        game.play(rng.choice(game.legal_actions()))
    assert game.status == Status.PLAYING
    record = as_seen(game.record, rules)
    dealt = worlds(record, rules, number)["cards"]
    slots = hidden_slots(record, rules)
    stock = [slot for slot in slots if slot > FIRST_WASTE]
    if rules.empty_waste and game.stock == rules.stock_size:
        stock = stock[1:]  # the card that would be on the waste is no joker
    unseen = record["unseen"][0, 1:14]
    for slot in (slots[0], stock[0], stock[-1]):
        found = np.bincount(dealt[:, slot], minlength=16)
        if rules.wild and slot in stock:
            jokers = found[WILD]
            assert (
                chisquare([jokers, number - jokers], [number / len(stock), number - number / len(stock)]).pvalue > 1e-3
            )
        found = found[1:14]
        expected = unseen * found.sum() / unseen.sum()
        assert (found[expected == 0] == 0).all()
        assert chisquare(found[expected > 0], expected[expected > 0]).pvalue > 1e-3


def test_joker_is_where_it_is_shuffled_into() -> None:
    """Where the waste starts empty, its first card lies on the stock, so it is no joker."""
    rules = RULES["wild-empty-classic"]
    for actions, drawn in (([], 1), ([20], 1), ([28], 1), ([28, 28], 2)):
        game = as_seen(Game(Deal.from_number(3), rules, actions).record, rules)
        places = np.nonzero(worlds(game, rules, 2000)["cards"] == WILD)[1] - FIRST_WASTE
        assert set(places.tolist()) == set(range(drawn + 1, rules.stock_size + 1))


def test_worlds_of_a_world() -> None:
    """A game whose hidden cards were dealt can be dealt again."""
    record = as_seen(records(Rules.easy)[:1], Rules.easy)
    first, state = record.copy(), np.zeros(1, dtype=np.uint64)
    deal_hidden(first[0], tables(Rules.easy)[0], state)
    again = first.copy()
    deal_hidden(again[0], tables(Rules.easy)[0], np.zeros(1, dtype=np.uint64))
    assert again.tobytes() == first.tobytes()
    deal_hidden(again[0], tables(Rules.easy)[0], state)
    assert again.tobytes() != first.tobytes()
    assert seen(again, Rules.easy) == seen(record, Rules.easy)


@every_rules
def test_random_states_depend_on_what_is_seen(rules: Rules) -> None:
    games, states = (random_game(rules, seed, undos=False) for seed in count()), set()
    for game in islice((game for game in games if game.legal_actions()), 30):
        twin = Game(hidden_twin(game, random.Random(1)), rules, game.actions)
        state, other = (random_state(as_seen(each.record, rules)[0], 9) for each in (game, twin))
        assert state == other
        assert state != random_state(as_seen(game.record, rules)[0], 10)
        states.add(int(state))
    assert len(states) >= 28  # a position may come twice


@pytest.mark.slow
def test_plain_python() -> None:
    """Without the compiler the same worlds come out, without any warning."""
    code = (
        "import numpy as np\n"
        "from agents.search.worlds import deal_hidden, games_as_seen, random_state\n"
        "from tripeaks_env import Game, Rules\n"
        "from tripeaks_env.game.engine import tables\n"
        "from tripeaks_env.game.observation import observe\n"
        "rules = Rules(wild=True, empty_waste=True)\n"
        "game = games_as_seen(observe(Game('TP1-E-AAAAAAB', rules).record, rules), rules)\n"
        "deal_hidden(game[0], tables(rules)[0], np.array([random_state(game[0], 3)]))\n"
        "print(game.tobytes().hex())"
    )
    shown = []
    for plain in ("0", "1"):
        command = [sys.executable, "-W", "error", "-c", code]
        environment = {**os.environ, "NUMBA_DISABLE_JIT": plain}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        shown.append((done.stderr, done.stdout))
    assert shown[0] == shown[1]
    assert shown[0][1]
