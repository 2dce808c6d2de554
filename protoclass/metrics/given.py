"""Dissimilarities that users give as a matrix: its labels, its checks, and conversions from
similarities and kernels.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.coding import as_slice
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import among
from ..ground.errors import DataError, OptionError, shown
from ..ground.savable import savable
from .base import AskedRows, Metric, TrainedMetric, Traits, strings

ROUNDING = 1e-9  # of the largest eigenvalue of a kernel, and of its values: less is rounding
READ = "load the file with pd.read_csv(path, index_col=0), or with pc.read_dissimilarity(path), which checks it"
ORDER = (
    "if the matrix has the rows of the data in their order, use D.index = D.columns = data.index for a DataFrame D; "
    "for a Dissimilarity, use D = D.to_frame() first"
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
        Whether the rows have numbers and not names, which match only data with such labels.
    """

    traits = Traits(slow=True, given=True, opaque=True, reflexive=False)

    origin: str = ""
    unnamed: bool = False

    @property
    def name(self) -> str:
        return "given"

    def train(self, frame: Frame) -> TrainedGiven:
        raise OptionError("a given matrix is not trained: use the matrix itself as dissimilarity=")


@savable(values="n m", row_names="n", column_names="m", titles="t")
@dataclass(frozen=True, eq=False)
class TrainedGiven(TrainedMetric):
    """A given matrix, asymmetric or n x m, that is matched by the names of its rows and columns.

    Of a square matrix (the same names on both sides), only rows that take part are candidates;
    otherwise all columns are. A column whose name is not the name of a row is unlabelled.

    Attributes
    ----------
    values : array (n, m)
    row_names : array (n,)
    column_names : array (m,)
    titles : array
        Names of the levels of the columns' index.
    """

    spec: Given
    values: Array
    row_names: Array
    column_names: Array
    titles: Array

    @property
    def untrained(self) -> TrainedGiven:
        return self

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"Dissimilarities {self.spec.origin}.",) if self.spec.origin else ()

    def of_rows(self, data: pd.DataFrame) -> TrainedGiven:
        rows, index = self._rows, data.index
        names = numbered_as(rows, data) if self._square else rows
        if names is not rows:
            return replace(
                self,
                spec=replace(self.spec, unnamed=True),
                row_names=names.to_numpy(),
                column_names=names.to_numpy(),
            )
        # n rows that are numbered from 1 include row n; without it, rows may be numbered from 0
        whole = len(index) == len(rows) or (rows[0] == 1 and len(rows) in index)
        if self.spec.unnamed and not (whole and among(index, rows).all()):
            cure = (
                label_cure(rows, data)
                if label_columns(rows, data)
                else (
                    "use the labels of all rows in the order of the file, such as "
                    "pc.read_dissimilarity(path, names=data.index)"
                )
            )
            raise DataError(
                f"the dissimilarities were loaded without row names and have the labels {rows[0]} "
                f"to {rows[-1]}, but the data have "
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
        return same_labels(self._rows, self._columns)

    def candidate_names(self, frame: Frame) -> pd.Index:
        if self._square:
            return frame.index
        columns = self._columns
        # neither a row that takes part nor one that was left out
        outside = ~among(columns, self._rows)
        return columns[outside | among(columns, frame.index)]

    def rows(self, frame: Frame) -> Rep:
        check_complete(self._rows, frame.index, frame.columns)
        return (self.values[as_slice(self._rows.get_indexer(frame.index))],)

    def candidates(self, frame: Frame) -> Rep:
        names = self.candidate_names(frame)
        at = self._columns.get_indexer(names)
        if (at < 0).any():
            raise DataError(
                f"the dissimilarities lack the column {shown(names[at < 0][0])} (columns are matched by label)"
            )
        return (at,)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return np.ascontiguousarray(rows[0][:, as_slice(candidates[0])])

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        at = candidates[0]
        # of the columns that are left, none is known by its number
        spec = replace(self.spec, unnamed=False)
        bare = TrainedGiven(
            spec, self.values[:0][:, at], self.row_names[:0], self.column_names[at], self.titles
        )
        return bare, (rows[0][:, at],), (np.arange(len(at)),)

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> AskedRows:
        if not isinstance(new, pd.DataFrame):
            raise DataError(
                "if dissimilarities are given, new rows must be a DataFrame of dissimilarities "
                "with the labels of the candidates as "
                f"columns, not {type(new).__name__}"
            )
        check_distinct(new.columns, "new column")
        names = self._columns
        if self.spec.unnamed and (beyond := len(names) if names[0] == 0 else 0) in new.columns:
            raise DataError(
                f"the dissimilarities were loaded without row names and have the labels {names[0]} "
                f"to {names[-1]}, but the new rows have a "
                f"column {beyond}, so they count in another way: use rows of "
                "pc.read_dissimilarity(path, names=data.index).to_frame()"
            )

        def measure(at: Any, candidates: Rep) -> Array:
            return _read(new, at, names[candidates[0]])

        return AskedRows(new.index, np.ones(len(new), bool), None, measure, None)


def _read(new: pd.DataFrame, at: Any, names: pd.Index) -> Array:
    """Dissimilarities of rows of a frame to candidates by name, NaN if missing."""
    missing = [c for c in names if c not in new.columns]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        convert = as_type_of(new.columns, names)
        cure = (
            f"the labels differ in type, so use new.columns = new.columns.{convert}"
            if convert
            else (
                "use their rows of all dissimilarities, such as pc.read_dissimilarity(path).to_frame().loc[new.index]"
            )
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
    matrix : DataFrame (by label; or pairs: two columns of labels and their dissimilarity), square
    array (n, n) or condensed array
        (n (n - 1) / 2,) (by position)
    data : DataFrame
        Data whose rows the matrix describes: matched by label, or by position for arrays.

    Raises
    ------
    DataError
        If values are missing, infinite or negative, or for wrong shapes, labels that repeat or do
        not match, and similarities.
    """
    numbered, pairs_of_rows = False, len(data) * (len(data) - 1) // 2
    if getattr(matrix, "shape", ()) == (pairs_of_rows, 1) and pairs_of_rows != len(data):
        matrix = np.ravel(matrix)  # condensed, read as a column
    if not isinstance(matrix, pd.DataFrame):
        matrix = labelled(as_floats(matrix), data.index)
    elif 0 in matrix.shape:
        raise DataError(f"dissimilarities must have rows and columns, not the shape {matrix.shape}")
    else:
        if matrix.shape[1] == 3 and len(matrix) != len(data):
            pairs = from_pairs(*(matrix.iloc[:, k] for k in range(3)))
            matrix = matrix if pairs is None else pairs
        check_first_column(matrix)
        rows = matrix.index
        if [*map(str, rows)] == [*map(str, matrix.columns)]:
            names = numbered_as(rows, data)
            matrix, numbered = matrix.set_axis(names).set_axis(names, axis=1), names is not rows
        elif same_labels(rows, matrix.columns) and rows.is_unique:
            matrix = matrix[list(rows)]
        check_labels(matrix, data)
    metric = trained_given(matrix, Given(unnamed=numbered))
    check_nearest_to_itself(metric, bool((matrix.dtypes == np.float32).all()))
    return metric


def same_labels(rows: pd.Index, columns: pd.Index) -> bool:
    """Whether both sides of a matrix have the same labels, in any order."""
    return len(rows) == len(columns) and not len(rows.symmetric_difference(columns, sort=False))


def labelled(array: Array, index: pd.Index) -> pd.DataFrame:
    """A square or condensed array with labels."""
    n = len(index)
    if array.ndim == 1:
        if len(array) != n * (n - 1) // 2:
            raise DataError(
                f"a condensed array for {n} rows needs {n * (n - 1) // 2} values, one for each "
                f"pair, but this has {len(array)}"
            )
        from scipy.spatial.distance import squareform

        array = squareform(array, checks=False)
    if array.shape != (n, n):
        raise DataError(
            f"an array of dissimilarities must be square, with a row for each of the {n} rows, not "
            f"of shape {array.shape}: for other "
            "candidates use a DataFrame with their labels as columns"
        )
    return pd.DataFrame(array, index, index)


def from_pairs(first: Any, second: Any, values: Any) -> pd.DataFrame | None:
    """A square matrix of pairs, NaN for missing values; None if a pair is absent or repeated."""
    first, second = pd.Index(first), pd.Index(second)
    # the name that is on one side only is the first of all in a triangle
    one, other = (second, first) if first[0] in second else (first, second)
    names = one.append(other).unique()
    n, i, j = len(names), names.get_indexer(first), names.get_indexer(second)
    if n < 2 or n * (n - 1) // 2 > len(i) or len(np.unique(i * n + j)) < len(i):
        return None
    matrix, known = np.full((n, n), np.nan), np.eye(n, dtype=bool)
    matrix[i, j], known[i, j] = values, True
    return pd.DataFrame(matrix, names, names) if (known | known.T).all() else None


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
    return TrainedGiven(
        spec or Given(), np.ascontiguousarray(values), *sides, strings(matrix.columns.names)
    )


def as_floats(values: Any) -> Array:
    """The numbers of a frame or of an array as a float array, missing and masked ones as NaN."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        if isinstance(values, pd.DataFrame):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        # masked is missing; -0.0 becomes 0.0
        return np.ma.filled(np.ma.asarray(values).astype(float), np.nan) + 0.0
    except (TypeError, ValueError, OverflowError):
        cure = (
            "convert them, or load the file with pd.read_csv(path, index_col=0, decimal=',') "
            "if they have decimal commas"
        )
        raise DataError(f"dissimilarities must be numbers: {cure}") from None


def mirrored(values: Array) -> Array:
    """A square matrix (n, n), filled in if each pair has a value in one direction only.

    A diagonal that is missing becomes 0.

    Raises
    ------
    DataError
        If only one triangle is 0, as in `np.tril(D)`.
    """
    missing = np.isnan(values)
    if missing.any():
        diagonal = np.eye(len(values), dtype=bool)
        if ((missing != missing.T) | diagonal).all():
            values = np.where(missing, values.T, values)
        if missing.diagonal().all():
            values = np.where(diagonal, 0.0, values)
    for name, side in (("upper", values), ("lower", values.T)):
        # one row first: a triangle of a large matrix is a copy
        if not side[0, 1:].any() and not np.triu(side, 1).any() and np.tril(side, -1).any():
            raise DataError(
                f"the {name} triangle of the dissimilarities is 0, but the other is not: use D + D.T, which has both"
            )
    return values


def check_values(
    values: Array,
    rows: pd.Index,
    columns: pd.Index,
    what: str = "dissimilarities",
    low: float = 0.0,
) -> None:
    """Raise if a value is missing, infinite or below `low`."""
    for bad, fault, cure in (
        (
            np.isnan(values),
            "missing",
            ": use a value for each pair, in both directions or all in one triangle",
        ),
        (np.isinf(values), "infinite", ""),
        (values < low, "negative", ": use D.clip(0) if this is rounding"),
    ):
        if bad.any():
            i, j = np.argwhere(bad)[0]
            where = f"from {shown(rows[i])} to {shown(columns[j])}"
            raise DataError(f"{bad.sum()} {what} are {fault}, the first of which is {where}{cure}")


def check_nearest_to_itself(metric: TrainedGiven, single: bool = False) -> None:
    """Raise if a row is farther from itself than from another candidate, as in similarities.

    `single` is whether the values come from single precision.
    """
    values, columns = metric.values, metric.column_names
    places = pd.Index(columns).get_indexer(metric.row_names)
    rows = np.flatnonzero(places >= 0)
    if len(rows) == 0:
        return
    own, least, most = (
        values[rows, places[rows]],
        values.min(axis=1)[rows],
        values.max(axis=1)[rows],
    )
    # a distance that is the root of a difference is rounded at the root of the precision
    slack = 8 * np.sqrt(np.finfo(np.float32 if single else np.float64).eps) * most
    far = np.flatnonzero(own > least + slack)
    if len(far) == 0:
        return
    k, i = far[0], rows[far[0]]
    raise DataError(
        f"{len(far)} of {len(rows)} rows are farther from themselves than from others, the first "
        f"{shown(metric.row_names[i])} "
        f"({own[k]:.4g} from itself and {least[k]:.4g} from {shown(columns[values[i].argmin()])}). "
        "If these are similarities, use "
        "pc.Dissimilarity.from_similarity(S). If they are dissimilarities, correct the labels of "
        "rows and columns, or set the diagonal "
        "to 0 (np.fill_diagonal)"
    )


def check_first_column(matrix: pd.DataFrame) -> None:
    """Raise if the first column of a frame contains the row labels."""
    name, column = matrix.columns[0], matrix.iloc[:, 0]
    unnamed = (
        name == "" or name.startswith("Unnamed:")
        if isinstance(name, str)
        else np.ndim(name) == 0 and pd.isna(name)
    )
    texts = all(isinstance(value, str) for value in column) and not isinstance(
        matrix.iat[0, -1], str
    )
    if unnamed or texts:
        what = f"contains texts such as {shown(column.iloc[0])}" if texts else "has no name"
        raise DataError(
            f"the first column of the dissimilarities, {shown(name)}, {what}: if these are row names, {READ}"
        )


def check_labels(matrix: pd.DataFrame, data: pd.DataFrame) -> None:
    """Raise if the labels of a frame repeat, do not match the data, or match only as text."""
    rows, columns = matrix.index, matrix.columns
    check_distinct(rows, "row")
    check_distinct(columns, "column")
    if not among(rows, data.index).any():
        raise DataError(
            f"the dissimilarities have the labels {in_short(rows)}, but the data have "
            f"{in_short(data.index)}, and rows are matched by "
            f"label: {label_cure(rows, data)}"
        )
    if among(columns, rows).any():
        return
    alike = {*map(str, rows)} & {*map(str, columns)}
    if alike or (len(rows) == len(columns) and [*map(str, columns)] in counts(len(columns))):
        convert = as_type_of(columns, rows)
        cure = f"use D.columns = D.columns.{convert}" if convert else ORDER
        raise DataError(
            f"the row labels of the dissimilarities ({in_short(rows)}) and their column labels ({in_short(columns)}) "
            f"{'agree only as text' if alike else 'differ'}, so none of the candidates is a row: "
            f"{cure}; from a file, {READ}; if the "
            "candidates are not rows, use labels of another kind"
        )


def check_distinct(labels: pd.Index, what: str) -> None:
    if not labels.is_unique:
        repeated = shown(labels[labels.duplicated()][0])
        raise DataError(
            f"the {what} label {repeated} of the dissimilarities occurs more than once: rename one of them"
        )


def check_complete(rows: pd.Index, needed: pd.Index, data: pd.DataFrame) -> None:
    """Raise if a matrix with these row labels lacks a row of the data that is needed."""
    lacking = needed[~among(needed, rows)]
    if len(lacking):
        raise DataError(
            f"the dissimilarities lack the row {shown(lacking[0])} of the data (rows are matched "
            f"by label): {label_cure(rows, data)}"
        )


def counts(n: int) -> list[list[str]]:
    """The texts of n numbers, counted from 0 and from 1."""
    return [[str(k + first) for k in range(n)] for first in (0, 1)]


def numbered_as(labels: pd.Index, data: pd.DataFrame) -> pd.Index:
    """Labels that count from 1 (R) or from 0, as those of the data if these count all rows."""
    n, index = len(labels), data.index
    counted = [*map(str, labels)] == counts(n)[1] or labels.equals(pd.RangeIndex(n))
    if len(index) != n or not index.is_unique or among(index, labels).all() or not counted:
        return labels
    for names in (pd.RangeIndex(n), pd.RangeIndex(1, n + 1)):
        place = names.get_indexer(index)
        if (place >= 0).all() and all(
            (data[name] == labels[place]).all() for name in label_columns(labels, data)
        ):
            return names
    return labels


def as_type_of(labels: pd.Index, like: pd.Index) -> str:
    """The conversion, as code, of labels that agree only as text; "" if there is none."""
    if among(labels, like).any() or not {*map(str, labels)} & {*map(str, like)}:
        return ""
    if all(isinstance(label, str) for label in like):
        return "astype(str)"
    return (
        "astype(int)"
        if pd.api.types.is_integer_dtype(like)
        and all(str(label).lstrip("-").isdecimal() for label in labels)
        else ""
    )


def label_cure(rows: pd.Index, data: pd.DataFrame) -> str:
    """The cure for labels that do not match: another type, a column of the data, or the order."""
    convert = as_type_of(data.index, rows)
    if convert:
        types = f"{type(rows[0]).__name__} and {type(data.index[0]).__name__}"
        return f"they differ in type ({types}), so use data.index = data.index.{convert}"
    for name in label_columns(rows, data):
        return (
            f"column {name!r} has the labels of the matrix, so use data = data.set_index({name!r})"
        )
    return ORDER


def label_columns(rows: pd.Index, data: pd.DataFrame) -> list[Hashable]:
    """The columns of the data that have labels of a matrix."""
    known = [name for name in data.columns if all(map(pd.api.types.is_hashable, data[name]))]
    return [
        name for name in known if data[name].is_unique and among(pd.Index(data[name]), rows).all()
    ]


def in_short(names: pd.Index) -> str:
    """Labels for a message: the first ones and the last."""
    texts = [shown(name) for name in names]
    return ", ".join(texts) if len(texts) <= 3 else f"{texts[0]}, {texts[1]}, ..., {texts[-1]}"


def converted(similarity: Any, method: str) -> pd.DataFrame:
    """A square matrix of similarities as dissimilarities; see `Dissimilarity.from_similarity`."""
    S = as_floats(similarity)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or len(S) == 0:
        raise DataError(
            f"similarities must be square, with at least one row, not of shape {S.shape}"
        )
    table = similarity if isinstance(similarity, pd.DataFrame) else pd.DataFrame(S)
    names = table.index
    if not (names.is_unique and table.columns.is_unique and same_labels(names, table.columns)):
        raise DataError("similarities need the same unique labels on rows and columns")
    S = pd.DataFrame(S, names, table.columns)[list(names)].to_numpy()
    check_values(S, names, names, "similarities", -np.inf)
    D = S.max() - S if method == "max" else kernel_distances(S, S.diagonal(), S.diagonal())
    return pd.DataFrame(D + 0.0, names, names)


def kernel_distances(K: Array, rows: Array, candidates: Array) -> Array:
    """Distances sqrt(K_ii + K_jj - 2 K_ij) from a kernel (n, m), K_ii (n,) and K_jj (m,).

    Raises
    ------
    DataError
        If K_ii + K_jj < 2 K_ij beyond rounding, so K is not a kernel.
    """
    squared = rows[:, None] + candidates[None, :] - 2 * K
    slack = ROUNDING * (np.abs(rows)[:, None] + np.abs(candidates)[None, :])
    if (squared < -slack).any():
        i, j = np.argwhere(squared < -slack)[0]
        raise DataError(
            f"this is not a kernel, because K_ii + K_jj - 2 K_ij = {squared[i, j]:.4g} at position ({i}, {j})"
        )
    # within rounding of 0 the two are the same point
    return np.sqrt(np.where(squared <= slack, 0.0, squared))
