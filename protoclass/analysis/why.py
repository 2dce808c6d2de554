"""Explanations of a row's class: the part of each variable in its distances, and the values that would change it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..core.query import distances_by, of_complete
from ..core.sources import part
from ..estimation.fitted import Fitted
from ..frames.frame import predictors_of_columns
from ..frames.tables import as_pandas
from ..ground.errors import DataError, NotAvailable, OptionError, brief
from ..metrics.base import TrainedMetric
from .importance import variable_groups

VALUES = 201  # of a numeric variable that are tried, over the range of the training rows
HALVINGS = 40
SLACK = 1e-3  # relative difference of a distance from the sum of its parts, for many columns in single precision
COLUMNS = ["value", "prototype", "rival", "to_prototype", "to_rival", "counterfactual", "counterfactual_class"]


def why(fit: Fitted, row: Any) -> Any:
    """Explain predictions: contributions of the variables to the distances, and counterfactual values.

    The row is compared with its nearest prototype of the predicted class and with its nearest prototype of any other class (the
    rival). This describes the fitted model, not the causes of the class.

    Parameters
    ----------
    row : label, Series, dict or DataFrame of one row
        A training row by its label, or any row with the predictors.

    Returns
    -------
    DataFrame
        A table by variable:

        * `value`, `prototype`, `rival`: the value of the row, of the nearest prototype of the predicted class, and of the rival;
        * `to_prototype`, `to_rival`: contributions of the variable to the two distances (see Notes); NaN if the distance is not
          additive, with the reason in `attrs["not_additive"]`;
        * `counterfactual`, `counterfactual_class`: the value nearest to the row's own that changes the predicted class, and this
          class; None if no value does.

        `attrs` has the class, the labels of both prototypes and the distances to them.

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
    """
    asked, groups, prototypes = asked_row(fit, row), variable_groups(fit, None), fit.rule.prototypes
    if prototypes.at is None:
        raise NotAvailable("the prototypes are not rows, so their variables can't be compared: use a method such as 'pvm'")
    (query, _, complete), unseen = fit.dissimilarity.new_query(asked), fit.unseen_in(asked)
    if not complete.all():
        unseen.refuse()
        missing = asked.columns[asked.isna().iloc[0]].tolist()
        raise DataError(f"the row has no value of {missing}, but every predictor is needed")
    distances, measured = of_complete(query, lambda part: distances_by(fit.rule, part))
    if not measured.all() or not distances.size:
        raise NotAvailable("there is no prototype to compare the row with")
    d = distances[0]
    code = int(codes_of(fit, asked)[0])
    own, attrs = prototypes.classes == code, dict[str, Any]()
    predictors, plain, reason = prototype_predictors(fit), as_plain(fit, asked), why_not_additive(fit, asked, groups)
    out = {"value": shown_values(asked, groups)}
    parts = dict.fromkeys(("to_prototype", "to_rival"), np.full(len(groups), np.nan))
    for name, among in (("prototype", own), ("rival", ~own)):
        out[name] = [None] * len(groups)
        if not among.any():
            continue
        at = int(np.where(among, d, np.inf).argmin())
        attrs |= {name: fit.prototype_names[at], f"{name}_distance": float(d[at])}
        out[name] = shown_values(predictors.iloc[[at]], groups)
        if not reason:
            parts[f"to_{name}"] = divided(fit, plain, groups, as_plain(fit, predictors.iloc[[at]]), at, d[at])
            reason = why_not_the_sum(fit, parts[f"to_{name}"], d[at])
    if reason:
        parts, attrs["not_additive"] = dict.fromkeys(parts, np.full(len(groups), np.nan)), reason
    table = pd.DataFrame({**out, **parts, **least_changes(fit, plain, groups, code)}, pd.Index(list(groups), name="variable"))[COLUMNS]
    table.attrs |= attrs | {"class": fit.classes[code]}
    fit.warn_of(unseen)
    return table


def asked_row(fit: Fitted, row: Any) -> pd.DataFrame:
    """The predictors of a row of the fit, by label, or of a frame of one row, a Series or a mapping."""
    variable_groups(fit, None)  # raises if there are no predictors
    if isinstance(row, (pd.Series, dict)):
        return pd.DataFrame([dict(row)])
    if hasattr(row, "columns"):
        table = as_pandas(row)
        if len(table) != 1:
            raise OptionError(f"row must be a single row, not {len(table)} rows: use [fit.why(label) for label in table.index]")
        return table
    try:
        at = fit.frame.index.tolist().index(row)
    except (ValueError, TypeError):  # unknown; or something that == does not compare, such as an array
        raise OptionError(f"row must be a label of the rows of the fit, or a row as a DataFrame, not {brief(row)}") from None
    return fit.frame.columns.iloc[[at]]


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


def shown_values(row: pd.DataFrame, groups: dict[str, list[str]]) -> list[Any]:
    """The entries of a row for each variable, together for the columns of a group."""
    entries = {c: row[c].tolist()[0] for columns in groups.values() for c in columns}
    return [entries[columns[0]] if len(columns) == 1 else tuple(entries[c] for c in columns) for columns in groups.values()]


def why_not_additive(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]]) -> str:
    """The reason why the variables have no parts in the distances of the row; "" if they have."""
    metric = fit.dissimilarity.metric
    by_matrix = type(metric).contributions is not TrainedMetric.contributions
    if not (by_matrix if metric.power is None else np.isfinite(metric.power)):
        return f"{metric.name} dissimilarities are not a sum over variables"
    if not fit.frame.formula.plain():
        return f"the formula {fit.formula!r} transforms or crosses columns"
    skips = metric.skips_missing and not set(groups) <= set(metric.variables)
    if skips and (asked[list(fit.frame.schema)].isna().any(axis=None) or fit.frame.remembered.columns.isna().any(axis=None)):
        return "missing values are skipped pair by pair, so a variable's part depends on the others"
    return ""


def why_not_the_sum(fit: Fitted, parts: np.ndarray, distance: float) -> str:
    """The reason why parts do not add up to a distance, although the metric declares a sum; "" if they do."""
    if abs(parts.sum() - distance) <= SLACK * distance:
        return ""
    name = fit.dissimilarity.metric.name
    return f"{name} dissimilarities are declared a sum over variables, whose parts add up to {parts.sum():.4g} and not to {distance:.4g}"


def divided(
    fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], other: pd.DataFrame, at: int, distance: float
) -> np.ndarray:
    """The part of each variable in the distance of the asked row to prototype `at`, (variables,); `other` has its predictors."""
    d = fit.dissimilarity
    if d.metric.power is None:
        both = [known.frame for row in (asked, other) if (known := d.metric.new_rows(row, d.data)).frame is not None]
        parts = d.metric.contributions(both[0], both[1], part(d.prototype_rep(fit.rule.prototypes), np.array([at])))
        used = predictors_of_columns(both[0])
        of = np.array([[bool(made & set(columns)) for columns in groups.values()] for made in used], float)
        return np.asarray((parts @ of)[0] / (distance if distance > 0 else 1.0))
    if d.metric.skips_missing and set(groups) <= set(d.metric.variables):
        known = d.metric.new_rows(asked, d.data, False)
        assert known.rows is not None
        terms = np.nan_to_num(d.metric.terms(known.rows(), part(d.prototype_rep(fit.rule.prototypes), np.array([at])))[0, 0])
        share = terms / (terms.sum() if distance > 0 else 1.0)
        return np.asarray(distance * share[[d.metric.variables.index(name) for name in groups]])
    instead = pd.concat([asked.assign(**{c: other[c].to_numpy() for c in columns}) for columns in groups.values()], ignore_index=True)
    left = np.asarray(distances_by(fit.rule, d.new_query(instead)[0]), float)[:, at]
    return np.asarray(np.maximum(0.0, 1 - (left / (distance if distance > 0 else np.inf)) ** d.metric.power) * distance)


def least_changes(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], code: int) -> dict[str, list[Any]]:
    """The nearest values of each variable that change the class of the row, and these classes; None if no value does."""
    known = fit.frame.schema
    alone = {columns[0]: name for name, columns in groups.items() if len(columns) == 1 and known[columns[0]].kind != "series"}
    found: dict[str, tuple[Any, Any]] = dict.fromkeys(groups, (None, None))
    for c in alone:
        if known[c].kind != "numeric":
            found[alone[c]] = least_level(fit, asked, c, code)
    numbers = [c for c in alone if known[c].kind == "numeric"]
    if numbers:
        found |= {alone[numbers[j]]: (value, fit.classes[then]) for j, value, then in least_numbers(fit, asked, numbers, code)}
    change, then = zip(*found.values(), strict=True)
    return {"counterfactual": list(change), "counterfactual_class": list(then)}


def least_level(fit: Fitted, asked: pd.DataFrame, name: str, code: int) -> tuple[Any, Any]:
    """The first level of a categorical variable that changes the class of the row, and this class."""
    levels = pd.unique(fit.frame.remembered.columns[name].dropna()).astype(object)
    rows = asked.iloc[np.zeros(len(levels), int)].reset_index(drop=True)
    found = codes_of(fit, rows.assign(**{name: levels}))
    changed = np.flatnonzero(found != code)
    return (levels[changed[0]], fit.classes[found[changed[0]]]) if len(changed) else (None, None)


def least_numbers(fit: Fitted, asked: pd.DataFrame, names: list[str], code: int) -> Iterator[tuple[int, float, int]]:
    """The nearest changes of numeric variables, `VALUES` over the range of the training rows, refined by halving.

    Yields the variable's number, the value and the class with this value.
    """
    own = asked[names].to_numpy(float)[0]
    seen = fit.frame.remembered.columns[names].to_numpy(float, na_value=np.nan)
    line = np.linspace(np.nanmin(seen, axis=0), np.nanmax(seen, axis=0), VALUES, axis=1)  # (variables, VALUES)
    order = np.argsort(np.abs(line - own[:, None]), axis=1, kind="stable")
    values = np.take_along_axis(line, order, axis=1)  # the nearest to the row's own first
    differs = codes_with(fit, asked, names, np.arange(len(names)), values) != code
    j = np.flatnonzero(differs.any(axis=1))
    if not len(j):
        return
    changed, same = values[j, differs[j].argmax(axis=1)], own[j]
    for _ in range(HALVINGS):
        middle = (same + changed) / 2
        stays = codes_with(fit, asked, names, j, middle[:, None])[:, 0] == code
        same, changed = np.where(stays, middle, same), np.where(stays, changed, middle)
    then = codes_with(fit, asked, names, j, changed[:, None])[:, 0]
    yield from zip(j.tolist(), changed.tolist(), then.tolist(), strict=True)


def codes_with(fit: Fitted, asked: pd.DataFrame, names: list[str], j: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The codes of the classes (variables, values) that the row would have with other values of one numeric variable alone."""
    rows = asked.iloc[np.zeros(values.size, int)].reset_index(drop=True)
    numbers = rows[names].to_numpy(float, copy=True)
    numbers[np.arange(len(rows)), np.repeat(j, values.shape[1])] = values.ravel()
    return codes_of(fit, rows.assign(**dict(zip(names, numbers.T, strict=True)))).reshape(values.shape)


def codes_of(fit: Fitted, rows: pd.DataFrame) -> np.ndarray:
    """The codes of the classes of rows like the given ones."""
    return np.asarray(fit.predictions(rows, unseen=None).cat.codes.to_numpy())
