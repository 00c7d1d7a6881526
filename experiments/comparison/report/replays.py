"""The data of the move-by-move replays: which deals, and what every action was worth with all cards known."""

from itertools import islice, zip_longest
from typing import Any

import numpy as np
import pandas as pd

from experiments.games.lines import Lines, positions
from tripeaks_env.game.cards import NO_CARD, card_symbol
from tripeaks_env.game.deals import Deal, deal_slots, parse_code
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
        ValueError: the actions in the results are no whole games, or do not lead to the score in the results.
    """
    rows = [row for row, places in enumerate(ROWS) for _ in places]
    return {
        "places": [[column / PITCH, row] for column, row in zip(COLUMNS, rows, strict=True)],
        "covers": [list(covers) for covers in COVERS],
        "open": rules.open_peaks,
        "deals": [_deal(code, reason, results[results["deal"] == code], rules) for code, reason in deals.items()],
    }


def _deal(code: str, reason: str, results: pd.DataFrame, rules: Rules) -> dict[str, Any]:
    slots = deal_slots([Deal.from_code(code)], rules)[0, : len(COVERS) + 1 + rules.stock_size].tolist()
    lines = Lines.of_texts(results["actions"].tolist())
    found = positions([parse_code(code)[1]] * len(results), lines, rules)
    before, taken = found[:, :-1][lines.taken], lines.actions[lines.taken]
    moves = iter(
        [
            _move(int(action), int(score), values)
            for action, score, values in zip(taken, before["score"], values_of_actions(before, rules), strict=True)
        ]
    )
    games: list[dict[str, Any]] = []
    for row, length, score in zip(
        results.to_dict("records"), lines.lengths, found["score"][:, -1].tolist(), strict=True
    ):
        if score != row["score"]:
            raise ValueError(f"agent {row['agent']!r}, deal {code}: score {row['score']}, its actions lead to {score}")
        about = {"agent": str(row["agent"]), "oracle": bool(row["oracle"])}
        games.append(about | {"score": score, "won": bool(row["won"]), "moves": list(islice(moves, int(length)))})
    return {
        "code": code,
        "reason": reason,
        "optimum": int(results["optimum"].iloc[0]),
        "winnable": bool(results["winnable"].iloc[0]),
        "cards": ["" if card == NO_CARD else card_symbol(card) for card in slots],
        "games": games,
    }


def _move(action: int, score: int, values: np.ndarray) -> dict[str, Any]:
    legal = {place: int(value) for place, value in enumerate(values) if not np.isnan(value)}
    return {
        "action": action,
        "score": score,
        "values": list(map(list, legal.items())),
        "loss": max(legal.values()) - legal[action],
    }
