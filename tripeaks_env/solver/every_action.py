"""What positions of a deal are worth with all cards known, under every scoring, and the lines that get it.

Between two draws, play is a run: removals, each on the one before. A run ends with a draw or with the game, and what follows
a draw depends on the mask and the number of draws alone. So one sweep over the lattice from the empty tableau back to the
position finds, for every mask and all numbers of draws side by side, the most points still to come when that drawn card is
on the waste. Under streak scoring a removal is worth more the longer its run already is, which the sweep does not know yet;
therefore it keeps, for each edge of the lattice (the removal), the most points by how many more removals follow in the run,
and adds the points for the streak where the run begins.

From a position on, the sweep's values tell the worth of every way to end the present run, so a line is found run by run.
"""

from __future__ import annotations

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import EMPTY, WILD
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.engine import DRAW, MAX_LINE, lowest, tables
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.lattice import Lattice, edge_rows, lattice
from tripeaks_env.solver.objective import Objective, Worth, worth

DRAWS = 26
"""Numbers of draws side by side: 0 to 25. A constant: the compiler unrolls the loops over them."""
NEVER = -(1 << 60)
"""Points of what cannot be done."""


def best_line(game: np.ndarray, rules: Rules, objective: Objective) -> list[int]:
    """Return the actions of a best line from a position, (1,) of :data:`tripeaks_env.game.engine.GAME`."""
    board, points = lattice(), worth(rules, objective)
    values = _values(game, rules, points)
    line = np.empty(MAX_LINE, dtype=np.int8)
    start = board.index_of(int(game["remaining"][0]))
    length = _line(start, game[0], tables(rules)[0], board, points, values, line)
    return line[:length].tolist()


def values_of_actions(games: np.ndarray, rules: Rules) -> np.ndarray:
    """Return the best final score after each action in N positions of one deal, float64 (N, 29), NaN where illegal.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, all with the same cards.
        rules: the rules that they are played by.
    """
    board, points = lattice(), worth(rules, "score")
    first = games[np.argmax(games["remaining"])][None].copy()  # all are reached from a position that
    first["remaining"] = np.bitwise_or.reduce(games["remaining"])  # has the cards of all of them
    first["drawn"] = games["drawn"].min()
    first["waste"] = games["waste"][np.argmin(games["drawn"])]
    values = _values(first, rules, points)
    found = np.full((len(games), DRAW + 1), np.nan)
    for game, row in zip(games, found, strict=True):
        _action_values(board.index_of(int(game["remaining"])), game, tables(rules)[0], board, points, values, row)
    return found


def _values(game: np.ndarray, rules: Rules, points: Worth) -> np.ndarray:
    board, rows = lattice(), edge_rows()
    values = np.empty((len(board.masks), DRAWS), dtype=np.int64)
    longest = POSITIONS if points.streak else 1
    runs = np.empty((rows.max() + 1, longest * DRAWS), dtype=np.int64)
    start = board.index_of(int(game["remaining"][0]))
    _sweep_back(start, game[0], tables(rules)[0], board, rows, points, runs, values)
    return values


