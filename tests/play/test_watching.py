"""What is watched, without a terminal or a window: its pace, its values, its commands."""

import numpy as np
import pytest

from tests.play.hand import Clock
from tripeaks_env import Game, action_values
from tripeaks_env.play.keys import WATCH
from tripeaks_env.play.session import Session, value_texts
from tripeaks_env.play.watching import FASTEST, SLOWEST, Watching

CODE = "TP1-E-AAAAAAB"


def first_legal(game: Game) -> tuple[int, None]:
    return game.legal_actions()[0], None


def watching(speed: float = 1.0) -> tuple[Watching, Clock]:
    clock = Clock()
    return Watching(Session(CODE, seed=0), first_legal, "first", speed, clock=clock), clock


def test_moves_come_at_their_pace() -> None:
    made, clock = watching(4)
    game = made.session.game
    assert (made.wait(), made.tick(), game.line) == (0.25, False, ())
    clock.seconds = 0.25
    assert made.tick()
    assert not made.tick()
    assert game.line == (20,)
    made.do("slower")
    assert made.wait() == 0.5
    made.do("pause")
    clock.seconds = 9
    assert not made.running
    assert not made.tick()
    made.do("pause")
    assert (made.wait(), made.tick()) == (0.5, False)
    clock.seconds = 9.5
    assert made.tick()
    assert len(game.line) == 2


def test_a_slow_agent_is_seen_before_it_moves() -> None:
    clock = Clock()

    def choose(game: Game) -> tuple[int, None]:
        clock.seconds += 10
        return first_legal(game)

    made = Watching(Session(CODE), choose, "slow", 2, clock=clock)
    assert not made.tick()
    assert made.wait() == 0.5


def test_speed_has_bounds() -> None:
    made, _ = watching(1000)
    assert made.speed == FASTEST
    made.do("slower")
    made.do("faster")
    assert made.speed == FASTEST
    for _ in range(20):
        made.do("slower")
    assert made.speed == SLOWEST


def test_steps_forth_and_back() -> None:
    made, _ = watching()
    for command, line in (("step", (20,)), ("step", (20, 23)), ("back", (20,)), ("back", ()), ("back", ())):
        made.do(command)
        assert made.paused
        assert made.session.game.line == line
        assert made.next == (20 if not line else 23 if line == (20,) else made.session.game.legal_actions()[0], None)


def test_a_game_that_is_over_stays() -> None:
    made, clock = watching()
    while made.next is not None:
        made.move()
    line, clock.seconds = made.session.game.line, 100.0
    assert not made.tick()
    made.do("step")
    assert (made.session.game.line, made.values()) == (line, None)
    made.do("again")
    assert (made.session.code, made.session.game.line) == (CODE, ())
    assert made.next is not None


def test_values_that_are_shown() -> None:
    own = np.full(29, np.nan)
    own[[20, 22]] = 0.25, -0.5
    session = Session(CODE)
    made = Watching(session, lambda game: (20, own), "own")
    assert (made.own, made.values()) == (True, own)
    solver = action_values(session.game)
    for command, shown in (
        ("next_values", "solver"),
        ("next_values", "none"),
        ("next_values", "agent"),
        ("solver_values", "solver"),
        ("solver_values", "agent"),
    ):
        made.do(command)
        assert made.shown == shown
        assert made.own == (shown == "agent")
        if shown == "none":
            assert made.values() is None
        else:
            assert np.array_equal(made.values(), own if shown == "agent" else solver, equal_nan=True)  # type: ignore[arg-type]
    silent, _ = watching()
    assert (silent.shown, silent.own) == ("agent", False)
    assert np.array_equal(silent.values(), solver, equal_nan=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "texts"),
    [((0.25, -0.5), ("0.25", "-0.50")), ((3.0, 762.0), ("3", "762")), ((0.5, 80.25), ("0.5", "80.2"))],
)
def test_values_as_people_read_them(values: tuple[float, float], texts: tuple[str, str]) -> None:
    worth = np.full(29, np.nan)
    worth[[20, 22]] = values
    assert value_texts(worth, Game(CODE)) == dict(zip((20, 22), texts, strict=True))
    assert value_texts(np.full(29, np.nan), Game(CODE)) == {}


def test_wrong_commands_and_actions() -> None:
    made, _ = watching()
    with pytest.raises(ValueError, match="there is no command 'dance'"):
        made.do("dance")
    cheat = Watching(Session(CODE), lambda game: (0, None), "cheat")
    with pytest.raises(ValueError, match="cheat chose the illegal action 0"):
        cheat.move()


def test_every_key_has_a_command() -> None:
    for command in WATCH.values():
        made, _ = watching()
        assert made.do(command) == (command != "quit")
