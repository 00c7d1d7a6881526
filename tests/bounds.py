"""Between which scores every game ends, whatever its cards."""

from functools import lru_cache

import numpy as np

from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.lattice import lattice
from tripeaks_env.solver.objective import worth


@lru_cache(maxsize=64)
def score_bounds(rules: Rules) -> tuple[int, int]:
    """Return bounds of the final score of any game: no lower than the first, no higher than the second.

    They are the lowest and the highest over all tableaus that can be left, with any number of draws for a won game and all
    of them for a blocked one, and with removals in runs as short or as long as can be. The return of an episode, with
    ``reward="score"``, lies between them less the score at the start.

    >>> score_bounds(Rules.easy), score_bounds(Rules.traditional)
    ((452, 772), (-115, 466))
    """
    board, points = lattice(), worth(rules, "score")
    removed = board.removed.astype(np.int64)
    draws = np.arange(rules.stock_size + 1)
    scores = rules.scoring.start + points.of_mask[:, None] + draws * points.draw
    long = removed * (removed + 1) // 2
    each, more = np.divmod(removed[:, None], draws + 1)  # the shortest runs: `more` of them one longer than the others
    short = (draws + 1) * each * (each + 1) // 2 + more * (each + 1)
    can_end = (board.masks[:, None] == 0) | (draws == rules.stock_size)
    low, high = scores + points.streak * short, scores + points.streak * long[:, None]
    return int(low[can_end].min()), int(high[can_end].max())
