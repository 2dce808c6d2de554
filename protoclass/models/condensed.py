"""Condensed nearest neighbours (Hart 1968)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.condensing import condensed
from ..core.neighbours.nearest import Nearest
from ..core.task import Points, Rules, Task
from ..errors import DataError
from .base import Model


@dataclass(frozen=True)
class Condensed(Model):
    """A part of the rows by whose nearest every row is classified right, on any dissimilarity (Hart 1968).

    Rows are visited in an order drawn by the fit's seed, as the rule depends on it.
    """

    name: ClassVar[str] = "condensed"

    @property
    def title(self) -> str:
        return "Condensed nearest neighbours"

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> Rules:
        own, order = own_candidates(task), np.random.default_rng(task.seed).permutation(len(task.y))
        rows = condensed(task.D.array(), own, task.y, order)
        return Rules((nearest_of(task, own, rows, {}),))


def own_candidates(task: Task) -> np.ndarray:
    """The candidate that each row is, int (n,)."""
    n = len(task.y)
    own = np.full(n, -1)
    own[task.origin[task.origin >= 0]] = np.flatnonzero(task.origin >= 0)
    if len(task.origin) != n or (own < 0).any():
        raise DataError(
            "this method chooses among the rows: the dissimilarities must be those of all rows to one another"
        )
    return own


def nearest_of(task: Task, own: np.ndarray, rows: np.ndarray, report: Mapping[str, Any]) -> Nearest:
    """The rule of the nearest of some rows."""
    heaviest = int(np.bincount(task.y, task.w, task.classes).argmax())
    return Nearest(Points(task.y[rows], at=own[rows]), task.classes, heaviest, report)
