"""Error over a grid, its standard error, the rules that select a grid point, and the error
corrected for the selection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ...ground.savable import savable
from .. import Array
from ..thresholds import AT_ONCE
from .folds import bootstrap
from .roc import area_losses
from .scores import FINITE, SCORES, nonconformity

RULES: Mapping[str, str] = {
    "1se": "1-SE rule",
    "min": "lowest {measure}",
    "bound": "lowest bound",
    "tolerance": "simplest model within a tolerance of the lowest {measure}",
}
OF_HELD_OUT = ("1se", "min")  # the rules that use only held-out rows


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
        "min": lowest error, then lowest size, then lowest rank, then first in the grid. "1se": of
        the grid points with error <= error[best] + se[best] the one with the lowest size, then
        lowest rank, then lowest error, then the first. "tolerance", if there is one: the same for
        those whose error is at most that far above the lowest. "bound", if there are bounds: the
        lowest, then lowest size, then lowest rank, then the first. All select among the points that
        the limits allow.
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


def choose_over_repeats(
    errors: list[Array],
    weights: list[Array],
    sizes: Array,
    bounds: Array | None = None,
    limits: Limits = UNLIMITED,
) -> Choice:
    """The grid points that each rule chooses from the errors of the folds of repeated cross-validation.

    The 1-SE rule is the rule of glmnet and *The Elements of Statistical Learning*, section 7.10.

    Parameters
    ----------
    errors : list of arrays (F, G)
        Mean loss in each fold of each repeat.
    weights : list of arrays (F,)
        Weight of each fold's rows.
    sizes, bounds : arrays (R x F, G)
        Size of each fold's rules, and their bounds, if there are any.
    limits : Limits

    Returns
    -------
    Choice
        Of a repeat, error = weighted mean over folds; se = sqrt(weighted mean of (e_f - error)^2 /
        (F - 1)), at least `limits.least_se`. The error is the mean over repeats. Standard errors
        are the root mean square of the repeats' standard errors, because repeats have the same
        rows.

    Examples
    --------
    >>> import numpy as np
    >>> errors, sizes = np.array([[0.1, 0.2], [0.3, 0.2]]), np.array([[5.0, 2.0], [5.0, 2.0]])
    >>> c = choose_over_repeats([errors], [np.ones(2)], sizes)
    >>> c.error.round(3).tolist(), c.se.round(3).tolist(), c.best, c.one_se
    ([0.2, 0.2], [0.1, 0.0], 1, 1)
    """
    repeats = zip(errors, weights, strict=True)
    curves = np.array([mean_and_se(e, w, limits.least_se) for e, w in repeats])
    error, se = curves[:, 0].mean(axis=0), np.sqrt((curves[:, 1] ** 2).mean(axis=0))
    size = sizes.mean(axis=0)
    # the order in which folds are summed may change the last bits of equal errors
    rounded = error.round(12)
    allowed = np.arange(len(error)) if limits.allowed is None else np.flatnonzero(limits.allowed)
    rank = np.zeros(len(error)) if limits.rank is None else limits.rank
    best = _smallest(allowed, rounded, size, rank)
    points = dict.fromkeys(OF_HELD_OUT, best)

    def smallest(within: Array) -> int:
        return _smallest(allowed[within[allowed]], size, rank, rounded)

    # a curve of one fold has no standard error: the rules then select the best point
    if np.isfinite(se[best]):
        points["1se"] = smallest(rounded <= (error[best] + se[best]).round(12))
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
    """The grid point among `at` with the smallest of the first values, then of the second, and so
    on, then the first in the grid.
    """
    return int(at[np.lexsort((at, *(v[at] for v in values[::-1])))[0]])


def mean_and_se(errors: Array, weight: Array, least: float = 0.0) -> tuple[Array, Array]:
    """Weighted mean over folds and its standard error, at least `least`, each (G,); the standard
    error is NaN for a single fold.
    """
    share = weight / weight.sum()
    mean = _sum_over_folds(share, errors)
    if len(errors) == 1:
        return mean, np.full(mean.shape, np.nan)
    return mean, np.maximum(
        np.sqrt(_sum_over_folds(share, (errors - mean) ** 2) / (len(errors) - 1)), least
    )


def _sum_over_folds(share: Array, values: Array) -> Array:
    # fold by fold, because a matrix product adds them in an order that depends on the build of BLAS
    return (share[:, None] * values).sum(axis=0)


def losses(codes: Array, y: Array, loss: Array) -> Array:
    """Loss of each prediction, (R, n, G); of none (-1) the largest loss of the row's class."""
    by_code = np.column_stack([loss.max(axis=1), loss])  # the loss of no prediction, -1, first
    return by_code.ravel().take((y * by_code.shape[1] + 1)[None, :, None] + codes)


