"""Cuts on the chance of one class: what each does to rows of known classes, and which is best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ROUNDING = 1e-12  # sums of the same weights in another order differ by less, as a share of all


@dataclass(frozen=True)
class Cuts:
    """What each cut does to rows, from that which no chance reaches to that which all do.

    Attributes
    ----------
    cut : array (G,)
        Descending: inf, the midpoints between neighbouring chances, 0. The class is predicted where its chance is at least this.
    loss : array (G,)
        Weighted mean loss.
    sensitivity, specificity : arrays (G,)
        Share of the rows of the class predicted as it, and of the others not so; NaN where there are none.
    """

    cut: Array
    loss: Array
    sensitivity: Array
    specificity: Array


def all_cuts(chance: Array, above: Array, below: Array, positive: Array, weight: Array, loss_weight: Array) -> Cuts:
    """Every cut that divides the rows in another way.

    Parameters
    ----------
    chance : array (n,)
        Of the class.
    above, below : arrays (n,)
        Loss of each row where the class is predicted, and where it is not.
    positive : bool array (n,)
        Whether the row is of the class.
    weight, loss_weight : arrays (n,)
        Weights of the rows in the shares, and in the mean loss.

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

    def summed(v: Array) -> Array:
        return np.concatenate([[0.0], np.cumsum(np.bincount(place, v, len(values)))])

    def share(rows: Array) -> Array:
        total = float(weight[rows].sum())
        return summed(weight * rows) / total if total > 0 else np.full(len(cut), np.nan)

    change = summed(loss_weight * (np.asarray(above, float) - np.asarray(below, float)))
    loss = (float(loss_weight @ below) + change) / loss_weight.sum()
    return Cuts(cut, loss, np.minimum(share(positive), 1.0), 1 - np.minimum(share(~positive), 1.0))


def best_cut(cuts: Cuts, sensitivity: float | None = None, specificity: float | None = None) -> int:
    """The place of the cut of least loss, of those that reach a sensitivity or a specificity; of equal ones the highest."""
    allowed = np.ones(len(cuts.cut), bool)
    for least, reached in ((sensitivity, cuts.sensitivity), (specificity, cuts.specificity)):
        if least is not None:
            allowed &= np.logical_not(reached < least - ROUNDING)
    loss = np.where(allowed, cuts.loss, np.inf)
    least_loss = float(loss.min())
    return int(np.argmax(loss <= least_loss + ROUNDING * max(1.0, least_loss)))


def decide_at(p: Array, code: int, cut: float) -> Array:
    """The class `code` where its chance is at least the cut, elsewhere the likeliest of the others; -1 where chances are NaN (r,)."""
    others = p.copy()
    others[:, code] = -1.0
    lost = np.asarray(np.isnan(p).any(axis=1))
    likeliest = np.where(lost[:, None], 0.0, others).argmax(axis=1)
    return np.where(lost, -1, np.where(p[:, code] >= cut, code, likeliest))
