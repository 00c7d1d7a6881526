"""A person's session of play: one game after another, with messages that know no language. Nothing is shown or read here.

The terminal and the window both play a :class:`Session`. :mod:`tripeaks_env.play.texts` puts its messages into words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from tripeaks_env.env.splits import random_numbers
from tripeaks_env.game.cards import card_symbol
from tripeaks_env.game.deals import Deal, parse_code
from tripeaks_env.game.engine import DRAW, Rejection, Status
from tripeaks_env.game.game import Game, Outcome
from tripeaks_env.game.layout import HALF_COLUMNS
from tripeaks_env.solver.advice import hint
from tripeaks_env.solver.one_deal import solve

RulesChoice = Literal["easy", "classic"]
"""The rules that a person chooses from: whether king and ace are adjacent."""

REJECTIONS = {
    Rejection.WRONG_RANK: "wrong_rank",
    Rejection.BLOCKED: "card_blocked",
    Rejection.REMOVED: "card_removed",
    Rejection.STOCK_EMPTY: "stock_empty",
    Rejection.NOTHING_TO_UNDO: "nothing_to_undo",
    Rejection.WON: "won_for_good",
}
"""The keys of the messages that say why an action did nothing."""

PEAK_NAMES = ("left", "centre", "right")
SHOWN_OF_A_BAD_CODE = 24
"""Characters that a message repeats of what was given as a code."""


@dataclass(frozen=True)
class Message:
    """Something to tell the player, in no language.

    Attributes:
        key: which text, see :data:`tripeaks_env.play.texts.TEXTS`.
        parameters: what the text has in braces.
        action: the card (0-27) or the stock (28) that it is about, to be marked on the board; ``None`` if there is none.
        error: whether it says why nothing happened.
    """

    key: str
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    action: int | None = None
    error: bool = False


class Move(NamedTuple):
    """A step of a line of play.

    Attributes:
        action: 0-27 (remove) or 28 (draw).
        card: the number of the card that moved.
        points: the change of the score.
        score: the score after it.
        peak: the peak that it emptied (0 left, 1 centre, 2 right), or ``None``.
    """

    action: int
    card: int
    points: int
    score: int
    peak: int | None


class Session:
    """Games of one person, one after another, under easy or classic rules.

    The last 100 actions can be undone. A line has 51 actions at most, so these are always all of them.

    Args:
        code: of the first deal; its letter tells the rules. By default a random deal.
        rules: of the first deal, and of the next ones until others are chosen; by default those of the code, or easy.
        help: whether to tell why a card cannot be played.
        seed: of the random deals; by default others each time.

    Raises:
        ValueError: the code is malformed, its letter is that of the other rules, or there are no such rules.

    Attributes:
        game: the game being played. A new deal is a new one.
        help: see above; may be changed at any time.

    >>> session = Session("TP1-E-AAAAAAB")
    >>> session.act(20), session.act(0).key, session.game.score
    (None, 'card_blocked', 499)
    """

    def __init__(
        self,
        code: str | None = None,
        rules: RulesChoice | None = None,
        help: bool = True,
        seed: int | None = None,
    ) -> None:
        _check(rules)
        self.help = help
        self._rng = np.random.default_rng(seed)
        self.game = Game(code, rules) if code is not None else self._random_game(rules or "easy")

    @property
    def rules(self) -> RulesChoice:
        """The rules of the game being played."""
        return "easy" if self.game.rules.wrap else "classic"

    @property
    def code(self) -> str:
        """The code that deals these cards by these rules again."""
        code = self.game.deal.code(self.game.rules)
        assert code is not None  # every deal here comes from a number
        return code

    @property
    def over(self) -> bool:
        """Whether the game is won or blocked. A blocked one can still be undone."""
        return self.game.status != Status.PLAYING

    @property
    def last(self) -> int | None:
        """The action that led here, or ``None`` at the start."""
        line = self.game.line
        return line[-1] if line else None

    @property
    def ending(self) -> Message | None:
        """What there is to say as long as the game is over: ``won`` or ``no_more_moves``; ``None`` while it is played."""
        if not self.over:
            return None
        key = "won" if self.game.status == Status.WON else "no_more_moves"  # whose text may leave the numbers out
        return Message(key, {"score": self.game.score, "moves": self.game.moves})

    def act(self, action: int) -> Message | None:
        """Remove a card (0-27) or draw one (28); what is illegal changes nothing.

        Returns:
            Why nothing happened, if help is on; the bonus of a peak that it emptied; else ``None``. Whether the game is over
            is told by :attr:`ending`.
        """
        outcome = self.game.play(action)
        if not outcome.accepted:
            return self._refusal(outcome) if self.help else None
        if outcome.peak is None:
            return None
        return Message(f"peak_{PEAK_NAMES[outcome.peak]}", {"points": self.game.rules.scoring.peaks[0]}, action)

    def undo(self) -> Message | None:
        """Take the last action back: card, turned cards and points; the counter of moves stays.

        Returns:
            Why that is not possible, whether help is on or not; else ``None``.
        """
        outcome = self.game.undo()
        return None if outcome.accepted else self._refusal(outcome)

    def new(self, code: str | None = None, rules: RulesChoice | None = None) -> Message:
        """Begin another game.

        Args:
            code: of the deal; its letter tells the rules. By default a random deal.
            rules: of a random deal; by default as before. With a code they replace its letter: the cards are the same.

        Returns:
            ``new_game``; or, with ``error``, ``bad_code``, and the old game goes on.

        Raises:
            ValueError: there are no such rules.
        """
        _check(rules)
        if code is None:
            self.game = self._random_game(rules or self.rules)
        else:
            try:
                letter, number = parse_code(code)
            except ValueError:
                shown = "".join(c if c.isprintable() else "?" for c in code.strip()[:SHOWN_OF_A_BAD_CODE])
                return Message("bad_code", {"code": shown}, error=True)
            self.game = Game(Deal.from_number(number), rules or ("classic" if letter == "C" else "easy"))
        return Message("new_game", {"code": self.code})

    def again(self) -> Message:
        """Begin the same deal anew."""
        return self.new(self.code)

    def toggle_help(self) -> Message:
        """Switch error help on or off, and say so."""
        self.help = not self.help
        return Message("help_on" if self.help else "help_off")

    def hint(self) -> Message:
        """Return a best move, found by the solver, which sees all cards; :attr:`Message.action` is that move."""
        if self.over:
            return Message("no_hint", error=True)
        best = hint(self.game)
        what = "draw" if best.action == DRAW else "remove"
        how = "won" if solve(self.game).won else "lost"
        card = {} if best.action == DRAW else {"card": card_name(self.game.deal.cards[best.action])}
        return Message(f"hint_{what}_{how}", {**card, "score": best.value}, best.action)

    def winnable(self) -> Message:
        """Say whether the game can still be won from here, and the most points that it can get, without undo."""
        best = solve(self.game)
        return Message("winnable" if best.won else "not_winnable", {"score": best.score})

    def optimum(self) -> Message:
        """Say the best that this deal allows from the start."""
        best = solve(self.game.deal, self.game.rules)
        return Message("optimum_won" if best.won else "optimum_lost", {"score": best.score, "moves": len(best.actions)})

    def best_line(self) -> list[Move]:
        """Return a line from the start of this deal that scores its optimum."""
        return _moves(self.game, solve(self.game.deal, self.game.rules).actions)

    def own_line(self) -> list[Move]:
        """Return the line that led here from the start, without what was undone."""
        return _moves(self.game, self.game.line)

    def last_move(self) -> Message | None:
        """Say what the last move was and what it brought; ``None`` at the start."""
        if self.last is None:
            return None
        move = self.own_line()[-1]
        what = "did_draw" if move.action == DRAW else "did_remove"
        return Message(what, {"card": card_name(move.card), "points": f"{move.points:+d}"})

    def _random_game(self, rules: RulesChoice) -> Game:
        return Game(Deal.from_number(int(random_numbers(self._rng)[0])), rules)

    def _refusal(self, outcome: Outcome) -> Message:
        action = outcome.action if outcome.action <= DRAW else None
        return Message(REJECTIONS[outcome.rejection], action=action, error=True)


def _check(rules: str | None) -> None:
    if rules is not None and rules not in get_args(RulesChoice):
        raise ValueError(f"rules are {rules!r}; they must be one of {', '.join(get_args(RulesChoice))}")


ANSWERS: Mapping[str, Callable[[Session], Message]] = {
    "hint": Session.hint,
    "ask_winnable": Session.winnable,
    "ask_optimum": Session.optimum,
    "error_help": Session.toggle_help,
}
"""The commands of :data:`tripeaks_env.play.keys.PLAY` that leave the game as it is and are answered with a message."""


def uncovered(game: Game) -> list[int]:
    """Return the positions of the cards that nothing covers, left to right."""
    return sorted(game.view().exposed(), key=HALF_COLUMNS.__getitem__)


def card_name(card: int) -> str:
    """Return a card as people write it, a ten as ``10``: ``10♦``."""
    return card_symbol(card).replace("T", "10")


def value_texts(values: np.ndarray, game: Game) -> dict[int, str]:
    """Return what the legal actions of a game are worth as people read it: with decimals only where they tell something.

    Args:
        values: float (29,); an action without a finite one is left out.
        game: whose actions they are of.
    """
    worth = {action: float(values[action]) for action in game.legal_actions() if np.isfinite(values[action])}
    whole = all(value.is_integer() for value in worth.values())
    digits = 0 if whole else 2 if max(map(abs, worth.values())) <= 10 else 1
    return {action: f"{value:.{digits}f}" for action, value in worth.items()}


def _moves(game: Game, line: tuple[int, ...]) -> list[Move]:
    """Return the steps of a line from the start of a game's deal."""
    replay, moves = Game(game.deal, game.rules), []
    for action in line:
        outcome = replay.play(action)
        assert outcome.card is not None
        moves.append(Move(action, outcome.card, outcome.points, replay.score, outcome.peak))
    return moves
