"""Limits of nearest neighbours: the Bayes error, and the distance of a neighbour in many dimensions."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ground.checks import whole_number
from ...ground.errors import OptionError, brief

Array = NDArray[Any]


def cover_hart(error: float, classes: int) -> float:
    """The least Bayes error for which the nearest neighbour can have this error, as the number of training rows goes to infinity.

    With W classes the 1-NN rule has in the limit at most the error R* (2 - W R* / (W - 1)), R* being the Bayes error (Cover and
    Hart 1967; the notes on ESL chapter 13, equation 2). Solved for R*:

        R* >= (W - 1) / W (1 - sqrt(1 - W E / (W - 1))).

    Parameters
    ----------
    error : float between 0 and 1
        Error E of 1-NN on new rows. If it is an estimate from finitely many rows, the result is an estimate as well, not a
        bound for this sample. Above (W - 1) / W, which no limit exceeds, the result is (W - 1) / W.
    classes : int >= 2

    Examples
    --------
    >>> round(cover_hart(0.0563, 10), 4)
    0.0286
    """
    whole_number("classes", classes, 2)
    if isinstance(error, bool) or not isinstance(error, Real) or not 0 <= error <= 1:
        raise OptionError(f"error={brief(error)}: a number between 0 and 1")
    most = (classes - 1) / classes
    return float(most * (1 - np.sqrt(max(0.0, 1 - float(error) / most))))


def median_radius(n: Any, p: Any) -> Array:
    """Median distance from the centre of the cube [-1/2, 1/2]^p to the nearest of n rows that are uniform in it.

    (1 - 2^(-1/n))^(1/p) / v_p^(1/p), where v_p is the volume of the unit ball (ESL, exercise 2.3; the notes on chapter 13,
    equation 3). The formula is valid while the ball lies in the cube, so the result is NaN where it exceeds 1/2.

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
            f"n={brief(n)}, p={brief(p)}: whole numbers >= 1, or arrays of them with matching shapes"
        ) from None
    if not all((np.isfinite(v) & (v >= 1) & (v == np.round(v))).all() for v in (rows, dims)):
        raise OptionError(f"n={brief(n)}, p={brief(p)}: whole numbers >= 1, or arrays of them")
    log_ball = dims / 2 * np.log(np.pi) - gammaln(dims / 2 + 1)
    radius = np.exp((np.log(-np.expm1(-np.log(2) / rows)) - log_ball) / dims)
    return np.where(radius <= 0.5, radius, np.nan)
