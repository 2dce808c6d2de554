"""Nearest shrunken centroids (Tibshirani, Hastie, Narasimhan and Chu 2002).

"Diagnosis of multiple cancer types by shrunken centroids of gene expression", PNAS 99, 6567-6572;
*The Elements of Statistical Learning*, section 18.2; the R package pamr. Each class's centroid
moves towards the centroid of all rows, variable by variable, by a number of standard errors; a
variable whose centroids reach it in every class does not distinguish the classes and drops out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...ground.errors import DataError, short
from ...ground.savable import savable
from .. import Array
from ..distances.minkowski import products
from ..task import Points, WithPrototypes

if TYPE_CHECKING:
    from ..query import Query

PATH_STEPS = 30  # thresholds of the default path, as in pamr


@dataclass(frozen=True)
class Shrunken:
    """Shrunken centroids of G classes over a path of L thresholds, in p variables.

    Attributes
    ----------
    overall : array (p,)
        Centroid of all rows.
    centroids : array (G, L, p)
    scale : array (p,)
        s_j + s_0, by which each variable is divided in the discriminant scores; all > 0.
    priors : array (G,)
    thresholds : array (L,)
    survivors : int array (L,)
        Number of variables in which the centroid of some class differs from the centroid of all
        rows.
    """

    overall: Array
    centroids: Array
    scale: Array
    priors: Array
    thresholds: Array
    survivors: Array


@dataclass(frozen=True)
class ShrunkenPath:
    """Path of nearest shrunken centroids over the thresholds.

    Attributes
    ----------
    centroids : Shrunken
    """

    centroids: Shrunken
    bounds: ClassVar[None] = None
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "decision")

    @property
    def prototypes(self) -> Points:
        G, L, p = self.centroids.centroids.shape
        return Points(np.repeat(np.arange(G), L), coords=self.centroids.centroids.reshape(G * L, p))

    @property
    def size(self) -> Array:
        return self.centroids.survivors.astype(float)

    def predict(self, kind: str, query: Query) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            values = query.finite(scores(self.centroids, query.coordinates()))  # (r, G, L)
        if kind == "class":
            return values.argmin(axis=1)
        out = -values / 2 if kind == "decision" else probabilities(values)
        return out.transpose(0, 2, 1)

    def at(self, g: int) -> ShrunkenRule:
        c = self.centroids
        survivors = (c.centroids[:, g] != c.overall).sum(axis=1)
        prototypes = Points(
            np.arange(len(c.priors)), coords=c.centroids[:, g], table={"columns": survivors}
        )
        report = {
            "threshold": float(c.thresholds[g]),
            "columns that tell classes apart": int(c.survivors[g]),
        }
        return ShrunkenRule(prototypes, c.overall, c.scale, c.priors, float(c.survivors[g]), report)

    def moved(self, columns: Array) -> ShrunkenPath:
        return self


@savable(prototypes="L", overall="p", scale="p", priors="L")
@dataclass(frozen=True)
class ShrunkenRule(WithPrototypes):
    """Rule: the class of the best score at one threshold.

    Attributes
    ----------
    prototypes : Points
        Shrunken centroids; `columns` is the number of variables in which each differs from the
        centroid of all rows.
    overall, scale, priors : as in `Shrunken`
    size : float
        Number of variables that distinguish the classes.
    report : mapping of str to value
        Entries for the printed fit and the summary.
    """

    prototypes: Points
    overall: Array
    scale: Array
    priors: Array
    size: float
    report: Mapping[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ShrunkenPath.kinds

    __repr__ = short

    def predict(self, kind: str, query: Query) -> Array:
        coords = self.prototypes.coords
        assert coords is not None
        at_threshold = Shrunken(
            self.overall,
            coords[:, None],
            self.scale,
            self.priors,
            np.zeros(1),
            np.zeros(1, np.int64),
        )
        return ShrunkenPath(at_threshold).predict(kind, query)[:, 0]


def shrunken(
    X: Array, y: Array, w: Array, classes: int, thresholds: Array | None = None
) -> Shrunken:
    """Shrunken centroids for every threshold of a path.

    With xbar_kj the mean of variable j in class k and xbar_j the mean in all rows, n_k and n the
    weights of both,

        d_kj = (xbar_kj - xbar_j) / (m_k (s_j + s_0)),  m_k = sqrt(1 / n_k - 1 / n),
        d'_kj = sign(d_kj) max(|d_kj| - threshold, 0),  xbar'_kj = xbar_j + m_k (s_j + s_0) d'_kj

    (PNAS, equations 1, 5 and 4), s_j^2 = sum_k sum_{i in k} w_i (x_ij - xbar_kj)^2 / (n - G) the
    pooled variance within classes (equation 2), and s_0 the median of the s_j. The paper prints m_k
    with a plus; the minus, of pamr and the book, makes m_k s_j the standard error of the numerator.

    Parameters
    ----------
    X : array (n, p)
        Finite.
    y : int array (n,)
        Class codes, 0 to `classes` - 1.
    w : array (n,)
        Weights >= 0, as counts: a row of weight 2 is worth two rows, and n is the sum of the
        weights. Each class has some.
    classes : int
    thresholds : array (L,), optional
        Each >= 0. By default 30, evenly from 0 to the largest |d_kj|, the lowest threshold at which
        all centroids coincide.

    Returns
    -------
    Shrunken

    Raises
    ------
    DataError
        If the weights do not exceed the number of classes, so that the variance within classes is
        undefined.

    Notes
    -----
    If more than half of the variables are constant within every class, the median of the s_j is 0,
    which would lead to a division by 0. Then s_0 is the median of those s_j that are not 0; if all
    s_j are 0, the median of the standard deviations from `overall`; and if all rows are the same,
    1. So all d_kj are finite: large for a variable that separates the classes perfectly, and 0 for
    one that is constant.

    scikit-learn's `NearestCentroid(shrink_threshold=...)` has the same centroids. But it classifies
    by other distances: by plain Euclidean ones for equal priors, and otherwise by those divided by
    s_j instead of s_j + s_0.

    Examples
    --------
    >>> X = np.array([[0.0, 5.0], [1.0, 6.0], [4.0, 6.0], [5.0, 5.0]])
    >>> fit = shrunken(X, np.array([0, 0, 1, 1]), np.ones(4), 2, np.array([0.0, 1.0]))
    >>> fit.centroids[:, :, 0].round(3).tolist(), fit.survivors.tolist()
    ([[0.5, 1.207], [4.5, 3.793]], [1, 1])
    """
    live = w > 0
    X, y, w = X[live].astype(float), y[live], w[live]
    class_weights = np.bincount(y, w, classes)
    total = class_weights.sum()
    if total <= classes:
        raise DataError(
            f"weights must sum to more than the number of classes, {classes}, because they count "
            f"rows, but they sum to {total:g}: multiply all by the same number"
        )
    overall, means = _mean(X, w), np.stack([_mean(X[y == k], w[y == k]) for k in range(classes)])
    scale = _scale(X - means[y], X - overall, w, classes)
    error = np.sqrt(1 / class_weights - 1 / total)[:, None] * scale  # m_k (s_j + s_0)
    # with a single class m_k is 0, and so is d
    d = np.abs(np.divide(means - overall, error, out=np.zeros_like(means), where=error > 0))
    path = np.linspace(0, d.max(initial=0), PATH_STEPS) if thresholds is None else thresholds
    remaining = d[:, None] - path[:, None]
    # `share` is the proportion of the way from the overall mean to that of the class
    share = np.divide(remaining, d[:, None], out=np.zeros_like(remaining), where=remaining > 0)
    centroids = np.where(share == 1, means[:, None], overall + share * (means - overall)[:, None])
    return Shrunken(
        overall,
        centroids,
        scale,
        class_weights / total,
        path,
        (remaining > 0).any(axis=0).sum(axis=1),
    )


def scores(fit: Shrunken, X: Array) -> Array:
    """Discriminant scores of rows; the smaller the score, the better a class fits (PNAS, equation 6).

    sum_j (x_j - xbar'_kj)^2 / (s_j + s_0)^2 - 2 log prior_k, minus the part that is the same for
    all classes, sum_j (x_j - xbar_j)^2 / (s_j + s_0)^2. So a variable that does not survive adds
    exactly 0, and if none survives the priors decide.

    Parameters
    ----------
    fit : Shrunken
    X : array (r, p)

    Returns
    -------
    array (r, G, L)
        Scores; those of a row do not depend on the other rows, bit by bit. The first class breaks
        ties.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> fit = shrunken(X, np.array([0, 0, 1, 1]), np.ones(4), 2, np.array([0.0, 9.0]))
    >>> scores(fit, np.array([[1.0]])).argmin(axis=1).tolist()
    [[0, 0]]
    """
    G, L, p = fit.centroids.shape
    moved = ((fit.centroids - fit.overall) / fit.scale).reshape(G * L, p)
    z = (X.astype(float) - fit.overall) / fit.scale
    squared = products(z, -2 * moved) + (moved**2).sum(axis=1)
    return squared.reshape(len(z), G, L) - 2 * np.log(fit.priors)[:, None]


def probabilities(values: Array) -> Array:
    """Probabilities of the classes, exp(-score / 2) divided by its sum over them (PNAS, equation 8).

    Parameters
    ----------
    values : array (r, G, ...)
        Result of `scores`; a part that is the same for all classes does not matter.

    Returns
    -------
    array (r, G, ...)

    Examples
    --------
    >>> probabilities(np.array([[0.0, 2 * np.log(3)], [5.0, 5.0]])).round(3).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    likely = np.exp((values.min(axis=1, keepdims=True) - values) / 2)
    return likely / likely.sum(axis=1, keepdims=True)


def _mean(X: Array, w: Array) -> Array:
    # differences from the first row, so that the mean of a constant column is exact
    return X[0] + _weighted_sum(w, X - X[0]) / w.sum()


def _scale(within: Array, overall: Array, w: Array, classes: int) -> Array:
    """s_j + s_0 (p,), from the differences of the rows to the centroids of their classes and to the
    centroid of all rows, both (n, p).
    """
    s = _root(within, w, w.sum() - classes)
    offset = np.median(s) if len(s) else 0.0
    for spread in (s, _root(overall, w, w.sum()), np.ones(1)):
        if offset == 0 and spread.any():
            offset = np.median(spread[spread > 0])
    return s + offset


def _root(gaps: Array, w: Array, count: float) -> Array:
    """sqrt(sum_i w_i gaps_ij^2 / count), computed relative to the largest value of each column:
    squares of 1e200 would overflow.
    """
    most = np.abs(gaps).max(axis=0)
    share = gaps / np.where(most > 0, most, 1)
    return most * np.sqrt(_weighted_sum(w, share**2) / count)


def _weighted_sum(w: Array, values: Array) -> Array:
    # row by row, because a matrix product adds them in an order that depends on the build of BLAS
    return (w[:, None] * values).sum(axis=0)
