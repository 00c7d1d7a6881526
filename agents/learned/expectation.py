"""Exact expectations over what moves reveal: the search that stands on the value network.

A removal turns up to two cards up, a draw shows one. Of them only the chances are known: the unseen cards are equally likely
everywhere. The value of an action is the expectation over all of that, each outcome being worth the best action then, some
such steps deep, and in the end what the value network says. As every choice is made on what is seen then, the search does
not fool itself with knowledge that it will not have.
"""

from typing import NamedTuple

import numpy as np

from agents.learned.value_network import (
    CATEGORIES,
    POINTS,
    UNSEEN,
    ValueNetwork,
    Work,
    add_up,
    change_row,
    evaluate,
    output,
    relative_rank,
)
from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import EMPTY, WILD
from tripeaks_env.game.deals import FIRST_WASTE, JOKER_PLACES
from tripeaks_env.game.engine import DRAW, GAME, PLAYING, WON, legal_mask, status, step
from tripeaks_env.game.layout import POSITIONS

NOTHING = -1
MOST_OUTCOMES = 169
"""An action turns up two cards at most."""
LOWEST = np.float32(-1e9)
"""The value of an illegal action. Fast mathematics knows no infinity."""


class Tree(NamedTuple):
    """Positions that a search looks at, each after the one it comes from; the first is the root.

    Attributes:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, as seen; the last one is working memory.
        parents: int32 (N,): which position each comes from.
        actions: int8 (N,): by which action.
        chances: float32 (N,): how likely, after that action.
        values: float32 (N, 29): of the actions in each, in units of 100 points; ``LOWEST`` where illegal.
    """

    games: np.ndarray
    parents: np.ndarray
    actions: np.ndarray
    chances: np.ndarray
    values: np.ndarray


def new_tree(positions: int) -> Tree:
    """Return memory for a search that looks at up to so many positions."""
    return Tree(
        np.zeros(positions + 1, GAME),
        np.zeros(positions + 1, np.int32),
        np.zeros(positions + 1, np.int8),
        np.zeros(positions + 1, np.float32),
        np.zeros((positions + 1, DRAW + 1), np.float32),
    )


@kernel
def hide(game: np.void, table: np.void) -> None:
    """Forget the hidden cards of a game: it becomes one as seen, see :func:`agents.search.worlds.games_as_seen`."""
    shown = int(game["remaining"]) if table["open"] else int(game["exposed"])
    for position in range(POSITIONS):
        if not (shown >> position) & 1:
            game["cards"][position] = EMPTY
    for rank in range(14):
        game["by_rank"][rank] &= shown
    game["cards"][FIRST_WASTE:] = EMPTY


@kernel
def _turn_up(game: np.void, position: int, rank: int, count: int) -> None:
    """Let the card at a position be of a rank that is now seen (``count`` 1), or take that back (-1)."""
    game["cards"][position] = rank if count > 0 else EMPTY
    game["by_rank"][rank] ^= 1 << position
    game["unseen"][rank] -= count


@kernel
def _turned_up(game: np.void, child: np.void, action: int, table: np.void) -> tuple[int, int]:
    """Return the slots, up to two, of the cards that an action made visible: positions, or ``FIRST_WASTE``."""
    if action == DRAW:
        return FIRST_WASTE, NOTHING
    first, second = NOTHING, NOTHING
    if not table["open"]:
        turned = int(child["exposed"]) & ~int(game["exposed"])
        for position in range(POSITIONS):
            if (turned >> position) & 1:
                if first == NOTHING:
                    first = position
                else:
                    second = position
    return first, second


@kernel(fastmath=True)
def _add_seen(game: np.void, child: np.void, position: int, rank: int, rows: np.ndarray, sums: np.ndarray) -> None:
    """Add to the first layer's sums of ``child`` that the card at a position turned up with a rank."""
    change_row(sums, rows, position * CATEGORIES + relative_rank(rank, child["waste"]), np.float32(1))
    _count_seen(game, child, rank, np.float32(1), rows, sums)


@kernel(fastmath=True)
def _count_seen(game: np.void, child: np.void, rank: int, sign: np.float32, rows: np.ndarray, sums: np.ndarray) -> None:
    """Change the sums by how many cards of a rank are unseen in ``child`` instead of in ``game``."""
    first = UNSEEN + 4 * relative_rank(rank, child["waste"]) - 1
    change_row(sums, rows, first + int(game["unseen"][rank]), -sign)
    if child["unseen"][rank] > 0:
        change_row(sums, rows, first + int(child["unseen"][rank]), sign)


