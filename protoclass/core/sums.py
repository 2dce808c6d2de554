"""Means and standard deviations of columns, and their extremes, from blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
BITS = 40  # of a standard deviation: what is left out is a thousand times what another order of the sum changes
TOGETHER = 2**18  # entries of the columns that are summed at a time, as copies of them stay in the second-level cache


@dataclass(frozen=True, eq=False)
class Sums:
    """What is known of the columns over some rows; those of two sets of rows are joined by `+`.

    Examples
    --------
    >>> import numpy as np
    >>> both = sums(np.array([[1.0], [2.0]])) + sums(np.array([[6.0]]))
    >>> both.mean, both.deviation()
    (array([3.]), array([2.64575131]))
    """

    count: int
    mean: Array  # (p,); 0 without rows
    length: Array  # (p,), root of the sum of squared deviations from the mean: squares of 1e200 would overflow

    def __add__(self, other: Sums) -> Sums:
        """Means and squares of both (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        share = other.count / max(1, count)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = other.mean - self.mean
            between = np.abs(apart) * np.sqrt(self.count * share)
            return Sums(count, self.mean + apart * share, np.hypot(np.hypot(self.length, other.length), between))

    def deviation(self) -> Array:
        """Standard deviation (n - 1) of each column (p,), of two rows at least; `inf` or NaN beyond the largest float.

        It is rounded to 40 bits, so that rows in another order, or on several machines, give the same scale, and not one in which
        equal distances are no longer equal.
        """
        digits, power = np.frexp(self.length / np.sqrt(self.count - 1))
        return np.asarray(np.ldexp(np.round(np.ldexp(digits, BITS)), power - BITS))


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
    mean, length = np.zeros(p), np.zeros(p)
    step = max(1, TOGETHER // max(1, n))
    for first in range(0, p if n else 0, step):
        part = slice(first, first + step)
        Z = np.ascontiguousarray(X[:, part].T, float)
        scale = np.ldexp(1.0, np.frexp(np.abs(Z).max(axis=1))[1] - 1)  # powers of two, by which no bit is lost
        Z = Z / scale[:, None]
        middle = Z.mean(axis=1)
        Z -= middle[:, None]
        with np.errstate(over="ignore"):
            mean[part], length[part] = middle * scale, np.sqrt((Z * Z).sum(axis=1)) * scale
    return Sums(n, mean, length)
