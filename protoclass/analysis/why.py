"""Explanations of a row's class: the part of each variable, the certified radius, and whether dissimilarities separate a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.properties import asymmetry, triangles
from ..core.neighbours.nearest import class_distances
from ..core.query import distances_by
from ..core.sources import part
from ..core.statistics.roc import auc
from ..core.statistics.scores import relative_margins
from ..core.task import Points
from ..estimation.fitted import Fitted
from ..frames.frame import predictors_of_columns
from ..frames.tables import as_given, as_pandas
from ..ground.errors import DataError, NotAvailable, OptionError, brief, short, shown
from ..metrics.base import TrainedMetric
from ..metrics.dissimilarity import Dissimilarity
from .importance import variable_groups

VALUES = 201  # of a numeric variable that are tried, over the range of the training rows
HALVINGS = 40
SLACK = 1e-3  # relative difference of a distance from the sum of its parts, for many columns in single precision
ROWS = 400_000  # changed rows that are predicted together; a column of them takes 3 MB
PAIRS = 20_000_000  # of changed rows and prototypes whose distances are in memory together, 160 MB
# columns with an entry for each variable
COLUMNS = ("value", "prototype", "rival", "to_prototype", "to_rival", "counterfactual", "counterfactual_class")


def why(fit: Fitted, row: Any) -> Any:
    """Explain predictions: contributions of the variables to the distances, and counterfactual values.

    The row is compared with its nearest prototype of the predicted class and with its nearest prototype of any other class (the
    rival). This describes the fitted model, not the causes of the class.

    Parameters
    ----------
    row : label, Series, dict or DataFrame of one row; or list of labels, or DataFrame of several rows
        Training rows by their labels, or any rows with the predictors.

    Returns
    -------
    DataFrame
        For one row, a table by variable:

        * `value`, `prototype`, `rival`: the value of the row, of the nearest prototype of the predicted class, and of the rival;
        * `to_prototype`, `to_rival`: contributions of the variable to the two distances (see Notes); NaN if the distance is not
          additive, with the reason in `attrs["not_additive"]`;
        * `counterfactual`, `counterfactual_class`: the value nearest to the row's own that changes the predicted class, and this
          class; None if no value does.

        `attrs` has the class, the labels of both prototypes and the distances to them.

        For a list of labels, or several rows, the table has one line for each row and variable: `row` (its label), `class`
        (predicted), `variable` and the columns above. Five columns are in `attrs` for one row: `prototype_label`, `rival_label`,
        `prototype_distance`, `rival_distance` and `not_additive`. The table is from the library of the rows, or for
        labels of the data of the fit: pandas, polars or pyarrow.

    Raises
    ------
    NotAvailable
        If the prototypes are not rows, or if the dissimilarities were given as a matrix.

    Notes
    -----
    *Contributions.* A power of the distance is a sum over variables; the distance is divided in proportion to the terms. This is exact
    for Minkowski distances with r < inf, Gower and `Mixed`, and for the squared distances of `LDA`, `QDA` and of a learned matrix L. There
    the term of variable j is (x_j - w_j) (L (x - w))_j, for a row x and a prototype w. A negative term means that the difference in this
    variable makes the distance smaller, because differences in correlated variables make it likely. Gower compares two rows by the
    variables observed for both, and a variable that it skips contributes 0. So with missing values, the distances to the prototype and
    to the rival may be means over different variables.

    *Counterfactuals.* One variable is changed at a time. For a number, 201 values over the range of the training rows are tried, and
    the nearest with another class is refined. A slim fit tries only the values of its prototypes.

    See Also
    --------
    Fit.importance : permutation importance of the variables over all rows.
    Fit.criticisms : the rows that the prototypes explain worst.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.why(70)["to_prototype"].round(1).to_dict()
    {'sepal_length': 0.5, 'sepal_width': 0.2, 'petal_length': 0.3, 'petal_width': 0.2}
    >>> fit.why(70)["counterfactual_class"].unique().tolist()
    ['versicolor']
    >>> fit.why([70, 133]).groupby("row")[["to_prototype", "to_rival"]].sum().round(2).to_numpy().tolist()
    [[1.15, 1.43], [1.01, 1.02]]
    """
    asked, several = asked_rows(fit, row)
    prototypes, groups = fit.rule.prototypes, variable_groups(fit, None)
    if prototypes.at is None:
        raise NotAvailable("the prototypes are not rows, so their variables can't be compared: use a method such as 'pvm'")
    complete, unseen = fit.dissimilarity.new_query(asked)[2], fit.unseen_in(asked)
    if not complete.all():
        unseen.refuse()
        at = int(complete.argmin())
        missing = asked.columns[asked.isna().iloc[at]].tolist()
        raise DataError(f"{_in_words(asked, at, several)} has no value of {missing}, but every predictor is needed")
    tried = sum(
        VALUES if c.kind == "numeric" else fit.frame.remembered.columns[name].nunique()
        for name, c in fit.frame.schema.items() if c.kind != "series"
    )  # fmt: skip
    step = max(1, min(ROWS // max(1, tried), PAIRS // (len(groups) * max(1, len(prototypes)))))
    parts = [explain(fit, asked.iloc[start : start + step], groups, several) for start in range(0, len(asked), step)]
    fit.warn_of(unseen)
    found = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    if several:
        return as_given(_in_lines(fit, asked.index, list(groups), found), row if hasattr(row, "columns") else fit.call.data)
    out = pd.DataFrame({name: found.pop(name)[0] for name in COLUMNS}, pd.Index(list(groups), name="variable"))
    said = {name.removesuffix("_label"): values[0] for name, values in found.items() if values[0] is not None}
    out.attrs |= said | {"class": fit.classes[said["class"]]}
    return out


def asked_rows(fit: Fitted, row: Any) -> tuple[pd.DataFrame, bool]:
    """The predictors of rows of the fit, by label, or of a frame, a Series or a mapping; and whether several were given."""
    variable_groups(fit, None)  # raises if there are no predictors
    if isinstance(row, (pd.Series, dict)):
        return pd.DataFrame([dict(row)]), False
    if hasattr(row, "columns"):
        table = as_pandas(row)
        several = len(table) != 1
    else:
        several = isinstance(row, (list, pd.Index)) or getattr(row, "ndim", 0) == 1
        try:
            labels = pd.Index(row if several else [row], tupleize_cols=False).tolist()
            places = dict(zip(fit.frame.index.tolist(), range(len(fit.frame)), strict=True))
            at = [places[label] for label in labels]
        except (KeyError, ValueError, TypeError):  # unknown; or a value that is not a label, such as a set
            allowed = "a label of the rows of the fit or a list of labels, or rows as a DataFrame"
            raise OptionError(f"row must be {allowed}, not {brief(row)}") from None
        table = fit.frame.columns.iloc[at]
    if not len(table):
        raise OptionError(f"row must be at least one row, not {brief(row)}")
    return table, several


def _in_words(asked: pd.DataFrame, at: int, several: bool) -> str:
    return f"row {shown(asked.index[at])}" if several else "the row"


def _in_lines(fit: Fitted, labels: pd.Index, variables: list[str], found: dict[str, list[Any]]) -> pd.DataFrame:
    """One line for each row and variable."""
    count = len(variables)
    of_row = {name: [v for v in values for _ in range(count)] for name, values in found.items() if name not in COLUMNS}
    of_variable = {name: [v for values in found[name] for v in values] for name in COLUMNS}
    head = {"row": [v for v in labels for _ in range(count)], "class": pd.Categorical.from_codes(of_row.pop("class"), fit.frame.levels)}
    return pd.DataFrame({**head, "variable": variables * len(labels), **of_variable, **of_row})


def explain(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], several: bool) -> dict[str, list[Any]]:
    """By name of a column of `why` its entries, one for each row: a value, or those of all variables."""
    prototypes = fit.rule.prototypes
    query = fit.dissimilarity.new_query(asked)[0]
    d = distances_by(fit.rule, query)
    bad = query.missing if d.shape[1] else np.ones(len(asked), bool)
    if bad.any():
        raise NotAvailable(f"there is no prototype to compare {_in_words(asked, int(bad.argmax()), several)} with")
    codes = codes_of(fit, asked)
    own = prototypes.classes == codes[:, None]
    places = {"prototype": nearest_of(d, own), "rival": nearest_of(d, ~own)}
    predictors, plain, reasons = prototype_predictors(fit), as_plain(fit, asked), why_not_additive(fit, asked, groups)
    labels, distances, parts = dict[str, list[Any]](), dict[str, list[Any]](), dict[str, np.ndarray]()
    out: dict[str, list[Any]] = {"value": shown_values(asked, groups)}
    for name, at in places.items():
        near = d[np.arange(len(at)), at]
        labels[f"{name}_label"] = [fit.prototype_names[k] if k >= 0 else None for k in at]
        distances[f"{name}_distance"] = [float(v) if k >= 0 else None for v, k in zip(near, at, strict=True)]
        values = shown_values(predictors.iloc[at], groups)
        out[name] = [v if k >= 0 else [None] * len(groups) for v, k in zip(values, at, strict=True)]
        parts[name] = np.full((len(asked), len(groups)), np.nan)
        rows = np.flatnonzero((at >= 0) & np.array([not reason for reason in reasons]))
        if len(rows):
            parts[name][rows] = divided(fit, plain.iloc[rows], groups, as_plain(fit, predictors.iloc[at[rows]]), at[rows], near[rows])
        for i in rows:
            reasons[i] = why_not_the_sum(fit, parts[name][i], near[i])
    for name in places:
        out[f"to_{name}"] = np.where(np.array([bool(reason) for reason in reasons])[:, None], np.nan, parts[name]).tolist()
    out["counterfactual"], out["counterfactual_class"] = least_changes(fit, plain, groups, codes)
    return out | {"class": codes.tolist()} | labels | distances | {"not_additive": [reason or None for reason in reasons]}


def nearest_of(d: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The position of the lowest of the distances of each row (r,) among some prototypes, bool (r, q); -1 if there are none."""
    return np.where(among.any(axis=1), np.where(among, d, np.inf).argmin(axis=1), -1)


