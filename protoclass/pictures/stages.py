"""The fits that the controls of an explorer reach: at other radii, of the first prototypes, at the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.setcover.problems import Certificate
from ..core.sources import Source
from ..core.task import Path, Rule, Stepwise
from ..estimation.error_curve import ErrorCurve
from ..estimation.fitted import Fitted
from ..estimation.learning import learn
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import GRID
from ..ground.errors import OptionError, TooLarge, brief
from ..ground.progress import bar
from ..models.registry import methods_with


@dataclass(frozen=True)
class Proved:
    """A bound on the optimum, which holds for the complete rule and for its first steps alike.

    Attributes
    ----------
    gaps : array (steps + 1,)
        By which share of the bound the objective of the first 0, 1, ... steps is above it; of the complete rule alone where it was
        not built step by step. 0 is optimal, infinite where the bound is 0.
    certificate : Certificate
    """

    gaps: np.ndarray
    certificate: Certificate

    def describe(self, size: int | None) -> str:
        """A sentence on the first `size` steps; "" where nothing is known of them."""
        at = size or 0 if len(self.gaps) > 1 else 0
        gap = float(self.gaps[at])
        return f"Objective: {self.certificate.state(gap)}." if np.isfinite(gap) else ""


def measure_gaps(fit: Fitted) -> Proved | None:
    """The gaps of a fit and of its first steps; None where its rule has no bound.

    Examples
    --------
    >>> import protoclass as pc
    >>> proved = measure_gaps(pc.fit("species ~ .", pc.load_data("iris"), eps=1.0, certify=True))
    >>> proved.gaps[-3:].round(3), proved.describe(15)
    (array([0.361, 0.271, 0.182]),
     'Objective: at most 18 % above the optimum (bound 11.0867 by dual ascent, linear relaxation).')
    """
    if not fit.model.can.certificate or "certificate" not in fit.rule.report:
        return None
    certificate = fit.rule.report["certificate"]
    steps = fit.rule.steps if isinstance(fit.rule, Stepwise) else {}
    objectives = np.asarray(steps.get("objective", [fit.rule.report["objective"].value]), float)
    return Proved(np.array([certificate.gap_of(float(value)) for value in objectives]), certificate)


@dataclass(frozen=True)
class Stages:
    """A fit and those that the sliders reach from it.

    Attributes
    ----------
    fit : Fitted
    source : Source, or None
        The dissimilarities of its rows to its candidates; None where the method reads none, and none were measured.
    radii : list of float
        The fit's own among them; empty where the method has none, or is slow to solve for each.
    path : Path, or None
        The method on all rows over the radii.
    note : str
        Why there are no radii, where the method has one.
    """

    fit: Fitted
    source: Source | None
    radii: list[float]
    path: Path | None
    note: str = ""

    @property
    def own(self) -> tuple[float | None, int | None]:
        """Radius and number of steps of the fit itself."""
        return (float(self.fit.parameters()[self.fit.model.can.radius]) if self.radii else None), count_steps(
            self.fit.rule
        )

    def rule(self, eps: float | None) -> Rule:
        """The complete rule at a radius."""
        return self.fit.rule if self.path is None or eps is None else self.path.at(self.radii.index(eps))

    def at(self, eps: float | None, size: int | None) -> Fitted:
        """The fit with the first `size` steps at a radius."""
        if (eps, size) == self.own:
            return self.fit
        full = self.rule(eps)
        values = {} if eps is None else {self.fit.model.can.radius: eps}
        if size is not None and size < (count_steps(full) or 0):
            assert isinstance(full, Stepwise)
            return self.fit.derived(full.first(size), values, size)
        return self.fit.derived(full, values)


def count_steps(rule: Rule) -> int | None:
    """Number of steps in which a rule was built; None where it was not built step by step."""
    return len(next(iter(rule.steps.values()))) - 1 if isinstance(rule, Stepwise) else None


def make_stages(fit: Fitted, radii: Sequence[float] | None = None) -> Stages:
    """Fit the path over the radii, once.

    Parameters
    ----------
    fit : Fitted
    radii : sequence of float, optional
        By default those of its cross-validation, else the method's own grid; for a method that shares no work between radii
        (an exact solver) none.
    """
    model, radius = fit.model, fit.model.can.radius
    if radii is not None and not radius:
        raise OptionError(f"radii={brief(radii)} needs radii, but method {model.name!r} has no radius: use {methods_with('radius')}")
    task = fit.problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
    source = task.D if model.can.nearest and fit.rule.prototypes.at is not None else None
    if not radius:
        return Stages(fit, source, [], None)
    if radii is None and not model.shares_work:
        note = (
            "There is no slider of radii, as each radius is slow to solve: explore(radii=[...]) makes a slider of some."
        )
        return Stages(fit, source, [], None, note)
    requested: Any = GRID if radii is None else list(radii)
    if radii is None and radius in fit.selection.grid:
        validation = fit.curve if fit.point is None or fit.curve is None else fit.curve.of_metric(fit.point)
        grid = fit.selection.grid if validation is None else validation.grid
        requested = grid[radius].unique().tolist()
    several = replace(model, **{radius: requested})
    # the other parameters are those that were chosen; only the radius has a grid
    grid = several.grid(task, np.bincount(task.y, minlength=task.classes))[radius].astype(float)
    grid = np.union1d(grid, [float(model.parameters()[radius])])
    try:
        path = several.path(task, {radius: grid})
    except TooLarge as reason:
        if radii is not None:
            raise
        note = f"There is no slider of radii: {reason}; explore(radii=[...]) takes some of your own."
        return Stages(fit, source, [], None, note)
    if count_steps(fit.rule) is None and count_steps(path.at(grid.tolist().index(float(model.parameters()[radius])))) is not None:
        return Stages(fit, source, [], None, "There are no sliders, as a row was put in the place of a prototype.")
    return Stages(fit, source, grid.tolist(), path)


class GridFits:
    """The fits on all rows at the points of a validation's grid, solved at once for a method whose points share work."""

    def __init__(self, validation: ErrorCurve) -> None:
        self._validation, problem = validation, validation.problem
        with bar(None, "fitting", problem.progress) as fitting:
            self._dissimilarity = problem.measure()
            task = replace(problem.task(self._dissimilarity, limit=HOLD_LIMIT), tick=fitting.update)
            self._path = problem.model.path(task, {str(k): validation.grid[k].unique() for k in validation.grid})

    def fit(self, point: int) -> Fitted:
        """The fit at a row of `validation.table`."""
        validation = self._validation
        selection = validation.select(point)
        return learn(validation.problem, selection, validation, self._dissimilarity, rule=self._path.at(point))
