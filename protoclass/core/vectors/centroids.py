"""Centroids of classes and points of their hulls."""

from __future__ import annotations

import threading

import numpy as np

from ...ground.errors import DataError
from .. import Array
from ..parallel import kernel, left
from ..setcover.program import quiet_solver

CACHED_ROWS = 256  # rows whose distances stay in the cache

_kept = threading.local()


def kmeans(
    X: Array, w: Array, K: int, starts: int, seed: tuple[int, ...], start: str = "k-means++"
) -> tuple[Array, Array]:
    """Weighted k-means by Lloyd's algorithm, the best of `starts` runs.

    The draws, the greedy selection among several candidates for each initial center, the tolerance
    and the treatment of clusters without rows are the same as in scikit-learn's `KMeans`, so both
    end in the same clusters from the same seed.

    Parameters
    ----------
    X : array (n, p)
    w : array (n,)
        Positive.
    K : int <= n
    starts : int
    seed : tuple of int
    start : "k-means++" or "random"
        Initial centers: rows far from one another, or K rows, each drawn in proportion to its
        weight.

    Returns
    -------
    centers : array (K, p)
        If fewer than K rows are distinct, some centers are repeated.
    held : array (K,)
        Weight of the rows of each cluster.

    References
    ----------
    Arthur and Vassilvitskii (2007), *k-means++: the advantages of careful seeding*, SODA.

    Examples
    --------
    >>> centers, held = kmeans(np.array([[0.0], [2.0], [10.0]]), np.array([1.0, 3.0, 1.0]), 2, 3, (0,))
    >>> sorted(zip(centers[:, 0].tolist(), held.tolist()))
    [(1.5, 4.0), (10.0, 1.0)]
    """
    scale, mean, turned = centred(X)
    w = np.ascontiguousarray(w, float)
    centers, labels = best_run(
        turned, w, first_rows(turned, w, K, starts, generator(seed), start), tolerance(turned)
    )
    dtype = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    return ((centers + mean) / scale).astype(dtype, copy=False), np.bincount(labels, w, K)


def centred(X: Array) -> tuple[float, Array, Array]:
    """A power of two, the mean of X times it, and the transpose of X times it minus the mean, (p, n).

    The scale brings the largest value near 1: no square overflows, and the product is exact.
    """
    scale = 2.0 ** -float(np.clip(np.frexp(np.abs(X).max(initial=0.0))[1], -1000, 1000))
    scaled = np.asarray(X, float) * scale
    mean = scaled.mean(axis=0)
    return scale, mean, np.ascontiguousarray((scaled - mean).T)


def generator(seed: tuple[int, ...]) -> np.random.RandomState:
    """NumPy's legacy generator, whose stream never changes: one for each thread, seeded for each call.

    Making one takes a hundred times as long as seeding it.
    """
    if not hasattr(_kept, "draw"):
        _kept.draw = np.random.RandomState(0)
    draw: np.random.RandomState = _kept.draw
    draw.seed(int(np.random.default_rng(seed).integers(2**31)))
    return draw


def tolerance(turned: Array) -> float:
    """The sum of squared moves of centers at which k-means has converged."""
    # k-means has converged if they sum to at most this part of the mean variance of the columns
    return float(np.mean(np.var(turned, axis=1))) * 1e-4


def first_rows(
    turned: Array, w: Array, K: int, starts: int, draw: np.random.RandomState, start: str
) -> Array:
    """The rows that are the initial centers of each run, int array (starts, K).

    Parameters
    ----------
    turned : array (p, n)
    w : array (n,)
    K, starts : int
    draw : RandomState
    start : "k-means++" or "random"
    """
    share = w / w.sum()
    if start == "random":
        return np.stack([draw.choice(len(w), K, replace=False, p=share) for _ in range(starts)])
    cumulated = share.cumsum()
    trials = 2 + int(np.log(K))
    draws = draw.random_sample((starts, 1 + (K - 1) * trials))
    first = np.empty((starts, K), np.int64)
    first[:, 0] = np.searchsorted(cumulated / cumulated[-1], draws[:, 0], side="right")
    _plus_plus(turned, w, draws[:, 1:].reshape(starts, K - 1, trials), first)
    return first


def best_run(turned: Array, w: Array, first: Array, tol: float) -> tuple[Array, Array]:
    """Centers (K, p) and clusters (n,) of the run with the lowest inertia; the first run breaks ties."""
    X = np.ascontiguousarray(turned.T)
    centers, labels = np.empty((first.shape[1], len(turned))), np.empty(len(w), np.int64)
    _runs(turned, X, w, tol, first, centers, labels, left())
    return centers, labels


