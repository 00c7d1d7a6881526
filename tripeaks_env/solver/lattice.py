"""The solver's board: every set of tableau cards that can be left, and the removals that lead from one to another."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tripeaks_env.game.layout import COVER_MASKS, FULL, POSITIONS, peaks_cleared


class Lattice(NamedTuple):
    """The reachable masks and their removal edges.

    Masks are in descending order, so a removal, which makes a mask smaller, always leads to a higher index. The edges that
    leave mask i are ``first[i]`` to ``first[i + 1] - 1``; each removes one exposed card. What indexes other arrays is
    unsigned, or a kernel would test each index for being negative, which takes as long as the rest.

    Attributes:
        masks: int32 (22932,), descending: the first is the full tableau, the last the empty one.
        first: uint32 (22933,): index of the first edge of each mask.
        positions: uint8 (119364,): the position that an edge removes.
        sources: uint32 (119364,): index of the mask that it leaves.
        targets: uint32 (119364,): index of the mask that it leads to.
        first_in: uint32 (22933,): the edges that lead to mask i are ``incoming[first_in[i] : first_in[i + 1]]``.
        incoming: uint32 (119364,): indices of edges, by target.
        removed: int8 (22932,): cards removed in each mask.
        peaks: int8 (22932,): peaks emptied in each mask.
    """

    masks: np.ndarray
    first: np.ndarray
    positions: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    first_in: np.ndarray
    incoming: np.ndarray
    removed: np.ndarray
    peaks: np.ndarray

    def index_of(self, mask: int) -> int:
        """Return the index of a reachable mask.

        Raises:
            ValueError: the mask cannot be reached.
        """
        index = len(self.masks) - 1 - int(np.searchsorted(self.masks[::-1], mask))
        if index < 0 or self.masks[index] != mask:
            raise ValueError(f"no play leaves the tableau cards {mask:#09x}")
        return index


@lru_cache(maxsize=1)
def lattice() -> Lattice:
    """Return the lattice, built on the first call (some forty milliseconds)."""
    masks = _reachable_masks()
    exposed = _exposed(masks)
    sources, positions = np.nonzero(exposed)
    left = masks[sources] ^ (1 << positions)
    targets = len(masks) - 1 - np.searchsorted(masks[::-1], left)
    incoming = np.argsort(targets, kind="stable")
    built = Lattice(
        masks=masks,
        first=np.concatenate([[0], np.cumsum(exposed.sum(axis=1))]).astype(np.uint32),
        positions=positions.astype(np.uint8),
        sources=sources.astype(np.uint32),
        targets=targets.astype(np.uint32),
        first_in=np.searchsorted(targets[incoming], np.arange(len(masks) + 1)).astype(np.uint32),
        incoming=incoming.astype(np.uint32),
        removed=(POSITIONS - np.bitwise_count(masks)).astype(np.int8),
        peaks=peaks_cleared(masks).astype(np.int8),
    )
    for array in built:
        array.setflags(write=False)
    return built


@lru_cache(maxsize=1)
def edge_rows() -> np.ndarray:
    """Return a row of working memory for each edge, uint32 (119364,), built on the first call (some tenth of a second).

    In a sweep over all masks, forwards or backwards, an edge needs its row from one of its masks to the other; then another
    edge gets it. So the rows in use stay few, 8,645, and in the cache of a processor core. The edges of one mask, those that
    lead to it and those that leave it, all have different rows.
    """
    board = lattice()
    first, first_in = board.first.tolist(), board.first_in.tolist()
    rows = np.empty(len(board.targets), dtype=np.uint32)
    free = list(range(len(rows)))[::-1]
    for mask in range(len(board.masks)):
        for edge in range(first[mask], first[mask + 1]):
            rows[edge] = free.pop()
        free.extend(rows[board.incoming[first_in[mask] : first_in[mask + 1]]].tolist())
    rows.setflags(write=False)
    return rows


class Board(NamedTuple):
    """The edges of the lattice by source and by target, as sweeps over many deals read them one after the other.

    Attributes:
        first_out: uint32 (22933,): index of the first edge that leaves each mask, for the next two.
        out_positions: uint8 (119364,): the position that an edge removes.
        out_rows: uint32 (119364,): the row of an edge, see :func:`edge_rows`.
        first_in: uint32 (22933,): index of the first edge that leads to each mask, for the next two.
        in_positions: uint8 (119364,): the position that an edge removes.
        in_rows: uint32 (119364,): the row of an edge.
    """

    first_out: np.ndarray
    out_positions: np.ndarray
    out_rows: np.ndarray
    first_in: np.ndarray
    in_positions: np.ndarray
    in_rows: np.ndarray


@lru_cache(maxsize=1)
def whole_board() -> Board:
    """Return all edges, built on the first call."""
    return part_of_board(np.ones(len(lattice().masks), dtype=np.bool_))


def part_of_board(kept: np.ndarray) -> Board:
    """Return the edges between some masks, bool (22932,); with a mask, all that it leads to must be among them."""
    board, rows = lattice(), edge_rows()
    out = np.flatnonzero(kept[board.sources])
    into = board.incoming[kept[board.sources[board.incoming]]]
    firsts = (
        np.append(0, np.cumsum(np.bincount(ends, minlength=len(kept))[kept])).astype(np.uint32)
        for ends in (board.sources[out], board.targets[out])
    )
    return Board(next(firsts), board.positions[out], rows[out], next(firsts), board.positions[into], rows[into])


def _exposed(masks: np.ndarray) -> np.ndarray:
    """Return bool (N, 28): whether each position is there and nothing covers it in each of N masks."""
    return (masks[:, None] >> np.arange(POSITIONS) & 1 == 1) & (masks[:, None] & COVER_MASKS == 0)


def _reachable_masks() -> np.ndarray:
    """Return all masks that removals lead to from the full tableau, int32, descending."""
    layer = np.array([FULL], dtype=np.int32)
    layers = [layer]
    for _ in range(POSITIONS):
        sources, positions = np.nonzero(_exposed(layer))
        layer = np.unique(layer[sources] ^ (1 << positions)).astype(np.int32)
        layers.append(layer)
    return np.sort(np.concatenate(layers))[::-1].copy()
