"""The nearest prototypes, the class whose balls contain a row, and the rules of both: nearest
prototypes, k-NN, condensing, editing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...ground.errors import short
from ...ground.savable import savable
from .. import Array
from ..coding import Coding
from ..distances.near import Near, nearest_compared, nearest_of
from ..parallel import few, kernel
from ..query import Query, Statement
from ..sources import Source
from ..statistics.sums import EXACT
from ..task import Points, WithPrototypes
from ..thresholds import AT_ONCE, SCREENED, SEARCHED

NONE = -1
LANES = 64  # dissimilarities that are compared side by side
SAMPLED = 512  # prototypes that show how near the nearest one of a large set is, at most
# proportion of the prototypes that are sought up to which products leave few pairs to be measured
FEW_OPEN = 0.1


@dataclass(frozen=True)
class Sets:
    """Several sets of the same prototypes.

    Attributes
    ----------
    member : int array (G, q)
        Class of prototype j in set g, -1 if it is not in the set. Of equally near prototypes the
        one of the first class wins, then the first one.
    """

    member: Array

    @cached_property
    def scans(self) -> list[Array]:
        """The prototypes of each set, in the order in which equally near ones win."""
        by_class = np.argsort(self.member, axis=1, kind="stable")
        return [
            line[np.count_nonzero(classes < 0) :]
            for line, classes in zip(by_class, self.member, strict=True)
        ]

    @cached_property
    def samples(self) -> Samples:
        steps = [-(-len(scan) // SAMPLED) or 1 for scan in self.scans]
        some = [scan[::step] for scan, step in zip(self.scans, steps, strict=True)]
        return Samples(
            np.concatenate([*some, np.empty(0, np.int64)]),
            np.cumsum([0, *map(len, some)]),
            np.flatnonzero(np.array(steps) > 1),
            np.ascontiguousarray(self.member.T),
        )


class Samples(NamedTuple):
    """The sets as `_scan_sets` reads them: small ones whole, and a sample of each large one."""

    sample: Array  # prototypes, set after set, each in the order in which equally near ones win
    start: Array  # the first place of each set in `sample`, and their number, int (G + 1,)
    large: Array  # the large sets, of which not all prototypes are in `sample`
    member: Array  # class by prototype and set, (q, G)


def nearest(D: Array, sets: Sets) -> Array:
    """Position of the nearest prototype in each of several sets.

    Parameters
    ----------
    D : array (r, q)
        Dissimilarities of r rows to q prototypes.
    sets : Sets (G)

    Returns
    -------
    int array (r, G)
        Positions; -1 if the set is empty.
    """
    if not few(len(D) * sets.member.size):
        return _two_least(D, sets, np.zeros(len(D)), 1.0)[0]
    out = np.full((len(D), len(sets.member)), NONE)
    for g, scan in enumerate(sets.scans):
        if len(scan):
            out[:, g] = scan[D[:, scan].argmin(axis=1)]
    return out


def nearest_to(query: Query, prototypes: Points, sets: Sets) -> Array:
    """As `nearest`, for the rows of a query: only rows that a product leaves undecided are measured.

    A row is open if in some set a second prototype may be as near as the nearest; see
    `core.distances.screen` for the bound.
    """
    compared = query.compared(prototypes)
    if compared is None:
        return nearest(query.dissimilarities(prototypes), sets)
    out, best, second = _two_least(compared.near, sets, compared.error[:, 0], compared.stretch)
    rows = np.flatnonzero(((second < np.inf) & (second <= compared.reach(best))).any(axis=1))
    if len(rows):
        out[rows] = nearest(query.take(rows).dissimilarities(prototypes), sets)
    return out


def _two_least(D: Array, sets: Sets, error: Array, stretch: float) -> tuple[Array, Array, Array]:
    """The first nearest prototype of each set, its value, and the second smallest value, (r, G)
    each; -1 and inf for none. A second value beyond `(best + error) * stretch + error` is any.
    """
    out = np.empty((len(D), len(sets.member)), np.int64)
    best, second = np.empty(out.shape, D.dtype), np.empty(out.shape, D.dtype)
    _scan_sets(np.ascontiguousarray(D), *sets.samples, error, stretch, out, best, second)
    return out, best, second


@kernel
def _scan_sets(D, sample, start, large, member, error, stretch, out, best, second):  # type: ignore[no-untyped-def]
    """The two least values of each row and set.

    A first pass reads the samples: the small sets are then done, and `least` of a large set is at
    least its smallest value. A second pass, shared by all large sets, reads the prototypes up to
    `last`, which are few. It is safe to skip the others: `last` is at least the smallest value of
    every large set, and at least any second value that leaves the row undecided (see `_bound`).

    Of equal values the one of the first class wins, then the first prototype: the order of `sample`
    for the first pass, and the comparison of (class, place) for the second.
    """
    for i in range(len(D)):
        row = D[i].copy()  # in the cache
        at, least, next_one = out[i], best[i], second[i]
        next_one[:] = least[:] = np.inf
        for g in range(len(at)):
            at[g] = sample[start[g]] if start[g] < start[g + 1] else NONE
            for t in range(start[g], start[g + 1]):
                d = row[sample[t]]
                if d < least[g]:
                    next_one[g], least[g], at[g] = least[g], d, sample[t]
                elif d < next_one[g]:
                    next_one[g] = d
        last = _bound(least, large, error[i], stretch)
        for first in range(0, len(row) if len(large) else 0, LANES):
            lane, hits = row[first : first + LANES], 0
            for d in lane:
                hits += d <= last
            for j in range(first, first + len(lane) if hits else 0):
                d = row[j]
                if d > last:
                    continue
                for g in large:
                    c = member[j, g]
                    if c < 0 or d > next_one[g] or j == at[g]:
                        continue
                    if d < least[g] or (d == least[g] and (c, j) < (member[at[g], g], at[g])):
                        next_one[g], least[g], at[g] = least[g], d, j
                        last = _bound(least, large, error[i], stretch)
                    else:
                        next_one[g] = d


@kernel
def _bound(least, large, error, stretch):  # type: ignore[no-untyped-def]
    # The value beyond which no prototype may be as near as the nearest one of a large set. It is
    # safe because the bound grows with `least`, which only falls: values beyond the present bound
    # are beyond the final one. The next float above it covers the rounding to the type of D.
    farthest = -np.inf
    for g in large:
        farthest = max(farthest, least[g])
    return np.nextafter(
        least.dtype.type((farthest + error) * stretch + error), least.dtype.type(np.inf)
    )


def nearest_k(query: Query, prototypes: Points, k: int) -> Near:
    """For each row the prototypes up to the distance of the k-th nearest one, with those tied with
    it; all if there are fewer.
    """
    q = len(prototypes)
    k = min(k, q)
    beside = query.beside(prototypes) if q else None
    if beside is not None and query.together * q > SEARCHED and beside.space is not None:
        return beside.space.nearest(query.rows, k)
    screened = query.together * q > SCREENED and k <= max(1, FEW_OPEN * q)
    compared = query.compared(prototypes) if screened else None
    return (
        nearest_of(query.dissimilarities(prototypes), k)
        if compared is None
        else nearest_compared(compared, k)
    )


def rank_of(prototypes: Points) -> tuple[Array, Array]:
    """Positions of the prototypes in the order in which equally near ones win, and the rank of each in it."""
    order = np.arange(len(prototypes)) if prototypes.at is None else prototypes.at
    line = np.lexsort((order, prototypes.classes))
    rank = np.empty(len(line), np.int64)
    rank[line] = np.arange(len(line))
    return line, rank


def nearest_one(query: Query, prototypes: Points) -> Array:
    """Position of the nearest prototype of each row of a query (r,): of those equally near, the one
    that `nearest` gives.
    """
    near = nearest_k(query, prototypes, 1)
    if len(query) == 0:
        return np.empty(0, np.int64)
    line, rank = rank_of(prototypes)
    return line[np.minimum.reduceat(rank[near.at], near.start[:-1])]


def covering(query: Query, prototypes: Points, member: Array, radii: Array) -> Array:
    """The class whose balls contain each row, in several sets; -1 if none or several have some.

    Parameters
    ----------
    query : Query (r)
    prototypes : Points (q)
    member : int array (G, q)
        As in `Sets`.
    radii : array (G,)
        The radius of the balls of each set.

    Returns
    -------
    int array (r, G)
    """
    coding, compared = Coding(np.unique(radii)), query.compared(prototypes)
    level = np.searchsorted(coding.radii, radii)
    codes = None if compared is None else compared.codes(coding.reach(compared.lines.exact.dtype))
    if codes is None:
        codes = coding.along(query.dissimilarities(prototypes))
    # the level of the largest ball of each prototype
    largest = np.where(member >= 0, level[:, None], -1).max(axis=0, initial=-1)
    # bytes beside bytes, and one dimension: a fifth of the time (20,000 x 6 in benchmarks/beside.py)
    pairs = np.flatnonzero(codes < (largest + 1).astype(np.uint8))
    rows, at = np.divmod(pairs, len(prototypes))
    code, classes = codes[rows, at], int(member.max(initial=0)) + 1
    out = np.full((len(codes), len(member)), NONE)
    for g, labels in enumerate(member):
        label = labels[at].astype(np.int64)
        inside = (label >= 0) & (code <= level[g])
        cells = np.bincount(
            rows[inside] * classes + label[inside], minlength=len(codes) * classes
        ).reshape(-1, classes)
        out[:, g] = np.where((cells > 0).sum(axis=1) == 1, cells.argmax(axis=1), NONE)
    return out


def class_distances(D: Array, prototypes: Points, classes: int) -> Array:
    """Distance to the nearest prototype of each class, (r, classes); inf if a class has none."""
    out = np.full((len(D), classes), np.inf)
    for c in range(classes):
        own = prototypes.classes == c
        if own.any():
            out[:, c] = D[:, own].min(axis=1)
    return out


@savable
@dataclass(frozen=True)
class Nearest(WithPrototypes):
    """Rule: the class of the nearest prototype; without prototypes, the training class of largest weight.

    Attributes
    ----------
    prototypes : Points
        The prototypes.
    classes : int
        Number of classes.
    fallback : int
        Class code that is predicted without prototypes.
    report : mapping of str to value
        Facts about the rule for printed output and summaries.
    """

    prototypes: Points
    classes: int
    fallback: int
    report: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = short

    @property
    def size(self) -> float:
        return float(len(self.prototypes))

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("class", "distance", "nearest") + (
            () if self.prototypes.radii is None else ("cover",)
        )

    def distances(self, query: Query) -> Array:
        """Values to compare, lowest for the nearest prototype, (r, q)."""
        return query.dissimilarities(self.prototypes)

    def predict(self, kind: str, query: Query) -> Array:
        if kind == "cover":
            return self.cover(query)
        if kind == "distance":
            return class_distances(self.distances(query), self.prototypes, self.classes)
        if len(self.prototypes) == 0:
            return np.full(len(query), NONE if kind == "nearest" else self.fallback)
        at = self.closest(query)
        return at if kind == "nearest" else self.prototypes.classes[at]

    def closest(self, query: Query) -> Array:
        """Position of the nearest prototype of each row (r,); there is at least one."""
        return nearest_one(query, self.prototypes)

    def cover(self, query: Query) -> Array:
        """The class of the balls that contain each row; -1 if no ball contains it, or balls of several classes do."""
        if len(self.prototypes) == 0 or self.prototypes.radii is None:
            return np.full(len(query), NONE)
        return covering(
            query, self.prototypes, self.prototypes.classes[None], self.prototypes.radii[:1]
        )[:, 0]

    @property
    def why_not_sql(self) -> str:
        kind = type(self)
        own = kind.distances is not Nearest.distances or kind.predict is not Nearest.predict
        return "it compares distances of its own" if own else ""

    def sql(self, statement: Statement) -> str:
        if len(self.prototypes) == 0:
            return statement.label(self.fallback)
        return statement.nearest(self.prototypes, rank_of(self.prototypes)[1])


@dataclass(frozen=True)
class KNNPath(WithPrototypes):
    """Path of k-NN: all k share one ordering of the neighbours.

    All rows up to the distance of the k-th one vote; of classes with equal votes the first wins.
    With a seed, ties between rows and between classes are broken by a random order, and k rows
    vote.
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

    def at(self, g: int) -> KNNRule:
        return KNNRule(self.ks[g], self.prototypes, self.weight, self.classes, self.seed)


