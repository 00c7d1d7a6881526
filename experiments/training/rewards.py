"""The rewards that learners train with: points of score, or advantages, which are free of luck.

What a move reveals is chance, and most of the noise in a game's score. Its expectation can be computed. So an action is
rewarded by its advantage: the expectation, over what it reveals, of what it scores and of the value of the position
after it, less the value of the position before it, by a value network that learns from the same games beside the policy. Over
an episode these rewards add up to what the game scored, less the value of its start and less the luck (the control variates
of AIVAT, Burch et al. 2018); so the policies that are best by them are the same.
"""

from typing import Any, cast

import numpy as np
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from agents.learned.expectation import Tree, hide, new_tree, value_of_action
from agents.learned.value_network import ValueNetwork, Work, evaluate, working_memory
from experiments.training.self_play import Record, input_lists, new_record, returns
from experiments.training.value_learner import ValueLearner
from tripeaks_env import Status
from tripeaks_env._jit import kernel
from tripeaks_env.game.engine import PLAYING, WON, only_action, status, step, tables
from tripeaks_env.game.observation import Observation
from tripeaks_env.sb3 import TriPeaksVecEnv


class KeptGames(VecEnvWrapper):
    """A wrapper of :class:`tripeaks_env.sb3.TriPeaksVecEnv` whose games a checkpoint can hold."""

    def state(self) -> dict[str, Any]:
        """Return what a training goes on from, see :meth:`tripeaks_env.sb3.TriPeaksVecEnv.state`."""
        return {"games": cast(TriPeaksVecEnv, self.venv).state()}

    def load_state(self, state: dict[str, Any]) -> Observation:
        """Go on from what :meth:`state` returned; return what is observed there."""
        return cast(TriPeaksVecEnv, self.venv).load_state(state["games"])

    def reset(self) -> VecEnvObs:
        """Start an episode in every game."""
        return self.venv.reset()


class ShapedReward(KeptGames):
    """Rewards 1 for 100 points and adds a bonus for a win. The returns in ``episode`` of the infos stay points of score.

    Args:
        env: the games, with ``reward="score"``.
        win_bonus: how many points a win is worth more.
    """

    def __init__(self, env: VecEnv, win_bonus: float = 0.0) -> None:
        super().__init__(env)
        self.win_bonus = win_bonus

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions."""
        observation, rewards, done, infos = self.venv.step_wait()
        for i in done.nonzero()[0].tolist():
            if infos[i]["status"] == Status.WON:
                rewards[i] += self.win_bonus
        return observation, rewards / 100, done, infos


class AdvantageReward(KeptGames):
    """Rewards actions, and the forced ones after them, by their advantage, in units of 100 points.

    Args:
        games: the games, with ``skip_forced``.
        learner: the value network, which is trained here.
        refit: after how many positions, a round, the network is trained again.
        seed: of the choice of batches.
    """

    def __init__(self, games: TriPeaksVecEnv, learner: ValueLearner, refit: int = 100_000, seed: int = 0) -> None:
        super().__init__(games)
        self.games, self.learner = games, learner
        self.refit = refit
        self.rng = np.random.default_rng(seed)
        self.network = learner.network()
        self.tree, self.work = new_tree(1), working_memory(self.network)
        self.record = new_record(games.env.records)
        self.turns = np.zeros(games.num_envs, np.int64)
        self.harvest: list[tuple[np.ndarray, np.ndarray]] = []
        self.kept: list[tuple[np.ndarray, np.ndarray]] = []

    def reset(self) -> VecEnvObs:
        """Start an episode in every game."""
        self.turns[:] = 0
        return super().reset()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions of the next step, and find out what they are worth."""
        self.advantages = np.zeros(len(actions), np.float32)
        records, table = self.games.env.records, tables(self.games.env.rules)
        _play(records, actions, self.record, self.turns, table, self.network, self.tree, self.work, self.advantages)
        super().step_async(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions."""
        observation, _, done, infos = self.venv.step_wait()
        if done.any():
            self._learn(done)
        return observation, self.advantages, done, infos

    def state(self) -> dict[str, Any]:
        """Return what a training goes on from: all but what follows from the learner."""
        return {
            **super().state(),
            "learner": self.learner.state(),
            "random": self.rng.bit_generator.state,
            "record": [part.view(np.uint8) for part in self.record],
            **{"turns": self.turns, "harvest": self.harvest, "kept": self.kept},
        }

    def load_state(self, state: dict[str, Any]) -> Observation:
        """Go on from what :meth:`state` returned; return what is observed there."""
        observation = super().load_state(state)
        self.learner.load_state(state["learner"])
        self.network = self.learner.network()
        self.rng.bit_generator.state = state["random"]
        for part, kept in zip((*self.record, self.turns), (*state["record"], state["turns"]), strict=True):
            part.view(kept.dtype)[...] = kept
        self.harvest, self.kept = state["harvest"], state["kept"]
        return observation

    def _learn(self, done: np.ndarray) -> None:
        ended = Record(*(part[done] for part in self.record))
        ended.lengths[:] = self.turns[done]
        self.turns[done] = 0
        reached = ended.reached
        lists = input_lists(ended.positions[reached], self.games.env.rules)
        self.harvest.append((lists, returns(ended, self.learner.config.trace)[reached]))
        count = sum(len(targets) for _, targets in self.harvest)
        if count >= self.refit:
            self.kept = [*self.kept, _joined(self.harvest)][-self.learner.config.window :]
            self.harvest = []
            self.learner.train(*_joined(self.kept), self.learner.steps(count), self.rng)
            self.network = self.learner.network()


def _joined(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    lists, targets = zip(*parts, strict=True)
    return np.concatenate(lists), np.concatenate(targets)


@kernel(fastmath=True)
def _play(
    games: np.ndarray,
    actions: np.ndarray,
    record: Record,
    turns: np.ndarray,
    table: np.ndarray,
    network: ValueNetwork,
    tree: Tree,
    work: Work,
    advantages: np.ndarray,
) -> None:
    """Play an action and all forced ones after it in N games, and write what they are worth and went through."""
    for i in range(len(games)):
        game, action = games[i], int(actions[i])
        value = evaluate(game, table[0], network, work)
        while True:
            turn = turns[i]
            tree.games[0] = games[i]
            hide(tree.games[0], table[0])
            record.positions[i, turn] = tree.games[0]
            record.values[i, turn] = value
            expected = value_of_action(tree, 0, action, table[0], network, work)
            record.best[i, turn] = expected
            advantages[i] += expected - value
            step(game, action, table[0])
            turns[i] += 1
            stands = status(game, table[0])
            value = np.float32(0)
            if stands == PLAYING:
                value = evaluate(game, table[0], network, work)
            elif stands == WON:
                value = network.win[0]
            action = only_action(game, table[0]) if stands == PLAYING else -1
            if action < 0:
                break
