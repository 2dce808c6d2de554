"""The set cover problems of the PVM, built from one pass over the dissimilarities for all folds, radii and classes.

The integer program (3) of the paper separates by class (appendix A): for class l choose candidates so that

    sum_j C_l(j) alpha_j + sum of the weights of class-l rows that no chosen ball contains,    C_l(j) = lambda + miscovered

is least. A candidate can have a gain in at most one class, that of the majority of its ball, because a gain needs more
weight of the class than of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..parallel import each
from ..task import Task
from ..units import in_units, units
from .balls import Lists, bins_for, coder, csr_lists, find_gains, join_lists, tally, transpose

Array = NDArray[Any]
LISTED = 2**29  # pairs of a row and a candidate of its class whose ball contains it
MEMORY = 2**27  # bytes for the gains of all candidates; beyond that, folds are taken in groups


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
    """

    task: Task
    w: Array
    unit: float
    fold: Array
    gain: Array
    wrong: Array
    best: Array
    classes: tuple[Sets, ...]


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

    Raises
    ------
    TooLarge
        If the balls contain more than 2^29 pairs of a row and a candidate of its class.
    """
    K, L = len(radii), task.classes
    w, unit = units(task.w)
    own = [np.flatnonzero(task.y == c) for c in range(L)]
    cell = (np.where(fold < 0, folds, fold) * L + task.y) * (K + 1)
    owner = np.where(task.candidate_row < 0, -1, fold[task.candidate_row])
    coders = {t: coder(radii, t, bins_for(len(task.y) * len(task.candidate_row))) for t in (np.float32, np.float64)}
    threshold = in_units(least, unit)
    allowed = np.full(len(task.candidate_row), -1) if task.allowed_class is None else task.allowed_class
    listed = [0]

    def local(rows: Array, columns: Array, tile: Array) -> tuple[Array, Array]:
        codes = coders[tile.dtype.type](tile)
        task.tick()
        return codes, tally(codes, cell[rows], w[rows], (folds + 1) * L * (K + 1))

    def finish(rows: Array, columns: Array, codes: Array, weights: Array) -> tuple[Any, ...]:
        gain, wrong, best = find_gains(weights, owner[columns], allowed[columns], folds, L, K)
        pays = gain > threshold
        paying = [np.flatnonzero((pays & (best == c)).any(axis=(0, 1))) for c in range(L)]
        lists = [csr_lists(codes[np.ix_(s, task.y[rows] == c)], K) for c, s in enumerate(paying)]
        listed[0] += sum(len(places) for _, _, places in lists)
        if listed[0] > LISTED:
            raise TooLarge(
                f"balls of radius {radii[-1]:.4g} around {len(task.candidate_row)} candidates contain too many of the {len(task.y)} rows "
                "to be listed: use smaller radii, candidates=500 (a random subset of the rows as centres), or fewer rows "
                "(data.sample(...))"
            )
        return gain, wrong, best, [columns[s] for s in paying], lists

    tiles = task.D.scan(local, finish)
    gain, wrong, best = (np.concatenate([t[i] for t in tiles], axis=2) for i in range(3))

    def sets(c: int) -> Sets:
        of_candidate = join_lists([t[4][c] for t in tiles])
        candidates = np.concatenate([t[3][c] for t in tiles])
        return Sets(candidates, own[c], of_candidate, transpose(of_candidate, len(own[c])))

    classes = tuple(each(sets, range(L), gain.shape[2] * len(task.y)))
    return CoverProblems(task, w, unit, fold, gain, wrong, best, classes)


def fold_groups(task: Task, folds: int, radii: int) -> Iterator[Array]:
    """The folds in groups that memory allows: the size of `CoverProblems` grows with folds x radii x candidates."""
    n, m = task.D.shape
    size = max(1, max(MEMORY, 8 * n * m) // max(1, 8 * task.classes * radii * m))
    for first in range(0, folds, size):
        yield np.arange(first, min(first + size, folds))
