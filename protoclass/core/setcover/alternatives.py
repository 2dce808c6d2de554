"""All near-optimal covers: the value of each prototype to the integer program, and the candidates that can replace it.

There are usually several near-optimal solutions. A solution is near-optimal if its objective
exceeds the optimum by at most the proportion `within`, over all classes together. Classes are
independent, so only the class in question changes. Three questions are answered by forbidding
candidates or forcing them in (see `ClassCover.case`):

* The cost of leaving a prototype out: the optimum without it, minus the optimum.
* The cost of having a candidate: the optimum with it, minus the optimum.
* The cost of replacing a prototype by a candidate. The role of a prototype is to cover the rows of
  its class that no other prototype covers. The prototype is out, the candidate is in, and only this
  candidate may cover those rows: each one that it does not cover is uncovered and paid for.
  Everything else is optimised again. Without the last condition an unused candidate next to the
  true substitute would count as a substitute.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import Array
from ..coding import Tile
from ..neighbours.nearest import Nearest
from ..parallel import MANY, each
from ..statistics.sums import in_units, units
from ..task import Points, Task
from .balls import Balls, ClassBalls, read
from .problems import CANDIDATES_AT_ONCE, PROOFS, Objective, check_listed, of_rows
from .program import Program, Stop, ascend, dual_bound, exact, improve_cover, relax, step_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Cost:
    """What a program or a restriction of it costs, as far as it is known: one number if it is exact."""

    least: float  # in weight of rows: of a restriction, more than the optimum
    most: float
    proof: str  # source of `least`

    @property
    def exact(self) -> bool:
        return self.least == self.most


def closed(low: float, high: float, proof: str) -> Cost:
    """A range whose ends are one number if they differ by rounding alone."""
    return Cost(high if high - low <= rounding(high) else low, high, proof)


def rounding(value: float) -> float:
    return 1e-9 * max(1.0, abs(value))


# a restricted program, and what was paid for the candidates forced in and the rows left uncovered
Case = tuple[Program, float]


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
        Row prices that bound the optimum.
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
        """Bounds of an objective that differ by no more than this are good enough: a thousandth of
        the largest weight of a row.
        """
        return 1e-3 * float(self.program.prize.max(initial=0.0))

    def rows_of(self, j: int) -> Array:
        """The rows in the ball of a candidate."""
        return self.program.covers[[j]].indices

    def case(self, gone: Array, out: Array, paid: float = 0.0) -> Case:
        """The program without some candidates, where some rows need no cover.

        Row prices that prove the optimum prove most values of restricted programs too: the prices
        of the remaining rows are a bound as well, and are raised if a removed column leaves slack.
        """
        cost, prize = self.program.cost.astype(float), self.program.prize.astype(float)
        cost[gone], prize[out] = np.inf, 0.0
        return replace(self.program, cost=cost, prize=prize), paid

    def forbid(self, j: int) -> Case:
        return self.case(np.array([j]), np.empty(0, np.int64))

    def force(self, j: int, rows: Array) -> Case:
        """A candidate is forced in, and only this candidate may cover some rows: it pays its cost,
        and its rows need no further cover.
        """
        ball, program = self.rows_of(j), self.program
        left = np.setdiff1d(rows, ball)
        paid = float(program.cost[j] + program.prize[left].sum())
        return self.case(np.append(self.by_row[rows].indices, j), np.append(ball, left), paid)

    def least_in_place(self, rows: Array) -> tuple[Array, Array]:
        """The candidates that cover some of these rows, and a lower bound on the cost of each as
        replacement, by reduced costs.
        """
        program, near = self.program, np.unique(self.by_row[rows].indices)
        bound, reduced = program.bound(self.y)
        own = np.zeros(len(program.prize))
        own[rows] = 1.0
        base = bound - float(
            self.y[rows].sum() + np.minimum(reduced[near], 0.0).sum() - program.prize[rows].sum()
        )
        return near, base + program.cost[near] - program.covers[near] @ np.where(
            own > 0, program.prize, self.y
        )

    def settle(self, case: Case, limit: float, end: float, stop: Stop) -> Cost:
        """The restricted optimum: by prices and a cover at hand, and by the solver if these leave a
        range below a limit until `end`.
        """
        (program, paid), t = case, self.by_row
        price = np.minimum(self.y, program.prize)
        slack = program.cost - program.covers @ price
        # prices may rise as far as the remaining columns have room
        ascend(
            np.argsort(np.diff(t.indptr), kind="stable"),
            t.indptr,
            t.indices,
            program.prize,
            slack,
            price,
        )
        bound = float(price.sum() + np.minimum(slack, 0.0).sum()) + paid
        start = improve_cover(program, self.best & np.isfinite(program.cost))
        low, high = program.round_up(bound), program.objective(start) + paid
        found, left = closed(low, high, PROOFS["prices"]), end - time.monotonic()
        if left <= 0 or found.most - found.least <= self.close or found.least > limit:
            return found
        pays = program.covers @ program.prize > program.cost
        # no cover below `high` has any of the other columns
        columns = np.flatnonzero(pays & (slack <= high - bound + self.close))
        smaller, lost = program.part(columns, program.prize > 0)
        solved = exact(smaller, start[columns], left, self.close / max(high, self.close), stop)
        reached = min(high, solved.objective + lost + paid)
        proved = min(high, solved.bound + lost + paid)
        return closed(max(low, proved), reached, PROOFS[solved.proof if proved > low else "prices"])

    def above(self, found: Cost, unit: float) -> Cost:
        """What a restriction costs more than the optimum, in weight of rows; 0 up to rounding,
        whose digits are left out.
        """
        error = rounding(found.most)
        least, most = (
            value if value > error else 0.0
            for value in (found.least - self.optimum.most, found.most - self.optimum.least)
        )
        least, most = (
            float(f"{value * unit:.12g}")
            for value in (most if most - least <= error else least, most)
        )
        return Cost(least, most, found.proof)


def solve_class(
    program: Program, candidates: Array, start: Array, seconds: float, stop: Stop
) -> ClassCover:
    """The optimum of a class from a cover to start from, or its bounds if the time limit is
    reached, with row prices.
    """
    smaller, columns, lost = worthwhile(program)
    solved = exact(smaller, start[columns], seconds, 0.0, stop)
    best = np.zeros(len(candidates), np.bool_)
    best[columns[solved.chosen]] = True
    optimum = closed(solved.bound + lost, solved.objective + lost, PROOFS[solved.proof])
    return ClassCover(program, candidates, best, _prices(program, smaller, solved.prices), optimum)


def worthwhile(program: Program) -> tuple[Program, Array, float]:
    """The program of the candidates that cover more than they cost, these, and the prizes of the
    rows that then have no cover.
    """
    columns = np.flatnonzero(program.covers @ program.prize > program.cost)
    smaller, lost = program.part(columns, program.prize > 0)
    return smaller, columns, lost


def _prices(program: Program, smaller: Program, prices: Array) -> Array:
    y = program.prize.astype(float)  # a row that no candidate pays for is left uncovered
    y[smaller.rows] = np.clip(prices, 0.0, smaller.prize)
    return y


@dataclass(frozen=True)
class NearSolutions:
    """Alternatives to the prototypes of a cover or of another method.

    Attributes
    ----------
    reached : float
        Objective of the prototypes.
    optimum : Cost
        Optimum, or its bounds.
    without, having : tuple of Cost
        For each prototype: cost of leaving it out, and of having it.
    substitutes : tuple of tuples of (candidate, Cost)
        For each prototype: the candidates that replace it in a near-optimal solution, as columns of
        D, in order of cost.
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
    without: tuple[Cost, ...]
    having: tuple[Cost, ...]
    substitutes: tuple[tuple[tuple[int, Cost], ...], ...]
    unsettled: Array
    forced: tuple[tuple[int, Cost], ...]
    among: str = "the solutions"
    table: Mapping[str, Array] = field(default_factory=dict)
    pairs: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Search:
    """The search for near-optimal solutions of all classes together.

    Attributes
    ----------
    classes : list of ClassCover
    within : float
        Largest difference from the optimum of a near-optimal solution, relative to the optimum.
    unit : float
        Weight of a row in a unit of the programs.
    end : float
        Time at which costs that are not settled keep their bounds.
    stop : Stop
    """

    classes: list[ClassCover]
    within: float
    unit: float
    end: float
    stop: Stop

    @cached_property
    def optimum(self) -> Cost:
        """The optimum of all classes, in units."""
        optima = [part.optimum for part in self.classes]
        proofs = ", ".join(dict.fromkeys(optimum.proof for optimum in optima))
        return Cost(sum(o.least for o in optima), sum(o.most for o in optima), proofs)

    def places(self, candidates: Array, classes: Array) -> list[tuple[int, int]]:
        """The class of each candidate, given by its column of D, and its place in this class."""
        pairs = zip(classes.tolist(), candidates, strict=True)
        return [(c, int(np.searchsorted(self.classes[c].candidates, j))) for c, j in pairs]

    def settle(self, cases: list[tuple[int, Case]], limit: float = np.inf) -> list[Cost]:
        """The optima of restricted programs of classes, closed as far as they are below a limit."""

        def settle_one(item: tuple[int, Case]) -> Cost:
            c, case = item
            return self.classes[c].settle(case, limit, self.end, self.stop)

        return list(each(settle_one, cases, MANY, self.stop))

    def substitutes(
        self, c: int, j: int, chosen: Array
    ) -> tuple[tuple[tuple[int, Cost], ...], int]:
        """The candidates that can replace one of the prototypes of a class, in order of cost, and
        the number of those for which it was not settled.
        """
        part, found, unsettled = self.classes[c], [], 0
        optimum, low, high = part.optimum, self.optimum.least, self.optimum.most
        limit = optimum.most + self.within * high + rounding(optimum.most)
        rows = part.rows_of(j)
        times = part.program.times(np.isin(part.candidates, chosen))
        alone = rows[times[rows] == 1]  # which no other prototype of the class covers
        near, least = part.least_in_place(alone)
        near = near[(near != j) & (least <= limit)]
        costs = self.settle([(c, part.force(int(k), alone)) for k in near], limit)
        for k, cost in zip(near, costs, strict=True):
            if cost.most - optimum.least <= self.within * low + rounding(cost.most):
                found.append((int(part.candidates[k]), part.above(cost, self.unit)))
            elif cost.least <= limit:
                unsettled += 1
        return tuple(sorted(found, key=lambda pair: (pair[1].most, pair[0]))), unsettled


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
        Columns of D of the candidates whose cost is computed, in the class with the largest weight
        in their balls.
    """
    end, stop = time.monotonic() + seconds, Stop()
    balls, unit = balls_of(task, radius)
    stands_for = weights_of(balls)[interest].argmax(axis=1)
    if task.allowed_class is not None:
        only = task.allowed_class[interest]
        stands_for = np.where(only < 0, stands_for, only)
    allowance = within * in_units(reached, unit)
    asked = (interest, stands_for)
    programs = class_programs(balls, in_units(lambda_, unit), allowance, chosen, asked)

    def solve(c: int) -> ClassCover:
        program, candidates = programs[c][0], programs[c][1].candidates
        start = np.isin(candidates, chosen[0][chosen[1] == c])
        return solve_class(program, candidates, start, max(0.0, end - time.monotonic()), stop)

    classes = list(each(solve, range(task.classes), MANY, stop))
    search = Search(classes, within, unit, end, stop)
    prototypes, named = search.places(*chosen), search.places(*asked)
    none, q = np.empty(0, np.int64), len(prototypes)
    cases = [(c, classes[c].forbid(j)) for c, j in prototypes]
    cases += [(c, classes[c].force(j, none)) for c, j in prototypes + named]
    settled = zip(cases, search.settle(cases), strict=True)
    costs = tuple(classes[c].above(cost, unit) for (c, _), cost in settled)
    replaced = [search.substitutes(c, j, chosen[0][chosen[1] == c]) for c, j in prototypes]
    optimum = search.optimum
    return NearSolutions(
        reached,
        Cost(optimum.least * unit, optimum.most * unit, optimum.proof),
        costs[:q],
        costs[q : 2 * q],
        tuple(found for found, _ in replaced),
        np.array([unsettled for _, unsettled in replaced], np.int64),
        tuple(zip(stands_for.tolist(), costs[2 * q :], strict=True)),
    )


def balls_of(task: Task, radius: float) -> tuple[Balls, float]:
    """The balls of one radius, with weights in units, and the unit."""
    w, unit = units(task.w)
    return read(task, np.array([radius]), w, np.full(len(w), -1), 0), unit


def weights_of(balls: Balls) -> Array:
    """Weight of each class in the ball of each candidate, (m, classes)."""
    return np.concatenate(
        [
            balls.weights(slice(j, j + CANDIDATES_AT_ONCE))[:, 0, :, 0]
            for j in range(0, balls.task.shape[1], CANDIDATES_AT_ONCE)
        ]
    )


def class_programs(
    balls: Balls, cost: float, allowance: float, *asked: tuple[Array, Array]
) -> list[tuple[Program, ClassBalls]]:
    """Each class's program with all candidates that can be in a near-optimal solution or are of interest, and these.

    A candidate that costs more than the weight it covers raises the objective by at least the
    difference, which exceeds `allowance`.
    """
    task, inside = balls.task, weights_of(balls)
    wrong = inside.sum(axis=1, keepdims=True) - inside
    pays = (inside > 0) & (wrong + cost - inside <= allowance)
    if task.allowed_class is not None:
        only = task.allowed_class >= 0
        pays[only] &= task.allowed_class[only, None] == np.arange(task.classes)
    for at, classes in asked:
        pays[at, classes] = True
    members, out = balls.of_classes(pays.T), []
    check_listed(task, members, balls.coding.radii[-1])
    for c, of_class in enumerate(members):
        matrix = of_class.matrix(np.arange(len(of_class.candidates)), 0)
        matrix.sort_indices()
        out.append(
            (
                Program(
                    wrong[of_class.candidates, c] + cost,
                    balls.w[of_class.rows],
                    matrix,
                    step_of(cost),
                ),
                of_class,
            )
        )
    return out


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
        Dual price of the covering constraint of the row in the relaxation of (3) of Bien and
        Tibshirani (2011), at most its weight; plus its weight once for each ball of another class
        that contains it, the dual price of the constraints on eta.
    uncovered : bool array (n,)
        Whether no ball of its class contains the row.
    wrong : int array (n,)
        Number of balls of other classes that contain the row.
    """
    end, stop = time.monotonic() + seconds, Stop()
    balls, unit = balls_of(task, radius)
    programs = class_programs(balls, in_units(lambda_, unit), 0.0)

    def prices(c: int) -> Array:
        program = programs[c][0]
        smaller, *_ = worthwhile(program)
        return _prices(
            program,
            smaller,
            relax(smaller, dual_bound(smaller), max(0.0, end - time.monotonic()), stop).y,
        )

    price = (
        of_rows(
            task,
            tuple(members for _, members in programs),
            list(each(prices, range(task.classes), MANY, stop)),
        )
        * unit
    )

    D = task.D.only(chosen[0])

    def trouble(tile: Tile) -> tuple[Array, Array, Array]:
        inside = D.take(tile.rows, tile.columns) < radius
        own = task.y[tile.rows, None] == chosen[1][tile.columns]
        return tile.rows, (inside & own).any(axis=1), (inside & ~own).sum(axis=1)

    covered, wrong = np.zeros(len(task.y), np.bool_), np.zeros(len(task.y), np.int64)
    for rows, some, others in D.each_tile(trouble):
        covered[rows] |= some
        wrong[rows] += others
    return price + task.w * wrong, ~covered, wrong


