"""The greedy algorithm of the PVM (paper, section 3.2).

At each step the candidate and class are added that lower the objective most, until none lowers it. The problem separates
by class and gains never increase, so each class is run separately and the steps are merged by gain: the largest first,
of equal ones the first class in level order, then the first candidate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel
from ..units import in_units
from .path import Chosen
from .problems import CoverProblems

Array = NDArray[Any]


def greedy(problems: CoverProblems, f: int, lambdas: Array) -> list[Chosen]:
    """The greedy covers without the rows of fold `f`, for each radius and lambda (ascending, the last varying fastest).

    The prototypes of every larger lambda are the first ones of the run at the smallest lambda.
    """
    costs = [in_units(float(lambda_), problems.unit) for lambda_ in lambdas]
    steps = [_run_class(problems, f, c, costs[0], problems.gain[f]) for c in range(len(problems.classes))]
    runs = [merge_steps(problems, f, k, steps) for k in range(problems.gain.shape[1])]
    return [run.prefix(cost) for run in runs for cost in costs]


Steps = tuple[Array, Array, Array]  # (K, a) candidates in the order chosen and their gains; (K,) how many


def _run_class(problems: CoverProblems, f: int, c: int, cost: float, gain: Array) -> Steps:
    """Greedy on one class, for every radius."""
    sets, radii = problems.classes[c], gain.shape[0]
    a, b = len(sets.candidates), len(sets.rows)
    order, gains, count = np.empty((radii, a), np.int64), np.empty((radii, a)), np.zeros(radii, np.int64)
    work = np.empty(a), np.empty(a), np.empty(a, np.int64), np.empty(b, np.bool_)
    out = problems.fold[sets.rows] == f
    lists = (*sets.of_candidate, *sets.of_row)
    _greedy(
        *lists, sets.candidates, gain, problems.best[f], c, problems.w[sets.rows], out, cost, *work, order, gains, count
    )
    return order, gains, count


def order_candidates(problems: CoverProblems, f: int, k: int, c: int, candidates: Array) -> Steps:
    """Given prototypes of one class in the order in which the greedy algorithm would take them, with their gains.

    Only the row of radius `k` is filled.
    """
    gain = np.full(problems.gain[f].shape, -np.inf)
    gain[k, candidates] = problems.gain[f, k, candidates]
    return _run_class(problems, f, c, -np.inf, gain)


def merge_steps(problems: CoverProblems, f: int, k: int, steps: list[Steps]) -> Chosen:
    """The classes' steps at one radius as one sequence: by gain, then by class, then by candidate."""
    at = np.concatenate([order[k, : count[k]] for order, _, count in steps])
    classes = np.repeat(np.arange(len(steps)), [count[k] for _, _, count in steps])
    value = np.concatenate([gains[k, : count[k]] for _, gains, count in steps])
    first = np.lexsort((at, classes, -value))
    at = at[first]
    wrong = problems.wrong[f, k, at]
    return Chosen(at, classes[first], value[first] + wrong, wrong)


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    a_start, a_upto, a_rows, b_start, b_upto, b_candidates, candidates, gains, best, c, w, out, cost,
    gain, key, heap, covered, order, got, count,
):  # fmt: skip
    # One class, every radius. gain: weight of the class not yet covered minus weight of other classes in the ball; the cost
    # enters in comparisons only. heap: candidates by key (their gain when they were last placed), then by number. Gains
    # never rise, so the first candidate of the heap is the best one if its key is still its gain.
    top = np.int64(0)
    for k in range(gains.shape[0]):
        n = np.int64(0)
        for a in range(len(candidates)):
            j = candidates[a]
            gain[a] = gains[k, j] if best[k, j] == c else -np.inf
            key[a] = gain[a]
            if gain[a] > cost:
                heap[n] = a
                n += 1
        for i in range(len(out)):
            covered[i] = out[i]
        for parent in range(n // 2 - 1, -1, -1):
            _sink(heap, key, parent, n)
        steps = 0
        while n:
            a = heap[0]
            if gain[a] != key[a]:
                key[a] = gain[a]
                if gain[a] > cost:
                    _sink(heap, key, top, n)
                    continue
            else:
                order[k, steps], got[k, steps] = candidates[a], gain[a]
                steps += 1
                for s in range(a_start[a], a_upto[a, k]):
                    i = a_rows[s]
                    if not covered[i]:
                        covered[i] = True
                        for t in range(b_start[i], b_upto[i, k]):
                            gain[b_candidates[t]] -= w[i]
            n -= 1
            heap[0] = heap[n]
            _sink(heap, key, top, n)
        count[k] = steps


@kernel
def _sink(heap, key, at, n):  # type: ignore[no-untyped-def]
    a = heap[at]
    while True:
        child = 2 * at + 1
        if child >= n:
            break
        b = heap[child]
        if child + 1 < n:
            c = heap[child + 1]
            if key[c] > key[b] or (key[c] == key[b] and c < b):
                child, b = child + 1, c
        if key[a] > key[b] or (key[a] == key[b] and a < b):
            break
        heap[at] = b
        at = child
    heap[at] = a
