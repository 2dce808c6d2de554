"""Balls of a grid of candidates and radii, from the codes of all pairs or from lists of the pairs that are near."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np

from .. import Array
from ..coding import TILE, Coding, Tile, block_tiles, filled
from ..memory import large, room
from ..neighbours.search import COSTLY
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
    def rows(self) -> tuple[Array, ...]:
        """The rows of each class that have a weight."""
        return tuple(np.flatnonzero((self.task.y == c) & (self.w > 0)) for c in range(self.task.classes))

    @cached_property
    def near(self) -> Pairs | None:
        """The pairs in some ball, if the codes of all pairs are not cached and these are known to be few."""
        n, m = self.task.shape
        near = None if self._codes is not None else self.task.D.near(self.coding, min(n * m / COSTLY, room() / PER_PAIR))
        if near is None:
            return None
        codes = self.coding(near.distance[None])[:, 0]
        inside = codes < len(self.coding.radii)
        return Pairs(near.rows()[inside].astype(np.int32), near.at[inside], codes[inside])

    def weights(self, columns: slice) -> Array:
        """Weight of the rows of some candidates by cell and code, (q, cells).

        Where only near pairs are known, the last code of each cell lacks the others.
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
        if n * m > min(KEPT, room(n * m)):
            return None
        source = self.task.D

        def codes(tile: Tile) -> Array:
            self.task.tick()
            return source.codes(tile.rows, tile.columns, self.coding)

        return filled(np.empty((m, n), np.uint8), source.tiles(), codes)

    @cached_property
    def _counts(self) -> Array:
        """The weights of all candidates by cell and code."""
        cell, w, (n, m) = self._cell, self.w, self.task.shape
        out = np.zeros((m, self.cells))
        if self.near is not None:
            tally_pairs(self.near.lines, self.near.places, self.near.codes, cell, w, out)
            return out
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> None:
            self.task.tick()
            rows, columns = tile.rows, tile.columns
            codes = self.task.D.codes(rows, columns, self.coding)
            with locks[int(columns[0])]:
                tally(codes, cell[rows], w[rows], columns, out)
            if tile.mirror:
                with locks[int(rows[0])]:
                    tally(np.ascontiguousarray(codes.T), cell[columns], w[columns], rows, out)

        for _ in each(add, self.task.D.tiles(), n * m):
            pass
        return out

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

    def bits(self, sets: Sets, radii: range) -> Array:
        """The balls around the candidates of a class, uint64 (len(radii), a, words): a bit for each of its rows."""
        a, b = len(sets.candidates), len(sets.rows)
        out = large((len(radii), a, words(b)), np.uint64)
        out[:] = 0
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> None:
            lines, places = tile.columns, tile.rows
            if self._codes is not None:
                codes, at = self._codes, (sets.candidates[lines], sets.rows[places])
            else:
                codes, at = self.codes(sets, places, lines), (np.arange(len(lines)), np.arange(len(places)))
            with locks[int(lines[0])]:
                pack(codes, at, lines, places, radii.start, out)

        for _ in each(add, block_tiles(b, a), a * b):  # a few rows at a time: a large class would be copied for every few candidates
            pass
        for k in range(1, len(radii)):
            out[k] |= out[k - 1]
        return out

    def codes(self, sets: Sets, places: Array | slice = slice(None), lines: Array | slice = slice(None)) -> Array:
        """The codes of some rows and candidates of a class, uint8 (lines, places)."""
        rows, columns = sets.rows[places], sets.candidates[lines]
        return self.task.D.codes(rows, columns, self.coding) if self._codes is None else np.asarray(self._codes[np.ix_(columns, rows)])

    def lists(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        """For each class the rows in the balls of its candidates, as places within the class; see `coded_balls.lists_of_pairs`.

        None if there are more than `most` pairs.
        """
        found: list[list[Pairs]] = [[] for _ in sets]
        for c, pairs in self._listed(sets) if self.near is None else self._of_near(sets, self.near):
            found[c].append(pairs)
            most -= len(pairs)
            if most < 0:
                return None
        radii = len(self.coding.radii)
        return tuple(lists_of_pairs(pairs, len(members.candidates), radii) for pairs, members in zip(found, sets, strict=True))

    def _listed(self, sets: tuple[Sets, ...]) -> Iterator[tuple[int, Pairs]]:
        """The pairs of each class that are in a ball, some candidates at a time, by their places in the class."""

        def strips() -> Iterator[tuple[int, Array]]:
            for c, members in enumerate(sets):
                a, step = len(members.candidates), max(1, TILE // max(1, len(members.rows)))
                yield from ((c, np.arange(first, min(first + step, a))) for first in range(0, a, step))

        def of_strip(strip: tuple[int, Array]) -> tuple[int, Pairs]:
            c, lines = strip
            return c, pairs_of(self.codes(sets[c], lines=lines), len(self.coding.radii), lines, np.arange(len(sets[c].rows)))

        return each(of_strip, strips(), sum(len(members.candidates) * len(members.rows) for members in sets))

    def _of_near(self, sets: tuple[Sets, ...], near: Pairs) -> Iterator[tuple[int, Pairs]]:
        n, m = self.task.shape
        for c, members in enumerate(sets):
            line, place = np.full(m, -1, np.int32), np.full(n, -1, np.int32)
            line[members.candidates], place[members.rows] = np.arange(len(members.candidates)), np.arange(len(members.rows))
            own = np.flatnonzero((line[near.lines] >= 0) & (place[near.places] >= 0))
            yield c, Pairs(line[near.lines[own]], place[near.places[own]], near.codes[own])
