"""Whether an agent may be compared: it is made, plays legally, repeats itself, and sees nothing that is hidden.

The checks run in a process of their own, so that an agent that hangs or ends the interpreter costs one line of the result.
All deals are training deals.

What finds an agent that peeks is :mod:`experiments.games.audit`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

import agents
from agents import Agent, OracleAgent
from experiments.games.audit import Result, ask_some, audit, generators, play_rounds, replay, seeded
from experiments.games.lines import Lines
from experiments.games.play import play
from experiments.games.unmasked import count_illegal
from tripeaks_env.env.agent import AgentError, describe
from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import new_games, play_actions
from tripeaks_env.game.observation import observe
from tripeaks_env.game.rules import PRESETS, Rules, as_rules
from tripeaks_env.game.sampling import sample_actions
from tripeaks_env.parallel.pool import Lost, Pool
from tripeaks_env.parallel.processes import LocalPool

MADE, PLAYS, LEGAL = "can be made", "plays a game", "legal actions"
REPEATS, BATCHES, HIDDEN = "repeats itself", "batches", "hidden cards"
NOT_TRIED = Result(None, "not tried")

SLOWEST = 2.0
"""Seconds that a move may take on average: a comparison plays tens of thousands of them."""
FEWEST, MOST = 3, 100
"""Games that a check plays at once, by how fast the agent is."""
MOVES = 50
"""About how many a game has."""
MOST_POSITIONS = 200
"""Positions that are asked one by one, likewise."""


class Check(NamedTuple):
    """One result.

    Attributes:
        name: what was checked.
        passed: whether it is as it must be; ``None`` if that does not apply or cannot be told.
        message: one line.
    """

    name: str
    passed: bool | None
    message: str


@dataclass(frozen=True)
class Candidate:
    """An agent to check.

    Attributes:
        name: see :func:`agents.make`, as for the other ones.
        rules: the rules it plays by.
        options: its options.
        seed: of the agent, and of the training deals.
        games: how many games a check plays at once.
        trust: whether a zip file may be loaded.
    """

    name: str
    rules: Rules
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    games: int = FEWEST
    trust: bool = False

    def make(self, others: int = 0) -> Agent:
        """Return the agent, new; ``others`` is added to its seed.

        Raises:
            ValueError: see :func:`agents.make`.
        """
        for name in {"name", "rules", "seed", "trust"} & self.options.keys():
            raise ValueError(f"agent {self.name!r} has no option {name!r}")
        return agents.make(self.name, self.rules, self.seed + others, trust=self.trust, **self.options)

    def deals(self, count: int) -> np.ndarray:
        """Return the numbers of training deals, int64 (count,)."""
        return random_numbers(np.random.default_rng(self.seed), "train", count)


def validate(
    name: str,
    rules: str | Rules = "easy",
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    seconds: float = 60.0,
    checked: Callable[[Check], object] = lambda check: None,
    trust: bool = False,
) -> list[Check]:
    """Return what is right and wrong with an agent.

    Args:
        name: the agent, see :func:`agents.make`.
        rules: the rules to play by; or ``"all"`` for every preset, of which it may refuse some: legal actions are checked
            under each of the others, and all else under the first one.
        options: of the agent.
        seed: of the agent, and of the training deals.
        seconds: how long it may take to make the agent, and to play two games with it. The other checks play as many games as
            fit into about that time, but a few at least, and may take longer.
        checked: is told each result as soon as it is known.
        trust: see :func:`agents.make`.

    Returns:
        :data:`MADE`, :data:`PLAYS`, :data:`LEGAL`, :data:`REPEATS`, :data:`BATCHES`, :data:`HIDDEN`, in this order; with
        ``"all"``, :data:`MADE` and :data:`LEGAL` for each of the rules. After one of the first three fails, what follows is
        not tried.

    Raises:
        ValueError: there are no such rules.
    """
    presets = list(PRESETS.values()) if rules == "all" else [as_rules(rules)]
    candidates = [Candidate(name, each, dict(options or {}), seed, trust=trust) for each in presets]
    results = []
    with LocalPool(1) as pool:
        for check in _checks(candidates, pool, seconds):
            results.append(check)
            checked(check)
    return results


def training_games(count: int, rules: Rules, seed: int = 0) -> np.ndarray:
    """Return games of random training deals at their start, (count,) of :data:`tripeaks_env.game.engine.GAME`."""
    return new_games(number_slots(random_numbers(np.random.default_rng(seed), "train", count), rules), rules)


def _tried(task: tuple[Callable[[Candidate], Result], Candidate]) -> Result:
    function, candidate = task
    try:
        return function(candidate)
    except (AgentError, ValueError) as error:
        return Result(False, str(error))
    except BaseException as error:  # whatever somebody's code does to end the program
        return Result(False, f"it raised {describe(error)}")


def _checks(candidates: list[Candidate], pool: Pool, seconds: float) -> Iterator[Check]:
    """Yield the results of :func:`validate`; a check may end its worker, or hang."""

    def run(function: Callable[[Candidate], Result], candidate: Candidate, seconds: float) -> Result:
        ((_, found),) = pool.run(_tried, [(function, candidate)], round(seconds))
        return Result(False, f"it {found.reason}") if isinstance(found, Lost) else found

    def named(name: str, candidate: Candidate) -> str:
        return f"{name}, {candidate.rules}" if len(candidates) > 1 else name

    made = [(each, run(check_made, each, seconds)) for each in candidates]
    playing = [each for each, result in made if result.passed]
    for each, result in made:
        yield Check(named(MADE, each), result.passed if playing else False, result.message)
    played = run(check_plays, playing[0], seconds) if playing else NOT_TRIED
    yield Check(PLAYS, played.passed, played.message)
    legal = bool(played.passed)
    if legal:
        game = played.seconds * MOVES
        games = int(np.clip(seconds / 12 / game, FEWEST, MOST))
        seconds += 12 * games * game  # a check plays so many games three times at most: that is four times as long
        playing = [replace(each, games=games) for each in playing]
        for each in playing:
            result = run(check_legal, each, seconds)
            legal = legal and bool(result.passed)
            yield Check(named(LEGAL, each), result.passed, result.message)
    else:
        yield Check(LEGAL, NOT_TRIED.passed, NOT_TRIED.message)
    for name, function in ((REPEATS, check_repeats), (BATCHES, check_batches), (HIDDEN, check_hidden)):
        result = run(function, playing[0], seconds) if legal else NOT_TRIED
        yield Check(name, result.passed, result.message)


def check_made(candidate: Candidate) -> Result:
    """Make the agent; the result is ``None`` where that is refused."""
    try:
        agent = candidate.make()
    except ValueError as error:
        return Result(None, str(error))
    return Result(True, f"{type(agent).__module__}:{type(agent).__name__}")


def check_plays(candidate: Candidate) -> Result:
    """Play one game alone and take the time."""
    agent = candidate.make()
    first, second = candidate.deals(2).tolist()
    play(agent, [first], candidate.rules)  # compiles what it needs, which is not its time
    games, took = play(agent, [second], candidate.rules)
    moves = int(games["moves"].sum())
    message = f"{1000 * took / moves:.3g} ms a move"
    if took > SLOWEST * moves:
        return Result(False, f"{message}; it must be {1000 * SLOWEST:g} at most")
    return Result(True, message, took / moves)


def check_legal(candidate: Candidate) -> Result:
    """Play one game alone, two at once, and many; some end early, so that rows move."""
    deals = candidate.deals(3 + candidate.games)
    played = np.concatenate(
        [play(candidate.make(), part.tolist(), candidate.rules).games for part in (deals[:1], deals[1:3], deals[3:])]
    )
    moves = int(played["moves"].sum())
    unmasked = count_illegal(candidate.make(), deals, Lines.of(played), candidate.rules).in_words()
    message = f"{moves:,} moves in {len(deals)} games, 1, 2 and {candidate.games} at once"
    return Result(True, f"{message}; {unmasked}" if unmasked else message)


def check_repeats(candidate: Candidate) -> Result:
    """See whether the same seed makes the same moves, and whether the global random generators have no part in it."""
    games = training_games(candidate.games, candidate.rules, candidate.seed)
    candidate.make()  # imports what it needs: torch is seeded only where it is there
    with seeded(1):
        agent = candidate.make()
        before = generators()
        rounds, first = play_rounds(agent, games, candidate.rules, candidate.deals(0))
        used = [name for name, state in before.items() if state != generators()[name]]
    with seeded(2):
        again = replay(candidate.make(), rounds, games, candidate.rules, candidate.deals(0))
    if used:
        return Result(False, f"it uses or seeds the global generator of {' and '.join(used)}; it must have its own")
    number, differ = len(first), int(np.count_nonzero(first != again))
    if differ:
        return Result(False, f"with the same seed and cards it chose otherwise in {differ:,} of {number:,} positions")
    return Result(True, f"the same {number:,} moves again")


def check_batches(candidate: Candidate) -> Result:
    """See whether what it chooses in a game depends on the other games of a call, and on their order."""
    number = min(2 * candidate.games, MOST_POSITIONS)
    games = _positions(number, candidate.rules, candidate.seed)
    order = np.random.default_rng(candidate.seed).permutation(number)

    def choose(agent: Agent, which: np.ndarray) -> np.ndarray:
        return ask_some(agent, games, which, candidate.rules, candidate.deals(0))[1]

    everything = np.arange(number)
    together = choose(candidate.make(), everything)
    shuffled = choose(candidate.make(), order)
    single = candidate.make()
    alone = np.concatenate([choose(single, everything[i : i + 1]) for i in range(number)])
    if (shuffled == together[order]).all() and (alone == together).all():
        return Result(True, f"{number} positions alone, together and in another order: the same moves")
    repeated, other = (choose(candidate.make(others), everything) for others in (0, 1))
    if (repeated != together).any() or (other != together).any():
        return Result(None, "its moves are random, so whether other games have a part in them cannot be told")
    apart, moved = np.count_nonzero(alone != together), np.count_nonzero(shuffled != together[order])
    return Result(
        False,
        f"of {number} positions it chose otherwise in {apart} if asked one by one, and in {moved} in another order: its "
        "moves must not depend on the other games, nor on what it was asked before",
    )


def check_hidden(candidate: Candidate) -> Result:
    """See whether hidden cards have a part in what it chooses; see :func:`audit`."""
    if isinstance(candidate.make(), OracleAgent):
        return Result(None, "an oracle, which is shown all cards and listed apart")
    games = training_games(candidate.games, candidate.rules, candidate.seed)
    return audit(candidate.make, games, candidate.rules, candidate.deals(candidate.games))


def _positions(number: int, rules: Rules, seed: int) -> np.ndarray:
    """Return games of training deals in progress, (number,): after 0 to 39 random moves, or before the last."""
    rng = np.random.default_rng(seed)
    games = training_games(number, rules, seed)
    lengths = rng.integers(40, size=number)
    for move in range(40):
        after = games.copy()
        over = play_actions(after, sample_actions(observe(games, rules)["action_mask"], rng), rules).over
        games = np.where((move < lengths) & ~over, after, games)
    return games
