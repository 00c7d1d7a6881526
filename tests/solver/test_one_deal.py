import os
import random
import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.common import (
    ADDITIVE,
    WORKED_WIN,
    additive_rules,
    assert_replays,
    endgame,
    every_rules,
    known_deal,
    known_optima,
    random_game,
    seeds,
    sizes,
)
from tests.naive import naive_best
from tripeaks_env import Deal, Game, Rules, Scoring, Status, solve
from tripeaks_env.game.deals import NUM_DEALS
from tripeaks_env.game.engine import DRAW
from tripeaks_env.solver.objective import Objective

CODE = "TP1-E-AAAAAAB"
some_rules = st.sampled_from(list(ADDITIVE.values()))


@pytest.mark.parametrize("rules", ["easy", "classic"])
def test_deals_with_known_answers(rules: str) -> None:
    """301 deals of other people's solvers: whether they can be won, with how few draws, and the best score."""
    rows = known_optima()
    assert len(rows) == 301
    for row in rows:
        deal = Deal.from_cards(row["cards"])
        best = solve(deal, rules)
        known = [int(row[f"{rules}_{answer}"]) for answer in ("won", "draws", "best")]
        assert [best.won, best.draws if best.won else -1, best.score] == known, row["id"]
        assert_replays(Game(deal, rules), best)


@pytest.mark.parametrize(
    ("letters", "easy", "classic", "lost"),
    [
        ("AAAAAAA", 754, 752, False),
        ("AAAAAAB", 762, 751, False),
        ("AAAAAAD", 759, 657, True),
        ("ZZZZZZZ", 757, 751, False),
    ],
)
def test_known_codes(letters: str, easy: int, classic: int, lost: bool) -> None:
    """The first deals and the last. AAAAAAD can be won under easy and not under classic."""
    best = [solve(f"TP1-E-{letters}"), solve(f"TP1-C-{letters}")]
    assert [(solution.score, solution.won) for solution in best] == [(easy, True), (classic, not lost)]


def assert_best(rules: Rules, seed: int) -> None:
    game, naive = endgame(rules, seed)
    assert game.score == naive.score
    best = solve(game)
    assert best.score == naive_best(naive)
    assert_replays(game, best)


@additive_rules
@pytest.mark.parametrize("sample", sizes(range(40), range(1_000, 1_100), range(1_000, 1_250)))
def test_endgames_by_brute_force(rules: Rules, sample: range) -> None:
    """A plain recursion over all plays of the reference finds the same best score."""
    for seed in sample:
        assert_best(rules, seed)


@given(some_rules, seeds)
def test_the_best_move_keeps_the_optimum_and_no_move_exceeds_it(rules: Rules, seed: int) -> None:
    """The value of a position, in progress and after undos, is the largest of those that its moves lead to."""
    game = random_game(rules, seed)
    best = solve(game)
    assert_replays(game, best)
    values = {}
    for action in game.legal_actions():
        child = game.copy()
        child.play(action)
        values[action] = solve(child).score
    if values:
        assert max(values.values()) == values[best.actions[0]] == best.score
    else:
        assert best.score == game.score


@settings(max_examples=30)
@given(some_rules, seeds)
def test_the_optimum_stays_along_the_line(rules: Rules, seed: int) -> None:
    game = Game(Deal.from_number(random.Random(seed).randrange(NUM_DEALS)), rules)
    best = solve(game)
    for action in best.actions:
        game.play(action)
        assert solve(game).score == best.score


def assert_lines(rules: Rules, sample: range) -> None:
    """The lines of all objectives replay, half from starts, half from anywhere, and their ends compare as they should."""
    for seed in sample:
        if seed % 2:
            game = random_game(rules, seed)
        else:
            game = Game(Deal.from_number(random.Random(seed).randrange(NUM_DEALS)), rules)
        best = {objective: solve(game, objective=objective) for objective in get_args(Objective)}
        for solution in best.values():
            assert_replays(game, solution)
        score, win, moves = best["score"], best["win"], best["moves"]
        assert score.score >= win.score >= moves.score
        assert win.won == moves.won >= score.won
        if win.won:
            assert moves.draws <= win.draws
            assert not score.won or score.score == win.score
        else:
            assert score.score == win.score == moves.score


