"""The rules of play: kernels that move games held in flat arrays. Everything else that plays calls these.

A game is one record of :data:`GAME` (212 bytes) and N games are an array of them; the rules and the geometry are one
record of :data:`TABLES`. Functions that take a ``game`` work on one record in place, those that take ``games`` on an array.
All of them are plain Python too (``NUMBA_DISABLE_JIT=1``); the ``int`` calls are for that, as NumPy computes with 8-bit
integers in 8 bits.
"""

from enum import IntEnum, StrEnum
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import FACE_DOWN, RANK_OF
from tripeaks_env.game.deals import FIRST_WASTE, SLOTS
from tripeaks_env.game.layout import BENEATH, COVER_MASKS, FULL, NOWHERE, PEAKS, POSITIONS, SUMMITS
from tripeaks_env.game.rules import Rules, adjacency

DRAW = POSITIONS
"""The action that draws a card; the actions below it remove the card at that position."""
UNDO = DRAW + 1
"""The action that takes the last action back."""
MAX_LINE = SLOTS - 1
"""The most actions that can lead to a position: 28 removals and 25 draws."""

ANY = FACE_DOWN
"""Stands for all ranks among the neighbours of a joker or an empty waste; no card is dealt this code."""


class Status(StrEnum):
    """Where a game stands. The kernels call it by its place in this list, from 0."""

    PLAYING = "playing"
    WON = "won"
    BLOCKED = "blocked"


STATUSES = tuple(Status)
PLAYING, WON, BLOCKED = range(len(STATUSES))


class Rejection(IntEnum):
    """Why an action did nothing; ``NONE`` if it was carried out."""

    NONE = 0
    WRONG_RANK = 1
    BLOCKED = 2
    REMOVED = 3
    STOCK_EMPTY = 4
    NOT_STUCK = 5
    WON = 6
    NOTHING_TO_UNDO = 7
    NO_UNDO_LEFT = 8


GAME = np.dtype(
    [
        ("cards", np.uint8, SLOTS),  # rank codes by slot: tableau, first waste card, stock in draw order
        ("line", np.int8, MAX_LINE),  # the actions that lead here from the start; undone ones are not among them
        ("length", np.int8),  # how many they are
        ("drawn", np.int8),  # cards drawn from the stock
        ("waste", np.uint8),  # rank code of the waste card
        ("run", np.int8),  # removals since the last draw
        ("remaining", np.int32),  # tableau cards that are left, bit p for position p
        ("exposed", np.int32),  # those of them that nothing covers
        ("score", np.int32),
        ("moves", np.int32),  # actions carried out, undone ones included, undos not
        ("undos_left", np.int32),
        ("by_rank", np.int32, 16),  # the positions that were dealt each rank code, as a mask; for ANY all positions
        ("unseen", np.int8, 16),  # how many face-down and stock cards there are of each rank code
    ],
    align=True,
)
"""One game."""

TABLES = np.dtype(
    [
        ("covers", np.int32, POSITIONS),  # what lies on each position, as a mask
        ("beneath", np.uint8, (POSITIONS, 2)),  # what each position lies on
        ("adjacent", np.int32, 16),  # for each waste rank code the ranks that go on it, bit r for rank r
        ("neighbours", np.uint8, (16, 2)),  # the same as two rank codes, which may be one twice, or ANY
        ("peaks", np.int32, PEAKS),  # points for the first, second, third emptied peak
        ("start", np.int32),
        ("removal", np.int32),
        ("draw", np.int32),
        ("streak", np.int32),  # points that each removal since the last draw adds to the next
        ("stock", np.int32),  # cards in the stock at the start
        ("stuck", np.bool_),  # draw only when no card can be removed
        ("open", np.bool_),  # the tableau is face up from the start
    ],
    align=True,
)
"""Rules and geometry as the kernels read them."""


