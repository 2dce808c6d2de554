"""The fits that the sliders of an explorer reach: a fit for each radius, and of each the first prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.sources import Source
from ..core.task import Path, Rule, Stepwise
from ..errors import OptionError, TooLarge, brief
from ..estimation.fit import Fit
from ..estimation.problem import ONCE
from ..progress import bar
from ..models.base import GRID

KNOB = "eps"  # what the papers call the radius


@dataclass(frozen=True)
class Stages:
    """A fit and those that the sliders reach from it.

    Attributes
    ----------
    fit : Fit
    source : Source, or None
        The dissimilarities of its rows to its candidates; None where the method reads none, and none were measured.
    radii : list of float
        The fit's own among them; empty where the method has none, or takes its time for each.
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
        return (float(self.fit.knobs()[KNOB]) if self.radii else None), steps(self.fit.rule)

    def rule(self, eps: float | None) -> Rule:
        """The whole rule at a radius."""
        return self.fit.rule if self.path is None or eps is None else self.path.at(self.radii.index(eps))

    def at(self, eps: float | None, size: int | None) -> Fit:
        """The fit with the first `size` steps at a radius."""
        if (eps, size) == self.own:
            return self.fit
        whole, model = self.rule(eps), self.fit.model
        if eps is not None:
            model = replace(model, **{KNOB: eps})
        fit = replace(self.fit, problem=replace(self.fit.problem, model=model), model=model, rule=whole)
        if size is not None and size < (steps(whole) or 0):
            assert isinstance(whole, Stepwise)
            return replace(fit, rule=whole.first(size), validation=None, point=None)
        point = self._validated(fit)
        return replace(fit, validation=None if point is None else self.fit.validation, point=point)

    def _validated(self, fit: Fit) -> int | None:
        """The grid point at which the fit's knobs were cross-validated."""
        validation = self.fit.validation
        if validation is None:
            return None
        knobs = fit.knobs()
        same = np.all([validation.points[k] == knobs[k] for k in validation.points], axis=0)
        at = np.flatnonzero(same & np.ones(len(validation.points), bool))
        return int(at[0]) if len(at) == 1 else None


def steps(rule: Rule) -> int | None:
    """Number of steps in which a rule was built; None where it was not built step by step."""
    return len(next(iter(rule.steps.values()))) - 1 if isinstance(rule, Stepwise) else None


def stages(fit: Fit, radii: Sequence[float] | None = None) -> Stages:
    """Work the path over the radii out, once.

    Parameters
    ----------
    fit : Fit
    radii : sequence of float, optional
        By default those of its cross-validation, else the method's own grid; for a method that shares no work between radii
        (an exact solver) none.
    """
    knobs, model = fit.knobs(), fit.model
    if radii is not None and KNOB not in knobs:
        raise OptionError(f"radii={brief(radii)}: method {model.name!r} has no radius to move")
    with bar(None, "measuring", fit.problem.progress) as measuring:
        task = fit.problem.task(fit.dissimilarity, measuring.update, limit=ONCE)
        source = task.D if "D" in model.reads else None
        if KNOB not in knobs:
            return Stages(fit, source, [], None)
        if radii is None and not model.shares:
            note = "It takes its time for each radius: explore(radii=[...]) makes a slider of some."
            return Stages(fit, source, [], None, note)
        asked: Any = GRID if radii is None else list(radii)
        if radii is None and fit.validation is not None and KNOB in fit.validation.points:
            asked = fit.validation.points[KNOB].unique().tolist()
        several = replace(model, **{KNOB: asked})
        # the other knobs are those that were chosen; the grid of this one alone is open
        values = several.grid(task, np.bincount(task.y, minlength=task.classes))[KNOB].astype(float)
        values = np.union1d(values, [float(knobs[KNOB])])
        try:
            path = several.path(task, {KNOB: values})
        except TooLarge as reason:
            if radii is not None:
                raise
            note = f"No slider of radii: {reason}; explore(radii=[...]) takes some of your own."
            return Stages(fit, source, [], None, note)
    return Stages(fit, source, values.tolist(), path)
