"""What is known of one prototype and of one row, and of all of them as a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows
from ..analysis.why import why
from ..core.sources import Source
from ..core.task import ASSIGNED, COVERED
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, shown
from ..metrics.base import as_vectors
from .geometry import Plane
from .prototypes import (
    Coverage,
    find_name,
    find_places,
    lies_within,
    list_names,
    list_rows,
    list_shown,
    measure_apart,
    measure_prototype,
    predict_row,
    shorten,
)
from .words import write_field, write_number

RIVALS = 5
COVERS, HOLDS, WRONGLY = "covers first", "holds, covered before", "holds wrongly"
NEAREST_TO, WITHIN, RIVAL = "is nearest to", "within its radius", "rival"
NEAREST, VOTE, DECISION = "nearest of class", "probability of class", "decision for class"
NONE = np.empty(0, np.int64)
MISSING = "missing"
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


def read_predictors(fit: Fitted, place: int, row: int) -> pd.Series:
    """The predictors of a row, or where `row` is -1 of the prototype at a place, in the units of the data."""
    prototypes = fit.rule.prototypes
    if row >= 0:
        return fit.frame.columns.iloc[row]
    if prototypes.coords is not None:
        return as_vectors(fit.dissimilarity.metric).original(np.asarray(prototypes.coords)[[place]]).iloc[0]
    return fit.prototypes.iloc[place].reindex(fit.frame.columns.columns)


@dataclass(frozen=True)
class Profiles:
    """What is known of some prototypes.

    Attributes
    ----------
    heads : DataFrame
        One row for each prototype, by name: `class`, `order` from 1, `true_class` (if it differs, else ""), `newly_covered` and
        `miscovered` where the rule has them, `rival` (name of the nearest prototype of another class), `rival_distance`, and `tied`:
        whether all prototypes of other classes, several, are as far.
    table : DataFrame
        One row for each prototype and variable: `prototype`, `variable`, `value` and `usual` (texts; the median of the class, or its
        most frequent value); `apart`: the difference of the two in standard deviations of the variable, NaN for what is no number; and
        `counts`: its square, times the learned weight if there is one.
    count : int
        Prototypes that there are.
    """

    heads: pd.DataFrame
    table: pd.DataFrame
    count: int


def list_profiles(fit: Fitted, count: int) -> Profiles:
    """The profiles of the first `count` prototypes.

    Raises
    ------
    NotAvailable
        Where no prototypes were chosen.
    """
    shown = list_shown(fit)
    if not len(shown):
        raise NotAvailable("the fit has no selected prototypes to show")
    prototypes, names, rows = fit.rule.prototypes, list_names(fit), list_rows(fit.rule.prototypes, fit.dissimilarity)
    usual = [_find_usual(fit, code) for code in range(len(fit.classes))]
    heads, parts, other = [], [], fit.of_other_class
    for place in shown[:count].tolist():
        code = int(prototypes.classes[place])
        at, far = find_rivals(fit, None, place, len(prototypes))
        head = {"class": fit.classes[code], "order": place + 1}
        head["true_class"] = str(fit.prototype_table["true_class"].iloc[place]) if other[place] else ""
        counted = COVERED if COVERED[0] in prototypes.table else ASSIGNED
        head |= {name: prototypes.table[name][place] for name in counted if name in prototypes.table}
        rival = {"rival": names[at[0]], "rival_distance": far[0]} if len(at) else {"rival": None, "rival_distance": np.nan}
        heads.append(head | rival | {"tied": len(at) > 1 and bool(far[0] == far[-1])})
        part = _compare(fit, read_predictors(fit, place, int(rows[place])), usual[code])
        parts.append(part.assign(prototype=[names[place]] * len(part)))
    table, weights = pd.concat(parts, ignore_index=True), fit.dissimilarity.metric.column_weights
    learned = 1.0 if weights is None else table["variable"].map(weights["weight"]).fillna(1.0)
    table["counts"] = learned * table["apart"] ** 2
    columns = ["prototype", "variable", "value", "usual", "apart", "counts"]
    return Profiles(pd.DataFrame(heads, names[shown[:count]]), table[columns], len(shown))


def _find_usual(fit: Fitted, code: int) -> pd.Series:
    """The median of each numeric predictor in a class, and the most frequent value of others."""
    own = fit.frame.columns[fit.frame.codes == code]
    out = {}
    for name, column in fit.frame.schema.items():
        values = own[name].dropna()
        none = values.empty or column.kind == "series"
        out[name] = None if none else values.median() if column.kind == "numeric" else values.mode().iloc[0]
    return pd.Series(out, dtype=object)


def _compare(fit: Fitted, row: pd.Series, usual: pd.Series) -> pd.DataFrame:
    lines = []
    for name, column in fit.frame.schema.items():
        value, middle, apart = row[name], usual[name], np.nan
        if column.kind == "numeric" and middle is not None:
            spread = float(fit.frame.columns[name].std(ddof=1))
            apart = (float(value) - float(middle)) / spread if spread > 0 else 0.0
        lines.append((str(name), write_field(value, 24), "" if middle is None else write_field(middle, 24), apart))
    return pd.DataFrame(lines, columns=["variable", "value", "usual", "apart"]).astype({"apart": float})


def describe_head(head: pd.Series, name: object) -> list[str]:
    """What stands above a card: its place, name and class; what it covers; its rival."""
    lines = [f"{head['order']}. {shorten(str(name), 20)}: {shorten(str(head['class']), 20)}"]
    if head["true_class"]:
        lines.append(f"a row of class {shorten(head['true_class'], 20)}")
    for (right, wrong), words in ((COVERED, "covers {:g} new"), (ASSIGNED, "nearest to {:g}")):
        if right in head:
            lines.append(words.format(head[right]) + (f", {head[wrong]:g} wrong" if head.get(wrong, 0) else ""))
    if head["tied"]:
        lines.append(f"all rivals at {write_number(float(head['rival_distance']))}")
    elif head["rival"] is not None:
        lines.append(f"rival {shorten(str(head['rival']), 20)} at {write_number(float(head['rival_distance']))}")
    return lines


def list_reasons(fit: Fitted, row: Any) -> pd.DataFrame:
    """`Fit.why` for a picture: by how much each variable brings a row nearer to its prototype than to the rival.

    Parameters
    ----------
    fit : Fitted
    row : as in `Fit.why`

    Returns
    -------
    DataFrame
        One row for each variable, those that decide most first: `variable`, `value`, `prototype` and `rival` (their values, as
        texts), and `favour`, the part of the distance to the rival minus that of the distance to the prototype: the sum of all is
        the difference of the two distances. `attrs` are those of `Fit.why`.

    Raises
    ------
    NotAvailable
        Where distances can't be divided among variables, or one class alone has prototypes.
    """
    table = why(fit, row)
    if "not_additive" in table.attrs:
        raise NotAvailable(f"plot('why') divides distances among variables, but {table.attrs['not_additive']}")
    if "rival" not in table.attrs:
        raise NotAvailable("plot('why') needs a prototype of another class to compare with, but there is none")
    out = pd.DataFrame({"variable": table.index.astype(str)})
    for name in ("value", "prototype", "rival"):
        out[name] = [MISSING if np.ndim(value) == 0 and pd.isna(value) else write_field(value, 24) for value in table[name]]
    out["favour"] = (table["to_rival"] - table["to_prototype"]).to_numpy(float)
    out = out.sort_values("favour", key=lambda values: -values.abs(), kind="stable", ignore_index=True)
    out.attrs |= table.attrs
    return out


BALLS = 60  # prototypes whose balls are drawn, the first chosen


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
    names = list_names(fit)
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
