"""The program of one class with some of its candidates: the restricted master program of column generation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .balls import Sets
from .coded_balls import Lists
from .exact import round_thresholds
from .pricing import NONE, Priced
from .problems import Columns, CoverProblems
from .program import Program, Stop, ascent, ball_matrix, highs, improve_cover, round_up, step_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[Any]
TOLERANCE = (
    1e-6  # share by which the optimum of the relaxation may be above the bound, and prices above a cost, at the end
)


@dataclass(frozen=True)
class Master:
    """One class: its program, and what is known of the optimum over all candidates; in units.

    Attributes
    ----------
    sets : Sets
        All candidates that pay, and the rows.
    cost, weight : arrays (a,)
        Of all candidates that pay: their cost, and the weight of the rows of the class in their balls.
    prize : array (b,)
        Weight of each row.
    chosen : bool array (a,)
        The candidates of a cover to start from.
    step : float
        See `Program`.
    lines : int array
        The candidates of the program.
    balls : csr_array (len(lines), b) of ones
        The rows in their balls.
    value : float
        The least cost known of a cover by these candidates.
    bound : float
        The best lower bound known on any cover by any of the candidates.
    proof : array (b,)
        Prices that prove it.
    priced : Priced, or None
        The pass with the largest base.
    optimal : bool
        Whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates.
    leaned : float
        The optimum of the relaxation of the program when candidates were last left out.
    """

    sets: Sets
    cost: Array
    weight: Array
    prize: Array
    chosen: Array
    step: float
    lines: Array
    balls: csr_array
    proof: Array
    value: float = np.inf
    bound: float = 0.0
    priced: Priced | None = None
    optimal: bool = False
    leaned: float = np.inf

    @property
    def absent(self) -> Array:
        """The candidates that are not in the program, int array."""
        out = np.ones(len(self.cost), np.bool_)
        out[self.lines] = False
        return np.flatnonzero(out)

    def size(self, lines: Array) -> Array:
        """About how many rows of the class the balls of some candidates hold; exact where weights are equal."""
        return np.asarray(self.weight[lines] / self.prize.mean()) if len(lines) else np.empty(0)

    def program(self) -> tuple[Program, Array]:
        """The program, and the rows that a candidate of it covers."""
        rows = np.flatnonzero(np.bincount(self.balls.indices, minlength=len(self.prize)) > 0)
        covers = self.balls[:, rows]
        covers.sort_indices()
        return Program(self.cost[self.lines], self.prize[rows], covers, self.step), rows

    def relaxed(self, integer: bool, seconds: float, stop: Stop) -> tuple[Array, float]:
        """Prices of all rows by the relaxation, and with `integer` the cost of a cover that is rounded from its solution."""
        prices, lost = self.prize.copy(), float(self.prize.sum())  # a row in no ball of the program costs its weight
        if not len(self.lines):
            return prices, lost
        program, rows = self.program()
        answer = highs(program, False, seconds, stop, upper=np.inf)
        y = ascent(program, 0)[1] if answer.y is None else answer.y
        prices[rows] = np.clip(y, 0.0, program.prize)
        if not integer:
            return prices, np.inf
        cover = improve_cover(program, self.chosen[self.lines])
        value = program.objective(cover)
        if answer.x is not None:
            value = round_thresholds(program, answer.x, cover, value)[1]
        return prices, value + lost - float(program.prize.sum())

    def after(self, priced: Priced, value: float) -> Master:
        """What is known after a pass with the prices of the program, and a cover of this cost."""
        value, bound, proof = min(self.value, value), round_up(priced.bound, self.step), priced.proof
        if bound <= self.bound:
            bound, proof = self.bound, self.proof
        best = priced if self.priced is None or priced.base > self.priced.base else self.priced
        # the relaxation of the program is at least that of all candidates, and no bound of theirs can be above it
        reached = bound >= min(value, round_up(float(priced.prices.sum()) * (1 - TOLERANCE), self.step))
        known = replace(self, value=value, bound=bound, proof=proof, priced=best)
        return replace(known, optimal=reached or not len(known.broken(priced)))

    def broken(self, priced: Priced) -> Array:
        """For each row the candidate whose constraint the prices break most, if the row is in one; the most broken first."""
        worst = np.unique(priced.worst[(priced.worst != NONE) & (priced.prices > 0)])
        worst = np.intersect1d(worst, self.absent)
        worst = worst[priced.reduced[worst] < -TOLERANCE * self.cost[worst]]
        return np.asarray(worst[np.argsort(priced.reduced[worst], kind="stable")])

    def possible(self) -> Array:
        """The candidates, not in the program, that a cover which costs less than `value` may have; the likeliest first."""
        if self.priced is None:
            return np.empty(0, np.int64)
        absent, reduced = self.absent, self.priced.reduced
        at_least = round_up(self.priced.base + np.maximum(reduced[absent], 0.0), self.step)
        some = absent[at_least < self.value]
        return np.asarray(some[np.argsort(reduced[some], kind="stable")])

    @property
    def apart(self) -> float:
        """Lower bound on any cover with a candidate that is not in the program; infinite if all are."""
        absent = self.absent
        if not len(absent):
            return np.inf
        if self.priced is None:
            return 0.0
        return float(round_up(self.priced.base + max(0.0, self.priced.reduced[absent].min()), self.step))

    def lean(self, priced: Priced) -> Master:
        """Without the candidates that have no part in the relaxation's solution, as their reduced costs show, unless it has stayed
        where it was when this was last done: programs would then go in circles."""
        value = float(priced.prices.sum())
        if not value < self.leaned * (1 - TOLERANCE):
            return self
        keep = self.chosen[self.lines] | (priced.reduced[self.lines] <= TOLERANCE * self.cost[self.lines])
        return replace(self, lines=self.lines[keep], balls=self.balls[np.flatnonzero(keep)], leaned=value)

    def added(self, lines: Array, columns: Columns, lists: Lists) -> Master:
        """With more columns, whose candidates have these lists."""
        from scipy.sparse import vstack  # most fits do without

        balls = ball_matrix(lists, columns.line, columns.level, len(self.prize))
        return replace(self, lines=np.concatenate([self.lines, lines]), balls=vstack([self.balls, balls], format="csr"))


def master_of(problems: CoverProblems, f: int, k: int, c: int, cost: float, chosen: Array) -> Master:
    """The program of one class without fold `f`, at radius `k` and a cost of a prototype in units, which has no candidate yet.

    Parameters
    ----------
    chosen : int array
        The candidates of a cover to start from, as columns of D.
    """
    one = problems.classes[c]
    gain, wrong, best = (of[f, k, one.candidates] for of in (problems.gain, problems.wrong, problems.best))
    pays = (best == c) & (gain > cost)
    sets = Sets(one.candidates[pays], one.rows[problems.fold[one.rows] != f])
    none = np.empty(0, np.int64)
    balls = ball_matrix((none, np.empty((0, 1), np.int64), none), none, none, len(sets.rows))
    return Master(
        sets, wrong[pays] + cost, gain[pays] + wrong[pays], problems.w[sets.rows], np.isin(sets.candidates, chosen), step_of(cost),
        none, balls, np.zeros(len(sets.rows)),
    )  # fmt: skip
