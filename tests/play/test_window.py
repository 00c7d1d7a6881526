"""The window as a person uses it: mouse and keys in, the session and the picture out."""

import itertools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # before pygame is imported

import pygame

from tests.common import WORKED_WIN
from tests.play.clock import Clock
from tripeaks_env.cli import main
from tripeaks_env.game.cards import NO_CARD
from tripeaks_env.game.deals import Deal
from tripeaks_env.game.engine import DRAW, Status
from tripeaks_env.game.game import Game
from tripeaks_env.game.layout import POSITIONS
from tripeaks_env.play.keys import PLAY, WATCH
from tripeaks_env.play.session import Session
from tripeaks_env.play.terminal.play import Player
from tripeaks_env.play.terminal.watch import Watcher
from tripeaks_env.play.texts import TEXTS
from tripeaks_env.play.watching import Choose, Shown, Watching
from tripeaks_env.play.window.keys import KEY_NAMES
from tripeaks_env.play.window.play import PlayWindow, play
from tripeaks_env.play.window.tabletop import MARK_SECONDS, Tabletop
from tripeaks_env.play.window.watch import WatchWindow, watch
from tripeaks_env.solver.advice import action_values
from tripeaks_env.solver.one_deal import solve

CODE = "TP1-E-AAAAAAB"
SIZE = (720, 500)
CONTROL = pygame.KMOD_LCTRL


class Hand:
    """Somebody at a window, who clicks, types and looks."""

    def __init__(self, window: Tabletop) -> None:
        self.window = window
        window.slide_seconds = 0
        window.turn(1)

    def does(self, kind: int, **details: object) -> None:
        pygame.event.post(pygame.Event(kind, details))
        self.window.turn(1)

    def clicks(self, x: float, y: float) -> None:
        self.does(pygame.MOUSEBUTTONDOWN, pos=(int(x), int(y)), button=1)
        self.does(pygame.MOUSEBUTTONUP, pos=(int(x), int(y)), button=1)

    def clicks_card(self, action: int) -> None:
        """Click a card where it can be seen, covered or not."""
        place = self.window.painter().rectangle(action).move(self.window.layout().board.topleft)
        self.clicks(place.centerx, place.y + place.h // 6)

    def clicks_button(self, command: str) -> None:
        dialog = self.window.dialog if isinstance(self.window, PlayWindow) else None
        buttons = [*dialog.choices, *dialog.buttons] if dialog else self.window._placed()
        (rect,) = (button.rect for button in buttons if button.command == command)
        assert self.window.surface.get_rect().contains(rect)
        self.clicks(*rect.center)

    def presses(self, key: int, mod: int = 0) -> None:
        self.does(pygame.KEYDOWN, key=key, mod=mod, unicode="", scancode=0)
        self.does(pygame.KEYUP, key=key, mod=mod, unicode="", scancode=0)

    def types(self, text: str) -> None:
        for letter in text:
            self.does(pygame.TEXTINPUT, text=letter)

    def resizes(self, width: int, height: int) -> None:
        self.window.window.size = (width, height)
        self.window.turn(1)
        assert self.window.surface.get_size() == (width, height)

    def sees(self, rect: pygame.Rect | None = None) -> bytes:
        """Return what is in a part of the window."""
        self.window.redraw()
        self.window.turn(1)
        surface = self.window.surface
        return pygame.image.tobytes(surface.subsurface(rect.clip(surface.get_rect())) if rect else surface, "RGB")

    def sees_card(self, action: int) -> bytes:
        place = self.window.painter().rectangle(action).move(self.window.layout().board.topleft)
        return self.sees(place)

    def sees_message(self) -> bytes:
        return self.sees(self.window.layout().message)


def goes(window: Tabletop, seconds: float) -> None:
    """Let time pass for a window."""
    assert isinstance(window.clock, Clock)
    window.clock.seconds += seconds


def line(window: Tabletop) -> tuple[int, ...]:
    return window.game.line


@pytest.fixture
def opened() -> Iterator[list[Tabletop]]:
    windows: list[Tabletop] = []
    yield windows
    for window in windows:
        window.close()


@pytest.fixture
def table(opened: list[Tabletop]) -> tuple[PlayWindow, Hand]:
    window = PlayWindow(Session(CODE), "en", SIZE, Clock())
    opened.append(window)
    return window, Hand(window)


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
        window.dialog.columns = columns
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
    assert window.chosen_rules() == "classic"
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
    assert window.exposed() == [*range(18, 28), DRAW]
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
    while window.session.can_undo:
        hand.presses(pygame.K_u)
    window.begun(window.session.again())
    window.say("")
    hand.resizes(*original)
    hand.does(pygame.WINDOWLEAVE)
    assert hand.sees() == whole


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
