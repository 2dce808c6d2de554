"""The set cover problems of all folds, classes and radii, and the certificate of a cover.

The integer program (3) of the paper separates by class (appendix A): for class l choose columns so
that

    sum_j C_l(j) alpha_j + sum of the weights of class-l rows that no chosen ball contains

is lowest, with C_l(j) = lambda + miscovered. A column is the ball of a candidate at the radius of
the problem. It can have a gain in at most one class, the majority of the ball, because a gain needs
more weight of the class than of all others. There is a problem for each radius, and the columns of
all of them are the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...ground.errors import printed
from ...ground.savable import savable
from .. import Array
from ..parallel import in_blocks
from ..statistics.sums import in_units, units
from ..task import Task
from ..thresholds import GAINS, HELD
from .balls import ClassBalls, read, too_many

CANDIDATES_AT_ONCE = 128  # candidates whose gains are found together
# the names of the proofs in words
PROOFS = {
    "prices": "reduced costs",
    "dual": "dual ascent",
    "LP": "linear relaxation",
    "MIP": "integer program",
}


@dataclass(frozen=True)
class CoverProblems:
    """The problems of some folds, one for each radius; weights, gains and costs are in whole numbers of `unit`.

    Attributes
    ----------
    task : Task
    w : array (n,)
        Weights of the rows, in units.
    unit : float
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    gain, wrong, best : arrays (folds, radii, candidates), see `find_gains`
    classes : tuple of ClassBalls
        Candidates that may represent each class and pay, its rows, and the balls.
    """

    task: Task
    w: Array
    unit: float
    fold: Array
    gain: Array
    wrong: Array
    best: Array
    classes: tuple[ClassBalls, ...]


def covers(task: Task, fold: Array, folds: int, radii: Array, least: float) -> CoverProblems:
    """Read the dissimilarities once and build the problems.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none.
    folds : int
    radii : array (K,), ascending
    least : float
        Largest gain at which candidates are dropped: the smallest lambda.
    """
    (n, m), (w, unit) = task.shape, units(task.w)
    balls = read(task, radii, w, fold, folds)
    owner = np.where(task.candidate_row < 0, -1, fold[task.candidate_row])
    allowed = np.full(m, -1) if task.allowed_class is None else task.allowed_class
    shape = folds, len(radii), m
    gain, wrong, best = np.empty(shape), np.empty(shape), np.empty(shape, np.int16)

    def count(part: slice) -> None:
        gain[:, :, part], wrong[:, :, part], best[:, :, part] = find_gains(
            balls.weights(part), owner[part], allowed[part]
        )

    in_blocks(count, m, CANDIDATES_AT_ONCE, n * m)
    stands_for = np.where(gain > in_units(least, unit), best, -1)
    pays = [(stands_for == c).any(axis=(0, 1)) for c in range(task.classes)]
    return CoverProblems(task, w, unit, fold, gain, wrong, best, balls.of_classes(np.array(pays)))


def find_gains(weights: Array, owner: Array, allowed: Array) -> tuple[Array, Array, Array]:
    """The gain of each candidate for the class that gains most by it, for each fold left out and each radius.

    Parameters
    ----------
    weights : array (q, folds + 1, classes, radii + 1)
        Weight of the rows of each candidate by code. The last fold has the rows that are never left
        out.
    owner : int array (q,)
        Fold in which the candidate itself is left out, or -1.
    allowed : int array (q,)
        Only class that the candidate may represent, -1 for any.

    Returns
    -------
    gain : array (folds, radii, q)
        Weight of the class minus weight of other classes in the ball, without the fold's rows; -inf
        for a candidate that is left out itself.
    wrong : array (folds, radii, q)
        Weight of other classes in the ball.
    best : int array (folds, radii, q)
        The class; the first of several equal ones. No other class can gain, because a gain needs
        the majority of the ball's weight.
    """
    # (radii, folds + 1, classes, q)
    inside = np.ascontiguousarray(weights[..., :-1].transpose(3, 1, 2, 0))
    for k in range(1, len(inside)):
        inside[k] += inside[k - 1]
    inside = inside.sum(axis=1, keepdims=True) - inside[:, :-1]
    ball = inside.sum(axis=2)
    best = np.where(allowed < 0, inside.argmax(axis=2), allowed)
    own = np.take_along_axis(inside, best[:, :, None], axis=2)[:, :, 0]
    gain = np.where(owner == np.arange(inside.shape[1])[:, None], -np.inf, 2 * own - ball)
    return gain.transpose(1, 0, 2), (ball - own).transpose(1, 0, 2), best.transpose(1, 0, 2)


def of_rows(task: Task, classes: tuple[ClassBalls, ...], prices: Sequence[Array]) -> Array:
    """The prices of the rows of each class in the order of the data; 0 of rows without a weight."""
    out = np.zeros(len(task.y))
    for balls, of_class in zip(classes, prices, strict=True):
        out[balls.rows] = of_class
    return out


def check_listed(task: Task, classes: tuple[ClassBalls, ...], radius: float) -> None:
    """Raise TooLargeError if the balls of all candidates have too many rows for a program that lists them."""
    if sum(balls.pairs for balls in classes) > HELD:
        raise too_many(task, radius)


def fold_groups(task: Task, folds: int, radii: int) -> Iterator[Array]:
    """The folds in groups that memory allows: the size of `CoverProblems` grows with folds x radii x candidates."""
    n, m = task.shape
    most = max(GAINS, 8 * n * m)
    size = max(1, most // max(1, 8 * task.classes * radii * m))
    for first in range(0, folds, size):
        yield np.arange(first, min(first + size, folds))


@savable
@dataclass(frozen=True)
class Objective:
    """The objective of the integer program (3), in weight of rows.

    Attributes
    ----------
    uncovered : float
        Sum of xi: weight of the rows that no ball of their own class contains.
    miscovered : float
        Sum of eta: weight of the rows in a ball of another class, once for each such ball.
    prototypes : int
        Number of prototypes.
    lambda_ : float
        Cost of a prototype.
    """

    uncovered: float
    miscovered: float
    prototypes: int
    lambda_: float

    @property
    def value(self) -> float:
        return self.uncovered + self.miscovered + self.lambda_ * self.prototypes


def objective(inside: Array, classes: Array, y: Array, w: Array, lambda_: float) -> Objective:
    """The objective from its definition.

    Parameters
    ----------
    inside : bool array (n, q)
        Whether row i lies in the ball of prototype j.
    classes : int array (q,)
        Class that each prototype represents.
    y : int array (n,)
    w : array (n,)
    lambda_ : float
    """
    own = y[:, None] == classes[None, :]
    uncovered = float(w[~(inside & own).any(axis=1)].sum())
    miscovered = float((w[:, None] * (inside & ~own)).sum())
    return Objective(uncovered, miscovered, len(classes), lambda_)


@savable(objective="L", bound="L", proof="L", prices="n")
@dataclass(frozen=True)
class Certificate:
    """A certificate of optimality: a bound on the distance of a cover from the optimum.

    Attributes
    ----------
    objective, bound : arrays (classes,)
        Objective of the cover, and lower bound on the objective of any cover, for each class (the
        problem separates).
    proof : tuple of str
        Source of each bound: "dual" (dual ascent), "LP" (the linear relaxation) or "MIP" (the
        integer program).
    notes : tuple of str
        Note of the solver for each class, "" for none.
    over : str
        The candidates of cover and bound, if they are a sample of the rows; "" if they are all
        rows.
    prices : array (n,), or None
        Dual prices of the rows: 0 <= y_i <= w_i, such that for each class sum y_i + sum_j min(0,
        C_j - sum of y_i in ball j) is a lower bound. It is `bound`, up to the next value that an
        objective can have, unless that is from the integer program.
    """

    objective: Array
    bound: Array
    proof: tuple[str, ...]
    notes: tuple[str, ...] = ()
    over: str = ""
    prices: Array | None = None

    @property
    def gap(self) -> float:
        """(objective - bound) / bound over all classes; 0 is optimal."""
        objective, bound = float(self.objective.sum()), float(self.bound.sum())
        above = objective - bound
        if above <= 1e-9 * max(1.0, objective):
            return 0.0
        return above / bound if bound > 0 else float("inf")

    def scaled(self, unit: float) -> Certificate:
        prices = None if self.prices is None else self.prices * unit
        return replace(
            self, objective=self.objective * unit, bound=self.bound * unit, prices=prices
        )

    def without_prices(self) -> Certificate:
        """The certificate without its proof (the dual prices)."""
        return replace(self, prices=None)

    @printed
    def __repr__(self) -> str:
        proofs = ", ".join(name for proof, name in PROOFS.items() if proof in self.proof)
        over = f" over {self.over}" if self.over else ""
        if self.gap == 0:
            return f"optimal{over} (proved by {proofs})"
        above = f"at most {_percent(self.gap)} above the optimum{over}"
        return f"{above} (bound {self.bound.sum():.6g} by {proofs})"


def _percent(share: float) -> str:
    """To two digits, without a power of ten."""
    value = float(f"{100 * share:.2g}")
    return f"{value:,.0f} %" if value >= 100 else f"{np.format_float_positional(value, trim='-')} %"
