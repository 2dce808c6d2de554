"""The greedy algorithm on small problems, by NumPy: each step is taken for all folds and radii of a class at once.

All gains are kept and lowered when rows are covered. This takes more operations than the lazy algorithm of `greedy`, whose
kernel takes longer to compile than small problems take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .measured import Steps
from .problems import CoverProblems

Array = NDArray[Any]


def steps_together(problems: CoverProblems, c: int, cost: float) -> list[Steps]:
    """Greedy on one class at each radius for each fold, where a prototype costs `cost` >= 0 units.

    A matrix product adds weights in any order, and their sums are exact as weights are whole numbers.
    """
    one, (F, K, _) = problems.classes[c], problems.gain.shape
    radius = np.arange(K)  # where some fold goes on
    inside = (problems.read.codes(one) <= radius[:, None, None]).astype(float)  # (radii, a, b)
    pays = (problems.best[:, :, one.candidates] == c) & (problems.gain[:, :, one.candidates] > cost)
    gain = np.where(pays, problems.gain[:, :, one.candidates], -np.inf).transpose(1, 0, 2).copy()  # (radii, F, a)
    live = problems.fold[one.rows] != np.arange(F)[:, None]
    left = np.tile(np.where(live, problems.w[one.rows], 0.0), (K, 1, 1))  # (radii, F, b): weights of rows not yet covered
    taken: list[tuple[Array, ...]] = []
    most = gain.max(axis=2, initial=-np.inf)
    while (most > cost).any():
        goes_on = (most > cost).any(axis=1)
        if not goes_on.all():
            radius, inside, gain, left, most = (x[goes_on] for x in (radius, inside, gain, left, most))
        first = gain.argmax(axis=2)  # of equal ones the first candidate, as they ascend
        k, f = np.nonzero(most > cost)
        taken.append((radius[k] * F + f, one.candidates[first[k, f]], most[k, f]))
        # folds without a further step need no mask: gains never rise, and a chosen candidate has none left
        new = left * inside[np.arange(len(radius))[:, None], first]
        left -= new
        gain -= new @ inside.transpose(0, 2, 1)
        most = gain.max(axis=2)
    return _by_radius(taken, F, K)


def _by_radius(taken: list[tuple[Array, ...]], folds: int, radii: int) -> list[Steps]:
    """The steps of each radius, fold by fold; `taken` has the (radius, fold) of each, the candidate and its gain."""
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    run, order, gains = (np.concatenate(parts) for parts in zip(nothing, *taken, strict=True))
    at = np.argsort(run, kind="stable")
    bounds = np.searchsorted(run[at], np.arange(radii * folds + 1))
    out = []
    for k in range(radii):
        of_radius = bounds[k * folds : (k + 1) * folds + 1]
        some = at[of_radius[0] : of_radius[-1]]
        out.append(Steps(order[some], gains[some], of_radius - of_radius[0]))
    return out
