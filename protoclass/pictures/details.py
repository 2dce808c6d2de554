"""What decides on the row that is selected in an explorer, and the table of what its map shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows
from ..core.sources import Source
from ..estimation.fitted import Fitted
from ..ground.errors import shown
from ..metrics.base import as_vectors
from ..tables.words import list_shown
from .coverage import Coverage, find_places, find_row, predict_row
from .plane import Plane

NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Details:
    """What the rule alone can say of a prototype or a row."""

    words: list[str] = field(default_factory=list)
    tables: dict[str, pd.Series] = field(default_factory=dict)  # by caption: a value for each class, the largest first
    decided: np.ndarray = field(default_factory=lambda: NONE)  # places of the prototypes that decide on a row, the nearest of each class


def find_details(fit: Fitted, source: Source | None, coverage: Coverage, name: Any) -> Details:
    """The details of the prototypes and of the row of a name."""
    places, row = find_places(fit, name), find_row(fit, name)
    found = explain_row(fit, source, coverage, row) if row >= 0 else Details()
    words = [words for place in places for words in _describe_centre(fit, place)]
    return replace(found, words=[*words, *found.words], decided=NONE if places else found.decided)


def _describe_centre(fit: Fitted, place: int) -> list[str]:
    """What a set covering machine knows of a centre."""
    table = fit.rule.prototypes.table
    if "holds" not in table:
        return []
    centre = {name: values[place] for name, values in table.items()}
    return [
        f"A row counts as positive where {centre['holds']}, with radius {centre['radius']:.4g}; when chosen it covered "
        f"{centre['q']:g} examples and got {centre['r']:g} wrong."
    ]


def explain_row(fit: Fitted, source: Source | None, coverage: Coverage, row: int) -> Details:
    """What decides on the class of a row of the fit, beside the nearest prototype and the balls that hold it."""
    rule, levels, words, tables, at = fit.rule, fit.classes, list[str](), dict[str, pd.Series](), NONE
    if "prob" in rule.kinds:
        share, fitted = predict_row(fit, "prob", row), int(coverage.fitted[row])
        tables["Probability of each class"] = _by_class(fit, share)
        words.append(f"The probability, or share of votes, of {levels[fitted]} is {share[fitted]:.3g}.")
    if "nearest" in rule.kinds and len(rule.prototypes):
        at, why = _read_nearest(fit, row) if fit.model.can.own_distances else _find_nearest(fit, source, row)
        words += why
    if fit.model.has("explain"):
        words += fit.model.explain(fit.learned, fit.dissimilarity._query(np.array([row])))
    if "decision" in rule.kinds:
        values = predict_row(fit, "decision", row)
        tables["Decision for each class"] = _by_class(fit, values)
        if (values == values.max()).sum() > 1:
            words.append("Of classes with equal votes the first wins.")
    if not len(rule.prototypes) and not fit.model.has("feature_table"):
        words.append("There are no prototypes: every row is classified as the heaviest class.")
    return Details(words, tables, at)


def _by_class(fit: Fitted, values: np.ndarray) -> pd.Series:
    return pd.Series(values, fit.frame.levels).sort_values(ascending=False, kind="stable")


def _read_nearest(fit: Fitted, row: int) -> tuple[np.ndarray, list[str]]:
    """The place of the nearest prototype by the rule's own distances, and words."""
    far, here = predict_row(fit, "distance", row), int(predict_row(fit, "nearest", row))
    of = fit.classes[fit.rule.prototypes.classes[here]]
    return np.array([here]), [f"The nearest prototype is {shown(fit.prototype_names[here])} ({of}) at {far.min():.4g}."]


def _find_nearest(fit: Fitted, source: Source | None, row: int) -> tuple[np.ndarray, list[str]]:
    """The places of the nearest prototype of each class, nearest first. A page says it in words by itself."""
    prototypes = fit.rule.prototypes
    d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, np.array([row])), float)[0]
    rank = np.arange(len(prototypes)) if prototypes.at is None else prototypes.at
    order = np.lexsort((rank, prototypes.classes, d))
    _, first = np.unique(prototypes.classes[order], return_index=True)
    at = order[np.sort(first)]
    words = ["All classes have a prototype at this same distance: the first class is predicted."]
    return at, words * bool(len(at) == len(fit.classes) and np.ptp(d[at]) == 0)


def read_predictors(fit: Fitted, place: int) -> pd.Series:
    """The predictors of the prototype at a place, in the units of the data."""
    coords = fit.rule.prototypes.coords
    if coords is not None:
        return as_vectors(fit.dissimilarity.metric).original(np.asarray(coords)[[place]]).iloc[0]
    return fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)


def list_marks(fit: Fitted, coverage: Coverage, plane: Plane, name: Any) -> pd.DataFrame:
    """What the picture shows, by name: rows, then the prototypes that are not rows.

    `what` ("row" or "prototype"), place `x`, `y`, `class`, `fitted`, `correct`; where the rule has them `nearest` (name of
    the prototype), `covered` (by a ball of the class) and `miscovered` (balls of other classes that hold the row); `order`
    (as a prototype, from 1) and `stands_for` (the class of the prototype); `selected`.
    """
    frame, levels, prototypes = fit.frame, fit.frame.levels, fit.rule.prototypes
    out = pd.DataFrame({"what": "row", "x": plane.rows[:, 0], "y": plane.rows[:, 1]}, frame.index)
    out["class"] = pd.Categorical.from_codes(frame.codes, levels)
    out["fitted"] = pd.Categorical.from_codes(coverage.fitted, levels)
    out["correct"] = coverage.fitted == frame.codes
    names = fit.prototype_names
    if coverage.nearest is not None and len(prototypes):
        out["nearest"] = names.to_numpy(object)[coverage.nearest]
    if coverage.first is not None:
        out["covered"], out["miscovered"] = coverage.first >= 0, coverage.wrong
    at = list_shown(fit)
    stands_for = pd.Categorical.from_codes(prototypes.classes[at], levels)
    chosen = pd.DataFrame({"order": at + 1, "stands_for": stands_for}, names[at])
    chosen = chosen[~chosen.index.duplicated()]  # a centre of several machines stands at its first place
    out = out.join(chosen[chosen.index.isin(frame.index)])
    aside = np.array([k for k in at if names[k] not in frame.index], int)
    if len(aside):
        spots = plane.locate(prototypes)[aside]
        others = pd.DataFrame({"what": "prototype", "x": spots[:, 0], "y": spots[:, 1]}, names[aside])
        out = pd.concat([out, others.join(chosen)])
    out["order"] = out["order"].astype("Int64")
    return out.assign(selected=[each == name for each in out.index] if name is not None else False)
