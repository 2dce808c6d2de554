"""Dynamic time warping between rows taken as series (Sakoe and Chiba 1978).

A warping path is a sequence of pairs of steps (i, j) of two series, from the two first steps to the two last ones. From pair
to pair it advances by one step in one series or in both. The cost of a path is the sum of |a_i - b_j| ** power over its
pairs. The dissimilarity is the least cost of any path, and for power 2 its square root: the dissimilarity of series of
equal length that need no warping is then their Euclidean distance.

It is symmetric to the bit, exactly 0 for identical series, and has the same bits in every tile. It is not a metric: the
triangle inequality can fail, and the dissimilarity of series that differ only in repeated steps, such as (0, 1) and
(0, 0, 1), is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ground.checks import one_of, whole_number
from ...ground.errors import DataError
from ..parallel import SMALL, each, kernel

Array = NDArray[Any]


def dtw(
    A: Array,
    B: Array,
    lengths_a: Array | None = None,
    lengths_b: Array | None = None,
    window: int | None = None,
    power: int = 2,
) -> NDArray[np.float64]:
    """Dynamic time warping dissimilarities between two sets of series.

    The steps are those of Sakoe and Chiba (1978) without slope constraint, all with weight 1: the least cost up to (i, j) is
    the local cost there plus the least of the costs up to (i - 1, j), (i, j - 1) and (i - 1, j - 1). Their weights (2 for a
    step in both series, and division by the sum of the lengths) are not used.

    Parameters
    ----------
    A : array (r, T)
    B : array (q, S)
        Series as rows; a series that is shorter than the array's width fills the first columns of its row.
    lengths_a : int array (r,), optional
    lengths_b : int array (q,), optional
        Length of each series, at least 1. By default the values before the NaN at the end of a row count, see `lengths`.
    window : int >= 0, optional
        The largest difference between two paired steps, |i - j| <= window (the adjustment window of Sakoe and Chiba). If the
        lengths of two series differ by more, the window is widened to that difference, the least for which there is a path.
        None: no limit.
    power : 1 or 2
        Of the local cost: |a - b|, or (a - b) ** 2 with a square root at the end.

    Returns
    -------
    array (r, q)

    Raises
    ------
    OptionError
        For a window or a power that is not allowed.
    DataError
        If lengths are not from 1 to the array's width, if values are infinite, or if NaN are not at the end of a row.

    Examples
    --------
    >>> a, b = np.array([[0.0, 0.0, 1.0, 2.0]]), np.array([[0.0, 1.0, 2.0, 2.0], [1.0, 2.0, 3.0, np.nan]])
    >>> dtw(a, b, power=1), dtw(a, b, window=0, power=1)
    (array([[0., 3.]]), array([[2., 4.]]))
    """
    one_of("power", power, (1, 2))
    (r, T), (q, S) = A.shape, B.shape
    band = max(T, S) if window is None else min(whole_number("window", window, 0), max(T, S))
    long_a, long_b = _check_lengths(A, lengths_a), _check_lengths(B, lengths_b)
    left = np.ascontiguousarray(A, np.float64)
    right = np.ascontiguousarray(B[:, ::-1], np.float64)
    out = np.empty((r, q))
    cells = T * S * q  # for one row
    rows = max(1, SMALL // max(1, cells))

    def block(first: int) -> None:
        part = slice(first, first + rows)
        _dtw(left[part], long_a[part], right, long_b, band, power, out[part])

    for _ in each(block, range(0, r, rows), r * cells):
        pass
    return out


def lengths(A: Array) -> NDArray[np.int64]:
    """Length of each series, without NaN at the end.

    Parameters
    ----------
    A : array (r, T)

    Returns
    -------
    int array (r,)
        From 1 to T.

    Raises
    ------
    DataError
        If a series has no value, or a value follows a NaN.

    Examples
    --------
    >>> lengths(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]])).tolist()
    [2, 3]
    """
    known = ~np.isnan(np.asarray(A, np.float64))
    count = known.sum(axis=1)
    empty = np.flatnonzero(count == 0)
    if len(empty):
        raise DataError(f"series {empty[0]} has no value ({len(empty)} such series): leave it out")
    gaps = np.flatnonzero((known != (np.arange(known.shape[1]) < count[:, None])).any(axis=1))
    if len(gaps):
        raise DataError(
            f"series {gaps[0]} has a value after a missing one ({len(gaps)} such series): NaN may only be at the end"
        )
    return np.asarray(count, np.int64)


def _check_lengths(A: Array, given: Array | None) -> NDArray[np.int64]:
    checked = lengths(A) if given is None else np.asarray(given)
    valid = checked.shape == (len(A),) and np.issubdtype(checked.dtype, np.integer)
    if not valid or (len(checked) and not 1 <= checked.min() <= checked.max() <= A.shape[1]):
        raise DataError(f"lengths of {len(A)} series must be {len(A)} whole numbers from 1 to {A.shape[1]}")
    inside = np.arange(A.shape[1]) < checked[:, None]
    invalid = np.flatnonzero((inside & ~np.isfinite(np.asarray(A, np.float64))).any(axis=1))
    if len(invalid):
        raise DataError(f"series {invalid[0]} has values that are missing or infinite ({len(invalid)} such series)")
    return np.asarray(checked, np.int64)


@kernel
def _dtw(A, long_a, B, long_b, window, power, out):  # type: ignore[no-untyped-def]
    # B holds each series in reverse order, at the end of its row
    table = np.empty((3, A.shape[1] + 1))
    for x in range(out.shape[0]):
        for y in range(out.shape[1]):
            n, m = long_a[x], long_b[y]
            cost = _least(A[x, :n], B[y, B.shape[1] - m :], max(window, abs(n - m)), power, table)
            out[x, y] = cost if power == 1 else np.sqrt(cost)


@kernel
def _least(a, b, band, power, table):  # type: ignore[no-untyped-def]
    # The table of least costs is filled along its diagonals i + j = d, whose cells do not depend on one another and are
    # computed in a vectorised loop. The last three diagonals are kept, cell (i, d - i) at position i + 1, with inf on either
    # side of the cells inside table and band. As b is reversed, both series run forwards along a diagonal.
    n, m = len(a), len(b)
    table[:, : n + 1] = np.inf
    table[1, 0] = 0.0  # every path starts here
    for d in range(n + m - 1):
        before, last, now = table[(d + 1) % 3], table[(d + 2) % 3], table[d % 3]
        low, high = max(0, d - m + 1, (d - band + 1) // 2), min(n - 1, d, (d + band) // 2)
        size = high + 1 - low  # 0 on every other diagonal of a band of 0
        u, v, here = a[low : low + size], b[m - 1 - d + low : m - d + high], now[low + 1 : low + 1 + size]
        one, other, both = last[low + 1 : low + 1 + size], last[low : low + size], before[low : low + size]
        for k in range(size):
            gap = u[k] - v[k]
            here[k] = min(min(one[k], other[k]), both[k]) + (abs(gap) if power == 1 else gap * gap)
        now[low] = np.inf  # positions beyond `high` are still inf
    return table[(n + m - 2) % 3, n]
