"""The prize-collecting set cover of one class as a linear or integer program: bounds, solvers and
certificates of covers.

    minimise  sum_j cost_j x_j + sum_i prize_i xi_i    subject to  sum_{j covers i} x_j + xi_i >= 1,   x, xi >= 0

For any y with 0 <= y_i <= prize_i, sum_i y_i + sum_j min(0, cost_j - sum_{i in j} y_i) bounds every
cover from below. So a bound depends on the y that a solver returns, never on its tolerances.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import Array
from ..parallel import kernel
from ..thresholds import AFFORDABLE

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Program:
    """One class's problem.

    Attributes
    ----------
    cost : array (a,)
        Cost of each candidate: lambda + weight of other rows in its ball.
    prize : array (b,)
        Weight of each row.
    covers : csr_array (a, b) of ones
        Rows in the ball of each candidate.
    step : float
        Objectives are multiples of this; 0 if none is known.
    rows : int array (b,), or None
        Position of each row in the program of which this is a part.
    """

    cost: Array
    prize: Array
    covers: csr_array
    step: float
    rows: Array | None = None

    def objective(self, chosen: Array) -> float:
        """Cost of the chosen candidates (bool (a,)) and prizes of the rows that none of them covers."""
        return float(self.cost[chosen].sum() + self.prize[self.times(chosen) == 0].sum())

    def times(self, chosen: Array) -> Array:
        """How many of some candidates, bool (a,), contain each row in their balls, (b,); for
        several sets, (a, s) and (b, s).
        """
        held: Array = self.covers.T @ chosen.astype(float)
        return held

    def bound(self, y: Array) -> tuple[float, Array]:
        """Lower bound from row prices y (clipped to their range), and the reduced cost of each candidate."""
        y = np.clip(y, 0.0, self.prize)
        reduced = self.cost - self.covers @ y
        return float(y.sum() + np.minimum(reduced, 0.0).sum()), reduced

    def part(self, candidates: Any, needed: Array) -> tuple[Program, float]:
        """The program of some candidates and of the rows that need a cover, bool (b,), and can have
        one; the prizes of those that can have none.
        """
        covers = self.covers[candidates]
        held = needed & (np.bincount(covers.indices, minlength=len(self.prize)) > 0)
        rows = np.flatnonzero(held)
        covers = covers[:, rows]
        covers.sort_indices()
        lost = float(self.prize[needed & ~held].sum())
        return Program(self.cost[candidates], self.prize[rows], covers, self.step, rows), lost

    def round_up(self, bound: float) -> float:
        """The smallest possible objective at or above a bound."""
        return float(round_up(bound, self.step))


def round_up(bound: Any, step: float) -> Any:
    """The smallest multiples of `step` at or above some bounds, up to rounding; the bounds themselves if it is 0."""
    if not step:
        return bound
    slack = 1e-9 * np.maximum(1.0, np.abs(bound))
    return np.ceil((bound - slack) / step) * step


def step_of(cost: float) -> float:
    """The number of which objectives are multiples, if weights are whole numbers and a prototype costs `cost`."""
    part = Fraction(cost).limit_denominator(100_000)
    return 1 / part.denominator if abs(float(part) - cost) <= 1e-12 * max(1.0, cost) else 0.0


@dataclass(frozen=True)
class Bound:
    """A lower bound on any cover by prices of the rows, and the solution of the relaxation if there is one."""

    value: float
    y: Array  # prices (b,)
    proof: str  # "dual" (ascent), "LP" (relaxation) or "MIP" (integer program)
    x: Array | None = None  # (a,)
    optimal: bool = False  # whether x is


def dual_bound(program: Program, sweeps: int = 200) -> Bound:
    """A bound without a linear program: one sweep of dual ascent (rows with fewest candidates
    first), then subgradient steps towards a target slightly above the best bound.
    """
    c = program.covers
    t = c.T.tocsr()
    slack, y = program.cost.astype(float), np.zeros(len(program.prize))
    ascend(
        np.argsort(np.diff(t.indptr), kind="stable"),
        t.indptr,
        t.indices,
        program.prize.astype(float),
        slack,
        y,
    )
    best, _ = program.bound(y)
    best_y, point, pace = y.copy(), y, 1.0
    target = best + 0.05 * max(1.0, abs(best))
    for _ in range(sweeps):
        value, reduced = program.bound(point)
        if value > best + 1e-12 * abs(best):
            best, best_y = value, point.copy()
            target = max(target, best + 0.01 * max(1.0, abs(best)))
        else:
            pace *= 0.97
        subgradient = 1.0 - t @ (reduced < 0).astype(float)
        length = float(subgradient @ subgradient)
        if length == 0 or pace < 1e-3:
            break
        point = np.clip(point + pace * (target - value) / length * subgradient, 0.0, program.prize)
    return Bound(best, best_y, "dual")


@kernel
def ascend(order, start, candidates, prize, slack, y):  # type: ignore[no-untyped-def]
    """Raise the price of one row after the other, up to its prize, while the columns that contain it have slack."""
    for i in order:
        room = prize[i] - y[i]
        for s in range(start[i], start[i + 1]):
            room = min(room, slack[candidates[s]])
        if room > 0:
            y[i] += room
            for s in range(start[i], start[i + 1]):
                slack[candidates[s]] -= room


def improve_cover(program: Program, chosen: Array) -> Array:
    """Add and drop single candidates as long as this lowers the objective; returns the cover, bool (a,)."""
    c, chosen = program.covers, chosen.copy()
    times = program.times(chosen).astype(np.int64)
    _improve(
        c.indptr, c.indices, program.cost.astype(float), program.prize.astype(float), chosen, times
    )
    return chosen


@kernel
def _improve(start, rows, cost, prize, chosen, times):  # type: ignore[no-untyped-def]
    # times: number of chosen candidates that cover each row
    moved = True
    while moved:
        moved = False
        for j in range(len(cost)):
            alone = 0.0
            expected = 1 if chosen[j] else 0
            for s in range(start[j], start[j + 1]):
                if times[rows[s]] == expected:
                    alone += prize[rows[s]]
            if chosen[j] and cost[j] > alone + 1e-9:
                chosen[j] = False
                moved = True
                for s in range(start[j], start[j + 1]):
                    times[rows[s]] -= 1
            elif not chosen[j] and alone > cost[j] + 1e-9:
                chosen[j] = True
                moved = True
                for s in range(start[j], start[j + 1]):
                    times[rows[s]] += 1


def ratio(program: Program) -> Array:
    """The standard greedy algorithm: each step selects the candidate with the lowest cost per unit
    of weight newly covered, while that is below 1, the price of leaving the weight uncovered (Bien
    and Tibshirani 2011, section 3.2), bool (a,).

    The first candidate breaks ties.
    """
    t = program.covers.T.tocsr()
    new_weight, needed = program.covers @ program.prize, np.ones(len(program.prize), np.bool_)
    chosen = np.zeros(len(new_weight), np.bool_)
    while len(chosen):
        price = np.full(len(new_weight), np.inf)
        np.divide(program.cost, new_weight, out=price, where=new_weight > 0)
        j = int(price.argmin())
        if not price[j] < 1:
            break
        chosen[j] = True
        rows = program.covers[[j]].indices
        rows = rows[needed[rows]]
        needed[rows] = False
        new_weight -= t[rows].T @ program.prize[rows]  # whole numbers, so without rounding
    return chosen


class Stop:
    """Stops the solvers of one fit when it is interrupted, and lets no other one start."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[Any] = set()
        self._over = False

    def __call__(self) -> None:
        with self._lock:
            self._over = True
            for solver in self._running:
                solver.cancelSolve()

    def run(self, solver: Any) -> None:
        with self._lock:
            if self._over:
                raise KeyboardInterrupt
            self._running.add(solver)
        try:
            solver.run()
        finally:
            with self._lock:
                self._running.discard(solver)


