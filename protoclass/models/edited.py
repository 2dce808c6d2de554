"""Condensed nearest neighbours (Hart 1968), and multi-edited ones (Devijver and Kittler 1980)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.neighbours.nearest import Nearest, condense_rows, edit_rows
from ..core.query import RulePath
from ..core.task import Points, Task
from ..ground.checks import MOST_RUNS, one_of
from .base import Axes, Capabilities, Model, check_fixed, heaviest_class, own_candidates


@dataclass(frozen=True)
class Condensed(Model):
    """Condensed nearest neighbour: a subset of the rows that classifies every row correctly by 1-NN (Hart 1968).

    Any dissimilarity can be used. The subset depends on the order in which rows are visited, which is random with the seed of the fit.
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


@dataclass(frozen=True)
class Multiedit(Model):
    """Multiedit: the nearest neighbour among the rows that remain when rows misclassified by their neighbours are removed.

    Parameters
    ----------
    parts : int >= 3
        Number of random parts in each round; the rows of each part are classified by the nearest rows of the next part.
    quiet : int >= 1
        Number of successive rounds without a removal after which the procedure ends.
    condense : bool
        Whether to condense the remaining rows, as Devijver and Kittler recommend; R's `class` leaves this to the user.

    References
    ----------
    Devijver and Kittler (1982), *Pattern Recognition: A Statistical Approach*; Ripley (1996), section 6.2.
    """

    name = "multiedit"
    papers = ("devijver1982",)
    can = Capabilities(nearest=True)

    parts: int = 3
    quiet: int = 5
    condense: bool = False

    def __post_init__(self) -> None:
        check_fixed("multiedit", "parts", self.parts, low=3, integral=True)
        check_fixed("multiedit", "quiet", self.quiet, low=1, integral=True, high=MOST_RUNS)
        one_of("condense", self.condense, (True, False))

    @property
    def title(self) -> str:
        return "Multi-edited nearest neighbours" + (", condensed" if self.condense else "")

    def path(self, task: Task, grid: Axes) -> RulePath:
        own, D = own_candidates(task), task.D
        rows = edit_rows(D, own, task.y, np.arange(len(task.y)), self.parts, self.quiet, task.seed)
        report = {"rows left by editing": len(rows)}
        if self.condense:
            rows = condense_rows(D, own, task.y, np.random.default_rng(task.seed).permutation(rows))
        return RulePath((nearest_of(task, own, rows, report),))


def nearest_of(task: Task, own: np.ndarray, rows: np.ndarray, report: Mapping[str, Any]) -> Nearest:
    """The nearest-prototype rule of some rows."""
    return Nearest(Points(task.y[rows], at=own[rows]), task.classes, heaviest_class(task), report)
