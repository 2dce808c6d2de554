"""Condensed nearest neighbours (Hart 1968)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.condensing import condense_rows
from ..core.neighbours.nearest import Nearest
from ..core.task import Points, RulePath, Task
from .base import Model, heaviest_class, own_candidates
from .capabilities import Capabilities


@dataclass(frozen=True)
class Condensed(Model):
    """A part of the rows by whose nearest every row is classified right, on any dissimilarity (Hart 1968).

    Rows are visited in an order drawn by the fit's seed, as the rule depends on it.
    """

    name: ClassVar[str] = "condensed"
    can: ClassVar[Capabilities] = Capabilities(nearest=True)

    @property
    def title(self) -> str:
        return "Condensed nearest neighbours"

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> RulePath:
        own, order = own_candidates(task), np.random.default_rng(task.seed).permutation(len(task.y))
        rows = condense_rows(task.D.array(), own, task.y, order)
        return RulePath((nearest_of(task, own, rows, {}),))


def nearest_of(task: Task, own: np.ndarray, rows: np.ndarray, report: Mapping[str, Any]) -> Nearest:
    """The rule of the nearest of some rows."""
    return Nearest(Points(task.y[rows], at=own[rows]), task.classes, heaviest_class(task), report)
