"""Naive TriPeaks: a slow but obvious reference used by the tests.

It shares no code with the engine. A card is a string such as "6D" or "TS" (rank, suit), the joker is "*".
The geometry is read off a picture of the peaks, the neighbours of a rank off a string of ranks; the score is
the sum of a list of points, and undo goes back to a full copy of an earlier state.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

RANKS = "A23456789TJQK"
JOKER = "*"
DRAW = 28

DECK = (
    "8C 7C 3H AC TH TS 5H 5S 9S TD 2S 3C JD 8H 5C KS 4D KD 6S QS TC 7H 2D AD QC 4S "
    "AS 3S JC 8S 6D 9H 7S JH 2H QD 7D 5D 6C AH 9C 9D QH KC 6H JS 3D KH 4H 2C 4C 8D"
).split()

# One '#' is one card. Positions count the cards row by row, left to right, starting at the summits.
PICTURE = [
    "...#.....#.....#...",
    "..#.#...#.#...#.#..",
    ".#.#.#.#.#.#.#.#.#.",
    "#.#.#.#.#.#.#.#.#.#",
]
PLACES = [(row, col) for row, line in enumerate(PICTURE) for col, mark in enumerate(line) if mark == "#"]

# A card lies under the two cards of the next row that are half a card to its left and to its right.
COVERS = [
    [PLACES.index((row + 1, col + side)) for side in (-1, 1) if (row + 1, col + side) in PLACES] for row, col in PLACES
]

# Each peak is six columns of the picture wide; the last bottom card sticks out and belongs to the right peak.
PEAK = [min(col // 6, 2) for _, col in PLACES]


def neighbours(rank: str, wrap: bool) -> str:
    """Return the ranks one step up and down from `rank`; with `wrap`, king and ace are one step apart too."""
    track = "K" + RANKS + "A" if wrap else " " + RANKS + " "
    here = RANKS.index(rank) + 1
    return (track[here - 1] + track[here + 1]).strip()


NEIGHBOURS = {(rank, wrap): neighbours(rank, wrap) for rank in RANKS for wrap in (True, False)}


def naive_number(letters: str) -> int:
    """Return the number of a deal from its seven letters: base 26, A = 0, first letter most significant."""
    number = 0
    for letter in letters:
        number = number * 26 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter)
    return number


def random_words(seed: int) -> Iterator[int]:
    """Yield the high 32 bits of each SplitMix64 output, without end."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        z = z ^ (z >> 31)
        yield z // 2**32


def below(n: int, words: Iterator[int]) -> int:
    """Return an unbiased random number from 0 to n - 1, rejecting the words that would tilt it."""
    while True:
        product = next(words) * n
        if product % 2**32 >= 2**32 % n:
            return product // 2**32


def naive_deal(number: int) -> tuple[list[str], int]:
    """Return the 52 cards of a deal in dealing order and the joker's place in the stock (0 to 23).

    The order is 28 tableau cards, the first waste card, 23 stock cards.
    """
    words = random_words(number)
    cards = list(DECK)
    for i in range(51, 0, -1):
        j = below(i + 1, words)
        cards[i], cards[j] = cards[j], cards[i]
    return cards, below(24, words)


