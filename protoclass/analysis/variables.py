"""Effects of the variables: on a prediction, between the prototypes, and on the error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.distances.minkowski import Geometry
from ..core.parallel import each_fit
from ..core.query import answer, distances_by, of_complete
from ..core.sources import part
from ..core.statistics.intervals import mean_over_rows
from ..core.thresholds import AT_ONCE
from ..estimation.calibration import rules_of_folds
from ..estimation.cross_validation import redrawn
from ..estimation.decisions import FoldRule
from ..estimation.fitted import Fitted
from ..frames.frame import Frame, predictors_of_columns
from ..frames.schema import group_codes
from ..frames.tables import as_pandas
from ..ground.checks import find_labels, seed_of_runs
from ..ground.errors import DataError, DataWarning, NotAvailableError, OptionError, brief, warn
from ..ground.options import watch
from ..metrics.base import TrainedMetric, VectorMetric, as_vectors, compare, rows_of
from .steps import answered_rows, ball

# columns of the data that are one variable, by its name
Groups = dict[str, list[str]]
LISTS = (list, tuple, pd.Index)  # types of a list of columns


def variable_groups(fit: Fitted, variables: Any) -> Groups:
    """The columns that are permuted together, by name: as given, or the metric's groups."""
    known = list(fit.frame.schema)
    if not known:
        raise NotAvailableError(
            "this fit of a matrix of dissimilarities has no variables to explain: use "
            "fit.predict(new, 'distance')"
        )
    # a step of another row may leave a gap
    if variables is None and fit.dissimilarity.metric.series and fit.frame.keep:
        return {"series": known}
    if variables is None:
        grouped = [list(g) for g in fit.dissimilarity.metric.column_groups]
        alone = [[c] for c in known if not any(c in g for g in grouped)]
        ordered = sorted(grouped + alone, key=lambda g: known.index(g[0]))
        return {" + ".join(g): g for g in ordered}
    named = variables if isinstance(variables, Mapping) else {}
    if isinstance(variables, LISTS):
        named = {str(c): c for c in variables}
    groups = {str(n): list(c) if isinstance(c, LISTS) else [c] for n, c in named.items()}
    strange = [c for g in groups.values() for c in g if not (isinstance(c, str) and c in known)]
    if len(groups) < len(named) or not groups or strange or not all(groups.values()):
        raise OptionError(
            "variables must be a list of predictors, or a dict of names to lists of them, from "
            f"{brief(known)}, not {brief(strange[0] if strange else variables)}"
        )
    return groups


# relative difference of a distance from the sum of its parts, for many columns in single precision
SLACK = 1e-3