def prototype_predictors(fit: Fitted) -> pd.DataFrame:
    """The predictors of the prototypes, by their own names."""
    table, head = fit.prototypes, set(fit.prototype_table.columns)
    return table[[f"{c} (predictor)" if c in head else c for c in fit.frame.schema]].set_axis(list(fit.frame.schema), axis=1)


def as_plain(fit: Fitted, rows: pd.DataFrame) -> pd.DataFrame:
    """The predictors alone, numbers as floats and others as objects, so that rows take values of other rows as they are."""
    schema = fit.frame.schema.items()
    return pd.DataFrame(
        {c: rows[c].to_numpy(float, na_value=np.nan) if column.kind == "numeric" else rows[c].astype(object) for c, column in schema},
        rows.index,
    )


def shown_values(rows: pd.DataFrame, groups: dict[str, list[str]]) -> list[list[Any]]:
    """For each row the value of each variable, or the values of those that are measured together."""
    entries = {c: rows[c].tolist() for columns in groups.values() for c in columns}
    values = [entries[names[0]] if len(names) == 1 else list(zip(*(entries[c] for c in names), strict=True)) for names in groups.values()]
    return [list(row) for row in zip(*values, strict=True)]


def why_not_additive(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]]) -> list[str]:
    """For each row the reason why its distances cannot be divided among the variables; "" if they can."""
    metric, reason = fit.dissimilarity.metric, ""
    by_matrix = type(metric).contributions is not TrainedMetric.contributions
    if not (by_matrix if metric.power is None else np.isfinite(metric.power)):
        reason = f"{metric.name} dissimilarities are not a sum over variables"
    elif not fit.frame.formula.plain():
        reason = f"the formula {fit.formula!r} transforms or crosses columns"
    elif metric.skips_missing and not set(groups) <= set(metric.variables):
        misses = asked[list(fit.frame.schema)].isna().any(axis=1) | fit.frame.remembered.columns.isna().any(axis=None)
        words = "missing values are skipped pair by pair, so a variable's part depends on the others"
        return [words if missed else "" for missed in misses]
    return [reason] * len(asked)