@savable(prototypes="q", weight="q")
@dataclass(frozen=True)
class KNNRule(WithPrototypes):
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
        Seed for the random order that breaks ties, see `KNNPath`; None if all rows that are equally
        near vote.
    """

    k: int
    prototypes: Points
    weight: Array
    classes: int
    seed: tuple[int, ...] | None = None
    kinds: ClassVar[tuple[str, ...]] = KNNPath.kinds

    __repr__ = short

    @property
    def size(self) -> float:
        return len(self.prototypes) / self.k

    @property
    def report(self) -> Mapping[str, Any]:
        return {"neighbours k": self.k}

    def predict(self, kind: str, query: Query) -> Array:
        if kind in ("class", "prob"):
            path = KNNPath((self.k,), self.prototypes, self.weight, self.classes, self.seed)
            return path.predict(kind, query)[:, 0]
        if kind == "distance":
            return class_distances(
                query.dissimilarities(self.prototypes), self.prototypes, self.classes
            )
        return nearest_one(query, self.prototypes)

    @property
    def why_not_sql(self) -> str:
        return "" if self.seed is None else "ties are broken by a random order"

    def sql(self, statement: Statement) -> str:
        return statement.votes(self.prototypes, self.k, self.weight)


def votes(D: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Proportions of votes (r, len(ks), classes) of the k nearest rows by dissimilarities (r, q),
    including those tied with the k-th.
    """
    return near_votes(nearest_of(D, min(int(ks.max()), D.shape[1])), ks, codes, weight, classes)