def why(fit: Fitted, new: Any = None, prototype: Any = None) -> Any:
    """Explain a prediction, a prototype, or without arguments what separates the prototypes.

    * `why(row)` compares a row with its nearest prototypes of the predicted class and of any other
      class (the rival). This describes the fitted model, not the causes of the class.
    * `why(prototype=label)` lists the rows in the ball of a prototype, nearest first.
    * `why()` is for all prototypes: a variable with a large learned weight counts little if the
      prototypes hardly differ in it.

    Parameters
    ----------
    new : label, Series, dict or DataFrame of one row, optional
        A training row by its label, or any row with the predictors.
    prototype : label, optional
        Label of a prototype, as in the index of `prototypes`.

    Returns
    -------
    DataFrame
        For a row, a table by variable:

        * `value`, `prototype`, `rival`: the values of the row and of both prototypes;
        * `to_prototype`, `to_rival`: contributions of the variable to the two distances; NaN if the
          distance is not additive, for the reason in `attrs["not_additive"]`;
        * `counterfactual`, `counterfactual_class`: the value nearest to the row's own that changes
          the predicted class, and this class; None if no value does.

        `attrs` has the class, the labels of both prototypes and the distances to them.

        For a prototype, a table by row label: `class`, `distance`, `same_class` (as the prototype)
        and `first` (whether the row is newly covered).

        Without arguments, a table by variable of the metric (a column of the design matrix, or with
        Gower a predictor):

        * `proportion`: the part of the squared distance (with Gower, of the distance) from a
          prototype to the nearest of another class, the mean over the prototypes. With a full
          matrix, one may be negative;
        * `higher`: the class whose prototypes have the higher mean value; NA for categories and
          ties;
        * `weight`: the learned weight, if the metric has learned weights;
        * `coefficient`: for two prototypes with a Euclidean distance, weighted or not. The fitted
          model predicts `attrs["class"]` if the sum of coefficient times variable is above
          `attrs["cut"]`.

    Raises
    ------
    NotAvailableError
        If the model has no such explanation: prototypes that are not rows, no balls, or a
        dissimilarity that is not a sum over variables.

    Notes
    -----
    *Contributions.* A power of the distance is a sum over variables; the distance is divided in
    proportion to the terms. This is exact for Minkowski distances with r < inf, Gower and `Mixed`,
    and for the squared distances of `LDA`, `QDA` and of a learned matrix L. There the term of
    variable j is (x_j - w_j) (L (x - w))_j, for a row x and a prototype w; it may be negative. With
    Gower, a variable that is missing in one of two rows contributes 0.

    *Counterfactuals.* One variable is changed at a time. For a number, 201 values over the range of
    the training rows (for a slim fit, of its prototypes) are tried, and the nearest with another
    class is refined.

    *Separation.* The coefficient of variable j, for the prototypes a, of `attrs["class"]`, and b,
    is 2 w_j (a_j - b_j) / s_j^2 with weights w and scales s, or 2 (L (a - b))_j with a matrix L.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.why(70)["to_prototype"].round(1).to_dict()
    {'sepal_length': 0.5, 'sepal_width': 0.2, 'petal_length': 0.3, 'petal_width': 0.2}
    >>> ball = fit.why(prototype=82)
    >>> int(ball["first"].sum()), int((~ball["same_class"]).sum())
    (29, 0)
    >>> fit.why()["proportion"].round(2).to_dict()["petal_width"]
    0.43
    """
    if new is None:
        return separation(fit) if prototype is None else ball(fit, prototype)
    if prototype is not None:
        raise OptionError("why() explains either a row or a prototype: leave out one")
    return why_of_row(fit, new)


def why_of_row(fit: Fitted, new: Any) -> pd.DataFrame:
    """Contributions of the variables to the distances of a row, and counterfactual values."""
    groups, row, prototypes = variable_groups(fit, None), row_of(fit, new), fit.rule.prototypes
    if prototypes.at is None:
        raise NotAvailableError(
            "the prototypes are not rows, so their variables can't be compared: "
            "use a method such as 'pvm'"
        )
    unseen, distances = fit._unseen_in(row), distances_of(fit, row)
    predictors, plain = prototype_predictors(fit), as_plain(fit, row)
    code = codes_of(fit, row)[0]
    of_class, attrs = prototypes.classes == code, dict[str, Any]({"class": fit.classes[code]})
    reason = why_not_additive(fit, row, groups)
    columns: dict[str, Any] = {
        "value": values_of(row, groups),
        "prototype": None,
        "rival": None,
        "to_prototype": np.nan,
        "to_rival": np.nan,
    }
    for name, mask in (("prototype", of_class), ("rival", ~of_class)):
        if not mask.any():
            continue
        k = int(np.where(mask, distances, np.inf).argmin())
        other, distance = predictors.iloc[[k]], float(distances[k])
        attrs |= {name: fit._prototype_names[k], f"{name}_distance": distance}
        columns[name] = values_of(other, groups)
        if not reason:
            parts = parts_of(fit, plain, as_plain(fit, other), groups, k, distance)
            columns[f"to_{name}"], reason = parts, why_not_the_sum(fit, parts, distance)
    if reason:
        columns |= {"to_prototype": np.nan, "to_rival": np.nan}
        attrs["not_additive"] = reason
    changes = zip(*counterfactuals(fit, plain, groups, code), strict=True)
    columns["counterfactual"], columns["counterfactual_class"] = map(list, changes)
    table = pd.DataFrame(columns, pd.Index(groups, name="variable"))
    table.attrs |= attrs
    fit._warn_of(unseen)
    return table


