"""All near-optimal covers: the value of each prototype to the integer program, and the candidates that can replace it.

There are usually several near-optimal solutions. A solution is near-optimal if its objective exceeds the optimum by at most the
proportion `within`, over all classes together. Classes are independent, so only the class in question changes. Three questions are
answered by forbidding candidates or forcing them in (see `Case`):

* The cost of leaving a prototype out: the optimum without it, minus the optimum.
* The cost of having a candidate: the optimum with it, minus the optimum.
* The cost of replacing a prototype by a candidate. The role of a prototype is to cover the rows of its class that no other
  prototype covers. The prototype is out, the candidate is in, and only this candidate may cover those rows: each one that it does
  not cover is uncovered and paid for. Everything else is optimised again. Without the last condition an unused candidate next to
  the true substitute would count as a substitute.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import Array
from ..neighbours.nearest import Nearest
from ..parallel import MANY, each
from ..statistics.sums import in_units
from ..task import Points, Task
from .problems import LISTED, PROOFS, CoverProblems, Objective, covers
from .program import Program, Stop, ascend, ball_matrix, dual_bound, exact, improve_cover, relax, step_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


CLOSE = 1e-3  # of the largest weight of a row: bounds that differ by less are not closed any further
ROWS = 2**22  # pairs of a row and a prototype that are looked at together


@dataclass(frozen=True)
class Cost:
    """What a program or a restriction of it costs, as far as it is known: one number if it is exact."""

    least: float  # in weight of rows: of a restriction, more than the optimum
    most: float
    proof: str  # source of `least`

    @property
    def exact(self) -> bool:
        return self.least == self.most


@dataclass(frozen=True)
class Case:
    """A restriction of one class's program.

    Forbidding a candidate removes its column. Forcing it in pays its cost, and its rows need no further cover. Either is the
    same program with fewer columns and rows, so row prices that prove the optimum prove most of these values too: the prices of
    the remaining rows bound the restricted program as well, and are raised if a removed column leaves slack.
    """

    gone: Array  # candidates that may not be chosen any more: forbidden, or forced in and paid, bool (a,)
    out: Array  # rows that need no cover: covered by forced candidates, or uncovered and paid for, bool (b,)
    paid: float  # cost of the forced candidates, and prizes of the uncovered rows


@dataclass(frozen=True)
class ClassCover:
    """One class's program with its optimum and the prices that bound it.

    Attributes
    ----------
    program : Program
        Program with all rows of the class, and all candidates in question.
    candidates : int array (a,)
        Columns of D of the candidates.
    best : bool array (a,)
        Best cover found.
    y : array (b,)
        Row prices of the relaxation.
    optimum : Cost
        Optimum of the program without restrictions.
    """

    program: Program
    candidates: Array
    best: Array
    y: Array
    optimum: Cost

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
        """A candidate is forced in, and only this candidate may cover these rows."""
        case, t = self.force(j), self.by_row
        case.gone[t[rows].indices] = True
        left = rows[~case.out[rows]]
        case.out[left] = True
        return replace(case, paid=case.paid + float(self.program.prize[left].sum()))

    def least_in_place(self, rows: Array) -> tuple[Array, Array]:
        """The candidates that cover some of these rows, and a lower bound on the cost of each as replacement, by reduced costs."""
        program, near = self.program, np.unique(self.by_row[rows].indices)
        inside = program.covers[near]
        own = np.zeros(len(program.prize))
        own[rows] = 1.0
        lost = program.prize[rows].sum() - inside @ (own * program.prize)
        prices = inside @ ((1 - own) * self.y)
        base = float(self.y.sum() + np.minimum(self.reduced, 0.0).sum())
        base -= float(self.y[rows].sum() + np.minimum(self.reduced[near], 0.0).sum())
        return near, base + program.cost[near] + lost - prices

    def bound(self, case: Case) -> tuple[float, Array]:
        """A lower bound on the restricted optimum from the prices, and a lower bound on what each candidate adds; inf if removed."""
        t, price = self.by_row, np.where(case.out, 0.0, self.y)
        slack = np.where(case.gone, np.inf, self.program.cost - self.program.covers @ price)
        # prices may rise as far as the columns that are left have room
        ascend(self.order, t.indptr, t.indices, np.where(case.out, 0.0, self.program.prize), slack, price)
        return float(price.sum() + np.minimum(slack, 0.0).sum()) + case.paid, slack

    def cover(self, case: Case) -> tuple[Array, float]:
        """A cover for the restricted program, from the best one without restrictions, and its objective."""
        program = replace(
            self.program,
            cost=np.where(case.gone, np.inf, self.program.cost),
            prize=np.where(case.out, 0.0, self.program.prize),
        )
        chosen = improve_cover(program, self.best & ~case.gone)
        return chosen, program.objective(chosen) + case.paid

    def quick(self, case: Case) -> Cost:
        """The restricted optimum as far as prices and a cover at hand settle it."""
        low, high = self.bound(case)[0], self.cover(case)[1]
        return closed(self.program.round_up(low), high, PROOFS["prices"])

    def solve(self, case: Case, seconds: float, stop: Stop) -> Cost:
        """The restricted optimum by the solver; if the time limit is reached, its bounds."""
        (bound, slack), (start, high) = self.bound(case), self.cover(case)
        worth = replace(case, gone=slack > high - bound + self.close)  # no cover below `high` has the others
        program, columns, lost = restrict(self.program, worth)
        rest = lost + case.paid
        solved = exact(program, start[columns], seconds, self.close / max(high, self.close), stop)
        low, reached = min(high, solved.bound + rest), min(high, solved.objective + rest)
        return meet(self.quick(case), closed(low, reached, PROOFS[solved.proof]))


def closed(low: float, high: float, proof: str) -> Cost:
    """A range whose ends are one number if they differ by rounding alone."""
    return Cost(high if high - low <= 1e-9 * max(1.0, abs(high)) else low, high, proof)


def meet(a: Cost, b: Cost) -> Cost:
    """Intersection of two ranges of the same value, with the proof of the larger lower bound."""
    low, high = max(a.least, b.least), min(a.most, b.most)
    return closed(low, high, a.proof if a.least >= b.least else b.proof)


def restrict(program: Program, case: Case) -> tuple[Program, Array, float]:
    """The restricted program with only the candidates that cover more than they cost and the rows that they cover; the
    candidates' places, and the prizes of the rows that need a cover but cannot have one."""
    prize = np.where(case.out, 0.0, program.prize)
    columns = np.flatnonzero(~case.gone & (program.covers @ prize > program.cost))
    smaller, lost = program.part(columns, prize > 0)
    return smaller, columns, lost


