"""The greedy algorithm of the PVM (paper, section 3.2).

At each step the candidate and class are added that lower the objective most, until none lowers it.
The problem separates by class and gains never increase, so each class is run separately and the
steps are merged by gain: the largest first, of equal ones the first class in level order, then the
first candidate.

Because gains never increase, the gain of a candidate when it was last counted bounds its present
gain, and only the candidate with the largest bound is counted again (Minoux 1978). Small problems
are left to NumPy: all gains are stored, and lowered when rows are covered, because compiling the
kernel takes longer than solving them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import each, few, kernel, left
from ..statistics.sums import in_units
from .path import Chosen
from .problems import CoverProblems

# pairs of a row and a candidate that a matrix product takes in the time of a step, see `few`
AT_A_STEP = 10
NEVER = -(2**62)


@dataclass(frozen=True)
class Steps:
    """Steps of the greedy algorithm on one class of one problem, fold by fold."""

    order: Array  # candidates in the order chosen, int
    gains: Array  # their gains when they were chosen
    bounds: Array  # first position of the steps of each fold, and their number, int (folds + 1,)

    def of(self, f: int) -> tuple[Array, Array]:
        """The candidates and gains of one fold."""
        part = slice(self.bounds[f], self.bounds[f + 1])
        return self.order[part], self.gains[part]


def greedy(
    problems: CoverProblems,
    steps: list[list[Steps]],
    f: int,
    lambdas: Array,
    most: int | None = None,
) -> list[Chosen]:
    """The greedy covers without the rows of fold `f`, for each problem and lambda (ascending, the
    last varying fastest).

    The prototypes of every larger lambda are the first ones of the run at the smallest lambda.

    Parameters
    ----------
    problems : CoverProblems
    steps : lists by class and problem, see `greedy_steps`
        At the smallest lambda.
    f : int
    lambdas : array
    most : int, optional
        Prototypes of a cover, of which the first are kept.
    """
    costs = [in_units(float(lambda_), problems.unit) for lambda_ in lambdas]
    runs = [
        merge_steps(problems, f, k, [of_class[k].of(f) for of_class in steps])
        for k in range(problems.gain.shape[1])
    ]
    return [run.prefix(cost, most) for run in runs for cost in costs]


def merge_steps(
    problems: CoverProblems, f: int, k: int, steps: list[tuple[Array, Array]]
) -> Chosen:
    """The classes' steps in one problem as one sequence: by gain, then by class, then by candidate.

    Within a class they are in this order already, because gains never increase.
    """
    at = np.concatenate([order for order, _ in steps])
    classes = np.repeat(np.arange(len(steps)), [len(order) for order, _ in steps])
    value = np.concatenate([gains for _, gains in steps])
    first = np.argsort(-value, kind="stable")
    at, value = at[first], value[first]
    wrong = problems.wrong[f, k, at]
    return Chosen(at, classes[first], value + wrong, wrong)


def greedy_steps(problems: CoverProblems, cost: float) -> list[list[Steps]]:
    """The greedy algorithm on each class and problem, for all folds, with a prototype cost of `cost` units."""
    classes, (F, K, _) = problems.classes, problems.gain.shape
    work = F * K * sum(len(balls.candidates) * len(balls.rows) for balls in classes)
    if all(balls.coded for balls in classes) and few(work // AT_A_STEP, _greedy):
        return [steps_together(problems, c, cost) for c in range(len(classes))]
    items, (n, m) = [(c, k) for c in range(len(classes)) for k in range(K)], problems.task.shape
    found = list(each(lambda item: take_steps(problems, *item, np.arange(F), cost), items, n * m))
    return [found[c * K : (c + 1) * K] for c in range(len(classes))]


def take_steps(
    problems: CoverProblems, c: int, k: int, folds: Array, cost: float, among: Array | None = None
) -> Steps:
    """Greedy on one class of one problem for some folds, with all of its candidates or `among` some."""
    balls, column = problems.classes[c], problems.classes[c].candidates
    pays = problems.best[folds[:, None], k, column] == c
    if among is not None:
        pays &= np.isin(column, among)
    gain = np.where(pays, problems.gain[folds[:, None], k, column], -np.inf)
    live = problems.fold[balls.rows] != folds[:, None]
    weights = np.where(live, problems.w[balls.rows], 0)
    # half as many bytes to read
    weights = weights.astype(np.int32 if weights.sum() < 2**31 else np.int64)
    order, gains, count = (
        np.empty(gain.size, np.int64),
        np.empty(gain.size),
        np.zeros(len(gain), np.int64),
    )
    if gain.size:
        wrong = problems.wrong[folds[:, None], k, column]
        codes, lists = balls.of_radius(k)
        _greedy(codes, *lists, k, gain, wrong, weights, cost, order, gains, count, left())
    bounds = np.append(0, np.cumsum(count))
    return Steps(column[order[: bounds[-1]]], gains[: bounds[-1]].copy(), bounds)


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    codes, start, upto, places, k, gain, wrong, weights, cost, order, gains, count, left
):
    # known: the last known gain of each candidate, NEVER once it is chosen or does not pay;
    # highest: the largest of each block of candidates. The first candidate of the largest known
    # gain is the best one if that is its gain, and a pass over a level leaves all below it.
    folds, a = gain.shape
    size = int(np.ceil(np.sqrt(a)))
    known, highest = np.empty(a, np.int64), np.empty((a + size - 1) // size, np.int64)
    written = 0
    for f in range(folds):
        open_rows = weights[f].copy()  # weights of the rows that are not covered yet
        for j in range(a):
            known[j] = np.int64(gain[f, j]) if gain[f, j] > cost else NEVER
        highest[:] = -NEVER
        while not left[0]:
            top = highest.max()
            if top == NEVER:
                break
            for block in range(len(highest)):
                if highest[block] < top:
                    continue
                for j in range(block * size, min(a, (block + 1) * size)):
                    if known[j] < top:
                        continue
                    now = weigh(codes, start, upto, places, j, k, open_rows) - np.int64(wrong[f, j])
                    if now < top:
                        known[j] = now if now > cost else NEVER
                        continue
                    known[j], order[written], gains[written] = NEVER, j, now
                    written += 1
                    count[f] += 1
                    cover(codes, start, upto, places, j, k, open_rows)
                highest[block] = known[block * size : (block + 1) * size].max()


@kernel
def weigh(codes, start, upto, places, a, k, weights):  # type: ignore[no-untyped-def]
    """Weight of the rows in the ball of radius `k` around candidate `a`, from codes or from lists; see `of_radius`."""
    total = np.int64(0)
    if len(codes):
        line, reach = codes[a], np.uint8(k)
        for i in range(len(line)):
            total += weights[i] * (line[i] <= reach)
    else:
        for s in range(start[a], upto[a]):
            total += weights[places[s]]
    return total


@kernel
def cover(codes, start, upto, places, a, k, weights):  # type: ignore[no-untyped-def]
    """Set the weights of the rows in the ball of radius `k` around candidate `a` to 0."""
    if len(codes):
        line, reach = codes[a], np.uint8(k)
        for i in range(len(line)):
            weights[i] *= line[i] > reach
    else:
        for s in range(start[a], upto[a]):
            weights[places[s]] = 0


def steps_together(problems: CoverProblems, c: int, cost: float) -> list[Steps]:
    """Greedy on one small class by NumPy: each step is taken for all folds and problems at once,
    with a prototype cost `cost` >= 0.

    A matrix product adds weights in any order, and their sums are exact as weights are whole
    numbers.
    """
    balls, (F, K, _) = problems.classes[c], problems.gain.shape
    problem = np.arange(K)  # the problems in which some fold has further steps
    inside = (balls.codes <= problem[:, None, None]).astype(float)  # (problems, a, b)
    gain = np.where(
        problems.best[:, :, balls.candidates] == c, problems.gain[:, :, balls.candidates], -np.inf
    )
    gain = gain.transpose(1, 0, 2).copy()  # (problems, F, a)
    live = problems.fold[balls.rows] != np.arange(F)[:, None]
    # (problems, F, b): of rows not yet covered
    weights = np.tile(np.where(live, problems.w[balls.rows], 0.0), (K, 1, 1))
    taken: list[tuple[Array, ...]] = []
    most = gain.max(axis=2, initial=-np.inf)
    while (goes_on := (most > cost).any(axis=1)).any():
        # a copy takes longer than a few problems without a further step
        if 2 * np.count_nonzero(goes_on) <= len(problem):
            problem, inside, gain, weights, most = (
                x[goes_on] for x in (problem, inside, gain, weights, most)
            )
        first = gain.argmax(axis=2)  # the first candidate breaks ties, because they ascend
        k, f = np.nonzero(most > cost)
        taken.append((problem[k] * F + f, balls.candidates[first[k, f]], most[k, f]))
        # folds and problems without a further step need no mask: gains never rise, and a chosen
        # candidate has none left
        new = weights * inside[np.arange(len(problem))[:, None], first]
        weights -= new
        gain -= new @ inside.transpose(0, 2, 1)
        most = gain.max(axis=2)
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    run, order, gains = (np.concatenate(parts) for parts in zip(nothing, *taken, strict=True))
    by_run = np.argsort(run, kind="stable")
    order, gains, bounds = (
        order[by_run],
        gains[by_run],
        np.searchsorted(run[by_run], np.arange(K * F + 1)),
    )
    parts = [bounds[k * F : (k + 1) * F + 1] for k in range(K)]
    return [
        Steps(order[part[0] : part[-1]], gains[part[0] : part[-1]], part - part[0])
        for part in parts
    ]
