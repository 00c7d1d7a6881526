"""What a player is shown: the observation space, and the observations of games in flat arrays.

The observation is the information state: it suffices for optimal fair play. The cards not yet seen are uniformly
distributed over the face-down positions and the stock whatever was played (a joker over the part of the stock that it is
shuffled into), so their counts by rank, the visible ranks and the geometry fix the chances of everything to come; suits, the
order of past actions and the score so far do not bear on what can still be won. Under streak scoring the length of the run
does, so it is added. With undo, what a player saw before an undo is *not* in the observation: it becomes a task with memory.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from gymnasium import spaces

from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import EMPTY, FACE_DOWN, WILD
from tripeaks_env.game.engine import DRAW, UNDO, can_draw, can_undo, removable, tables
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules

Observation = dict[str, np.ndarray]

LEFT_OUT = np.empty((0, 1), dtype=np.int8)  # stands for a part that an observation does not have

# The bits of 0 to 15. As a global it is frozen into the kernels: the compiler then knows that writing to masks does not
# change it, and copies four bytes at once.
BITS = np.array([[number >> bit & 1 for bit in range(4)] for number in range(16)], dtype=np.int8)


def num_actions(max_undos: int) -> int:
    """Return the number of actions: 29, and one more where undo is allowed."""
    return (UNDO if max_undos else DRAW) + 1


def observation_space(rules: Rules, max_undos: int = 0) -> spaces.Dict:
    """Return the space of one observation; all parts are int8 arrays.

    ``tableau`` (28,): 0 removed, 1-13 the rank of a face-up card, 14 face down. ``waste`` (1,): 1-13, 15 a joker, 0 empty.
    ``stock`` (1,): cards left. ``unseen`` (13,): face-down and stock cards of each rank, ace to king; a 14th entry for the
    joker under wild rules. ``action_mask`` (29,) or, with undo, (30,): 1 for legal actions. ``run`` (1,): removals
    since the last draw, under streak scoring. ``undos`` (1,): undos left, where undo is allowed.
    """

    def box(low: int, high: int | np.ndarray, size: int = 1) -> spaces.Box:
        return spaces.Box(np.int8(low), np.broadcast_to(np.int8(high), size), (size,), np.int8)

    parts: dict[str, spaces.Space] = {
        "tableau": box(0, FACE_DOWN, POSITIONS),
        "waste": box(0 if rules.empty_waste else 1, WILD if rules.wild else 13),
        "stock": box(0, rules.stock_size),
        "unseen": box(0, np.array([4] * 13 + [1] * rules.wild), 13 + rules.wild),
        "action_mask": spaces.MultiBinary(num_actions(max_undos)),
    }
    if rules.scoring.streak:
        parts["run"] = box(0, POSITIONS)
    if max_undos:
        parts["undos"] = box(0, max_undos)
    return spaces.Dict(parts)


@lru_cache(maxsize=64)
def part_sizes(rules: Rules, max_undos: int = 0) -> dict[str, int]:
    """Return the length of each part of :func:`observation_space`, by name."""
    return {name: part.shape[0] for name, part in observation_space(rules, max_undos).spaces.items() if part.shape}


def new_observation(number: int, sizes: Mapping[str, int]) -> Observation:
    """Return unwritten arrays for the observations of N games, with parts of the given ``sizes``."""
    return {name: np.empty((number, size), dtype=np.int8) for name, size in sizes.items()}


def write_observation(games: np.ndarray, table: np.ndarray, observation: Observation) -> None:
    """Write what is seen of N games, by the rules of ``table``, to the arrays that :func:`new_observation` returned."""
    _observe(
        games,
        table,
        observation["tableau"],
        observation["waste"],
        observation["stock"],
        observation["unseen"],
        observation["action_mask"],
        observation.get("run", LEFT_OUT),
        observation.get("undos", LEFT_OUT),
    )


def observe(games: np.ndarray, rules: Rules, max_undos: int = 0) -> Observation:
    """Return the observations of N games: the parts of :func:`observation_space` with a leading axis N, fresh arrays.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`.
        rules: the rules that they are played by.
        max_undos: the most undos a game allows; 0 leaves the undo action out.
    """
    observation = new_observation(len(games), part_sizes(rules, max_undos))
    write_observation(games, tables(rules), observation)
    return observation


@kernel
def _observe(
    games: np.ndarray,
    table: np.ndarray,
    tableau: np.ndarray,
    waste: np.ndarray,
    stock: np.ndarray,
    unseen: np.ndarray,
    masks: np.ndarray,
    runs: np.ndarray,
    undos: np.ndarray,
) -> None:
    """Write what a player sees of N games; all arrays but the first two are int8 and written.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`.
        table: (1,) of :data:`tripeaks_env.game.engine.TABLES`.
        tableau, waste, stock, unseen, masks: the parts of :func:`observation_space` with a leading axis N.
        runs, undos: as these, at most 127 undos; or (0, 1) to leave them out.
    """
    for i in range(len(games)):
        game = games[i]
        there = np.int32(game["remaining"])
        shown = there if table[0]["open"] else np.int32(game["exposed"])
        for position in range(POSITIONS):
            place = np.int32(position)  # in 32 bits, as only so this compiles to vector instructions
            face = game["cards"][position] if (shown >> place) & 1 else FACE_DOWN
            tableau[i, position] = face if (there >> place) & 1 else EMPTY
        waste[i, 0] = game["waste"]
        stock[i, 0] = table[0]["stock"] - game["drawn"]
        for rank in range(13):
            unseen[i, rank] = game["unseen"][rank + 1]
        if unseen.shape[1] > 13:
            unseen[i, 13] = game["unseen"][WILD]
        found = removable(game, table[0])
        for first in range(0, POSITIONS, 4):
            four = (found >> first) & 0b1111
            for bit in range(4):
                masks[i, first + bit] = BITS[four, bit]
        masks[i, DRAW] = can_draw(game, table[0])
        if masks.shape[1] > UNDO:
            masks[i, UNDO] = can_undo(game)
        if len(runs):
            runs[i, 0] = game["run"]
        if len(undos):
            undos[i, 0] = min(game["undos_left"], 127)