@kernel(fastmath=True)
def _outcomes(
    tree: Tree, node: int, action: int, count: int, expand: bool, table: np.void, network: ValueNetwork, work: Work
) -> tuple[int, np.float32]:
    """Go through all that a legal action in a position of the tree can reveal.

    Args:
        tree: the positions.
        node: which of them.
        action: the action.
        count: how many positions the tree has.
        expand: whether to add the outcomes to the tree. If not, the network evaluates them.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        network: the value network.
        work: working memory.

    Returns:
        How many positions the tree has now, and the value of the action if it was not expanded.
    """
    # 1. Carry out the action, and see which cards it turns up.
    game, child = tree.games[node], tree.games[-1]
    tree.games[-1] = tree.games[node]
    step(child, action, table)
    first, second = _turned_up(game, child, action, table)
    # 2. How likely a card of each rank is among them: by how many are unseen, the joker only where it can lie.
    unseen = 0
    for rank in range(1, 14):
        unseen += int(game["unseen"][rank])
    joker = 0.0
    if action == DRAW and game["unseen"][WILD] and table["stock"] - game["drawn"] <= JOKER_PLACES:
        joker = 1.0 / (table["stock"] - game["drawn"])
    shared = not expand and 0 <= first < POSITIONS
    if shared:  # of all outcomes, whose first layers differ by a few rows
        add_up(child, table, network, work.found, work.base)
    # 3. Turn up every rank as the first card and as the second, and take that back.
    total = 0.0
    for rank in range(1, WILD + 1 if first == FIRST_WASTE else 14 if first != NOTHING else 2):
        chance = 1.0
        if first != NOTHING:
            if game["unseen"][rank] <= 0:
                continue
            chance = joker if rank == WILD else (1.0 - joker) * game["unseen"][rank] / unseen
        if first == FIRST_WASTE:
            child["waste"] = rank
            child["unseen"][rank] -= 1
        elif first != NOTHING:
            _turn_up(child, first, rank, 1)
        for other in range(1, 14 if second != NOTHING else 2):
            likely = chance
            if second != NOTHING:
                if child["unseen"][other] <= 0:
                    continue
                likely *= child["unseen"][other] / (unseen - 1)
                _turn_up(child, second, other, 1)
            if expand:
                tree.games[count] = tree.games[-1]
                tree.parents[count], tree.actions[count], tree.chances[count] = node, action, likely
                count += 1
            else:
                stands = status(child, table)
                if stands != PLAYING:
                    total += likely * float(network.win[0] if stands == WON else 0)
                elif shared:
                    work.sums[:] = work.base
                    _add_seen(game, child, first, rank, network.rows, work.sums)
                    if second != NOTHING:
                        _add_seen(game, child, second, other, network.rows, work.sums)
                        if rank == other:  # its count changed once
                            _count_seen(game, child, rank, np.float32(-1), network.rows, work.sums)
                    total += likely * float(output(work.sums, network))
                else:
                    total += likely * float(evaluate(child, table, network, work))
            if second != NOTHING:
                _turn_up(child, second, other, -1)
        if first == FIRST_WASTE:
            child["unseen"][rank] += 1
        elif first != NOTHING:
            _turn_up(child, first, rank, -1)
    return count, np.float32(np.float32(child["score"] - game["score"]) / POINTS + total)


@kernel(fastmath=True)
def value_of_action(
    tree: Tree, node: int, action: int, table: np.void, network: ValueNetwork, work: Work
) -> np.float32:
    """Return what a legal action in a position of the tree is worth, the network evaluating its outcomes."""
    return np.float32(_outcomes(tree, node, action, 0, False, table, network, work)[1])


@kernel(fastmath=True)
def _value_actions(tree: Tree, node: int, table: np.void, network: ValueNetwork, work: Work) -> np.float32:
    """Write the values of all actions in a position by their outcomes; return the best."""
    actions = legal_mask(tree.games[node], table)
    best = LOWEST
    for action in range(DRAW + 1):
        value = LOWEST
        if (actions >> action) & 1:
            value = value_of_action(tree, node, action, table, network, work)
            best = max(best, value)
        tree.values[node, action] = value
    return best


@kernel(fastmath=True)
def search(tree: Tree, depth: int, width: float, table: np.void, network: ValueNetwork, work: Work) -> None:
    """Write the values of the actions in the tree's root to its ``values``.

    Args:
        tree: memory; the first position is the root, a game as seen that is not over.
        depth: how many actions deep to look, at least 1. What does not fit into the tree is looked at less deep.
        width: how much worse than the best, in units of 100 points, an action may be at first sight to be looked at deeper.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        network: the value network.
        work: working memory.
    """
    # 1. From level to level, the values of the actions by what the network says of their outcomes.
    first, count = 0, 1
    room = len(tree.games) - 1 - MOST_OUTCOMES
    for level in range(depth):
        last = count
        for node in range(first, last):
            if status(tree.games[node], table) != PLAYING:
                continue
            best = _value_actions(tree, node, table, network, work)
            # 2. The outcomes of the good actions become the next level; until that is valued, these keep their points alone.
            for action in range(DRAW + 1):
                value = tree.values[node, action]
                if level + 1 < depth and count < room and value > LOWEST and value >= best - width:
                    before = tree.games[node]["score"]
                    start = count
                    count = _outcomes(tree, node, action, count, True, table, network, work)[0]
                    tree.values[node, action] = np.float32(tree.games[start]["score"] - before) / POINTS
        first = last
    # 3. What the positions are worth goes back to the actions that lead there.
    _back_up(tree, count, table, network)


@kernel(fastmath=True)
def _back_up(tree: Tree, count: int, table: np.void, network: ValueNetwork) -> None:
    """Add the best values of the first ``count`` positions, as likely as they are, to those of the actions before them."""
    for node in range(count - 1, 0, -1):  # from the last to the first, each adds to where it came from
        stands = status(tree.games[node], table)
        value = np.float32(0)
        if stands == WON:
            value = network.win[0]
        elif stands == PLAYING:
            value = tree.values[node].max()
        tree.values[tree.parents[node], tree.actions[node]] += tree.chances[node] * value


@kernel(fastmath=True)
def values_of_games(
    games: np.ndarray,
    tree: Tree,
    depth: int,
    width: float,
    table: np.ndarray,
    network: ValueNetwork,
    work: Work,
    values: np.ndarray,
) -> None:
    """Write the values of the actions in N games, float32 (N, 29), ``LOWEST`` where illegal; see :func:`search`.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`; what is hidden in them is not looked at.
        tree: memory.
        depth: how many actions deep to look.
        width: which actions to look at deeper.
        table: (1,) of :data:`tripeaks_env.game.engine.TABLES`.
        network: the value network.
        work: working memory.
        values: float32 (N, 29), out.
    """
    for i in range(len(games)):
        tree.games[0] = games[i]
        hide(tree.games[0], table[0])
        search(tree, depth, width, table[0], network, work)
        values[i] = tree.values[0]
