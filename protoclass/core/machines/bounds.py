"""Bounds on errors: by sample compression (Marchand and Shawe-Taylor 2001, section 5), and what 1-NN says of the Bayes error."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError, brief, whole

Array = NDArray[Any]


@dataclass(frozen=True)
class Bound:
    """Both inequalities of Theorem 5.1, of the shape of the arguments; 1 where they say nothing.

    Attributes
    ----------
    value : array
        The first, with binomial coefficients.
    looser : array
        The second, with their logarithms bounded.
    """

    value: Array
    looser: Array


def compression_bound(m: Any, d2: Any, d1: Any, k: Any, delta: float) -> Bound:
    """Theorem 5.1: a bound that holds with probability 1 - delta over training sets of m independent rows.

    Parameters
    ----------
    m : int or array
        Training rows.
    d2, d1 : int or array
        Rows of the compression set, and of the part of it that is told apart.
    k : int or array
        Training errors.
    delta : float in (0, 1)

    Examples
    --------
    >>> b = compression_bound(1000, 10, 5, 20, 0.05)
    >>> float(b.value.round(3)), float(b.looser.round(3))
    (0.164, 0.187)
    """
    m, d2, d1, k = np.broadcast_arrays(*(np.asarray(v, float) for v in (m, d2, d1, k)))
    left = m - d2 - k
    says = left > 0
    m, d2, d1, k = (np.where(says, v, w) for v, w in ((m, 2.0), (d2, 0.0), (d1, 0.0), (k, 0.0)))
    left = np.where(says, left, 1.0)
    # Without a compression set the sum over its sizes has one term: d2 = 0 counts as 1.
    sizes = 2 * np.log(m) + np.log(np.maximum(d2, 1)) - np.log(delta)
    exact = _log_choose(m, d2) + _log_choose(d2, d1) + _log_choose(m - d2, k) + sizes
    rough = _log_rough(m, d2) + _log_rough(d2, d1) + _log_rough(m - d2, k) + sizes
    value, looser = -np.expm1(-exact / left), rough / left
    return Bound(*(np.where(says, np.minimum(v, 1.0), 1.0)[()] for v in (value, looser)))


def machine_bound(m: Any, features: Any, on_p: Any, k: Any, delta: float) -> Bound:
    """Theorem 5.2: `compression_bound` of a set covering machine, whose features are two rows each.

    `on_p` (R+) of its `features` (R) are centred on P-examples.
    """
    return compression_bound(m, 2 * np.asarray(features), on_p, k, delta)


def cover_hart(error: float, classes: int) -> float:
    """The least Bayes error at which the nearest neighbour can have this error, as the training rows become endless.

    With W classes the 1-NN rule has in the limit at most the error R* (2 - W R* / (W - 1)), R* being the Bayes error (Cover and
    Hart 1967; the notes on ESL chapter 13, equation 2). Solved for R*:

        R* >= (W - 1) / W (1 - sqrt(1 - W E / (W - 1))).

    Parameters
    ----------
    error : float between 0 and 1
        Error E of 1-NN on new rows. An estimate on finitely many rows makes the result an estimate as well: no bound for
        this sample. Above (W - 1) / W, which no limit can be, the result is (W - 1) / W.
    classes : int >= 2

    Examples
    --------
    >>> round(cover_hart(0.0563, 10), 4)
    0.0286
    """
    whole("classes", classes, 2)
    if isinstance(error, bool) or not isinstance(error, Real) or not 0 <= error <= 1:
        raise OptionError(f"error={brief(error)}: a number between 0 and 1")
    most = (classes - 1) / classes
    return float(most * (1 - np.sqrt(max(0.0, 1 - float(error) / most))))


def median_radius(n: Any, p: Any) -> Array:
    """Median distance from the centre of the cube [-1/2, 1/2]^p to the nearest of n rows that are uniform in it.

    (1 - 2^(-1/n))^(1/p) / v_p^(1/p), where v_p is the volume of the unit ball (ESL, exercise 2.3; the notes on chapter 13,
    equation 3). It holds while the ball lies in the cube, so that it is NaN where the formula exceeds 1/2.

    Parameters
    ----------
    n, p : int or array
        Rows and dimensions.

    Examples
    --------
    >>> median_radius(100, [1, 2, 5, 10]).round(3)
    array([0.003, 0.047, 0.265,   nan])
    """
    from scipy.special import gammaln

    try:
        rows, dims = np.broadcast_arrays(np.asarray(n, float), np.asarray(p, float))
    except (TypeError, ValueError):
        raise OptionError(
            f"n={brief(n)}, p={brief(p)}: whole numbers >= 1, or arrays of them that fit one another"
        ) from None
    if not all((np.isfinite(v) & (v >= 1) & (v == np.round(v))).all() for v in (rows, dims)):
        raise OptionError(f"n={brief(n)}, p={brief(p)}: whole numbers >= 1, or arrays of them")
    log_ball = dims / 2 * np.log(np.pi) - gammaln(dims / 2 + 1)
    radius = np.exp((np.log(-np.expm1(-np.log(2) / rows)) - log_ball) / dims)
    return np.where(radius <= 0.5, radius, np.nan)


def _log_choose(n: Array, k: Array) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _log_rough(n: Array, k: Array) -> Array:
    return np.where(k > 0, k * np.log(np.e * np.maximum(n, 1) / np.maximum(k, 1)), 0.0)  # 0 log 0 = 0
