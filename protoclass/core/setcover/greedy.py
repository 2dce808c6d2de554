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

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import each, few, kernel, left
from ..statistics.sums import in_units
from .path import Chosen
from .problems import CoverProblems

# the known gain of a candidate that is chosen or does not pay, below all others
NO_GAIN = -(2**62)


@dataclass(frozen=True)
class Steps:
    """Steps of the greedy algorithm on all classes: for each problem and fold by gain, the largest
    first, then by class, then by candidate.
    """

    at: Array  # candidates, int
    classes: Array  # the classes that they represent, int
    gains: Array  # their gains when they were chosen
    bounds: Array  # first position of the steps of each problem and fold, and their number, int

    @classmethod
    def of(cls, problems: CoverProblems, parts: Iterable[tuple[Array, ...]]) -> Steps:
        """Steps from their runs (problem x folds + fold), classes, candidates and gains, of which
        those of a class are in order.
        """
        run, classes, at, gains = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        first = np.lexsort((classes, -gains, run))
        F, K, _ = problems.gain.shape
        bounds = np.searchsorted(run[first], np.arange(K * F + 1))
        return cls(at[first], classes[first], gains[first], bounds)

    def chosen(self, problems: CoverProblems, f: int, k: int) -> Chosen:
        """The prototypes of fold `f` and problem `k`."""
        run = k * len(problems.gain) + f
        part = slice(self.bounds[run], self.bounds[run + 1])
        wrong = problems.wrong[f, k, self.at[part]]
        return Chosen(self.at[part], self.classes[part], self.gains[part] + wrong, wrong)


def greedy(problems: CoverProblems, steps: Steps, f: int, lambdas: Array) -> list[Chosen]:
    """The greedy covers without the rows of fold `f`, for each problem and lambda (ascending, the
    last varying fastest).

    The prototypes of every larger lambda are the first ones of the run at the smallest lambda.

    Parameters
    ----------
    problems : CoverProblems
    steps : Steps
        At the smallest lambda.
    f : int
    lambdas : array
    """
    costs = [in_units(float(lambda_), problems.unit) for lambda_ in lambdas]
    runs = [steps.chosen(problems, f, k) for k in range(problems.gain.shape[1])]
    return [run.prefix(cost) for run in runs for cost in costs]


def greedy_steps(problems: CoverProblems, cost: float) -> Steps:
    """The greedy algorithm on each class and problem, for all folds, with a prototype cost of `cost` units."""
    classes, (F, K, _) = problems.classes, problems.gain.shape
    # `pairs` are read by NumPy at each step, for all folds at once
    pairs = K * len(classes) * max(len(balls.candidates) * len(balls.rows) for balls in classes)
    if all(balls.coded for balls in classes) and few(pairs):
        return steps_together(problems, cost)
    items, (n, m) = [(c, k) for c in range(len(classes)) for k in range(K)], problems.task.shape
    found = each(lambda item: take_steps(problems, *item, np.arange(F), cost), items, n * m)
    return Steps.of(problems, found)


