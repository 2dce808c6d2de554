"""Bounds on errors by sample compression (Marchand and Shawe-Taylor 2001, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Bound:
    """Both inequalities of Theorem 5.1, with the shape of the arguments; 1 where they give no information.

    Attributes
    ----------
    value : array
        The first, with binomial coefficients.
    simple : array
        The second, with their logarithms bounded.
    """

    value: Array
    simple: Array


def compression_bound(m: Any, d2: Any, d1: Any, k: Any, delta: float) -> Bound:
    """Theorem 5.1: a bound that holds with probability 1 - delta over training sets of m independent rows.

    Parameters
    ----------
    m : int or array
        Training rows.
    d2, d1 : int or array
        Number of rows of the compression set, and of its distinguished part.
    k : int or array
        Training errors.
    delta : float in (0, 1)

    Examples
    --------
    >>> b = compression_bound(1000, 10, 5, 20, 0.05)
    >>> float(b.value.round(3)), float(b.simple.round(3))
    (0.164, 0.187)
    """
    m, d2, d1, k = np.broadcast_arrays(*(np.asarray(v, float) for v in (m, d2, d1, k)))
    left = m - d2 - k
    informative = left > 0
    m, d2, d1, k = (np.where(informative, v, w) for v, w in ((m, 2.0), (d2, 0.0), (d1, 0.0), (k, 0.0)))
    left = np.where(informative, left, 1.0)
    # Without a compression set the sum over its sizes has one term: d2 = 0 counts as 1.
    sizes = 2 * np.log(m) + np.log(np.maximum(d2, 1)) - np.log(delta)
    exact = _log_choose(m, d2) + _log_choose(d2, d1) + _log_choose(m - d2, k) + sizes
    simple_log = _log_simple(m, d2) + _log_simple(d2, d1) + _log_simple(m - d2, k) + sizes
    value, simple = -np.expm1(-exact / left), simple_log / left
    return Bound(*(np.where(informative, np.minimum(v, 1.0), 1.0)[()] for v in (value, simple)))


def machine_bound(m: Any, features: Any, on_p: Any, k: Any, delta: float) -> Bound:
    """Theorem 5.2: `compression_bound` of a set covering machine, whose features are two rows each.

    `on_p` (R+) of its `features` (R) are centred on P-examples.
    """
    return compression_bound(m, 2 * np.asarray(features), on_p, k, delta)


def _log_choose(n: Array, k: Array) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _log_simple(n: Array, k: Array) -> Array:
    return np.where(k > 0, k * np.log(np.e * np.maximum(n, 1) / np.maximum(k, 1)), 0.0)  # 0 log 0 = 0
