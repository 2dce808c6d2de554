"""The greedy algorithm of the PVM (paper, section 3.2).

At each step the candidate and class are added that lower the objective most, until none lowers it. The
problem separates by class and gains never increase, so each class is run separately and the steps are merged by gain: the largest
first, of equal ones the first class in level order, then the first candidate.

Because gains never increase, the gain of a column when it was last computed bounds its present gain, and only the column with
the largest bound is computed again (Minoux 1978). Its ball is a row of bits, or a list of rows. Small problems are left to NumPy:
all gains are stored, and lowered when rows are covered, because compiling the kernel takes longer than solving them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import Array
from ..memory import room
from ..parallel import cores, each, few, kernel, left, threaded
from ..statistics.sums import in_units
from .coded_balls import Lists, count_new, one_of_each, weigh_new, words
from .path import Chosen
from .problems import CoverProblems

AT_ONCE = 2**26  # bytes of bits made together, if reading codes again costs nothing
AT_A_STEP = 16  # pairs of a row and a candidate that a matrix product takes in the time of a step, see `few`
NEVER = -(2**62)
NO_BITS = np.empty((0, 0, 0), np.uint64)
NO_LISTS: Lists = np.empty(0, np.int64), np.empty((0, 0), np.int64), np.empty(0, np.int32)


@dataclass(frozen=True)
class Steps:
    """Steps of the greedy algorithm on one class of one problem, fold by fold."""

    order: Array  # columns in the order chosen, int
    gains: Array  # their gains when they were chosen
    bounds: Array  # first position of the steps of each fold, and their number, int (folds + 1,)

    def of(self, f: int) -> tuple[Array, Array]:
        """The columns and gains of one fold."""
        part = slice(self.bounds[f], self.bounds[f + 1])
        return self.order[part], self.gains[part]


def greedy(problems: CoverProblems, steps: list[list[Steps]], f: int, lambdas: Array, most: int | None = None) -> list[Chosen]:
    """The greedy covers without the rows of fold `f`, for each problem and lambda (ascending, the last varying fastest).

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
        merge_steps(problems, f, k, [of_class[k].of(f) for of_class in steps]) for k in range(problems.gain.shape[1])
    ]
    return [run.prefix(cost, most) for run in runs for cost in costs]


