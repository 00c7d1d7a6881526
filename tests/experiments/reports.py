"""A comparison of made-up agents, its report, and the page of that taken apart."""

import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from rich.console import Console

from experiments.comparison.analysis import analyse
from experiments.comparison.compare import Comparison
from experiments.comparison.report import write_comparison
from experiments.comparison.report.page import render
from experiments.comparison.report.replays import choose_deals, replay_data
from experiments.config import CompareConfig
from tripeaks_env import Deal, Game, Rules, solve, suite
from tripeaks_env.game.deals import format_code
from tripeaks_env.game.engine import DRAW
from tripeaks_env.solver.advice import action_values_many

FILES = {
    *("results.parquet", "moves.parquet", "summary.json", "report.html", "leaderboard.svg"),
    *(f"{name}.png" for name in ("leaderboard", "profiles", "pairs", "difficulty", "phases")),
}
AGENTS = {"greedy": False, "learner 0": False, "learner 1": False, "sees-all": True}
DEALS, JUDGED = 40, 12
PROVENANCE: dict[str, Any] = {
    "command": "python -m experiments compare x.yaml",
    "created": "2026-01-02T03:04:05+00:00",
    "versions": {"python": "3.11.4", "numpy": "2.0"},
    "git": {"commit": "0123456789abcdef", "dirty": False},
    "machine": "a machine, 2 cores",
    "suite": "40 deals, seed 0",
}


def choose(agent: str, game: Game, rng: np.random.Generator) -> int:
    """Return what a made-up agent does."""
    legal = game.legal_actions()
    if agent == "sees-all":
        return solve(game).actions[0]
    if agent == "greedy":
        return legal[0]
    return int(rng.choice([action for action in legal if action != DRAW] or legal) if rng.random() < 0.9 else legal[-1])


