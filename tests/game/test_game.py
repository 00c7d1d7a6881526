import copy
import json
import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.common import RULES, WORKED_WIN, all_rules, known_deal, naive_game, random_game, seeds
from tests.naive import NaiveGame
from tripeaks_env import Deal, Game, Outcome, Rejection, Rules, Status, solve
from tripeaks_env.game.cards import parse_card
from tripeaks_env.game.engine import DRAW, UNDO

CODE = "TP1-E-AAAAAAB"
some_rules = st.sampled_from(list(RULES.values()))


def everything(game: Game) -> list[Any]:
    """Return what a player can tell of a game but its counter of moves."""
    board = str(game).replace(f"moves {game.moves}", "")
    observation = {key: value.tolist() for key, value in game.observation().items()}
    state = [game.line, game.remaining, game.stock, game.score, game.status, game.peaks_cleared, game.legal_actions()]
    return [board, observation, *state]


def face_up(naive: NaiveGame) -> set[int]:
    """Return the positions whose cards are face up."""
    return {position for position, value in enumerate(naive.observation()["tableau"]) if 1 <= value <= 13}


def blocked_game() -> Game:
    """Return a game that drew all cards and then removed what it could."""
    game = Game(CODE, actions=[DRAW] * 23)
    while game.legal_actions():
        game.play(game.legal_actions()[0])
    return game


def test_worked_win() -> None:
    """50 moves; the peaks are emptied on moves 37, 42 and 50; 500 - 50 + 300 = 750."""
    game = Game(CODE)
    outcomes = [game.play(action) for action in WORKED_WIN]
    peaks = [(move, outcome.peak) for move, outcome in enumerate(outcomes, 1) if outcome.peak is not None]
    assert peaks == [(37, 0), (42, 1), (50, 2)]
    assert [outcome.points for outcome in outcomes if outcome.peak is not None] == [99, 99, 99]
    assert {outcome.points for outcome in outcomes if outcome.peak is None} == {-1}
    assert (game.status, game.score, game.moves, game.peaks_cleared, game.stock) == (Status.WON, 750, 50, 3, 1)
    assert (game.remaining, game.legal_actions()) == ((), [])


def test_a_card_turns_up_when_both_covers_are_gone() -> None:
    """K♣, A♠, 2♦ of the first deal turn up 7♠ at position 13, not earlier."""
    game = Game(CODE)
    outcomes = [game.play(action) for action in (20, 23, 22)]
    assert [outcome.card for outcome in outcomes] == [parse_card(text) for text in ("KC", "AS", "2D")]
    assert [outcome.turned_up for outcome in outcomes] == [(), (), (13,)]
    assert (game.observation()["tableau"][13], game.observation()["waste"][0], game.stock) == (7, 2, 23)


@pytest.mark.parametrize(
    ("actions", "action", "rejection", "message"),
    [
        ([], 18, Rejection.WRONG_RANK, "must be one rank higher or lower"),
        ([], 13, Rejection.BLOCKED, "this card is blocked"),
        ([20], 20, Rejection.REMOVED, "this card is already removed"),
        ([DRAW] * 23, DRAW, Rejection.STOCK_EMPTY, "the stock is empty"),
        (WORKED_WIN, DRAW, Rejection.WON, "the game is won"),
        (WORKED_WIN, UNDO, Rejection.WON, "the game is won"),
        (WORKED_WIN, 0, Rejection.REMOVED, "this card is already removed"),
        ([], UNDO, Rejection.NOTHING_TO_UNDO, "there is nothing to undo"),
        ([20, UNDO], UNDO, Rejection.NOTHING_TO_UNDO, "there is nothing to undo"),
    ],
)
def test_rejected_actions_change_nothing(actions: list[int], action: int, rejection: Rejection, message: str) -> None:
    """And tell why."""
    game = Game(CODE, actions=actions)
    before = game.record
    outcome = game.play(action)
    assert outcome == Outcome(action, rejection, status=game.status)
    assert (outcome.accepted, outcome.message) == (False, message)
    assert game.record == before
    assert game.actions == tuple(actions)


