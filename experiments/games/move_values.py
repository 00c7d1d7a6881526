"""What the single moves of games were worth, with all cards known: where in its games an agent loses points."""

from dataclasses import dataclass

import numpy as np

from experiments.games.lines import Lines, positions
from experiments.runs.store import DealsTask
from tripeaks_env.game.engine import DRAW
from tripeaks_env.solver.every_action import values_of_actions

CHUNK = 20
"""Deals whose moves are valued at a time."""
COLUMNS = (
    *("row", "player", "move", "action", "cards", "stock", "options"),
    *("value", "chosen", "loss", "draw_best", "removal_best"),
)
"""The keys of :func:`value_moves`."""


@dataclass(frozen=True)
class MovesTask(DealsTask):
    """Deals, and in ``lines`` what each agent played on them, whose moves are to be valued."""

    lines: tuple[Lines, ...]


def value_moves(task: MovesTask) -> dict[str, np.ndarray]:
    """Return what each move of the games was worth with all cards known, arrays (M,), deal by deal and agent by agent.

    The keys: ``row``: index of the deal in the suite; ``player``: index of the agent; ``move``: from 0; ``action``; ``cards``
    and ``stock``: how many were left before it; ``options``: how many actions were legal; ``value``: the best final score
    before it; ``chosen``: the same after it; ``loss``: by how much that is less; ``draw_best`` and ``removal_best``: whether
    drawing, and whether some removal, was best. The losses of a game add up to its regret.
    """
    parts = [_values_of_deal(task, i) for i in range(len(task.numbers))]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _values_of_deal(task: MovesTask, i: int) -> dict[str, np.ndarray]:
    lines = Lines(*(np.stack([part[i] for part in parts]) for parts in zip(*task.lines, strict=True)))
    found = positions([task.numbers[i]] * len(task.lines), lines, task.rules)
    player, move = np.nonzero(lines.taken)
    before, action = found[player, move], lines.actions[player, move].astype(np.int64)
    values = values_of_actions(before, task.rules)
    best, chosen = np.nanmax(values, axis=1), values[np.arange(len(action)), action]
    attained = values == best[:, None]
    return {
        "row": np.full(len(action), task.first + i),
        "player": player,
        "move": move,
        "action": action,
        "cards": np.bitwise_count(before["remaining"]).astype(np.int64),
        "stock": task.rules.stock_size - before["drawn"].astype(np.int64),
        "options": np.count_nonzero(~np.isnan(values), axis=1),
        "value": best.astype(np.int64),
        "chosen": chosen.astype(np.int64),
        "loss": (best - chosen).astype(np.int64),
        "draw_best": attained[:, DRAW],
        "removal_best": attained[:, :DRAW].any(axis=1),
    }