def why_not_the_sum(fit: Fitted, parts: np.ndarray, distance: float) -> str:
    """The reason why parts do not add up to a distance, although the metric declares a sum; "" if they do."""
    if abs(parts.sum() - distance) <= SLACK * distance:
        return ""
    name = fit.dissimilarity.metric.name
    return f"{name} dissimilarities are declared a sum over variables, whose parts add up to {parts.sum():.4g} and not to {distance:.4g}"


def divided(
    fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], others: pd.DataFrame, at: np.ndarray, distance: np.ndarray
) -> np.ndarray:
    """The distances (r,) of rows, each to one prototype at a place, divided among the variables (r, v).

    Under a matrix the metric gives the parts of the squared distance. Otherwise the power of the distance is a sum over variables. So
    the part of a variable is the decrease when the row has the prototype's value of it; a metric that skips missing
    values would then weigh the other variables differently, so it gives the parts itself.
    """
    d = fit.dissimilarity
    if d.metric.power is None:
        both = [known.frame for rows in (asked, others) if (known := d.metric.new_rows(rows, d.data)).frame is not None]
        parts = d.metric.contributions(both[0], both[1], part(d.prototype_rep(fit.rule.prototypes), at))
        used = predictors_of_columns(both[0])
        of = np.array([[bool(made & set(columns)) for columns in groups.values()] for made in used], float)
        return np.asarray(parts @ of / np.where(distance > 0, distance, 1.0)[:, None])
    if d.metric.skips_missing and set(groups) <= set(d.metric.variables):
        known = d.metric.new_rows(asked, d.data, False)
        assert known.rows is not None
        unique, column = np.unique(at, return_inverse=True)
        terms = d.metric.terms(known.rows(), part(d.prototype_rep(fit.rule.prototypes), unique))
        terms = np.nan_to_num(terms[np.arange(len(at)), column])
        share = terms / np.where(distance > 0, terms.sum(axis=1), 1.0)[:, None]
        return np.asarray(distance[:, None] * share[:, [d.metric.variables.index(name) for name in groups]])
    instead = pd.concat([asked.assign(**{c: others[c].to_numpy() for c in columns}) for columns in groups.values()], ignore_index=True)
    left = np.asarray(distances_by(fit.rule, d.new_query(instead)[0]), float)[np.arange(len(instead)), np.tile(at, len(groups))]
    ratio = left.reshape(len(groups), len(at)).T / np.where(distance > 0, distance, np.inf)[:, None]
    return np.asarray(np.maximum(0.0, 1 - ratio**d.metric.power) * distance[:, None])