def test_drawing_only_when_stuck() -> None:
    game = Game(CODE, Rules(draw="stuck"))
    assert game.play(DRAW).message == "a card may be drawn only when none can be removed"
    while DRAW not in game.legal_actions():
        game.play(game.legal_actions()[0])
    assert game.legal_actions() == [DRAW]


@pytest.mark.parametrize("action", [-1, 30, 20.0, True, "20", None])
def test_actions_that_do_not_exist(action: Any) -> None:
    with pytest.raises(ValueError, match=r"action is .*; it must be 0 to 27") as error:
        Game(CODE).play(action)
    assert repr(action) in str(error.value)


def test_numpy_integers_are_actions() -> None:
    assert Game(CODE).play(np.int64(20)).accepted  # type: ignore[arg-type]


@given(some_rules, seeds)
def test_outcomes(rules: Rules, seed: int) -> None:
    """Points, card, cards turned up and down, and peak of each action, against the reference before and after it."""
    played = random_game(rules, seed)
    assert played.deal.number is not None
    game, naive = Game(played.deal, rules), naive_game(played.deal.number, rules)
    for action in played.actions:
        before = naive.copy()
        outcome = game.play(action)
        reason = naive.undo() if action == UNDO else naive.play(action)
        moved = (before if action == UNDO else naive).waste[-1]
        up, down = face_up(naive) - face_up(before), face_up(before) - face_up(naive)
        assert reason is None
        assert outcome == Outcome(
            action,
            points=naive.score - before.score,
            card=parse_card(moved),
            turned_up=tuple(sorted(up)) if action != UNDO else (),
            turned_down=tuple(sorted(down)) if action == UNDO else (),
            peak=action if naive.peaks_cleared() > before.peaks_cleared() else None,
            status=Status(naive.status()),
        )


@settings(max_examples=25)
@given(some_rules, seeds)
def test_undo_restores_everything_but_the_moves(rules: Rules, seed: int) -> None:
    """All the way back to the start and forth again."""
    game = random_game(rules, seed, undos=False)
    if game.status == Status.WON:
        game = Game(game.deal, rules, game.line[:-1])
    line = game.line
    states = [everything(Game(game.deal, rules, line[:length])) for length in range(len(line) + 1)]
    for state in reversed(states[:-1]):
        assert game.undo().accepted
        assert everything(game) == state
        assert game.moves == len(line)
    assert game.undo().rejection == Rejection.NOTHING_TO_UNDO
    for action, state in zip(line, states[1:], strict=True):
        game.play(action)
        assert everything(game) == state
    assert game.moves == 2 * len(line)


def test_a_peak_counts_once() -> None:
    """Its bonus is given back by an undo and earned again by the same move."""
    game = Game(CODE, actions=WORKED_WIN[:36])
    score = game.score
    for _ in range(3):
        assert (game.play(0).points, game.score, game.peaks_cleared) == (99, score + 99, 1)
        assert (game.undo().points, game.score, game.peaks_cleared) == (-99, score, 0)


def test_a_blocked_game_can_be_undone() -> None:
    game = blocked_game()
    assert (game.status, game.stock, game.score) == (Status.BLOCKED, 0, 500 - game.moves)
    assert game.action_mask().tolist() == [0] * UNDO + [1]
    assert game.undo().status == Status.PLAYING


def test_a_won_game_cannot_be_undone() -> None:
    game = Game(CODE, actions=WORKED_WIN)
    assert game.action_mask().tolist() == [0] * 30
    assert (game.undo().rejection, game.score) == (Rejection.WON, 750)


def test_a_win_on_an_empty_stock_is_a_win() -> None:
    """Won is looked at before blocked."""
    deal = known_deal("mchung-t-card")
    game = Game(deal, "classic", solve(deal, "classic").actions)
    assert (game.stock, game.status) == (0, Status.WON)


