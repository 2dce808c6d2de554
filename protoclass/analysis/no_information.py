"""Tests of an error against another that is known before: of a rule without information, or stated."""

from __future__ import annotations

import numpy as np

from ..core.intervals import independent_rows, sums_of

FLIPS = 9999  # draws of the signs where rows have different weights
MANY = 1000  # rows beyond which the sum of signed weights is as good as normal


def signs_of_groups(lost: np.ndarray, won: np.ndarray, group: np.ndarray) -> tuple[float, str]:
    """`signs`, of rows (n,) that come in groups: each group counts once, by what it wins in all less what it loses."""
    gain = np.bincount(group, won) - np.bincount(group, lost)
    gain = np.where(np.abs(gain) > 1e-9 * np.abs(gain).max(initial=0.0), gain, 0.0)
    p, name = signs(-gain[gain < 0], gain[gain > 0])
    return p, name.replace("rows that one of the two alone gets wrong", "groups in which one of the two errs less")


def signs(lost: np.ndarray, won: np.ndarray, seed: int = 0) -> tuple[float, str]:
    """One-sided paired test that a rule errs less than another, from the rows that one of the two alone gets wrong.

    Parameters
    ----------
    lost, won : arrays
        Weights of the rows that the rule alone gets wrong, and of those that it alone gets right.
    seed : int
        For the draws of signs, where weights differ.

    Returns
    -------
    p, name : float, str
        With equal weights the exact binomial (sign) test, McNemar's with one side. Else the share of random signs under which
        the rule does as well or better, by draws, or for many rows by the normal distribution.

    Examples
    --------
    >>> signs(np.ones(2), np.ones(7))
    (0.08984375, 'exact sign test, one-sided, on the 9 rows that one of the two alone gets wrong')
    """
    both = np.concatenate([lost, won])
    both = both[both > 0]
    where = f"one-sided, on the {len(both)} rows that one of the two alone gets wrong"
    if len(both) == 0 or np.ptp(both) == 0:
        from scipy.stats import binom  # 0.4 s that most fits do without

        return float(binom.cdf((lost > 0).sum(), len(both), 0.5)), f"exact sign test, {where}"
    gain = float(won.sum() - lost.sum())
    if len(both) > MANY:
        from scipy.stats import norm

        return float(norm.sf(gain / np.sqrt(both @ both))), f"weighted sign test (normal approximation), {where}"
    drawn = np.random.default_rng(seed).integers(0, 2, (FLIPS, len(both)), np.int8) @ (2 * both) - both.sum()
    p = (1 + int((drawn >= gain - 1e-9 * both.sum()).sum())) / (1 + FLIPS)
    return p, f"weighted sign test ({FLIPS} draws of the signs), {where}"


def against_stated(
    w: np.ndarray, wrong: np.ndarray, base: float, group: np.ndarray | None = None
) -> tuple[float, str]:
    """One-sided test that an error is below a stated one: exact for equal weights, else by the normal distribution.

    The latter for as many rows as the error's interval is for, see `core.intervals.independent_rows`.
    """
    from scipy.stats import binom, norm

    live = w > 0
    w, wrong, group = w[live], wrong[live], None if group is None else group[live]
    if group is None and np.ptp(w) == 0:
        return float(binom.cdf(wrong.sum(), len(w), base)), "exact binomial test, one-sided"
    error = float(w @ wrong / w.sum())
    se = np.sqrt(base * (1 - base) / independent_rows(error, sums_of(wrong, error, w, group)))
    name = f"{'z test by groups' if group is not None else 'weighted z test'}, one-sided"
    return float(norm.cdf((error - base) / se)) if se > 0 or np.isnan(se) else float(error >= base - 1e-9), name
