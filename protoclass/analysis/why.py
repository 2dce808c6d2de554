"""Why a row gets its class: what each variable adds, how far its class is certified, and whether dissimilarities tell a class apart."""

from __future__ import annotations

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
from ..frames.tables import as_pandas
from ..ground.errors import DataError, NotAvailable, OptionError, brief
from ..metrics.dissimilarity import Dissimilarity
from .importance import variable_groups

VALUES = 201  # of a numeric variable that are tried, over the range of the training rows
HALVINGS = 40
SLACK = 1e-3  # by which parts of many columns in single precision may miss the distance, as a share of it


def why(fit: Fitted, row: Any) -> pd.DataFrame:
    """Why a row has its class: what each variable adds to the distances, and the least change that gives another class.

    Parameters
    ----------
    row : label, or DataFrame of one row, Series or dict
        A row of the fit by its label, or any row with the predictors.

    Returns
    -------
    DataFrame
        By variable: `value`, and those of the nearest prototype of the predicted class (`prototype`) and of any other class
        (`rival`); `to_prototype` and `to_rival`, the distances divided among the variables in proportion to what each adds
        to the power of the distance that is a sum (exact for Minkowski distances with r < inf, Gower and `Mixed`; 0 for a
        variable that Gower skips, as a value is missing; NaN for others, with the reason in `attrs["not_additive"]`);
        `change_to`, the value nearest to the row's own with which it has another class, and this class, `then`. For a
        number 201 values over the range of the training rows are tried, and the nearest with another class is refined; None
        where there is none. `attrs` has the class, the labels of both prototypes and the distances to them.

    Raises
    ------
    NotAvailable
        Where the prototypes are not rows, or the dissimilarities were given as a matrix.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0)
    >>> fit.why(70)["to_prototype"].round(1).to_dict()
    {'sepal_length': 0.5, 'sepal_width': 0.2, 'petal_length': 0.3, 'petal_width': 0.2}
    >>> fit.why(70)["then"].unique().tolist()
    ['versicolor']
    """
    asked = one_row(fit, row)
    prototypes = fit.rule.prototypes
    if prototypes.at is None:
        raise NotAvailable(
            "the prototypes are not rows, so that no variable of theirs can be compared: use a method such as 'pvm'"
        )
    query, _, complete = fit.dissimilarity.new_query(asked)
    unseen = fit.unseen_in(asked)
    if not complete[0]:
        unseen.refuse()
        missing = asked.columns[asked.isna().iloc[0]].tolist()
        raise DataError(f"the row has no value of {missing}: every predictor is needed")
    d = distances_by(fit.rule, query)[0]
    if len(d) == 0 or query.missing.any():
        raise NotAvailable("there is no prototype to compare the row with")
    fit.warn_of(unseen)
    code = int(codes_of(fit, asked)[0])
    own, rival = nearest_of(d, prototypes.classes == code), nearest_of(d, prototypes.classes != code)
    names, places = fit.prototype_names, {"prototype": own, "rival": rival}
    groups = variable_groups(fit, None)
    out = pd.DataFrame(index=pd.Index(list(groups), name="variable"))
    out["value"] = [shown_value(asked.iloc[0], columns) for columns in groups.values()]
    for name, place in places.items():
        other = fit.prototypes.iloc[place] if place is not None else None
        out[name] = [None if other is None else shown_value(predictors_of(fit, other), c) for c in groups.values()]
    reason, parts = why_not_additive(fit, asked), dict[str, list[float]]()
    for name, place in places.items():
        if place is not None and not reason:
            parts[name] = divided(fit, asked, groups, place, d[place])
            reason = why_not_the_sum(fit, parts[name], d[place])
    for name in places:
        out[f"to_{name}"] = np.nan if reason else parts.get(name, np.nan)
    changes = least_changes(fit, asked, groups, code)
    out["change_to"], out["then"] = [list(part) for part in zip(*changes, strict=True)]
    out.attrs |= {"class": fit.classes[code]}
    out.attrs |= {name: names[place] for name, place in places.items() if place is not None}
    out.attrs |= {f"{name}_distance": float(d[place]) for name, place in places.items() if place is not None}
    if reason:
        out.attrs["not_additive"] = reason
    return out


def one_row(fit: Fitted, row: Any) -> pd.DataFrame:
    """The predictors of one row: of the fit by its label, or given as a frame, a Series or a mapping."""
    variable_groups(fit, None)  # raises where there are no predictors
    if isinstance(row, (pd.Series, dict)):
        return pd.DataFrame([dict(row)])
    if hasattr(row, "columns"):
        table = as_pandas(row)
        if len(table) != 1:
            raise OptionError(f"why() explains one row, and {len(table)} were given")
        return table
    try:
        at = fit.frame.index.tolist().index(row)
    except (ValueError, TypeError):  # not there; or something that == does not compare, such as an array
        raise OptionError(f"row={brief(row)}: a label of the rows of the fit, or one row as a DataFrame") from None
    return fit.frame.columns.iloc[[at]]


