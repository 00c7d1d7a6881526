"""Whether an agent goes by hidden cards: it is asked twice in the same positions, in which only the hidden cards differ.

Who does not see them chooses the same. That finds mistakes and plain cheating. It is no proof, as the agent runs in the same
process: one that looks whether it is being audited, and behaves then, is not found.
"""

import pickle
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from agents.search.worlds import deal_hidden
from tripeaks_env.env.agent import Agent, ask
from tripeaks_env.game.engine import GAME, MAX_LINE, play_actions, tables
from tripeaks_env.game.rules import Rules


class Result(NamedTuple):
    """What a check of an agent has found.

    Attributes:
        passed: whether it is as it must be; ``None`` if that does not apply or cannot be told.
        message: one line.
        seconds: time of a move, where it was measured.
    """

    passed: bool | None
    message: str
    seconds: float = 0.0


def audit(
    make: Callable[[], Agent],
    games: np.ndarray,
    rules: Rules,
    numbers: Sequence[int] | np.ndarray = (),
    rounds: int = MAX_LINE,
) -> Result:
    """Return whether an agent chooses by what it is shown alone: ``passed`` is ``None`` if that cannot be told.

    An agent plays the games on to their ends. Another one of the same kind and seed is then asked in the same positions in
    the same order, and a third one, with the hidden cards dealt anew in every position. Where the second chooses as the first
    and the third does not, the cards made the difference. What an agent looks at on the sly (the variables of callers, the
    objects of the garbage collector) has the cards that were dealt anew. The global random generators are seeded
    alike for each.

    Args:
        make: returns a new agent, of the same seed each time; no oracle.
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, not over; changed while this runs and put back.
        rules: the rules that they are played by.
        numbers: their deal numbers, where known: the variables of callers have others while the hidden cards differ.
        rounds: after how many actions in each game to stop, for agents that are slow.

    Raises:
        AgentError: see :func:`tripeaks_env.env.agent.ask`.
    """
    kept = games.tobytes()  # no array, so that an agent that searches for games finds those that it is asked about
    numbers = np.array(numbers, dtype=np.int64)
    try:
        make()  # imports what it needs: torch is seeded only where it is there
        with seeded(0):
            asked, first = play_rounds(make(), games, rules, numbers, rounds)
        with seeded(0):
            again = replay(make(), asked, games, rules, numbers)
        numbers += 26  # other deals
        with seeded(0):
            other = replay(make(), asked, games, rules, numbers, exchange=True)
    finally:
        games[:] = np.frombuffer(kept, GAME)
    number, varied, differ = len(first), np.count_nonzero(first != again), np.count_nonzero(first != other)
    if varied:
        return Result(
            None,
            f"with the same seed and cards it chose otherwise in {varied:,} of {number:,} positions: as it does not repeat "
            "itself, whether it sees hidden cards cannot be told",
        )
    if differ:
        return Result(
            False,
            f"with other hidden cards it chose otherwise in {differ:,} of {number:,} positions: it sees what is hidden",
        )
    return Result(True, f"the same {number:,} moves with other hidden cards")


Rounds = list[tuple[bytes, np.ndarray]]
"""What an agent was asked at once, each time: all games, as bytes, and which of them are still played."""


def play_rounds(
    agent: Agent, games: np.ndarray, rules: Rules, numbers: np.ndarray, most: int = MAX_LINE
) -> tuple[Rounds, np.ndarray]:
    """Play games to their ends, or ``most`` rounds, in place; return the rounds and, in one array, the actions."""
    playing = np.arange(len(games))
    rounds: Rounds = []
    choices = []
    while len(playing) and len(rounds) < most:
        rounds.append((games.tobytes(), playing))
        current, actions = ask_some(agent, games, playing, rules, numbers)
        over = play_actions(current, actions, rules).over
        games[playing] = current
        playing = playing[~over]
        choices.append(actions)
    return rounds, np.concatenate(choices)


def replay(
    agent: Agent, rounds: Rounds, games: np.ndarray, rules: Rules, numbers: np.ndarray, exchange: bool = False
) -> np.ndarray:
    """Ask an agent the same again, perhaps with other hidden cards; return its actions in one array.

    Args:
        agent: a new one.
        rounds: from :func:`play_rounds`.
        games: as there; the positions are written to it, so that they are in the same place as before.
        rules: the rules.
        numbers: what is in the variables of callers as deal numbers.
        exchange: whether the hidden cards are dealt anew in every round.
    """
    state, choices = np.zeros(1, dtype=np.uint64), []
    for kept, playing in rounds:
        games[:] = np.frombuffer(kept, GAME)
        if exchange:
            for game in games:
                deal_hidden(game, tables(rules)[0], state)
        choices.append(ask_some(agent, games, playing, rules, numbers)[1])
    return np.concatenate(choices)


def ask_some(
    agent: Agent, games: np.ndarray, playing: np.ndarray, rules: Rules, numbers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the games that are played and the actions in them.

    The variables have the names of those in :func:`experiments.games.play.play`, and a list holds them for whoever searches
    the objects of the garbage collector, as arrays themselves are not among those.
    """
    current = games[playing]
    reachable = [current, games]
    return current, ask(agent, reachable[0], rules).actions


def generators() -> dict[str, bytes]:
    """Return the states of the global random generators by the name of their library."""
    states: dict[str, Any] = {"random": random.getstate(), "numpy": np.random.get_state(legacy=False)}  # noqa: NPY002
    if "torch" in sys.modules:
        states["torch"] = sys.modules["torch"].random.get_rng_state().numpy()
    return {name: pickle.dumps(state) for name, state in states.items()}


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the global random generators, and put their states back in the end."""
    torch = sys.modules.get("torch")
    kept = random.getstate(), np.random.get_state(legacy=False), torch and torch.random.get_rng_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    if torch:
        torch.random.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        if torch:
            torch.random.set_rng_state(kept[2])
