import os
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.common import (
    ADDITIVE,
    WORKED_WIN,
    additive_rules,
    all_rules,
    every_rules,
    known_optima,
    random_game,
    sizes,
    slow,
)
from tripeaks_env import Deal, Game, Rules, Scoring, Status, solve, suite
from tripeaks_env.game.deals import NUM_DEALS, number_slots, shuffle
from tripeaks_env.game.engine import GAME, new_games
from tripeaks_env.solver.fewest_draws import LANES
from tripeaks_env.solver.many_deals import BLOCK, Solutions, solve_many, solve_positions
from tripeaks_env.solver.objective import Objective
from tripeaks_env.solver.one_deal import Solution

CODE = "TP1-E-AAAAAAB"
NUMBERS = suite(200)

# Scorings under which many ends are equally good, so that it matters which of them counts.
TIES = {
    "nothing counts": Scoring(removal=0, draw=0, peaks=(0, 0, 0)),
    "only removals": Scoring(removal=1, draw=0, peaks=(0, 0, 0)),
    "only draws": Scoring(removal=0, draw=-1, peaks=(0, 0, 0)),
    "draws pay": Scoring(removal=0, draw=1, peaks=(0, 0, 0)),
    "a won peak costs as much as it pays": Scoring(removal=-3, draw=0, peaks=(30, -30, 0)),
}


def answers(solutions: Solutions) -> list[tuple[int, bool, int, int]]:
    columns = (solutions.scores, solutions.won, solutions.draws, solutions.peaks)
    assert [column.dtype for column in columns] == [np.int32, np.bool_, np.int8, np.int8]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def answer(solution: Solution) -> tuple[int, bool, int, int]:
    return solution.score, solution.won, solution.draws, solution.peaks


def assert_solves(numbers: Sequence[int], rules: str | Rules) -> None:
    """Many deals at once have the answers that each of them has."""
    single = [answer(solve(Deal.from_number(number), rules)) for number in numbers]
    assert answers(solve_many(numbers, rules)) == single


@additive_rules
@pytest.mark.parametrize(("preset", "other"), sizes((200, 200), (2000, 500), (8192, 2000)))
def test_answers_are_those_of_the_single_solver(rules: Rules, preset: int, other: int) -> None:
    """Of so many deals under rules that are a preset, and of so many under others."""
    assert_solves(suite(preset if rules.name else other, seed=1), rules)


@pytest.mark.parametrize("draw", ["any", "stuck"])
@pytest.mark.parametrize("scoring", TIES.values(), ids=TIES.keys())
def test_equally_good_ends(scoring: Scoring, draw: str) -> None:
    """The same one counts: it has the same draws and peaks, and is won or not."""
    assert_solves(NUMBERS[:60], Rules(wrap=False, draw="any" if draw == "any" else "stuck", scoring=scoring))


@settings(max_examples=15)
@given(all_rules.filter(lambda rules: not rules.scoring.streak), st.integers(0, NUM_DEALS - 4))
def test_any_rules(rules: Rules, number: int) -> None:
    assert_solves(range(number, number + 4), rules)


@pytest.mark.parametrize("rules", ["easy", "classic"])
def test_deals_with_known_answers(rules: str) -> None:
    rows = known_optima()
    best = solve_many([Deal.from_cards(row["cards"]) for row in rows], rules)
    fewest = np.where(best.won, best.draws, -1)
    for name, found in (("won", best.won), ("draws", fewest), ("best", best.scores)):
        assert found.astype(int).tolist() == [int(row[f"{rules}_{name}"]) for row in rows]


@pytest.mark.parametrize("rules", ["easy", "classic"])
def test_lines(rules: str) -> None:
    """They replay to what the arrays say."""
    best = solve_many(NUMBERS, rules)
    for i in range(0, len(best), 9):
        end = Game(Deal.from_number(NUMBERS[i]), rules, best.line(i))
        assert end.status == (Status.WON if best.won[i] else Status.BLOCKED)
        assert (end.score, 23 - end.stock, end.peaks_cleared) == (best.scores[i], best.draws[i], best.peaks[i])
    assert best.line(-1) == best.line(len(NUMBERS) - 1)
    with pytest.raises(IndexError):
        best.line(len(NUMBERS))


@pytest.mark.parametrize("rules", ["classic", *slow("easy", "easy-stuck")])
def test_batches_of_any_size(rules: str) -> None:
    """What else is in a batch changes nothing, whether or not it fills the lanes, the words and the blocks."""
    numbers = suite(BLOCK + 65 if rules == "easy" else 3 * LANES)
    everything = answers(solve_many(numbers, ADDITIVE[rules]))
    for size in (1, 7, 64, 65, LANES, LANES + 1, 513, len(numbers) - 1):
        assert answers(solve_many(numbers[-size:], ADDITIVE[rules])) == everything[-size:]


@pytest.mark.parametrize("rules", ["classic", *slow("easy", "easy-stuck")])
def test_threads_change_nothing(rules: str) -> None:
    numbers = suite(3 * LANES)
    one = answers(solve_many(numbers, ADDITIVE[rules]))
    for threads in (2, 3, 7):
        assert answers(solve_many(numbers, ADDITIVE[rules], threads=threads)) == one


@pytest.mark.parametrize("none", [[], (), np.array([], dtype=np.int64)])
def test_no_deals(none: Sequence[int]) -> None:
    best = solve_many(none, threads=2)
    assert (len(best), answers(best)) == (0, [])