def test_a_game_goes_on_while_the_stock_deals() -> None:
    """Even if no card can be removed."""
    game = Game(CODE, actions=[DRAW] * 6)
    assert (game.legal_actions(), game.status) == ([DRAW], Status.PLAYING)


@given(all_rules, seeds)
def test_save_and_load(rules: Rules, seed: int) -> None:
    """One line of text brings back the deal, the rules and all actions, undone ones included."""
    game = random_game(rules, seed)
    text = game.to_text()
    loaded = Game.from_text(text)
    assert "\n" not in text
    assert loaded == game
    assert (loaded.record, str(loaded), loaded.deal.number) == (game.record, str(game), game.deal.number)


def test_save_and_load_a_deal_without_number() -> None:
    deal = Deal.from_cards(Deal.from_code(CODE).text())
    game = Game(deal, Rules(wild=True), [20, DRAW])
    assert Game.from_text(game.to_text()) == game


def test_saved_text_is_stable() -> None:
    """Games saved by this version stay readable."""
    text = '{"rules": "classic", "deal": "TP1-C-AAAAAAB", "actions": [22, 28, 29]}'
    assert Game("TP1-C-AAAAAAB", actions=[22, 28, 29]).to_text() == text
    assert Game.from_text(text).line == (22,)


@pytest.mark.parametrize("text", ["", "{", "TP1-E-AAAAAAB", '{"rules": easy}', "[" * 5000, "9" * 5000])
def test_texts_that_are_not_json(text: str) -> None:
    with pytest.raises(ValueError, match="saved game is not one line of JSON"):
        Game.from_text(text)


@pytest.mark.parametrize("text", ["[]", "7", "null", "{}", '{"rules": "easy", "deal": "TP1-E-AAAAAAB"}'])
def test_json_that_is_no_saved_game(text: str) -> None:
    with pytest.raises(ValueError, match="must have exactly the keys rules, deal and actions"):
        Game.from_text(text)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("score", 500, "exactly the keys rules, deal and actions"),
        ("deal", 5, "a text as deal and a list as actions"),
        ("deal", "TP1-C-AAAAAAB", "names another rule"),
        ("deal", "TP1-E-A", "ends with 1 letters"),
        ("deal", "6d 5h", "must have 52 different cards"),
        ("rules", "hard", "rules is 'hard'"),
        ("rules", None, "rules is None; it must be one of easy, classic"),
        ("rules", {"wrap": 1}, "wrap is 1"),
        ("rules", {"scoring": {"peaks": 100}}, "scoring peaks is 100"),
        ("rules", {"scoring": {"start": 10**20}}, "scoring start is 1"),
        ("actions", "20", "a text as deal and a list as actions"),
        ("actions", [20, 20], "action 20 at index 1 is illegal: this card is already removed"),
        ("actions", [29], "action 29 at index 0 is illegal: there is nothing to undo"),
        ("actions", [30], "action is 30"),
        ("actions", [20.0], "action is 20.0"),
        ("actions", [True], "action is True"),
        ("actions", ["20"], "action is '20'"),
        ("actions", [[20]], "action is .20."),
    ],
)
def test_saved_games_with_a_wrong_part(key: str, value: object, message: str) -> None:
    saved = {"rules": "easy", "deal": CODE, "actions": []}
    with pytest.raises(ValueError, match=message):
        Game.from_text(json.dumps(saved | {key: value}))


def test_the_code_chooses_the_rules_unless_they_are_given() -> None:
    assert Game("TP1-C-AAAAAAB").rules == Rules.classic
    assert Game(CODE).rules == Game(Deal.from_code(CODE)).rules == Rules.easy
    with pytest.raises(ValueError, match="names another rule"):
        Game(CODE, "classic")


