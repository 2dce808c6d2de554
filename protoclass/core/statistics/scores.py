"""Scores of probabilities, and probabilities from scores: calibration on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...ground.errors import short
from ...ground.savable import savable
from .. import Array
from .intervals import (
    Estimate,
    effective_rows,
    mean_over_rows,
    share_of_rows,
    sums_of,
    with_wilson,
)

FINITE = float(np.finfo(float).max) / 4  # differences of two such values are finite


def brier(p: Array, y: Array) -> Array:
    """Brier score of each row (n,): the squared distance of its probabilities (n, L) from certainty of the true class.

    It is the sum over the classes (Brier 1950), from 0 to 2; for two classes half of it, from 0 to
    1, which is the squared difference for one class and the usual form there.

    Examples
    --------
    >>> brier(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([0, 0])).round(2).tolist()
    [0.04, 0.49]
    """
    squares = (p - np.eye(p.shape[1])[y]) ** 2
    return squares.sum(axis=1) / (2 if p.shape[1] == 2 else 1)


def log_loss(p: Array, y: Array) -> Array:
    """Minus the natural logarithm of the probability (n,) of the true class: inf if it is 0.

    Examples
    --------
    >>> log_loss(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([0, 0])).round(4).tolist()
    [0.6931, inf]
    """
    with np.errstate(divide="ignore"):
        return np.maximum(-np.log(p[np.arange(len(y)), y]), 0.0)


SCORES = {"brier": brier, "log_loss": log_loss}


class Bin(NamedTuple):
    """Rows with similar probabilities of a class.

    Attributes
    ----------
    low, high : float
        Ends of the bin; a probability at the end of two bins is in the lower one.
    rows : int
    mean_predicted : float
        Weighted mean of the probabilities.
    observed, observed_low, observed_high : float
        Proportion of the rows that are of the class, with its Wilson interval.
    """

    low: float
    high: float
    rows: int
    mean_predicted: float
    observed: float
    observed_low: float
    observed_high: float


def reliability(
    chance: Array, positive: Array, w: Array, bins: int, group: Array | None = None
) -> list[Bin]:
    """Bins of equal width with at least one row of positive weight, in ascending order; `group`
    (n,) if rows come in groups.

    Examples
    --------
    >>> for b in reliability(np.array([0.1, 0.3, 0.9]), np.array([False, True, True]), np.ones(3), 2):
    ...     print(b.low, b.high, b.rows, round(b.mean_predicted, 2), b.observed)
    0.0 0.5 2 0.2 0.5
    0.5 1.0 1 0.9 1.0
    """
    edges = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(edges[1:-1], chance, "left")
    out = []
    for k in range(bins):
        mask = (place == k) & (w > 0)
        if not mask.any():
            continue
        share = share_of_rows(positive[mask], w[mask], None if group is None else group[mask])
        mean = float(w[mask] @ chance[mask] / w[mask].sum())
        low, high = edges[k : k + 2].tolist()
        out.append(Bin(low, high, int(mask.sum()), mean, share.value, share.low, share.high))
    return out


def calibration_in_the_large(
    chance: Array, positive: Array, w: Array, group: Array | None = None
) -> Estimate:
    """The proportion of a class minus its mean probability (n,), 0 for probabilities calibrated on
    average, with a 95 % interval.

    It is the Wilson interval of the proportion, minus the mean probability, for the number of rows
    that gives the proportion the variance of this difference.

    References
    ----------
    Steyerberg (2019), *Clinical prediction models*, chapter 15.

    Examples
    --------
    >>> chance, positive = np.array([0.1, 0.3, 0.8, 0.6]), np.array([False, False, True, True])
    >>> found = calibration_in_the_large(chance, positive, np.ones(4))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.05, -0.183, 0.283)
    """
    observed, expected = share_of_rows(positive, w, group), float(w @ chance) / float(w.sum())
    sums = sums_of(positive - chance - (observed.value - expected), w, group)
    found = with_wilson(observed.value, sums, unbounded=True)
    return Estimate(*(end - expected for end in (found.value, found.low, found.high)))


def lowest_of_others(values: Array) -> Array:
    """For each class the lowest value of the other classes, (r, classes); inf for a single class.

    Examples
    --------
    >>> lowest_of_others(np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 5.0]])).tolist()
    [[1.0, 2.0, 1.0], [1.0, 1.0, 1.0]]
    """
    two = np.sort(np.insert(values, 0, np.inf, axis=1), axis=1)[:, :2]
    return np.where(values == two[:, :1], two[:, 1:], two[:, :1])


def relative_margins(distances: Array) -> Array:
    """The relative margin (other - own) / (other + own) of each class, from -1 to 1.

    Parameters
    ----------
    distances : array (r, classes)
        Distances >= 0 to the nearest prototype of each class, inf for a class that has none. `own`
        is the distance of the class and `other` the lowest of the other classes.

    Returns
    -------
    array (r, classes)
        0 if own and other are equal, also where both are 0 or inf. It is tanh(log(other / own) /
        2), and minimised by Sato and Yamada (1996).

    Examples
    --------
    >>> relative_margins(np.array([[1.0, 3.0], [2.0, 2.0], [4.0, np.inf]])).tolist()
    [[0.5, -0.5], [0.0, 0.0], [1.0, -1.0]]
    """
    return relative_margin(distances, lowest_of_others(distances))


def relative_margin(own: Array, other: Array) -> Array:
    """(other - own) / (other + own) of distances, see `relative_margins`."""
    own, other = own / 2, other / 2  # the sum of two halves is finite
    with np.errstate(invalid="ignore"):  # two zeros, or an infinite distance
        ratio = (other - own) / (other + own)
    limit = np.where(own == other, 0.0, np.where(own < other, 1.0, -1.0))
    return np.where(np.isfinite(ratio), ratio, limit)


def with_largest(values: Array, predicted: Array) -> Array:
    """Values (r, classes), all finite, in which the predicted class of each row has the first largest one.

    A rule breaks ties in its own way: if another class is first among the largest, the value of the
    predicted class becomes the next larger number.
    """
    out = np.clip(values, -FINITE, FINITE)
    tied = np.flatnonzero(out.argmax(axis=1) != predicted)
    out[tied, predicted[tied]] = np.nextafter(out[tied].max(axis=1), np.inf)
    return out


TINY = np.finfo(float).tiny


@savable
@dataclass(frozen=True)
class Scale:
    """A conversion of the values that a rule gives by class to scores: the larger, the more likely the class.

    The score is minus the logarithm of a distance, the logarithm of a proportion of votes, or a
    decision value as it is. Only differences between the scores of a row matter, so for distances
    only their ratios.

    Attributes
    ----------
    kind : "distance", "prob" or "decision"
    low, high : float
        Distances and proportions below `low` count as `low`, those above `high` as `high`; so 0 and
        inf have a logarithm.
    """

    kind: str
    low: float
    high: float

    def scores(self, values: Array) -> Array:
        """Scores (r, classes) of values (r, classes)."""
        if self.kind == "decision":
            return values.astype(float)
        logs = np.log(np.clip(values.astype(float), self.low, self.high))
        return -logs if self.kind == "distance" else logs


def scale_of(kind: str, values: Array) -> Scale:
    """The scale for values such as these: `low` is half of the smallest positive one, `high` twice
    the largest finite one.
    """
    positive = values[(values > 0) & np.isfinite(values)]
    if len(positive) == 0:
        return Scale(kind, 1.0, 1.0)
    return Scale(
        kind,
        max(float(positive.min()) / 2, TINY),
        min(float(positive.max()) * 2, float(np.finfo(float).max)),
    )


def worth_rows(w: Array) -> Array:
    """Weights in the unit in which they sum to `effective_rows`: 1 each if they are equal."""
    relative = w / (w.max(initial=0.0) or 1.0)
    return relative * (effective_rows(w) / (relative.sum() or 1.0))


def rows_of_classes(y: Array, w: Array, classes: int) -> Array:
    """`effective_rows` of each class, (classes,)."""
    return np.array([effective_rows(w[y == c]) for c in range(classes)])


def floor_of(y: Array, w: Array, classes: int) -> Array:
    """The lowest probability of each class (classes,) that this many rows allow: its proportion in (n + 1) rows.

    A new row may be one without any information. It counts as one row in addition to the n rows,
    and is of each class with the probability that the class has among these. So no probability is 0
    or 1.
    """
    share = np.bincount(y, w, classes) / w.sum()
    return share / (effective_rows(w) + 1)


@savable(intercepts="L", floor="L")
@dataclass(frozen=True)
class Multinomial:
    """Probabilities proportional to exp(intercept of the class + slope x score of the class), above a floor.

    Attributes
    ----------
    slope : float
        0 if the scores are not informative.
    intercepts : array (classes,)
        They sum to 0.
    floor : array (classes,)
        See `floor_of`.
    """

    slope: float
    intercepts: Array
    floor: Array
    name: ClassVar[str] = "multinomial"

    def of(self, scores: Array) -> Array:
        from scipy.special import softmax

        return above(self.floor, softmax(self.intercepts + self.slope * scores, axis=1))


def above(floor: Array, p: Array) -> Array:
    """Probabilities (r, classes) moved above a floor (classes,), in proportion."""
    return floor + (1 - floor.sum()) * p


def fit_multinomial(scores: Array, y: Array, w: Array) -> Multinomial:
    """Multinomial probabilities by shrunken maximum likelihood, with a slope >= 0.

    The likelihood is that of Platt (1999), for any number of classes: a row of a class of n rows
    counts as (n + 1)/(n + L) rows of this class and 1/(n + L) rows of each of the L - 1 others. The
    slope that maximises it is too steep on average; it is multiplied by 1 - 1/G, or 0 if G < 1,
    where G is the likelihood ratio statistic of the slope (van Houwelingen and le Cessie 1990), and
    the intercepts are fitted again.

    Parameters
    ----------
    scores : array (n, L)
    y : int array (n,)
    w : array (n,)
        Relative weights: only their ratios matter. If a number of rows is needed, it is
        `effective_rows`.
    """
    n, L = scores.shape
    w = w / w.max()
    count = rows_of_classes(y, w, L)
    target = np.repeat((1 / (count + L))[y][:, None], L, axis=1)
    target[np.arange(n), y] = ((count + 1) / (count + L))[y]
    z = scores - scores.mean(axis=1, keepdims=True)
    spread = float(np.abs(z).mean()) or 1.0
    z = z / spread
    share = w @ target / w.sum()
    flat, alone = float(-(share * np.log(share)).sum()), np.log(share)
    slope, _, least = _likeliest(z, target, w, np.concatenate([[1.0], alone]), (0.0, None))
    ratio = 2 * effective_rows(w) * (flat - least)
    slope *= max(0.0, 1 - 1 / ratio) if ratio > 0 else 0.0
    _, intercepts, _ = _likeliest(z, target, w, np.concatenate([[slope], alone]), (slope, slope))
    return Multinomial(slope / spread, intercepts - intercepts.mean(), floor_of(y, w, L))


def _likeliest(
    z: Array, target: Array, w: Array, start: Array, of_slope: tuple[float, float | None]
) -> tuple[float, Array, float]:
    """The slope, between two bounds, and the intercepts (L,) of the lowest mean loss, and this loss."""
    from scipy.optimize import minimize
    from scipy.special import softmax

    def loss(parameters: Array) -> tuple[float, Array]:
        slope, intercepts = parameters[0], parameters[1:]
        p = softmax(intercepts + slope * z, axis=1)
        excess = w[:, None] * (p - target)
        value = -float((w[:, None] * target * np.log(np.maximum(p, TINY))).sum()) / w.sum()
        return value, np.concatenate([[(excess * z).sum()], excess.sum(axis=0)]) / w.sum()

    bounds = [of_slope] + [(None, None)] * z.shape[1]
    found = minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-9},
    )
    return float(found.x[0]), found.x[1:], float(found.fun)


@savable(floor="L")
@dataclass(frozen=True)
class Isotonic:
    """Probabilities as steps of how far a class's score lies above the best of the others, one
    increasing curve a class.

    For two classes the second has a curve and the first the rest; for more the curves are divided
    by their sum (Zadrozny and Elkan 2002).

    Attributes
    ----------
    x, p : tuples of arrays
        Corners of each curve; between them it is linear, beyond them flat.
    floor : array (classes,)
        See `floor_of`.
    """

    x: tuple[Array, ...]
    p: tuple[Array, ...]
    floor: Array
    name: ClassVar[str] = "isotonic"

    def of(self, scores: Array) -> Array:
        lead = -nonconformity(scores)
        if len(self.x) == 1:
            second = np.interp(lead[:, 1], self.x[0], self.p[0])
            return above(self.floor, np.column_stack([1 - second, second]))
        curves = zip(lead.T, self.x, self.p, strict=True)
        out = np.column_stack([np.interp(*curve) for curve in curves])
        return above(self.floor, out / out.sum(axis=1, keepdims=True))


def fit_isotonic(scores: Array, y: Array, w: Array) -> Isotonic:
    """Isotonic probabilities with shrunken steps, see `shrunken_steps`; parameters as in `fit_multinomial`."""
    lead, L = -nonconformity(scores), scores.shape[1]
    curves = [shrunken_steps(lead[:, c], y == c, w) for c in ([1] if L == 2 else range(L))]
    return Isotonic(tuple(x for x, _ in curves), tuple(p for _, p in curves), floor_of(y, w, L))


def shrunken_steps(x: Array, positive: Array, w: Array) -> tuple[Array, Array]:
    """Corners (k,) and values (k,) of an increasing step function of x: the proportion of positive
    rows, shrunken step by step.

    Isotonic regression by least squares gives steps of 0 and 1 at its ends, even for few rows. Here
    each step counts one row more, with the proportion of all rows, and neighbouring steps that then
    decrease are joined.

    Parameters
    ----------
    x : array (n,)
    positive : bool array (n,)
    w : array (n,)
        Relative weights, worth `effective_rows` of them.

    Examples
    --------
    >>> x, p = shrunken_steps(np.arange(6.0), np.array([0, 0, 0, 1, 1, 1]) == 1, np.ones(6))
    >>> x.tolist(), p.tolist()
    ([0.0, 2.0, 3.0, 5.0], [0.125, 0.125, 0.875, 0.875])
    """
    values, place = np.unique(x[w > 0], return_inverse=True)
    w, positive = worth_rows(w[w > 0]), positive[w > 0]
    total, share = np.bincount(place, w), float(w @ positive / w.sum())
    places = range(len(values))
    each = zip(
        total.tolist(), np.bincount(place, w * positive).tolist(), places, places, strict=True
    )
    steps = pool(pool(list(each), 0.0, 0.0), 1.0, share)
    rows, of_class, first, last = (np.array(column) for column in zip(*steps, strict=True))
    p = (of_class + share) / (rows + 1)
    corners = np.column_stack([values[first], values[last]]).ravel()
    distinct = np.column_stack([np.ones(len(steps), bool), first < last]).ravel()
    return corners[distinct], np.repeat(p, 2)[distinct]


Step = tuple[float, float, int, int]  # weight, weight of positive rows, first and last place


def pool(steps: list[Step], rows: float, share: float) -> list[Step]:
    """Neighbouring steps joined until their proportions increase, with this many more rows of a
    given proportion in each.
    """
    out: list[Step] = []
    for step in steps:
        out.append(step)
        while len(out) > 1 and (out[-2][1] + rows * share) * (out[-1][0] + rows) >= (
            out[-1][1] + rows * share
        ) * (out[-2][0] + rows):
            (m, k, first, _), (further, more, _, last) = out[-2:]
            out[-2:] = [(m + further, k + more, first, last)]
    return out


# conversions of scores (r, classes) to probabilities that sum to 1
Chances = Multinomial | Isotonic
LEARN: Mapping[str, Callable[[Array, Array, Array], Chances]] = {
    "multinomial": fit_multinomial,
    "isotonic": fit_isotonic,
}


def fit_selected(scores: Array, y: Array, w: Array, part: Array) -> Chances:
    """Isotonic probabilities if they predict held-out rows better by more than one standard error,
    otherwise multinomial ones.

    The mean log loss of each row is by probabilities learned without its part of the rows;
    parameters as in `fit_multinomial`.

    Parameters
    ----------
    part : int array (n,)
        Number of the part of each row. With a single part, nothing is compared.
    """
    gain, parts = np.zeros(len(y)), int(part.max()) + 1
    for out in (part == k for k in range(parts) if parts > 1):
        for sign, learn in ((1, fit_multinomial), (-1, fit_isotonic)):
            p = learn(scores[~out], y[~out], w[~out]).of(scores[out])
            # a class may lack rows outside a part
            gain[out] += sign * log_loss(np.maximum(p, TINY), y[out])
    mean, se = mean_over_rows(gain, w)
    return fit_isotonic(scores, y, w) if mean > se else fit_multinomial(scores, y, w)


def under_prior(p: Array, share: Array, prior: Array) -> Array:
    """Chances (r, classes) under another prevalence of the classes, by Bayes' theorem (Saerens,
    Latinne and Decaestecker 2002, eq. 4).

    Parameters
    ----------
    p : array (r, classes)
        Probabilities of each row; those of a row with NaN stay NaN.
    share : array (classes,)
        Proportions of the classes among the rows of the calibration.
    prior : array (classes,)
        Proportions of the classes among the new rows. If they exclude every possible class of a
        row, its probabilities are these.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([[0.5, 0.5], [0.0, 1.0], [np.nan, np.nan]])
    >>> under_prior(p, share=np.array([0.5, 0.5]), prior=np.array([0.9, 0.1]))
    array([[0.9, 0.1],
           [0. , 1. ],
           [nan, nan]])
    """
    odds = p * (prior / share)
    total = odds.sum(axis=1, keepdims=True)
    return np.where(total == 0, prior, odds / np.where(total == 0, 1.0, total))


def nonconformity(scores: Array) -> Array:
    """The best score of the other classes minus the score of each class, (r, classes).

    For distances this is the logarithm of the distance to the class over the distance to the
    nearest other one.
    """
    return -lowest_of_others(-scores) - scores


@savable(strangeness="n", y="n", w="n", fold="n")
@dataclass(frozen=True)
class Conformal:
    """Calibration rows against which new ones are ranked, class by class (Mondrian).

    With one fold this is split conformal prediction; with several, cross-conformal prediction (Vovk
    2015), where each row was scored by the rule that was fitted without its fold.

    Attributes
    ----------
    strangeness : array (n,)
        Nonconformity of each calibration row to its own class.
    y : int array (n,)
        Class codes.
    w : array (n,)
        Relative weights. Those of a class are worth `effective_rows` of them, to which the new row
        is added as one.
    fold : int array (n,)
        Number of the rule that scored the row.
    classes : int
    """

    strangeness: Array
    y: Array
    w: Array
    fold: Array
    classes: int

    __repr__ = short

    def p_values(self, new: Array) -> Array:
        """Proportion of the calibration rows of each class that conform no better than a new row would, (r, classes).

        The new row itself is counted among them.

        Parameters
        ----------
        new : array (folds, r, classes)
            Nonconformity of the new rows to each class by the rule of each fold.
        """
        at_least, w = np.zeros(new.shape[1:]), np.zeros(len(self.w))
        for c in range(self.classes):
            w[self.y == c] = worth_rows(self.w[self.y == c])
        for f, values in enumerate(new):
            for c in range(self.classes):
                rows = np.flatnonzero((self.fold == f) & (self.y == c))
                rows = rows[np.argsort(self.strangeness[rows])]
                above = np.concatenate([np.cumsum(w[rows][::-1])[::-1], [0.0]])
                at_least[:, c] += above[
                    np.searchsorted(self.strangeness[rows], values[:, c], side="left")
                ]
        return (at_least + 1) / (rows_of_classes(self.y, self.w, self.classes) + 1)
