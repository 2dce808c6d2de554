"""What a given matrix must be: numbers, labels that match, and dissimilarities rather than similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, shown

READ = "read the file with pd.read_csv(path, index_col=0), or with pc.read_dissimilarity(path), which checks it"
ORDER = (
    "if the matrix has the rows of the data in their order, D.index = D.columns = data.index makes them match, where D is a DataFrame; "
    "of a Dissimilarity take D = D.frame() first"
)


def as_array(values: Any) -> np.ndarray:
    """Numbers as a float array, masked ones as NaN."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        return np.ma.filled(np.ma.asarray(values).astype(float), np.nan) + 0.0  # masked is missing; -0.0 becomes 0.0
    except (TypeError, ValueError, OverflowError):
        raise DataError("dissimilarities must be numbers") from None


def as_floats(table: pd.DataFrame) -> np.ndarray:
    """The numbers of a frame as a float array, missing ones as NaN."""
    try:
        if any(pd.api.types.is_complex_dtype(t) for t in table.dtypes):
            raise TypeError
        return np.asarray(table.to_numpy(dtype=float, na_value=np.nan) + 0.0)  # -0.0 becomes 0.0
    except (TypeError, ValueError, OverflowError):
        raise DataError("dissimilarities must be numbers") from None


def check_values(values: np.ndarray, rows: pd.Index, columns: pd.Index) -> None:
    """Raise where a value is missing, infinite or negative."""
    for bad, what in (
        (np.isnan(values), "missing"),
        (np.isinf(values), "infinite"),
        (values < 0, "negative"),
    ):
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise DataError(
                f"{bad.sum()} dissimilarities are {what}, the first from {shown(rows[i])} to {shown(columns[j])}"
            )


def check_first_column(matrix: pd.DataFrame) -> None:
    """Raise if the first column of a frame holds what should be its row labels."""
    name, column = matrix.columns[0], matrix.iloc[:, 0]
    unnamed = name == "" or name.startswith("Unnamed:") if isinstance(name, str) else np.ndim(name) == 0 and pd.isna(name)
    if unnamed:
        raise DataError(
            f"the first column of the dissimilarities has no name ({shown(name)}): these are row names, and no candidate; {READ}"
        )
    if all(isinstance(value, str) for value in column):
        raise DataError(
            f"the first column of the dissimilarities, {shown(name)}, holds texts such as {shown(column.iloc[0])}: if these are row "
            f"names, {READ}"
        )


def check_labels(matrix: pd.DataFrame, index: pd.Index) -> None:
    """Raise if the labels of a frame repeat, are those of no row of the data, or match one another as text only.

    Parameters
    ----------
    matrix : DataFrame (n, m)
    index : Index
        Labels of the data's rows.
    """
    rows, columns = matrix.index, matrix.columns
    for names, what in ((rows, "row"), (columns, "column")):
        if not names.is_unique:
            raise DataError(
                f"the {what} label {shown(names[names.duplicated()][0])} of the dissimilarities occurs more than once"
            )
    if not rows.isin(index).any():
        raise DataError(
            f"the dissimilarities have no row of the data: their labels are {in_short(rows)}, and the data's {in_short(index)}. Rows are "
            f"matched by label: {ORDER}"
        )
    if columns.isin(rows).any():
        return
    alike = set(map(str, rows)) & set(map(str, columns))
    if alike or (len(rows) == len(columns) and _positions(columns)):
        how = "agree only as text" if alike else "differ"
        raise DataError(
            f"the row labels of the dissimilarities ({in_short(rows)}) and their column labels ({in_short(columns)}) {how}, so that no "
            f"candidate is a row: {ORDER}; from a file, {READ}; candidates that are not rows need labels of another kind"
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
    """Raise where a row that is a candidate is farther from itself than from another candidate, as in similarities.

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
        f"{len(far)} of {len(known)} rows are farther from themselves than from others, the first {shown(rows[i])}: "
        f"{self_[far[0]]:.4g} from itself and {least[far[0]]:.4g} from {shown(columns[values[i].argmin()])}. If these are "
        "similarities, pc.Dissimilarity.from_similarity(S) makes dissimilarities of them; if they are dissimilarities, the labels "
        "of rows and columns do not belong together, or the diagonal must be set to 0 (np.fill_diagonal)"
    )
