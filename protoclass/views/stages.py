"""The fits that the controls of an explorer reach: at other radii, of the first prototypes, at the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.sources import Source
from ..core.task import Path, Rule, Stepwise
from ..errors import OptionError, TooLarge, brief
from ..estimation.fit import Fit
from ..estimation.problem import ONCE, bar
from ..estimation.validation import Validation
from ..models.base import GRID

RADIUS = "eps"  # what the papers call the radius


@dataclass(frozen=True)
class Stages:
    """A fit and those that the sliders reach from it.

    Attributes
    ----------
    fit : Fit
    source : Source, or None
        The dissimilarities of its rows to its candidates; None where the method reads none, and none were measured.
    radii : list of float
        The fit's own among them; empty where the method has none, or is slow to solve for each.
    path : Path, or None
        The method on all rows over the radii.
    note : str
        Why there are no radii, where the method has one.
    """

    fit: Fit
    source: Source | None
    radii: list[float]
    path: Path | None
    note: str = ""

    @property
    def own(self) -> tuple[float | None, int | None]:
        """Radius and number of steps of the fit itself."""
        return (float(self.fit.knobs()[RADIUS]) if self.radii else None), count_steps(self.fit.rule)

    def rule(self, eps: float | None) -> Rule:
        """The complete rule at a radius."""
        return self.fit.rule if self.path is None or eps is None else self.path.at(self.radii.index(eps))

    def at(self, eps: float | None, size: int | None) -> Fit:
        """The fit with the first `size` steps at a radius."""
        if (eps, size) == self.own:
            return self.fit
        full, model = self.rule(eps), self.fit.model
        if eps is not None:
            model = replace(model, **{RADIUS: eps})
        fit = replace(self.fit, problem=replace(self.fit.problem, model=model), model=model, rule=full)
        if size is not None and size < (count_steps(full) or 0):
            assert isinstance(full, Stepwise)
            return replace(fit, rule=full.first(size), validation=None, point=None)
        point = self._find_point(fit)
        return replace(fit, validation=None if point is None else self.fit.validation, point=point)

    def _find_point(self, fit: Fit) -> int | None:
        """The grid point at which the fit's parameters were cross-validated."""
        validation = self.fit.validation
        if validation is None:
            return None
        values = fit.knobs()
        same = np.all([validation.points[k] == values[k] for k in validation.points], axis=0)
        at = np.flatnonzero(same & np.ones(len(validation.points), bool))
        return int(at[0]) if len(at) == 1 else None


def count_steps(rule: Rule) -> int | None:
    """Number of steps in which a rule was built; None where it was not built step by step."""
    return len(next(iter(rule.steps.values()))) - 1 if isinstance(rule, Stepwise) else None


def make_stages(fit: Fit, radii: Sequence[float] | None = None) -> Stages:
    """Fit the path over the radii, once.

    Parameters
    ----------
    fit : Fit
    radii : sequence of float, optional
        By default those of its cross-validation, else the method's own grid; for a method that shares no work between radii
        (an exact solver) none.
    """
    values, model = fit.knobs(), fit.model
    if radii is not None and RADIUS not in values:
        raise OptionError(f"radii={brief(radii)}: method {model.name!r} has no radius to move")
    with bar(None, "measuring", fit.problem.progress) as measuring:
        task = fit.problem.task(fit.dissimilarity, measuring.update, limit=ONCE)
        source = task.D if "D" in model.reads else None
        if RADIUS not in values:
            return Stages(fit, source, [], None)
        if radii is None and not model.shares:
            note = "There is no slider of radii, as each radius is slow to solve: explore(radii=[...]) makes a slider of some."
            return Stages(fit, source, [], None, note)
        requested: Any = GRID if radii is None else list(radii)
        if radii is None and fit.validation is not None and RADIUS in fit.validation.points:
            requested = fit.validation.points[RADIUS].unique().tolist()
        several = replace(model, **{RADIUS: requested})
        # the other parameters are those that were chosen; only the radius has a grid
        grid = several.grid(task, np.bincount(task.y, minlength=task.classes))[RADIUS].astype(float)
        grid = np.union1d(grid, [float(values[RADIUS])])
        try:
            path = several.path(task, {RADIUS: grid})
        except TooLarge as reason:
            if radii is not None:
                raise
            note = f"There is no slider of radii: {reason}; explore(radii=[...]) takes some of your own."
            return Stages(fit, source, [], None, note)
    return Stages(fit, source, grid.tolist(), path)


class GridFits:
    """The fits on all rows at the points of a validation's grid, solved at once for a method whose points share work."""

    def __init__(self, validation: Validation) -> None:
        self._validation, problem = validation, validation.problem
        with bar(None, "fitting", problem.progress) as fitting:
            self._dissimilarity = problem.relate()
            task = replace(problem.task(self._dissimilarity, limit=ONCE), tick=fitting.update)
            self._path = problem.model.path(task, {str(k): validation.points[k].unique() for k in validation.points})

    def fit(self, point: int) -> Fit:
        """The fit at a row of `validation.table`."""
        problem, row = self._validation.problem, self._validation.points.iloc[[point]]
        model = replace(problem.model, **{str(k): row[k].tolist()[0] for k in row})
        problem = replace(problem, model=model)
        return Fit(problem, self._dissimilarity, model, self._path.at(point), self._validation, point)
