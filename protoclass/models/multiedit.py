"""Multi-edited nearest neighbours (Devijver and Kittler 1980)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.neighbours.condensing import condense_rows, edit_rows
from ..core.task import RulePath, Task
from ..ground.checks import MOST_RUNS, one_of
from .base import Axes, Capabilities, Model, check_fixed, own_candidates
from .condensed import nearest_of


@dataclass(frozen=True)
class Multiedit(Model):
    """The nearest-neighbour rule of the rows that remain when those that disagree with their neighbours are removed.

    Parameters
    ----------
    parts : int >= 3
        Number of random parts in each round; the rows of each part are classified by the nearest rows of the next part.
    quiet : int >= 1
        The procedure ends after this many rounds in a row that remove no row.
    condense : bool
        Whether the remaining rows are then condensed, as Devijver and Kittler recommend and R's `class` leaves to the user.

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
