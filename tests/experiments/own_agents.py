"""Agents as somebody may bring them: good, broken and cheating ones."""

import gc
import sys
import time
from typing import Any

import numpy as np
import torch

from agents import Agent
from agents.simple import RandomAgent
from experiments.validate import Candidate, training_games
from tripeaks_env import Rules
from tripeaks_env.env.agent import ask
from tripeaks_env.game.deals import number_slots
from tripeaks_env.game.engine import DRAW, GAME, new_games
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.solver.one_deal import solve_record


def lowest(observation: Observation, action_mask: np.ndarray) -> np.ndarray:
    return np.argmax(action_mask, axis=1)


def highest(observation: Observation, action_mask: np.ndarray, rules: Rules, seed: int, least: int = 0) -> np.ndarray:
    assert (rules, seed) == (Rules.classic, 7)
    return np.argmax(np.where(np.arange(29) >= least, action_mask, action_mask - 2)[:, ::-1], axis=1) * -1 + 28


def anything(*arguments: Any, **keywords: Any) -> np.ndarray:
    assert keywords.keys() == {"rules", "seed", "colour"}
    return np.argmax(arguments[1], axis=1)


def factory(rules: Rules, seed: int = 0) -> Agent:
    return RandomAgent(rules, seed)


NOTHING = 3


class Lowest:
    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rules = rules

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.argmax(action_mask, axis=1)


class Optional(Lowest):
    def __init__(self, rules: Rules, seed: int, depth: int, width: float = 3.0) -> None:
        if depth < 0:
            raise ValueError("depth\nis negative")


class NoSeed(Lowest):
    def __init__(self, rules: Rules) -> None:
        pass


class NoRules(Lowest):
    def __init__(self, seed: int = 0) -> None:
        pass


class Keywords(Lowest):
    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords


class Idle(Lowest):
    """Would do nothing for ever, as a model that was trained without the mask may."""

    def unmasked(self, observation: Observation) -> np.ndarray:
        return np.argmin(observation["action_mask"], axis=1)


class Tempted(Lowest):
    """Would draw always, also where there is no stock."""

    def unmasked(self, observation: Observation) -> np.ndarray:
        return np.full(len(observation["action_mask"]), DRAW)


class Sensible(Lowest):
    """Knows what is legal."""

    def unmasked(self, observation: Observation) -> np.ndarray:
        return np.argmax(observation["action_mask"], axis=1)


class Masked(Lowest):
    """Has no choice without the mask."""

    def unmasked(self, observation: Observation) -> None:
        return None


class Lost(Lowest):
    """Would choose what is no action."""

    def unmasked(self, observation: Observation) -> np.ndarray:
        return np.full(len(observation["action_mask"]), -1)


class Shapeless(Lowest):
    """Says nothing that could be chosen."""

    def unmasked(self, observation: Observation) -> np.ndarray:
        return np.zeros(3)


# Broken ones.


