"""Information-set Monte Carlo tree search: rollouts whose playouts learn, from what earlier ones met, how to begin."""

from typing import NamedTuple

import numpy as np

from agents.search.agent import SearchAgent, integer, number
from agents.search.halving import halve, legal_actions, worlds_per_round
from agents.search.playouts import POLICIES, play_out, policy_action, worth_of_end
from agents.search.worlds import deal_hidden, random_state
from tripeaks_env._jit import kernel
from tripeaks_env.game.arguments import one_of
from tripeaks_env.game.deals import below
from tripeaks_env.game.engine import DRAW, GAME, MAX_LINE, PLAYING, status, step, tables
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.game.rules import Rules

ACTIONS = DRAW + 1
ROUNDS = 5
"""Most rounds of sequential halving, of 29 actions."""


class ISMCTSAgent(SearchAgent):
    """Single-observer information-set tree search (Cowling, Powley and Whitehouse, 2012).

    A node of the tree is what a player sees, so what differs in hidden cards only is played alike, and what leads to the same
    sight by another order of moves shares its node. Chance is what a sampled world reveals. Every simulation adds a node and
    plays on from there by the playout policy.

    Plain upper confidence bounds spread a few thousand simulations too thin over so many sights. Therefore

    - the actions at the root share the budget by sequential halving, all in the same worlds, as in
      :class:`agents.search.rollout.RolloutAgent` (Pepels, Cazenave, Winands and Lanctot: Minimizing simple regret in game
      tree search, 2014); the last one left is played;
    - a node follows the playout policy until it has had ``visits`` simulations;
    - from then on it takes the action of the highest upper confidence bound, where each action starts with ``prior``
      simulations of the node's mean worth, and worths are scaled to the least and the greatest that the search has met.

    Args:
        rules: the rules that it plays by.
        seed: of its random numbers.
        simulations: simulations a decision; each action gets at least one a round.
        milliseconds: time a decision instead, see :class:`agents.search.agent.SearchAgent`.
        exploration: the factor of the confidence bound.
        visits: simulations of a node by the playout policy.
        prior: how many simulations the node's mean worth counts for in the mean of each action.
        playout: what playouts play, one of :data:`agents.search.playouts.POLICIES`.
        win_bonus: points of a win on top of its score.

    Raises:
        ValueError: an option has a value that is not allowed.
    """

    most_simulations = 1 << 20
    """The largest budget, whose tree takes half a gigabyte."""

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        simulations: int = 2000,
        milliseconds: float | None = None,
        exploration: float = 0.2,
        visits: int = 12,
        prior: float = 1,
        playout: str = "opener",
        win_bonus: float = 0,
    ) -> None:
        super().__init__(rules, seed, simulations, milliseconds, win_bonus)
        self.options = Options(
            POLICIES.index(one_of("playout", playout, POLICIES)),
            self.win_bonus,
            number("exploration", exploration),
            integer("visits", visits, least=1),
            number("prior", prior, above=True),
        )

    def search(self, games: np.ndarray, simulations: int) -> np.ndarray:
        """Return a legal action for each of N games as seen; see :meth:`agents.search.agent.SearchAgent.search`."""
        actions, means = np.empty(len(games), dtype=np.int64), np.empty((len(games), ACTIONS))
        tree = new_tree(simulations + ROUNDS * ACTIONS)  # as in each round each action gets one at least
        search_in_worlds(games, tables(self.rules), self.seed, simulations, self.options, tree, actions, means)
        return actions


class Options(NamedTuple):
    """What a search goes by, as its kernels read it; see :class:`ISMCTSAgent`. Playouts alone need the first two."""

    policy: int
    win_bonus: float
    exploration: float = 0.0
    visits: int = 1
    prior: float = 1.0


class Tree(NamedTuple):
    """The nodes of a search, in order of their making, and a hash table that finds them (open addressing).

    Attributes:
        size: int64 (1,): how many nodes there are.
        range: float64 (2,): the least and the greatest worth of a simulation so far.
        places: int32 (2**k,): in each place of the hash table a node, or -1.
        keys: uint64 (M,): the hash of what is seen at a node.
        visits: int32 (M, 29): how often each action was played from a node.
        totals: float64 (M, 29): the sum of what that was worth.
    """

    size: np.ndarray
    range: np.ndarray
    places: np.ndarray
    keys: np.ndarray
    visits: np.ndarray
    totals: np.ndarray


def new_tree(nodes: int) -> Tree:
    """Return memory for a tree of so many nodes."""
    return Tree(
        np.empty(1, dtype=np.int64),
        np.empty(2),
        np.empty(1 << (2 * nodes).bit_length(), dtype=np.int32),
        np.empty(nodes, dtype=np.uint64),
        np.empty((nodes, ACTIONS), dtype=np.int32),
        np.empty((nodes, ACTIONS)),
    )


@kernel
def find(tree: Tree, key: np.uint64) -> int:
    """Return the node of a hash; if there is none yet, make it, the last one."""
    last = np.uint64(len(tree.places) - 1)
    place = key & last
    while tree.places[place] >= 0:
        if tree.keys[tree.places[place]] == key:
            return tree.places[place]
        place = (place + np.uint64(1)) & last
    node = tree.size[0]
    tree.size[0] += 1
    tree.places[place] = node
    tree.keys[node] = key
    tree.visits[node] = 0
    tree.totals[node] = 0
    return node


