"""The environment that learners train in: a game as a sequence of real choices."""

from typing import Any

import gymnasium
import numpy as np

from tripeaks_env import TriPeaksEnv
from tripeaks_env.engine import DRAW
from tripeaks_env.observation import Observation

Step = tuple[Observation, float, bool, bool, dict[str, Any]]


class Decisions(gymnasium.Wrapper):
    """Play every move that leaves no choice, so that each step is a decision between two or more actions.

    About half of the moves of a game are draws because nothing else is legal. The reward of a step includes what the moves
    played after it bring. An episode in which no choice ever arises is dealt anew, as a step could not start.

    Args:
        env: the environment of one game, with ``reward="score"``.
        points: how many points of score make a reward of 1.
        win_bonus: further reward for a win.
    """

    def __init__(self, env: TriPeaksEnv, points: float = 100.0, win_bonus: float = 0.0) -> None:
        super().__init__(env)
        self.points, self.win_bonus = points, win_bonus
        self._mask = np.zeros(DRAW + 1, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode at its first decision."""
        observation, info = self.env.reset(seed=seed, options=options)
        observation, _, terminated, _, info = self._to_decision(observation, 0.0, False, False, info)
        return (observation, info) if not terminated else self.reset()

    def step(self, action: int) -> Step:
        """Carry out an action and all moves without a choice after it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        observation, reward, terminated, truncated, info = self._to_decision(
            observation, float(reward), terminated, truncated, info
        )
        bonus = self.win_bonus if info["status"] == "won" else 0.0
        return observation, reward / self.points + bonus, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool (29,), as sb3-contrib asks for them."""
        return self._mask

    def _to_decision(
        self, observation: Observation, reward: float, terminated: bool, truncated: bool, info: dict[str, Any]
    ) -> Step:
        while not (terminated or truncated):
            legal = np.flatnonzero(observation["action_mask"])
            if len(legal) > 1:
                break
            observation, more, terminated, truncated, info = self.env.step(int(legal[0]))
            reward += float(more)
        self._mask = observation["action_mask"] == 1
        return observation, reward, terminated, truncated, info
