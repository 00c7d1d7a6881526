"""A histogram of scores, drawn with Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_histogram(axes: Axes, scores: np.ndarray, won: np.ndarray, bars: int, **style: Any) -> None:
    """Draw how many deals have each score: those that are won, and the others on top of them.

    Args:
        axes: where.
        scores: integers (deals,).
        won: bool (deals,).
        bars: the most bars; where there are more scores, a bar stands for several.
        style: how, as ``axes.hist`` takes it; a list has first what is won.
    """
    width = -(-int(np.ptp(scores) + 1) // bars)  # of a bar, in points
    edges = np.arange(scores.min(), scores.max() + width + 1, width) - 0.5
    axes.hist([scores[won], scores[~won]], bins=edges.tolist(), stacked=True, **style)
