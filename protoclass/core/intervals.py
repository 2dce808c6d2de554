"""Intervals of shares, of means of shares, and of means over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Z = 1.959963984540054  # of the normal distribution, 2.5 % lie above


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its 95 % interval; NaN where it is not known."""

    value: float
    low: float
    high: float


UNKNOWN = Estimate(np.nan, np.nan, np.nan)


def wilson(share: float, rows: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share among a number of rows, which need not be whole."""
    middle = (share + Z**2 / (2 * rows)) / (1 + Z**2 / rows)
    half = Z / (1 + Z**2 / rows) * float(np.sqrt(share * (1 - share) / rows + (Z / (2 * rows)) ** 2))
    return (0.0 if share == 0 else middle - half), (1.0 if share == 1 else middle + half)


def rows_worth(share: float, variance: float, most: float) -> float:
    """The number of independent rows whose share would have this variance, at most `most`.

    Examples
    --------
    >>> rows_worth(0.5, 0.01, 100), rows_worth(1.0, 0.0, 100)
    (25.0, 100)
    """
    spread = share * (1 - share)
    return min(most, spread / variance) if spread > 0 and variance > 0 else most


def share_of(part: float, total: float, square: float) -> Estimate:
    """A weighted share with Wilson's interval.

    Parameters
    ----------
    part, total : float
        Weight of the rows that count, and of all.
    square : float
        Sum of the squares of the weights: the rows are worth total^2 / square rows of equal weight (Kish 1965).

    Examples
    --------
    >>> found = share_of(8, 10, 10)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.8, 0.49, 0.943)
    """
    if not total > 0:
        return UNKNOWN
    share = min(1.0, part / total)  # sums of the same weights in another order differ in the last bit
    return Estimate(share, *wilson(share, total**2 / square))


def mean_of(shares: Sequence[Estimate]) -> Estimate:
    """Mean of independent shares; its interval has the method of variance estimates recovery.

    The distances of the mean from its ends are those of the shares, squared, added and divided by their number: at 0 and 1, where
    a standard error would be 0, the interval keeps its width, and it never leaves [0, 1].

    References
    ----------
    Newcombe (1998), *Interval estimation for the difference between independent proportions*, method 10; Zou and Donner (2008),
    *Construction of confidence limits about effect measures: a general approach*.
    """
    if not shares:
        return UNKNOWN
    value = float(np.mean([s.value for s in shares]))
    below = float(np.sqrt(sum((s.value - s.low) ** 2 for s in shares))) / len(shares)
    above = float(np.sqrt(sum((s.high - s.value) ** 2 for s in shares))) / len(shares)
    return Estimate(value, max(0.0, value - below), min(1.0, value + above))


def difference_of(a: Estimate, b: Estimate) -> Estimate:
    """Difference a - b of two independent shares, with Newcombe's interval (his method 10)."""
    value = a.value - b.value
    low = value - float(np.hypot(a.value - a.low, b.high - b.value))
    return Estimate(value, low, value + float(np.hypot(a.high - a.value, b.value - b.low)))


def spread_factor(w: Array) -> float:
    """What sum(w^2 (x - mean)^2) is multiplied by to be, on average, sum(w^2) times the variance of x; n / (n - 1) for equal w.

    NaN for a single row.
    """
    total, square = float(w.sum()), float(w @ w)
    if not total > 0:
        return np.nan
    kept = square - 2 * float((w**3).sum()) / total + square**2 / total**2
    return square / kept if kept > 1e-12 * square else np.nan


def mean_over_rows(values: Array, w: Array) -> tuple[float, float]:
    """Weighted mean of a value of each row, and its standard error (NaN for a single row)."""
    keep = w > 0
    x, w = values[keep], w[keep]
    share = w / w.sum()
    mean = float(share @ x)
    if not np.isfinite(mean):
        return mean, np.nan
    return mean, float(np.sqrt(spread_factor(w) * (share**2 @ (x - mean) ** 2)))
