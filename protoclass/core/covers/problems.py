"""The set cover problems of the PVM, built from one pass over the dissimilarities for all folds, radii and classes.

The integer program (3) of the paper separates by class (appendix A): for class l choose candidates so that

    sum_j C_l(j) alpha_j + sum of the weights of class-l rows that no chosen ball contains,    C_l(j) = lambda + miscovered

is least. A candidate can have a gain in at most one class, that of the majority of its ball, because a gain needs more
weight of the class than of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..coding import Coding, bins_for
from ..parallel import each
from ..task import Task
from ..units import in_units, units
from .balls import Lists, find_gains
from .reading import CHUNK, Reading, Sets
from .sharded_reading import sharded_reading

Array = NDArray[Any]
LISTED = 2**29  # pairs of a row and a candidate of its class whose ball contains it
MEMORY = 2**27  # bytes for the gains of all candidates; beyond that, folds are taken in groups


@dataclass(frozen=True)
class Columns:
    """The columns of one class's program: balls around candidates.

    Attributes
    ----------
    read : Sets
        The candidates whose dissimilarities to the rows say what the balls hold.
    line : int array (q,), ascending
        The place of each column's candidate among these.
    level : int array (q,)
        The place of its radius among those that are read.
    """

    read: Sets
    line: Array
    level: Array


@dataclass(frozen=True)
class CoverProblems:
    """The problems of some folds over a grid of radii; weights, gains and costs are in whole numbers of `unit`.

    Attributes
    ----------
    task : Task
    w : array (n,)
        Weights of the rows, in units.
    unit : float
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    gain, wrong, best : arrays (folds, K, m), see `balls.find_gains`
    classes : tuple of Sets
    read : Reading
        Reads the balls of the classes, as bits, lists, or not at all.
    most : float, or None
        How many pairs of a row and a candidate of its class may be listed; 2^29 if None.
    """

    task: Task
    w: Array
    unit: float
    fold: Array
    gain: Array
    wrong: Array
    best: Array
    classes: tuple[Sets, ...]
    read: Reading
    most: float | None = field(default=None, kw_only=True)

    @cached_property
    def listed(self) -> tuple[Lists, ...] | None:
        """The balls of each class as lists of rows, see `Reading.lists`; None if they have too many pairs."""
        return self.lists_of(self.classes, LISTED if self.most is None else self.most)

    def lists_of(self, sets: tuple[Sets, ...], most: float) -> tuple[Lists, ...] | None:
        """The balls of some of the candidates of each class; None if they have more than `most` pairs."""
        return self.read.lists(sets, most)

    def columns(self, sets: Sets, k: int) -> Columns:
        """The columns of some of the candidates of a class at radius `k`."""
        return Columns(sets, np.arange(len(sets.candidates)), np.full(len(sets.candidates), k))

    @property
    def entries(self) -> float:
        """About how many rows the largest balls of all candidates hold, of their class."""
        return self.read.pairs(self.classes)

    def of_task(self, task: Task, fold: Array, k: int, lambda_: float) -> CoverProblems:
        """The problems of other candidates, with one fold, at radius `k`."""
        return covers(task, fold, 1, self.read.coding.radii[k : k + 1], lambda_)

    def balls_of(self, at: Array) -> tuple[Array, Array]:
        """The columns of D and the places of the radii of some candidates."""
        return at, np.zeros(len(at), np.int64)

    def find(self, columns: Array, levels: Array) -> Array:
        """The candidates that these balls are; without those that can't pay."""
        return columns

    @property
    def lists(self) -> tuple[Lists, ...]:
        """`listed`, which must not be None.

        Raises
        ------
        TooLarge
            If there are too many pairs of a row and a candidate of its class.
        """
        if self.listed is None:
            n, m = self.task.shape
            raise TooLarge(
                f"balls of radius {self.read.coding.radii[-1]:.4g} around {m} candidates contain too many of the {n} rows to be "
                "listed: use solver='greedy', 'exact' or 'rounding', which need no lists, smaller radii, candidates=500 (a random "
                "subset of the rows as centres), or fewer rows (data.sample(...))"
            )
        return self.listed


def covers(task: Task, fold: Array, folds: int, radii: Array, least: float) -> CoverProblems:
    """Read the dissimilarities once and build the problems.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    folds : int
    radii : array (K,), ascending
    least : float
        Candidates whose gain never exceeds this (the smallest lambda) are dropped.
    """
    K, L, m = len(radii), task.classes, len(task.candidate_row)
    w, unit = units(task.w)
    coding = Coding(radii, bins_for(len(task.y) * m))
    read = reading_of(task, coding, fold, folds, w)
    read.weights(slice(0, 0))  # before the threads below ask for it
    owner = np.where(task.candidate_row < 0, -1, fold[task.candidate_row])
    threshold = in_units(least, unit)
    allowed = np.full(m, -1) if task.allowed_class is None else task.allowed_class
    gain, wrong, best = np.empty((folds, K, m)), np.empty((folds, K, m)), np.empty((folds, K, m), np.int16)
    pays = np.empty((L, m), bool)

    def gains(first: int) -> None:
        part = slice(first, first + CHUNK)
        gained, lost, winner = find_gains(read.weights(part), owner[part], allowed[part], folds, L, K)
        gain[:, :, part], wrong[:, :, part], best[:, :, part] = gained, lost, winner
        for c in range(L):
            pays[c, part] = ((gained > threshold) & (winner == c)).any(axis=(0, 1))

    for _ in each(gains, range(0, m, CHUNK), len(task.y) * m):
        pass
    return CoverProblems(task, w, unit, fold, gain, wrong, best, read.sets(pays), read)


def reading_of(task: Task, coding: Coding, fold: Array, folds: int, w: Array) -> Reading:
    """How the problems read the dissimilarities, where the rows are."""
    K, L = len(coding.radii), task.classes
    cells = (folds + 1) * L * (K + 1)
    if task.D.parts is None:
        cell = (np.where(fold < 0, folds, fold) * L + task.y) * (K + 1)
        return Reading(task, coding, task.D.tiles(coding), cell, cells, w)
    return sharded_reading(task, coding, fold, folds, w, cells)


def fold_groups(task: Task, folds: int, radii: int) -> Iterator[Array]:
    """The folds in groups that memory allows: the size of `CoverProblems` grows with folds x radii x candidates."""
    n, m = task.shape
    most = MEMORY if task.D.parts is not None else max(MEMORY, 8 * n * m)
    size = max(1, most // max(1, 8 * task.classes * radii * m))
    for first in range(0, folds, size):
        yield np.arange(first, min(first + size, folds))