@kernel
def sight(game: np.void, table: np.void) -> np.uint64:
    """Return a hash of what is seen of a game, within the search from one position. (FNV-1a, then a mix of its bits.)"""
    prime = np.uint64(0x100000001B3)
    key = np.uint64(0xCBF29CE484222325)
    key = (key ^ np.uint64(game["remaining"])) * prime
    key = (key ^ np.uint64(game["waste"])) * prime
    key = (key ^ np.uint64(game["drawn"])) * prime
    if table["streak"]:
        key = (key ^ np.uint64(game["run"])) * prime
    exposed = int(game["exposed"])  # an open tableau shows more, but nothing that is not the same throughout the search
    for position in range(POSITIONS):
        if (exposed >> position) & 1:
            key = (key ^ np.uint64(game["cards"][position])) * prime
    for code in range(len(game["unseen"])):
        key = (key ^ np.uint64(game["unseen"][code])) * prime
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(29))


@kernel
def bound_action(tree: Tree, node: int, actions: np.ndarray, options: Options) -> int:
    """Return which of the legal actions, int64 (K,), has the highest upper confidence bound at a node."""
    visits = tree.visits[node].sum()
    mean = tree.totals[node].sum() / visits
    span = max(tree.range[1] - tree.range[0], 1e-9)
    best, highest = actions[0], -np.inf
    for action in actions:
        tried = tree.visits[node, action] + options.prior
        worth = (tree.totals[node, action] + options.prior * mean) / tried
        bound = worth / span + options.exploration * np.sqrt(np.log(visits) / tried)
        if bound > highest:
            best, highest = action, bound
    return best


@kernel
def simulate(game: np.void, table: np.void, options: Options, tree: Tree, path: np.ndarray, state: np.ndarray) -> float:
    """Play a game to its end, by the tree as far as that goes, and tell the tree what that was worth; return it.

    Args:
        game: a record of :data:`tripeaks_env.game.engine.GAME` whose hidden cards are dealt; changed.
        table: a record of :data:`tripeaks_env.game.engine.TABLES`.
        options: see :class:`Options`.
        tree: the nodes so far; this adds one.
        path: int64 (M, 2), working memory: the nodes on the way and the actions taken there.
        state: uint64 (1,), of the generator; changed.
    """
    legal = np.empty(ACTIONS, dtype=np.int64)
    nodes, depth = tree.size[0], 0
    while tree.size[0] == nodes and status(game, table) == PLAYING:
        choices = legal_actions(game, table, legal)
        action = legal[0]
        if choices > 1:
            node = find(tree, sight(game, table))
            if tree.visits[node].sum() < options.visits:
                action = policy_action(game, table, options.policy, state)
            else:
                action = bound_action(tree, node, legal[:choices], options)
            path[depth, 0], path[depth, 1] = node, action
            depth += 1
        step(game, action, table)
    play_out(game, table, options.policy, state)
    worth = worth_of_end(game, options.win_bonus)
    tree.range[0], tree.range[1] = min(tree.range[0], worth), max(tree.range[1], worth)
    for i in range(depth):
        tree.visits[path[i, 0], path[i, 1]] += 1
        tree.totals[path[i, 0], path[i, 1]] += worth
    return worth


@kernel
def search_in_worlds(
    games: np.ndarray,
    table: np.ndarray,
    seed: int,
    simulations: int,
    options: Options,
    tree: Tree,
    actions: np.ndarray,
    means: np.ndarray,
) -> None:
    """Choose an action in each of N games as seen by what simulations in sampled worlds are worth.

    Args:
        games: (N,) of :data:`tripeaks_env.game.engine.GAME`, not over.
        table: (1,) of :data:`tripeaks_env.game.engine.TABLES`.
        seed: of the random numbers.
        simulations: simulations a game.
        options: see :class:`Options`.
        tree: room for the nodes of one game. Without any, simulations are plain playouts.
        actions: int64 (N,), out: the actions.
        means: float64 (N, 29), out: the mean worth of the simulations after each action, NaN where there was none.
    """
    scratch = np.empty(2, dtype=GAME)
    world, trial = scratch[0], scratch[1]
    state, own = np.empty(1, dtype=np.uint64), np.empty(1, dtype=np.uint64)
    candidates, totals = np.empty(ACTIONS, dtype=np.int64), np.empty(ACTIONS)
    path = np.empty((MAX_LINE, 2), dtype=np.int64)
    for i in range(len(games)):
        tree.size[0] = 0  # an empty tree
        tree.range[0], tree.range[1] = np.inf, -np.inf
        tree.places[:] = -1
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
                begin = np.uint64(below(state, 1 << 31)) * np.uint64(0xD1342543DE82EF95)  # a generator of their own
                for action in candidates[:left]:
                    scratch[1] = scratch[0]
                    own[0] = begin  # the same for all actions
                    step(trial, action, table[0])
                    if len(tree.keys):
                        totals[action] += simulate(trial, table[0], options, tree, path, own)
                    else:
                        play_out(trial, table[0], options.policy, own)
                        totals[action] += worth_of_end(trial, options.win_bonus)
            tried += rounds
            for action in candidates[:left]:
                means[i, action] = totals[action] / tried
            left = halve(candidates, left, totals)
        actions[i] = candidates[0]
