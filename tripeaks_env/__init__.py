"""TriPeaks solitaire as a reinforcement-learning environment, with the exact optimum of every deal as the yardstick.

Importing the package registers the environments of :data:`ENVIRONMENTS` with Gymnasium.
"""

from typing import Any

import gymnasium

from tripeaks_env.env import TriPeaksEnv, TriPeaksVectorEnv
from tripeaks_env.env.splits import is_evaluation, suite
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.engine import Rejection, Status
from tripeaks_env.game.game import Game, Outcome
from tripeaks_env.game.rules import PRESETS, Rules, Scoring
from tripeaks_env.game.sampling import sample_actions
from tripeaks_env.solver.advice import Hint, action_values, action_values_many, hint
from tripeaks_env.solver.difficulty import Difficulty, difficulty
from tripeaks_env.solver.many_deals import Solutions, solve_many
from tripeaks_env.solver.one_deal import Solution, solve

__all__ = [
    "ENVIRONMENTS",
    "PRESETS",
    "Deal",
    "Difficulty",
    "Game",
    "Hint",
    "Outcome",
    "Rejection",
    "Rules",
    "Scoring",
    "Solution",
    "Solutions",
    "Status",
    "TriPeaksEnv",
    "TriPeaksVectorEnv",
    "action_values",
    "action_values_many",
    "difficulty",
    "hint",
    "is_evaluation",
    "sample_actions",
    "solve",
    "solve_many",
    "suite",
]
__version__ = "0.1.0"

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "TriPeaks-v0": {},
    "TriPeaksClassic-v0": {"rules": "classic"},
    "TriPeaksTraditional-v0": {"rules": "traditional"},
    "TriPeaksOpen-v0": {"rules": "open"},
    "TriPeaksWild-v0": {"rules": "wild"},
    "TriPeaksEmptyWaste-v0": {"rules": "empty-waste"},
    "TriPeaksUndo-v0": {"max_undos": 100},
}
"""The registered ids and the keyword arguments that each presets."""

for _id, _kwargs in ENVIRONMENTS.items():
    gymnasium.register(
        id=_id,
        entry_point="tripeaks_env.env:TriPeaksEnv",
        vector_entry_point="tripeaks_env.env:TriPeaksVectorEnv",
        kwargs=_kwargs,
        max_episode_steps=300,
    )
