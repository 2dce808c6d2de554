"""Weights as whole-number multiples of a unit: sums of weights are then exact, and equal gains agree to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
COARSE = 10_000  # largest denominator of weights that are taken for fractions
EXACT = 2.0**52  # whole numbers up to here are exact in float64, and so are their sums


def units(w: Array) -> tuple[Array, float]:
    """Whole numbers and a unit with `multiples * unit = w`, to 1e-12 of the largest weight.

    Weights that are fractions with small denominators (1, 0.1, 2.5) become multiples of their common unit; others are
    rounded to 2^-52 of their sum.

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
    return float(whole_number) if abs(scaled - whole_number) <= 1e-12 * max(1.0, abs(scaled)) else scaled


def as_counts(values: Array) -> Array:
    """Values as integers, where all are whole numbers that a float holds exactly; as they are otherwise.

    Examples
    --------
    >>> as_counts(np.array([1.0, 2.0])), as_counts(np.array([1e200]))
    (array([1, 2]), array([1.e+200]))
    """
    whole = (np.abs(values) <= EXACT).all() and (values == np.round(values)).all()
    return values.astype(np.int64) if whole else values
