"""Gower's coefficient for mixed variables, with missing values skipped in each pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..parallel import in_blocks, kernel

WIDTH = 1024  # columns whose running sums stay in the first-level cache
BLOCK = 128  # rows given to a thread at a time
UNLIKE = np.inf  # a value that differs from all others, also from itself


def gower(
    a: Array, b: Array, numbers: int, asymmetric: NDArray[np.bool_], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Gower dissimilarities between two sets of rows (Gower 1971; Kaufman and Rousseeuw 1990, section 2.6).

    The sums of every pair run over the variables in their order, for tiles of any shape.

    Parameters
    ----------
    a, b : float arrays (n, p + c) and (m, p + c)
        The numbers, each divided by its range and multiplied by its weight, then the codes of the categories; NaN where missing,
        inf (`UNLIKE`) for a value as far from every other as the range is long, or different from every code.
    numbers : int
        Number p of numeric columns.
    asymmetric : bool (c,)
        Whether the column is asymmetric: a pair with two zeros (code 0) skips it.
    weights : float (p + c,), optional
        Weight of each variable; 1 by default.

    Returns
    -------
    array (n, m)
        Weighted mean over the variables observed in both rows; NaN if they have no observed variable of positive weight in common.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.array([[0.0, 0.0], [0.5, 1.0]])
    >>> gower(a, a, 1, np.array([False]))
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    w = np.ones(a.shape[1]) if weights is None else np.asarray(weights, float)
    skip = np.r_[np.zeros(numbers, bool), np.asarray(asymmetric, bool)]
    out = np.empty((len(a), len(b)))
    across = np.ascontiguousarray(b.T)
    in_blocks(lambda part: _gower(a[part], across, numbers, w, skip, out[part]), len(out), BLOCK, out.size)
    return out


@kernel
def _gower(x, u, p, w, skip, out):  # type: ignore[no-untyped-def]
    # x is (n, p + c), u (p + c, m). If all values of a row and a tile are finite, the weights
    # are summed once for all pairs, in the same order as the sum of each pair.
    q = u.shape[0]
    complete = np.empty(q, np.bool_)
    for first in range(0, u.shape[1], WIDTH):
        width = min(WIDTH, u.shape[1] - first)
        total, weight = np.empty(width), np.empty(width)
        for f in range(q):
            column, gaps = u[f, first : first + width], 0
            for j in range(width):
                gaps += 1 if column[j] - column[j] != 0.0 else 0
            complete[f] = gaps == 0
        for i in range(x.shape[0]):
            observed = True
            for f in range(q):
                v = x[i, f]
                observed = observed and complete[f] and v - v == 0.0 and not (skip[f] and v == 0.0)
            total[:] = 0.0
            if observed:
                count = 0.0
                for f in range(q):
                    count += w[f]
                for f in range(0, p - 1, 2):
                    v0, v1 = x[i, f], x[i, f + 1]
                    u0, u1 = u[f, first : first + width], u[f + 1, first : first + width]
                    for j in range(width):
                        total[j] = (total[j] + abs(v0 - u0[j])) + abs(v1 - u1[j])
                if p % 2:
                    v0, u0 = x[i, p - 1], u[p - 1, first : first + width]
                    for j in range(width):
                        total[j] += abs(v0 - u0[j])
                for f in range(p, q):
                    v0, u0, w0 = x[i, f], u[f, first : first + width], w[f]
                    for j in range(width):
                        total[j] += w0 if u0[j] != v0 else 0.0
                for j in range(width):
                    out[i, first + j] = total[j] / count if count > 0 else np.nan
                continue
            weight[:] = 0.0
            for f in range(p):
                v0, u0, w0 = x[i, f], u[f, first : first + width], w[f]
                if v0 != v0:
                    continue
                for j in range(width):
                    y = u0[j]
                    d = w0 if v0 == np.inf or y == np.inf else abs(v0 - y)
                    total[j] += d if y == y else 0.0
                    weight[j] += w0 if y == y else 0.0
            for f in range(p, q):
                v0, u0, w0, both_zero = x[i, f], u[f, first : first + width], w[f], skip[f] and x[i, f] == 0.0
                if v0 != v0:
                    continue
                for j in range(width):
                    y = u0[j]
                    counted = y == y and not (both_zero and y == 0.0)
                    weight[j] += w0 if counted else 0.0
                    total[j] += w0 if counted and (y != v0 or y == np.inf) else 0.0
            for j in range(width):
                out[i, first + j] = total[j] / weight[j] if weight[j] > 0 else np.nan
