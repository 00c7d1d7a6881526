"""What the command ``tripeaks`` can do: ``tripeaks --help``. It needs the extra ``cli``."""

from collections.abc import Callable, Mapping
from typing import Annotated

import typer

import tripeaks_env
from tripeaks_env.commands import answers, people, stats

COMMANDS: Mapping[str, tuple[Callable[..., None], str]] = {
    "deal": (answers.show_deal, "tripeaks deal TP1-E-AAAAAAB --all"),
    "solve": (answers.show_solution, "tripeaks solve TP1-E-AAAAAAB --line"),
    "values": (answers.show_values, "tripeaks values TP1-E-AAAAAAB"),
    "difficulty": (answers.show_difficulty, "tripeaks difficulty TP1-C-AAAAAAB"),
    "random": (answers.show_random, "tripeaks random --deals 3 --seed 1 --split evaluation"),
    "stats": (stats.show_stats, "tripeaks stats --deals 10000 --rules classic --workers 2 --picture scores.svg"),
    "play": (people.play_game, "tripeaks play TP1-E-AAAAAAB"),
    "watch": (people.watch_agent, "tripeaks watch lookahead TP1-E-AAAAAAB --speed 4"),
}
"""By its name, what does a command, and an example of it."""

app = typer.Typer(
    help="TriPeaks solitaire: deals, the exact optimum of every position, and what each move is worth.",
    epilog="Example: tripeaks random --deals 100 --json | tripeaks solve -",
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tripeaks {tripeaks_env.__version__}")
        raise typer.Exit


@app.callback()
def tripeaks(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the options of ``tripeaks`` itself."""


for _name, (_command, _example) in COMMANDS.items():
    app.command(_name, epilog=f"Example: {_example}")(_command)
