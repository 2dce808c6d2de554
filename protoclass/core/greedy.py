"""The greedy algorithm of the PVM (paper, section 3.2).

At each step the candidate and class whose addition lowers the objective most; stop when none lowers it. The problem
separates by class and gains never increase, so each class is run by itself and the steps are merged by gain: largest
first, of equals the first class in level order, then the first candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cover import Chosen, CoverPath, Covers, covers, turns
from .jit import each, kernel
from .task import Task
from .units import in_units

Array = NDArray[Any]


def greedy_paths(task: Task, fold: Array, folds: int, radii: Array, lambdas: Array) -> Iterator[tuple[int, CoverPath]]:
    """Greedy covers of every fold, radius and lambda.

    Parameters
    ----------
    task : Task
    fold : int array (n,)
        Fold that leaves each row out, -1 for none; a candidate is left out with the row that it is.
    folds : int
    radii, lambdas : arrays, ascending

    Yields
    ------
    fold, CoverPath
    """
    for group in turns(task, folds, len(radii)):
        local = np.full(folds + 1, -1)
        local[group] = np.arange(len(group))
        problems = covers(task, local[fold], len(group), radii, float(lambdas[0]))

        def path(f: int, problems: Covers = problems) -> CoverPath:
            runs = tuple(greedy(problems, f, k, float(lambdas[0])) for k in range(len(radii)))
            live = problems.fold != f
            task.tick()
            weight = np.bincount(task.y[live], problems.w[live], task.classes)
            return CoverPath(runs, radii, lambdas, weight, problems.unit)

        yield from zip(group.tolist(), each(path, range(len(group)), len(task.y) * len(task.origin)), strict=True)


def greedy(problems: Covers, f: int, k: int, lambda_: float) -> Chosen:
    """The greedy cover without the rows of fold `f`, at radius `k`."""
    cost = in_units(lambda_, problems.unit)
    parts = []
    for c, sets in enumerate(problems.classes):
        gain = np.where(problems.best[f, k, sets.candidates] == c, problems.gain[f, k, sets.candidates], -np.inf)
        live = problems.fold[sets.rows] != f
        heap = np.flatnonzero(gain > cost)
        order, got = np.empty(len(heap), np.int64), np.empty(len(heap))
        lists, weight = (*sets.of_candidate, *sets.of_row), problems.w[sets.rows]
        steps = _greedy(*lists, weight, ~live, k, gain, gain.copy(), heap, cost, order, got)
        order, got = order[:steps], got[:steps]
        parts.append((sets.candidates[order], np.full(len(order), c), got))
    at, classes, got = (np.concatenate(a) for a in zip(*parts, strict=True))
    first = np.lexsort((at, classes, -got))
    at, classes, got = at[first], classes[first], got[first]
    wrong = problems.wrong[f, k, at]
    return Chosen(at, classes, got + wrong, wrong)


@kernel
def _greedy(  # type: ignore[no-untyped-def]
    a_start, a_upto, a_rows, b_start, b_upto, b_candidates, w, covered, k, gain, key, heap, lambda_, order, got
):
    # gain: own weight not yet covered minus other weight in the ball; lambda_ is taken off only in comparisons.
    # heap: candidates by key (their gain when they were put there), then by number. Gains only fall, so the first of
    # the heap is the best if its key is still true.
    n = len(heap)
    for parent in range(n // 2 - 1, -1, -1):
        _sink(heap, key, parent, n)
    steps = 0
    while n:
        a = heap[0]
        if gain[a] != key[a]:
            key[a] = gain[a]
            if gain[a] > lambda_:
                _sink(heap, key, 0, n)
                continue
        else:
            order[steps], got[steps] = a, gain[a]
            steps += 1
            for s in range(a_start[a], a_upto[a, k]):
                i = a_rows[s]
                if not covered[i]:
                    covered[i] = True
                    for t in range(b_start[i], b_upto[i, k]):
                        gain[b_candidates[t]] -= w[i]
        n -= 1
        heap[0] = heap[n]
        _sink(heap, key, 0, n)
    return steps


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
