"""The rule of discriminant adaptive nearest neighbours (Hastie and Tibshirani 1996; ESL, section 13.4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...declared import savable
from ..task import Points
from .dann import CHUNK, local_distances, local_factors
from .nearest import class_distances, nearest, order_of
from .votes import votes

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]
ENTRIES = 2**22  # coordinates of neighbours, or distances, held at a time


@savable
@dataclass(frozen=True)
class Local:
    """Parameters of the metric at a query; see `core.neighbours.dann.local_factors`.

    Attributes
    ----------
    neighborhood : int
        Rows that a matrix is made from.
    epsilon : float
        Weight of the Euclidean part of the matrix.
    ridge : float
        Added to the diagonal of the covariance within classes, as a multiple of its mean.
    iterations : int
        Times that neighbourhoods are found.
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
class DANNPath:
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

    def moved(self, columns: Array) -> DANNPath:
        return replace(self, prototypes=self.prototypes.moved(columns))


@savable(name="DANNRule", prototypes="q", coords="q p", weight="q")
@dataclass(frozen=True)
class DANN:
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

    def moved(self, columns: Array) -> DANN:
        return replace(self, prototypes=self.prototypes.moved(columns))
