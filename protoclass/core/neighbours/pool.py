"""Lists of the neighbours of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import few, kernel

Array = NDArray[Any]
Fill = Callable[[int, Array, Array, Array], int]
TOGETHER = 2**17  # values that are compared at a time, as they stay in the second-level cache


@dataclass(frozen=True)
class Near:
    """For each of r rows the prototypes that are no farther than the k-th nearest one, in any order.

    Attributes
    ----------
    start : int array (r + 1,)
        Where the list of each row begins, and where the last one ends.
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
        """Those that are no farther than a distance for each row (r,)."""
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
    if few(D.size):
        inside = smallest(D, k)[:, None] >= D
        return Near(np.append(0, np.cumsum(inside.sum(axis=1))), np.nonzero(inside)[1], D[inside])
    return joined([up_to(D[part], smallest(D[part], k), k) for part in parts_of(*D.shape)])


def parts_of(r: int, q: int) -> list[slice]:
    """Rows of which a few fit into a cache; one empty part if there are no rows."""
    step = max(1, TOGETHER // max(q, 1))
    return [slice(first, first + step) for first in range(0, max(r, 1), step)]


def smallest(D: Array, k: int) -> Array:
    """The k-th smallest value of each row."""
    return np.asarray(D.min(axis=1) if k == 1 else np.partition(D, k - 1, axis=1)[:, k - 1])


def up_to(D: Array, last: Array, k: int) -> Near:
    """The values (r, q) that are not above one for each row (r,), about k of each row, in their order."""
    D = np.ascontiguousarray(D)
    return listed(len(D), k, D.shape[1], D.dtype, lambda first, *lists: int(_up_to(D[first:], last[first:], *lists)))


def listed(rows: int, k: int, prototypes: int, dtype: Any, fill: Fill) -> Near:
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
def _up_to(D, last, start, at, distance):  # type: ignore[no-untyped-def]
    end = 0
    for i in range(len(D)):
        largest = last[i]
        for j in range(D.shape[1]):
            if D[i, j] <= largest:
                if end == len(at):
                    return i
                at[end], distance[end] = j, D[i, j]
                end += 1
        start[i + 1] = end
    return len(D)


@kernel
def replace_largest(heap, value):  # type: ignore[no-untyped-def]
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