def nearest_of(d: np.ndarray, among: np.ndarray) -> int | None:
    """The place of the least of some distances, None where there are none."""
    places = np.flatnonzero(among)
    return int(places[d[places].argmin()]) if len(places) else None


def predictors_of(fit: Fitted, prototype: pd.Series) -> pd.Series:
    """The predictors of a row of `Fit.prototypes`, by their own names."""
    head = set(fit.prototype_table.columns)
    return pd.Series({c: prototype[f"{c} (predictor)" if c in head else c] for c in fit.frame.columns}, dtype=object)


def shown_value(row: pd.Series, columns: list[str]) -> Any:
    """The value of a variable, or the values of those that are measured together."""
    return row[columns[0]] if len(columns) == 1 else tuple(row[c] for c in columns)


def why_not_additive(fit: Fitted, asked: pd.DataFrame) -> str:
    """The reason why the distances can't be divided among the variables; "" where they can."""
    metric = fit.dissimilarity.metric
    if metric.power is None or not np.isfinite(metric.power):
        return f"{metric.name} dissimilarities are not a sum over variables"
    if not fit.frame.formula.plain():
        return f"the formula {fit.formula!r} transforms or crosses columns"
    if misses(fit, asked) and not set(fit.frame.columns) <= set(metric.variables):
        return "missing values are skipped pair by pair, so that a variable's part depends on the others"
    return ""


def misses(fit: Fitted, asked: pd.DataFrame) -> bool:
    """Whether a row, or a row of the fit, misses a value."""
    return bool(asked.isna().any(axis=None) or fit.frame.columns.isna().any(axis=None))


def why_not_the_sum(fit: Fitted, parts: list[float], distance: float) -> str:
    """The reason why parts do not add up to a distance, which its metric says is a sum; "" where they do."""
    if abs(sum(parts) - distance) <= SLACK * distance:
        return ""
    name = fit.dissimilarity.metric.name
    return f"{name} dissimilarities are declared a sum over variables, whose parts add up to {sum(parts):.4g} and not to {distance:.4g}"


def divided(fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], place: int, distance: float) -> list[float]:
    """The distance to a prototype divided among the variables."""
    if not misses(fit, asked):
        return contributions(fit, asked, groups, place, distance)
    d = fit.dissimilarity
    known = d.metric.new_rows(asked, d.data, False)
    assert known.rows is not None
    terms = np.nan_to_num(d.metric.terms(known.rows(), part(d.prototype_rep(fit.rule.prototypes), np.array([place])))[0, 0])
    of = dict(zip(d.metric.variables, terms.tolist(), strict=True))
    return [distance * of[name] / terms.sum() if distance else 0.0 for name in groups]


def contributions(
    fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], place: int, distance: float
) -> list[float]:
    """What each variable adds to a power of the distance to a prototype, as a share of the distance.

    The power of the distance is a sum over variables. So the part of a variable is what is lost when the row has the
    prototype's value of it.
    """
    power = float(fit.dissimilarity.metric.power or 1.0)
    other = predictors_of(fit, fit.prototypes.iloc[place])
    instead = pd.concat(
        [asked.assign(**{c: other[c] for c in columns}) for columns in groups.values()], ignore_index=True
    )
    query, _, _ = fit.dissimilarity.new_query(instead.astype(asked.dtypes.to_dict()))
    left = np.asarray(distances_by(fit.rule, query)[:, place], float)
    if distance == 0:
        return [0.0] * len(groups)
    return list(np.maximum(0.0, 1 - (left / distance) ** power) * distance)


def least_changes(
    fit: Fitted, asked: pd.DataFrame, groups: dict[str, list[str]], code: int
) -> list[tuple[Any, Any]]:
    """For each variable its value nearest to the row's own with which the row has another class, and this class.

    None where no value of the training rows' range, or no level, gives another class, and for columns that are measured together.
    """
    known = fit.frame.schema
    alone = {name: columns[0] for name, columns in groups.items() if len(columns) == 1 and known[columns[0]].kind != "series"}
    numbers = [c for c in alone.values() if fit.frame.schema[c].kind == "numeric"]
    levels = [c for c in alone.values() if c not in numbers]
    found = least_numbers(fit, asked, numbers, code) | {c: least_level(fit, asked, c, code) for c in levels}
    return [found.get(alone.get(name, ""), (None, None)) for name in groups]


