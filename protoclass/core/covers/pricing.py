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
their factors, and nothing is read twice or kept. Rows in several parts are asked twice: for the sums S_j over the rows of each part,
and where these break constraints for the factors of the rows in such balls.

**What is read.** S_j is at most the weight of the class in ball j. A candidate whose ball has no more weight of the class than it
costs (its gain is at most lambda) therefore breaks no constraint at any prices, and is not read. Nor are rows of
other classes, whose weight C_j has from the first count. With L classes of one size a pass reads one pair in L.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import each, kernel
from .balls import Balls, PartedBalls, Patch
from .problems import Columns

Array = NDArray[Any]
NONE = -1


@dataclass(frozen=True)
class Priced:
    """One class's columns at given prices of its rows."""

    prices: Array  # y (b,)
    reduced: Array  # C_j - S_j: negative where the constraint of a column is broken (a,)
    factor: Array  # the least of 1 and C_j / S_j over the balls that hold each row (b,)
    worst: Array  # the column that has this, the first of several; -1 where no broken constraint has the row, int (b,)

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
    balls: Balls, columns: list[Columns], prices: list[Array], costs: list[Array], end: float = np.inf
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
    if isinstance(balls, PartedBalls):
        return _price_parts(balls, columns, prices, costs, end)
    sums, least = [np.zeros(len(cost)) for cost in costs], [Least(len(y)) for y in prices]

    def of_strip(strip: Strip) -> tuple[int, list[Factors]]:
        c, codes = strip.c, strip.codes(balls, columns)
        total = strip.sums(codes, prices[c])
        sums[c][strip.at] = total
        cost = costs[c][strip.at]
        return c, strip.factors(codes, total > cost, cost / np.where(total > cost, total, 1.0))

    for c, found in each(of_strip, strips(balls, columns), _entries(columns)):
        for factors in found:
            least[c].lower(*factors)
        if time.monotonic() > end:
            return None
    return [
        Priced(y, cost - total, of.factor, of.worst) for y, cost, total, of in zip(prices, costs, sums, least, strict=True)
    ]


Factors = tuple[Array, Array, Array]  # places of rows in their class, the least share of the balls that hold each, and its column


class Least:
    """The least of 1 and the shares of the broken balls that hold each row, and the first column that has it."""

    def __init__(self, rows: int) -> None:
        self.factor, self.worst = np.ones(rows), np.full(rows, NONE)

    def lower(self, places: Array, share: Array, column: Array) -> None:
        factor, worst = self.factor[places], self.worst[places]
        lower = (column != NONE) & ((share < factor) | ((share == factor) & (column < worst)))
        self.factor[places[lower]], self.worst[places[lower]] = share[lower], column[lower]


@dataclass(frozen=True)
class Strip:
    """All pairs of some candidates of a class that may be in a ball, and the columns around these candidates."""

    c: int
    patches: list[Patch]
    at: Array  # columns (q,)
    line: Array  # the place of each one's candidate among those of the strip (q,)
    level: Array  # the place of its radius (q,)

    def codes(self, balls: Balls, columns: list[Columns]) -> list[Array]:
        """The codes of the pairs, uint8 (candidates, rows) of each patch."""
        return [balls.codes_of(columns[self.c].sets, patch) for patch in self.patches]

    def sums(self, codes: list[Array], prices: Array) -> Array:
        """The prices of the rows of the class, summed over the ball of each column (q,)."""
        within = np.zeros((len(self.patches[0].lines), int(self.level.max(initial=0)) + 1))  # price of the rows of each code
        for patch, of_patch in zip(self.patches, codes, strict=True):
            _add_prices(of_patch, prices[patch.places], within)
        return np.asarray(np.cumsum(within, axis=1)[self.line, self.level])

    def factors(self, codes: list[Array], broken: Array, share: Array) -> list[Factors]:
        """What the rows of each patch get from the columns whose constraints are `broken`, bool (q,), by their shares (q,)."""
        lines, least, which = _least_beyond(self.line[broken], self.level[broken], share[broken], self.at[broken])
        out = []
        for patch, of_patch in zip(self.patches, codes, strict=True):
            factor, column = np.ones(len(patch.places)), np.full(len(patch.places), NONE)
            _lower(of_patch[lines], least, which, factor, column)
            out.append((patch.places, factor, column))
        return out


def strips(balls: Balls, columns: list[Columns]) -> Iterator[Strip]:
    """The pairs of each class, as in `Balls.strips`, with the columns around their candidates."""
    for c, patches in balls.strips(tuple(of_class.sets for of_class in columns)):
        lines, line = patches[0].lines, columns[c].line
        first, last = (np.searchsorted(line, lines, side=side) for side in ("left", "right"))  # columns stand by candidate
        count = last - first
        place = np.repeat(np.arange(len(lines)), count)
        at = np.arange(len(place)) + np.repeat(first - np.cumsum(count) + count, count)
        yield Strip(c, patches, at, place, columns[c].level[at])


