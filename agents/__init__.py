"""Agents that play TriPeaks from observations, and one that sees all cards. They run from a checkout of the repository."""

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from agents.simple import FunctionAgent
from tripeaks_env.env.agent import Agent, OracleAgent, describe
from tripeaks_env.game.rules import Rules, as_rules

AGENTS = {
    "random": "agents.simple:RandomAgent",
    "greedy": "agents.simple:GreedyAgent",
    "opener": "agents.simple:OpenerAgent",
    "ppo": "agents.learned.policy_network:PPOAgent",
    "rollout": "agents.search.rollout:RolloutAgent",
    "pimc": "agents.search.pimc:PIMCAgent",
    "ismcts": "agents.search.ismcts:ISMCTSAgent",
    "network": "agents.learned.policy_network:DistilledAgent",
    "lookahead": "agents.learned.lookahead:LookaheadAgent",
    "oracle": "agents.oracle:Oracle",
}
"""The agents that have a name, as ``module:Class``."""

__all__ = ["AGENTS", "Agent", "OracleAgent", "make"]


def make(name: str, rules: str | Rules = "easy", seed: int = 0, *, trust: bool = False, **options: object) -> Agent:
    """Return a new agent.

    Args:
        name: a name out of :data:`AGENTS`; or what somebody brings:

            - ``module:Class``: a class that is made with ``rules``, ``seed`` and options, see :class:`Agent`;
            - ``module:function``: a function ``f(observation, action_mask)`` that returns actions as ``act`` does. Where it
              has parameters ``rules`` and ``seed``, it gets them too, and the options, with every call;
            - the path of a ``.zip`` file that a model of Stable-Baselines3 or sb3-contrib wrote, see
              :class:`agents.learned.sb3.SB3Agent`. It is loaded only with ``trust``.
        rules: the rules that it will play by.
        seed: of the agent's own random choices; the same seed makes the same moves.
        trust: whether a ``.zip`` file may be loaded, which can run any code that is in it.
        options: further keyword arguments of that class or function.

    Raises:
        ValueError: there is no such agent, it has no such options, does not play by these rules, or is not to be trusted; in
            one line.

    >>> type(make("opener")).__name__
    'OpenerAgent'
    >>> make("rollout", playouts=100)
    Traceback (most recent call last):
    ValueError: agent 'rollout' has no option 'playouts'; its options are simulations, milliseconds, playout, win_bonus
    """
    rules, name = as_rules(rules), str(name)
    own = name in AGENTS or Path(name).suffix == ".zip"
    if Path(name).suffix == ".zip" and Path(name).is_file() and not trust:
        raise ValueError(
            f"agent {name!r} is not loaded, as that can run any code that is in it; if you trained it yourself, say so: "
            "--trust, trust: true in a config, or trust=True"
        )
    try:
        found = _find(name)
    except (Exception, SystemExit) as error:  # whatever somebody's module does
        raise ValueError(f"agent {name!r} cannot be made: {describe(error)}") from error
    if found is None:
        raise ValueError(
            f"agent is {name!r}; it must be one of {', '.join(AGENTS)}, or module:Class, module:function, or a file MODEL.zip"
        )
    if not callable(found):
        raise ValueError(f"agent {name!r} is {type(found).__name__}; it must be a class or a function")
    if not own and not isinstance(found, type):
        return FunctionAgent(found, **_arguments(name, found, ("observation", "action_mask"), rules, seed, options))
    arguments = _arguments(name, found, (), rules, seed, options)
    try:
        agent = found(**arguments)
    except (Exception, SystemExit) as error:  # whatever somebody's class does
        reason = str(error) if own and isinstance(error, ValueError) else describe(error)
        raise ValueError(f"agent {name!r} cannot be made: {reason}") from error
    if not isinstance(agent, Agent):
        raise ValueError(f"agent {name!r} has no method act(observation, action_mask)")
    return agent


def _find(name: str) -> Any:
    """Return the class or function that ``name`` stands for, or ``None`` if it is no such name."""
    if Path(name).suffix == ".zip":
        from agents.learned.sb3 import SB3Agent  # here, as torch takes seconds to import

        return partial(SB3Agent, name)
    module, _, attribute = AGENTS.get(name, name).partition(":")
    if not (module and attribute):
        return None
    imported = importlib.import_module(module)
    if not hasattr(imported, attribute):
        raise ImportError(f"module {module!r} has no attribute {attribute!r}")
    return getattr(imported, attribute)


def _arguments(
    name: str, found: Callable[..., Any], given: tuple[str, ...], rules: Rules, seed: int, options: Mapping[str, object]
) -> dict[str, Any]:
    """Return the keyword arguments to call a class or function with.

    Args:
        name: of the agent, for messages.
        found: the class or function.
        given: what a function is given in every call, by position; a class is given nothing.
        rules: for the parameter of that name, which a class must have.
        seed: likewise.
        options: for the others.

    Raises:
        ValueError: it cannot be called so.
    """
    always: dict[str, Any] = {"rules": rules, "seed": seed}
    try:
        parameters = inspect.signature(found).parameters
    except (TypeError, ValueError):  # some that are written in C do not tell
        return {**({} if given else always), **options}
    kinds = {each.kind for each in parameters.values()}
    anything = inspect.Parameter.VAR_KEYWORD in kinds
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = [name for name, each in parameters.items() if each.kind in by_position][: len(given)]
    spread = inspect.Parameter.VAR_POSITIONAL in kinds
    if not spread and (len(taken) < len(given) or always.keys() & taken):
        raise ValueError(f"agent {name!r} takes {_text(found)}; a function must take (observation, action_mask)")
    keywords = {key: each for key, each in parameters.items() if each.kind in by_name and key not in taken}
    if not (given or anything or always.keys() <= keywords.keys()):
        raise ValueError(f"agent {name!r} takes {_text(found)}; a class must take rules and seed: (rules, seed=0)")
    own = [key for key in keywords if key not in always]
    has = f"its options are {', '.join(own)}" if own else "it has no options"
    for key in options:
        if key not in own and (not anything or key in taken or key in always):
            raise ValueError(f"agent {name!r} has no option {key!r}; {has}")
    for key, each in keywords.items():
        if each.default is each.empty and key not in {*always, *options}:
            raise ValueError(f"agent {name!r} needs the option {key!r}; {has}")
    return {**{key: value for key, value in always.items() if anything or key in keywords}, **options}


def _text(found: Callable[..., Any]) -> str:
    return " ".join(str(inspect.signature(found)).split())