def take_steps(
    problems: CoverProblems, c: int, k: int, folds: Array, cost: float, among: Array | None = None
) -> tuple[Array, ...]:
    """Greedy on one class of one problem for some folds, with all of its candidates or `among`
    some; see `Steps.of`.
    """
    balls, column = problems.classes[c], problems.classes[c].candidates
    pays = problems.best[folds[:, None], k, column] == c
    if among is not None:
        pays &= np.isin(column, among)
    gain = np.where(pays, problems.gain[folds[:, None], k, column], -np.inf)
    live = problems.fold[balls.rows] != folds[:, None]
    weights = np.where(live, problems.w[balls.rows], 0)
    # 32 bits halve the bytes that are read
    weights = weights.astype(np.int32 if weights.sum() < 2**31 else np.int64)
    order, gains = np.empty(gain.size, np.int64), np.empty(gain.size)
    count = np.zeros(len(gain), np.int64)
    if gain.size:
        wrong = problems.wrong[folds[:, None], k, column]
        codes, lists = balls.of_radius(k)
        _greedy(codes, *lists, k, gain, wrong, weights, cost, order, gains, count, left())
    run, total = np.repeat(k * len(problems.gain) + folds, count), count.sum()
    return run, np.full(total, c), column[order[:total]], gains[:total].copy()


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    codes, start, upto, places, k, gain, wrong, weights, cost, order, gains, count, left
):
    """Lazy greedy on one class for several folds; candidates and gains are written to `order` and
    `gains` fold after fold, `count` of each.

    A gain is the weight of the uncovered rows in a ball, minus `wrong`. Rows are only ever covered,
    so gains never increase, and an old gain is an upper bound. Two invariants hold between steps:

    1. `known[j]` is at least the gain of candidate j. It is `NO_GAIN` if j is chosen or its gain
       is not above `cost`, and then it stays so.
    2. `highest[b]` is at least the largest `known[j]` of block b, of about sqrt(a) candidates. It
       is exact after a pass over the block.

    A pass takes the level `top`, the largest of `highest`, and computes the gains of the candidates
    known at that level again, in ascending order. A candidate whose gain is still `top` is the best
    one, because no gain exceeds its known value. Of equal ones it is the first, because all before
    it in the pass have fallen below `top`. Others become known lower. After the pass no candidate
    is known at `top`, so the levels descend.
    """
    folds, a = gain.shape
    size = int(np.ceil(np.sqrt(a)))
    known, highest = np.empty(a, np.int64), np.empty((a + size - 1) // size, np.int64)
    written = 0
    for f in range(folds):
        open_rows = weights[f].copy()  # the weights of the rows, 0 once they are covered
        for j in range(a):
            known[j] = np.int64(gain[f, j]) if gain[f, j] > cost else NO_GAIN
        highest[:] = -NO_GAIN
        while not left[0]:
            top = highest.max()
            if top == NO_GAIN:
                break
            for block in range(len(highest)):
                if highest[block] < top:
                    continue
                for j in range(block * size, min(a, (block + 1) * size)):
                    if known[j] < top:
                        continue
                    now = weigh(codes, start, upto, places, j, k, open_rows) - np.int64(wrong[f, j])
                    if now < top:
                        known[j] = now if now > cost else NO_GAIN
                        continue
                    known[j], order[written], gains[written] = NO_GAIN, j, now
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


def steps_together(problems: CoverProblems, cost: float) -> Steps:
    """Greedy on small classes by NumPy: each step is taken for all classes, problems and folds at
    once, with a prototype cost `cost` >= 0.

    A matrix product adds weights in any order, and their sums are exact as weights are whole
    numbers.
    """
    classes, (F, K, _) = problems.classes, problems.gain.shape
    a = max(len(balls.candidates) for balls in classes)
    b = max(len(balls.rows) for balls in classes)
    of_class, problem = np.divmod(np.arange(len(classes) * K), K)
    # smaller classes have further candidates without a gain and further rows without a weight
    columns, inside = np.zeros((len(classes), a), np.int64), np.zeros((len(problem), a, b))
    gain = np.full((len(problem), F, a), -np.inf)
    weights = np.zeros((len(problem), F, b))  # of rows not yet covered
    for c, balls in enumerate(classes):
        candidates, rows, part = balls.candidates, balls.rows, slice(c * K, (c + 1) * K)
        columns[c, : len(candidates)] = candidates
        inside[part, : len(candidates), : len(rows)] = balls.codes <= problem[part, None, None]
        pays = problems.best[:, :, candidates] == c
        gains = np.where(pays, problems.gain[:, :, candidates], -np.inf)
        gain[part, :, : len(candidates)] = gains.transpose(1, 0, 2)
        live = problems.fold[rows] != np.arange(F)[:, None]
        weights[part, :, : len(rows)] = np.where(live, problems.w[rows], 0)
    nothing = np.empty(0, np.int64)
    taken: list[tuple[Array, ...]] = [(nothing, nothing, nothing, np.empty(0))]
    most = gain.max(axis=2, initial=-np.inf)
    while (goes_on := (most > cost).any(axis=1)).any():
        # a copy takes longer than a few problems without a further step
        if 2 * np.count_nonzero(goes_on) <= len(problem):
            of_class, problem, inside, gain, weights, most = (
                x[goes_on] for x in (of_class, problem, inside, gain, weights, most)
            )
        first = gain.argmax(axis=2)  # the first candidate breaks ties, because they ascend
        i, f = np.nonzero(most > cost)
        labels = of_class[i]
        taken.append((problem[i] * F + f, labels, columns[labels, first[i, f]], most[i, f]))
        # folds and problems without a further step need no mask: gains never rise, and a chosen
        # candidate has none left
        new = weights * inside[np.arange(len(problem))[:, None], first]
        weights -= new
        gain -= new @ inside.transpose(0, 2, 1)
        most = gain.max(axis=2)
    return Steps.of(problems, taken)