def row_of(fit: Fitted, new: Any) -> pd.DataFrame:
    """The predictors of a row of the fit, by label, or of a single new row."""
    if isinstance(new, (pd.Series, dict)):
        return pd.DataFrame([dict(new)])
    if hasattr(new, "columns"):
        table = as_pandas(new)
        if len(table) != 1:
            raise OptionError(
                f"new must be a single row, not {len(table)} rows: "
                "use [fit.why(label) for label in table.index]"
            )
        return table
    unknown = "new must be a label of the rows of the fit, or a row as a DataFrame, not {}"
    return fit.frame.columns.iloc[find_labels([new], fit.frame.index, unknown)]


def distances_of(fit: Fitted, row: pd.DataFrame) -> Array:
    """The distances (q,) of a row to the prototypes; raises if a value is missing."""
    query, _, complete = fit.dissimilarity._new_query(row)
    if not complete.all():
        fit._unseen_in(row).refuse()
        missing = row.columns[row.isna().iloc[0]].tolist()
        raise DataError(f"the row has no value of {missing}: give every predictor")
    distances, measured = of_complete(query, lambda part: distances_by(fit.rule, part))
    if not measured.all() or not distances.size:
        raise NotAvailableError("there is no prototype to compare the row with")
    return distances[0]


def prototype_predictors(fit: Fitted) -> pd.DataFrame:
    """The predictors of the prototypes, by their own names."""
    names, head = list(fit.frame.schema), fit._prototype_table.columns
    columns = [f"{c} (predictor)" if c in head else c for c in names]
    return fit.prototypes[columns].set_axis(names, axis=1)


def as_plain(fit: Fitted, rows: pd.DataFrame) -> pd.DataFrame:
    """The predictors alone, numbers as floats and others as objects, so that rows mix."""
    columns = {
        c: rows[c].to_numpy(float, na_value=np.nan)
        if column.kind == "numeric"
        else rows[c].astype(object)
        for c, column in fit.frame.schema.items()
    }
    return pd.DataFrame(columns, rows.index)


def values_of(row: pd.DataFrame, groups: Groups) -> list[Any]:
    """The value of each variable in a row; a tuple for a group of columns."""
    entries = [tuple(row[c].tolist()[0] for c in columns) for columns in groups.values()]
    return [entry if len(entry) > 1 else entry[0] for entry in entries]


def why_not_additive(fit: Fitted, row: pd.DataFrame, groups: Groups) -> str:
    """The reason why the variables have no parts in the distances of the row; "" if they have."""
    metric = fit.dissimilarity.metric
    by_matrix = type(metric).contributions is not TrainedMetric.contributions
    if not (by_matrix if metric.power is None else np.isfinite(metric.power)):
        return f"{metric.name} dissimilarities are not a sum over variables"
    if not fit.frame.formula.plain():
        return f"the formula {fit.formula!r} transforms or crosses columns"
    tables = (row[list(fit.frame.schema)], fit.frame.remembered.columns)
    skips = metric.skips_missing and not set(groups) <= set(metric.variables)
    if skips and any(table.isna().any(axis=None) for table in tables):
        return "missing values are skipped pair by pair, so a variable's part depends on the others"
    return ""


def why_not_the_sum(fit: Fitted, parts: Array, distance: float) -> str:
    """The reason why parts do not add up to a distance; "" if they do."""
    if abs(parts.sum() - distance) <= SLACK * distance:
        return ""
    name = fit.dissimilarity.metric.name
    return (
        f"{name} dissimilarities are declared a sum over variables, whose parts add up to "
        f"{parts.sum():.4g} and not to {distance:.4g}"
    )


