"""The Gymnasium environment of one game."""

from __future__ import annotations

from typing import Any, Literal, get_args

import gymnasium
import numpy as np
from gymnasium import spaces

from tripeaks_env.deals import Deal, as_deal, deal_slots, format_code, lay_out, shuffle
from tripeaks_env.engine import GAME, STATUSES, Rejection, Status, is_over, new_games, status_games, step_games, tables
from tripeaks_env.game import MESSAGES, Game
from tripeaks_env.layout import PEAKS
from tripeaks_env.observation import Observation, num_actions, observation_space, observe
from tripeaks_env.render import board_text
from tripeaks_env.rules import Rules, as_rules
from tripeaks_env.splits import Split, check_split, random_number

MAX_UNDOS = 100
Reward = Literal["score", "win"]
RESET_OPTIONS = ("deal", "game")


class TriPeaksEnv(gymnasium.Env[dict[str, Any], np.int64]):
    """TriPeaks solitaire as a task under hidden information.

    ## Description
    28 cards lie in three peaks, ten of them face up. A face-up card that nothing covers may be removed if its rank is one
    above or below that of the waste card, which it then replaces. A card from the stock of 23 may be drawn onto the waste,
    each once. The game is won when the peaks are gone.

    ## Action Space
    ``Discrete(29)``: 0-27 remove the card at that position (numbered row by row from the summits, left to right), 28 draws.
    With ``max_undos > 0`` there is a 30th, 29: undo. An illegal action changes nothing, is rewarded with 0 and never ends
    the episode; ``info["rejection"]`` says why. ``action_mask`` tells which actions are legal.

    ## Observation Space
    A ``Dict`` of int8 arrays, which together are the information state (see :mod:`tripeaks_env.observation`):

    | key | shape | values |
    |---|---|---|
    | ``tableau`` | (28,) | 0 removed, 1-13 rank of a face-up card, 14 face down |
    | ``waste`` | (1,) | 1-13 rank of the waste card, 15 joker, 0 empty |
    | ``stock`` | (1,) | cards left in the stock |
    | ``unseen`` | (13,) | how many cards of each rank are face down or in the stock; a 14th for the joker if wild |
    | ``action_mask`` | (29,) or (30,) | 1 for each legal action |
    | ``run`` | (1,) | removals since the last draw; only with streak scoring |
    | ``undos`` | (1,) | undos left; only with ``max_undos > 0`` |

    ## Starting State
    A random deal of the chosen ``split``; ``reset(seed=...)`` fixes it. ``reset(options={"deal": deal})`` deals a
    :class:`~tripeaks_env.Deal` or deal code, ``reset(options={"game": game})`` starts from a :class:`~tripeaks_env.Game`
    in progress or its saved text.

    ## Rewards
    ``reward="score"``: the change of the score, so that the return is the final score minus the score at the start (500
    under the app's rules). ``reward="win"``: 1 for the winning move, else 0.

    ## Episode End
    Terminated when the game is won, or blocked: the stock is empty, no card can be removed and no undo is left. An episode
    without undo takes at most 51 legal actions (53 with joker and empty waste). The registered ``max_episode_steps`` of 300
    truncates endless illegal play.

    ## Information
    ``action_mask``; ``deal_code`` (``None`` for a deal without one; it gives the hidden cards away: not for agents);
    ``score``; ``moves``; ``peaks_cleared``; ``status`` ("playing", "won", "blocked"); ``rejection``: why the last action
    was illegal, else empty.

    ## Arguments
    ``rules``: ``"easy"`` (default), ``"classic"``, ``"traditional"`` or :class:`~tripeaks_env.Rules`. ``reward``: see
    above. ``max_undos``: undos allowed in an episode, 0 to 100. ``render_mode``: ``"ansi"`` or ``None``. ``split``:
    which deals a reset draws from: ``"train"`` (default), ``"evaluation"`` or ``"all"``.

    ## References
    The rules page of an existing TriPeaks app (in Catalan, "Les regles de TriPeaks").

    ## Version History
    v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 2}

    def __init__(
        self,
        rules: str | Rules = "easy",
        reward: Reward = "score",
        max_undos: int = 0,
        render_mode: str | None = None,
        split: Split = "train",
    ) -> None:
        self.rules = as_rules(rules)
        if reward not in get_args(Reward):
            raise ValueError(f"reward is {reward!r}; it must be one of {', '.join(get_args(Reward))}")
        if max_undos not in range(MAX_UNDOS + 1):
            raise ValueError(f"max_undos is {max_undos!r}; it must be an integer from 0 to {MAX_UNDOS}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is {render_mode!r}; it must be None or 'ansi'")
        self.reward: Reward = reward
        self.max_undos = int(max_undos)
        self.render_mode = render_mode
        self.split: Split = check_split(split)
        self.observation_space = observation_space(self.rules, self.max_undos)
        self.action_space = spaces.Discrete(num_actions(self.max_undos))
        self._tables = tables(self.rules)
        self._deal: Deal | int | None = None  # as a number until somebody looks
        self._deal_code: str | None = None
        self._game = np.empty(0, dtype=GAME)
        self._actions = np.zeros(1, dtype=np.int64)
        self._rejections = np.zeros(1, dtype=np.int8)
        self._over = np.zeros(1, dtype=np.bool_)
        self._statuses = np.zeros(1, dtype=np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, see "Starting State" above.

        Raises:
            ValueError: an option does not exist, or its deal or game cannot be played here.
        """
        super().reset(seed=seed)
        options = options or {}
        for key in options:
            if key not in RESET_OPTIONS:
                raise ValueError(f"reset option is {key!r}; it must be one of {', '.join(RESET_OPTIONS)}")
        if len(options) > 1:
            raise ValueError("reset options have both a deal and a game; give one of them")
        if "game" in options:
            self._start_from(options["game"])
        elif "deal" in options:
            deal = as_deal(options["deal"], self.rules)
            self._start(deal, deal_slots([deal], self.rules))
        else:
            number = random_number(self.np_random, self.split)
            self._start(number, lay_out(*shuffle([number]), self.rules))
        self._rejections[0] = Rejection.NONE
        observation = self._observation()
        return observation, self._info(observation)

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        Raises:
            ValueError: the action is not in the action space.
            gymnasium.error.ResetNeeded: the environment was never reset.
        """
        if not self.action_space.contains(action):
            raise ValueError(f"action is {action!r}; it must be an integer from 0 to {num_actions(self.max_undos) - 1}")
        self._check_reset()
        score = self._game["score"][0]
        self._actions[0] = action
        step_games(self._game, self._actions, self._tables, self._rejections, self._over)
        observation = self._observation()
        info = self._info(observation)
        if self.reward == "win":
            reward = float(info["status"] == "won" and self._rejections[0] == Rejection.NONE)
        else:
            reward = float(self._game["score"][0] - score)
        return observation, reward, bool(self._over[0]), False, info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (29,) or (30,), under the name that sb3-contrib's maskable algorithms call."""
        self._check_reset()
        return self._observation()["action_mask"].astype(np.bool_)

    def render(self) -> str | None:
        """Return the board as text in render mode ``"ansi"``, ``None`` without a render mode."""
        if self.render_mode is None:
            return None
        self._check_reset()
        if isinstance(self._deal, int):
            self._deal = Deal.from_number(self._deal)
        assert self._deal is not None
        return board_text(self._deal, self._game, self.rules, self._status())

    def _start(self, deal: Deal | int, slots: np.ndarray) -> None:
        self._deal = deal
        self._deal_code = format_code(deal, self.rules) if isinstance(deal, int) else deal.code(self.rules)
        self._game = new_games(slots, self.rules, self.max_undos)

    def _start_from(self, game: Game | str) -> None:
        game = game if isinstance(game, Game) else Game.from_text(game)
        if game.rules != self.rules:
            raise ValueError(f"the game is played by {game.rules}, the environment by {self.rules}")
        record = game.record
        record["undos_left"] = self.max_undos
        if is_over(record[0], self._tables[0]):
            raise ValueError(f"the game is {game.status}; an episode cannot start from its end")
        self._deal, self._deal_code, self._game = game.deal, game.deal.code(self.rules), record

    def _check_reset(self) -> None:
        if self._deal is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")

    def _status(self) -> Status:
        status_games(self._game, self._tables, self._statuses)
        return STATUSES[self._statuses[0]]

    def _observation(self) -> Observation:
        return {key: value[0] for key, value in observe(self._game, self.rules, self.max_undos).items()}

    def _info(self, observation: Observation) -> dict[str, Any]:
        summits = int(self._game["remaining"][0]) & 7
        return {
            "action_mask": observation["action_mask"].copy(),
            "deal_code": self._deal_code,
            "score": int(self._game["score"][0]),
            "moves": int(self._game["moves"][0]),
            "peaks_cleared": PEAKS - summits.bit_count(),
            "status": self._status().value,
            "rejection": MESSAGES.get(Rejection(int(self._rejections[0])), ""),
        }
