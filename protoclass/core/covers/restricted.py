"""One class's cover where candidates are forbidden or forced in: bounds from the row prices of the relaxation, then the solver.

To forbid a candidate takes its column out. To force one in pays its cost, and its rows need no further cover. Either is the
same program with fewer columns and rows, so that row prices that prove the optimum prove most of what is asked here too: the
prices of the rows that are left bound the restricted program as well, and are raised where a column that is gone made room.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from .exact import exact
from .program import Program, Stop, ascent, highs, improve_cover

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[Any]
CLOSE = 1e-3  # of the largest weight of a row: bounds that differ by less are not closed any further
PROOFS = {"prices": "reduced costs", "dual": "dual ascent", "LP": "linear relaxation", "MIP": "integer program"}


@dataclass(frozen=True)
class Case:
    """A restriction of one class's program.

    Attributes
    ----------
    gone : bool array (a,)
        Candidates that may not be chosen any more: forbidden, or forced in and paid.
    out : bool array (b,)
        Rows that need no cover any more: covered by what is forced in, or left uncovered and paid.
    paid : float
        Cost of what is forced in, and prizes of the rows that are left uncovered.
    """

    gone: Array
    out: Array
    paid: float


@dataclass(frozen=True)
class Range:
    """The optimum of a restricted program as far as it is known: it is at least `low` and at most `high`, by `proof`."""

    low: float
    high: float
    proof: str


@dataclass(frozen=True)
class ClassCover:
    """One class's program with its optimum and the prices that bound it.

    Attributes
    ----------
    program : Program
        With all rows of the class, and all candidates that may be asked about.
    candidates : int array (a,)
        These candidates, as columns of D.
    best : bool array (a,)
        The best cover that was found.
    y : array (b,)
        Row prices of the relaxation.
    optimum : Range
        Of the program without restrictions.
    """

    program: Program
    candidates: Array
    best: Array
    y: Array
    optimum: Range

    @cached_property
    def by_row(self) -> csr_array:
        return self.program.covers.T.tocsr()

    @property
    def close(self) -> float:
        """Bounds of an objective that differ by no more than this are good enough."""
        return CLOSE * float(self.program.prize.max(initial=0.0))

    @cached_property
    def reduced(self) -> Array:
        """Reduced cost of each candidate."""
        return self.program.bound(self.y)[1]

    @cached_property
    def order(self) -> Array:
        """The rows, those in the fewest balls first."""
        return np.argsort(np.diff(self.by_row.indptr), kind="stable")

    def rows_of(self, j: int) -> Array:
        """The rows in the ball of a candidate."""
        c = self.program.covers
        return np.asarray(c.indices[c.indptr[j] : c.indptr[j + 1]])

    def forbid(self, j: int) -> Case:
        gone = np.zeros(len(self.candidates), np.bool_)
        gone[j] = True
        return Case(gone, np.zeros(len(self.program.prize), np.bool_), 0.0)

    def force(self, j: int) -> Case:
        case = self.forbid(j)
        case.out[self.rows_of(j)] = True
        return replace(case, paid=float(self.program.cost[j]))

    def put_in_place(self, rows: Array, j: int) -> Case:
        """A candidate is forced in, and of all candidates it alone may hold these rows."""
        case, t = self.force(j), self.by_row
        for i in rows:
            case.gone[t.indices[t.indptr[i] : t.indptr[i + 1]]] = True
        left = rows[~case.out[rows]]
        case.out[left] = True
        return replace(case, paid=case.paid + float(self.program.prize[left].sum()))

    def least_in_place(self, rows: Array) -> tuple[Array, Array]:
        """The candidates that hold some of these rows, and the least that each can cost in their place, by reduced costs."""
        t, program = self.by_row, self.program
        held = np.concatenate([t.indices[t.indptr[i] : t.indptr[i + 1]] for i in rows]) if len(rows) else t.indices[:0]
        near = np.unique(held)
        inside = program.covers[near]
        own = np.zeros(len(program.prize))
        own[rows] = 1.0
        lost = program.prize[rows].sum() - np.asarray(inside @ (own * program.prize))
        prices = np.asarray(inside @ ((1 - own) * self.y))
        base = float(self.y.sum() + np.minimum(self.reduced, 0.0).sum())
        base -= float(self.y[rows].sum() + np.minimum(self.reduced[near], 0.0).sum())
        return near, base + program.cost[near] + lost - prices

    def bound(self, case: Case) -> tuple[float, Array]:
        """A lower bound on the restricted optimum from the prices, and what each candidate adds to it at least; inf if gone."""
        c, t = self.program.covers, self.by_row
        value, slack = _restricted_bound(
            c.indptr, c.indices, t.indptr, t.indices, self.program.cost, self.program.prize, self.y, self.order,
            case.gone, case.out,
        )  # fmt: skip
        return float(value) + case.paid, slack

    def cover(self, case: Case) -> tuple[Array, float]:
        """A cover for the restricted program, from the best one without restrictions, and its objective."""
        program = replace(
            self.program,
            cost=np.where(case.gone, np.inf, self.program.cost),
            prize=np.where(case.out, 0.0, self.program.prize),
        )
        chosen = improve_cover(program, self.best & ~case.gone, self.by_row)
        covered = np.asarray(self.by_row @ chosen.astype(float)) > 0
        value = float(program.cost[chosen].sum() + program.prize[~covered].sum())
        return chosen, value + case.paid

    def quick(self, case: Case) -> Range:
        """The restricted optimum as far as prices and a cover at hand settle it."""
        low, high = self.bound(case)[0], self.cover(case)[1]
        return closed(self.program.round_up(low), high, PROOFS["prices"])

    def solve(self, case: Case, seconds: float, stop: Stop) -> Range:
        """The restricted optimum by the solver; where the time limit is reached, its bounds."""
        (bound, slack), (start, high) = self.bound(case), self.cover(case)
        worth = replace(case, gone=slack > high - bound + self.close)  # no cover below `high` has the others
        program, columns, lost = restrict(self.program, worth)
        rest = lost + case.paid
        solved = exact(program, start[columns], seconds, self.close / max(high, self.close), stop)
        low, reached = min(high, solved.bound + rest), min(high, solved.objective + rest)
        return meet(self.quick(case), closed(low, reached, PROOFS[solved.proof]))


def closed(low: float, high: float, proof: str) -> Range:
    """A range whose ends are one number if they differ by rounding alone."""
    return Range(high if high - low <= 1e-9 * max(1.0, abs(high)) else low, high, proof)


def meet(a: Range, b: Range) -> Range:
    """What two ranges of the same value say together, with the proof of the larger lower bound."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    return closed(low, high, a.proof if a.low >= b.low else b.proof)


