"""Gaussian mixtures by class, and the rule of the largest posterior probability (ESL, sections 12.7 and 13.2.3)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...declared import savable
from ..task import Points
from .centroids import centred, first_rows, generator, partitions, tolerance
from .em import best_mixture

if TYPE_CHECKING:
    from ..query import Query

Array = NDArray[Any]
STEPS = 500  # of EM
COVARIANCES = ("full", "tied", "diag", "spherical")  # numbered as in `em`
TINY = 2.0**-600  # scale at which rows that are too far for a density can be compared


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
class Gaussians:
    """Rule: the class with the largest prior times density.

    Attributes
    ----------
    prototypes : Points
        The means of all components, q of them.
    weights : array (q,)
        Of each component within its class.
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

    def moved(self, columns: Array) -> Gaussians:
        return self