class NaiveGame:
    """One game of TriPeaks, with every variant as an option.

    wrap: king and ace are neighbours.
    draw: "any" (a draw is always allowed) or "stuck" (only when no removal is).
    start: the score at the start.
    removal, draw_points: points for each removal and for each draw.
    peaks: points for the first, second and third emptied peak.
    streak: the n-th removal in a row since the last draw scores n more.
    wild: a joker goes into the stock at `joker_place`.
    open_peaks: all peak cards lie face up.
    empty_waste: the first waste card goes on top of the stock instead.
    """

    def __init__(
        self,
        cards: list[str],
        joker_place: int = 0,
        *,
        wrap: bool = True,
        draw: str = "any",
        start: int = 500,
        removal: int = -1,
        draw_points: int = -1,
        peaks: tuple[int, int, int] = (100, 100, 100),
        streak: bool = False,
        wild: bool = False,
        open_peaks: bool = False,
        empty_waste: bool = False,
    ) -> None:
        """Lay out 52 cards given in dealing order."""
        if draw not in ("any", "stuck"):
            raise ValueError(f"unknown draw rule: {draw}")
        self.wrap, self.draw, self.start, self.streak = wrap, draw, start, streak
        self.removal, self.draw_points, self.peaks = removal, draw_points, peaks
        self.wild, self.open_peaks = wild, open_peaks

        self.tableau = {position: cards[position] for position in range(28)}  # the cards still there
        self.waste = [cards[28]]  # the last one is on top
        self.stock = cards[29:]  # the first one is drawn next
        if wild:
            self.stock.insert(joker_place, JOKER)
        if empty_waste:
            self.stock.insert(0, self.waste.pop())
        self.points: list[int] = []  # what each action so far scored
        self.run = 0  # removals in a row since the last draw
        self.moves = 0  # actions played, whether undone later or not
        self.history: list[tuple[dict[int, str], list[str], list[str], list[int], int]] = []

    @property
    def score(self) -> int:
        """The starting points and those of all actions that are not undone."""
        return self.start + sum(self.points)

    def uncovered(self, position: int) -> bool:
        """Tell whether none of the cards that lie on this position is left."""
        return self.tableau.keys().isdisjoint(COVERS[position])

    def fits(self, card: str) -> bool:
        """Tell whether the card may go on the waste, wherever it lies."""
        if not self.waste or self.waste[-1] == JOKER:
            return True
        return card[0] in NEIGHBOURS[self.waste[-1][0], self.wrap]

    def exposed(self) -> list[int]:
        """Return the positions of the uncovered cards, in rising order."""
        return [position for position in self.tableau if self.uncovered(position)]

    def removals(self) -> list[int]:
        """Return the positions of the exposed cards that fit on the waste."""
        return [position for position in self.exposed() if self.fits(self.tableau[position])]

    def legal_actions(self) -> list[int]:
        """Return what can be played: 0 to 27 to remove, 28 to draw; nothing once the game is over."""
        if not self.tableau:
            return []
        actions = self.removals()
        if self.stock and (self.draw == "any" or not actions):
            actions.append(DRAW)
        return actions

    def status(self) -> str:
        """Return "won" (no peak card left), "blocked" (no stock and no removal left) or "playing"."""
        if not self.tableau:
            return "won"
        if not self.stock and not self.removals():
            return "blocked"
        return "playing"

    def peaks_cleared(self) -> int:
        """Return how many of the three peaks have none of their 9, 9 and 10 cards left."""
        return 3 - len({PEAK[position] for position in self.tableau})

    def rejection(self, action: int) -> str | None:
        """Return why the action cannot be played now, or None if it can."""
        if action not in range(29):
            raise ValueError(f"no such action: {action}")
        if action == DRAW:
            if not self.tableau:
                return "won"
            if not self.stock:
                return "stock empty"
            if self.draw == "stuck" and self.removals():
                return "not stuck"
            return None
        if action not in self.tableau:
            return "removed"
        if not self.uncovered(action):
            return "blocked"
        if not self.fits(self.tableau[action]):
            return "wrong rank"
        return None

    def play(self, action: int) -> str | None:
        """Play an action and return None, or change nothing and return the reason why it cannot be played."""
        reason = self.rejection(action)
        if reason is not None:
            return reason
        state = (self.tableau.copy(), self.waste.copy(), self.stock.copy(), self.points.copy(), self.run)
        self.history.append(state)
        self.moves += 1
        if action == DRAW:
            self.waste.append(self.stock.pop(0))
            self.run = 0
            self.points.append(self.draw_points)
            return None
        cleared = self.peaks_cleared()
        self.waste.append(self.tableau.pop(action))
        self.run += 1
        self.points.append(self.removal)
        if self.streak:
            self.points.append(self.run)
        if self.peaks_cleared() > cleared:
            self.points.append(self.peaks[cleared])
        return None

    def undo(self) -> str | None:
        """Go back one action and return None, or return the reason why not. Only `moves` is not restored."""
        if self.status() == "won":
            return "won"
        if not self.history:
            return "nothing to undo"
        tableau, waste, stock, points, self.run = self.history.pop()
        # Copies again, as the history's entries may be shared with copies of this game.
        self.tableau, self.waste, self.stock, self.points = (
            tableau.copy(),
            waste.copy(),
            stock.copy(),
            points.copy(),
        )
        return None

    def observation(self) -> dict[str, list[int]]:
        """Return what a player may see, as lists of numbers.

        tableau (28): 0 removed, 1 to 13 the rank of a face-up card, 14 face down.
        waste (1): 0 empty, 1 to 13 a rank, 15 the joker.
        stock (1): cards left.
        unseen (13): how many cards of each rank from ace to king are face down or in the stock; a 14th entry
        counts the joker if there is one in the game.
        action_mask (29): 1 for each legal action.
        run (1): removals in a row since the last draw; only with the streak score.
        """
        tableau = [0] * 28
        hidden = list(self.stock)
        for position, card in self.tableau.items():
            if self.open_peaks or self.uncovered(position):
                tableau[position] = RANKS.index(card[0]) + 1
            else:
                tableau[position] = 14
                hidden.append(card)
        if not self.waste:
            top = 0
        elif self.waste[-1] == JOKER:
            top = 15
        else:
            top = RANKS.index(self.waste[-1][0]) + 1
        hidden_text = " ".join(hidden)
        action_mask = [0] * 29
        for action in self.legal_actions():
            action_mask[action] = 1
        seen = {
            "tableau": tableau,
            "waste": [top],
            "stock": [len(self.stock)],
            "unseen": [hidden_text.count(rank) for rank in (RANKS + JOKER if self.wild else RANKS)],
            "action_mask": action_mask,
        }
        if self.streak:
            seen["run"] = [self.run]
        return seen

    def copy(self) -> NaiveGame:
        """Return an independent game in the same state, with the same history."""
        twin = copy.copy(self)
        twin.tableau, twin.waste, twin.stock = self.tableau.copy(), self.waste.copy(), self.stock.copy()
        twin.points, twin.history = self.points.copy(), self.history.copy()
        return twin