def quiet_solver() -> Any:
    """HiGHS on one thread, which prints nothing."""
    import highspy

    class Quiet(highspy.Highs):
        # with it highspy 1.16 prints a banner, before a user can set an option
        def enableCallbacks(self) -> None:
            self.silent()
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    solver: Any = Quiet()  # type: ignore[no-untyped-call]
    solver.silent()
    solver.setOptionValue("threads", 1)
    return solver


def highs(
    program: Program, integer: bool, seconds: float, stop: Stop, gap: float = 0.0
) -> tuple[Array | None, Array | None, float, bool]:
    """Solve the relaxation, or with `integer` the integer program, by HiGHS on one thread.

    Parameters
    ----------
    seconds : float
        Time limit.
    stop : Stop
    gap : float
        Relative gap at which an integer solution is accepted.

    Returns
    -------
    x (a,) and row prices y (b,), or None; the lower bound of HiGHS (-inf if none); whether x is
    optimal
    """
    import highspy

    a, b = len(program.cost), len(program.prize)
    scale = float(max(program.prize.max(initial=0.0), 1e-300))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = a + b, b
    lp.col_cost_ = np.concatenate([program.cost, program.prize]) / scale
    lp.col_lower_, lp.col_upper_ = np.zeros(a + b), np.ones(a + b)
    lp.row_lower_, lp.row_upper_ = np.ones(b), np.full(b, highspy.kHighsInf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.concatenate(
        [program.covers.indptr, program.covers.indptr[-1] + np.arange(1, b + 1)]
    )
    lp.a_matrix_.index_ = np.concatenate([program.covers.indices, np.arange(b)]).astype(np.int32)
    lp.a_matrix_.value_ = np.ones(program.covers.nnz + b)
    solver = quiet_solver()
    solver.setOptionValue("time_limit", max(0.0, seconds))
    if integer:
        # only x must be integer: xi then is as well
        lp.integrality_ = [highspy.HighsVarType.kInteger] * a + [
            highspy.HighsVarType.kContinuous
        ] * b
        solver.setOptionValue("mip_allow_restart", False)
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_abs_gap", max(1e-9, 0.99 * program.step / scale))
    solver.HandleUserInterrupt = True
    solver.passModel(lp)
    stop.run(solver)
    status, info, solution = solver.getModelStatus(), solver.getInfo(), solver.getSolution()
    optimal = status == highspy.HighsModelStatus.kOptimal
    x = np.array(solution.col_value[:a]) if solution.value_valid else None
    y = np.array(solution.row_dual) * scale if solution.dual_valid and not integer else None
    bound = info.mip_dual_bound * scale if integer and np.isfinite(info.mip_dual_bound) else -np.inf
    return x, y, float(bound), bool(optimal)


def relax(program: Program, known: Bound, seconds: float, stop: Stop) -> Bound:
    """The bound by the linear relaxation if it is above the known one, and the solution."""
    x, y, _, optimal = highs(program, False, seconds, stop)
    value = -np.inf if y is None else program.bound(y)[0]
    if y is None or value <= known.value:
        return replace(known, x=x, optimal=optimal)
    return Bound(value, y, "LP", x, optimal)


@dataclass(frozen=True)
class Solved:
    """A cover with its objective and a lower bound."""

    chosen: Array  # bool (a,)
    objective: float
    bound: float  # on the objective of any cover
    proof: str  # as in `Bound`, or "none"
    # prices of the rows (b,), whose bound is `bound`; if the proof is "MIP", the best that are known
    prices: Array
    note: str = ""  # for the summary


def _solved(program: Program, chosen: Array, value: float, bound: Bound, note: str = "") -> Solved:
    prices = np.clip(bound.y, 0.0, program.prize)
    return Solved(
        chosen, value, min(value, program.round_up(bound.value)), bound.proof, prices, note
    )


def exact(program: Program, start: Array, seconds: float, gap: float, stop: Stop) -> Solved:
    """Solve one class's problem to proven optimality.

    The linear relaxation bounds the optimum. Rounded at its own thresholds and improved, it nearly
    always gives a cover at or near the optimum. Reduced costs then fix most candidates, and HiGHS
    solves the integer program of the others.

    Parameters
    ----------
    program : Program
    start : bool array (a,)
        Initial cover, such as the greedy one.
    seconds : float
        Time limit; when it is reached, the best cover so far and its bound are returned.
    gap : float
        Relative gap that is accepted; 0 requires the optimum.
    stop : Stop
    """
    end = time.monotonic() + seconds
    best = improve_cover(program, start)
    value, bound = program.objective(best), dual_bound(program, 0)
    if not _is_closed(program, value, bound, gap):
        bound = relax(program, bound, end - time.monotonic(), stop)
        if bound.x is not None:
            best, value = round_thresholds(program, bound.x, best, value)
    if not _is_closed(program, value, bound, gap) and time.monotonic() < end:
        best, value, bound = _branch(program, best, value, bound, end, gap, stop)
    return _solved(program, best, value, bound)


def _is_closed(program: Program, value: float, bound: Bound, gap: float) -> bool:
    return value - program.round_up(bound.value) <= max(
        gap * abs(value), 1e-9 * max(1.0, abs(value))
    )


def certify_cover(program: Program, chosen: Array, seconds: float, stop: Stop) -> Solved:
    """A given cover with a lower bound: by the linear relaxation if it is affordable, otherwise by dual ascent."""
    bound, value = dual_bound(program), program.objective(chosen)
    if program.covers.nnz <= AFFORDABLE and not _is_closed(program, value, bound, 0.0):
        bound = relax(program, bound, seconds, stop)
    return _solved(program, chosen, value, bound)


def round_thresholds(program: Program, x: Array, best: Array, value: float) -> tuple[Array, float]:
    """The best of the improved covers by the candidates whose value in the relaxation reaches some threshold."""
    thresholds = np.unique(np.round(x[x > 1e-6], 6))
    for threshold in thresholds[
        # the relaxation is rounded at 24 thresholds
        np.unique(np.linspace(0, len(thresholds) - 1, min(len(thresholds), 24)).astype(int))
    ]:
        cover = improve_cover(program, x >= threshold - 1e-9)
        reached = program.objective(cover)
        if reached < value - 1e-12 * abs(value):
            best, value = cover, reached
    return best, value


def _branch(
    program: Program,
    best: Array,
    value: float,
    bound: Bound,
    end: float,
    gap: float,
    stop: Stop,
) -> tuple[Array, float, Bound]:
    """Fix the candidates that reduced costs decide for any better cover, and solve for the others
    as an integer program.
    """
    base, reduced = program.bound(bound.y)
    room = (
        value - base - (0.99 * program.step if program.step else 0.0) + 1e-9 * max(1.0, abs(value))
    )
    out, taken = reduced > room, reduced < -room
    free = np.flatnonzero(~out & ~taken)
    rest, lost = program.part(free, program.times(taken) == 0)
    fixed = float(program.cost[taken].sum()) + lost
    x, _, rest_bound, _ = highs(rest, True, end - time.monotonic(), stop, gap)
    if x is not None:
        cover = taken.copy()
        cover[free[x > 0.5]] = True
        cover = improve_cover(program, cover)
        reached = program.objective(cover)
        if reached < value:
            best, value = cover, reached
    # a cover better than `value` has the fixed candidates, so none lies below both the bound of the
    # rest and `value`
    lower = min(value, fixed + rest_bound)
    return best, value, replace(bound, value=lower, proof="MIP") if lower > bound.value else bound


def round_relaxation(
    program: Program,
    draws: int,
    seed: tuple[int, ...],
    seconds: float,
    stop: Stop,
    union: bool = False,
) -> Solved:
    """The best of `draws` covers that contain each candidate with its probability in the relaxation
    (same paper, section 3.1).

    The objective separates by class, so the best draw is kept class by class. In expectation a draw
    is at most (weight of the class) / e above the relaxation (appendix B).

    Parameters
    ----------
    program : Program
    draws : int
        B in the paper.
    seed : tuple of int
    seconds : float
        Time limit of the relaxation; if it is reached, a cover of no prototypes and the bound of
        dual ascent are returned.
    stop : Stop
    union : bool
        Use the variant of the course report, see `unite_draws`.
    """
    best, note = np.zeros(len(program.cost), np.bool_), ""
    value, bound = program.objective(best), relax(program, dual_bound(program, 0), seconds, stop)
    if bound.x is not None and bound.optimal:
        x = np.clip(bound.x, 0.0, 1.0)
        if union:
            best, passed, tries = unite_draws(program, x, seed, bound.value)
            note = f"{tries} union draws" + ("" if passed else ", none of which passed the check")
            value = program.objective(best)
        else:
            drawn, objectives = draw(program, x, draws, seed)
            at = int(objectives.argmin())
            best, value = drawn[at], float(objectives[at])
    return _solved(program, best, value, bound, note)


def unite_draws(
    program: Program, x: Array, seed: tuple[int, ...], bound: float, cap: int = 100
) -> tuple[Array, bool, int]:
    """The rounding of the course report (Visagan 2018, section 4.1): the union of 2 log(rows)
    Bernoulli draws of candidates and of slacks, which is then checked.

    A union passes when every row is covered or has its slack drawn, and cost and slacks together
    are at most 2 log(rows) times the relaxation's optimum. A union that fails is drawn again, at
    most `cap` times in all; then the last one is returned.

    Parameters
    ----------
    program : Program
    x : array (a,)
        The relaxation's solution.
    seed : tuple of int
    bound : float
        The relaxation's optimum.

    Returns
    -------
    the cover, bool (a,), whether it passed, and how often it was drawn
    """
    random = np.random.default_rng(seed)
    slack = np.maximum(0.0, 1.0 - program.covers.T @ x)
    rounds = 2 * np.log(max(2, len(program.prize)))
    chosen = np.zeros(len(x), np.bool_)
    for tries in range(1, cap + 1):
        # in the union of t draws a variable is on with probability 1 - (1 - x)^t
        chosen = random.random(len(x)) < 1 - (1 - x) ** int(np.ceil(rounds))
        left_out = random.random(len(slack)) < 1 - (1 - slack) ** int(np.ceil(rounds))
        covered = program.times(chosen) > 0
        total = float(program.cost[chosen].sum() + program.prize[left_out].sum())
        if (covered | left_out).all() and total <= rounds * bound + 1e-9:
            return chosen, True, tries
    return chosen, False, cap


def draw(program: Program, x: Array, draws: int, seed: tuple[int, ...]) -> tuple[Array, Array]:
    """Bernoulli covers, bool (draws, a), and their objectives (draws,)."""
    random = np.random.default_rng(seed)
    drawn = random.random((draws, len(x))) < x
    times = program.times(drawn.T).T
    # Sums are in NumPy's order: a matrix product rounds as the build of BLAS does, which would then
    # choose among draws.
    costs = np.where(drawn, program.cost, 0.0).sum(axis=1)
    return drawn, costs + np.where(times == 0, program.prize, 0.0).sum(axis=1)