@kernel
def _sweep_back(
    start: int,
    game: np.void,
    table: np.void,
    board: Lattice,
    rows: np.ndarray,
    points: Worth,
    runs: np.ndarray,
    values: np.ndarray,
) -> None:
    """Find the most points still to come, for every mask that a position can lead to.

    Args:
        start: index of the position's mask.
        game: the position.
        table: the rules.
        board: the lattice.
        rows: the row of each edge in ``runs``.
        points: what everything is worth.
        runs: int64 (rows, K * 26), working memory: by edge, number of further removals in its run and number of draws, the
            most points from its removal on, without those for the streak. K is 1 without streaks, else 28.
        values: int64 (22932, 26), out: by mask and number of draws, with that drawn card on the waste.
    """
    cards, stock = game["cards"], table["stock"]
    on_drawn = np.full((16, DRAWS), NEVER, dtype=np.int64)  # 0 where a rank goes on the drawn card
    _compare(game, table, on_drawn)
    lengths = np.zeros(len(runs), dtype=np.uint32)  # of each row: most removals of its run, from its own on
    opened = np.empty((len(runs), DRAWS), dtype=np.int64)  # the most points if its removal is the first of a run
    best = np.empty(DRAWS, dtype=np.int64)
    ended = np.empty(DRAWS, dtype=np.int64)  # the most points after the end of a run
    run = np.empty(runs.shape[1] + DRAWS, dtype=np.int64)
    shift = DRAWS * points.streak

    for index in range(len(board.masks) - 1, start - 1, -1):
        if board.masks[index] & ~board.masks[start]:
            continue
        first, last = board.first[index], board.first[index + 1]
        # 1. On the drawn card, a run begins or another card is drawn.
        best[:] = NEVER
        for edge in range(first, last):
            rank, row = cards[board.positions[edge]], rows[edge]
            for draws in range(DRAWS):
                best[draws] = max(best[draws], opened[row, draws] + on_drawn[rank, draws])
        _draw_on(board.masks[index] == 0, stock, table["stuck"], points.win, points.draw, best, ended)
        values[index] = best

        # 2. On the card of each removal that leads here, the run goes on or ends.
        for incoming in range(board.first_in[index], board.first_in[index + 1]):
            into = board.incoming[incoming]
            row = rows[into]
            fits = table["adjacent"][cards[board.positions[into]]]
            follows = np.uint32(0)  # how many removals can follow in the run
            for draws in range(DRAWS):
                run[draws] = NEVER
            can_follow = False
            for edge in range(first, last):
                if not (fits >> cards[board.positions[edge]]) & 1:
                    continue
                can_follow = True
                other = rows[edge]
                if points.streak and lengths[other] > follows:
                    run[DRAWS * (follows + 1) : DRAWS * (lengths[other] + 1)] = NEVER
                    follows = lengths[other]
                for i in range(DRAWS * max(lengths[other], 1)):
                    run[shift + i] = max(run[shift + i], runs[other, i])
            if not can_follow:
                for draws in range(DRAWS):
                    run[draws] = ended[draws]
                if board.masks[index] != 0:
                    run[stock] = 0
            elif not table["stuck"]:
                for draws in range(DRAWS):
                    run[draws] = max(run[draws], ended[draws])
            # 3. Kept for that removal: what it is worth within a run, and as the first one of a run.
            gained = points.of_mask[index] - points.of_mask[board.sources[into]]
            for i in range(DRAWS * (follows + 1)):
                runs[row, i] = run[i] + gained
            lengths[row] = follows + 1
            for draws in range(DRAWS):
                opened[row, draws] = run[draws] + gained + points.streak
            for more in range(1, follows + 1):
                streak = gained + points.streak * (more + 1) * (more + 2) // 2
                for draws in range(DRAWS):
                    opened[row, draws] = max(opened[row, draws], run[DRAWS * more + draws] + streak)


@kernel
def _compare(game: np.void, table: np.void, on_drawn: np.ndarray) -> None:
    """Write 0 to ``on_drawn``, int64 (16, 26), where a rank goes on the card on the waste after a number of draws."""
    for draws in range(game["drawn"], table["stock"] + 1):
        waste = game["waste"] if draws == game["drawn"] else game["cards"][FIRST_WASTE + draws]
        for rank in range(1, 14):
            if (table["adjacent"][waste] >> rank) & 1:
                on_drawn[rank, draws] = 0


@kernel
def _draw_on(won: bool, stock: int, stuck: bool, win: int, draw: int, best: np.ndarray, ended: np.ndarray) -> None:
    """Add to ``best`` that cards can be drawn; write what follows a run that ends by a draw or a win to ``ended``."""
    if won:
        best[:] = win
        ended[:] = win
        return
    if best[stock] < NEVER // 2:
        best[stock] = 0
    for draws in range(stock - 1, -1, -1):
        if not stuck or best[draws] < NEVER // 2:
            best[draws] = max(best[draws], draw + best[draws + 1])
    for draws in range(DRAWS - 1):
        ended[draws] = draw + best[draws + 1]
    ended[stock] = NEVER


@kernel
def _onto(rank: int, table: np.void) -> int:
    """Return the rank codes, as a mask, that a rank goes on."""
    return table["adjacent"][rank] | (1 << EMPTY) | (1 << WILD)  # adjacency is symmetric


