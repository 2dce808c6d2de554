"""The columns of the design matrix for metrics, and their scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.statistics.sums import Sums, extremes, sums
from ..frames.frame import Frame, blocks
from ..ground.errors import DataError, shown

SCALES: dict[Any, str] = {  # in words
    True: "predictors scaled to unit SD", False: "", "fold": "predictors scaled to unit SD within each fold",
}  # fmt: skip


def columns_of(frame: Frame, name: str) -> pd.DataFrame:
    """The design matrix (n, p), which must have columns for the metric of this name."""
    if frame.design.shape[1] == 0:
        raise DataError(f"{frame.formula.quoted} has no predictors for {name} distances: use column names, or '.'")
    return frame.design


def design_of(frame: Frame, name: str) -> np.ndarray:
    """The design matrix (n, p) in double precision, which must have columns."""
    return np.ascontiguousarray(columns_of(frame, name).to_numpy(float))


@dataclass(frozen=True)
class Spread:
    """Statistics of rows for scales.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns of the design matrix.
    precision : str
        Type of its numbers, "float32" or "float64".
    count : int
        Number of rows.
    sums : Sums, or None
        Sums of the columns; None if the scale needs none.
    low, high : arrays (p,)
        Smallest and largest value of each column.
    """

    columns: tuple[str, ...]
    precision: str
    count: int
    sums: Sums | None
    low: np.ndarray
    high: np.ndarray

    @property
    def constant(self) -> np.ndarray:
        """Columns that do not vary, bool (p,)."""
        return np.asarray(self.high == self.low)

    def scales(self) -> tuple[np.ndarray, tuple[str, ...]]:
        """What each column is divided by (p,), and the names of those that keep scale 1 as they have no spread.

        Raises
        ------
        DataError
            Where the spread of a column is beyond the largest number.
        """
        if self.sums is None or self.count < 2:
            return np.ones(len(self.columns)), ()
        same, spread = self.constant, self.sums.deviation()
        if not np.isfinite(spread).all():
            name = self.columns[int(np.argmin(np.isfinite(spread)))]
            raise DataError(f"the spread of column {name!r} is infinite: scale it down")
        names = tuple(name for name, equal in zip(self.columns, same, strict=True) if equal)
        return np.where(same, 1.0, spread), names


def spread_of(frame: Frame, name: str, scale: bool | str) -> Spread:
    """What the scale needs of the design matrix, for the metric of this name; a long frame is read block by block."""
    low: Any
    high: Any
    low, high, known = np.inf, -np.inf, None
    for _, rows in blocks(frame):
        table = columns_of(rows, name)
        X = table.to_numpy()
        if scale:
            known = sums(X) if known is None else known.join(sums(X))
        low, high = (join(a, b) for join, a, b in zip((np.minimum, np.maximum), (low, high), extremes(X), strict=True))
    return Spread(tuple(table.columns), X.dtype.name, len(frame), known, low, high)


def unscaled(constant: np.ndarray) -> tuple[str, ...]:
    """The note on columns that keep scale 1."""
    return (f"constant columns, left unscaled: {', '.join(constant)}",) if len(constant) else ()


def finite(Z: np.ndarray, frame: Frame) -> np.ndarray:
    """Scaled columns, none of whose values may have become too large for a number."""
    if not np.isfinite(Z).all():
        i, j = np.argwhere(~np.isfinite(Z))[0]
        name = frame.design.columns[j]
        raise DataError(
            f"column {name!r} at row {shown(frame.index[i])} is too large after scaling and weighting: scale it down, or use another "
            "scale="
        )
    return Z
