"""The set cover problems of the PVM, read off the dissimilarities once for all folds, radii and classes.

The integer program (3) of the paper falls apart by class (appendix A): for class l choose candidates so that

    sum_j C_l(j) alpha_j + sum of the weights of class-l rows that no chosen ball holds,    C_l(j) = lambda + miscovered

is least. A candidate pays for itself in at most one class, that of the majority of its ball, as a gain needs own weight
above other weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ..neighbours.nearest import NONE, Nearest, covering, nearest
from ..parallel import each
from ..task import Points, Task
from ..units import in_units, units
from .balls import Lists, bins_for, coder, joined, listing, tally, turned, worth

Array = NDArray[Any]
LISTED = 2**29  # pairs of a row and a candidate of its class whose ball holds it
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
    of_candidate: Lists
    of_row: Lists


@dataclass(frozen=True)
class Covers:
    """The problems of some folds over a grid of radii; weights, gains and costs are in whole numbers of `unit`.

    Attributes
    ----------
    task : Task
    w : array (n,)
        Weights of the rows, in units.
    unit : float
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    gain, wrong, best : arrays (folds, K, m), see `balls.worth`
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

    Raises
    ------
    TooLarge
        Where the balls hold more than 2^29 pairs of a row and a candidate of its class.
    """
    K, L = len(radii), task.classes
    w, unit = units(task.w)
    own = [np.flatnonzero(task.y == c) for c in range(L)]
    cell = (np.where(fold < 0, folds, fold) * L + task.y) * (K + 1)
    owner = np.where(task.origin < 0, -1, fold[task.origin])
    coders = {t: coder(radii, t, bins_for(len(task.y) * len(task.origin))) for t in (np.float32, np.float64)}
    pays_above = in_units(least, unit)
    serves = np.full(len(task.origin), -1) if task.serves is None else task.serves
    listed = [0]

    def local(rows: Array, columns: Array, tile: Array) -> tuple[Array, Array]:
        codes = coders[tile.dtype.type](tile)
        task.tick()
        return codes, tally(codes, cell[rows], w[rows], (folds + 1) * L * (K + 1))

    def finish(rows: Array, columns: Array, codes: Array, weights: Array) -> tuple[Any, ...]:
        gain, wrong, best = worth(weights, owner[columns], serves[columns], folds, L, K)
        pays = gain > pays_above
        serve = [np.flatnonzero((pays & (best == c)).any(axis=(0, 1))) for c in range(L)]
        lists = [listing(codes[np.ix_(s, task.y[rows] == c)], K) for c, s in enumerate(serve)]
        listed[0] += sum(len(places) for _, _, places in lists)
        if listed[0] > LISTED:
            raise TooLarge(
                f"balls of radius {radii[-1]:.4g} around {len(task.origin)} candidates hold too many of the {len(task.y)} rows "
                "to be listed: use smaller radii, candidates=500 (a random subset of the rows as centres), or fewer rows "
                "(data.sample(...))"
            )
        return gain, wrong, best, [columns[s] for s in serve], lists

    tiles = task.D.scan(local, finish)
    gain, wrong, best = (np.concatenate([t[i] for t in tiles], axis=2) for i in range(3))

    def sets(c: int) -> Sets:
        of_candidate = joined([t[4][c] for t in tiles])
        candidates = np.concatenate([t[3][c] for t in tiles])
        return Sets(candidates, own[c], of_candidate, turned(of_candidate, len(own[c])))

    classes = tuple(each(sets, range(L), gain.shape[2] * len(task.y)))
    return Covers(task, w, unit, fold, gain, wrong, best, classes)


def turns(task: Task, folds: int, radii: int) -> Iterator[Array]:
    """The folds, as many at a time as memory allows: what `Covers` holds grows with folds x radii x candidates."""
    n, m = task.D.shape
    size = max(1, max(MEMORY, 8 * n * m) // max(1, 8 * task.classes * radii * m))
    for first in range(0, folds, size):
        yield np.arange(first, min(first + size, folds))


@dataclass(frozen=True)
class Chosen:
    """Prototypes at one radius and cost, in the order chosen; weights are in units.

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
    certificate : Certificate, or None
        In units.
    """

    at: Array
    classes: Array
    covers: Array
    wrong: Array
    certificate: Certificate | None = None

    def prefix(self, cost: float) -> Chosen:
        """What greedy chooses at a larger cost (lambda in units): the first ones, as gains never increase."""
        on = self.covers - self.wrong > cost
        return Chosen(self.at[on], self.classes[on], self.covers[on], self.wrong[on])


@dataclass(frozen=True)
class Certificate:
    """How far from optimal a cover can be.

    Attributes
    ----------
    objective, bound : arrays (classes,)
        The cover's objective and what no cover can be below, class by class (the problem separates).
    proof : tuple of str
        Where each bound comes from: "dual" (dual ascent), "LP" (the linear relaxation) or "MIP" (the integer program).
    notes : tuple of str
        What the solver has to say of each class, "" for nothing.
    """

    objective: Array
    bound: Array
    proof: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """(objective - bound) / bound over all classes; 0 is optimal."""
        above = float(self.objective.sum() - self.bound.sum())
        if above <= 1e-9 * max(1.0, float(self.objective.sum())):
            return 0.0
        return above / float(self.bound.sum()) if self.bound.sum() > 0 else float("inf")

    def scaled(self, unit: float) -> Certificate:
        return replace(self, objective=self.objective * unit, bound=self.bound * unit)

    def __repr__(self) -> str:
        how = " and ".join(p for p in ("dual", "LP", "MIP") if p in self.proof)
        names = {"dual": "dual ascent", "LP": "linear relaxation", "MIP": "integer program"}
        told = ", ".join(names[p] for p in how.split(" and "))
        if self.gap == 0:
            return f"optimal (proved by {told})"
        return f"at most {100 * self.gap:.2g} % above the optimum (bound {self.bound.sum():.6g} by {told})"


@dataclass(frozen=True)
class Greedy(Nearest):
    """Rule of a greedy cover: what its first prototypes are to it, a larger lambda would have chosen."""

    @property
    def goal(self) -> Objective:
        goal = self.report["objective"]
        assert isinstance(goal, Objective)
        return goal

    @property
    def steps(self) -> Mapping[str, Array]:
        covers, wrong, goal = self.points.table["covers"], self.points.table["miscovers"], self.goal
        gain, size = covers - wrong, np.arange(len(covers) + 1)
        uncovered = goal.uncovered + covers.sum() - np.concatenate([[0.0], np.cumsum(covers)])
        miscovered = np.concatenate([[0.0], np.cumsum(wrong)])
        return {
            "lambda_low": np.concatenate([gain, [goal.lambda_]]),
            "lambda_high": np.concatenate([[np.inf], gain]),
            "size": size,
            "uncovered": uncovered,
            "miscovered": miscovered,
            "objective": uncovered + miscovered + goal.lambda_ * size,
        }

    def walk(self, D: Array, X: Array | None = None) -> Iterator[Array]:
        classes, at = self.points.classes, self.points.at
        assert at is not None
        best, found, where = np.full(len(D), np.inf), np.full(len(D), self.fallback), np.full(len(D), NONE)
        yield found.copy()
        for s in range(len(classes)):
            d = D[:, s]
            nearer = (d < best) | ((d == best) & ((classes[s] < found) | ((classes[s] == found) & (at[s] < where))))
            best[nearer], found[nearer], where[nearer] = d[nearer], classes[s], at[s]
            yield found.copy()

    def first(self, size: int, lambda_: float | None = None) -> Greedy:
        points, goal = self.points, self.goal
        assert points.at is not None
        assert points.radii is not None
        table = {name: values[:size] for name, values in points.table.items()}
        kept = replace(
            points, classes=points.classes[:size], at=points.at[:size], radii=points.radii[:size], table=table
        )
        uncovered = goal.uncovered + float(points.table["covers"][size:].sum())
        cost = goal.lambda_ if lambda_ is None else lambda_
        smaller = Objective(uncovered, float(table["miscovers"].sum()), size, cost)
        report = {k: v for k, v in self.report.items() if k != "certificate"}
        return replace(self, points=kept, report={**report, "cost lambda": cost, "objective": smaller})


@dataclass(frozen=True)
class CoverPath:
    """Path of the PVM over a grid of radii and lambdas.

    Attributes
    ----------
    runs : tuple of Chosen, one for each grid point
    radii, lambdas : arrays (G,)
        Radius and cost at each grid point.
    weight : array (classes,)
        Training weight of each class, in units.
    unit : float
    nested : bool
        Whether the first prototypes of each run are what larger lambdas choose, as greedy's are.
    """

    runs: tuple[Chosen, ...]
    radii: Array
    lambdas: Array
    weight: Array
    unit: float
    nested: bool = False
    reads: ClassVar[str] = "D"
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @property
    def points(self) -> Points:
        return Points(np.full(len(self._union), NONE), at=self._union)  # one may serve different classes along the path

    @cached_property
    def _union(self) -> Array:
        return np.unique(np.concatenate([run.at for run in self.runs]))

    @property
    def size(self) -> Array:
        return np.array([float(len(run.at)) for run in self.runs])

    @cached_property
    def _member(self) -> Array:
        """Class that each point of the union stands for at each grid point, (G, q); -1 where it is not chosen."""
        member = np.full((len(self.runs), len(self._union)), NONE, np.int16)
        for g, run in enumerate(self.runs):
            member[g, np.searchsorted(self._union, run.at)] = run.classes
        return member

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        if kind == "cover":
            return np.asarray(np.maximum(covering(D, self._member, self.radii), NONE))
        first = nearest(D, self._member, np.arange(len(self._union)))
        got = np.take_along_axis(self._member.T, np.maximum(first, 0), axis=0) if len(self._union) else first
        return np.where(first < 0, int(self.weight.argmax()), got)

    def at(self, g: int) -> Nearest:
        run, lam, eps, unit = self.runs[g], float(self.lambdas[g]), float(self.radii[g]), self.unit
        uncovered = float(self.weight.sum() - run.covers.sum()) * unit
        goal = Objective(uncovered, float(run.wrong.sum()) * unit, len(run.at), lam)
        told: dict[str, Any] = {"radius eps": eps, "cost lambda": lam, "objective": goal}
        if run.certificate is not None:
            told["certificate"] = run.certificate.scaled(unit)
        table = {"covers": run.covers * unit, "miscovers": run.wrong * unit}
        points = Points(run.classes, at=run.at, radii=np.full(len(run.at), eps), table=table)
        kind = Greedy if self.nested else Nearest
        return kind(points, len(self.weight), int(self.weight.argmax()), told)

    def moved(self, columns: Array) -> CoverPath:
        return replace(self, runs=tuple(replace(run, at=columns[run.at]) for run in self.runs))