@kernel
def _best_end(
    start: int,
    waste: int,
    run: int,
    drawn: int,
    cards: np.ndarray,
    table: np.void,
    board: Lattice,
    points: Worth,
    values: np.ndarray,
    tops: np.ndarray,
) -> tuple[int, int, int]:
    """Find the best way to end a run, by drawing or with the game.

    Args:
        start: index of the mask.
        waste: rank code of the waste card.
        run: removals since the last draw.
        drawn: cards drawn.
        cards: rank codes by slot.
        table: the rules.
        board: the lattice.
        points: what everything is worth.
        values: see :func:`_sweep_back`.
        tops: uint16 (22932,), out: the rank codes, as a mask, that can be on the waste at each mask in this run.

    Returns:
        The most points still to come, index of the mask at which the run ends, and rank code of the waste card there.
    """
    tops[start:] = 0
    tops[start] = 1 << waste
    most, end, end_waste = NEVER, start, waste
    for index in range(start, len(board.masks)):
        if not tops[index]:
            continue
        here = int(tops[index])
        stuck = here  # the waste cards on which nothing goes
        for edge in range(board.first[index], board.first[index + 1]):
            rank = cards[board.positions[edge]]
            onto = _onto(rank, table)
            if here & onto:
                tops[board.targets[edge]] |= 1 << int(rank)
            stuck &= ~onto
        removals = int(board.removed[index]) - int(board.removed[start])
        gained = points.of_mask[index] - points.of_mask[start]
        gained += points.streak * (removals * run + removals * (removals + 1) // 2)
        if board.masks[index] == 0:
            gained += points.win
        elif drawn == table["stock"]:
            here = stuck
        else:
            here = stuck if table["stuck"] else here
            gained += points.draw + values[index, drawn + 1]
        if here and gained > most:
            most, end, end_waste = gained, index, lowest(here)
    return most, end, end_waste


@kernel
def _write_run(
    start: int,
    end: int,
    waste: int,
    cards: np.ndarray,
    table: np.void,
    board: Lattice,
    tops: np.ndarray,
    line: np.ndarray,
    length: int,
) -> None:
    """Write the removals of a run from ``start`` to ``end``, found backwards, to ``line`` up to ``length``."""
    index = end
    while index != start:
        for incoming in range(board.first_in[index], board.first_in[index + 1]):
            edge = board.incoming[incoming]
            source, position = board.sources[edge], board.positions[edge]
            before = int(tops[source]) & _onto(waste, table)  # the waste cards that it can be removed on
            if source >= start and cards[position] == waste and before:
                length -= 1
                line[length] = position
                index = int(source)
                waste = lowest(before)
                break


@kernel
def _line(
    start: int,
    game: np.void,
    table: np.void,
    board: Lattice,
    points: Worth,
    values: np.ndarray,
    line: np.ndarray,
) -> int:
    """Write a best line from a position to ``line`` and return its length."""
    cards, drawn, waste, run = game["cards"], int(game["drawn"]), int(game["waste"]), int(game["run"])
    tops = np.empty(len(board.masks), dtype=np.uint16)
    index, length = start, 0
    while True:
        _, end, end_waste = _best_end(index, waste, run, drawn, cards, table, board, points, values, tops)
        length += int(board.removed[end]) - board.removed[index]
        _write_run(index, end, end_waste, cards, table, board, tops, line, length)
        if board.masks[end] == 0 or drawn == table["stock"]:
            return length
        line[length] = DRAW
        length += 1
        drawn += 1
        index, waste, run = end, int(cards[FIRST_WASTE + drawn]), 0


@kernel
def _action_values(
    start: int,
    game: np.void,
    table: np.void,
    board: Lattice,
    points: Worth,
    values: np.ndarray,
    found: np.ndarray,
) -> None:
    """Write the best final score after each legal action to ``found``, (29,), and leave the others."""
    cards, drawn, run, stock = game["cards"], int(game["drawn"]), int(game["run"]), table["stock"]
    tops = np.empty(len(board.masks), dtype=np.uint16)
    stuck = True
    for edge in range(board.first[start], board.first[start + 1]):
        position, target = board.positions[edge], int(board.targets[edge])
        if not (table["adjacent"][game["waste"]] >> cards[position]) & 1:
            continue
        stuck = False
        gained = points.of_mask[target] - points.of_mask[start] + points.streak * (run + 1)
        after = _best_end(target, int(cards[position]), run + 1, drawn, cards, table, board, points, values, tops)
        found[position] = game["score"] + gained + after[0]
    if drawn < stock and board.masks[start] != 0 and (stuck or not table["stuck"]):
        found[DRAW] = game["score"] + points.draw + values[start, drawn + 1]
