"""Confidence bands of a cross-validated curve."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .choose import mean_and_se

Array = NDArray[Any]
AT_ONCE = 2**22  # numbers held at once


def simultaneous(
    errors: list[Array], weights: list[Array], level: float, draws: int, random: np.random.Generator
) -> tuple[float, float]:
    """How many standard errors a grid point alone, and all together, are from their means with a chance of `level` at most.

    The errors of the folds less their mean are multiplied by independent normal numbers, one for each fold, and summed: these
    sums go together over the grid as the means of folds do (multiplier bootstrap). Divided by their standard errors and by
    the root of a chi-squared number over its degrees of freedom, as the standard errors are of few folds, the largest in
    absolute value has the quantile that all points need.

    Parameters
    ----------
    errors, weights : lists of arrays (F, G) and (F,)
        Fold errors and fold weights of each repeat.
    level : float between 0 and 1
    draws : int
    random : Generator

    Returns
    -------
    alone, together : float
        Student's t with the least number of folds less 1, and the simulated quantile of the maximum. NaN where no point has a
        standard error above 0.

    References
    ----------
    Hothorn, Bretz and Westfall (2008), *Simultaneous inference in general parametric models*, Biometrical Journal 50, section 3;
    Chernozhukov, Chetverikov and Kato (2013), Annals of Statistics 41, for the multiplier bootstrap of a maximum.
    """
    from scipy.stats import t

    parts, variances, df = [], [], min(len(e) for e in errors) - 1
    for e, w in zip(errors, weights, strict=True):
        mean, se = mean_and_se(e, w)
        # the sum of the squares of these over the folds is the squared standard error
        parts.append(np.sqrt(w / w.sum() / (len(e) - 1))[:, None] * (e - mean))
        variances.append(se**2)
    spread = np.sqrt(np.mean(variances, axis=0))
    moving = np.flatnonzero(spread > 1e-12)
    if not len(moving):
        return np.nan, np.nan
    scores = np.concatenate(parts)[:, moving] / (np.sqrt(len(errors)) * spread[moving])
    largest, step = np.empty(draws), max(1, AT_ONCE // (len(scores) + len(moving)))
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        largest[begin : begin + size] = np.abs(random.standard_normal((size, len(scores))) @ scores).max(axis=1)
    largest /= np.sqrt(random.chisquare(df, draws) / df)
    return float(t.ppf((1 + level) / 2, df)), float(np.quantile(largest, level))
