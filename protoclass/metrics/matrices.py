"""Matrices that users give: as arrays, their checks, and dissimilarities from similarities and kernels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from ..ground.checks import among
from ..ground.errors import DataError, shown

ROUNDING = 1e-9  # of the largest eigenvalue of a kernel, and of its values: less is rounding
READ = "load the file with pd.read_csv(path, index_col=0), or with pc.read_dissimilarity(path), which checks it"
ORDER = (
    "if the matrix has the rows of the data in their order, use D.index = D.columns = data.index for a DataFrame D; "
    "for a Dissimilarity, use D = D.frame() first"
)


def as_floats(values: Any) -> np.ndarray:
    """The numbers of a frame or of an array as a float array, missing and masked ones as NaN."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        if isinstance(values, pd.DataFrame):
            values = values.to_numpy(dtype=float, na_value=np.nan)
        return np.ma.filled(np.ma.asarray(values).astype(float), np.nan) + 0.0  # masked is missing; -0.0 becomes 0.0
    except (TypeError, ValueError, OverflowError):
        cure = "convert them, or load the file with pd.read_csv(path, index_col=0, decimal=',') if they have decimal commas"
        raise DataError(f"dissimilarities must be numbers: {cure}") from None


def check_values(values: np.ndarray, rows: pd.Index, columns: pd.Index) -> None:
    """Raise if a value is missing, infinite or negative."""
    for bad, what, cure in (
        (np.isnan(values), "missing", ": use a value for each pair, in both directions or all in one triangle"),
        (np.isinf(values), "infinite", ""),
        (values < 0, "negative", ": use D.clip(0) if this is rounding"),
    ):
        if bad.any():
            i, j = np.argwhere(bad)[0]
            where = f"from {shown(rows[i])} to {shown(columns[j])}"
            raise DataError(f"{bad.sum()} dissimilarities are {what}, the first of which is {where}{cure}")


def mirrored(values: np.ndarray) -> np.ndarray:
    """A square matrix (n, n), in which missing values are filled in if each pair has a value in one direction only.

    Missing values of the diagonal become 0 if none is known.

    Raises
    ------
    DataError
        If only one triangle is 0, as in `np.tril(D)`.
    """
    missing = np.isnan(values)
    if missing.any():
        own = np.eye(len(values), dtype=bool)
        if ((missing != missing.T) | own).all():
            values = np.where(missing, values.T, values)
        if missing.diagonal().all():
            values = np.where(own, 0.0, values)
    for name, side in (("upper", values), ("lower", values.T)):
        if not side[0, 1:].any() and not np.triu(side, 1).any() and np.tril(side, -1).any():
            raise DataError(f"the {name} triangle of the dissimilarities is 0, but the other is not: use D + D.T, which has both")
    return values


def from_pairs(first: Any, second: Any, values: Any) -> pd.DataFrame | None:
    """A square matrix of the dissimilarities from first to second, NaN where there is none; None if a pair is absent or occurs twice."""
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


def numbered_as(labels: pd.Index, data: pd.DataFrame) -> pd.Index:
    """Labels of a matrix that count from 1, as R's do, or from 0, as those of the data if these count all rows; others as they are."""
    n, index = len(labels), data.index
    from_1 = pd.RangeIndex(1, n + 1)
    by_r = [*map(str, labels)] == [*map(str, from_1)]
    if len(index) != n or not index.is_unique or among(index, labels).all() or not (by_r or labels.equals(pd.RangeIndex(n))):
        return labels
    for names in (pd.RangeIndex(n), from_1):
        place = names.get_indexer(index)
        if (place >= 0).all() and all((data[name] == labels[place]).all() for name in label_columns(labels, data)):
            return names
    return labels


def check_first_column(matrix: pd.DataFrame) -> None:
    """Raise if the first column of a frame contains the row labels."""
    name, column = matrix.columns[0], matrix.iloc[:, 0]
    unnamed = name == "" or name.startswith("Unnamed:") if isinstance(name, str) else np.ndim(name) == 0 and pd.isna(name)
    if unnamed:
        raise DataError(f"the first column of the dissimilarities has no name ({shown(name)}), so it contains row names: {READ}")
    if all(isinstance(value, str) for value in column) and not isinstance(matrix.iat[0, -1], str):
        raise DataError(
            f"the first column of the dissimilarities, {shown(name)}, contains texts such as {shown(column.iloc[0])}: if these are row "
            f"names, {READ}"
        )


