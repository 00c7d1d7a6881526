"""N games played side by side: what the environment of one game and the vector environment share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import gymnasium
import numpy as np

from tripeaks_env.env.splits import SPLITS, Split
from tripeaks_env.game.arguments import boolean, integer, one_of
from tripeaks_env.game.cards import RANK_OF
from tripeaks_env.game.deals import SLOTS, Deal
from tripeaks_env.game.engine import (
    GAME,
    STATUSES,
    Rejection,
    describe_games,
    is_over,
    play_forced,
    start_games,
    step_games,
    tables,
)
from tripeaks_env.game.game import MESSAGES, Game
from tripeaks_env.game.observation import Observation, new_observation, part_sizes, write_observation
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.game.view import View, view_of
from tripeaks_env.pictures.screen import Screen

Reward = Literal["score", "win"]
MAX_UNDOS = 100
RESET_OPTIONS = ("deal", "game")
INFO_PARTS = ("action_mask", "deal_code", "score", "moves", "peaks_cleared", "status", "rejection")

STATUS_TEXTS = [status.value for status in STATUSES]
REJECTION_TEXTS = [MESSAGES.get(reason, "") for reason in Rejection]


def reset_options(options: Mapping[str, Any] | None, known: Sequence[str] = RESET_OPTIONS) -> dict[str, Any]:
    """Return options of a reset as a dict of their own.

    Raises:
        ValueError: they are no mapping, or one of them does not exist, or they exclude each other.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"reset options are {options!r}; they must be a mapping, such as {{'deal': 'TP1-E-AAAAAAB'}}")
    for key in options:
        one_of("reset option", key, known)
    if options.keys() >= set(RESET_OPTIONS):
        raise ValueError("reset options have both a deal and a game; give one of them")
    return dict(options)


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.setflags(write=False)
    return view


class _Texts:
    """An array of N texts that follows an array of their numbers. Most do not change in a step, and texts are slow."""

    def __init__(self, texts: list[str], number: int) -> None:
        self.texts = np.array(texts, dtype=object)
        self.numbers = np.zeros(number, dtype=np.int8)
        self.array = self.texts[self.numbers]
        self.shown = read_only(self.array)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.shown = read_only(self.array)  # unpickled, a view is an array of its own

    def of(self, numbers: np.ndarray) -> np.ndarray:
        """Return the texts of ``numbers``, int8 (N,): always the same array of objects (N,), read-only."""
        changed = (numbers != self.numbers).nonzero()[0]
        if len(changed):
            self.numbers[changed] = numbers[changed]
            self.array[changed] = self.texts[numbers[changed]]
        return self.shown


