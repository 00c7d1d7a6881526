"""The native vector environment: N games in one object, moved by the engine's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from tripeaks_env.env.dealer import Dealer
from tripeaks_env.env.episodes import INFO_PARTS, RESET_OPTIONS, Environment, Reward, read_only, reset_options
from tripeaks_env.env.splits import Split
from tripeaks_env.game.arguments import boolean, counted, integer, one_of
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.game import Game
from tripeaks_env.game.observation import Observation, num_actions, observation_space
from tripeaks_env.game.rules import Rules

NEVER = np.iinfo(np.int64).max
SHARED = ("metadata", "render_mode", "rules", "reward", "max_undos", "split", "skip_forced", "highlight")
"""The attributes of a single environment that all of them have alike, beside their spaces."""
MASK_KEYS = tuple(f"_{part}" for part in INFO_PARTS)


class TriPeaksVectorEnv(Environment, gymnasium.vector.VectorEnv[dict[str, Any], np.ndarray, np.ndarray]):
    """N environments of TriPeaks in one, equal to as many of :class:`~tripeaks_env.TriPeaksEnv` side by side.

    ``gymnasium.make_vec("TriPeaks-v0", num_envs=N)`` makes it. Rules, spaces, rewards, infos and the ends of episodes are
    those of the environment of one game, with a leading axis N; so is everything random: environment i is seeded with
    ``seed + i`` and deals what a single environment of that seed deals.

    ``reset(options=...)`` takes ``"deal"`` and ``"game"`` as the single environment does, one for all or a list of N, where
    ``None`` stands for a random deal; and ``"reset_mask"``, bool (N,), which restricts the reset to some environments.

    Args:
        num_envs: how many.
        rules: see :class:`~tripeaks_env.TriPeaksEnv`, also for the next four.
        reward: ``"score"`` or ``"win"``.
        max_undos: undos allowed in an episode, 0 to 100.
        render_mode: ``"human"`` (a window of all games), ``"rgb_array"`` (pictures), ``"ansi"`` (text) or ``None``.
        split: which deals a reset draws from.
        skip_forced: see :class:`~tripeaks_env.TriPeaksEnv`.
        max_episode_steps: after how many steps an episode is truncated; ``None``: never.
        autoreset_mode: an :class:`gymnasium.vector.AutoresetMode` or its value.
        copy: whether ``reset`` and ``step`` return fresh arrays. If not, those of observations are the same at each call,
            those of infos at each step, and there ``infos["action_mask"]`` is the observation's: faster, for who is done with
            them by then. Texts and ``_key`` masks are read-only then.
        render_size: width and height of the picture of a game; by default 960 x 540, or so much smaller that all games fit
            1920 x 1080.
        highlight: whether legal actions are marked in pictures.

    Raises:
        ValueError: an argument is not one of the allowed values.
    """

    closed = True  # until it is made: Gymnasium closes also what could not be

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "easy",
        reward: Reward = "score",
        max_undos: int = 0,
        render_mode: str | None = None,
        split: Split = "train",
        skip_forced: bool = False,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_size: tuple[int, int] | None = None,
        highlight: bool = False,
    ) -> None:
        num_envs = self.num_envs = integer("num_envs", num_envs, low=1)
        self.max_episode_steps = max_episode_steps
        if max_episode_steps is not None:
            self.max_episode_steps = integer("max_episode_steps", max_episode_steps, low=1)
        self._copy = boolean("copy", copy)
        if not isinstance(autoreset_mode, AutoresetMode):
            autoreset_mode = AutoresetMode(
                one_of("autoreset_mode", autoreset_mode, [mode.value for mode in AutoresetMode])
            )
        self.autoreset_mode = autoreset_mode
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._set_up(num_envs, rules, reward, max_undos, skip_forced, split, render_mode, render_size, highlight)
        self._dealer = Dealer(num_envs, self.rules, self.split)
        self.single_observation_space = observation_space(self.rules, self.max_undos)
        self.single_action_space = spaces.Discrete(num_actions(self.max_undos))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._elapsed = np.zeros(num_envs, dtype=np.int64)
        self._done = np.zeros(num_envs, dtype=np.bool_)
        self._everywhere = read_only(np.ones((len(MASK_KEYS), num_envs), dtype=np.bool_))
        self._buffers = None if copy else self._episodes.new_observation()
        self.closed = False

    @property
    def records(self) -> np.ndarray:
        """A copy of the games, (N,) of :data:`tripeaks_env.game.engine.GAME`. They tell hidden cards: no player may look."""
        return self._episodes.games.copy()

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode in each environment, or in those of ``options["reset_mask"]``.

        Args:
            seed: an integer, from which environment i gets ``seed + i``; or N integers or ``None``.
            options: see the class.

        Raises:
            ValueError: there are not N seeds, integers of at least 0, or an option does not exist or cannot be played here.
                Then nothing has changed.
        """
        options = reset_options(options, (*RESET_OPTIONS, "reset_mask"))
        mask = self._reset_mask(options.pop("reset_mask", None))
        which = np.flatnonzero(mask)
        seeds = self._seeds(seed)
        starts = self._positions(which, options)  # before anything changes, as they may be wrong
        for i in which.tolist():
            if (one := seeds[i]) is not None:
                self._dealer.seed(i, one)
        at_random = np.array([i for i in which.tolist() if i not in starts], dtype=np.int64)
        if len(at_random):
            self._deal_at_random(at_random)
        for i, start in starts.items():
            self._episodes.place(i, start)
        self._elapsed[which] = 0
        self._done[which] = False
        observation = self._episodes.observe(self._buffers)
        self._show()
        return observation, _with_masks(self._episodes.infos(observation), mask)

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out one action, integers (N,), in each environment.

        Raises:
            ValueError: there are not N actions, or one is not in the action space.
            gymnasium.error.ResetNeeded: an environment was never reset, or, where it has to be by hand, not since its end.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions are {actions.dtype} {actions.shape}; they must be integers ({self.num_envs},)")
        last = num_actions(self.max_undos) - 1
        given, actions = actions, actions.astype(np.int64, copy=False)
        if actions.view(np.uint64).max() > last:  # a negative one is large without its sign
            raise ValueError(f"actions are {given.min()} to {given.max()}; they must be 0 to {last}")
        self._episodes.check_started()
        if self.autoreset_mode == AutoresetMode.DISABLED and self._done.any():
            raise gymnasium.error.ResetNeeded(
                f"reset environments {np.flatnonzero(self._done).tolist()} first: they ended"
            )

        done_before = self._done.nonzero()[0]
        rewards = self._episodes.step(actions)
        self._elapsed += 1
        terminated = self._episodes.over.copy()
        truncated = self._elapsed >= (self.max_episode_steps or NEVER)
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and len(done_before):
            self._deal_at_random(done_before)
            rewards[done_before], terminated[done_before], truncated[done_before] = 0, False, False
        self._done = terminated | truncated
        observation = self._episodes.observe(self._buffers)
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            done = self._done
            infos = _with_masks(
                {
                    "final_obs": _unbatched(observation, done),
                    "final_info": _with_masks(self._episodes.infos(observation), done),
                },
                done,
            )
            self._deal_at_random(done.nonzero()[0])
            observation = self._episodes.observe(self._buffers)
        self._show()
        infos |= self._episodes.infos(observation, self._copy)
        infos |= zip(MASK_KEYS, self._everywhere.copy() if self._copy else self._everywhere, strict=True)
        return observation, rewards, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | tuple[str, ...] | None:
        """Return the board of each environment as the render mode says, see :meth:`tripeaks_env.TriPeaksEnv.render`."""
        return self._boards()

    def render_grid(self, columns: int | None = None) -> np.ndarray:
        """Return all boards as one picture, uint8 (height, width, 3), in any render mode.

        Args:
            columns: how many boards stand in a row; by default about as many as there are rows.

        Raises:
            ValueError: there is no such number of columns.
            gymnasium.error.ResetNeeded: an environment was never reset.
            gymnasium.error.DependencyNotInstalled: pygame-ce is missing.
        """
        self._episodes.check_started()
        return self._screen.grid(self._views(), columns)

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of all games, bool (N, 29) or (N, 30).

        Raises:
            gymnasium.error.ResetNeeded: an environment was never reset.
        """
        self._episodes.check_started()
        return self._episodes.observe()["action_mask"] == 1

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each environment, or look up an attribute, as the other vector environments of Gymnasium do.

        Args:
            name: ``"action_masks"``, ``"render"``, a space or one of :data:`SHARED`.
            args, kwargs: of the method; these have none.

        Returns:
            N answers, those of as many of :class:`~tripeaks_env.TriPeaksEnv`.

        Raises:
            AttributeError: there is no such method or attribute.
            gymnasium.error.ResetNeeded: a method was called before the first reset.
        """
        if name == "action_masks":
            return tuple(self.action_masks(*args, **kwargs))
        if name == "render":
            return self.render(*args, **kwargs) or (None,) * self.num_envs
        if name in ("observation_space", "action_space"):
            return (getattr(self, f"single_{name}"),) * self.num_envs
        if name in SHARED:
            return (getattr(self, name),) * self.num_envs
        known = ", ".join(("action_masks", "render", "observation_space", "action_space", *SHARED))
        raise AttributeError(f"the games have no attribute {name!r}; they have {known}")

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each environment; see :meth:`call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Refuse: the environments share their settings, which are arguments of the class.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"attribute {name!r} cannot be set; make another environment with other arguments")

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = integer("seed", seed, 0, wanted=f"an integer of at least 0, or a list of {self.num_envs}")
            return [first + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed has {counted(len(seed), 'part')}; there must be one for each of {self.num_envs}")
        return [None if each is None else integer("seed", each, low=0) for each in seed]

    def _reset_mask(self, mask: np.ndarray | None) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        if (
            not isinstance(mask, np.ndarray)
            or mask.dtype != np.bool_
            or mask.shape != (self.num_envs,)
            or not mask.any()
        ):
            raise ValueError(f"reset_mask is {mask!r}; it must be a bool array ({self.num_envs},), true somewhere")
        return mask

    def _positions(self, which: np.ndarray, options: dict[str, Any]) -> dict[int, Game]:
        """Return the positions that reset options choose for some of the environments ``which``, by index."""
        return {
            i: self._episodes.position(kind, each[i])
            for kind, each in ((kind, self._one_each(kind, given)) for kind, given in options.items())
            for i in which.tolist()
            if each[i] is not None
        }

    def _deal_at_random(self, which: np.ndarray) -> None:
        """Start an episode of a random deal in the environments ``which``, indices (M,)."""
        self._episodes.start(which, *self._dealer.deal(which))
        self._elapsed[which] = 0
        self._done[which] = False

    def _one_each(self, key: str, value: Any) -> Sequence[Any]:
        if isinstance(value, str | Deal | Game):
            return [value] * self.num_envs
        if not isinstance(value, Sequence) or len(value) != self.num_envs:
            raise ValueError(f"reset option {key} is {value!r}; it must be one {key}, or a list of {self.num_envs}")
        return value


def _with_masks(infos: dict[str, Any], mask: np.ndarray) -> dict[str, Any]:
    """Return infos as Gymnasium's vector environments give them: empty where ``mask`` is false, with ``_key`` masks."""
    everywhere = mask.all()
    masked = {}
    for key, values in infos.items():
        if isinstance(values, np.ndarray) and not everywhere:
            values[~mask] = None if values.dtype == object else 0
        masked[key], masked[f"_{key}"] = values, mask.copy()
    return masked


def _unbatched(observation: Observation, mask: np.ndarray) -> np.ndarray:
    """Return a batch of observations as an array of objects (N,), each an observation, or ``None`` where not in ``mask``."""
    apart = np.full(len(mask), None, dtype=object)
    for i in np.flatnonzero(mask).tolist():
        apart[i] = {key: values[i].copy() for key, values in observation.items()}
    return apart
