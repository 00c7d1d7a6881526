"""Arguments and options that several commands take."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tripeaks_env.game.rules import PRESETS
from tripeaks_env.play.session import RulesChoice
from tripeaks_env.solver.objective import Objective

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
