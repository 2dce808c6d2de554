"""How the set cover problems read the dissimilarities: counted once, and listed where a candidate pays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..coding import Coding
from ..parallel import each
from ..places import as_slice
from ..task import Task
from ..tiles import MEASURE, TILE, Tile, Tiles
from .balls import Lists, csr_lists, join_lists, lists_of_pairs, pairs, tally, transpose

Array = NDArray[Any]
LISTED = 2**29  # pairs of a row and a candidate of its class whose ball contains it
KEPT = 2**28  # bytes of codes that are kept, so that no pair is coded twice


@dataclass(frozen=True)
class Sets:
    """One class: the candidates that may represent it and its rows, each with a list of the others.

    Attributes
    ----------
    candidates : int array (a,), ascending
    rows : int array (b,), ascending
    of_candidate, of_row : (start, upto, places) of `balls.csr_lists`; places count within `rows` and `candidates`
    """

    candidates: Array
    rows: Array
    of_candidate: Lists
    of_row: Lists


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
        if not self.tiles.complete or n * m > KEPT:
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
        """The weights of all candidates, tile by tile."""
        cell, w, source = self.cell, self.w, self.task.D
        out = np.zeros((len(self.task.candidate_row), self.cells))
        locks: defaultdict[int, Lock] = defaultdict(Lock)  # by the first line that is written

        def add(tile: Tile) -> None:
            rows, columns = tile.rows, tile.columns
            if tile.code != MEASURE:
                inside = np.bincount(cell[rows] + tile.code, w[rows], self.cells)
                with locks[int(columns[0])]:
                    out[columns] += inside
                return
            codes = source.codes(rows, columns, self.coding)
            with locks[int(columns[0])]:
                tally(codes, cell[rows], w[rows], columns, out)
            if tile.mirror:
                with locks[int(rows[0])]:
                    tally(np.ascontiguousarray(codes.T), cell[columns], w[columns], rows, out)
            self.task.tick()

        self._each_tile(add)
        return out

    def _each_tile(self, work: Callable[[Tile], None]) -> None:
        n, m = self.task.shape
        for _ in each(work, self.tiles, n * m):
            pass

    def sets(self, pays: Array) -> Iterator[Sets]:
        """For each class its candidates that pay, bool (classes, m), and its rows, with lists of one another."""
        own = [np.flatnonzero(self.task.y == c) for c in range(self.task.classes)]
        useful = [np.flatnonzero(one) for one in pays]
        lists = self._whole(own, useful) if self.tiles.complete else self._near(own, useful)
        turned = each(lambda c: transpose(lists[c], len(own[c])), range(len(own)), pays.size * len(self.task.y))
        for c, of_row in enumerate(turned):
            yield Sets(useful[c], own[c], lists[c], of_row)

    def _whole(self, own: list[Array], useful: list[Array]) -> list[Lists]:
        """Lists of all rows of each class, some candidates at a time."""
        K, source = len(self.coding.radii), self.task.D
        work = [
            (c, useful[c][first : first + step])
            for c in range(len(own))
            for step in [max(1, TILE // max(1, len(own[c])))]
            for first in range(0, len(useful[c]), step)
        ]

        def listed(item: tuple[int, Array]) -> Lists:
            c, some = item
            if self._codes is not None:
                return csr_lists(self._codes[np.ix_(some, own[c])], K)
            return csr_lists(source.codes(own[c], some, self.coding), K)

        parts: list[list[Lists]] = [[] for _ in own]
        total = 0
        for (c, _), lists in zip(work, each(listed, work, sum(len(s) * len(own[c]) for c, s in work)), strict=True):
            parts[c].append(lists)
            total += len(lists[2])
            self._check(total)
        return [join_lists(p) if p else _empty(K) for p in parts]

    def _near(self, own: list[Array], useful: list[Array]) -> list[Lists]:
        """Lists of what the tiles have, which is far from all pairs."""
        K, L, (n, m), source = len(self.coding.radii), len(own), self.task.shape, self.task.D
        place = np.empty(n, np.int64)
        line = np.full((L, m), -1)
        for c in range(L):
            place[own[c]] = np.arange(len(own[c]))
            line[c, useful[c]] = np.arange(len(useful[c]))

        def listed(tile: Tile) -> list[tuple[int, tuple[Array, Array, Array]]]:
            out, y = [], self.task.y[tile.rows]
            for c in np.unique(y):
                rows, columns = tile.rows[y == c], tile.columns[line[c, tile.columns] >= 0]
                if not len(columns):
                    continue
                if tile.code != MEASURE:
                    codes = np.full((len(columns), len(rows)), tile.code, np.uint8)
                else:
                    codes = source.codes(rows, columns, self.coding)
                out.append((int(c), pairs(codes, K, line[c, columns], place[rows])))
            return out

        found: list[list[tuple[Array, Array, Array]]] = [[] for _ in own]
        total = 0
        for parts in each(listed, self.tiles, n * m):
            for c, of_tile in parts:
                found[c].append(of_tile)
                total += len(of_tile[0])
            self._check(total)
        return [lists_of_pairs(found[c], len(useful[c]), K) for c in range(L)]

    def _check(self, total: int) -> None:
        if total > LISTED:
            n, m = self.task.shape
            raise TooLarge(
                f"balls of radius {self.coding.radii[-1]:.4g} around {m} candidates contain too many of the {n} rows to be listed: use "
                "smaller radii, candidates=500 (a random subset of the rows as centres), or fewer rows (data.sample(...))"
            )


def _empty(radii: int) -> Lists:
    return np.empty(0, np.int64), np.empty((0, radii), np.int64), np.empty(0, np.int32)
