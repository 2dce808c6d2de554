"""The k nearest candidates of each row: exact, screened, and by boxes in few dimensions.

**By products** (see `core.distances.screen` for the bound): of the approximations q of a row, each at most E from the scaled square s
of the distance, let q_k be the k-th smallest. At least k prototypes have s <= q_k + E, so the kernel, whose squares are
s (1 + k') with |k'| <= kappa, gives at least k of them a square of at most (q_k + E) (1 + kappa). A prototype that the kernel finds
no farther than its k-th nearest has s <= (q_k + E) (1 + kappa) / (1 - kappa), and q <= that + E. These are computed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..distances.boxes import GROUP, SLACK, blocks_of
from ..distances.minkowski import measure_row
from ..distances.screen import Compared
from ..parallel import kernel

if TYPE_CHECKING:
    from ..query import Query
    from ..task import Points


Array = NDArray[Any]
Fill = Callable[[int, Array, Array, Array], int]
LEAF = 64  # candidates of a block
SHOWN = 512  # candidates in a sample that shows how many pairs a full search would compute
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
        """Some of the candidates, prepared for finding the nearest of a row without computing all distances."""
        return search_of(self.candidates[columns], self.r)

    def share(self, k: int) -> float:
        """Share of the pairs that a search of the k nearest measures, about.

        Found from some candidates, evenly taken, in blocks of as many fewer ones, whose boxes are as large.
        """
        if k not in self._shares:
            m, fewer = len(self.candidates), max(1, len(self.candidates) // SHOWN)
            sampled = search_of(self.candidates[::fewer], self.r, max(1, LEAF // fewer))
            rows = self.rows[np.linspace(0, len(self.rows) - 1, LOOKED_UP).astype(int)]
            measured = sampled.nearest(rows, min(max(1, k // fewer), len(sampled.place)))[1]
            self._shares[k] = measured / (LOOKED_UP * -(-m // fewer))
        return self._shares[k]


@dataclass(frozen=True)
class Search:
    """Candidates along a k-d partition (Bentley 1975), for the search of Friedman, Bentley and Finkel (1977).

    Attributes
    ----------
    place : int array (q,)
        Candidates, block by block.
    across : array (p, q)
        Coordinates of the candidates.
    low, high : arrays (p, boxes)
        Smallest and largest coordinates of the boxes: the boxes of the blocks, then those around `GROUP` successive ones,
        and so on.
    level : int array
        First position of the boxes of each level, and the end of the last.
    r : float
        Exponent of the Minkowski distance.
    size : int
        Number of candidates of each block but the last.
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
    # The boxes still to be searched, the nearest of each box last: level, position and lowest distance.
    # pool: the distances of the candidates that were among the nearest when they were measured
    p, q = across.shape
    levels = len(level) - 1
    capacity = GROUP * (levels + 1)
    height, which, least = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, X.dtype)
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


LANES = 64  # values that are compared together
TOGETHER = 2**17  # values that are compared at a time, because they stay in the second-level cache


def nearest_k(query: Query, prototypes: Points, k: int) -> Near:
    """For each row of a query the prototypes up to the distance of the k-th nearest one, with those tied with it.

    Parameters
    ----------
    query : Query
    prototypes : Points
        At least one prototype.
    k : int
        Number of neighbours; all prototypes if there are fewer.
    """
    k, beside = min(k, len(prototypes)), query.beside(prototypes)
    near = None if beside is None else beside.nearest(query.rows, k, query.together)
    return nearest_of(query.dissimilarities(prototypes), k) if near is None else near


