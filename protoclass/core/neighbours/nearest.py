"""The nearest-prototype rule (PVM paper, equation 1) and the rule of the k nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from ..task import Points

Array = NDArray[Any]
NONE = -1


def order_of(points: Points) -> Array:
    """Places of the points in the order that breaks ties within a class: rows first to last, then as they stand."""
    return np.argsort(points.at, kind="stable") if points.at is not None else np.arange(len(points))


def nearest(D: Array, member: Array, order: Array) -> Array:
    """Place of the nearest of several sets of points.

    Parameters
    ----------
    D : array (r, q)
        Dissimilarities of r rows to q points.
    member : int16 array (G, q)
        Class that point j stands for in set g, -1 where it is not in the set.
    order : int array (q,)
        Of points equally near, that of the first class wins, then the first in this order.

    Returns
    -------
    int array (r, G)
        Places; -1 where the set is empty.
    """
    member = np.ascontiguousarray(member, np.int16)
    count = (member >= 0).sum(axis=1)
    # Small sets are walked one by one; large ones share one walk over all points.
    large, small = np.flatnonzero(count * 4 > D.shape[1]), np.flatnonzero(count * 4 <= D.shape[1])
    walks = [order[member[g, order] >= 0] for g in small]
    walk = np.concatenate([*walks, np.empty(0, np.int64)]).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(count[small])]).astype(np.int64)
    out = np.full((len(D), len(member)), NONE)
    best, sets_of = np.empty(len(member), D.dtype), np.ascontiguousarray(member.T)
    _nearest(np.ascontiguousarray(D), sets_of, np.asarray(order, np.int64), large, small, walk, start, best, out)
    return out


@kernel
def _nearest(D, sets_of, order, large, small, walk, start, best, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        for g in range(len(best)):
            best[g] = np.inf
        for s in range(len(small)):
            g = small[s]
            for t in range(start[s], start[s + 1]):
                j = walk[t]
                d = D[i, j]
                old = out[i, g]
                if d < best[g] or (d == best[g] and (old < 0 or sets_of[j, g] < sets_of[old, g])):
                    best[g] = d
                    out[i, g] = j
        # a walk over all points is cut short by the farthest of the sets' nearest so far, which falls fast
        bound = np.inf
        for t in range(len(order) if len(large) else 0):
            j = order[t]
            d = D[i, j]
            if d > bound:
                continue
            bound = 0.0
            for s in range(len(large)):
                g = large[s]
                c = sets_of[j, g]
                old = out[i, g]
                if c >= 0 and (d < best[g] or (d == best[g] and (old < 0 or c < sets_of[old, g]))):
                    best[g] = d
                    out[i, g] = j
                bound = max(bound, best[g])


def covering(D: Array, member: Array, radii: Array) -> Array:
    """The class whose balls `d < radii[g]` hold each row: -1 where no ball does, -2 where balls of several classes do.

    D : (r, q); member : int16 (G, q) as in `nearest`; radii : (G,). Returns int64 (r, G).
    """
    reach = np.where(member >= 0, radii[:, None], -np.inf).max(axis=0, initial=-np.inf)
    out = np.full((len(D), len(member)), NONE)
    _covering(np.ascontiguousarray(D), np.ascontiguousarray(member, np.int16), radii, reach, out)
    return out


@kernel
def _covering(D, member, radii, reach, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            d = D[i, j]
            if not d < reach[j]:
                continue
            for g in range(member.shape[0]):
                c = member[g, j]
                if c >= 0 and d < radii[g]:
                    if out[i, g] == -1:
                        out[i, g] = c
                    elif out[i, g] != c:
                        out[i, g] = -2


def to_classes(D: Array, points: Points, classes: int) -> Array:
    """Distance to the nearest point of each class, (r, classes); inf where a class has none."""
    out = np.full((len(D), classes), np.inf)
    for c in range(classes):
        own = points.classes == c
        if own.any():
            out[:, c] = D[:, own].min(axis=1)
    return out


@dataclass(frozen=True)
class Nearest:
    """Rule: the class of the nearest point; without points the heaviest training class (`fallback`)."""

    points: Points
    classes: int
    fallback: int
    report: Mapping[str, Any] = field(default_factory=dict)
    reads: ClassVar[str] = "D"

    @property
    def size(self) -> float:
        return float(len(self.points))

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("class", "distance", "nearest") + (() if self.points.radii is None else ("cover",))

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        if kind == "distance":
            return to_classes(D, self.points, self.classes)
        if kind == "cover":
            if len(self.points) == 0 or self.points.radii is None:
                return np.full(len(D), NONE)
            held = covering(D, self._member(), self.points.radii[:1])[:, 0]
            return np.asarray(np.maximum(held, NONE))
        at = nearest(D, self._member(), order_of(self.points))[:, 0]
        if kind == "nearest":
            return at
        return (
            np.where(at < 0, self.fallback, self.points.classes[at])
            if len(self.points)
            else np.full(len(D), self.fallback)
        )

    def _member(self) -> Array:
        return np.asarray(self.points.classes, np.int16)[None, :]

    def moved(self, columns: Array) -> Nearest:
        return replace(self, points=self.points.moved(columns))


@dataclass(frozen=True)
class Votes:
    """Path of k-NN: one ordering of the neighbours serves every k.

    All rows at the distance of the k-th vote, also those tied with it; of classes with equal votes the first wins. With a
    seed, rows and classes that are tied come in an order drawn from it, and k rows vote.
    """

    ks: tuple[int, ...]
    points: Points
    weight: Array
    classes: int
    seed: tuple[int, ...] | None = None
    reads: ClassVar[str] = "D"
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "distance", "nearest")

    @property
    def size(self) -> Array:
        return len(self.points) / np.array(self.ks, float)

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        ks, labels = np.array(self.ks), self.points.classes
        if self.seed is None:
            share = votes(np.ascontiguousarray(D), ks, labels, self.weight, self.classes)
            return share.argmax(axis=2) if kind == "class" else share
        draw = np.random.default_rng(self.seed)
        rows, classes = draw.permutation(len(labels)), draw.permutation(self.classes)
        share = ordered_votes(D[:, rows], ks, labels[rows], self.weight[rows], self.classes)
        return classes[share[:, :, classes].argmax(axis=2)] if kind == "class" else share

    def at(self, g: int) -> Vote:
        return Vote(self.ks[g], self.points, self.weight, self.classes, self.seed)

    def moved(self, columns: Array) -> Votes:
        return replace(self, points=self.points.moved(columns))


@dataclass(frozen=True)
class Vote:
    """Rule of k-NN for one k."""

    k: int
    points: Points
    weight: Array
    classes: int
    seed: tuple[int, ...] | None = None
    reads: ClassVar[str] = "D"
    kinds: ClassVar[tuple[str, ...]] = Votes.kinds

    @property
    def size(self) -> float:
        return len(self.points) / self.k

    @property
    def report(self) -> Mapping[str, Any]:
        return {"neighbours k": self.k}

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        if kind == "distance":
            return to_classes(D, self.points, self.classes)
        if kind == "nearest":
            member = np.asarray(self.points.classes, np.int16)[None, :]
            return nearest(D, member, order_of(self.points))[:, 0]
        return Votes((self.k,), self.points, self.weight, self.classes, self.seed).predict(kind, D)[:, 0]

    def moved(self, columns: Array) -> Vote:
        return replace(self, points=self.points.moved(columns))


def votes(D: Array, ks: Array, labels: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of the k nearest points, those tied with the k-th included."""
    places = np.minimum(ks, D.shape[1]) - 1
    far = np.sort(np.partition(D, places.max(), axis=1)[:, : places.max() + 1], axis=1)[:, places]
    out = np.zeros((len(D), len(ks), classes))
    _votes(D, far, np.asarray(labels, np.int64), weight, out)
    return np.asarray(out / out.sum(axis=2, keepdims=True))


def ordered_votes(D: Array, ks: Array, labels: Array, weight: Array, classes: int) -> Array:
    """Vote shares (r, len(ks), classes) of just k points, of those at equal distance the first."""
    near = np.argsort(D, axis=1, kind="stable")[:, : ks.max()]
    cast = np.zeros((*near.shape, classes))
    np.put_along_axis(cast, labels[near][:, :, None], weight[near][:, :, None], axis=2)
    out = np.cumsum(cast, axis=1)[:, ks - 1]
    return np.asarray(out / out.sum(axis=2, keepdims=True))


@kernel
def _votes(D, far, labels, weight, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        last = 0.0
        for s in range(far.shape[1]):
            last = max(last, far[i, s])
        for j in range(D.shape[1]):
            if D[i, j] <= last:
                for s in range(far.shape[1]):
                    if D[i, j] <= far[i, s]:
                        out[i, s, labels[j]] += weight[j]
