"""The data of the move-by-move replays: which deals, and what every action was worth with all cards known."""

from itertools import islice, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from tripeaks_env.game.cards import NO_CARD, card_symbol
from tripeaks_env.game.deals import Deal, deal_slots
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import COVERS, ROWS
from tripeaks_env.game.rules import Rules
from tripeaks_env.game.view import COLUMNS, PITCH
from tripeaks_env.solver.every_action import values_of_actions

DIFFER, LOSS, CHOSEN = "the agents differ", "a large single loss", "chosen in the config"
"""Why a deal is replayed."""


def choose_deals(replays: int | list[str], results: pd.DataFrame, moves: pd.DataFrame) -> dict[str, str]:
    """Return the deals to replay, and why each.

    A number takes, in turn, the winnable deal on which the scores of the fair agents differ most (by standard deviation, then
    by mean regret) and the one with the largest loss of a fair agent by one action, until there are so many. Where two
    deals are alike, the one that was played first is taken. Without fair agents all count, without winnable deals all deals.

    Args:
        replays: how many, or the codes of the deals.
        results: a row for each agent and deal.
        moves: a row for each action; may be empty, then there are no deals of large losses.
    """
    if not isinstance(replays, int):
        return dict.fromkeys(replays, CHOSEN)
    counted = results[~results["oracle"]] if not results["oracle"].all() else results
    counted = counted[counted["winnable"]] if counted["winnable"].any() else counted
    by_deal = counted.groupby("deal", sort=False)
    spread = pd.DataFrame({"score": by_deal["score"].std(ddof=0), "regret": by_deal["regret"].mean()})
    differ = spread.sort_values(["score", "regret"], ascending=False, kind="stable").index
    of_counted = moves[
        moves["agent"].isin(counted["agent"]) & moves["deal"].isin(counted["deal"]) & (moves["loss"] > 0)
    ]
    losses = of_counted.groupby("deal", sort=False)["loss"].max().sort_values(ascending=False, kind="stable").index
    chosen: dict[str, str] = {}
    for deals in zip_longest(differ, losses):
        for deal, reason in zip(deals, (DIFFER, LOSS), strict=True):
            if deal is not None:
                chosen.setdefault(str(deal), reason)
    return dict(islice(chosen.items(), replays))


def replay_data(deals: dict[str, str], results: pd.DataFrame, rules: Rules) -> dict[str, Any]:
    """Return what the page needs to replay the games of every agent on some deals, made of JSON types only.

    ``places``: column and row of each position, in cards; ``covers``: the positions on each position; ``open``: whether all
    cards are face up. ``deals``: for each deal ``code``, ``reason``, ``optimum``, ``winnable``, ``cards`` (28 of the tableau,
    the first waste card, "" for none, and the stock in draw order), and ``games``, for each agent ``agent``, ``oracle``,
    ``score``, ``won`` and ``moves``: for each action ``action``, ``score`` before it, ``values`` (pairs of a legal action and
    the best final score after it with all cards known) and ``loss`` (how far the value of the action is below the best).

    Args:
        deals: from :func:`choose_deals`.
        results: a row for each agent and deal.
        rules: the rules that were played by.

    Raises:
        ValueError: the actions in the results do not lead to the score in the results.
    """
    rows = [row for row, places in enumerate(ROWS) for _ in places]
    return {
        "places": [[column / PITCH, row] for column, row in zip(COLUMNS, rows, strict=True)],
        "covers": [list(covers) for covers in COVERS],
        "open": rules.open_peaks,
        "deals": [_deal(code, reason, results[results["deal"] == code], rules) for code, reason in deals.items()],
    }


def _deal(code: str, reason: str, results: pd.DataFrame, rules: Rules) -> dict[str, Any]:
    deal = Deal.from_code(code)
    slots = deal_slots([deal], rules)[0, : len(COVERS) + 1 + rules.stock_size].tolist()
    games: list[dict[str, Any]] = []
    records = []
    for row in results.to_dict("records"):
        game = Game(deal, rules)
        moves: list[dict[str, Any]] = []
        for action in map(int, str(row["actions"]).split()):
            moves.append({"action": action, "score": game.score})
            records.append(game.record)
            if not game.play(action).accepted:
                raise ValueError(f"agent {row['agent']!r}, deal {code}: action {action} of the results is illegal")
        if game.score != row["score"]:
            raise ValueError(
                f"agent {row['agent']!r}, deal {code}: score {row['score']}, its actions lead to {game.score}"
            )
        about = {"agent": str(row["agent"]), "oracle": bool(row["oracle"])}
        games.append(about | {"score": game.score, "won": bool(row["won"]), "moves": moves})
    values = values_of_actions(np.concatenate(records), rules)
    for move, row in zip((move for game in games for move in game["moves"]), values, strict=True):
        legal = np.flatnonzero(~np.isnan(row)).tolist()
        move["values"] = [[action, int(row[action])] for action in legal]
        move["loss"] = int(row[legal].max() - row[move["action"]])
    return {
        "code": code,
        "reason": reason,
        "optimum": int(results["optimum"].iloc[0]),
        "winnable": bool(results["winnable"].iloc[0]),
        "cards": ["" if card == NO_CARD else card_symbol(card) for card in slots],
        "games": games,
    }
