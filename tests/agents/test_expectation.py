"""The value network in its kernels, and the search that takes expectations, against brute force over all worlds."""

from pathlib import Path

import numpy as np
import pytest

from agents.learned.expectation import LOWEST, new_tree, values_of_games
from agents.learned.lookahead import LookaheadAgent
from agents.learned.value_network import (
    ANY_RANK,
    INPUTS,
    MOST,
    ValueNetwork,
    evaluate,
    inputs,
    load_network,
    mirrored,
    reversed_ranks,
    save_network,
    working_memory,
)
from agents.search.worlds import games_as_seen
from experiments.training.distillation import MIRRORED_ACTION, VALUES, transformed
from experiments.training.self_play import play_games
from tests.common import RULES, endgame, every_rules, random_game
from tests.naive import NaiveGame, naive_fair_values, naive_worlds
from tripeaks_env import Game, Rules
from tripeaks_env.game.engine import tables
from tripeaks_env.game.observation import Observation, observe

WIN = 3.0


def random_network(seed: int = 0) -> ValueNetwork:
    rng = np.random.default_rng(seed)
    shapes = ((INPUTS, 24), (24,), (6, 24), (6,), (6,), (1,))
    weights = [rng.normal(size=shape).astype(np.float32) / 3 for shape in shapes]
    return ValueNetwork._make([*weights, np.array([WIN], dtype=np.float32)])


def naive_value(network: ValueNetwork, game: np.void, table: np.void) -> float:
    """Return what the network says, by matrix products over all inputs."""
    found = np.zeros(MOST, dtype=np.int64)
    ones = np.zeros(INPUTS)
    ones[found[: inputs(game, table, found)]] = 1
    first = np.maximum(ones @ network.rows + network.bias, 0)
    second = np.maximum(network.hidden @ first + network.hidden_bias, 0)
    return float(second @ network.head + network.head_bias[0])


def as_arrays(game: NaiveGame) -> Observation:
    return {key: np.array([value], dtype=np.int8) for key, value in game.observation().items()}


@every_rules
def test_network_equals_matrix_products(rules: Rules) -> None:
    network = random_network()
    work = working_memory(network)
    for seed in range(40):
        record = random_game(rules, seed, undos=False).record
        value = evaluate(record[0], tables(rules)[0], network, work)
        assert value == pytest.approx(naive_value(network, record[0], tables(rules)[0]), abs=1e-4)


@pytest.mark.parametrize("name", ["easy", "traditional", "open-classic", "wild-empty-classic", "easy-stuck"])
def test_search_equals_brute_force_over_all_worlds(name: str) -> None:
    """Values of all actions in endgames, one to three actions deep, with a random network at the leaves."""
    rules = RULES[name]
    network, table = random_network(), tables(rules)
    work = working_memory(network)
    compared = 0
    for seed in range(12):
        game, naive = endgame(rules, seed, tableau=6, stock=3)
        hidden = sum(as_arrays(naive)["unseen"][0])
        if hidden > 4 or not game.legal_actions():
            continue
        start = naive.score

        def value(end: NaiveGame, start: int = start) -> float:
            points = (end.score - start) / 100
            if end.status() != "playing":
                return points + WIN * (end.status() == "won")
            return points + float(evaluate(games_as_seen(as_arrays(end), rules)[0], table[0], network, work))

        for depth in (1, 2, 3):
            expected = naive_fair_values(naive_worlds(naive), depth, value)
            values = np.empty((1, 29), dtype=np.float32)
            values_of_games(game.record, new_tree(20_000), depth, 1e6, table, network, work, values)
            assert {action for action in range(29) if values[0, action] > LOWEST} == set(expected)
            for action, wanted in expected.items():
                assert values[0, action] == pytest.approx(wanted, abs=2e-4)
        compared += 1
    assert compared >= 2


def test_first_draw_is_never_the_joker_where_a_card_lies_on_top() -> None:
    """With an empty waste the first waste card is put on the stock after the joker was shuffled into it."""
    for empty, chance in ((True, 0.0), (False, 1 / 24)):
        rules = Rules(wild=True, empty_waste=empty)
        network = ValueNetwork._make(np.zeros_like(array) for array in random_network())
        network.rows[ANY_RANK] = 1.0  # after a draw: a joker on the waste
        network.hidden[0], network.head[0] = 1.0, 1.0
        record = Game("TP1-E-AAAAAAB", rules).record
        values = np.empty((1, 29), dtype=np.float32)
        values_of_games(record, new_tree(1), 1, 1.0, tables(rules), network, working_memory(network), values)
        assert values[0, 28] == pytest.approx(-0.01 + 24 * chance, abs=1e-5)  # 24 units of the first layer


