"""Rollouts: tries every legal action by playing on to the end in sampled worlds, and takes the one that ends best."""

import numpy as np

from agents.search.agent import SearchAgent
from agents.search.halving import halve, legal_actions, worlds_per_round
from agents.search.playouts import POLICIES, play_out, stream, worth_of_end
from agents.search.worlds import deal_hidden, random_state
from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.engine import DRAW, GAME, step, tables
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
        self.policy = POLICIES.index(one_of("playout", playout, POLICIES))

    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen; see :meth:`agents.search.agent.SearchAgent.search`."""
        actions = np.empty(len(games), dtype=np.int64)
        means = np.empty((len(games), DRAW + 1))
        search_by_rollouts(
            games, tables(self.rules), self.seed, simulations, self.policy, self.win_bonus, actions, means
        )
        return actions


@kernel
def search_by_rollouts(
    games: np.ndarray,
    table: np.ndarray,
    seed: int,
    simulations: int,
    policy: int,
    win_bonus: float,
    actions: np.ndarray,
    means: np.ndarray,
) -> None:
    """Choose an action in each of N games as seen by rollouts.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, not over.
        table: (1,) of :data:`tripeaks_env.game.engine.TABLES`.
        seed: of the random numbers.
        simulations: playouts a game.
        policy: what they play, an index of :data:`agents.search.playouts.POLICIES`.
        win_bonus: points of a win on top of its score.
        actions: int64 (N,), out: the actions.
        means: float64 (N, 29), out: the mean worth of the playouts after each action, NaN where there was none.
    """
    scratch = np.empty(2, dtype=GAME)
    world, trial = scratch[0], scratch[1]
    state, own = np.empty(1, dtype=np.uint64), np.empty(1, dtype=np.uint64)
    candidates, totals = np.empty(DRAW + 1, dtype=np.int64), np.empty(DRAW + 1)
    for i in range(len(games)):
        means[i] = np.nan
        legal = legal_actions(games[i], table[0], candidates)
        left, tried = legal, 0
        totals[:] = 0
        state[0] = random_state(games[i], seed)
        while left > 1:
            rounds = worlds_per_round(simulations, left, legal)
            for _ in range(rounds):
                scratch[0] = games[i]
                deal_hidden(world, table[0], state)
                stream(state, own)
                begin = own[0]
                for action in candidates[:left]:
                    scratch[1] = scratch[0]
                    own[0] = begin
                    step(trial, action, table[0])
                    play_out(trial, table[0], policy, own)
                    totals[action] += worth_of_end(trial, win_bonus)
            tried += rounds
            for action in candidates[:left]:
                means[i, action] = totals[action] / tried
            left = halve(candidates, left, totals)
        actions[i] = candidates[0]
