"""The set cover problems of the PVM, read off the dissimilarities once for all folds, radii and classes.

The integer program (3) of the paper falls apart by class (appendix A): for class l choose candidates so that

    sum_j C_l(j) alpha_j + sum of the weights of class-l rows that no chosen ball holds,    C_l(j) = lambda + miscovered

is least. A candidate pays for itself in at most one class, that of the majority of its ball, as a gain needs own weight
above other weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .balls import bins_for, coder, listing, tally, worth
from .jit import each
from .nearest import NONE, Nearest, covering, nearest
from .task import Points, Task

Array = NDArray[Any]
MEMORY = 2**27  # bytes for the worth of all candidates before folds are taken in turns


@dataclass(frozen=True)
class Objective:
    """The objective of the integer program (3), in weight of rows.

    Attributes
    ----------
    uncovered : float
        Sum of xi: weight of the rows that no ball of their own class holds.
    miscovered : float
        Sum of eta: weight of the rows in a ball of another class, once for each such ball.
    prototypes : int
    lambda_ : float
    """

    uncovered: float
    miscovered: float
    prototypes: int
    lambda_: float

    @property
    def value(self) -> float:
        return self.uncovered + self.miscovered + self.lambda_ * self.prototypes


def objective(inside: Array, classes: Array, y: Array, w: Array, lambda_: float) -> Objective:
    """The objective from its definition.

    Parameters
    ----------
    inside : bool array (n, q)
        Whether row i lies in the ball of prototype j.
    classes : int array (q,)
        Class that each prototype serves.
    y : int array (n,)
    w : array (n,)
    lambda_ : float
    """
    own = y[:, None] == classes[None, :]
    uncovered = float(w[~(inside & own).any(axis=1)].sum())
    miscovered = float((w[:, None] * (inside & ~own)).sum())
    return Objective(uncovered, miscovered, len(classes), lambda_)


@dataclass(frozen=True)
class Sets:
    """One class: the candidates that may serve it and its rows, each listed by the other.

    Attributes
    ----------
    candidates : int array (a,), ascending
    rows : int array (b,), ascending
    of_candidate, of_row : (start, upto, places) of `balls.listing`; places count within `rows` and `candidates`
    """

    candidates: Array
    rows: Array
    of_candidate: tuple[Array, Array, Array]
    of_row: tuple[Array, Array, Array]


@dataclass(frozen=True)
class Covers:
    """The problems of some folds over a grid of radii.

    Attributes
    ----------
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    gain, wrong, best : arrays (folds, K, m), see `balls.worth`
    classes : tuple of Sets
    """

    task: Task
    fold: Array
    folds: int
    radii: Array
    gain: Array
    wrong: Array
    best: Array
    classes: tuple[Sets, ...]


def covers(task: Task, fold: Array, folds: int, radii: Array, least: float) -> Covers:
    """Read the dissimilarities once and set the problems up.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    folds : int
    radii : array (K,), ascending
    least : float
        Candidates that nowhere gain more than this (the smallest lambda) are dropped.
    """
    K, L = len(radii), task.classes
    own = [np.flatnonzero(task.y == c) for c in range(L)]
    cell = (np.where(fold < 0, folds, fold) * L + task.y) * (K + 1)
    owner = np.where(task.origin < 0, -1, fold[task.origin])

    coders = {t: coder(radii, t, bins_for(len(task.y) * len(task.origin))) for t in (np.float32, np.float64)}

    def local(rows: Array, columns: Array, tile: Array) -> tuple[Array, Array]:
        codes = coders[tile.dtype.type](tile)
        task.tick()
        return codes, tally(codes, cell[rows], task.w[rows], (folds + 1) * L * (K + 1))

    def finish(rows: Array, columns: Array, codes: Array, weights: Array) -> tuple[Any, ...]:
        gain, wrong, best = worth(weights, owner[columns], folds, L, K)
        pays = gain > least
        serve = [np.flatnonzero((pays & (best == c)).any(axis=(0, 1))) for c in range(L)]
        return (
            gain,
            wrong,
            best,
            [columns[s] for s in serve],
            [codes[s][:, task.y[rows] == c] for c, s in enumerate(serve)],
        )

    tiles = task.D.scan(local, finish)
    gain, wrong, best = (np.concatenate([t[i] for t in tiles], axis=2) for i in range(3))

    def sets(c: int) -> Sets:
        codes = np.ascontiguousarray(np.concatenate([t[4][c] for t in tiles]))
        candidates = np.concatenate([t[3][c] for t in tiles])
        return Sets(candidates, own[c], listing(codes, K), listing(np.ascontiguousarray(codes.T), K))

    return Covers(task, fold, folds, radii, gain, wrong, best, tuple(each(sets, range(L), gain.shape[2] * len(task.y))))


def turns(task: Task, folds: int, radii: int) -> Iterator[Array]:
    """The folds, as many at a time as memory allows: what `Covers` holds grows with folds x radii x candidates."""
    n, m = task.D.shape
    size = max(1, max(MEMORY, 8 * n * m) // max(1, 8 * task.classes * radii * m))
    for first in range(0, folds, size):
        yield np.arange(first, min(first + size, folds))


@dataclass(frozen=True)
class Chosen:
    """Prototypes at one radius, in the order chosen.

    Attributes
    ----------
    at : int array (q,)
        Candidates.
    classes : int array (q,)
        Classes that they serve.
    covers : array (q,)
        Own weight first covered by each (delta xi).
    wrong : array (q,)
        Other weight in each one's ball (delta eta).
    """

    at: Array
    classes: Array
    covers: Array
    wrong: Array


@dataclass(frozen=True)
class CoverPath:
    """Path of the PVM over radii x lambdas: what a lambda chooses is the first part of what a smaller one chooses.

    Attributes
    ----------
    runs : tuple of Chosen, one for each radius, chosen at the smallest lambda
    radii : array (K,)
    lambdas : array (J,)
    weight : array (classes,)
        Training weight of each class.
    """

    runs: tuple[Chosen, ...]
    radii: Array
    lambdas: Array
    weight: Array
    reads: ClassVar[str] = "D"
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @property
    def points(self) -> Points:
        return Points(np.full(len(self._union), NONE), at=self._union)  # one may serve different classes along the path

    @cached_property
    def _union(self) -> Array:
        return np.unique(np.concatenate([run.at for run in self.runs]))

    @property
    def size(self) -> Array:
        return np.array([float((run.covers - run.wrong > lam).sum()) for run in self.runs for lam in self.lambdas])

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        at = self._union
        member = np.full((len(self.radii) * len(self.lambdas), len(at)), NONE, np.int16)
        for k, run in enumerate(self.runs):
            places = np.searchsorted(at, run.at)
            for j, lam in enumerate(self.lambdas):
                on = run.covers - run.wrong > lam
                member[k * len(self.lambdas) + j, places[on]] = run.classes[on]
        if kind == "cover":
            held = covering(D, member, np.repeat(self.radii, len(self.lambdas)))
            return np.asarray(np.maximum(held, NONE))
        first = nearest(D, member, np.arange(len(at)))
        got = np.take_along_axis(member.T, np.maximum(first, 0), axis=0) if len(at) else first
        return np.where(first < 0, int(self.weight.argmax()), got)

    def at(self, g: int) -> Nearest:
        k, j = divmod(g, len(self.lambdas))
        run, lam, eps = self.runs[k], float(self.lambdas[j]), float(self.radii[k])
        on = run.covers - run.wrong > lam
        covers, wrong = run.covers[on], run.wrong[on]
        goal = Objective(float(self.weight.sum() - covers.sum()), float(wrong.sum()), int(on.sum()), lam)
        return Nearest(
            Points(
                run.classes[on],
                at=run.at[on],
                radii=np.full(on.sum(), eps),
                table={"covers": covers, "miscovers": wrong},
            ),
            len(self.weight),
            int(self.weight.argmax()),
            {"radius eps": eps, "cost lambda": lam, "objective": goal},
        )

    def moved(self, columns: Array) -> CoverPath:
        runs = tuple(Chosen(columns[run.at], run.classes, run.covers, run.wrong) for run in self.runs)
        return CoverPath(runs, self.radii, self.lambdas, self.weight)
