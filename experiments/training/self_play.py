"""Games that a search plays against the cards to learn from: positions, and what they turned out to be worth."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from agents.learned.expectation import LOWEST, Tree, hide, new_tree, search
from agents.learned.value_network import MOST, ValueNetwork, Work, evaluate, inputs, working_memory
from tripeaks_env._jit import kernel
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import DRAW, MAX_LINE, PLAYING, new_games, status, step, tables
from tripeaks_env.game.rules import Rules

NO_INPUT = -1
CHUNK = 64
"""Games that a thread takes at a time."""


class Record(NamedTuple):
    """What N self-played games went through, up to ``MAX_LINE`` positions each.

    Attributes:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, at their ends.
        lengths: int64 (N,): how many positions each went through.
        positions: (N, MAX_LINE) of GAME, as seen.
        values: float32 (N, MAX_LINE): of the position, by the network.
        best: float32 (N, MAX_LINE): of the best action, by the search.
        action_values: float32 (N, MAX_LINE, 29): of all actions, by the search; ``LOWEST`` where illegal.
        explored: bool (N, MAX_LINE): whether another action was taken.
    """

    games: np.ndarray
    lengths: np.ndarray
    positions: np.ndarray
    values: np.ndarray
    best: np.ndarray
    action_values: np.ndarray
    explored: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Bool (N, MAX_LINE): which positions are there."""
        return np.arange(MAX_LINE) < self.lengths[:, None]


def new_record(games: np.ndarray) -> Record:
    """Return an empty record for N games, (N,) of :data:`tripeaks_env.game.engine.GAME`."""
    shape = (len(games), MAX_LINE)
    return Record(
        games,
        np.zeros(len(games), np.int64),
        np.zeros(shape, games.dtype),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros((*shape, DRAW + 1), np.float32),
        np.zeros(shape, np.bool_),
    )


def play_games(
    numbers: np.ndarray,
    rules: Rules,
    network: ValueNetwork,
    rng: np.random.Generator,
    depth: int = 1,
    width: float = 1.0,
    positions: int = 1 << 14,
    explore: float = 0.0,
    threads: int = 1,
) -> Record:
    """Play N deals with a search on a value network; the same whatever the number of threads.

    Args:
        numbers: deal numbers, int64 (N,).
        rules: the rules to play by.
        network: the value network.
        rng: of the exploration.
        depth: of the search, see :func:`agents.learned.expectation.search`.
        width: of the search.
        positions: how many the search can look at for an action.
        explore: how probably an action is a random one, so that the network sees other positions too. With 1, it is a
            random removal wherever there is one: a game for a network that knows nothing yet.
        threads: how many.
    """
    count = len(numbers)
    record = new_record(new_games(number_slots(numbers, rules), rules))
    uniform = rng.random((count, MAX_LINE))

    def play(start: int) -> None:
        part = slice(start, start + CHUNK)
        arrays = Record(*(each[part] for each in record))
        _play(
            arrays,
            uniform[part],
            new_tree(positions if depth > 1 else 1),
            depth,
            width,
            explore,
            tables(rules),
            network,
            working_memory(network),
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(play, range(0, count, CHUNK)))
    return record


@kernel(fastmath=True)
def _play(
    record: Record,
    uniform: np.ndarray,
    tree: Tree,
    depth: int,
    width: float,
    explore: float,
    table: np.ndarray,
    network: ValueNetwork,
    work: Work,
) -> None:
    choices = np.empty(DRAW + 1, dtype=np.int64)
    for i in range(len(record.games)):
        game = record.games[i]
        turn = 0
        while status(game, table[0]) == PLAYING:
            tree.games[0] = record.games[i]
            hide(tree.games[0], table[0])
            record.positions[i, turn] = tree.games[0]
            record.values[i, turn] = evaluate(tree.games[0], table[0], network, work)
            search(tree, depth, width, table[0], network, work)
            record.action_values[i, turn] = tree.values[0]
            found = 0
            for action in range(DRAW + 1):
                if tree.values[0, action] > LOWEST and (explore < 1 or action < DRAW or found == 0):
                    choices[found] = action
                    found += 1
            chosen = int(np.argmax(tree.values[0]))
            record.best[i, turn] = tree.values[0, chosen]
            if uniform[i, turn] < explore:
                other = choices[int(uniform[i, turn] / explore * found)]
                record.explored[i, turn] = other != chosen
                chosen = other
            step(game, chosen, table[0])
            turn += 1
        record.lengths[i] = turn


@kernel
def returns(record: Record, trace: float) -> np.ndarray:
    """Return what each position is worth by what came after it, float32 (N, MAX_LINE).

    It is a lambda-return without the luck: the value of the best action plus ``trace`` times by how much the next position's
    own return differs from the network's value of it. The search took the expectation over what the action would reveal, so
    what was in fact revealed, good or bad, does not count. After a random action, nothing does.
    """
    found = np.zeros(record.best.shape, dtype=np.float32)
    for i in range(len(record.lengths)):
        for turn in range(record.lengths[i] - 1, -1, -1):
            found[i, turn] = record.best[i, turn]
            if turn + 1 < record.lengths[i] and not record.explored[i, turn]:
                found[i, turn] += np.float32(trace) * (found[i, turn + 1] - record.values[i, turn + 1])
    return found


def outcomes(record: Record, win: float) -> np.ndarray:
    """Return what each position was worth in the end, float32 (N, MAX_LINE), in units of 100 points."""
    points = (record.games["score"][:, None] - record.positions["score"]) / 100
    return (points + win * (record.games["remaining"] == 0)[:, None]).astype(np.float32)


def input_lists(positions: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the inputs that are one, int16 (M, MOST), filled up with ``NO_INPUT``, of games as seen."""
    found = np.full((len(positions), MOST), NO_INPUT, dtype=np.int16)
    _list(positions, tables(rules), found)
    return found


@kernel
def _list(positions: np.ndarray, table: np.ndarray, found: np.ndarray) -> None:
    row = np.empty(found.shape[1], dtype=np.int64)
    for i in range(len(positions)):
        for k in range(inputs(positions[i], table[0], row)):
            found[i, k] = row[k]
