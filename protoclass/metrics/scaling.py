"""The columns of the design matrix for metrics, and their scales, from parts of the rows in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.memory import room
from ..core.statistics.sums import Extremes, Sums, extremes, sums
from ..frames.blocks import blocks, long
from ..frames.frame import Frame
from ..ground.errors import DataError, shown

NORMAL = 1.4826  # the median absolute deviation of normal values times this is their standard deviation
SCALES: dict[Any, str] = {  # in words
    True: "predictors scaled to unit SD", False: "", "fold": "predictors scaled to unit SD within each fold",
    "range": "predictors divided by their range", "robust": "predictors divided by their median absolute deviation",
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
    """Statistics of some rows for scales; those of two sets of rows are joined by `+`.

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
    extremes : Extremes
    """

    columns: tuple[str, ...]
    precision: str
    count: int
    sums: Sums | None
    extremes: Extremes

    def __add__(self, other: Spread) -> Spread:
        both = None if self.sums is None or other.sums is None else self.sums + other.sums
        return Spread(self.columns, self.precision, self.count + other.count, both, self.extremes + other.extremes)

    @property
    def constant(self) -> np.ndarray:
        """Columns that do not vary, bool (p,)."""
        return np.asarray(self.extremes.high == self.extremes.low)

    def scales(self, scale: bool | str, frame: Frame) -> tuple[np.ndarray, tuple[str, ...]]:
        """What each column is divided by (p,), and the names of those that keep scale 1 as they have no spread.

        Parameters
        ----------
        scale : as in `Minkowski`
        frame : Frame
            Frame with all rows, which are needed for "robust" only.

        Raises
        ------
        DataError
            Where the spread of a column is beyond the largest number.
        """
        if not scale or self.count < 2:
            return np.ones(len(self.columns)), ()
        same = self.constant
        if scale == "range":
            with np.errstate(over="ignore"):
                spread = self.extremes.high.astype(float) - self.extremes.low.astype(float)
        elif scale == "robust":
            spread = np.concatenate([_deviation(part) for part in _some_columns(frame)])
            same = same | (spread == 0)
        else:
            assert self.sums is not None
            spread = self.sums.deviation()
        if not np.isfinite(spread).all():
            name = self.columns[int(np.argmin(np.isfinite(spread)))]
            raise DataError(f"the spread of column {name!r} is infinite: scale it down")
        names = tuple(name for name, equal in zip(self.columns, same, strict=True) if equal)
        return np.where(same, 1.0, spread), names


def spread_of(table: pd.DataFrame, scale: bool | str) -> Spread:
    """What the scale needs of these rows of the design matrix."""
    X = table.to_numpy()
    known = sums(X) if scale in (True, "fold") else None
    return Spread(tuple(table.columns), X.dtype.name, len(X), known, extremes(X))


def _deviation(X: np.ndarray) -> np.ndarray:
    """1.4826 times the median absolute deviation from the median of some columns (n, p)."""
    most = np.abs(X).max(axis=0).astype(float)
    most[most == 0] = 1.0
    Z = X / most  # deviations of 1e308 would overflow
    with np.errstate(over="ignore"):
        return np.asarray(np.median(np.abs(Z - np.median(Z, axis=0)), axis=0) * NORMAL * most)


def _some_columns(frame: Frame) -> Iterator[np.ndarray]:
    """The design matrix, as many columns at a time as memory takes."""
    if not long(frame):
        yield frame.design.to_numpy()
        return
    first, width = 0, 1
    while first < width:
        part: np.ndarray | None = None
        for at, rows in blocks(frame):
            X = rows.design.to_numpy()
            if part is None:
                width = X.shape[1]
                count = max(1, room() // (4 * len(frame) * X.itemsize))  # medians need copies
                part = np.empty((len(frame), min(count, width - first)), X.dtype, order="F")
            part[at] = X[:, first : first + part.shape[1]]
        assert part is not None
        yield part
        first += part.shape[1]


def unscaled(scale: bool | str, constant: Sequence[str] | np.ndarray) -> tuple[str, ...]:
    """The note on columns that keep scale 1."""
    what = "columns whose median absolute deviation is 0" if scale == "robust" else "constant columns"
    return (f"{what}, left unscaled: {', '.join(constant)}",) if len(constant) else ()


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
