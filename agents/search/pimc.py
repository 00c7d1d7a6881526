"""Perfect-information Monte Carlo: averages over sampled worlds the exact optimum after each action."""

import numpy as np

from agents.search.agent import SearchAgent, integer
from agents.search.playouts import turned_up
from agents.search.worlds import deal_hidden, random_state
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.engine import DRAW, legal_mask, play_actions, tables
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.many_deals import solve_positions
from tripeaks_env.solver.objective import WEIGHTS, Objective

OBJECTIVES: tuple[Objective, ...] = ("score", "win")


class PIMCAgent(SearchAgent):
    """The legal action after which sampled worlds are worth most on average, each played perfectly, all cards known.

    That is the classic mistake of strategy fusion: in every world it counts on knowing then what it cannot know. It is here
    to compare with. Of equally good actions it takes a removal before the draw, then the one that turns up more cards,
    then the one nearest to the summits and furthest left.

    Args:
        rules: the rules that it plays by, without streak scoring.
        seed: of its random numbers.
        worlds: worlds a decision.
        objective: what is averaged: ``"score"``, the best score, or ``"win"``, whether a win is possible and, where actions
            are equal in that, the best score with it.
        milliseconds: time a decision instead of ``worlds``, see :class:`agents.search.agent.SearchAgent`.

    Raises:
        ValueError: the rules have streak scoring, or an option has a value that is not allowed.
    """

    most_simulations = 1 << 12
    """The most worlds that are solved side by side, in about half a gigabyte."""

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        worlds: int = 64,
        objective: Objective = "score",
        milliseconds: float | None = None,
    ) -> None:
        if rules.scoring.streak:
            raise ValueError("pimc does not play by streak scoring; the rules must be such that points just add up")
        self.objective: Objective = one_of("objective", objective, OBJECTIVES)
        win_bonus = WEIGHTS[self.objective].win
        super().__init__(
            rules, seed, integer("worlds", worlds, least=1, most=self.most_simulations), milliseconds, win_bonus
        )

    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen; see :meth:`agents.search.agent.SearchAgent.search`."""
        return np.array([self._search_one(games[i : i + 1], simulations) for i in range(len(games))], dtype=np.int64)

    def _search_one(self, game: np.ndarray, number: int) -> int:
        table = tables(self.rules)[0]
        legal = int(legal_mask(game[0], table))
        turned = {a: -1 if a == DRAW else turned_up(game[0], a, table) for a in range(DRAW + 1) if legal >> a & 1}
        actions = sorted(turned, key=lambda action: -turned[action])  # those to prefer among equals first
        worlds, state = np.repeat(game, number), np.array([random_state(game[0], self.seed)], dtype=np.uint64)
        for world in worlds:
            deal_hidden(world, table, state)
        after = np.tile(worlds, len(actions))
        play_actions(after, np.repeat(actions, number), self.rules)
        best = solve_positions(after, self.rules, self.objective)
        worth = (best.scores + self.win_bonus * best.won).reshape(len(actions), number)
        return actions[worth.sum(axis=1).argmax()]
