"""What the command ``tripeaks`` can do: ``tripeaks --help``. It needs the extra ``cli``."""

import importlib
import json
import math
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import tripeaks_env
from tripeaks_env.env.agent import Agent
from tripeaks_env.env.splits import Split, random_numbers, suite
from tripeaks_env.game.cards import card_symbol, card_text
from tripeaks_env.game.deals import FIRST_WASTE, Deal, deal_slots
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game, Outcome
from tripeaks_env.game.rules import PRESETS, Rules, Scoring
from tripeaks_env.game.view import view_of
from tripeaks_env.parallel import PoolName, make_pool
from tripeaks_env.parallel.files import replacing
from tripeaks_env.parallel.intervals import mean_interval, share_interval
from tripeaks_env.parallel.pool import Lost, Pool
from tripeaks_env.play import texts, watching
from tripeaks_env.play.session import RulesChoice, Session
from tripeaks_env.play.terminal import play as terminal_play
from tripeaks_env.play.terminal import watch as terminal_watch
from tripeaks_env.solver.advice import action_values, hint
from tripeaks_env.solver.difficulty import difficulty
from tripeaks_env.solver.many_deals import solve_many
from tripeaks_env.solver.objective import Objective
from tripeaks_env.solver.one_deal import as_game, solve

PATIENCE = 3.0
"""Seconds of work before a progress bar is shown."""
QUANTILES = {"least": 0.0, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "most": 1.0}
FORMATS = (".svg", ".png")
BARS = 250
"""Most bars of a picture."""
NO_CHECKOUT = (
    "the agents are not here: watch needs the package agents of the repository; run it in a checkout of tripeaks-env"
)

Facts = dict[str, Any]
"""An answer, made of JSON types only."""

if TYPE_CHECKING:
    RulesName = str
else:
    RulesName = Literal[tuple(PRESETS)]

Position = Annotated[
    str,
    typer.Argument(
        show_default=False,
        help="A deal code (TP1-E-AAAAAAB), the 52 or 53 cards of a deal in quotes, or a saved game (JSON, as Game.to_text "
        "writes it). With -, each line of standard input is one, and is answered with a line of JSON.",
        metavar="POSITION",
    ),
]
PositionRules = Annotated[
    RulesName | None,
    typer.Option("--rules", help="Rules; by default those of the code or of the saved game, else easy."),
]
DealRules = Annotated[RulesName, typer.Option("--rules", help="Rules.")]
ObjectiveOption = Annotated[
    Objective,
    typer.Option(
        help="The best score; or a win first, then the score; or a win with the fewest moves, then the score."
    ),
]
DealCode = Annotated[
    str | None,
    typer.Argument(show_default=False, metavar="[CODE]", help="A deal code; by default a random deal."),
]
PlayRules = Annotated[
    RulesChoice | None,
    typer.Option("--rules", help="Whether king and ace are adjacent; by default what the code says, else easy."),
]
Language = Annotated[
    str | None, typer.Option(metavar="[en|ca]", help="English or Catalan; by default that of the locale, else English.")
]
InWindow = Annotated[bool, typer.Option("--window", help="In a window; it needs the extra render.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with a line of JSON.")]

