"""Dissimilarities that are given as a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.coding import as_slice, gather
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import among
from ..ground.errors import DataError, OptionError, shown
from ..ground.savable import savable
from .base import Metric, NewRows, TrainedMetric, Traits, strings
from .matrices import (
    as_floats,
    as_type_of,
    check_complete,
    check_first_column,
    check_labels,
    check_nearest_to_itself,
    check_values,
    from_pairs,
    in_short,
    label_columns,
    label_cure,
    mirrored,
    numbered_as,
)


@savable
@dataclass(frozen=True)
class Given(Metric):
    """A matrix of dissimilarities that the user gives; see `TrainedGiven`, which stores it.

    Attributes
    ----------
    origin : str
        Description of its file, for the printed fit and the summary.
    unnamed : bool
        Whether the rows have no names but numbers, from 0 or as in R from 1, so they match only data with such labels.
    """

    traits = Traits(slow=True, given=True, opaque=True)

    origin: str = ""
    unnamed: bool = False

    @property
    def name(self) -> str:
        return "given"

    def train(self, frame: Frame) -> TrainedGiven:
        raise OptionError("a given matrix is not trained: use the matrix itself as dissimilarity=")


@savable(values="n m", row_names="n", column_names="m", titles="t")
@dataclass(frozen=True)
class TrainedGiven(TrainedMetric):
    """A given matrix with the names of its rows and columns, by which it is matched; it may be asymmetric and n x m.

    A square matrix (the same names on both sides) is for the rows that take part, and only those are candidates.
    Columns of any other matrix are all candidates; a column whose name is not the name of a row is unlabelled.

    Attributes
    ----------
    values : array (n, m)
    row_names : array (n,)
    column_names : array (m,)
    titles : array
        Names of the levels of the columns' index.
    """

    spec: Given
    values: np.ndarray
    row_names: np.ndarray
    column_names: np.ndarray
    titles: np.ndarray

    @property
    def untrained(self) -> TrainedGiven:
        return self

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"Dissimilarities {self.spec.origin}.",) if self.spec.origin else ()

    def of_rows(self, data: pd.DataFrame) -> TrainedGiven:
        n, rows, index = len(self.row_names), self._rows, data.index
        names = numbered_as(rows, data) if self._square else rows
        if names is not rows:
            return replace(self, spec=replace(self.spec, unnamed=True), row_names=names.to_numpy(), column_names=names.to_numpy())
        # n rows that are numbered from 1 include row n; without it, rows may be numbered from 0
        if self.spec.unnamed and not (among(index, rows).all() and (len(index) == n or (rows[0] == 1 and n in index))):
            cure = label_cure(rows, data) if label_columns(rows, data) else (
                "use the labels of all rows in the order of the file, such as pc.read_dissimilarity(path, names=data.index)"
            )
            raise DataError(
                f"the dissimilarities were loaded without row names and have the labels {rows[0]} to {rows[-1]}, but the data have "
                f"{len(index)} rows labelled {in_short(index)}: {cure}"
            )
        return self

    @property
    def _rows(self) -> pd.Index:
        return pd.Index(self.row_names)

    @property
    def _columns(self) -> pd.Index:
        index = pd.Index(self.column_names)
        return index.set_names(list(self.titles)) if index.nlevels == len(self.titles) else index

    @property
    def _square(self) -> bool:
        rows, columns = self._rows, self._columns
        return len(rows) == len(columns) and not len(rows.symmetric_difference(columns, sort=False))

    def candidate_names(self, frame: Frame) -> pd.Index:
        if self._square:
            return frame.index
        columns = self._columns
        outside = ~among(columns, self._rows)  # neither a row that takes part nor one that was left out
        return columns[outside | among(columns, frame.index)]

    def rows(self, frame: Frame) -> Rep:
        check_complete(self._rows, frame.index, frame.columns)
        at = self._rows.get_indexer(frame.index)
        every = len(at) == len(self.values) and (at == np.arange(len(at))).all()
        return (self.values if every else self.values[at],)

    def candidates(self, frame: Frame) -> Rep:
        names = self.candidate_names(frame)
        at = self._columns.get_indexer(names)
        if (at < 0).any():
            raise DataError(f"the dissimilarities lack the column {shown(names[at < 0][0])} (columns are matched by label)")
        return (at,)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        at = candidates[0]
        every = len(at) == rows[0].shape[1] and (at == np.arange(len(at))).all()
        return rows[0] if every else gather(rows[0], np.arange(len(rows[0])), at)

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        at = candidates[0]
        spec = replace(self.spec, unnamed=False)  # of the columns that are left, none is known by its number
        bare = TrainedGiven(spec, self.values[:0][:, at], self.row_names[:0], self.column_names[at], self.titles)
        return bare, (rows[0][:, at],), (np.arange(len(at)),)

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> NewRows:
        if not isinstance(new, pd.DataFrame):
            raise DataError(
                "if dissimilarities are given, new rows must be a DataFrame of dissimilarities with the labels of the candidates as "
                f"columns, not {type(new).__name__}"
            )
        if not new.columns.is_unique:
            raise DataError(f"the column label {shown(new.columns[new.columns.duplicated()][0])} occurs more than once")

        names = self._columns
        if self.spec.unnamed and (beyond := len(names) if names[0] == 0 else 0) in new.columns:
            raise DataError(
                f"the dissimilarities were loaded without row names and have the labels {names[0]} to {names[-1]}, but the new rows have a "
                f"column {beyond}, so they count in another way: use rows of pc.read_dissimilarity(path, names=data.index).frame()"
            )

        def measure(at: Any, candidates: Rep) -> np.ndarray:
            return _read(new, at, self._columns[candidates[0]])

        return NewRows(new.index, np.ones(len(new), bool), None, measure, None)


def _read(new: pd.DataFrame, at: Any, names: pd.Index) -> np.ndarray:
    """Dissimilarities of some rows of a frame to the candidates with these names, NaN if missing."""
    missing = [c for c in names if c not in new.columns]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        convert = as_type_of(new.columns, names)
        cure = f"the labels differ in type, so use new.columns = new.columns.{convert}" if convert else (
            "use their rows of all dissimilarities, such as pc.read_dissimilarity(path).frame().loc[new.index]"
        )
        raise DataError(f"the new rows lack the dissimilarities to {missing[:5]}{more}: {cure}")
    table = new[list(names)].iloc[as_slice(at)]
    values = np.ascontiguousarray(as_floats(table))
    known = ~np.isnan(values).any(axis=1)
    check_values(values[known], table.index[known], names)
    return values


def given(matrix: Any, data: pd.DataFrame) -> TrainedGiven:
    """A given matrix as a trained metric.

    Parameters
    ----------
    matrix : DataFrame (by label), square array (n, n) or condensed array (n (n - 1) / 2,) (by position)
    data : DataFrame
        Data whose rows the matrix describes: matched by label, or by position for arrays.

    Raises
    ------
    DataError
        If values are missing, infinite or negative; for wrong shapes, duplicate labels, labels without a match, row names that were
        read as a column, and similarities: rows that are farther from themselves than from others.
    """
    if isinstance(matrix, pd.DataFrame) and 0 in matrix.shape:
        raise DataError(f"dissimilarities must have rows and columns, not the shape {matrix.shape}")
    pairs_of_rows = len(data) * (len(data) - 1) // 2
    if getattr(matrix, "shape", ()) == (pairs_of_rows, 1) and pairs_of_rows != len(data):
        matrix = np.ravel(matrix)  # condensed, read as a column
    if isinstance(matrix, pd.DataFrame):
        if matrix.shape[1] == 3 and len(matrix) != len(data):
            pairs = from_pairs(*(matrix.iloc[:, k] for k in range(3)))
            matrix = matrix if pairs is None else pairs
        check_first_column(matrix)
        matrix, numbered = _labelled(matrix, data)
        check_labels(matrix, data)
    else:
        matrix, numbered = labelled(as_floats(matrix), data.index), False
    metric = trained_given(matrix, Given(unnamed=numbered))
    single = bool((matrix.dtypes == np.float32).all())
    check_nearest_to_itself(metric.values, matrix.index, matrix.columns, single)
    return metric


def _labelled(matrix: pd.DataFrame, data: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """A matrix with the same labels on both sides if these are the same as text, and numbered as the data are; whether that changed."""
    rows, columns = matrix.index, matrix.columns
    if len(rows) == len(columns) and list(map(str, rows)) == list(map(str, columns)):
        matrix = matrix.set_axis(rows, axis=1)
        names = numbered_as(rows, data)
        return (matrix, False) if names is rows else (matrix.set_axis(names).set_axis(names, axis=1), True)
    if not len(rows.symmetric_difference(columns, sort=False)) and rows.is_unique:
        matrix = matrix[list(rows)]
    return matrix, False


def labelled(array: np.ndarray, index: pd.Index) -> pd.DataFrame:
    """A square or condensed array with labels."""
    n = len(index)
    if array.ndim == 1:
        if len(array) != n * (n - 1) // 2:
            raise DataError(f"a condensed array for {n} rows needs {n * (n - 1) // 2} values, one for each pair, but this has {len(array)}")
        from scipy.spatial.distance import squareform

        array = squareform(array, checks=False)
    if array.shape != (n, n):
        raise DataError(
            f"an array of dissimilarities must be square, with a row for each of the {n} rows, not of shape {array.shape}: for other "
            "candidates use a DataFrame with their labels as columns"
        )
    return pd.DataFrame(array, index, index)


def trained_given(matrix: pd.DataFrame, spec: Given | None = None) -> TrainedGiven:
    """A frame of dissimilarities, whose labels are checked, as a trained metric.

    Raises
    ------
    DataError
        For values that are missing, infinite or negative.
    """
    values = as_floats(matrix)
    if matrix.index.equals(matrix.columns):
        values = mirrored(values)
    check_values(values, matrix.index, matrix.columns)
    sides = matrix.index.to_numpy(), matrix.columns.to_numpy()
    return TrainedGiven(spec or Given(), np.ascontiguousarray(values), *sides, strings(matrix.columns.names))
