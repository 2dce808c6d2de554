"""What is known of one prototype and of one row: the rows and prototypes that it has to do with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Source
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, shown
from ..metrics.base import as_vectors
from .coverage import Coverage
from .members import lies_within
from .prototypes import (
    find_name,
    find_places,
    list_names,
    list_rows,
    measure_apart,
    measure_prototype,
    measure_rows,
    predict_row,
)

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
    row = find_name(fit, name)[1]
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
    names = list_names(fit)
    d, own = measure_prototype(fit, source, place), codes == prototypes.classes[place]
    groups: dict[str, np.ndarray] = {}
    if coverage.first is not None and prototypes.radii is not None:
        inside, first = lies_within(fit, d, prototypes.radii[place]), coverage.first == place
        groups = {COVERS: first, HOLDS: inside & own & ~first, WRONGLY: inside & ~own}
    elif coverage.nearest is not None:
        groups = {NEAREST_TO: coverage.nearest == place}
    elif prototypes.radii is not None:
        groups = {WITHIN: lies_within(fit, d, prototypes.radii[place])}
    rows = [_list_rows(fit, relation, np.flatnonzero(mask), d) for relation, mask in groups.items()]
    at, far = find_rivals(fit, source, place)
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


def find_rivals(fit: Fitted, source: Source | None, place: int, count: int = RIVALS) -> tuple[np.ndarray, np.ndarray]:
    """The nearest prototypes of other classes than a prototype's, by place, and their distances; none where these are not known."""
    prototypes = fit.rule.prototypes
    others = np.flatnonzero(prototypes.classes != prototypes.classes[place])
    if not len(others):
        return others, np.empty(0)
    row = list_rows(prototypes, fit.dissimilarity)[[place]]
    if row[0] >= 0:
        far = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, row), float)[0, others]
    else:
        try:
            far = measure_apart(fit, np.array([place]), others)[0]
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
    name = list_names(fit)[here]
    table = _list_classes(fit, NEAREST, -far)
    table["value"] = -table["value"]
    table.loc[0, "label"] = name
    of = fit.classes[fit.rule.prototypes.classes[here]]
    words = f"The nearest prototype is {shown(name)} ({of}) at {far.min():.4g}."
    return np.array([here]), table[np.isfinite(table["value"])], [words]


def _find_nearest(fit: Fitted, source: Source | None, row: int) -> tuple[np.ndarray, pd.DataFrame, list[str]]:
    """The nearest prototype of each class, nearest first: places and a table. A page says it in words by itself."""
    prototypes, names = fit.rule.prototypes, list_names(fit)
    d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, np.array([row])), float)[0]
    rank = np.arange(len(prototypes)) if prototypes.at is None else prototypes.at
    order = np.lexsort((rank, prototypes.classes, d))
    _, first = np.unique(prototypes.classes[order], return_index=True)
    at = order[np.sort(first)]
    classes = _name_classes(fit, prototypes.classes[at])
    return at, pd.DataFrame({"relation": NEAREST, "label": names[at], "class": classes, "value": d[at]}), []


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


def read_predictors(fit: Fitted, place: int, row: int) -> pd.Series:
    """The predictors of a row, or where `row` is -1 of the prototype at a place, in the units of the data."""
    prototypes = fit.rule.prototypes
    if row >= 0:
        return fit.frame.columns.iloc[row]
    if prototypes.coords is not None:
        return as_vectors(fit.dissimilarity.metric).original(np.asarray(prototypes.coords)[[place]]).iloc[0]
    return fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)


def list_features(fit: Fitted) -> list[str]:
    """The features of a rule in words, in the order chosen; none where it has prototypes alone."""
    if not fit.model.has("feature_table"):
        return []
    table = fit.model.feature_table(fit.learned)
    names = [f"{machine}: " for machine in table["machine"]] if "machine" in table else [""] * len(table)
    return [f"{name}{words}" for name, words in zip(names, table["rule"], strict=True)]