def test_networks_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    network = random_network()
    network.head_bias[0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        save_network(network, Rules.easy, tmp_path / "value.safetensors")


@pytest.mark.slow
def test_huge_values_stay_legal() -> None:
    network = random_network()
    network.head_bias[0] = -1e12
    found = play_games(np.arange(3), Rules.easy, network, np.random.default_rng(0))
    assert (found.lengths > 20).all()
    assert (found.lengths < 53).all()


def test_narrow_and_small_searches_look_at_the_best_actions_first() -> None:
    """An action that is looked at deeper has its deep value, the others the one at first sight."""
    rules = Rules.easy
    network, table = random_network(), tables(Rules.easy)
    work = working_memory(network)
    records = np.concatenate([random_game(rules, seed, undos=False).record for seed in range(60)])
    records = records[observe(records, rules)["action_mask"].sum(axis=1) > 1]
    shallow, deep, narrow, small = np.empty((4, len(records), 29), dtype=np.float32)
    values_of_games(records, new_tree(1), 1, 1e6, table, network, work, shallow)
    values_of_games(records, new_tree(20_000), 2, 1e6, table, network, work, deep)
    values_of_games(records, new_tree(20_000), 2, 0.0, table, network, work, narrow)
    values_of_games(records, new_tree(1), 2, 1e6, table, network, work, small)
    assert np.array_equal(small, shallow)
    best = shallow == shallow.max(axis=1, keepdims=True)
    np.testing.assert_allclose(narrow[best], deep[best], atol=1e-5)
    np.testing.assert_array_equal(narrow[~best], shallow[~best])
    assert (narrow != deep).any()


def test_hidden_cards_do_not_change_values() -> None:
    network, table = random_network(), tables(Rules.easy)
    work = working_memory(network)
    rng = np.random.default_rng(0)
    for seed in range(40):
        game = random_game(Rules.easy, seed, undos=False)
        as_seen = games_as_seen(observe(game.record, Rules.easy), Rules.easy)
        other = game.record
        hidden = [place for place in range(28) if other["cards"][0, place] and not other["exposed"][0] >> place & 1]
        other["cards"][0, hidden] = rng.permutation(other["cards"][0, hidden])
        other["cards"][0, 29:] = rng.permutation(other["cards"][0, 29:])
        found = np.empty((3, 1, 29), dtype=np.float32)
        for records, values in zip((game.record, as_seen, other), found, strict=True):
            values_of_games(records, new_tree(20_000), 2, 1.0, table, network, work, values)
        assert np.array_equal(found[0], found[1])
        assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("rules", [Rules.easy, Rules.classic, RULES["easy-streak"]], ids=str)
@pytest.mark.parametrize("kind", ["mirror", "reverse"])
def test_symmetries_of_inputs_and_of_observations_are_the_same(rules: Rules, kind: str) -> None:
    """The inputs of a transformed observation are the transformed inputs, and it has the same action values."""
    mapping = mirrored() if kind == "mirror" else reversed_ranks()
    games = [random_game(rules, seed, undos=False) for seed in range(60)]
    records = np.concatenate([game.record for game in games if game.legal_actions()])
    batch = observe(records, rules)
    batch[VALUES] = np.arange(29, dtype=np.float32)[None].repeat(len(records), axis=0)
    other = transformed(batch, mirror=kind == "mirror", reverse=kind == "reverse")
    seen, changed = games_as_seen(batch, rules), games_as_seen(other, rules)
    here, there = np.zeros((2, MOST), dtype=np.int64)
    for i in range(len(records)):
        count = inputs(seen[i], tables(rules)[0], here)
        assert inputs(changed[i], tables(rules)[0], there) == count
        assert set(mapping[here[:count]]) == set(there[:count])
    legal = observe(changed, rules)["action_mask"]
    assert np.array_equal(legal, other["action_mask"])
    assert np.array_equal(other[VALUES][0], MIRRORED_ACTION if kind == "mirror" else np.arange(29))
    again = transformed(other, mirror=kind == "mirror", reverse=kind == "reverse")
    assert all(np.array_equal(again[key], batch[key]) for key in batch)


def test_checkpoint_of_a_value_network_comes_back(tmp_path: Path) -> None:
    network, path = random_network(), tmp_path / "value.safetensors"
    save_network(network, Rules.easy, path)
    loaded = load_network(Rules.easy, path)
    for array, before in zip(loaded, network, strict=True):
        np.testing.assert_allclose(array, before, rtol=1e-3, atol=1e-6)
    with pytest.raises(ValueError, match="was trained for the rules easy, not for classic"):
        load_network(Rules.classic, path)
    agent = LookaheadAgent(Rules.easy, checkpoint=path, depth=1)
    game = Game("TP1-E-AAAAAAB")
    observation = observe(game.record, Rules.easy)
    assert observation["action_mask"][0, agent.act(observation, observation["action_mask"])[0]] == 1
