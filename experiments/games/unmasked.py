"""What an agent would choose if nobody told which actions are legal: how much of its play is the mask."""

from typing import NamedTuple

import numpy as np

from agents import Agent
from experiments.games.lines import Lines, positions
from tripeaks_env.env.agent import knows_no_mask, unmasked_of
from tripeaks_env.game.observation import observe
from tripeaks_env.game.rules import Rules

FEW = 0.01
"""The share of illegal choices up to which the mask hardly plays a part."""


class Unmasked(NamedTuple):
    """How many of an agent's choices would be illegal without the mask.

    Attributes:
        illegal: how many.
        decisions: of how many; 0 of an agent that has no choice without the mask.
    """

    illegal: int
    decisions: int

    def in_words(self) -> str:
        """Return the share as a remark, in one line; nothing where there are no decisions."""
        if not self.decisions:
            return ""
        share = self.illegal / self.decisions
        remark = f"would choose an illegal action at {_percent(share)} of its decisions if not masked"
        if share <= FEW:
            return remark
        return f"{remark}: what is compared is {'mostly' if share > 0.5 else 'in part'} the mask"


def _percent(share: float) -> str:
    """Return a share in percent; only none at all is 0, and only all is 100."""
    return f"{100 * share:.0f} %" if share in (0, 1) else f"{min(max(100 * share, 0.1), 99.9):.1f} %"


def count_illegal(agent: Agent, numbers: np.ndarray, lines: Lines, rules: Rules) -> Unmasked:
    """Return what an agent would have done without the mask at all decisions of games that were played.

    Args:
        agent: the one that played them, or a new one of the same kind.
        numbers: deal numbers, int64 (N,).
        lines: the games, (N,).
        rules: the rules of the games.

    Raises:
        AgentError: see :func:`tripeaks_env.env.agent.unmasked_of`.
    """
    if not knows_no_mask(agent):  # most do, and are spared the replay
        return Unmasked(0, 0)
    observation = observe(positions(numbers, lines, rules)[:, :-1][lines.taken], rules)
    mask = observation["action_mask"].copy()  # which the agent may write to
    actions = unmasked_of(agent, observation)
    if actions is None:
        return Unmasked(0, 0)
    known = (actions >= 0) & (actions < mask.shape[1])
    legal = known & (mask[np.arange(len(mask)), np.where(known, actions, 0)] == 1)
    return Unmasked(int(np.count_nonzero(~legal)), len(mask))
