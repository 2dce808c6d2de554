"""The Minkowski family and inner products, summed in a fixed order; and metrics whose values follow
from distances between coordinates.

Every distance is summed over the variables in the order of the columns, for tiles of any shape. So
a distance is bit-identical if it is stored, streamed or computed again for one new row; the
distance of identical rows is exactly 0; and D[i, j] = D[j, i]. A matrix product takes a fourth to
an eighth of the time and guarantees none of the three; `screen` shows when it can be used
nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..parallel import Kernel, few, in_blocks, kernel, threaded
from ..thresholds import THREAD_ROWS


def the_same(distances: Array) -> Array:
    """The `value` of a `Geometry` whose dissimilarities are the distances."""
    return distances


@dataclass(frozen=True)
class Geometry:
    """The values of a metric as a function of Minkowski distances between the first arrays of its representations.

    Attributes
    ----------
    r : float
        Exponent of the Minkowski distance, as `core.distances.minkowski` measures it.
    value : callable
        Dissimilarities from distances, entry by entry. It never falls, also in its last bits, and
        keeps the precision.
    """

    r: float = 2.0
    value: Callable[[Array], Array] = the_same

    @property
    def is_distance(self) -> bool:
        """Whether the values are the distances."""
        return self.value is the_same

    def reach(self, radii: Array) -> Array:
        """The smallest distances (K,) whose values are not below these radii (K,), in the precision
        of the radii; inf for none.

        Examples
        --------
        >>> import numpy as np
        >>> Geometry(value=lambda d: d * d / 2).reach(np.array([2.0, 8.0]))
        array([2., 4.])
        """
        if self.is_distance:
            return radii
        kind = np.uint32 if radii.dtype == np.float32 else np.uint64
        # positive floats are ordered as their bits are: halve between 0 and infinity
        low = np.zeros(len(radii), kind)
        high = np.full(len(radii), np.array(np.inf, radii.dtype).view(kind))
        with np.errstate(over="ignore", under="ignore"):
            while (high - low > 1).any():
                middle = low + (high - low) // kind(2)
                enough = self.value(middle.view(radii.dtype)) >= radii
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.where(self.value(np.zeros_like(radii)) >= radii, 0, high.view(radii.dtype))


WIDTH = 512  # columns whose running sums stay in the first-level cache


def minkowski(a: Array, b: Array, r: float = 2.0) -> Array:
    """Minkowski distances between the rows of two arrays, in the precision of the arrays.

    Parameters
    ----------
    a : array (n, p)
    b : array (m, p), of the same dtype (float32 or float64)
    r : float >= 1
        1 is Manhattan, 2 Euclidean, `inf` Chebyshev.

    Returns
    -------
    array (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> minkowski(np.zeros((1, 2)), np.array([[3.0, 4.0]]), 1.0)
    array([[7.]])
    """
    if r in (1, 2, np.inf) and few(a.size * len(b)):
        return _by_numpy(a, b, r)
    return _between(_euclidean, a, b) if r == 2 else _between(_minkowski, a, b, float(r))


def _between(measure: Kernel, a: Array, b: Array, *given: Any) -> Array:
    """Values of a kernel for the rows of two arrays, (n, m)."""
    out = np.empty((len(a), len(b)), a.dtype)
    rows, across = np.ascontiguousarray(a), np.ascontiguousarray(b.T)
    step = THREAD_ROWS if threaded(out.size) else max(1, len(a))
    in_blocks(lambda part: measure(rows[part], across, *given, out[part]), len(a), step, out.size)
    return out


def _by_numpy(a: Array, b: Array, r: float) -> Array:
    """The distances without a kernel: each operation is rounded separately there too, so the
    results are bit-identical.
    """
    out = np.zeros((len(a), len(b)), a.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        for x, z in zip(a.T, b.T, strict=True):
            apart = np.abs(x[:, None] - z)
            out = (
                np.maximum(out, apart)
                if r == np.inf
                else out + (apart * apart if r == 2 else apart)
            )
        return np.sqrt(out) if r == 2 else out


def products(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inner products (n, m) between the rows of two arrays (n, p) and (m, p), summed in the order of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> products(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[11.,  2.]])
    """
    if few(a.size * len(b)):
        return sum(
            (x[:, None] * z for x, z in zip(a.T, b.T, strict=True)), np.zeros((len(a), len(b)))
        )
    return _between(_products, a, b)


def totals(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum (n,) of each row, column by column: the order of NumPy's sum depends on the memory layout."""
    total = np.zeros(len(X))
    for column in X.T:
        total += column
    return total


def unit(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (n, p) divided by their Euclidean norms; no row may be zero.

    Examples
    --------
    >>> import numpy as np
    >>> unit(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    Z = X / np.abs(X).max(axis=1, keepdims=True)  # squares of 1e200 would overflow
    return np.ascontiguousarray(Z / np.sqrt(totals(Z * Z))[:, None])


def whitened(X: NDArray[np.float64], L: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows z (n, p) with L z = x, by forward substitution.

    Parameters
    ----------
    X : array (n, p)
    L : array (p, p), lower triangular
        With S = L L^T, Euclidean distances between the rows z are Mahalanobis distances between the
        rows x.

    Examples
    --------
    >>> import numpy as np
    >>> whitened(np.array([[2.0, 5.0]]), np.array([[2.0, 0.0], [1.0, 4.0]]))
    array([[1., 1.]])
    """
    # a BLAS solve of one row differs in its last bits from that of many
    Z = np.array(X.T, order="C")
    for j in range(len(Z)):
        for k in range(j):
            Z[j] -= L[j, k] * Z[k]
        Z[j] /= L[j, j]
    return np.ascontiguousarray(Z.T)


@kernel(contract=False)
def _euclidean(a, b, out):
    """Euclidean distances of the rows of a (n, p) to the columns of b (p, m), written to `out`.

    The loops are unrolled by hand, four rows by two variables at a time: the sums of WIDTH columns
    are read and written half as often. An edit must keep three properties:

    1. The sum of a pair runs over the variables in their order, two at a time as (s + d d) + e e,
       and an odd last one alone. Each operation is rounded separately (`contract=False`). So
       `measure_row`, `measure_pair` and `_by_numpy` give the same bits.
    2. No sum depends on the tile: rows i1 to i3 beyond the last repeat it, and are not written.
    3. Differences enter as squares alone, so D[i, j] = D[j, i], and 0 for identical rows.
    """
    n, p = a.shape
    for first in range(0, b.shape[1], WIDTH):
        width = min(WIDTH, b.shape[1] - first)
        total = np.empty((4, width), a.dtype)
        s0, s1, s2, s3 = total[0], total[1], total[2], total[3]
        for i in range(0, n, 4):
            i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
            total[:] = 0
            for f in range(0, p - 1, 2):
                u, v = b[f, first : first + width], b[f + 1, first : first + width]
                a0, a1, a2, a3 = a[i, f], a[i1, f], a[i2, f], a[i3, f]
                c0, c1, c2, c3 = a[i, f + 1], a[i1, f + 1], a[i2, f + 1], a[i3, f + 1]
                for j in range(width):
                    x, y = u[j], v[j]
                    d0, d1, d2, d3 = a0 - x, a1 - x, a2 - x, a3 - x
                    e0, e1, e2, e3 = c0 - y, c1 - y, c2 - y, c3 - y
                    s0[j] = (s0[j] + d0 * d0) + e0 * e0
                    s1[j] = (s1[j] + d1 * d1) + e1 * e1
                    s2[j] = (s2[j] + d2 * d2) + e2 * e2
                    s3[j] = (s3[j] + d3 * d3) + e3 * e3
            for k in range(min(4, n - i)):
                if p % 2:
                    for j in range(width):
                        d = a[i + k, p - 1] - b[p - 1, first + j]
                        total[k, j] += d * d
                for j in range(width):
                    out[i + k, first + j] = np.sqrt(total[k, j])


@kernel(contract=False)
def measure_row(x, across, r, total):
    """Minkowski distances of a row (p,) to the columns of `across` (p, width), written to `total` (width,)."""
    p, width = across.shape
    total[:] = 0
    if r == 2:  # in the order of `_euclidean`
        for f in range(0, p - 1, 2):
            u, v, a, c = across[f], across[f + 1], x[f], x[f + 1]
            for j in range(width):
                d, e = a - u[j], c - v[j]
                total[j] = (total[j] + d * d) + e * e
        if p % 2:
            u, a = across[p - 1], x[p - 1]
            for j in range(width):
                d = a - u[j]
                total[j] += d * d
        for j in range(width):
            total[j] = np.sqrt(total[j])
        return
    for f in range(p):
        u, a = across[f], x[f]
        if r == 1:
            for j in range(width):
                total[j] += abs(a - u[j])
        elif r == np.inf:
            for j in range(width):
                total[j] = max(total[j], abs(a - u[j]))
        else:
            for j in range(width):
                total[j] += abs(a - u[j]) ** r
    if r != 1 and r != np.inf:
        for j in range(width):
            total[j] = total[j] ** (1 / r)


@kernel
def _minkowski(a, b, r, out):
    """Distances of the rows of a (n, p) to the columns of b (p, m), a row and WIDTH columns at a time."""
    n = len(a)
    for first in range(0, b.shape[1], WIDTH):
        width = min(WIDTH, b.shape[1] - first)
        total, across = np.empty(width, a.dtype), b[:, first : first + width]
        for i in range(n):
            measure_row(a[i], across, r, total)
            for j in range(width):
                out[i, first + j] = total[j]


@kernel(contract=False)
def _products(a, b, out):
    """Inner products of the rows of a (n, p) with the columns of b (p, m), written to `out`.

    Blocks and properties 1 and 2 are those of `_euclidean`. They halve the time (`importance` in
    benchmarks/beside.py).
    """
    n, p = a.shape
    for first in range(0, b.shape[1], WIDTH):
        width = min(WIDTH, b.shape[1] - first)
        total = np.empty((4, width))
        s0, s1, s2, s3 = total[0], total[1], total[2], total[3]
        for i in range(0, n, 4):
            i1, i2, i3 = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
            total[:] = 0
            for f in range(0, p, 2):
                g, more = min(f + 1, p - 1), f + 1 < p  # an odd last variable counts once
                u, v = b[f, first : first + width], b[g, first : first + width]
                a0, a1, a2, a3 = a[i, f], a[i1, f], a[i2, f], a[i3, f]
                c0, c1, c2, c3 = more * a[i, g], more * a[i1, g], more * a[i2, g], more * a[i3, g]
                for j in range(width):
                    x, y = u[j], v[j]
                    s0[j] = (s0[j] + a0 * x) + c0 * y
                    s1[j] = (s1[j] + a1 * x) + c1 * y
                    s2[j] = (s2[j] + a2 * x) + c2 * y
                    s3[j] = (s3[j] + a3 * x) + c3 * y
            out[i : i + 4, first : first + width] = total[: min(4, n - i)]


@kernel(contract=False)
def measure_pair(x, z):
    """The Euclidean distance of two rows, summed in the order of `_euclidean`."""
    total = x.dtype.type(0)
    p = len(x)
    for f in range(0, p - 1, 2):
        d, e = x[f] - z[f], x[f + 1] - z[f + 1]
        total = (total + d * d) + e * e
    if p % 2:
        d = x[p - 1] - z[p - 1]
        total += d * d
    return np.sqrt(total)
