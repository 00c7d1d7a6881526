import numpy as np
import pytest

from tests import naive
from tripeaks_env.game.layout import BENEATH, COVER_MASKS, COVERS, FULL, NOWHERE, POSITIONS, ROWS, beneath
from tripeaks_env.solver.lattice import edge_rows, lattice, whole_board

PEAK_POSITIONS = (
    (0, 3, 4, 9, 10, 11, 18, 19, 20),
    (1, 5, 6, 12, 13, 14, 21, 22, 23),
    (2, 7, 8, 15, 16, 17, 24, 25, 26, 27),
)
"""The cards that count for the bonus of each peak, left to right; the summit comes first."""

MASKS = lattice().masks
SOURCES = np.repeat(np.arange(len(MASKS)), np.diff(lattice().first))


def bits(positions: list[int] | tuple[int, ...]) -> int:
    return sum(1 << position for position in positions)


def test_covers_are_those_of_the_picture() -> None:
    assert [list(covers) for covers in COVERS] == naive.COVERS
    assert COVER_MASKS.tolist() == [bits(covers) for covers in naive.COVERS]


def test_what_lies_on_what_is_the_same_from_both_sides() -> None:
    assert [[p for p in each if p != NOWHERE] for each in BENEATH.tolist()] == [
        [p for p in range(POSITIONS) if cover in naive.COVERS[p]] for cover in range(POSITIONS)
    ]


def test_a_card_on_three_others_is_refused() -> None:
    """As in a pyramid with a gap: the engine has room for two."""
    covers = [list(each) for each in COVERS]
    covers[0].append(13)
    with pytest.raises(ValueError, match=r"position 13 lies on \[0, 5, 6\]; it must be two at most"):
        beneath(covers)


def test_peaks_are_those_of_the_picture() -> None:
    """9, 9 and 10 cards; the bottom row is split 3 / 3 / 4."""
    assert [[p for p in range(28) if naive.PEAK[p] == peak] for peak in range(3)] == [list(p) for p in PEAK_POSITIONS]
    assert [len(peak) for peak in PEAK_POSITIONS] == [9, 9, 10]
    assert [len(set(peak) & set(ROWS[3])) for peak in PEAK_POSITIONS] == [3, 3, 4]


def test_lattice_is_every_reachable_mask() -> None:
    """22,932 masks, the same as a plain search over sets of cards finds."""
    found, todo = {FULL}, [FULL]
    while todo:
        mask = todo.pop()
        for position in range(POSITIONS):
            if mask >> position & 1 and not any(mask >> cover & 1 for cover in naive.COVERS[position]):
                left = mask ^ 1 << position
                if left not in found:
                    found.add(left)
                    todo.append(left)
    assert len(found) == 22_932
    assert MASKS.tolist() == sorted(found, reverse=True)


def test_edges_remove_an_exposed_card_and_lead_on() -> None:
    """119,364 edges, each to a higher index; none is missing."""
    board = lattice()
    removed = 1 << board.positions.astype(np.int64)
    assert len(board.positions) == len(board.targets) == len(SOURCES) == 119_364
    assert (board.targets > SOURCES).all()
    assert (MASKS[board.targets] == MASKS[SOURCES] ^ removed).all()
    assert (MASKS[SOURCES] & removed != 0).all()
    covers = np.array([bits(covers) for covers in naive.COVERS])
    assert (MASKS[SOURCES] & covers[board.positions] == 0).all()
    exposed = sum((MASKS >> p & 1) * (MASKS & covers[p] == 0) for p in range(POSITIONS))
    assert np.diff(board.first).tolist() == exposed.tolist()


def test_edges_by_target() -> None:
    board = lattice()
    assert board.sources.tolist() == SOURCES.tolist()
    assert sorted(board.incoming.tolist()) == list(range(len(board.targets)))
    of_one_target = np.diff(board.targets[board.incoming].astype(np.int64)) == 0
    assert (np.diff(board.incoming.astype(np.int64))[of_one_target] > 0).all()
    assert board.targets[board.incoming].tolist() == np.repeat(np.arange(len(MASKS)), np.diff(board.first_in)).tolist()


def test_an_edge_keeps_its_row_from_source_to_target() -> None:
    """No other edge has the row meanwhile, at both ends included, so that a sweep in either direction may use it."""
    board, rows = lattice(), edge_rows()
    assert rows.max() + 1 == 8_645
    order = np.lexsort((board.sources, rows))
    same_row = rows[order][1:] == rows[order][:-1]
    assert (board.sources[order][1:][same_row] > board.targets[order][:-1][same_row]).all()


@pytest.mark.parametrize("peak", range(3))
def test_a_peak_is_empty_exactly_when_its_summit_is_gone(peak: int) -> None:
    emptied = MASKS & bits(PEAK_POSITIONS[peak]) == 0
    assert (emptied == (MASKS >> peak & 1 == 0)).all()
    assert emptied.any()


def test_all_summits_gone_means_all_cards_gone() -> None:
    assert MASKS[MASKS & 0b111 == 0].tolist() == [0]


def test_counts_of_each_mask() -> None:
    """Cards removed and peaks emptied."""
    board = lattice()
    emptied = sum((MASKS & bits(peak) == 0).astype(int) for peak in PEAK_POSITIONS)
    assert board.removed.tolist() == [28 - mask.bit_count() for mask in MASKS.tolist()]
    assert board.peaks.tolist() == emptied.tolist()


def test_fewest_removals_that_empty_peaks() -> None:
    """10 for one peak, 19 for two neighbours, 20 for the outer two: so a lost game reaches at most 567, 658 or 657."""
    removed = lattice().removed
    summits = MASKS & 0b111
    fewest = {left: int(removed[summits == left].min()) for left in range(8)}
    assert [fewest[left] for left in (0b111, 0b110, 0b101, 0b011)] == [0, 10, 10, 10]
    assert [fewest[left] for left in (0b100, 0b001, 0b010, 0b000)] == [19, 19, 20, 28]


def test_index_of() -> None:
    assert [lattice().index_of(mask) for mask in MASKS[::97].tolist()] == list(range(0, len(MASKS), 97))


@pytest.mark.parametrize("mask", [FULL ^ 1, FULL + 1, -1])
def test_index_of_an_unreachable_mask(mask: int) -> None:
    with pytest.raises(ValueError, match="no play leaves"):
        lattice().index_of(mask)


def test_the_lattice_cannot_be_changed() -> None:
    """It is shared by all solutions."""
    assert not any(array.flags.writeable for array in (*lattice(), edge_rows()))


def test_the_whole_board_has_all_edges() -> None:
    """By source as the lattice has them, and by target; masks and positions are small numbers."""
    board, whole, rows = lattice(), whole_board(), edge_rows()
    right = (board.first, board.positions, rows, board.first_in, board.positions[board.incoming], rows[board.incoming])
    assert all(np.array_equal(found, each) for found, each in zip(whole, right, strict=True))
    assert [array.dtype for array in whole] == [np.uint32, np.uint8, np.uint32] * 2
    assert board.masks.dtype == np.int32
