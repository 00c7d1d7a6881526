import os
import random
import subprocess
import sys
from collections import Counter
from itertools import repeat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.common import RULES, WORKED_WIN, all_rules, every_rules, naive_game, random_game, seeds, sizes
from tests.naive import NaiveGame
from tripeaks_env import Game, Rejection, Rules
from tripeaks_env.game.cards import RANK_OF, WILD
from tripeaks_env.game.deals import NUM_DEALS, deal_slots, lay_out, number_slots, shuffle
from tripeaks_env.game.engine import DRAW, STATUSES, UNDO, new_games, play_actions, status, tables
from tripeaks_env.game.observation import observe

REASONS = {
    None: Rejection.NONE,
    "wrong rank": Rejection.WRONG_RANK,
    "blocked": Rejection.BLOCKED,
    "removed": Rejection.REMOVED,
    "stock empty": Rejection.STOCK_EMPTY,
    "not stuck": Rejection.NOT_STUCK,
    "won": Rejection.WON,
    "nothing to undo": Rejection.NOTHING_TO_UNDO,
}
ILLEGAL_SHARE = 0.15  # of actions chosen blindly; most of them are illegal


class Reference:
    """A naive game with a limit of undos and a player of its own."""

    def __init__(self, number: int, rules: Rules, undos: int, rng: random.Random) -> None:
        self.game: NaiveGame = naive_game(number, rules)
        self.undos = undos
        self.rng = rng
        self.eagerness = rng.choice((1, rng.random()))  # share of removals chosen where a draw is legal too

    def can_undo(self) -> bool:
        return self.undos > 0 and bool(self.game.history) and bool(self.game.tableau)

    def choose(self, mask: list[int]) -> int:
        if self.rng.random() < ILLEGAL_SHARE:
            return self.rng.randrange(len(mask))
        legal = [action for action, allowed in enumerate(mask) if allowed]
        removals = [action for action in legal if action < DRAW]
        return self.rng.choice(removals if removals and self.rng.random() < self.eagerness else legal)

    def act(self, action: int) -> Rejection:
        if action != UNDO:
            return REASONS[self.game.play(action)]
        if not self.undos and self.game.history and self.game.tableau:
            return Rejection.NO_UNDO_LEFT
        reason = self.game.undo()
        self.undos -= reason is None
        return REASONS[reason]


def assert_alike(games: np.ndarray, references: list[Reference], rules: Rules, max_undos: int) -> list[list[int]]:
    """Compare everything that the engine knows of its games with the references; return the action masks."""
    naives = [reference.game for reference in references]
    right = [naive.observation() for naive in naives]
    if max_undos:
        for reference, seen in zip(references, right, strict=True):
            seen["undos"] = [reference.undos]
            seen["action_mask"].append(int(reference.can_undo()))
    observation = {key: value.tolist() for key, value in observe(games, rules, max_undos).items()}
    assert observation == {key: [seen[key] for seen in right] for key in right[0]}
    assert [STATUSES[status(game, tables(rules)[0])] for game in games] == [naive.status() for naive in naives]
    assert games["score"].tolist() == [naive.score for naive in naives]
    assert games["moves"].tolist() == [naive.moves for naive in naives]
    assert games["run"].tolist() == [naive.run for naive in naives]
    assert games["length"].tolist() == [len(naive.history) for naive in naives]
    peaks = [3 - (remaining & 0b111).bit_count() for remaining in games["remaining"].tolist()]
    assert peaks == [naive.peaks_cleared() for naive in naives]
    return observation["action_mask"]


def step_alike(
    games: np.ndarray, actions: list[int], references: list[Reference], rules: Rules
) -> tuple[list[int], list[bool]]:
    """Carry out an action in each game and its reference; compare and return rejections and whether episodes ended."""
    scores = [reference.game.score for reference in references]
    points, rejections, over = play_actions(games, np.array(actions), rules)
    found, ended = rejections.tolist(), over.tolist()
    assert found == [reference.act(action) for reference, action in zip(references, actions, strict=True)]
    assert points.tolist() == [r.game.score - before for r, before in zip(references, scores, strict=True)]
    assert ended == [r.game.status() != "playing" and not r.can_undo() for r in references]
    return found, ended


def play_both(rules: Rules, deals: list[int], max_undos: int, rng: random.Random) -> Counter[str]:
    """Play random games in lockstep in both implementations, comparing at every step; count rejections and ends."""
    games = new_games(lay_out(*shuffle(deals), rules), rules, max_undos)
    references = [Reference(number, rules, max_undos, rng) for number in deals]
    happened: Counter[str] = Counter()
    while references:
        masks = assert_alike(games, references, rules, max_undos)
        actions = [reference.choose(mask) for reference, mask in zip(references, masks, strict=True)]
        rejections, ended = step_alike(games, actions, references, rules)
        happened.update(Rejection(rejection).name for rejection in rejections)
        for i in np.flatnonzero(ended).tolist():
            every = list(range(UNDO + (max_undos > 0)))
            rejected, _ = step_alike(games[[i] * len(every)], every, [references[i]] * len(every), rules)
            assert_alike(games[i : i + 1], references[i : i + 1], rules, max_undos)
            assert Rejection.NONE not in rejected
            happened.update(Rejection(rejection).name for rejection in rejected)
            happened[references[i].game.status()] += 1
        games = games[~np.array(ended)]
        references = [reference for reference, end in zip(references, ended, strict=True) if not end]
    return happened


