"""Covers as rules: the path of the PVM over radii and costs, and greedy rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...ground.checks import is_real
from ...ground.errors import OptionError, brief
from ...ground.savable import savable
from .. import Array
from ..neighbours.nearest import NONE, Nearest, Sets, covering, nearest_to, rank_of
from ..query import Query
from ..task import COVERED, Points
from .problems import Certificate, Objective


@dataclass(frozen=True)
class Chosen:
    """Prototypes of one problem and cost, in the order chosen; weights are in units."""

    at: Array  # columns of the problem, and of D on a path, int (q,)
    classes: Array  # the classes that they represent, int (q,)
    covers: Array  # weight of its class that each prototype is the first to cover (delta xi), (q,)
    wrong: Array  # weight of other classes in each ball (delta eta), (q,)
    certificate: Certificate | None = None  # in units

    def prefix(self, cost: float) -> Chosen:
        """The greedy cover at a larger cost (lambda in units): the first prototypes, because gains
        never increase.
        """
        return self.take(self.covers - self.wrong > cost)

    def first(self, size: int | None) -> Chosen:
        """The first prototypes; all of them if no size is given."""
        return self if size is None else self.take(slice(size))

    def take(self, part: Array | slice) -> Chosen:
        """Some of the prototypes, without the certificate of all."""
        return Chosen(self.at[part], self.classes[part], self.covers[part], self.wrong[part])


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
        covers, wrong = (self.prototypes.table[name] for name in COVERED)
        goal = self.goal
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
        line, rank = rank_of(self.prototypes)
        # `nearest_first` and `place` number the prototypes by their places in `line`
        nearest_first = np.argsort(self.distances(query)[:, line], axis=1, kind="stable")
        place = np.empty_like(nearest_first)
        np.put_along_axis(place, nearest_first, np.arange(len(line))[None], axis=1)
        # the place of the nearest of the first 1, 2, ... prototypes
        first = np.minimum.accumulate(place[:, rank], axis=1)
        yield np.full(len(first), self.fallback)
        yield from self.prototypes.classes[line][np.take_along_axis(nearest_first, first, axis=1)].T

    def at_cost(self, lambda_: float) -> Greedy:
        """The rule of a larger lambda: the first prototypes, because gains never increase."""
        least = self.goal.lambda_
        if not (is_real(lambda_) and lambda_ >= least):
            raise OptionError(
                f"lambda_ must be at least {least:.4g}, the value of the fit, not "
                f"{brief(lambda_)}: use fit.update(lambda_=0) for all rules"
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
        return replace(
            self, prototypes=kept, report={**report, "cost lambda": cost, "objective": smaller}
        )


@dataclass(frozen=True)
class CoverPath:
    """Path of the PVM over a grid."""

    runs: tuple[Chosen, ...]  # of each grid point
    eps: Array  # radius of each, beyond which no row is in a ball
    lambdas: Array  # cost of a prototype of each
    weight: Array  # training weight of each class, in units (classes,)
    unit: float
    # whether the first prototypes of each run are the prototypes of larger lambdas, as in greedy
    # covers
    nested: bool
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @cached_property
    def prototypes(self) -> Points:
        # a prototype may represent different classes along the path, so none is named
        return Points(np.full(len(self._sets[0]), NONE), at=self._sets[0])

    @cached_property
    def _sets(self) -> tuple[Array, Sets]:
        """The prototypes of all grid points (q,), ascending, and the sets of those chosen at each point."""
        union = np.unique(np.concatenate([run.at for run in self.runs]))
        member = np.full((len(self.runs), len(union)), NONE, np.int16)
        for run, classes in zip(self.runs, member, strict=True):
            classes[np.searchsorted(union, run.at)] = run.classes
        return union, Sets(member)

    @property
    def size(self) -> Array:
        return np.array([float(len(run.at)) for run in self.runs])

    @property
    def class_counts(self) -> Array:
        """Prototypes of each class at each grid point (G, classes); quicker than from the rules."""
        return np.array([np.bincount(run.classes, minlength=len(self.weight)) for run in self.runs])

    def predict(self, kind: str, query: Query) -> Array:
        union, sets = self._sets
        if kind == "cover":
            return covering(query, self.prototypes, sets.member, self.eps)
        first = nearest_to(query, self.prototypes, sets)
        chosen = (
            np.take_along_axis(sets.member.T, np.maximum(first, 0), axis=0) if len(union) else first
        )
        # the most common class if a set has no prototypes
        return np.where(first < 0, int(self.weight.argmax()), chosen)

    def at(self, g: int) -> Nearest:
        """The rule of a cover, whose report begins with its radii."""
        run, eps, lambda_ = self.runs[g], float(self.eps[g]), float(self.lambdas[g])
        table = {"newly_covered": run.covers * self.unit, "miscovered": run.wrong * self.unit}
        report: dict[str, Any] = {"radius eps": eps}
        uncovered = float(self.weight.sum() - run.covers.sum()) * self.unit
        goal = Objective(uncovered, float(run.wrong.sum()) * self.unit, len(run.at), lambda_)
        report |= {"cost lambda": lambda_, "objective": goal}
        if run.certificate is not None:
            report["certificate"] = run.certificate.scaled(self.unit)
        prototypes = Points(run.classes, at=run.at, radii=np.full(len(run.at), eps), table=table)
        return (Greedy if self.nested else Nearest)(
            prototypes, len(self.weight), int(self.weight.argmax()), report
        )

    def moved(self, columns: Array) -> CoverPath:
        return replace(self, runs=tuple(replace(run, at=columns[run.at]) for run in self.runs))
