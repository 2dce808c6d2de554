"""Values of a trained metric that are checked: for sources of a matrix, and for queries about rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..core.coding import as_slice
from ..core.parallel import Once
from ..core.sources import Rep, part
from ..frames.frame import Frame, design_rows
from ..ground.errors import DataError, shown
from .base import TrainedMetric, as_vectors, compare


def finite_values(
    metric: TrainedMetric,
    rows: Rep,
    candidates: Rep,
    row_names: pd.Index | None = None,
    candidate_names: pd.Index | None = None,
) -> np.ndarray:
    """Dissimilarities (r, q) as floats.

    Raises
    ------
    DataError
        Where one is missing, negative or infinite; it names the pair if the names are given.
    """
    values = compare(metric, rows, candidates)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(float)
    if values.size == 0 or (values.min() >= 0 and values.max() < np.inf):
        return values
    i, j = np.argwhere(~(np.isfinite(values) & (values >= 0)))[0]
    pair = "some rows"
    if row_names is not None and candidate_names is not None:
        pair = f"rows {shown(row_names[i])} and {shown(candidate_names[j])}"
    raise DataError(f"the {metric.name} dissimilarity between {pair} is {_fault(values[i, j], metric)}")


def _fault(value: float, metric: TrainedMetric) -> str:
    if not np.isnan(value):
        return "negative, but dissimilarities must be >= 0" if value < 0 else "infinite: scale the columns down"
    if not metric.skips_missing:
        return "not a number (NaN): `between` of the metric must return finite numbers >= 0"
    return (
        "missing, because they have no observed variable in common: leave out rows or columns that miss most values, or use "
        "na='drop'"
    )


def usable(metric: TrainedMetric, values: np.ndarray, names: pd.Index) -> np.ndarray:
    """Dissimilarities (r, q) of rows with these names to prototypes, checked for a rule: none is negative or infinite.

    One is missing (NaN) only if values may be missing: in a given matrix, and if a metric skips them. The query notes
    it, and the row gets no prediction.

    Raises
    ------
    DataError
        It names the first row with another value.
    """
    if values.size == 0 or (values.min() >= 0 and values.max() < np.inf):
        return values
    wrong = (values < 0) | (values == np.inf)
    if not (metric.given or metric.skips_missing):
        wrong |= np.isnan(values)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        fault = _fault(values[i, j], metric)
        if not values[i, j] < 0:
            fault = "beyond all numbers: correct the values of the row, or leave it out"
        raise DataError(f"the {metric.name} dissimilarity between row {shown(names[i])} and a prototype is {fault}")
    return values


def coordinates_of(metric: TrainedMetric, rows: Callable[[], Rep]) -> Callable[[np.ndarray], np.ndarray]:
    def coordinates(at: np.ndarray) -> np.ndarray:
        space = as_vectors(metric)
        return space.coordinates(part(rows(), as_slice(at)))

    return coordinates


def columns_of(frame: Frame | None, zero: bool = False) -> Callable[[np.ndarray], np.ndarray]:
    """Columns of the design matrix of some rows; NaN for a row with a level that has no column, unless these are all 0 in such rows."""

    blank = Once(lambda: None if frame is None else frame.without_unseen(frame.unseen))

    def columns(at: np.ndarray) -> np.ndarray:
        known = blank()
        if frame is None or known is None or not frame.formula.terms:
            what = "a given matrix" if frame is None else repr(frame.formula.text)
            raise DataError(f"the method needs columns, but {what} has no predictors")
        values = design_rows(known, at)
        if zero or not frame.unseen:
            return values
        return np.where(np.logical_or.reduce(list(frame.unseen.values()))[at, None], np.nan, values)

    return columns
