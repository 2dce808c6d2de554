"""Condensed nearest neighbours (Hart 1968)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.neighbours.condensing import condense_rows
from ..core.neighbours.nearest import Nearest
from ..core.task import Points, RulePath, Task
from .base import Axes, Capabilities, Model, heaviest_class, own_candidates


@dataclass(frozen=True)
class Condensed(Model):
    """A subset of the rows whose nearest-neighbour rule classifies every row correctly, on any dissimilarity (Hart 1968).

    The rule depends on the order in which rows are visited, which is drawn with the seed of the fit.
    """

    name = "condensed"
    papers = ("hart1968",)
    can = Capabilities(nearest=True)

    @property
    def title(self) -> str:
        return "Condensed nearest neighbours"

    def path(self, task: Task, grid: Axes) -> RulePath:
        own, order = own_candidates(task), np.random.default_rng(task.seed).permutation(len(task.y))
        rows = condense_rows(task.D, own, task.y, order)
        return RulePath((nearest_of(task, own, rows, {}),))


def nearest_of(task: Task, own: np.ndarray, rows: np.ndarray, report: Mapping[str, Any]) -> Nearest:
    """The nearest-prototype rule of some rows."""
    return Nearest(Points(task.y[rows], at=own[rows]), task.classes, heaviest_class(task), report)
