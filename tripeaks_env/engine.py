"""The rules of play: kernels that move games held in flat arrays. Everything else that plays calls these.

A game is one record of :data:`GAME` (212 bytes) and N games are an array of them; the rules and the geometry are one
record of :data:`TABLES`. Functions that take a ``game`` work on one record in place, those that take ``games`` on an array.
All of them are plain Python too (``NUMBA_DISABLE_JIT=1``); the ``int`` calls are for that, as NumPy computes with 8-bit
integers in 8 bits.
"""

from enum import IntEnum, StrEnum
from functools import lru_cache

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.cards import EMPTY, FACE_DOWN, RANK_OF, WILD
from tripeaks_env.deals import FIRST_WASTE, SLOTS
from tripeaks_env.layout import BENEATH, COVER_MASKS, FULL, NOWHERE, PEAKS, POSITIONS, SUMMITS
from tripeaks_env.rules import Rules, adjacency

DRAW = POSITIONS
"""The action that draws a card; the actions below it remove the card at that position."""
UNDO = DRAW + 1
"""The action that takes the last action back."""
MAX_LINE = SLOTS - 1
"""The most actions that can lead to a position: 28 removals and 25 draws."""


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
        ("cards", np.int8, SLOTS),  # rank codes by slot: tableau, first waste card, stock in draw order
        ("line", np.int8, MAX_LINE),  # the actions that lead here from the start; undone ones are not among them
        ("length", np.int8),  # how many they are
        ("drawn", np.int8),  # cards drawn from the stock
        ("waste", np.int8),  # rank code of the waste card
        ("run", np.int8),  # removals since the last draw
        ("remaining", np.int32),  # tableau cards that are left, bit p for position p
        ("exposed", np.int32),  # those of them that nothing covers
        ("score", np.int32),
        ("moves", np.int32),  # actions carried out, undone ones included, undos not
        ("undos_left", np.int32),
        ("by_rank", np.int32, 16),  # the positions that were dealt each rank code, as a mask
        ("unseen", np.int8, 16),  # how many face-down and stock cards there are of each rank code
    ],
    align=True,
)
"""One game."""

