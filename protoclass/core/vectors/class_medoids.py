"""Rows that classify as prototypes: swaps that lower the cost of generalized learning vector quantization."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import kernel, left
from ..statistics.scores import relative_margin
from .medoids import count_nearer, kmedoids, turned

# the slope at which a misclassified row costs its weight, and a row between both classes half of it
STEP = 1e300


@dataclass(frozen=True)
class Labelled:
    """Dissimilarities of rows to candidates, both with classes.

    Attributes
    ----------
    to : array (m, n)
        D transposed: the values of a candidate are contiguous.
    w : float array (n,)
        Weights, all > 0.
    y : int array (n,)
    candidate_class : int array (m,)
    classes : int
    beta : float
        Slope of the logistic function.
    """

    to: Array
    w: Array
    y: Array
    candidate_class: Array
    classes: int
    beta: float


@dataclass(frozen=True)
class ChosenRows:
    """Candidates of which no swap lowers the cost.

    Attributes
    ----------
    at : int array (q,), ascending
        Columns of D.
    cost : float
    swaps : int
        Number of swaps.
    """

    at: Array
    cost: float
    swaps: int


def labelled(
    D: Array, w: Array, y: Array, candidate_class: Array, classes: int, beta: float
) -> Labelled:
    """Dissimilarities D (n, m) of rows with weights and classes to candidates with classes, as the
    kernels read them.
    """
    return Labelled(
        turned(D),
        np.ascontiguousarray(w, float),
        y.astype(np.int64),
        candidate_class.astype(np.int64),
        classes,
        float(beta),
    )


def glvq_costs(own: Array, other: Array, beta: float) -> Array:
    """The cost of each row, s(beta (d+ - d-) / (d+ + d-)) with s the logistic function (Sato and Yamada 1996).

    Parameters
    ----------
    own, other : arrays
        d+ and d-, the distances to the nearest prototype of the row's class and of another one; inf
        where there is none. Where both are 0, or inf, they count as equal.

    Examples
    --------
    >>> glvq_costs(np.array([1.0, 1.0, 0.0]), np.array([1.0, 3.0, np.inf]), 2.0).round(3).tolist()
    [0.5, 0.269, 0.119]
    """
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(beta * relative_margin(own, other).astype(own.dtype)))


def row_costs(D: Array, y: Array, classes: Array, beta: float) -> Array:
    """The cost of each row of class y (n,), from its dissimilarities D (n, q) to prototypes of the classes (q,)."""
    own, other = (
        np.where(same, D, np.inf).min(axis=1, initial=np.inf)
        for same in (classes == y[:, None], classes != y[:, None])
    )
    return glvq_costs(own, other, beta)


def cost_of(problem: Labelled, at: Array) -> float:
    """The cost of some candidates as prototypes: the sum over rows of weight times cost."""
    D = problem.to[at].T.astype(float)
    return float(problem.w @ row_costs(D, problem.y, problem.candidate_class[at], problem.beta))


def swap_for_classes(problem: Labelled, first: Array) -> ChosenRows:
    """Swap prototypes for other candidates until no swap lowers the cost; each that lowers it is made at once.

    As in FasterPAM (Schubert and Rousseeuw 2021) one pass over the rows gives, for a candidate, the
    change of the cost for every prototype in whose place it could stand. Here that may be one of
    another class, so that the numbers of the classes adapt, but never the last one of its class.
    Candidates are visited in their order, repeatedly. A decrease within rounding does not count.
    """
    at = np.array(first, np.int64)
    swaps = _swap(
        problem.to,
        problem.w,
        problem.y,
        problem.candidate_class,
        problem.classes,
        problem.beta,
        at,
        left(),
    )
    at.sort()
    return ChosenRows(at, cost_of(problem, at), swaps)


def choose_rows(problem: Labelled, row_of: Array, counts: Array, seed: tuple[int, ...]) -> Array:
    """Medoids of each class to start from, (q,): `counts` (classes,) of them, or all candidates of a class with fewer.

    `row_of` (m,) is the row that each candidate is.
    """
    found = [np.empty(0, np.int64)]
    for c in range(problem.classes):
        rows = np.flatnonzero(problem.y == c)
        candidates = np.flatnonzero(problem.candidate_class == c)
        count = min(int(counts[c]), len(candidates))
        if count:
            D = problem.to[np.ix_(candidates, rows)].T
            places = np.searchsorted(rows, row_of[candidates])
            medoids = kmedoids(D, problem.w[rows], places, np.array([count]), seed=(*seed, c))[
                count
            ].medoids
            found.append(candidates[medoids])
    return np.concatenate(found)


def add_for_classes(problem: Labelled, at: Array, count: int) -> Array:
    """Some prototypes and `count` more candidates, each of which lowers the cost most when it is
    added, the first of equal ones.
    """
    chosen = np.append(at, np.full(count, -1))
    _add(
        problem.to,
        problem.w,
        problem.y,
        problem.candidate_class,
        problem.beta,
        chosen,
        len(at),
        left(),
    )
    return chosen


def changes_by_one(problem: Labelled, at: Array) -> tuple[Array, Array]:
    """Changes of the cost, and of the weight of misclassified rows, when a candidate takes the
    place of a prototype, (m, q) each.

    In the line of another prototype: when the prototype is left out. Inf in its own line, and where
    a class would keep none. A change within rounding is 0.
    """
    found = []
    for beta in (problem.beta, STEP):
        changes = np.empty((len(problem.to), len(at)))
        _changes(
            problem.to,
            problem.w,
            problem.y,
            problem.candidate_class,
            problem.classes,
            beta,
            at,
            changes,
            left(),
        )
        changes[np.abs(changes) < 1e-9 * problem.w.sum()] = 0.0
        changes[at, np.arange(len(at))] = np.inf
        found.append(changes)
    return found[0], found[1]


@kernel
def cost_of_row(own, other, beta):
    """The cost of a row at these distances to prototypes of its class and others, as `glvq_costs`."""
    if own == other:
        return 0.5
    if own == np.inf:
        return 1 / (1 + math.exp(-beta))
    if other == np.inf:
        return 1 / (1 + math.exp(beta))
    return 1 / (1 + math.exp(-beta * (own - other) / (own + other)))


@kernel
def _two_nearest(d, same, y, classes, which):
    # positions of the two nearest prototypes whose class is y (same) or another one; -1 where there
    # are none
    a, b = -1, -1
    for k in range(len(d)):
        if (classes[k] == y) == same:
            if a < 0 or d[k] < d[a]:
                a, b = k, a
            elif b < 0 or d[k] < d[b]:
                b = k
    which[0], which[1] = a, b


@kernel
def _renew(i, between, w, y, classes, beta, place, near, reach, costs):
    """Write the lines of row i.

    `place` and `near` (n, 4) are the nearest and the second nearest prototype of the row's class,
    then those of other classes, and their distances. `costs` (n, 3) are the row's cost, and its
    growth without the nearest prototype of its class, and without that of another.
    """
    for side in range(2):
        _two_nearest(between[i], side == 0, y[i], classes, place[i, 2 * side : 2 * side + 2])
    for t in range(4):
        near[i, t] = between[i, place[i, t]] if place[i, t] >= 0 else np.inf
    costs[i, 0] = w[i] * cost_of_row(near[i, 0], near[i, 2], beta)
    costs[i, 1] = w[i] * cost_of_row(near[i, 1], near[i, 2], beta) - costs[i, 0]
    costs[i, 2] = w[i] * cost_of_row(near[i, 0], near[i, 3], beta) - costs[i, 0]
    for c in range(reach.shape[0]):  # a candidate of class c beyond it changes nothing
        reach[c, i] = near[i, 1] if c == y[i] else near[i, 3]


@kernel
def _removals(place, costs, removal):
    """Write the change of the cost when each prototype is removed, see `costs` of `_renew`."""
    removal[:] = 0.0
    for i in range(len(place)):
        if place[i, 0] >= 0:
            removal[place[i, 0]] += costs[i, 1]
        if place[i, 2] >= 0:
            removal[place[i, 2]] += costs[i, 2]


@kernel
def _cost_beside(d, rival, same, beta):
    # the cost of a row with a prototype of its class (same) or of another one at d, and the nearest
    # one of the other kind at `rival`
    own, other = (d, rival) if same else (rival, d)
    return cost_of_row(own, other, beta)


@kernel
def _candidate(row, c, w, y, beta, place, near, reach, costs, classes, of_class, more, indices):
    """The change of the cost when the candidate is added.

    more[k] is the change beyond this and the removal of k, unless k is the last of another class.
    """
    more[:] = 0.0
    added = 0.0
    for i in indices[: count_nearer(row, reach, indices)]:
        d, same = row[i], y[i] == c
        side, rival = (0, 2) if same else (2, 0)  # columns of place and near
        closer, beyond = d < near[i, side], place[i, rival]
        # sums need no branches, which processors mispredict; a place of -1 is the last entry of more
        alone = w[i] * _cost_beside(d, near[i, rival], same, beta) - costs[i, 0]
        more[place[i, side]] += (0.0 if closer else alone) - costs[i, 1 + side // 2]
        added += alone if closer else 0.0
        if of_class[classes[beyond]] > 1 and closer:
            without = w[i] * _cost_beside(d, near[i, rival + 1], same, beta) - costs[i, 0]
            more[beyond] += without - alone - costs[i, 1 + rival // 2]
    return added


@kernel
def _begin(to, w, y, of_candidate, count, beta, chosen):
    """The arrays that `_renew`, `_removals` and `_candidate` read, for the prototypes `chosen`."""
    n, q = len(w), len(chosen)
    between, removal = np.empty((n, q), to.dtype), np.empty(q)
    classes, of_class = np.empty(q, np.int64), np.zeros(count, np.int64)
    place, near, costs = np.empty((n, 4), np.int64), np.empty((n, 4)), np.empty((n, 3))
    reach = np.empty((count, n), to.dtype)
    for k in range(q):
        classes[k] = of_candidate[chosen[k]]
        of_class[classes[k]] += 1
        for i in range(n):
            between[i, k] = to[chosen[k], i]
    for i in range(n):
        _renew(i, between, w, y, classes, beta, place, near, reach, costs)
    _removals(place, costs, removal)
    return between, classes, of_class, place, near, reach, costs, removal


@kernel
def _add(to, w, y, of_candidate, beta, chosen, q, left):
    # An addition changes the nearest prototype of few rows: only their parts of the changes in cost
    # are computed again. `near` has the distances to prototypes of the row's class and of others.
    m, n = to.shape
    added, near, cost = np.zeros(m), np.full((n, 2), np.inf), np.empty(n)
    near_before, cost_before, rows, count = np.full((n, 2), -np.inf), np.empty(n), np.arange(n), n
    for k in range(len(chosen)):
        if k >= q:
            for i in rows[:count]:
                cost[i] = w[i] * cost_of_row(near[i, 0], near[i, 1], beta)
            for j in range(m):
                if left[0]:
                    return
                for i in rows[:count]:
                    d, same = to[j, i], y[i] == of_candidate[j]
                    side = 0 if same else 1
                    if d < near[i, side]:
                        added[j] += w[i] * _cost_beside(d, near[i, 1 - side], same, beta) - cost[i]
                    if d < near_before[i, side]:
                        added[j] -= (
                            w[i] * _cost_beside(d, near_before[i, 1 - side], same, beta)
                            - cost_before[i]
                        )
            chosen[k], count = added.argmin(), 0
        added[chosen[k]] = np.inf
        for i in range(n):
            side = 0 if y[i] == of_candidate[chosen[k]] else 1
            if to[chosen[k], i] < near[i, side]:
                if k >= q:
                    rows[count], near_before[i], cost_before[i] = i, near[i], cost[i]
                    count += 1
                near[i, side] = to[chosen[k], i]


@kernel
def _changes(to, w, y, of_candidate, count, beta, chosen, swapped, left):
    """Write the change of the cost by each swap of a candidate j and a prototype k, (m, q); inf for
    a swap that leaves a class without prototypes.
    """
    _, classes, of_class, place, near, reach, costs, removal = _begin(
        to, w, y, of_candidate, count, beta, chosen
    )
    q, more, indices = len(chosen), np.empty(len(chosen) + 1), np.empty(len(w), np.int64)
    for j in range(len(to)):
        if left[0]:
            return
        c = of_candidate[j]
        added = _candidate(
            to[j], c, w, y, beta, place, near, reach[c], costs, classes, of_class, more, indices
        )
        for k in range(q):
            allowed = classes[k] == c or of_class[classes[k]] > 1
            swapped[j, k] = added + removal[k] + more[k] if allowed else np.inf


@kernel
def _swap(to, w, y, of_candidate, count, beta, chosen, left):
    """Make swaps that lower the cost, candidate after candidate, until none does."""
    between, classes, of_class, place, near, reach, costs, removal = _begin(
        to, w, y, of_candidate, count, beta, chosen
    )
    m, n, q = len(to), len(w), len(chosen)
    more, indices, taken = np.empty(q + 1), np.empty(n, np.int64), np.zeros(m, np.bool_)
    taken[chosen] = True
    # `rounding` exceeds the error of sums of n costs, each at most its row's weight
    rounding = (n + 8) * 2.0**-50 * w.sum()
    swaps, visited, j = 0, 0, 0  # visited: candidates since the last swap
    while visited < m and not left[0]:
        if not taken[j]:
            c = of_candidate[j]
            added = _candidate(
                to[j], c, w, y, beta, place, near, reach[c], costs, classes, of_class, more, indices
            )
            best = -1
            for k in range(q):
                allowed = classes[k] == c or of_class[classes[k]] > 1
                if allowed and (best < 0 or removal[k] + more[k] < removal[best] + more[best]):
                    best = k
            if best >= 0 and added + removal[best] + more[best] < -rounding:
                before = classes[best]
                taken[chosen[best]], taken[j] = False, True
                of_class[before] -= 1
                of_class[c] += 1
                chosen[best], classes[best] = j, c
                for i in range(n):
                    d = to[j, i]
                    was = (
                        place[i, 0] == best
                        or place[i, 1] == best
                        or place[i, 2] == best
                        or place[i, 3] == best
                    )
                    between[i, best] = d
                    if was or d < reach[c, i]:
                        _renew(i, between, w, y, classes, beta, place, near, reach, costs)
                _removals(place, costs, removal)
                swaps += 1
                visited = 0
        visited += 1
        j = j + 1 if j + 1 < m else 0
    return swaps
