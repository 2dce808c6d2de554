"""Probabilities in decisions: net benefit at a threshold, and the logistic line that calibrates them."""

from __future__ import annotations

import numpy as np

from .. import Array
from .intervals import UNKNOWN, Estimate, Z, leverage, mean_over_rows, satterthwaite


def net_benefit(
    chance: Array, positive: Array, w: Array, threshold: float, group: Array | None = None
) -> Estimate:
    """Proportion of true positives minus that of false positives times the odds of the threshold,
    with a 95 % Wald interval; with groups by Student's t, see `satterthwaite`.

    References
    ----------
    Vickers and Elkin (2006), *Decision curve analysis*, Medical Decision Making 26. The variance is
    that of a mean over rows.

    Examples
    --------
    >>> found = net_benefit(np.array([0.9, 0.4, 0.3, 0.1]), np.array([True, True, False, False]), np.ones(4), 0.25)
    >>> round(found.value, 3)
    0.417
    """
    gain = np.where(positive, 1.0, -threshold / (1 - threshold)) * (chance >= threshold)
    value, se = mean_over_rows(gain, w, group)
    half = _quantile(w, group) * se
    return Estimate(value, value - half, value + half)


def calibration_line(
    chance: Array, positive: Array, w: Array, group: Array | None = None
) -> tuple[Estimate, Estimate]:
    """Calibration intercept and slope: of logistic regressions of the class on the logit of its probability.

    The intercept has the logit as offset, so 0 means a correct mean; a slope below 1 means
    probabilities that are too extreme. Intervals are Wald's; with weights or groups by the sandwich
    estimator. Both are unknown if a probability is 0 or 1.

    References
    ----------
    Cox (1958), *Two further applications of a model for binary regression*, Biometrika 45;
    Steyerberg (2019), chapter 15.
    """
    keep = w > 0
    # weights are divided by the largest: equal ones of any size then give the inverse information
    p, y, w = chance[keep], positive[keep], w[keep] / w.max()
    group = None if group is None else group[keep]
    if ((p <= 0) | (p >= 1)).any():
        return UNKNOWN, UNKNOWN
    logit, one = np.log(p / (1 - p)), np.ones(len(p))
    (intercept,) = _logistic(one[:, None], y, w, group, logit)
    return intercept, _logistic(np.column_stack([one, logit]), y, w, group, np.zeros(len(p)))[1]


def _quantile(w: Array, group: Array | None) -> float:
    """Half of a 95 % interval in standard errors: of Student's t for groups, or of the normal."""
    if group is None:
        return Z
    from scipy.stats import t  # 0.4 s that most fits do without

    return t.ppf(0.975, satterthwaite(np.bincount(group, w)))


def _logistic(X: Array, y: Array, w: Array, group: Array | None, offset: Array) -> list[Estimate]:
    """Coefficients of a logistic regression; unknown if it has no finite maximum."""
    beta = np.zeros(X.shape[1])
    # beyond 50 steps the classes are separated
    for _ in range(50):
        mean = 1 / (1 + np.exp(-np.clip(X @ beta + offset, -500, 500)))
        information = (X.T * (w * mean * (1 - mean))) @ X
        if np.linalg.matrix_rank(information) < len(beta):
            break
        step = np.linalg.solve(information, X.T @ (w * (y - mean)))
        beta = beta + step
        if np.abs(step).max() < 1e-9:
            return _wald(beta, np.linalg.inv(information), X * (w * (y - mean))[:, None], w, group)
    return [UNKNOWN] * len(beta)


def _wald(
    beta: Array, inverse: Array, scores: Array, w: Array, group: Array | None
) -> list[Estimate]:
    """Coefficients with 95 % intervals, from the inverse information and the scores (n, coefficients) of the rows."""
    covariance = inverse
    if group is not None:
        factors = leverage(w, group)[:, None] * scores
        scores = np.stack([np.bincount(group, column) for column in factors.T], axis=1)
    if group is not None or np.ptp(w) > 0:
        covariance = inverse @ (scores.T @ scores) @ inverse
    half = _quantile(w, group) * np.sqrt(np.diag(covariance))
    return [Estimate(b, b - h, b + h) for b, h in zip(beta.tolist(), half.tolist(), strict=True)]