@lru_cache(maxsize=64)
def tables(rules: Rules) -> np.ndarray:
    """Return the record of ``rules``, as an array of shape (1,) of :data:`TABLES`, read-only."""
    scoring = rules.scoring
    table = np.zeros(1, dtype=TABLES)
    table["covers"] = COVER_MASKS
    table["beneath"] = BENEATH
    table["adjacent"] = adjacency(rules.wrap)
    table["neighbours"] = neighbours(table["adjacent"][0])
    table["peaks"] = scoring.peaks
    table["start"], table["removal"], table["draw"] = scoring.start, scoring.removal, scoring.draw
    table["streak"] = scoring.streak
    table["stock"] = rules.stock_size
    table["stuck"] = rules.draw == "stuck"
    table["open"] = rules.open_peaks
    table.setflags(write=False)
    return table


def neighbours(adjacent: np.ndarray) -> np.ndarray:
    """Return which ranks go on each waste rank code as two rank codes: uint8 (16, 2).

    A single one stands there twice, ``ANY`` for all of them, and 0, which no card is dealt, for none.

    Args:
        adjacent: int32 (16,): the same as masks, bit r for rank r.

    Raises:
        ValueError: there are more than two, but not all.
    """
    table = np.zeros((16, 2), dtype=np.uint8)
    for waste, fits in enumerate(adjacent.tolist()):
        ranks = [rank for rank in range(1, 14) if fits >> rank & 1]
        if 2 < len(ranks) < 13:
            raise ValueError(f"on the waste rank code {waste} go the ranks {ranks}; it must be two at most, or all")
        if ranks:
            table[waste] = ANY if len(ranks) == 13 else (ranks[0], ranks[-1])
    return table


def new_games(slots: np.ndarray, rules: Rules, undos: int = 0) -> np.ndarray:
    """Return N games at their start, an array (N,) of :data:`GAME`.

    Args:
        slots: int8 (N, 54) card numbers, see :func:`tripeaks_env.game.deals.lay_out`.
        rules: the rules that they are played by.
        undos: how many undos each game allows.
    """
    games = np.zeros(len(slots), dtype=GAME)
    start_games(games, np.arange(len(slots)), slots, RANK_OF, undos, tables(rules))
    return games


class Stepped(NamedTuple):
    """What actions did in N games.

    Attributes:
        points: int32 (N,): the change of the score.
        rejections: int8 (N,): a :class:`Rejection` each.
        over: bool (N,): whether the game's episode has ended, see :func:`is_over`.
    """

    points: np.ndarray
    rejections: np.ndarray
    over: np.ndarray


def play_actions(games: np.ndarray, actions: np.ndarray, rules: Rules) -> Stepped:
    """Carry out one action, integers (N,) from 0 to 29, in each of N games, which are changed in place."""
    number = len(games)
    stepped = Stepped(np.empty(number, np.int32), np.empty(number, np.int8), np.empty(number, np.bool_))
    step_games(games, actions, tables(rules), *stepped)
    return stepped


@kernel
def start(game: np.void, table: np.void) -> None:
    """Put a game whose cards are dealt to its start; the counters of moves and undos stay."""
    cards = game["cards"]
    game["length"] = 0
    game["drawn"] = 0
    game["waste"] = cards[FIRST_WASTE]
    game["run"] = 0
    game["score"] = table["start"]
    game["remaining"] = FULL
    game["exposed"] = 0
    game["by_rank"][:] = 0
    game["by_rank"][ANY] = FULL
    game["unseen"][:] = 0
    for position in range(POSITIONS):
        game["by_rank"][cards[position]] |= 1 << position
        if table["covers"][position] == 0:
            game["exposed"] |= 1 << position
        elif not table["open"]:
            game["unseen"][cards[position]] += 1
    for slot in range(FIRST_WASTE + 1, FIRST_WASTE + 1 + table["stock"]):
        game["unseen"][cards[slot]] += 1


@kernel
def removable(game: np.void, table: np.void) -> int:
    """Return the mask of the cards that can be removed: exposed ones whose rank goes on the waste card."""
    waste = game["waste"]
    first, second = table["neighbours"][waste, 0], table["neighbours"][waste, 1]
    return (game["by_rank"][first] | game["by_rank"][second]) & game["exposed"]


