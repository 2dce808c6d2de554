"""Error over a grid, its standard error, and the rules that select a grid point: the best, the 1-SE rules, the lowest bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...ground.savable import savable
from .. import Array

RULES: Mapping[str, str] = {
    "1se": "1-SE rule",
    "min": "lowest {measure}",
    "1se-paired": "paired 1-SE rule",
    "bound": "lowest bound",
    "tolerance": "simplest model within a tolerance of the lowest {measure}",
}
OF_HELD_OUT = ("1se", "1se-paired", "min")  # the rules that use only held-out rows


@dataclass(frozen=True)
class Limits:
    """Limits of a choice besides error and size, and of its standard errors."""

    allowed: Array | None = None  # bool (G,): the grid points to choose from; None for all
    tolerance: float | None = None  # largest difference of the error from the lowest
    relative: bool = False  # whether that is a proportion of the lowest error
    least_se: float = 0.0  # standard error of an error of 0, see `intervals.least_se`
    rank: Array | None = None  # (G,): complexity among points of the same size


UNLIMITED = Limits()


@savable(error="G", se="G", size="G")
@dataclass(frozen=True)
class Choice:
    """The cross-validated curve and the grid points chosen from it.

    Attributes
    ----------
    error, se, size : arrays (G,)
    points : mapping of a name in `RULES` to a grid point
        "min": lowest error, then lowest size, then lowest rank, then first in the grid. "1se": of the grid points with error <=
        error[best] + se[best] the one with the lowest size, then lowest rank, then lowest error, then the first. "1se-paired": the same
        for the grid points whose error minus the lowest is at most the standard error of this difference over the folds. "tolerance",
        if there is one: the same for those whose error is at most that far above the lowest. "bound", if there are bounds: the lowest,
        then lowest size, then lowest rank, then the first.
        All select among the points that the limits allow.
    """

    error: Array
    se: Array
    size: Array
    points: Mapping[str, int]

    @property
    def best(self) -> int:
        return self.points["min"]

    @property
    def one_se(self) -> int:
        return self.points["1se"]


def choose(errors: Array, weight: Array, sizes: Array, bounds: Array | None = None, limits: Limits = UNLIMITED) -> Choice:
    """The grid points that each rule chooses from the errors of the folds of one cross-validation.

    The 1-SE rule is the rule of glmnet and *The Elements of Statistical Learning*, section 7.10. All points share folds and rows,
    so a difficult fold makes the errors of all larger: their difference has a smaller standard error than either, and the paired
    rule is stricter if errors are correlated.

    Parameters
    ----------
    errors : array (F, G)
        Mean loss in each fold.
    weight : array (F,)
        Weight of each fold's rows.
    sizes : array (F, G)
        Size of each fold's rules.
    bounds : array (F, G), optional
    limits : Limits

    Returns
    -------
    Choice
        error = weighted mean over folds; se = sqrt(weighted mean of (e_f - error)^2 / (F - 1)), at least `limits.least_se`.

    Examples
    --------
    >>> import numpy as np
    >>> c = choose(np.array([[0.1, 0.2], [0.3, 0.2]]), np.ones(2), np.array([[5.0, 2.0], [5.0, 2.0]]))
    >>> c.error.round(3).tolist(), c.se.round(3).tolist(), c.best, c.one_se
    ([0.2, 0.2], [0.1, 0.0], 1, 1)
    """
    return choose_over_repeats([errors], [weight], sizes, bounds, limits)


def choose_over_repeats(
    errors: list[Array], weights: list[Array], sizes: Array, bounds: Array | None = None, limits: Limits = UNLIMITED
) -> Choice:
    """The choices from repeated cross-validation.

    Parameters
    ----------
    errors, weights : lists of arrays (F, G) and (F,)
        Errors and weights of each repeat.
    sizes, bounds : arrays (R x F, G)
    limits : Limits

    Returns
    -------
    Choice
        The error is the mean over repeats. Standard errors are the root mean square of the repeats' standard errors, because repeats have
        the same rows.
    """
    error, se = _over_repeats(errors, weights, limits.least_se)
    size = sizes.mean(axis=0)
    rounded = error.round(12)  # the order in which folds are summed may change the last bits of equal errors
    allowed = np.arange(len(error)) if limits.allowed is None else np.flatnonzero(limits.allowed)
    rank = np.zeros(len(error)) if limits.rank is None else limits.rank
    best = _smallest(allowed, rounded, size, rank)
    points = dict.fromkeys(OF_HELD_OUT, best)

    def smallest(within: Array) -> int:
        return _smallest(allowed[within[allowed]], size, rank, rounded)

    if np.isfinite(se[best]):  # a curve of one fold has no standard error: the rules then select the best point
        excess, paired = _over_repeats([e - e[:, [best]] for e in errors], weights)
        points["1se"] = smallest(rounded <= (error[best] + se[best]).round(12))
        points["1se-paired"] = smallest(excess.round(12) <= paired.round(12))
    if limits.tolerance is not None:
        above = limits.tolerance * (error[best] if limits.relative else 1.0)
        points["tolerance"] = smallest(rounded <= (error[best] + above).round(12))
    if bounds is not None:
        points["bound"] = _smallest(allowed, bounds.mean(axis=0).round(12), size, rank)
    return Choice(error, se, size, points)


def frontier(error: Array, size: Array) -> Array:
    """The grid points that have a smaller error than all points of their size or less, ascending in size, int (S,).

    The first point breaks ties of errors at a size.

    Examples
    --------
    >>> frontier(np.array([0.2, 0.1, 0.3, 0.1]), np.array([2.0, 5.0, 3.0, 4.0])).tolist()
    [0, 3]
    """
    order = np.lexsort((np.arange(len(error)), error.round(12), size))
    least = np.minimum.accumulate(error.round(12)[order])
    return order[np.append(True, least[1:] < least[:-1])]


def least_within(error: Array, size: Array, most: Array) -> Array:
    """The grid point of lowest error among those up to a size, for each of these sizes, int (S,)."""
    points = frontier(error, size)
    return points[np.searchsorted(size[points], most, side="right") - 1]


def _smallest(at: Array, *values: Array) -> int:
    """The grid point among `at` with the smallest of the first values, then of the second, and so on, then the first in the grid."""
    return int(at[np.lexsort((at, *(v[at] for v in values[::-1])))[0]])


def _over_repeats(errors: list[Array], weights: list[Array], least: float = 0.0) -> tuple[Array, Array]:
    """Mean over repeats of the weighted means over folds, and root mean square of their standard errors, each (G,)."""
    of_repeat = [mean_and_se(e, w, least) for e, w in zip(errors, weights, strict=True)]
    error = np.mean([e for e, _ in of_repeat], axis=0)
    return error, np.sqrt(np.mean([s**2 for _, s in of_repeat], axis=0))


def mean_and_se(errors: Array, weight: Array, least: float = 0.0) -> tuple[Array, Array]:
    """Weighted mean over folds and its standard error, at least `least`, each (G,); the standard error is NaN for a single fold."""
    share = weight / weight.sum()
    mean = _sum_over_folds(share, errors)
    if len(errors) == 1:
        return mean, np.full(mean.shape, np.nan)
    return mean, np.maximum(np.sqrt(_sum_over_folds(share, (errors - mean) ** 2) / (len(errors) - 1)), least)


def _sum_over_folds(share: Array, values: Array) -> Array:
    # fold by fold, because a matrix product adds them in an order that depends on the build of BLAS
    return (share[:, None] * values).sum(axis=0)
