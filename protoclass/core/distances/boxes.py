"""Rows in blocks of near neighbours, and how near and far two blocks can lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import Array
from ..memory import large
from .minkowski import minkowski

GROUP = 16  # boxes that have a box around them
SLACK = 1e-5  # of powers other than 1 and 2, whose rounding the library of C does not promise


@dataclass(frozen=True)
class Blocks:
    """Rows along a k-d partition (Bentley 1975).

    Attributes
    ----------
    order : int array (n,)
        The rows, block by block.
    size : int
        Rows of each block but the last.
    low, high : arrays (blocks, p)
        The smallest and the largest coordinates of each block.
    """

    order: Array
    size: int
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.low)

    def rows(self, b: int) -> Array:
        """The rows of a block."""
        return self.order[b * self.size : (b + 1) * self.size]

    @cached_property
    def levels(self) -> list[tuple[Array, Array]]:
        """The boxes, and above them those around each `GROUP` successive ones, which lie near one another; the fewest last."""
        levels = [(self.low, self.high)]
        while len(levels[-1][0]) > GROUP:
            low, high = levels[-1]
            starts = np.arange(0, len(low), GROUP)
            levels.append((np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)))
        return levels


def blocks_of(X: Array, size: int) -> Blocks:
    """Halve the rows (n, p) at the median of their widest column until no part has more than `size`.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = blocks_of(np.array([[5.0], [1.0], [6.0], [2.0]]), 2)
    >>> [sorted(blocks.rows(b).tolist()) for b in range(len(blocks))], blocks.low.ravel().tolist()
    ([[1, 3], [0, 2]], [1.0, 5.0])
    """
    order, across = np.arange(len(X)), large(X.T.shape, X.dtype)
    across[:] = X.T  # columns first: their extremes are then found fast
    parts = [(0, len(X))]
    while parts:
        first, last = parts.pop()
        if last - first <= size:
            continue
        own = across[:, first:last]
        widest = int((own.max(axis=1) - own.min(axis=1)).argmax())
        half = -(-(last - first) // size) // 2 * size  # whole blocks
        moved = np.argpartition(own[widest], half)
        for line in (*own, order[first:last]):
            line[:] = line[moved]
        parts += [(first, first + half), (first + half, last)]
    starts = np.arange(0, len(X), size)
    low, high = (extreme.reduceat(across, starts, axis=1).T for extreme in (np.minimum, np.maximum))
    return Blocks(order, size, np.ascontiguousarray(low), np.ascontiguousarray(high))


def near_blocks(blocks: Blocks, low: Array, high: Array, r: float, reach: float) -> tuple[Array, Array]:
    """The blocks that can have a row within `reach` of a row of another box, and the lowest distance that such rows can have.

    The kernel that computes the distances of rows computes this distance as well. Its differences, sums and roots never fall as
    coordinates move apart, rounding included, so no pair is lost.

    Parameters
    ----------
    blocks : Blocks
    low, high : arrays (p,)
        The other box.
    r : float >= 1
    reach : float

    Returns
    -------
    which : int array, ascending
    nearest : array
        Minkowski distances, all below `reach`.
    """
    which, nearest = np.arange(0), np.empty(0)
    inside = np.arange(len(blocks.levels[-1][0]))
    for lows, highs in reversed(blocks.levels):
        inside = inside[inside < len(lows)]
        gap = np.maximum(np.maximum(lows[inside] - high, low - highs[inside]), 0)
        distance = _lengths(gap, r, -SLACK)
        near = distance < reach
        which, nearest = inside[near], distance[near]
        inside = (which[:, None] * GROUP + np.arange(GROUP)).ravel()  # the boxes in those that are near
    return which, nearest


def farthest_of(blocks: Blocks, which: Array, low: Array, high: Array, r: float) -> Array:
    """Greatest Minkowski distance that a row of each of some blocks can have to a row of another box; see `near_blocks`."""
    across = np.maximum(blocks.high[which] - low, high - blocks.low[which])
    return _lengths(across, r, SLACK)


def _lengths(X: Array, r: float, slack: float) -> Array:
    return minkowski(X, np.zeros((1, X.shape[1]), X.dtype), r)[:, 0] * (1 if r in (1, 2, np.inf) else 1 + slack)
