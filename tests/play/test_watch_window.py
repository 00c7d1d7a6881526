"""The window of somebody who watches; and keys, which do the same in the terminal and in the window."""

import itertools
from collections.abc import Callable

import numpy as np
import pygame
import pytest

from tests.play.hand import CODE, SIZE, Clock, Hand, goes, line
from tripeaks_env.game.game import Game
from tripeaks_env.play.keys import PLAY, WATCH
from tripeaks_env.play.session import Session
from tripeaks_env.play.terminal.play import Player
from tripeaks_env.play.terminal.watch import Watcher
from tripeaks_env.play.watching import Choose, Shown, Watching
from tripeaks_env.play.window.keys import KEY_NAMES
from tripeaks_env.play.window.play import PlayWindow
from tripeaks_env.play.window.tabletop import Tabletop
from tripeaks_env.play.window.watch import WatchWindow, watch
from tripeaks_env.solver.advice import action_values


def first_legal(game: Game) -> tuple[int, None]:
    return game.legal_actions()[0], None


def watching(choose: Choose = first_legal, name: str = "first", shown: Shown = "agent") -> Watching:
    return Watching(Session(CODE, seed=0), choose, name, 0.2, shown, Clock())


def test_watch(opened: list[Tabletop]) -> None:
    window = WatchWindow(watching())
    opened.append(window)
    hand = Hand(window)
    assert window.playable() == {20}
    assert window.message == "first removes the K♣."
    values = action_values(window.game)
    assert window.shown_values() == {action: f"{values[action]:.0f}" for action in (20, 22, 24, 28)}
    with_values = hand.sees_card(22)
    hand.clicks_button("next_values")
    assert hand.sees_card(22) == with_values  # the agent has none of its own: these were the solver's already
    hand.clicks_button("next_values")
    assert hand.sees_card(22) != with_values
    hand.presses(pygame.K_o)
    assert hand.sees_card(22) == with_values
    hand.clicks_button("step")
    assert line(window) == (20,)
    assert window.watching.paused
    hand.clicks_button("back")
    assert line(window) == ()
    assert window.message == "first removes the K♣."
    hand.clicks_button("step")
    hand.clicks_button("faster")
    hand.presses(pygame.K_MINUS)
    assert window.watching.speed == 0.2
    hand.clicks_button("again")
    assert (window.watching.session.code, line(window)) == (CODE, ())
    hand.clicks_button("next_deal")
    assert line(window) == ()
    assert window.watching.session.code != CODE


def test_watched_moves_come_by_themselves(opened: list[Tabletop]) -> None:
    window = WatchWindow(watching())
    opened.append(window)
    hand = Hand(window)
    window.slide_seconds = WatchWindow.slide_seconds
    goes(window, 4.9)
    hand.sees()
    assert line(window) == ()
    goes(window, 0.2)
    hand.sees()
    assert line(window) == (20,)
    assert window.slide is not None
    assert window.slide[1:3] == (20, None)
    hand.presses(pygame.K_LEFT)
    assert line(window) == ()
    assert window.slide[1:3] == (None, 20)
    goes(window, 100)
    hand.sees()
    assert line(window) == ()
    assert window.slide is None


def test_watch_shows_the_values_of_the_agent(opened: list[Tabletop]) -> None:
    own = np.full(29, np.nan)
    own[[20, 22]] = 0.25, -0.5

    def choose(game: Game) -> tuple[int, np.ndarray]:
        return game.legal_actions()[0], own

    window = WatchWindow(watching(choose, "own"))
    opened.append(window)
    hand = Hand(window)
    assert window.shown_values() == {20: "0.25", 22: "-0.50"}
    hand.presses(pygame.K_o)
    assert set(window.shown_values()) == {20, 22, 24, 28}
    silent = WatchWindow(watching(choose, "own", "none"))
    opened.append(silent)
    assert silent.shown_values() == {}


def code_of(key: str) -> int:
    """Return pygame's code of a key."""
    return next((code for code, name in KEY_NAMES.items() if name == key), ord(key[0]))


@pytest.mark.parametrize("key", WATCH)
def test_a_key_does_the_same_in_a_terminal_and_in_a_window(opened: list[Tabletop], key: str) -> None:
    """That of somebody who watches: what its command does without either."""

    def after(do: Callable[[Watching], bool], made: Watching) -> tuple:
        for command in ("step", "step"):
            made.do(command)
        before = state(made)
        going = do(made)
        assert (state(made) != before) == (WATCH[key] != "quit")
        return going, state(made)

    def state(made: Watching) -> tuple:
        return made.paused, made.speed, made.shown, made.session.game, made.next

    def in_a_window(made: Watching) -> bool:
        window = WatchWindow(made)
        opened.append(window)
        Hand(window).presses(code_of(key))
        return window.open

    alone = after(lambda made: made.do(WATCH[key]), watching())
    assert after(lambda made: Watcher(made).press(key), watching()) == alone
    assert after(in_a_window, watching()) == alone


@pytest.mark.parametrize("key", PLAY)
@pytest.mark.parametrize("over", [False, True])
def test_a_key_of_a_player_does_the_same_too(opened: list[Tabletop], key: str, over: bool) -> None:
    """In the middle of a game, and when it is blocked: the same game, and the same answer."""
    players, tables = [], []
    for _ in range(2):
        sessions = [Session(CODE, seed=0), Session(CODE, seed=0)]
        for session in sessions:
            session.act(20)
            while over and not session.over:
                session.act(session.game.legal_actions()[-1])
        players.append(Player(sessions[0]))
        tables.append(PlayWindow(sessions[1], "en", SIZE, Clock()))
        opened.append(tables[-1])
    player, table = players[0], tables[0]
    table.ask(None)
    assert player.press(key)
    Hand(table).presses(code_of(key))
    assert player.session.game == table.game
    assert player.session.help == table.session.help
    assert (player.highlight == players[1].highlight) == (table.highlight == tables[1].highlight)
    assert player.hinted == table.hinted
    assert (player.mode in ("new", "code")) == (table.dialog is not None and table.dialog.entry is not None)
    assert (player.mode == "lines") == (over and PLAY[key] == "compare")
    assert (player.mode == "lines") == (table.dialog is not None and bool(table.dialog.columns))
    if PLAY[key] in ("hint", "ask_winnable", "ask_optimum", "error_help"):
        assert player.message == table.message != ""


def test_an_agent_that_fails_leaves_no_window() -> None:
    def choose(game: Game) -> tuple[int, None]:
        if game.moves == 2:
            raise ZeroDivisionError
        return first_legal(game)

    made = Watching(Session(CODE), choose, "broken", clock=ticking(100))
    with pytest.raises(ZeroDivisionError):
        watch(made)
    assert made.session.game.moves == 2
    assert not pygame.display.get_init()


def ticking(seconds: float) -> Callable[[], float]:
    """Return a clock that goes so far each time it is looked at."""
    times = itertools.count(0.0, seconds)
    return lambda: next(times)


def test_watch_plays_to_the_end() -> None:
    asked = []

    def choose(game: Game) -> tuple[int, None]:
        asked.append(game.moves)
        if len(asked) == 30:
            pygame.event.post(pygame.Event(pygame.QUIT))
        return first_legal(game)

    watch(Watching(Session(CODE), choose, "first", clock=ticking(100)), "ca")
    assert asked == list(range(30))


def test_watch_refuses_an_illegal_action() -> None:
    made = Watching(Session(CODE), lambda game: (0, None), "cheat", clock=ticking(100))
    with pytest.raises(ValueError, match="cheat chose the illegal action 0"):
        watch(made)
    assert not pygame.display.get_init()