def partitions(turned: Array, X: Array, w: Array, first: Array, tol: float) -> Array:
    """Clusters of each run from the initial rows `first` (starts, K), int array (starts, n)."""
    centers = np.empty((first.shape[1], len(turned)))
    labels = np.empty((len(first), len(w)), np.int64)
    for s in range(len(first)):
        _runs(turned, X, w, tol, first[s : s + 1], centers, labels[s], left())
    return labels


@kernel
def _plus_plus(turned, w, draws, first):
    # Greedy k-means++: of several rows, drawn by weight times squared distance to the nearest
    # center so far, the one that leaves the lowest sum of these. The columns lie one after the
    # other, so sums over columns run over all rows at once.
    n = turned.shape[1]
    closest, near, kept = np.empty(n), np.empty(n), np.empty(n)
    for s in range(len(first)):
        closest[:] = np.inf
        for k in range(first.shape[1]):
            if k > 0:
                least = np.inf
                for t in range(draws.shape[2]):
                    row = _drawn(closest, w, draws[s, k - 1, t])
                    _nearest_squares(turned, row, closest, near)
                    potential = 0.0
                    for i in range(n):
                        potential += w[i] * near[i]
                    if t == 0 or potential < least:
                        least = potential
                        first[s, k] = row
                        kept[:] = near
                closest[:] = kept
            else:
                _nearest_squares(turned, first[s, 0], closest, near)
                closest[:] = near


@kernel
def _drawn(closest, w, share):
    """The row at which the sum of weights times squares reaches this share of the total."""
    total = 0.0
    for i in range(len(w)):
        total += w[i] * closest[i]
    goal, total = share * total, 0.0
    for i in range(len(w)):
        total += w[i] * closest[i]
        if total >= goal:
            return i
    return len(w) - 1


@kernel
def _nearest_squares(turned, row, closest, out):
    """Write the squared distance of each row to the nearer of `row` and its closest center so far."""
    out[:] = 0.0
    for j in range(len(turned)):
        column = turned[j]
        at = column[row]
        for i in range(len(out)):
            out[i] += (column[i] - at) ** 2
    for i in range(len(out)):
        out[i] = min(out[i], closest[i])


@kernel
def _runs(turned, X, w, tol, first, best, best_labels, left):
    """Lloyd's algorithm from each set of initial rows; write the best centers and labels."""
    least, centers, labels = np.inf, np.empty_like(best), np.empty_like(best_labels)
    for s in range(len(first)):
        for k in range(len(centers)):
            centers[k] = X[first[s, k]]
        inertia = _lloyd(turned, X, w, tol, centers, labels, left)
        if s == 0 or inertia < least:
            least = inertia
            best[:] = centers
            best_labels[:] = labels


@kernel
def _lloyd(turned, X, w, tol, centers, labels, left):
    # The rows come twice: column by column for distances, row by row for means.
    K, p = centers.shape
    n = len(w)
    old, moved, square, weight = np.full(n, -1), np.empty((K, p)), np.empty(n), np.empty(K)
    for _ in range(300):
        _assign(turned, centers, labels, square)
        _average(X, w, labels, square, moved, weight)
        shift = 0.0
        for k in range(K):
            for j in range(p):
                shift += (moved[k, j] - centers[k, j]) ** 2
                centers[k, j] = moved[k, j]
        same = True
        for i in range(n):
            same = same and labels[i] == old[i]
            old[i] = labels[i]
        if same or shift <= tol or left[0]:
            break
    _assign(turned, centers, labels, square)
    inertia = 0.0
    for i in range(n):
        inertia += w[i] * square[i]
    return inertia


@kernel
def _assign(turned, centers, labels, square):
    """Write the nearest center of each row, the first of equal ones, and its squared distance.

    The rows are taken in blocks, and sums over columns run over all rows of a block at once.
    """
    n, out = len(labels), np.empty(CACHED_ROWS)
    for begin in range(0, n, CACHED_ROWS):
        size = min(CACHED_ROWS, n - begin)
        for k in range(len(centers)):
            out[:] = 0.0
            for j in range(len(turned)):
                at, column = centers[k, j], turned[j, begin : begin + size]
                for i in range(size):
                    out[i] += (column[i] - at) ** 2
            least, nearest = square[begin : begin + size], labels[begin : begin + size]
            for i in range(size):
                if k == 0 or out[i] < least[i]:
                    least[i] = out[i]
                    nearest[i] = k