class Exits(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        sys.exit("enough")


class Slow(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        time.sleep(0.005)
        return super().act(observation, action_mask)


class OneAtATime(Lowest):
    """Cannot play two games at once."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.array([int(np.argmax(action_mask[0]))])


class Remembers(Lowest):
    """Chooses by the number of calls, not by what it sees."""

    calls = 0

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        self.calls += 1
        return (last if self.calls % 2 else lowest)(observation, action_mask)


def last(observation: Observation, action_mask: np.ndarray) -> np.ndarray:
    return DRAW - np.argmax(action_mask[:, ::-1], axis=1)


class Crowd(Lowest):
    """Chooses by how many cards the other games have left."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        few = np.count_nonzero(observation["tableau"]) < 25 * len(action_mask)
        return (last if few else lowest)(observation, action_mask)


class NeighbourPeeks(Lowest):
    """Chooses by its row."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        odd = np.arange(len(action_mask)) % 2 == 1
        return np.where(odd, last(observation, action_mask), lowest(observation, action_mask))


class GlobalNumPy(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return np.argmax(action_mask * np.random.random(action_mask.shape), axis=1)  # noqa: NPY002


class GlobalPython(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        import random

        return np.array([random.choice(np.flatnonzero(row).tolist()) for row in action_mask])


class GlobalTorch(Lowest):
    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        return (torch.from_numpy(action_mask) * torch.rand(action_mask.shape)).argmax(dim=1).numpy()


class SeedsNumPy(Lowest):
    """Repeats itself, but makes everybody else's random numbers the same too."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        np.random.seed(0)  # noqa: NPY002
        return super().act(observation, action_mask)


class NoSeedUsed(RandomAgent):
    """Has a generator that no seed makes."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.rng = np.random.default_rng()


class Meddles(Lowest):
    """Changes what it gets and returns an array of another type that it changes later."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        actions = super().act(observation, action_mask).astype(np.uint8)
        for array in (*observation.values(), action_mask):
            array[:] = 1
        return actions


class Claims(Lowest):
    """Makes all actions legal and takes an illegal one."""

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        observation["action_mask"][:] = 1
        action_mask[:] = 1
        return np.zeros(len(action_mask), dtype=int)


# Cheats. Each finds the records of the games in another way and plays by their hidden cards.


def fitting(arrays: Any, observation: Observation, rules: Rules) -> np.ndarray | None:
    """Return the first array of games that look like the observation."""
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype == GAME and len(array) == len(observation["tableau"]):
            seen = observe(array, rules)
            if all((seen[name] == observation[name]).all() for name in seen):
                return array
    return None


class Cheat(Lowest):
    """Draws exactly if the next stock card is odd."""

    def games(self, observation: Observation) -> np.ndarray | None:
        raise NotImplementedError

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        honest = lowest(observation, action_mask)
        games = self.games(observation)
        if games is None:
            return honest
        card = games["cards"][np.arange(len(games)), np.minimum(29 + games["drawn"], 53)]
        return np.where((action_mask[:, DRAW] == 1) & (card % 2 == 1), DRAW, honest)


class PeeksAtFrames(Cheat):
    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            found = fitting(list(frame.f_locals.values()), observation, self.rules)
            if found is not None:
                return found
            frame = frame.f_back
        return None


class PeeksFromOutside(Cheat):
    """Looks at the outermost frames first, where a copy of the true cards might be."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frames, frame = [], sys._getframe(1)
        while frame:
            frames.append(frame)
            frame = frame.f_back  # type: ignore[assignment]
        arrays = [value for frame in reversed(frames) for value in list(frame.f_locals.values())]
        return fitting(arrays, observation, self.rules)


class PeeksAtNames(Cheat):
    """Knows the variables of experiments.games.play.play."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            if {"games", "playing"} <= frame.f_locals.keys():
                return frame.f_locals["games"][frame.f_locals["playing"]]
            frame = frame.f_back
        return None


class PeeksAtStack(Cheat):
    def games(self, observation: Observation) -> np.ndarray | None:
        import inspect

        values = [value for each in inspect.stack(0) for value in list(each.frame.f_locals.values())]
        return fitting(values, observation, self.rules)


class PeeksAtObjects(Cheat):
    calls = 0

    def games(self, observation: Observation) -> np.ndarray | None:
        self.calls += 1
        if self.calls % 8 != 2:  # as it takes long
            return None
        values = (value for each in gc.get_objects() if type(each) is list for value in each)
        return fitting(values, observation, self.rules)


class PeeksRarely(PeeksAtFrames):
    """In one of ten calls, and then in one of ten games."""

    calls = 0

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        self.calls += 1
        if self.calls % 10:
            return lowest(observation, action_mask)
        rows = np.arange(len(action_mask)) % 10 == 0
        return np.where(rows, super().act(observation, action_mask), lowest(observation, action_mask))


class PeeksOnceAndPlans(PeeksAtFrames):
    """Solves the game at its start and follows the line later on: one game at a time only."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        super().__init__(rules, seed)
        self.plan: list[int] = []

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        if not self.plan:
            games = self.games(observation)
            assert games is not None
            self.plan = list(solve_record(games[:1].copy(), self.rules).actions)
        action = self.plan.pop(0)
        return np.array([action if action_mask[0, action] else int(np.argmax(action_mask[0]))])


class PeeksAtNumbers(PeeksAtFrames):
    """Finds deal numbers, and believes them if the deals look right: at the starts of games."""

    def games(self, observation: Observation) -> np.ndarray | None:
        frame: Any = sys._getframe(1)
        while frame:
            numbers = frame.f_locals.get("numbers", ())
            if len(numbers) == len(observation["tableau"]):
                dealt = new_games(number_slots(np.asarray(numbers), self.rules), self.rules)
                return fitting([dealt], observation, self.rules)
            frame = frame.f_back
        return None


CHEATS = [PeeksAtNumbers, PeeksAtFrames, PeeksFromOutside, PeeksAtNames, PeeksAtStack, PeeksAtObjects, PeeksRarely]


def local(name: str) -> str:
    return f"{__name__}:{name}"


def candidate(made: type, games: int = 12) -> Candidate:
    return Candidate(local(made.__name__), Rules.easy, games=games)


def actions_of(agent: Agent, rules: Rules = Rules.easy) -> list[int]:
    return ask(agent, training_games(20, rules, seed=5), rules).actions.tolist()