def near_votes(near: Near, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Proportions of votes (r, len(ks), classes) of the k nearest rows, including those tied with the k-th."""
    if not (weight.sum() <= EXACT and (weight == np.round(weight)).all()):
        near = near.ascending()  # sums of whole numbers are the same in any order
    out, rows = np.empty((len(near), len(ks), classes)), near.rows()
    radii = near.radii(np.minimum(ks, len(codes)))
    cell, w = rows * classes + codes[near.at], weight[near.at]
    for s in range(len(ks)):
        cast = np.bincount(cell, w * (near.distance <= radii[rows, s]), len(near) * classes)
        out[:, s] = cast.reshape(len(near), classes)
    return out / out.sum(axis=2, keepdims=True)


def ordered_votes(
    near: Near, rank: Array, ks: Array, codes: Array, weight: Array, classes: int
) -> Array:
    """Proportions of votes (r, len(ks), classes) of exactly k rows: ties are broken by rank."""
    order = np.lexsort((rank[near.at], near.distance, near.rows()))
    first = near.at[order[near.start[:-1, None] + np.arange(min(int(ks.max()), len(codes)))]]
    cast = np.zeros((*first.shape, classes))
    np.put_along_axis(cast, codes[first][:, :, None], weight[first][:, :, None], axis=2)
    out = np.cumsum(cast, axis=1)[:, ks - 1]
    return out / out.sum(axis=2, keepdims=True)


def condense_rows(D: Source, own: Array, y: Array, order: Array) -> Array:
    """Rows whose nearest-neighbour rule classifies all rows correctly (Hart 1968).

    The first row in `order` is kept. The others are then visited in turn, and a row whose nearest
    kept row is of another class is kept as well. Passes are repeated until one keeps no new row.
    The distances to a row are measured when it is kept.

    Parameters
    ----------
    D : Source (n, n)
        Dissimilarities of rows to candidates, which are the rows.
    own : int array (n,)
        The candidate that each row is.
    y : int array (n,)
    order : int array
        The rows that take part, in the order of the visits.

    Returns
    -------
    int array
        Rows, in the order in which they were kept. Ties between nearest rows go to the first class
        in level order, then to the first row. Identical rows of different classes are all kept and
        remain misclassified.
    """
    rows = np.sort(order)
    visit = np.searchsorted(rows, order)  # places among the rows, in the order of the visits
    classes = y[rows]
    best, predicted = np.full(len(rows), np.inf), np.full(len(rows), -1)
    inside = np.zeros(len(rows), bool)
    kept: list[int] = []
    again = True
    while again:
        again, first = False, 0
        while True:
            left = visit[first:]
            wrong = (predicted[left] != classes[left]) & ~inside[left]
            if not wrong.any():
                break
            first += int(wrong.argmax()) + 1
            i = visit[first - 1]
            inside[i] = again = True
            kept.append(int(rows[i]))
            d = D.take(rows, own[rows[i : i + 1]])[:, 0]
            nearer = (d < best) | ((d == best) & (classes[i] < predicted))
            best[nearer], predicted[nearer] = d[nearer], classes[i]
    return np.array(kept, np.int64)


def edit_rows(
    D: Source, own: Array, y: Array, rows: Array, parts: int, quiet: int, seed: tuple[int, ...]
) -> Array:
    """The rows that remain when those that disagree with their neighbours are removed (Devijver and Kittler 1980).

    The rows are split at random into parts, each of which is classified by the nearest rows of the
    next one; misclassified rows are removed. This is repeated with the remaining rows until `quiet`
    rounds in a row remove nothing, or too few rows remain to be split.

    Returns
    -------
    int array, ascending
    """
    draw = np.random.default_rng(seed)
    unchanged = 0
    while unchanged < quiet and len(rows) >= 2 * parts:
        part = draw.permutation(np.arange(len(rows)) % parts)
        right = np.zeros(len(rows), bool)
        for k in range(parts):
            judged, judges = np.flatnonzero(part == k), np.flatnonzero(part == (k + 1) % parts)
            # of equally near rows the one of the first class comes first, then the first row
            nearest_first = rows[judges[np.lexsort((np.arange(len(judges)), y[rows[judges]]))]]
            step = max(1, AT_ONCE // len(judges))
            for first in range(0, len(judged), step):
                block = judged[first : first + step]
                near = D.take(rows[block], own[nearest_first]).argmin(axis=1)
                right[block] = y[nearest_first[near]] == y[rows[block]]
        unchanged = unchanged + 1 if right.all() else 0
        rows = rows[right]
    return rows
