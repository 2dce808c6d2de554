"""Bounds on errors by sample compression (Marchand and Shawe-Taylor 2001, section 5; Langford 2005, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import Array

# below this logarithm of a level scipy's beta quantile loses digits: 3 % too small at -690
DEEP = -230.0
SAFE = (2.0, 0.0, 0.0, 0.0)  # m, d2, d1 and k of finite logarithms, where the bound is 1


@dataclass(frozen=True)
class CompressionBound:
    """Three bounds that are true together with probability 1 - delta; 1 if they give no information.

    All have the shape of the arguments, and none is above the one before it in the order `simple`,
    `value`, `tail`.

    Attributes
    ----------
    value : array
        The first inequality of Theorem 5.1, with binomial coefficients.
    simple : array
        The second, with their logarithms bounded.
    informative : bool array
        Whether fewer rows outside of the compression set are misclassified than there are.
    outside, errors : arrays
        Number of rows outside of the compression set, and training errors, if informative.
    log_level : array
        Logarithm of the part of delta for a compression set of this size.
    """

    value: Array
    simple: Array
    informative: Array
    outside: Array
    errors: Array
    log_level: Array

    @cached_property
    def tail(self) -> Array:
        """The largest error at which this few errors among the rows outside have the probability
        exp(`log_level`) (`tail_inverse`).
        """
        # in exact numbers it is never above `value`; the minimum is for what rounding adds
        found = np.minimum(tail_inverse(self.outside, self.errors, self.log_level), self.value)
        return np.where(self.informative, found, 1.0)


def compression_bound(m: Any, d2: Any, d1: Any, k: Any, delta: float) -> CompressionBound:
    """Theorem 5.1: a bound that is true with probability 1 - delta over training sets of m independent rows.

    It is true for all compression sets simultaneously. So a method may select among them in any
    way, by cross-validation or by the bound itself, as long as the same rows always give the same
    rule.

    Both inequalities of the theorem replace the probability of exactly k errors by binom(m - d2, k)
    (1 - e)^(m - d2 - k), which is also above the probability of at most k errors. Hence they are
    true if rows of the compression set are themselves misclassified: at most k of the others are.
    They divide delta among the sizes d2 and d1 and the errors k; `CompressionBound.tail` inverts
    the binomial tail itself (Langford 2005, Theorem 6.1), divides delta among the sizes in the same
    way, and needs no part for each k. So it is never above the first inequality.

    Parameters
    ----------
    m : int or array
        Training rows.
    d2, d1 : int or array
        Number of rows of the compression set, and of its distinguished part.
    k : int or array
        Training errors.
    delta : float in (0, 1)

    References
    ----------
    Marchand and Shawe-Taylor (2001), *Learning with the Set Covering Machine*, section 5. Langford
    (2005), *Tutorial on practical prediction theory for classification*, Journal of Machine
    Learning Research 6, section 6.

    Examples
    --------
    >>> b = compression_bound(1000, 10, 5, 20, 0.05)
    >>> float(b.tail.round(3)), float(b.value.round(3)), float(b.simple.round(3))
    (0.121, 0.164, 0.187)
    """
    given = np.broadcast_arrays(*(np.asarray(v, float) for v in (m, d2, d1, k)))
    informative = given[0] - given[1] > given[3]
    m, d2, d1, k = (np.where(informative, v, safe) for v, safe in zip(given, SAFE, strict=True))
    outside, correct = m - d2, m - d2 - k
    # Without a compression set the sum over its sizes has one term: d2 = 0 counts as 1.
    sizes = np.log(m) + np.log(np.maximum(d2, 1)) - np.log(delta)
    messages = _log_choose(m, d2) + _log_choose(d2, d1) + sizes
    exact = messages + _log_choose(outside, k) + np.log(m)
    simple_log = (
        _log_simple(m, d2) + _log_simple(d2, d1) + _log_simple(outside, k) + sizes + np.log(m)
    )
    value, simple = -np.expm1(-exact / correct), simple_log / correct
    value, simple = (np.where(informative, np.minimum(v, 1.0), 1.0)[()] for v in (value, simple))
    return CompressionBound(value, simple, informative, outside[()], k[()], -messages[()])


def tail_inverse(n: Any, k: Any, log_level: Any) -> Array:
    """The largest p at which at most k of n independent events of probability p have a probability of exp(log_level).

    It is the beta quantile of Clopper and Pearson (1934); far out in the tail, where scipy's is too
    small, the root of the logarithm of the tail.

    Parameters
    ----------
    n, k : float or array, k < n
    log_level : float or array, <= 0

    Examples
    --------
    >>> float(tail_inverse(100, 3, np.log(0.05)).round(4))  # Clopper-Pearson, one-sided at 95 %
    0.0757
    """
    from scipy.special import betaincinv

    n, k, log_level = np.broadcast_arrays(*(np.asarray(v, float) for v in (n, k, log_level)))
    out = np.array(1 - betaincinv(n - k, k + 1, np.exp(np.maximum(log_level, DEEP))))
    for i in zip(*np.nonzero(np.atleast_1d(log_level < DEEP)), strict=True):
        index = i if n.ndim else ()
        out[index] = _deep_root(float(n[index]), float(k[index]), float(log_level[index]))
    return out


def _deep_root(n: float, k: float, log_level: float) -> float:
    """`tail_inverse` by the sum of the tail's terms, each relative to the last, which is the largest."""
    from scipy.optimize import brentq

    counts = np.arange(k, 0, -1)
    whole = _log_choose(n, k)

    def excess(p: float) -> float:
        ratios = np.cumprod(counts / (n - counts + 1) * ((1 - p) / p))
        return (
            whole
            + k * float(np.log(p))
            + (n - k) * float(np.log1p(-p))
            + float(np.log1p(ratios.sum()))
            - log_level
        )

    low, high = max(k, 1e-9) / n, 1 - 1e-15
    return 1.0 if excess(high) > 0 else float(brentq(excess, low, high, xtol=1e-15))


def machine_bound(m: Any, features: Any, on_p: Any, k: Any, delta: float) -> CompressionBound:
    """Theorem 5.2: `compression_bound` of a set covering machine, whose features are two rows each.

    `on_p` (R+) of its `features` (R) are centred on P-examples.
    """
    return compression_bound(m, 2 * np.asarray(features), on_p, k, delta)


def _log_choose(n: Any, k: Any) -> Any:
    from scipy.special import gammaln

    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _log_simple(n: Array, k: Array) -> Array:
    # 0 log 0 = 0
    return np.where(k > 0, k * np.log(np.e * np.maximum(n, 1) / np.maximum(k, 1)), 0.0)
