"""Commands for people: play and watch, in the terminal or in a window."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Annotated, cast

import typer

import tripeaks_env
from tripeaks_env.commands.options import DealCode, InWindow, Language, PlayRules
from tripeaks_env.env.agent import Agent
from tripeaks_env.game.rules import Rules
from tripeaks_env.play import texts
from tripeaks_env.play.session import Session
from tripeaks_env.play.terminal.play import Player
from tripeaks_env.play.terminal.screen import run
from tripeaks_env.play.terminal.watch import Watcher
from tripeaks_env.play.watching import Shown, Watching, chooser

NO_CHECKOUT = (
    "the agents are not here: watch needs the package agents of the repository; run it in a checkout of tripeaks-env"
)


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
        _window("play").play(session, words)
    else:
        run(Player(session, words))


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
        Shown,
        typer.Option(help="Show what the agent expects of each action, or what the solver knows, or neither."),
    ] = "agent",
    seed: Annotated[int, typer.Option(min=0, help="Of the agent's own random choices.")] = 0,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Load a MODEL.zip, which can run any code that is in it: one that you trained."),
    ] = False,
    language: Language = None,
    window: InWindow = False,
) -> None:
    """Watch an agent play. It needs the package agents, which a checkout of the repository has.

    An agent that has no values of its own is shown with those of the solver, which sees all cards.
    """
    session, words = Session(code, rules), texts.language(language)
    choose = chooser(_load_agent(agent, session.game.rules, seed, trust), agent)
    watching = Watching(session, choose, agent, speed, values)
    if window:
        _window("watch").watch(watching, words)
    else:
        run(Watcher(watching, words))


def _load_agent(name: str, rules: Rules, seed: int, trust: bool) -> Agent:
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
    return cast(Agent, make(name, rules, seed, trust=trust))


def _window(name: str) -> ModuleType:
    """Return a module of windows, which needs the extra ``render``."""
    return importlib.import_module(f"tripeaks_env.play.window.{name}")
