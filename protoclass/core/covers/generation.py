"""The relaxation over all candidates from linear programs of a few of them: column generation.

Start from a cover and a sample of the candidates, solve the relaxation of these, price all candidates in one pass (see `pricing`),
add those whose constraints the prices break, and repeat. When none is broken (by more than 1e-6 of its cost), the relaxation is
optimal over all candidates, and until then every pass gives a lower bound that holds for all of them.

For the integer program, let the best cover known cost `value`. A cover that has candidate j costs at least base + r_j (see
`Priced.base`), r_j its reduced cost, or 0 if that is negative. So no candidate with r_j > value - base is in a better cover. The
others are added, and the integer program of the candidates that are then there is solved as if there were no more: any cover costs
at least its bound, or base + the least r_j of the candidates that are not there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..memory import room
from ..parallel import each
from .balls import PER_PAIR, Sets
from .coded_balls import Lists
from .pricing import NONE, Priced, price
from .problems import LISTED, Columns, CoverProblems
from .program import (
    AFFORDABLE,
    Program,
    Solved,
    Stop,
    ascent,
    ball_matrix,
    highs,
    improve_cover,
    round_thresholds,
    round_up,
    step_of,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[Any]
SAMPLE = 300  # candidates of a class that are drawn for its first program
TOLERANCE = 1e-6  # share by which the optimum of the relaxation may be above the bound, and prices above a cost, at the end
PER_ENTRY = 400  # bytes that a pair takes in a linear program while it is solved
MANY = 2**62  # entries: such work always uses threads


@dataclass(frozen=True)
class Master:
    """One class: its program with some of its candidates, the restricted master program of column generation; and what is known of
    the optimum over all candidates; in units.
    """

    sets: Sets  # all candidates that pay, and the rows
    cost: Array  # of all candidates that pay (a,)
    weight: Array  # of the rows of the class in their balls (a,)
    prize: Array  # weight of each row (b,)
    chosen: Array  # the candidates of a cover to start from, bool (a,)
    step: float  # see `Program`
    lines: Array  # the candidates of the program
    balls: csr_array  # the rows in their balls, (len(lines), b) of ones
    proof: Array  # prices that prove the bound (b,)
    value: float = np.inf  # the least cost known of a cover by these candidates
    bound: float = 0.0  # the best lower bound known on any cover by any of the candidates
    priced: Priced | None = None  # the pass with the largest base
    optimal: bool = False  # whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates
    leaned: float = np.inf  # the optimum of the relaxation of the program when candidates were last left out

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


@dataclass(frozen=True)
class Generated:
    """A few candidates of each class, and what is proved of all others; in units."""

    problems: CoverProblems  # with the few candidates only
    bounds: Array  # after each pass over the pairs of a row and a candidate of its class, the best so far (passes, classes)
    apart: Array  # lower bound on any cover with a candidate that is not one of the few; infinite if all are (classes,)
    optimal: Array  # whether the bound meets a cover or, to 1e-6 of it, the relaxation over all candidates, bool (classes,)
    prices: tuple[Array, ...]  # for each class, prices of its rows that prove the best of its bounds

    @property
    def bound(self) -> Array:
        """Lower bound on any cover by any of the candidates, (classes,)."""
        return np.asarray(self.bounds.max(axis=0, initial=0.0))

    def over_all(self, c: int, solved: Solved) -> Solved:
        """A class's cover with a bound over all candidates, from one with a bound over the few."""
        bound, proof = float(self.bound[c]), "LP"
        other = min(solved.bound, float(self.apart[c]))
        if solved.proof != "none" and other > bound:
            bound, proof = other, solved.proof
        return replace(solved, bound=min(solved.objective, bound), proof=proof, prices=self.prices[c])


def fits(problems: CoverProblems) -> bool:
    """Whether the balls of all candidates are listed, because memory takes them and a solver can take them at once."""
    pairs, most = sum(len(one.candidates) * len(one.rows) for one in problems.classes), most_pairs()
    return (pairs <= most or problems.entries <= most) and problems.listed is not None


def most_pairs() -> float:
    """How many pairs of a row and a candidate of its class whose ball holds it are listed to be solved at once."""
    return min(LISTED, AFFORDABLE, room() / PER_PAIR)


def most_entries() -> float:
    """How many such pairs the linear programs of all classes may have."""
    return room() / PER_ENTRY


