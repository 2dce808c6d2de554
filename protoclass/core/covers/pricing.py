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
from .problems import Columns
from .reading import Part, Reading

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
        The column that has this, the first of several; -1 where no broken constraint has the row.
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

    @property
    def proof(self) -> Array:
        """The prices, as they are or as the factors make them, whose `base` is at least `bound`."""
        return self.prices if self.base >= self.bound else np.asarray(self.prices * self.factor)


def price(
    read: Reading, columns: list[Columns], prices: list[Array], costs: list[Array], end: float = np.inf
) -> list[Priced] | None:
    """All candidates of all classes at given prices of the rows, in one pass.

    Parameters
    ----------
    read : Reading
    columns : list of Columns, one for each class
    prices : list of arrays (b,)
        Of the rows of each class.
    costs : list of arrays (q,)
        C_j of the columns of each class.
    end : float
        When the pass is given up, on the clock of `time.monotonic`.

    Returns
    -------
    list of Priced, one for each class, or None if it was given up
    """
    sums = [np.zeros(len(cost)) for cost in costs]
    factor, worst = [np.ones(len(y)) for y in prices], [np.full(len(y), NONE) for y in prices]
    sets = tuple(one.read for one in columns)

    def of_strip(item: tuple[int, list[Part]]) -> tuple[int, list[tuple[Array, Array, Array]]]:
        c, parts = item
        codes = [read.codes_of(sets[c], part) for part in parts]
        at, line = columns_of(columns[c], parts[0].lines)
        level = columns[c].level[at]
        within = np.zeros((len(parts[0].lines), int(level.max(initial=0)) + 1))  # price of the rows within each radius
        for part, one in zip(parts, codes, strict=True):
            add_prices(one, prices[c][part.places], within)
        total = np.cumsum(within, axis=1)[line, level]
        sums[c][at] = total
        broken = np.flatnonzero(total > costs[c][at])
        share = costs[c][at[broken]] / total[broken]
        lines, least, which = least_beyond(line[broken], level[broken], share, at[broken], within.shape[1])
        return c, [(part.places, *least_share(one[lines], least, which)) for part, one in zip(parts, codes, strict=True)]

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


def columns_of(columns: Columns, lines: Array) -> tuple[Array, Array]:
    """The columns of some candidates, and the place of each one's candidate among these."""
    first, last = (np.searchsorted(columns.line, lines, side=side) for side in ("left", "right"))
    count = last - first
    line = np.repeat(np.arange(len(lines)), count)
    before = np.concatenate([[0], np.cumsum(count)[:-1]]).astype(np.int64) if len(lines) else count
    return np.repeat(first - before, count) + np.arange(len(line)), line


def least_beyond(
    line: Array, level: Array, share: Array, column: Array, levels: int
) -> tuple[Array, Array, Array]:
    """The lines that have a column, and for each of them and each code the least share of the columns whose balls hold rows of
    that code, and the first such column: (lines,), (lines, levels), (lines, levels)."""
    lines, place = np.unique(line, return_inverse=True)
    least, which = np.full((len(lines), levels), np.inf), np.full((len(lines), levels), NONE)
    least[place, level], which[place, level] = share, column
    for k in range(levels - 2, -1, -1):  # a ball holds the rows of all smaller codes
        beyond = (least[:, k + 1] < least[:, k]) | ((least[:, k + 1] == least[:, k]) & (which[:, k + 1] < which[:, k]))
        least[beyond, k], which[beyond, k] = least[beyond, k + 1], which[beyond, k + 1]
    return lines, least, which


def least_share(codes: Array, least: Array, which: Array) -> tuple[Array, Array]:
    """For each row the least share of the balls that hold it, 1 if there is none, and the ball's column, -1 if none."""
    out, column = np.ones(codes.shape[1]), np.full(codes.shape[1], NONE)
    _lower(codes, least, which, out, column)
    return out, column


@kernel
def add_prices(codes, prices, within):  # type: ignore[no-untyped-def]
    levels = within.shape[1]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[a, i] < levels:
                within[a, codes[a, i]] += prices[i]


@kernel
def _lower(codes, least, which, out, column):  # type: ignore[no-untyped-def]
    levels = least.shape[1]
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            k = codes[a, i]
            if k < levels and (
                least[a, k] < out[i] or (least[a, k] == out[i] and which[a, k] < column[i])
            ):
                out[i], column[i] = least[a, k], which[a, k]