def least_level(fit: Fitted, asked: pd.DataFrame, name: str, code: int) -> tuple[Any, Any]:
    """The first level of a variable with which the row has another class, and this class."""
    levels = pd.unique(fit.frame.columns[name].dropna())
    rows = asked.iloc[np.zeros(len(levels), int)].reset_index(drop=True)
    column = pd.Series(levels).astype(fit.frame.columns[name].dtype)
    codes = codes_of(fit, rows.assign(**{name: column}))
    other = np.flatnonzero(codes != code)
    return (levels[other[0]], fit.classes[codes[other[0]]]) if len(other) else (None, None)


def least_numbers(fit: Fitted, asked: pd.DataFrame, names: list[str], code: int) -> dict[str, tuple[Any, Any]]:
    """The nearest values of numeric variables that give another class; all variables are predicted together."""
    if not names:
        return {}
    here = np.array([float(asked[name].iloc[0]) for name in names])
    seen = fit.frame.columns[names].to_numpy(float, na_value=np.nan)
    values = np.linspace(np.nanmin(seen, axis=0), np.nanmax(seen, axis=0), VALUES, axis=1)  # (variables, VALUES)
    values = np.take_along_axis(values, np.argsort(np.abs(values - here[:, None]), axis=1, kind="stable"), axis=1)
    differs = codes_with(fit, asked, names, values) != code
    at = np.flatnonzero(differs.any(axis=1))
    if not len(at):
        return {}
    names, same, changed = [names[v] for v in at], here[at], values[at, differs[at].argmax(axis=1)]
    for _ in range(HALVINGS):
        middle = (same + changed) / 2
        stays = codes_with(fit, asked, names, middle[:, None])[:, 0] == code
        same, changed = np.where(stays, middle, same), np.where(stays, changed, middle)
    then = codes_with(fit, asked, names, changed[:, None])[:, 0]
    return {name: (float(v), fit.classes[c]) for name, v, c in zip(names, changed, then, strict=True)}


def codes_with(fit: Fitted, asked: pd.DataFrame, names: list[str], values: np.ndarray) -> np.ndarray:
    """The codes of the classes that the row would have with other values of each variable alone, (variables, values)."""
    count = values.shape[1]
    rows = asked.iloc[np.zeros(values.size, int)].reset_index(drop=True)
    columns = {}
    for v, name in enumerate(names):
        columns[name] = np.full(values.size, float(asked[name].iloc[0]))
        columns[name][v * count : (v + 1) * count] = values[v]
    return codes_of(fit, rows.assign(**columns)).reshape(values.shape)


def codes_of(fit: Fitted, rows: pd.DataFrame) -> np.ndarray:
    """The codes of the classes of rows like the one that is asked about."""
    return np.asarray(fit.predictions(rows, unseen=None).cat.codes.to_numpy())


SAMPLE = 300  # rows among which the triangle inequality may be refuted, all triples of them


def margins(distance: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The distance to the nearest prototype of any other class minus that of a class, (r,); NaN where either is not known.

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
    """How far rows can move without changing their predicted class, worked out when it is first read."""

    fit: Fitted
    new: pd.DataFrame
    at: np.ndarray  # int (n,): which rows of `new`

    @cached_property
    def reason(self) -> str:
        """Why no distance is certified; "" where it is."""
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
    """The reason why no distance is certified for the rows of a fit; "" where it is."""
    if not fit.model.can.nearest:
        return f"method {fit.model.name!r} does not predict the class of the nearest prototype"
    if fit.model.can.own_distances:
        return "the rule compares distances of its own, not those of the metric"
    if len(fit.rule.prototypes) == 0:
        return "the rule has no prototypes"
    metric = fit.dissimilarity.metric
    if fit.frame.keep:
        return "missing values are skipped pair by pair, so that the triangle inequality need not hold"
    if metric.triangle and not metric.opaque:
        return ""
    refuted = why_no_metric(fit.dissimilarity)
    if refuted or metric.triangle:
        return refuted
    asked = any(f.name == "triangle" for f in fields(metric.spec))
    cure = f"; if they do for all rows that there can be, say so: {type(metric.spec).__name__}(..., triangle=True)" if asked else ""
    return f"it is not known that {metric.name} dissimilarities satisfy the triangle inequality{cure}"


def why_no_metric(dissimilarity: Dissimilarity) -> str:
    """How dissimilarities among some candidates show that they are no metric; "" where they do not."""
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
    """Whether the dissimilarities tell the rows of a class from those of others; None where to look would take long.

    The area under the ROC curve of the relative margins to the nearest other rows, of up to 100 rows of the class and 100 of others, is
    compared with 1/2 by the rank-sum test (Mann and Whitney 1947) at 5 %.
    """
    dissimilarity, y, w = fit.dissimilarity, fit.frame.codes, fit.frame.weights
    if fit.frame.absent is not None or dissimilarity.sharded is not None or dissimilarity.metric.slow:
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
