"""Intervals of proportions, of means of proportions, of means over rows and of confusion tables;
bands of cross-validated curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .. import Array
from ..thresholds import AT_ONCE

Z = 1.959963984540054  # of the normal distribution, 2.5 % lie above


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its 95 % interval; NaN if it is unknown."""

    value: float
    low: float
    high: float

    def __repr__(self) -> str:
        return f"{self.value:.2g} (95 % CI {self.low:.2g} to {self.high:.2g})"


def columns_of(estimates: Mapping[str, Estimate]) -> tuple[dict[str, float], dict[str, float]]:
    """Estimates as columns of a table: the values by name, and the ends of the intervals as
    `name_low` and `name_high`.
    """
    values = {name: estimate.value for name, estimate in estimates.items()}
    return values, {
        f"{name}_{end}": getattr(estimate, end)
        for name, estimate in estimates.items()
        for end in ("low", "high")
    }


UNKNOWN = Estimate(np.nan, np.nan, np.nan)


def wilson(share: float, rows: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion among a number of rows, which need not be whole; NaN if the number is."""
    if np.isnan(rows):
        return np.nan, np.nan
    middle = (share + Z**2 / (2 * rows)) / (1 + Z**2 / rows)
    half = (
        Z / (1 + Z**2 / rows) * float(np.sqrt(share * (1 - share) / rows + (Z / (2 * rows)) ** 2))
    )
    return (0.0 if share == 0 else middle - half), (1.0 if share == 1 else middle + half)


def rows_worth(share: float, variance: float, most: float) -> float:
    """The number of independent rows whose proportion would have this variance, at most `most`.

    Examples
    --------
    >>> rows_worth(0.5, 0.01, 100), rows_worth(1.0, 0.0, 100)
    (25.0, 100)
    """
    spread = share * (1 - share)
    return min(most, spread / variance) if spread > 0 and variance > 0 else most


def independent_rows(share: float, sums: SquaredSums, unbounded: bool = False) -> float:
    """The effective number of independent rows of equal weight for a weighted proportion; NaN for a single group.

    Without groups it is the number that gives the proportion its variance, the sum of the squares
    of w (x - proportion) over the square of the sum of the weights, at most Kish's sum(w)^2 /
    sum(w^2) unless `unbounded`. So rows with large weights that are misclassified more
    often than others count as fewer; rows with small weights do not count as more, because few rows
    then estimate the variance. With groups the terms are first summed within each, a proportion of
    0 or 1 counts as many rows as there are groups (Kish's number for their weights), and the number
    is reduced by the square of the normal over Student's quantile (Korn and Graubard 1998), with
    the degrees of freedom of `satterthwaite`.

    For 50 to 400 rows whose weights and errors are correlated, the interval with Kish's number
    contains the true proportion in 0.83 to 0.99 of 2000 draws, this one in 0.90 to 0.99. For 10 to
    40 groups of 10 rows with correlated errors, intervals for independent rows contain it in 0.70
    to 0.87, these in 0.95 to 0.96 (`python benchmarks/inference.py test`). For 4 to 20 groups of
    unequal size, G - 1 degrees of freedom give 0.84 to 1.00, these 0.93 to 1.00 (`python
    benchmarks/inference.py groups`).

    References
    ----------
    Kish (1965), *Survey sampling*; Dean and Pagano (2015), *Evaluating confidence interval methods
    for binomial proportions in clustered surveys*.
    """
    inside = 0 < share < 1 and sums.spread > 0
    most = np.inf if unbounded and inside else sums.total**2 / sums.square
    rows = rows_worth(share, sums.spread / sums.total**2, most)
    if sums.square_of_groups is None:
        return rows
    if np.isnan(sums.df):
        return np.nan
    return (rows if inside else sums.total**2 / sums.square_of_groups) * reduction(sums.df)


def with_wilson(share: float, sums: SquaredSums, unbounded: bool = False) -> Estimate:
    """A proportion with the Wilson interval for `independent_rows`."""
    return Estimate(share, *wilson(share, independent_rows(share, sums, unbounded)))


def reduction(df: float) -> float:
    """The square of the normal over Student's quantile, by which rows are reduced if their variance
    has `df` degrees of freedom.
    """
    from scipy.stats import t  # 0.4 s that most fits do without

    return float(Z / t.ppf(0.975, df)) ** 2


@dataclass(frozen=True)
class SquaredSums:
    """Sums for the interval of a weighted proportion.

    Attributes
    ----------
    total, square : float
        Weight of the rows, and sum of the squares of their weights.
    spread : float
        Sum over rows of the squares of w (x - proportion); or over groups, see `sum_of_squares`.
    df : float
        Degrees of freedom of this sum over groups; inf without groups, NaN for a single one.
    square_of_groups : float, or None
        Sum of the squares of the groups' weights; None without groups.
    """

    total: float
    square: float
    spread: float
    df: float = np.inf
    square_of_groups: float | None = None


def sums_of(values: Array, w: Array, group: Array | None) -> SquaredSums:
    """The sums of rows with values less the estimate (n,), weights (n,) and codes of their groups (n,)."""
    total, square, spread = float(w.sum()), float(w @ w), sum_of_squares(w * values, w, group)
    if group is None:
        return SquaredSums(total, square, spread)
    weights = np.bincount(group, w)
    return SquaredSums(total, square, spread, satterthwaite(weights), float(weights @ weights))


def sum_of_squares(parts: Array, w: Array | None, group: Array | None) -> float:
    """Sum of the squares of the contributions of rows to an estimate, its variance.

    With groups, contributions are summed by group, and multiplied by `leverage` unless `w` is None;
    NaN for a single group.
    """
    if group is None:
        return float(parts @ parts)
    sums = np.bincount(group, parts if w is None else parts * leverage(w, group))
    return float(sums @ sums)


def leverage(w: Array, group: Array) -> Array:
    """The factor of each row, (n,), by which contributions to an estimate become those of the
    jackknife that leaves out groups.

    It is the root of (G - 1) / G, divided by 1 minus the proportion of the weight in the row's
    group, for G groups with weight. If all have the same weight, the sum of squares is multiplied
    by G / (G - 1). NaN for a single group.

    References
    ----------
    Bell and McCaffrey (2002), *Bias reduction in standard errors for linear regression with
    multi-stage samples*, Survey Methodology 28.
    """
    weights = np.bincount(group, w)
    count = int((weights > 0).sum())
    return (
        np.sqrt((count - 1) / count) / (1 - weights / weights.sum())[group]
        if count > 1
        else np.full(len(w), np.nan)
    )


def satterthwaite(weights: Array) -> float:
    """Degrees of freedom of a sum of squares over groups of these weights, if rows are independent;
    NaN for a single group.

    (1 - s2)^2 / (s2 - 2 s3 + s2^2), where s2 and s3 are the sums of the squares and cubes of the
    groups' proportions of the weight. It is G - 1 for G equal groups, and less if few groups have
    most of the weight (Satterthwaite 1946; Bell and McCaffrey 2002).

    Examples
    --------
    >>> round(satterthwaite(np.ones(5)), 9), round(satterthwaite(np.array([4.0, 1.0, 1.0])), 3)
    (4.0, 1.8)
    """
    a = weights / weights.sum()
    squares, cubes = float(a @ a), float((a**3).sum())
    return (1 - squares) ** 2 / (squares - 2 * cubes + squares**2) if (a > 0).sum() > 1 else np.nan


def effective_rows(w: Array, group: Array | None = None) -> float:
    """Number of rows (or groups, by the codes `group` (n,)) of equal weight that weights are worth:
    sum(w)^2 / sum(w^2) (Kish 1965).

    0 if all weights are 0.

    Examples
    --------
    >>> effective_rows(np.full(8, 1e-4)), round(effective_rows(np.array([3.0, 1.0, 0.0])), 3)
    (8.0, 1.6)
    """
    v = w if group is None else np.bincount(group, w)
    largest = float(v.max(initial=0.0))
    if not largest > 0:
        return 0.0
    relative = v / largest  # otherwise squares of small and large weights overflow or vanish
    return float(relative.sum() ** 2 / (relative @ relative))


def least_se(w: Array, largest: Array | float = 1.0, group: Array | None = None) -> float:
    """The standard error of a mean loss of 0 over rows with weights (n,), and with `largest` losses
    (n,) that they may have.

    A proportion of 0 among n rows has the standard error of (0 + 2) / (n + 4), among n + 4 rows:
    two errors and two correct rows are added (Agresti and Coull 1998). It is multiplied by the root
    mean square of the largest losses; n is `effective_rows`.

    References
    ----------
    Agresti and Coull (1998), *Approximate is better than "exact" for interval estimation of
    binomial proportions*, The American Statistician 52.

    Examples
    --------
    >>> round(least_se(np.ones(96)), 6), round(least_se(np.ones(96), 5.0), 6)  # sqrt(0.02 x 0.98 / 100)
    (0.014, 0.07)
    """
    n, v = effective_rows(w, group) + 4, w / w.max()
    return float(np.sqrt(2 * (n - 2) / n**3 * ((v * largest) ** 2).sum() / (v @ v)))


def share_of_rows(right: Array, w: Array, group: Array | None = None) -> Estimate:
    """The weighted proportion of the rows that count, bool (n,), with the Wilson interval for `independent_rows`.

    Examples
    --------
    >>> found = share_of_rows(np.arange(10) < 8, np.ones(10))
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.8, 0.49, 0.943)
    """
    total = float(w.sum())
    if not total > 0:
        return UNKNOWN
    # sums of the same weights in another order differ in the last bit
    share = min(1.0, float(w @ right) / total)
    return with_wilson(share, sums_of(right - share, w, group))


def mean_of(shares: Sequence[Estimate]) -> Estimate:
    """Mean of independent proportions; its interval is by the method of variance estimates recovery.

    The distance of the mean from each end is the root of the sum of the squared distances for the
    proportions, divided by their number. At 0 and 1, where a standard error would be 0, the
    interval keeps its width, and it never leaves [0, 1]. An end is NaN if one of theirs is.

    References
    ----------
    Newcombe (1998), *Interval estimation for the difference between independent proportions*,
    method 10; Zou and Donner (2008), *Construction of confidence limits about effect measures: a
    general approach*.
    """
    if not shares:
        return UNKNOWN
    value = float(np.mean([s.value for s in shares]))
    below = float(np.sqrt(sum((s.value - s.low) ** 2 for s in shares))) / len(shares)
    above = float(np.sqrt(sum((s.high - s.value) ** 2 for s in shares))) / len(shares)
    return Estimate(value, *np.clip([value - below, value + above], 0.0, 1.0).tolist())


def mean_of_few(shares: Array, rows: Array, factor: float) -> tuple[float, float]:
    """The 95 % interval of the mean of k proportions (k,), of few rows (k,) each, whose variances
    are multiplied by `factor`.

    2 / k rows with and 2 / k rows without are added to each proportion (Price and Bonett 2004),
    because a proportion near 0 or 1 shows too little variance. Student's quantile has
    Satterthwaite's degrees of freedom.

    References
    ----------
    Price and Bonett (2004), *An improved confidence interval for a linear function of binomial
    proportions*, Computational Statistics and Data Analysis 45.

    Examples
    --------
    >>> low, high = mean_of_few(np.array([0.0, 0.1]), np.array([190.0, 10.0]), 1.0)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.208)
    """
    from scipy.stats import t

    k = len(shares)
    more = rows + 4 / k
    p = (shares * rows + 2 / k) / more
    variance = p * (1 - p) / more
    df = variance.sum() ** 2 / float((variance**2 / np.maximum(rows - 1, 1.0)).sum())
    half, middle = float(t.ppf(0.975, df) * np.sqrt(variance.sum() * factor)) / k, float(p.mean())
    return max(0.0, middle - half), min(1.0, middle + half)


def difference_of(a: Estimate, b: Estimate) -> Estimate:
    """Difference a - b of two independent proportions, with Newcombe's interval (his method 10)."""
    value = a.value - b.value
    low = value - float(np.hypot(a.value - a.low, b.high - b.value))
    return Estimate(value, low, value + float(np.hypot(a.high - a.value, b.value - b.low)))


