"""Dynamic time warping between rows taken as series (Sakoe and Chiba 1978).

A warping path is a sequence of pairs of steps (i, j) of two series, from the two first steps to the two last ones. From pair
to pair it advances by one step in one series or in both. The cost of a path is the sum of |a_i - b_j| ** power over its
pairs. The dissimilarity is the lowest cost of any path, and for power 2 its square root: the dissimilarity of series of
equal length that need no warping is then their Euclidean distance.

It is symmetric to the bit, exactly 0 for identical series, and has the same bits in every tile. It is not a metric: the
triangle inequality can fail, and the dissimilarity of series that differ only in repeated steps, such as (0, 1) and
(0, 0, 1), is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..parallel import SMALL, in_blocks, kernel


def dtw(A: Array, B: Array, window: int | None = None, power: int = 2) -> NDArray[np.float64]:
    """Dynamic time warping dissimilarities between two sets of series.

    The steps are the steps of Sakoe and Chiba (1978) without slope constraint, all with weight 1: the lowest cost up to (i, j) is
    the local cost plus the lowest of the costs up to (i - 1, j), (i, j - 1) and (i - 1, j - 1). Their weights (2 for a
    step in both series, and division by the sum of the lengths) are not used.

    Parameters
    ----------
    A : array (r, T) or (r, channels, T)
    B : array (q, S) or (q, channels, S)
        Series as rows, all values finite; a shorter one has NaN at its end. The costs of all channels are added up.
    window : int >= 0, optional
        The largest difference between two paired steps, |i - j| <= window (the adjustment window of Sakoe and Chiba). If the lengths of
        two series differ by more, it is widened to that difference, the smallest with a path. None: no limit.
    power : 1 or 2
        Power of the local cost: |a - b|, or (a - b) ** 2 with a square root at the end.

    Returns
    -------
    array (r, q)

    Examples
    --------
    >>> a, b = np.array([[0.0, 0.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0, 2.0]])
    >>> dtw(a, b, power=1), dtw(a, b, window=0, power=1)
    (array([[0.]]), array([[2.]]))
    """
    A, B = (X[:, None] if X.ndim == 2 else X for X in (A, B))
    (r, channels, T), (q, _, S) = A.shape, B.shape
    band = max(T, S) if window is None else min(window, max(T, S))
    n, m = (np.count_nonzero(~np.isnan(X[:, 0]), axis=1) for X in (A, B))
    left, right = np.ascontiguousarray(A, np.float64), np.ascontiguousarray(B[..., ::-1], np.float64)
    out, cells = np.empty((r, q)), T * S * q * channels  # for one row
    step = max(1, SMALL // max(1, cells))
    in_blocks(lambda part: _dtw(left[part], right, n[part], m, band, power, out[part]), r, step, r * cells)
    return out


@kernel
def _dtw(A, B, n, m, band, power, out):  # type: ignore[no-untyped-def]
    # B contains each series in reverse order; n and m are the lengths
    table = np.empty((3, A.shape[2] + 1))
    for x in range(out.shape[0]):
        for y in range(out.shape[1]):
            widest = max(band, abs(n[x] - m[y]))
            cost = _least(A[x], B[y], n[x], m[y], widest, power, table)
            out[x, y] = cost if power == 1 else np.sqrt(cost)


@kernel
def _least(a, b, n, m, band, power, table):  # type: ignore[no-untyped-def]
    # The table of lowest costs is filled along its diagonals i + j = d, whose cells do not depend on one another and are
    # computed in a vectorised loop. The last three diagonals are kept, cell (i, d - i) at position i + 1, with inf on either
    # side of the cells inside table and band. As b is reversed, both series run forwards along a diagonal.
    last_step = b.shape[1] - 1
    table[:] = np.inf
    table[1, 0] = 0.0  # every path starts here
    for d in range(n + m - 1):
        before, last, now = table[(d + 1) % 3], table[(d + 2) % 3], table[d % 3]
        low, high = max(0, d - m + 1, (d - band + 1) // 2), min(n - 1, d, (d + band) // 2)
        size = high + 1 - low  # 0 on every other diagonal of a band of 0
        here = now[low + 1 : low + 1 + size]
        left, other, both = last[low + 1 : low + 1 + size], last[low : low + size], before[low : low + size]
        for c in range(len(a)):
            u, v = a[c, low : low + size], b[c, last_step - d + low : last_step + 1 - d + high]
            for k in range(size):
                gap, before_it = u[k] - v[k], here[k] if c else min(min(left[k], other[k]), both[k])
                here[k] = before_it + (abs(gap) if power == 1 else gap * gap)
        now[low] = np.inf  # positions beyond `high` are still inf
    return table[(n + m - 2) % 3, n]
