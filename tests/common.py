"""What several test modules share: rule combinations, random games, deals with known answers."""

import csv
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from rich.progress import Progress

from experiments.comparison.compare import Comparison, compare
from experiments.config import CompareConfig
from tests.naive import NaiveGame, naive_deal, naive_endgame
from tripeaks_env import PRESETS, Deal, Game, Rules, Scoring, Solution, Status
from tripeaks_env.game.deals import NUM_DEALS
from tripeaks_env.game.engine import DRAW, UNDO
from tripeaks_env.parallel.pool import Lost, Pool, Result, Task

DRAWS_PAY = Scoring(start=-7, removal=2, draw=3, peaks=(5, 50, -20))
REMOVALS_COST = Scoring(start=90, removal=-40, draw=1, peaks=(60, 0, 200))
ODD_STREAK = Scoring(start=3, removal=-4, draw=2, peaks=(0, -5, 1000), streak=True)

RULES = {
    **PRESETS,
    "easy-stuck": Rules(draw="stuck"),
    "easy-streak": Rules(scoring=Rules.traditional.scoring),
    "open-classic": Rules(wrap=False, open_peaks=True),
    "wild-empty-classic": Rules(wrap=False, wild=True, empty_waste=True),
    "wild-empty-stuck": Rules(draw="stuck", wild=True, empty_waste=True),
    "wild-empty-stuck-streak": Rules(wrap=False, draw="stuck", scoring=ODD_STREAK, wild=True, empty_waste=True),
    "open-stuck-draws-pay": Rules(draw="stuck", scoring=DRAWS_PAY, open_peaks=True),
    "draws-pay": Rules(scoring=DRAWS_PAY),
    "removals-cost": Rules(wrap=False, scoring=REMOVALS_COST),
    "wild-open-removals-cost": Rules(scoring=REMOVALS_COST, wild=True, open_peaks=True),
}
"""Rule combinations by name: every option alone and the mixtures where options meet."""

ADDITIVE = {name: rules for name, rules in RULES.items() if not rules.scoring.streak}
"""Those whose scores do not depend on the order of the moves."""

QUICK = ("easy", "traditional", "wild-empty-stuck-streak", "open-stuck-draws-pay")
"""Those that have every option between them: the others are left to the slow tests."""


def slow(*values: Any) -> list[Any]:
    """Return values of a parameter, or tuples of several, with which a test is slow."""
    return [_param(value, pytest.mark.slow) for value in values]


def exhaustive(*values: Any) -> list[Any]:
    """Return values of a parameter, or tuples of several, with which a test takes so long that it is run now and then."""
    return [_param(value, pytest.mark.exhaustive) for value in values]


def sizes(quick: Any, slow: Any, exhaustive: Any) -> list[Any]:
    """Return values of a parameter, or tuples of several, that say how much is tried in each of the three suites."""
    return [
        _param(quick, name="quick"),
        _param(slow, pytest.mark.slow, name="slow"),
        _param(exhaustive, pytest.mark.exhaustive, name="exhaustive"),
    ]


def _param(value: Any, *marks: pytest.MarkDecorator, name: str | None = None) -> Any:
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks, id=name)


def swept(combinations: dict[str, Rules]) -> pytest.MarkDecorator:
    """Return the mark of a test under each of some rule combinations."""
    marks = {name: () if name in QUICK else pytest.mark.slow for name in combinations}
    values = [pytest.param(rules, id=name, marks=marks[name]) for name, rules in combinations.items()]
    return pytest.mark.parametrize("rules", values)


every_rules = swept(RULES)
additive_rules = swept(ADDITIVE)

WORKED_WIN = [
    int(action)
    for action in (
        "20 23 22 18 21 19 9 13 25 26 28 28 16 27 17 28 28 28 28 10 12 3 24 15 11 14 6 28 7 4 28 28 28 5 28 28 0 28 28 28 "
        "8 1 28 28 28 28 28 28 28 2"
    ).split()
]
"""A won game of TP1-E-AAAAAAB, as actions; it empties its peaks on moves 37, 42 and 50 and scores 750."""

numbers = st.integers(0, NUM_DEALS - 1)
seeds = st.integers(0, 2**32 - 1)
_points = st.integers(-1000, 1000)
all_rules = st.builds(
    Rules,
    wrap=st.booleans(),
    draw=st.sampled_from(("any", "stuck")),
    scoring=st.sampled_from(("standard", "traditional"))
    | st.builds(
        Scoring,
        start=_points,
        removal=_points,
        draw=_points,
        peaks=st.tuples(_points, _points, _points),
        streak=st.booleans(),
    ),
    wild=st.booleans(),
    open_peaks=st.booleans(),
    empty_waste=st.booleans(),
)
"""Hypothesis strategies: deal numbers, seeds, and any rules."""


