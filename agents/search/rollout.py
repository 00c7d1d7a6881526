"""Rollouts: tries every legal action by playing on to the end in sampled worlds, and takes the one that ends best."""

import numpy as np

from agents.search.agent import SearchAgent
from agents.search.ismcts import ACTIONS, Options, new_tree, search_in_worlds
from agents.search.playouts import POLICIES
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.engine import tables
from tripeaks_env.game.rules import Rules


class RolloutAgent(SearchAgent):
    """Looks one step ahead: the legal action after which playouts in sampled worlds end best on average.

    All actions of a decision are tried in the same worlds and with the same random numbers, and the budget is spent by
    sequential halving. A playout knows no more than a player does.

    Args:
        rules: the rules that it plays by.
        seed: of its random numbers.
        simulations: playouts a decision, for all actions together; each action gets at least one a round.
        milliseconds: time a decision instead, see :class:`agents.search.agent.SearchAgent`.
        playout: what playouts play, one of :data:`agents.search.playouts.POLICIES`.
        win_bonus: points of a win on top of its score.

    Raises:
        ValueError: an option has a value that is not allowed.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        simulations: int = 1000,
        milliseconds: float | None = None,
        playout: str = "opener",
        win_bonus: float = 0,
    ) -> None:
        super().__init__(rules, seed, simulations, milliseconds, win_bonus)
        self.options = Options(POLICIES.index(one_of("playout", playout, POLICIES)), self.win_bonus)

    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen; see :meth:`agents.search.agent.SearchAgent.search`."""
        actions, means = np.empty(len(games), dtype=np.int64), np.empty((len(games), ACTIONS))
        search_in_worlds(games, tables(self.rules), self.seed, simulations, self.options, new_tree(0), actions, means)
        return actions
