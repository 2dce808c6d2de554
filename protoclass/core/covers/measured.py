"""The greedy algorithm where memory does not take the balls: rows are measured when they are covered, and only then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import Coding
from .problems import CoverProblems

Array = NDArray[Any]


@dataclass(frozen=True)
class Steps:
    """Steps of the greedy algorithm on one class at one radius, fold by fold.

    Attributes
    ----------
    order : int array
        Candidates in the order chosen.
    gains : array
        Their gains when they were chosen.
    bounds : int array (folds + 1,)
        Where the steps of each fold begin, and their number.
    """

    order: Array
    gains: Array
    bounds: Array

    def of(self, f: int) -> tuple[Array, Array]:
        """The candidates and gains of one fold."""
        part = slice(self.bounds[f], self.bounds[f + 1])
        return self.order[part], self.gains[part]


def measured_steps(problems: CoverProblems, c: int, k: int, cost: float) -> Steps:
    """Greedy on one class at one radius for each fold, with gains alone in memory.

    The rows that a prototype is the first to cover are compared with all candidates that may still gain, so that each row
    is read once for a fold and radius, and each prototype once.
    """
    coding = problems.read.coding
    radius = Coding(coding.radii[k : k + 1], coding.fine)
    runs = [_run(problems, f, c, k, radius, cost) for f in range(len(problems.gain))]
    order, gains = (np.concatenate([run[i] for run in runs]) for i in range(2))
    return Steps(order, gains, np.concatenate([[0], np.cumsum([len(at) for at, _ in runs])]))


def _run(problems: CoverProblems, f: int, c: int, k: int, radius: Coding, cost: float) -> tuple[Array, Array]:
    one, read = problems.classes[c], problems.read
    rows = one.rows[problems.fold[one.rows] != f]  # not yet covered
    gain, best = problems.gain[f, k, one.candidates], problems.best[f, k, one.candidates]
    alive = np.flatnonzero((best == c) & (gain > cost))
    candidates, gain = one.candidates[alive], gain[alive]
    order, gains = [], []
    while len(candidates):
        first = int(gain.argmax())  # of equal ones the first candidate, as they ascend
        order.append(candidates[first])
        gains.append(gain[first])
        ((_, inside),) = read.inside(rows, candidates[first : first + 1], radius)
        new, rows = rows[inside[0]], rows[~inside[0]]
        for some, covered in read.inside(new, candidates, radius):
            gain[some] -= np.where(covered, problems.w[new], 0.0).sum(axis=1)
        gain[first] = -np.inf
        alive = np.flatnonzero(gain > cost)
        candidates, gain = candidates[alive], gain[alive]
    return np.array(order, np.int64), np.array(gains, float)
