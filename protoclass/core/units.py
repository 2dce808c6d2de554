"""Weights as whole numbers of a unit, so that sums of weights are exact and equal gains are equal to the last bit."""

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
    """Whole numbers and a unit with `whole * unit = w`, to 1e-12 of the largest weight.

    Weights that are fractions with small denominators (1, 0.1, 2.5) become counts of their common part; others are
    rounded to 2^-52 of their sum.

    Examples
    --------
    >>> import numpy as np
    >>> whole, unit = units(np.array([0.1, 0.2, 0.3]))
    >>> whole.tolist(), unit
    ([1.0, 2.0, 3.0], 0.1)
    """
    different = np.unique(w)
    if (different == np.round(different)).all() and w.sum() <= EXACT:
        return w.astype(float), 1.0
    parts = [Fraction(float(v)).limit_denominator(COARSE) for v in different[:COARSE]]
    common = math.lcm(*(p.denominator for p in parts)) if len(different) <= COARSE else 0
    if 0 < common <= COARSE and common * w.sum() <= EXACT:
        whole = np.round(w * common)
        if np.abs(whole / common - w).max() <= 1e-12 * w.max():
            return whole, 1 / common
    unit = 2.0 ** (math.ceil(math.log2(w.sum())) - 52)
    return np.round(w / unit), unit


def in_units(value: float, unit: float) -> float:
    """A cost in units; a whole number where it is one but for rounding."""
    scaled = value / unit
    whole = round(scaled)
    return float(whole) if abs(scaled - whole) <= 1e-12 * max(1.0, abs(scaled)) else scaled
