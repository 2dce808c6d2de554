"""The k nearest prototypes of rows: from all dissimilarities, or from products that leave few pairs open.

**By products** (see `core.distances.screen` for the bound): of the approximations q of a row, each at most E from the scaled square s
of the distance, let q_k be the k-th smallest. At least k prototypes have s <= q_k + E, so that the kernel, whose squares are
s (1 + k') with |k'| <= kappa, gives at least k of them a square of at most (q_k + E) (1 + kappa). What the kernel finds to be no
farther than its k-th nearest has s <= (q_k + E) (1 + kappa) / (1 - kappa), and q <= that + E. These are measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..distances.screen import Compared
from ..parallel import kernel

if TYPE_CHECKING:
    from ..query import Query
    from ..task import Points

Array = NDArray[Any]
TOGETHER = 2**17  # values that are compared at a time, as they stay in the second-level cache


def nearest_k(query: Query, prototypes: Points, k: int) -> Near:
    """For each row of a query the prototypes up to the distance of the k-th nearest one, with those tied with it.

    Parameters
    ----------
    query : Query
    prototypes : Points
        At least one.
    k : int
        All prototypes where it is larger than their number.
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
    return joined([_up_to(D[part], smallest(D[part], k)) for part in parts_of(*D.shape)])


def parts_of(r: int, q: int) -> list[slice]:
    """Rows of which a few fit into a cache; one empty part if there are no rows."""
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
    for part in parts_of(*compared.twice.shape):
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
    """The prototypes of some rows that may be among the k nearest, with their approximations."""
    rows, candidates, limits = compared.rows.square[part], compared.candidates.square, compared.bounds
    near = candidates + rows[:, None] - compared.twice[part]
    error = 1.001 * (limits.norm * (rows.astype(float) + float(candidates.max())) + limits.slack)
    last = (smallest(near, k) + error) * ((1 + limits.kernel) / (1 - limits.kernel)) + error
    return _up_to(near, np.nextafter(last.astype(np.float32), np.float32(np.inf)))


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
