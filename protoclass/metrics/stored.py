"""Dissimilarities from files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import known_arguments
from ..core.distances.properties import asymmetry
from ..errors import DataError, OptionError, brief, shown
from ..frames.frame import mold
from .dissimilarity import Dissimilarity, of_matrix
from .formats import Stored, read_matrix
from .given import Given
from .matrices import check_nearest_to_itself, check_values, in_short

WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")


@known_arguments
def read_dissimilarity(path: Any, names: Any = None) -> Dissimilarity:
    """Dissimilarities between rows, from a file.

    Parameters
    ----------
    path : str or path
        A table as R's `write.csv(as.matrix(d))`, `write.csv2`, `write.table` and pandas' `to_csv` write it; a PHYLIP distance
        file (square or one triangle, names up to the first blank or of ten characters); or an array that `numpy.save` wrote,
        square or condensed as SciPy's `pdist`. The contents tell which. Pickled objects are not loaded.
    names : sequence, optional
        Labels of the rows in the order of the file, such as `data.index`, instead of those in the file.

    Returns
    -------
    Dissimilarity
        For `dissimilarity=` in `fit`, which matches its rows to the data by label. Names that are whole numbers become numbers.
        R numbers rows without names from 1, and arrays have no names: such rows are labelled 0 to n - 1, as pandas labels
        rows, and the data must be labelled so too, or `names` be given. Its print says what the file held.

    Raises
    ------
    DataError
        If the file can't be read or holds none of these; for tables that are ragged, not square, or with other names on rows than
        on columns; for names that repeat; for values that are missing, infinite or negative; and where a row is farther from
        itself than from others, as in a matrix of similarities. An asymmetric matrix is not refused, but said to be one.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "dist.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write('"","a","b","c"\\n"a",0,1,2.5\\n"b",1,0,2\\n"c",2.5,2,0\\n')
    >>> pc.read_dissimilarity(path)
    given dissimilarities of 3 rows to 3 candidates
    Dissimilarities read from 'dist.csv', a table separated by commas: 3 x 3, symmetric, zero diagonal, rows 'a', 'b', 'c'.
         a  b
    b    1
    c  2.5  2
    """
    stored = read_matrix(path)
    n = len(stored.values)
    if n < 2:
        raise DataError(f"the file {Path(path).name!r} holds {'one row' if n else 'no rows'}, and dissimilarities take two at least")
    labels, unnamed = _labels(stored, names)
    if not labels.is_unique:
        raise DataError(f"the row name {shown(labels[labels.duplicated()][0])} of the dissimilarities occurs more than once")
    values = stored.values + 0.0  # -0.0 becomes 0.0
    check_values(values, labels, labels)
    check_nearest_to_itself(values, labels, labels)
    numbered = f"rows without names, labelled 0 to {n - 1}" if unnamed else f"rows {in_short(labels)}"
    if unnamed and stored.names is not None:
        numbered = f"rows numbered 1 to {n}, labelled 0 to {n - 1} as pandas labels rows"
    held = f"{n} x {n}, {_symmetry(values, labels)}, {_diagonal(values, labels)}, {numbered}"
    spec = Given(f"read from {Path(path).name!r}, {stored.format}: {held}", unnamed)
    rows = mold("~ 1", pd.DataFrame(index=labels), response=False)
    return of_matrix(pd.DataFrame(values, labels, labels), rows, spec)


def _labels(stored: Stored, names: Any) -> tuple[pd.Index, bool]:
    """The labels of the rows, and whether these are only numbered."""
    n = len(stored.values)
    if names is not None:
        if isinstance(names, str) or not np.iterable(names):
            raise OptionError(f"names={brief(names)}: a sequence of the rows' labels in the order of the file, such as data.index")
        try:
            labels = pd.Index(list(names))
            hash(tuple(labels))
        except TypeError:
            raise OptionError(f"names={brief(names)}: labels are texts, numbers and the like, no lists or tables") from None
        if len(labels) != n:
            raise OptionError(f"names= has {len(labels)} labels, and the file {n} rows")
        return labels, False
    if stored.names is None or list(stored.names) == [str(k + 1) for k in range(n)]:
        return pd.RangeIndex(n), True
    if all(WHOLE.fullmatch(name) for name in stored.names):
        return pd.Index([int(name) for name in stored.names]), False
    return pd.Index(list(stored.names)), False


def _symmetry(values: np.ndarray, labels: pd.Index) -> str:
    found = asymmetry(values)
    if found.pairs == 0:
        return "symmetric"
    if not found.beyond:
        return "symmetric up to rounding"
    i, j = found.at
    pairs = len(values) * (len(values) - 1) // 2
    return f"asymmetric in {found.pairs} of {pairs} pairs (most {shown(labels[i])} and {shown(labels[j])}, by {found.absolute:.4g})"


def _diagonal(values: np.ndarray, labels: pd.Index) -> str:
    own = values.diagonal()
    if not own.any():
        return "zero diagonal"
    i = int(own.argmax())
    return f"diagonal up to {own[i]:.4g} ({shown(labels[i])})"
