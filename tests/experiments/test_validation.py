"""What validation finds: agents that peek, that do not repeat themselves, that break. Most checks run in this process."""

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.simple import OpenerAgent
from experiments.games.audit import audit, generators
from experiments.validate import (
    BATCHES,
    HIDDEN,
    LEGAL,
    MADE,
    PLAYS,
    REPEATS,
    Candidate,
    Check,
    check_batches,
    check_hidden,
    check_legal,
    check_made,
    check_plays,
    check_repeats,
    training_games,
    validate,
)
from tests.common import slow
from tests.experiments.own_agents import (
    CHEATS,
    Crowd,
    GlobalNumPy,
    GlobalPython,
    GlobalTorch,
    Lowest,
    NeighbourPeeks,
    NoSeedUsed,
    OneAtATime,
    PeeksAtFrames,
    PeeksOnceAndPlans,
    Remembers,
    SeedsNumPy,
    Slow,
    candidate,
)
from tripeaks_env import Rules, is_evaluation
from tripeaks_env.env.agent import AgentError
from tripeaks_env.game.observation import Observation
from tripeaks_env.parallel.processes import LocalPool

WILD = Rules(wild=True)


@pytest.mark.parametrize("cheat", [*CHEATS[:2], *slow(*CHEATS[2:])])
def test_an_audit_finds_who_peeks(cheat: type) -> None:
    found = check_hidden(candidate(cheat, games=20))
    assert found.passed is False
    assert re.fullmatch(
        r"with other hidden cards it chose otherwise in \d+ of [\d,]+ positions: it sees .*", found.message
    )


def test_an_audit_finds_who_peeks_at_the_start_only() -> None:
    games = training_games(1, Rules.easy)
    assert "it sees what is hidden" in audit(lambda: PeeksOnceAndPlans(Rules.easy), games, Rules.easy).message


def test_an_audit_of_a_few_rounds() -> None:
    asked = []

    class Counts(Lowest):
        def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
            asked.append(len(action_mask))
            return super().act(observation, action_mask)

    assert audit(lambda: Counts(Rules.easy), training_games(9, Rules.easy), Rules.easy, rounds=2).passed
    assert asked == [9] * 6


def test_an_audit_puts_the_games_back_and_clears_who_does_not_peek() -> None:
    games = training_games(20, WILD, seed=3)
    before = games.tobytes()
    assert audit(lambda: OpenerAgent(WILD, 4), games, WILD).passed
    assert audit(lambda: PeeksAtFrames(WILD), games, WILD).passed is False
    assert games.tobytes() == before


def test_an_audit_of_who_does_not_repeat_itself_says_so() -> None:
    games = training_games(20, Rules.easy)
    found = audit(lambda: NoSeedUsed(Rules.easy), games, Rules.easy)
    assert found.passed is None
    assert "as it does not repeat itself, whether it sees hidden cards cannot be told" in found.message


def test_an_audit_seeds_the_global_generators_for_who_uses_them() -> None:
    before = generators()
    for made in (GlobalNumPy, GlobalPython, GlobalTorch):
        assert audit(lambda made=made: made(Rules.easy), training_games(20, Rules.easy), Rules.easy).passed  # type: ignore[misc]
    assert generators() == before


@pytest.mark.parametrize(
    ("made", "library"),
    [(GlobalNumPy, "numpy"), (GlobalPython, "random"), (GlobalTorch, "torch"), (SeedsNumPy, "numpy")],
)
def test_global_generators_are_found(made: type, library: str) -> None:
    before = generators()
    found = check_repeats(candidate(made))
    assert found == (False, f"it uses or seeds the global generator of {library}; it must have its own", 0)
    assert generators() == before


def test_an_unseeded_generator_is_found() -> None:
    found = check_repeats(candidate(NoSeedUsed))
    assert found.passed is False
    assert "with the same seed and cards it chose otherwise in" in found.message


@pytest.mark.parametrize("made", [Crowd, NeighbourPeeks, Remembers])
def test_who_goes_by_other_games_is_found(made: type) -> None:
    found = check_batches(candidate(made))
    assert found.passed is False
    assert "must not depend on the other games" in found.message
    assert check_repeats(candidate(made)).passed


def test_batches_of_a_random_agent_cannot_be_told() -> None:
    assert check_batches(Candidate("random", Rules.easy, games=12)).passed is None
    assert check_batches(Candidate("rollout", Rules.easy, {"simulations": 20}, games=12)).passed


def test_who_cannot_play_two_games_is_found() -> None:
    assert check_plays(candidate(OneAtATime)).passed
    with pytest.raises(AgentError, match=r"act returned int64 \(1,\); it must be integers \(2,\)"):
        check_legal(candidate(OneAtATime))


def test_slowness_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.validate.SLOWEST", 0.001)
    found = check_plays(candidate(Slow))
    assert found.passed is False
    assert re.fullmatch(r"[\d.]+ ms a move; it must be 1 at most", found.message)