def restrict(program: Program, case: Case) -> tuple[Program, Array, float]:
    """The restricted program with only the candidates that cover more than they cost and the rows that these hold; the
    candidates' places, and the prizes of the rows that need a cover and can have none."""
    prize = np.where(case.out, 0.0, program.prize)
    columns = np.flatnonzero(~case.gone & (np.asarray(program.covers @ prize) > program.cost))
    some = program.covers[columns]
    live = np.flatnonzero((np.bincount(some.indices, minlength=len(prize)) > 0) & (prize > 0))
    covers = some[:, live]
    covers.sort_indices()
    smaller = Program(program.cost[columns], program.prize[live], covers, program.step)
    return smaller, columns, float(prize.sum() - prize[live].sum())


def row_prices(program: Program, seconds: float, stop: Stop) -> Array:
    """The price of each row in the relaxation, (b,): by how much the optimum would fall if the row needed no cover.

    Where the time limit is reached the prices are those of dual ascent.
    """
    smaller, columns, _ = restrict(program, no_case(program))
    prices, relaxed = ascent(smaller)[1], highs(smaller, False, seconds, stop)
    if relaxed.y is not None and smaller.bound(relaxed.y)[0] > smaller.bound(prices)[0]:
        prices = relaxed.y
    y = program.prize.astype(float).copy()  # a row that no candidate pays for is left uncovered
    live = np.flatnonzero(np.bincount(program.covers[columns].indices, minlength=len(y)) > 0)
    y[live] = np.clip(prices, 0.0, program.prize[live])
    return y


def no_case(program: Program) -> Case:
    """The program as it is."""
    a, b = program.covers.shape
    return Case(np.zeros(a, np.bool_), np.zeros(b, np.bool_), 0.0)


def solve_class(program: Program, candidates: Array, start: Array, seconds: float, stop: Stop) -> ClassCover:
    """The optimum of a class, or its bounds where the time limit is reached, with row prices.

    Parameters
    ----------
    program : Program
    candidates : int array (a,)
    start : bool array (a,)
        A cover to start from.
    seconds : float
    stop : Stop
    """
    smaller, columns, lost = restrict(program, no_case(program))
    solved = exact(smaller, start[columns], seconds, 0.0, stop)
    best = np.zeros(len(candidates), np.bool_)
    best[columns[solved.chosen]] = True
    optimum = closed(solved.bound + lost, solved.objective + lost, PROOFS[solved.proof])
    return ClassCover(program, candidates, best, row_prices(program, seconds, stop), optimum)


@kernel
def _restricted_bound(start, rows, t_start, t_columns, cost, prize, y, order, gone, out):  # type: ignore[no-untyped-def]
    # the prices of the rows that are left, raised as far as the columns that are left have room, bound the restricted program
    price, slack = np.where(out, 0.0, y), cost.copy()
    for j in range(len(cost)):
        if gone[j]:
            slack[j] = np.inf
        else:
            for s in range(start[j], start[j + 1]):
                slack[j] -= price[rows[s]]
    for i in order:
        if out[i]:
            continue
        room = prize[i] - price[i]
        for s in range(t_start[i], t_start[i + 1]):
            room = min(room, slack[t_columns[s]])
        if room > 0.0:
            price[i] += room
            for s in range(t_start[i], t_start[i + 1]):
                slack[t_columns[s]] -= room
    total = price.sum()
    for j in range(len(cost)):
        if slack[j] < 0.0:
            total += slack[j]
    return total, slack