@dataclass(frozen=True)
class Near:
    """For each of r rows the prototypes that are no farther than the k-th nearest one, in any order.

    Attributes
    ----------
    start : int array (r + 1,)
        First position of the list of each row, and the end of the last one.
    at : int array (start[r],)
        Positions of prototypes.
    distance : array (start[r],)
    """

    start: Array
    at: Array
    distance: Array

    def __len__(self) -> int:
        return len(self.start) - 1

    def rows(self) -> Array:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def ascending(self) -> Near:
        """With the prototypes of each list in their order."""
        order = np.lexsort((self.at, self.rows()))
        return Near(self.start, self.at[order], self.distance[order])

    def padded(self) -> Array:
        """The distances as a matrix (r, length of the longest list), with inf behind those of each row."""
        length = np.diff(self.start)
        if len(length) and (length == length[0]).all():
            return self.distance.reshape(len(length), length[0])
        out = np.full((len(self), int(length.max(initial=0))), np.inf, self.distance.dtype)
        out[np.arange(out.shape[1]) < length[:, None]] = self.distance
        return out

    def radii(self, ks: Array) -> Array:
        """The distances (r, len(ks)) of the k-th nearest prototypes; no list may be shorter."""
        if not len(self):
            return np.empty((0, len(ks)), self.distance.dtype)
        return np.asarray(np.sort(self.padded(), axis=1)[:, ks - 1])

    def within(self, last: Array) -> Near:
        """The prototypes that are no farther than a distance for each row (r,)."""
        near = self.distance <= np.repeat(last, np.diff(self.start))
        count = np.append(0, np.cumsum(near))
        return Near(count[self.start], self.at[near], self.distance[near])


def joined(parts: list[Near]) -> Near:
    """The lists of some rows, and then those of others."""
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(part.start[-1] for part in parts)])
    start = [np.zeros(1, np.int64), *(part.start[1:] + end for part, end in zip(parts, ends, strict=False))]
    at, distance = ([getattr(part, name) for part in parts] for name in ("at", "distance"))
    return Near(np.concatenate(start), np.concatenate(at), np.concatenate(distance))


def nearest_of(D: Array, k: int) -> Near:
    """The nearest prototypes of rows by their dissimilarities (r, q), k of them at most q.

    Examples
    --------
    >>> import numpy as np
    >>> near = nearest_of(np.array([[3.0, 1.0, 2.0, 2.0]]), 2)
    >>> near.at.tolist(), near.distance.tolist()
    ([1, 2, 3], [1.0, 2.0, 2.0])
    """
    return joined([_up_to(D[part], smallest(D[part], k)) for part in parts_of(*D.shape)])


