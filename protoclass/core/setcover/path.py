"""Covers as rules: the path of the PVM over radii and costs, and greedy rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...ground.errors import OptionError, brief
from ...ground.savable import savable
from .. import Array
from ..neighbours.nearest import Nearest, by_smallest_set, nearest_to
from ..parallel import kernel
from ..task import Points
from .coverage import NONE, SEVERAL, covering_by
from .problems import Certificate, Objective

if TYPE_CHECKING:
    from ..query import Query




@dataclass(frozen=True)
class Chosen:
    """Prototypes of one problem and cost, in the order chosen; weights are in units."""

    at: Array  # columns of the problem, and of D on a path, int (q,)
    classes: Array  # the classes that they represent, int (q,)
    covers: Array  # weight of its class that each prototype is the first to cover (delta xi), (q,)
    wrong: Array  # weight of other classes in each ball (delta eta), (q,)
    radii: Array | None = None  # of the balls (q,), on a path
    certificate: Certificate | None = None  # in units

    def prefix(self, cost: float, most: int | None = None) -> Chosen:
        """The greedy cover at a larger cost (lambda in units): the first prototypes, because gains never increase; up to a maximum."""
        kept = np.flatnonzero(self.covers - self.wrong > cost)[:most]
        return Chosen(self.at[kept], self.classes[kept], self.covers[kept], self.wrong[kept])


@savable
@dataclass(frozen=True, repr=False)
class Greedy(Nearest):
    """Rule of a greedy cover: its first prototypes are those that a larger lambda would have chosen."""

    @property
    def goal(self) -> Objective:
        goal = self.report["objective"]
        assert isinstance(goal, Objective)
        return goal

    @property
    def steps(self) -> Mapping[str, Array]:
        covers, wrong, goal = self.prototypes.table["newly_covered"], self.prototypes.table["miscovered"], self.goal
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

    def walk(self, query: Query) -> Iterator[Array]:
        D = self.distances(query)
        classes, at = self.prototypes.classes, self.prototypes.at
        assert at is not None
        best, predicted, column = np.full(len(D), np.inf), np.full(len(D), self.fallback), np.full(len(D), NONE)
        yield predicted.copy()
        for s in range(len(classes)):
            d = D[:, s]
            nearer = (d < best) | (
                (d == best) & ((classes[s] < predicted) | ((classes[s] == predicted) & (at[s] < column)))
            )
            best[nearer], predicted[nearer], column[nearer] = d[nearer], classes[s], at[s]
            yield predicted.copy()

    def at_cost(self, lambda_: float) -> Greedy:
        """The rule of a larger lambda: the first prototypes, because gains never increase."""
        least = self.goal.lambda_
        if isinstance(lambda_, bool) or not isinstance(lambda_, (int, float)) or not lambda_ >= least:
            raise OptionError(
                f"lambda_ must be at least {least:.4g}, the value of the fit, not {brief(lambda_)}: use fit.update(lambda_=0) for all "
                "rules"
            )
        return self._first(int((self.steps["lambda_low"][:-1] > lambda_).sum()), float(lambda_))

    def first(self, size: int) -> Greedy:
        """The first `size` prototypes."""
        return self._first(size, self.goal.lambda_)

    def _first(self, size: int, cost: float) -> Greedy:
        prototypes, goal = self.prototypes, self.goal
        assert prototypes.at is not None
        assert prototypes.radii is not None
        table = {name: values[:size] for name, values in prototypes.table.items()}
        kept = replace(
            prototypes,
            classes=prototypes.classes[:size],
            at=prototypes.at[:size],
            radii=prototypes.radii[:size],
            table=table,
        )
        uncovered = goal.uncovered + float(prototypes.table["newly_covered"][size:].sum())
        smaller = Objective(uncovered, float(table["miscovered"].sum()), size, cost)
        report = {k: v for k, v in self.report.items() if k != "certificate"}
        return replace(self, prototypes=kept, report={**report, "cost lambda": cost, "objective": smaller})


@dataclass(frozen=True)
class CoverPath:
    """Path of the PVM over a grid of radii and lambdas."""

    runs: tuple[Chosen, ...]  # for each radius and lambda, the last varying fastest
    eps: Array  # radii, beyond which no row is in a ball
    lambdas: Array
    weight: Array  # training weight of each class, in units (classes,)
    unit: float
    nested: bool  # whether the first prototypes of each run are the prototypes of larger lambdas, as in greedy covers
    stops: tuple[int | None, ...] = (None,)  # the most prototypes, of each run; None for all of them
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @cached_property
    def prototypes(self) -> Points:
        # a prototype may represent different classes along the path, so none is named
        at = np.unique(np.concatenate([run.at for run in self.runs])) if self._stopped else self._sets[0]
        return Points(np.full(len(at), NONE), at=at)

    @cached_property
    def _sets(self) -> tuple[Array, Array]:
        """The prototypes of all grid points (q,), and the class of each at each grid point, (G, q); -1 if it is not chosen."""
        union, member = union_of(self.runs)
        order = by_smallest_set(member)
        return union[order], np.ascontiguousarray(member[:, order])

    @property
    def _stopped(self) -> bool:
        return self.stops != (None,)

    @cached_property
    def _sizes(self) -> Array:
        """Prototypes of each run up to each stop, (runs, stops)."""
        lengths = np.array([len(run.at) for run in self.runs])
        return np.stack([lengths if stop is None else np.minimum(lengths, stop) for stop in self.stops], axis=1)

    @property
    def size(self) -> Array:
        return self._sizes.ravel().astype(float)

    @property
    def class_counts(self) -> Array:
        """Prototypes of each class at each grid point (G, classes); quicker than from the rules."""
        classes = np.arange(len(self.weight))
        counts = [np.cumsum(run.classes[:, None] == classes, axis=0) for run in self.runs]
        none = np.zeros((1, len(classes)), np.int64)
        of_runs = [np.concatenate([none, count])[sizes] for count, sizes in zip(counts, self._sizes, strict=True)]
        return np.concatenate(of_runs)

    def predict(self, kind: str, query: Query) -> Array:
        if self._stopped:
            D = query.dissimilarities(self.prototypes)
            return np.concatenate([self._predict_first(kind, query, D, *run) for run in zip(self.runs, self._sizes, strict=True)], axis=1)
        union, member = self._sets
        if kind == "cover":
            radii = np.repeat(self.eps, len(self.lambdas))
            return np.maximum(covering_by(query, self.prototypes, member, radii), NONE)
        return self._classes(nearest_to(query, self.prototypes, member, np.argsort(union)), member)

    def _predict_first(self, kind: str, query: Query, D: Array, run: Chosen, sizes: Array) -> Array:
        """What the first prototypes of a run predict, (r, sizes), from D (r, prototypes)."""
        assert run.radii is not None
        columns, classes = np.searchsorted(np.asarray(self.prototypes.at), run.at), np.asarray(run.classes, np.int64)
        if kind == "cover":
            return np.maximum(covering_first(D, columns, run.radii, classes, sizes), NONE)
        return nearest_first(D, columns, classes, sizes, int(self.weight.argmax()))

    def _classes(self, first: Array, member: Array) -> Array:
        """The classes of the nearest prototypes, whose positions are (r, G); the most common class if a set has none."""
        chosen = np.take_along_axis(member.T, np.maximum(first, 0), axis=0) if member.size else first
        return np.where(first < 0, int(self.weight.argmax()), chosen)

    def at(self, g: int) -> Nearest:
        """The rule of a cover, whose report begins with its radii."""
        g, s = divmod(g, len(self.stops))
        e, j = divmod(g, len(self.lambdas))
        run, eps, lambda_ = self.runs[g], float(self.eps[e]), float(self.lambdas[j])
        assert run.radii is not None
        table = {"newly_covered": run.covers * self.unit, "miscovered": run.wrong * self.unit}
        report: dict[str, Any] = {"radius eps": eps}
        uncovered = float(self.weight.sum() - run.covers.sum()) * self.unit
        goal = Objective(uncovered, float(run.wrong.sum()) * self.unit, len(run.at), lambda_)
        report |= {"cost lambda": lambda_, "objective": goal}
        if run.certificate is not None:
            report["certificate"] = run.certificate.scaled(self.unit)
        prototypes = Points(run.classes, at=run.at, radii=run.radii, table=table)
        rule = (Greedy if self.nested else Nearest)(prototypes, len(self.weight), int(self.weight.argmax()), report)
        return rule.first(int(self._sizes[g, s])) if isinstance(rule, Greedy) and self.stops[s] is not None else rule

    def moved(self, columns: Array) -> CoverPath:
        return replace(self, runs=tuple(replace(run, at=columns[run.at]) for run in self.runs))


def nearest_first(D: Array, columns: Array, classes: Array, sizes: Array, fallback: int) -> Array:
    """The class of the nearest of the first prototypes, of equally near ones the first class; for several numbers of them.

    Parameters
    ----------
    D : array (r, m)
    columns, classes : int arrays (q,)
        Columns and classes of the prototypes, from the first to the last.
    sizes : int array (S,)
        Sizes, from 0 to q.
    fallback : int
        Class if there are no prototypes.

    Returns
    -------
    int16 array (r, S)

    Examples
    --------
    >>> nearest_first(np.array([[2.0, 1.0, 1.0]]), np.arange(3), np.array([0, 2, 1]), np.array([3, 0, 1, 2]), 5).tolist()
    [[1, 5, 0, 2]]
    """
    out, order = np.empty((len(D), len(sizes)), np.int16), np.argsort(sizes, kind="stable")
    _nearest_first(D, columns, classes, sizes[order], order, fallback, out)
    return out


def covering_first(D: Array, columns: Array, radii: Array, classes: Array, sizes: Array) -> Array:
    """The class whose balls `d < radii` contain each row, -1 for none and -2 for several, of the first prototypes, (r, S).

    Arguments as for `nearest_first`; radii (q,).

    Examples
    --------
    >>> D, radii = np.array([[2.0, 1.0, 1.0]]), np.array([1.0, 3.0, 3.0])
    >>> covering_first(D, np.arange(3), radii, np.array([0, 2, 1]), np.array([3, 0, 1, 2])).tolist()
    [[-2, -1, -1, 2]]
    """
    out, order = np.empty((len(D), len(sizes)), np.int16), np.argsort(sizes, kind="stable")
    _cover_first(D, columns, radii, classes, sizes[order], order, out)
    return out


@kernel
def _nearest_first(D, columns, classes, sizes, order, fallback, out):  # type: ignore[no-untyped-def]
    # sizes ascend; `order` gives the column of the answers of each
    for i in range(len(D)):
        best, nearest, j = np.inf, fallback, 0
        for s in range(len(sizes)):
            while j < sizes[s]:
                d, c = D[i, columns[j]], classes[j]
                if d < best or (d == best and (j == 0 or c < nearest)):
                    best, nearest = d, c
                j += 1
            out[i, order[s]] = nearest


@kernel
def _cover_first(D, columns, radii, classes, sizes, order, out):  # type: ignore[no-untyped-def]
    for i in range(len(D)):
        covered, j = NONE, 0
        for s in range(len(sizes)):
            while j < sizes[s]:
                if D[i, columns[j]] < radii[j] and covered != classes[j]:
                    covered = classes[j] if covered == NONE else SEVERAL
                j += 1
            out[i, order[s]] = covered


def union_of(runs: tuple[Chosen, ...]) -> tuple[Array, Array]:
    """The candidates of some runs, ascending (q,), and the class of each in each run, int16 (runs, q), -1 if the run lacks it."""
    union = np.unique(np.concatenate([run.at for run in runs]))
    member = np.full((len(runs), len(union)), NONE, np.int16)
    for run, classes in zip(runs, member, strict=True):
        classes[np.searchsorted(union, run.at)] = run.classes
    return union, member
