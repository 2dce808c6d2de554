"""Optimal hyperplanes for data given by their pairwise proximities (Graepel et al. 1998)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np

from ..core.embedding import Planes, Spectral, embedding, gram, hyperplane, on_squares, reflexive
from ..core.query import RulePath
from ..core.task import Points, Task
from ..ground.checks import one_of
from ..ground.errors import DataError, shown
from .base import Axes, Capabilities, Model, axis, check_number

LARGEST = 5000  # rows of an embedding, whose cost grows with their cube


@dataclass(frozen=True)
class Hyperplane(Model):
    """Optimal hyperplane on proximities or on an embedding.

    Parameters
    ----------
    embedding : "proximity", "flip" or "cut"
        Vectors that represent the rows. "proximity": the dissimilarities of the row to the
        candidates (Graepel et al. 1998, section 4), also asymmetric ones. "flip" and "cut": points
        of the pseudo-Euclidean space, with the axes of negative signature made positive or left out
        (section 3); the matrix must be square and symmetric, with zeros on the diagonal.
    C : float > 0, inf, sequence or "grid"
        Cost of a unit of slack, with rows scaled to mean squared length 1. inf: the hard margin;
        the summary reports if none exists. "grid": 0.01 to 10,000, and inf.

    Notes
    -----
    More than two classes have a hyperplane each, against the rest. The size of a fitted model is
    its number of support objects. New rows need dissimilarities to nearly all candidates.

    References
    ----------
    Graepel, Herbrich, Bollmann-Sdorra and Obermayer (1998), *Classification on pairwise proximity
    data*.
    """

    name = "hyperplane"
    papers = ("graepel1998",)
    can = Capabilities(weights=True, candidates=frozenset({"unlabelled", "subset"}), counted=False)
    example: ClassVar[Mapping[str, Any]] = {"C": (1.0, 100.0)}
    grids: ClassVar[frozenset[str]] = frozenset({"C"})

    embedding: str = "proximity"
    C: Any = inf

    def __post_init__(self) -> None:
        one_of("embedding", self.embedding, ("proximity", "flip", "cut"))
        check_number(self, "C", self.C, low=0, above=True, infinite=True)

    @property
    def title(self) -> str:
        return f"Optimal hyperplane ({self.embedding})"

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return np.append(np.geomspace(0.01, 1e4, 13), inf)

    def path(self, task: Task, grid: Axes) -> RulePath:
        lacking = np.flatnonzero(np.bincount(task.y, task.w > 0, task.classes) == 0)
        if len(lacking):
            raise DataError(
                f"hyperplane needs rows with weight of every class, but {shown(task.levels[lacking[0]])} has none"
            )
        if (task.w > 0).all():
            return self._path(task, grid)
        part, columns = task.keep(task.w > 0, 0)
        return self._path(part, grid).moved(columns)

    def _path(self, task: Task, grid: Axes) -> RulePath:
        """The rules of a task whose rows all have weight."""
        P, axes = np.asarray(task.D.array(), float), None
        if self.embedding == "proximity":
            with np.errstate(over="ignore", invalid="ignore"):
                K = P @ P.T
            if not np.isfinite(K).all():
                raise DataError(
                    "some dissimilarities are too large, because their squares overflow: correct "
                    "them, or divide all by a number"
                )
        else:
            axes = embedded(task, P)
            K = gram(axes, self.embedding == "flip")
        costs = axis(grid, "C", self.C).astype(float)
        return RulePath(tuple(self._rule(task, P, axes, K, C) for C in costs))

    def _rule(
        self, task: Task, P: np.ndarray, axes: Spectral | None, K: np.ndarray, C: float
    ) -> Planes:
        found = [hyperplane(K, np.where(task.y == c, 1.0, -1.0), task.w, C) for c in positive(task)]
        report: dict[str, Any] = {"cost C": C}
        intercepts = np.array([plane.intercept for plane in found])
        if axes is None:
            weights = np.stack([P.T @ plane.coef for plane in found], axis=1)
        else:
            linear = [on_squares(axes, self.embedding == "flip", plane.coef) for plane in found]
            weights, intercepts = (
                np.stack([v for v, _ in linear], axis=1),
                intercepts + [constant for _, constant in linear],
            )
            report["signature"] = "({}, {})".format(*axes.signature)
        columns = np.flatnonzero((weights != 0).any(axis=1))
        support, row = (
            np.any([plane.coef != 0 for plane in found], axis=0),
            task.candidate_row[columns],
        )
        report["support objects"] = int(support.sum())
        classes, table = (
            np.where(row >= 0, task.y[row], -1),
            {"support": np.where(row >= 0, support[row], False)},
        )
        if len(found) == 1:
            table["weight"] = weights[columns, 0]
        inseparable = [
            str(task.levels[c])
            for c, plane in zip(positive(task), found, strict=True)
            if not plane.separated
        ]
        if inf == C and inseparable:
            separated = (
                "the classes" if task.classes == 2 else f"{', '.join(inseparable)} from the rest"
            )
            report["margin"] = (
                f"none, because no hyperplane separates {separated}: C='grid' tunes the slack"
            )
        prototypes, power = Points(classes, at=columns, table=table), 1 if axes is None else 2
        return Planes(
            prototypes,
            weights[columns],
            intercepts,
            power,
            task.classes,
            report["support objects"],
            report,
        )


def positive(task: Task) -> list[int]:
    """The positive class of each hyperplane: the second of two, or each against the rest."""
    return [1] if task.classes == 2 else list(range(task.classes))


def embedded(task: Task, P: np.ndarray) -> Spectral:
    """The embedding of a task's rows, whose candidates must be the rows themselves."""
    n = len(task.y)
    if P.shape != (n, n) or (task.candidate_row != np.arange(n)).any():
        raise DataError(
            "an embedding needs the dissimilarities between all rows, and no other candidates: use "
            "embedding='proximity', or candidates='train' and a square matrix"
        )
    if n > LARGEST:
        raise DataError(
            f"an embedding of {n} rows takes too long (at most {LARGEST} are allowed): use "
            "embedding='proximity', or fewer rows"
        )
    reflexive(P, task.label)
    return embedding(P)
