"""What moves are worth: the solver's objectives and the values of actions against brute force, hints and difficulty."""

import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings

from tests.common import (
    ODD_STREAK,
    RULES,
    WORKED_WIN,
    additive_rules,
    all_rules,
    assert_replays,
    endgame,
    every_rules,
    exhaustive,
    naive_game,
    random_game,
    seeds,
    sizes,
    slow,
    swept,
)
from tests.naive import RANKS, NaiveGame, naive_choice, naive_ends, naive_luck, naive_playout
from tripeaks_env import Deal, Game, Rules, Scoring, Status, action_values, action_values_many, difficulty, hint, solve
from tripeaks_env.game.cards import card_symbol
from tripeaks_env.game.engine import DRAW
from tripeaks_env.solver.every_action import best_line
from tripeaks_env.solver.objective import Objective

CODE = "TP1-E-AAAAAAB"
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


# Every combination, and streaks where draws are free to choose and pay, so that objectives part ways.
BRUTE = {
    **RULES,
    "odd-streak": Rules(scoring=ODD_STREAK),
    "wild-empty-odd-streak": Rules(wrap=False, scoring=ODD_STREAK, wild=True, empty_waste=True),
}
brute_rules = swept(BRUTE)


def small_endgame(rules: Rules, seed: int) -> tuple[Game, NaiveGame]:
    """Return an endgame, often within a run, after moves that were undone.

    Of several it is rather one that has a choice and can be won and lost. It has at most 9 tableau and 6 stock cards, or 18
    and 12 where a draw is allowed only when stuck, which leaves few plays.
    """
    rng = random.Random(seed)
    most = (18, 12) if rules.draw == "stuck" else (9, 6)
    for _ in range(6):
        tableau, stock = (rng.randint(number // 3, number) for number in most)
        game, naive = endgame(rules, rng.randrange(2**32), tableau, stock, undone=0.2)
        while len(naive.tableau) > 1 and naive.removals() and rng.random() < 0.5:
            action = rng.choice(naive.removals())
            game.play(action)
            naive.play(action)
        if len(naive.legal_actions()) > 1 and len({won for won, _, _ in naive_ends(naive)}) == 2:
            break
    return game, naive


def after(naive: NaiveGame, action: int) -> NaiveGame:
    child = naive.copy()
    assert child.play(action) is None
    return child


def assert_exact(game: Game, naive: NaiveGame) -> set[bool]:
    """All answers are those of brute force, and lines do in the reference what they promise; return whether ends win."""
    children = {action: naive_ends(after(naive, action)) for action in naive.legal_actions()}
    ends = set().union(*children.values()) if children else naive_ends(naive)
    for objective in OBJECTIVES:
        won, left, score = naive_choice(ends, objective)
        best = solve(game, objective=objective)
        assert best.score == score
        if objective != "score":
            assert best.won == won
        if objective == "moves":
            assert best.draws == game.rules.stock_size - left
        end = naive.copy()
        for action in best.actions:
            assert end.play(action) is None
        assert end.status() == ("won" if best.won else "blocked")
        drawn = game.rules.stock_size - len(end.stock)
        assert (end.score, drawn, end.peaks_cleared()) == (best.score, best.draws, best.peaks)
    right = [naive_choice(children[action], "score")[2] if action in children else math.nan for action in range(29)]
    found = action_values(game)
    assert found.dtype == np.float64
    assert found.shape == (29,)
    np.testing.assert_array_equal(found, right)
    return {won for won, _, _ in ends}


def assert_exact_many(rules: Rules, sample: range) -> None:
    """Brute force agrees, and the sample has all kinds of endgames."""
    kinds: Counter[str] = Counter()
    for seed in sample:
        game, naive = small_endgame(rules, seed)
        wins = assert_exact(game, naive)
        kinds["within a run"] += naive.run > 0
        kinds["undone moves"] += game.moves > len(game.line)
        kinds["can be won and lost"] += len(wins) == 2
        kinds["lost"] += wins == {False}
        kinds["choices"] += len(naive.legal_actions()) > 1
        kinds["large"] += len(naive.tableau) >= 7
        kinds["stock"] += len(naive.stock) >= 4
    rare = {kind: number for kind, number in kinds.items() if number < len(sample) / 20}
    assert not rare


@brute_rules
def test_endgames_by_brute_force(rules: Rules) -> None:
    """Scores, wins, draws and the value of every action are those of a plain recursion over all plays of the reference.

    Whatever is looked for, in positions within a run and after undos as well.
    """
    for seed in range(6):
        assert_exact(*small_endgame(rules, seed))


@brute_rules
@pytest.mark.parametrize("count", [*slow(60), *exhaustive(200)])
def test_many_endgames_by_brute_force(rules: Rules, count: int) -> None:
    """The same for more endgames under each of 18 rule combinations: 1,080, or 3,600 in all."""
    assert_exact_many(rules, range(1_000, 1_000 + count))


def test_an_objective_can_cost_points() -> None:
    """A win for its own sake scores less where removals cost more than peaks pay; each objective finds its own end."""
    best = {objective: solve("TP1-C-AAAAAAA", RULES["removals-cost"], objective) for objective in OBJECTIVES}
    assert [best[objective].won for objective in OBJECTIVES] == [False, True, True]
    assert best["score"].score > best["win"].score > best["moves"].score
    assert best["moves"].draws < best["win"].draws


def ordered_deal() -> str:
    """Return the cards of a deal that is cleared in one run from position 27 down to 0, king and ace not being adjacent.

    Its ranks go up and down between two neighbours until all eight cards are gone, then on to the next two.
    """
    ranks = ("A2" * 4 + "34" * 4 + "56" * 4 + "78" * 4)[:29]
    suits = {rank: iter("CDHS") for rank in RANKS}
    waste, *removed = [rank + next(suits[rank]) for rank in ranks]
    stock = [rank + suit for rank in RANKS for suit in suits[rank]]
    return " ".join([*removed[::-1], waste, *stock])


ORDERED = ordered_deal()


@pytest.mark.parametrize("rules", ["traditional", "easy-streak"])
def test_the_most_under_traditional_scoring(rules: str) -> None:
    """One run of 28 removals and all peaks: 406 + 60 = 466 points, without a draw.

    The sum of 1 to 28 is the most that runs can score, so no deal is worth more. The deal needs no step between king and
    ace, so this holds for the traditional rules as they are.
    """
    game = Game(Deal.from_cards(ORDERED), RULES[rules])
    for objective in OBJECTIVES:
        best = solve(game, objective=objective)
        assert (best.score, best.won, best.draws, best.peaks, len(best.actions)) == (466, True, 0, 3, 28)
        assert_replays(game, best)
    positions = []
    for action in range(27, -1, -1):
        positions.append(game.copy())
        assert game.play(action).accepted
    values = action_values_many(positions)
    assert np.nanmax(values, axis=1).tolist() == values[range(28), range(27, -1, -1)].tolist() == [466] * 28
    assert (game.status, game.score) == (Status.WON, sum(range(1, 29)) + 15 + 15 + 30)


def assert_consistent(game: Game) -> None:
    """The value of an action is the optimum after it; the largest is the optimum, which the best line begins with."""
    best, values, legal = solve(game), action_values(game), game.legal_actions()
    assert_replays(game, best)
    assert np.flatnonzero(~np.isnan(values)).tolist() == legal
    if legal:
        assert np.nanmax(values) == values[best.actions[0]] == best.score
    else:
        assert (best.score, best.actions) == (game.score, ())
    for action in legal:
        child = game.copy()
        child.play(action)
        assert values[action] == solve(child).score


@settings(max_examples=15)
@given(all_rules, seeds)
def test_values_and_optimum_agree(rules: Rules, seed: int) -> None:
    """At any position under any rules, each action is worth the optimum after it, and the best of them the optimum."""
    assert_consistent(random_game(rules, seed))


@pytest.mark.slow
@settings(max_examples=150)
@given(all_rules, seeds)
def test_values_and_optimum_agree_at_many_positions(rules: Rules, seed: int) -> None:
    """The same at more positions."""
    assert_consistent(random_game(rules, seed))


@settings(max_examples=10)
@given(all_rules, seeds)
def test_the_value_never_falls_along_a_best_line(rules: Rules, seed: int) -> None:
    """From any position to its end, each move of a best line is worth the optimum, and no move is worth more."""
    game = random_game(rules, seed)
    best = solve(game)
    positions = [game.copy()]
    for action in best.actions:
        assert game.play(action).accepted
        positions.append(game.copy())
    values = action_values_many(positions)
    for action, row in zip(best.actions, values[:-1], strict=True):
        assert row[action] == np.nanmax(row) == best.score
    assert np.isnan(values[-1]).all()


def assert_both_methods_agree(rules: Rules, sample: range) -> None:
    """The sweep over numbers of draws as bits and that over values reach the same, whatever is looked for."""
    for seed in sample:
        game = random_game(rules, seed)
        for objective in OBJECTIVES:
            best, end = solve(game, objective=objective), game.copy()
            for action in best_line(game.record, rules, objective):
                assert end.play(action).accepted
            assert end.status != Status.PLAYING
            assert end.score == best.score
            if objective != "score":
                assert (end.status == Status.WON) == best.won
            if objective == "moves":
                assert rules.stock_size - end.stock == best.draws


@additive_rules
@pytest.mark.parametrize("sample", sizes(range(3), range(1_000, 1_040), range(1_000, 1_100)))
def test_two_methods_reach_the_same(rules: Rules, sample: range) -> None:
    """Without streaks, lines by values of positions end as well as those of the solver, which works otherwise."""
    assert_both_methods_agree(rules, sample)


def position_with(rules: Rules, wanted: str) -> Game:
    """Return a random game in which a draw, or a removal, is the only move."""
    for seed in range(10_000):
        game = random_game(rules, seed)
        legal = game.legal_actions()
        if len(legal) == 1 and (legal[0] == DRAW) == (wanted == "draw"):
            return game
    raise AssertionError(f"no such position under {rules}")


@pytest.mark.parametrize("wanted", ["draw", "removal"])
@pytest.mark.parametrize("rules", ["traditional", *slow("classic", "easy-stuck")])
def test_forced_moves(rules: str, wanted: str) -> None:
    """The only move is worth the optimum, all other actions are NaN, and the hint says that there is no choice."""
    game = position_with(RULES[rules], wanted)
    values, (action,) = action_values(game), game.legal_actions()
    assert np.flatnonzero(~np.isnan(values)).tolist() == [action]
    assert values[action] == solve(game).score
    found = hint(game)
    assert (found.action, found.value) == (action, values[action])
    assert found.message.startswith("Draw: " if wanted == "draw" else "Remove the ")
    assert found.message.endswith(f" {solve(game).score} points. It is the only move.")


@pytest.mark.parametrize("rules", ["easy", "easy-streak"])
@pytest.mark.parametrize("actions", [WORKED_WIN, [DRAW] * 23], ids=["won", "blocked"])
def test_ended_games(rules: str, actions: list[int]) -> None:
    """There is nothing to value and nothing to hint at."""
    game = Game(CODE, RULES[rules], actions)
    while game.legal_actions():
        game.play(game.legal_actions()[0])
    assert np.isnan(action_values(game)).all()
    assert np.isnan(action_values_many([game, game])).all()
    with pytest.raises(ValueError, match=f"the game is {game.status}; there is no move to hint at"):
        hint(game)


def assert_hints(game: Game) -> None:
    """The hint is a legal best action, named by its card, and says how many others are as good or how good the next is."""
    values = action_values(game)
    if not game.legal_actions():
        with pytest.raises(ValueError, match=f"the game is {game.status}; there is no move"):
            hint(game)
        return
    found = hint(game)
    assert found.value == values[found.action] == np.nanmax(values)
    assert type(found.value) is int
    place = f"Remove the {card_symbol(game.deal.cards[found.action])} ({found.action}): " if found.action < DRAW else ""
    assert found.message.startswith(place or "Draw: ")
    rest = re.search(rf" {found.value} point{'s' if found.value != 1 else ''}\. (.*)$", found.message)
    assert rest is not None
    others = sorted((int(values[action]) for action in game.legal_actions() if action != found.action), reverse=True)
    equals = others.count(found.value)
    if equals:
        assert rest[1] == f"The same holds for {equals} other move{'s' if equals > 1 else ''}."
    elif others:
        assert rest[1] == f"The next best move leads to {others[0]}."
    else:
        assert rest[1] == "It is the only move."


@settings(max_examples=25)
@given(all_rules, seeds)
def test_hints(rules: Rules, seed: int) -> None:
    """At any position under any rules, a hint is a best legal action and compares it rightly with the others."""
    assert_hints(random_game(rules, seed))


@pytest.mark.parametrize("letters", ["AAAAAAB", "AAAAAAD"])
def test_hints_tell_whether_the_game_is_lost(letters: str) -> None:
    """Under classic rules AAAAAAD cannot be won and AAAAAAB can."""
    message = hint(Game(f"TP1-C-{letters}")).message
    assert ("the game is lost" in message, "the game can be won" in message) == (
        letters == "AAAAAAD",
        letters == "AAAAAAB",
    )


def test_hints_do_not_call_a_game_lost_that_can_be_won() -> None:
    """Under easy rules with streaks BBOPUVT scores most, 70, without a win; it can be won all the same, with 34."""
    game = Game("TP1-E-BBOPUVT", RULES["easy-streak"])
    best = [(solution.won, solution.score) for solution in (solve(game), solve(game, objective="win"))]
    assert best == [(False, 70), (True, 34)]
    assert "the game can be won, and the most it can get is 70 points." in hint(game).message


def test_hints_where_nothing_counts() -> None:
    """A win may bring no more than another end: then a hint does not say that it brings less."""
    nothing = Scoring(start=0, removal=0, draw=0, peaks=(0, 0, 0))
    assert_hints(random_game(Rules(wrap=False, scoring=nothing), 0))


def test_values_of_many_games() -> None:
    """Games of several deals and rules in any order, early, late, ended and twice: as one by one; none is changed."""
    rng = random.Random(3)
    games = []
    for name in ("easy", "classic", "traditional", "wild", "empty-waste", "wild-empty-stuck-streak", "removals-cost"):
        for number in (11, 12):
            lines = [Game(Deal.from_number(number), RULES[name]) for _ in range(3)]
            for game in lines:
                for _ in range(rng.randrange(60)):
                    if game.legal_actions():
                        game.play(rng.choice(game.legal_actions()))
            games += lines
        games.append(random_game(RULES[name], rng.randrange(1000)))
    games += games[:3]
    rng.shuffle(games)
    assert {game.status for game in games} >= {Status.PLAYING, Status.BLOCKED}
    before = [(game.copy(), game.record) for game in games]
    found = action_values_many(games)
    assert found.dtype == np.float64
    assert found.shape == (len(games), 29)
    np.testing.assert_array_equal(found, [action_values(game) for game in games])
    assert all(game == twin and game.record == record for game, (twin, record) in zip(games, before, strict=True))


def test_no_games_have_no_values() -> None:
    assert action_values_many([]).shape == (0, 29)


@pytest.mark.parametrize("rules", ["easy", "traditional"])
def test_the_game_stays_as_it_is(rules: str) -> None:
    """Values, hints, lines and difficulty leave a game, its undone moves included, as it was."""
    game = next(
        game for game in (random_game(RULES[rules], seed) for seed in range(1000)) if game.moves > len(game.line) > 20
    )
    twin, record = game.copy(), game.record
    action_values(game)
    solve(game, objective="moves")
    difficulty(game, playouts=10)
    if game.legal_actions():
        hint(game)
    assert game == twin
    assert game.record == record


def assert_difficulty(rules: Rules, seed: int, playouts: int) -> None:
    """Every figure is that of brute force, and the luck is within 5 standard errors of the exact chance."""
    game, naive = small_endgame(rules, seed)
    ends = naive_ends(naive)
    left = [left for won, left, _ in ends if won]
    legal = naive.legal_actions()
    found = difficulty(game, playouts=playouts, seed=seed)
    assert found.winnable == bool(left)
    assert found.draws_in_hand == (max(left) if left else None)
    assert found.winning_moves == sum(any(won for won, _, _ in naive_ends(after(naive, action))) for action in legal)
    assert found.moves == len(legal)
    assert found.playouts == playouts
    chance = naive_luck(naive)
    error = math.sqrt(chance * (1 - chance) / playouts)
    assert abs(found.luck - float(chance)) <= 5 * error


@brute_rules
@pytest.mark.parametrize(
    ("sample", "playouts"), sizes((range(6), 400), (range(3_000, 3_015), 2000), (range(3_000, 3_040), 2000))
)
def test_difficulty_by_brute_force(rules: Rules, sample: range, playouts: int) -> None:
    """On small endgames: winnable, draws in hand, winning moves, legal moves and luck."""
    for seed in sample:
        assert_difficulty(rules, seed, playouts)


def assert_luck(number: int, rules: Rules, naive_playouts: int) -> None:
    """The shares of wins from the start differ by 5 standard errors at most."""
    rng, naive, playouts = random.Random(number), naive_game(number, rules), 4000
    wins = sum(naive_playout(naive, rng) for _ in range(naive_playouts))
    luck = difficulty(Deal.from_number(number), rules, playouts=playouts, seed=number).luck
    chance = (wins + luck * playouts) / (naive_playouts + playouts)
    error = math.sqrt(chance * (1 - chance) * (1 / naive_playouts + 1 / playouts))
    assert abs(wins / naive_playouts - luck) <= 5 * error


@every_rules
@pytest.mark.parametrize(("deals", "playouts"), sizes(([1], 100), ([1, 77], 400), ([1, 77], 800)))
def test_luck_against_plain_playouts(rules: Rules, deals: list[int], playouts: int) -> None:
    """The share of won playouts from a deal's start is that of an independent loop over the reference."""
    for number in deals:
        assert_luck(number, rules, playouts)


def test_luck_is_a_function_of_its_seed() -> None:
    """The same seed has the same playouts, another one has others, and the other figures do not depend on it."""
    found = [difficulty(CODE, playouts=200, seed=seed) for seed in (0, 0, 1, 2)]
    assert found[0] == found[1]
    assert len({each.luck for each in found}) > 1
    figures = {(each.winnable, each.draws_in_hand, each.winning_moves, each.moves) for each in found}
    assert figures == {(True, 13, 4, 4)}


def test_difficulty_of_games_that_are_over() -> None:
    """A won game has been won, whatever is played; a lost one has no move and no win."""
    won, lost = Game(CODE, actions=WORKED_WIN), Game(CODE, actions=[DRAW] * 23)
    while lost.legal_actions():
        lost.play(lost.legal_actions()[0])
    figures = [
        (d.winnable, d.draws_in_hand, d.winning_moves, d.moves, d.luck)
        for d in (difficulty(game, playouts=5) for game in (won, lost))
    ]
    assert figures == [(True, won.stock, 0, 0, 1.0), (False, None, 0, 0, 0.0)]


@pytest.mark.parametrize("playouts", [0, -1, 1.5, 2.0, True, "10", None])
def test_wrong_playouts(playouts: Any) -> None:
    """They must be an integer of at least 1, which the message says; NumPy's integers are integers."""
    with pytest.raises(ValueError, match="it must be an integer of at least 1") as error:
        difficulty(CODE, playouts=playouts)
    assert f"playouts is {playouts!r};" in str(error.value)
    assert difficulty(CODE, playouts=int(np.int64(3))) == difficulty(CODE, playouts=np.int64(3))  # type: ignore[arg-type]


def test_difficulty_is_that_of_the_rules() -> None:
    """Rules are given or the game's own, and must not contradict the game or the code."""
    game = Game(CODE)
    assert difficulty(game, "easy", 10) == difficulty(game, playouts=10) == difficulty(CODE, playouts=10)
    with pytest.raises(ValueError, match="it cannot be solved by"):
        difficulty(game, "classic")
    with pytest.raises(ValueError, match="names another rule"):
        difficulty(CODE, "classic")


@pytest.mark.parametrize("name", ["score", "Score", "", "points", None, 0])
def test_objectives_that_do_not_exist(name: Any) -> None:
    """They are refused with a list of those that do."""
    if name in OBJECTIVES:
        assert solve(CODE, objective=name) == solve(CODE)
    else:
        with pytest.raises(ValueError, match="it must be one of score, win, moves") as error:
            solve(CODE, objective=name)
        assert repr(name) in str(error.value)


# Positions within a run: in the first of 20 removals so far, with 8 more to come, in the others of one.
PLAIN = {
    "long run": f"Game(Deal.from_cards('{ORDERED}'), 'traditional', range(27, 7, -1))",
    "additive": f"Game('{CODE}', 'easy', {WORKED_WIN[:41]})",
    "streak": f"Game('{CODE}', Rules(scoring='traditional'), {WORKED_WIN[:41]})",
}


@pytest.mark.slow
@pytest.mark.parametrize("position", PLAIN.values(), ids=PLAIN.keys())
def test_plain_python(position: str) -> None:
    """Without the compiler the same code answers as plain Python, with and without streaks, and without any warning."""
    code = (
        "from tripeaks_env import Deal, Game, Rules, action_values, hint, solve\n"
        "from tripeaks_env.solver.every_action import best_line\n"
        f"game = {position}\n"
        "assert game.record['run'] > 0\n"
        "answers = [action_values(game).tolist(), hint(game).message]\n"
        "for objective in ('score', 'win', 'moves'):\n"
        "    answers += [solve(game, objective=objective), best_line(game.record, game.rules, objective)]\n"
    )
    names: dict[str, Any] = {}
    exec(code, names)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", code + "print(answers)"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stderr, done.stdout) == ("", f"{names['answers']}\n")
