"""The balls of a grid of radii around the candidates, from dissimilarities that are coded once.

The code of a pair is a byte: the number of radii that do not reach it. So row i lies in the ball of
candidate j and radius k (ascending) when `codes[j, i] <= k`. The weights in all balls, for all
masks of cross-validation, are counted from these codes. After that a class needs the pairs of its
own candidates and rows alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from ...ground.errors import TooLargeError
from .. import Array
from ..coding import Coding, Tile, filled
from ..memory import large, room
from ..parallel import few, kernel
from ..sources import Source, Submatrix
from ..task import Task
from ..thresholds import COSTLY, KEPT, PER_ENTRY, PER_PAIR

if TYPE_CHECKING:
    from scipy.sparse import csr_array


NO_CODES = np.empty((0, 0), np.uint8)
NO_LISTS = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32)
LINES = 256  # candidates whose lists are made together: lines and codes are sorted as 16 bits


@dataclass(frozen=True)
class Pairs:
    """Pairs of a candidate and a row within the largest radius."""

    columns: Array  # the candidates, int
    rows: Array
    codes: Array  # the smallest radius that reaches each pair, uint8


@dataclass(frozen=True)
class ClassBalls:
    """The balls around the candidates of one class, with its rows: the codes of all pairs, or lists
    of the rows in balls.

    Attributes
    ----------
    candidates : int array (a,), ascending
        Candidates that may represent the class and pay for some fold and radius.
    rows : int array (b,), ascending
        Rows of the class with a weight.
    radii : int
    codes : uint8 array (a, b), or (0, 0) if there are lists
    lists : int arrays start (a,), upto (a, radii) and places, if there are no codes
        The rows in the ball of candidate a and radius k are `rows[places[start[a] : upto[a, k]]]`.
    """

    candidates: Array
    rows: Array
    radii: int
    codes: Array
    lists: tuple[Array, Array, Array]

    @property
    def coded(self) -> bool:
        """Whether the codes are here, and not lists: `codes` then has a line for each candidate.

        A class without candidates counts as coded, because both forms are empty.
        """
        return len(self.codes) == len(self.candidates)

    @property
    def pairs(self) -> int:
        """The number of pairs in some ball."""
        return len(self.lists[2]) + int(np.count_nonzero(self.codes < self.radii))

    def listed(self, chosen: Array, k: int) -> tuple[Array, Array]:
        """The rows in the balls of radius `k` around some of the candidates: the bounds of their
        lists, int (len(chosen) + 1,), and the places of the rows, int32.
        """
        if self.coded:
            lines = [np.flatnonzero(self.codes[j] <= k).astype(np.int32) for j in chosen]
        else:
            start, upto, places = self.lists
            lines = [places[start[j] : upto[j, k]] for j in chosen]
        return np.cumsum([0, *map(len, lines)]), np.concatenate([*lines, np.empty(0, np.int32)])

    def matrix(self, chosen: Array, k: int) -> csr_array:
        """The rows in the balls of radius `k` around some of the candidates, csr (len(chosen), b) of ones."""
        from scipy.sparse import csr_array  # most fits do without

        bounds, places = self.listed(chosen, k)
        return csr_array(
            (np.ones(len(places)), places, bounds), shape=(len(chosen), len(self.rows))
        )

    def of_radius(self, k: int) -> tuple[Array, tuple[Array, Array, Array]]:
        """The balls of radius `k` as `codes` or as `lists`, whichever is read faster."""
        start, upto, places = self._short if self.coded else self.lists
        if k >= upto.shape[1]:
            return self.codes, NO_LISTS
        return NO_CODES, (start, np.ascontiguousarray(upto[:, k]), places)

    @cached_property
    def _short(self) -> tuple[Array, Array, Array]:
        """The lists of the radii whose balls are read faster by lists than by codes: all radii
        share them, because making them takes longer than reading them.
        """
        # every 16th candidate shows how many pairs the balls have
        shown = self.codes[::16]
        most = shown.size // PER_ENTRY
        radii = sum(int(np.count_nonzero(shown <= k)) <= most for k in range(self.radii))
        counts, places = [np.empty((0, radii), np.int64)], [NO_LISTS[2]]
        for first in range(0, len(self.codes), LINES):
            codes = self.codes[first : first + LINES]
            line, place = np.nonzero(codes < radii)
            count, order = by_code(line, codes[line, place], len(codes), radii)
            counts.append(count)
            places.append(place[order].astype(np.int32))
        return lists_of(np.concatenate(counts), np.concatenate(places))


def by_code(line: Array, code: Array, lines: int, radii: int) -> tuple[Array, Array]:
    """The number of pairs by line and code (lines, radii), and the order by line and then by code."""
    key = (line * radii + code).astype(np.min_scalar_type(lines * radii))
    count = np.bincount(key, minlength=lines * radii).reshape(lines, radii)
    return count, np.argsort(key, kind="stable")


def lists_of(count: Array, places: Array) -> tuple[Array, Array, Array]:
    """The lists of candidates by their number of places for each code (a, radii); see `ClassBalls`."""
    start = np.append(0, np.cumsum(count.sum(axis=1)))[:-1]
    return start, np.cumsum(count).reshape(count.shape), places


@dataclass(frozen=True)
class Balls:
    """The balls of all candidates of a task.

    Attributes
    ----------
    task : Task
    coding : Coding
        The radii.
    w : array (n,)
        Weights of the rows, whole numbers.
    cell : int array (n,)
        The first cell of each row's fold and class, which has a cell for each code. The last fold
        has the rows that are never left out.
    cells : int
    codes : uint8 array (m, n), or None
        Codes of all pairs, if they fit into memory.
    near : Pairs, or None
        The pairs within the largest radius, if there are no codes and these are known to be few.
    counts : array (m, cells), or None
        Weight of the rows of each candidate by cell and code, if there are no codes. With near
        pairs alone, the last code of each cell lacks the others.
    """

    task: Task
    coding: Coding
    w: Array
    cell: Array
    cells: int
    codes: Array | None
    near: Pairs | None
    counts: Array | None

    def weights(self, columns: Array | slice) -> Array:
        """Weight of the rows of some candidates by fold, class and code, (q, folds + 1, classes, radii + 1)."""
        if self.counts is not None:
            out = self.counts[columns]
        else:
            assert self.codes is not None
            codes = self.codes[columns]
            out = np.zeros((len(codes), self.cells), self.w.dtype)
            tally(codes, self.cell, self.w, np.arange(len(codes)), out)
        K, L = len(self.coding.radii) + 1, self.task.classes
        return out.reshape(len(out), self.cells // (K * L), L, K)

    def of_classes(self, pays: Array) -> tuple[ClassBalls, ...]:
        """The balls of the candidates of each class that pay, bool (classes, m): lists if they take less memory."""
        sides = [
            (np.flatnonzero(paid), np.flatnonzero((self.task.y == c) & (self.w > 0)))
            for c, paid in enumerate(pays)
        ]
        size = sum(len(candidates) * len(rows) for candidates, rows in sides)
        radii = len(self.coding.radii)
        listed = np.inf
        if self.counts is not None:
            # a row has a weight of at least 1, so lists have at most as many pairs as their weight
            of_class = (
                self.weights(candidates)[:, :, c, :-1] for c, (candidates, _) in enumerate(sides)
            )
            listed = PER_PAIR * sum(weight.sum(dtype=float) for weight in of_class)
        if self.near is None and size <= min(room(size), listed):
            return tuple(ClassBalls(*side, radii, self._coded(*side), NO_LISTS) for side in sides)
        return tuple(ClassBalls(*side, radii, NO_CODES, self._listed(*side)) for side in sides)

    def _coded(self, candidates: Array, rows: Array) -> Array:
        """Codes of some candidates and rows, uint8 (a, b)."""
        if self.codes is not None:
            return self.codes[np.ix_(candidates, rows)]
        return all_codes(Submatrix(self.task.D, rows, candidates), self.coding)

    def _listed(self, candidates: Array, rows: Array) -> tuple[Array, Array, Array]:
        """The lists of the rows in the balls of some candidates, see `ClassBalls`."""
        radii, (n, m) = len(self.coding.radii), self.task.shape
        near = self._within(candidates, rows) if self.near is None else self.near
        line, place = np.full(m, -1), np.full(n, -1, np.int32)
        line[candidates], place[rows] = np.arange(len(candidates)), np.arange(len(rows))
        inside = (line[near.columns] >= 0) & (place[near.rows] >= 0)
        lines = line[near.columns[inside]]
        count, order = by_code(lines, near.codes[inside], len(candidates), radii)
        return lists_of(count, place[near.rows[inside]][order])

    def _within(self, candidates: Array, rows: Array) -> Pairs:
        """The pairs of some candidates and rows in some ball.

        Raises
        ------
        TooLargeError
            If memory does not allow them.
        """

        part = Submatrix(self.task.D, rows, candidates)

        def of_tile(tile: Tile) -> tuple[Array, Array, Array]:
            codes = part.codes(tile.rows, tile.columns, self.coding)
            i, j = np.nonzero(codes < len(self.coding.radii))
            columns, members = candidates[tile.columns[i]], rows[tile.rows[j]]
            return columns.astype(np.int32), members.astype(np.int32), codes[i, j]

        found, total = [(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.uint8))], 0
        for pairs in part.each_tile(of_tile):
            found.append(pairs)
            total += len(pairs[0])
            if total > room(total * PER_PAIR) / PER_PAIR:
                raise too_many(self.task, self.coding.radii[-1])
        return Pairs(*map(np.concatenate, zip(*found, strict=True)))


def read(task: Task, radii: Array, w: Array, fold: Array, folds: int) -> Balls:
    """The balls of some radii (K,), ascending; each row is left out in a fold, -1 for none.

    Each dissimilarity is read once. Up to `KEPT` codes are kept; of more pairs, only weights by cell.
    """
    coding, (n, m) = Coding(radii), task.shape
    # 32 bits halve the bytes that are read and written; a gain is less than twice the sum of weights
    w = w.astype(np.int32 if w.sum() < 2**30 else np.int64)
    cells = (folds + 1) * task.classes * (len(radii) + 1)
    cell = (np.where(fold < 0, folds, fold) * task.classes + task.y) * (len(radii) + 1)

    if n * m <= min(KEPT, room(n * m)):
        codes = all_codes(task.D, coding, task.tick)
        return Balls(task, coding, w, cell, cells, codes, None, None)
    near = near_pairs(task, coding)
    if near is not None:
        index = near.columns.astype(np.int64) * cells + cell[near.rows] + near.codes
        of_near = np.bincount(index, w[near.rows], m * cells).reshape(m, cells)
        return Balls(task, coding, w, cell, cells, None, near, of_near)
    counts, lock = np.zeros((m, cells), w.dtype), Lock()

    def count(tile: Tile) -> None:
        task.tick()
        part = task.D.codes(tile.rows, tile.columns, coding)
        with lock:
            _tally(part, cell[tile.rows], w[tile.rows], tile.columns, counts)
            if tile.mirror:
                across = np.ascontiguousarray(part.T)
                _tally(across, cell[tile.columns], w[tile.columns], tile.rows, counts)

    for _ in task.D.each_tile(count):
        pass
    return Balls(task, coding, w, cell, cells, None, None, counts)


def all_codes(source: Source, coding: Coding, tick: Callable[[], None] = lambda: None) -> Array:
    """Codes of all pairs, uint8 (m, n)."""

    def codes(tile: Tile) -> Array:
        tick()
        return source.codes(tile.rows, tile.columns, coding)

    return filled(large(source.shape[::-1], np.uint8), source.tiles(), codes)


def near_pairs(task: Task, coding: Coding) -> Pairs | None:
    """The pairs within the largest radius, if a tree finds that they are few."""
    space, (n, m) = task.D.space, task.shape
    if space is None:
        return None
    reach = space.geometry.reach(coding.reach(space.rows.dtype))[-1]
    # lists of candidates need less sorting later
    of_candidates = replace(space, rows=space.candidates, candidates=space.rows)
    near = of_candidates.near(reach, min(n * m / COSTLY, room() / PER_PAIR))
    if near is None:
        return None
    codes = coding.along(near.distance[None])[0]
    inside = codes < len(coding.radii)
    return Pairs(near.rows().astype(np.int32)[inside], near.at[inside], codes[inside])


def too_many(task: Task, radius: float) -> TooLargeError:
    n, m = task.shape
    return TooLargeError(
        f"balls of radius {radius:.4g} around {m} candidates contain too many of the {n} rows to be "
        "listed: use solver='greedy' without certify=, which hardly needs lists, smaller radii, "
        "candidates=500 (a random subset of "
        "the rows as centres), or fewer rows (data.sample(...))"
    )


def tally(codes: Array, cell: Array, weight: Array, columns: Array, out: Array) -> None:
    """Add the weight of the rows of each candidate by cell and code.

    Parameters
    ----------
    codes : uint8 array (q, r)
    cell : int array (r,)
        The first cell of each row.
    weight : array (r,)
    columns : int array (q,)
        The lines of `out` that the candidates have.
    out : contiguous array (m, cells)
    """
    if few(codes.size):
        index = np.arange(len(codes))[:, None] * out.shape[1] + cell + codes
        weights = np.broadcast_to(weight, codes.shape).ravel()
        sums = np.bincount(index.ravel(), weights, len(codes) * out.shape[1])
        out[columns] += sums.reshape(len(codes), -1).astype(out.dtype)
    else:
        _tally(codes, cell, weight, columns, out)


@kernel
def _tally(codes, cell, weight, columns, out):  # type: ignore[no-untyped-def]
    """Add the weight of the rows of each candidate by cell and code to its line of `out`."""
    line = np.empty(out.shape[1], weight.dtype)  # stays in the cache
    for j in range(codes.shape[0]):
        line[:] = 0
        for i in range(codes.shape[1]):
            line[cell[i] + codes[j, i]] += weight[i]
        out[columns[j]] += line
