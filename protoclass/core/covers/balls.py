"""The balls of a grid of candidates and radii, wherever the rows are: counted once, and read again where a candidate pays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from threading import Lock
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..coding import Coding
from ..memory import room
from ..parallel import Once, each
from ..places import as_slice
from ..sharded import Measure, ShardedSource
from ..shards import Rows, Shards
from ..task import Task
from ..tiles import MEASURE, TILE, Tile, Tiles, block_tiles
from .coded_balls import (
    Lists,
    Pairs,
    csr_lists,
    join_bits,
    join_lists,
    lists_of_pairs,
    pack,
    pairs,
    tally,
    tally_pairs,
    words,
)

Array = NDArray[Any]
KEPT = 2**28  # bytes of codes that are kept, so that no pair is coded twice
CHUNK = 512  # candidates that are looked at together
PER_PAIR = 24  # bytes that a pair takes while lists are made
SENT = 2**27  # bytes of weights or bits that all parts together send at a time


@dataclass(frozen=True)
class Sets:
    """One class."""

    candidates: Array  # those that may represent the class and pay for some fold and radius, int (a,), ascending
    rows: Array  # those of the class that have a weight, int (b,), ascending


@dataclass(frozen=True)
class Patch:
    """Some pairs of one class, as those of a tile."""

    lines: Array  # places within its candidates
    places: Array  # places within its rows
    code: int = MEASURE  # that of a `Tile`


@dataclass(frozen=True)
class Balls:
    """The balls of some radii around the candidates of a task, whose rows are here."""

    task: Task
    coding: Coding  # the radii
    w: Array  # weights of the rows, whole numbers (n,)
    fold: Array  # the fold that leaves each row out, -1 for none (n,)
    folds: int

    @cached_property
    def cells(self) -> int:
        """The number of (fold, class, code), where a fold more has the rows that are never left out."""
        return (self.folds + 1) * self.task.classes * (len(self.coding.radii) + 1)

    @cached_property
    def _cell(self) -> Array:
        """The cell of each row's fold and class at the first code, int (n,)."""
        fold = np.where(self.fold < 0, self.folds, self.fold)
        return (fold * self.task.classes + self.task.y) * (len(self.coding.radii) + 1)

    @cached_property
    def _tiles(self) -> Tiles:
        return self.task.D.tiles(self.coding)

    @property
    def complete(self) -> bool:
        """Whether all pairs are read, as none is known to be in no ball."""
        return self._tiles.complete

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """The rows of each class that have a weight."""
        return tuple(np.flatnonzero((self.task.y == c) & (self.w > 0)) for c in range(self.task.classes))

    def weights(self, columns: slice) -> Array:
        """Weight of the rows of some candidates by cell and code, (q, cells).

        Where not all pairs are in a tile, the last code of each cell lacks those that are not.
        """
        if self._codes is None:
            return self._counts[columns]
        codes = self._codes[columns]
        out = np.zeros((len(codes), self.cells))
        tally(codes, self._cell, self.w, np.arange(len(codes)), out)
        return out

    @cached_property
    def _codes(self) -> Array | None:
        """The codes of all pairs, uint8 (m, n), where memory allows them to be kept; otherwise they are read twice."""
        n, m = self.task.shape
        if not self.complete or n * m > min(KEPT, room()):
            return None
        out, source = np.empty((m, n), np.uint8), self.task.D

        def fill(tile: Tile) -> None:
            rows, columns = as_slice(tile.rows), as_slice(tile.columns)
            out[columns, rows] = source.codes(tile.rows, tile.columns, self.coding)
            if tile.mirror:
                out[rows, columns] = out[columns, rows].T
            self.task.tick()

        self._each_tile(fill)
        return out

    @cached_property
    def _counts(self) -> Array:
        """The weights of all candidates by cell and code."""
        return self._tallied() if self.complete else self._near[0]

    def _tallied(self) -> Array:
        cell, w = self._cell, self.w
        out = np.zeros((len(self.task.candidate_row), self.cells))
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> None:
            rows, columns = tile.rows, tile.columns
            codes = self.task.D.codes(rows, columns, self.coding)
            with locks[int(columns[0])]:
                tally(codes, cell[rows], w[rows], columns, out)
            if tile.mirror:
                with locks[int(rows[0])]:
                    tally(np.ascontiguousarray(codes.T), cell[columns], w[columns], rows, out)
            self.task.tick()

        self._each_tile(add)
        return out

    @cached_property
    def _near(self) -> tuple[Array, list[Pairs | Tile] | None]:
        """The weights of all candidates, and the pairs that are in a ball: measured ones, and tiles that have one code.

        The pairs are None where memory does not take them: the tiles are then read again.
        """
        cell, w = self._cell, self.w
        out = np.zeros((len(self.task.candidate_row), self.cells))
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> Pairs | Tile:
            rows, columns = tile.rows, tile.columns
            if tile.code == MEASURE:
                found = self._pairs(tile, columns, rows)
                with locks[int(columns[0])]:
                    tally_pairs(found, cell, w, out)
            else:
                inside = np.bincount(cell[rows] + tile.code, w[rows], self.cells)
                with locks[int(columns[0])]:
                    out[columns] += inside
            self.task.tick()
            return found if tile.code == MEASURE else tile

        kept: list[Pairs | Tile] | None = []
        left = room() / PER_PAIR
        for some in each(add, self._tiles, int(np.prod(self.task.shape))):
            left -= len(some)
            if kept is not None and left >= 0:
                kept.append(some)
            else:
                kept = None
        return out, kept

    def _pairs(self, tile: Tile, lines: Array, places: Array) -> Pairs:
        """The pairs of a tile that are in a ball; `lines` and `places` are what its candidates and rows are called."""
        if tile.code == MEASURE:
            codes = self.task.D.codes(tile.rows, tile.columns, self.coding)
        else:
            codes = np.full((len(lines), len(places)), tile.code, np.uint8)
        return pairs(codes, len(self.coding.radii), lines, places)

    def _each_tile(self, work: Callable[[Tile], None]) -> None:
        n, m = self.task.shape
        for _ in each(work, self._tiles, n * m):
            pass

    def sets(self, pays: Array) -> tuple[Sets, ...]:
        """The candidates of each class that pay, bool (classes, m), and its rows."""
        return tuple(Sets(np.flatnonzero(one), rows) for one, rows in zip(pays, self.rows, strict=True))

    @property
    def kept(self) -> bool:
        """Whether all codes are in memory, so that pairs may be read again at no cost."""
        return self._codes is not None

    def pairs(self, sets: tuple[Sets, ...]) -> float:
        """About how many pairs of a row and a candidate of its class the largest balls hold; exact where weights are equal."""
        total, K = 0.0, len(self.coding.radii)
        of_class = np.zeros((self.folds + 1, len(sets), K + 1, len(sets)))
        for c in range(len(sets)):
            of_class[:, c, :K, c] = 1  # the cells of the rows of a class in a ball
        mean = [self.w[one.rows].mean() if len(one.rows) else 1.0 for one in sets]
        for first in range(0, len(self.task.candidate_row), CHUNK):
            inside = self.weights(slice(first, first + CHUNK)) @ of_class.reshape(self.cells, len(sets))
            for c, one in enumerate(sets):
                low, high = np.searchsorted(one.candidates, (first, first + CHUNK))
                if low < high:
                    total += inside[one.candidates[low:high] - first, c].sum() / mean[c]
        return float(total)

    def bits(self, c: int, candidates: Array, radii: range) -> Array:
        """The balls around some candidates, uint64 (len(radii), a, words): a bit for each row of class `c`."""
        one = Sets(candidates, self.rows[c])
        a, b = len(one.candidates), len(one.rows)
        out = np.zeros((len(radii), a, words(b)), np.uint64)
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(part: Patch) -> None:
            if self._codes is not None:
                codes, at = self._codes, (one.candidates[part.lines], one.rows[part.places])
            else:
                codes, at = self.codes_of(one, part), (np.arange(len(part.lines)), np.arange(len(part.places)))
            with locks[int(part.lines[0])]:
                pack(codes, at, part.lines, part.places, radii.start, out)

        parts = self._parts(one)
        if self.complete:  # of some rows each: those of a large class would be copied for every few candidates
            parts = (Patch(tile.columns, tile.rows) for tile in block_tiles(b, a))
        for _ in each(add, parts, a * b):
            pass
        for k in range(1, len(radii)):
            out[k] |= out[k - 1]
        return out

    def codes(self, one: Sets) -> Array:
        """The codes of all pairs of one class, uint8 (a, b)."""
        return self.codes_of(one, Patch(np.arange(len(one.candidates)), np.arange(len(one.rows))))

    def inside(self, rows: Array, candidates: Array, level: Array, coding: Coding) -> Iterator[tuple[slice, Array]]:
        """Which rows are in the balls of some candidates at their radii: some balls at a time, bool (q, r)."""
        step = max(1, TILE // max(1, len(rows)))
        parts = [slice(first, first + step) for first in range(0, len(candidates), step)]

        def of_part(part: slice) -> Array:
            at, line = np.unique(candidates[part], return_inverse=True)
            return np.asarray(self.task.D.codes(rows, at, coding)[line] <= level[part, None])

        return zip(parts, each(of_part, parts, len(rows) * len(candidates)), strict=True)

    def _parts(self, one: Sets) -> Iterator[Patch]:
        """The pairs of one class, except for those that are known to be in no ball."""
        a, b = len(one.candidates), len(one.rows)
        if self.complete:
            step = max(1, TILE // max(1, b))
            for first in range(0, a, step):
                yield Patch(np.arange(first, min(first + step, a)), np.arange(b))
            return
        n, m = self.task.shape
        line, place = np.full(m, -1), np.full(n, -1)
        line[one.candidates], place[one.rows] = np.arange(a), np.arange(b)
        for tile in self._tiles:
            lines, places = line[tile.columns], place[tile.rows]
            lines, places = lines[lines >= 0], places[places >= 0]
            if len(lines) and len(places):
                yield Patch(lines, places, tile.code)

    def strips(self, sets: tuple[Sets, ...]) -> Iterator[tuple[int, list[Patch]]]:
        """The pairs of each class, except for those that are known to be in no ball, once each.

        Yields
        ------
        class, parts
            All pairs of some candidates, which are the lines of each part: no later part has these candidates of the class.
        """
        if self.complete:
            for c, one in enumerate(sets):
                for part in self._parts(one):
                    yield c, [part]
            return
        line, place, of_class = self._positions(sets)
        for _, tiles in groupby(self._tiles, key=lambda tile: int(tile.columns[0])):
            near = [(tile, of_class[tile.rows]) for tile in tiles]
            for c in range(len(sets)):
                lines = line[c, near[0][0].columns]
                lines = lines[lines >= 0]
                parts = [Patch(lines, place[tile.rows[y == c]], tile.code) for tile, y in near if (y == c).any()]
                if len(lines) and parts:
                    yield c, parts

    def _positions(self, sets: tuple[Sets, ...]) -> tuple[Array, Array, Array]:
        """Where candidates stand in each class, (classes + 1, m), -1 for nowhere; where rows stand in theirs; and the class of
        each row, or the number of classes if it has no weight."""
        L, (n, m) = len(sets), self.task.shape
        line, place, of_class = np.full((L + 1, m), -1, np.int32), np.empty(n, np.int32), np.full(n, L)
        for c, one in enumerate(sets):
            place[one.rows], of_class[one.rows] = np.arange(len(one.rows)), c
            line[c, one.candidates] = np.arange(len(one.candidates))
        return line, place, of_class

    def codes_of(self, one: Sets, part: Patch) -> Array:
        """The codes of some pairs of one class, uint8 (lines, places)."""
        if part.code != MEASURE:
            return np.full((len(part.lines), len(part.places)), part.code, np.uint8)
        if self._codes is not None:
            return np.asarray(self._codes[np.ix_(one.candidates[part.lines], one.rows[part.places])])
        return self.task.D.codes(one.rows[part.places], one.candidates[part.lines], self.coding)

    def lists(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        """For each class the rows in the balls of its candidates, as places within the class; see `balls.csr_lists`.

        None if there are more than `most` pairs.
        """
        found = self._whole(sets, most) if self.complete else self._of_near(sets, most)
        return None if found is None else tuple(found)

    def _whole(self, sets: tuple[Sets, ...], most: float) -> list[Lists] | None:
        K = len(self.coding.radii)
        work = [(c, part) for c, one in enumerate(sets) for part in self._parts(one)]
        parts: list[list[Lists]] = [[] for _ in sets]
        total = 0

        def listed(item: tuple[int, Patch]) -> Lists:
            return csr_lists(self.codes_of(sets[item[0]], item[1]), K)

        entries = sum(len(one.candidates) * len(one.rows) for one in sets)
        for (c, _), lists in zip(work, each(listed, work, entries), strict=True):
            parts[c].append(lists)
            total += len(lists[2])
            if total > most:
                return None
        return [join_lists(p) if p else _empty(K) for p in parts]

    def _of_near(self, sets: tuple[Sets, ...], most: float) -> list[Lists] | None:
        """Lists of what the tiles have, which is far from all pairs: one pass for all classes."""
        L, (n, m) = len(sets), self.task.shape
        line, place, of_class = self._positions(sets)

        def by_class(some: Pairs | Tile) -> list[Pairs]:
            found = self._pairs(some, some.columns, some.rows) if isinstance(some, Tile) else some
            y = of_class[found.places]
            lines = line[y, found.lines]
            at = [np.flatnonzero((y == c) & (lines >= 0)) for c in range(L)]
            return [Pairs(lines[own], place[found.places[own]], found.codes[own]) for own in at]

        kept = self._near[1]
        found: list[list[Pairs]] = [[] for _ in sets]
        total = 0
        for parts in each(by_class, self._tiles if kept is None else kept, n * m):
            for c, some in enumerate(parts):
                found[c].append(some)
                total += len(some)
            if total > most:
                return None
        return [lists_of_pairs(found[c], len(sets[c].candidates), len(self.coding.radii)) for c in range(L)]


def _empty(radii: int) -> Lists:
    return np.empty(0, np.int64), np.empty((0, radii), np.int64), np.empty(0, np.int32)


@dataclass(frozen=True)
class Labels:
    """What a part gets to know of its rows: their class codes, weights in units, and folds + 1, (r,) each."""

    y: Array
    w: Array
    fold: Array


@dataclass(frozen=True, eq=False)
class Spec:
    """What all parts get to know of the problems."""

    measure: Measure
    radii: Array  # ascending (K,)
    fine: int  # see `coding.coder`
    classes: int
    folds: int
    key: str  # names it


@dataclass(frozen=True)
class PartedBalls(Balls):
    """The balls of rows in several parts, each of which reads its own.

    What is sent are weights of rows, whole numbers of one unit, so that their sums over the parts are exact; and the bits, or the
    pairs, of rows of the class of candidates that pay.
    """

    shards: Shards
    spec: Spec

    @property
    def complete(self) -> bool:
        return False  # lists that are smaller than bits are sent sooner

    @cached_property
    def _codes(self) -> Array | None:
        return None  # they are kept in the parts

    @cached_property
    def occupied(self) -> tuple[int, ...]:
        """The parts that have rows."""
        return tuple(np.flatnonzero(np.diff(self.shards.bounds)).tolist())

    @cached_property
    def bounds(self) -> tuple[Array, ...]:
        """For each class, where the rows of each part that has rows begin among those of the class, and their number."""
        at = [*(int(self.shards.bounds[s]) for s in self.occupied), len(self.task.y)]
        return tuple(np.searchsorted(rows, at) for rows in self.rows)

    def ask(self, work: Callable[..., Any], *shared: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """`work(balls, *shared)`, or with `own` `work(balls, own[i], *shared)`, of each part that has rows, where it is kept.

        work : function of a module.
        """
        self.task.tick()
        asked: list[tuple[Any, ...]] = [(None, ())] * (len(self.shards.bounds) - 1)
        for i, s in enumerate(self.occupied):
            at = slice(int(self.shards.bounds[s]), int(self.shards.bounds[s + 1]))
            labels = Labels(*(fewest_bytes(values[at]) for values in (self.task.y, self.w, self.fold + 1)))
            asked[s] = labels, () if own is None else (own[i],)
        found = self.shards.map(_answer, asked, (self.spec, work, *shared))
        return [found[s] for s in self.occupied]

    @cached_property
    def _counts(self) -> Array:
        m = len(self.task.candidate_row)
        out = np.zeros((m, self.cells))
        step = max(1, SENT // (8 * self.cells * max(1, len(self.occupied))))
        for first in range(0, m, step):
            columns = slice(first, first + step)
            for weights in self.ask(_weights, columns):
                out[columns] += weights
        return out

    def bits(self, c: int, candidates: Array, radii: range) -> Array:
        length = words(len(self.rows[c]))
        out = np.zeros((len(radii), len(candidates), length), np.uint64)
        step = max(1, SENT // max(1, 8 * len(radii) * length))
        for first in range(0, len(candidates), step):
            lines = slice(first, first + step)
            for bits, at in zip(self.ask(_bits, c, candidates[lines], radii), self.bounds[c], strict=False):
                join_bits(bits, int(at), out[:, lines])
        return out

    def lists(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        left = most
        found: list[list[Pairs]] = [[] for _ in sets]
        places = []  # where the rows of each class stand in its set, -1 for nowhere
        for one, rows in zip(sets, self.rows, strict=True):
            places.append(np.full(len(rows), -1, np.int32))
            places[-1][np.searchsorted(rows, one.rows)] = np.arange(len(one.rows))
        for i, of_part in enumerate(self.ask(_pairs_of, tuple(one.candidates for one in sets), most)):
            if of_part is None:
                return None
            for c, some in enumerate(of_part):
                place = places[c][self.bounds[c][i] + some.places]
                kept = place >= 0
                found[c].append(Pairs(some.lines[kept], place[kept], some.codes[kept]))
                left -= len(found[c][-1])
        if left < 0:
            return None
        K = len(self.coding.radii)
        return tuple(lists_of_pairs(of, len(one.candidates), K) for of, one in zip(found, sets, strict=True))


def balls_of(task: Task, coding: Coding, w: Array, fold: Array, folds: int) -> Balls:
    """The balls of a task, wherever its rows are."""
    source = task.D
    if not isinstance(source, ShardedSource):
        return Balls(task, coding, w, fold, folds)
    spec = Spec(source.measure, coding.radii, coding.fine, task.classes, folds, uuid4().hex)
    return PartedBalls(task, coding, w, fold, folds, source.shards, spec)


def _answer(rows: Rows, labels: Labels | None, own: tuple[Any, ...], spec: Spec, work: Callable[..., Any], *shared: Any) -> Any:
    """What a part answers. It keeps its balls, as the next question may need what was read for this one."""
    if labels is None:
        return None
    balls: Balls | None = rows.kept("balls", spec.key)
    if balls is None:
        source, w, nobody = spec.measure.source(rows), labels.w.astype(float), np.full(len(spec.measure.candidates[0]), -1)
        task = Task(Once(lambda: source), labels.y.astype(np.int64), spec.classes, w, nobody, (0,))
        fold = labels.fold.astype(np.int64) - 1
        balls = rows.keep("balls", spec.key, Balls(task, Coding(spec.radii, spec.fine), w, fold, spec.folds))
    return work(balls, *own, *shared)


def fewest_bytes(values: Array) -> Array:
    """Whole numbers >= 0 in the smallest type that has them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _weights(balls: Balls, columns: slice) -> Array:
    return fewest_bytes(balls.weights(columns))


def _bits(balls: Balls, c: int, candidates: Array, radii: range) -> Array:
    return balls.bits(c, candidates, radii)


def _pairs_of(balls: Balls, candidates: tuple[Array, ...], most: float) -> tuple[Pairs, ...] | None:
    """For each class the pairs within the largest radius, by candidate, code and row; None if there are too many."""
    lists = balls.lists(tuple(map(Sets, candidates, balls.rows)), most)
    return None if lists is None else tuple(_pairs(*of_class) for of_class in lists)


def _pairs(start: Array, upto: Array, places: Array) -> Pairs:
    lines, radii = upto.shape
    count = np.diff(np.concatenate([start[:, None], upto], axis=1), axis=1)
    code = np.tile(np.arange(radii, dtype=np.uint8), lines)
    return Pairs(np.repeat(np.arange(lines, dtype=np.int32), count.sum(axis=1)), places, np.repeat(code, count.ravel()))
