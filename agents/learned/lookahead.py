"""The agent of expert iteration: exact expectations over what moves reveal, on a learned value network."""

from pathlib import Path

import numpy as np

from agents.learned.expectation import new_tree, values_of_games
from agents.learned.value_network import POINTS, load_network, working_memory
from agents.search.agent import SearchAgent, integer, number
from agents.search.worlds import games_as_seen
from tripeaks_env.game.engine import DRAW, UNDO, tables
from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules


class LookaheadAgent(SearchAgent):
    """Takes the action of the highest expected value, some actions deep; nothing is random.

    Args:
        rules: the rules that it plays by; they must be those that the network was trained for.
        seed: has no effect.
        simulations: the most positions to look at for a decision, beside those one action deep; up to 262,144.
        milliseconds: time a decision instead, still up to ``depth``, see :class:`agents.search.agent.SearchAgent`.
        depth: how many actions deep to look at most. 1: only what the action itself reveals.
        width: how many points worse than the best an action may be at first sight to be looked at deeper.
        checkpoint: a ``value.safetensors`` that training wrote; by default the one shipped for these rules.

    Raises:
        ValueError: there is no such checkpoint, it is none, it was trained for other rules, or an option has a value that is
            not allowed.
    """

    most_simulations = 1 << 18
    """The most positions that a search keeps, in 90 MB."""

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        simulations: int = 20_000,
        milliseconds: float | None = None,
        depth: int = 2,
        width: float = 30.0,
        checkpoint: str | Path | None = None,
    ) -> None:
        self.depth, self.width = integer("depth", depth, least=1, most=6), number("width", width)
        if self.depth == 1:
            self.most_simulations = 1  # nothing beside what is one action deep
            simulations = min(simulations, 1)
        self.network = load_network(rules, checkpoint)
        super().__init__(rules, seed, simulations, milliseconds, float(100 * self.network.win[0]))
        self.work = working_memory(self.network)

    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen; see :meth:`agents.search.agent.SearchAgent.search`."""
        return self._expect(games, simulations).argmax(axis=1)

    def values(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return what it expects of each action, float (N, 29), NaN where it is illegal: points to come, a win counted extra.

        Where nothing is unknown it does not go by these, but by the exact best.
        """
        games = games_as_seen(observation, self.rules)
        values = POINTS * self._expect(games, self.simulations)
        return np.where(action_mask[:, :UNDO] == 1, values, np.nan)

    def _expect(self, games: np.ndarray, simulations: int) -> np.ndarray:
        values = np.empty((len(games), DRAW + 1), dtype=np.float32)
        tree, width = new_tree(simulations), self.width / 100
        values_of_games(games, tree, self.depth, width, tables(self.rules), self.network, self.work, values)
        return values