def parts_of(
    fit: Fitted, row: pd.DataFrame, other: pd.DataFrame, groups: Groups, k: int, distance: float
) -> Array:
    """The part of each variable in the distance of a row to prototype `k`.

    `other` has the predictors of the prototype. The parts are those that the metric states.
    Otherwise each variable of the row gets the value of the prototype: the power of the distance
    falls by the term of the variable.
    """
    d, metric = fit.dissimilarity, fit.dissimilarity.metric
    prototype = part(d._prototype_rep(fit.rule.prototypes), np.array([k]))
    if metric.power is None:
        of_row, of_prototype = (d.data.again(table)[0] for table in (row, other))
        of_group = [
            [not predictors.isdisjoint(columns) for columns in groups.values()]
            for predictors in predictors_of_columns(of_row)
        ]
        parts = metric.contributions(of_row, of_prototype, prototype)
        return (parts @ np.array(of_group, float))[0] / (distance or np.inf)
    if metric.skips_missing and set(groups) <= set(metric.variables):
        rep = rows_of(metric, d.data.again(row)[0])
        terms = np.nan_to_num(metric.terms(rep, prototype)[0, 0])
        proportions = terms / (terms.sum() or 1.0)
        return distance * proportions[[metric.variables.index(name) for name in groups]]
    values = [{c: other[c].to_numpy() for c in columns} for columns in groups.values()]
    query = d._new_query(rows_with(row, values))[0]
    without = distances_by(fit.rule, query)[:, k].astype(float)
    return np.maximum(0.0, 1 - (without / (distance or np.inf)) ** metric.power) * distance


def rows_with(row: pd.DataFrame, changes: list[dict[str, Array]]) -> pd.DataFrame:
    """The row with other values, by column: a row for each value of each of the changes."""
    ends = np.cumsum([len(next(iter(change.values()))) for change in changes])
    columns = {c: np.repeat(row[c].to_numpy(), ends[-1]) for c in row}
    for change, end in zip(changes, ends, strict=True):
        for c, values in change.items():
            columns[c][end - len(values) : end] = values
    return pd.DataFrame(columns)


def counterfactuals(
    fit: Fitted, row: pd.DataFrame, groups: Groups, code: int
) -> list[tuple[Any, Any]]:
    """For each variable the nearest value that changes the class, and this class; or None.

    A level of a category is the first one in the training rows. A number is the nearest of `VALUES`
    over the range of the training rows, refined by halving its distance from the row's own value.
    """
    schema, training = fit.frame.schema, as_plain(fit, fit.frame.remembered.columns)
    single = [g[0] for g in groups.values() if len(g) == 1 and schema[g[0]].kind != "series"]
    tried = {c: pd.unique(training[c].dropna()) for c in single}
    for c in tried:
        if schema[c].kind == "numeric":
            grid = np.linspace(training[c].min(), training[c].max(), 201)
            tried[c] = grid[np.argsort(np.abs(grid - row[c].iloc[0]), kind="stable")]
    found = codes_with(fit, row, tried)
    nearest = {c: values[found[c] != code][:1] for c, values in tried.items()}
    changed = {c: values for c, values in nearest.items() if len(values)}
    unchanged = {c: row[c].to_numpy() for c in changed if schema[c].kind == "numeric"}
    # halvings of the interval between two values with different classes
    for _ in range(40):
        middle = {c: (values + changed[c]) / 2 for c, values in unchanged.items()}
        for c, codes in codes_with(fit, row, middle).items():
            (unchanged if codes[0] == code else changed)[c] = middle[c]
    found = codes_with(fit, row, changed)
    changes = {c: (values[0], fit.classes[found[c][0]]) for c, values in changed.items()}
    return [changes.get(columns[0], (None, None)) for columns in groups.values()]


def codes_with(fit: Fitted, row: pd.DataFrame, values: Mapping[str, Array]) -> dict[str, Array]:
    """For each column the class codes of the row with each of these values of the column alone."""
    if not values:
        return {}
    rows = rows_with(row, [{c: v} for c, v in values.items()])
    ends = np.cumsum([len(v) for v in values.values()])
    return dict(zip(values, np.split(codes_of(fit, rows), ends[:-1]), strict=True))


def codes_of(fit: Fitted, rows: pd.DataFrame) -> Array:
    """The codes of the predicted classes."""
    return fit._predictions(rows, unseen=None).cat.codes.to_numpy()


NO_SUM = "{} dissimilarities are not a sum over variables: use importance()"
TINY = np.finfo(float).tiny


