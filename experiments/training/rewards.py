"""The reward that learners train with."""

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from tripeaks_env import Status


class ShapedReward(VecEnvWrapper):
    """Rewards 1 for 100 points and adds a bonus for a win. The returns in ``episode`` of the infos stay points of score.

    Args:
        env: the games, with ``reward="score"``.
        win_bonus: how many points a win is worth more.
    """

    def __init__(self, env: VecEnv, win_bonus: float = 0.0) -> None:
        super().__init__(env)
        self.win_bonus = win_bonus

    def reset(self) -> VecEnvObs:
        """Start an episode in every game."""
        return self.venv.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions."""
        observation, rewards, done, infos = self.venv.step_wait()
        for i in done.nonzero()[0].tolist():
            if infos[i]["status"] == Status.WON:
                rewards[i] += self.win_bonus
        return observation, rewards / 100, done, infos
