"""The sweeps of many deals over a few masks, small enough for plain Python, against a search through all plays."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.common import ADDITIVE, endgame
from tripeaks_env import Game, Rules, solve
from tripeaks_env.game.cards import FACE_DOWN
from tripeaks_env.game.deals import FIRST_WASTE, SLOTS
from tripeaks_env.game.layout import COVER_MASKS
from tripeaks_env.game.rules import adjacency
from tripeaks_env.solver.draw_by_draw import as_bits, as_words, draw_by_draw, first_with_bit, goes_on
from tripeaks_env.solver.fewest_draws import LANES, NEVER, fewest_draws
from tripeaks_env.solver.lattice import Board, lattice, part_of_board
from tripeaks_env.solver.many_deals import solve_positions
from tripeaks_env.solver.objective import OBJECTIVES, WEIGHTS, worth

CARDS = (0, 1, 3, 4, 5, 9, 10)
"""Positions that are left: parts of two peaks, three of them exposed."""
STOCK = 4
"""So many cards of the stock, and the last one, are such that something goes on them; on the others nothing does."""


def small_board() -> tuple[list[int], Board]:
    """Return the masks that those cards lead to, and the board of them."""
    masks, start = lattice().masks, sum(1 << position for position in CARDS)
    kept = masks & ~start == 0
    return masks[kept].tolist(), part_of_board(kept)


def deals(number: int, empty_waste: bool) -> np.ndarray:
    """Return rank codes by slot, uint8 (N, 54): few ranks, so that much fits; a waste that is empty at times."""
    rng = np.random.default_rng(5)
    ranks = np.full((number, SLOTS), FACE_DOWN, dtype=np.uint8)
    few = np.array([1, 2, 3, 12, 13])
    ranks[:, :FIRST_WASTE] = 7  # of cards that are gone
    ranks[:, CARDS] = rng.choice(few, (number, len(CARDS)))
    ranks[:, FIRST_WASTE : FIRST_WASTE + STOCK + 1] = rng.choice(few, (number, STOCK + 1))
    if empty_waste:
        ranks[:, FIRST_WASTE] = 0
    ranks[:, FIRST_WASTE + 23 + empty_waste] = rng.choice(few, number)  # the last stock card
    return ranks


def plays(ranks: list[int], wrap: bool, last: int) -> Iterator[tuple[int, int, int]]:
    """Find each state that plays of a small deal reach: the mask, the draws, and the waste's rank code.

    From the last card on which something goes but the ``last`` of the stock, it is drawn on to that one.
    """
    fits = adjacency(wrap).tolist()
    waiting = [(sum(1 << position for position in CARDS), 0, ranks[FIRST_WASTE])]
    seen = set(waiting)
    while waiting:
        mask, draws, waste = state = waiting.pop()
        yield state
        after = [
            (mask ^ (1 << position), draws, ranks[position])
            for position in CARDS
            if mask >> position & 1 and not mask & COVER_MASKS[position] and fits[waste] >> ranks[position] & 1
        ]
        if draws < last:
            drawn = draws + 1 if draws < STOCK else last
            after.append((mask, drawn, ranks[FIRST_WASTE + drawn]))
        waiting += [each for each in after if each not in seen]
        seen.update(after)


@pytest.mark.parametrize(("rules", "enough"), [(Rules.easy, 2), (Rules(wrap=False), 1), (Rules(empty_waste=True), 0)])
def test_fewest_draws(rules: Rules, enough: int) -> None:
    """The fewest draws to clear a small board; where more than enough, the masks that removals reach before the last draw.

    In more deals than there are lanes, which are some more than whole bytes of them.
    """
    masks, board = small_board()
    ranks = deals(LANES + 9, rules.empty_waste)
    draws, undecided, reached = fewest_draws(ranks, rules, board, enough)
    states = [list(plays(row, rules.wrap, rules.stock_size)) for row in ranks.tolist()]
    right = [min((drawn for mask, drawn, _ in each if not mask), default=NEVER) for each in states]
    assert draws.tolist() == right
    assert {0, 1, 2, 3, rules.stock_size, NEVER} <= set(right)
    assert sorted(set(undecided.tolist())) == [deal for deal, fewest in enumerate(right) if fewest > enough]
    assert len(undecided) % 8 == 0
    assert reached.shape == (len(masks), -(-len(undecided) // 64))
    for place, deal in enumerate(undecided.tolist()):
        bits = reached[:, place // 64] >> np.uint64(place % 64) & np.uint64(1)
        assert [mask for mask, bit in zip(masks, bits, strict=True) if bit] == sorted(
            {mask for mask, drawn, _ in states[deal] if drawn < rules.stock_size}, reverse=True
        )


@pytest.mark.parametrize("rules", [Rules.easy, Rules(wrap=False, draw="stuck")])
def test_draw_by_draw(rules: Rules) -> None:
    """After which draws small boards can be cleared, and at which masks they can end blocked."""
    masks, board = small_board()
    ranks = deals(70, empty_waste=False)
    on_stock = np.zeros((len(masks), 2), dtype=np.uint64)
    on_stock[0] = as_bits(np.ones(70, dtype=np.bool_))
    wins = draw_by_draw(ranks, rules, board, on_stock, range(rules.stock_size + 1))
    fits, blocked = adjacency(rules.wrap).tolist(), np.zeros((len(masks), 70), dtype=np.bool_)
    right = np.zeros((rules.stock_size + 1, 70), dtype=np.bool_)
    for deal, row in enumerate(ranks.tolist()):
        states = [(sum(1 << position for position in CARDS), 0, row[FIRST_WASTE])]
        seen = set(states)
        for mask, drawn, waste in states:  # grows
            after = [
                (mask ^ (1 << position), drawn, row[position])
                for position in CARDS
                if mask >> position & 1 and not mask & COVER_MASKS[position] and fits[waste] >> row[position] & 1
            ]
            if not mask:
                right[drawn, deal] = True
            elif drawn == rules.stock_size:
                blocked[masks.index(mask), deal] |= not after
            elif rules.draw == "any" or not after:
                after.append((mask, drawn + 1, row[FIRST_WASTE + drawn + 1]))
            states += [each for each in dict.fromkeys(after) if each not in seen]
            seen.update(after)
    assert (wins == right).all()
    assert wins.any(axis=1).sum() > 2
    found = np.array([on_stock[:, deal // 64] >> np.uint64(deal % 64) & np.uint64(1) for deal in range(70)]).T
    assert (found == blocked).all()
    order = np.array([9, 5, 7])
    first = [next((mask for mask in order.tolist() if blocked[mask, deal]), -1) for deal in range(70)]
    assert first_with_bit(on_stock, order, 70).tolist() == first
    assert {-1, 5, 7, 9} == set(first)


def test_words_of_bits() -> None:
    """Deal n is bit n % 64 of word n // 64, along a new last axis, and bits beyond the deals are 0."""
    flags = np.zeros((70, 2), dtype=np.bool_)
    flags[[0, 3, 64, 69], 1] = True
    assert as_bits(flags).tolist() == [[0, 0], [0b1001, 0b100001]]
    assert as_words(np.arange(1, 10, dtype=np.uint8)[None]).tolist() == [[0x0807060504030201, 9]]
    assert goes_on(Rules.easy).shape == (16, 14)
    assert np.flatnonzero(goes_on(Rules.easy)[1]).tolist() == [2, 13]


