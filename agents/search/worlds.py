"""What a search plays on with: games made from observations alone, and worlds, in which their hidden cards are dealt.

An observation becomes a record of :data:`tripeaks_env.game.engine.GAME`, so that the one engine plays it on. Its hidden cards
are not there (rank code 0); how many of each rank they are is. All ways to deal them are equally likely, with the joker,
where there is one, in the stock.
"""

import numpy as np

from tripeaks_env._jit import kernel
from tripeaks_env.game.cards import EMPTY, FACE_DOWN, WILD
from tripeaks_env.game.deals import FIRST_WASTE, JOKER_PLACES, SLOTS, below
from tripeaks_env.game.engine import ANY, GAME, tables
from tripeaks_env.game.layout import FULL, POSITIONS
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules


def games_as_seen(observation: Observation, rules: Rules) -> np.ndarray:
    """Return N games as a player sees them, an array (N,) of :data:`tripeaks_env.game.engine.GAME`.

    The score counts from 0, undo is not allowed, and the line that led here is not there.

    Args:
        observation: see :func:`tripeaks_env.game.observation.observation_space`, with a leading axis N.
        rules: the rules that the games are played by.
    """
    unseen = observation["unseen"]
    games = np.zeros(len(unseen), dtype=GAME)
    _read(observation["tableau"], tables(rules), games)
    games["unseen"][:, 1:14] = unseen[:, :13]
    if rules.wild:
        games["unseen"][:, WILD] = unseen[:, 13]
    games["waste"] = observation["waste"][:, 0]
    games["drawn"] = rules.stock_size - observation["stock"][:, 0]
    if "run" in observation:
        games["run"] = observation["run"][:, 0]
    return games


@kernel
def _read(tableau: np.ndarray, table: np.ndarray, games: np.ndarray) -> None:
    """Write N games from their tableaus as seen, int8 (N, 28), but for what is not in the tableau."""
    for i in range(len(games)):
        game = games[i]
        game["by_rank"][ANY] = FULL
        for position in range(POSITIONS):
            seen = tableau[i, position]
            if seen != EMPTY:
                game["remaining"] |= 1 << position
                if seen != FACE_DOWN:
                    game["cards"][position] = seen
                    game["by_rank"][seen] |= 1 << position
        for position in range(POSITIONS):
            if (game["remaining"] >> position) & 1 and not game["remaining"] & table[0]["covers"][position]:
                game["exposed"] |= 1 << position


@kernel
def random_state(game: np.void, seed: int) -> np.uint64:
    """Return the state of a generator that depends on what is seen of a game and on ``seed`` alone.

    So a search takes the same random numbers whatever it searched before and beside. (FNV-1a over the observation.)
    """
    state = np.uint64(seed) ^ np.uint64(0xCBF29CE484222325)
    prime = np.uint64(0x100000001B3)
    for position in range(POSITIONS):
        there = (game["remaining"] >> position) & 1
        state = (state ^ np.uint64(2 * game["cards"][position] + there)) * prime
    state = (state ^ np.uint64(game["waste"])) * prime
    state = (state ^ np.uint64(game["drawn"])) * prime
    return (state ^ np.uint64(game["run"])) * prime


@kernel
def deal_hidden(game: np.void, table: np.void, state: np.ndarray) -> None:
    """Deal the hidden cards of a game as seen, all ways being equally likely.

    Args:
        game: from :func:`games_as_seen`, perhaps played on; or one whose hidden cards were dealt before.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        state: uint64 (1,), of the generator; changed.
    """
    bag = np.empty(SLOTS, dtype=np.uint8)
    size = 0
    for rank in range(1, 14):
        for _ in range(game["unseen"][rank]):
            bag[size] = rank
            size += 1
    # A waste that starts empty has its first card, which is no joker, on top of the stock.
    first = max(int(game["drawn"]), table["stock"] - JOKER_PLACES)
    joker = FIRST_WASTE + 1 + first
    if game["unseen"][WILD]:
        joker += below(state, table["stock"] - first)
        game["cards"][joker] = WILD
    shown = game["remaining"] if table["open"] else game["exposed"]
    for rank in range(1, 14):
        game["by_rank"][rank] &= shown
    for slot in range(SLOTS):
        if slot < POSITIONS:
            hidden = (game["remaining"] & ~shown) >> slot & 1 == 1
        else:
            hidden = FIRST_WASTE + game["drawn"] < slot <= FIRST_WASTE + table["stock"]
            hidden = hidden and not (game["unseen"][WILD] and slot == joker)
        if hidden:
            i = below(state, size)
            size -= 1
            game["cards"][slot] = bag[i]
            bag[i] = bag[size]
            if slot < POSITIONS:
                game["by_rank"][game["cards"][slot]] |= 1 << slot
