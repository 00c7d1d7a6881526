"""N games played side by side: what the environment of one game and the vector environment share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import gymnasium
import numpy as np

from tripeaks_env.deals import Deal, as_deal, deal_slots, format_codes, lay_out, shuffle
from tripeaks_env.engine import (
    GAME,
    STATUSES,
    WON,
    Rejection,
    Status,
    is_over,
    new_games,
    status_games,
    step_games,
    tables,
)
from tripeaks_env.game import MESSAGES, Game
from tripeaks_env.layout import peaks_cleared
from tripeaks_env.observation import Observation, observe
from tripeaks_env.render import board_text
from tripeaks_env.rules import Rules, as_rules

Reward = Literal["score", "win"]
MAX_UNDOS = 100
RESET_OPTIONS = ("deal", "game")

_STATUS_TEXTS = np.array([status.value for status in STATUSES], dtype=object)
_REJECTION_TEXTS = np.array([MESSAGES.get(reason, "") for reason in Rejection], dtype=object)


def check_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """Return ``render_mode`` if it is ``None`` or one of ``metadata["render_modes"]``.

    For the other modes of Gymnasium it warns and returns ``None``: libraries ask for ``"rgb_array"`` without being told to.

    Raises:
        ValueError: there is no such mode.
    """
    modes = metadata["render_modes"]
    if render_mode in ("human", "rgb_array", "rgb_array_list", "ansi_list"):
        gymnasium.logger.warn(
            f"render_mode {render_mode!r} is not there yet, only {', '.join(modes)}; nothing is rendered"
        )
        return None
    if render_mode not in (None, *modes):
        raise ValueError(f"render_mode is {render_mode!r}; it must be None or one of {', '.join(modes)}")
    return render_mode


def check_reset_options(options: Mapping[str, Any]) -> None:
    """Refuse options of a reset that do not exist or exclude each other.

    Raises:
        ValueError: there is such an option.
    """
    for key in options:
        if key not in RESET_OPTIONS:
            raise ValueError(f"reset option is {key!r}; it must be one of {', '.join(RESET_OPTIONS)}")
    if len(options) > 1:
        raise ValueError("reset options have both a deal and a game; give one of them")


class Episodes:
    """The games of one or many environments, each at its own point of its own episode.

    Args:
        number: how many games.
        rules: a preset's name or :class:`~tripeaks_env.Rules`.
        reward: ``"score"`` or ``"win"``.
        max_undos: undos allowed in an episode, 0 to 100.

    Raises:
        ValueError: an argument is not one of the allowed values.
    """

    def __init__(self, number: int, rules: str | Rules, reward: Reward, max_undos: int) -> None:
        self.rules = as_rules(rules)
        if reward not in get_args(Reward):
            raise ValueError(f"reward is {reward!r}; it must be one of {', '.join(get_args(Reward))}")
        if type(max_undos) is not int or not 0 <= max_undos <= MAX_UNDOS:
            raise ValueError(f"max_undos is {max_undos!r}; it must be an integer from 0 to {MAX_UNDOS}")
        self.reward: Reward = reward
        self.max_undos = max_undos
        self.table = tables(self.rules)
        self.games = np.zeros(number, dtype=GAME)
        self.deals: list[Deal | int | None] = [None] * number  # a number until somebody looks at the cards
        self.codes = np.full(number, None, dtype=object)
        self.rejections = np.zeros(number, dtype=np.int8)
        self.over = np.zeros(number, dtype=np.bool_)
        self.statuses = np.zeros(number, dtype=np.int8)
        self.started = np.zeros(number, dtype=np.bool_)

    def deal_numbers(self, which: np.ndarray, numbers: np.ndarray) -> None:
        """Start the games ``which``, indices (M,), from the deals of ``numbers``, (M,)."""
        self._begin(which, new_games(lay_out(*shuffle(numbers), self.rules), self.rules, self.max_undos))
        self.codes[which] = format_codes(numbers, self.rules)
        for i, number in zip(which.tolist(), numbers.tolist(), strict=True):
            self.deals[i] = number

    def deal(self, i: int, deal: Deal | str) -> None:
        """Start game ``i`` from a deal or a deal code.

        Raises:
            ValueError: the deal cannot be played by these rules.
        """
        deal = as_deal(deal, self.rules)
        self._begin(np.array([i]), new_games(deal_slots([deal], self.rules), self.rules, self.max_undos))
        self.deals[i] = deal
        self.codes[i] = deal.code(self.rules)

    def resume(self, i: int, game: Game | str) -> None:
        """Start game ``i`` from the position of a game or of its saved text.

        Raises:
            ValueError: the game is over, or is played by other rules, or the text is no saved game.
        """
        game = game if isinstance(game, Game) else Game.from_text(game)
        if game.rules != self.rules:
            raise ValueError(f"the game is played by {game.rules}, the environment by {self.rules}")
        record = game.record
        record["undos_left"] = self.max_undos
        if is_over(record[0], self.table[0]):
            raise ValueError(f"the game is {game.status}; an episode cannot start from its end")
        self._begin(np.array([i]), record)
        self.deals[i] = game.deal
        self.codes[i] = game.deal.code(self.rules)

    def check_started(self) -> None:
        """Raise :class:`gymnasium.error.ResetNeeded` unless every game was started."""
        if not self.started.all():
            raise gymnasium.error.ResetNeeded("call reset() before anything else")

    def _begin(self, which: np.ndarray, games: np.ndarray) -> None:
        self.games[which] = games
        self.rejections[which] = Rejection.NONE
        self.over[which] = False
        self.started[which] = True

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Carry out one action, integers (N,), in each game; return the rewards, float64 (N,)."""
        before = self.games["score"].copy()
        step_games(self.games, actions, self.table, self.rejections, self.over)
        if self.reward == "win":
            status_games(self.games, self.table, self.statuses)
            return ((self.statuses == WON) & (self.rejections == Rejection.NONE)).astype(np.float64)
        return (self.games["score"] - before).astype(np.float64)

    def observe(self) -> Observation:
        """Return what the players see, fresh arrays with a leading axis N; see :mod:`tripeaks_env.observation`."""
        return observe(self.games, self.rules, self.max_undos)

    def infos(self, observation: Observation) -> dict[str, np.ndarray]:
        """Return the parts of ``info``, arrays with a leading axis N; texts are arrays of objects."""
        status_games(self.games, self.table, self.statuses)
        return {
            "action_mask": observation["action_mask"].copy(),
            "deal_code": self.codes.copy(),
            "score": self.games["score"].astype(np.int64),
            "moves": self.games["moves"].astype(np.int64),
            "peaks_cleared": peaks_cleared(self.games["remaining"]),
            "status": _STATUS_TEXTS[self.statuses],
            "rejection": _REJECTION_TEXTS[self.rejections],
        }

    def info(self, i: int, observation: Observation) -> dict[str, Any]:
        """Return what :meth:`infos` has of game ``i``; of one game, plain numbers and texts are faster than arrays."""
        game = self.games[i]
        return {
            "action_mask": observation["action_mask"][i].copy(),
            "deal_code": self.codes[i],
            "score": int(game["score"]),
            "moves": int(game["moves"]),
            "peaks_cleared": int(peaks_cleared(game["remaining"])),
            "status": self.status(i).value,
            "rejection": _REJECTION_TEXTS[self.rejections[i]],
        }

    def status(self, i: int) -> Status:
        """Return where game ``i`` stands."""
        status_games(self.games[i : i + 1], self.table, self.statuses[i : i + 1])
        return STATUSES[self.statuses[i]]

    def board(self, i: int) -> str:
        """Return the board of game ``i`` as text."""
        deal = self.deals[i]
        if isinstance(deal, int):
            deal = self.deals[i] = Deal.from_number(deal)
        assert deal is not None
        return board_text(deal, self.games[i : i + 1], self.rules, self.status(i))