app = typer.Typer(
    help="TriPeaks solitaire: deals, the exact optimum of every position, and what each move is worth.",
    epilog="Example: tripeaks random --count 100 --json | tripeaks solve -",
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tripeaks {tripeaks_env.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options of ``tripeaks`` itself."""


@app.command("deal", epilog="Example: tripeaks deal TP1-E-AAAAAAB --all")
def show_deal(
    position: Position,
    every_card: Annotated[bool, typer.Option("--all", help="Show the hidden cards and the stock too.")] = False,
    rules: PositionRules = None,
    as_json: AsJson = False,
) -> None:
    """Show the board, the code, the rules and the status.

    JSON: rules, deal and actions as in a saved game; status, score, moves, peaks (emptied), stock (cards left), legal
    (actions), board; with --all also cards, the whole deal.
    """

    def facts(game: Game) -> Facts:
        found: Facts = {"status": str(game.status), "score": game.score, "moves": game.moves, "stock": game.stock}
        found |= {"peaks": game.peaks_cleared, "legal": game.legal_actions(), "board": _board(game, every_card)}
        return found | ({"cards": game.deal.text()} if every_card else {})

    def show(game: Game, found: Facts) -> None:
        typer.echo(_title(game))
        typer.echo(found["board"])
        if every_card:
            typer.echo(" ".join(["stock in draw order:", *map(card_symbol, _stock(game))]))

    _respond(position, rules, as_json, facts, show)


@app.command("solve", epilog="Example: tripeaks solve TP1-E-AAAAAAB --line")
def show_solution(
    position: Position,
    line: Annotated[bool, typer.Option("--line", help="Show each move and the board after it.")] = False,
    objective: ObjectiveOption = "score",
    rules: PositionRules = None,
    as_json: AsJson = False,
) -> None:
    """Find the best that can be done with all cards known, and a line of play that does it.

    JSON: rules, deal and actions as in a saved game; objective; score, won, draws and peaks at the end of the whole game;
    line, the actions from the position to that end (0-27 remove, 28 draw).
    """
    if line and (as_json or position == "-"):
        raise ValueError("--line is for people; an answer in JSON has the line without it")

    def facts(game: Game) -> Facts:
        found = asdict(solve(game, objective=objective))
        actions = found.pop("actions")
        return {"objective": objective, **found, "line": actions}

    def show(game: Game, found: Facts) -> None:
        typer.echo(_title(game))
        won = _yes_no(found["won"])
        typer.echo("score {score}   won {}   draws {draws}   peaks {peaks}".format(won, **found))
        typer.echo(" ".join(map(str, ["line", *found["line"]])))
        if line:
            _show_line(game, found["line"])

    _respond(position, rules, as_json, facts, show)


@app.command("values", epilog="Example: tripeaks values TP1-E-AAAAAAB")
def show_values(position: Position, rules: PositionRules = None, as_json: AsJson = False) -> None:
    """Show the best final score after each legal move, with all cards known, and how far it is below the optimum.

    JSON: rules, deal and actions as in a saved game; values, a list of action, card (null for a draw), value and regret;
    best, the action of the hint, and hint, it in words; both null when the game is over.
    """

    def facts(game: Game) -> Facts:
        legal = game.legal_actions()
        if not legal:
            return {"values": [], "best": None, "hint": None}
        values, best = action_values(game), hint(game)
        rows = [
            {
                "action": action,
                "card": None if action == DRAW else card_text(game.deal.cards[action]),
                "value": int(values[action]),
                "regret": int(values[legal].max() - values[action]),
            }
            for action in legal
        ]
        return {"values": rows, "best": best.action, "hint": best.message}

    def show(game: Game, found: Facts) -> None:
        typer.echo(_title(game))
        typer.echo(str(game))
        if not found["values"]:
            typer.echo(f"The game is {game.status}; there is no move.")
            return
        table = Table("move", "card", "best score", "regret", "", box=box.SIMPLE)
        for row in found["values"]:
            action = row["action"]
            card = "draw" if action == DRAW else card_symbol(game.deal.cards[action])
            cells = (action, card, row["value"], row["regret"], "best" if action == found["best"] else "")
            table.add_row(*map(str, cells))
        Console().print(table)
        typer.echo(found["hint"])

    _respond(position, rules, as_json, facts, show)


@app.command("difficulty", epilog="Example: tripeaks difficulty TP1-C-AAAAAAB")
def show_difficulty(position: Position, rules: PositionRules = None, as_json: AsJson = False) -> None:
    """Show how hard it is to win.

    JSON: rules, deal and actions as in a saved game; winnable; draws_in_hand, how many draws may be wasted (null if it cannot
    be won); winning_moves out of moves; luck, the share of random playouts that win; playouts.
    """

    def show(game: Game, found: Facts) -> None:
        typer.echo(_title(game))
        typer.echo(f"winnable        {_yes_no(found['winnable'])}")
        if found["winnable"]:
            typer.echo(f"draws in hand   {found['draws_in_hand']}")
        typer.echo(f"winning moves   {found['winning_moves']} of {found['moves']}")
        typer.echo(f"luck            {found['luck']:.1%} of {found['playouts']} random playouts win")

    _respond(position, rules, as_json, lambda game: asdict(difficulty(game)), show)


@app.command("random", epilog="Example: tripeaks random --count 3 --seed 1 --split evaluation")
def show_random(
    count: Annotated[int, typer.Option(min=1, help="How many deals.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="The same deals each time; by default others.")] = None,
    split: Annotated[Split, typer.Option(help="Deals for training, for evaluation, or both.")] = "train",
    rules: DealRules = "easy",
    as_json: AsJson = False,
) -> None:
    """Deal at random.

    JSON: a saved game for each deal, which the other commands read.
    """
    for number in random_numbers(np.random.default_rng(seed), split, count).tolist():
        game = Game(Deal.from_number(number), rules)
        typer.echo(game.to_text() if as_json else f"{_title(game)}\n{game}")


@app.command("stats", epilog="Example: tripeaks stats --deals 10000 --rules classic --workers 2 --picture scores.svg")
def show_stats(
    deals: Annotated[int, typer.Option(min=2, help="How many evaluation deals, up to a million.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the suite of deals.")] = 0,
    rules: DealRules = "easy",
    objective: ObjectiveOption = "score",
    engine: Annotated[PoolName, typer.Option(help="Threads of this machine, or Ray, if it is installed.")] = "local",
    workers: Annotated[int, typer.Option(min=1, help="How many threads or processes share the work.")] = 1,
    address: Annotated[
        str | None, typer.Option(help="Of a running Ray cluster, such as auto; by default Ray is started here.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the scores into this file, .svg or .png.")] = None,
    as_json: AsJson = False,
) -> None:
    """Solve many evaluation deals: which share can be won, and the scores of the best lines, with 95 % intervals.

    JSON: rules, objective, seed, deals; winnable and won (by the best lines), each a share and the ends of its interval
    (Wilson's); score, the mean and the ends of its interval (Student's); scores, how many deals have each.
    """
    if picture and picture.suffix.lower() not in FORMATS:
        raise ValueError(f"--picture is {str(picture)!r}; it must end in {' or '.join(FORMATS)}")
    if picture and not picture.parent.is_dir():
        raise ValueError(f"--picture {picture} cannot be written: No such file or directory")
    played, numbers = PRESETS[rules], suite(deals, seed)
    with replacing(picture) if picture else nullcontext() as part:
        if part:
            part.touch()  # a folder that cannot be written to is found before the work
        pool = make_pool(engine, workers, address) if engine == "ray" or address else None
        with pool or nullcontext():
            scores, won = _solve(numbers, played, objective, workers, pool)
            winnable = won
            if objective == "score" and played.scoring != Scoring():  # by the standard points a win is the best score
                _, winnable = _solve(numbers, replace(played, scoring=Scoring()), objective, workers, pool)
        if part:
            _draw(part, scores, won, f"{deals:,} deals, {rules} rules")
    found: Facts = {"rules": rules, "objective": objective, "seed": seed, "deals": deals}
    found |= {"winnable": share_interval(winnable), "won": share_interval(won), "score": mean_interval(scores)}
    if as_json:
        each, counts = np.unique(scores, return_counts=True)
        typer.echo(json.dumps(found | {"scores": dict(zip(each.tolist(), counts.tolist(), strict=True))}))
        return
    typer.echo(f"{deals:,} evaluation deals, seed {seed}   rules {rules}   objective {objective}")
    for name, key in (("can be won", "winnable"), ("won by the best lines", "won")):
        typer.echo("{:<23}{:.1%}   ({:.1%} to {:.1%})".format(name, *found[key]))
    typer.echo("{:<23}{:.1f}   ({:.1f} to {:.1f})".format("mean best score", *found["score"]))
    table = Table(*QUANTILES, title="best scores", box=box.SIMPLE)
    table.add_row(*(f"{score:g}" for score in np.quantile(scores, list(QUANTILES.values()), method="lower")))
    Console().print(table)


@app.command("play", epilog="Example: tripeaks play TP1-E-AAAAAAB")
def play_game(
    code: DealCode = None,
    rules: PlayRules = None,
    language: Language = None,
    no_help: Annotated[bool, typer.Option("--no-help", help="Do not tell why a card cannot be played.")] = False,
    window: InWindow = False,
) -> None:
    """Play in the terminal, or in a window; the keys are shown there.

    Without a terminal, each line of standard input has keys, and the board is printed after each.
    """
    session = Session(code, rules, help=not no_help)
    words = texts.language(language)
    if window:
        _window().play(session, words)
    else:
        terminal_play.play(session, words)


@app.command("watch", epilog="Example: tripeaks watch lookahead TP1-E-AAAAAAB --speed 4")
def watch_agent(
    agent: Annotated[
        str,
        typer.Argument(
            show_default=False,
            metavar="AGENT",
            help="A name (random, greedy, opener, ppo, network, lookahead, rollout, pimc, ismcts, oracle), module:Class, "
            "module:function, or a model of Stable-Baselines3 (MODEL.zip).",
        ),
    ],
    code: DealCode = None,
    rules: PlayRules = None,
    speed: Annotated[float, typer.Option(min=0.01, max=100, help="Moves a second.")] = 1.0,
    values: Annotated[
        Literal["agent", "solver", "none"],
        typer.Option(help="Show what the agent expects of each action, or what the solver knows, or neither."),
    ] = "agent",
    seed: Annotated[int, typer.Option(min=0, help="Of the agent's own random choices.")] = 0,
    language: Language = None,
    window: InWindow = False,
) -> None:
    """Watch an agent play. It needs the package agents, which a checkout of the repository has.

    An agent that has no values of its own is shown with those of the solver, which sees all cards.
    """
    session, words = Session(code, rules), texts.language(language)
    choose = watching.chooser(_load_agent(agent, session.game.rules, seed), agent)
    if window:

        def new() -> Game:
            session.new()
            return session.game

        _window().watch(session.game, choose, agent, words, 1 / speed, new, values)
    else:
        terminal_watch.watch(session, choose, agent, words, speed, "" if values == "none" else values)


def _load_agent(name: str, rules: Rules, seed: int) -> Agent:
    """Return an agent as ``agents.make`` makes it. Modules are looked for in the current directory too.

    Raises:
        ValueError: the package ``agents`` is not found, or there is no such agent; in one line.
    """
    checkout = Path(tripeaks_env.__file__).resolve().parents[1]
    for folder in (str(checkout), ""):  # for the command, neither is on the path
        if folder not in sys.path and (not folder or (checkout / "agents").is_dir()):
            sys.path.append(folder)
    try:
        make = importlib.import_module("agents").make
    except ModuleNotFoundError as error:
        raise ValueError(NO_CHECKOUT if error.name == "agents" else f"{error.name} is not installed") from error
    return cast(Agent, make(name, rules, seed))


def _window() -> ModuleType:
    """Return the module that opens windows, which needs the extra ``render``."""
    from tripeaks_env.play.window import window

    return window


def read_position(text: str, rules: str | None = None) -> Game:
    """Return the game that a deal code, the cards of a deal or a saved game tells of.

    Raises:
        ValueError: the text is none of them, or ``rules`` contradict it.
    """
    text = text.strip()
    if text.startswith("{"):
        return as_game(Game.from_text(text), rules)
    return Game(Deal.from_cards(text) if len(text.replace(",", " ").split()) > 1 else text, rules)


def _respond(
    position: str,
    rules: str | None,
    as_json: bool,
    facts: Callable[[Game], Facts],
    show: Callable[[Game, Facts], None],
) -> None:
    """Answer for one position, or for each line of standard input."""

    def answer(text: str) -> None:
        game = read_position(text, rules)
        typer.echo(json.dumps(json.loads(game.to_text()) | facts(game)))

    if position == "-":
        failed = False
        for number, line in enumerate(sys.stdin.buffer, 1):
            try:
                if line.strip():
                    answer(line.decode("utf-8-sig"))
            except ValueError as error:
                failed = True
                typer.echo(f"error: line {number}: {error}", err=True)
        if failed:
            raise typer.Exit(2)
    elif as_json:
        answer(position)
    else:
        game = read_position(position, rules)
        show(game, facts(game))


def _title(game: Game) -> str:
    return f"{game.deal.code(game.rules) or 'given by its cards'}   rules {game.rules}"


def _board(game: Game, every_card: bool = False) -> str:
    rules = replace(game.rules, open_peaks=True) if every_card else game.rules
    return str(view_of(deal_slots([game.deal], rules)[0], game.record, rules, game.status))


def _stock(game: Game) -> list[int]:
    """Return the cards that are left in the stock, in draw order."""
    slots = deal_slots([game.deal], game.rules)[0, : FIRST_WASTE + 1 + game.rules.stock_size]
    return slots[len(slots) - game.stock :].tolist()


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"


def _show_line(game: Game, line: list[int]) -> None:
    game = game.copy()
    for number, action in enumerate(line, 1):
        typer.echo(f"\n{number}. {_in_words(game.play(action))}\n{game}")


def _in_words(outcome: Outcome) -> str:
    assert outcome.card is not None
    card = card_symbol(outcome.card)
    move = f"draw the {card}" if outcome.action == DRAW else f"remove the {card} ({outcome.action})"
    peak = " and empty a peak" if outcome.peak is not None else ""
    return f"{move}{peak}: {outcome.points:+d}"


def _solve(
    numbers: list[int], rules: Rules, objective: Objective, workers: int, pool: Pool | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best scores of deals and which are won; in parts, so that progress shows and an interrupt is heard."""
    size = (8 if rules.scoring.streak else 1000) * (1 if pool else workers)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    bar, began = progress.add_task("deals", total=len(numbers)), time.monotonic()
    tasks = [_Deals(start, numbers[start : start + size], rules, objective) for start in range(0, len(numbers), size)]
    threads = partial(_solve_part, threads=workers)
    parts: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    try:
        for task, part in pool.run(_solve_part, tasks, math.inf) if pool else ((task, threads(task)) for task in tasks):
            if isinstance(part, Lost):
                raise OSError(f"a worker {part.reason}")
            parts[task.start] = part
            progress.advance(bar, len(task.numbers))
            if progress.console.is_terminal and time.monotonic() - began > PATIENCE:
                progress.start()
    finally:
        progress.live.stop()
    scores, won = zip(*(parts[start] for start in sorted(parts)), strict=True)
    return np.concatenate(scores), np.concatenate(won)


class _Deals(NamedTuple):
    """Some of the deals to solve, which begin at ``start``."""

    start: int
    numbers: list[int]
    rules: Rules
    objective: Objective


def _solve_part(task: _Deals, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    found = solve_many(task.numbers, task.rules, threads, task.objective)
    return found.scores, found.won


def _draw(path: Path, scores: np.ndarray, won: np.ndarray, title: str) -> None:
    """Write a histogram of best scores."""
    from matplotlib.figure import Figure  # here, as it takes long to import

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    width = -(-int(np.ptp(scores) + 1) // BARS)  # of a bar, in points
    edges = np.arange(scores.min(), scores.max() + width + 1, width) - 0.5
    axes.hist([scores[won], scores[~won]], bins=edges.tolist(), stacked=True, label=["won", "not won"])
    axes.set(title=f"Best scores of {title}", xlabel="best score", ylabel="deals")
    axes.legend()
    figure.savefig(path)
