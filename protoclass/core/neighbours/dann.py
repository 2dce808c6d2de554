"""Discriminant adaptive nearest neighbours (Hastie and Tibshirani 1996; ESL, section 13.4.2): local matrices, and the rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import short
from ...ground.savable import savable
from ..distances.minkowski import minkowski
from ..parallel import alone, each, kernel
from ..task import Points, WithPrototypes
from .nearest import class_distances, nearest, order_of, votes

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]
CHUNK = 256  # centers at a time
SIDE = 64  # centers given to a thread at a time
ENTRIES = 2**22  # coordinates of neighbours, or distances, in memory at a time


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
        Number of neighbour searches: the first by Euclidean distance, each further one under the previous matrices.

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


@savable
@dataclass(frozen=True)
class Local:
    """Parameters of the metric at a query; see `local_factors`.

    Attributes
    ----------
    neighborhood : int
        Rows from which a matrix is computed.
    epsilon : float
        Weight of the Euclidean part of the matrix.
    ridge : float
        Added to the diagonal of the covariance within classes, as a multiple of its mean.
    iterations : int
        Number of neighbour searches.
    """

    neighborhood: int
    epsilon: float
    ridge: float
    iterations: int


def query_distances(queries: Array, X: Array, y: Array, classes: int, how: Local) -> Iterator[tuple[slice, Array]]:
    """Distances from queries to all rows of X under the metric at the query, |F_i' (x_i - z_j)|.

    Parameters
    ----------
    queries : array (r, p)
    X : array (n, p)
        Training rows.
    y : int array (n,)
    classes : int
    how : Local

    Yields
    ------
    rows : slice
        Some of the queries.
    distances : array (rows, n)
    """
    step = max(1, min(CHUNK, ENTRIES // max(len(X), how.neighborhood * X.shape[1])))
    for first in range(0, len(queries), step):
        rows = slice(first, first + step)
        batch = np.asarray(queries[rows], float)
        F = local_factors(batch, X, y, classes, how.neighborhood, how.epsilon, how.ridge, how.iterations)
        yield rows, np.ascontiguousarray(local_distances(X, batch, F).T)


@dataclass(frozen=True)
class DANNPath(WithPrototypes):
    """Path: all k share one ordering of the neighbours for each metric. The grid runs over k, then over the metrics.

    Attributes
    ----------
    ks : tuple of int
    metrics : tuple of Local
    prototypes : Points
        The training rows.
    coords : array (n, p)
        Their coordinates.
    weight : array (n,)
        Weights of the votes of the rows.
    classes : int
    """

    ks: tuple[int, ...]
    metrics: tuple[Local, ...]
    prototypes: Points
    coords: Array
    weight: Array
    classes: int
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob")

    @property
    def size(self) -> Array:
        return np.repeat(len(self.prototypes) / np.array(self.ks, float), len(self.metrics))

    def predict(self, kind: str, query: Query) -> Array:
        X = query.coordinates()
        share: Array = np.empty((len(X), len(self.ks), len(self.metrics), self.classes))
        for g, how in enumerate(self.metrics):
            for rows, measured in query_distances(X, self.coords, self.prototypes.classes, self.classes, how):
                near = query.take(rows).finite(measured)
                share[rows, :, g] = votes(near, np.array(self.ks), self.prototypes.classes, self.weight, self.classes)
        share = share.reshape(len(X), len(self.ks) * len(self.metrics), self.classes)
        return np.asarray(share.argmax(axis=2)) if kind == "class" else share

    def at(self, g: int) -> DANN:
        k, how = divmod(g, len(self.metrics))
        return DANN(self.ks[k], self.metrics[how], self.prototypes, self.coords, self.weight, self.classes)


@savable(name="DANNRule", prototypes="q", coords="q p", weight="q")
@dataclass(frozen=True)
class DANN(WithPrototypes):
    """Rule for one k and one metric.

    Attributes
    ----------
    k : int
    how : Local
        The parameters of the metric.
    prototypes, coords, weight, classes : as in `DANNPath`
    """

    k: int
    how: Local
    prototypes: Points
    coords: Array
    weight: Array
    classes: int
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "distance", "nearest")

    __repr__ = short

    @property
    def size(self) -> float:
        return len(self.prototypes) / self.k

    @property
    def report(self) -> Mapping[str, Any]:
        return {"neighbours k": self.k, "rows that make the metric": self.how.neighborhood}

    def predict(self, kind: str, query: Query) -> Array:
        if kind in ("class", "prob"):
            path = DANNPath((self.k,), (self.how,), self.prototypes, self.coords, self.weight, self.classes)
            return np.asarray(path.predict(kind, query)[:, 0])
        X = query.coordinates()
        member, order = np.asarray(self.prototypes.classes, np.int16)[None, :], order_of(self.prototypes)
        out = np.empty((len(X), self.classes)) if kind == "distance" else np.empty(len(X), np.int64)
        for rows, measured in query_distances(X, self.coords, self.prototypes.classes, self.classes, self.how):
            near = query.take(rows).finite(measured)
            out[rows] = (
                class_distances(near, self.prototypes, self.classes)
                if kind == "distance"
                else nearest(near, member, order)[:, 0]
            )
        return out
