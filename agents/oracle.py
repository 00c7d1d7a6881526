"""The oracle: follows a line of the exact solver. It sees all cards and is listed apart from fair players."""

import numpy as np

from tripeaks_env.game.observation import Observation
from tripeaks_env.game.rules import Rules
from tripeaks_env.solver.one_deal import solve_record


class Oracle:
    """Plays the line that :func:`tripeaks_env.solve` returns, solving again only when a game has left it."""

    def __init__(self, rules: Rules, seed: int = 0) -> None:
        self.plans: dict[tuple[Rules, bytes], bytes] = {}  # whole lines from the start, by rules and cards
        self.actions = np.empty(0, dtype=np.int64)

    def reveal(self, games: np.ndarray, rules: Rules) -> None:
        """Look at the games; see :meth:`tripeaks_env.env.agent.OracleAgent.reveal`."""
        plans = {}
        actions = np.empty(len(games), dtype=np.int64)
        for i in range(len(games)):
            key = (rules, games["cards"][i].tobytes())
            line = games["line"][i, : games["length"][i]].tobytes()
            plan = self.plans.get(key, b"")
            if len(plan) <= len(line) or not plan.startswith(line):
                plan = line + bytes(solve_record(games[i : i + 1], rules).actions)
            actions[i] = plan[len(line)]
            plans[key] = plan
        self.plans = plans
        self.actions = actions

    def act(self, observation: Observation, action_mask: np.ndarray) -> np.ndarray:
        """Return the action of the best line for each of the N games last revealed."""
        return self.actions
