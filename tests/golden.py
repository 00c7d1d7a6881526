"""Golden playthroughs: whole games as text that people can read, a file for each preset of the rules.

``python -m tests.golden`` writes them anew. Deals and actions of a file that is there stay as they are; for a new preset
they are chosen: a game that is won along the solver's line, and one that draws whenever it may and is blocked. Between their
moves every kind of illegal action is tried once, and moves are taken back.
"""

import re
from itertools import count
from pathlib import Path
from typing import NamedTuple

from tripeaks_env import PRESETS, Deal, Game, Rejection, Rules, TriPeaksEnv, solve
from tripeaks_env.game.deals import deal_slots
from tripeaks_env.game.engine import DRAW, UNDO, is_over, new_games, rejection, step, tables
from tripeaks_env.game.layout import ROWS
from tripeaks_env.game.observation import Observation

FOLDER = Path(__file__).parent / "data" / "golden"
UNDOS = 2


class Played(NamedTuple):
    """A game: the code of its deal, and the actions that are tried in it, illegal ones and undos included."""

    code: str
    actions: list[int]


def file_of(name: str) -> Path:
    """Return the file of a preset."""
    return FOLDER / f"{name}.txt"


def games_of(name: str) -> list[Played]:
    """Return the games of a preset that its file begins with, or chosen ones if there is no file."""
    if not file_of(name).exists():
        return choose(PRESETS[name])
    found = re.findall(r"^deal (\S+)\nactions (.*)$", file_of(name).read_text(encoding="utf-8"), re.MULTILINE)
    return [Played(code, [int(action) for action in actions.split()]) for code, actions in found]


def text_of(name: str, games: list[Played]) -> str:
    """Return the file of a preset: each game with what its player sees at the start and after each action."""
    return "\n\n\n".join([f"rules {name}, {UNDOS} undos", *(_playthrough(name, *game) for game in games)]) + "\n"


def _playthrough(name: str, code: str, actions: list[int]) -> str:
    env = TriPeaksEnv(name, max_undos=UNDOS, render_mode="ansi")
    seen = _seen(env, env.reset(options={"deal": code})[0])
    parts = [f"deal {code}\nactions {' '.join(map(str, actions))}", seen]
    for action in actions:
        observation, reward, terminated, _, info = env.step(action)
        before, seen = seen, _seen(env, observation)
        what = [f"action {action}", f"reward {reward:g}", "terminated" * terminated, info["rejection"]]
        title = "> " + "   ".join(filter(None, what))
        parts.append(title if seen == before else f"{title}\n{seen}")  # what an illegal action does not change
    return "\n\n".join(parts)


def _seen(env: TriPeaksEnv, observation: Observation) -> str:
    """Return the board and the observation, with the action mask as the legal actions."""
    tableau, legal = observation.pop("tableau"), observation.pop("action_mask").nonzero()[0]
    values = {name: " ".join(map(str, part)) for name, part in observation.items()}
    lines = [
        env.render(),
        "tableau " + " | ".join(" ".join(map(str, tableau[row.start : row.stop])) for row in ROWS),
        f"unseen {values.pop('unseen')}",
        "   ".join(f"{name} {value}" for name, value in values.items()),
        " ".join(map(str, ["legal", *legal])),
    ]
    return "\n".join(map(str, lines))


def choose(rules: Rules) -> list[Played]:
    """Return a game that is won, in which a joker of the rules is drawn, and one that is blocked."""
    tried: set[int] = set()
    deals = (Deal.from_number(number) for number in count(1))
    return [next(filter(None, (kind(deal, rules, tried) for deal in deals))) for kind in (_won, _blocked)]


def _won(deal: Deal, rules: Rules, tried: set[int]) -> Played | None:
    best = solve(deal, rules)
    joker = deal.joker + rules.empty_waste if rules.wild and deal.joker is not None else -1
    return _woven(deal, rules, list(best.actions), tried) if best.won and joker < best.draws else None


def _blocked(deal: Deal, rules: Rules, tried: set[int]) -> Played | None:
    game = Game(deal, rules)
    while legal := game.legal_actions():
        game.play(legal[-1])
    return _woven(deal, rules, list(game.line), tried, at_end=True) if game.status == "blocked" else None


def _woven(deal: Deal, rules: Rules, line: list[int], tried: set[int], at_end: bool = False) -> Played:
    """Return a game along a line, with illegal actions of kinds that were not ``tried`` yet as soon as there is one.

    The first draw and the first removal that uncovers cards are undone and made again, or, ``at_end``, the last action.
    """
    games, table = new_games(deal_slots([deal], rules), rules, UNDOS), tables(rules)[0]
    game, actions = games[0], list[int]()

    def act(action: int) -> None:
        for wrong in range(UNDO + 1):
            reason = rejection(game, wrong, table)
            if reason not in {Rejection.NONE, *tried}:
                tried.add(reason)
                actions.append(wrong)
        actions.append(action)
        step(game, action, table)

    undone: set[str] = set()
    for action in line:
        exposed = game["exposed"].item()
        act(action)
        kind = "draw" if action == DRAW else "uncovers" if game["exposed"].item() & ~exposed else ""
        if kind and kind not in undone and not at_end:
            undone.add(kind)
            act(UNDO)
            act(action)
    while at_end and not is_over(game, table):
        act(UNDO)
        act(line[-1])
    act(DRAW)  # for what is tried before it
    code = deal.code(rules)
    assert code
    return Played(code, actions[:-1])


def main() -> None:
    """Write the file of every preset."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in PRESETS:
        file_of(name).write_text(text_of(name, games_of(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
