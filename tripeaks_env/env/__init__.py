"""Gymnasium environments of one and of many games, the deals that they get, and what an agent is.

``tripeaks_env.env:TriPeaksEnv`` is the entry point that data sets store.
"""

from tripeaks_env.env.single import TriPeaksEnv
from tripeaks_env.env.vector import TriPeaksVectorEnv

__all__ = ["TriPeaksEnv", "TriPeaksVectorEnv"]
