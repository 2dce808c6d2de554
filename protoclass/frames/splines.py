"""Natural cubic splines in the basis of R's `ns`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class NaturalSpline:
    """Cubic splines that are linear beyond the boundary knots and 0 at the first of them.

    Attributes
    ----------
    knots : array (k,)
        The knots inside, ascending.
    low, high : float
        The boundary knots.
    """

    knots: np.ndarray
    low: float
    high: float

    def basis(self, x: np.ndarray) -> np.ndarray:
        """The basis functions at x: (n, k + 1).

        B-splines of order 4 without the first, on the subspace where the second derivative at both boundary knots is 0; the
        orthogonal complement is taken from the Householder reflections of these two conditions, as in R, because
        distances depend on the basis.
        """
        from scipy.interpolate import BSpline

        ends = np.repeat([self.low, self.high], 4)
        all_knots = np.concatenate([ends[:4], self.knots, ends[4:]])
        spline = BSpline(all_knots, np.eye(len(all_knots) - 4), 3)
        boundary = np.array([self.low, self.high])
        conditions = spline.derivative(2)(boundary)[:, 1:]  # (2, k + 3)
        complement = np.linalg.qr(conditions.T, mode="complete")[0][:, 2:]
        inside = np.clip(x, self.low, self.high)
        slopes = spline.derivative(1)(boundary)
        beyond = (x - inside)[:, None] * slopes[(x > self.high).astype(int)]
        return np.asarray((spline(inside) + beyond)[:, 1:] @ complement)


def natural_spline(x: np.ndarray, df: int | None = None, knots: tuple[float, ...] | None = None) -> NaturalSpline:
    """The spline on the range of x (n,), with knots at its quantiles unless they are given: df - 1 of them.

    Examples
    --------
    >>> natural_spline(np.arange(58.0, 73.0), df=5).knots.tolist()  # attr(ns(women$height, df = 5), "knots") in R
    [60.8, 63.6, 66.4, 69.2]
    """
    if knots is None:
        knots = tuple(np.quantile(x, np.linspace(0, 1, (1 if df is None else df) + 1)[1:-1]))
    return NaturalSpline(np.sort(np.asarray(knots, float)), float(np.min(x)), float(np.max(x)))
