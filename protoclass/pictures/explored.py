"""Contents of an explorer: the fits at other radii, the reasons for the class of a row, and the table of the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import Stepwise
from ..core.sources import Source
from ..core.thresholds import HOLD_LIMIT
from ..estimation.fitted import Fitted
from ..ground.checks import GRID
from ..ground.errors import OptionError, TooLargeError, brief, shown
from ..metrics.base import as_vectors
from ..models.registry import methods_with
from ..tables.words import list_shown
from .coverage import Coverage, find_places, find_row, predict_row
from .plane import Plane


@dataclass(frozen=True)
class Steps:
    """A fit and those that the slider of radii reaches from it.

    Attributes
    ----------
    fits : list of Fitted
        One for each radius; the fit alone where the method has no radius, or is slow to solve for
        each.
    own : int
        The place of the fit itself among them.
    source : Source, or None
        The dissimilarities of its rows to its candidates; None where the method reads none, and
        none were measured.
    radii : list of float
        Empty where there is no slider.
    notes : list of str
        Why there is none, where the method has a radius.
    """

    fits: list[Fitted]
    own: int
    source: Source | None
    radii: list[float]
    notes: list[str] = field(default_factory=list)


def make_steps(fit: Fitted, radii: Sequence[float] | None = None) -> Steps:
    """Fit the path over the radii, once.

    Parameters
    ----------
    fit : Fitted
    radii : sequence of float, optional
        By default those of its cross-validation, else the method's own grid; for a method that
        shares no work between radii (an exact solver) none.
    """
    model, radius = fit.model, fit.model.can.radius
    if radii is not None and not radius:
        raise OptionError(
            f"radii={brief(radii)} needs radii, but method {model.name!r} has no radius: use {methods_with('radius')}"
        )
    task = fit._problem.task(fit.dissimilarity, limit=HOLD_LIMIT)
    source = task.D if model.can.nearest and fit.rule.prototypes.at is not None else None
    alone = partial(Steps, [fit], 0, source, [])
    if not radius:
        return alone()
    if radii is None and not model.shares_work:
        note = (
            "There is no slider of radii, as each radius is slow to solve: "
            "explore(radii=[...]) makes a slider of some."
        )
        return alone([note])
    requested: Any = GRID if radii is None else list(radii)
    if radii is None and radius in fit._selection.grid:
        curve, point, tried = fit._curve, fit._selection.point, fit._selection.grid
        if curve is not None:
            tried = (curve if point is None else curve._of_metric(point)).grid
        requested = tried[radius].unique().tolist()
    several = replace(model, **{radius: requested})
    # the other parameters are those that were chosen; only the radius has a grid
    grid = several.grid(task, np.bincount(task.y, minlength=task.classes))[radius].astype(float)
    grid = np.union1d(grid, [model.parameters()[radius]])
    try:
        path = several.path(task, {radius: grid})
    except TooLargeError as reason:
        if radii is not None:
            raise
        note = (
            f"There is no slider of radii: {reason}; explore(radii=[...]) shows those that you give."
        )
        return alone([note])
    if isinstance(path.at(0), Stepwise) and not isinstance(fit.rule, Stepwise):
        note = "There is no slider of radii, as a row was put in the place of a prototype."
        return alone([note])
    values = grid.tolist()
    own = values.index(model.parameters()[radius])
    fits = [
        fit if k == own else fit._derived(path.at(k), {radius: eps}) for k, eps in enumerate(values)
    ]
    return Steps(fits, own, source, values)


@dataclass(frozen=True)
class Details:
    """Facts on a prototype or a row that only the rule knows."""

    words: list[str] = field(default_factory=list)
    # values by class, the largest first, for each caption
    tables: dict[str, pd.Series] = field(default_factory=dict)


def find_details(fit: Fitted, name: Any) -> Details:
    """The details of the prototypes and of the row of a name."""
    row = find_row(fit, name)
    found = explain_row(fit, row) if row >= 0 else Details()
    return replace(
        found,
        words=[
            *(words for place in find_places(fit, name) for words in _describe_centre(fit, place)),
            *found.words,
        ],
    )


def _describe_centre(fit: Fitted, place: int) -> list[str]:
    """Facts of a set covering machine on a centre."""
    table = fit.rule.prototypes.table
    if "holds" not in table:
        return []
    centre = {name: values[place] for name, values in table.items()}
    return [
        f"A row counts as positive where {centre['holds']}, with radius {centre['radius']:.4g}; when chosen it covered "
        f"{centre['q']:g} examples and got {centre['r']:g} wrong."
    ]


def explain_row(fit: Fitted, row: int) -> Details:
    """Reasons for the class of a row of the fit, besides the nearest prototype and the balls that contain it."""
    rule, levels, words, tables = fit.rule, fit.classes, list[str](), dict[str, pd.Series]()
    if "prob" in rule.kinds:
        share, fitted = predict_row(fit, "prob", row), int(fit._fitted_codes[row])
        tables["Probability of each class"] = _by_class(fit, share)
        words.append(
            f"The probability, or proportion of votes, of {levels[fitted]} is {share[fitted]:.3g}."
        )
    if fit.model.can.own_distances:
        far, place = predict_row(fit, "distance", row), int(predict_row(fit, "nearest", row))
        level = levels[rule.prototypes.classes[place]]
        words.append(
            f"The nearest prototype is {shown(fit._prototype_names[place])} ({level}) at {far.min():.4g}."
        )
    if fit.model.has("explain"):
        words += fit.model.explain(fit._learned, fit.dissimilarity._query(np.array([row])))
    if "decision" in rule.kinds:
        values = predict_row(fit, "decision", row)
        tables["Decision for each class"] = _by_class(fit, values)
        if (values == values.max()).sum() > 1:
            words.append("Ties are broken in favour of the first class.")
    if not len(rule.prototypes) and not fit.model.has("feature_table"):
        words.append("There are no prototypes: every row is classified as the most common class.")
    return Details(words, tables)


def _by_class(fit: Fitted, values: np.ndarray) -> pd.Series:
    return pd.Series(values, fit.frame.levels).sort_values(ascending=False, kind="stable")


def read_predictors(fit: Fitted, place: int) -> pd.Series:
    """The predictors of the prototype at a place, in the units of the data."""
    coords = fit.rule.prototypes.coords
    if coords is not None:
        return as_vectors(fit.dissimilarity.metric).original(coords[[place]]).iloc[0]
    return fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)


def list_marks(fit: Fitted, coverage: Coverage, plane: Plane, name: Any) -> pd.DataFrame:
    """The marks of the picture, by name: rows, then the prototypes that are not rows.

    `what` ("row" or "prototype"), place `x`, `y`, `class`, `fitted`, `correct`; where the rule has
    them `nearest` (name of the prototype), `covered` (by a ball of the class) and `miscovered`
    (balls of other classes that hold the row); `order` (as a prototype, from 1) and `stands_for`
    (the class of the prototype); `selected`.
    """
    frame, levels, prototypes = fit.frame, fit.frame.levels, fit.rule.prototypes
    out = pd.DataFrame({"what": "row", "x": plane.rows[:, 0], "y": plane.rows[:, 1]}, frame.index)
    out["class"] = pd.Categorical.from_codes(frame.codes, levels)
    out["fitted"] = pd.Categorical.from_codes(coverage.fitted, levels)
    out["correct"] = coverage.fitted == frame.codes
    names = fit._prototype_names
    if coverage.nearest is not None and len(prototypes):
        out["nearest"] = names.to_numpy(object)[coverage.nearest]
    if coverage.first is not None:
        out["covered"], out["miscovered"] = coverage.first >= 0, coverage.wrong
    places = list_shown(fit)
    stands_for = pd.Categorical.from_codes(prototypes.classes[places], levels)
    chosen = pd.DataFrame({"order": places + 1, "stands_for": stands_for}, names[places])
    # a centre of several machines stands at its first place
    chosen = chosen[~chosen.index.duplicated()]
    out = out.join(chosen)
    aside = places[~names[places].isin(frame.index)]
    if len(aside):
        spots = plane.locate(prototypes)[aside]
        others = pd.DataFrame(
            {"what": "prototype", "x": spots[:, 0], "y": spots[:, 1]}, names[aside]
        )
        out = pd.concat([out, others.join(chosen)])
    out["order"] = out["order"].astype("Int64")
    return out.assign(selected=[each == name for each in out.index] if name is not None else False)