def row_prices(program: Program, seconds: float, stop: Stop) -> Array:
    """The price of each row in the relaxation, (b,): by how much the optimum would fall if the row needed no cover.

    If the time limit is reached, the prices are the prices of dual ascent.
    """
    smaller, _, _ = restrict(program, no_case(program))
    prices = relax(smaller, dual_bound(smaller), seconds, stop).y
    y = program.prize.astype(float).copy()  # a row that no candidate pays for is left uncovered
    y[smaller.rows] = np.clip(prices, 0.0, smaller.prize)
    return y


def no_case(program: Program) -> Case:
    """The program as it is."""
    a, b = program.covers.shape
    return Case(np.zeros(a, np.bool_), np.zeros(b, np.bool_), 0.0)


def solve_class(program: Program, candidates: Array, start: Array, seconds: float, stop: Stop) -> ClassCover:
    """The optimum of a class, or its bounds if the time limit is reached, with row prices.

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


@dataclass(frozen=True)
class NearSolutions:
    """Alternatives to the prototypes of a cover or of another method.

    Attributes
    ----------
    reached : float
        Objective of the prototypes.
    optimum : Cost
        Optimum, or its bounds.
    allowance : float
        Largest difference from the optimum of a near-optimal solution.
    without, having : tuple of Cost
        For each prototype: cost of leaving it out, and of having it.
    substitutes : tuple of tuples of (candidate, Cost)
        For each prototype: the candidates that replace it in a near-optimal solution, as columns of D, in order of cost.
    unsettled : int array (q,)
        For each prototype: candidates for which it was not settled whether they can replace it.
    forced : tuple of (class, Cost)
        Class and cost of each candidate of interest.
    among : str
        Description of the solutions that are compared.
    table, pairs : mapping of str to array
        Further columns, per prototype and per substitute.
    """

    reached: float
    optimum: Cost
    allowance: float
    without: tuple[Cost, ...]
    having: tuple[Cost, ...]
    substitutes: tuple[tuple[tuple[int, Cost], ...], ...]
    unsettled: Array
    forced: tuple[tuple[int, Cost], ...]
    among: str = "the solutions"
    table: Mapping[str, Array] = field(default_factory=dict)
    pairs: Mapping[str, Array] = field(default_factory=dict)


def find_alternatives(
    task: Task,
    radius: float,
    lambda_: float,
    chosen: tuple[Array, Array],
    reached: float,
    within: float,
    seconds: float,
    interest: Array,
) -> NearSolutions:
    """The alternatives to a cover.

    Parameters
    ----------
    task : Task
    radius : float
        Radius of the balls, which contain the rows with d < radius.
    lambda_ : float
        Cost of a prototype.
    chosen : int arrays (q,), (q,)
        Columns of D and classes of the prototypes.
    reached : float
        Objective of the prototypes.
    within : float
    seconds : float
        Time limit for everything. Values that are not settled in time keep their bounds.
    interest : int array
        Columns of D of the candidates whose cost is computed, in the class with the largest weight in their
        balls.
    """
    begin, stop = time.monotonic(), Stop()
    end = begin + seconds
    problems = covers(task, np.full(len(task.y), -1), 1, np.array([radius]), lambda_)
    cost = in_units(lambda_, problems.unit)
    held = problems.balls.held()
    stands_for = held[interest].argmax(axis=1)
    if task.allowed_class is not None:
        stands_for = np.where(task.allowed_class[interest] < 0, stands_for, task.allowed_class[interest])
    allowance = within * in_units(reached, problems.unit)
    programs = class_programs(problems, held, cost, allowance, chosen, (interest, stands_for))

    def solve(c: int) -> ClassCover:
        program, candidates = programs[c]
        start = np.isin(candidates, chosen[0][chosen[1] == c])
        return solve_class(program, candidates, start, max(0.0, end - time.monotonic()), stop)

    largest_first = np.argsort([-program.covers.nnz for program, _ in programs], kind="stable").tolist()
    solved = dict(zip(largest_first, each(solve, largest_first, MANY, stop), strict=True))
    search = _Search(problems.unit, [solved[c] for c in range(task.classes)], within, (begin + end) / 2, end, stop)
    return search.answers(reached, chosen, (interest, stands_for))


def class_programs(
    problems: CoverProblems, held: Array, cost: float, allowance: float, *asked: tuple[Array, Array]
) -> list[tuple[Program, Array]]:
    """Each class's program with all candidates that can be in a near-optimal solution or are of interest, and these candidates.

    A candidate that costs more than the weight it covers raises the objective by at least the difference, which exceeds
    `allowance`.
    """
    task, balls = problems.task, problems.balls
    wrong = held.sum(axis=1, keepdims=True) - held
    pays = (held > 0) & (wrong + cost - held <= allowance)
    if task.allowed_class is not None:
        only = task.allowed_class >= 0
        pays[only] &= task.allowed_class[only, None] == np.arange(task.classes)
    for at, classes in asked:
        pays[at, classes] = True
    sets = balls.sets(pays.T)
    lists = balls.lists(sets, LISTED)
    if lists is None:
        _ = problems.lists  # raises, with the cure
        raise AssertionError("more pairs than the program of the fit has")
    out = []
    for c, (members, of_class) in enumerate(zip(sets, lists, strict=True)):
        lines = np.arange(len(members.candidates))
        ball = ball_matrix(of_class, lines, 0, len(members.rows))
        ball.sort_indices()
        program = Program(wrong[members.candidates, c] + cost, problems.w[members.rows], ball, step_of(cost))
        out.append((program, members.candidates))
    return out


@dataclass(frozen=True)
class _Search:
    """All cases: first by prices, then by the solver until the time is over, half of it for prototypes."""

    unit: float
    classes: list[ClassCover]
    within: float
    half: float
    end: float
    stop: Stop

    def answers(self, reached: float, chosen: tuple[Array, Array], interest: tuple[Array, Array]) -> NearSolutions:
        at, of_class = chosen
        place = [int(np.searchsorted(self.classes[c].candidates, j)) for j, c in zip(at, of_class, strict=True)]
        alone = [self._rows_alone(p, place, of_class) for p in range(len(at))]
        lone = [(int(c), self.classes[c].forbid(j)) for c, j in zip(of_class, place, strict=True)]
        own = [(int(c), self.classes[c].force(j)) for c, j in zip(of_class, place, strict=True)]
        named = [
            (int(c), self.classes[c].force(int(np.searchsorted(self.classes[c].candidates, j))))
            for j, c in zip(*interest, strict=True)
        ]
        exactly = self._settle([*lone, *own, *named], self._is_wide, self.half)
        swaps = [(p, int(j)) for p in range(len(at)) for j in self._in_question(int(of_class[p]), place[p], alone[p])]
        cases = [(int(of_class[p]), self.classes[of_class[p]].put_in_place(alone[p], j)) for p, j in swaps]
        near = self._settle(cases, self._is_open, self.end)
        near = self._settle(cases, lambda c, found: self._may_be_near(c, found) and self._is_wide(c, found), self.end, near)
        substitutes: list[list[tuple[int, Cost]]] = [[] for _ in at]
        unsettled = np.zeros(len(at), np.int64)
        for (p, j), found in zip(swaps, near, strict=True):
            c = int(of_class[p])
            if self._is_open(c, found):
                unsettled[p] += 1
            elif self._may_be_near(c, found):
                substitutes[p].append((int(self.classes[c].candidates[j]), self._cost(c, found)))
        costs = [self._cost(c, found) for (c, _), found in zip([*lone, *own, *named], exactly, strict=True)]
        q = len(at)
        return NearSolutions(
            reached, Cost(self._low * self.unit, self._high * self.unit, _joined(problem.optimum.proof for problem in self.classes)),
            self.within * self._high * self.unit, tuple(costs[:q]), tuple(costs[q : 2 * q]),
            tuple(tuple(sorted(some, key=lambda s: (s[1].most, s[0]))) for some in substitutes), unsettled,
            tuple(zip(interest[1].tolist(), costs[2 * q :], strict=True)),
        )  # fmt: skip

    @property
    def _low(self) -> float:
        return sum(problem.optimum.least for problem in self.classes)

    @property
    def _high(self) -> float:
        return sum(problem.optimum.most for problem in self.classes)

    def _cost(self, c: int, found: Cost) -> Cost:
        optimum = self.classes[c].optimum
        least, most = max(0.0, found.least - optimum.most), max(0.0, found.most - optimum.least)
        if most - least <= 1e-9 * max(1.0, found.most):
            least = most
        if most <= 1e-9 * max(1.0, found.most):
            least = most = 0.0
        return Cost(_plain(least * self.unit), _plain(most * self.unit), found.proof)

    def _may_be_near(self, c: int, found: Cost) -> bool:
        """Whether a solution at the lower end would be near."""
        return found.least - self.classes[c].optimum.most <= self.within * self._high + 1e-9 * max(1.0, found.most)

    def _is_open(self, c: int, found: Cost) -> bool:
        """Whether it is not settled if a near solution is there."""
        far = found.most - self.classes[c].optimum.least > self.within * self._low + 1e-9 * max(1.0, found.most)
        return far and self._may_be_near(c, found)

    def _is_wide(self, c: int, found: Cost) -> bool:
        """Whether the ends differ by more than a reader would see."""
        return found.most - found.least > self.classes[c].close

    def _rows_alone(self, p: int, place: list[int], of_class: Array) -> Array:
        """The rows that only this prototype covers: rows of its class that no other prototype of the class covers."""
        problem, c = self.classes[of_class[p]], of_class[p]
        others = [place[s] for s in range(len(place)) if s != p and of_class[s] == c]
        chosen, rows = np.zeros(len(problem.candidates), np.bool_), problem.rows_of(place[p])
        chosen[others] = True
        return np.asarray(rows[problem.program.times(chosen)[rows] == 0])

    def _in_question(self, c: int, own: int, rows: Array) -> Array:
        """Candidates that prices do not keep from the place of a prototype."""
        problem = self.classes[c]
        near, least = problem.least_in_place(rows)
        limit = problem.optimum.most + self.within * self._high + 1e-9 * max(1.0, problem.optimum.most)
        return np.asarray(near[(near != own) & (least <= limit)])

    def _settle(
        self,
        cases: list[tuple[int, Case]],
        ask: Callable[[int, Cost], bool],
        end: float,
        known: list[Cost] | None = None,
    ) -> list[Cost]:
        """The optimum of each case: by prices (if not `known`), and by the solver if `ask`, until `end`."""

        def quick(item: tuple[int, Case]) -> Cost:
            return self.classes[item[0]].quick(item[1])

        out = list(each(quick, cases, MANY, self.stop)) if known is None else list(known)

        def solve(k: int) -> Cost:
            left = end - time.monotonic()
            c, case = cases[k]
            return meet(out[k], self.classes[c].solve(case, left, self.stop)) if left > 0 else out[k]

        asked = [k for k, (c, _) in enumerate(cases) if ask(c, out[k])]
        asked.sort(key=lambda k: out[k].least - out[k].most)  # the widest first
        for k, found in zip(asked, each(solve, asked, MANY, self.stop), strict=True):
            out[k] = found
        return out


def _plain(value: float) -> float:
    """A difference of sums without the last digits, which are rounding."""
    return float(f"{value:.12g}")


def _joined(proofs: Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(proofs))


def price_rows(
    task: Task, radius: float, lambda_: float, chosen: tuple[Array, Array], seconds: float
) -> tuple[Array, Array, Array]:
    """The price of each row of a cover.

    Parameters
    ----------
    task : Task
    radius : float
        Radius of the balls, which contain the rows with d < radius.
    lambda_ : float
        Cost of a prototype.
    chosen : int arrays (q,), (q,)
        Columns of D and classes of the prototypes.
    seconds : float
        Time limit.

    Returns
    -------
    price : array (n,)
        Dual price of the covering constraint of the row in the relaxation of (3) of Bien and Tibshirani (2011), at most its weight;
        plus its weight once for each ball of another class that contains it, the dual price of the constraints on eta.
    uncovered : bool array (n,)
        Whether no ball of its class contains the row.
    wrong : int array (n,)
        Number of balls of other classes that contain the row.
    """
    end, stop = time.monotonic() + seconds, Stop()
    problems = covers(task, np.full(len(task.y), -1), 1, np.array([radius]), lambda_)
    programs = class_programs(problems, problems.balls.held(), in_units(lambda_, problems.unit), 0.0)

    def prices(c: int) -> Array:
        return row_prices(programs[c][0], max(0.0, end - time.monotonic()), stop)

    price = np.zeros(len(task.y))
    for sets, y in zip(problems.classes, each(prices, range(task.classes), MANY, stop), strict=True):
        price[sets.rows] = y * problems.unit
    uncovered, wrong = find_trouble(task, radius, chosen)
    return price + task.w * wrong, uncovered, wrong


def find_trouble(task: Task, radius: float, chosen: tuple[Array, Array]) -> tuple[Array, Array]:
    """Whether no ball of its class contains a row, bool (n,), and the number of balls of other classes that do, int (n,)."""
    at, classes = chosen
    n = len(task.y)
    uncovered, wrong = np.ones(n, np.bool_), np.zeros(n, np.int64)
    step = max(1, ROWS // max(1, len(at)))
    for first in range(0, n if len(at) else 0, step):
        rows = np.arange(first, min(first + step, n))
        inside = task.D.take(rows, at) < radius
        own = task.y[rows, None] == classes
        uncovered[rows] = ~(inside & own).any(axis=1)
        wrong[rows] = (inside & ~own).sum(axis=1)
    return uncovered, wrong


def swapped(rule: Nearest, task: Task, place: int, candidate: int) -> Nearest:
    """The rule with a candidate (column of D) as prototype at this place, for the same class, and its objective.

    The prototypes keep their order, so each covers the rows of its class that no earlier one covers. This is not a greedy order
    any more, and no certificate is kept.
    """
    old = rule.prototypes
    assert old.at is not None
    assert old.radii is not None
    at = old.at.copy()
    at[place] = candidate
    covers, wrong = first_covered(task, at, old.classes, old.radii)
    goal = rule.report["objective"]
    reached = Objective(float(task.w.sum() - covers.sum()), float(wrong.sum()), len(at), goal.lambda_)
    report = {k: v for k, v in rule.report.items() if k != "certificate"}
    prototypes = Points(old.classes, at=at, radii=old.radii, table={"newly_covered": covers, "miscovered": wrong})
    return Nearest(prototypes, rule.classes, rule.fallback, {**report, "objective": reached})


def first_covered(task: Task, at: Array, classes: Array, radii: Array) -> tuple[Array, Array]:
    """For each prototype the weight of the rows of its class that no earlier one covers, and of the rows of others in its ball."""
    rows = np.arange(len(task.y))
    left = task.w.copy()  # weights of the rows that no prototype of their class covers yet
    covers, wrong = np.empty(len(at)), np.empty(len(at))
    for s, (column, c) in enumerate(zip(at, classes, strict=True)):
        inside = task.D.take(rows, np.array([column]))[:, 0] < radii[s]
        own = inside & (task.y == c)
        covers[s], wrong[s] = left[own].sum(), task.w[inside & (task.y != c)].sum()
        left[own] = 0.0
    return covers, wrong
