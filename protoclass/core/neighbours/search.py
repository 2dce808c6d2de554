"""The nearest of many candidates, found along boxes around boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.boxes import GROUP, SLACK, blocks_of
from ..distances.minkowski import measure_row
from ..parallel import kernel
from .k_nearest import Near, joined

Array = NDArray[Any]
Fill = Callable[[int, Array, Array, Array], int]
LEAF = 64  # candidates of a block
SHOWN = 512  # candidates that show what a search of all would measure
LOOKED_UP = 16  # rows for which they are searched


@dataclass(frozen=True, eq=False)
class Space:
    """Rows and candidates whose dissimilarities are Minkowski distances of these coordinates.

    Both are of one precision, and r is the exponent of the distance.
    """

    rows: Array  # (n, p)
    candidates: Array  # (m, p)
    r: float
    _shares: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def search(self, columns: Array) -> Search:
        """Some of the candidates, prepared so that the nearest of a row are found without measuring all."""
        return search_of(self.candidates[columns], self.r)

    def share(self, k: int) -> float:
        """Share of the pairs that a search of the k nearest measures, about.

        Found from some candidates, evenly taken, in blocks of as many fewer ones, whose boxes are as large.
        """
        if k not in self._shares:
            m, fewer = len(self.candidates), max(1, len(self.candidates) // SHOWN)
            some = search_of(self.candidates[::fewer], self.r, max(1, LEAF // fewer))
            rows = self.rows[np.linspace(0, len(self.rows) - 1, LOOKED_UP).astype(int)]
            measured = some.nearest(rows, min(max(1, k // fewer), len(some.place)))[1]
            self._shares[k] = measured / (LOOKED_UP * -(-m // fewer))
        return self._shares[k]


@dataclass(frozen=True)
class Search:
    """Candidates along a k-d partition (Bentley 1975), for the search of Friedman, Bentley and Finkel (1977).

    Attributes
    ----------
    place : int array (q,)
        The candidates, block by block.
    across : array (p, q)
        Their coordinates.
    low, high : arrays (p, boxes)
        The smallest and the largest coordinates of the boxes: those of the blocks, then those around `GROUP` successive ones,
        and so on.
    level : int array
        Where the boxes of each level begin, and where the last ones end.
    r : float
        Exponent of the Minkowski distance.
    size : int
        Candidates of each block but the last.
    """

    place: Array
    across: Array
    low: Array
    high: Array
    level: Array
    r: float
    size: int

    def nearest(self, rows: Array, k: int) -> tuple[Near, int]:
        """For each row (r, p) the candidates up to the distance of the k-th nearest, and the number of pairs that were measured."""
        q, dtype = len(self.place), rows.dtype
        rows, measured = np.ascontiguousarray(rows), np.zeros(1, np.int64)
        pool, places, heap = np.empty(q, dtype), np.empty(q, np.int32), np.empty(k, dtype)
        shrink = dtype.type(1 if self.r in (1, 2, np.inf) else 1 - SLACK)
        boxes = self.across, self.place, self.low, self.high, self.level, float(self.r), shrink, self.size

        def fill(first: int, *lists: Array) -> int:
            return int(_search(rows[first:], *boxes, pool, places, heap, measured, *lists))

        return _listed(len(rows), k, q, dtype, fill), int(measured[0])


def search_of(Z: Array, r: float, size: int = LEAF) -> Search:
    """Prepare the search of candidates (q, p) for the Minkowski distance with exponent r.

    Examples
    --------
    >>> import numpy as np
    >>> near, measured = search_of(np.array([[5.0], [1.0], [6.0], [2.0]]), 2.0).nearest(np.array([[1.8]]), 2)
    >>> near.at.tolist(), near.distance.round(1).tolist()
    ([1, 3], [0.8, 0.2])
    """
    blocks = blocks_of(Z, size)
    low, high = (np.concatenate([level[side] for level in blocks.levels]).T for side in (0, 1))
    level = np.cumsum([0, *(len(boxes) for boxes, _ in blocks.levels)])
    across = np.ascontiguousarray(Z[blocks.order].T)
    order = blocks.order.astype(np.int32)
    return Search(order, across, np.ascontiguousarray(low), np.ascontiguousarray(high), level, r, size)


def _listed(rows: int, k: int, prototypes: int, dtype: Any, fill: Fill) -> Near:
    """The lists of rows, of a length that is not known before.

    `fill(first, start, at, distance)` writes the lists of the rows from `first` on, as many as there is space for, and returns
    their number. There is space for each row by itself.
    """
    parts: list[Near] = []
    first = 0
    while first < rows or not parts:
        space = max(prototypes, (rows - first) * (k + k // 8 + 4))
        start, at = np.zeros(rows - first + 1, np.int64), np.empty(space, np.int64)
        distance = np.empty(space, dtype)
        done = fill(first, start, at, distance)
        end = int(start[done])
        parts.append(Near(start[: done + 1], at[:end], distance[:end]))
        first += done
    return joined(parts)


@kernel
def _search(X, across, place, low, high, level, r, shrink, size, pool, places, heap, measured, start, at, distance):  # type: ignore[no-untyped-def]
    # The boxes that are still to be looked at, the nearest of each box last: its level, place and least distance.
    # pool: the distances of the candidates that were among the nearest when they were measured
    p, q = across.shape
    levels = len(level) - 1
    some = GROUP * (levels + 1)
    height, which, least = np.empty(some, np.int64), np.empty(some, np.int64), np.empty(some, X.dtype)
    gap, near, total = np.empty((p, GROUP), X.dtype), np.empty(GROUP, X.dtype), np.empty(size, X.dtype)
    origin = np.zeros(p, X.dtype)
    for i in range(len(X)):
        x = X[i]
        heap[:] = np.inf
        count = depth = pairs = 0
        h, first, last = levels - 1, level[levels - 1], level[levels]
        while True:
            # the boxes in one box, those that are nearer put before those that are farther
            for j in range(first, last):
                for f in range(p):
                    gap[f, j - first] = max(low[f, j] - x[f], x[f] - high[f, j], 0)
            measure_row(origin, gap[:, : last - first], r, near[: last - first])
            bottom = depth
            for j in range(first, last):
                d, t = near[j - first] * shrink, depth
                if d > heap[0]:
                    continue
                while t > bottom and least[t - 1] < d:
                    height[t], which[t], least[t] = height[t - 1], which[t - 1], least[t - 1]
                    t -= 1
                height[t], which[t], least[t] = h, j - level[h], d
                depth += 1
            while depth and (least[depth - 1] > heap[0] or height[depth - 1] == 0):
                depth -= 1
                if least[depth] > heap[0]:
                    continue
                begin = which[depth] * size
                width = min(size, q - begin)
                measure_row(x, across[:, begin : begin + width], r, total[:width])
                pairs += width
                for j in range(width):
                    d = total[j]
                    if d <= heap[0]:
                        pool[count], places[count] = d, place[begin + j]
                        count += 1
                        if d < heap[0]:
                            _replace_largest(heap, d)
            if not depth:
                break
            depth -= 1
            h = height[depth] - 1
            first = level[h] + which[depth] * GROUP
            last = min(first + GROUP, level[h + 1])
        end = start[i]
        for t in range(count):
            if pool[t] <= heap[0]:
                if end == len(at):
                    return i
                at[end], distance[end] = places[t], pool[t]
                end += 1
        start[i + 1] = end
        measured[0] += pairs
    return len(X)


@kernel
def _replace_largest(heap, value):  # type: ignore[no-untyped-def]
    """Put a value in the place of the largest of a heap, which is its first."""
    at, k = 0, len(heap)
    while 2 * at + 1 < k:
        child = 2 * at + 1
        if child + 1 < k and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value
