"""Agents that play TriPeaks from observations, and one that sees all cards. They run from a checkout of the repository."""

import importlib

from agents.agent import Agent, OracleAgent, describe
from tripeaks_env.rules import Rules, as_rules

AGENTS = {
    "random": "agents.simple:RandomAgent",
    "greedy": "agents.simple:GreedyAgent",
    "opener": "agents.simple:OpenerAgent",
    "ppo": "agents.ppo:PPOAgent",
    "rollout": "agents.rollout:RolloutAgent",
    "pimc": "agents.pimc:PIMCAgent",
    "ismcts": "agents.ismcts:ISMCTSAgent",
    "network": "agents.network:DistilledAgent",
    "lookahead": "agents.lookahead:LookaheadAgent",
    "oracle": "agents.oracle:Oracle",
}
"""The agents that have a name, as ``module:Class``."""

__all__ = ["AGENTS", "Agent", "OracleAgent", "make"]


def make(name: str, rules: str | Rules = "easy", seed: int = 0, **options: object) -> Agent:
    """Return a new agent.

    Args:
        name: a name out of :data:`AGENTS`, or ``module:Class`` of your own.
        rules: the rules that it will play by.
        seed: of the agent's own random choices; the same seed makes the same moves.
        options: further keyword arguments of that class.

    Raises:
        ValueError: there is no such agent, or it does not play by these rules.

    >>> type(make("opener")).__name__
    'OpenerAgent'
    """
    rules = as_rules(rules)
    module, _, attribute = str(AGENTS.get(name, name)).partition(":")
    if not attribute:
        raise ValueError(f"agent is {name!r}; it must be one of {', '.join(AGENTS)}, or module:Class")
    try:
        agent = getattr(importlib.import_module(module), attribute)(rules=rules, seed=seed, **options)
    except (Exception, SystemExit) as error:  # whatever somebody's module does
        raise ValueError(f"agent {name!r} cannot be made: {describe(error)}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"agent {name!r} has no method act(observation, action_mask)")
    return agent
