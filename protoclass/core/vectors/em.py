"""The EM algorithm for Gaussian mixtures (ESL, section 8.5.1), in one kernel for all starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..parallel import kernel, left

Array = NDArray[Any]
FULL, TIED, DIAGONAL, SPHERICAL = range(4)
TOLERANCE = 1e-3  # converged if the mean log likelihood of a row changes by less
MARGIN = 40.0  # a component whose log density is so far below the best one's adds nothing to a sum: exp(-40) < 2^-57
EMPTY = 10 * np.finfo(float).eps  # rows of a component that has none, so that its weight is positive
COLUMNS = 8  # after every so many columns, a look at what can no longer matter
ROWS = 64  # that are whitened together


def best_mixture(
    X: Array, turned: Array, labels: Array, K: int, form: int, ridge: float, steps: int
) -> tuple[Array, Array, Array, bool] | None:
    """EM from each of several partitions; the mixture with the largest likelihood, None if a covariance is singular.

    Components whose density is exp(40) times smaller than that of the best one for a row are left out of its sums, and the
    whitening of a row stops as soon as this is certain. Components whose shares have not changed are not computed again, and
    partitions that differ in the names of their parts only run once.

    Parameters
    ----------
    X, turned : arrays (n, p) and (p, n)
        The same rows twice.
    labels : int array (S, n)
        The partitions, numbered from 0 to K - 1.
    K : int
    form : FULL, TIED, DIAGONAL or SPHERICAL
    ridge : float
    steps : int

    Returns
    -------
    weights : array (K,)
    means : array (K, p)
    roots : array (K or 1, p, p), or (K, 1, p) if diagonal
        R with R R' = Sigma^-1, upper triangular, or its diagonal.
    converged : bool
    """
    p = X.shape[1]
    shape = {FULL: (K, p, p), TIED: (1, p, p)}.get(form, (K, 1, p))
    weights, means, roots = np.empty(K), np.empty((K, p)), np.empty(shape)
    state = _best(X, turned, labels, form, ridge, steps, weights, means, roots, left())
    return None if state < 0 else (weights, means, roots, state == 1)


@kernel
def _best(X, turned, labels, form, ridge, steps, best_weights, best_means, best_roots, left):  # type: ignore[no-untyped-def]
    # 1: the best start converged, 0: it did not, -1: a covariance is singular
    K, n = len(best_weights), len(X)
    weights, means, factors = np.empty(K), np.empty_like(best_means), np.empty_like(best_roots)
    resp, leader, work = np.empty((K, n)), np.empty(n, np.int64), np.empty((turned.shape[0], ROWS))
    changed, outcome, most = np.empty(K, np.bool_), -1, -np.inf
    for s in range(len(labels)):
        if _seen_before(labels, s, K):
            continue
        resp[:] = 0.0
        changed[:] = True
        for i in range(n):
            leader[i] = labels[s, i]
            resp[leader[i], i] = 1.0
        converged, last, value = False, -np.inf, -np.inf
        for step in range(steps + 1):
            # after the last step, a mixture that does not become the best one need not be computed
            if converged and s > 0 and not value > most:
                break
            if changed.any() and not _maximise(X, resp, form, ridge, changed, weights, means, factors):
                return -1
            if converged or step == steps or left[0]:
                break
            value = _expect(turned, weights, means, factors, resp, leader, work, changed)
            converged = abs(value - last) < TOLERANCE or not changed.any()
            last = value
        if s == 0 or value > most:
            outcome, most = int(converged), value
            best_weights[:], best_means[:], best_roots[:] = weights, means, factors
    for k in range(len(best_roots)):
        _invert(best_roots[k])
    return outcome


@kernel
def _seen_before(labels, s, K):  # type: ignore[no-untyped-def]
    # whether an earlier partition is the same but for the names of its parts
    name = np.empty(K, np.int64)
    for t in range(s):
        name[:] = -1
        same = True
        for i in range(labels.shape[1]):
            if name[labels[s, i]] < 0:
                name[labels[s, i]] = labels[t, i]
            same = same and name[labels[s, i]] == labels[t, i]
        for a in range(K):
            for b in range(a):
                same = same and (name[a] < 0 or name[a] != name[b])
        if same:
            return True
    return False


@kernel
def _maximise(X, resp, form, ridge, changed, weights, means, factors):  # type: ignore[no-untyped-def]
    # Weights, means and the upper triangular U of U'U = Sigma (its diagonal, if Sigma is diagonal); False if Sigma is singular.
    # A component without rows repeats the heaviest mean.
    (K, n), p = resp.shape, X.shape[1]
    heaviest, renewed = 0, np.empty(len(factors), np.bool_)
    for k in range(len(factors)):
        renewed[k] = form == TIED or changed[k]
    for k in range(K):
        weights[k] = 0.0
        means[k] = 0.0
        for i in range(n):
            r = resp[k, i]
            if r > 0:
                weights[k] += r
                for j in range(p):
                    means[k, j] += r * X[i, j]
        if weights[k] > weights[heaviest]:
            heaviest = k
        if weights[k] > EMPTY:
            means[k] /= weights[k]
    four, scaled = np.empty((4, p)), np.empty((4, p))
    for k in range(len(factors)):
        if renewed[k]:
            factors[k] = 0.0
    for k in range(K):
        if weights[k] <= EMPTY:
            means[k] = means[heaviest]
        elif renewed[0 if form == TIED else k]:
            _scatter(X, resp[k], means[k], factors[0 if form == TIED else k], four, scaled)
    for k in range(len(factors)):
        if not renewed[k]:
            continue
        out = factors[k]
        out /= n if form == TIED else max(weights[k], EMPTY)
        if form == SPHERICAL:
            out[0] = out[0].mean()
        for j in range(p):
            out[0 if len(out) == 1 else j, j] += ridge
        if not _factor(out):
            return False
    total = 0.0
    for k in range(K):
        weights[k] += EMPTY
        total += weights[k]
    weights /= total
    return True


@kernel
def _scatter(X, share, mean, out, four, scaled):  # type: ignore[no-untyped-def]
    # adds the weighted products of the deviations (the upper triangle, or the squares), four rows at a time
    p, filled = X.shape[1], 0
    for i in range(len(X)):
        if share[i] > 0:
            for j in range(p):
                four[filled, j] = X[i, j] - mean[j]
                scaled[filled, j] = share[i] * four[filled, j]
            filled += 1
        if filled == 4 or (i == len(X) - 1 and filled > 0):
            four[filled:] = 0.0
            scaled[filled:] = 0.0
            filled = 0
            if len(out) == 1:
                for j in range(p):
                    for f in range(4):
                        out[0, j] += scaled[f, j] * four[f, j]
                continue
            for a in range(p):
                s0, s1, s2, s3 = scaled[0, a], scaled[1, a], scaled[2, a], scaled[3, a]
                line, f0, f1, f2, f3 = out[a, a:], four[0, a:], four[1, a:], four[2, a:], four[3, a:]
                for b in range(len(line)):
                    line[b] += s0 * f0[b] + s1 * f1[b] + s2 * f2[b] + s3 * f3[b]


@kernel
def _factor(out):  # type: ignore[no-untyped-def]
    # U with U'U = out in place, from its upper triangle; False where that is not positive definite
    p = out.shape[1]
    if len(out) == 1:
        for j in range(p):
            if not out[0, j] > 0:
                return False
            out[0, j] = np.sqrt(out[0, j])
        return True
    for j in range(p):
        line = out[j, j:]
        least = p * 1e-16 * line[0]
        for i in range(j):
            above = out[i, j:]
            at = above[0]
            for b in range(len(line)):
                line[b] -= at * above[b]
        if not line[0] > least:
            return False
        line /= np.sqrt(line[0])
    return True


@kernel
def _invert(factor):  # type: ignore[no-untyped-def]
    # the inverse of U, or of its diagonal, in place, from the last line up
    if len(factor) == 1:
        factor[:] = 1 / factor
        return
    p = len(factor)
    left = np.empty(p)
    for i in range(p):
        left[:] = 0.0
        left[i] = 1.0
        for k in range(i, p):
            at, line, rest = left[k] / factor[k, k], factor[k, k + 1 :], left[k + 1 :]
            left[k] = at
            for b in range(len(line)):
                rest[b] -= at * line[b]
        factor[i, i:] = left[i:]


@kernel
def _expect(turned, weights, means, factors, resp, leader, work, changed):  # type: ignore[no-untyped-def]
    # Responsibilities of the components, and which have changed; returns the mean log likelihood. The component that had the
    # largest share of a row comes first, and gives the level below which the others do not count.
    (p, n), K, before = turned.shape, len(weights), resp.copy()
    resp[:] = -np.inf
    level = np.full(n, -np.inf)
    for first in (True, False):
        for k in range(K):
            factor = factors[k if len(factors) > 1 else 0]
            constant = np.log(weights[k]) - p / 2 * np.log(2 * np.pi)
            for j in range(p):
                constant -= np.log(factor[0 if len(factor) == 1 else j, j])
            _log_densities(turned, means[k], factor, constant, k, first, leader, level, work, resp[k])
        if first:
            for i in range(n):
                level[i] = resp[leader[i], i] - MARGIN
    total = 0.0
    changed[:] = False
    for i in range(n):
        for k in range(K):
            if resp[k, i] > resp[leader[i], i] or (resp[k, i] == resp[leader[i], i] and k < leader[i]):
                leader[i] = k
        top, parts = resp[leader[i], i], 0.0
        for k in range(K):
            resp[k, i] = np.exp(resp[k, i] - top) if resp[k, i] >= top - MARGIN else 0.0
            parts += resp[k, i]
        for k in range(K):
            resp[k, i] /= parts
            changed[k] |= resp[k, i] != before[k, i]
        total += top + np.log(parts)
    return total / n


@kernel
def _log_densities(turned, mean, factor, constant, k, first, leader, level, work, out):  # type: ignore[no-untyped-def]
    # log density of component k for the rows that it leads, or for the others as far as they can matter
    n, held, rows, square = turned.shape[1], 0, np.empty(ROWS, np.int64), np.empty(ROWS)
    for i in range(n):
        if (leader[i] == k) == first:
            rows[held] = i
            held += 1
        if held == ROWS or (i == n - 1 and held > 0):
            held = _whiten(turned, mean, factor, constant, level, work, rows, held, square)
            for r in range(held):
                out[rows[r]] = constant - square[r] / 2
            held = 0


@kernel
def _whiten(turned, mean, factor, constant, level, work, rows, held, square):  # type: ignore[no-untyped-def]
    # Solves z U = x - mean column by column, all rows at once, and sums the squares of z; rows that fall below their level
    # leave. Returns how many stay.
    square[:held] = 0.0
    for j in range(len(turned)):
        z, column, at = work[j, :held], turned[j], mean[j]
        for r in range(held):
            z[r] = column[rows[r]] - at
        i = j if len(factor) == 1 else 0
        while i + 4 <= j:
            c0, c1, c2, c3 = factor[i, j], factor[i + 1, j], factor[i + 2, j], factor[i + 3, j]
            z0, z1, z2, z3 = work[i, :held], work[i + 1, :held], work[i + 2, :held], work[i + 3, :held]
            for r in range(held):
                z[r] -= c0 * z0[r] + c1 * z1[r] + c2 * z2[r] + c3 * z3[r]
            i += 4
        while i < j:
            c0, z0 = factor[i, j], work[i, :held]
            for r in range(held):
                z[r] -= c0 * z0[r]
            i += 1
        c0 = 1 / factor[0 if len(factor) == 1 else j, j]
        for r in range(held):
            z[r] *= c0
            square[r] += z[r] * z[r]
        if j % COLUMNS == COLUMNS - 1:
            held = _drop(work, j + 1, constant, level, rows, held, square)
            if held == 0:
                return 0
    return held


@kernel
def _drop(work, columns, constant, level, rows, held, square):  # type: ignore[no-untyped-def]
    kept = 0
    for r in range(held):
        kept += constant - square[r] / 2 >= level[rows[r]]
    if kept == held:
        return held
    kept = 0
    for r in range(held):
        if constant - square[r] / 2 >= level[rows[r]]:
            if kept < r:
                rows[kept], square[kept] = rows[r], square[r]
                for j in range(columns):
                    work[j, kept] = work[j, r]
            kept += 1
    return kept
