"""Coordinates from dissimilarities (spectral, classical scaling, Sammon's mapping), and hyperplanes
on them (Graepel et al. 1998).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..ground.errors import DataError, short
from ..ground.savable import savable
from . import Array
from .distances.discriminant import positive
from .distances.minkowski import products
from .parallel import alone
from .task import Points, WithPrototypes

if TYPE_CHECKING:
    from .query import Query

ONE_THREAD_ROWS = 400  # rows up to which one thread computes eigenvalues fastest
# proportion of the largest absolute eigenvalue below which others count as 0 (in float32: n times
# its precision)
ZERO = 1e-10


@dataclass(frozen=True)
class Spectral:
    """The spectral form U L U' of the inner products H of n points about their mean.

    Attributes
    ----------
    values : array (k,)
        Eigenvalues by descending absolute value, without those that are numerically 0.
    vectors : array (n, k)
        U.
    column_means : array (n,)
        Mean of the squared dissimilarities to each point.
    mean : float
        Mean of all squared dissimilarities.
    """

    values: Array
    vectors: Array
    column_means: Array
    mean: float

    @property
    def signature(self) -> tuple[int, int]:
        """Number of positive and of negative axes."""
        return int((self.values > 0).sum()), int((self.values < 0).sum())

    def coordinates(self) -> Array:
        """Coordinates of the points, (n, k): U |L|^(1/2)."""
        return self.vectors * np.sqrt(np.abs(self.values))

    def inner(self, P: Array) -> Array:
        """Inner products h (r, n) of new points with the n points, from dissimilarities P (r, n):
        equation 1, with training means.
        """
        squared = np.asarray(P, float) ** 2
        return -0.5 * (
            squared - squared.mean(axis=1, keepdims=True) - self.column_means + self.mean
        )

    def place(self, P: Array) -> Array:
        """Coordinates (r, k) of new points from their dissimilarities P (r, n): sign(L) |L|^(-1/2) U' h.

        The paper prints the formula without the sign, which would reflect the negative axes.
        """
        scale = np.sign(self.values) / np.sqrt(np.abs(self.values))
        return self.inner(P) @ self.vectors * scale

    def first(self, dims: int) -> Spectral:
        """The axes of the `dims` largest absolute eigenvalues."""
        return Spectral(self.values[:dims], self.vectors[:, :dims], self.column_means, self.mean)


def embedding(P: Array) -> Spectral:
    """Embed a symmetric matrix of dissimilarities (n, n).

    Examples
    --------
    >>> import numpy as np
    >>> e = embedding(np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0])))
    >>> e.signature, np.abs(e.coordinates()).round(3).ravel().tolist()
    ((1, 0), [1.333, 0.333, 1.667])
    """
    squared = np.asarray(P, float) ** 2
    column_means, mean = squared.mean(axis=0), float(squared.mean())
    H = -0.5 * (squared - column_means[:, None] - column_means[None, :] + mean)
    with alone() if len(H) < ONE_THREAD_ROWS else nullcontext():
        values, vectors = np.linalg.eigh(H)
    order = np.lexsort((-values, -np.abs(values)))
    values, vectors = values[order], vectors[:, order]
    precision = (
        ZERO if P.dtype == np.float64 else max(ZERO, len(P) * float(np.finfo(np.float32).eps))
    )
    axes = np.abs(values) > precision * np.abs(values).max(initial=0.0)
    values, vectors = values[axes], vectors[:, axes]
    return Spectral(values, positive(vectors.T).T, column_means, mean)


def reflexive(P: Array, label: Callable[[int], str]) -> None:
    """Raise unless a square matrix is symmetric with zeros on its diagonal, as distances in any space are."""
    size = np.abs(P).max(initial=0.0)
    rows = np.flatnonzero(np.diag(P) > 1e-9 * size)
    if len(rows):
        i = int(rows[0])
        raise DataError(
            f"an embedding needs zeros on the diagonal, but the dissimilarity of row {label(i)} to "
            f"itself is {P[i, i]:.4g}: use "
            "embedding='proximity' for the hyperplane, which does not need them"
        )
    if not np.allclose(P, P.T, rtol=1e-6, atol=1e-9 * size):
        i, j = (int(k) for k in np.unravel_index(np.abs(P - P.T).argmax(), P.shape))
        raise DataError(
            "an embedding needs symmetric dissimilarities, but these are asymmetric "
            f"({P[i, j]:.4g} from {label(i)} to {label(j)}, "
            f"{P[j, i]:.4g} back): use d.symmetrized('mean') (or 'max', 'min'), or the hyperplane with "
            "embedding='proximity'"
        )


def torgerson(D: Array, dims: int) -> Array:
    """Coordinates of the leading positive axes of the doubly centred matrix -D^2 / 2.

    Parameters
    ----------
    D : array (n, n), symmetric
    dims : int

    Returns
    -------
    array (n, dims)
        Axes without a positive eigenvalue are 0. The sign of each axis makes its largest coordinate
        positive.

    Examples
    --------
    >>> import numpy as np
    >>> torgerson(np.array([[0.0, 1.0], [1.0, 0.0]]), 1).round(3).ravel().tolist()
    [0.5, -0.5]
    """
    from scipy.linalg import eigh  # the import takes 0.2 s, and most fits do not need it

    n = len(D)
    most = D.max(initial=0.0) or 1.0  # squares of large values would overflow
    first = max(0, n - dims)
    values, axes = eigh(
        _inner_products(np.asarray(D, float) / most), subset_by_index=[first, n - 1]
    )
    values, axes = values[::-1], axes[:, ::-1]
    X = positive((axes * np.sqrt(np.maximum(values, 0)) * most).T).T
    return np.pad(X, ((0, 0), (0, dims - X.shape[1])))


def _inner_products(D: Array) -> Array:
    """The inner products of points at dissimilarities D (n, n), about their mean: -D^2 / 2, doubly centred."""
    squared = D**2
    mean = squared.mean(axis=0)
    return -0.5 * (squared - mean[:, None] - mean + mean.mean())


def axis_shares(X: Array, D: Array) -> Array:
    """The proportion of each axis (k,) of `torgerson(D, k)` in the sum of the absolute eigenvalues,
    as "GOF" of R's `cmdscale`.

    For Euclidean distances it is the proportion of their sum of squares on the axis (Mardia, Kent
    and Bibby 1979, section 14.4).

    Examples
    --------
    >>> import numpy as np
    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0]))
    >>> axis_shares(torgerson(D, 2), D).round(3).tolist()
    [1.0, 0.0]
    """
    most = D.max(initial=0.0) or 1.0
    total = np.abs(np.linalg.eigvalsh(_inner_products(np.asarray(D, float) / most))).sum() or 1.0
    return ((X / most) ** 2).sum(axis=0) / total


def stress(X: Array, D: Array) -> float:
    """Sammon's stress of points X (n, k): sum (D - d)^2 / D over pairs, divided by the sum of D;
    pairs at D = 0 do not count.
    """
    upper = np.triu(D > 0, 1)
    if not upper.any():
        return 0.0
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))[upper]
    return float(((D[upper] - d) ** 2 / D[upper]).sum() / D[upper].sum())


def sammon(D: Array, dims: int) -> Array:
    """Points (n, dims) at a local minimum of Sammon's stress, starting from classical scaling.

    Parameters
    ----------
    D : array (n, n), symmetric

    Returns
    -------
    array (n, dims)
    """
    from scipy.optimize import minimize
    from scipy.spatial.distance import cdist

    n, apart = len(D), D > 0
    X = torgerson(D, dims)
    if not apart.any():
        return X
    size = D[apart].mean()  # the optimiser uses absolute tolerances
    X, D = X / size, D / size
    inverse = np.divide(1.0, D, out=np.zeros_like(D, dtype=float), where=apart)
    total = D.sum() / 2

    def stress_and_gradient(flat: Array) -> tuple[float, Array]:
        X = flat.reshape(n, dims)
        d = cdist(X, X)
        error = (D - d) * inverse
        ratio = np.divide(error, d, out=np.zeros_like(d), where=d > 0)
        gradient = -2 * (ratio.sum(axis=1)[:, None] * X - ratio @ X) / total
        return float(((D - d) * error).sum() / 2 / total), gradient.ravel()

    result = minimize(
        stress_and_gradient, X.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500}
    )
    return result.x.reshape(n, dims) * size


@dataclass(frozen=True)
class Separation:
    """One hyperplane sum_i coef_i k(x_i, x) + intercept between a class (positive values) and the others.

    Attributes
    ----------
    coef : array (n,)
        y_i alpha_i, for the given kernel; 0 for rows that are not support objects.
    intercept : float
    separated : bool
        Whether all rows lie on the correct side, at the margin or beyond it.
    """

    coef: Array
    intercept: float
    separated: bool


def hyperplane(K: Array, y: Array, w: Array, C: float) -> Separation:
    """The hyperplane of largest margin: dual (4) of the paper, by libsvm.

    Parameters
    ----------
    K : array (n, n)
        Inner products of the rows.
    y : array (n,) of -1 and 1
    w : array (n,)
        Weights > 0, by which C is multiplied.
    C : float > 0, or inf
        Cost of a unit of slack, with K divided by the mean of its diagonal. inf: no slack is
        allowed.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    size = np.diag(K).mean() or 1.0
    # 1e8 stands for an infinite C, with kernels whose diagonal has mean 1
    cost = 1e8 if inf == C else C
    # without a random_state, which changes no result here, SVC would draw from np.random
    svm = SVC(
        C=cost, kernel="precomputed", tol=1e-6, max_iter=2_000_000, cache_size=500, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `separated` reports the result
        svm.fit(K / size, y, w if inf != C else None)
    coef = np.zeros(len(y))
    coef[svm.support_] = svm.dual_coef_[0]
    margins = y * (K @ coef / size + svm.intercept_[0])
    # rows with a margin that is below 1 by at most this count as separated
    return Separation(coef / size, float(svm.intercept_[0]), bool((margins > 1 - 1e-2).all()))


def gram(embedded: Spectral, flip: bool) -> Array:
    """Inner products of the points when the negative axes are flipped (equation 6), or cut off."""
    values = np.abs(embedded.values) if flip else np.maximum(embedded.values, 0)
    return (embedded.vectors * values) @ embedded.vectors.T


def on_squares(embedded: Spectral, flip: bool, coef: Array) -> tuple[Array, float]:
    """A hyperplane on flipped or cut points as a linear function of squared proximities p_i^2:
    weights (n,) and a constant.

    Its kernel vectors are U sign(L) U' h (flip) or U+ U+' h (cut), see equation 1 for h. The
    columns of U sum to 0, so the mean of the p_i^2 cancels.
    """
    signs = np.sign(embedded.values) if flip else (embedded.values > 0).astype(float)
    kernel_vectors = embedded.vectors @ (signs * (embedded.vectors.T @ coef))
    return -0.5 * kernel_vectors, float(
        0.5 * kernel_vectors @ (embedded.column_means - embedded.mean)
    )


@savable(prototypes="q", weights="q l", intercepts="l")
@dataclass(frozen=True)
class Planes(WithPrototypes):
    """Rule: hyperplanes on proximities or their squares; the class of the largest decision value.

    Attributes
    ----------
    prototypes : Points
        Columns of D with weight in any hyperplane.
    weights : array (q, L), or (q, 1) for two classes, where the second is the positive one
    intercepts : array (L,) or (1,)
    power : int
        Power to which the proximities are raised.
    classes : int
    support : int
        Number of rows that are support objects of any hyperplane.
    report : mapping of str to value
        Entries for the printed fit and the summary.
    """

    prototypes: Points
    weights: Array
    intercepts: Array
    power: int
    classes: int
    support: int
    report: Mapping[str, Any] = field(default_factory=dict)
    kinds: ClassVar[tuple[str, ...]] = ("class", "decision")

    __repr__ = short

    @property
    def size(self) -> float:
        return float(self.support)

    def predict(self, kind: str, query: Query) -> Array:
        D = query.dissimilarities(self.prototypes).astype(float)
        with np.errstate(over="ignore", invalid="ignore"):
            values = query.finite(products(D**self.power, self.weights.T) + self.intercepts)
        if self.classes == 2:
            values = np.column_stack([-values, values])
        return values if kind == "decision" else values.argmax(axis=1)
