"""Positions of rows and columns, and what stands there."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .parallel import few, kernel

Array = NDArray[Any]


def as_slice(at: Any) -> Any:
    """Positions that follow one another as a slice, which takes rows of an array without a copy."""
    if isinstance(at, slice) or len(at) == 0 or np.asarray(at).dtype.kind not in "iu":
        return at
    first = int(at[0])
    if int(at[-1]) - first != len(at) - 1 or not (np.diff(at) == 1).all():
        return at
    return slice(first, first + len(at))


def gather(values: Array, rows: Array, columns: Array) -> Array:
    """`values[np.ix_(rows, columns)]` without blocking other threads."""
    if few(len(rows) * len(columns)):
        return np.asarray(values[np.ix_(rows, columns)])
    out = np.empty((len(rows), len(columns)), values.dtype)
    _gather(values, rows, columns, out)
    return out


@kernel
def _gather(values, rows, columns, out):  # type: ignore[no-untyped-def]
    for a in range(len(rows)):
        row = values[rows[a]]
        for b in range(len(columns)):
            out[a, b] = row[columns[b]]
