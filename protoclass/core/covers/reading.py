"""How the set cover problems read the dissimilarities: counted once, and read again where a candidate pays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import Coding
from ..memory import room
from ..parallel import each
from ..places import as_slice
from ..task import Task
from ..tiles import MEASURE, TILE, Tile, Tiles, block_tiles
from .balls import Lists, Pairs, csr_lists, join_lists, lists_of_pairs, pairs, tally, tally_pairs
from .bits import pack, words

Array = NDArray[Any]
KEPT = 2**28  # bytes of codes that are kept, so that no pair is coded twice
CHUNK = 512  # candidates that are looked at together
PER_PAIR = 24  # bytes that a pair takes while lists are made


@dataclass(frozen=True)
class Sets:
    """One class.

    Attributes
    ----------
    candidates : int array (a,), ascending
        Those that may represent the class and pay for some fold and radius.
    rows : int array (b,), ascending
        Those of the class that have a weight.
    """

    candidates: Array
    rows: Array


@dataclass(frozen=True)
class Part:
    """Some pairs of one class: `lines` count within its candidates, `places` within its rows; `code` is that of a Tile."""

    lines: Array
    places: Array
    code: int = MEASURE


@dataclass(frozen=True)
class Reading:
    """The dissimilarities of a task as the set cover problems read them.

    Attributes
    ----------
    task : Task
    coding : Coding
        The radii.
    tiles : Tiles
    cell : int array (n,)
        The first of the cells of each row's (fold, class), which has one for each code.
    cells : int
    w : array (n,)
        Weights of the rows.
    """

    task: Task
    coding: Coding
    tiles: Tiles
    cell: Array
    cells: int
    w: Array

    def weights(self, columns: slice) -> Array:
        """Weight of the rows of some candidates by cell and code, (q, cells).

        Where not all pairs are in a tile, the last code of each cell lacks those that are not.
        """
        if self._codes is None:
            return self._counts[columns]
        codes = self._codes[columns]
        out = np.zeros((len(codes), self.cells))
        tally(codes, self.cell, self.w, np.arange(len(codes)), out)
        return out

    @cached_property
    def _codes(self) -> Array | None:
        """The codes of all pairs, uint8 (m, n), where memory allows them to be kept; otherwise they are read twice."""
        n, m = self.task.shape
        if not self.tiles.complete or n * m > min(KEPT, room()):
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
        return self._tallied() if self.tiles.complete else self._near[0]

    def _tallied(self) -> Array:
        cell, w = self.cell, self.w
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
        cell, w = self.cell, self.w
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
        for some in each(add, self.tiles, int(np.prod(self.task.shape))):
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
        for _ in each(work, self.tiles, n * m):
            pass

    def sets(self, pays: Array) -> tuple[Sets, ...]:
        """The candidates of each class that pay, bool (classes, m), and its rows."""
        return tuple(
            Sets(np.flatnonzero(one), np.flatnonzero((self.task.y == c) & (self.w > 0))) for c, one in enumerate(pays)
        )

    @property
    def kept(self) -> bool:
        """Whether all codes are in memory, so that pairs may be read again at no cost."""
        return self._codes is not None

    def pairs(self, sets: tuple[Sets, ...]) -> float:
        """About how many pairs of a row and a candidate of its class the largest balls hold; exact where weights are equal."""
        total, K = 0.0, len(self.coding.radii)
        of_class = np.zeros((self.cells // (len(sets) * (K + 1)), len(sets), K + 1, len(sets)))
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

    def bits(self, one: Sets, radii: range) -> Array:
        """The balls of the candidates of one class, uint64 (len(radii), a, words): a bit for each row of the class."""
        a, b = len(one.candidates), len(one.rows)
        out = np.zeros((len(radii), a, words(b)), np.uint64)
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(part: Part) -> None:
            if self._codes is not None:
                codes, at = self._codes, (one.candidates[part.lines], one.rows[part.places])
            else:
                codes, at = self.codes_of(one, part), (np.arange(len(part.lines)), np.arange(len(part.places)))
            with locks[int(part.lines[0])]:
                pack(codes, at, part.lines, part.places, radii.start, out)

        parts = self._parts(one)
        if self.tiles.complete:  # of some rows each: those of a large class would be copied for every few candidates
            parts = (Part(tile.columns, tile.rows) for tile in block_tiles(b, a))
        for _ in each(add, parts, a * b):
            pass
        for k in range(1, len(radii)):
            out[k] |= out[k - 1]
        return out

    def codes(self, one: Sets) -> Array:
        """The codes of all pairs of one class, uint8 (a, b)."""
        return self.codes_of(one, Part(np.arange(len(one.candidates)), np.arange(len(one.rows))))

    def inside(self, rows: Array, candidates: Array, radius: Coding) -> Iterator[tuple[slice, Array]]:
        """Which rows are in the balls of one radius: some candidates at a time, bool (q, r)."""
        step = max(1, TILE // max(1, len(rows)))
        parts = [slice(first, first + step) for first in range(0, len(candidates), step)]
        codes = each(
            lambda some: self.task.D.codes(rows, candidates[some], radius) == 0, parts, len(rows) * len(candidates)
        )
        return zip(parts, codes, strict=True)

    def _parts(self, one: Sets) -> Iterator[Part]:
        """The pairs of one class, except for those that are known to be in no ball."""
        a, b = len(one.candidates), len(one.rows)
        if self.tiles.complete:
            step = max(1, TILE // max(1, b))
            for first in range(0, a, step):
                yield Part(np.arange(first, min(first + step, a)), np.arange(b))
            return
        n, m = self.task.shape
        line, place = np.full(m, -1), np.full(n, -1)
        line[one.candidates], place[one.rows] = np.arange(a), np.arange(b)
        for tile in self.tiles:
            lines, places = line[tile.columns], place[tile.rows]
            lines, places = lines[lines >= 0], places[places >= 0]
            if len(lines) and len(places):
                yield Part(lines, places, tile.code)

    def strips(self, sets: tuple[Sets, ...]) -> Iterator[tuple[int, list[Part]]]:
        """The pairs of each class, except for those that are known to be in no ball, once each.

        Yields
        ------
        class, parts
            All pairs of some candidates, which are the lines of each part: no later part has these candidates of the class.
        """
        if self.tiles.complete:
            for c, one in enumerate(sets):
                for part in self._parts(one):
                    yield c, [part]
            return
        line, place, of_class = self._positions(sets)
        for _, tiles in groupby(self.tiles, key=lambda tile: int(tile.columns[0])):
            near = [(tile, of_class[tile.rows]) for tile in tiles]
            for c in range(len(sets)):
                lines = line[c, near[0][0].columns]
                lines = lines[lines >= 0]
                parts = [Part(lines, place[tile.rows[y == c]], tile.code) for tile, y in near if (y == c).any()]
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

    def codes_of(self, one: Sets, part: Part) -> Array:
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
        found = self._whole(sets, most) if self.tiles.complete else self._of_near(sets, most)
        return None if found is None else tuple(found)

    def _whole(self, sets: tuple[Sets, ...], most: float) -> list[Lists] | None:
        K = len(self.coding.radii)
        work = [(c, part) for c, one in enumerate(sets) for part in self._parts(one)]
        parts: list[list[Lists]] = [[] for _ in sets]
        total = 0

        def listed(item: tuple[int, Part]) -> Lists:
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
        for parts in each(by_class, self.tiles if kept is None else kept, n * m):
            for c, some in enumerate(parts):
                found[c].append(some)
                total += len(some)
            if total > most:
                return None
        return [lists_of_pairs(found[c], len(sets[c].candidates), len(self.coding.radii)) for c in range(L)]


def _empty(radii: int) -> Lists:
    return np.empty(0, np.int64), np.empty((0, radii), np.int64), np.empty(0, np.int32)
