"""Agents that must not be compared."""

import os
import sys
import time

import numpy as np

from agents.simple import GreedyAgent, OpenerAgent, RandomAgent
from tripeaks_env.game.deals import FIRST_WASTE
from tripeaks_env.game.engine import DRAW, GAME
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules


class Illegal(RandomAgent):
    """Removes a summit at once."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.zeros(len(action_mask), dtype=int)


class Raises(RandomAgent):
    """Fails at its first move."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        raise KeyError("lost")


class NotMade(RandomAgent):
    """Cannot be made."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        raise SystemExit(0)


class WrongShape(RandomAgent):
    """Returns one action too few."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return super().act(observation, action_mask)[1:]


class OutOfRange(RandomAgent):
    """Returns an action that does not exist."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.full(len(action_mask), DRAW + 1)


class Hangs(RandomAgent):
    """Never returns."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        while True:
            pass


class SaysThatItHangs(Hangs):
    """Prints so, and never returns."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        print("hangs", flush=True)
        return super().act(observation, action_mask)


class Leaves(RandomAgent):
    """Ends the process as if all was well."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        os._exit(0)


class Peeks(RandomAgent):
    """Draws in some games, by the cards of the stock, which it finds among the variables of its callers."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        actions = super().act(observation, action_mask)
        frame = sys._getframe()
        while frame.f_back:
            frame = frame.f_back
            for games in list(frame.f_locals.values()):
                if isinstance(games, np.ndarray) and games.dtype == GAME and games.shape == actions.shape:
                    odd = games["cards"][:, FIRST_WASTE + 1 :].sum(axis=1) % 2 == 1
                    return np.where(odd & (action_mask[:, DRAW] == 1), DRAW, actions)
        return actions


class Interrupts(RandomAgent):
    """Raises what Ctrl-C raises."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt


class Odd(Exception):
    """An error whose message is nothing to print."""

    def __str__(self) -> str:
        if self.args:
            return "odd \udcff \x1b[31m" + 400 * "x"
        raise ValueError("no message")


class RaisesOdd(RandomAgent):
    """Raises an error with a long message that has characters which no file or terminal should get."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        raise Odd("odd")


class RaisesMute(RandomAgent):
    """Raises an error without a message."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        raise Odd


class LeavesAChild(RandomAgent):
    """Crashes, while a process that it has started goes on."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        if os.fork() == 0:
            time.sleep(300)
            os._exit(0)
        os._exit(1)


class Poisons(RandomAgent):
    """Plays well itself, but changes how others would play in its process."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        GreedyAgent.act = RandomAgent.act  # type: ignore[method-assign]
        OpenerAgent.act = RandomAgent.act  # type: ignore[method-assign]
        return super().act(observation, action_mask)


class Unseeded(RandomAgent):
    """Plays another game each time, whatever its seed."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        super().__init__(rules, int.from_bytes(os.urandom(4)))
