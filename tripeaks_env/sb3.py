"""The native vector environment in the form of Stable-Baselines3, which must be installed (extra ``sb3``)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}; tripeaks_env.sb3 needs it: pip install 'tripeaks-env[sb3]'") from error

from tripeaks_env.env.episodes import INFO_PARTS, reset_options
from tripeaks_env.env.vector import TriPeaksVectorEnv
from tripeaks_env.game.arguments import boolean
from tripeaks_env.game.game import Game
from tripeaks_env.game.observation import Observation, observation_space


class TriPeaksVecEnv(VecEnv):
    """N games for the algorithms of Stable-Baselines3 and sb3-contrib, played by :class:`~tripeaks_env.TriPeaksVectorEnv`.

    It does what ``DummyVecEnv`` does with N single environments, each in a ``Monitor``, many times faster: observations,
    rewards, ends and infos are equal for equal seeds. When an episode ends, its info has ``terminal_observation``,
    ``TimeLimit.truncated`` and ``episode`` with return, length and seconds since this was made.
    ``MaskablePPO`` finds the action masks by itself; as
    ended games are dealt anew at once, a mask always has a legal action. Attributes cannot be set and no wrapper can be put
    around a single game.

    Args:
        num_envs: how many games.
        max_episode_steps: after how many steps an episode is truncated; ``None``: never.
        box_mask: whether the space of the observation's ``action_mask`` is a ``Box`` and no ``MultiBinary``, as wrappers such
            as ``VecFrameStack`` want it; the observations are the same.
        kwargs: the other arguments of :class:`~tripeaks_env.TriPeaksEnv`.

    Raises:
        ValueError: an argument is not one of the allowed values.
    """

    def __init__(
        self, num_envs: int = 1, *, max_episode_steps: int | None = 300, box_mask: bool = False, **kwargs: Any
    ) -> None:
        self.env = TriPeaksVectorEnv(
            num_envs, max_episode_steps=max_episode_steps, autoreset_mode=AutoresetMode.SAME_STEP, copy=True, **kwargs
        )
        space = observation_space(self.env.rules, self.env.max_undos)
        if boolean("box_mask", box_mask):
            shape = space["action_mask"].shape
            space.spaces["action_mask"] = spaces.Box(np.int8(0), np.int8(1), shape, np.int8)
        super().__init__(num_envs, space, self.env.single_action_space)
        self.metadata = self.env.metadata
        self._masks: np.ndarray | None = None
        self._all = np.arange(num_envs)
        self._actions = np.zeros(num_envs, dtype=np.int64)
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._made = time.time()

    def reset(self) -> Observation:
        """Start an episode in every game, with the seeds and options set before, and return their observations.

        Raises:
            ValueError: a seed is no integer of at least 0; or an option does not exist, or its deal or game cannot be played
                here. Then nothing has changed.
        """
        chosen = [reset_options(options) for options in self._options]
        starts = [Game(each["deal"], self.env.rules) if "deal" in each else each.get("game") for each in chosen]
        observation, infos = self.env.reset(seed=self._seeds, options={"game": starts})
        self.reset_infos = _rows(infos, self._all)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = self._lengths[:] = 0
        self._masks = observation["action_mask"] == 1
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions, integers (N,), of the next step."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Carry them out; return observations, rewards float32 (N,), whether episodes ended bool (N,), and N infos.

        Raises:
            ValueError: there are not N actions, or one is not in the action space.
            gymnasium.error.ResetNeeded: the games were never reset.
        """
        observation, rewards, terminated, truncated, infos = self.env.step(self._actions)
        self._masks = observation["action_mask"] == 1
        self._returns += rewards
        self._lengths += 1
        done = terminated | truncated
        rows = _rows(infos, self._all)
        for row in rows:
            row["TimeLimit.truncated"] = False
        if done.any():
            self._end_episodes(done.nonzero()[0], terminated, infos, rows)
        return observation, rewards.astype(np.float32), done, rows

    def state(self) -> dict[str, Any]:
        """Return all that the games go on from: bytes of arrays, uint8, and numbers, texts, lists and dictionaries."""
        episodes, dealer = self.env._episodes, self.env._dealer
        return {
            "arrays": {name: array.view(np.uint8).copy() for name, array in self._arrays().items()},
            "codes": episodes.codes.tolist(),
            "generators": [each and each.bit_generator.state for each in dealer._generators],
        }

    def load_state(self, state: dict[str, Any]) -> Observation:
        """Go on from what :meth:`state` returned of games with the same arguments; return what is observed there.

        Raises:
            ValueError: it is of other games, as are ``KeyError`` and ``TypeError``.
        """
        self.reset()
        for name, array in self._arrays().items():
            array.view(np.uint8)[...] = state["arrays"][name]
        episodes, dealer = self.env._episodes, self.env._dealer
        episodes.codes[:] = state["codes"]
        for generator, kept in zip(dealer._generators, state["generators"], strict=True):
            assert generator is not None
            generator.bit_generator.state = kept
        observation = episodes.observe()
        self._masks = observation["action_mask"] == 1
        return observation

    def _arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays that change as games are played, beside those that are found out from them."""
        episodes, dealer = self.env._episodes, self.env._dealer
        return {
            **{name: getattr(episodes, name) for name in ("games", "slots", "rejections", "over")},
            **{"numbers": dealer._numbers, "used": dealer._used, "elapsed": self.env._elapsed, "done": self.env._done},
            **{"returns": self._returns, "lengths": self._lengths},
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of all games, bool (N, 29) or (N, 30), a fresh array.

        Raises:
            gymnasium.error.ResetNeeded: the games were never reset.
        """
        if self._masks is None:
            raise gymnasium.error.ResetNeeded("call reset() before anything else")
        return self._masks.copy()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return the pictures of all games in render mode ``"rgb_array"``, which ``render()`` shows side by side."""
        if self.env.render_mode != "rgb_array":
            return [None] * self.num_envs
        return [each for each in self.env.render() or () if isinstance(each, np.ndarray)]

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks`` or ``render`` of single games.

        Raises:
            AttributeError: there is no such method.
        """
        which = list(self._which(indices))
        if method_name == "action_masks":
            return list(self.action_masks()[which])
        if method_name == "render":
            boards = self.env.call("render")
            return [boards[i] for i in which]
        raise AttributeError(f"method is {method_name!r}; it must be action_masks or render")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of single games.

        Raises:
            AttributeError: there is no such attribute.
        """
        which = self._which(indices)
        if attr_name in ("action_masks", "render"):
            return [partial(self._call, attr_name, i) for i in which]
        of_each = self.env.get_attr(attr_name)
        return [self.observation_space if attr_name == "observation_space" else of_each[i] for i in which]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: the games share their settings, which are arguments of the class.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"attribute {attr_name!r} cannot be set; make another TriPeaksVecEnv with other arguments")

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Return whether the games do what a wrapper would do: true of ``Monitor``, as infos have its ``episode``."""
        return [issubclass(Monitor, wrapper_class) for _ in self._which(indices)]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _which(self, indices: VecEnvIndices) -> Iterable[int]:
        everyone = range(self.num_envs)
        return [everyone[i] for i in self._get_indices(indices)]

    def _call(self, method_name: str, i: int) -> Any:
        return self.env_method(method_name, indices=i)[0]

    def _end_episodes(
        self, which: np.ndarray, terminated: np.ndarray, infos: dict[str, Any], rows: list[dict[str, Any]]
    ) -> None:
        """Put the infos of the ends of the games ``which`` into ``rows``, in the place of those of their new episodes."""
        now = time.time()
        for i, last in zip(which.tolist(), _rows(infos["final_info"], which), strict=True):
            self.reset_infos[i] = rows[i]
            del rows[i]["TimeLimit.truncated"]
            rows[i] = last
            last["TimeLimit.truncated"] = not terminated[i]
            last["terminal_observation"] = infos["final_obs"][i]
            last["episode"] = {
                "r": round(float(self._returns[i]), 6),
                "l": int(self._lengths[i]),
                "t": round(now - self._made, 6),
            }
        self._returns[which] = self._lengths[which] = 0


def _rows(infos: dict[str, Any], which: np.ndarray) -> list[dict[str, Any]]:
    """Return the infos of the games ``which``, indices (M,), from arrays that hold those of all."""
    columns = [infos[part][which] for part in INFO_PARTS]
    rows = zip(*(column if column.ndim > 1 else column.tolist() for column in columns), strict=True)
    return [dict(zip(INFO_PARTS, row)) for row in rows]  # noqa: B905 - checking lengths takes as long as the rest