def play_many(rules: Rules, count: int, max_undos: int, seed: int, batch: int = 50) -> Counter[str]:
    """Play ``count`` games as :func:`play_both` does, few at a time: many living objects slow Python down."""
    rng = random.Random(seed)
    batches = [[rng.randrange(NUM_DEALS) for _ in range(batch)] for _ in range(count // batch)]
    return sum((play_both(rules, deals, max_undos, rng) for deals in batches), Counter())


def expected(rules: Rules, max_undos: int) -> set[str]:
    """Return what must happen in a hundred games: both ends and every rejection but the rarest."""
    without = {Rejection.NOTHING_TO_UNDO}
    if rules.draw == "any":
        without.add(Rejection.NOT_STUCK)
    if not max_undos:
        without.add(Rejection.NO_UNDO_LEFT)
    return {"won", "blocked"} | {reason.name for reason in Rejection if reason not in without}


@every_rules
@pytest.mark.parametrize(("without", "undoing"), sizes((0, 100), (200, 100), (10_000, 1_000)))
def test_same_games_as_the_reference(rules: Rules, without: int, undoing: int) -> None:
    """Observations, masks, score, moves, run, peaks, status and rejections agree at every step of random games.

    So many are without undos, and so many with.
    """
    for count, max_undos in ((without, 0), (undoing, 4)):
        if count:
            happened = play_many(rules, count, max_undos, seed=count)
            assert set(happened) >= expected(rules, max_undos)


@given(all_rules, st.integers(0, 3), seeds)
def test_same_games_under_any_rules(rules: Rules, max_undos: int, seed: int) -> None:
    play_many(rules, 4, max_undos, seed, batch=4)


@given(st.sampled_from(list(RULES.values())), seeds)
def test_cards_are_conserved(rules: Rules, seed: int) -> None:
    """Played cards, face-up cards and unseen cards are the whole deck; a card is face up exactly if nothing covers it."""
    game = random_game(rules, seed)
    slots = RANK_OF[deal_slots([game.deal], rules)[0]]
    observation = game.observation()
    tableau, stock = observation["tableau"], int(observation["stock"][0])
    drawn = rules.stock_size - stock
    counts = np.zeros(WILD + 1, dtype=int)
    counts[[*range(1, 14), *[WILD] * rules.wild]] += observation["unseen"]
    face_up = [p for p in range(28) if 1 <= tableau[p] <= 13]
    removed = [p for p in range(28) if tableau[p] == 0]
    assert removed == sorted(action for action in game.line if action != DRAW)
    assert (tableau[face_up] == slots[face_up]).all()
    np.add.at(counts, slots[face_up + removed + list(range(28 + rules.empty_waste, 29 + drawn))], 1)
    assert counts[1:].tolist() == [4] * 13 + [0, int(rules.wild)]


@pytest.mark.slow
def test_plain_python() -> None:
    """Without the compiler the same code plays as the reference does, with undos, and without any warning."""
    code = (
        "from tests.common import RULES, WORKED_WIN\n"
        "from tests.game.test_engine import play_many\n"
        "from tripeaks_env import Game\n"
        "for seed, rules in enumerate(RULES.values()):\n"
        "    play_many(rules, 6, 3, seed, batch=3)\n"
        "game = Game('TP1-E-AAAAAAB', actions=[20, 23, 22])\n"
        "print(game.undo().turned_down, game.observation()['waste'], Game('TP1-E-AAAAAAB', actions=WORKED_WIN).score)"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stderr, done.stdout) == ("", "(13,) [1] 750\n")


def test_a_won_game_stays_won() -> None:
    """Also where undos are left: the episode is over, and an undo is rejected because the game is won."""
    rules = Rules.easy
    games = new_games(number_slots(np.array([1]), rules), rules, undos=4)
    *before, last = WORKED_WIN
    for action in before:
        assert not play_actions(games, np.array([action]), rules).over[0]
    assert play_actions(games, np.array([last]), rules).over.tolist() == [True]
    assert play_actions(games, np.array([UNDO]), rules).rejections.tolist() == [Rejection.WON]
    assert (games["score"].tolist(), games["undos_left"].tolist()) == ([750], [4])


def test_games_do_not_touch_each_other() -> None:
    """A game in a batch goes as it goes alone."""
    deals, rules = list(range(20)), Rules.easy
    games = new_games(lay_out(*shuffle(deals), rules), rules)
    rng = np.random.default_rng(0)
    singles = [Game(f"TP1-E-AAAAAA{chr(65 + number)}") for number in deals]
    for _ in repeat(None, 60):
        actions = rng.integers(0, 29, size=20)
        rejections = play_actions(games, actions, rules).rejections
        assert rejections.tolist() == [
            single.play(int(a)).rejection for single, a in zip(singles, actions, strict=True)
        ]
    assert games["score"].tolist() == [single.score for single in singles]
    assert games["line"].tolist() == [single.record["line"][0].tolist() for single in singles]
