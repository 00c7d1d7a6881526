"""Where the arrows lead on a board."""

from __future__ import annotations

from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import HALF_COLUMNS
from tripeaks_env.play.terminal.board import row_of


def nearest(game: Game, position: int) -> int | None:
    """Return the uncovered card nearest to a position, or the stock, or ``None`` if the game is won."""
    found = uncovered(game)
    if not found:
        return None
    return min(found, key=lambda each: abs(HALF_COLUMNS[each] - HALF_COLUMNS[position]))


def uncovered(game: Game) -> list[int]:
    """Return the cards that nothing covers, left to right."""
    return sorted(game.view().exposed(), key=HALF_COLUMNS.__getitem__)


def moved(game: Game, cursor: int | None, key: str) -> int | None:
    """Return where the cursor is after an arrow: sideways among uncovered cards, up and down among all, the stock below."""
    cards = uncovered(game)
    if cursor is None or not cards:
        playable = [card for card in cards if card in game.legal_actions()]
        return playable[0] if playable else DRAW
    if cursor == DRAW:
        return {"up": cards[0], "right": cards[0], "left": cards[-1]}.get(key, DRAW)
    x, y = HALF_COLUMNS[cursor], row_of(cursor)
    if key in ("left", "right"):
        beside = [card for card in cards if (HALF_COLUMNS[card] < x if key == "left" else HALF_COLUMNS[card] > x)]
        if not beside:
            return cursor
        return beside[-1] if key == "left" else beside[0]
    others = [card for card in game.remaining if (row_of(card) < y if key == "up" else row_of(card) > y)]
    if not others:
        return DRAW if key == "down" else cursor
    return min(others, key=lambda card: (abs(row_of(card) - y), abs(HALF_COLUMNS[card] - x)))