def naive_best(game: NaiveGame) -> int:
    """Return the best final score over all plays to the end of the game, without undo.

    A plain recursion that remembers nothing: only for small endgames.
    """
    if game.status() != "playing":
        return game.score
    best: int | None = None
    for action in game.legal_actions():
        child = game.copy()
        child.play(action)
        value = naive_best(child)
        best = value if best is None else max(best, value)
    assert best is not None
    return best


def naive_ends(game: NaiveGame) -> set[tuple[bool, int, int]]:
    """Return every end that the plays of the game can reach, without undo: (won, stock cards left, final score).

    A plain recursion that remembers nothing: only for small endgames.
    """
    if game.status() != "playing":
        return {(game.status() == "won", len(game.stock), game.score)}
    ends = set()
    for action in game.legal_actions():
        child = game.copy()
        child.play(action)
        ends |= naive_ends(child)
    return ends


def naive_choice(ends: set[tuple[bool, int, int]], objective: str) -> tuple[bool, int, int]:
    """Return the best of some ends: the highest score, of the wins only if there are any and a win is wanted.

    objective: "score" (any end), "win" (a win first), "moves" (a win with the most stock cards left first).
    """
    wins = [end for end in ends if end[0]]
    if not wins or objective == "score":
        return max(ends, key=lambda end: end[2])
    if objective == "moves":
        most_left = max(left for _, left, _ in wins)
        wins = [end for end in wins if end[1] == most_left]
    return max(wins, key=lambda end: end[2])


def naive_luck(game: NaiveGame) -> Fraction:
    """Return how likely a win is if removals are chosen at random, all alike, and a draw only where there are none.

    A plain recursion that remembers nothing: only for small endgames.
    """
    if game.status() != "playing":
        return Fraction(game.status() == "won")
    actions = game.removals() or [DRAW]
    chance = Fraction(0)
    for action in actions:
        child = game.copy()
        child.play(action)
        chance += naive_luck(child) / len(actions)
    return chance


def naive_playout(game: NaiveGame, rng: random.Random) -> bool:
    """Play on by removals chosen at random, with a draw only where there are none; tell whether that wins."""
    trial = game.copy()
    while trial.status() == "playing":
        trial.play(rng.choice(trial.removals() or [DRAW]))
    return trial.status() == "won"


def naive_endgame(
    game: NaiveGame, tableau_left: int, stock_left: int, rng: random.Random, tries: int = 100
) -> NaiveGame | None:
    """Go on by random legal play to a small endgame and return it, or None if all tries fail.

    It is a copy, still playing, with at most `tableau_left` peak cards and at most `stock_left` stock cards.
    """
    for _ in range(tries):
        trial = game.copy()
        while trial.status() == "playing":
            if len(trial.tableau) <= tableau_left and len(trial.stock) <= stock_left:
                return trial
            removals = trial.removals()
            want_removal = removals and len(trial.tableau) > tableau_left
            trial.play(rng.choice(removals if want_removal else trial.legal_actions()))
    return None


def naive_worlds(game: NaiveGame) -> list[NaiveGame]:
    """Return the game with its hidden cards in every order, those of the stock and those face down.

    Only for endgames with few hidden cards. The joker, which is never dealt to the tableau, stays in the stock.
    """
    down = [] if game.open_peaks else [place for place in game.tableau if not game.uncovered(place)]
    worlds = []
    for order in permutations([game.tableau[place] for place in down] + game.stock):
        if JOKER not in order[: len(down)]:
            world = game.copy()
            world.tableau |= dict(zip(down, order, strict=False))
            world.stock = list(order[len(down) :])
            worlds.append(world)
    return worlds


def naive_fair_values(worlds: list[NaiveGame], depth: int, value: Callable[[NaiveGame], float]) -> dict[int, float]:
    """Return for each action what a player can expect who sees only what is face up, `depth` actions deep.

    worlds: games that look the same to the player, all as likely.
    value: what a game is worth that is over or so many actions deep; it must not depend on hidden cards.
    """
    values = {}
    for action in worlds[0].legal_actions():
        groups: dict[str, list[NaiveGame]] = {}
        for world in worlds:
            child = world.copy()
            child.play(action)
            groups.setdefault(str(child.observation()), []).append(child)
        values[action] = 0.0
        for group in groups.values():
            over = group[0].status() != "playing"
            best = value(group[0]) if over or depth == 1 else max(naive_fair_values(group, depth - 1, value).values())
            values[action] += len(group) / len(worlds) * best
    return values
