"""Gaussian mixtures by class, and the rule of the largest posterior probability (ESL, sections 12.7 and 13.2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import short
from ...ground.savable import savable
from ..parallel import kernel, left
from ..task import Points, WithPrototypes
from .centroids import centred, first_rows, generator, partitions, tolerance

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]
STEPS = 500  # of EM
COVARIANCES = ("full", "tied", "diag", "spherical")  # in the order of the numbers below
TINY = 2.0**-600  # scale at which rows that are too far for a density can be compared
FULL, TIED, DIAGONAL, SPHERICAL = range(4)
TOLERANCE = 1e-3  # converged if the mean log likelihood of a row changes by less
MARGIN = 40.0  # a component whose log density is so far below the best one's adds nothing to a sum: exp(-40) < 2^-57
EMPTY = 10 * np.finfo(float).eps  # rows of an empty component, which makes its weight positive
COLUMNS = 8  # columns between two checks for components that cannot matter any more
ROWS = 64  # that are whitened together


@dataclass(frozen=True)
class Mix:
    """A Gaussian mixture: f(x) = sum_k weights[k] N(x; means[k], Sigma_k).

    Attributes
    ----------
    weights : array (K,)
        They sum to 1.
    means : array (K, p)
    roots : tuple of K arrays (p, p) or (p,)
        R with R R' = Sigma^-1, upper triangular; (p,) is its diagonal, if Sigma is diagonal.
    converged : bool
        Whether EM converged.
    """

    weights: Array
    means: Array
    roots: tuple[Array, ...]
    converged: bool


def mix(X: Array, K: int, covariance: str, starts: int, ridge: float, seed: tuple[int, ...]) -> Mix:
    """A mixture of K Gaussians by EM from k-means, the best of `starts` runs.

    Draws, initial clusters, steps and the criterion of convergence are those of scikit-learn's `GaussianMixture`, so both end
    in the same mixture from the same seed.

    Parameters
    ----------
    X : array (n, p), n >= 2
    K : int <= n
    covariance : "full", "tied" (one for all components), "diag" or "spherical"
    starts : int
    ridge : float >= 0
        Added to the diagonal of each covariance.
    seed : tuple of int

    Raises
    ------
    ValueError
        If a covariance is singular in spite of the ridge.

    Examples
    --------
    >>> fitted = mix(np.array([[0.0], [2.0], [10.0], [14.0]]), 2, "full", 1, 0.0, (0,))
    >>> sorted(fitted.means[:, 0].round(3).tolist()), fitted.weights.round(3).tolist()
    ([1.0, 12.0], [0.5, 0.5])
    """
    scale, center, turned = centred(X)
    rows = np.ascontiguousarray(turned.T)
    even = np.ones(len(X))
    first = first_rows(turned, even, K, starts, generator(seed), "k-means++")
    labels = partitions(turned, rows, even, first, tolerance(turned))
    found = best_mixture(rows, turned, labels, K, COVARIANCES.index(covariance), ridge * scale**2, STEPS)
    if found is None:
        raise ValueError(f"a covariance of {K} Gaussians is singular")
    weights, means, roots, converged = found
    own = [roots[k % len(roots)] * scale for k in range(K)]
    return Mix(weights, (means + center) / scale, tuple(r if len(r) > 1 else r[0] for r in own), converged)


def squares(X: Array, means: Array, roots: tuple[Array, ...]) -> Array:
    """Squared Mahalanobis distances (r, q) of rows to means."""
    out = np.empty((len(X), len(means)))
    for j, (mean, root) in enumerate(zip(means, roots, strict=True)):
        whitened = (X - mean) @ root if root.ndim == 2 else (X - mean) * root
        out[:, j] = np.einsum("ij,ij->i", whitened, whitened)
    return out


def log_densities(X: Array, weights: Array, means: Array, roots: tuple[Array, ...]) -> Array:
    """log(weights[k] N(x; means[k], Sigma_k)) of rows and components, (r, q)."""
    scale = np.array([np.log(root.diagonal() if root.ndim == 2 else root).sum() for root in roots])
    constant = np.log(weights) + scale - X.shape[1] / 2 * math.log(2 * math.pi)
    return np.asarray(constant - squares(X, means, roots) / 2)


def count_parameters(K: int, p: int, covariance: str) -> int:
    """Free parameters of a mixture: means, covariances, and weights, which sum to 1.

    Examples
    --------
    >>> [count_parameters(2, 3, covariance) for covariance in COVARIANCES]
    [19, 13, 13, 9]
    """
    covariance_parameters = {"full": p * (p + 1) // 2, "tied": p * (p + 1) // 2, "diag": p, "spherical": 1}[covariance]
    return K * p + (1 if covariance == "tied" else K) * covariance_parameters + K - 1


def bic(mixture: Mix, X: Array, covariance: str) -> float:
    """-2 log likelihood + parameters log n; smaller is better."""
    log_likelihoods = np.logaddexp.reduce(log_densities(X, mixture.weights, mixture.means, mixture.roots), axis=1)
    return float(
        -2 * log_likelihoods.sum() + count_parameters(len(mixture.weights), X.shape[1], covariance) * math.log(len(X))
    )


def spread(X: Array, y: Array, classes: int) -> float:
    """Mean over the columns of the variance within classes, with divisor n; inf if it overflows."""
    with np.errstate(over="ignore"):
        deviations = np.concatenate([X[y == c] - X[y == c].mean(axis=0) for c in range(classes)])
        return float(np.mean(deviations**2))


@savable(prototypes="q", weights="q", roots="q", priors="L")
@dataclass(frozen=True)
class Gaussians(WithPrototypes):
    """Rule: the class with the largest prior times density.

    Attributes
    ----------
    prototypes : Points
        The means of all components, q of them.
    weights : array (q,)
        Weight of each component within its class.
    roots : tuple of q arrays, as in `Mix`
    priors : array (classes,)
        Positive.
    size : float
    report : mapping
    """

    prototypes: Points
    weights: Array
    roots: tuple[Array, ...]
    priors: Array
    size: float
    report: Mapping[str, Any]
    kinds: ClassVar[tuple[str, ...]] = ("class", "prob", "decision")

    __repr__ = short

    def predict(self, kind: str, query: Query) -> Array:
        X = np.asarray(query.coordinates(), float)
        out = self._decisions(X)
        if kind == "decision":
            return out
        # far from all means, every density is 0; the nearest mean then decides
        far = np.flatnonzero(out.max(axis=1) == -np.inf)
        out[far, self._nearest(X[far])] = 0.0
        if kind == "class":
            return np.asarray(out.argmax(axis=1))
        share = np.exp(out - out.max(axis=1, keepdims=True))
        return np.asarray(share / share.sum(axis=1, keepdims=True))

    def _decisions(self, X: Array) -> Array:
        """log(prior times density) of each class, (r, classes); -inf if the density underflows."""
        out = np.empty((len(X), len(self.priors)))
        assert self.prototypes.coords is not None
        with np.errstate(over="ignore", invalid="ignore"):
            components = log_densities(X, self.weights, self.prototypes.coords, self.roots)
            for c, prior in enumerate(self.priors):
                out[:, c] = np.logaddexp.reduce(components[:, self.prototypes.classes == c], axis=1) + math.log(prior)
        out[np.isnan(out)] = -np.inf
        return out

    def _nearest(self, X: Array) -> Array:
        """The class of the nearest mean by Mahalanobis distance, (r,)."""
        assert self.prototypes.coords is not None
        near = squares(X * TINY, self.prototypes.coords * TINY, self.roots).argmin(axis=1)
        return np.asarray(self.prototypes.classes[near])


def best_mixture(
    X: Array, turned: Array, labels: Array, K: int, form: int, ridge: float, steps: int
) -> tuple[Array, Array, Array, bool] | None:
    """EM from each of several partitions; the mixture with the largest likelihood, None if a covariance is singular.

    Components whose density is exp(40) times smaller than the density of the best one for a row are left out of its sums, and the
    whitening of a row stops as soon as this is certain. Components whose proportions have not changed are not computed again, and
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
    # A component without rows repeats the mean of the component with the largest weight.
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
    # U with U'U = out in place, from its upper triangle; False if it is not positive definite
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
    # largest proportion of a row comes first, and gives the level below which the others do not count.
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