def swapped(rule: Nearest, task: Task, places: Array, candidates: Array) -> Nearest:
    """The rule with candidates, columns of D (s,), as prototypes at these places (s,), for the same
    classes, and its objective.

    The prototypes keep their order, so each covers the rows of its class that no earlier one
    covers. This is not a greedy order any more, and no certificate is kept.
    """
    old = rule.prototypes
    assert old.at is not None
    assert old.radii is not None
    at = old.at.copy()
    at[places] = candidates
    covers, wrong = first_covered(task, at, old.classes, old.radii)
    goal = rule.report["objective"]
    reached = Objective(
        float(task.w.sum() - covers.sum()), float(wrong.sum()), len(at), goal.lambda_
    )
    report = {k: v for k, v in rule.report.items() if k != "certificate"}
    prototypes = Points(
        old.classes, at=at, radii=old.radii, table={"newly_covered": covers, "miscovered": wrong}
    )
    return Nearest(prototypes, rule.classes, rule.fallback, {**report, "objective": reached})


def first_covered(task: Task, at: Array, classes: Array, radii: Array) -> tuple[Array, Array]:
    """For each prototype the weight of the rows of its class that no earlier one covers, and of the
    rows of others in its ball.
    """
    left = task.w.copy()  # weights of the rows that no prototype of their class covers yet
    covers, wrong = np.empty(len(at)), np.empty(len(at))
    for s, radius in enumerate(radii):
        ball = task.D.take(np.arange(len(left)), at[s : s + 1])[:, 0] < radius
        own = task.y == classes[s]
        covers[s], wrong[s] = left[ball & own].sum(), task.w[ball & ~own].sum()
        left[ball & own] = 0.0
    return covers, wrong
