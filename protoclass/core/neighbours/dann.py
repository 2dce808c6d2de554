"""Local matrices of discriminant adaptive nearest neighbours (Hastie and Tibshirani 1996; ESL, section 13.4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distances.minkowski import minkowski
from ..parallel import alone, each, kernel

Array = NDArray[Any]
CHUNK = 256  # centers at a time
SIDE = 64  # centers given to a thread at a time


def local_factors(
    centers: Array, X: Array, y: Array, classes: int, neighborhood: int, epsilon: float, ridge: float, iterations: int
) -> Array:
    """A factor F of the local matrix Sigma = F F' at each center.

    From the `neighborhood` nearest rows of X, W is the pooled covariance within classes and B that between their means, both
    with divisor n_w = neighborhood. With B* = W^-1/2 B W^-1/2,

        Sigma = W^-1/2 (B* + epsilon I) W^-1/2.

    Parameters
    ----------
    centers : array (m, p)
    X : array (n, p)
        Training rows.
    y : int array (n,)
    classes : int
    neighborhood : int <= n
    epsilon : float > 0
    ridge : float >= 0
        Added to the diagonal of W, as a multiple of its mean.
    iterations : int >= 1
        Number of neighbour searches: the first by Euclidean distance, each further one under the matrices of the one before.

    Returns
    -------
    array (m, p, p)
        The length of F' (x - z) is the distance of x from the center z.
    """
    out = np.empty((len(centers), centers.shape[1], centers.shape[1]))
    for first in range(0, len(centers), CHUNK):
        part = slice(first, first + CHUNK)
        D = minkowski(np.ascontiguousarray(centers[part]), np.ascontiguousarray(X), 2.0)
        for iteration in range(iterations):
            if iteration:
                D = local_distances(X, centers[part], out[part]).T
            near = nearest_rows(D, neighborhood)
            out[part] = _factors(X[near] - X[near[:, :1]], y[near], classes, epsilon, ridge)
    return out


def nearest_rows(D: Array, count: int) -> Array:
    """The `count` nearest columns of each row of D, the first of equally near ones, int (m, count)."""
    near = np.empty((len(D), count), np.int64)
    last = np.partition(D, count - 1, axis=1)[:, count - 1]
    for i, d in enumerate(D):
        inside = np.flatnonzero(d < last[i])
        near[i] = np.concatenate([inside, np.flatnonzero(d == last[i])[: count - len(inside)]])
    return near


def _factors(Z: Array, y: Array, classes: int, epsilon: float, ridge: float) -> Array:
    """Factors from the neighbours of each center minus one of them, (m, K, p), which avoids loss of digits far from the origin."""
    K, p = Z.shape[1:]
    own = (y[:, None, :] == np.arange(classes)[:, None]).astype(float)  # (m, classes, K)
    count = own.sum(axis=2)
    means = np.matmul(own, Z) / np.maximum(count, 1)[:, :, None]
    deviations = Z - np.take_along_axis(means, y[:, :, None], axis=1)
    within = np.matmul(deviations.transpose(0, 2, 1), deviations) / K
    gaps = (means - Z.mean(axis=1)[:, None]) * np.sqrt(count / K)[:, :, None]
    between = np.matmul(gaps.transpose(0, 2, 1), gaps)
    size = np.trace(within, axis1=1, axis2=2) / p
    size = np.where(size > 0, size, 1.0)  # if all neighbours of each class coincide, W is 0 and the unit matrix is used
    constant = np.trace(within, axis1=1, axis2=2) == 0
    within[constant] = np.eye(p)
    within += (ridge * size)[:, None, None] * np.eye(p)
    with alone():
        values, axes = np.linalg.eigh(within)
        values = np.maximum(values, 1e-12 * values[:, -1:])  # without a ridge W may be singular
        root = np.matmul(axes / np.sqrt(values)[:, None, :], axes.transpose(0, 2, 1))
        stretched = np.matmul(np.matmul(root, between), root)
        root_local = np.linalg.cholesky((stretched + stretched.transpose(0, 2, 1)) / 2 + epsilon * np.eye(p))
    return np.asarray(np.matmul(root, root_local))


def local_distances(X: Array, centers: Array, factors: Array) -> Array:
    """Distances (r, q) of rows to centers under the matrices of the centers: |F_j' (x_i - z_j)|."""
    out = np.empty((len(X), len(centers)))
    across, Z = np.ascontiguousarray(X.T, float), np.ascontiguousarray(centers, float)

    def fill(first: int) -> None:
        part = slice(first, first + SIDE)
        _local(across, Z[part], factors[part], out[:, part])

    for _ in each(fill, range(0, len(Z), SIDE), out.size * Z.shape[1]):
        pass
    return out


@kernel
def _local(X, centers, factors, out):  # type: ignore[no-untyped-def]
    # the innermost loops run over some rows at a time, vectorised
    p, n, width = X.shape[0], X.shape[1], 64
    gap, product, total = np.zeros((p, width)), np.empty(width), np.empty(width)
    for j in range(centers.shape[0]):
        F = factors[j]
        for first in range(0, n, width):
            q = min(width, n - first)
            for a in range(p):
                for i in range(q):
                    gap[a, i] = X[a, first + i] - centers[j, a]
            total[:] = 0.0
            for b in range(p):
                product[:] = 0.0
                for a in range(p):
                    f = F[a, b]
                    for i in range(width):
                        product[i] += f * gap[a, i]
                for i in range(width):
                    total[i] += product[i] * product[i]
            for i in range(q):
                out[first + i, j] = np.sqrt(total[i])