def separation(fit: Fitted) -> pd.DataFrame:
    """The proportion of each variable in the distances between prototypes, see `Fit.why`."""
    reason = why_not_separated(fit)
    if reason:
        raise NotAvailableError(reason)
    metric, codes = fit.dissimilarity.metric, fit.rule.prototypes.classes
    values, rep = prototype_values(fit), fit.dissimilarity._prototype_rep(fit.rule.prototypes)
    rival = np.where(codes[:, None] != codes, compare(metric, rep, rep), np.inf).argmin(axis=1)
    slopes, X, names = slopes_of(fit, values, rep[0]), values.to_numpy(), list(values)
    if slopes is None:
        names = list(metric.variables)
        if not names:
            raise NotAvailableError(NO_SUM.format(metric.name))
        pairs = [(part(rep, np.array([k])), part(rep, np.array([j]))) for k, j in enumerate(rival)]
        terms = np.nan_to_num([metric.terms(*pair)[0, 0] for pair in pairs])
    else:
        terms = (X - X[rival]) * (slopes - slopes[rival])
    means = values.select_dtypes("number").groupby(codes).mean().dropna(axis=1)
    highest = means.idxmax().where((means == means.max()).sum() == 1, -1)
    highest = highest.reindex(names, fill_value=-1).astype(int)
    parts = (terms / np.maximum(terms.sum(axis=1, keepdims=True), TINY)).sum(axis=0)
    out = pd.DataFrame(index=pd.Index(names, name="variable"))
    out["proportion"] = parts / max(parts.sum(), TINY)
    out["higher"] = pd.Categorical.from_codes(highest, fit.frame.levels)
    if metric.column_weights is not None:
        out["weight"] = metric.column_weights["weight"].to_numpy()
    if slopes is not None and len(codes) == 2:
        last = codes.argmax()
        out["coefficient"] = 2 * (slopes[last] - slopes[1 - last])
        out.attrs["class"] = fit.classes[codes[last]]
        out.attrs["cut"] = float(out["coefficient"] @ X.mean(axis=0))
    return out.sort_values("proportion", key=abs, ascending=False, kind="stable")


def why_not_separated(fit: Fitted) -> str:
    """The reason why `separation` is not available; "" if it is."""
    metric = fit.dissimilarity.metric
    if not fit.model.can.nearest or fit.model.can.own_distances:
        return (
            f"method {fit.model.name!r} does not predict the class of the nearest prototype by "
            "the metric: use importance()"
        )
    if len(np.unique(fit.rule.prototypes.classes)) < 2:
        return "there are no prototypes of different classes to separate"
    if not metric.same_sides and type(metric).contributions is not TrainedMetric.contributions:
        return f"{metric.name} dissimilarities depend on the class of the prototype: use why()"
    return "" if metric.variables or metric.geometry == Geometry() else NO_SUM.format(metric.name)


def prototype_values(fit: Fitted) -> pd.DataFrame:
    """The prototypes in the columns of the design matrix, or without coordinates as predictors."""
    metric, prototypes = fit.dissimilarity.metric, fit.rule.prototypes
    if prototypes.coords is not None:
        return as_vectors(metric).original(prototypes.coords)
    frame = fit.frame.again(prototype_predictors(fit))[0]
    return frame.design if isinstance(metric, VectorMetric) else frame.columns