def as_type_of(labels: pd.Index, like: pd.Index) -> str:
    """The conversion, as code, that makes labels agree with others that are the same as text; "" if there is none."""
    if among(labels, like).any() or not set(map(str, labels)) & set(map(str, like)):
        return ""
    if all(isinstance(label, str) for label in like):
        return "astype(str)"
    return "astype(int)" if pd.api.types.is_integer_dtype(like) and all(str(label).lstrip("-").isdecimal() for label in labels) else ""


def label_cure(rows: pd.Index, data: pd.DataFrame) -> str:
    """How to make labels of a matrix and of the data agree: another type, the column of the data with the labels, or their order."""
    convert = as_type_of(data.index, rows)
    if convert:
        types = f"{type(rows[0]).__name__} and {type(data.index[0]).__name__}"
        return f"they differ in type ({types}), so use data.index = data.index.{convert}"
    for name in label_columns(rows, data):
        return f"column {name!r} has the labels of the matrix, so use data = data.set_index({name!r})"
    return ORDER


def label_columns(rows: pd.Index, data: pd.DataFrame) -> list[Hashable]:
    """The columns of the data that have labels of a matrix."""
    known = [name for name in data.columns if data[name].map(pd.api.types.is_hashable).all()]
    return [name for name in known if data[name].is_unique and among(pd.Index(data[name]), rows).all()]


def check_complete(rows: pd.Index, needed: pd.Index, data: pd.DataFrame) -> None:
    """Raise if a matrix with these row labels lacks a row of the data that is needed."""
    lacking = needed[~among(needed, rows)]
    if len(lacking):
        raise DataError(
            f"the dissimilarities lack the row {shown(lacking[0])} of the data (rows are matched by label): {label_cure(rows, data)}"
        )


def check_labels(matrix: pd.DataFrame, data: pd.DataFrame) -> None:
    """Raise if the labels of a frame repeat, match no row of the data, or match one another as text only.

    Parameters
    ----------
    matrix : DataFrame (n, m)
    data : DataFrame
        Data, whose rows the labels must match.
    """
    rows, columns = matrix.index, matrix.columns
    for names, what in ((rows, "row"), (columns, "column")):
        if not names.is_unique:
            raise DataError(
                f"the {what} labels of the dissimilarities must be unique, but {shown(names[names.duplicated()][0])} occurs more than once"
            )
    if not among(rows, data.index).any():
        raise DataError(
            f"the dissimilarities have the labels {in_short(rows)}, but the data have {in_short(data.index)}, and rows are matched by "
            f"label: {label_cure(rows, data)}"
        )
    if among(columns, rows).any():
        return
    alike = set(map(str, rows)) & set(map(str, columns))
    if alike or (len(rows) == len(columns) and _positions(columns)):
        how = "agree only as text" if alike else "differ"
        convert = as_type_of(columns, rows)
        cure = f"use D.columns = D.columns.{convert}" if convert else ORDER
        raise DataError(
            f"the row labels of the dissimilarities ({in_short(rows)}) and their column labels ({in_short(columns)}) {how}, so none of "
            f"the candidates is a row: {cure}; from a file, {READ}; if the candidates are not rows, use labels of another kind"
        )


def _positions(names: pd.Index) -> bool:
    """Whether labels count from 0 or from 1, as numbers or as text."""
    texts = [str(name) for name in names]
    return any(texts == [str(k + first) for k in range(len(texts))] for first in (0, 1))


def in_short(names: pd.Index) -> str:
    """Labels for a message: the first ones and the last."""
    texts = [shown(name) for name in names]
    return ", ".join(texts) if len(texts) <= 3 else f"{texts[0]}, {texts[1]}, ..., {texts[-1]}"