@pytest.mark.parametrize(
    "convert",
    [
        tuple,
        np.array,
        lambda numbers: np.array(numbers, dtype=np.uint64),
        lambda numbers: list(np.array(numbers)),
        lambda numbers: [Deal.from_number(number) for number in numbers],
        lambda numbers: [Deal.from_number(number).code() for number in numbers],
        lambda numbers: [numbers[0], *(Deal.from_number(number) for number in numbers[1:])],
    ],
    ids=["tuple", "array", "unsigned array", "numpy integers", "deals", "codes", "mixture"],
)
def test_ways_to_name_deals(convert: Callable[[list[int]], Sequence[Deal | str | int]]) -> None:
    given_deals = convert(NUMBERS[:5])
    best = solve_many(given_deals)
    assert len(best) == 5
    assert answers(best) == [answer(solve(Deal.from_number(number))) for number in NUMBERS[:5]]
    if isinstance(given_deals, np.ndarray):
        assert given_deals.tolist() == NUMBERS[:5]  # it was not written to


def test_wild_deals_keep_their_joker() -> None:
    """Its place is part of the deal: given as cards, it need not be where the number puts it."""
    cards = shuffle([1])[0][0].tolist()
    deals = [Deal(tuple(cards), joker) for joker in range(24)]
    rules = Rules(wild=True)
    best = answers(solve_many(deals, rules))
    assert best == [answer(solve(deal, rules)) for deal in deals]
    assert len(set(best)) > 1


def test_errors() -> None:
    wrong: list[tuple[object, str]] = [
        (CODE, "deals are 'TP1-E-AAAAAAB'; they must be a sequence"),
        (Deal.from_code(CODE), "they must be a sequence"),
        (5, "deals are 5; they must be a sequence"),
        ([3.5], "deal code is 3.5"),
        ([1, -1], f"deal number is -1; it must be 0 to {NUM_DEALS - 1}"),
        ([NUM_DEALS], f"deal number is {NUM_DEALS}"),
        ([CODE, NUM_DEALS], f"deal number is {NUM_DEALS}"),
        (np.array([[1, 2]]), r"array \(1, 2\) of int64; it must be deal numbers"),
        (np.array([1.0]), r"array \(1,\) of float64; it must be deal numbers"),
        (["TP1-E-AAAAAA"], "ends with 6 letters"),
        (["TP1-C-AAAAAAB"], "names another rule"),
    ]
    for deals, message in wrong:
        with pytest.raises(ValueError, match=message):
            solve_many(deals)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rules is 'hard'"):
        solve_many([1], "hard")
    with pytest.raises(ValueError, match="has no joker"):
        solve_many([Deal(tuple(range(52)))], Rules(wild=True))
    for threads in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match=f"threads is {threads}; it must be an integer of at least 1"):
            solve_many([1], threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("objective", ["win", *slow("score", "moves")])
@every_rules
def test_objectives_as_one_by_one(rules: Rules, objective: Objective) -> None:
    """Whatever is looked for and under every scoring, many deals have the answers that each has alone."""
    numbers = suite(4 if rules.scoring.streak else 40, seed=5)
    many = solve_many(numbers, rules, objective=objective)
    for i, number in enumerate(numbers):
        one = solve(Deal.from_number(number), rules, objective)
        assert (many.scores[i], many.won[i], many.draws[i], many.peaks[i]) == (one.score, one.won, one.draws, one.peaks)
        if i < 4:
            assert many.line(i) == one.actions


@settings(max_examples=25)
@given(all_rules.filter(lambda rules: not rules.scoring.streak), st.lists(st.integers(0, 10_000), max_size=5))
def test_positions_of_any_games(rules: Rules, seeds: list[int]) -> None:
    """Whatever they have in common."""
    assert_solves_positions([random_game(rules, seed) for seed in seeds], rules)


@pytest.mark.parametrize("objective", ["moves", *slow("score", "win")])
@additive_rules
def test_positions(rules: Rules, objective: Objective) -> None:
    """More than a word has bits, at different masks and numbers of draws, some of them over."""
    assert_solves_positions([random_game(rules, seed) for seed in range(70)], rules, objective)


def assert_solves_positions(games: list[Game], rules: Rules, objective: Objective = "score") -> None:
    records = np.concatenate([game.record for game in games]) if games else np.empty(0, dtype=GAME)
    before = records.copy()
    found = solve_positions(records, rules, objective)
    assert [column.dtype for column in found] == [np.int32, np.bool_, np.int8, np.int8]
    answers = list(zip(*(column.tolist() for column in found), strict=True))
    assert answers == [answer(solve(game, objective=objective)) for game in games]
    assert (records == before).all()


def test_positions_that_are_won() -> None:
    """Alone, there is nothing to sweep."""
    won = Game("TP1-E-AAAAAAB", actions=WORKED_WIN)
    assert_solves_positions([won, won], Rules.easy)


def test_positions_that_are_refused() -> None:
    games = new_games(number_slots(np.arange(2), Rules.traditional), Rules.traditional)
    with pytest.raises(ValueError, match="the rules have streak scoring"):
        solve_positions(games, Rules.traditional)
    with pytest.raises(ValueError, match="objective is 'best'"):
        solve_positions(games, Rules.easy, "best")  # type: ignore[arg-type]


@pytest.mark.slow
def test_plain_python() -> None:
    """Without the compiler the same code solves deals as plain Python, and without any warning."""
    code = (
        "from tripeaks_env.solver import fewest_draws, many_deals\n"
        "fewest_draws.LANES = many_deals.LANES = 1\n"
        "best = many_deals.solve_many([3], 'classic')\n"
        "print(best.scores, best.won, best.draws, best.peaks)"
    )
    best = solve_many([3], "classic")
    assert not best.won[0]  # so that both sweeps take part
    command = [sys.executable, "-W", "error", "-c", code]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stderr, done.stdout) == ("", f"{best.scores} {best.won} {best.draws} {best.peaks}\n")