def _entries(columns: list[Columns]) -> int:
    return sum(len(one.sets.candidates) * len(one.sets.rows) for one in columns)


def _least_beyond(line: Array, level: Array, share: Array, column: Array) -> tuple[Array, Array, Array]:
    """The lines that have a column, and for each of them and each code the least share of the columns whose balls hold rows of
    that code, and the first such column: (lines,), (lines, levels), (lines, levels)."""
    lines, place = np.unique(line, return_inverse=True)
    levels = int(level.max(initial=0)) + 1
    least, which = np.full((len(lines), levels), np.inf), np.full((len(lines), levels), NONE)
    least[place, level], which[place, level] = share, column
    for k in range(levels - 2, -1, -1):  # a ball holds the rows of all smaller codes
        beyond = (least[:, k + 1] < least[:, k]) | ((least[:, k + 1] == least[:, k]) & (which[:, k + 1] < which[:, k]))
        least[beyond, k], which[beyond, k] = least[beyond, k + 1], which[beyond, k + 1]
    return lines, least, which


@kernel
def _add_prices(codes, prices, within):  # type: ignore[no-untyped-def]
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


def _price_parts(
    balls: PartedBalls, columns: list[Columns], prices: list[Array], costs: list[Array], end: float
) -> list[Priced] | None:
    at = [np.searchsorted(rows, one.sets.rows) for rows, one in zip(balls.rows, columns, strict=True)]
    whole = [np.zeros(len(rows)) for rows in balls.rows]  # rows that have no price cost nothing
    for of_class, places, y in zip(whole, at, prices, strict=True):
        of_class[places] = y
    own = [
        [of_class[bounds[i] : bounds[i + 1]] for of_class, bounds in zip(whole, balls.bounds, strict=True)]
        for i in range(len(balls.occupied))
    ]
    sums = [sum(parts) for parts in zip(*balls.ask(_sum_prices, [_asked(one) for one in columns], own=own), strict=True)]
    if time.monotonic() > end:
        return None
    broken = [np.flatnonzero(total > cost) for total, cost in zip(sums, costs, strict=True)]
    least = [Least(len(rows)) for rows in balls.rows]
    if any(map(len, broken)):
        shares = [cost[some] / total[some] for cost, total, some in zip(costs, sums, broken, strict=True)]
        asked = [_asked(one, some) for one, some in zip(columns, broken, strict=True)]
        for i, answer in enumerate(balls.ask(_find_factors, asked, shares)):
            for c, (places, share, column) in enumerate(answer):
                least[c].lower(balls.bounds[c][i] + places, share, broken[c][column])
    parts = zip(prices, costs, sums, least, at, strict=True)
    return [Priced(y, cost - total, of.factor[rows], of.worst[rows]) for y, cost, total, of, rows in parts]


def _asked(columns: Columns, some: Any = slice(None)) -> Columns:
    """Some of the columns, for parts, which have rows of their own."""
    used, line = np.unique(columns.line[some], return_inverse=True)
    sets = replace(columns.sets, candidates=columns.sets.candidates[used], rows=columns.sets.rows[:0])
    return Columns(sets, line, columns.level[some])


def _with_rows(balls: Balls, asked: list[Columns]) -> list[Columns]:
    return [replace(one, sets=replace(one.sets, rows=rows)) for one, rows in zip(asked, balls.rows, strict=True)]


def _sum_prices(balls: Balls, prices: list[Array], asked: list[Columns]) -> list[Array]:
    """For each class the prices of the rows of a part, summed over the balls."""
    columns, sums = _with_rows(balls, asked), [np.zeros(len(one.line)) for one in asked]

    def of_strip(strip: Strip) -> tuple[Strip, Array]:
        return strip, strip.sums(strip.codes(balls, columns), prices[strip.c])

    for strip, total in each(of_strip, strips(balls, columns), _entries(columns)):
        sums[strip.c][strip.at] = total
    return sums


def _find_factors(balls: Balls, asked: list[Columns], shares: list[Array]) -> list[Factors]:
    """For each class the rows of a part in some of the balls, whose shares are given; the least share, and the first column of it."""
    columns, least = _with_rows(balls, asked), [Least(len(rows)) for rows in balls.rows]

    def of_strip(strip: Strip) -> tuple[int, list[Factors]]:
        all_broken = np.ones(len(strip.at), np.bool_)
        return strip.c, strip.factors(strip.codes(balls, columns), all_broken, shares[strip.c][strip.at])

    for c, found in each(of_strip, strips(balls, columns), _entries(columns)):
        for factors in found:
            least[c].lower(*factors)
    held = [np.flatnonzero(of.worst != NONE) for of in least]
    return [(rows, of.factor[rows], of.worst[rows]) for rows, of in zip(held, least, strict=True)]