def check_nearest_to_itself(values: np.ndarray, rows: pd.Index, columns: pd.Index, single: bool = False) -> None:
    """Raise if a row that is a candidate is farther from itself than from another candidate, as in similarities.

    Parameters
    ----------
    values : array (n, m)
    rows, columns : labels (n,) and (m,)
    single : bool
        Whether the values come from single precision.
    """
    own = columns.get_indexer(rows)
    known = np.flatnonzero(own >= 0)
    if len(known) == 0:
        return
    self_, least, most = values[known, own[known]], values.min(axis=1)[known], values.max(axis=1)[known]
    # a distance that is the root of a difference is rounded at the root of the precision
    slack = 8 * np.sqrt(np.finfo(np.float32 if single else np.float64).eps) * most
    far = np.flatnonzero(self_ > least + slack)
    if len(far) == 0:
        return
    i = known[far[0]]
    raise DataError(
        f"{len(far)} of {len(known)} rows are farther from themselves than from others, the first {shown(rows[i])} ({self_[far[0]]:.4g} "
        f"from itself and {least[far[0]]:.4g} from {shown(columns[values[i].argmin()])}). If these are similarities, use "
        "pc.Dissimilarity.from_similarity(S). If they are dissimilarities, correct the labels of rows and columns, or set the diagonal "
        "to 0 (np.fill_diagonal)"
    )


def converted(similarity: Any, how: str) -> pd.DataFrame:
    """A square matrix of similarities as one of dissimilarities; see `Dissimilarity.from_similarity`."""
    S = as_floats(similarity)
    if S.ndim != 2 or S.shape[0] != S.shape[1] or len(S) == 0:
        raise DataError(f"similarities must be square, with at least one row, not of shape {S.shape}")
    table = similarity if isinstance(similarity, pd.DataFrame) else pd.DataFrame(S)
    same = table.index.is_unique and table.columns.is_unique and not len(table.index.symmetric_difference(table.columns, sort=False))
    if not same:
        raise DataError("similarities need the same unique labels on rows and columns")
    table = pd.DataFrame(S, table.index, table.columns)[list(table.index)]
    S = table.to_numpy()
    bad = ~np.isfinite(S)
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise DataError(
            f"{bad.sum()} similarities are missing or infinite, the first of which is from {shown(table.index[i])} to "
            f"{shown(table.index[j])}"
        )
    values = S.max() - S if how == "max" else kernel_distances(S)
    return pd.DataFrame(np.asarray(values) + 0.0, table.index, table.index)


def kernel_distances(kernel: Any, rows: Any = None, candidates: Any = None) -> pd.DataFrame | np.ndarray:
    """Distances sqrt(K_ii + K_jj - 2 K_ij) from a kernel matrix (Bien and Tibshirani 2011, section 4.1).

    Parameters
    ----------
    kernel : DataFrame or array (n, m)
        Kernel matrix K.
    rows, candidates : arrays (n,) and (m,), optional
        K(x, x) for the rows and for the candidates. Default: the diagonal, if the kernel is square.

    Returns
    -------
    DataFrame or array (n, m)
        Distances, of the type of the kernel.

    Raises
    ------
    DataError
        If K_ii + K_jj < 2 K_ij beyond rounding, so K is not a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> kernel_distances(np.array([[1.0, 0.5], [0.5, 1.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    K = as_floats(kernel)
    if K.ndim != 2 or not np.isfinite(K).all():
        raise DataError("a kernel must be a matrix of finite numbers")
    if (rows is None or candidates is None) and K.shape[0] != K.shape[1]:
        raise DataError(f"a kernel of shape {K.shape} needs K(x, x) of its rows and of its candidates: use rows= and candidates=")
    a = np.diag(K) if rows is None else as_floats(rows)
    b = np.diag(K) if candidates is None else as_floats(candidates)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError("K(x, x) of rows and candidates must be finite")
    if a.shape != K.shape[:1] or b.shape != K.shape[1:]:
        raise DataError(f"rows and candidates have shapes {a.shape} and {b.shape}, but the kernel has {K.shape}")
    squared = a[:, None] + b[None, :] - 2 * K
    slack = ROUNDING * (np.abs(a)[:, None] + np.abs(b)[None, :])
    if (squared < -slack).any():
        i, j = np.argwhere(squared < -slack)[0]
        raise DataError(f"this is not a kernel, because K_ii + K_jj - 2 K_ij = {squared[i, j]:.4g} at position ({i}, {j})")
    out = np.sqrt(np.where(squared <= slack, 0.0, squared))  # within rounding of 0 the two are the same point
    return pd.DataFrame(out, kernel.index, kernel.columns) if isinstance(kernel, pd.DataFrame) else out