def merge_steps(problems: CoverProblems, f: int, k: int, steps: list[tuple[Array, Array]]) -> Chosen:
    """The classes' steps in one problem as one sequence: by gain, then by class, then by column.

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
    """The greedy algorithm on each class and problem, for all folds, with a prototype cost of `cost` units.

    The balls are lists if only near pairs are known, or if bits do not fit into a quarter of the free memory; otherwise they are bits.
    """
    classes, balls, (F, K, _) = problems.classes, problems.balls, problems.gain.shape
    if few(sum(F * K * len(sets.candidates) * len(sets.rows) for sets in classes) // AT_A_STEP, costly_without=_greedy):
        return [steps_together(problems, c, cost) for c in range(len(classes))]
    bits = max(_size(problems, c) for c in range(len(classes)))
    limit = room(cores() * bits if balls.kept else np.inf)
    if balls.near is not None or bits > limit:
        return _by_lists(problems, cost, problems.lists)
    workers = cores() if len(classes) >= 2 * cores() and cores() * bits <= limit else 1  # classes that are worked on at the same time
    return _by_bits(problems, cost, workers, limit)


def _size(problems: CoverProblems, c: int) -> int:
    """Bytes of the bits of a class in one problem."""
    sets = problems.classes[c]
    return 8 * words(len(sets.rows)) * len(sets.candidates)


def _by_bits(problems: CoverProblems, cost: float, workers: int, limit: int) -> list[list[Steps]]:
    """With bits of as many problems at a time as memory allows, divided among `workers` classes."""
    K, (n, m), share = problems.gain.shape[1], problems.task.shape, AT_ONCE if problems.balls.kept else limit // workers

    def solve(c: int, part: range) -> list[Steps]:
        bits = problems.balls.bits(problems.classes[c], part)
        entries = bits.size * len(problems.gain)
        pieces = [range(k, k + 1) for k in part] if threaded(entries) else [part]
        work = each(lambda levels: greedy_columns(problems, c, levels, cost, bits=bits, first=part.start), pieces, entries)
        return [steps for piece in work for steps in piece]

    def run(c: int) -> list[Steps]:
        step = max(1, share // max(1, _size(problems, c)))
        parts = [range(first, min(first + step, K)) for first in range(0, K, step)]
        return [steps for part in parts for steps in solve(c, part)]

    classes = range(len(problems.classes))
    return list(each(run, classes, n * m) if workers > 1 else map(run, classes))


def _by_lists(problems: CoverProblems, cost: float, lists: tuple[Lists, ...]) -> list[list[Steps]]:
    K, (n, m) = problems.gain.shape[1], problems.task.shape

    def run(c: int) -> list[Steps]:
        return [greedy_columns(problems, c, range(k, k + 1), cost, lists=lists[c])[0] for k in range(K)]

    return list(each(run, range(len(lists)), n * m))


def greedy_columns(
    problems: CoverProblems, c: int, levels: range, cost: float, *, bits: Array = NO_BITS, first: int = 0, lists: Lists = NO_LISTS
) -> list[Steps]:
    """Greedy on one class of some problems for each fold.

    The balls of its candidates are bits, uint64 (radii from `first` on, candidates, words), or lists if there are none.
    """
    out = one_of_each(problems.fold[problems.classes[c].rows], len(problems.gain))
    return _run(problems, c, levels, cost, (problems.gain, problems.wrong, problems.best, out), bits, first, lists)


def order_columns(problems: CoverProblems, f: int, k: int, c: int, chosen: Array) -> tuple[Array, Array]:
    """Given columns of one class in the order in which the greedy algorithm would take them, with their gains."""
    gain = np.full((1, *problems.gain.shape[1:]), -np.inf)
    gain[0, k, chosen] = problems.gain[f, k, chosen]
    out = one_of_each(np.where(problems.fold[problems.classes[c].rows] == f, 0, -1), 1)
    folds = gain, problems.wrong[f : f + 1], problems.best[f : f + 1], out
    return _run(problems, c, range(k, k + 1), -np.inf, folds, NO_BITS, 0, problems.lists[c])[0].of(0)


def _run(
    problems: CoverProblems,
    c: int,
    levels: range,
    cost: float,
    folds: tuple[Array, Array, Array, Array],
    bits: Array,
    first: int,
    lists: Lists,
) -> list[Steps]:
    sets = problems.classes[c]
    a, w, F, K = len(sets.candidates), problems.w[sets.rows], len(folds[0]), len(levels)
    even = float(w[0]) if len(w) and (w == w[0]).all() else 0.0
    order, gains, count = np.empty(K * F * a, np.int64), np.empty(K * F * a), np.zeros(K * F, np.int64)
    if a:
        work = np.empty(a, np.int64), np.empty(a, np.int64), np.empty(_blocks(a), np.int64)
        given = bits, *lists, first, levels.start
        _greedy(*given, sets.candidates, *folds, c, w, even, cost, *work, order, gains, count, left())
    bounds = np.concatenate([[0], np.cumsum(count)])
    order, gains = order[: bounds[-1]].copy(), gains[: bounds[-1]].copy()
    return [_part_of(order, gains, bounds[k * F : (k + 1) * F + 1]) for k in range(K)]


def _blocks(a: int) -> int:
    """Number of blocks for this many columns: about its root, none of them empty."""
    return -(-a // max(1, math.isqrt(a)))


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    bits, start, upto, places, first, low, columns, gain, wrong, best, out, c, w, even, cost,
    key, seen, highest, order, got, count, left,
):  # fmt: skip
    # One class of the problems from `low` on, fold by fold. A gain is the weight of the rows of the ball not yet covered minus the weight
    # of other classes in it, a whole number; the cost enters in comparisons only. key: the gain of each column after `seen` steps,
    # NEVER once it is chosen or does not pay; highest: the largest key of each block of columns. Gains never rise, so the
    # first column of the largest key is the best one if its key is its gain, and a pass over a level leaves all keys below.
    size = -(-len(key) // len(highest))
    written, F = 0, len(out)
    for run in range(len(count)):
        f, k = run % F, low + run // F
        level = k - first
        for a in range(len(key)):
            j = columns[a]
            pays = best[f, k, j] == c and gain[f, k, j] > cost
            key[a], seen[a] = np.int64(gain[f, k, j]) if pays else NEVER, 0
        covered = out[f].copy()
        highest[:] = -NEVER
        steps = 0
        while True:
            top = NEVER
            for block in range(len(highest)):
                top = max(top, highest[block])
            if top == NEVER or left[0]:
                break
            for block in range(len(highest)):
                if highest[block] < top:
                    continue
                begin, last = block * size, min((block + 1) * size, len(key))
                for a in range(begin, last):
                    if key[a] != top:
                        continue
                    j = columns[a]
                    if seen[a] < steps:
                        if len(bits) == 0:
                            weight = _weigh_list(start[a], upto[a, level], places, covered, w)
                        elif even > 0:
                            weight = even * count_new(bits, level, a, covered)
                        else:
                            weight = weigh_new(bits, level, a, covered, w)
                        now = weight - wrong[f, k, j]
                        key[a], seen[a] = np.int64(now) if now > cost else NEVER, steps
                        if key[a] < top:
                            continue
                    order[written], got[written] = j, top
                    written += 1
                    steps += 1
                    key[a] = NEVER
                    if len(bits):
                        for s in range(len(covered)):
                            covered[s] |= bits[level, a, s]
                    else:
                        for s in range(start[a], upto[a, level]):
                            covered[places[s] >> 6] |= np.uint64(1) << np.uint64(places[s] & 63)
                above = NEVER
                for a in range(begin, last):
                    above = max(above, key[a])
                highest[block] = above
        count[run] = steps


@kernel
def _weigh_list(start, upto, places, covered, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for s in range(start, upto):
        i = places[s]
        if not (covered[i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
            total += w[i]
    return total


def steps_together(problems: CoverProblems, c: int, cost: float) -> list[Steps]:
    """Greedy on one small class by NumPy: each step is taken for all folds and problems at once, with a prototype cost `cost` >= 0.

    A matrix product adds weights in any order, and their sums are exact as weights are whole numbers.
    """
    sets, (F, K, _) = problems.classes[c], problems.gain.shape
    problem = np.arange(K)  # the problems in which some fold has further steps
    inside = (problems.balls.codes(sets) <= problem[:, None, None]).astype(float)  # (problems, a, b)
    pays = (problems.best[:, :, sets.candidates] == c) & (problems.gain[:, :, sets.candidates] > cost)
    gain = np.where(pays, problems.gain[:, :, sets.candidates], -np.inf).transpose(1, 0, 2).copy()  # (problems, F, a)
    live = problems.fold[sets.rows] != np.arange(F)[:, None]
    left = np.tile(np.where(live, problems.w[sets.rows], 0.0), (K, 1, 1))  # (problems, F, b): weights of rows not yet covered
    taken: list[tuple[Array, ...]] = []
    most = gain.max(axis=2, initial=-np.inf)
    while (most > cost).any():
        goes_on = (most > cost).any(axis=1)
        if not goes_on.all():
            problem, inside, gain, left, most = (x[goes_on] for x in (problem, inside, gain, left, most))
        first = gain.argmax(axis=2)  # the first column breaks ties, because they ascend
        k, f = np.nonzero(most > cost)
        taken.append((problem[k] * F + f, sets.candidates[first[k, f]], most[k, f]))
        # folds without a further step need no mask: gains never rise, and a chosen column has none left
        new = left * inside[np.arange(len(problem))[:, None], first]
        left -= new
        gain -= new @ inside.transpose(0, 2, 1)
        most = gain.max(axis=2)
    nothing = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    run, order, gains = (np.concatenate(parts) for parts in zip(nothing, *taken, strict=True))
    by_run = np.argsort(run, kind="stable")
    bounds = np.searchsorted(run[by_run], np.arange(K * F + 1))
    return [_part_of(order[by_run], gains[by_run], bounds[k * F : (k + 1) * F + 1]) for k in range(K)]


def _part_of(order: Array, gains: Array, bounds: Array) -> Steps:
    part = slice(bounds[0], bounds[-1])
    return Steps(order[part], gains[part], bounds - bounds[0])
