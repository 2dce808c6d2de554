"""A cover with another candidate in the place of a prototype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..neighbours.nearest import Nearest
from ..task import Points, Task
from .certificate import Objective

Array = NDArray[Any]


def swapped(rule: Nearest, task: Task, place: int, candidate: int) -> Nearest:
    """The rule with a candidate (column of D) as prototype at this place, for the same class, and its objective.

    The prototypes keep their order, so each covers the rows of its class that no earlier one holds. That is no greedy order any
    more, and no certificate is carried over.
    """
    old = rule.prototypes
    assert old.at is not None
    assert old.radii is not None
    at = old.at.copy()
    at[place] = candidate
    covers, wrong = first_covered(task, at, old.classes, old.radii)
    goal = rule.report["objective"]
    reached = Objective(float(task.w.sum() - covers.sum()), float(wrong.sum()), len(at), goal.lambda_)
    report = {k: v for k, v in rule.report.items() if k != "certificate"}
    prototypes = Points(old.classes, at=at, radii=old.radii, table={"covers": covers, "miscovers": wrong})
    return Nearest(prototypes, rule.classes, rule.fallback, {**report, "objective": reached})


def first_covered(task: Task, at: Array, classes: Array, radii: Array) -> tuple[Array, Array]:
    """For each prototype the weight of the rows of its class that no earlier one holds, and of those of others in its ball."""
    rows = np.arange(len(task.y))
    left = task.w.copy()  # of the rows that no prototype of their class holds yet
    covers, wrong = np.empty(len(at)), np.empty(len(at))
    for s, (column, c) in enumerate(zip(at, classes, strict=True)):
        inside = task.D.take(rows, np.array([column]))[:, 0] < radii[s]
        own = inside & (task.y == c)
        covers[s], wrong[s] = left[own].sum(), task.w[inside & (task.y != c)].sum()
        left[own] = 0.0
    return covers, wrong
