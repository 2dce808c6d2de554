"""Dissimilarities that users give as a matrix: its labels, its checks, conversions from
similarities and kernels, and files of matrices, triangles and pairs.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.coding import as_slice
from ..core.sources import Rep
from ..frames.frame import Frame
from ..frames.misread import PLACEHOLDER
from ..ground.errors import DataError, DataWarning, OptionError, brief, shown, warn, why
from ..ground.savable import savable
from .base import AskedRows, Metric, TrainedMetric, Traits, strings
from .pairwise import kernel_distances

READING = "load the file with pd.read_csv(path, index_col=0), or with pc.read_dissimilarity(path), which checks it"
ORDER = (
    "if the matrix has the rows of the data in their order, use D.index = D.columns = data.index "
    "for a DataFrame D, or pc.read_dissimilarity(path, names=data.index) for a file; for a "
    "Dissimilarity, use D = D.to_frame() first"
)
SHIFTED = (
    "the matrix counts its rows from 1; if labels of the data count from 0, rows match off by one: "
    "read labels with pd.read_csv(path, index_col=0); if they are right, use data.rename_axis('row')"
)


@savable
@dataclass(frozen=True)
class Given(Metric):
    """A matrix of dissimilarities that the user gives; see `TrainedGiven`, which stores it.

    Attributes
    ----------
    origin : str
        Description of its file, for the printed fit and the summary.
    unnamed : tuple of int
        If the rows have numbers and not names: the columns that new rows must have, so that their
        numbers are of the same kind, and last one that they must not have.
    """

    traits = Traits(slow=True, given=True, opaque=True, reflexive=False)

    origin: str = ""
    unnamed: tuple[int, ...] = ()

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
        # a column `outside` is neither a row that takes part nor one that was left out
        outside = self._rows.get_indexer(columns) < 0
        return columns[outside | (frame.index.get_indexer(columns) >= 0)]

    def rows(self, frame: Frame) -> Rep:
        return (self.values[as_slice(self._rows.get_indexer(frame.index))],)

    def candidates(self, frame: Frame) -> Rep:
        return (self._columns.get_indexer(self.candidate_names(frame)),)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return np.ascontiguousarray(rows[0][:, as_slice(candidates[0])])

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        at = candidates[0]
        names = self.row_names[:0], self.column_names[at]
        bare = TrainedGiven(self.spec, self.values[:0][:, at], *names, self.titles)
        return bare, (rows[0][:, at],), (np.arange(len(at)),)

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> AskedRows:
        if not isinstance(new, pd.DataFrame):
            raise DataError(
                "if dissimilarities are given, new rows must be a DataFrame of dissimilarities "
                f"with the labels of the candidates as columns, not {type(new).__name__}"
            )
        check_distinct(new.columns, "new column")
        names = self._columns
        if [c in new.columns for c in self.spec.unnamed] not in ([], [False], [True, False]):
            raise DataError(
                "rows were matched by position, but columns of new rows may count in another way: "
                "use D = pc.read_dissimilarity(path, names=data.index).to_frame() for both"
            )

        def measure(at, candidates):
            return _read(new, at, names[candidates[0]])

        return AskedRows(new.index, np.ones(len(new), bool), None, measure, None)


def _read(new: pd.DataFrame, at: Any, names: pd.Index) -> Array:
    """Dissimilarities of rows of a frame to candidates by name, NaN if missing."""
    missing = names[new.columns.get_indexer(names) < 0]
    if len(missing):
        convert = as_type_of(new.columns, names)
        cure = (
            f"the labels differ in type, so use new.columns = new.columns.{convert}"
            if convert
            else "use their rows of all dissimilarities, such as "
            "pc.read_dissimilarity(path).to_frame().loc[new.index]; "
            "for R's headers X1, X2, use new.columns = new.columns.str[1:].astype(int)"
        )
        raise DataError(f"the new rows lack the dissimilarities to {in_short(missing)}: {cure}")
    table = new[list(names)].iloc[as_slice(at)]
    values = np.ascontiguousarray(as_floats(table))
    known = ~np.isnan(values).any(axis=1)
    check_values(values[known], table.index[known], names)
    return values


def given(matrix: Any, data: pd.DataFrame) -> TrainedGiven:
    """A given matrix as a trained metric, whose labels `match_rows` then compares with the data.

    Parameters
    ----------
    matrix : DataFrame (by label; or pairs: two columns of labels and their dissimilarity), or array
        (n, n) or (n (n - 1) / 2,) (by position)
    data : DataFrame
        Data whose rows the matrix describes.

    Raises
    ------
    DataError
        If values are missing, infinite or negative, or for wrong shapes, labels that repeat, and
        similarities.
    """
    pairs_of_rows = len(data) * (len(data) - 1) // 2
    if getattr(matrix, "shape", ()) == (pairs_of_rows, 1) and pairs_of_rows != len(data):
        matrix = np.ravel(matrix)  # condensed, read as a column
    if not isinstance(matrix, pd.DataFrame):
        matrix = labelled(as_floats(matrix), data.index)
    elif 0 in matrix.shape:
        raise DataError(f"dissimilarities must have rows and columns, not the shape {matrix.shape}")
    else:
        if matrix.shape[1] == 3 and len(matrix) != len(data):
            pairs = from_pairs(*(column for _, column in matrix.items()))
            matrix = matrix if pairs is None else pairs
        rows = matrix.index
        if [*map(str, rows)] == [*map(str, matrix.columns)]:
            matrix = matrix.set_axis(rows, axis=1)
        elif same_labels(rows, matrix.columns) and rows.is_unique:
            matrix = matrix[list(rows)]
        check_labels(matrix)
    metric = trained_given(matrix)
    check_nearest_to_itself(metric, (matrix.dtypes == np.float32).all())
    return metric


def match_rows(metric: TrainedGiven, needed: pd.Index, data: pd.DataFrame) -> TrainedGiven:
    """The matrix with the row labels of the data, which must include those that are needed."""
    rows, index = metric._rows, data.index
    names = numbered_as(rows, data) if metric._square else rows
    if names is not rows:
        labels, n = names.to_numpy(), len(names)
        spec = replace(metric.spec, unnamed=(n, 0) if labels[0] else (0, n))
        metric = replace(metric, spec=spec, row_names=labels, column_names=labels)
    elif metric.spec.unnamed and not same_labels(index, rows):
        raise DataError(
            f"the dissimilarities of {len(rows)} rows were loaded without row names, but the data "
            f"have {len(index)} rows labelled {in_short(index)}: use the labels of all rows in the "
            "order of the file, such as pc.read_dissimilarity(path, names=classes.index)"
        )
    lacking = needed[names.get_indexer(needed) < 0]
    if len(lacking):
        raise DataError(
            f"the dissimilarities, of {in_short(rows)}, lack the row {shown(lacking[0])} of the "
            f"data (rows are matched by label): {label_cure(rows, data)}"
        )
    if perhaps_shifted(names, index):
        if isinstance(index, pd.RangeIndex):
            raise DataError(SHIFTED)
        warn(SHIFTED, DataWarning)
    return metric


def same_labels(rows: pd.Index, columns: pd.Index) -> bool:
    """Whether both sides of a matrix have the same labels, in any order."""
    return len(rows) == len(columns) and not len(rows.symmetric_difference(columns, sort=False))


def labelled(array: Array, index: pd.Index | None = None) -> pd.DataFrame:
    """A square or condensed array, with one value for each pair, with labels or else positions."""
    if index is None:
        rows = array.shape[0] if array.ndim > 1 else (1 + math.isqrt(1 + 8 * array.size)) // 2
        index = pd.RangeIndex(rows)
    n = len(index)
    if array.ndim == 1:
        pairs = n * (n - 1) // 2
        if len(array) != pairs:
            raise DataError(
                f"a condensed array for {n} rows needs {pairs} values, one for each pair, but this "
                f"has {len(array)}"
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
    """A frame of dissimilarities, whose labels are checked, as a trained metric."""
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
        # masked values become missing, and -0.0 becomes 0.0
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
        # one row is tried first, because a triangle of a large matrix is a copy
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
        (np.isnan(values), "missing", ": use values in both directions or all in one triangle"),
        (np.isinf(values), "infinite", ""),
        (values < low, "negative", ": use D.clip(0) if this is rounding"),
    ):
        if bad.any():
            i, j = np.argwhere(bad)[0]
            where = f"from {shown(rows[i])} to {shown(columns[j])}"
            raise DataError(f"{bad.sum()} {what} are {fault}, the first of which is {where}{cure}")


def check_nearest_to_itself(metric: TrainedGiven, single: bool) -> None:
    """Raise if a row is farther from itself than from another one; `single` for float32."""
    values, columns = metric.values, metric.column_names
    places = pd.Index(columns).get_indexer(metric.row_names)
    rows = np.flatnonzero(places >= 0)
    itself, least = values[rows, places[rows]], values.min(axis=1)[rows]
    # a distance that is the root of a difference is rounded at the root of the precision
    precision = np.finfo(np.float32 if single else np.float64).eps
    far = np.flatnonzero(itself > least + 8 * np.sqrt(precision) * values.max(axis=1)[rows])
    if len(far):
        i = rows[far[0]]
        raise DataError(
            f"{len(far)} of {len(rows)} rows are farther from themselves than from others, the "
            f"first {shown(metric.row_names[i])} ({itself[far[0]]:.4g} from itself and "
            f"{least[far[0]]:.4g} from {shown(columns[values[i].argmin()])}). If these are similarities, use "
            "pc.Dissimilarity.from_similarity(S). If they are dissimilarities, correct the labels "
            "of rows and columns, or set the diagonal to 0 (np.fill_diagonal)"
        )


def check_labels(matrix: pd.DataFrame) -> None:
    """Raise if the labels of a frame repeat, are no labels, or agree only as text."""
    rows, columns = matrix.index, matrix.columns
    check_distinct(rows, "row")
    check_distinct(columns, "column")
    if re.match(r"(Unnamed:.*|nan|)$", str(columns[0])):
        raise DataError(
            f"the first column of the dissimilarities has no name: if these are row names, {READING}"
        )
    if (rows.get_indexer(columns) >= 0).any():
        return
    alike = {*map(str, rows)} & {*map(str, columns)}
    if alike or (len(rows) == len(columns) and counted(columns)):
        convert = as_type_of(columns, rows)
        cure = f"use D.columns = D.columns.{convert}" if convert else ORDER
        raise DataError(
            f"the row labels of the dissimilarities ({in_short(rows)}) and their column labels "
            f"({in_short(columns)}) {'agree only as text' if alike else 'differ'}, so none of the "
            f"candidates is a row: {cure}; from a file, {READING}; if the candidates are not rows, "
            "use labels of another kind"
        )


def check_distinct(labels: pd.Index, what: str) -> None:
    if not labels.is_unique:
        repeated = shown(labels[labels.duplicated()][0])
        raise DataError(
            f"the {what} label {repeated} of the dissimilarities occurs more than once: rename one of them"
        )


def counts(n: int) -> list[list[str]]:
    """The texts of n numbers, counted from 0 and from 1."""
    return [[str(k + first) for k in range(n)] for first in (0, 1)]


def counted(labels: pd.Index) -> bool:
    """Whether labels count the rows: from 0 as numbers, or as R does from 1."""
    n = len(labels)
    return labels.equals(pd.RangeIndex(n)) or [*map(str, labels)] == counts(n)[1]


def numbered_as(labels: pd.Index, data: pd.DataFrame) -> pd.Index:
    """Labels that count the rows, as those of the data if these count all rows in another way."""
    n, index = len(labels), data.index
    if not counted(labels) or len(index) != n or (labels.get_indexer(index) >= 0).all():
        return labels
    for names in (pd.RangeIndex(n), pd.RangeIndex(1, n + 1)):
        place = names.get_indexer(index)
        if (place >= 0).all() and all(
            (data[name] == labels[place]).all() for name in label_columns(labels, data)
        ):
            return names
    return labels


def perhaps_shifted(rows: pd.Index, index: pd.Index) -> bool:
    """Whether rows count from 1, and labels without a name may count from 0."""
    from_1 = index.name is None and rows.equals(pd.RangeIndex(1, len(rows) + 1))
    return from_1 and bool(((rows - 1).get_indexer(index) >= 0).all())


def as_type_of(labels: pd.Index, like: pd.Index) -> str:
    """The conversion, as code, of labels that agree only as text; "" if there is none."""
    alike = {*map(str, labels)} & {*map(str, like)} and (like.get_indexer(labels) < 0).all()
    kind = {"string": "str", "integer": "int"}.get(pd.api.types.infer_dtype(like))
    return f"astype({kind})" if alike and kind else ""


def label_cure(rows: pd.Index, data: pd.DataFrame) -> str:
    """The cure for labels that do not match: another type, a column of the data, or the order."""
    convert = as_type_of(data.index, rows)
    if convert:
        return (
            f"they differ in type ({type(rows[0]).__name__} and {type(data.index[0]).__name__}), "
            f"so use data.index = data.index.{convert}"
        )
    for name in label_columns(rows, data):
        return f"column {name!r} has its labels, so use data = data.set_index({name!r})"
    return SHIFTED if perhaps_shifted(rows, data.index) else ORDER


def label_columns(rows: pd.Index, data: pd.DataFrame) -> list[Hashable]:
    """The columns of the data that have labels of a matrix."""
    return [
        name
        for name, column in data.items()
        if all(map(pd.api.types.is_hashable, column))
        and column.is_unique
        and (rows.get_indexer(pd.Index(column)) >= 0).all()
    ]


def in_short(names: Iterable[Hashable]) -> str:
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
    if not (names.is_unique and same_labels(names, table.columns)):
        raise DataError("similarities need the same unique labels on rows and columns")
    S = pd.DataFrame(S, names, table.columns)[list(names)].to_numpy()
    check_values(S, names, names, "similarities", -np.inf)
    D = S.max() - S if method == "max" else kernel_distances(S, S.diagonal(), S.diagonal())
    return pd.DataFrame(D + 0.0, names, names)


NPY = b"\x93NUMPY"
VECTOR = re.compile(r"^\s*\[\d+\]|\bc\(|\)", re.M)  # as R prints or writes one
QUOTED = re.compile(r'"(?:[^"]|"")*"')
SEPARATORS = "\t;|, "
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
CURE = "use R's write.csv(as.matrix(d)), pandas' to_csv, or numpy.save(path, D)"


def read_matrix(path: Any, names: Any) -> TrainedGiven:
    """The dissimilarities in a file; see `measuring.read_dissimilarity`."""
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(f"path must be the path of a file, as text, not {brief(path)}")
    matrix = matrix_in(Path(path))
    n = len(matrix)
    unnamed = (n,) if names is None and isinstance(matrix.index, pd.RangeIndex) else ()
    if n < 2:
        raise DataError(
            f"dissimilarities need at least two rows, but the file {Path(path).name!r} has "
            f"{'one row' if n else 'no rows'}"
        )
    if names is None:
        labels = matrix.index  # positions, or names as text
        if all(WHOLE.fullmatch(str(name)) for name in labels):
            labels = labels.astype(int)
    else:
        listed = [*names] if pd.api.types.is_list_like(names) else []
        labels = pd.Index(listed if all(map(pd.api.types.is_hashable, listed)) else [])
        if len(labels) != n or not labels.is_unique:
            raise OptionError(
                f"names must be {n} different row labels in the order of the file, such as "
                f"data.index, not {brief(names)}"
            )
    matrix = matrix.set_axis(labels).set_axis(labels, axis=1)
    metric = given(matrix, pd.DataFrame(index=labels))
    return replace(metric, spec=Given(f"read from {Path(path).name!r}", unnamed))


def matrix_in(file: Path) -> pd.DataFrame:
    """The square matrix in a file, NaN for missing values; labels are texts, or positions."""
    name = repr(file.name)
    try:
        raw = file.read_bytes()
    except (OSError, ValueError) as reason:
        raise DataError(f"the file {str(file)!r} can't be opened: {why(reason)}") from None
    if raw.startswith(NPY):
        try:
            array = as_floats(np.load(file, allow_pickle=False))
        except Exception as reason:
            raise DataError(
                f"the file {name} is not a complete .npy file of numbers ({reason!r}): save it again"
            ) from reason
        return labelled(array)
    text = raw.decode("utf-8-sig", "replace")
    vector = VECTOR.sub(" ", text)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or "\0" in text or "\ufffd" in text:
        fault = "neither text in UTF-8 nor a .npy file" if raw else "empty"
        raise DataError(f"the file {name} is {fault}: {CURE}")
    fields = re.split(r"[,;\s]+", vector.strip()) if len(lines) == 1 or vector != text else lines
    values = floats(fields if floats(fields, ",") else fields[1:], ",")  # perhaps below a header
    if values and len(values) > 2 and math.isqrt(1 + 8 * len(values)) ** 2 == 1 + 8 * len(values):
        return labelled(np.array(values))
    outside, failures = QUOTED.sub("name", text), []
    for separator in [s for s in SEPARATORS if s in outside] or [","]:
        try:
            rows, decimal = fields_of(lines, separator), "." if separator == "," else ","
            pairs = matrix_of_pairs(rows, decimal)
            return matrix_of_table(rows, decimal) if pairs is None else pairs
        except DataError as failure:
            failures.append(f"{failure}".partition(": ")[0])
    raise DataError(f"the file {name} has no dissimilarities ({failures[0]}): {CURE}")


def fields_of(lines: list[str], separator: str) -> list[list[str]]:
    """The fields of a table, without a first line that has the number of rows (PHYLIP)."""
    if separator == " ":
        header = lines[0].split()
        unnamed = len(header) > 1 and header == counts(len(header))[1]
        if lines[0][0] == " " and (unnamed or floats(header, ".") is None):
            return printed_fields(lines)
        lines = [line.strip() for line in lines]
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator == " ")
    try:
        rows = list(reader)
    except csv.Error as reason:
        raise DataError(f"line {reader.line_num} is not valid, {reason}") from None
    return rows[1:] if "".join(rows[0]).strip() == str(len(rows) - 1) else rows


def printed_fields(lines: list[str]) -> list[list[str]]:
    """The fields of a printed matrix, in blocks of columns that are aligned on the right."""
    cells, every = dict[str, dict[str, str]](), list[str]()
    heads = [k for k, line in enumerate(lines) if line[0] == " "]
    for head, end in pairwise([*heads, len(lines)]):
        names, rows = lines[head], lines[head + 1 : end]
        found = [
            {m.end(): m for m in re.finditer(r"\S+", row) if floats([m[0]], ",")} for row in rows
        ]
        ends = sorted({m.end() for m in re.finditer(r"\S+", names)} & set().union(*found))
        columns = {last: names[first:last].strip() for first, last in pairwise([0, *ends])}
        cells |= {column: cells.get(column, {}) for column in columns.values()}
        every, labels = [*every, *columns.values()], list[str]()
        for row, numbers in zip(rows, found, strict=True):
            values = {columns[at]: m for at, m in numbers.items() if at in columns}
            start = min((m.start() for m in values.values()), default=len(row))
            labels.append(row[:start].strip())
            cells.setdefault(labels[-1], {}).update({column: m[0] for column, m in values.items()})
        for name in repeated(every) + repeated(labels):
            raise DataError(f"{shown(name)} is the name of several rows or columns")
    return [
        ["", *cells],
        *([row, *(known.get(c, "NA") for c in cells)] for row, known in cells.items()),
    ]


def repeated(names: list[str]) -> list[str]:
    return [a for a, b in pairwise(sorted(names)) if a == b]


def matrix_of_pairs(rows: list[list[str]], decimal: str) -> pd.DataFrame | None:
    """The matrix of a list with a line for each pair, or None if the rows are another table.

    A line has the names of two rows and their value, or the value alone. There may be a header, and
    a column that counts the lines.
    """
    for body in (rows, rows[1:]):
        columns = [*zip(*body, strict=True)] if len({*map(len, body)}) == 1 else []
        if len(columns) in (2, 4) and [*columns[0]] in counts(len(body)):
            columns = columns[1:]
        numbers = [floats(column, decimal) for column in columns]
        if len(columns) == 1 and numbers[0]:
            return labelled(np.array(numbers[0]))
        if len(columns) < 3 or not numbers[2]:
            continue
        # one to three lines of numbers, or as many as columns, are a matrix and not a list of pairs
        if numbers[0] and numbers[1] and len(body) in (1, 2, 3, len(columns)):
            continue
        pairs = from_pairs(columns[0], columns[1], numbers[2])
        if pairs is not None:
            return pairs
    return None


def matrix_of_table(rows: list[list[str]], decimal: str) -> pd.DataFrame:
    """The matrix of a square table or of one triangle, with or without names of rows and columns."""
    first, body = rows[0], rows[1:]
    longest = max(map(len, body), default=0)
    fits = len(first) == len(body) > 1 and longest - len(body) in (0, 1)  # numbers for names
    header = fits or first[0] == "" or floats(first[1:], decimal) is None
    body = body if header else rows
    n, longest = len(body), max(map(len, body), default=0)
    named = longest == n + 1 or floats([row[0] for row in body], decimal) is None
    values = [row[named:] for row in body]
    lengths = [*map(len, values)]
    forms = [n] * n, [*range(n)], [*range(1, n + 1)]  # whole, below the diagonal, and with it
    lower = lengths in forms
    if (not lower and lengths[::-1] not in forms) or (header and len(first) not in (n, n + 1)):
        raise DataError(
            f"its rows have {in_short(map(len, rows))} fields, so it is neither a square table or triangle nor a "
            "list of pairs; pd.read_csv(path, index_col=0) reads new rows"
        )
    numbers = np.full((n, n), np.nan)
    for k, row in enumerate(values):
        for j, field in enumerate(row, 0 if lower else n - len(row)):
            number = floats([field], decimal)
            if number is None:
                raise DataError(f"{shown(field[:40])} in row {k + 1} is not a number")
            numbers[k, j] = number[0]
    if not named and lengths[0] < lengths[-1] and numbers.diagonal().any():
        raise DataError(
            "the rows of one triangle have no names that are texts, and no diagonal of zeros"
        )
    names = [row[0] for row in body] if named else first[-n:]
    if not named and not header:
        return pd.DataFrame(numbers)
    columns = first[-n:] if header else names
    if names in counts(n) and not {*names} & {*columns}:  # R numbers columns V1, V2, ...
        names = columns = names if [c[1:] for c in columns] in counts(n) else columns
    for name in [*repeated(names), *sorted({*names} ^ {*columns})]:
        raise DataError(f"{shown(name)} is not the name of one row and of one column")
    return pd.DataFrame(numbers, names, columns)[names]


def floats(fields: Any, decimal: str) -> list[float] | None:
    """Numbers as R, PHYLIP and pandas write them, NaN for empty fields; None for other text."""
    try:
        # "_", which Python takes for a separator of digits, becomes no number
        return [
            math.nan
            if PLACEHOLDER.fullmatch(field)
            else float(field.replace("_", "x").replace(decimal, "."))
            for field in fields
        ]
    except ValueError:
        return None