@kernel
def status(game: np.void, table: np.void) -> int:
    """Return where the game stands: ``PLAYING``, ``WON`` or ``BLOCKED``."""
    if game["remaining"] == 0:
        return WON
    if game["drawn"] == table["stock"] and removable(game, table) == 0:
        return BLOCKED
    return PLAYING


@kernel
def is_over(game: np.void, table: np.void) -> bool:
    """Return whether an episode ends here: the game is won, or blocked with no undo left."""
    return status(game, table) != PLAYING and not can_undo(game)


@kernel
def can_draw(game: np.void, table: np.void) -> bool:
    """Return whether a card can be drawn now."""
    return (
        game["drawn"] < table["stock"]
        and game["remaining"] != 0
        and not (table["stuck"] and removable(game, table) != 0)
    )


@kernel
def legal_mask(game: np.void, table: np.void) -> int:
    """Return the legal removals and the draw as a mask: bit a for action a, 0 to 28."""
    found = int(removable(game, table))
    return found | 1 << DRAW if can_draw(game, table) else found


@kernel
def can_undo(game: np.void) -> bool:
    """Return whether the last action can be taken back now: a won game stays won."""
    return game["undos_left"] > 0 and game["length"] > 0 and game["remaining"] != 0


@kernel
def rejection(game: np.void, action: int, table: np.void) -> int:
    """Return why the game does not allow ``action`` (0 to 29), a :class:`Rejection`; ``NONE`` if it does."""
    if action >= DRAW:
        if can_draw(game, table) if action == DRAW else can_undo(game):
            return Rejection.NONE.value
        if game["remaining"] == 0:
            return Rejection.WON.value
        if action == DRAW:
            return Rejection.STOCK_EMPTY.value if game["drawn"] == table["stock"] else Rejection.NOT_STUCK.value
        return Rejection.NOTHING_TO_UNDO.value if game["length"] == 0 else Rejection.NO_UNDO_LEFT.value
    if (removable(game, table) >> action) & 1:
        return Rejection.NONE.value
    if not (game["remaining"] >> action) & 1:
        return Rejection.REMOVED.value
    if not (game["exposed"] >> action) & 1:
        return Rejection.BLOCKED.value
    return Rejection.WRONG_RANK.value


@kernel
def _advance(game: np.void, action: int, table: np.void) -> None:
    """Carry out a legal removal or draw; the move counter stays."""
    game["line"][game["length"]] = action
    game["length"] += 1
    if action == DRAW:
        game["drawn"] += 1
        game["waste"] = game["cards"][FIRST_WASTE + game["drawn"]]
        game["unseen"][game["waste"]] -= 1
        game["run"] = 0
        game["score"] += table["draw"]
        return
    game["remaining"] ^= 1 << action
    game["exposed"] ^= 1 << action
    for i in range(2):
        position = int(table["beneath"][action, i])
        if position != NOWHERE and not game["remaining"] & table["covers"][position]:
            game["exposed"] |= 1 << position
            if not table["open"]:
                game["unseen"][game["cards"][position]] -= 1
    game["waste"] = game["cards"][action]
    game["run"] += 1
    game["score"] += table["removal"] + table["streak"] * game["run"]
    if action < PEAKS:  # a summit is the last card of its peak
        game["score"] += table["peaks"][_peaks_cleared(game) - 1]


@kernel
def _peaks_cleared(game: np.void) -> int:
    summits = game["remaining"] & SUMMITS
    return PEAKS - (summits & 1) - (summits >> 1 & 1) - (summits >> 2)


@kernel
def _take_back(game: np.void, table: np.void) -> None:
    """Undo the last action by playing all the others again from the start, so that nothing has to be inverted."""
    line = game["line"].copy()
    length = game["length"] - 1
    start(game, table)
    for i in range(length):
        _advance(game, int(line[i]), table)


