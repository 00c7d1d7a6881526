"""An agent that is watched: its game, what it chooses next, and the pace. Nothing is shown or read here.

The terminal and the window both show a :class:`Watching`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np

from tripeaks_env.env.agent import Agent, AgentError, ask, values_of
from tripeaks_env.game.game import Game
from tripeaks_env.play.session import Session
from tripeaks_env.solver.advice import action_values

Choose = Callable[[Game], tuple[int, "np.ndarray | None"]]
"""Returns the action in a game that is not over, and what the agent goes by, float (29,), NaN where an action is illegal, or
``None`` if it does not tell."""

Shown = Literal["agent", "solver", "none"]
"""Whose values of the actions are shown."""

SLOWEST, FASTEST = 0.01, 100.0
"""Bounds of the moves a second."""


class Choice(NamedTuple):
    """What an agent does next.

    Attributes:
        action: 0-27 (remove) or 28 (draw).
        values: what it goes by, float (29,), or ``None``, see :data:`Choose`.
    """

    action: int
    values: np.ndarray | None


class Watching:
    """An agent's play, which can be paused, stepped through and taken back.

    Args:
        session: the game that it plays on from, and the next ones.
        choose: the agent; it is asked at once, and after each move.
        name: of the agent.
        speed: moves a second; one outside 0.01 to 100 is the nearest bound.
        shown: whose values are shown.
        clock: tells the time in seconds.

    Attributes:
        next: what the agent does next, or ``None`` when the game is over.
        paused: whether it waits for steps.
    """

    def __init__(
        self,
        session: Session,
        choose: Choose,
        name: str,
        speed: float = 1.0,
        shown: Shown = "agent",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.session, self.name, self.shown, self.clock = session, name, shown, clock
        self.speed = min(FASTEST, max(SLOWEST, speed))
        self.paused = False
        self.next: Choice | None = None
        self._choose = choose
        self._solved: np.ndarray | None = None
        self._look()

    @property
    def running(self) -> bool:
        """Whether a move comes by itself."""
        return not self.paused and self.next is not None

    def wait(self) -> float:
        """Return how many seconds remain until the next move, if it comes by itself."""
        return max(0.0, self._due - self.clock())

    def tick(self) -> bool:
        """Make the agent's move if it is due; return whether it was.

        Raises:
            ValueError: it is illegal.
        """
        due = self.running and not self.wait()
        if due:
            self.move()
        return due

    def move(self) -> None:
        """Make the agent's move, if the game is not over, and ask for the next one.

        Raises:
            ValueError: it is illegal.
        """
        if self.next is None:
            return
        outcome = self.session.game.play(self.next.action)
        if not outcome.accepted:
            raise ValueError(f"{self.name} chose the illegal action {self.next.action}: {outcome.message}")
        self._look()

    def do(self, command: str) -> bool:
        """Do what a key or a button asks for; the next move is then due as long after it as after a move.

        Args:
            command: ``pause`` or go on; ``step``, ``back``: a move more or less, and pause; ``faster``, ``slower``;
                ``next_values``: the agent's, the solver's, none; ``solver_values`` or the agent's; ``next_deal``; ``again``:
                the same deal; ``quit``.

        Returns:
            Whether to go on.

        Raises:
            ValueError: the agent's move is illegal, or there is no such command.
        """
        match command:
            case "pause":
                self.paused = not self.paused
            case "step":
                self.paused = True
                self.move()
            case "back":
                self.paused = True
                if self.session.undo() is None:
                    self._look()
            case "faster":
                self.speed = min(FASTEST, 2 * self.speed)
            case "slower":
                self.speed = max(SLOWEST, self.speed / 2)
            case "next_values":
                choices = get_args(Shown)
                self.shown = choices[(choices.index(self.shown) + 1) % len(choices)]
            case "solver_values":
                self.shown = "agent" if self.shown == "solver" else "solver"
            case "next_deal":
                self.session.new()
                self._look()
            case "again":
                self.session.again()
                self._look()
            case "quit":
                return False
            case _:
                raise ValueError(f"there is no command {command!r}")
        self._due = self.clock() + 1 / self.speed
        return True

    @property
    def own(self) -> bool:
        """Whether the agent's own values are shown, if any are; else they are the solver's."""
        return self.shown == "agent" and self.next is not None and self.next.values is not None

    def values(self) -> np.ndarray | None:
        """Return the values that are shown, float (29,), NaN where an action is illegal; ``None`` if none are.

        An agent that has none of its own is shown with the solver's.
        """
        if self.shown == "none" or self.next is None:
            return None
        if self.own:
            return self.next.values
        if self._solved is None:
            self._solved = action_values(self.session.game)
        return self._solved

    def _look(self) -> None:
        """Ask the agent for its next move. However long it takes, the move is seen before it is made."""
        self._solved = self.next = None
        if not self.session.over:
            action, values = self._choose(self.session.game)
            self.next = Choice(int(action), values)
        self._due = self.clock() + 1 / self.speed


def chooser(agent: Agent, name: str) -> Choose:
    """Return how an agent chooses; ``name`` is for messages. What it does wrong is a ValueError of one line."""

    def choose(game: Game) -> tuple[int, np.ndarray | None]:
        try:
            action = ask(agent, game.record, game.rules).actions.item()
            values = values_of(agent, game.record, game.rules)
        except AgentError as error:
            raise ValueError(f"agent {name!r}: {error}") from error
        return action, None if values is None else values[0]

    return choose
