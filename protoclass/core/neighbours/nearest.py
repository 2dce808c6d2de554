"""Rules of the nearest prototypes, and their votes; Hart's condensing, and multi-editing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import short
from ...ground.savable import savable
from ..parallel import few, kernel
from ..setcover.coverage import NONE, covering_by
from ..statistics.sums import EXACT
from ..task import Points, WithPrototypes
from .search import Near, nearest_of

if TYPE_CHECKING:
    from ..query import Query, Statement
    from ..sources import Source


Array = NDArray[Any]
BLOCK = 32  # prototypes in one step
MEASURED = 2**22  # dissimilarities that are measured at a time


def order_of(prototypes: Points) -> Array:
    """Positions of the prototypes in the order that breaks ties within a class: by row, or in the given order without rows."""
    return np.argsort(prototypes.at, kind="stable") if prototypes.at is not None else np.arange(len(prototypes))


def nearest(D: Array, member: Array, order: Array) -> Array:
    """Position of the nearest prototype in each of several sets.

    Parameters
    ----------
    D : array (r, q)
        Dissimilarities of r rows to q prototypes.
    member : int16 array (G, q)
        Class of prototype j in set g, -1 if it is not in the set.
    order : int array (q,)
        Order that breaks ties between prototypes, after the order of the classes.

    Returns
    -------
    int array (r, G)
        Positions; -1 if the set is empty.
    """
    if few(len(D) * member.size):
        return _first_of_nearest(D, member, order)
    out = np.full((len(D), len(member)), NONE)
    sets = _scans(member, order)
    _nearest(np.ascontiguousarray(D), *sets, np.empty(len(member), D.dtype), out)
    return out


def _first_of_nearest(D: Array, member: Array, order: Array) -> Array:
    """`nearest` by the first smallest value of each set, whose prototypes are put in the order that breaks ties."""
    out = np.full((len(D), len(member)), NONE)
    by_class = np.argsort(member[:, order], axis=1, kind="stable")
    for g, empty in enumerate((member < 0).sum(axis=1)):
        line = order[by_class[g, empty:]]
        if len(line):
            out[:, g] = line[D[:, line].argmin(axis=1)]
    return out


def _scans(member: Array, order: Array) -> tuple[Array, ...]:
    """How the sets are processed: small ones one by one, while large ones are processed together in one scan over all prototypes."""
    member = np.ascontiguousarray(member, np.int16)
    count, most = (member >= 0).sum(axis=1), member.shape[1]
    large, small = np.flatnonzero(count * 4 > most), np.flatnonzero(count * 4 <= most)
    scans = [order[member[g, order] >= 0] for g in small]
    scan = np.concatenate([*scans, np.empty(0, np.int64)]).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(count[small])]).astype(np.int64)
    return np.ascontiguousarray(member.T), np.asarray(order, np.int64), large, small, scan, start


def nearest_to(query: Query, prototypes: Points, member: Array, order: Array) -> Array:
    """As `nearest`, for the rows of a query: only pairs that a product leaves undecided are computed exactly.

    See `core.distances.screen` for the bound. A row is open if in some set a second prototype may be as near as the nearest.
    """
    compared = query.compared(prototypes)
    if compared is None:
        return nearest(query.dissimilarities(prototypes), member, order)
    rows, candidates, bounds = compared.rows, compared.candidates, compared.bounds
    out, open_rows = np.full((len(query), len(member)), NONE), np.zeros(len(query), np.bool_)
    sets = _tiers(member)
    best, second = np.empty(len(member), np.float32), np.empty(len(member), np.float32)
    error = 1.001 * (bounds.norm * (rows.square.astype(float) + float(candidates.square.max())) + bounds.slack)
    stretch = (1 + bounds.kernel) / (1 - bounds.kernel)
    _screened(compared.twice, rows.square, candidates.square, *sets, error, stretch, best, second, out, open_rows)
    again = np.flatnonzero(open_rows)
    if len(again):
        out[again] = nearest(query.take(again).dissimilarities(prototypes), member, order)
    return out


@kernel
def _nearest(D, sets_of, order, large, small, scan, start, best, out):  # type: ignore[no-untyped-def]
    for i in range(D.shape[0]):
        for g in range(len(best)):
            best[g] = np.inf
        for s in range(len(small)):
            g = small[s]
            for t in range(start[s], start[s + 1]):
                j = scan[t]
                d = D[i, j]
                old = out[i, g]
                if d < best[g] or (d == best[g] and (old < 0 or sets_of[j, g] < sets_of[old, g])):
                    best[g] = d
                    out[i, g] = j
        # a scan over all prototypes skips those beyond the farthest of the sets' nearest so far, which falls fast
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


def _tiers(member: Array) -> tuple[Array, ...]:
    """The order of the sets in scans by products: sets of about one size share a scan, which begins at the last of their members.

    Returns the class of each prototype in each set (q, G); the sets, tier after tier; the first position of each tier among them, and
    their number; and the number of prototypes up to the last member of a set of each tier. Scans are short if prototypes of small sets
    come first, see `by_smallest_set`.
    """
    size = _magnitudes(member)
    sets = np.argsort(size, kind="stable")
    start = np.append(np.unique(size[sets], return_index=True)[1], len(sets))
    last = np.where(member >= 0, np.arange(1, member.shape[1] + 1), 0).max(axis=1, initial=0)
    upto = [last[sets[a:b]].max() for a, b in pairwise(start)]
    return np.ascontiguousarray(member.T, np.int16), sets, start, np.array(upto, np.int64)


def _magnitudes(member: Array) -> Array:
    """The size of each set, as a power of 2 (G,)."""
    return np.asarray(np.ceil(np.log2(np.maximum(1, (member >= 0).sum(axis=1)))))


def by_smallest_set(member: Array) -> Array:
    """An order of prototypes with those of small sets first, int (q,); `member` as in `nearest`."""
    smallest = np.where(member >= 0, _magnitudes(member)[:, None], np.inf).min(axis=0, initial=np.inf)
    return np.argsort(smallest, kind="stable")


@kernel
def _screened(  # type: ignore[no-untyped-def]
    twice, rows, candidates, sets_of, sets, start, upto, error, stretch, best, second, out, open_rows
):
    # as `_nearest`, on approximations; best and second: the two smallest ones of each set. They are >= 0, so their bits are
    # whole numbers in the same order, and the minimum of a block takes almost no time.
    q, blocks = len(candidates), -(-len(candidates) // BLOCK)
    by_block, least = np.full((blocks, BLOCK), np.float32(np.inf)), np.empty(blocks, np.float32)
    near, bits, lowest, zero = by_block.reshape(-1), by_block.view(np.int32), least.view(np.int32), np.float32(0)
    for i in range(len(rows)):
        own = rows[i]
        for j in range(q):
            d = candidates[j] + own - twice[i, j]
            near[j] = d if d > zero else zero
        for block in range(blocks):
            low = bits[block, 0]
            for t in range(BLOCK):
                low = min(low, bits[block, t])
            lowest[block] = low
        best[:] = np.inf
        second[:] = np.inf
        reach = error[i] * (stretch + 1)  # a second one within stretch * best + reach is as near, for all that is known
        for tier in range(len(upto)):
            bound = np.inf
            for block in range(-(-upto[tier] // BLOCK) - 1, -1, -1):
                if least[block] > bound:
                    continue
                for j in range(block * BLOCK, min(upto[tier], (block + 1) * BLOCK)):
                    d = near[j]
                    if d > bound:
                        continue
                    farthest = np.float32(0)
                    for s in range(start[tier], start[tier + 1]):
                        g = sets[s]
                        if sets_of[j, g] >= 0:
                            if d < best[g]:
                                second[g], best[g] = best[g], d
                                out[i, g] = j
                            elif d < second[g]:
                                second[g] = d
                        farthest = max(farthest, best[g])
                    bound = farthest * stretch + reach
        # surely nearest: (best + E) (1 + k) < (second - E) (1 - k)
        for g in range(len(best)):
            if second[g] < np.inf and (best[g] + error[i]) * stretch >= second[g] - error[i]:
                open_rows[i] = True


def rank_of(prototypes: Points) -> tuple[Array, Array]:
    """Positions of the prototypes in the order in which equally near ones win, and the rank of each in it."""
    order = order_of(prototypes)
    line = order[np.argsort(prototypes.classes[order], kind="stable")]
    rank = np.empty(len(line), np.int64)
    rank[line] = np.arange(len(line))
    return line, rank


def nearest_one(query: Query, prototypes: Points) -> Array:
    """Position of the nearest prototype of each row of a query (r,): of those equally near, the one that `nearest` gives."""
    near = query.nearest(prototypes, 1)
    if len(query) == 0:
        return np.empty(0, np.int64)
    line, rank = rank_of(prototypes)
    return np.asarray(line[np.minimum.reduceat(rank[near.at], near.start[:-1])])


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
        return ("class", "distance", "nearest") + (() if self.prototypes.radii is None else ("cover",))

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
        member = np.asarray(self.prototypes.classes, np.int16)[None, :]
        covered = covering_by(query, self.prototypes, member, self.prototypes.radii[:1])[:, 0]
        return np.asarray(np.maximum(covered, NONE))

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
        near = query.nearest(self.prototypes, int(ks.max()))
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
        Seed for the random order that breaks ties, see `KNNPath`; None if all rows that are equally near vote.
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
            return np.asarray(path.predict(kind, query)[:, 0])
        if kind == "distance":
            return class_distances(query.dissimilarities(self.prototypes), self.prototypes, self.classes)
        return nearest_one(query, self.prototypes)

    @property
    def why_not_sql(self) -> str:
        return "" if self.seed is None else "ties are broken by a random order"

    def sql(self, statement: Statement) -> str:
        return statement.votes(self.prototypes, self.k, self.weight)


def votes(D: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Proportions of votes (r, len(ks), classes) of the k nearest rows by dissimilarities (r, q), including those tied with the k-th."""
    return near_votes(nearest_of(D, min(int(ks.max()), D.shape[1])), ks, codes, weight, classes)