def test_what_wins_and_draws_weigh() -> None:
    """A win for its own sake outweighs all scores, which differ by less than 2**27, and a draw does where moves count.

    So does a win after 25 draws.
    """
    assert WEIGHTS["score"] == (0, 0)
    assert WEIGHTS["win"].draw == 0
    for objective in ("win", "moves"):
        assert WEIGHTS[objective].win + 25 * WEIGHTS[objective].draw > 2**27
    assert -WEIGHTS["moves"].draw > 2**27
    of_mask = worth(Rules.easy, "win").of_mask
    assert (of_mask[0], of_mask[-1], of_mask.flags.writeable) == (0, 272, False)


def test_no_deals() -> None:
    masks, board = small_board()
    wins = draw_by_draw(deals(0, False), Rules.easy, board, np.zeros((len(masks), 0), dtype=np.uint64), range(3))
    assert wins.shape == (24, 0)


@pytest.mark.parametrize("name", ["easy", "open-stuck-draws-pay", "wild-empty-classic"])
def test_positions_of_an_endgame(name: str) -> None:
    """All positions that an endgame leads to, more than a word has bits or few, have the answers that each has alone."""
    rules, rng = ADDITIVE[name], random.Random(0)
    game, _ = endgame(rules, 3, tableau=6, stock=3)
    games: list[Game] = [game]
    for each in games:
        for action in each.legal_actions():
            games.append(each.copy())
            games[-1].play(action)
    games = rng.sample(games, min(len(games), 66))
    records = np.concatenate([each.record for each in games])
    for objective in OBJECTIVES:
        found = solve_positions(records, rules, objective)
        alone = [solve(each, objective=objective) for each in games]
        assert found.scores.tolist() == [each.score for each in alone]
        assert found.draws.tolist() == [each.draws for each in alone]
