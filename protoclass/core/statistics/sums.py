"""Sums of columns and weights in whole units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .. import Array
from ..thresholds import CACHED

# 64 bits of a mantissa on x86: sums in another order, on several machines, give the same float then
WIDE = np.longdouble


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of the columns over rows.

    Examples
    --------
    >>> import numpy as np
    >>> known = sums(np.array([[1.0], [2.0], [6.0]]))
    >>> known.mean(), known.deviation()
    (array([3.]), array([2.64575131]))
    """

    count: int
    middle: Array  # (p,), the mean of each column; 0 without rows
    squares: Array  # (p,), of the deviations from it, summed

    def join(self, other: Sums) -> Sums:
        """Means and squares of both sets of rows (Chan, Golub and LeVeque 1983)."""
        count = self.count + other.count
        share, apart = WIDE(other.count) / max(1, count), other.middle - self.middle
        return Sums(
            count,
            self.middle + apart * share,
            self.squares + other.squares + apart**2 * (self.count * share),
        )

    def mean(self) -> Array:
        """Mean of each column (p,)."""
        return self.middle.astype(float)

    def deviation(self) -> Array:
        """Standard deviation (n - 1) of each column (p,), for at least two rows; `inf` beyond the largest float."""
        with np.errstate(over="ignore"):
            return np.sqrt(self.squares / (self.count - 1)).astype(float)


def extremes(X: Array) -> tuple[Array, Array]:
    """Smallest and largest values of the columns of X (r, p), without missing ones (NaN): inf and
    -inf if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> extremes(np.array([[1.0, np.nan], [3.0, np.nan]]))
    (array([ 1., inf]), array([  3., -inf]))
    """
    low, high = X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)
    if np.isnan(low).any():  # several times as slow
        low = np.fmin.reduce(X, axis=0, initial=np.inf)
        high = np.fmax.reduce(X, axis=0, initial=-np.inf)
    return low, high


def sums(X: Array) -> Sums:
    """Mean and squared deviations of the columns of X (r, p), float32 or float64, without a missing value.

    Each column is summed separately, so the bits depend neither on the layout of the array nor on
    its other columns.
    """
    n, p = X.shape
    middle, squares = np.zeros(p, WIDE), np.zeros(p, WIDE)
    step = max(1, CACHED // max(1, n))
    for first in range(0, p if n else 0, step):
        part = slice(first, first + step)
        Z = np.array(X[:, part].T, WIDE, order="C")
        middle[part] = Z.mean(axis=1)
        Z -= middle[part, None]
        Z *= Z
        squares[part] = Z.sum(axis=1)
    return Sums(n, middle, squares)


COARSE = 10_000  # largest denominator of weights that are taken for fractions
EXACT = 2.0**52  # whole numbers up to here are exact in float64, and so are their sums


def units(w: Array) -> tuple[Array, float]:
    """Whole numbers and a unit with `multiples * unit = w`, to 1e-12 of the largest weight.

    Weights that are fractions with small denominators (1, 0.1, 2.5) become multiples of their
    common unit; others are rounded to 2^-52 of their sum.

    Examples
    --------
    >>> import numpy as np
    >>> multiples, unit = units(np.array([0.1, 0.2, 0.3]))
    >>> multiples.tolist(), unit
    ([1.0, 2.0, 3.0], 0.1)
    """
    values = np.unique(w)
    if (values == np.round(values)).all() and w.sum() <= EXACT:
        return w.astype(float), 1.0
    fractions = [Fraction(float(v)).limit_denominator(COARSE) for v in values[:COARSE]]
    common = math.lcm(*(p.denominator for p in fractions)) if len(values) <= COARSE else 0
    if 0 < common <= COARSE and common * w.sum() <= EXACT:
        multiples = np.round(w * common)
        if np.abs(multiples / common - w).max() <= 1e-12 * w.max():
            return multiples, 1 / common
    unit = 2.0 ** (math.ceil(math.log2(w.sum())) - 52)
    return np.round(w / unit), unit


def in_units(value: float, unit: float) -> float:
    """A cost in units; a whole number if it differs from one only by rounding."""
    scaled = value / unit
    whole_number = round(scaled)
    return (
        float(whole_number)
        if abs(scaled - whole_number) <= 1e-12 * max(1.0, abs(scaled))
        else scaled
    )


def as_counts(values: Array) -> Array:
    """Values as integers, if all are whole numbers that a float represents exactly; unchanged otherwise.

    Examples
    --------
    >>> as_counts(np.array([1.0, 2.0])), as_counts(np.array([1e200]))
    (array([1, 2]), array([1.e+200]))
    """
    whole = (np.abs(values) <= EXACT).all() and (values == np.round(values)).all()
    return values.astype(np.int64) if whole else values