def spread_factor(w: Array) -> float:
    """The factor that gives sum(w^2 (x - mean)^2) the expected value sum(w^2) times the variance of
    x; n / (n - 1) for equal w.

    NaN for a single row.
    """
    total, square = float(w.sum()), float(w @ w)
    if not total > 0:
        return np.nan
    reduced = square - 2 * float((w**3).sum()) / total + square**2 / total**2
    return square / reduced if reduced > 1e-12 * square else np.nan


def mean_over_rows(values: Array, w: Array, group: Array | None = None) -> tuple[float, float]:
    """Weighted mean of a value of each row, and its standard error (NaN for a single row, or a
    single group of `group` (n,)).
    """
    keep = w > 0
    x, w = values[keep], w[keep]
    share = w / w.sum()
    mean = float(share @ x)
    if not np.isfinite(mean):
        return mean, np.nan
    if group is not None:
        return mean, float(np.sqrt(sum_of_squares(share * (x - mean), w, group[keep])))
    return mean, float(np.sqrt(spread_factor(w) * (share**2 @ (x - mean) ** 2)))


def simultaneous(
    parts: Array, level: float, draws: int, random: np.random.Generator
) -> tuple[float, float]:
    """Quantiles of the distance of an error from its mean, in standard errors, for `level`.

    A single grid point stays within the first with this probability, all points together within
    the second.

    The parts that independent units add to the error at each grid point are multiplied by
    independent normal numbers, one for each unit, and summed: these sums go together over the grid
    as the errors do (multiplier bootstrap). They are drawn from their covariance matrix. Divided by
    their standard errors and by the root of a chi-squared number over its degrees of freedom, the
    largest in absolute value has the quantile that all points need.

    Parameters
    ----------
    parts : array (units, G)
        The sum of the squares over the units is the squared standard error.
    level : float between 0 and 1
    draws : int
    random : Generator

    Returns
    -------
    alone, together : float
        Student's t with the number of units less 1, and the simulated quantile of the maximum. NaN
        for a single unit, or if no point has a standard error above 0.

    References
    ----------
    Hothorn, Bretz and Westfall (2008), *Simultaneous inference in general parametric models*,
    Biometrical Journal 50, section 3; Chernozhukov, Chetverikov and Kato (2013), Annals of
    Statistics 41, for the multiplier bootstrap of a maximum.
    """
    from scipy.stats import t

    df, spread = len(parts) - 1, np.sqrt((parts**2).sum(axis=0))
    moving = np.flatnonzero(spread > 1e-12)
    if not len(moving) or df < 1:
        return np.nan, np.nan
    scores = parts[:, moving] / spread[moving]
    values, vectors = np.linalg.eigh(scores.T @ scores)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    largest, step = np.empty(draws), max(1, AT_ONCE // len(moving))
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        largest[begin : begin + size] = np.abs(
            random.standard_normal((size, len(moving))) @ root.T
        ).max(axis=1)
    largest /= np.sqrt(random.chisquare(df, draws) / df)
    return float(t.ppf((1 + level) / 2, df)), float(np.quantile(largest, level))


@dataclass(frozen=True)
class ConfusionTable:
    """Rows by true and predicted class.

    Attributes
    ----------
    weight, square : arrays (L, L)
        Sum of the weights of the rows of each cell (true class, predicted class), and of their
        squares.
    rows : arrays (n,), or None
        If the rows come in groups: the cell of each, its weight, and the code of its group.
    """

    weight: Array
    square: Array
    rows: tuple[Array, Array, Array] | None = None

    def share(self, part: Array, whole: Array) -> Estimate:
        """Share of the cells `part` among the cells `whole`, bool (L, L), with Wilson's interval
        for `independent_rows`.
        """
        total = float(self.weight[whole].sum())
        if not total > 0:
            return UNKNOWN
        share = min(1.0, float(self.weight[part & whole].sum()) / total)
        return with_wilson(share, self.sums(whole * (part - share), whole))

    def sums(self, values: Array, whole: Array) -> SquaredSums:
        """The sums of the rows in the cells `whole`, if each row adds w times the value (L, L) of its cell."""
        total, square = float(self.weight[whole].sum()), float(self.square[whole].sum())
        if self.rows is None:
            return SquaredSums(total, square, float((self.square * values**2).sum()))
        cell, w, group = self.rows
        return sums_of(values.ravel()[cell], w * whole.ravel()[cell], group)


def count(
    y: Array, predicted: Array, w: Array, classes: int, group: Array | None = None
) -> ConfusionTable:
    """The table of rows with these class codes, weights and codes of groups."""
    cell, shape = y * classes + predicted, (classes, classes)
    weight, square = (np.bincount(cell, v, classes**2).reshape(shape) for v in (w, w**2))
    return ConfusionTable(weight, square, None if group is None else (cell, w, group))


@dataclass(frozen=True)
class OfClass:
    """Statistics of one class against the others.

    Attributes
    ----------
    sensitivity, specificity : Estimate
        Proportion of the class that is predicted as it, and of the others that is not.
    ppv, npv : Estimate
        Proportion of the rows predicted as the class that are of it, and of those not predicted as
        it that are not.
    f1 : Estimate
        Harmonic mean of sensitivity and ppv.
    prevalence, detection_prevalence : Estimate
        Proportion of the class among all rows, and proportion of all rows that are predicted as it.
    balanced_accuracy : Estimate
        Mean of sensitivity and specificity.
    """

    sensitivity: Estimate
    specificity: Estimate
    ppv: Estimate
    npv: Estimate
    f1: Estimate
    prevalence: Estimate
    detection_prevalence: Estimate
    balanced_accuracy: Estimate


def sides(c: int, classes: int) -> dict[str, tuple[Array, Array]]:
    """For each proportion of `OfClass`, the cells of a `ConfusionTable` that count, and the cells
    of its denominator, bool (L, L).
    """
    true = np.broadcast_to((np.arange(classes) == c)[:, None], (classes, classes))
    predicted, every = true.T, np.ones(true.shape, bool)
    return {
        "sensitivity": (predicted, true),
        "specificity": (~predicted, ~true),
        "ppv": (true, predicted),
        "npv": (~true, ~predicted),
        "prevalence": (true, every),
        "detection_prevalence": (predicted, every),
    }


def of_class(table: ConfusionTable, c: int) -> OfClass:
    """The statistics of class c; NaN if there are no rows for an estimate.

    Proportions have Wilson intervals. F1 is 2 J / (1 + J), where J is the proportion of the rows
    that are of the class and predicted as it, among rows that are either; its interval is the
    Wilson interval of J on this scale. The mean of two proportions has `mean_of`.

    Examples
    --------
    >>> found = of_class(ConfusionTable(*2 * (np.array([[8, 2], [1, 9]]),)), 0)
    >>> found.sensitivity.value, found.specificity.value, round(found.f1.value, 4)
    (0.8, 0.9, 0.8421)
    """
    cells = sides(c, len(table.weight))
    shares = {name: table.share(*of_share) for name, of_share in cells.items()}
    predicted, true = cells["sensitivity"]
    jaccard = table.share(true & predicted, true | predicted)
    f1 = Estimate(*(2 * j / (1 + j) for j in (jaccard.value, jaccard.low, jaccard.high)))
    both = mean_of([shares["sensitivity"], shares["specificity"]])
    return OfClass(**shares, f1=f1, balanced_accuracy=both)


def accuracy(table: ConfusionTable) -> Estimate:
    """Proportion of the rows that are classified correctly, with its Wilson interval."""
    return table.share(np.eye(len(table.weight), dtype=bool), np.ones(table.weight.shape, bool))


def balanced_accuracy(table: ConfusionTable) -> Estimate:
    """Mean sensitivity of the classes that occur, with the interval of `mean_of`."""
    each = [of_class(table, c).sensitivity for c in range(len(table.weight))]
    return mean_of([s for s in each if s.value == s.value])


def kappa(table: ConfusionTable) -> Estimate:
    """Cohen's kappa: the accuracy beyond chance agreement with the same margins, as a proportion of
    the largest possible.

    The standard error is by the delta method of Fleiss, Cohen and Everitt (1969), *Large sample
    standard errors of kappa and weighted kappa*; with weights w each row adds w^2. The interval is
    the Wilson interval of the accuracy, for the number of rows that gives it this standard error
    with fixed margins. So it does not exceed 1, and keeps its width if no row is misclassified. NaN
    if truth and prediction are one and the same class for all rows.

    Examples
    --------
    >>> found = kappa(ConfusionTable(*2 * (np.array([[8, 2], [1, 9]]),)))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.7, 0.282, 0.895)
    """
    total = float(table.weight.sum())
    p = table.weight / total
    true, predicted = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.trace(p)), float(true @ predicted)
    if not 1 - expected > 1e-12:
        return UNKNOWN
    right = np.eye(len(p)) - observed
    margin = predicted[:, None] + true[None, :] - 2 * expected
    change = right / (1 - expected) - (1 - observed) * margin / (1 - expected) ** 2
    # on the scale of the accuracy
    sums = table.sums(change * (1 - expected), np.ones(p.shape, bool))
    found = with_wilson(observed, sums, unbounded=True)
    ends = (found.value, found.low, found.high)
    return Estimate(*((end - expected) / (1 - expected) for end in ends))
