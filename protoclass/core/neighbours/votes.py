"""The rule of the k nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ground.savable import savable
from ..parallel import kernel
from ..task import Points
from ..units import EXACT
from .k_nearest import Near, nearest_k, nearest_of
from .nearest import class_distances, nearest_one

if TYPE_CHECKING:
    from ..query import Query
    from ..sql import Statement

Array = NDArray[Any]


@dataclass(frozen=True)
class KNNPath:
    """Path of k-NN: all k share one ordering of the neighbours.

    All rows up to the distance of the k-th one vote; of classes with equal votes the first wins. With a seed, ties between
    rows and between classes are broken by a random order, and k rows vote.
    """

    ks: tuple[int, ...]
    prototypes: Points
    weight: Array
    classes: int
    seed: tuple[int, ...] | None = None
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "distance", "nearest")

    @property
    def size(self) -> Array:
        return len(self.prototypes) / np.array(self.ks, float)

    def predict(self, kind: str, query: Query) -> Array:
        ks, codes = np.array(self.ks), self.prototypes.classes
        near = nearest_k(query, self.prototypes, int(ks.max()))
        if self.seed is None:
            share = near_votes(near, ks, codes, self.weight, self.classes)
            return share.argmax(axis=2) if kind == "class" else share
        draw = np.random.default_rng(self.seed)
        rows, classes = draw.permutation(len(codes)), draw.permutation(self.classes)
        share = ordered_votes(near, np.argsort(rows), ks, codes, self.weight, self.classes)
        return classes[share[:, :, classes].argmax(axis=2)] if kind == "class" else share

    def at(self, g: int) -> KNN:
        return KNN(self.ks[g], self.prototypes, self.weight, self.classes, self.seed)

    def moved(self, columns: Array) -> KNNPath:
        return replace(self, prototypes=self.prototypes.moved(columns))


@savable(name="KNNRule", prototypes="q", weight="q")
@dataclass(frozen=True)
class KNN:
    """Rule of k-NN for one k.

    Attributes
    ----------
    k : int
    prototypes : Points
        The training rows.
    weight : array (q,)
        Weights of their votes.
    classes : int
        Number of classes.
    seed : tuple of int, or None
        Of the random order that breaks ties, see `KNNPath`; None where all rows that are equally near vote.
    """

    k: int
    prototypes: Points
    weight: Array
    classes: int
    seed: tuple[int, ...] | None = None
    kinds: ClassVar[tuple[str, ...]] = KNNPath.kinds

    @property
    def size(self) -> float:
        return len(self.prototypes) / self.k

    @property
    def report(self) -> Mapping[str, Any]:
        return {"neighbours k": self.k}

    def predict(self, kind: str, query: Query) -> Array:
        if kind in ("class", "prob"):
            path = KNNPath((self.k,), self.prototypes, self.weight, self.classes, self.seed)
            return np.asarray(path.predict(kind, query)[:, 0])
        if kind == "distance":
            return class_distances(query.dissimilarities(self.prototypes), self.prototypes, self.classes)
        return nearest_one(query, self.prototypes)

    @property
    def why_not_sql(self) -> str:
        return "" if self.seed is None else "ties are broken by a random order"

    def sql(self, statement: Statement) -> str:
        return statement.votes(self.prototypes, self.k, self.weight)

    def moved(self, columns: Array) -> KNN:
        return replace(self, prototypes=self.prototypes.moved(columns))


def votes(D: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of the k nearest rows by their dissimilarities (r, q), including those tied with the k-th."""
    return near_votes(nearest_of(D, min(int(ks.max()), D.shape[1])), ks, codes, weight, classes)


def near_votes(near: Near, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of the k nearest rows, including those tied with the k-th."""
    if not (weight.sum() <= EXACT and (weight == np.round(weight)).all()):
        near = near.ascending()  # sums of whole numbers are the same in any order
    out, radii = np.empty((len(near), len(ks), classes)), near.radii(np.minimum(ks, len(codes)))
    _votes(near.start, near.at, near.distance, radii, np.asarray(codes, np.int64), weight, out)
    return np.asarray(out / out.sum(axis=2, keepdims=True))


def ordered_votes(near: Near, rank: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of exactly k rows: of those at equal distance, the first by rank."""
    order = np.lexsort((rank[near.at], near.distance, near.rows()))
    first = near.at[order[near.start[:-1, None] + np.arange(min(int(ks.max()), len(codes)))]]
    cast = np.zeros((*first.shape, classes))
    np.put_along_axis(cast, codes[first][:, :, None], weight[first][:, :, None], axis=2)
    out = np.cumsum(cast, axis=1)[:, ks - 1]
    return np.asarray(out / out.sum(axis=2, keepdims=True))


@kernel
def _votes(start, at, distance, radii, codes, weight, out):  # type: ignore[no-untyped-def]
    n, ks, classes = out.shape
    cast = np.empty((classes, ks))
    for i in range(n):
        cast[:] = 0
        for t in range(start[i], start[i + 1]):
            d, w, own = distance[t], weight[at[t]], cast[codes[at[t]]]
            for s in range(ks):
                own[s] += w if d <= radii[i, s] else 0.0
        out[i] = cast.T
