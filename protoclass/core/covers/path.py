"""Covers as rules: the path of the PVM over radii and costs, and the rule of a greedy cover."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...declared import savable
from ...errors import OptionError, brief
from ..coverage import NONE, covering_by
from ..neighbours.nearest import Nearest, by_smallest_set, nearest_to
from ..task import Points
from .certificate import Certificate, Objective

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]


@dataclass(frozen=True)
class Chosen:
    """Prototypes at one radius and cost, in the order chosen; weights are in units.

    Attributes
    ----------
    at : int array (q,)
        Candidates.
    classes : int array (q,)
        The classes that they represent.
    covers : array (q,)
        Weight of its class that each prototype is the first to cover (delta xi).
    wrong : array (q,)
        Weight of other classes in each ball (delta eta).
    certificate : Certificate, or None
        In units.
    radii : array (q,), or None
        Radius of each ball, where balls have radii of their own.
    """

    at: Array
    classes: Array
    covers: Array
    wrong: Array
    certificate: Certificate | None = None
    radii: Array | None = None

    def prefix(self, cost: float) -> Chosen:
        """The greedy cover at a larger cost (lambda in units): the first prototypes, because gains never increase."""
        kept = self.covers - self.wrong > cost
        radii = None if self.radii is None else self.radii[kept]
        return Chosen(self.at[kept], self.classes[kept], self.covers[kept], self.wrong[kept], radii=radii)


@savable
@dataclass(frozen=True)
class Greedy(Nearest):
    """Rule of a greedy cover: its first prototypes are those that a larger lambda would have chosen."""

    @property
    def goal(self) -> Objective:
        goal = self.report["objective"]
        assert isinstance(goal, Objective)
        return goal

    @property
    def steps(self) -> Mapping[str, Array]:
        covers, wrong, goal = self.prototypes.table["covers"], self.prototypes.table["miscovers"], self.goal
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
                f"lambda_={brief(lambda_)}: the fit has the rules of lambda_ >= {least:.4g}, its own; fit.update(lambda_=0) has all"
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
        uncovered = goal.uncovered + float(prototypes.table["covers"][size:].sum())
        smaller = Objective(uncovered, float(table["miscovers"].sum()), size, cost)
        report = {k: v for k, v in self.report.items() if k != "certificate"}
        return replace(self, prototypes=kept, report={**report, "cost lambda": cost, "objective": smaller})


def rule_of(
    kind: type[Nearest], run: Chosen, lambda_: float, weight: Array, unit: float, said: Mapping[str, Any]
) -> Nearest:
    """The rule of a cover, whose report begins with what is `said` of its radii.

    Parameters
    ----------
    kind : class of rule
    run : Chosen
        With radii.
    lambda_ : float
    weight : array (classes,)
        Training weight of each class, in units.
    unit : float
    said : mapping
    """
    goal = Objective(float(weight.sum() - run.covers.sum()) * unit, float(run.wrong.sum()) * unit, len(run.at), lambda_)
    report = {**said, "cost lambda": lambda_, "objective": goal}
    if run.certificate is not None:
        report["certificate"] = run.certificate.scaled(unit)
    table = {"covers": run.covers * unit, "miscovers": run.wrong * unit}
    prototypes = Points(run.classes, at=run.at, radii=run.radii, table=table)
    return kind(prototypes, len(weight), int(weight.argmax()), report)


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
        Whether the first prototypes of each run are those of larger lambdas, as in greedy covers.
    """

    runs: tuple[Chosen, ...]
    radii: Array
    lambdas: Array
    weight: Array
    unit: float
    nested: bool = False
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "cover")

    @cached_property
    def prototypes(self) -> Points:
        # a prototype may represent different classes along the path, so that none is named here
        return Points(np.full(len(self._sets[0]), NONE), at=self._sets[0])

    @cached_property
    def _sets(self) -> tuple[Array, Array]:
        """The prototypes of all grid points (q,), and the class of each at each grid point, (G, q); -1 if it is not chosen."""
        union = np.unique(np.concatenate([run.at for run in self.runs]))
        member = np.full((len(self.runs), len(union)), NONE, np.int16)
        g = np.repeat(np.arange(len(self.runs)), [len(run.at) for run in self.runs])
        at = np.concatenate([run.at for run in self.runs])
        member[g, np.searchsorted(union, at)] = np.concatenate([run.classes for run in self.runs])
        order = by_smallest_set(member)
        return union[order], np.ascontiguousarray(member[:, order])

    @property
    def size(self) -> Array:
        return np.array([float(len(run.at)) for run in self.runs])

    def predict(self, kind: str, query: Query) -> Array:
        union, member = self._sets
        if kind == "cover":
            return np.asarray(np.maximum(covering_by(query, self.prototypes, member, self.radii), NONE))
        first = nearest_to(query, self.prototypes, member, np.argsort(union))
        chosen = np.take_along_axis(member.T, np.maximum(first, 0), axis=0) if len(union) else first
        return np.where(first < 0, int(self.weight.argmax()), chosen)

    def at(self, g: int) -> Nearest:
        eps, kind = float(self.radii[g]), Greedy if self.nested else Nearest
        run = replace(self.runs[g], radii=np.full(len(self.runs[g].at), eps))
        return rule_of(kind, run, float(self.lambdas[g]), self.weight, self.unit, {"radius eps": eps})

    def moved(self, columns: Array) -> CoverPath:
        return replace(self, runs=tuple(replace(run, at=columns[run.at]) for run in self.runs))