def slopes_of(fit: Fitted, values: pd.DataFrame, centres: Array) -> Array | None:
    """L a of each prototype a, (q, p), up to a common row, for distances (x - a)' L (x - a).

    L = M' M, where M maps columns to the coordinates between which the distance is Euclidean, as
    those of the `centres` (q, k). None if there are no such coordinates.
    """
    if fit.dissimilarity.metric.geometry != Geometry():
        return None

    def place(columns: Array) -> Array:
        table = pd.DataFrame(columns, columns=values.columns)
        given = {"columns": table, "response": None, "schema": {}, "spec": None}
        frame = replace(fit.frame.remembered, **given, weights=np.ones(len(table)))
        return rows_of(fit.dissimilarity.metric, frame)[0].astype(float)

    step, apart = np.ptp(values.to_numpy(float), axis=0), (centres - centres[0]).astype(float)
    step[step == 0] = 1.0
    origin, out = place(np.zeros((1, len(step)))), np.empty(values.shape)
    whole = remainder = place(step[None]) - origin  # nothing is left of a linear map
    for block in np.array_split(np.arange(len(step)), 1 + len(step) ** 2 // AT_ONCE):
        moved = place(step[block, None] * (block[:, None] == np.arange(len(step)))) - origin
        out[:, block] = apart @ moved.T / step[block]
        remainder = remainder - moved.sum(axis=0)
    # relative deviation from a linear map, for columns in single precision
    return out if np.abs(remainder).max() <= 1e-3 * np.abs(whole).max() else None


# permuted rows predicted at a time: more take memory, and fewer the time of many calls
ROWS = 2**13
MOST = 50  # variables that are permuted if none are named


@dataclass(frozen=True)
class Permutable:
    """Rows with predictors, class codes and weights, each with the rule that did not see it."""

    columns: pd.DataFrame  # (n, predictors)
    y: Array  # int (n,)
    w: Array  # (n,)
    # places of rows, int, and the rule that predicts them; each row is in one part
    parts: list[tuple[Array, FoldRule]]
    group: Array | None = None  # codes of the groups of rows, (n,)

    @cached_property
    def wrong(self) -> Array:
        """Whether each row is misclassified with its own values, bool (n,)."""
        out = np.empty(len(self.y), bool)
        for rows, fold_rule in self.parts:
            out[rows] = predicted(fold_rule, self.columns.take(rows)) != self.y[rows]
        return out

    def proportions_wrong(self, variable: tuple[list[str], Array]) -> Array:
        """Proportion (n,) of permutations of a variable that misclassify each row.

        `variable` has its columns, and for each permutation the rows from which all rows get their
        values, int (d, n). The values are permuted among all held-out rows: among the rows of a
        fold alone they would not change if a fold is one row, or one group in which the column is
        constant. A row is predicted once with the same values, and not again with its own.
        """
        columns, donors = variable
        code, wrong = values_as_codes(self.columns[columns]), np.tile(self.wrong, (len(donors), 1))
        for rows, fold_rule in self.parts:
            draw, place = np.nonzero(code[donors[:, rows]] != code[rows])
            row, donor = rows[place], donors[draw, rows[place]]
            pairs = row * len(code) + code[donor]
            _, first, pair = np.unique(pairs, return_index=True, return_inverse=True)
            values = {c: self.columns[c].array.take(donor[first]) for c in columns}
            table = self.columns.take(row[first]).assign(**values)
            wrong[draw, row] = predicted(fold_rule, table)[pair] != self.y[row]
        return wrong.mean(axis=0)


def predicted(fold_rule: FoldRule, columns: pd.DataFrame) -> Array:
    """The class codes of some rows, int (r,)."""
    blocks = (columns[first : first + ROWS] for first in range(0, len(columns), ROWS))
    queries = (fold_rule.dissimilarity._new_query(block)[0] for block in blocks)
    codes = (answer(fold_rule.rule, "class", query) for query in queries)
    return np.concatenate([np.empty(0, int), *codes])


def values_as_codes(table: pd.DataFrame) -> Array:
    """Equal numbers (n,) for rows with equal values; lists and arrays have a number each."""
    try:
        groups = table.groupby(list(table), sort=False, dropna=False, observed=True)
        return groups.ngroup().to_numpy()
    except TypeError:
        return np.arange(len(table))


def importance(
    fit: Fitted,
    new: Any = None,
    resamples: int = 20,
    variables: Any = None,
    cv: Any = "auto",
    seed: int | None = None,
    progress: bool | None = None,
    client: Any = None,
) -> pd.DataFrame:
    """Permutation importance: increase in the held-out error when a variable is permuted (Breiman
    2001).

    The values are permuted among all held-out rows.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with the response. Default: the training rows, each predicted by the model that was
        fitted without its fold.
    resamples : int
        Number of permutations of each variable.
    variables : list of columns, or mapping of name to columns, optional
        Variables to permute; columns under one name are permuted together. Default: each predictor
        (columns that a `Mixed` compares together are one), but of more than 50 the 50 with the
        largest ratio of variances between and within classes; of categories, both are summed over
        the indicators of the levels.
    cv : "auto", int, "loo", Series or array of folds
        Cross-validation folds, as in `fit`; ignored if `new` is given.
    seed : int, optional
        Seed for the permutations. Default: the seed of the fit.
    progress, client
        As for `Fit.stability`.

    Returns
    -------
    DataFrame
        Table by variable, the most important first: `importance` (mean increase in the proportion
        of errors), `se` (its standard error over rows, or over the groups of the fit) and `error`
        (with the variable permuted). New rows have equal weights, and the groups of the column
        that `groups=` of the fit named, if they have it.

    Raises
    ------
    NotAvailableError
        If the dissimilarities were given as a matrix.

    Notes
    -----
    Redundant variables may each look unimportant: give them one name in `variables`.
    `se` is for the fitted models, so with few rows importance +- 1.96 `se` covers the true value
    too rarely.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.importance(resamples=5).index[:2].tolist()
    ['petal_width', 'petal_length']
    """
    seed = seed_of_runs(
        "resamples", resamples, seed, progress, least=1, usual=fit._problem.seed
    )
    groups = variable_groups(fit, variables)
    if variables is None and len(groups) > MOST:
        words = (
            f"of the {len(groups):,} variables, the {MOST} with the largest ratio of variances between "
            "and within classes are permuted: use variables= for others"
        )
        warn(words, DataWarning)
        groups = most_separating(fit.frame, groups)
    rows = training_rows(fit, cv) if new is None else new_rows(fit, new)
    random, table = np.random.default_rng([seed, 1]), []
    draws = (
        (columns, np.array([random.permutation(len(rows.y)) for _ in range(resamples)]))
        for columns in groups.values()
    )
    permuted = each_fit(rows.proportions_wrong, draws, resamples * rows.columns.size)
    for permuted_wrong in watch(permuted, len(groups), "permuting", progress):
        increase = mean_over_rows(permuted_wrong - rows.wrong, rows.w, rows.group)
        table.append((*increase, mean_over_rows(permuted_wrong, rows.w)[0]))
    names = pd.Index(groups, name="variable")
    out = pd.DataFrame(table, names, ["importance", "se", "error"])
    return out.sort_values("importance", ascending=False, kind="stable")


def most_separating(frame: Frame, groups: Groups) -> Groups:
    """The groups with a column of the largest ratio of variances between and within classes.

    Of other columns than numbers, both are summed over the indicators of the values.
    """
    by_class = frame.columns.select_dtypes("number").groupby(frame.codes)
    between, within = by_class.mean().var(), by_class.var().mean()
    for c, values in frame.columns.select_dtypes(exclude="number").items():
        share = pd.crosstab(frame.codes, values.astype(str), normalize="index")
        between[c], within[c] = share.var().sum(), (1 - (share**2).sum(axis=1)).mean()
    ratio = between / within
    value = {name: ratio[columns].max() for name, columns in groups.items()}
    largest = pd.Series(value).nlargest(MOST)
    return {name: groups[name] for name in groups if name in largest}


def training_rows(fit: Fitted, cv: Any) -> Permutable:
    """The rows of the fit, each with the rule that was learned without its fold."""
    frame, folds = fit.frame, rules_of_folds(fit, *redrawn(fit._chosen_problem, cv))
    parts = [(query.rows, fold_rule) for query, fold_rule in folds]
    return Permutable(frame.columns, frame.codes, frame.weights, parts, fit._problem.groups)


def new_rows(fit: Fitted, new: Any) -> Permutable:
    """New rows with known classes and all predictors, with the rule of the fit."""
    new = as_pandas(new)
    _, codes, known = answered_rows(fit, new)
    columns = new.loc[known, list(fit.frame.columns)]
    rows, rule = np.arange(len(columns)), FoldRule(fit.rule, fit.dissimilarity)
    groups = fit.call.arguments["groups"]
    named = isinstance(groups, str) and groups in new
    group = group_codes(groups, new.loc[known]) if named else None
    return Permutable(columns, codes[known], np.ones(len(rows)), [(rows, rule)], group)
