"""What is hidden stays hidden: two deals that agree on all cards seen so far cannot be told apart."""

import random
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np
import pytest

import agents
from tests.common import RULES, every_rules, naive_game, random_game
from tripeaks_env import Deal, Game, Rules, TriPeaksEnv
from tripeaks_env.env.episodes import MAX_UNDOS
from tripeaks_env.game.observation import observe

POSITIONS_PER_RULES = 1_000 // len(RULES) + 1


def hidden_twin(game: Game, rng: random.Random) -> Deal:
    """Return a deal like that of ``game``, with all cards that were never seen in it shuffled among their places.

    The joker stays in the stock, where the rules put it; everything else may go anywhere.
    """
    assert game.deal.number is not None
    naive = naive_game(game.deal.number, game.rules)
    tableau, waste, stock = dict(naive.tableau), list(naive.waste), list(naive.stock)
    unseen, stock_left = set(tableau), len(stock)
    for action in (None, *game.actions):
        if action is not None:
            _ = naive.undo() if action == 29 else naive.play(action)
        unseen -= {p for p, value in enumerate(naive.observation()["tableau"]) if 1 <= value <= 13}
        stock_left = min(stock_left, len(naive.stock))

    drawn, left = stock[: len(stock) - stock_left], stock[len(stock) - stock_left :]
    cards = [card for card in (*(tableau[p] for p in sorted(unseen)), *left) if card != "*"]
    rng.shuffle(cards)
    for position in sorted(unseen):
        tableau[position] = cards.pop()
    if "*" in left:  # under an empty waste, the first card of the stock is none of the places of the joker
        cards.insert(rng.randrange(game.rules.empty_waste and not drawn, stock_left), "*")
    return Deal.from_cards(" ".join([*(tableau[p] for p in range(28)), *waste, *drawn, *cards]))


@cache
def pairs(rules: Rules) -> list[tuple[Game, Game]]:
    """Return games in progress, each with another of the same actions in which only never seen cards differ."""
    games = (random_game(rules, seed) for seed in count())
    playing = (game for game in games if game.legal_actions())
    twins = ((game, hidden_twin(game, random.Random(i))) for i, game in enumerate(playing))
    different = ((game, deal) for game, deal in twins if Game(deal, rules).record != Game(game.deal, rules).record)
    return [(game, Game(deal, rules, game.actions)) for game, deal in islice(different, POSITIONS_PER_RULES)]


def frozen(observation: dict[str, np.ndarray], info: dict[str, Any]) -> list[Any]:
    """Return all that an environment shows but the deal code, which names the deal, hidden cards included."""
    arrays = {**observation, "mask in info": info["action_mask"]}
    plain = {key: value for key, value in info.items() if key not in ("action_mask", "deal_code")}
    return [plain, {key: (array.dtype, array.shape, array.tobytes()) for key, array in arrays.items()}]


def played(game: Game) -> list[Any]:
    """Return what the environment shows at every step of a game."""
    env = TriPeaksEnv(game.rules, max_undos=MAX_UNDOS, render_mode="ansi")
    shown = [frozen(*env.reset(options={"deal": game.deal}))]
    for action in game.actions:
        observation, *outcome, info = env.step(action)
        shown.append([frozen(observation, info), outcome])
    shown.append([env.render(), env.action_masks().tolist()])
    shown.append(frozen(*env.reset(options={"game": game})))
    return shown


@every_rules
def test_hidden_cards_do_not_show(rules: Rules) -> None:
    """Observation, mask, reward, info, repr, str and render are equal to the byte at every step."""
    for game, twin in pairs(rules):
        assert game.deal != twin.deal
        assert played(game) == played(twin)
        assert (repr(game), str(game)) == (repr(twin), str(twin))
        assert frozen(game.observation(), {"action_mask": game.action_mask()}) == frozen(
            twin.observation(), {"action_mask": twin.action_mask()}
        )


@every_rules
@pytest.mark.parametrize("name", ["random", "greedy", "opener"])
def test_agents_do_not_see_hidden_cards(rules: Rules, name: str) -> None:
    """With the same seed they choose the same actions in both games."""
    choices = []
    for games in zip(*pairs(rules), strict=True):
        observation = observe(np.concatenate([game.record for game in games]), rules)
        choices.append(agents.make(name, rules, seed=3).act(observation, observation["action_mask"]).tolist())
    assert choices[0] == choices[1]
    assert len(choices[0]) == POSITIONS_PER_RULES


def test_shipped_network_does_not_see_hidden_cards() -> None:
    choices = []
    for games in zip(*pairs(Rules.easy), strict=True):
        observation = observe(np.concatenate([game.record for game in games]), Rules.easy)
        choices.append(agents.make("ppo").act(observation, observation["action_mask"]).tolist())
    assert choices[0] == choices[1]
