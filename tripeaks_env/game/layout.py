"""Geometry of the tableau: which position covers which, and when a peak is empty.

Positions are numbered row by row from the summits, left to right: 0-2, 3-8, 9-17, 18-27.
"""

from collections.abc import Sequence

import numpy as np

POSITIONS = 28
PEAKS = 3
ROWS = (range(0, 3), range(3, 9), range(9, 18), range(18, 28))

# A card of the rows 1-3 is partly covered by two neighbours of the next row: this one and the one right of it.
FIRST_COVER = (3, 5, 7, 9, 10, 12, 13, 15, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26)

COVERS: tuple[tuple[int, ...], ...] = tuple((c, c + 1) for c in FIRST_COVER) + ((),) * len(ROWS[3])
"""For each position the positions that lie on it: two, or none in the bottom row."""

SUMMITS = (1 << PEAKS) - 1
"""The mask of the three summits."""

FULL = (1 << POSITIONS) - 1
"""The mask of a tableau from which nothing is removed: bit p stands for position p."""

MIRROR = np.array([row[0] + row[-1] - position for row in ROWS for position in row])
"""int64 (28,): the position that each position is in the tableau's mirror image."""
MIRROR.setflags(write=False)

NOWHERE = POSITIONS


def beneath(covers: Sequence[Sequence[int]]) -> np.ndarray:
    """Return what each position lies on, see :data:`BENEATH`.

    Args:
        covers: for each position the positions that lie on it.

    Raises:
        ValueError: a position lies on more than two others, for which the engine has no room.
    """
    table = np.full((len(covers), 2), NOWHERE, dtype=np.int8)
    for cover in range(len(covers)):
        found = [position for position, above in enumerate(covers) if cover in above]
        if len(found) > 2:
            raise ValueError(f"position {cover} lies on {found}; it must be two at most")
        table[cover, : len(found)] = found
    return table


BENEATH = beneath(COVERS)
"""int8 (28, 2): the positions that each position lies on, ``NOWHERE`` where there is only one or none."""
BENEATH.setflags(write=False)

COVER_MASKS = np.array([sum(1 << cover for cover in covers) for covers in COVERS], dtype=np.int32)
"""int32 (28,): the covers of each position as a mask."""
COVER_MASKS.setflags(write=False)


def peaks_cleared(remaining: np.ndarray | int) -> np.ndarray:
    """Return how many peaks are empty, int64 of the shape of ``remaining``, masks of the cards that are left.

    A peak is empty exactly when its summit is gone, as the summit lies under all the others.
    """
    return PEAKS - np.bitwise_count(np.asarray(remaining) & SUMMITS).astype(np.int64)


HALF_COLUMNS = (3, 9, 15, 2, 4, 8, 10, 14, 16, *range(1, 18, 2), *range(0, 19, 2))
"""Where each position lies, 0 (left) to 18, in halves of the way from a card to its neighbour: midway between its covers."""