TABLES = np.dtype(
    [
        ("covers", np.int32, POSITIONS),  # what lies on each position, as a mask
        ("beneath", np.int8, (POSITIONS, 2)),  # what each position lies on
        ("adjacent", np.int32, 16),  # for each waste rank code the ranks that go on it, bit r for rank r
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
    table["peaks"] = scoring.peaks
    table["start"], table["removal"], table["draw"] = scoring.start, scoring.removal, scoring.draw
    table["streak"] = scoring.streak
    table["stock"] = rules.stock_size
    table["stuck"] = rules.draw == "stuck"
    table["open"] = rules.open_peaks
    table.setflags(write=False)
    return table


def new_games(slots: np.ndarray, rules: Rules, undos: int = 0) -> np.ndarray:
    """Return N games at their start, an array (N,) of :data:`GAME`.

    Args:
        slots: int8 (N, 54) card numbers, see :func:`tripeaks_env.deals.lay_out`.
        rules: the rules that they are played by.
        undos: how many undos each game allows.
    """
    games = np.zeros(len(slots), dtype=GAME)
    games["cards"] = RANK_OF[slots]
    games["undos_left"] = undos
    start_games(games, tables(rules))
    return games


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
    fits = table["adjacent"][game["waste"]]
    found = 0
    for rank in range(1, 14):
        if (fits >> rank) & 1:
            found |= game["by_rank"][rank]
    return found & game["exposed"]


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
    now = status(game, table)
    can_undo = game["undos_left"] > 0 and game["length"] > 0
    return now == WON or (now == BLOCKED and not can_undo)


@kernel
def rejection(game: np.void, action: int, table: np.void) -> int:
    """Return why the game does not allow ``action`` (0 to 29), a :class:`Rejection`; ``NONE`` if it does."""
    if action == UNDO:
        if game["remaining"] == 0:
            return Rejection.WON.value
        if game["length"] == 0:
            return Rejection.NOTHING_TO_UNDO.value
        if game["undos_left"] == 0:
            return Rejection.NO_UNDO_LEFT.value
        return Rejection.NONE.value
    if action == DRAW:
        if game["remaining"] == 0:
            return Rejection.WON.value
        if game["drawn"] == table["stock"]:
            return Rejection.STOCK_EMPTY.value
        if table["stuck"] and removable(game, table):
            return Rejection.NOT_STUCK.value
        return Rejection.NONE.value
    if not (game["remaining"] >> action) & 1:
        return Rejection.REMOVED.value
    if not (game["exposed"] >> action) & 1:
        return Rejection.BLOCKED.value
    if not (removable(game, table) >> action) & 1:
        return Rejection.WRONG_RANK.value
    return Rejection.NONE.value


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
        summits = game["remaining"] & SUMMITS
        peaks_before = 2 - (summits & 1) - (summits >> 1 & 1) - (summits >> 2)
        game["score"] += table["peaks"][peaks_before]


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
def start_games(games: np.ndarray, table: np.ndarray) -> None:
    """Put N games whose cards are dealt to their start."""
    for i in range(len(games)):
        start(games[i], table[0])


@kernel
def step_games(
    games: np.ndarray, actions: np.ndarray, table: np.ndarray, rejections: np.ndarray, over: np.ndarray
) -> None:
    """Carry out one action in each of N games.

    Args:
        games: (N,) of :data:`GAME`, changed in place.
        actions: integers (N,), each 0 to 29.
        table: (1,) of :data:`TABLES`.
        rejections: int8 (N,), out: a :class:`Rejection` each.
        over: bool (N,), out: whether the game's episode has ended, see :func:`is_over`.
    """
    for i in range(len(games)):
        rejections[i] = step(games[i], int(actions[i]), table[0])
        over[i] = is_over(games[i], table[0])


@kernel
def status_games(games: np.ndarray, table: np.ndarray, statuses: np.ndarray) -> None:
    """Write where N games stand to ``statuses``, int8 (N,): ``PLAYING``, ``WON`` or ``BLOCKED``."""
    for i in range(len(games)):
        statuses[i] = status(games[i], table[0])


@kernel
def _write_mask(game: np.void, table: np.void, mask: np.ndarray) -> None:
    found = removable(game, table)
    for position in range(POSITIONS):
        mask[position] = (found >> position) & 1
    for action in range(DRAW, len(mask)):
        mask[action] = rejection(game, action, table) == Rejection.NONE.value


@kernel
def mask_games(games: np.ndarray, table: np.ndarray, masks: np.ndarray) -> None:
    """Write the action masks of N games to ``masks``, int8 (N, 29), or (N, 30) with the undo action: 1 is legal."""
    for i in range(len(games)):
        _write_mask(games[i], table[0], masks[i])


@kernel
def observe_games(
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
        games: (N,) of :data:`GAME`.
        table: (1,) of :data:`TABLES`.
        tableau: (N, 28): ``EMPTY`` where removed, the rank where face up, else ``FACE_DOWN``.
        waste: (N, 1): rank code of the waste card.
        stock: (N, 1): cards left in the stock.
        unseen: (N, 13): how many cards of each rank are not yet seen, or (N, 14) with the joker.
        masks: (N, 29), or (N, 30) with the undo action: 1 for legal actions.
        runs: (N, 1): removals since the last draw.
        undos: (N, 1): undos left, 127 for more.
    """
    is_open = table[0]["open"]
    for i in range(len(games)):
        game = games[i]
        shown, there = game["exposed"], game["remaining"]
        if is_open:
            shown = there
        for position in range(POSITIONS):
            face = game["cards"][position] if (shown >> position) & 1 else FACE_DOWN
            tableau[i, position] = face if (there >> position) & 1 else EMPTY
        waste[i, 0] = game["waste"]
        stock[i, 0] = table[0]["stock"] - game["drawn"]
        for rank in range(13):
            unseen[i, rank] = game["unseen"][rank + 1]
        if unseen.shape[1] > 13:
            unseen[i, 13] = game["unseen"][WILD]
        _write_mask(game, table[0], masks[i])
        runs[i, 0] = game["run"]
        undos[i, 0] = min(game["undos_left"], 127)
