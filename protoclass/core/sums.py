"""Means and standard deviations of columns, and their extremes, from blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
WIDE = np.longdouble  # 64 bits of a mantissa on x86: sums in another order, on several machines, give the same float then
TOGETHER = 2**17  # entries of the columns that are summed at a time, as copies of them stay in the second-level cache


@dataclass(frozen=True, eq=False)
class Sums:
    """What is known of the columns over some rows; those of two sets of rows are joined by `+`.

    Examples
    --------
    >>> import numpy as np
    >>> both = sums(np.array([[1.0], [2.0]])) + sums(np.array([[6.0]]))
    >>> both.mean(), both.deviation()
    (array([3.]), array([2.64575131]))
    """

    count: int
    middle: Array  # (p,), the mean of each column; 0 without rows
    squares: Array  # (p,), of the deviations from it, summed

    def __add__(self, other: Sums) -> Sums:
        """Means and squares of both (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        share = WIDE(other.count) / max(1, count)
        apart = other.middle - self.middle
        return Sums(count, self.middle + apart * share, self.squares + other.squares + apart**2 * (self.count * share))

    def mean(self) -> Array:
        """Mean of each column (p,)."""
        return self.middle.astype(float)

    def deviation(self) -> Array:
        """Standard deviation (n - 1) of each column (p,), of two rows at least; `inf` beyond the largest float."""
        with np.errstate(over="ignore"):
            return np.asarray(np.sqrt(self.squares / (self.count - 1)).astype(float))


@dataclass(frozen=True)
class Extremes:
    """Smallest and largest values of columns (p,), not counting missing ones: inf and -inf where there are none."""

    low: Array
    high: Array

    def __add__(self, other: Extremes) -> Extremes:
        return Extremes(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def extremes(X: Array) -> Extremes:
    """Smallest and largest values of the columns of X (r, p), which may be missing (NaN).

    Examples
    --------
    >>> import numpy as np
    >>> extremes(np.array([[1.0, np.nan], [3.0, np.nan]]))
    Extremes(low=array([ 1., inf]), high=array([  3., -inf]))
    """
    low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    if np.isnan(low).any():  # several times as slow
        low, high = np.fmin.reduce(X, axis=0, initial=np.inf), np.fmax.reduce(X, axis=0, initial=-np.inf)
    return Extremes(low, high)


def sums(X: Array) -> Sums:
    """Mean and squared deviations of the columns of X (r, p), float32 or float64, without a missing value.

    Each column is summed by itself, so that the bits depend neither on the layout of the array nor on its other columns.
    """
    n, p = X.shape
    middle, squares = np.zeros(p, WIDE), np.zeros(p, WIDE)
    step = max(1, TOGETHER // max(1, n))
    for first in range(0, p if n else 0, step):
        part = slice(first, first + step)
        Z = np.array(X[:, part].T, WIDE, order="C")
        middle[part] = Z.mean(axis=1)
        Z -= middle[part, None]
        Z *= Z
        squares[part] = Z.sum(axis=1)
    return Sums(n, middle, squares)
