"""The error of a tuned rule, corrected for the choice of its parameters on the same folds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.choose import OF_HELD_OUT, choose_over_repeats
from .resampling import losses

SAMPLES = 200
LARGEST = 2**22  # fold errors held at once


def corrected_losses(
    predicted: np.ndarray,
    y: np.ndarray,
    loss: np.ndarray,
    of_fold: np.ndarray,
    weights: np.ndarray,
    sizes: np.ndarray,
    units: np.ndarray,
    seed: int,
    samples: int = SAMPLES,
) -> np.ndarray:
    """The loss of each row of choosing a grid point by cross-validation, by the bootstrap of the held-out predictions.

    The least of a curve is too small an estimate of its own error. So rows are drawn with replacement, the grid point is chosen
    anew from the held-out losses of the rows drawn, by the same rule, and its losses on the rows that were not drawn are
    averaged. Nothing is fitted again.

    Parameters
    ----------
    predicted : int array (R, n, G)
        Held-out class codes of each repeat.
    y : int array (n,)
    loss : array (classes, classes)
    of_fold : int array (R, n)
    weights : array (n,)
        Of the rows in the mean loss.
    sizes : array (R x F, G)
    units : int array (n,)
        What is drawn: rows, or the groups that they belong to.
    seed, samples : int

    Returns
    -------
    array (n, 3)
        The corrected loss of each row by each rule of `core.choose.OF_HELD_OUT`, averaged over the samples that left the row out; NaN
        where none did, and for rows without weight. The mean over the rows is the corrected loss.

    References
    ----------
    Tsamardinos, Greasidou and Borboudakis (2018), *Bootstrapping the out-of-sample predictions for efficient and accurate
    cross-validation*, Machine Learning 107. The correction of Tibshirani and Tibshirani (2009), *A bias correction for the
    minimum error rate in cross-validation*, has the mean over folds of each fold's error less its own least one, and is too
    large where folds are small; `benchmarks/tuned_error.py` measures both.
    """
    row, out, lost = np.arange(len(y)), np.zeros(len(y)), np.zeros((len(y), len(OF_HELD_OUT)))
    for counts, errors, totals in _resampled(predicted, y, loss, of_fold, weights, units, seed, samples):
        if not totals[0].any():  # only rows without weight were drawn, and no point is better than another
            continue
        choice = choose_over_repeats(errors, totals, sizes)
        left, points = row[counts == 0], [choice.points[rule] for rule in OF_HELD_OUT]
        lost[left] += losses(predicted[:, left][:, :, points], y[left], loss).mean(axis=0)
        out[left] += 1
    known = (out > 0) & (weights > 0)
    return np.where(known[:, None], lost / np.maximum(out, 1)[:, None], np.nan)


def _resampled(
    predicted: np.ndarray, y: np.ndarray, loss: np.ndarray, of_fold: np.ndarray, weights: np.ndarray, units: np.ndarray, seed: int,
    samples: int,
) -> Iterator[tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]]:  # fmt: skip
    """For each sample how often it has each row (n,), and for every repeat its fold errors (F, G) and fold weights (F,)."""
    draw, count = np.random.default_rng([seed, samples]), int(units.max()) + 1
    F, G = int(of_fold.max()) + 1, predicted.shape[2]
    step = max(1, LARGEST // (F * G * len(of_fold)))
    for begin in range(0, samples, step):
        size = min(step, samples - begin)
        counts = np.stack([np.bincount(draw.integers(0, count, count), minlength=count)[units] for _ in range(size)])
        errors, totals = np.zeros((len(of_fold), size, F, G)), np.zeros((len(of_fold), size, F))
        for r, fold in enumerate(of_fold):
            for f in range(F):
                rows = np.flatnonzero(fold == f)
                share = counts[:, rows] * weights[rows]
                totals[r, :, f] = share.sum(axis=1)
                sums = share @ losses(predicted[r : r + 1, rows], y[rows], loss)[0]
                errors[r, :, f] = sums / np.maximum(totals[r, :, f], 1e-300)[:, None]
        for b in range(size):
            yield counts[b], list(errors[:, b]), list(totals[:, b])