def score_losses(measure: str, kind: str, values: Array, y: Array, w: Array) -> Array:
    """Losses (r, G) of the held-out rows of a fold, by the values of the rules for each class.

    Parameters
    ----------
    measure : "auc", "brier" or "log_loss"
        The weighted mean of the losses over the rows is 1 minus the mean area under the ROC curves
        of each class against the rest, see `area_losses`, or the mean score. The logarithm is of
        at least 2.2e-16, as in scikit-learn.
    kind : "prob", "decision" or "distance"
        Kind of the values. Distances count by the nearest other class minus the class itself.
    values : array (r, G, classes)
        NaN for rows without a prediction, which count as certain of a wrong class.
    y : int array (r,)
    w : array (r,)

    Examples
    --------
    >>> p, y = np.array([[[0.8, 0.2]], [[0.3, 0.7]]]), np.array([0, 0])
    >>> score_losses("brier", "prob", p, y, np.ones(2)).round(2).tolist()
    [[0.04], [0.49]]
    """
    out, classes = np.empty(values.shape[:2]), np.eye(values.shape[2])
    for g in range(values.shape[1]):
        p = values[:, g]
        if kind == "distance":
            p = -nonconformity(-np.minimum(p, FINITE))
        if measure == "auc":
            p = np.where(np.isnan(p), np.where(classes[y] > 0, -np.inf, np.inf), p)
            out[:, g] = area_losses(p, y, w)
        else:
            p = np.where(np.isnan(p), classes[y - 1], p)
            out[:, g] = SCORES[measure](np.maximum(p, np.finfo(float).eps), y)
    return out


def corrected_losses(
    lost: Array,
    of_fold: Array,
    weights: Array,
    sizes: Array,
    units: Array,
    seed: int,
    samples: int = 200,
    limits: Limits = UNLIMITED,
    rule_sizes: Array | None = None,
    most: Array | None = None,
) -> Array:
    """The loss of each row of choosing a grid point by cross-validation, by the bootstrap of the held-out predictions.

    The minimum of a curve is an optimistic estimate of its own error. So rows are drawn with
    replacement, the grid point is selected again from the held-out losses of these rows, by the
    same rule, and its losses on the rows that were not drawn are averaged. No model is refitted.

    Parameters
    ----------
    lost : array (R, n, G)
        Held-out loss of each row in each repeat.
    of_fold : int array (R, n)
    weights : array (n,)
        Weights of the rows in the mean loss.
    sizes : array (R x F, G)
    units : int array (n,)
        Units of the bootstrap: rows, or their groups.
    seed, samples : int
    limits : Limits
    rule_sizes, most : arrays (G,) and (S,), optional
        Select the lowest error among grid points of at most each of these sizes, instead of the
        rules.

    Returns
    -------
    array (n, 2 or 3), or (n, S)
        Corrected loss of each row by each rule of `OF_HELD_OUT`, and by "tolerance" if there is
        one, averaged over the samples that left the row out; NaN if none did, and for rows without
        weight. The mean over the rows is the corrected loss.

    References
    ----------
    Tsamardinos, Greasidou and Borboudakis (2018), *Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation*, Machine Learning 107. The correction of Tibshirani and
    Tibshirani (2009), *A bias correction for the minimum error rate in cross-validation*, has the
    mean over folds of the error of each fold minus its own lowest error, and is too large where
    folds are small; `benchmarks/tuned_error.py` measures both.
    """
    rules = OF_HELD_OUT if limits.tolerance is None else (*OF_HELD_OUT, "tolerance")
    n = len(weights)
    row, out, total = np.arange(n), np.zeros(n), np.zeros((n, len(rules if most is None else most)))
    for counts, errors, totals in _resampled(lost, of_fold, weights, units, seed, samples):
        # only rows without weight were drawn: no point is better than another
        if not totals[0].any():
            continue
        choice = choose_over_repeats(errors, totals, sizes, limits=limits)
        undrawn = row[counts == 0]
        if most is None or rule_sizes is None:
            points = np.array([choice.points[rule] for rule in rules])
        else:
            points = least_within(choice.error, rule_sizes, most)
        total[undrawn] += lost[:, undrawn[:, None], points].mean(axis=0)
        out[undrawn] += 1
    known = (out > 0) & (weights > 0)
    return np.where(known[:, None], total / np.maximum(out, 1)[:, None], np.nan)


def _resampled(
    lost: Array, of_fold: Array, weights: Array, units: Array, seed: int, samples: int
) -> Iterator[tuple[Array, list[Array], list[Array]]]:
    """For each sample how often it has each row (n,), and for every repeat its fold errors (F, G)
    and fold weights (F,).
    """
    draw, strata = np.random.default_rng([seed, samples]), [np.arange(units.max() + 1)]
    F, G = int(of_fold.max()) + 1, lost.shape[2]
    step = max(1, AT_ONCE // (F * G * len(of_fold)))
    for begin in range(0, samples, step):
        size = min(step, samples - begin)
        counts = np.stack([bootstrap(draw, strata)[units] for _ in range(size)])
        errors, totals = np.zeros((len(of_fold), size, F, G)), np.zeros((len(of_fold), size, F))
        for r, fold in enumerate(of_fold):
            for f in range(F):
                rows = np.flatnonzero(fold == f)
                share = counts[:, rows] * weights[rows]
                totals[r, :, f] = share.sum(axis=1)
                sums = share @ lost[r, rows]
                errors[r, :, f] = sums / np.maximum(totals[r, :, f], 1e-300)[:, None]
        for b in range(size):
            yield counts[b], list(errors[:, b]), list(totals[:, b])
