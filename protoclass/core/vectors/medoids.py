"""k-medoids by FasterPAM (Schubert and Rousseeuw 2021), with the starts of PAM and of k-means++."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import Array
from ..parallel import kernel, left

STARTS = ("k-means++", "build", "random")
NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True)
class Medoids:
    """Candidates that represent the rows.

    Attributes
    ----------
    medoids : int array (K,), ascending
        Columns of D.
    assignment : int array (n,)
        Position in `medoids` of the nearest medoid of each row, the first of equally near ones.
    loss : float
        Sum over the rows of weight times dissimilarity to the nearest medoid.
    swaps, iterations : int
        Number of swaps, and of passes over the candidates that were started, until no swap lowered
        the loss.
    """

    medoids: Array
    assignment: Array
    loss: float
    swaps: int
    iterations: int


@dataclass(frozen=True)
class Block:
    """Dissimilarities as the kernels read them, see `block`.

    Attributes
    ----------
    to : array (m, n)
        D transposed: the values of a candidate are contiguous.
    w : float array (n,)
    own : int array (m,)
    """

    to: Array
    w: Array
    own: Array


def block(D: Array, w: Array, own: Array) -> Block:
    """A Block of the dissimilarities D (n, m) of rows with weights w (n,), all > 0, to candidates,
    the rows own (m,).
    """
    return Block(turned(D), np.ascontiguousarray(w, np.float64), np.asarray(own, np.int64))


def turned(D: Array) -> Array:
    """D transposed, in single precision if D is and otherwise in double precision."""
    return np.ascontiguousarray(D.T, np.float32 if D.dtype == np.float32 else np.float64)


def kmedoids(
    D: Array,
    w: Array,
    own: Array,
    counts: Array,
    start: str = "k-means++",
    starts: int = 1,
    seed: tuple[int, ...] = (0,),
) -> dict[int, Medoids]:
    """Medoids for each of several K.

    Each K has `starts` runs of its own (one if nothing is drawn at random). If there is a smaller
    K, one more run starts from its medoids, so the loss never rises with K. The run with the lowest
    loss is kept; the first run breaks ties.

    Parameters
    ----------
    D : array (n, m)
        Dissimilarities of the rows to the candidates; may be asymmetric.
    w : float array (n,)
        Weights, all > 0.
    own : int array (m,)
        The row that each candidate is.
    counts : int array
        The K, each from 1 to m.
    start : "k-means++", "build" or "random"
        See `begin`.
    starts : int
    seed : tuple of int

    Returns
    -------
    dict of int to Medoids

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> D = np.abs(x[:, None] - x)
    >>> by_K = kmedoids(D, np.ones(6), np.arange(6), np.array([1, 2]))
    >>> by_K[1].loss, by_K[2].medoids.tolist(), by_K[2].loss
    (30.0, [1, 4], 4.0)
    """
    problem, out, previous = block(D, w, own), {}, NOTHING
    for K in np.unique(counts).tolist():
        tries = 1 if start == "build" or K in (1, len(own)) else starts
        initial = [
            begin(problem, K, start, np.random.default_rng((*seed, K, s))) for s in range(tries)
        ]
        if len(previous):
            initial.append(
                begin(problem, K, start, np.random.default_rng((*seed, K, tries)), previous)
            )
        out[K] = min((swap_medoids(problem, first) for first in initial), key=lambda run: run.loss)
        previous = out[K].medoids
    return out


def begin(
    problem: Block, K: int, start: str, draw: np.random.Generator, known: Array = NOTHING
) -> Array:
    """K different candidates to start from: the known ones, and others.

    Parameters
    ----------
    problem : Block
    K : int
    start : str
        "build": one after another, the candidate that lowers the loss most, the first of equal ones
        (BUILD of PAM, Kaufman and Rousseeuw 1990, chapter 2). "k-means++": drawn one after another
        with probability proportional to the contribution of its row to the loss so far, which is
        its weight times its dissimilarity to the nearest chosen one, not squared (Arthur and
        Vassilvitskii 2007 draw in proportion to the loss that is minimised: squares for k-means);
        the first one by its weight alone. If no row contributes to the loss, the first remaining
        candidate is taken. "random": any candidates, with equal probabilities.
    draw : Generator
    known : int array, optional

    Returns
    -------
    int array (K,)
    """
    chosen = np.full(K, -1)
    chosen[: len(known)] = known
    if start == "build":
        if len(known) == 0:
            chosen[0] = _costs(problem.to, problem.w).argmin()
        _build(problem.to, problem.w, chosen, max(1, len(known)), left())
    elif start == "k-means++":
        _draw(problem.to, problem.w, problem.own, chosen, len(known), draw.random(K))
    else:
        others = np.setdiff1d(np.arange(len(problem.own)), known)
        chosen[len(known) :] = draw.permutation(others)[: K - len(known)]
    return chosen


def swap_medoids(problem: Block, first: Array) -> Medoids:
    """Swap medoids for other candidates until no swap lowers the loss (FasterPAM: each swap that
    lowers it is made at once).

    Candidates are visited in their order, repeatedly. A candidate replaces the medoid with the
    largest decrease of the loss; the order of `first` breaks ties. A decrease within rounding error
    does not count. A single medoid is the best of all candidates, the first one of ties.
    """
    if len(first) == 1:
        medoids = np.array([_costs(problem.to, problem.w).argmin()])
        swaps, passes = int(medoids[0] != first[0]), 1
    else:
        medoids = np.array(first, np.int64)
        swaps, passes = _swap(problem.to, problem.w, medoids, left())
        medoids.sort()
    between = problem.to[medoids]
    loss = float((problem.w * between.min(axis=0)).sum())
    return Medoids(medoids, between.argmin(axis=0), loss, swaps, passes)


@kernel
def _costs(to, w):
    """The loss with each candidate as the only medoid."""
    out = np.zeros(to.shape[0])
    for j in range(to.shape[0]):
        for i in range(len(w)):
            out[j] += w[i] * to[j, i]
    return out


@kernel
def _draw(to, w, own, chosen, known, levels):
    """Draw the candidates that follow the first `known` of `chosen`, as `begin` says of k-means++;
    `levels` has a number from 0 to 1 for each draw.

    A draw has three parts:

    1. The share of a candidate is the loss of its own row: its weight, for all but the first draw
       times the dissimilarity to the nearest chosen one. It is 0 for a chosen candidate.
    2. If no row has a loss, the others have equal shares, and a goal of 0 takes the first of them.
    3. Shares are divided by the largest, so their sum cannot overflow. The candidate is the first
       at which the running sum exceeds the goal, a level times the sum.
    """
    m, n = to.shape
    near, taken, share = np.full(n, np.inf, to.dtype), np.zeros(m, np.bool_), np.empty(m)
    for k in range(len(chosen)):
        if k >= known:
            for j in range(m):
                share[j] = 0.0 if taken[j] else w[own[j]] * (near[own[j]] if k else 1.0)
            goal, total = levels[k - known], 0.0
            if not share.any():
                share[:], goal = ~taken, 0.0
            share /= share.max()
            goal *= share.sum()
            for j in range(m):
                total += share[j]
                if total > goal:
                    chosen[k] = j
                    break
        taken[chosen[k]] = True
        for i in range(n):
            near[i] = min(near[i], to[chosen[k], i])


@kernel
def _build(to, w, chosen, known, left):
    """Choose the candidates after the first `known` one by one, each with the largest gain."""
    # the gain of each candidate when it was last computed: gains never rise, also with rounding, so
    # one that is not above the best need not be computed again
    bound, near = np.full(to.shape[0], np.inf), np.full(len(w), np.inf, to.dtype)
    indices = np.empty(len(w), np.int64)
    for k in range(len(chosen)):
        if k >= known:
            most = -1.0
            for j in range(to.shape[0]):
                if left[0]:
                    return
                if bound[j] > most:
                    bound[j] = _gain(to[j], w, near, indices)
                    if bound[j] > most:
                        chosen[k], most = j, bound[j]
        bound[chosen[k]] = -1.0
        for i in range(len(w)):
            near[i] = min(near[i], to[chosen[k], i])


@kernel
def _gain(row, w, near, indices):
    """The decrease of the loss by one more medoid; `near` has the nearest dissimilarity so far."""
    gain = 0.0
    for i in indices[: count_nearer(row, near, indices)]:
        gain += w[i] * (np.float64(near[i]) - row[i])
    return gain


@kernel
def count_nearer(row, reach, indices):
    # the rows nearer to a candidate than `reach`, without branches, which processors mispredict:
    # k-medoids of 300 rows takes .4 of the time (benchmarks/beside.py)
    count = 0
    for i in range(len(row)):
        indices[count] = i
        count += row[i] < reach[i]
    return count


@kernel
def _swap(to, w, chosen, left):
    """Swap medoids for candidates as `swap_medoids` says; return the numbers of swaps and passes.

    `first` and `second` are the dissimilarities of each row to its two nearest medoids, which are
    numbers `nearest` and `after` of `chosen`. If candidate j replaces medoid k, the loss falls by
    gain + kept[k] - lost[k]: gain is the decrease for rows nearer to j than to any medoid, lost[k]
    the increase for the rows of k without it, and kept[k] the part of this that j prevents.
    """
    m, n, K = to.shape[0], len(w), len(chosen)
    between = np.empty((n, K), to.dtype)
    first, second = np.empty(n, to.dtype), np.empty(n, to.dtype)
    nearest, after, indices = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    taken, kept, lost = np.zeros(m, np.bool_), np.empty(K), np.empty(K)
    for k in range(K):
        taken[chosen[k]] = True
        for i in range(n):
            between[i, k] = to[chosen[k], i]
    for i in range(n):
        nearest[i], after[i] = _two_nearest(between[i])
        first[i], second[i] = between[i, nearest[i]], between[i, after[i]]
    _losses(w, first, second, nearest, lost)
    # `rounding` exceeds the relative error of sums of n terms, all of one sign
    rounding = (n + 8) * 2.0**-50
    swaps, passes, visited, j = 0, 0, 0, 0  # visited: candidates since the last swap
    while visited < m and not left[0]:
        passes += j == 0
        if not taken[j]:
            gain = _saved(to[j], w, first, second, nearest, kept, indices)
            k = 0
            for other in range(1, K):
                if kept[other] - lost[other] > kept[k] - lost[k]:
                    k = other
            if gain + kept[k] - lost[k] > rounding * lost[k]:
                taken[chosen[k]], taken[j] = False, True
                chosen[k] = j
                _put(to[j], k, between, first, second, nearest, after)
                _losses(w, first, second, nearest, lost)
                swaps += 1
                visited = 0
        visited += 1
        j = j + 1 if j + 1 < m else 0
    return swaps, passes


@kernel
def _saved(row, w, first, second, of, kept, indices):
    """The gain of a candidate, whose dissimilarities are `row`; writes `kept` (see `_swap`)."""
    # few rows are nearer to a candidate than to their second medoid
    kept[:] = 0.0
    gain = 0.0
    for i in indices[: count_nearer(row, second, indices)]:
        near, beyond = (row[i], first[i]) if row[i] < first[i] else (first[i], row[i])
        gain += w[i] * (np.float64(first[i]) - near)
        kept[of[i]] += w[i] * (np.float64(second[i]) - beyond)
    return gain


@kernel
def _losses(w, first, second, of, lost):
    """Write the increase of the loss when each medoid is removed, from its rows' second medoids."""
    lost[:] = 0.0
    for i in range(len(w)):
        lost[of[i]] += w[i] * (np.float64(second[i]) - first[i])


@kernel
def _put(row, k, between, first, second, of, after):
    """Put a candidate with this row in place of medoid k, and renew the two nearest of each row."""
    for i in range(len(of)):
        d = row[i]
        between[i, k] = d
        if of[i] == k or after[i] == k:
            of[i], after[i] = _two_nearest(between[i])
            first[i], second[i] = between[i, of[i]], between[i, after[i]]
        elif d < first[i]:
            after[i], second[i] = of[i], first[i]
            of[i], first[i] = k, d
        elif d < second[i]:
            after[i], second[i] = k, d


@kernel
def _two_nearest(d):
    """The positions of the smallest and the second smallest value; the first breaks ties."""
    a, b = (0, 1) if d[0] <= d[1] else (1, 0)
    for k in range(2, len(d)):
        if d[k] < d[b]:
            if d[k] < d[a]:
                a, b = k, a
            else:
                b = k
    return a, b
