"""The linear relaxation with randomised rounding (PVM paper, section 3.1 and appendix B)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import Solved
from .program import Program, Stop, ascent, highs

Array = NDArray[Any]


def rounded(program: Program, draws: int, seed: tuple[int, ...], seconds: float, stop: Stop) -> Solved:
    """The best of `draws` covers that hold each candidate with the probability that the relaxation gives it.

    The objective separates by class, so the best draw is kept class by class. In expectation a draw is at most
    (weight of the class) / e above the relaxation (appendix B).

    Parameters
    ----------
    program : Program
    draws : int
        B in the paper.
    seed : tuple of int
    seconds : float
        Time limit of the relaxation; where it is reached a cover of no prototypes and the bound of dual ascent are the
        answer.
    stop : Stop
    """
    bound, proof = ascent(program, 0)[0], "dual"
    best = np.zeros(len(program.cost), np.bool_)
    value = program.objective(best)
    relaxed = highs(program, False, seconds, stop)
    if relaxed.y is not None:
        lower = program.bound(relaxed.y)[0]
        if lower > bound:
            bound, proof = lower, "LP"
    if relaxed.x is not None and relaxed.optimal:
        drawn, objectives = draw(program, relaxed.x, draws, seed)
        at = int(objectives.argmin())
        best, value = drawn[at], float(objectives[at])
    return Solved(best, value, min(value, program.raised(bound)), proof)


def draw(program: Program, x: Array, draws: int, seed: tuple[int, ...]) -> tuple[Array, Array]:
    """Bernoulli covers, bool (draws, a), and their objectives (draws,)."""
    random = np.random.default_rng(seed)
    drawn = random.random((draws, len(x))) < x
    times = np.asarray((program.covers.T @ drawn.T.astype(float)).T)
    return drawn, drawn @ program.cost + (times == 0) @ program.prize
