"""The reward that learners train with."""

from typing import Any, cast

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from tripeaks_env import Status
from tripeaks_env.game.observation import Observation
from tripeaks_env.sb3 import TriPeaksVecEnv


class KeptGames(VecEnvWrapper):
    """A wrapper of :class:`tripeaks_env.sb3.TriPeaksVecEnv` whose games a checkpoint can hold."""

    def state(self) -> dict[str, Any]:
        """Return what a training goes on from, see :meth:`tripeaks_env.sb3.TriPeaksVecEnv.state`."""
        return {"games": cast(TriPeaksVecEnv, self.venv).state()}

    def load_state(self, state: dict[str, Any]) -> Observation:
        """Go on from what :meth:`state` returned; return what is observed there."""
        return cast(TriPeaksVecEnv, self.venv).load_state(state["games"])

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