def test_equality() -> None:
    """Deal, rules and all actions count; the deal's number does not."""
    game = Game(CODE, actions=[20])
    assert game == Game(Deal.from_cards(game.deal.text()), "easy", [20])
    assert game != Game(CODE, actions=[20, 23, UNDO])
    assert game != Game("TP1-C-AAAAAAB", "classic", [22])
    assert game != Game("TP1-E-AAAAAAC")
    assert game != CODE
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_copies_are_independent() -> None:
    game = Game(CODE, actions=[20, 23])
    twin = game.copy()
    twin.play(22)
    twin.undo()
    twin.undo()
    game.record["score"] = 0
    assert (game.line, game.score, game.actions) == ((20, 23), 498, (20, 23))
    assert (twin.line, twin.score, twin.actions) == ((20,), 499, (20, 23, 22, UNDO, UNDO))
    assert game == Game(CODE, actions=[20, 23])


BOARDS = {
    "start": (
        Game(CODE),
        """
      ░░          ░░          ░░
    ░░  ░░      ░░  ░░      ░░  ░░
  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░
3♠  5♠  K♣  4♠  2♦  A♠  K♦  8♥  7♣  9♠
stock 23   waste A♣   score 500   moves 0   playing""",
    ),
    "open": (
        Game(CODE, Rules(open_peaks=True)),
        """
      K♥          J♠          5♦
    Q♥  8♣      J♥  4♣      7♦  T♠
  6♦  Q♠  2♠  K♠  7♠  3♣  A♥  T♦  T♥
3♠  5♠  K♣  4♠  2♦  A♠  K♦  8♥  7♣  9♠
stock 23   waste A♣   score 500   moves 0   playing""",
    ),
    "empty waste": (
        Game(CODE, Rules(empty_waste=True)),
        """
      ░░          ░░          ░░
    ░░  ░░      ░░  ░░      ░░  ░░
  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░
3♠  5♠  K♣  4♠  2♦  A♠  K♦  8♥  7♣  9♠
stock 24   waste empty   score 500   moves 0   playing""",
    ),
    "joker": (
        Game(Deal(Deal.from_code(CODE).cards, joker=1), Rules(wild=True), [DRAW, DRAW]),
        """
      ░░          ░░          ░░
    ░░  ░░      ░░  ░░      ░░  ░░
  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░  ░░
3♠  5♠  K♣  4♠  2♦  A♠  K♦  8♥  7♣  9♠
stock 22   waste *   score 498   moves 2   playing""",
    ),
    "after an undo": (
        Game(CODE, actions=[20, 23, 22, 28, UNDO]),
        """
      ░░          ░░          ░░
    ░░  ░░      ░░  ░░      ░░  ░░
  ░░  ░░  ░░  ░░  7♠  ░░  ░░  ░░  ░░
3♠  5♠      4♠          K♦  8♥  7♣  9♠
stock 23   waste 2♦   score 497   moves 4   playing""",
    ),
    "late": (
        Game(CODE, actions=WORKED_WIN[:40]),
        """
                  J♠          ░░
                                T♠


stock 8   waste J♦   score 560   moves 40   playing""",
    ),
    "won": (Game(CODE, actions=WORKED_WIN), "\n\n\n\n\nstock 1   waste 5♦   score 750   moves 50   won"),
}


@pytest.mark.parametrize(("game", "board"), BOARDS.values(), ids=BOARDS.keys())
def test_boards(game: Game, board: str) -> None:
    assert str(game) == board.removeprefix("\n")


def test_repr() -> None:
    assert repr(Game(CODE, actions=[20])) == "<Game easy, playing, score 499, moves 1>"


def test_playing_on_does_not_change_earlier_observations() -> None:
    game = Game(CODE)
    seen = [game.observation() for _ in WORKED_WIN if game.play(WORKED_WIN[game.moves])]
    assert [int(observation["stock"][0]) for observation in seen] == [
        23 - WORKED_WIN[: length + 1].count(DRAW) for length in range(len(WORKED_WIN))
    ]
    assert not any(np.shares_memory(a["tableau"], b["tableau"]) for a, b in pairwise(seen))


def test_every_copy_is_independent() -> None:
    game = Game(CODE, actions=[20, 23, 22])
    for other in (game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert other == game
        other.play(DRAW)
        assert other != game
        assert (game.moves, game.actions) == (3, (20, 23, 22))
