"""The set cover problems of the PVM solved to proven optimality.

The linear relaxation bounds the optimum. Rounded at its own thresholds and improved, it nearly always gives a cover at or
near the optimum. Reduced costs then fix most candidates, and HiGHS solves the integer program of the others.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Program, Stop, ascent, highs, improve_cover

Array = NDArray[Any]
THRESHOLDS = 24  # at which the relaxation is rounded


@dataclass(frozen=True)
class Solved:
    """A cover with its objective and a lower bound.

    Attributes
    ----------
    chosen : bool array (a,)
    objective, bound : float
        The objective of the cover, and a lower bound on that of any cover.
    proof : str
        Where the bound comes from: "dual" (ascent), "LP" (relaxation) or "MIP" (integer program).
    note : str
        A further note for the summary.
    prices : array (b,), or None
        Of the rows; the bound by these is `bound`, unless the proof is "MIP", and then the best one that prices gave.
    """

    chosen: Array
    objective: float
    bound: float
    proof: str
    note: str = ""
    prices: Array | None = None


def exact(program: Program, start: Array, seconds: float, gap: float, stop: Stop) -> Solved:
    """Solve one class's problem.

    Parameters
    ----------
    program : Program
    start : bool array (a,)
        A cover to start from, such as the greedy one.
    seconds : float
        Time limit; when it is reached, the best cover so far and its bound are returned.
    gap : float
        Relative gap that is good enough; 0 asks for the optimum.
    stop : Stop
    """
    end = time.monotonic() + seconds
    best = improve_cover(program, start)
    value = program.objective(best)
    bound, y = ascent(program, 0)
    proof = "dual"
    if not _is_closed(program, value, bound, gap):
        relaxed = highs(program, False, end - time.monotonic(), stop)
        if relaxed.y is not None:
            lower = program.bound(relaxed.y)[0]
            if lower > bound:
                bound, y, proof = lower, relaxed.y, "LP"
        if relaxed.x is not None:
            best, value = round_thresholds(program, relaxed.x, best, value)
    if not _is_closed(program, value, bound, gap) and time.monotonic() < end:
        best, value, bound, proof = _branch(program, best, value, bound, y, proof, end, gap, stop)
    return Solved(best, value, min(value, program.round_up(bound)), proof, prices=np.clip(y, 0.0, program.prize))


def _is_closed(program: Program, value: float, bound: float, gap: float) -> bool:
    return value - program.round_up(bound) <= max(gap * abs(value), 1e-9 * max(1.0, abs(value)))


def round_thresholds(program: Program, x: Array, best: Array, value: float) -> tuple[Array, float]:
    """The best of the improved covers by the candidates whose value in the relaxation reaches some threshold."""
    thresholds = np.unique(np.round(x[x > 1e-6], 6))
    for threshold in thresholds[
        np.unique(np.linspace(0, len(thresholds) - 1, min(len(thresholds), THRESHOLDS)).astype(int))
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
    bound: float,
    y: Array,
    proof: str,
    end: float,
    gap: float,
    stop: Stop,
) -> tuple[Array, float, float, str]:
    """Fix the candidates that reduced costs decide for any better cover, and solve for the others as an integer program."""
    base, reduced = program.bound(y)
    room = value - base - (0.99 * program.step if program.step else 0.0) + 1e-9 * max(1.0, abs(value))
    out, taken = reduced > room, reduced < -room
    free = np.flatnonzero(~out & ~taken)
    covered = np.asarray(program.covers.T @ taken.astype(float)) > 0
    live = np.flatnonzero(~covered)
    part = program.covers[free][:, live]
    part.sort_indices()
    touched = np.flatnonzero(np.bincount(part.indices, minlength=len(live)) > 0)
    fixed = float(program.cost[taken].sum() + np.delete(program.prize[live], touched).sum())
    rest = Program(program.cost[free], program.prize[live[touched]], part[:, touched], program.step)
    solution = highs(rest, True, end - time.monotonic(), stop, gap)
    if solution.x is not None:
        cover = taken.copy()
        cover[free[solution.x > 0.5]] = True
        cover = improve_cover(program, cover)
        reached = program.objective(cover)
        if reached < value:
            best, value = cover, reached
    # a cover better than `value` has the fixed candidates, so none lies below both the bound of the rest and `value`
    lower = min(value, fixed + solution.bound)
    if lower > bound:
        bound, proof = lower, "MIP"
    return best, value, bound, proof