def test_all_deals_are_training_deals() -> None:
    assert not any(map(is_evaluation, Candidate("random", Rules.easy).deals(1000).tolist()))


@pytest.mark.parametrize(
    "name",
    [
        *("random", "greedy", "opener", "ppo"),
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("network", "lookahead", "ismcts", "pimc", "rollout")),
    ],
)
def test_shipped_agents_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.validate.SLOWEST", math.inf)  # this machine may be busy
    options = {"pimc": {"worlds": 2}, "ismcts": {"simulations": 20}, "rollout": {"simulations": 20}}.get(name, {})
    found = Candidate(name, Rules.easy, options, games=3)
    for check in (check_made, check_plays, check_legal, check_repeats, check_hidden):
        assert check(found).passed, check(found)
    assert check_batches(found).passed is not False


def test_an_oracle_is_not_audited() -> None:
    found = check_hidden(Candidate("oracle", Rules.easy))
    assert found.passed is None
    assert "an oracle" in found.message


BROUGHT = """
import os, sys, time

class Lowest:
    def __init__(self, rules, seed=0):
        pass

    def act(self, observation, action_mask):
        return action_mask.argmax(axis=1)

class EasyOnly(Lowest):
    def __init__(self, rules, seed=0):
        if not rules.wrap or rules.wild:
            raise ValueError("it plays by easy rules only")

class Hangs(Lowest):
    def act(self, observation, action_mask):
        while True:
            time.sleep(0.1)

class Crashes(Lowest):
    def act(self, observation, action_mask):
        os._exit(3)

class Exits(Lowest):
    def act(self, observation, action_mask):
        sys.exit("enough")

class NoSeed(Lowest):
    def __init__(self, rules):
        pass

class Peeks(Lowest):
    def act(self, observation, action_mask):
        games, frame = None, sys._getframe()
        while games is None:
            frame = frame.f_back
            games = frame.f_locals.get("games")
        cards = games["cards"][:, 0]
        return [row.nonzero()[0][card % row.sum()] for row, card in zip(action_mask, cards)]
"""
"""A module of its own, as importing those of the tests takes another process seconds."""


class Patient(LocalPool):
    """Workers with all the time they need, but for playing a game if the agent never ends it."""

    def run(self, function: Any, tasks: Sequence[Any], *arguments: Any, **keywords: Any) -> Iterator[tuple[Any, Any]]:
        ((check, agent),) = tasks
        endless = check is check_plays and agent.name == "brought:Hangs"
        return super().run(function, tasks, 3 if endless else math.inf)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.validate.LocalPool", Patient)


@pytest.fixture
def brought(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brought.py").write_text(BROUGHT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def passed(checks: list[Check]) -> dict[str, bool | None]:
    return {check.name: check.passed for check in checks}


@pytest.mark.slow
@pytest.mark.usefixtures("brought")
def test_validation_under_all_rules() -> None:
    told: list[Check] = []
    checks = validate("brought:EasyOnly", "all", checked=told.append)
    assert told == checks
    found = passed(checks)
    assert found[f"{MADE}, easy"] is True
    assert found[f"{MADE}, classic"] is None
    messages = {check.name: check.message for check in checks}
    assert "ValueError: it plays by easy rules only" in messages[f"{MADE}, classic"]
    assert found[f"{LEGAL}, open"] is True
    assert f"{LEGAL}, classic" not in found
    assert [found[name] for name in (PLAYS, REPEATS, BATCHES, HIDDEN)] == [True] * 4


@pytest.mark.slow
@pytest.mark.usefixtures("brought")
@pytest.mark.parametrize(
    ("name", "failing", "message"),
    [
        ("Hangs", PLAYS, "it took longer than 3 s"),
        ("Crashes", PLAYS, "it ended its worker process 3 times"),
        ("Exits", PLAYS, "act raised SystemExit: enough (brought.py, line "),
        ("NoSeed", MADE, "a class must take rules and seed"),
        ("Peeks", HIDDEN, "it sees what is hidden"),
    ],
)
def test_an_agent_that_breaks_costs_one_line(name: str, failing: str, message: str) -> None:
    checks = validate(f"brought:{name}")
    results = passed(checks)
    assert list(results) == [MADE, PLAYS, LEGAL, REPEATS, BATCHES, HIDDEN]
    assert results[failing] is False, checks
    assert message in next(check.message for check in checks if check.name == failing)
    assert list(results.values()).count(False) == 1
    after = list(results).index(failing) + 1
    assert [check.message for check in checks[after:]] == ["not tried"] * (6 - after)
    assert all("\n" not in check.message for check in checks)


def test_validation_with_wrong_options_and_rules() -> None:
    with pytest.raises(ValueError, match="rules is 'hard'"):
        validate("random", "hard")
    with pytest.raises(ValueError, match="agent 'random' has no option 'seed'"):
        Candidate("random", Rules.easy, {"seed": 3}).make()
