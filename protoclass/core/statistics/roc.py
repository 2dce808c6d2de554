"""The ROC curve: the area below it, thresholds on probabilities, and their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ...ground.errors import short
from .. import Array
from .folds import bootstrap
from .intervals import (
    UNKNOWN,
    Estimate,
    effective_rows,
    leverage,
    reduction,
    rows_worth,
    satterthwaite,
    spread_factor,
    sum_of_squares,
    wilson,
)


@dataclass(frozen=True)
class AUC:
    """Area under a ROC curve.

    Attributes
    ----------
    estimate : Estimate
        With the interval of `_with_interval`; its ends are NaN if the variance is not known, or 0
        without separated classes.
    se : float
        DeLong's.
    parts : array (n,)
        Contribution of each row to the error of the area. The variance is the sum of their squares,
        or of the squares of their sums by group.
    most, fewest : float
        Rows that the area is worth at most, and if the score separates the classes.
    df : float
        Degrees of freedom of the variance, inf without groups.
    """

    estimate: Estimate
    se: float
    parts: Array
    most: float = np.nan
    fewest: float = np.nan
    df: float = np.inf

    __repr__ = short

    def __sub__(self, other: AUC) -> AUC:
        """The difference from another area on the same rows; its interval is unknown."""
        value, df = self.estimate.value - other.estimate.value, min(self.df, other.df)
        return AUC(Estimate(value, np.nan, np.nan), np.nan, self.parts - other.parts, df=df)


def auc(score: Array, positive: Array, w: Array, group: Array | None = None) -> AUC:
    """The probability that a row of the class has a higher score than another row, ties counting a half; in O(n log n).

    Parameters
    ----------
    score : array (n,)
    positive : bool array (n,)
        Whether each row is of the class.
    w : array (n,)
        Weights of the rows: a pair has the product of its weights, and each row adds to the
        variance by the square of its own.
    group : int array (n,), optional
        Codes of the groups of rows: contributions are summed within a group before they are
        squared. Each side has the `leverage` and the degrees of freedom of its own groups; for both
        they are joined by Welch's formula, and are at most those of all groups.

    Returns
    -------
    AUC
        Area with its variance; NaN if either side has no rows.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), *Comparing the areas under two or more correlated
    receiver operating characteristic curves*: structural components, here by midranks as of Sun and
    Xu (2014), *Fast implementation of DeLong's algorithm*.

    Examples
    --------
    >>> auc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]), np.ones(4)).estimate.value
    0.75
    """
    of_class, of_rest, component, area = _components(score, positive, w)
    if np.isnan(area):
        return AUC(UNKNOWN, np.nan, np.full(len(score), np.nan))
    sides, df = [], np.inf
    for weight in (of_class, of_rest):
        factor = (
            np.sqrt(spread_factor(weight[weight > 0])) if group is None else leverage(weight, group)
        )
        sides.append(factor * weight / weight.sum() * (component - area))
    if group is not None:
        variances = np.array([sum_of_squares(side, None, group) for side in sides])
        each = np.array([satterthwaite(np.bincount(group, v)) for v in (of_class, of_rest, w)])
        total = variances.sum()
        df = min(total**2 / (variances**2 / each[:2]).sum() if total > 0 else each.min(), each[2])
    m, n = effective_rows(of_class), effective_rows(of_rest)
    fewest = min(effective_rows(of_class, group), effective_rows(of_rest, group))
    return _with_interval(area, sides[0] + sides[1], group, 4 * m * n / (m + n), fewest, df)


def mean_auc(p: Array, y: Array, w: Array, group: Array | None = None) -> tuple[list[AUC], AUC]:
    """The area of each class against the rest by its probabilities (n, L), and the mean over the classes that have one.

    A row adds to the mean its average contribution to the areas of the classes, so the interval
    allows for areas on the same rows. For two classes with probabilities that sum to 1 the areas
    are equal, and so is their mean.
    """
    each = [auc(p[:, c], y == c, w, group) for c in range(p.shape[1])]
    known = [found for found in each if found.estimate.value == found.estimate.value]
    if not known:
        return each, each[0]
    area = float(np.mean([found.estimate.value for found in known]))
    parts = np.mean([found.parts for found in known], axis=0)
    fewest = min(found.fewest for found in known)
    most = float(np.mean([found.most for found in known])) * max(1, len(known) - 1)
    return each, _with_interval(area, parts, group, most, fewest, min(found.df for found in known))


def _components(score: Array, positive: Array, w: Array) -> tuple[Array, Array, Array, float]:
    """The weights of the class and of the rest, and the proportions V10 and V01 of DeLong, (n,) each;
    and the area, NaN if either side has no rows.
    """
    of_class, of_rest = w * positive, w * ~positive
    below_in_rest, below_in_class = _share_below(score, of_rest), _share_below(score, of_class)
    component = np.where(positive, below_in_rest, 1 - below_in_class)
    known = of_class.any() and of_rest.any()
    area = float(of_class @ component / of_class.sum()) if known else np.nan
    return of_class, of_rest, component, area


def area_losses(scores: Array, y: Array, w: Array) -> Array:
    """Losses of rows (n,) whose weighted mean is 1 minus the mean area of `mean_auc`.

    The area is linear in them up to its first order: each is 1 minus the area minus the influence
    of the row (Hampel 1974) on it. They are NaN if no class has an area, because all rows are of
    one.

    Examples
    --------
    >>> scores, y = np.array([[0.9, 0.1], [0.6, 0.4], [0.65, 0.35], [0.2, 0.8]]), np.array([0, 0, 1, 1])
    >>> area_losses(scores, y, np.ones(4)).tolist(), auc(scores[:, 1], y == 1, np.ones(4)).estimate.value
    ([-0.25, 0.75, 0.75, -0.25], 0.75)
    """
    out = []
    for c, score in enumerate(scores.T):
        of_class, of_rest, component, area = _components(score, y == c, w)
        if not np.isnan(area):
            part = np.where(y == c, of_class.sum(), of_rest.sum()) / w.sum()
            out.append(1 - area - (component - area) / part)
    return np.mean(out, axis=0) if out else np.full(len(y), np.nan)


def _with_interval(
    area: float, parts: Array, group: Array | None, most: float, fewest: float, df: float
) -> AUC:
    """An area with its Wilson interval, for the number of rows that gives a proportion DeLong's variance.

    DeLong's interval, area +- 1.96 se, is too narrow near 1, and has width 0 if the score separates
    the classes. The number of rows here is at most 4 m n / (m + n) for classes of m and n rows (for
    several classes their mean, times the classes less 1). Near 1 two exponential distributions are
    worth 2 m rows, or 2 n if they are exchanged (Hanley and McNeil 1982); the mean of the two
    variances is worth the limit. Separated classes have a bound on one side: the bound of a
    proportion of 1 among the rows of the smaller class. With groups the number is reduced for
    Student's quantile, as in `core.statistics.intervals.independent_rows`.

    Over 27 cases of 5 + 95, 20 + 80 and 50 + 50 rows and areas of 0.8, 0.95 and 0.99 DeLong's
    interval has the true area in 0.10 to 0.94 of 1500 draws, this one in 0.92 to 0.98 (`python
    benchmarks/inference.py auc`). For 8 to 40 groups, of one class each or of both, it contains it
    in 0.94 to 0.99 (`python benchmarks/inference.py groups`).
    """
    se = float(np.sqrt(sum_of_squares(parts, None, group)))
    student = 1.0 if group is None else reduction(df)
    ends = np.nan, np.nan
    if min(area, 1 - area) < 1e-12:  # separated, up to rounding
        area = float(round(area))
        ends = wilson(area, fewest * student)
    elif se > 0:
        ends = wilson(area, rows_worth(area, se**2, most) * student)
    return AUC(Estimate(area, *ends), se, parts, most, fewest, df)


def _share_below(score: Array, w: Array) -> Array:
    """For each row the proportion of the weight w with a lower score, plus half of that with the same, (n,)."""
    _, place = np.unique(score, return_inverse=True)
    weights = np.bincount(place, w)
    return ((np.cumsum(weights) - weights / 2) / (w.sum() or 1.0))[place]


@dataclass(frozen=True)
class Curve:
    """Rates at each threshold of a score, from the highest to the lowest; the first predicts the class for no row.

    Attributes
    ----------
    threshold : array (k,)
        Thresholds: the class is predicted for scores of at least this; the first is inf.
    sensitivity, false_positive : arrays (k,)
        Proportion of the class, and of the other rows, for which it is predicted.
    precision : array (k,)
        Proportion of the class among the rows for which it is predicted; 1 if there are none.
    average_precision : float
        Sum of the precisions, each times the increase of the sensitivity.
    """

    threshold: Array
    sensitivity: Array
    false_positive: Array
    precision: Array
    average_precision: float


def curve(score: Array, positive: Array, w: Array) -> Curve:
    """The ROC and precision-recall curve of a score; rows of both sides have weight."""
    values, place = np.unique(-score[w > 0], return_inverse=True)
    sides = (w * positive, w * ~positive)
    true, false = (_through(np.bincount(place, side[w > 0])) for side in sides)
    predicted = true + false
    precision = np.where(predicted > 0, true / np.where(predicted > 0, predicted, 1.0), 1.0)
    sensitivity = true / true[-1]
    average = float(np.diff(sensitivity) @ precision[1:])
    return Curve(
        np.concatenate([[np.inf], -values]), sensitivity, false / false[-1], precision, average
    )


def samples(
    score: Array,
    positive: Array,
    w: Array,
    group: Array | None,
    draws: int,
    random: np.random.Generator,
) -> Iterator[tuple[Array, Array]]:
    """The curve as (1 - specificity, sensitivity) of the rows as they are, and of `draws` bootstrap samples.

    Rows are drawn with replacement, as many of the class and of the others as there are; if they
    come in groups, whole groups, and samples without rows of both sides are left out. All have the
    same thresholds, at most `TRIED_CUTS` steps of the ranks.
    """
    live = w > 0
    place = np.unique(-score[live], return_inverse=True)[1]
    if (count := place.max() + 1) > TRIED_CUTS:
        place, count = place * TRIED_CUTS // count, TRIED_CUTS
    positive, w = positive[live], w[live]
    unit, strata = np.arange(len(w)), [np.flatnonzero(positive), np.flatnonzero(~positive)]
    if group is not None:
        unit = np.unique(group[live], return_inverse=True)[1]
        strata = [np.arange(unit.max() + 1)]
    times = np.ones(len(unit), int)
    for _ in range(draws + 1):
        of_class, of_rest = (
            _through(np.bincount(place, w * times[unit] * rows, count))
            for rows in (positive, ~positive)
        )
        if of_class[-1] > 0 and of_rest[-1] > 0:
            yield of_rest / of_rest[-1], of_class / of_class[-1]
        times = bootstrap(random, strata)


@dataclass(frozen=True)
class Band:
    """Sensitivities at some specificities with their intervals, arrays (G,)."""

    sensitivity: Array
    low: Array  # ends of a 95 % interval at each specificity alone
    high: Array
    band_low: Array  # ends of a band that contains the whole curve with probability 95 %
    band_high: Array


def band(
    score: Array,
    positive: Array,
    w: Array,
    group: Array | None,
    specificity: Array,
    draws: int,
    random: np.random.Generator,
) -> Band:
    """The ROC curve at some specificities, with intervals for each alone and a band for all of it,
    by bootstrap samples.

    The sensitivity at a specificity is the highest of a threshold that reaches it, on straight
    lines between thresholds. Its interval is Wilson's, for the number of rows that would give a
    proportion equal to the mean of the samples their variance. Percentiles of the samples would be
    too narrow near 1: for 12 cases of 20 to 400 rows they contain the truth in 0.50 to 0.94 of 200
    draws on average over 11 specificities, and these intervals in 0.94 to 0.97.

    The band is Campbell's: its distance from the curve is the same everywhere, measured along the
    lines that rise by sqrt(n / m) to the left, for m rows of the class and n others, because
    sensitivity and specificity vary by 1 / sqrt(m) and 1 / sqrt(n). The distance is the one that 95
    % of the samples do not exceed at any point. It is at least the distance at which all of the
    fewer rows would still be correct with probability 2.5 %, because samples of classes that the
    score separates are identical.

    References
    ----------
    Campbell (1994), *Advances in statistical methodology for the evaluation of diagnostic and
    laboratory tests*, Statistics in Medicine 13, 499-508; Macskassy, Provost and Rosset (2005),
    *ROC confidence bands: an empirical evaluation*, ICML, of whose methods this alone came near its
    level.
    """
    m, n = (effective_rows(w * rows, group) for rows in (positive, ~positive))
    up, across = 1 / np.sqrt(m), 1 / np.sqrt(n)
    x = 1 - specificity

    # (x, s) + d (-across, up), a point moved by d, has the same x / across + s / up, and its
    # (s / up - x / across) / 2 is larger by d
    def turn(curve: tuple[Array, Array]) -> tuple[Array, Array]:
        """Place of each point along the diagonal, and its distance from it, in standard errors."""
        return curve[0] / across + curve[1] / up, (curve[1] / up - curve[0] / across) / 2

    curves = samples(score, positive, w, group, draws, random)
    curve_of_rows = next(curves)
    place, distance = turn(curve_of_rows)
    heights, farthest = [], []
    for sample in curves:
        heights.append(np.interp(x + ROUNDING, *sample))
        its_place, its_distance = turn(sample)
        rise = np.interp(its_place, place, distance) - its_distance
        fall = np.interp(place, its_place, its_distance) - distance
        farthest.append(max(np.abs(rise).max(), np.abs(fall).max()))
    sensitivity = np.interp(x + ROUNDING, *curve_of_rows)
    spread = zip(sensitivity, np.mean(heights, axis=0), np.var(heights, axis=0), strict=True)
    ends = [wilson(share, rows_worth(mean, variance, m)) for share, mean, variance in spread]
    # all m rows are correct with probability (1 - d / sqrt(m))^m = exp(-d sqrt(m)) about, if a
    # proportion of d / sqrt(m), or d standard errors, is not
    width = max(float(np.quantile(farthest, 0.95)), -np.log(0.025) / np.sqrt(min(m, n)))
    low, high = (
        np.interp(
            x + side * ROUNDING,
            curve_of_rows[0] - side * width * across,
            curve_of_rows[1] + side * width * up,
        )
        for side in (-1, 1)
    )
    alone = np.array(ends)
    return Band(sensitivity, alone[:, 0], alone[:, 1], np.maximum(low, 0.0), np.minimum(high, 1.0))


ROUNDING = 1e-12  # of the total: sums of the same weights in another order differ by less
TRIED_CUTS = 1000  # cuts that a bootstrap sample tries at most, at equal steps of the ranks


@dataclass(frozen=True)
class Cuts:
    """Effect of each threshold on rows, from a threshold that no probability reaches to one that all reach.

    Attributes
    ----------
    cut : array (G,)
        Thresholds, descending: inf, the midpoints between neighbouring probabilities, 0. The class
        is predicted from the threshold on.
    loss : array (G,)
        Weighted mean loss.
    sensitivity, specificity : arrays (G,)
        Proportion of the rows of the class predicted as it, and of the others not so; NaN if there
        are none.
    """

    cut: Array
    loss: Array
    sensitivity: Array
    specificity: Array


def all_cuts(
    chance: Array, above: Array, below: Array, positive: Array, weight: Array, loss_weight: Array
) -> Cuts:
    """Every cut that divides the rows in another way.

    Parameters
    ----------
    chance : array (n,)
        Probability of the class.
    above, below : arrays (n,)
        Loss of each row if the class is predicted, and if it is not.
    positive : bool array (n,)
        Whether the row is of the class.
    weight, loss_weight : arrays (n,)
        Weights of the rows in the proportions, and in the mean loss.

    Examples
    --------
    >>> import numpy as np
    >>> y, one = np.array([True, False, True, False]), np.ones(4)
    >>> cuts = all_cuts(np.array([0.9, 0.6, 0.6, 0.1]), ~y, y, y, one, one)
    >>> cuts.cut.round(2).tolist(), cuts.loss.tolist(), cuts.sensitivity.tolist()
    ([inf, 0.75, 0.35, 0.0], [0.5, 0.25, 0.25, 0.5], [0.0, 0.5, 1.0, 1.0])
    """
    values, place = np.unique(-chance, return_inverse=True)
    values = -values  # descending
    between = values[1:] + (values[:-1] - values[1:]) / 2
    cut = np.concatenate([[np.inf], np.where(between > values[1:], between, values[:-1]), [0.0]])

    def share(rows: Array) -> Array:
        with np.errstate(invalid="ignore"):  # no rows
            return _through(np.bincount(place, weight * rows)) / weight[rows].sum()

    change = _through(np.bincount(place, loss_weight * (above.astype(float) - below)))
    loss = (float(loss_weight @ below) + change) / loss_weight.sum()
    return Cuts(cut, loss, np.minimum(share(positive), 1.0), 1 - np.minimum(share(~positive), 1.0))


def best_cut(cuts: Cuts, sensitivity: float | None = None, specificity: float | None = None) -> int:
    """The threshold of lowest loss among those that reach a sensitivity or a specificity; the
    highest one breaks ties.
    """
    rates = (cuts.sensitivity, cuts.specificity)
    rounding = ROUNDING * np.maximum(1.0, cuts.loss)
    return int(_lowest(cuts.loss, rates, (sensitivity, specificity), rounding))


def _lowest(
    loss: Array,
    rates: tuple[Array, Array],
    limits: tuple[float | None, float | None],
    rounding: Array,
) -> Array:
    """The first place along the last axis with the lowest loss among those whose rates reach limits."""
    allowed = np.ones(loss.shape, bool)
    for least, reached in zip(limits, rates, strict=True):
        if least is not None:
            allowed &= ~(reached < least - ROUNDING)
    loss = np.where(allowed, loss, np.inf)
    return np.argmax(loss <= loss.min(axis=-1, keepdims=True) + rounding, axis=-1)


def decide_at(p: Array, code: int, cut: float) -> Array:
    """The class `code` if its probability reaches the threshold, otherwise the most probable other; -1 for NaN (r,)."""
    others = p.copy()
    others[:, code] = -1.0
    lost = np.any(np.isnan(p), axis=1)
    likeliest = np.where(lost[:, None], 0.0, others).argmax(axis=1)
    return np.where(lost, -1, np.where(p[:, code] >= cut, code, likeliest))


def variance_of_choice(
    cells: tuple[Array, Array],
    change: Array,
    positive: Array,
    w: Array,
    weigh: Callable[[Array], Array],
    unit: Array,
    limits: tuple[float | None, float | None],
    draws: int,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Variances of the differences, in sensitivity and in specificity, between cross-validated
    thresholds and the threshold that all rows select.

    Rows are drawn with replacement. On each sample the threshold is selected from all rows and
    without each fold. The proportions with the latter, minus those of the former on the original
    rows, vary like the estimates about the truth. An interval for a fixed threshold allows for the
    rows of the test, but not for the rows that selected it.

    Parameters
    ----------
    cells : int arrays (n,)
        Fold of each row, and the rank of its probability, descending from 0.
    change : array (n,)
        Loss of each row if the class is predicted, less its loss if it is not.
    positive : bool array (n,)
        Whether the row is of the class.
    w : array (n,)
    weigh : function of weights (n,) of the rows to their weights (n,) in the mean loss
    unit : int array (n,)
        Units of the bootstrap: rows, or their groups.
    limits : sensitivity and specificity that a threshold must reach
    draws : int
    random : Generator

    Returns
    -------
    sensitivity, specificity : float
        Variances.
    """
    fold, place = cells
    G, F, count = place.max() + 1, fold.max() + 1, unit.max() + 1
    if G > TRIED_CUTS:
        place, G = place * TRIED_CUTS // G, TRIED_CUTS
    cell, differences = fold * G + place, []

    def summed(values: Array) -> Array:
        return np.bincount(cell, values, F * G).reshape(F, G)

    whole = [summed(w * rows).sum(axis=0) for rows in (positive, ~positive)]
    for _ in range(draws):
        v = w * bootstrap(random, [np.arange(count)])[unit]
        if not ((v > 0) & positive).any() or not ((v > 0) & ~positive).any():
            continue
        parts = [summed(v * positive), summed(v * ~positive), summed(weigh(v) * change)]
        of_all = _chosen_place([part.sum(axis=0) for part in parts], limits)
        without = _chosen_place([part.sum(axis=0) - part for part in parts], limits)
        found = [_through(part)[np.arange(F), without].sum() / part.sum() for part in parts[:2]]
        true = [_through(part)[of_all] / part.sum() for part in whole]
        differences.append([found[0] - true[0], true[1] - found[1]])
    return tuple(np.var(differences, axis=0)) if differences else (0.0, 0.0)