def near_votes(near: Near, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Proportions of votes (r, len(ks), classes) of the k nearest rows, including those tied with the k-th."""
    if not (weight.sum() <= EXACT and (weight == np.round(weight)).all()):
        near = near.ascending()  # sums of whole numbers are the same in any order
    out, radii = np.empty((len(near), len(ks), classes)), near.radii(np.minimum(ks, len(codes)))
    _votes(near.start, near.at, near.distance, radii, np.asarray(codes, np.int64), weight, out)
    return np.asarray(out / out.sum(axis=2, keepdims=True))


def ordered_votes(near: Near, rank: Array, ks: Array, codes: Array, weight: Array, classes: int) -> Array:
    """Proportions of votes (r, len(ks), classes) of exactly k rows: ties are broken by rank."""
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


def condense_rows(D: Source, own: Array, y: Array, order: Array) -> Array:
    """Rows whose nearest-neighbour rule classifies all rows correctly (Hart 1968).

    The first row in `order` is kept. The others are then visited in turn, and a row whose nearest kept row is of another
    class is kept as well. Passes are repeated until one keeps no new row. The distances to a row are measured when it is kept.

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
        Rows, in the order in which they were kept. Ties between nearest rows go to the first class in level order,
        then to the first row. Identical rows of different classes are all kept and remain misclassified.
    """
    rows = np.sort(order)
    visit = np.searchsorted(rows, order)  # places among the rows, in the order of the visits
    classes = y[rows]
    best, predicted, inside = np.full(len(rows), np.inf), np.full(len(rows), -1), np.zeros(len(rows), bool)
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


def edit_rows(D: Source, own: Array, y: Array, rows: Array, parts: int, quiet: int, seed: tuple[int, ...]) -> Array:
    """The rows that remain when those that disagree with their neighbours are removed (Devijver and Kittler 1980).

    The rows are split at random into parts, each of which is classified by the nearest rows of the next one; misclassified
    rows are removed. This is repeated with the remaining rows until `quiet` rounds in a row remove nothing, or too few rows
    remain to be split.

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
            # of equally near rows the first class, then the first row
            nearest_first = rows[judges[np.lexsort((np.arange(len(judges)), y[rows[judges]]))]]
            step = max(1, MEASURED // len(judges))
            for first in range(0, len(judged), step):
                block = judged[first : first + step]
                near = D.take(rows[block], own[nearest_first]).argmin(axis=1)
                right[block] = y[nearest_first[near]] == y[rows[block]]
        unchanged = unchanged + 1 if right.all() else 0
        rows = rows[right]
    return rows
