"""Gaussian mixtures by class, and the rule of the largest posterior probability (ESL, sections 12.7 and 13.2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...ground.errors import short
from ...ground.savable import savable
from .. import Array
from ..parallel import kernel, left
from ..task import Points, WithPrototypes
from .centroids import centred, first_rows, generator, partitions, tolerance

if TYPE_CHECKING:
    from ..query import Query

EM_STEPS = 500  # of EM
COVARIANCES = ("full", "tied", "diag", "spherical")  # in the order of the numbers below
FAR_SCALE = 2.0**-600  # scale at which rows that are too far for a density can be compared
FULL, TIED, DIAGONAL, SPHERICAL = range(4)
EMPTY = 10 * np.finfo(float).eps  # rows of an empty component, which makes its weight positive


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

    Draws, initial clusters, steps and the criterion of convergence are those of scikit-learn's
    `GaussianMixture`, so both end in the same mixture from the same seed.

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
    first = first_rows(turned, even, K, starts if K > 1 else 1, generator(seed), "k-means++")
    labels = partitions(turned, rows, even, first, tolerance(turned))
    found = best_mixture(rows, labels, K, COVARIANCES.index(covariance), ridge * scale**2, EM_STEPS)
    if found is None:
        raise ValueError(f"a covariance of {K} Gaussians is singular")
    weights, means, roots, converged = found
    own = [roots[k % len(roots)] * scale for k in range(K)]
    return Mix(
        weights, (means + center) / scale, tuple(r if len(r) > 1 else r[0] for r in own), converged
    )


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
    return constant - squares(X, means, roots) / 2


def count_parameters(K: int, p: int, covariance: str) -> int:
    """Free parameters of a mixture: means, covariances, and weights, which sum to 1.

    Examples
    --------
    >>> [count_parameters(2, 3, covariance) for covariance in COVARIANCES]
    [19, 13, 13, 9]
    """
    covariance_parameters = {
        "full": p * (p + 1) // 2,
        "tied": p * (p + 1) // 2,
        "diag": p,
        "spherical": 1,
    }[covariance]
    return K * p + (1 if covariance == "tied" else K) * covariance_parameters + K - 1


def bic(mixture: Mix, X: Array, covariance: str) -> float:
    """-2 log likelihood + parameters log n; smaller is better."""
    log_likelihoods = np.logaddexp.reduce(
        log_densities(X, mixture.weights, mixture.means, mixture.roots), axis=1
    )
    return float(
        -2 * log_likelihoods.sum()
        + count_parameters(len(mixture.weights), X.shape[1], covariance) * math.log(len(X))
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
        means = self.prototypes.coords
        assert means is not None
        out = self._decisions(X, means)
        if kind == "decision":
            return out
        # far from all means, every density is 0; the nearest mean then decides
        far = np.flatnonzero(out.max(axis=1) == -np.inf)
        near = squares(X[far] * FAR_SCALE, means * FAR_SCALE, self.roots).argmin(axis=1)
        out[far, self.prototypes.classes[near]] = 0.0
        if kind == "class":
            return out.argmax(axis=1)
        from scipy.special import softmax

        return softmax(out, axis=1)

    def _decisions(self, X: Array, means: Array) -> Array:
        """log(prior times density) of each class, (r, classes); -inf if the density underflows."""
        out = np.empty((len(X), len(self.priors)))
        with np.errstate(over="ignore", invalid="ignore"):
            components = log_densities(X, self.weights, means, self.roots)
            for c, prior in enumerate(self.priors):
                out[:, c] = np.logaddexp.reduce(
                    components[:, self.prototypes.classes == c], axis=1
                ) + math.log(prior)
        out[np.isnan(out)] = -np.inf
        return out


def best_mixture(
    X: Array, labels: Array, K: int, form: int, ridge: float, steps: int
) -> tuple[Array, Array, Array, bool] | None:
    """EM from each of several partitions; the mixture with the largest likelihood, None if a covariance is singular.

    Parameters
    ----------
    X : array (n, p)
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
    state = _best(X, labels, form, ridge, steps, weights, means, roots, left())
    return None if state < 0 else (weights, means, roots, state == 1)


# The layout that the kernels share: a covariance, its factor U with U'U = Sigma, and the root R,
# the inverse of U, are written over one another in one array `out`. It is (p, p), of which the
# upper triangle alone is read and written, or (1, p) for a diagonal, as `len(out) == 1` tells.
# `roots` has such an array for each component, or a single one for all of them if they are tied.
# `resp` (K, n) has the responsibility of each component for each row.


