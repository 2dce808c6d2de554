"""What is known of one prototype and of one row, and of all of them as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows, take
from ..core.sources import Source
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, shown
from ..metrics.base import as_vectors
from ..tables.words import list_shown
from .coverage import (
    Coverage,
    find_places,
    find_row,
    lies_within,
    measure_apart,
    predict_row,
)
from .plane import Plane

RIVALS = 5
COVERS, HOLDS, WRONGLY = "covers first", "holds, covered before", "holds wrongly"
NEAREST_TO, WITHIN, RIVAL = "is nearest to", "within its radius", "rival"
NEAREST, VOTE, DECISION = "nearest of class", "probability of class", "decision for class"
NONE = np.empty(0, np.int64)
COLUMNS = ["relation", "label", "class", "value"]


@dataclass(frozen=True)
class Details:
    """What a prototype or a row has to do with others."""

    table: pd.DataFrame  # `relation`, `label`, `class` and `value`: a distance, or the share of votes or the decision value for a class
    words: list[str]  # what the rule alone can say
    decided: np.ndarray = field(default_factory=lambda: NONE)  # places of the prototypes that decide on a row, the nearest of each class


def find_details(fit: Fitted, source: Source | None, coverage: Coverage, name: Any) -> Details:
    """The details of each prototype of a name, and of the row of that name; empty where there is neither."""
    row = find_row(fit, name)
    found = [find_relations(fit, source, coverage, place) for place in find_places(fit, name)]
    found += [explain_row(fit, source, coverage, row)] if row >= 0 else []
    if not found:
        return Details(pd.DataFrame(columns=COLUMNS), [])
    table = pd.concat([each.table for each in found], ignore_index=True)
    return Details(table, [words for each in found for words in each.words], found[0].decided)


def find_relations(fit: Fitted, source: Source | None, coverage: Coverage, place: int) -> Details:
    """What the prototype at a place in the order covers first and wrongly, and which prototypes of other classes are near.

    Where the rule has no balls that cover: which rows it is nearest to, or which lie within its radius.
    """
    prototypes, codes = fit.rule.prototypes, fit.frame.codes
    names = fit.prototype_names
    d = np.asarray(measure_rows(take(prototypes, np.array([place])), fit.dissimilarity, source, np.arange(fit.nobs)), float)[:, 0]
    own = codes == prototypes.classes[place]
    groups: dict[str, np.ndarray] = {}
    if coverage.first is not None and prototypes.radii is not None:
        inside, first = lies_within(fit, d, prototypes.radii[place]), coverage.first == place
        groups = {COVERS: first, HOLDS: inside & own & ~first, WRONGLY: inside & ~own}
    elif coverage.nearest is not None:
        groups = {NEAREST_TO: coverage.nearest == place}
    elif prototypes.radii is not None:
        groups = {WITHIN: lies_within(fit, d, prototypes.radii[place])}
    rows = [_list_rows(fit, relation, np.flatnonzero(mask), d) for relation, mask in groups.items()]
    at, far = find_rivals(fit, place)
    classes = _name_classes(fit, prototypes.classes[at])
    rivals = pd.DataFrame({"relation": RIVAL, "label": names[at], "class": classes, "value": far})
    return Details(pd.concat([*rows, rivals], ignore_index=True)[COLUMNS], _describe_centre(fit, place))


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


def find_rivals(fit: Fitted, place: int, count: int = RIVALS) -> tuple[np.ndarray, np.ndarray]:
    """The nearest prototypes of other classes than a prototype's, by place, and their distances; none where these are not known."""
    others = np.flatnonzero(fit.rule.prototypes.classes != fit.rule.prototypes.classes[place])
    try:
        far = measure_apart(fit, np.array([place]), others)[0] if len(others) else np.empty(0)
    except NotAvailable:
        return others[:0], np.empty(0)
    first = np.argsort(far, kind="stable")[:count]
    return others[first], far[first]


def explain_row(fit: Fitted, source: Source | None, coverage: Coverage, row: int) -> Details:
    """What decides on the class of a row of the fit, beside the nearest prototype and the balls that hold it."""
    rule, levels = fit.rule, fit.classes
    words: list[str] = []
    tables: list[pd.DataFrame] = []
    at = NONE
    if "prob" in rule.kinds:
        share, fitted = predict_row(fit, "prob", row), int(coverage.fitted[row])
        tables.append(_list_classes(fit, VOTE, share))
        words.append(f"The probability, or share of votes, of {levels[fitted]} is {share[fitted]:.3g}.")
    if "nearest" in rule.kinds and len(rule.prototypes):
        at, near, why = _read_nearest(fit, row) if fit.model.can.own_distances else _find_nearest(fit, source, row)
        tables.append(near)
        words += why
    if fit.model.has("explain"):
        words += fit.model.explain(fit.learned, fit.dissimilarity.query(np.array([row])))
    if "decision" in rule.kinds:
        values = predict_row(fit, "decision", row)
        tables.append(_list_classes(fit, DECISION, values))
        if (values == values.max()).sum() > 1:
            words.append("Of classes with equal votes the first wins.")
    if not len(rule.prototypes) and not fit.model.has("feature_table"):
        words.append("There are no prototypes: every row is classified as the heaviest class.")
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=COLUMNS)
    return Details(table[COLUMNS], words, at)


def _read_nearest(fit: Fitted, row: int) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """The nearest prototype by the rule's own distances, which it gives by class: its place, a table, and words."""
    far, here = predict_row(fit, "distance", row), int(predict_row(fit, "nearest", row))
    name = fit.prototype_names[here]
    table = _list_classes(fit, NEAREST, -far)
    table["value"] = -table["value"]
    table.loc[0, "label"] = name
    of = fit.classes[fit.rule.prototypes.classes[here]]
    words = f"The nearest prototype is {shown(name)} ({of}) at {far.min():.4g}."
    return np.array([here]), table[np.isfinite(table["value"])], [words]


def _find_nearest(fit: Fitted, source: Source | None, row: int) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """The nearest prototype of each class, nearest first: places and a table. A page says it in words by itself."""
    prototypes, names = fit.rule.prototypes, fit.prototype_names
    d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, np.array([row])), float)[0]
    rank = np.arange(len(prototypes)) if prototypes.at is None else prototypes.at
    order = np.lexsort((rank, prototypes.classes, d))
    _, first = np.unique(prototypes.classes[order], return_index=True)
    at = order[np.sort(first)]
    classes = _name_classes(fit, prototypes.classes[at])
    words = ["All classes have a prototype at this same distance: the first class is predicted."]
    tied = bool(len(at) == len(fit.classes) and np.ptp(d[at]) == 0)
    return at, pd.DataFrame({"relation": NEAREST, "label": names[at], "class": classes, "value": d[at]}), words * tied


def _list_rows(fit: Fitted, relation: str, at: np.ndarray, d: np.ndarray) -> pd.DataFrame:
    at = at[np.argsort(d[at], kind="stable")]
    names, classes = fit.frame.index[at], _name_classes(fit, fit.frame.codes[at])
    return pd.DataFrame({"relation": relation, "label": names, "class": classes, "value": d[at]})


def _list_classes(fit: Fitted, relation: str, values: np.ndarray) -> pd.DataFrame:
    order = np.argsort(-values, kind="stable")
    classes = _name_classes(fit, order)
    return pd.DataFrame({"relation": relation, "label": None, "class": classes, "value": values[order]})


def _name_classes(fit: Fitted, codes: np.ndarray) -> np.ndarray:
    return np.asarray(fit.frame.levels.to_numpy(object)[codes], object)


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
