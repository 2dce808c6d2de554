"""What the integer program of the prototype vector machine says of its prototypes and of the rows."""

from __future__ import annotations

import numpy as np

from ..core.covers.alternatives import NearSolutions, find_alternatives, price_rows, swapped
from ..core.neighbours.nearest import Nearest
from ..core.task import Task
from ..errors import NotAvailable
from .capabilities import Criticised, Learned


def cover_alternatives(
    learned: Learned, task: Task, within: float, seconds: float, interest: np.ndarray
) -> NearSolutions:
    """See `core.covers.alternatives`."""
    reached = learned.rule.report["objective"].value
    return find_alternatives(task, *_program(learned), reached, within, seconds, interest)


def cover_criticisms(learned: Learned, task: Task, n: int, seconds: float) -> Criticised:
    """The rows that are uncovered, wrongly covered or misclassified, by what the objective pays for each."""
    price, uncovered, wrong = price_rows(task, *_program(learned), seconds)
    astray = learned.fitted() != task.y
    rows = np.flatnonzero((uncovered | (wrong > 0) | astray) & (task.w > 0))
    paid = task.w * (uncovered + wrong)
    worst = rows[np.lexsort((rows, ~astray[rows], -paid[rows], -price[rows].round(9)))][:n]
    return Criticised(worst, price[worst], "price", "dual price: what the objective pays for the row, in weight of rows")


def first_gains(learned: Learned, task: Task) -> np.ndarray | None:
    """For each class the most that one ball gains: the weight of its rows less that of others; None with radii of their own."""
    if "radius eps" not in learned.rule.report:
        return None
    eps, model = learned.rule.report["radius eps"], learned.model
    D = task.D.take(np.arange(task.shape[0]), np.arange(task.shape[1]))
    inside = eps >= D if model.parameters()["balls"] == "closed" else eps > D
    weight = inside.T @ (np.eye(task.classes)[task.y] * task.w[:, None])
    gains = 2 * weight - weight.sum(axis=1, keepdims=True)
    if task.allowed_class is not None:
        gains[(task.allowed_class[:, None] >= 0) & (task.allowed_class[:, None] != np.arange(task.classes))] = -np.inf
    return np.asarray(gains.max(axis=0))


def swap_prototype(learned: Learned, task: Task, place: int, candidate: int) -> Nearest:
    """The rule with a candidate in the place of a prototype."""
    _program(learned)
    assert isinstance(learned.rule, Nearest)
    return swapped(learned.rule, task, place, candidate)


def _program(learned: Learned) -> tuple[float, float, tuple[np.ndarray, np.ndarray]]:
    """Radius, cost of a prototype, and the prototypes of the program that a rule is a solution of."""
    report, prototypes = learned.rule.report, learned.rule.prototypes
    if "radius eps" not in report:
        raise NotAvailable(
            "alternatives, criticisms and swaps are those of the program with one radius for all balls, and this fit has radii of "
            "their own: fit.update(radii='one') has them"
        )
    assert prototypes.at is not None
    return report["radius eps"], report["cost lambda"], (prototypes.at, prototypes.classes)
