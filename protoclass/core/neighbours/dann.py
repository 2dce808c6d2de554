"""Local matrices of discriminant adaptive nearest neighbours (Hastie and Tibshirani 1996; ESL, section 13.4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.minkowski import minkowski
from ..parallel import alone, each, kernel

Array = NDArray[Any]
CHUNK = 256  # points at a time
SIDE = 64  # points given to a thread at a time


def local_factors(
    points: Array, X: Array, y: Array, classes: int, neighborhood: int, epsilon: float, ridge: float, iterations: int
) -> Array:
    """A factor F of the local matrix Sigma = F F' at each point.

    From the `neighborhood` nearest rows of X, W is the pooled covariance within classes and B that between their means, both
    with divisor n_w = neighborhood. With B* = W^-1/2 B W^-1/2,

        Sigma = W^-1/2 (B* + epsilon I) W^-1/2.

    Parameters
    ----------
    points : array (m, p)
    X : array (n, p)
        Training rows.
    y : int array (n,)
    classes : int
    neighborhood : int <= n
    epsilon : float > 0
    ridge : float >= 0
        Added to the diagonal of W, as a multiple of its mean.
    iterations : int >= 1
        Times that neighbours are found: first by Euclidean distance, then under the matrices found before.

    Returns
    -------
    array (m, p, p)
        Its product with a difference has the distance as its length.
    """
    out = np.empty((len(points), points.shape[1], points.shape[1]))
    for first in range(0, len(points), CHUNK):
        some = slice(first, first + CHUNK)
        D = minkowski(np.ascontiguousarray(points[some]), np.ascontiguousarray(X), 2.0)
        for step in range(iterations):
            if step:
                D = local_distances(X, points[some], out[some]).T
            near = nearest_rows(D, neighborhood)
            out[some] = _factors(X[near] - X[near[:, :1]], y[near], classes, epsilon, ridge)
    return out


def nearest_rows(D: Array, count: int) -> Array:
    """The `count` nearest columns of each row of D, of those equally far the first, int (m, count)."""
    near = np.empty((len(D), count), np.int64)
    last = np.partition(D, count - 1, axis=1)[:, count - 1]
    for i, d in enumerate(D):
        inside = np.flatnonzero(d < last[i])
        near[i] = np.concatenate([inside, np.flatnonzero(d == last[i])[: count - len(inside)]])
    return near


def _factors(Z: Array, labels: Array, classes: int, epsilon: float, ridge: float) -> Array:
    """Factors from the neighbours of each point, less one of them, (m, K, p): less a far point they would lose their digits."""
    m, K, p = Z.shape
    mean = Z.mean(axis=1)
    within, between = np.zeros((m, p, p)), np.zeros((m, p, p))
    for c in range(classes):
        own = (labels == c).astype(float)
        share = own.sum(axis=1) / K
        center = (own[:, :, None] * Z).sum(axis=1) / np.maximum(own.sum(axis=1), 1)[:, None]
        apart = (Z - center[:, None]) * own[:, :, None]
        within += np.matmul(apart.transpose(0, 2, 1), apart) / K
        gap = (center - mean) * np.sqrt(share)[:, None]
        between += gap[:, :, None] * gap[:, None, :]
    size = np.trace(within, axis1=1, axis2=2) / p
    size = np.where(size > 0, size, 1.0)  # all neighbours of a class in one place: W is 0, and then the unit matrix
    flat = np.trace(within, axis1=1, axis2=2) == 0
    within[flat] = np.eye(p)
    within += (ridge * size)[:, None, None] * np.eye(p)
    with alone():
        values, axes = np.linalg.eigh(within)
        values = np.maximum(values, 1e-12 * values[:, -1:])  # without a ridge W may be singular
        root = np.matmul(axes / np.sqrt(values)[:, None, :], axes.transpose(0, 2, 1))
        stretched = np.matmul(np.matmul(root, between), root)
        half = np.linalg.cholesky((stretched + stretched.transpose(0, 2, 1)) / 2 + epsilon * np.eye(p))
    return np.asarray(np.matmul(root, half))


def local_distances(X: Array, points: Array, factors: Array) -> Array:
    """Distances (r, q) of rows to points under the points' own matrices: |F_j' (x_i - z_j)|."""
    out = np.empty((len(X), len(points)))
    across, Z = np.ascontiguousarray(X.T, float), np.ascontiguousarray(points, float)

    def some(first: int) -> None:
        part = slice(first, first + SIDE)
        _local(across, Z[part], factors[part], out[:, part])

    for _ in each(some, range(0, len(Z), SIDE), out.size * Z.shape[1]):
        pass
    return out


@kernel
def _local(X, points, factors, out):  # type: ignore[no-untyped-def]
    # innermost loops run over some rows at a time, side by side
    p, n, width = X.shape[0], X.shape[1], 64
    gap, turned, total = np.zeros((p, width)), np.empty(width), np.empty(width)
    for j in range(points.shape[0]):
        F = factors[j]
        for first in range(0, n, width):
            q = min(width, n - first)
            for a in range(p):
                for i in range(q):
                    gap[a, i] = X[a, first + i] - points[j, a]
            total[:] = 0.0
            for b in range(p):
                turned[:] = 0.0
                for a in range(p):
                    f = F[a, b]
                    for i in range(width):
                        turned[i] += f * gap[a, i]
                for i in range(width):
                    total[i] += turned[i] * turned[i]
            for i in range(q):
                out[first + i, j] = np.sqrt(total[i])