def least_changes(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], codes: np.ndarray) -> tuple[list[Any], list[Any]]:
    """For each row and variable its value nearest to the row's own with which the row has another class, and this class.

    None if no value of the training rows' range, or no level, gives another class, and for columns that are measured together.
    """
    known = fit.frame.schema
    alone = {columns[0]: v for v, columns in enumerate(groups.values()) if len(columns) == 1 and known[columns[0]].kind != "series"}
    numbers = [c for c in alone if known[c].kind == "numeric"]
    change, then = np.full((2, len(asked), len(groups)), None, object)
    for c in alone:
        if c not in numbers:
            change[:, alone[c]], then[:, alone[c]] = least_level(fit, asked, c, codes)
    for i, j, value, code in least_numbers(fit, asked, numbers, codes):
        change[i, alone[numbers[j]]], then[i, alone[numbers[j]]] = value, fit.classes[code]
    return change.tolist(), then.tolist()


def least_level(fit: Fitted, asked: pd.DataFrame, name: str, codes: np.ndarray) -> tuple[list[Any], list[Any]]:
    """For each row the first level of a variable with which it has another class, and this class."""
    levels = pd.Series(pd.unique(fit.frame.remembered.columns[name].dropna()), dtype=object)
    n, count = len(asked), len(levels)
    rows = asked.iloc[np.repeat(np.arange(n), count)].reset_index(drop=True)
    found = codes_of(fit, rows.assign(**{name: np.tile(levels, n)})).reshape(n, count)
    first = (found != codes[:, None]).argmax(axis=1)
    code = found[np.arange(n), first]
    pairs = [(levels[k], fit.classes[c]) if c != old else (None, None) for k, c, old in zip(first, code, codes, strict=True)]
    return [level for level, _ in pairs], [level for _, level in pairs]


