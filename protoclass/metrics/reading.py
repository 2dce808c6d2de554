"""Access of models and rules to a `Dissimilarity`: as a source of the matrix, and as queries about rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.coding import as_slice
from ..core.memory import SHARE, SMALLEST, available, check_fits
from ..core.parallel import SMALL, Once, alone, each
from ..core.query import Beside, Query
from ..core.sources import Held, Rep, Source, Streamed, part
from ..core.spatial import Spatial
from ..core.task import Points
from ..frames.blocks import design_rows
from ..frames.frame import Frame
from ..ground.errors import DataError, shown
from .base import TrainedMetric, as_vectors, compare

if TYPE_CHECKING:
    from .dissimilarity import Dissimilarity

ROWS = 512  # measured at a time
FEWEST = 256  # prototypes from which on preparing their comparison pays


def build_source(d: Dissimilarity, tick: Callable[[], None], hold: bool | None, limit: float | None) -> Source:
    """The source of a `Dissimilarity`; see `Dissimilarity.source`."""
    n, m = d.shape
    if d.metric.given and not d.metric.train_in_folds:
        return Held(np.ascontiguousarray(d.metric.between(d.rows, d.candidates)))
    between = partial(finite_values, d.metric)
    sample = between(part(d.rows, slice(0, 1)), part(d.candidates, slice(0, 1)))
    size = n * m * sample.dtype.itemsize
    fits = size <= SMALLEST or size <= SHARE * available()
    if hold is None:
        hold = fits and (d.metric.slow or limit is None or size <= limit)
    cure = "use fewer rows (data.sample(...)) or a machine with more memory"
    streamed = Streamed(between, d.rows, d.candidates, cure)
    geometry = d.metric.geometry
    if geometry is not None and n * m > SMALL:
        measured = Once(lambda: _matrix(d, tick, sample.dtype)) if hold else None
        if fits or not hold:
            return Spatial(streamed, geometry, d.square and d.metric.same_sides, measured)
    if not hold:
        return streamed
    if not fits:
        check_fits(size, f"{n} x {m} dissimilarities take", "use fewer rows")
    return Held(_matrix(d, tick, sample.dtype))


def _matrix(d: Dissimilarity, tick: Callable[[], None], dtype: np.dtype) -> np.ndarray:
    """The full matrix (n, m); of a symmetric one half is measured."""
    n, m = d.shape
    values, step = np.empty((n, m), dtype), max(ROWS, n // 8)
    half = d.square and d.metric.symmetric

    def block(first: int) -> None:
        at, right = slice(first, first + step), slice(first if half else 0, None)
        values[at, right] = finite_values(
            d.metric, part(d.rows, at), part(d.candidates, right), d.index[at], d.candidate_names[right]
        )
        if half:
            values[first + step :, at] = values[at, first + step :].T
        tick()

    # these threads own the processors: products of matrices within them run on one each
    with alone() if n * m >= SMALL else nullcontext():
        for _ in each(block, range(0, n, step), n * m):
            pass
    return values


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


def build_query(d: Dissimilarity, rows: np.ndarray) -> Query:
    """Rows of a `Dissimilarity` by their positions; see `Dissimilarity.query`."""

    def measure(at: np.ndarray, prototypes: Points) -> np.ndarray:
        values = compare(d.metric, part(d.rows, as_slice(at)), d.prototype_rep(prototypes))
        return usable(d.metric, values, d.index[as_slice(at)])

    vectors, columns = _coordinates(d.metric, lambda: d.rows), _columns(d.data)
    return Query(rows, measure, vectors, columns, lambda i: shown(d.index[i]), _beside(d, lambda: d.rows))


def build_new_query(d: Dissimilarity, new: Any, zero: bool, measured: bool) -> tuple[Query, pd.Index, np.ndarray]:
    """New rows; see `Dissimilarity.new_query`."""
    known = d.metric.new_rows(new, d.data, zero)
    if measured and known.rows is not None:
        known.rows()  # which raises for invalid values, also if a rule has no prototypes

    def measure(at: np.ndarray, prototypes: Points) -> np.ndarray:
        return usable(d.metric, known.measure(at, d.prototype_rep(prototypes)), names[as_slice(at)])

    names = known.index[known.complete]
    rows, vectors = np.arange(len(names)), _coordinates(d.metric, known.rows or tuple)
    beside, columns = _beside(d, known.rows), _columns(known.frame, zero)
    query = Query(rows, measure, vectors, columns, lambda i: shown(names[i]), beside)
    return query, known.index, known.complete


def _beside(d: Dissimilarity, rows: Callable[[], Rep] | None) -> Callable[[Points], Beside | None]:
    """Prototypes and rows, if there are so many pairs that comparing them by other means is faster."""

    def beside(prototypes: Points) -> Beside | None:
        q, geometry = len(prototypes), d.metric.geometry
        if rows is None or geometry is None or q < FEWEST or len(rows()[0]) * q <= SMALL:
            return None
        return Beside(source_beside(d.metric, rows(), d.prototype_rep(prototypes)), np.arange(q))

    return beside


def source_beside(metric: TrainedMetric, rows: Rep, candidates: Rep) -> Source:
    """The source of some rows and candidates, of which nothing is stored."""
    streamed = Streamed(partial(finite_values, metric), rows, candidates)
    if metric.geometry is None or len(rows[0]) * len(candidates[0]) <= SMALL:
        return streamed
    return Spatial(streamed, metric.geometry, False, None)


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


def _coordinates(metric: TrainedMetric, rows: Callable[[], Rep]) -> Callable[[np.ndarray], np.ndarray]:
    def coordinates(at: np.ndarray) -> np.ndarray:
        space = as_vectors(metric)
        return space.coordinates(part(rows(), as_slice(at)))

    return coordinates


def _columns(frame: Frame | None, zero: bool = False) -> Callable[[np.ndarray], np.ndarray]:
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
