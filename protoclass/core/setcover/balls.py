"""Balls of a grid of candidates and radii: counted once, and recomputed for candidates that pay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from threading import Lock

import numpy as np

from .. import Array
from ..coding import MEASURE, TILE, Coding, Tile, Tiles, block_tiles, filled
from ..memory import large, room
from ..parallel import each
from ..task import Task
from .coded_balls import Lists, Pairs, lists_of_pairs, pack, pairs_of, tally, tally_pairs, words

KEPT = 2**28  # bytes of cached codes, so that no pair is coded twice
CHUNK = 512  # candidates that are looked at together
PER_PAIR = 24  # bytes that a pair takes while lists are made


@dataclass(frozen=True)
class Sets:
    """One class."""

    candidates: Array  # those that may represent the class and pay for some fold and radius, int (a,), ascending
    rows: Array  # rows of the class with a weight, int (b,), ascending


@dataclass(frozen=True)
class Patch:
    """Pairs of one class, such as the pairs of a tile."""

    lines: Array  # places within its candidates
    places: Array  # places within its rows
    code: int = MEASURE  # code of a `Tile`


@dataclass(frozen=True)
class Balls:
    """The balls of some radii around the candidates of a task."""

    task: Task
    coding: Coding  # the radii
    w: Array  # weights of the rows, whole numbers (n,)
    fold: Array  # the fold that leaves each row out, -1 for none (n,)
    folds: int

    @cached_property
    def cells(self) -> int:
        """The number of (fold, class, code), with one more fold for the rows that are never left out."""
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
        """Whether all pairs are computed, because none is known to be outside all balls."""
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
        """Codes of all pairs, uint8 (m, n), cached if they fit into memory; otherwise they are computed twice."""
        n, m = self.task.shape
        if not self.complete or n * m > min(KEPT, room(n * m)):
            return None
        source = self.task.D

        def codes(tile: Tile) -> Array:
            self.task.tick()
            return source.codes(tile.rows, tile.columns, self.coding)

        return filled(np.empty((m, n), np.uint8), self._tiles, codes)

    @cached_property
    def _counts(self) -> Array:
        """The weights of all candidates by cell and code."""
        return self._counted[0]

    @cached_property
    def _counted(self) -> tuple[Array, list[Pairs | Tile] | None]:
        """The weights of all candidates; and if some pairs are known to be outside all balls, the other pairs.

        These are pairs that are computed, and tiles that have one code; None if they do not fit into memory.
        """
        cell, w, (n, m) = self._cell, self.w, self.task.shape
        out = np.zeros((m, self.cells))
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> Pairs | Tile:
            self.task.tick()
            rows, columns = tile.rows, tile.columns
            if tile.code != MEASURE:
                inside = np.bincount(cell[rows] + tile.code, w[rows], self.cells)
                with locks[int(columns[0])]:
                    out[columns] += inside
                return tile
            codes = self.task.D.codes(rows, columns, self.coding)
            if not self.complete:
                pairs = pairs_of(codes, len(self.coding.radii), columns, rows)
                with locks[int(columns[0])]:
                    tally_pairs(pairs.lines, pairs.places, pairs.codes, cell, w, out)
                return pairs
            with locks[int(columns[0])]:
                tally(codes, cell[rows], w[rows], columns, out)
            if tile.mirror:
                with locks[int(rows[0])]:
                    tally(np.ascontiguousarray(codes.T), cell[columns], w[columns], rows, out)
            return tile

        kept: list[Pairs | Tile] | None = None if self.complete else []
        left = room() / PER_PAIR
        for found in each(add, self._tiles, n * m):
            left -= len(found)
            if kept is not None:
                kept.append(found)
            if left < 0:
                kept = None
        return out, kept

    def sets(self, pays: Array) -> tuple[Sets, ...]:
        """The candidates of each class that pay, bool (classes, m), and its rows."""
        return tuple(Sets(np.flatnonzero(paid), rows) for paid, rows in zip(pays, self.rows, strict=True))

    @property
    def kept(self) -> bool:
        """Whether all codes are in memory, so that pairs can be used again at no cost."""
        return self._codes is not None

    def held(self) -> Array:
        """Weight of each class in the largest ball of each candidate, (m, classes)."""
        L, K, m = self.task.classes, len(self.coding.radii), len(self.task.candidate_row)
        out = np.empty((m, L))
        for first in range(0, m, CHUNK):
            part = slice(first, first + CHUNK)
            out[part] = self.weights(part).reshape(-1, self.folds + 1, L, K + 1)[..., :K].sum(axis=(1, 3))
        return out

    def pairs(self, sets: tuple[Sets, ...]) -> float:
        """Estimated number of pairs of a row and a candidate of its class within the largest radius; exact for equal weights."""
        held = self.held()
        return float(sum(
            held[members.candidates, c].sum() / self.w[members.rows].mean() for c, members in enumerate(sets) if len(members.rows)
        ))  # fmt: skip

    def bits(self, c: int, candidates: Array, radii: range) -> Array:
        """The balls around some candidates, uint64 (len(radii), a, words): a bit for each row of class `c`."""
        members = Sets(candidates, self.rows[c])
        a, b = len(members.candidates), len(members.rows)
        out = large((len(radii), a, words(b)), np.uint64)
        out[:] = 0
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(patch: Patch) -> None:
            if self._codes is not None:
                codes, at = self._codes, (members.candidates[patch.lines], members.rows[patch.places])
            else:
                codes, at = self.codes_of(members, patch), (np.arange(len(patch.lines)), np.arange(len(patch.places)))
            with locks[int(patch.lines[0])]:
                pack(codes, at, patch.lines, patch.places, radii.start, out)

        patches = (patch for _, strip in self.strips((members,)) for patch in strip)
        if self.complete:  # a few rows at a time: a large class would be copied for every few candidates
            patches = (Patch(tile.columns, tile.rows) for tile in block_tiles(b, a))
        for _ in each(add, patches, a * b):
            pass
        for k in range(1, len(radii)):
            out[k] |= out[k - 1]
        return out

    def codes(self, sets: Sets) -> Array:
        """The codes of all pairs of one class, uint8 (a, b)."""
        return self.codes_of(sets, Patch(np.arange(len(sets.candidates)), np.arange(len(sets.rows))))

    def strips(self, sets: tuple[Sets, ...]) -> Iterator[tuple[int, list[Patch]]]:
        """The pairs of each class, except for those that are known to be in no ball, once each.

        Yields
        ------
        class, patches
            All pairs of some candidates, which are the lines of each patch: no later one has these candidates of the class.
        """
        if self.complete:
            for c, members in enumerate(sets):
                a, b = len(members.candidates), len(members.rows)
                step = max(1, TILE // max(1, b))
                for first in range(0, a, step):
                    yield c, [Patch(np.arange(first, min(first + step, a)), np.arange(b))]
            return
        line, place, of_class = self._positions(sets)
        for _, tiles in groupby(self._tiles, key=lambda tile: int(tile.columns[0])):
            near = [(tile, of_class[tile.rows]) for tile in tiles]
            for c in range(len(sets)):
                lines = line[c, near[0][0].columns]
                lines = lines[lines >= 0]
                patches = [Patch(lines, place[tile.rows[y == c]], tile.code) for tile, y in near if (y == c).any()]
                if len(lines) and patches:
                    yield c, patches

    def _positions(self, sets: tuple[Sets, ...]) -> tuple[Array, Array, Array]:
        """Positions of candidates in each class, (classes + 1, m), -1 for none; positions of rows in their class; and the class of
        each row, or the number of classes if it has no weight."""
        n, m = self.task.shape
        line, place, of_class = np.full((len(sets) + 1, m), -1, np.int32), np.empty(n, np.int32), np.full(n, len(sets))
        for c, members in enumerate(sets):
            place[members.rows], of_class[members.rows] = np.arange(len(members.rows)), c
            line[c, members.candidates] = np.arange(len(members.candidates))
        return line, place, of_class

    def codes_of(self, sets: Sets, part: Patch) -> Array:
        """The codes of some pairs of one class, uint8 (lines, places)."""
        if part.code != MEASURE:
            return np.full((len(part.lines), len(part.places)), part.code, np.uint8)
        if self._codes is not None:
            return np.asarray(self._codes[np.ix_(sets.candidates[part.lines], sets.rows[part.places])])
        return self.task.D.codes(sets.rows[part.places], sets.candidates[part.lines], self.coding)

    def lists(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        """For each class the rows in the balls of its candidates, as places within the class; see `coded_balls.lists_of_pairs`.

        None if there are more than `most` pairs.
        """
        found, K = self.listed(sets, most), len(self.coding.radii)
        if found is None:
            return None
        return tuple(lists_of_pairs(pairs, len(members.candidates), K) for pairs, members in zip(found, sets, strict=True))

    def listed(self, sets: tuple[Sets, ...], most: float) -> list[list[Pairs]] | None:
        """The pairs of each class that are in a ball, by their places in the class; None if there are more than `most`."""
        found: list[list[Pairs]] = [[] for _ in sets]
        kept = None if self._codes is not None else self._counted[1]
        parts = self._of_strips(sets) if kept is None else self._of_kept(sets, kept)
        for of_part in parts:
            for c, pairs in of_part:
                found[c].append(pairs)
                most -= len(pairs)
            if most < 0:
                return None
        return found

    def _of_strips(self, sets: tuple[Sets, ...]) -> Iterator[list[tuple[int, Pairs]]]:
        K = len(self.coding.radii)

        def of_strip(item: tuple[int, list[Patch]]) -> list[tuple[int, Pairs]]:
            c, patches = item
            return [(c, pairs_of(self.codes_of(sets[c], patch), K, patch.lines, patch.places)) for patch in patches]

        return each(of_strip, self.strips(sets), sum(len(members.candidates) * len(members.rows) for members in sets))

    def _of_kept(self, sets: tuple[Sets, ...], kept: list[Pairs | Tile]) -> Iterator[list[tuple[int, Pairs]]]:
        (line, place, of_class), K = self._positions(sets), len(self.coding.radii)

        def by_class(some: Pairs | Tile) -> list[tuple[int, Pairs]]:
            if isinstance(some, Tile):
                codes = np.full((len(some.columns), len(some.rows)), some.code, np.uint8)
                some = pairs_of(codes, K, some.columns, some.rows)
            y = of_class[some.places]
            lines = line[y, some.lines]
            own = [np.flatnonzero((y == c) & (lines >= 0)) for c in range(len(sets))]
            return [(c, Pairs(lines[at], place[some.places[at]], some.codes[at])) for c, at in enumerate(own)]

        return each(by_class, kept, int(np.prod(self.task.shape)))

