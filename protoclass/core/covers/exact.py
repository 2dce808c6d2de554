"""The set cover problems of the PVM solved to proven optimality.

The linear relaxation bounds the optimum and, rounded at its own thresholds and improved, nearly always gives a cover at or
near it. Reduced costs then fix most candidates, and the integer program that is left goes to HiGHS.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Program, Stop, ascent, highs, improved

Array = NDArray[Any]
THRESHOLDS = 24  # at which the relaxation is rounded


@dataclass(frozen=True)
class Solved:
    """A cover and how good it is.

    Attributes
    ----------
    chosen : bool array (a,)
    objective, bound : float
        The cover's, and what no cover can be below.
    proof : str
        Where the bound comes from: "dual" (ascent), "LP" (relaxation) or "MIP" (integer program).
    note : str
        What else a summary should say.
    """

    chosen: Array
    objective: float
    bound: float
    proof: str
    note: str = ""


def exact(program: Program, start: Array, seconds: float, gap: float, stop: Stop) -> Solved:
    """Solve one class's problem.

    Parameters
    ----------
    program : Program
    start : bool array (a,)
        A cover to start from, such as greedy's.
    seconds : float
        Time limit; when it is reached the best cover found and its bound are the answer.
    gap : float
        Relative gap that is good enough; 0 asks for the optimum.
    stop : Stop
    """
    end = time.monotonic() + seconds
    best = improved(program, start)
    value = program.objective(best)
    bound, y = ascent(program, 0)
    proof = "dual"
    if not _closed(program, value, bound, gap):
        relaxed = highs(program, False, end - time.monotonic(), stop)
        if relaxed.y is not None:
            lower = program.bound(relaxed.y)[0]
            if lower > bound:
                bound, y, proof = lower, relaxed.y, "LP"
        if relaxed.x is not None:
            best, value = _rounded(program, relaxed.x, best, value)
    if not _closed(program, value, bound, gap) and time.monotonic() < end:
        best, value, bound, proof = _branched(program, best, value, bound, y, proof, end, gap, stop)
    return Solved(best, value, min(value, program.raised(bound)), proof)


def _closed(program: Program, value: float, bound: float, gap: float) -> bool:
    return value - program.raised(bound) <= max(gap * abs(value), 1e-9 * max(1.0, abs(value)))


def _rounded(program: Program, x: Array, best: Array, value: float) -> tuple[Array, float]:
    """The best of the covers that hold what the relaxation chose to at least some share, improved."""
    shares = np.unique(np.round(x[x > 1e-6], 6))
    for share in shares[np.unique(np.linspace(0, len(shares) - 1, min(len(shares), THRESHOLDS)).astype(int))]:
        cover = improved(program, x >= share - 1e-9)
        reached = program.objective(cover)
        if reached < value - 1e-12 * abs(value):
            best, value = cover, reached
    return best, value


def _branched(
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
    """Fix by reduced costs what cannot be otherwise in a better cover, and solve the rest as an integer program."""
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
    found = highs(rest, True, end - time.monotonic(), stop, gap)
    if found.x is not None:
        cover = taken.copy()
        cover[free[found.x > 0.5]] = True
        cover = improved(program, cover)
        reached = program.objective(cover)
        if reached < value:
            best, value = cover, reached
    # a better cover than `value` obeys the fixing, so below both the rest's bound and `value` there is none
    lower = min(value, fixed + found.bound)
    if lower > bound:
        bound, proof = lower, "MIP"
    return best, value, bound, proof
