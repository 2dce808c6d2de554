"""Confidence bands of a cross-validated curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
AT_ONCE = 2**22  # numbers held at once


def simultaneous(parts: Array, level: float, draws: int, random: np.random.Generator) -> tuple[float, float]:
    """How many standard errors a grid point alone, and all together, are from their means with a chance of `level` at most.

    The parts that independent units add to the error at each grid point are multiplied by independent normal numbers, one for each
    unit, and summed: these sums go together over the grid as the errors do (multiplier bootstrap). They are drawn from their
    covariance matrix. Divided by their standard errors and by the root of a chi-squared number over its degrees of
    freedom, the largest in absolute value has the quantile that all points need.

    Parameters
    ----------
    parts : array (units, G)
        The sum of the squares over the units is the squared standard error.
    level : float between 0 and 1
    draws : int
    random : Generator

    Returns
    -------
    alone, together : float
        Student's t with the number of units less 1, and the simulated quantile of the maximum. NaN where no point has a
        standard error above 0.

    References
    ----------
    Hothorn, Bretz and Westfall (2008), *Simultaneous inference in general parametric models*, Biometrical Journal 50, section 3;
    Chernozhukov, Chetverikov and Kato (2013), Annals of Statistics 41, for the multiplier bootstrap of a maximum.
    """
    from scipy.stats import t

    df, spread = len(parts) - 1, np.sqrt((parts**2).sum(axis=0))
    moving = np.flatnonzero(spread > 1e-12)
    if not len(moving) or df < 1:
        return np.nan, np.nan
    scores = parts[:, moving] / spread[moving]
    values, vectors = np.linalg.eigh(scores.T @ scores)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    largest, step = np.empty(draws), max(1, AT_ONCE // len(moving))
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        largest[begin : begin + size] = np.abs(random.standard_normal((size, len(moving))) @ root.T).max(axis=1)
    largest /= np.sqrt(random.chisquare(df, draws) / df)
    return float(t.ppf((1 + level) / 2, df)), float(np.quantile(largest, level))
