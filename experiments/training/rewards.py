"""The reward that learners train with."""

import inspect
from typing import Any

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from tripeaks_env import Status


class KeptGames(VecEnvWrapper):
    """A wrapper that can be pickled with its games, so that a checkpoint can hold them."""

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the list of the class's attributes that the library keeps, which cannot be pickled."""
        return {name: value for name, value in self.__dict__.items() if name != "class_attributes"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.class_attributes = dict(inspect.getmembers(self.__class__))

    def reset(self) -> VecEnvObs:
        """Start an episode in every game."""
        return self.venv.reset()


class ShapedReward(KeptGames):
    """Rewards 1 for 100 points and adds a bonus for a win. The returns in ``episode`` of the infos stay points of score.

    Args:
        env: the games, with ``reward="score"``.
        win_bonus: how many points a win is worth more.
    """

    def __init__(self, env: VecEnv, win_bonus: float = 0.0) -> None:
        super().__init__(env)
        self.win_bonus = win_bonus

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions."""
        observation, rewards, done, infos = self.venv.step_wait()
        for i in done.nonzero()[0].tolist():
            if infos[i]["status"] == Status.WON:
                rewards[i] += self.win_bonus
        return observation, rewards / 100, done, infos