def played(
    agents: dict[str, bool], deals: int, judged: int, rules: Rules = Rules.easy
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the results and the judged actions of agents on deals, made with single games."""
    results, moves = [], []
    rng = np.random.default_rng(5)
    codes = [format_code(number, rules) for number in suite(deals)]
    facts: dict[str, dict[str, Any]] = {}
    for code in codes:
        best = solve(Deal.from_code(code), rules)
        facts[code] = {"optimum": best.score, "winnable": best.won}
        facts[code] |= {"fewest_draws": 10 if facts[code]["winnable"] else -1}
        facts[code] |= {"luck": rng.random() ** 2, "random": rng.uniform(430, 480)}
    for agent, oracle in agents.items():
        for place, code in enumerate(codes):
            game, before = Game(Deal.from_code(code), rules), []
            while game.legal_actions():
                before.append(game.copy())
                game.play(choose(agent, game, rng))
            won = not game.remaining
            end = {"won": won, "score": game.score, "peaks": game.peaks_cleared}
            counts = {"draws": game.actions.count(DRAW), "moves": len(game.actions)}
            line = {"actions": " ".join(map(str, game.actions))}
            row: dict[str, Any] = {"agent": agent, "oracle": oracle, "deal": code} | end | counts | line | facts[code]
            results.append(row | {"regret": row["optimum"] - row["score"]})
            if place >= judged:
                continue
            for count, (each, action, values) in enumerate(
                zip(before, game.actions, action_values_many(before), strict=True)
            ):
                most, chosen = int(np.nanmax(values)), int(values[action])
                where: dict[str, Any] = {
                    "agent": agent,
                    "deal": code,
                    "move": count,
                    "action": action,
                    "cards": len(each.remaining),
                }
                worth = {"value": most, "chosen": chosen, "loss": most - chosen}
                kinds = {"draw_best": values[DRAW] == most, "removal_best": bool((values[:DRAW] == most).any())}
                options = {"stock": each.stock, "options": int((~np.isnan(values)).sum())}
                moves.append(where | options | worth | kinds)
    columns = ["agent", "deal", "move", "action", "cards", "stock", "options", "value", "chosen", "loss"]
    return pd.DataFrame(results), pd.DataFrame(moves, columns=[*columns, "draw_best", "removal_best"])


def config_of(**more: Any) -> CompareConfig:
    agents: list[dict[str, Any]] = [
        {"agent": "greedy"},
        {"agent": "opener", "label": "sees-all"},
        {"agent": "random", "label": "broken"},
    ]
    agents += [{"agent": "random", "label": f"learner {seed}", "seed": seed, "group": "learner"} for seed in (0, 1)]
    values = {"name": "trial", "deals": {"count": DEALS}, "agents": agents, "moves": JUDGED, "replays": 3}
    return CompareConfig.model_validate(values | more)


class Written(NamedTuple):
    folder: Path
    results: pd.DataFrame
    moves: pd.DataFrame
    text: str
    printed: str


FAILED = {"broken": "act returned the action 29; it must be 0 to 28"}
MILLISECONDS = {"greedy": 0.0123, "learner 0": 1.5, "learner 1": 12.25, "sees-all": 3.0}


def write_report(folder: Path) -> Written:
    """Write a comparison of four agents, and one that failed, and return it as it is on disk."""
    results, moves = played(AGENTS, DEALS, JUDGED)
    console = Console(file=io.StringIO(), width=100)
    write_comparison(folder, config_of(), Comparison(results, moves, FAILED, {}, MILLISECONDS), PROVENANCE, console)
    assert isinstance(console.file, io.StringIO)
    return Written(
        folder,
        pd.read_parquet(folder / "results.parquet"),
        pd.read_parquet(folder / "moves.parquet"),
        (folder / "report.html").read_text(encoding="utf-8"),
        console.file.getvalue(),
    )


class Page(HTMLParser):
    """What a page shows, taken apart.

    ``numbers``: value and shown text of each <data>, by where it stands; ``text``: the visible text outside of numbers, code
    and the section on how the page was made; ``labels``: texts that name a group; ``drawn``: texts of the plots with the ids
    of the elements they are in; ``tags``: how often each tag is there; ``replays``: the data of the replays.
    """

    VOID = {"meta", "link", "input", "img"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.numbers: dict[str, tuple[float, str]] = {}
        self.text: list[str] = []
        self.labels: list[str] = []
        self.drawn: list[tuple[str, str]] = []
        self.tags: dict[str, int] = {}
        self.attributes: list[dict[str, str | None]] = []
        self.replays: dict[str, Any] = {}
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes.append(dict(attrs) | {"tag": tag})
        if tag not in self.VOID:
            self._open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append(dict(attrs) | {"tag": tag})

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if not data.strip() or not self._open:
            return
        tags = [tag for tag, _ in self._open]
        tag, attributes = self._open[-1]
        if tag == "data":
            where = attributes["data-of"] or ""
            assert where not in self.numbers
            self.numbers[where] = (float(attributes["value"] or ""), data)
        elif attributes.get("id") == "replay-data":
            self.replays = json.loads(data)
        elif "svg" in tags:
            self.drawn.append((" ".join(each.get("id") or "" for _, each in self._open), data.strip()))
        elif attributes.get("class") == "group":
            self.labels.append(data)
        elif not {"script", "style", "code"} & set(tags) and not any(
            each.get("id") == "made" for _, each in self._open
        ):
            self.text.append(data)


def rendered(agents: dict[str, bool], moves: int = 2, **config: Any) -> str:
    """Return the page of made-up agents on four deals."""
    results, judged = played(dict.fromkeys(agents, False), 4, moves)
    results["oracle"] = results["agent"].map(agents)
    settings = config_of(deals={"count": 4}, moves=moves, **config)
    replays = replay_data(choose_deals(settings.replays, results, judged), results, settings.rules)
    found = Comparison(results, judged, {}, {}, dict.fromkeys(agents, 1.0))
    return render(settings, found, analyse(results, judged, {}), replays, PROVENANCE)


NASTY = "</script><b>&\"'$_"
