"""The window as a person uses it: mouse and keys in, the session and the picture out."""

import os
import signal
import sys
import threading
from collections.abc import Callable

import numpy as np
import pygame
import pytest

from tests.common import WORKED_WIN
from tests.play.hand import CODE, CONTROL, SIZE, Clock, Hand, goes, line
from tripeaks_env.cli import main
from tripeaks_env.game.cards import NO_CARD
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.play.session import Session
from tripeaks_env.play.texts import TEXTS
from tripeaks_env.play.window.play import NewGame, PlayWindow, play
from tripeaks_env.play.window.tabletop import MARK_SECONDS, Tabletop
from tripeaks_env.solver.one_deal import solve


@pytest.mark.slow
def test_a_whole_game(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    session = window.session
    for number, action in enumerate(WORKED_WIN):
        score, before = session.game.score, hand.sees_card(action)
        header = hand.sees(window.layout().header)
        if action == DRAW and number % 2:
            hand.presses(pygame.K_SPACE)
        else:
            hand.clicks_card(action)
        assert session.game.line == tuple(WORKED_WIN[: number + 1])
        assert hand.sees_card(action) != before
        assert (hand.sees(window.layout().header) != header) == (
            session.game.score > score
        )  # the peaks and their bonus
        if session.game.score > score and number + 1 < len(WORKED_WIN):
            assert window.message.endswith("peak is empty: +100!")
    assert session.game.status == Status.WON
    assert window.bonus == 300
    assert window.dialog is not None
    assert window.dialog.title == "You have won with 750 points in 50 moves!"
    assert [column.moves[-1].score for column in window.dialog.columns] == [750, solve(CODE).score]
    assert [move.action for move in window.dialog.columns[0].moves] == list(WORKED_WIN)
    hand.does(pygame.WINDOWLEAVE)
    with_dialog = hand.sees()
    hand.clicks_button("cancel")
    assert window.dialog is None
    assert hand.sees() != with_dialog
    hand.does(pygame.WINDOWLEAVE)
    hand.presses(pygame.K_b)
    assert window.dialog is not None
    assert hand.sees() == with_dialog
    own, best = window.dialog.columns
    for columns in ((own, best._replace(moves=[])), (own._replace(moves=[]), best)):
        window.dialog.columns = [*columns]
        assert hand.sees() != with_dialog
    hand.clicks_button("new")
    hand.presses(pygame.K_RETURN)
    assert session.game.actions == ()
    assert session.game.deal != Deal.from_code(CODE)


def test_undo_shows_the_board_as_it_was(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    for action in (20, 23):
        hand.clicks_card(action)
    before, view = hand.sees_card(13), window.game.view()
    hand.clicks_card(22)  # turns 13 up
    assert hand.sees_card(13) != before
    hand.clicks_button("undo")
    assert hand.sees_card(13) == before
    assert np.array_equal(window.game.view().tableau, view.tableau)
    assert (window.game.score, window.game.moves) == (view.score, view.moves + 1)
    hand.presses(pygame.K_u)
    hand.presses(pygame.K_z, CONTROL)
    hand.presses(pygame.K_BACKSPACE)
    assert line(window) == ()
    assert window.message == "There is nothing to undo."


def test_wrong_clicks_are_explained_while_error_help_is_on(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    for action, message in ((18, "It must be one rank higher or lower."), (0, "This card is blocked.")):
        silent = hand.sees_message()
        hand.clicks_card(action)
        assert window.message == message
        assert hand.sees_message() != silent
        assert window.mark is not None
        assert window.mark.action == action
    hand.clicks_button("error_help")
    assert not window.session.help
    window.mark = None
    before = hand.sees_card(0)
    hand.clicks_card(0)
    assert window.message == ""
    assert hand.sees_card(0) == before
    hand.presses(pygame.K_e)
    hand.clicks_card(0)
    assert window.message == "This card is blocked."
    assert window.game.actions == ()
    hand.clicks(3, window.layout().board.bottom - 3)  # no card
    assert window.game.actions == ()


def test_a_mark_goes_by_itself(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    before = hand.sees_card(18)
    hand.clicks_card(18)
    assert window.mark is not None
    assert hand.sees_card(18) != before
    goes(window, MARK_SECONDS)
    assert hand.sees_card(18) == before
    assert window.mark is None


def test_hint_and_the_solver(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    hand.clicks_button("hint")
    hinted = window.hinted
    assert hinted is not None
    assert window.message.startswith("Remove the K♦: a win with 762")
    marked = hand.sees_card(hinted)
    hand.presses(pygame.K_p)  # shows all of them in place of the hint
    assert window.playable() == {20, 22, 24, 28}
    hand.presses(pygame.K_p)
    assert window.playable() == frozenset()
    assert hand.sees_card(hinted) != marked
    hand.presses(pygame.K_h)
    assert hand.sees_card(hinted) == marked
    hand.clicks_card(hinted)
    assert window.hinted is None
    for command, message in (
        ("ask_winnable", "It can be won, with up to 762"),
        ("ask_optimum", "The best of this deal:"),
    ):
        hand.clicks_button(command)
        assert window.message.startswith(message)
    hand.presses(pygame.K_b)  # the best line shows hidden cards: only after the game
    assert window.dialog is None


def test_a_code_is_written(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    hand.clicks_card(20)
    hand.clicks_button("new")
    without = hand.sees()
    hand.types("tp1-c-aaaaadx")
    assert hand.sees() != without
    assert isinstance(window.dialog, NewGame)
    assert window.dialog.rules == "classic"
    hand.presses(pygame.K_BACKSPACE)
    hand.clicks_card(23)  # under the dialog nothing is clicked
    hand.presses(pygame.K_RETURN)
    assert window.dialog is not None
    assert window.dialog.error == "“TP1-C-AAAAAD” is no deal code; one looks like TP1-E-AAAAAAB."
    assert line(window) == (20,)
    hand.presses(pygame.K_LEFT)
    hand.types("a")
    assert window.dialog.error == ""
    assert window.dialog.entry is not None
    assert window.dialog.entry.text == "TP1-C-AAAAAAD"
    hand.clicks_button("deal")
    assert window.dialog is None
    assert (window.session.code, window.session.rules, line(window)) == ("TP1-C-AAAAAAD", "classic", ())
    assert window.message == "New game TP1-C-AAAAAAD."


def test_new_games(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    hand.clicks_card(20)
    hand.presses(pygame.K_n)
    hand.presses(pygame.K_ESCAPE)
    assert line(window) == (20,)
    hand.presses(pygame.K_n)
    hand.clicks_button("again")
    assert (window.session.code, line(window)) == (CODE, ())
    hand.presses(pygame.K_n)
    hand.clicks_button("classic")
    hand.clicks_button("deal")
    assert window.session.rules == "classic"
    assert window.session.code[6:] != CODE[6:]
    code = window.session.code
    hand.presses(pygame.K_c, CONTROL)
    assert pygame.scrap.get_text() == code
    hand.presses(pygame.K_n)
    hand.presses(pygame.K_RETURN)
    hand.presses(pygame.K_v, CONTROL)
    hand.clicks_button("easy")  # changes the letter of the pasted code
    assert window.dialog is not None
    assert window.dialog.entry is not None
    assert window.dialog.entry.text == code.replace("-C-", "-E-")
    hand.presses(pygame.K_RETURN)
    assert window.session.code == code.replace("-C-", "-E-")


def test_no_more_moves(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    while window.game.legal_actions():
        assert window.dialog is None
        hand.clicks_card(window.game.legal_actions()[-1])
    assert window.game.status == Status.BLOCKED
    assert window.dialog is not None
    assert window.dialog.title.startswith("No more moves.")
    assert not window.dialog.columns
    assert window.view().status == Status.PLAYING  # the dialog says it, the board does not say it again
    hand.clicks_button("compare")
    assert len(window.dialog.columns) == 2
    hand.presses(pygame.K_RETURN)  # undo
    assert not window.session.over
    assert window.dialog is None


def test_keys_alone_play(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    for action in (*range(18, 28), DRAW):
        hand.presses(pygame.K_RIGHT)
        assert window.cursor == action
    first = hand.sees_card(18)
    hand.presses(pygame.K_RIGHT)
    assert window.cursor == 18
    assert hand.sees_card(18) != first
    hand.presses(pygame.K_LEFT)
    assert window.cursor == DRAW
    hand.presses(pygame.K_RETURN)
    assert line(window) == (DRAW,)
    hand.presses(pygame.K_F5)  # no key of ours
    assert line(window) == (DRAW,)


def test_catalan(opened: list[Tabletop]) -> None:
    window = PlayWindow(Session(CODE), "ca", SIZE, Clock())
    opened.append(window)
    hand = Hand(window)
    labels = {button.label.lower() for button in window.buttons()}
    assert labels <= set(TEXTS["ca"].values())
    assert not labels & set(TEXTS["en"].values())
    hand.clicks_card(0)
    assert window.message == TEXTS["ca"]["card_blocked"]
    hand.clicks_button("hint")
    assert window.message.startswith("Retira K♦")
    english = PlayWindow(Session(CODE), "en", SIZE, Clock())
    opened.append(english)
    assert Hand(english).sees(window.layout().board) != hand.sees(window.layout().board)


@pytest.mark.parametrize("size", [(1, 1), (9, 400), (400, 9), (40, 30), (150, 100), (320, 240), (400, 700)])
def test_any_size(table: tuple[PlayWindow, Hand], size: tuple[int, int]) -> None:
    window, hand = table
    original, whole = window.surface.get_size(), hand.sees()
    hand.resizes(*size)
    hand.presses(pygame.K_h)
    hand.presses(pygame.K_n)  # with the dialog, too
    hand.presses(pygame.K_ESCAPE)
    hand.clicks(size[0] // 2, size[1] // 2)
    hand.presses(pygame.K_SPACE)
    while window.session.last is not None:
        hand.presses(pygame.K_u)
    window.begun(window.session.again())
    window.say("")
    hand.resizes(*original)
    hand.does(pygame.WINDOWLEAVE)
    assert hand.sees() == whole


@pytest.mark.slow
def test_cards_can_be_clicked_at_usable_sizes(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    for size in ((150, 100), (320, 240), (400, 700), (2400, 1500)):
        hand.resizes(*size)
        for action in (20, DRAW, 0):
            moves = window.game.moves
            hand.clicks_card(action)
            assert window.game.moves == moves + (action != 0)
        window.begun(window.session.again())


def test_nothing_hidden_is_drawn(opened: list[Tabletop]) -> None:
    played = (20, 23, 22, 28)
    cards = Deal.from_code(CODE).cards
    game = Game(Deal(cards), "easy", played)
    seen = {p for p, card in enumerate(game.view().tableau.tolist()) if card in cards} | set(played)
    hidden = [slot for slot in range(52) if slot not in seen and slot not in (POSITIONS, POSITIONS + 1)]
    other = list(cards)
    for slot, card in zip(hidden, [cards[slot] for slot in reversed(hidden)], strict=True):
        other[slot] = card
    pictures = []
    for dealt in (cards, tuple(other)):
        window = PlayWindow(Session(CODE), "en", SIZE, Clock())
        opened.append(window)
        window.session.game = Game(Deal(dealt), "easy", played)
        window.highlight = True
        hand = Hand(window)
        hand.clicks_card(0)
        window.mark = None
        pictures.append(hand.sees())
    assert pictures[0] == pictures[1]


def test_cards_slide(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table
    window.slide_seconds = 1000.0
    start = hand.sees()
    hand.clicks_card(20)
    first, cards = Game(CODE).view().waste, Deal.from_code(CODE).cards
    assert window.slide is not None
    assert window.slide[:3] == (cards[20], 20, None)
    assert (window.slide.under.tableau[20], window.slide.under.waste) == (NO_CARD, first)
    hand.clicks_card(23)  # the game does not wait for it
    hand.presses(pygame.K_u)
    assert window.slide[:3] == (cards[23], None, 23)
    assert (window.slide.under.tableau[23], window.slide.under.waste) == (NO_CARD, cards[20])
    hand.presses(pygame.K_u)
    assert line(window) == ()
    assert hand.sees() != start
    window.slide = None
    window.slide_seconds = 0.01
    hand.presses(pygame.K_SPACE)
    assert window.slide is not None
    goes(window, 0.02)
    hand.sees()
    assert window.slide is None


def test_fine_screens_have_more_pixels_than_points(table: tuple[PlayWindow, Hand]) -> None:
    window, hand = table

    class Coarse:
        size = (window.window.size[0] // 2, window.window.size[1] // 2)

        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

    real = window.window
    window.window = Coarse()  # type: ignore[assignment]
    place = window.painter().rectangle(20).move(window.layout().board.topleft)
    hand.clicks(place.centerx / 2, place.y / 2 + place.h / 4)
    assert line(window) == (20,)
    window.window = real


def once_open(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
    """Have something done from outside as soon as a window waits for events."""
    turn, turns = Tabletop.turn, []

    def counted(window: Tabletop, wait_ms: int | None = None) -> None:
        turns.append(wait_ms)
        if len(turns) == 3:
            threading.Timer(0.05, action).start()
        turn(window, wait_ms)

    monkeypatch.setattr(Tabletop, "turn", counted)


@pytest.mark.parametrize(
    ("kind", "details"),
    [(pygame.QUIT, {}), (pygame.WINDOWCLOSE, {}), (pygame.KEYDOWN, {"key": pygame.K_q, "mod": CONTROL})],
)
def test_closing(monkeypatch: pytest.MonkeyPatch, kind: int, details: dict[str, int]) -> None:
    session = Session(CODE)
    once_open(monkeypatch, lambda: pygame.event.post(pygame.Event(kind, details)))
    play(session)
    assert not pygame.display.get_init()
    assert session.game.actions == ()


def test_an_interrupt_closes_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    once_open(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            play(Session(CODE))
    finally:
        signal.signal(signal.SIGINT, before)
    assert not pygame.display.get_init()


def test_without_a_display_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonesuch")
    with pytest.raises(OSError, match="no window can be opened: nonesuch not available"):
        play(Session(CODE))
    monkeypatch.delenv("SDL_VIDEODRIVER")
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    with pytest.raises(OSError, match="no window can be opened: there is no display"):
        play(Session(CODE))


def test_without_pygame_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    monkeypatch.delitem(sys.modules, "tripeaks_env.play.window.play")
    monkeypatch.setattr("sys.argv", ["tripeaks", "play", CODE, "--window"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert capsys.readouterr().err == (
        "error: pygame is not installed; a window needs the extra render: pip install 'tripeaks-env[render]'\n"
    )