def least_numbers(fit: Fitted, asked: pd.DataFrame, names: list[str], codes: np.ndarray) -> Iterator[tuple[int, int, float, int]]:
    """Row, variable, value and class of the nearest values of numeric variables that give another class; all are predicted together."""
    if not names:
        return
    own = asked[names].to_numpy(float)
    seen = fit.frame.remembered.columns[names].to_numpy(float, na_value=np.nan)
    line = np.linspace(np.nanmin(seen, axis=0), np.nanmax(seen, axis=0), VALUES, axis=1)  # (variables, VALUES)
    i, j = (where.ravel() for where in np.indices(own.shape))
    order = np.argsort(np.abs(line[j] - own[i, j][:, None]), axis=1, kind="stable")
    values = np.take_along_axis(line[j], order, axis=1)  # (rows x variables, VALUES), the nearest to the row's own first
    differs = codes_with(fit, asked, names, i, j, values) != codes[i, None]
    cells = np.flatnonzero(differs.any(axis=1))
    changed = values[cells, differs[cells].argmax(axis=1)]
    i, j = i[cells], j[cells]
    same = own[i, j]
    if not len(i):
        return
    for _ in range(HALVINGS):
        middle = (same + changed) / 2
        stays = codes_with(fit, asked, names, i, j, middle[:, None])[:, 0] == codes[i]
        same, changed = np.where(stays, middle, same), np.where(stays, changed, middle)
    then = codes_with(fit, asked, names, i, j, changed[:, None])[:, 0]
    yield from zip(i.tolist(), j.tolist(), changed.tolist(), then.tolist(), strict=True)


