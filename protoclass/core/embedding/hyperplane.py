"""Optimal hyperplanes on proximities and on their embeddings (Graepel et al. 1998)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...ground.errors import short
from ...ground.savable import savable
from ..distances.minkowski import products
from ..task import Points, WithPrototypes
from .scaling import Spectral

if TYPE_CHECKING:
    from ..query import Query


Array = NDArray[Any]
HARD = 1e8  # replaces an infinite C, with kernels whose diagonal has mean 1
ITERATIONS = 2_000_000  # of libsvm at most
MARGIN = 1e-2  # tolerance by which a margin may be below 1


@dataclass(frozen=True)
class Machine:
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


def hyperplane(K: Array, y: Array, w: Array, C: float) -> Machine:
    """The hyperplane of largest margin: dual (4) of the paper, by libsvm.

    Parameters
    ----------
    K : array (n, n)
        Inner products of the rows.
    y : array (n,) of -1 and 1
    w : array (n,)
        Weights; C is multiplied by them.
    C : float > 0, or inf
        Cost of a unit of slack, with K divided by the mean of its diagonal. inf: no slack is allowed.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC

    size = float(np.diag(K).mean()) or 1.0
    live = np.flatnonzero(w > 0)
    cost = HARD if inf == C else C
    # without a random_state, which changes no result here, it would draw from np.random
    machine = SVC(C=cost, kernel="precomputed", tol=1e-6, max_iter=ITERATIONS, cache_size=500, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `separated` reports the result
        machine.fit(K[np.ix_(live, live)] / size, y[live], w[live] if inf != C else None)
    coef = np.zeros(len(y))
    coef[live[machine.support_]] = machine.dual_coef_[0]
    reached = y * (K @ coef / size + machine.intercept_[0])
    return Machine(coef / size, float(machine.intercept_[0]), bool((reached[live] > 1 - MARGIN).all()))


def gram(embedded: Spectral, flip: bool) -> Array:
    """Inner products of the points when the negative axes are flipped (equation 6), or cut off."""
    values = np.abs(embedded.values) if flip else np.maximum(embedded.values, 0)
    return np.asarray((embedded.vectors * values) @ embedded.vectors.T)


def on_squares(embedded: Spectral, flip: bool, coef: Array) -> tuple[Array, float]:
    """A hyperplane on flipped or cut points as a linear function of squared proximities p_i^2: weights (n,) and a constant.

    Its kernel vectors are U sign(L) U' h (flip) or U+ U+' h (cut), see equation 1 for h. The columns of U sum to 0, so the
    mean of the p_i^2 cancels.
    """
    signs = np.sign(embedded.values) if flip else (embedded.values > 0).astype(float)
    kernel_vectors = embedded.vectors @ (signs * (embedded.vectors.T @ coef))
    return -0.5 * kernel_vectors, float(0.5 * kernel_vectors @ (embedded.column_means - embedded.mean))


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
        D = np.asarray(query.dissimilarities(self.prototypes), float)
        with np.errstate(over="ignore", invalid="ignore"):
            values = query.finite(products(D**self.power, self.weights.T) + self.intercepts)
        if self.classes == 2:
            values = np.column_stack([-values, values])
        return values if kind == "decision" else values.argmax(axis=1)