def parts_of(r: int, q: int) -> list[slice]:
    """Blocks of rows of which a few fit into a cache; one empty part if there are no rows."""
    step = max(1, TOGETHER // max(q, 1))
    return [slice(first, first + step) for first in range(0, max(r, 1), step)]


def smallest(D: Array, k: int) -> Array:
    """The k-th smallest value of each row."""
    return np.asarray(D.min(axis=1) if k == 1 else np.partition(D, k - 1, axis=1)[:, k - 1])


def _up_to(D: Array, last: Array) -> Near:
    """The values (r, q) that are not above one for each row (r,), in their order."""
    found = np.flatnonzero(last[:, None] >= D)
    row, at = np.divmod(found, D.shape[1])
    return Near(np.searchsorted(row, np.arange(len(D) + 1)), at, D.ravel()[found])


def nearest_compared(compared: Compared, k: int) -> Near:
    """As `nearest_of`, of distances that are compared by a product."""
    parts = []
    for part in [slice(None)] if k == 1 else parts_of(*compared.twice.shape):
        found = _open(compared, part, k)
        distance = np.empty(len(found.at), compared.rows.exact.dtype)
        _measure(compared.rows.exact[part], compared.candidates.exact, found.rows(), found.at, distance)
        found = Near(found.start, found.at, distance)
        parts.append(found.within(smallest(found.padded(), k)) if len(found) else found)
    return joined(parts)


def share_open(compared: Compared, k: int) -> float:
    """Share of the pairs that the products leave open, and that are measured."""
    return len(_open(compared, slice(None), k).at) / compared.twice.size


def _open(compared: Compared, part: slice, k: int) -> Near:
    """The prototypes of some rows that may be among the k nearest, with their approximations if there are several."""
    rows, candidates, limits, twice = compared.rows.square[part], compared.candidates.square, compared.bounds, compared.twice[part]
    error = 1.001 * (limits.norm * (rows.astype(float) + float(candidates.max())) + limits.slack)
    ratio = (1 + limits.kernel) / (1 - limits.kernel)
    if k == 1:
        start, at = np.empty(len(rows) + 1, np.int64), np.empty(4 * len(rows), np.int64)
        if _near_least(twice, rows, candidates, error, ratio, start, at) > len(at):
            at = np.empty(start[-1], np.int64)
            _near_least(twice, rows, candidates, error, ratio, start, at)
        return Near(start, at[: start[-1]], np.empty(0))
    near = candidates + rows[:, None] - twice
    last = (smallest(near, k) + error) * ratio + error
    return _up_to(near, np.nextafter(last.astype(np.float32), np.float32(np.inf)))


@kernel(contract=False)
def _near_least(twice, rows, candidates, error, ratio, start, at):  # type: ignore[no-untyped-def]
    # for each row the candidates whose approximation equals the minimum up to the errors of both, up to the size of `at`
    q, count, infinite = len(candidates), 0, np.float32(np.inf)
    low = np.empty(LANES, np.float32)
    for i in range(len(rows)):
        own = rows[i]
        low[:] = infinite
        for first in range(0, q, LANES):
            width = min(LANES, q - first)
            product, square = twice[i, first : first + width], candidates[first : first + width]
            for j in range(width):
                near = square[j] + own - product[j]
                low[j] = near if near < low[j] else low[j]
        last = np.nextafter(np.float32((low.min() + error[i]) * ratio + error[i]), infinite)
        start[i] = count
        for first in range(0, q, LANES):
            width, hits = min(LANES, q - first), 0
            product, square = twice[i, first : first + width], candidates[first : first + width]
            for j in range(width):
                hits += square[j] + own - product[j] <= last
            for j in range(width if hits else 0):
                if square[j] + own - product[j] <= last:
                    if count < len(at):
                        at[count] = first + j
                    count += 1
    start[len(rows)] = count
    return count


@kernel(contract=False)
def _measure(X, Z, row, at, distance):  # type: ignore[no-untyped-def]
    # four pairs at a time, each summed in the order of `measure_pair`
    p, n = X.shape[1], len(at)
    for t in range(0, n, 4):
        t1, t2, t3 = min(t + 1, n - 1), min(t + 2, n - 1), min(t + 3, n - 1)
        x0, x1, x2, x3 = X[row[t]], X[row[t1]], X[row[t2]], X[row[t3]]
        z0, z1, z2, z3 = Z[at[t]], Z[at[t1]], Z[at[t2]], Z[at[t3]]
        s0 = s1 = s2 = s3 = X.dtype.type(0)
        for f in range(0, p - 1, 2):
            d0, d1, d2, d3 = x0[f] - z0[f], x1[f] - z1[f], x2[f] - z2[f], x3[f] - z3[f]
            e0, e1, e2, e3 = x0[f + 1] - z0[f + 1], x1[f + 1] - z1[f + 1], x2[f + 1] - z2[f + 1], x3[f + 1] - z3[f + 1]
            s0 = (s0 + d0 * d0) + e0 * e0
            s1 = (s1 + d1 * d1) + e1 * e1
            s2 = (s2 + d2 * d2) + e2 * e2
            s3 = (s3 + d3 * d3) + e3 * e3
        if p % 2:
            d0, d1, d2, d3 = x0[p - 1] - z0[p - 1], x1[p - 1] - z1[p - 1], x2[p - 1] - z2[p - 1], x3[p - 1] - z3[p - 1]
            s0 += d0 * d0
            s1 += d1 * d1
            s2 += d2 * d2
            s3 += d3 * d3
        distance[t3], distance[t2], distance[t1] = np.sqrt(s3), np.sqrt(s2), np.sqrt(s1)
        distance[t] = np.sqrt(s0)
