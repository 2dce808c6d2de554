"""Which candidates a linear program of some of them lacks, and bounds over all of them: one pass over the dissimilarities.

The relaxation of one class (see `program`) has the dual

    maximise  sum_i y_i    subject to  S_j = sum of y_i over the rows of the class in ball j <= C_j,    0 <= y_i <= prize_i

with one price y_i for each row and one constraint for each candidate. The prices of a program that has some of the candidates
may break the constraints of others. These are the ones that it lacks: where none is broken, its optimum is that of the
program of all candidates.

**Bounds.** Any prices with 0 <= y_i <= prize_i bound every cover by any of the candidates from below, in two ways:

* by sum_i y_i + sum_j min(0, C_j - S_j), as in `Program.bound`. So a cover that has candidate j is at least that plus
  max(0, C_j - S_j);
* by sum_i f_i y_i, where f_i is the least of 1 and C_j / S_j over the balls j that hold row i. Proof: in a ball with S_j > C_j
  no f_i exceeds C_j / S_j, so that the sum of its f_i y_i is at most (C_j / S_j) S_j = C_j; in one with S_j <= C_j it is at most
  S_j. The prices f_i y_i therefore meet all constraints, and sum_i f_i y_i <= sum_j C_j x_j + sum_i prize_i xi_i for
  whatever meets those of the relaxation.

**One pass.** All rows of the class beside some candidates are read together. So S_j is complete when the rows in ball j get
their factors, and nothing is read twice or kept.

**What is read.** S_j is at most the weight of the class in ball j. A candidate whose ball has no more weight of the class than it
costs (its gain is at most lambda) therefore breaks no constraint at any prices, and is not read. Nor are rows of
other classes, whose weight C_j has from the first count. With L classes of one size a pass reads one pair in L.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each, kernel
from .reading import Part, Reading, Sets

Array = NDArray[Any]
NONE = -1


@dataclass(frozen=True)
class Priced:
    """One class's candidates at given prices of its rows.

    Attributes
    ----------
    prices : array (b,)
        y.
    reduced : array (a,)
        C_j - S_j: negative where the constraint of a candidate is broken.
    factor : array (b,)
        The least of 1 and C_j / S_j over the balls that hold each row.
    worst : int array (b,)
        The candidate that has this, the first of several; -1 where no broken constraint has the row.
    """

    prices: Array
    reduced: Array
    factor: Array
    worst: Array

    @property
    def base(self) -> float:
        """A lower bound on any cover, to which the reduced cost of a candidate may be added where the cover has it."""
        return float(self.prices.sum() + np.minimum(self.reduced, 0.0).sum())

    @property
    def bound(self) -> float:
        """The larger of the two lower bounds on any cover by any of the candidates."""
        return max(self.base, float((self.prices * self.factor).sum()))


def price(
    read: Reading, sets: tuple[Sets, ...], k: int, prices: list[Array], costs: list[Array], end: float = np.inf
) -> list[Priced] | None:
    """All candidates of all classes at given prices of the rows, in one pass.

    Parameters
    ----------
    read : Reading
    sets : tuple of Sets, one for each class
    k : int
        Which of the radii of `read`.
    prices : list of arrays (b,)
        Of the rows of each class.
    costs : list of arrays (a,)
        C_j of the candidates of each class.
    end : float
        When the pass is given up, on the clock of `time.monotonic`.

    Returns
    -------
    list of Priced, one for each class, or None if it was given up
    """
    sums = [np.zeros(len(cost)) for cost in costs]
    factor, worst = [np.ones(len(y)) for y in prices], [np.full(len(y), NONE) for y in prices]

    def of_strip(item: tuple[int, list[Part]]) -> tuple[int, list[tuple[Array, Array, Array]]]:
        c, parts = item
        lines = parts[0].lines
        codes = [read.codes_of(sets[c], part) for part in parts]
        total = np.zeros(len(lines))
        for part, one in zip(parts, codes, strict=True):
            _add_prices(one, k, prices[c][part.places], total)
        sums[c][lines] = total
        broken = np.flatnonzero(total > costs[c][lines])
        share = costs[c][lines[broken]] / total[broken]
        return c, [
            (part.places, *_least(one[broken], k, share, lines[broken])) for part, one in zip(parts, codes, strict=True)
        ]

    entries = sum(len(one.candidates) * len(one.rows) for one in sets)
    for c, found in each(of_strip, read.strips(sets), entries):
        for places, least, line in found:
            lower = (least < factor[c][places]) | (
                (least == factor[c][places]) & (line < worst[c][places]) & (line >= 0)
            )
            factor[c][places[lower]], worst[c][places[lower]] = least[lower], line[lower]
        if time.monotonic() > end:
            return None
    return [
        Priced(y, cost - total, f, w) for y, cost, total, f, w in zip(prices, costs, sums, factor, worst, strict=True)
    ]


def _least(codes: Array, k: int, share: Array, lines: Array) -> tuple[Array, Array]:
    """For each row the least share of the balls that hold it, 1 if there is none, and the ball's line, -1 if none."""
    least, line = np.ones(codes.shape[1]), np.full(codes.shape[1], NONE)
    _lower(codes, k, share, lines, least, line)
    return least, line


@kernel
def _add_prices(codes, k, prices, total):  # type: ignore[no-untyped-def]
    for a in range(codes.shape[0]):
        inside = 0.0
        for i in range(codes.shape[1]):
            if codes[a, i] <= k:
                inside += prices[i]
        total[a] += inside


@kernel
def _lower(codes, k, share, lines, least, line):  # type: ignore[no-untyped-def]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[a, i] <= k and (share[a] < least[i] or (share[a] == least[i] and lines[a] < line[i])):
                least[i], line[i] = share[a], lines[a]
