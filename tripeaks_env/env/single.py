"""The Gymnasium environment of one game."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from tripeaks_env.env.episodes import Environment, Reward, reset_options
from tripeaks_env.env.splits import Split, random_numbers
from tripeaks_env.game.arguments import integer
from tripeaks_env.game.deals import format_codes, number_slots
from tripeaks_env.game.observation import Observation, num_actions, observation_space
from tripeaks_env.game.rules import Rules

FIRST = np.zeros(1, dtype=np.int64)  # the index of the only game


class TriPeaksEnv(Environment, gymnasium.Env[dict[str, Any], np.int64]):
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
    A ``Dict`` of int8 arrays, which together are the information state (see :mod:`tripeaks_env.game.observation`):

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
    ``action_mask``; ``deal_code`` (``None`` for a deal without one; it gives the hidden cards away: not for agents; it
    tells no other rule than whether king and ace are adjacent);
    ``score``; ``moves``; ``peaks_cleared``; ``status`` ("playing", "won", "blocked"); ``rejection``: why the last action
    was illegal, else empty.

    ## Arguments
    ``rules``: ``"easy"`` (default), ``"classic"``, ``"traditional"`` or :class:`~tripeaks_env.Rules`. ``reward``: see
    above. ``max_undos``: undos allowed in an episode, 0 to 100. ``render_mode``: ``"human"`` (a window), ``"rgb_array"``
    (pictures), ``"ansi"`` (text) or ``None``. ``render_size``: width and height of a picture, by default 960 x 540.
    ``highlight``: whether legal actions are marked in pictures. ``split``: which deals a reset draws from: ``"train"``
    (default), ``"evaluation"`` or ``"all"``. ``skip_forced``: after a legal action the environment plays on by itself as
    long as a single action is legal (but never undoes), so that nearly every step is a choice (a third to a half of the
    moves of a game are draws because nothing else is legal); the reward includes what that brings, and ``moves`` counts it.

    ## References
    The rules page of an existing TriPeaks app (in Catalan, "Les regles de TriPeaks").

    ## Version History
    v0: first version.
    """

    def __init__(
        self,
        rules: str | Rules = "easy",
        reward: Reward = "score",
        max_undos: int = 0,
        render_mode: str | None = None,
        split: Split = "train",
        skip_forced: bool = False,
        render_size: tuple[int, int] | None = None,
        highlight: bool = False,
    ) -> None:
        self._set_up(1, rules, reward, max_undos, skip_forced, split, render_mode, render_size, highlight)
        self._buffers = self._episodes.new_observation()
        self.observation_space = observation_space(self.rules, self.max_undos)
        self._actions = num_actions(self.max_undos)
        self.action_space = spaces.Discrete(self._actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode, see "Starting State" above.

        Raises:
            ValueError: the seed is no integer of at least 0; or an option does not exist, or its deal or game cannot be
                played here. Then nothing has changed.
        """
        seed = None if seed is None else integer("seed", seed, low=0)
        starts = [self._episodes.position(kind, given) for kind, given in reset_options(options).items()]
        super().reset(seed=seed)
        if starts:
            self._episodes.place(0, starts[0])
        else:
            numbers = random_numbers(self.np_random, self.split)
            self._episodes.start(FIRST, number_slots(numbers, self.rules), format_codes(numbers, self.rules))
        self._show()
        return self._shown()

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one action.

        Raises:
            ValueError: the action is not in the action space.
            gymnasium.error.ResetNeeded: the environment was never reset.
        """
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if not 0 <= number < self._actions:
            raise ValueError(f"action is {action!r}; it must be an integer from 0 to {self._actions - 1}")
        self._episodes.check_started()
        reward = self._episodes.step(np.array([number]))
        self._show()
        observation, info = self._shown()
        return observation, reward.item(), self._episodes.over.item(), False, info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (29,) or (30,), under the name that sb3-contrib's maskable algorithms call."""
        self._episodes.check_started()
        return self._episodes.observe()["action_mask"][0] == 1

    def render(self) -> np.ndarray | str | None:
        """Return the board as the render mode says.

        ``"rgb_array"``: uint8 (height, width, 3); ``"ansi"``: text; ``"human"`` and none: ``None``, as the window follows by
        itself.

        Raises:
            gymnasium.error.ResetNeeded: the environment was never reset.
            gymnasium.error.DependencyNotInstalled: pictures need pygame-ce.
        """
        boards = self._boards()
        return boards[0] if boards else None

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _shown(self) -> tuple[Observation, dict[str, Any]]:
        self._episodes.observe(self._buffers)
        return {key: part[0].copy() for key, part in self._buffers.items()}, self._episodes.info(0, self._buffers)
