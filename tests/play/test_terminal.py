"""Play and watch in the terminal: screens of a player in this process, and the command without a terminal."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import agents
from tests.commands.test_commands import Run, run  # noqa: F401
from tests.common import WORKED_WIN
from tripeaks_env import Game, action_values, solve
from tripeaks_env.commands import people
from tripeaks_env.game.engine import DRAW
from tripeaks_env.game.layout import COVERS
from tripeaks_env.play.session import Session, uncovered
from tripeaks_env.play.terminal.board import COLUMN, DIGITS, SIZES, at_column, moved
from tripeaks_env.play.terminal.play import ALL_KEYS, Player
from tripeaks_env.play.terminal.screen import fitting, plain
from tripeaks_env.play.terminal.watch import Watcher
from tripeaks_env.play.watching import FASTEST, Watching, chooser

CODE = "TP1-E-AAAAAAB"
TERMINALS = [(40, 12), (59, 17), (80, 24), (118, 29), (200, 60)]


def key_of(action: int) -> str:
    return "d" if action == DRAW else DIGITS[COLUMN[action]]


def player(*keys: str, code: str = CODE, language: str = "en") -> Player:
    made = Player(Session(code, seed=0), language)
    for key in keys:
        assert made.press(key)
    return made


def shown(of: Player | Watcher, columns: int = 80, lines: int = 24) -> str:
    """Return a screen as text, which must fit."""
    text = of.screen(columns, lines).plain
    rows = text.split("\n")
    assert len(rows) <= lines, text
    if columns > 1:
        assert max(map(len, rows)) <= columns, text
    return text


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def test_digits_play_a_whole_game() -> None:
    """Each card has one key as long as nothing covers it, and no two share one."""
    made = player()
    for action in WORKED_WIN:
        keys = [key_of(position) for position in uncovered(made.session.game)]
        assert len(set(keys)) == len(keys)
        if action != DRAW:
            assert at_column(made.session.game, COLUMN[action]) == action
        assert made.press(key_of(action))
    assert made.session.game == Game(CODE, actions=WORKED_WIN)
    text = shown(made)
    assert "You have won with 750 points in 50 moves!" in text
    assert "The best of this deal: a win with 762 points in 38 moves." in text


def test_a_game_shows_what_a_player_sees() -> None:
    made = player()
    for action in WORKED_WIN[:30]:
        made.press(key_of(action))
        game = made.session.game
        for columns, lines in TERMINALS:
            text = shown(made, columns, lines)
            tableau = game.observation()["tableau"]
            for position in range(28):
                name = made.session.game.deal.text().split()[position]
                symbol = name.replace("T", "10")[:-1] + "♣♦♥♠"["CDHS".index(name[-1])]
                seen = 0 < tableau[position] < 14 or game.line[-1] == position
                assert (symbol in text.split("\n", 1)[1].split("1-0")[0]) == seen or made.message, symbol
            assert f"score {game.score}" in text
            assert f"moves {game.moves}" in text
            assert f"×{game.stock}" in text


def test_error_help() -> None:
    assert "! It must be one rank higher or lower." in shown(player("1"))
    gone = player("3", "3")  # the king of clubs, then the column without a card to play
    assert "! This card is blocked." in shown(gone)
    assert gone.session.game.moves == 1
    quiet = player("x", "1")
    assert "!" not in shown(quiet)
    assert "Error help is on." in shown(player("x", "x"))
    assert "Carta bloquejada" in shown(player("3", "3", language="ca"))


def test_undo_new_and_code() -> None:
    made = player("3", "u")
    assert (made.session.game.line, made.session.game.moves) == ((), 1)
    assert "Undone." in shown(made)
    assert made.press("u")
    assert "! There is nothing to undo." in shown(made)
    for key in ("n", "c"):
        made.press(key)
    assert (made.session.rules, made.session.game.moves) == ("classic", 0)
    assert made.session.code != "TP1-C-AAAAAAB"
    for key in (*"nt", *"tp1-c-aaaaaadx", "backspace", "enter"):
        made.press(key)
    assert made.session.code == "TP1-C-AAAAAAD"
    assert "New game TP1-C-AAAAAAD." in shown(made)
    made.press("d")
    for key in ("c", *"TP1-Q", "enter"):
        made.press(key)
    assert "“TP1-Q” is no deal code" in shown(made)
    made.press("escape")
    assert "is no deal code" not in shown(made)
    assert made.session.game == Game("TP1-C-AAAAAAD", actions=[28])
    for key in ("n", "z"):
        made.press(key)
    assert made.session.game == Game("TP1-C-AAAAAAD", actions=[28])
    for key in ("n", "a"):
        made.press(key)
    assert made.session.game == Game("TP1-C-AAAAAAD")


def test_the_solver_answers() -> None:
    game, best = Game(CODE), solve(CODE)
    made = player("h")
    assert f"a win with {best.score} points is possible." in shown(made)
    assert made.hinted is not None
    assert shown(made).count("╔") == 1
    assert action_values(game)[made.hinted] == best.score
    assert "It can be won, with up to 762 points." in shown(player("w"))
    assert "The best of this deal: a win with 762 points in 38 moves." in shown(player("o"))
    text = on_one_line(shown(player("v")))
    assert "Best score possible after: K♣ 762 K♦ 762 draw 762 2♦ 756" in text
    assert "Best score possible" not in shown(player("v", "v"))


def test_blocked_games_offer_undo_and_the_best_line() -> None:
    made = player(*["d"] * 23)
    while not made.session.over:
        made.press(key_of(made.session.game.legal_actions()[0]))
    assert "No more moves. Undo, or begin a new game." in on_one_line(shown(made, 40, 12))
    made.press("l")
    text = shown(made, 40, 12)
    assert text.split("\n")[0].split() == ["best", "yours"]
    assert len(text.split("\n")) == 12
    rows = []
    for _ in range(60):
        rows += [row for row in shown(made, 40, 12).split("\n")[1:-2] if row not in rows]
        made.press("down")
    best, own = made.session.best_line(), made.session.own_line()
    assert len(rows) == max(len(best), len(own))
    assert rows[0].split()[0] == "1"
    assert str(best[-1].score) in rows[len(best) - 1]
    made.press("escape")
    made.press("u")
    assert "No more moves" not in shown(made)
    made.press("l")
    assert "! The best line is shown when the game is over." in shown(made)


def test_arrows_reach_every_card_and_the_stock() -> None:
    game = Game(CODE, actions=[20, 23, 22])
    seen, todo = set(), [moved(game, None, "right")]
    while todo:
        cursor = todo.pop()
        if cursor not in seen:
            seen.add(cursor)
            todo += [moved(game, cursor, key) for key in ("left", "right", "up", "down")]
    assert seen >= {*uncovered(game), DRAW}
    blocked = [position for position in game.remaining if any(cover in game.remaining for cover in COVERS[position])]
    assert seen & {*blocked}
    made = player("right", "enter")
    assert made.session.game == Game(CODE, actions=[20])
    assert made.cursor in uncovered(made.session.game)
    made = player("right", "down", "enter")
    assert made.session.game == Game(CODE, actions=[28])
    assert "! This card is blocked." in shown(player("right", "up", "enter"))


def test_quitting_asks_in_the_middle_of_a_game() -> None:
    assert not Player(Session(CODE)).press("q")
    made = player("3", "q")
    assert "Quit this game?" in shown(made)
    assert made.press("n")
    made.press("q")
    assert not made.press("y")
    assert not player("3").press("end")
    assert not player("3", "c").press("end")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ca"])
def test_everything_fits_every_terminal(language: str) -> None:
    states = [
        [],
        ["3", "1"],
        ["v"],
        ["?"],
        ["n"],
        ["c", *"TP1-E-AAAAAA"],
        ["c", *"X" * 30, "enter"],
        ["3", "q"],
        ["h", "right"],
        [*map(key_of, WORKED_WIN)],
        [*map(key_of, WORKED_WIN), "l"],
    ]
    for keys in states:
        made = player(*keys, language=language)
        for columns, lines in [*TERMINALS, (40, 60), (200, 12), (85, 13)]:
            shown(made, columns, lines)
    for columns, lines in [(39, 12), (40, 11), (10, 3), (1, 1)]:
        assert "minal" in shown(player(), columns, lines) or lines == 1


def test_cards_grow_with_the_terminal() -> None:
    assert [fitting(*terminal) for terminal in [(118, 29), (80, 24), (59, 18), (40, 12)]] == list(SIZES)


def test_all_keys_are_explained_and_do_something() -> None:
    text = on_one_line(shown(player("?")))
    for key, _ in ALL_KEYS:
        if len(key) == 1:
            assert f" {key} " in text
            made = player()
            made.press(key)
            assert "does nothing" not in shown(made)
    assert "! “z” does nothing; ? shows the keys." in shown(player("z"))
    assert player("").session.game == Game(CODE)  # what the terminal sends for a key that is not known


def test_an_encoding_without_these_characters() -> None:
    class Ascii(Console):
        encoding = "ascii"

    text = plain(Ascii(), player("1").screen(80, 24)).plain
    assert text.isascii()
    assert "3S" in text


# The command, without a terminal.


def test_help(run: Run) -> None:  # noqa: F811
    overview = run("--help")
    for name in ("play", "watch"):
        assert f" {name} " in overview
        assert f"Example: tripeaks {name} " in " ".join(run(name, "--help").split())


def test_lines_of_keys(run: Run) -> None:  # noqa: F811
    screens = run("play", CODE, "--language", "en", stdin="3\n1\nnt\nTP1-C-AAAAAAD\n\xff\nd".encode())
    assert "! It must be one rank higher or lower." in screens
    assert "New game TP1-C-AAAAAAD." in screens
    assert screens.splitlines()[-1] == "TP1-C-AAAAAAD   score 499   moves 1"
    assert "\x1b" not in screens
    quiet = run("play", CODE, "--no-help", "--language", "ca", stdin=b"1\n")
    assert "!" not in quiet
    assert quiet.splitlines()[-1] == f"{CODE}   punts 500   moviments 0"
    assert run("play", "--rules", "classic", stdin=b"").splitlines()[-1].startswith("TP1-C-")


@pytest.mark.slow
def test_watching_without_a_terminal(run: Run) -> None:  # noqa: F811
    screens = run("watch", "oracle", CODE, "--language", "en")
    assert screens.count("score ") >= 39
    assert "Won with 762 points in 38 moves." in screens
    assert "This agent has no values of its own; here are the solver’s." in screens
    assert "Best score" not in run("watch", "greedy", CODE, "--values", "none", "--seed", "1")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["play", "TP1-E-AAAAAA1"], "has '1' among its letters"),
        (["play", CODE, "--rules", "classic"], "for this rule it is 'TP1-C-AAAAAAB'"),
        (["play", "--rules", "open"], "'--rules': 'open' is not one of 'easy', 'classic'"),
        (["play", "--language", "de"], "language is 'de'; it must be one of en, ca"),
        (["watch"], "Missing argument 'AGENT'"),
        (["watch", "nobody"], "agent is 'nobody'; it must be one of random, greedy"),
        (["watch", "nowhere:Agent"], "agent 'nowhere:Agent' cannot be made"),
        (["watch", "greedy", "--speed", "0"], "'--speed': '0'; it must be at least 0.01"),
        (["watch", "tests.broken_agents:Raises", CODE], "act raised"),
    ],
)
def test_wrong_arguments(run: Run, arguments: list[str], named: str) -> None:  # noqa: F811
    run(*arguments, code=2)
    assert run.err.count("\n") == 1
    assert named in run.err


def test_in_a_window(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    called: list[tuple] = []
    window = SimpleNamespace(play=lambda *given: called.append(given), watch=lambda *given: called.append(given))
    monkeypatch.setattr(people, "_window", lambda name: window)
    assert run("play", CODE, "--window", "--no-help", "--language", "ca") == ""
    session, words = called.pop()
    assert (session.code, session.help, words) == (CODE, False, "ca")
    run("watch", "greedy", CODE, "--window", "--speed", "4", "--values", "none", "--language", "en")
    watching, words = called.pop()
    game = watching.session.game
    assert (game, watching.name, words) == (Game(CODE), "greedy", "en")
    assert (watching.speed, watching.shown) == (4, "none")
    assert watching.next.action in game.legal_actions()
    watching.do("next_deal")
    assert watching.session.game.deal != game.deal


def test_watching_needs_the_agents(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setitem(sys.modules, "agents", None)
    run("watch", "greedy", CODE, code=2)
    assert run.err.startswith("error: the agents are not here: ")


def test_a_watcher_steps_pauses_and_shows_values() -> None:
    session = Session(CODE)
    choose = chooser(agents.make("lookahead", session.game.rules), "lookahead")
    watching = Watching(session, choose, "lookahead")
    watcher = Watcher(watching)
    assert "lookahead plays" in shown(watcher)
    assert shown(watcher).count("╔") == 1  # what it is going to do
    assert "moves a second: 1" in shown(watcher, 40, 12)
    assert "The agent’s values:" in shown(watcher)
    assert watching.next
    action, values = watching.next
    assert values is not None
    assert np.nanargmax(values) == action
    assert np.flatnonzero(~np.isnan(values)).tolist() == session.game.legal_actions()
    watcher.press("right")
    assert (watching.paused, session.game.line) == (True, (action,))
    assert "paused" in shown(watcher)
    watcher.press("v")
    assert "Best score possible after:" in shown(watcher)
    watcher.press("v")
    assert "after:" not in shown(watcher)
    assert "values:" not in shown(watcher).split("values: agent")[0]
    watcher.press("left")
    assert session.game.line == ()
    for _ in range(20):
        watcher.press("+")
    assert watching.speed == FASTEST
    watcher.press("-")
    assert watching.speed == FASTEST / 2
    watcher.press("n")
    assert session.code != CODE
    while watching.next:
        watching.move()
    for columns, lines in TERMINALS:
        assert re.search(r"Won with|No more moves: lost with", shown(watcher, columns, lines))
    assert not watcher.press("q")


def test_networks_tell_how_likely_their_actions_are() -> None:
    game = Game(CODE)
    action, values = chooser(agents.make("network", game.rules), "network")(game)
    assert values is not None
    assert np.nansum(values) == pytest.approx(100, abs=0.1)
    assert np.nanargmax(values) == action