def codes_with(fit: Fitted, asked: pd.DataFrame, names: list[str], i: np.ndarray, j: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The codes of the classes (cells, values) that row i would have with other values of numeric variable j alone, for each cell."""
    count = values.shape[1]
    rows = asked.iloc[np.repeat(i, count)].reset_index(drop=True)
    numbers = rows[names].to_numpy(float, copy=True)
    numbers[np.arange(len(rows)), np.repeat(j, count)] = values.ravel()
    return codes_of(fit, rows.assign(**dict(zip(names, numbers.T, strict=True)))).reshape(values.shape)


def codes_of(fit: Fitted, rows: pd.DataFrame) -> np.ndarray:
    """The codes of the classes of rows like the given ones."""
    return np.asarray(fit.predictions(rows, unseen=None).cat.codes.to_numpy())


SAMPLE = 300  # rows among which the triangle inequality may be refuted, all triples of them


def margins(distance: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The distance to the nearest prototype of any other class minus the distance to the class, (r,); NaN if either is unknown.

    By the triangle inequality a row that moves by less than half of the margin of its fitted class, in the dissimilarity of the fit,
    keeps it.

    Parameters
    ----------
    distance : array (r, classes)
        Distances to the nearest prototype of each class.
    codes : int array (r,)
        Class codes, -1 for none.
    """
    at = np.arange(len(codes))
    own = np.where(codes >= 0, distance[at, codes], np.nan)
    others = distance.copy()
    others[at, codes] = np.inf
    with np.errstate(invalid="ignore"):  # no prototypes at all: inf - inf
        return np.asarray(others.min(axis=1) - own)


@dataclass(frozen=True, eq=False)
class CertifiedDistances:
    """How far rows can move without changing their predicted class, computed at its first use."""

    fit: Fitted
    new: pd.DataFrame
    at: np.ndarray  # int (n,): which rows of `new`

    __repr__ = short

    @cached_property
    def reason(self) -> str:
        """The reason why no distance is certified; "" if it is."""
        return why_not_certified(self.fit)

    @cached_property
    def distance(self) -> np.ndarray:
        """The certified distance of each row (n,), half of its margin; see `margins`."""
        rows = self.new.iloc[self.at]
        distance = self.fit.predictions(rows, "distance", unseen=None).to_numpy(float)
        return margins(distance, self.fit.predictions(rows, unseen=None).cat.codes.to_numpy()) / 2

    def take(self, rows: np.ndarray) -> CertifiedDistances:
        """That of some of the rows."""
        return CertifiedDistances(self.fit, self.new, self.at[rows])


def stay_right(distance: np.ndarray, right: np.ndarray, size: float) -> np.ndarray:
    """Whether rows are right and stay so under every change smaller than `size`, (n,); at 0 whether they are right.

    Parameters
    ----------
    distance : array (n,)
        Certified distances; a row with a tie has 0, one whose distances are not known NaN.
    right : bool array (n,)
        Whether the predicted class is the true one.
    """
    return np.asarray(right if size == 0 else right & (distance >= size))


def why_not_certified(fit: Fitted) -> str:
    """The reason why no distance is certified for the rows of a fit; "" if it is."""
    if not fit.model.can.nearest:
        return f"method {fit.model.name!r} does not predict the class of the nearest prototype"
    if fit.model.can.own_distances:
        return "the rule does not use the distances of the metric"
    if len(fit.rule.prototypes) == 0:
        return "the rule has no prototypes"
    metric = fit.dissimilarity.metric
    if fit.frame.keep:
        return "missing values are skipped pair by pair, so the triangle inequality may fail"
    if metric.triangle and not metric.opaque:
        return ""
    refuted = why_no_metric(fit.dissimilarity)
    if refuted or metric.triangle:
        return refuted
    asked = any(f.name == "triangle" for f in fields(metric.spec))
    cure = f": if they do for all possible rows, use {type(metric.spec).__name__}(..., triangle=True)" if asked else ""
    return f"it is not known that {metric.name} dissimilarities satisfy the triangle inequality{cure}"


def why_no_metric(dissimilarity: Dissimilarity) -> str:
    """Evidence from dissimilarities among some candidates that they are not a metric; "" if there is none."""
    rows, metric = dissimilarity.candidate_row, dissimilarity.metric
    own = np.flatnonzero(rows >= 0)
    if len(own) < 3:
        return ""
    chosen = np.sort(np.random.default_rng(0).permutation(own)[:SAMPLE])
    P = np.asarray(metric.between(part(dissimilarity.rows, rows[chosen]), part(dissimilarity.candidates, chosen)), float)
    if asymmetry(P).beyond:
        return f"{metric.name} dissimilarities are asymmetric"
    tested = triangles(P, exact=SAMPLE)
    if tested.violated:
        return f"{metric.name} dissimilarities violate the triangle inequality in {tested.violated} of {tested.tested} triples"
    return ""


MOST_ROWS = 100  # of the class, and of the other classes, that are looked at
MOST_PAIRS = 2_000_000
CLEAR = 1.645  # standard errors above 1/2: a one-sided test at 5 %


def tells_apart(fit: Fitted, code: int) -> bool | None:
    """Whether the dissimilarities separate the rows of a class from others; None if the check would take long.

    The area under the ROC curve of the relative margins to the nearest other rows, of up to 100 rows of the class and 100 of others, is
    compared with 1/2 by the rank-sum test (Mann and Whitney 1947) at 5 %.
    """
    dissimilarity, y, w = fit.dissimilarity, fit.frame.codes, fit.frame.weights
    if fit.frame.absent is not None or dissimilarity.metric.slow:
        return None
    own, others = (_some(np.flatnonzero(mask & (w > 0))) for mask in (y == code, y != code))
    rows, row_of = np.concatenate([own, others]), np.asarray(dissimilarity.candidate_row)
    columns = np.flatnonzero(row_of >= 0)
    if len(rows) * len(columns) > MOST_PAIRS or not len(own) or not len(others):
        return None
    points = Points(y[row_of[columns]], at=columns)
    query = dissimilarity.query(rows)
    D = np.array(query.dissimilarities(points), float)
    D[rows[:, None] == row_of[columns][None, :]] = np.inf  # no row is its own neighbour
    complete = ~query.missing
    margins = relative_margins(class_distances(D, points, len(fit.classes)))[complete, code]
    positive = (np.arange(len(rows)) < len(own))[complete]
    count, rest = int(positive.sum()), int((~positive).sum())
    if count == 0 or rest == 0:
        return None
    spread = np.sqrt((count + rest + 1) / (12 * count * rest))
    return bool((auc(margins, positive, np.ones(len(margins))).estimate.value - 0.5) / spread > CLEAR)


def _some(rows: np.ndarray) -> np.ndarray:
    """Up to `MOST_ROWS` of some rows, evenly spaced."""
    return rows if len(rows) <= MOST_ROWS else rows[np.linspace(0, len(rows) - 1, MOST_ROWS).astype(int)]
