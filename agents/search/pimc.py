"""Perfect-information Monte Carlo: averages over sampled worlds the exact optimum after each action."""

import numpy as np

from agents.search.agent import SearchAgent, integer
from agents.search.halving import halve, legal_actions
from agents.search.playouts import turned_up
from agents.search.worlds import deal_hidden, random_state
from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.engine import DRAW, step, tables
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
        table = tables(self.rules)
        actions = np.empty(DRAW + 1, dtype=np.int64)
        actions = actions[: preferred_first(game[0], table[0], actions)]
        after = np.repeat(game, len(actions) * number).reshape(len(actions), number)
        play_in_worlds(game[0], table[0], self.seed, actions, after)
        best = solve_positions(after.reshape(-1), self.rules, self.objective)
        worth = (best.scores + self.win_bonus * best.won).reshape(after.shape)
        return int(actions[worth.sum(axis=1).argmax()])


@kernel
def preferred_first(game: np.void, table: np.void, actions: np.ndarray) -> int:
    """Write the legal actions of a game as seen to ``actions``, int64 (29,), those to prefer among equals first.

    Returns:
        How many they are.
    """
    legal = legal_actions(game, table, actions)
    turned = np.zeros(DRAW + 1)
    for action in actions[:legal]:
        turned[action] = -1 if action == DRAW else turned_up(game, action, table)
    if legal > 1:
        halve(actions, legal, turned)
    return legal


@kernel
def play_in_worlds(game: np.void, table: np.void, seed: int, actions: np.ndarray, after: np.ndarray) -> None:
    """Sample worlds of a game as seen and play each of some actions in all of them.

    Args:
        game: a record of :data:`tripeaks_env.game.engine.GAME`.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        seed: of the random numbers.
        actions: int64 (K,): legal actions.
        after: (K, M) of ``GAME``, all being the game; out: by action, then by world, what follows.
    """
    state = np.empty(1, dtype=np.uint64)
    state[0] = random_state(game, seed)
    for world in range(after.shape[1]):
        deal_hidden(after[0, world], table, state)
        for i in range(1, len(actions)):
            after[i, world] = after[0, world]
        for i in range(len(actions)):
            step(after[i, world], actions[i], table)
