"""Commands that tell something of one position, or of each of many: deal, solve, values, difficulty; and random deals."""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Annotated, Any

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from tripeaks_env.commands.options import AsJson, DealRules, ObjectiveOption, Position, PositionRules
from tripeaks_env.env.splits import Split, random_numbers
from tripeaks_env.game.arguments import one_line
from tripeaks_env.game.cards import card_symbol, card_text
from tripeaks_env.game.deals import FIRST_WASTE, Deal, deal_slots
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.game import Game, Outcome
from tripeaks_env.game.view import view_of
from tripeaks_env.pictures.tables import print_table
from tripeaks_env.solver.advice import action_values, hint
from tripeaks_env.solver.difficulty import difficulty
from tripeaks_env.solver.one_deal import as_game, solve

YES_NO = ("no", "yes")
MOST_DEALS = 10_000_000
"""That are dealt at once."""
Facts = dict[str, Any]
"""An answer, made of JSON types only."""


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
        rules = replace(game.rules, open_peaks=True) if every_card else game.rules
        board = view_of(deal_slots([game.deal], rules)[0], game.record, rules)
        found |= {"peaks": game.peaks_cleared, "legal": game.legal_actions(), "board": str(board)}
        return found | ({"cards": game.deal.text()} if every_card else {})

    def show(game: Game, found: Facts) -> None:
        typer.echo(found["board"])
        if every_card:
            slots = deal_slots([game.deal], game.rules)[0, : FIRST_WASTE + 1 + game.rules.stock_size].tolist()
            typer.echo(" ".join(["stock in draw order:", *map(card_symbol, slots[len(slots) - game.stock :])]))

    _respond(position, rules, as_json, facts, show)


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
        typer.echo("score {score}   won {}   draws {draws}   peaks {peaks}".format(YES_NO[found["won"]], **found))
        typer.echo(" ".join(map(str, ["line", *found["line"]])))
        for number, action in enumerate(found["line"] if line else (), 1):
            typer.echo(f"\n{number}. {_in_words(game.play(action))}\n{game}")

    _respond(position, rules, as_json, facts, show)


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
        print_table(table, Console())
        typer.echo(found["hint"])

    _respond(position, rules, as_json, facts, show)


def show_difficulty(position: Position, rules: PositionRules = None, as_json: AsJson = False) -> None:
    """Show how hard it is to win.

    JSON: rules, deal and actions as in a saved game; winnable; draws_in_hand, how many draws may be wasted (null if it cannot
    be won); winning_moves out of moves; luck, the share of random playouts that win; playouts.
    """

    def show(game: Game, found: Facts) -> None:
        typer.echo(f"winnable        {YES_NO[found['winnable']]}")
        if found["winnable"]:
            typer.echo(f"draws in hand   {found['draws_in_hand']}")
        typer.echo(f"winning moves   {found['winning_moves']} of {found['moves']}")
        typer.echo(f"luck            {found['luck']:.1%} of {found['playouts']} random playouts win")

    _respond(position, rules, as_json, lambda game: asdict(difficulty(game)), show)


def show_random(
    deals: Annotated[int, typer.Option(min=1, max=MOST_DEALS, help="How many deals.")] = 1,
    seed: Annotated[int | None, typer.Option(min=0, help="The same deals each time; by default others.")] = None,
    split: Annotated[Split, typer.Option(help="Deals for training, for evaluation, or both.")] = "train",
    rules: DealRules = "easy",
    as_json: AsJson = False,
    count: Annotated[
        int | None, typer.Option(min=1, max=MOST_DEALS, hidden=True, help="The old name of --deals.")
    ] = None,
) -> None:
    """Deal at random.

    JSON: a saved game for each deal, which the other commands read.
    """
    for number in random_numbers(np.random.default_rng(seed), split, count or deals).tolist():
        game = Game(Deal.from_number(number), rules)
        typer.echo(game.to_text() if as_json else f"{_title(game)}\n{game}")


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
        if sys.stdin is None:
            raise OSError("standard input is closed")
        failed = False
        for number, line in enumerate(sys.stdin.buffer, 1):
            try:
                if line.strip():
                    answer(line.decode("utf-8-sig"))
            except ValueError as error:
                failed = True
                typer.echo(f"error: line {number}: {one_line(error)}", err=True)
        if failed:
            raise typer.Exit(2)
    elif as_json:
        answer(position)
    else:
        game = read_position(position, rules)
        found = facts(game)
        typer.echo(_title(game))
        show(game, found)


def _title(game: Game) -> str:
    return f"{game.deal.code(game.rules) or 'given by its cards'}   rules {game.rules}"


def _in_words(outcome: Outcome) -> str:
    assert outcome.card is not None
    card = card_symbol(outcome.card)
    move = f"draw the {card}" if outcome.action == DRAW else f"remove the {card} ({outcome.action})"
    peak = " and empty a peak" if outcome.peak is not None else ""
    return f"{move}{peak}: {outcome.points:+d}"
