"""A game to play: the engine with cards that have suits, messages, undo, and a text to save it as."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tripeaks_env.game.arguments import integer
from tripeaks_env.game.deals import FIRST_WASTE, Deal, as_deal, deal_slots, parse_code
from tripeaks_env.game.engine import DRAW, STATUSES, UNDO, Rejection, Status, new_games, play_actions, status, tables
from tripeaks_env.game.layout import COVERS, PEAKS, POSITIONS, peaks_cleared
from tripeaks_env.game.observation import Observation, observe
from tripeaks_env.game.rules import Rules, as_rules
from tripeaks_env.game.view import View, view_of

UNLIMITED = np.iinfo(np.int32).max
"""Undos of a :class:`Game`. A line has at most 53 actions, so the last 100 actions, which can be undone, are all of them."""

MESSAGES = {
    Rejection.WRONG_RANK: "must be one rank higher or lower",
    Rejection.BLOCKED: "this card is blocked",
    Rejection.REMOVED: "this card is already removed",
    Rejection.STOCK_EMPTY: "the stock is empty",
    Rejection.NOT_STUCK: "a card may be drawn only when none can be removed",
    Rejection.WON: "the game is won",
    Rejection.NOTHING_TO_UNDO: "there is nothing to undo",
    Rejection.NO_UNDO_LEFT: "no undo is left",
}
"""What to tell a player whose action was rejected."""


@dataclass(frozen=True)
class Outcome:
    """What an action did.

    Attributes:
        action: the action: 0-27, 28 (draw) or 29 (undo).
        rejection: why nothing happened; ``Rejection.NONE`` if the action was carried out.
        points: the change of the score.
        card: the card that moved (removed, drawn or put back), or ``None``.
        turned_up: positions whose cards turned face up.
        turned_down: positions whose cards turned face down again (undo).
        peak: the peak that the action emptied (0 left, 1 centre, 2 right), or ``None``.
        status: where the game stands now.
    """

    action: int
    rejection: Rejection = Rejection.NONE
    points: int = 0
    card: int | None = None
    turned_up: tuple[int, ...] = ()
    turned_down: tuple[int, ...] = ()
    peak: int | None = None
    status: Status = Status.PLAYING

    @property
    def accepted(self) -> bool:
        """Whether the action was carried out."""
        return self.rejection == Rejection.NONE

    @property
    def message(self) -> str:
        """Why the action was rejected, in words; empty if it was not."""
        return MESSAGES.get(self.rejection, "")


class Game:
    """One game of TriPeaks, played with all rules, undo included.

    Args:
        deal: a :class:`Deal` or a deal code such as ``"TP1-E-AAAAAAB"``.
        rules: a preset's name or :class:`Rules`. By default the rule that the code names, or easy.
        actions: actions to play at once, each 0-27, 28 (draw) or 29 (undo).

    Raises:
        ValueError: the deal, the rules or an action is not valid.

    >>> game = Game("TP1-E-AAAAAAB")
    >>> game.legal_actions()
    [20, 22, 24, 28]
    >>> [game.play(action).turned_up for action in (20, 23, 22)]
    [(), (), (13,)]
    >>> print(game)
          ░░          ░░          ░░
        ░░  ░░      ░░  ░░      ░░  ░░
      ░░  ░░  ░░  ░░  7♠  ░░  ░░  ░░  ░░
    3♠  5♠      4♠          K♦  8♥  7♣  9♠
    stock 23   waste 2♦   score 497   moves 3   playing
    """

    def __init__(self, deal: Deal | str, rules: str | Rules | None = None, actions: Iterable[int] = ()) -> None:
        if rules is None:
            rules = "classic" if isinstance(deal, str) and parse_code(deal)[0] == "C" else "easy"
        self.rules = as_rules(rules)
        self.deal = as_deal(deal, self.rules)
        self._slots = deal_slots([self.deal], self.rules)
        self._game = new_games(self._slots, self.rules, undos=UNLIMITED)
        self._actions: list[int] = []
        for action in actions:
            outcome = self.play(action)
            if not outcome.accepted:
                raise ValueError(f"action {action} at index {len(self._actions)} is illegal: {outcome.message}")

    @property
    def record(self) -> np.ndarray:
        """The engine's record of this game: a copy, (1,) of :data:`tripeaks_env.game.engine.GAME`."""
        return self._game.copy()

    @property
    def slots(self) -> np.ndarray:
        """The card numbers as they were dealt, int8 (54,), see :func:`tripeaks_env.game.deals.lay_out`: a copy."""
        return self._slots[0].copy()

    @property
    def actions(self) -> tuple[int, ...]:
        """Every action carried out so far, undone ones and undos (29) included: they replay the game."""
        return tuple(self._actions)

    @property
    def line(self) -> tuple[int, ...]:
        """The actions that lead here from the start, without undone ones."""
        return tuple(self._game["line"][0, : self._game["length"][0]].tolist())

    @property
    def score(self) -> int:
        """The score."""
        return int(self._game["score"][0])

    @property
    def moves(self) -> int:
        """Removals and draws carried out, undone ones included. An undo neither raises nor lowers it."""
        return int(self._game["moves"][0])

    @property
    def stock(self) -> int:
        """Number of cards left in the stock."""
        return self.rules.stock_size - int(self._game["drawn"][0])

    @property
    def remaining(self) -> tuple[int, ...]:
        """The positions whose cards are still there."""
        mask = int(self._game["remaining"][0])
        return tuple(position for position in range(POSITIONS) if mask >> position & 1)

    @property
    def peaks_cleared(self) -> int:
        """Number of emptied peaks, 0 to 3."""
        return int(peaks_cleared(self._game["remaining"][0]))

    @property
    def status(self) -> Status:
        """Whether the game is being played, won or blocked."""
        return STATUSES[status(self._game[0], tables(self.rules)[0])]

    def action_mask(self) -> np.ndarray:
        """Return int8 (30,): 1 for each legal action, the last for undo."""
        return observe(self._game, self.rules, max_undos=1)["action_mask"][0]

    def legal_actions(self) -> list[int]:
        """Return the legal removals (0-27) and draw (28), ascending; empty when the game is over."""
        return np.flatnonzero(self.action_mask()[:UNDO]).tolist()

    def observation(self) -> Observation:
        """Return what a player sees, as :class:`tripeaks_env.TriPeaksEnv` without undo observes it."""
        return {key: value[0] for key, value in observe(self._game, self.rules).items()}

    def view(self, highlight: bool = False) -> View:
        """Return what a player sees, suits included, with the legal actions marked as playable if ``highlight``."""
        return view_of(self._slots[0], self._game, self.rules, highlight)

    def play(self, action: int) -> Outcome:
        """Carry out a removal (0-27), a draw (28) or an undo (29); an illegal one changes nothing.

        Raises:
            ValueError: there is no such action.
        """
        action = integer("action", action, 0, UNDO, "0 to 27 (remove), 28 (draw) or 29 (undo)")
        before = self._game.copy()
        points, rejections, _ = play_actions(self._game, np.array([action]), self.rules)
        if rejections[0]:
            return Outcome(action, Rejection(int(rejections[0])), status=self.status)
        self._actions.append(action)
        moved, turned_by = action, self._game
        if action == UNDO:
            moved, turned_by = int(before["line"][0, before["length"][0] - 1]), before
        slot = moved if moved != DRAW else FIRST_WASTE + int(turned_by["drawn"][0])
        turned = () if moved == DRAW or self.rules.open_peaks else self._uncovered_by(moved)
        return Outcome(
            action=action,
            points=int(points[0]),
            card=int(self._slots[0, slot]),
            turned_up=() if action == UNDO else turned,
            turned_down=turned if action == UNDO else (),
            peak=action if action < PEAKS else None,
            status=self.status,
        )

    def undo(self) -> Outcome:
        """Take the last action back: the card, what it turned up and exactly its points; the move counter stays.

        A blocked game can be undone, a won one cannot.
        """
        return self.play(UNDO)

    def copy(self) -> Game:
        """Return an independent copy."""
        other = object.__new__(Game)
        other.__dict__.update(self.__dict__)
        other._game = self._game.copy()
        other._actions = list(self._actions)
        return other

    __copy__ = copy

    def to_text(self) -> str:
        """Return the game as one line of JSON: rules, deal (code or cards) and all actions."""
        deal = self.deal.code(self.rules) or self.deal.text()
        return json.dumps({"rules": self.rules.to_json(), "deal": deal, "actions": self._actions})

    @classmethod
    def from_text(cls, text: str) -> Game:
        """Return the game that :meth:`to_text` wrote.

        Raises:
            ValueError: the text is not a saved game; the message says what is wrong with it.
        """
        try:
            saved = json.loads(text)
        except (TypeError, RecursionError, ValueError) as error:  # such as of an integer with thousands of digits
            raise ValueError(f"saved game is not one line of JSON: {error}") from None
        if not isinstance(saved, dict) or saved.keys() != {"rules", "deal", "actions"}:
            raise ValueError(f"saved game is {text!r}; it must have exactly the keys rules, deal and actions")
        deal, actions = saved["deal"], saved["actions"]
        if not isinstance(deal, str) or not isinstance(actions, list):
            raise ValueError("saved game must have a text as deal and a list as actions")
        return cls(Deal.from_cards(deal) if " " in deal.strip() else deal, as_rules(saved["rules"]), actions)

    def _uncovered_by(self, position: int) -> tuple[int, ...]:
        """Return the positions that ``position`` and one more removed card covered, and nothing does any more."""
        mask = int(self._game["remaining"][0]) & ~(1 << position)
        return tuple(
            below
            for below in range(position)
            if position in COVERS[below] and not any(mask >> cover & 1 for cover in COVERS[below])
        )

    def __eq__(self, other: object) -> bool:
        """Games are equal if deal, rules and all actions so far are."""
        if not isinstance(other, Game):
            return NotImplemented
        return (self.deal, self.rules, self._actions) == (other.deal, other.rules, other._actions)

    __hash__ = None  # type: ignore[assignment]  # a game changes

    def __str__(self) -> str:
        return str(self.view())

    def __repr__(self) -> str:
        return f"<Game {self.rules}, {self.status}, score {self.score}, moves {self.moves}>"
