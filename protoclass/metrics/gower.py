"""Gower's dissimilarity for mixed tables with missing values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.distances.gower import gower
from ..core.sources import Rep
from ..errors import DataError, DataWarning, OptionError, brief, shown, warn
from ..frames.frame import Frame
from .arrays import strings
from .base import Metric, TrainedMetric

MANY = 10  # rows from which on a category that never repeats is taken for a name of the row


@dataclass(frozen=True)
class Gower(Metric):
    """Weighted mean over the variables of |x - z| / range (numbers), of 0 or 1 (categories), as in R's `daisy`.

    An ordered category counts as its level's number; a boolean as a category, or, where named in `asymmetric`, as a
    feature whose joint absence says nothing; a pair skips the variables that either row misses. Ranges are those of the
    rows in fit.

    Parameters
    ----------
    asymmetric : names of boolean columns
    weights : mapping of name to number >= 0, optional
        Weight of each variable; those not named have weight 1. One of weight 0 does not count at all, not even as
        something that two rows have in common.
    logratio : names of positive numeric columns
        Measured by their logarithms: |log x - log z| / range of the logarithms.
    ordratio : names of columns of numbers or ordered categories
        Measured by their ranks among the distinct values of the rows in fit (0, 1, 2, ... as codes of an ordered
        category with the levels that occur). A new value takes the rank halfway between its neighbours', so -1/2 below
        the smallest; only the order of the values counts, in fit and for new rows. `daisy` ranks several such columns in
        one sequence of levels, here each has its own.

    Raises
    ------
    OptionError
        For names that are not predictors of the right kind, and weights that are negative or all zero.
    DataError
        For infinite values, values of `logratio` columns that are not positive (the row is named), and where there are
        no predictors.

    Warns
    -----
    DataWarning
        For an unordered category with a different value in every row (ten rows or more), which can't tell rows apart.

    Notes
    -----
    Gower (1971), *Biometrics* 27; Kaufman and Rousseeuw (1990), *Finding Groups in Data*, section 2.6.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": ["u", "v", "u"], "d": pd.array([True, False, None], "boolean")})
    >>> t["c"] = pd.Categorical(["lo", "hi", "lo"], ["lo", "hi"], ordered=True)
    >>> d = pc.dissimilarity("~ a + b + c + d", t, pc.Gower(asymmetric=["d"]), na="keep")
    >>> d.condensed().round(7).tolist()  # R 4.2.2, cluster 2.1.4: daisy(t, "gower", type = list(asymm = "d"))
    [0.8333333, 0.3333333, 0.8888889]
    >>> d = pc.dissimilarity("~ a + b", t, pc.Gower(weights={"a": 3}, logratio=["a"]))
    >>> d.condensed().round(7).tolist()  # daisy(t[, 1:2], "gower", weights = c(3, 1), type = list(logratio = "a"))
    [0.625, 0.75, 0.625]
    """

    symmetric: ClassVar[bool] = True

    asymmetric: Sequence[str] = ()
    weights: Mapping[str, float] | None = None
    logratio: Sequence[str] = ()
    ordratio: Sequence[str] = ()

    def __post_init__(self) -> None:
        what = {
            "asymmetric": "boolean columns",
            "logratio": "numeric columns",
            "ordratio": "numeric or ordered columns",
        }
        for parameter, kind in what.items():
            names = _names(getattr(self, parameter))
            if not isinstance(names, (list, tuple)) or not all(isinstance(c, str) for c in names):
                raise OptionError(f"{parameter}={brief(names)}: a list of names of {kind}")
        both = [c for c in _names(self.logratio) if c in _names(self.ordratio)]
        if both:
            raise OptionError(f"{both[0]!r} stands in logratio and in ordratio: its ranks are those of its logarithms")
        given = {} if self.weights is None else self.weights
        if not isinstance(given, Mapping):
            raise OptionError(f"weights={brief(given)}: a mapping of column names to numbers >= 0")
        for name, weight in given.items():
            number = isinstance(weight, (Real, np.bool_)) and not isinstance(weight, (bool, np.bool_))
            if not isinstance(name, str) or not number or not 0 <= weight < np.inf:
                raise OptionError(f"weights: {brief(name)} has {brief(weight)}, and weights are finite numbers >= 0")

    @property
    def power(self) -> float:
        return 1.0

    @property
    def skips_missing(self) -> bool:
        return True

    @property
    def data_dependent(self) -> bool:
        return True

    def train(self, frame: Frame) -> TrainedGower:
        table = frame.terms()
        if not table:
            raise DataError(f"{frame.formula.quoted} names no predictors to measure Gower dissimilarities on: name columns, or '.'")
        booleans = [c for c in table if c in frame.schema and frame.schema[c].kind == "boolean"]
        numbers = [c for c, v in table.items() if c not in booleans and (_number(v) or v.cat.ordered)]
        categories = [c for c in table if c not in numbers]
        _among("asymmetric", _names(self.asymmetric), booleans, "boolean predictor")
        _among("logratio", _names(self.logratio), [c for c in numbers if _number(table[c])], "numeric predictor")
        _among("ordratio", _names(self.ordratio), numbers, "numeric or ordered predictor")
        _among("weights", list(self.weights or ()), list(table), "predictor")
        weights = np.array([float((self.weights or {}).get(c, 1.0)) for c in (*numbers, *categories)])
        if not weights.any():
            raise OptionError("weights are 0 for all predictors: one at least must count")
        ranked = tuple(np.unique(_column(table[c][table[c].notna()])) for c in _names(self.ordratio))
        values = _values(self, table, numbers, ranked, frame.index)
        low, high = (
            f(values, axis=0, where=~np.isnan(values), initial=s) for f, s in ((np.min, np.inf), (np.max, -np.inf))
        )
        with np.errstate(over="ignore"):
            ranges = np.where(high > low, high - low, 1.0)
        if not np.isfinite(ranges).all():
            name = numbers[int(np.argmax(~np.isfinite(ranges)))]
            raise DataError(f"the range of column {name!r} is infinite: scale it down")
        counted = [c for c, weight in zip(categories, weights[len(numbers) :], strict=True) if weight > 0]
        labels = [c for c in counted if _one_row_a_level(table[c])]
        for name in labels:
            warn(
                f"column {name!r} has a different value in every row, and so adds the same to every dissimilarity: leave it "
                f"out ('- {name}')",
                DataWarning,
            )
        constant = [c for c, a, b in zip(numbers, low, high, strict=True) if not b > a]
        weights = weights / weights.max()  # so that nothing overflows
        return TrainedGower(
            self, ranges, weights, ranked, strings(numbers), strings(categories), strings(constant), strings(labels)
        )


@dataclass(frozen=True)
class TrainedGower(TrainedMetric):
    """A Gower dissimilarity with the ranges that it learned.

    Attributes
    ----------
    ranges : array (p,)
        Ranges of the numbers.
    weights : array (p + c,)
        Weights of numbers and categories, the largest 1.
    ranked : tuple of arrays
        The distinct values of each column in `ordratio`.
    numbers, categories : arrays (p,) and (c,) of str
        Names of the columns that are measured as numbers and as categories.
    constant : array of str
        Numbers that do not vary.
    labels : array of str
        Categories with a different value in every row.
    """

    spec: Gower
    ranges: np.ndarray
    weights: np.ndarray
    ranked: tuple[np.ndarray, ...]
    numbers: np.ndarray
    categories: np.ndarray
    constant: np.ndarray
    labels: np.ndarray

    @property
    def notes(self) -> tuple[str, ...]:
        said = {
            "constant numbers, which add 0 to every distance": self.constant,
            "categories with a different value in every row, which add the same to every distance": self.labels,
        }
        return tuple(f"{words}: {', '.join(names)}" for words, names in said.items() if len(names))

    def rows(self, frame: Frame) -> Rep:
        table = frame.terms()
        values = _values(self.spec, table, self.numbers, self.ranked, frame.index)
        with np.errstate(over="ignore"):
            scaled = values / self.ranges * self.weights[: len(self.numbers)]
        if np.isinf(scaled).any():
            i, j = np.argwhere(np.isinf(scaled))[0]
            raise DataError(
                f"column {self.numbers[j]!r} is {values[i, j]:.4g} at row {shown(frame.index[i])}, too large beside its "
                f"range in fit, {self.ranges[j]:.4g}"
            )
        codes = [_codes(table[c]) for c in self.categories]
        n = len(frame)
        return scaled, np.column_stack(codes).astype(np.int64) if codes else np.empty((n, 0), np.int64)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        asymmetric = _names(self.spec.asymmetric)
        flags = np.array([c in asymmetric for c in self.categories], bool)
        return gower((rows[0], rows[1]), (candidates[0], candidates[1]), flags, self.weights)


def _values(
    spec: Gower, table: dict[str, pd.Series], numbers: Iterable[str], ranked: tuple[np.ndarray, ...], index: pd.Index
) -> np.ndarray:
    """The numeric variables (n, p) as they are subtracted, before they are divided by their ranges."""
    levels = dict(zip(_names(spec.ordratio), ranked, strict=True))
    logs = _names(spec.logratio)
    columns = [_value(c, _column(table[c]), c in logs, levels.get(c), index) for c in numbers]
    return np.column_stack(columns) if columns else np.empty((len(index), 0))


def _value(name: str, values: np.ndarray, log: bool, levels: np.ndarray | None, index: pd.Index) -> np.ndarray:
    wrong = np.flatnonzero(np.isinf(values))
    if len(wrong):
        raise DataError(f"column {name!r} is infinite at row {shown(index[wrong[0]])}")
    if log:
        wrong = np.flatnonzero(values <= 0)
        if len(wrong):
            raise DataError(
                f"column {name!r} is {values[wrong[0]]:g} at row {shown(index[wrong[0]])}: logratio takes positive "
                "numbers"
            )
        return np.log10(values)
    if levels is None:
        return values
    at = np.searchsorted(levels, values).astype(float)
    seen = np.isin(values, levels)
    return np.where(np.isnan(values), np.nan, np.where(seen, at, at - 0.5))


def _names(given: Any) -> Any:
    return (given,) if isinstance(given, str) else given


def _among(parameter: str, names: Iterable[str], known: list[str], what: str) -> None:
    strange = [c for c in names if c not in known]
    if strange:
        raise OptionError(f"{parameter}={strange[0]!r} is not a {what}; these are: {known}")


def _number(values: pd.Series) -> bool:
    return bool(pd.api.types.is_float_dtype(values.dtype))


def _one_row_a_level(values: pd.Series) -> bool:
    """Whether a category has a different value in every row, as a name or a number of the row has."""
    return bool(len(values) >= MANY and values.notna().all() and values.is_unique and not _number(values))


def _codes(values: pd.Series) -> np.ndarray:
    if _number(values):  # a boolean as 0 and 1
        return np.where(values.isna(), -1, values.fillna(0)).astype(np.int64)
    return values.cat.codes.to_numpy(np.int64)


def _column(values: pd.Series) -> np.ndarray:
    """A variable as floats, NaN where missing; an ordered category as its level's number."""
    if _number(values):
        return values.to_numpy(float)
    codes = values.cat.codes.to_numpy(float)
    return np.where(codes < 0, np.nan, codes)
