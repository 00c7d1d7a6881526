"""What an agent is, and how one is asked: whatever plays, watches or checks agents does it through here."""

import time
import traceback
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from tripeaks_env.game.arguments import one_line
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.game.rules import Rules

LONGEST = 300
"""Characters of a message of somebody's code that are passed on."""


class AgentError(RuntimeError):
    """An agent that did something else than choosing legal actions; the message is one line."""


def describe(error: BaseException) -> str:
    """Return in one line what somebody's code raised, and where."""
    try:
        message = one_line(error, LONGEST)
    except Exception:
        message = "its message cannot be shown"
    text = f"{type(error).__name__}: {message}"
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else text


@runtime_checkable
class Agent(Protocol):
    """A policy that plays N games at once from what is visible.

    A class of this kind is made with ``cls(rules=rules, seed=seed)``. Games that are over drop out
    between two calls of ``act``, so N falls and a game's row moves: everything to go by is in the observation.

    An agent may have a method ``values`` too, with the arguments of ``act``: what it goes by, float (N, 29), higher is
    better, NaN where an action is illegal. ``tripeaks watch`` shows them.

    One whose policy knows no mask may have a method ``unmasked`` of the observation: the actions, integers (N,), that it
    would choose then, or ``None``. Validation and comparisons tell how many of them are illegal.
    """

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return a legal action for each of N games.

        Args:
            observation: the parts of the environment's observation, int8, each with a leading axis N.
            action_mask: int8 (N, 29): 1 for legal actions, at least one in each row.

        Returns:
            Integers (N,), each 0-27 (remove) or 28 (draw).
        """
        ...


@runtime_checkable
class OracleAgent(Agent, Protocol):
    """An agent that sees all cards. It is no fair player: results list it apart."""

    def reveal(self, games: np.ndarray, rules: Rules) -> None:
        """Show the agent the games, (N,) of :data:`tripeaks_env.game.engine.GAME`, whose observations ``act`` gets next."""
        ...


class Choice(NamedTuple):
    """What an agent chose in N games.

    Attributes:
        actions: int64 (N,), all of them legal.
        seconds: time that the agent took.
    """

    actions: np.ndarray
    seconds: float


def ask(agent: Agent, games: np.ndarray, rules: Rules) -> Choice:
    """Return what an agent chooses in N games.

    The agent gets arrays of its own: whatever it does to them changes neither the games nor what is checked.

    Args:
        agent: an oracle is shown the games first.
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, none of them over.
        rules: the rules that they are played by.

    Raises:
        AgentError: the agent raised, chose an illegal action or returned something else than N integers.
    """
    observation = observe(games, rules)
    mask = observation["action_mask"].copy()
    start = time.perf_counter()
    try:
        if isinstance(agent, OracleAgent):
            agent.reveal(games.copy(), rules)
        actions = np.asarray(agent.act(observation, mask.copy()))
    except (Exception, SystemExit) as error:  # whatever somebody's agent does
        raise AgentError(f"act raised {describe(error)}") from error
    seconds = time.perf_counter() - start
    if actions.shape != (len(games),) or not np.issubdtype(actions.dtype, np.integer):
        raise AgentError(f"act returned {actions.dtype} {actions.shape}; it must be integers ({len(games)},)")
    unknown = actions[(actions < 0) | (actions >= mask.shape[1])]
    if len(unknown):
        raise AgentError(f"act returned the action {unknown[0]}; it must be 0 to {mask.shape[1] - 1}")
    illegal = actions[mask[np.arange(len(games)), actions] == 0]
    if len(illegal):
        raise AgentError(f"act returned the action {illegal[0]} where it is illegal")
    return Choice(actions.astype(np.int64), seconds)


def values_of(agent: Agent, games: np.ndarray, rules: Rules) -> np.ndarray | None:
    """Return what an agent goes by in N games, float64 (N, 29), NaN where an action is illegal; ``None`` if it does not tell.

    Args:
        agent: has been asked about these games, see :func:`ask`.
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, none of them over.
        rules: the rules that they are played by.

    Raises:
        AgentError: the agent raised.
    """
    tell = getattr(agent, "values", None)
    if not callable(tell):
        return None
    observation = observe(games, rules)
    mask = observation["action_mask"]
    try:
        values = np.asarray(tell(observation, mask.copy()), dtype=float)
    except (Exception, SystemExit) as error:  # whatever somebody's agent does
        raise AgentError(f"values raised {describe(error)}") from error
    return values if values.shape == mask.shape else None


def knows_no_mask(agent: Agent) -> bool:
    """Return whether an agent may have choices without a mask, see :func:`unmasked_of`."""
    return callable(getattr(agent, "unmasked", None))


def unmasked_of(agent: Agent, observation: Observation) -> np.ndarray | None:
    """Return what an agent would choose without a mask in N games, int64 (N,); ``None`` if it has no such choice.

    Args:
        agent: one that :func:`knows_no_mask`.
        observation: of N games, none of them over.

    Raises:
        AgentError: the agent raised, or returned something else.
    """
    count = len(observation["action_mask"])
    try:
        told = agent.unmasked(observation)  # type: ignore[attr-defined]
        actions = None if told is None else np.asarray(told)
    except (Exception, SystemExit) as error:  # whatever somebody's agent does
        raise AgentError(f"unmasked raised {describe(error)}") from error
    if actions is None:
        return None
    if actions.shape != (count,) or not np.issubdtype(actions.dtype, np.integer):
        raise AgentError(f"unmasked returned {actions.dtype} {actions.shape}; it must be integers ({count},)")
    return actions.astype(np.int64)
