"""How good chances of classes are, and values of rules that have none: Brier score, log loss, the shares that come true, margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .intervals import Estimate, share_of_rows

Array = NDArray[Any]
LARGEST = float(np.finfo(float).max) / 4  # differences of two such values are finite


def brier(p: Array, y: Array) -> Array:
    """Brier score of each row (n,): the squared distance of its chances (n, L) from certainty of the true class.

    It is the sum over the classes (Brier 1950), from 0 to 2; for two classes half of it, from 0 to 1, which is the squared
    difference for one class and the usual form there.

    Examples
    --------
    >>> brier(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([0, 0])).round(2).tolist()
    [0.04, 0.49]
    """
    squares = (p - np.eye(p.shape[1])[y]) ** 2
    return np.asarray(squares.sum(axis=1) / (2 if p.shape[1] == 2 else 1))


def log_loss(p: Array, y: Array) -> Array:
    """Minus the natural logarithm of the chance (n,) of the true class: inf where it is 0.

    Examples
    --------
    >>> log_loss(np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([0, 0])).round(4).tolist()
    [0.6931, inf]
    """
    chance = p[np.arange(len(y)), y]
    out = np.full(len(y), np.inf)
    out[chance > 0] = -np.log(chance[chance > 0])
    return np.asarray(np.maximum(out, 0.0))


@dataclass(frozen=True)
class Bin:
    """Rows with similar chances of a class.

    Attributes
    ----------
    low, high : float
        Ends of the bin; a chance at the end of two bins is in the lower one.
    rows : int
    chance : float
        Weighted mean of the chances.
    share : Estimate
        Of the rows that are of the class, with Wilson's interval.
    """

    low: float
    high: float
    rows: int
    chance: float
    share: Estimate


def reliability(chance: Array, positive: Array, w: Array, bins: int, group: Array | None = None) -> list[Bin]:
    """Bins of equal width with at least one row of positive weight, in ascending order; `group` (n,) if rows come in groups.

    Examples
    --------
    >>> for b in reliability(np.array([0.1, 0.3, 0.9]), np.array([False, True, True]), np.ones(3), 2):
    ...     print(b.low, b.high, b.rows, round(b.chance, 2), b.share.value)
    0.0 0.5 2 0.2 0.5
    0.5 1.0 1 0.9 1.0
    """
    edges = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(edges[1:-1], chance, "left")
    out = []
    for k in range(bins):
        at = (place == k) & (w > 0)
        if not at.any():
            continue
        own = w[at]
        share = share_of_rows(positive[at], own, None if group is None else group[at])
        out.append(Bin(float(edges[k]), float(edges[k + 1]), int(at.sum()), float(own @ chance[at] / own.sum()), share))
    return out


def relative_margins(distances: Array) -> Array:
    """The relative margin (other - own) / (other + own) of each class, from -1 to 1.

    Parameters
    ----------
    distances : array (r, classes)
        Distances >= 0 to the nearest prototype of each class, inf for a class that has none. `own` is that of the class and
        `other` the least of the other classes.

    Returns
    -------
    array (r, classes)
        0 if own and other are equal, also where both are 0 or inf. It is the hyperbolic tangent of half of log(other / own), so
        that it sorts rows as the scores of a calibration do. Sato and Yamada (1996) learn by it.

    Examples
    --------
    >>> relative_margins(np.array([[1.0, 3.0], [2.0, 2.0], [4.0, np.inf]])).tolist()
    [[0.5, -0.5], [0.0, 0.0], [1.0, -1.0]]
    """
    own = np.asarray(distances, float) / 2  # the sum of two halves is finite
    other = np.full_like(own, np.inf)
    for c in range(own.shape[1]):
        other[:, c] = np.delete(own, c, axis=1).min(axis=1, initial=np.inf)
    out = np.where(own == other, 0.0, np.where(np.isinf(other), 1.0, -1.0))
    finite = np.isfinite(own) & np.isfinite(other) & (own != other)
    out[finite] = (other[finite] - own[finite]) / (other[finite] + own[finite])
    return np.asarray(out)


def with_largest(values: Array, predicted: Array) -> Array:
    """Values (r, classes), all finite, in which the predicted class of each row has the first largest one.

    A rule decides ties in its own way: where another class is first among the largest, that of the predicted class becomes the
    next larger number.
    """
    out = np.clip(values, -LARGEST, LARGEST)
    tied = np.flatnonzero(out.argmax(axis=1) != predicted)
    out[tied, predicted[tied]] = np.nextafter(out[tied].max(axis=1), np.inf)
    return np.asarray(out)
