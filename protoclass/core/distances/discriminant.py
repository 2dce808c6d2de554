"""Linear maps that are learned from classes: neighbourhood components, and linear discriminants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..memory import check_fits
from ..parallel import alone

MATRICES = 3  # of one number for each pair of rows that are in memory at the same time
SINGULAR = 1e-12  # of the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True)
class Components:
    """A map that neighbourhood components analysis learned.

    Attributes
    ----------
    map : array (k, p), or (p,) for a diagonal map
    before, after : float
        The weighted mean of the probabilities of the own class, under the map that was started from and under this one.
    steps : int
        Steps of the optimisation.
    converged : bool
        Whether it ended at a stationary point before the last step that was allowed.
    """

    map: Array
    before: float
    after: float
    steps: int
    converged: bool


@dataclass(frozen=True)
class Neighbourhoods:
    """The objective, which is made large, of rows X (n, p) with class codes y (n,), in ascending order, and weights w (n,) > 0.

    `ridge` times the sum of the squares of the map, divided by p, is subtracted.
    """

    X: Array
    y: NDArray[np.int64]
    w: Array
    ridge: float = 0.0

    def value(self, A: Array) -> tuple[float, Array]:
        """The objective and its gradient, of the shape of the map A: (k, p), or (p,) for a diagonal one."""
        X, w, p = self.X, self.w, self.X.shape[1]
        E = X * A if A.ndim == 1 else X @ A.T
        P = E @ (2 * E.T)
        P -= (E * E).sum(axis=1)  # the rest of the squared distances is the same for all neighbours of a row
        np.fill_diagonal(P, -np.inf)
        P -= P.max(axis=1, keepdims=True)
        np.exp(P, out=P)
        P *= w
        edges = np.searchsorted(self.y, np.unique(self.y))
        blocks = [slice(first, last) for first, last in zip(edges, [*edges[1:], len(X)], strict=True)]
        total = P.sum(axis=1)
        share = np.concatenate([P[b, b].sum(axis=1) for b in blocks]) / total
        v = w / w.sum()
        own = [P[b, b] * (v / total)[b, None] for b in blocks]
        P *= -(v * share / total)[:, None]  # now the derivatives with respect to -|A x_i - A x_j|^2
        for b, more in zip(blocks, own, strict=True):
            P[b, b] += more
        ends = P.sum(axis=0) + P.sum(axis=1)
        spread = P @ X + P.T @ X - ends[:, None] * X
        slope = 2 * A * (X * spread).sum(axis=0) if A.ndim == 1 else 2 * E.T @ spread
        return float(v @ share - self.ridge * (A * A).sum() / p), slope - 2 * self.ridge * A / p


def nca(
    X: Array, y: NDArray[np.int64], w: Array, components: int | None = None, diagonal: bool = False, ridge: float = 0.0,
    most: int = 50,
) -> Components:  # fmt: skip
    """Learn a map by L-BFGS.

    It starts from equal weights of the columns, or from the first principal axes, divided by sqrt(p): at the scale of one
    column, however many there are, so that probabilities at the start are not all 0 or 1.

    Parameters
    ----------
    X : array (n, p)
        Scaled columns.
    y : int array (n,)
        Class codes.
    w : array (n,)
        Weights > 0 of the rows, in the mean and as neighbours.
    components : int, optional
        Rows of the map; p by default.
    diagonal : bool
        Whether each column has a weight, and there is no other map.
    ridge : float >= 0
    most : int
        Largest number of steps.

    Raises
    ------
    TooLarge
        Where the pairs of rows do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> draw = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> found = nca(np.column_stack([y + 0.3 * draw.normal(size=60), draw.normal(size=60)]), y, np.ones(60), diagonal=True)
    >>> bool(found.map[0] > 3 * abs(found.map[1])), found.before < found.after
    (True, True)
    """
    from scipy.optimize import minimize

    n, p = X.shape
    check_fits(8.0 * MATRICES * n * n, f"pairs of {n} rows take", "learn from fewer rows, such as sample=1000")
    order = np.argsort(y, kind="stable")
    X, y, w = X[order] - X.mean(axis=0), y[order], w[order]  # no distance changes, and products keep their digits
    start = np.ones(p) if diagonal else np.eye(p)
    if components is not None and components < p:
        start = principal_axes(X, components)
    start = start / np.sqrt(p)
    goal = Neighbourhoods(X, y, w, ridge)

    def descend(a: Array) -> tuple[float, Array]:
        value, slope = goal.value(a.reshape(start.shape))
        return -value, -slope.ravel()

    with alone():
        found = minimize(descend, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": most, "gtol": 1e-5})
        learned = (
            np.abs(found.x) if diagonal else found.x.reshape(start.shape)
        )  # a sign of a weight's root means nothing
        plain = Neighbourhoods(X, y, w)
        before, after = plain.value(start)[0], plain.value(learned)[0]
    return Components(learned, before, after, int(found.nit), bool(found.success))


def principal_axes(X: Array, components: int) -> Array:
    """The first principal axes (k, p) of centred rows; the largest entry of each is positive."""
    _, axes = np.linalg.eigh(X.T @ X)
    return positive(axes[:, ::-1][:, :components].T)


def positive(axes: Array) -> Array:
    """Rows (k, p) whose entries of the largest size are positive, because a sign has no meaning."""
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    return np.ascontiguousarray(axes * np.where(largest < 0, -1.0, 1.0))


def scatter(X: Array, y: NDArray[np.int64], w: Array) -> tuple[Array, Array]:
    """Covariances (p, p) within classes and of all rows, both divided by the sum of the weights.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
        Class codes.
    w : array (n,)
        Weights > 0.
    """
    share = w / w.sum()
    Z = X - share @ X
    within = Z.copy()
    for c in np.unique(y):
        own = y == c
        within[own] -= share[own] @ Z[own] / share[own].sum()
    return (within.T * share) @ within, (Z.T * share) @ Z


def discriminants(within: Array, total: Array, components: int, ridge: float = 0.0) -> Array | None:
    """The map (k, p) to discriminant coordinates (*The Elements of Statistical Learning*, section 4.3.3).

    Rows have unit covariance within classes under it, and its axes are those of the largest variance between classes. Columns
    that are combinations of others over all rows add nothing and do no harm.

    Parameters
    ----------
    within, total : arrays (p, p)
        Matrices as computed by `scatter`.
    components : int
        Number of axes, at most the number of classes - 1.
    ridge : float >= 0
        Proportion by which each column's variance within classes increases.

    Returns
    -------
    array (k, p), or None
        None if the covariance within classes is singular although the total covariance is not: the classes are then
        separated along some axis without any error, and no ratio exists. Fewer axes if the rows have fewer dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0, 1], [0, -1], [3, 1], [3.2, -1.2]]), np.array([0, 0, 1, 1])
    >>> discriminants(*scatter(X, y, np.ones(4)), 1).round(2)
    array([[21.02,  1.05]])
    """
    from scipy.linalg import eigh

    values, axes = np.linalg.eigh(total)
    span = axes[:, values > SINGULAR * values[-1]]
    inner = span.T @ (within + ridge * np.diag(np.diag(total))) @ span
    least = np.linalg.eigvalsh(inner)
    if not least[0] > SINGULAR * values[-1]:
        return None
    _, directions = eigh(span.T @ (total - within) @ span, inner)
    return positive((span @ directions[:, ::-1][:, :components]).T)