@kernel
def step(game: np.void, action: int, table: np.void) -> int:
    """Carry out ``action`` (0 to 29) if it is legal; return the :class:`Rejection`. A rejected action changes nothing."""
    reason = rejection(game, action, table)
    if reason != Rejection.NONE.value:
        return reason
    if action == UNDO:
        _take_back(game, table)
        game["undos_left"] -= 1
    else:
        _advance(game, action, table)
        game["moves"] += 1
    return reason


@kernel
def start_games(
    games: np.ndarray, which: np.ndarray, slots: np.ndarray, ranks: np.ndarray, undos: int, table: np.ndarray
) -> None:
    """Deal cards to some of N games and put those to their start.

    Args:
        games: (N,) of :data:`GAME`, changed in place.
        which: integers (M,): indices of the games.
        slots: int8 (M, 54): their card numbers, see :func:`tripeaks_env.game.deals.lay_out`.
        ranks: int8: the rank code of each card number.
        undos: how many undos each game allows.
        table: (1,) of :data:`TABLES`.
    """
    for i in range(len(which)):
        game = games[which[i]]
        for slot in range(SLOTS):
            game["cards"][slot] = ranks[slots[i, slot]]
        game["moves"] = 0
        game["undos_left"] = undos
        start(game, table[0])


@kernel
def step_games(
    games: np.ndarray,
    actions: np.ndarray,
    table: np.ndarray,
    points: np.ndarray,
    rejections: np.ndarray,
    over: np.ndarray,
) -> None:
    """Carry out one action in each of N games.

    Args:
        games: (N,) of :data:`GAME`, changed in place.
        actions: integers (N,), each 0 to 29.
        table: (1,) of :data:`TABLES`.
        points, rejections, over: out, the arrays of :class:`Stepped`, the points as any numbers.
    """
    for i in range(len(games)):
        game = games[i]
        before = game["score"]
        rejections[i] = step(game, int(actions[i]), table[0])
        points[i] = game["score"] - before
        over[i] = is_over(game, table[0])


@kernel
def play_line(game: np.ndarray, line: np.ndarray, table: np.ndarray) -> None:
    """Carry out the actions of ``line``, integers (M,), in one game, (1,) of :data:`GAME`."""
    for action in line:
        step(game[0], int(action), table[0])


@kernel
def play_forced(
    games: np.ndarray, table: np.ndarray, points: np.ndarray, rejections: np.ndarray, over: np.ndarray
) -> None:
    """In each of N games whose last action was carried out, play on as long as just one action is legal.

    Args:
        games: (N,) of :data:`GAME`, changed in place.
        table: (1,) of :data:`TABLES`.
        points: numbers (N,): what the last action added to the score; updated, as ``over`` is.
        rejections: int8 (N,): of the last action, see :func:`step_games`.
        over: bool (N,): whether the game's episode has ended.
    """
    for i in range(len(games)):
        game = games[i]
        before = game["score"]
        while rejections[i] == Rejection.NONE.value and not over[i]:
            action = only_action(game, table[0])
            if action < 0:
                break
            step(game, action, table[0])
            over[i] = is_over(game, table[0])
        points[i] += game["score"] - before


@kernel
def only_action(game: np.void, table: np.void) -> int:
    """Return the only legal action of a game that is not over, or -1 if there are several."""
    found = int(removable(game, table))
    if found == 0:
        return -1 if can_undo(game) else DRAW
    if found & (found - 1) or can_draw(game, table) or can_undo(game):
        return -1
    return lowest(found)


@kernel
def lowest(bits: int) -> int:
    """Return the place of the lowest bit that is set."""
    place = 0
    while not (bits >> place) & 1:
        place += 1
    return place


@kernel
def describe_games(
    games: np.ndarray,
    table: np.ndarray,
    scores: np.ndarray,
    moves: np.ndarray,
    peaks: np.ndarray,
    statuses: np.ndarray,
) -> None:
    """Write the scores, moves and emptied peaks of N games, int64 (N,), and their :func:`status`, int8 (N,)."""
    for i in range(len(games)):
        game = games[i]
        scores[i] = game["score"]
        moves[i] = game["moves"]
        peaks[i] = _peaks_cleared(game)
        statuses[i] = status(game, table[0])
