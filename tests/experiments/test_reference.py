"""The simple agents and the optimum come out as independent programs found them."""

from pathlib import Path

import numpy as np
import pytest

import agents
from experiments.config import CONFIGS, CompareConfig, load
from experiments.games.play import play
from tests.common import compared
from tripeaks_env import solve_many, suite

# Win rate and mean final score over a million random deals each, of the optimum over 40,000; measured with other programs.
MEASURED = {
    "easy": {
        "random": (0.00037, 471.9, 1_000_000),
        "greedy": (0.3888, 660.6, 1_000_000),
        "opener": (0.5011, 681.9, 1_000_000),
        "optimum": (0.9708, 754.96, 40_000),
    },
    "classic": {
        "random": (0.00004, 467.7, 1_000_000),
        "greedy": (0.1382, 593.05, 1_000_000),
        "opener": (0.1963, 611.55, 1_000_000),
        "optimum": (0.7375, 726.57, 40_000),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("rules", MEASURED)
def test_figures_are_within_two_standard_errors_of_independent_ones(rules: str) -> None:
    config = load(CONFIGS / f"reference-{rules}.yaml", CompareConfig)
    deals = suite(config.deals.count, config.deals.seed)
    best = solve_many(deals, config.rules)
    found = {"optimum": (best.won, best.scores)}
    for entry in config.agents:
        games = play(agents.make(entry.agent, config.rules, entry.seed), deals, config.rules).games
        found[entry.name] = (games["remaining"] == 0, games["score"])
    assert found.keys() == MEASURED[rules].keys()
    for name, (win_rate, score, others) in MEASURED[rules].items():
        won, scores = found[name]
        assert len(won) == config.deals.count == 20_000
        per_deal = np.sqrt(1 / len(won) + 1 / others)  # both figures have an error
        assert abs(won.mean() - win_rate) < 2 * per_deal * np.sqrt(win_rate * (1 - win_rate)), name
        assert abs(scores.mean() - score) < 2 * per_deal * scores.std(), name


@pytest.mark.slow
def test_the_leaderboard_of_the_readme_is_of_the_shipped_agents(tmp_path: Path) -> None:
    """Its picture has the mean score, regret and peaks of each agent as a comparison finds them now."""
    picture = (CONFIGS.parents[1] / "docs" / "leaderboard.svg").read_text(encoding="utf-8")
    results = compared(
        load(CONFIGS / "benchmark.yaml", CompareConfig).model_copy(update={"moves": 0}), tmp_path
    ).results
    for _, of_agent in results.groupby("agent"):
        for column, decimals in (("score", 1), ("regret", 1), ("peaks", 2)):
            assert f">{of_agent[column].mean():.{decimals}f}<" in picture.replace("&#160;", "")