def naive_game(number: int, rules: Rules) -> NaiveGame:
    """Return the naive reference's game of a deal number."""
    scoring = asdict(rules.scoring)
    scoring["draw_points"] = scoring.pop("draw")
    return NaiveGame(
        *naive_deal(number),
        wrap=rules.wrap,
        draw=rules.draw,
        wild=rules.wild,
        open_peaks=rules.open_peaks,
        empty_waste=rules.empty_waste,
        **scoring,
    )


def random_game(rules: Rules, seed: int, undos: bool = True) -> Game:
    """Return a random deal after up to 80 random legal actions: early, late or ended, with or without undos."""
    rng = random.Random(seed)
    game = Game(Deal.from_number(rng.randrange(NUM_DEALS)), rules)
    eagerness = rng.random()
    undo_share = rng.choice((0, 0.25)) if undos else 0
    for _ in range(rng.randrange(80)):
        *legal, can_undo = game.action_mask().tolist()
        actions = [action for action, allowed in enumerate(legal) if allowed]
        if can_undo and rng.random() < undo_share:
            game.play(UNDO)
        elif actions:
            removals = [action for action in actions if action != DRAW]
            game.play(rng.choice(removals if removals and rng.random() < eagerness else actions))
    return game


def endgame(rules: Rules, seed: int, tableau: int = 7, stock: int = 4, undone: float = 0) -> tuple[Game, NaiveGame]:
    """Return a random endgame of at most so many tableau and stock cards, as a game and as one of the reference.

    Before a share ``undone`` of its moves, the game (not the reference) has made another one and taken it back.
    """
    rng = random.Random(seed)
    while True:
        number = rng.randrange(NUM_DEALS)
        naive = naive_endgame(naive_game(number, rules), tableau, stock, rng, tries=20)
        if naive:
            break
    tableaus = [state[0] for state in naive.history] + [naive.tableau]
    removed = [before.keys() - after.keys() for before, after in pairwise(tableaus)]
    game = Game(Deal.from_number(number), rules)
    for positions in removed:
        if rng.random() < undone and len(game.remaining) > 1:  # what wins cannot be undone
            game.play(rng.choice(game.legal_actions()))
            game.play(UNDO)
        game.play(positions.pop() if positions else DRAW)
    assert (game.score, game.record["run"].item(), game.legal_actions()) == (
        naive.score,
        naive.run,
        naive.legal_actions(),
    )
    return game, naive


def assert_replays(game: Game, solution: Solution) -> None:
    """The line of a solution is legal, ends the game and reaches exactly what the solution says."""
    end = Game.from_text(game.to_text())
    for action in solution.actions:
        assert end.play(action).accepted
    assert end.status == (Status.WON if solution.won else Status.BLOCKED)
    drawn = end.rules.stock_size - end.stock
    assert (end.score, drawn, end.peaks_cleared) == (solution.score, solution.draws, solution.peaks)


def known_optima() -> list[dict[str, str]]:
    """Return the rows of ``data/known_optima.tsv``."""
    with (Path(__file__).parent / "data" / "known_optima.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def known_deal(name: str) -> Deal:
    """Return the deal of ``data/known_optima.tsv`` with that id."""
    return next(Deal.from_cards(row["cards"]) for row in known_optima() if row["id"] == name)


class AtOnce(Pool):
    """A pool that does everything in this process, one task after the other."""

    def run(
        self,
        function: Callable[[Task], Result],
        tasks: Sequence[Task],
        timeout: float,
        unwanted: Callable[[Task], bool] = lambda task: False,
        kind: Callable[[Task], str] = lambda task: "",
    ) -> Iterator[tuple[Task, Result | Lost]]:
        """Yield each task with its result; see :meth:`tripeaks_env.parallel.pool.Pool.run`."""
        for task in tasks:
            if not unwanted(task):
                yield task, function(task)


def compared(settings: CompareConfig | dict[str, Any], folder: Path) -> Comparison:
    """Return a comparison that was played in this process; by default without values of moves."""
    if not isinstance(settings, CompareConfig):
        settings = CompareConfig.model_validate({"name": "x", "moves": 0} | settings)
    with Progress(disable=True) as progress:
        return compare(settings, folder, AtOnce(), progress)
