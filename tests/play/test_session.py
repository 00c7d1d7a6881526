"""A session of play, against the game that it plays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.common import WORKED_WIN, numbers
from tripeaks_env import Deal, Game, Rejection, action_values, is_evaluation, solve
from tripeaks_env.play.session import REJECTIONS, Message, RulesChoice, Session, card_name
from tripeaks_env.play.texts import TEXTS

CODE = "TP1-E-AAAAAAB"
UNDO = 29
ALL_DRAWN = [28] * 23

rules_choices = st.sampled_from(("easy", "classic"))


def played(*actions: int, code: str = CODE, help: bool = True) -> Session:
    session = Session(code, help=help)
    for action in actions:
        session.act(action)
    return session


@given(numbers, rules_choices, st.lists(st.integers(0, 29), max_size=80), st.booleans())
def test_a_session_plays_as_the_game_does(number: int, rules: RulesChoice, actions: list[int], help: bool) -> None:
    deal = Deal.from_number(number)
    code = deal.code(rules)
    assert code
    session, game = Session(code, help=help), Game(deal, rules)
    for action in actions:
        outcome = game.play(action)
        message = session.undo() if action == UNDO else session.act(action)
        assert session.game == game
        if not outcome.accepted:
            told = help or action == UNDO
            about = action if action != UNDO else None
            assert message == (Message(REJECTIONS[outcome.rejection], {}, about, error=True) if told else None)
        elif outcome.peak is None:
            assert message is None
        else:
            side = ("left", "centre", "right")[outcome.peak]
            assert message == Message(f"peak_{side}", {"points": 100}, action)
        assert session.last == (game.line[-1] if game.line else None)
        assert session.over == (game.status != "playing")
        assert (session.ending is not None) == session.over
    assert (session.code, session.rules) == (code, rules)
    own = session.own_line()
    assert tuple(move.action for move in own) == game.line
    assert (own[-1].score if own else 500) == game.score
    assert sum(move.points for move in own) == game.score - 500


@given(numbers, rules_choices)
def test_all_actions_can_be_undone(number: int, rules: RulesChoice) -> None:
    session = Session(Deal.from_number(number).code(rules))
    start = Game(session.game.deal, session.game.rules)
    while not session.over:
        session.act(session.game.legal_actions()[0])
    moves = session.game.moves
    if session.game.status == "won":
        assert session.undo() == Message("won_for_good", error=True)
        return
    for _ in range(moves):
        assert session.undo() is None
    assert session.undo() == Message("nothing_to_undo", error=True)
    assert (session.game.line, session.game.score, session.game.moves) == ((), 500, moves)
    assert (session.game.observation()["tableau"] == start.observation()["tableau"]).all()


def test_every_refusal_that_can_happen_has_a_text() -> None:
    never = {Rejection.NONE, Rejection.NOT_STUCK, Rejection.NO_UNDO_LEFT}  # of other rules and of environments
    assert REJECTIONS.keys() == {*Rejection} - never
    assert {*REJECTIONS.values()} <= TEXTS["en"].keys()


def test_help_can_be_switched_off() -> None:
    session = played()
    assert session.act(18) == Message("wrong_rank", {}, 18, error=True)
    assert session.act(0) == Message("card_blocked", {}, 0, error=True)
    assert session.toggle_help() == Message("help_off")
    assert session.act(18) is session.act(0) is None
    assert session.undo() == Message("nothing_to_undo", error=True)  # was asked for
    assert session.toggle_help() == Message("help_on")
    assert session.act(18) is not None
    assert session.game.actions == ()


def test_a_whole_game() -> None:
    """The worked win: its bonuses, its end, the best line beside it."""
    session = Session(CODE)
    messages = {}
    for number, action in enumerate(WORKED_WIN, 1):
        assert session.ending is None
        message = session.act(action)
        if message:
            messages[number] = message.key
    assert messages == {37: "peak_left", 42: "peak_centre", 50: "peak_right"}
    assert session.ending == Message("won", {"score": 750, "moves": 50})
    assert session.hint() == Message("no_hint", error=True)
    assert session.optimum() == Message("optimum_won", {"score": 762, "moves": 38})
    best = session.best_line()
    assert tuple(move.action for move in best) == solve(CODE).actions
    assert best[-1].score == 762
    assert [move.peak for move in session.own_line() if move.peak is not None] == [0, 1, 2]
    assert session.winnable().key == "winnable"


def test_a_blocked_game_can_be_undone() -> None:
    session = Session("TP1-C-AAAAAAD")
    while not session.over:
        legal = session.game.legal_actions()
        session.act(28 if 28 in legal else legal[0])
    assert session.ending
    assert session.ending.key == "no_more_moves"
    assert session.undo() is None
    assert session.ending is None
    assert session.optimum() == Message("optimum_lost", {"score": 657, "moves": len(session.best_line())})


@pytest.mark.slow
@given(numbers, rules_choices, st.lists(st.integers(0, 28), max_size=30))
def test_the_solver_is_asked(number: int, rules: RulesChoice, actions: list[int]) -> None:
    session = Session(Deal.from_number(number).code(rules))
    for action in actions:
        session.act(action)
    if session.over:
        return
    game, best, values = session.game, solve(session.game), action_values(session.game)
    hint = session.hint()
    assert hint.action is not None
    assert values[hint.action] == hint.parameters["score"] == best.score
    assert hint.key == f"hint_{'draw' if hint.action == 28 else 'remove'}_{'won' if best.won else 'lost'}"
    if hint.action != 28:
        assert hint.parameters["card"] == card_name(game.deal.cards[hint.action])
    assert session.winnable() == Message("winnable" if best.won else "not_winnable", {"score": best.score})
    assert session.game.actions == game.actions


def test_new_games() -> None:
    session = Session("TP1-C-AAAAAAB", seed=1)
    assert session.rules == "classic"
    assert session.new() == Message("new_game", {"code": session.code})
    assert session.rules == "classic"  # as before
    assert session.code != "TP1-C-AAAAAAB"
    session.new(rules="easy")
    assert session.code.startswith("TP1-E-")
    assert session.new("  tp1-n-aaaaaad ").parameters == {"code": "TP1-E-AAAAAAD"}
    assert session.new("TP1-E-AAAAAAD", "classic").parameters == {"code": "TP1-C-AAAAAAD"}
    session.act(28)
    assert session.again().parameters == {"code": "TP1-C-AAAAAAD"}
    assert session.game == Game("TP1-C-AAAAAAD")


def test_random_deals_are_no_evaluation_deals_and_repeat_by_seed() -> None:
    def codes(seed: int | None) -> list[str]:
        session = Session(seed=seed)
        found = [session.code]
        for _ in range(30):
            session.new()
            found.append(session.code)
        return found

    assert codes(3) == codes(3)
    assert codes(None) != codes(None)
    assert not any(is_evaluation(Deal.from_code(code).number or 0) for code in codes(4))


@pytest.mark.parametrize("code", ["", "TP1", "TP1-X-AAAAAAB", "TP1-E-AAAAAA1", "TP2-E-AAAAAAB", "é", "\x1b[2J" * 20])
def test_a_bad_code_changes_nothing(code: str) -> None:
    session = played(20)
    message = session.new(code)
    assert (message.key, message.error) == ("bad_code", True)
    shown = message.parameters["code"]
    assert isinstance(shown, str)
    assert shown.isprintable()
    assert len(shown) <= 24
    assert session.game == Game(CODE, actions=[20])


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="names another rule"):
        Session(CODE, "classic")
    with pytest.raises(ValueError, match="begins with 'TP9'"):
        Session("TP9-E-AAAAAAB")
    with pytest.raises(ValueError, match="must be one of easy, classic"):
        Session().new(rules="open")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be one of easy, classic"):
        Session(rules="wild")  # type: ignore[arg-type]