@every_rules
@pytest.mark.parametrize(("additive", "streak"), sizes((6, 2), (100, 20), (260, 40)))
def test_lines_of_every_objective(rules: Rules, additive: int, streak: int) -> None:
    """Whatever is looked for under any rules, lines replay to what they promise, and the objectives rank as they must.

    No end scores more than that for the score, and no win has fewer draws than that for the moves. There are so many
    positions under additive scoring, and so many with streaks: at most 10,500 lines, three from each.
    """
    assert_lines(rules, range(streak if rules.scoring.streak else additive))


@pytest.mark.slow
def test_lost_deals() -> None:
    """They have drawn every card, and reach 658 at most: two neighbouring peaks emptied."""
    best = [solve(Deal.from_number(number), "classic") for number in range(1_000)]
    lost = [solution for solution in best if not solution.won]
    assert 200 < len(lost) < 325  # 26 in 100 deals
    assert all(solution.draws == 23 for solution in lost)
    assert all(solution.score <= (477, 567, 658)[solution.peaks] for solution in lost)


def test_lost_deals_reach_their_bounds() -> None:
    """658 with two neighbouring peaks, 657 with the outer two."""
    scores = {name: solve(known_deal(name)) for name in ("mchung-t-tosunkaya", "mchung-t-unsolv")}
    assert [(best.score, best.won, best.peaks) for best in scores.values()] == [(658, False, 2), (657, False, 2)]


def test_the_best_of_a_lost_deal_is_not_to_remove_the_most() -> None:
    """Out of reach of the next peak each removal costs a point: AAAAAAD, classic, could lose more than 20 cards."""
    best = solve("TP1-C-AAAAAAD")
    most = solve("TP1-C-AAAAAAD", Rules(wrap=False, scoring=Scoring(0, removal=1, draw=0, peaks=(0, 0, 0))))
    assert (best.score, best.peaks, best.draws) == (500 + 2 * 100 - 23 - 20, 2, 23)
    assert most.score > 20


@pytest.mark.parametrize("actions", [WORKED_WIN, [DRAW] * 23 + [26, 25]])
def test_ended_games(actions: list[int]) -> None:
    """Nothing is left to do: an empty line and the score as it is."""
    game = Game(CODE, actions=actions)
    while game.legal_actions():
        game.play(game.legal_actions()[0])
    best = solve(game)
    assert (best.actions, best.score, best.won) == ((), game.score, game.status == Status.WON)
    assert (best.draws, best.peaks) == (23 - game.stock, game.peaks_cleared)


def test_the_rules_are_those_of_the_game() -> None:
    game = Game(CODE)
    assert solve(game, "easy") == solve(game) == solve(CODE) == solve(game.deal)
    with pytest.raises(ValueError, match="it cannot be solved by"):
        solve(game, "classic")
    with pytest.raises(ValueError, match="names another rule"):
        solve(CODE, "classic")


def test_the_game_stays_as_it_is() -> None:
    game = Game(CODE, actions=WORKED_WIN[:20])
    before = game.record
    solve(game)
    assert game.record == before
    assert game == Game(CODE, actions=WORKED_WIN[:20])


@pytest.mark.slow
def test_plain_python() -> None:
    """Without the compiler the same code solves an endgame as plain Python, and without any warning."""
    code = (
        "from tripeaks_env import Game, solve\n"
        f"best = solve(Game('{CODE}', actions={WORKED_WIN[:40]}))\n"
        "print(best.score, best.won, best.actions)"
    )
    compiled = solve(Game(CODE, actions=WORKED_WIN[:40]))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stderr, done.stdout) == ("", f"{compiled.score} {compiled.won} {compiled.actions}\n")