def _through(parts: Array) -> Array:
    """Sums of the first 0, 1, ..., G parts along the last axis, (..., G + 1)."""
    return np.concatenate([np.zeros((*parts.shape[:-1], 1)), np.cumsum(parts, axis=-1)], axis=-1)


def _chosen_place(parts: list[Array], limits: tuple[float | None, float | None]) -> Array:
    """Number of ranks above the threshold of lowest loss: as `best_cut`, midway between ranks that have rows.

    The parts (..., G) are the weights of the class and of the others, and the change of the loss,
    by rank.
    """
    of_class, of_rest, change = parts
    G = of_class.shape[-1]
    sums = (_through(of_class), _through(of_rest[..., ::-1])[..., ::-1])
    rates = tuple(s / np.maximum(s.max(axis=-1, keepdims=True), 1e-300) for s in sums)
    rounding = ROUNDING * np.maximum(1e-300, np.abs(change).sum(axis=-1, keepdims=True))
    places = _lowest(_through(change), rates, limits, rounding)
    rank = np.where((of_class > ROUNDING) | (of_rest > ROUNDING), np.arange(G), G)
    following = np.minimum.accumulate(rank[..., ::-1], axis=-1)[..., ::-1]
    following = np.concatenate([following, np.full((*places.shape, 1), G)], axis=-1)
    following = np.take_along_axis(following, places[..., None], axis=-1)[..., 0]
    return np.where(places == 0, 0, np.where(following == G, G, (places + following + 1) // 2))