@kernel
def _best(X, labels, form, ridge, steps, best_weights, best_means, best_roots, left):
    """EM from each start; the best is written to `best_weights`, `best_means` and `best_roots`.

    Returns 1 if it converged and 0 if not; -1 if a covariance is singular.
    """
    weights, means = np.empty_like(best_weights), np.empty_like(best_means)
    roots = np.empty_like(best_roots)
    resp, outcome, most = np.empty((len(weights), len(X))), -1, -np.inf
    for s in range(len(labels)):
        resp[:] = 0.0
        for i in range(len(X)):
            resp[labels[s, i], i] = 1.0
        converged, value = False, -np.inf
        for step in range(steps + 1):
            if not _maximise(X, resp, form, ridge, weights, means, roots):
                return -1
            if converged or step == steps or left[0]:
                break
            last, value = value, _expect(X, weights, means, roots, resp)
            # EM has converged once the mean log likelihood of a row changes by less than this
            converged = abs(value - last) < 1e-3
        if s == 0 or value > most:
            outcome, most = int(converged), value
            best_weights[:], best_means[:], best_roots[:] = weights, means, roots
    return outcome


@kernel
def _maximise(X, resp, form, ridge, weights, means, roots):
    """Write the weights, means and roots for `resp`; False if a covariance is singular.

    A component without rows repeats the mean of the component with the largest weight.
    """
    (K, n), p = resp.shape, X.shape[1]
    means[:], roots[:] = 0.0, 0.0
    apart = np.empty(p)
    for k in range(K):
        weights[k] = resp[k].sum()
        for i in range(n):
            if resp[k, i] > 0:
                for j in range(p):
                    means[k, j] += resp[k, i] * X[i, j]
        means[k] /= max(weights[k], EMPTY)
    for k in range(K):
        if weights[k] <= EMPTY:
            means[k] = means[weights.argmax()]
        out = roots[0 if form == TIED else k]
        for i in range(n):
            if resp[k, i] > 0:
                for j in range(p):
                    apart[j] = X[i, j] - means[k, j]
                for a in range(p):
                    line, share = out[0 if len(out) == 1 else a], resp[k, i] * apart[a]
                    for b in range(a, a + 1 if len(out) == 1 else p):
                        line[b] += share * apart[b]
    for k in range(len(roots)):
        out = roots[k]
        out /= n if form == TIED else max(weights[k], EMPTY)
        if form == SPHERICAL:
            out[0] = out[0].mean()
        for j in range(p):
            out[0 if len(out) == 1 else j, j] += ridge
        if not _factor(out):
            return False
        _invert(out)
    weights += EMPTY
    weights /= weights.sum()
    return True


@kernel
def _factor(out):
    """Factor a covariance in place; False if it is not positive definite."""
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
def _invert(factor):
    """Invert a factor in place: line i of the inverse needs only lines i and later of U."""
    if len(factor) == 1:
        factor[:] = 1 / factor
        return
    p = len(factor)
    inverse = np.empty(p)
    for i in range(p):
        inverse[:] = 0.0
        inverse[i] = 1.0
        for k in range(i, p):
            at, line, rest = inverse[k] / factor[k, k], factor[k, k + 1 :], inverse[k + 1 :]
            inverse[k] = at
            for b in range(len(line)):
                rest[b] -= at * line[b]
        factor[i, i:] = inverse[i:]


@kernel
def _expect(X, weights, means, roots, resp):
    """Write the responsibilities of the components; return the mean log likelihood of a row."""
    (n, p), total = X.shape, 0.0
    z = np.empty(p)
    for k in range(len(weights)):
        root = roots[k if len(roots) > 1 else 0]
        constant = np.log(weights[k]) - p / 2 * np.log(2 * np.pi)
        for j in range(p):
            constant += np.log(root[0 if len(root) == 1 else j, j])
        for i in range(n):
            z[:] = 0.0
            for a in range(p):
                line, apart = root[0 if len(root) == 1 else a], X[i, a] - means[k, a]
                for b in range(a, a + 1 if len(root) == 1 else p):
                    z[b] += apart * line[b]
            square = 0.0
            for j in range(p):
                square += z[j] * z[j]
            resp[k, i] = constant - square / 2
    for i in range(n):
        top, parts = resp[:, i].max(), 0.0
        for k in range(len(weights)):
            resp[k, i] = np.exp(resp[k, i] - top)
            parts += resp[k, i]
        resp[:, i] /= parts
        total += top + np.log(parts)
    return total / n
