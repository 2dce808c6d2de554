"""The fits that the slider of an explorer reaches: at other radii."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.query import Stepwise
from ..core.sources import Source
from ..estimation.fitted import Fitted
from ..estimation.problem import HOLD_LIMIT
from ..ground.checks import GRID
from ..ground.errors import OptionError, TooLarge, brief
from ..models.registry import methods_with


@dataclass(frozen=True)
class Steps:
    """A fit and those that the slider of radii reaches from it.

    Attributes
    ----------
    fits : list of Fitted
        One for each radius; the fit alone where the method has no radius, or is slow to solve for each.
    own : int
        The place of the fit itself among them.
    source : Source, or None
        The dissimilarities of its rows to its candidates; None where the method reads none, and none were measured.
    radii : list of float
        Empty where there is no slider.
    note : str
        Why there is none, where the method has a radius.
    """

    fits: list[Fitted]
    own: int
    source: Source | None
    radii: list[float]
    note: str = ""


def make_steps(fit: Fitted, radii: Sequence[float] | None = None) -> Steps:
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
        return Steps([fit], 0, source, [])
    if radii is None and not model.shares_work:
        note = (
            "There is no slider of radii, as each radius is slow to solve: explore(radii=[...]) makes a slider of some."
        )
        return Steps([fit], 0, source, [], note)
    requested: Any = GRID if radii is None else list(radii)
    if radii is None and radius in fit.selection.grid:
        validation = fit.curve if fit.selection.point is None or fit.curve is None else fit.curve.of_metric(fit.selection.point)
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
        return Steps([fit], 0, source, [], note)
    if isinstance(path.at(0), Stepwise) and not isinstance(fit.rule, Stepwise):
        return Steps([fit], 0, source, [], "There is no slider of radii, as a row was put in the place of a prototype.")
    own = grid.tolist().index(float(model.parameters()[radius]))
    fits = [fit if k == own else fit.derived(path.at(k), {radius: eps}) for k, eps in enumerate(grid.tolist())]
    return Steps(fits, own, source, grid.tolist())
