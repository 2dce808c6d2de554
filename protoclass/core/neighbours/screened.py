"""The k nearest prototypes where distances are compared by a product; see `core.distances.screen` for the bound.

Of the approximations q of a row, each at most E from the scaled square s of the distance, let q_k be the k-th smallest. At least
k prototypes have s <= q_k + E, so that the kernel, whose squares are s (1 + k') with |k'| <= kappa, gives at least k of them a
square of at most (q_k + E) (1 + kappa). What the kernel finds to be no farther than its k-th nearest has s <= (q_k + E)
(1 + kappa) / (1 - kappa), and q <= that + E. These are measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.screen import Compared
from ..parallel import kernel
from .pool import Near, joined, parts_of, smallest, up_to

Array = NDArray[Any]


def nearest_compared(compared: Compared, k: int) -> Near:
    """For each row the prototypes up to the distance of the k-th nearest; k is at most their number."""
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
    return up_to(near, np.nextafter(last.astype(np.float32), np.float32(np.inf)), k)


@kernel
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
