"""The nearest candidates of each row, as lists: from all dissimilarities, screened by products, or
by SciPy's k-d tree in few dimensions.

**By products** (see `screen` for the bound): of the approximations of a row, let q be the k-th
smallest. At least k candidates are no farther than it is, so one of the k nearest has an
approximation within the reach of q (`Compared.reach`). These are computed exactly.

**By the tree**: its distances are rounded in another way than those of the kernel, so pairs that
lie within a slightly larger distance are found, and measured exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Array
from ..coding import as_slice
from ..parallel import each, kernel
from ..thresholds import CACHED
from .minkowski import Geometry, measure_pair, measure_row, minkowski
from .screen import Compared

if TYPE_CHECKING:
    from scipy.spatial import KDTree

LISTED = 4096  # rows whose neighbours are listed together
SHOWN, BESIDE = 512, 2**13  # up to half as many rows and candidates show how many pairs are near


@dataclass(frozen=True)
class Near:
    """For each of r rows the candidates that are no farther than the k-th nearest one, in any order.

    Attributes
    ----------
    start : int array (r + 1,)
        First position of the list of each row, and the end of the last one.
    at : int array (start[r],)
        Positions of candidates.
    distance : array (start[r],)
    """

    start: Array
    at: Array
    distance: Array

    @classmethod
    def of(cls, count: Array, at: Array) -> Near:
        """Lists of so many candidates for each row, which are still to be measured."""
        return cls(np.append(0, np.cumsum(count)), at, np.empty(0))

    def __len__(self) -> int:
        return len(self.start) - 1

    def rows(self) -> Array:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def ascending(self) -> Near:
        """With the candidates of each list in their order."""
        order = np.lexsort((self.at, self.rows()))
        return Near(self.start, self.at[order], self.distance[order])

    def padded(self) -> Array:
        """The distances as a matrix (r, length of the longest list), with inf behind those of each row."""
        length = np.diff(self.start)
        out = np.full((len(self), int(length.max(initial=0))), np.inf, self.distance.dtype)
        out[np.arange(out.shape[1]) < length[:, None]] = self.distance
        return out

    def radii(self, ks: Array) -> Array:
        """The distances (r, len(ks)) of the k-th nearest candidates; no list may be shorter."""
        if not len(self):
            return np.empty((0, len(ks)), self.distance.dtype)
        return np.sort(self.padded(), axis=1)[:, ks - 1]

    def nearest(self, k: int) -> Near:
        """The candidates up to the distance of the k-th nearest one; no list may be shorter."""
        return self.within(smallest(self.padded(), k)) if len(self) else self

    def within(self, last: Array) -> Near:
        """The candidates that are no farther than a distance for each row (r,)."""
        near = self.distance <= np.repeat(last, np.diff(self.start))
        count = np.append(0, np.cumsum(near))
        return Near(count[self.start], self.at[near], self.distance[near])


def joined(parts: list[Near]) -> Near:
    """The lists of some rows, and then those of others."""
    count = np.concatenate([np.diff(part.start) for part in parts])
    at, distance = (np.concatenate([getattr(part, x) for part in parts]) for x in ("at", "distance"))
    return replace(Near.of(count, at), distance=distance)


def nearest_of(D: Array, k: int) -> Near:
    """The nearest candidates of rows by their dissimilarities (r, q), k of them at most q.

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
    step = max(1, CACHED // max(q, 1))
    return [slice(first, first + step) for first in range(0, max(r, 1), step)]


def smallest(D: Array, k: int) -> Array:
    """The k-th smallest value of each row."""
    return D.min(axis=1) if k == 1 else np.partition(D, k - 1, axis=1)[:, k - 1]


def _up_to(D: Array, last: Array) -> Near:
    """The values (r, q) that are not above one for each row (r,), in their order."""
    found = np.flatnonzero(last[:, None] >= D)
    row, at = np.divmod(found, D.shape[1])
    return Near(np.searchsorted(row, np.arange(len(D) + 1)), at, D.ravel()[found])


def nearest_compared(compared: Compared, k: int) -> Near:
    """As `nearest_of`, of distances that are compared by a product."""
    parts = []
    for part in parts_of(*compared.twice.shape):
        some = compared.of(part)
        values = some.near
        last = some.reach(smallest(values, k)[:, None])[:, 0]
        found = _up_to(values, np.nextafter(last.astype(np.float32), np.float32(np.inf)))
        parts.append(measured(found, some.lines.exact, some.across.exact, 2.0).nearest(k))
    return joined(parts)


def measured(near: Near, X: Array, Z: Array, r: float) -> Near:
    """The lists with the exact Minkowski distances between rows X and candidates Z."""
    distance = np.empty(len(near.at), X.dtype)
    _measure_lists(
        np.ascontiguousarray(X), np.ascontiguousarray(Z), near.start, near.at, float(r), distance
    )
    return replace(near, distance=distance)


@kernel(contract=False)
def _measure_lists(X, Z, start, at, r, distance):  # type: ignore[no-untyped-def]
    """Write the Minkowski distance of each row to the candidates of its list."""
    one = np.empty(1, X.dtype)
    for i in range(len(X)):
        for s in range(start[i], start[i + 1]):
            if r == 2:
                distance[s] = measure_pair(X[i], Z[at[s]])
            else:
                measure_row(X[i], Z[at[s]].reshape(-1, 1), r, one)
                distance[s] = one[0]


@dataclass(frozen=True)
class Space:
    """Rows and candidates whose dissimilarities follow from distances between these few
    coordinates, of one precision.
    """

    rows: Array  # (n, p)
    candidates: Array  # (m, p)
    geometry: Geometry

    @cached_property
    def tree(self) -> KDTree:
        from scipy.spatial import KDTree  # most fits do without

        return KDTree(self.candidates)

    def nearest(self, rows: Array, k: int) -> Near:
        """For some rows (r,) the candidates up to the distance of the k-th nearest."""
        X, m, r = self.rows[as_slice(rows)], len(self.candidates), self.geometry.r
        apart, at = self.tree.query(X, np.arange(1, min(k + 1, m) + 1), p=r)
        reach = self._beyond(apart[:, k - 1])
        # rows `more` may have others as near as the k-th
        more = apart[:, k] <= reach if m > k else np.zeros(len(X), np.bool_)
        lists = self.tree.query_ball_point(X[more], reach[more], p=r)
        count = np.full(len(X), k)
        count[more] = [len(one) for one in lists]
        found, listed = np.empty(count.sum(), np.int64), np.repeat(more, count)
        found[~listed], found[listed] = (
            at[~more, :k].ravel(),
            np.fromiter(chain.from_iterable(lists), np.int64),
        )
        return measured(Near.of(count, found), X, self.candidates, r).nearest(k)

    def near(self, reach: float, most: float) -> Near | None:
        """For each row the candidates at a distance below `reach`, and others hardly farther, with
        their dissimilarities; None if there are more than `most` or so.
        """
        n, m, r, limit = len(self.rows), len(self.candidates), self.geometry.r, self._beyond(reach)
        # even positions beside odd ones, because a row is near itself
        sides = self.rows[:: 2 * -(-n // SHOWN)], self.candidates[1 :: 2 * -(-m // BESIDE)]
        if np.mean(minkowski(*sides, r) < limit) * n * m > most:
            return None

        def lists(first: int) -> Near:
            X = self.rows[first : first + LISTED]
            found = self.tree.query_ball_point(X, limit, p=r, return_sorted=False)
            count = np.array([len(one) for one in found])
            near = Near.of(count, np.fromiter(chain.from_iterable(found), np.int32, count.sum()))
            return measured(near, X, self.candidates, r)

        near = joined(list(each(lists, range(0, n, LISTED))))
        return replace(near, distance=self.geometry.value(near.distance))

    def _beyond(self, distance: Any) -> Any:
        """A distance that no distance of the tree exceeds where the exact one is at most `distance`."""
        r = self.geometry.r
        power = r if 2 < r < np.inf else 2.0  # powers of smaller differences are 0
        # distances of the tree may differ by 1e-5, also in single precision and for other powers
        return distance * (1 + 1e-5) + self.rows.shape[1] * float(
            np.finfo(self.rows.dtype).tiny
        ) ** (1 / power)
