"""The linear relaxation with randomised rounding (PVM paper, section 3.1 and appendix B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact import Solved
from .program import Program, Stop, ascent, highs

Array = NDArray[Any]
CAP = 100  # unions drawn before the last one is accepted


def round_relaxation(
    program: Program, draws: int, seed: tuple[int, ...], seconds: float, stop: Stop, union: bool = False
) -> Solved:
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
        Time limit of the relaxation; if it is reached, a cover of no prototypes and the bound of dual ascent are
        returned.
    stop : Stop
    union : bool
        Use the variant of the course report, see `unite_draws`.
    """
    bound, y = ascent(program, 0)
    proof, note = "dual", ""
    best = np.zeros(len(program.cost), np.bool_)
    value = program.objective(best)
    relaxed = highs(program, False, seconds, stop)
    if relaxed.y is not None:
        lower = program.bound(relaxed.y)[0]
        if lower > bound:
            bound, y, proof = lower, relaxed.y, "LP"
    if relaxed.x is not None and relaxed.optimal:
        x = np.clip(relaxed.x, 0.0, 1.0)
        if union:
            union_cover = unite_draws(program, x, seed, bound)
            note = f"{union_cover.tries} union draws" + (
                "" if union_cover.passed else ", none of which passed the check"
            )
            best, value = union_cover.chosen, program.objective(union_cover.chosen)
        else:
            drawn, objectives = draw(program, x, draws, seed)
            at = int(objectives.argmin())
            best, value = drawn[at], float(objectives[at])
    return Solved(best, value, min(value, program.round_up(bound)), proof, note, np.clip(y, 0.0, program.prize))


@dataclass(frozen=True)
class United:
    """A union of draws: the cover, whether it passed the check (feasible with its own slacks, and within the bound), and
    how often it was drawn."""

    chosen: Array
    passed: bool
    tries: int


def unite_draws(program: Program, x: Array, seed: tuple[int, ...], bound: float, cap: int = CAP) -> United:
    """The rounding of the course report (Visagan 2018, section 4.1): the union of 2 log(rows) Bernoulli draws of candidates
    and of slacks, which is then checked.

    A union passes when every row is covered or has its slack drawn, and cost and slacks together are at most 2 log(rows)
    times the relaxation's optimum. A union that fails is drawn again, at most `cap` times in all; then the last one is returned.

    Parameters
    ----------
    program : Program
    x : array (a,)
        The relaxation's solution.
    seed : tuple of int
    bound : float
        The relaxation's optimum.
    """
    random = np.random.default_rng(seed)
    slack = np.maximum(0.0, 1.0 - np.asarray(program.covers.T @ x))
    rounds = 2 * np.log(max(2, len(program.prize)))
    chosen = np.zeros(len(x), np.bool_)
    for tries in range(1, cap + 1):
        # in the union of t draws a variable is on with probability 1 - (1 - x)^t
        chosen = random.random(len(x)) < 1 - (1 - x) ** int(np.ceil(rounds))
        left_out = random.random(len(slack)) < 1 - (1 - slack) ** int(np.ceil(rounds))
        covered = np.asarray(program.covers.T @ chosen.astype(float)) > 0
        total = float(program.cost[chosen].sum() + program.prize[left_out].sum())
        if (covered | left_out).all() and total <= rounds * bound + 1e-9:
            return United(chosen, True, tries)
    return United(chosen, False, cap)


def draw(program: Program, x: Array, draws: int, seed: tuple[int, ...]) -> tuple[Array, Array]:
    """Bernoulli covers, bool (draws, a), and their objectives (draws,)."""
    random = np.random.default_rng(seed)
    drawn = random.random((draws, len(x))) < x
    times = np.asarray((program.covers.T @ drawn.T.astype(float)).T)
    # sums in NumPy's order: draws whose sums a matrix product rounds in another way would be chosen by the build of BLAS
    costs = np.where(drawn, program.cost, 0.0).sum(axis=1)
    return drawn, costs + np.where(times == 0, program.prize, 0.0).sum(axis=1)