def generate(
    problems: CoverProblems,
    f: int,
    k: int,
    cost: float,
    chosen: Sequence[Array],
    seconds: float,
    stop: Stop,
    integer: bool = False,
) -> Generated:
    """Generate candidates for all classes without fold `f`, at radius `k` and a cost of a prototype in units.

    Parameters
    ----------
    problems : CoverProblems
    f, k : int
    cost : float
    chosen : sequence of int arrays, one for each class
        The candidates of a cover, such as the greedy one.
    seconds : float
        After which no other program is solved; the first pass is always completed.
    stop : Stop
    integer : bool
        Whether all candidates are added that a better cover than the best one known may have.
    """
    end, most = time.monotonic() + seconds, most_entries()
    masters = [master_of(problems, f, k, c, cost, at) for c, at in enumerate(chosen)]
    masters = _add(problems, k, masters, [np.flatnonzero(one.chosen) for one in masters], np.inf)
    drawn = [_draw(one, SAMPLE, (*problems.task.seed, f, k, c)) for c, one in enumerate(masters)]
    masters, bounds = _add(problems, k, masters, drawn, most / 4), list[Array]()
    columns = [problems.columns(one.sets, k) for one in masters]

    def relaxed(c: int) -> tuple[Array, float]:
        return masters[c].relaxed(integer, end - time.monotonic(), stop)

    while not bounds or time.monotonic() < end:
        at = [c for c, one in enumerate(masters) if not one.optimal]
        answers = dict(zip(at, each(relaxed, at, MANY, stop), strict=True))
        read = [columns[c] if c in answers else problems.columns(_nothing(one.sets), k) for c, one in enumerate(masters)]
        prices = [answers[c][0] if c in answers else np.zeros(len(one.prize)) for c, one in enumerate(masters)]
        costs = [one.cost if c in answers else one.cost[:0] for c, one in enumerate(masters)]
        found = price(problems.balls, read, prices, costs, end if bounds else np.inf)
        if found is None:
            break
        masters = [one.after(found[c], answers[c][1]) if c in answers else one for c, one in enumerate(masters)]
        bounds.append(np.array([one.bound for one in masters]))
        new = [one.broken(found[c]) if not one.optimal else one.lines[:0] for c, one in enumerate(masters)]
        if not any(len(some) for some in new):
            break
        if _pairs(masters, new) > most:
            masters = [one.lean(found[c]) if len(new[c]) else one for c, one in enumerate(masters)]
        size = sum(len(one.lines) for one in masters)
        masters = _add(problems, k, masters, new, most)
        if size == sum(len(one.lines) for one in masters):  # memory takes no more
            break
    if integer:
        masters = _add(problems, k, masters, [one.possible() for one in masters], most)
    few = tuple(Sets(np.sort(one.sets.candidates[one.lines]), one.sets.rows) for one in masters)
    return Generated(
        replace(problems, classes=few, most=np.inf),
        np.array(bounds).reshape(-1, len(masters)),
        np.array([one.apart for one in masters]),
        np.array([one.optimal for one in masters]),
        tuple(one.proof for one in masters),
    )


def _nothing(sets: Sets) -> Sets:
    return replace(sets, candidates=sets.candidates[:0])


def _draw(one: Master, sample: int, seed: tuple[int, ...]) -> Array:
    """Some candidates at random, without those of the cover."""
    drawn = np.random.default_rng(seed).permutation(len(one.cost))[:sample]
    return drawn[~one.chosen[drawn]]


def _pairs(masters: list[Master], lines: list[Array]) -> float:
    """About how many pairs the programs would have with further candidates."""
    return float(sum(one.balls.nnz + one.size(some).sum() for one, some in zip(masters, lines, strict=True)))


def _add(problems: CoverProblems, k: int, masters: list[Master], lines: list[Array], most: float) -> list[Master]:
    """The programs with further candidates, the first ones of each class where memory does not take all."""
    left = max(0.0, most - sum(one.balls.nnz for one in masters)) / max(1, sum(len(some) > 0 for some in lines))
    new = [
        some[: int(np.searchsorted(np.cumsum(one.size(some)), left, side="right"))]
        for one, some in zip(masters, lines, strict=True)
    ]
    columns = [
        problems.columns(Sets(one.sets.candidates[some], one.sets.rows), k) for one, some in zip(masters, new, strict=True)
    ]
    lists = problems.balls.lists(tuple(of_class.sets for of_class in columns), np.inf)
    assert lists is not None
    return [one.added(*of_class) for one, of_class in zip(masters, zip(new, columns, lists, strict=True), strict=True)]
