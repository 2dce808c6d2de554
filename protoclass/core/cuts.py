"""Cuts on the chance of one class: what each does to rows of known classes, and which is best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
ROUNDING = 1e-12  # sums of the same weights in another order differ by less, as a share of all
BINS = 1000  # cuts that a bootstrap sample tries at most, at equal steps of the ranks


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


def variance_of_choice(
    cells: tuple[Array, Array], change: Array, positive: Array, w: Array, weigh: Callable[[Array], Array], unit: Array,
    limits: tuple[float | None, float | None], draws: int, random: np.random.Generator,
) -> tuple[float, float]:  # fmt: skip
    """How far sensitivity and specificity by cross-validated cuts are from those of the cut that all rows choose.

    Rows are drawn with replacement. On each sample the cut is chosen from all rows and without each fold; the shares found
    with the latter, less those that the former has among the rows as they are, vary as the estimates do about the truth. An
    interval that takes the cut as given allows for the rows that judge it, but not for those that chose it.

    Parameters
    ----------
    cells : int arrays (n,)
        The fold of each row, and the rank of its chance, descending from 0.
    change : array (n,)
        Loss of each row if the class is predicted, less its loss if it is not.
    positive : bool array (n,)
        Whether the row is of the class.
    w : array (n,)
    weigh : function of weights (n,) of the rows to their weights (n,) in the mean loss
    unit : int array (n,)
        What is drawn: rows, or the groups that they belong to.
    limits : sensitivity and specificity that a cut must reach
    draws : int
    random : Generator

    Returns
    -------
    sensitivity, specificity : float
        Variances.
    """
    fold, place = cells
    G, F, count = int(place.max()) + 1, int(fold.max()) + 1, int(unit.max()) + 1
    if G > BINS:
        place, G = place * BINS // G, BINS
    cell, differences = fold * G + place, []

    def summed(values: Array) -> Array:
        return np.bincount(cell, values, F * G).reshape(F, G)

    whole = [summed(w * rows).sum(axis=0) for rows in (positive, ~positive)]
    for _ in range(draws):
        v = w * np.bincount(random.integers(0, count, count), minlength=count)[unit]
        if not ((v > 0) & positive).any() or not ((v > 0) & ~positive).any():
            continue
        parts = [summed(v * positive), summed(v * ~positive), summed(weigh(v) * change)]
        of_all = _chosen_place([part.sum(axis=0) for part in parts], limits)
        without = _chosen_place([part.sum(axis=0) - part for part in parts], limits)
        found = [float(_through(part)[np.arange(F), without].sum() / part.sum()) for part in parts[:2]]
        true = [float(_through(part)[of_all] / part.sum()) for part in whole]
        differences.append([found[0] - true[0], true[1] - found[1]])
    sensitivity, specificity = np.var(differences, axis=0) if differences else (0.0, 0.0)
    return float(sensitivity), float(specificity)


def _through(parts: Array) -> Array:
    """Sums of the first 0, 1, ..., G parts along the last axis, (..., G + 1)."""
    return np.concatenate([np.zeros((*parts.shape[:-1], 1)), np.cumsum(parts, axis=-1)], axis=-1)


def _chosen_place(parts: list[Array], limits: tuple[float | None, float | None]) -> Array:
    """How many ranks are above the cut of least loss: as `best_cut`, midway between ranks that have rows.

    The parts (..., G) are the weights of the class and of the others, and the change of the loss, by rank.
    """
    own, other, change = parts
    G = own.shape[-1]
    reached = (_through(own), _through(other[..., ::-1])[..., ::-1])
    allowed = np.ones(reached[0].shape, bool)
    for least, share in zip(limits, reached, strict=True):
        if least is not None:
            total = np.maximum(share.max(axis=-1, keepdims=True), 1e-300)
            allowed &= share / total >= least - ROUNDING
    loss = np.where(allowed, _through(change), np.inf)
    rounding = ROUNDING * np.maximum(1e-300, np.abs(change).sum(axis=-1, keepdims=True))
    at = np.argmax(loss <= loss.min(axis=-1, keepdims=True) + rounding, axis=-1)
    rank = np.where((own > ROUNDING) | (other > ROUNDING), np.arange(G), G)
    following = np.minimum.accumulate(rank[..., ::-1], axis=-1)[..., ::-1]
    following = np.concatenate([following, np.full((*at.shape, 1), G)], axis=-1)
    following = np.take_along_axis(following, at[..., None], axis=-1)[..., 0]
    return np.asarray(np.where(at == 0, 0, np.where(following == G, G, (at + following + 1) // 2)))