class Episodes:
    """The games of one or many environments, each at its own point of its own episode.

    Args:
        number: how many games.
        rules: a preset's name or :class:`~tripeaks_env.Rules`.
        reward: ``"score"`` or ``"win"``.
        max_undos: undos allowed in an episode, 0 to 100.
        skip_forced: whether a step goes on through positions with a single legal action.

    Raises:
        ValueError: an argument is not one of the allowed values.
    """

    def __init__(self, number: int, rules: str | Rules, reward: Reward, max_undos: int, skip_forced: bool) -> None:
        self.rules = as_rules(rules)
        self.reward: Reward = one_of("reward", reward, get_args(Reward))
        self.max_undos = integer("max_undos", max_undos, 0, MAX_UNDOS)
        self.skip_forced = boolean("skip_forced", skip_forced)
        self.table = tables(self.rules)
        self.sizes = part_sizes(self.rules, self.max_undos)
        self.games = np.zeros(number, dtype=GAME)
        self.slots = np.zeros((number, SLOTS), dtype=np.int8)  # the cards as they were dealt; pictures show their suits
        self.codes = np.full(number, None, dtype=object)
        self._codes_shown = read_only(self.codes)
        self.rejections = np.zeros(number, dtype=np.int8)
        self.over = np.zeros(number, dtype=np.bool_)
        self.statuses = np.zeros(number, dtype=np.int8)
        self._scores, self._moves, self._peaks = np.empty((3, number), dtype=np.int64)
        self._status_texts = _Texts(STATUS_TEXTS, number)
        self._rejection_texts = _Texts(REJECTION_TEXTS, number)
        self.not_started = np.ones(number, dtype=np.bool_)
        self.all_started = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.table = tables(self.rules)  # read-only: kernels are compiled anew for arrays that are not
        self._codes_shown = read_only(self.codes)

    def start(self, which: np.ndarray, slots: np.ndarray, codes: np.ndarray) -> None:
        """Start the games ``which``, indices (M,), from deals that have codes: slots int8 (M, 54), codes (M,) of texts."""
        start_games(self.games, which, slots, RANK_OF, self.max_undos, self.table)
        self.slots[which] = slots
        self.codes[which] = codes
        self._begin(which)

    def position(self, kind: str, given: Deal | Game | str) -> Game:
        """Return where an episode starts, from a reset option; no game is changed.

        Args:
            kind: ``"deal"`` or ``"game"``.
            given: a deal or deal code, or a game or saved text.

        Raises:
            ValueError: the deal cannot be played by these rules; or the game is over, or is played by other rules, or the
                text is no saved game.
        """
        if kind == "deal":
            return Game(given, self.rules)  # type: ignore[arg-type]
        game = given if isinstance(given, Game) else Game.from_text(given)  # type: ignore[arg-type]
        if game.rules != self.rules:
            raise ValueError(f"the game is played by {game.rules}, the environment by {self.rules}")
        record = game.record
        record["undos_left"] = self.max_undos
        if is_over(record[0], self.table[0]):
            raise ValueError(f"the game is {game.status}; an episode cannot start from its end")
        return game

    def place(self, i: int, game: Game) -> None:
        """Start game ``i`` from a :meth:`position`."""
        self.games[i] = game.record[0]
        self.games["undos_left"][i] = self.max_undos
        self.slots[i] = game.slots
        self.codes[i] = game.deal.code(self.rules)
        self._begin(np.array([i]))

    def check_started(self) -> None:
        """Raise :class:`gymnasium.error.ResetNeeded` unless every game was started."""
        if not self.all_started:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")

    def _begin(self, which: np.ndarray) -> None:
        self.rejections[which] = Rejection.NONE.value
        if not self.all_started:
            self.not_started[which] = False
            self.all_started = not self.not_started.any()

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Carry out one action, integers (N,), in each game; return the rewards, float64 (N,)."""
        points = np.empty(len(self.games))
        step_games(self.games, actions, self.table, points, self.rejections, self.over)
        if self.skip_forced:
            play_forced(self.games, self.table, points, self.rejections, self.over)
        if self.reward == "win":
            return np.where(self.rejections == Rejection.NONE.value, self.games["remaining"] == 0, 0.0)
        return points

    def new_observation(self) -> Observation:
        """Return unwritten arrays for what the players see; see :mod:`tripeaks_env.game.observation`."""
        return new_observation(len(self.games), self.sizes)

    def observe(self, into: Observation | None = None) -> Observation:
        """Return what the players see, arrays with a leading axis N: fresh ones, or those of ``into``."""
        if into is None:
            into = self.new_observation()
        write_observation(self.games, self.table, into)
        return into

    def infos(self, observation: Observation, copy: bool = True) -> dict[str, np.ndarray]:
        """Return the parts of ``info``, arrays with a leading axis N; texts are arrays of objects.

        Args:
            observation: what is observed now.
            copy: whether the arrays are fresh. Without, the mask is the observation's, and the others change with the games;
                texts cannot be written to.
        """
        self._describe()
        texts = self._status_texts.of(self.statuses), self._rejection_texts.of(self.rejections)
        parts = observation["action_mask"], self._codes_shown, self._scores, self._moves, self._peaks, *texts
        return dict(zip(INFO_PARTS, [part.copy() for part in parts] if copy else parts, strict=True))

    def info(self, i: int, observation: Observation) -> dict[str, Any]:
        """Return what :meth:`infos` has of game ``i``; of one game, plain numbers and texts are faster than arrays."""
        self._describe()
        return {
            "action_mask": observation["action_mask"][i].copy(),
            "deal_code": self.codes[i],
            "score": self._scores.item(i),
            "moves": self._moves.item(i),
            "peaks_cleared": self._peaks.item(i),
            "status": STATUS_TEXTS[self.statuses.item(i)],
            "rejection": REJECTION_TEXTS[self.rejections.item(i)],
        }

    def _describe(self) -> None:
        describe_games(self.games, self.table, self._scores, self._moves, self._peaks, self.statuses)

    def view(self, i: int, highlight: bool = False) -> View:
        """Return what the player of game ``i`` sees, with legal actions marked if ``highlight``."""
        return view_of(self.slots[i], self.games[i : i + 1], self.rules, highlight)


class Environment:
    """The settings and the boards of an environment, of one game or of many."""

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 2}
    render_mode: str | None

    def _set_up(
        self,
        number: int,
        rules: str | Rules,
        reward: Reward,
        max_undos: int,
        skip_forced: bool,
        split: Split,
        render_mode: str | None,
        render_size: tuple[int, int] | None,
        highlight: bool,
    ) -> None:
        """Take the arguments of an environment of a ``number`` of games.

        Raises:
            ValueError: an argument is not one of the allowed values.
        """
        episodes = self._episodes = Episodes(number, rules, reward, max_undos, skip_forced)
        self.rules, self.reward = episodes.rules, episodes.reward
        self.max_undos, self.skip_forced = episodes.max_undos, episodes.skip_forced
        self.split: Split = one_of("split", split, SPLITS)
        modes = self.metadata["render_modes"]
        if render_mode not in (None, *modes):
            raise ValueError(f"render_mode is {render_mode!r}; it must be None or one of {', '.join(modes)}")
        self.render_mode = render_mode
        self.highlight = boolean("highlight", highlight)
        self._screen = Screen(render_size, number, self.metadata["render_fps"])

    def _views(self) -> list[View]:
        return [self._episodes.view(i, self.highlight) for i in range(len(self._episodes.games))]

    def _show(self) -> None:
        """Show all games in the window, where there is to be one."""
        if self.render_mode == "human" and self._episodes.all_started:
            self._screen.show(self._views())

    def _boards(self) -> tuple[np.ndarray, ...] | tuple[str, ...] | None:
        """Return the board of each game as the render mode says."""
        if self.render_mode is None:
            return None
        self._episodes.check_started()
        if self.render_mode == "rgb_array":
            return tuple(self._screen.frame(view) for view in self._views())
        return tuple(map(str, self._views())) if self.render_mode == "ansi" else None
