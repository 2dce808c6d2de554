"""The rule of the k nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from ..task import Points
from .nearest import class_distances, nearest, order_of

if TYPE_CHECKING:
    from ..query import Query

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
        D = query.dissimilarities(self.prototypes)
        ks, codes = np.array(self.ks), self.prototypes.classes
        if self.seed is None:
            share = votes(np.ascontiguousarray(D), ks, codes, self.weight, self.classes)
            return share.argmax(axis=2) if kind == "class" else share
        draw = np.random.default_rng(self.seed)
        rows, classes = draw.permutation(len(codes)), draw.permutation(self.classes)
        share = ordered_votes(D[:, rows], ks, codes[rows], self.weight[rows], self.classes)
        return classes[share[:, :, classes].argmax(axis=2)] if kind == "class" else share

    def at(self, g: int) -> KNN:
        return KNN(self.ks[g], self.prototypes, self.weight, self.classes, self.seed)

    def moved(self, columns: Array) -> KNNPath:
        return replace(self, prototypes=self.prototypes.moved(columns))


@dataclass(frozen=True)
class KNN:
    """Rule of k-NN for one k."""

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
        D = query.dissimilarities(self.prototypes)
        if kind == "distance":
            return class_distances(D, self.prototypes, self.classes)
        member = np.asarray(self.prototypes.classes, np.int16)[None, :]
        return nearest(D, member, order_of(self.prototypes))[:, 0]

    def moved(self, columns: Array) -> KNN:
        return replace(self, prototypes=self.prototypes.moved(columns))


def votes(D: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of the k nearest rows, including those tied with the k-th."""
    positions = np.minimum(ks, D.shape[1]) - 1
    radii = np.sort(np.partition(D, positions.max(), axis=1)[:, : positions.max() + 1], axis=1)[:, positions]
    out = np.zeros((len(D), len(ks), classes))
    _votes(D, radii, np.asarray(codes, np.int64), weight, out)
    return np.asarray(out / out.sum(axis=2, keepdims=True))


def ordered_votes(D: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of exactly k rows, the first of those at equal distance."""
    near = np.argsort(D, axis=1, kind="stable")[:, : ks.max()]
    cast = np.zeros((*near.shape, classes))
    np.put_along_axis(cast, codes[near][:, :, None], weight[near][:, :, None], axis=2)
    out = np.cumsum(cast, axis=1)[:, ks - 1]
    return np.asarray(out / out.sum(axis=2, keepdims=True))


@kernel
def _votes(D, radii, codes, weight, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        last = 0.0
        for s in range(radii.shape[1]):
            last = max(last, radii[i, s])
        for j in range(D.shape[1]):
            if D[i, j] <= last:
                for s in range(radii.shape[1]):
                    if D[i, j] <= radii[i, s]:
                        out[i, s, codes[j]] += weight[j]
