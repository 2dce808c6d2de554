"""The k nearest candidates of each row: from all dissimilarities, screened by products, and by SciPy's k-d tree in few dimensions.

**By products** (see `core.distances.screen` for the bound): of the approximations q of a row, each at most E from the scaled square s
of the distance, let q_k be the k-th smallest. At least k prototypes have s <= q_k + E, so the kernel, whose squares are
s (1 + k') with |k'| <= kappa, gives at least k of them a square of at most (q_k + E) (1 + kappa). A prototype that the kernel finds
no farther than its k-th nearest has s <= (q_k + E) (1 + kappa) / (1 - kappa), and q <= that + E. These are computed exactly.

**By the tree**: its distances are rounded in another way than those of the kernel, so pairs that lie within a slightly larger distance
are found, and measured exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..coding import as_slice
from ..distances.minkowski import measure_pair, measure_row
from ..distances.screen import Compared
from ..parallel import each, kernel

if TYPE_CHECKING:
    from scipy.spatial import KDTree

Array = NDArray[Any]
SLACK = 1e-5  # by which distances of the tree may differ, also in single precision and for powers other than 1 and 2
COSTLY = 32  # pairs of a tile that are coded while a tree finds and measures one
AT_ONCE = 4096  # rows whose neighbours are listed together
SHOWN = 256  # rows that show how many pairs lie within a distance


@dataclass(frozen=True)
class Space:
    """Rows and candidates whose dissimilarities are Minkowski distances of these coordinates.

    Both are of one precision, and r is the exponent of the distance.
    """

    rows: Array  # (n, p)
    candidates: Array  # (m, p)
    r: float

    def nearest(self, rows: Array, k: int) -> Near:
        """For some rows (r,) the candidates up to the distance of the k-th nearest."""
        X, m = self.rows[as_slice(rows)], len(self.candidates)
        apart, at = self.tree.query(X, np.arange(1, min(k + 1, m) + 1), p=self.r)
        reach = self._beyond(apart[:, k - 1])
        more = apart[:, k] <= reach if m > k else np.zeros(len(X), np.bool_)  # others may be as near as the k-th
        count, lists = np.full(len(X), k), self.tree.query_ball_point(X[more], reach[more], p=self.r)
        count[more] = [len(one) for one in lists]
        found, listed = np.empty(count.sum(), np.int64), np.repeat(more, count)
        found[~listed], found[listed] = at[~more, :k].ravel(), np.fromiter(chain.from_iterable(lists), np.int64)
        near = self._measured(X, count, found)
        return near.within(smallest(near.padded(), k)) if len(near) else near

    def near(self, reach: float, most: float) -> Near | None:
        """For each row the candidates at a distance below `reach`, and others hardly farther; None if there are more than `most` or so."""
        if self.share(reach) * len(self.rows) * len(self.candidates) > most:
            return None

        def lists(first: int) -> Near:
            X = self.rows[first : first + AT_ONCE]
            found = self.tree.query_ball_point(X, self._beyond(reach), p=self.r, return_sorted=False)
            count = np.array([len(one) for one in found])
            return self._measured(X, count, np.fromiter(chain.from_iterable(found), np.int32, count.sum()))

        return joined(list(each(lists, range(0, len(self.rows), AT_ONCE))))

    def share(self, reach: float) -> float:
        """Proportion of the pairs that lie within a distance, about: that of some rows."""
        shown = self.rows[np.linspace(0, len(self.rows) - 1, SHOWN).astype(int)]
        count = self.tree.query_ball_point(shown, self._beyond(reach), p=self.r, return_length=True)
        return float(np.mean(count)) / len(self.candidates)

    @cached_property
    def tree(self) -> KDTree:
        from scipy.spatial import KDTree  # most fits do without

        return KDTree(self.candidates)

    def _beyond(self, distance: Any) -> Any:
        """A distance that no distance of the tree exceeds where the exact one is at most `distance`."""
        power = self.r if 2 < self.r < np.inf else 2.0  # powers of smaller differences are 0
        return distance * (1 + SLACK) + self.rows.shape[1] * float(np.finfo(self.rows.dtype).tiny) ** (1 / power)

    def _measured(self, X: Array, count: Array, at: Array) -> Near:
        """Lists of so many candidates for each of some rows, with exact distances."""
        start, distance = np.append(0, np.cumsum(count)), np.empty(len(at), X.dtype)
        _measure_lists(np.ascontiguousarray(X), np.ascontiguousarray(self.candidates), start, at, float(self.r), distance)
        return Near(start, at, distance)


@kernel(contract=False)
def _measure_lists(X, Z, start, at, r, distance):  # type: ignore[no-untyped-def]
    one = np.empty(1, X.dtype)
    for i in range(len(X)):
        for s in range(start[i], start[i + 1]):
            if r == 2:
                distance[s] = measure_pair(X[i], Z[at[s]])
            else:
                measure_row(X[i], Z[at[s]].reshape(-1, 1), r, one)
                distance[s] = one[0]


LANES = 64  # values that are compared together
TOGETHER = 2**17  # values that are compared at a time, because they stay in the second-level cache


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
        _measure_lists(compared.rows.exact[part], compared.candidates.exact, found.start, found.at, 2.0, distance)
        found = Near(found.start, found.at, distance)
        parts.append(found.within(smallest(found.padded(), k)) if len(found) else found)
    return joined(parts)


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