@kernel
def _average(X, w, labels, square, moved, weight):
    # A cluster without rows gets the row that lies farthest from its center; if all rows lie on
    # their centers, it repeats the center of the cluster with the largest weight.
    K, p = moved.shape
    weight[:] = 0.0
    moved[:] = 0.0
    for i in range(len(w)):
        weight[labels[i]] += w[i]
    for i in range(len(w)):
        mean, row = moved[labels[i]], X[i]
        for j in range(p):
            mean[j] += w[i] * row[j]
    for k in range(K):
        if weight[k] > 0:
            continue
        far = square.argmax()
        if square[far] > 0:
            for j in range(p):
                moved[labels[far], j] -= w[far] * X[far, j]
                moved[k, j] = w[far] * X[far, j]
            weight[labels[far]] -= w[far]
            weight[k] = w[far]
            square[far] = 0.0
    heaviest = weight.argmax()
    for k in range(K):
        if weight[k] > 0:
            moved[k] /= weight[k]
    for k in range(K):
        if weight[k] <= 0:
            moved[k] = moved[heaviest]


def hull_draws(X: Array, count: int, steps: int | None, seed: tuple[int, ...]) -> Array:
    """Points of the convex hull of the rows of X.

    Each step takes a random direction; the next point is uniform on the chord through the hull in
    that direction. The ends of a chord are solutions of linear programs over the weights of the
    rows, so the facets of the hull are not computed. The hull of independent points (at most p + 1)
    is a simplex, from which uniform points are drawn directly.

    Parameters
    ----------
    X : array (n, p)
    count : int
    steps : int, or None
        Chords between one draw and the next, and ten times as many from the mean to the first.
        None: the dimension of the hull, at least 5. With few chords the draws are similar and too
        near the mean.
    seed : tuple of int

    Returns
    -------
    array (count, p)
    """
    draw = np.random.default_rng(seed)
    mean = X.mean(axis=0)
    left, size, axes = np.linalg.svd(X - mean, full_matrices=False)
    # singular values below this part of the largest one are rounding
    rank = int((size > 1e-9 * max(size.max(initial=0.0), np.finfo(float).tiny)).sum())
    if rank == 0:
        return np.repeat(mean[None, :], count, axis=0)
    if len(X) == rank + 1:
        return draw.dirichlet(np.ones(len(X)), count) @ X
    # in these coordinates the rows have equal spread in all directions, so the walk mixes fast
    V = left[:, :rank] * np.sqrt(len(X))
    chord = _Chord(V)
    point, draws = np.zeros(rank), np.empty((count, rank))
    steps = max(5, rank) if steps is None else steps
    for k in range(count):
        for _ in range(10 * steps if k == 0 else steps):
            direction = draw.normal(size=rank)
            direction /= np.linalg.norm(direction)
            low, high = chord.ends(point, direction)
            point = point + draw.uniform(low, high) * direction
        draws[k] = point
    return mean + (draws / np.sqrt(len(X)) * size[:rank]) @ axes[:rank]


class _Chord:
    """The linear program max or min t: x + t d = V' a, sum a = 1, a >= 0; solved from the last chord's basis."""

    def __init__(self, V: Array) -> None:
        import highspy

        n, rank = V.shape
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n + 1, rank + 1
        program.col_cost_ = np.zeros(n + 1)
        program.col_lower_ = np.concatenate([np.zeros(n), [-highspy.kHighsInf]])
        program.col_upper_ = np.full(n + 1, highspy.kHighsInf)
        program.row_lower_ = program.row_upper_ = np.concatenate([np.zeros(rank), [1.0]])
        columns = np.vstack([np.column_stack([V, np.ones(n)]), np.zeros(rank + 1)])
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_ = np.arange(n + 2) * (rank + 1)
        program.a_matrix_.index_ = np.tile(np.arange(rank + 1), n + 1)
        program.a_matrix_.value_ = columns.ravel()
        self.solver = quiet_solver()
        self.solver.setOptionValue("presolve", "off")
        self.solver.passModel(program)
        self.n, self.optimal = n, highspy.HighsModelStatus.kOptimal

    def ends(self, x: Array, d: Array) -> tuple[float, float]:
        """The smallest and the largest t with x + t d in the hull; the interval contains 0."""
        for i in range(len(x)):
            self.solver.changeCoeff(i, self.n, -float(d[i]))
            self.solver.changeRowBounds(i, float(x[i]), float(x[i]))
        limits = []
        for sign in (1.0, -1.0):
            self.solver.changeColCost(self.n, sign)
            self.solver.run()
            if self.solver.getModelStatus() != self.optimal:
                raise DataError(
                    "the end of a chord in the hull of a class could not be computed: leave out pc.candidates.hull"
                )
            limits.append(sign * float(self.solver.getInfo().objective_function_value))
        # by rounding, a point on the boundary may lie outside; its chord is then the point itself
        return min(limits[0], 0.0), max(limits[1], 0.0)
