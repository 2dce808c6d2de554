"""The greedy algorithm of the PVM (paper, section 3.2).

At each step the candidate and class are added that lower the objective most, until none lowers it. The problem separates
by class and gains never increase, so each class is run separately and the steps are merged by gain: the largest first,
of equal ones the first class in level order, then the first candidate.

Because gains never increase, the gain that a candidate had when it was last looked at bounds its gain now, and only the
candidate with the largest bound is looked at again (Minoux 1978). Its ball is a row of bits, or a list of rows where balls
are small; where memory takes neither, see `measured`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..memory import room
from ..parallel import cores, each, few, kernel, left
from ..units import in_units
from .balls import Lists
from .bits import count_new, one_of_each, weigh_new, words
from .measured import Steps, measured_steps
from .path import Chosen
from .problems import LISTED, CoverProblems
from .reading import PER_PAIR, Sets
from .rounds import steps_in_rounds
from .together import steps_together

Array = NDArray[Any]
AT_ONCE = 2**26  # bytes of bits that are made at once where reading codes again costs nothing
AT_A_STEP = 16  # pairs of a row and a candidate that a matrix product takes in the time of a step, see `few`
NEVER = -(2**62)
NO_BITS = np.empty((0, 0), np.uint64)
NO_LISTS: Lists = np.empty(0, np.int64), np.empty((0, 0), np.int64), np.empty(0, np.int32)


def greedy(problems: CoverProblems, steps: list[list[Steps]], f: int, lambdas: Array) -> list[Chosen]:
    """The greedy covers without the rows of fold `f`, for each radius and lambda (ascending, the last varying fastest).

    The prototypes of every larger lambda are the first ones of the run at the smallest lambda.

    Parameters
    ----------
    problems : CoverProblems
    steps : lists by class and radius, see `greedy_steps`
        At the smallest lambda.
    f : int
    lambdas : array
    """
    costs = [in_units(float(lambda_), problems.unit) for lambda_ in lambdas]
    runs = [
        merge_steps(problems, f, k, [of_class[k].of(f) for of_class in steps]) for k in range(problems.gain.shape[1])
    ]
    return [run.prefix(cost) for run in runs for cost in costs]


def greedy_steps(problems: CoverProblems, cost: float) -> list[list[Steps]]:
    """The greedy algorithm on each class and radius, for all folds, where a prototype costs `cost` units.

    The form of the balls, which changes nothing in the steps, is chosen by the memory that it takes of a quarter of what is
    left: bits where all pairs are read, or where they take less than lists; lists where they fit; otherwise none. Small
    problems are left to NumPy, see `together`. Where the rows are kept in several places, see `rounds`.
    """
    if problems.task.D.parts is not None:
        return steps_in_rounds(problems, cost).steps
    classes, read, (F, K, _) = problems.classes, problems.read, problems.gain.shape
    if few(sum(F * K * len(one.candidates) * len(one.rows) for one in classes) // AT_A_STEP, costly_without=_greedy):
        return [steps_together(problems, c, cost) for c in range(len(classes))]
    workers = cores() if len(classes) >= 2 * cores() else 1  # classes that are worked on at the same time
    bits, limit = [_size(one) for one in classes], room()
    fits = workers * max(bits) <= limit
    if fits and read.tiles.complete:
        return _by_bits(problems, cost, workers, limit)
    pairs, most = read.pairs(classes), min(LISTED, limit / PER_PAIR)
    if pairs <= most and (not fits or sum(bits) > PER_PAIR * pairs):
        lists = read.lists(classes, most)
        if lists is not None:
            return _by_lists(problems, cost, lists)
    if fits:
        return _by_bits(problems, cost, workers, limit)
    return [[measured_steps(problems, c, k, cost) for k in range(K)] for c in range(len(classes))]


def _size(one: Sets) -> int:
    """Bytes of the bits of a class at one radius."""
    return 8 * words(len(one.rows)) * len(one.candidates)


def _by_bits(problems: CoverProblems, cost: float, workers: int, limit: int) -> list[list[Steps]]:
    """With bits of as many radii at a time as memory allows; `workers` classes share it."""
    K, (n, m), share = problems.gain.shape[1], problems.task.shape, AT_ONCE if problems.read.kept else limit // workers

    def radii_at_once(c: int, radii: range) -> list[Steps]:
        balls = problems.read.bits(problems.classes[c], radii)
        work = each(
            lambda k: greedy_columns(problems, c, k, cost, balls[k - radii.start], NO_LISTS),
            radii,
            balls.size * len(problems.gain),
        )
        return list(work)

    def run(c: int) -> list[Steps]:
        step = max(1, share // max(1, _size(problems.classes[c])))
        parts = [range(first, min(first + step, K)) for first in range(0, K, step)]
        return [steps for radii in parts for steps in radii_at_once(c, radii)]

    classes = range(len(problems.classes))
    return list(each(run, classes, n * m) if workers > 1 else map(run, classes))


def _by_lists(problems: CoverProblems, cost: float, lists: tuple[Lists, ...]) -> list[list[Steps]]:
    K, (n, m) = problems.gain.shape[1], problems.task.shape

    def run(c: int) -> list[Steps]:
        return [greedy_columns(problems, c, k, cost, NO_BITS, lists[c]) for k in range(K)]

    return list(each(run, range(len(lists)), n * m))


def greedy_columns(problems: CoverProblems, c: int, k: int, cost: float, bits: Array, lists: Lists) -> Steps:
    """Greedy on one class at one radius for each fold; the balls are bits, or lists if there are none."""
    out = one_of_each(problems.fold[problems.classes[c].rows], len(problems.gain))
    return _run(problems, c, k, cost, (problems.gain, problems.wrong, problems.best, out), bits, lists)


def _run(
    problems: CoverProblems,
    c: int,
    k: int,
    cost: float,
    folds: tuple[Array, Array, Array, Array],
    bits: Array,
    lists: Lists,
) -> Steps:
    one = problems.classes[c]
    a, w, F = len(one.candidates), problems.w[one.rows], len(folds[0])
    even = float(w[0]) if len(w) and (w == w[0]).all() else 0.0
    order, gains, count = np.empty(F * a, np.int64), np.empty(F * a), np.zeros(F, np.int64)
    if a:
        work = np.empty(a, np.int64), np.empty(a, np.int64), np.empty(_blocks(a), np.int64)
        _greedy(bits, *lists, one.candidates, *folds, c, k, w, even, cost, *work, order, gains, count, left())
    total = int(count.sum())
    return Steps(order[:total].copy(), gains[:total].copy(), np.concatenate([[0], np.cumsum(count)]))


def _blocks(a: int) -> int:
    """Number of blocks for this many candidates: about its root, none of them empty."""
    return -(-a // max(1, math.isqrt(a)))


def order_candidates(problems: CoverProblems, f: int, k: int, c: int, candidates: Array) -> tuple[Array, Array]:
    """Given prototypes of one class in the order in which the greedy algorithm would take them, with their gains."""
    gain = np.full((1, *problems.gain.shape[1:]), -np.inf)
    gain[0, k, candidates] = problems.gain[f, k, candidates]
    out = one_of_each(np.where(problems.fold[problems.classes[c].rows] == f, 0, -1), 1)
    folds = gain, problems.wrong[f : f + 1], problems.best[f : f + 1], out
    return _run(problems, c, k, -np.inf, folds, NO_BITS, problems.lists[c]).of(0)


def merge_steps(problems: CoverProblems, f: int, k: int, steps: list[tuple[Array, Array]]) -> Chosen:
    """The classes' steps at one radius as one sequence: by gain, then by class, then by candidate.

    Within a class they stand in this order already, because gains never increase.
    """
    at = np.concatenate([order for order, _ in steps])
    classes = np.repeat(np.arange(len(steps)), [len(order) for order, _ in steps])
    value = np.concatenate([gains for _, gains in steps])
    first = np.argsort(-value, kind="stable")
    at, value = at[first], value[first]
    wrong = problems.wrong[f, k, at]
    return Chosen(at, classes[first], value + wrong, wrong)


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    bits, start, upto, places, candidates, gain, wrong, best, out, c, k, w, even, cost,
    key, seen, highest, order, got, count, left,
):  # fmt: skip
    # One class at one radius, fold by fold. A gain is the weight of the rows of the ball not yet covered minus that of other
    # classes in it, a whole number; the cost enters in comparisons only. key: the gain of each candidate after `seen` steps,
    # NEVER once it is chosen or does not pay; highest: the largest key of each block of candidates. Gains never rise, so the
    # first candidate of the largest key is the best one if its key is its gain, and a pass over a level leaves all keys below.
    size = -(-len(key) // len(highest))
    written = 0
    for f in range(len(out)):
        for a in range(len(key)):
            j = candidates[a]
            pays = best[f, k, j] == c and gain[f, k, j] > cost
            key[a], seen[a] = np.int64(gain[f, k, j]) if pays else NEVER, 0
        covered = out[f]
        highest[:] = -NEVER
        steps = 0
        while True:
            level = NEVER
            for block in range(len(highest)):
                level = max(level, highest[block])
            if level == NEVER or left[0]:
                break
            for block in range(len(highest)):
                if highest[block] < level:
                    continue
                first, last = block * size, min((block + 1) * size, len(key))
                for a in range(first, last):
                    if key[a] != level:
                        continue
                    j = candidates[a]
                    if seen[a] < steps:
                        if len(bits) == 0:
                            weight = _weigh_list(start[a], upto[a, k], places, covered, w)
                        elif even > 0:
                            weight = even * count_new(bits, a, covered)
                        else:
                            weight = weigh_new(bits, a, covered, w)
                        now = weight - wrong[f, k, j]
                        key[a], seen[a] = np.int64(now) if now > cost else NEVER, steps
                        if key[a] < level:
                            continue
                    order[written], got[written] = j, level
                    written += 1
                    steps += 1
                    key[a] = NEVER
                    if len(bits):
                        for s in range(len(covered)):
                            covered[s] |= bits[a, s]
                    else:
                        for s in range(start[a], upto[a, k]):
                            covered[places[s] >> 6] |= np.uint64(1) << np.uint64(places[s] & 63)
                above = NEVER
                for a in range(first, last):
                    above = max(above, key[a])
                highest[block] = above
        count[f] = steps


@kernel
def _weigh_list(start, upto, places, covered, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for s in range(start, upto):
        i = places[s]
        if not (covered[i >> 6] >> np.uint64(i & 63)) & np.uint64(1):
            total += w[i]
    return total
