"""Linear maps that are learned from classes: neighbourhood components, discriminants, and local
matrices of adaptive neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import Array
from ..memory import check_fits
from ..parallel import alone, each, kernel
from .minkowski import minkowski

MATRICES_AT_ONCE = 256  # rows whose matrices are in memory at a time
THREAD_CENTERS = 64  # centers given to a thread at a time
LEAST_RIDGE = 1e-6  # beside shrinkage, in mean variances of a column
SINGULAR = 1e-12  # of the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True)
class Components:
    """A map that neighbourhood components analysis learned.

    Attributes
    ----------
    map : array (k, p), or (p,) for a diagonal map
    before, after : float
        The weighted mean of the probabilities of the own class, under the map that was started from
        and under this one.
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
    """The objective, which is made large, of rows X (n, p) with class codes y (n,), in ascending
    order, and weights w (n,) > 0.

    It is sum_i w_i sum_{j in the class of i} p_ij / sum_i w_i - ridge sum_ab A_ab^2 / p, with the
    probability p_ij, proportional over j to w_j exp(-|A x_i - A x_j|^2) and 0 for j = i, that row i
    selects row j as its neighbour.

    References
    ----------
    Goldberger, Roweis, Hinton and Salakhutdinov (2005), *Neighbourhood components analysis*,
    Advances in Neural Information Processing Systems 17, without weights and ridge.
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
        # the rest of the squared distances is the same for all neighbours of a row
        P -= (E * E).sum(axis=1)
        np.fill_diagonal(P, -np.inf)
        P -= P.max(axis=1, keepdims=True)
        np.exp(P, out=P)
        P *= w
        edges = np.searchsorted(self.y, np.unique(self.y))
        blocks = [
            slice(first, last) for first, last in zip(edges, [*edges[1:], len(X)], strict=True)
        ]
        total = P.sum(axis=1)
        share = np.concatenate([P[b, b].sum(axis=1) for b in blocks]) / total
        v = w / w.sum()
        within = [P[b, b] * (v / total)[b, None] for b in blocks]
        P *= -(v * share / total)[:, None]  # now the derivatives with respect to -|A x_i - A x_j|^2
        for b, more in zip(blocks, within, strict=True):
            P[b, b] += more
        ends = P.sum(axis=0) + P.sum(axis=1)
        spread = P @ X + P.T @ X - ends[:, None] * X
        slope = 2 * A * (X * spread).sum(axis=0) if A.ndim == 1 else 2 * E.T @ spread
        return float(v @ share - self.ridge * (A * A).sum() / p), slope - 2 * self.ridge * A / p


def nca(
    X: Array,
    y: NDArray[np.int64],
    w: Array,
    components: int | None = None,
    diagonal: bool = False,
    ridge: float = 0.0,
    most: int = 50,
) -> Components:
    """Learn a map by L-BFGS.

    It starts from equal weights of the columns, or from the first principal axes, divided by
    sqrt(p): at the scale of one column, however many there are, so that probabilities at the start
    are not all 0 or 1.

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
    TooLargeError
        Where the pairs of rows do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> draw = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> X = np.column_stack([y + 0.3 * draw.normal(size=60), draw.normal(size=60)])
    >>> found = nca(X, y, np.ones(60), diagonal=True)
    >>> bool(found.map[0] > 3 * abs(found.map[1])), found.before < found.after
    (True, True)
    """
    from scipy.optimize import minimize

    n, p = X.shape
    check_fits(
        # three numbers for each pair of rows are in memory at the same time
        8.0 * 3 * n * n,
        f"pairs of {n} rows take",
        "learn from fewer rows, such as sample=1000",
    )
    order = np.argsort(y, kind="stable")
    # no distance changes, and products keep their digits
    X, y, w = X[order] - X.mean(axis=0), y[order], w[order]
    start = np.ones(p) if diagonal else np.eye(p)
    if components is not None and components < p:
        start = principal_axes(X, components)
    start = start / np.sqrt(p)
    goal = Neighbourhoods(X, y, w, ridge)

    def descend(a: Array) -> tuple[float, Array]:
        value, slope = goal.value(a.reshape(start.shape))
        return -value, -slope.ravel()

    with alone():
        found = minimize(
            descend,
            start.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": most, "gtol": 1e-5},
        )
        # a sign of a weight's root means nothing
        learned = np.abs(found.x) if diagonal else found.x.reshape(start.shape)
        plain = Neighbourhoods(X, y, w)
        before, after = plain.value(start)[0], plain.value(learned)[0]
    return Components(learned, before, after, int(found.nit), bool(found.success))


def principal_axes(Z: Array, count: int) -> Array:
    """The first principal axes (count, p) of centred rows (n, p); the largest entry of each is positive."""
    tall = len(Z) > Z.shape[1]  # the scatter is then the smaller matrix
    axes = np.linalg.eigh(Z.T @ Z)[1].T[::-1] if tall else np.linalg.svd(Z, full_matrices=False)[2]
    return np.ascontiguousarray(positive(axes[:count]))


def positive(axes: Array) -> Array:
    """Rows (k, p) whose entries of the largest size are positive, because a sign has no meaning."""
    largest = np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1)
    return axes * np.where(largest < 0, -1.0, 1.0)


def span(X: Array, w: Array) -> tuple[Array, Array]:
    """The principal axes (p, k) of rows (n, p) with weights (n,) along which they vary, and their variances (k,).

    With more columns than rows they are computed from the products of the rows.
    """
    share = w / w.sum()
    A = (X - share @ X) * np.sqrt(share)[:, None]
    wide = A.shape[1] > len(A)
    values, axes = np.linalg.eigh(A @ A.T if wide else A.T @ A)
    varies = values > SINGULAR * values[-1]
    axes, values = axes[:, varies], values[varies]
    return A.T @ (axes / np.sqrt(values)) if wide else axes, values


def covariances(X: Array, y: NDArray[np.int64], w: Array, classes: int) -> tuple[Array, Array]:
    """Covariances (classes, p, p) of each class, and (p, p) within classes, divided by sums of
    weights; 0 for a class without rows.

    Parameters
    ----------
    X : array (n, p)
    y : int array (n,)
        Class codes.
    w : array (n,)
        Weights > 0.
    classes : int

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [2.0], [3.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> [S.round(2).ravel().tolist() for S in covariances(X, y, np.ones(4), 2)]
    [[1.0, 0.0], [0.5]]
    """
    weight = np.bincount(y, w, classes)
    of_class = np.zeros((classes, X.shape[1], X.shape[1]))
    for c in np.flatnonzero(weight):
        share = w[y == c] / weight[c]
        Z = X[y == c] - share @ X[y == c]
        of_class[c] = (Z.T * share) @ Z
    return of_class, np.tensordot(weight / weight.sum(), of_class, 1)


def spread_within(
    Z: Array,
    y: NDArray[np.int64],
    w: Array,
    within: Array,
    ridge: float | None,
    variance: float,
    p: int,
) -> Array:
    """The covariance `within` classes of rows Z, plus `ridge` times `variance` along every axis.

    Without a ridge it is shrunken towards its mean variance over `p` columns, as far as is
    estimated to be best (Ledoit and Wolf 2004, A well-conditioned estimator for large-dimensional
    covariance matrices), with a ridge of `LEAST_RIDGE` against classes that do not vary.
    """
    if ridge is not None:
        return within + ridge * variance * np.eye(len(within))
    Z, share = Z.copy(), w / w.sum()
    for c in np.unique(y):
        Z[y == c] -= np.average(Z[y == c], axis=0, weights=w[y == c])
    mean, square = np.trace(within) / p, (within**2).sum()
    noise = share**2 @ ((Z**2).sum(axis=1) ** 2 - 2 * ((Z @ within) * Z).sum(axis=1) + square)
    # `apart` is the squared distance of the covariance from a spherical one, and `noise` that from
    # the true one
    apart = square - p * mean**2
    shrinkage = noise / apart if apart > noise else 1.0
    added = shrinkage * mean + LEAST_RIDGE * variance
    return (1 - shrinkage) * within + added * np.eye(len(within))


def discriminants(
    X: Array, y: NDArray[np.int64], w: Array, components: int, ridge: float | None = 0.0
) -> Array | None:
    """The map (k, p) to discriminant coordinates (*The Elements of Statistical Learning*, section 4.3.3).

    Under it the covariance within classes, with the ridge, is the unit matrix, and its axes are
    those of the largest variance between classes. Columns that are combinations of others over all
    rows add nothing and do no harm.

    Parameters
    ----------
    X, y, w : arrays (n, p), (n,) and (n,)
        Rows, class codes, and weights > 0.
    components : int
        Number of axes, at most the number of classes - 1.
    ridge : float >= 0, or None
        The variance within classes increases along every axis by this proportion of the mean
        variance of the columns. None: see `spread_within`.

    Returns
    -------
    array (k, p), or None
        None if the covariance within classes is singular although the total covariance is not: the
        classes are then separated along some axis without any error, and no ratio exists. Fewer
        axes if the rows have fewer dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0, 1], [0, -1], [3, 1], [3.2, -1.2]]), np.array([0, 0, 1, 1])
    >>> discriminants(X, y, np.ones(4), 1).round(2)
    array([[21.02,  1.05]])
    """
    axes, total = span(X, w)
    Z, p = X @ axes, X.shape[1]
    within = covariances(Z, y, w, y.max() + 1)[1]
    inner = spread_within(Z, y, w, within, ridge, total.sum() / p, p)
    if not np.linalg.eigvalsh(inner)[0] > SINGULAR * total.max():
        return None
    sphere = np.linalg.inv(np.linalg.cholesky(inner))
    between = np.diag(total) - within
    _, directions = np.linalg.eigh(sphere @ between @ sphere.T)
    axes = axes @ sphere.T @ directions[:, ::-1][:, :components]
    return np.ascontiguousarray(positive(axes.T))


def quadratic(
    X: Array, y: NDArray[np.int64], w: Array, classes: int, shrinkage: float, ridge: float
) -> Array | None:
    """For each class a map (classes, k, p) under which its rows have about unit covariance, as in
    quadratic discriminant analysis.

    The covariance of a class is replaced by (1 - shrinkage) times it plus shrinkage times the
    covariance within all classes, which a class without rows has alone (*The Elements of
    Statistical Learning*, equation 4.13; Friedman 1989 mixes sums of squares), and the ridge is as
    for `discriminants`. Axes along which the rows do not vary are left out.

    Parameters
    ----------
    X, y, w : arrays (n, p), (n,) and (n,)
        Rows, class codes, and weights > 0.
    classes : int
    shrinkage : float from 0 to 1
    ridge : float >= 0

    Returns
    -------
    array (classes, k, p), or None
        None if the covariance of a class is singular.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0.0], [2.0], [3.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> np.abs(quadratic(X, y, np.ones(4), 2, 0.0, 0.0)).ravel().round(2).tolist()
    [1.0, 0.5]
    """
    axes, total = span(X, w)
    of_class, within = covariances(X @ axes, y, w, classes)
    of_class[np.bincount(y, minlength=classes) == 0] = within
    added = ridge * total.sum() / X.shape[1] * np.eye(len(total))
    values, directions = np.linalg.eigh((1 - shrinkage) * of_class + shrinkage * within + added)
    if not values.min() > SINGULAR * total.max():
        return None
    return np.ascontiguousarray(np.swapaxes(axes @ (directions / np.sqrt(values)[:, None]), 1, 2))


def adaptive_distances(
    rows: Array,
    others: Array,
    X: Array,
    y: Array,
    classes: int,
    neighborhood: int,
    softening: float,
    ridge: float,
    iterations: int,
) -> Array:
    """Distances (r, q) from rows to others under the matrix of each row: |F_i' (x_i - z_j)|, with
    the factors of `local_factors`.
    """
    out = np.empty((len(rows), len(others)))
    for first in range(0, len(rows), MATRICES_AT_ONCE):
        part = slice(first, first + MATRICES_AT_ONCE)
        factors = local_factors(
            rows[part], X, y, classes, neighborhood, softening, ridge, iterations
        )
        out[part] = local_distances(others, rows[part], factors).T
    return out


def local_factors(
    centers: Array,
    X: Array,
    y: Array,
    classes: int,
    neighborhood: int,
    softening: float,
    ridge: float,
    iterations: int,
) -> Array:
    """A factor F of the local matrix Sigma = F F' at each center.

    From the `neighborhood` nearest rows of X, W is the pooled covariance within classes and B that
    between their means, both with divisor n_w = neighborhood. With B* = W^-1/2 B W^-1/2,

        Sigma = W^-1/2 (B* + softening I) W^-1/2.

    Parameters
    ----------
    centers : array (m, p)
    X : array (n, p)
        Training rows.
    y : int array (n,)
    classes : int
    neighborhood : int <= n
    softening : float > 0
    ridge : float >= 0
        Added to the diagonal of W, as a multiple of its mean.
    iterations : int >= 1
        Number of neighbour searches: the first by Euclidean distance, each further one under the
        previous matrices.

    Returns
    -------
    array (m, p, p)
        The length of F' (x - z) is the distance of x from the center z.

    References
    ----------
    Hastie and Tibshirani (1996), *Discriminant adaptive nearest neighbor classification*, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 18.
    """

    def factors_by(D: Array) -> Array:
        near = nearest_rows(D, neighborhood)
        return _factors(X[near] - X[near[:, :1]], y[near], classes, softening, ridge)

    factors = factors_by(minkowski(centers, X))
    for _ in range(iterations - 1):
        factors = factors_by(local_distances(X, centers, factors).T)
    return factors


def nearest_rows(D: Array, count: int) -> Array:
    """The `count` nearest columns of each row of D, the first of equally near ones, int (m, count)."""
    near = np.empty((len(D), count), np.int64)
    last = np.partition(D, count - 1, axis=1)[:, count - 1]
    for i, d in enumerate(D):
        inside = np.flatnonzero(d < last[i])
        near[i] = np.concatenate([inside, np.flatnonzero(d == last[i])[: count - len(inside)]])
    return near


def _factors(Z: Array, y: Array, classes: int, softening: float, ridge: float) -> Array:
    """Factors from the neighbours of each center minus one of them, (m, K, p), which avoids loss of
    digits far from the origin.
    """
    K, p = Z.shape[1:]
    own = (y[:, None, :] == np.arange(classes)[:, None]).astype(float)  # (m, classes, K)
    count = own.sum(axis=2)
    means = np.matmul(own, Z) / np.maximum(count, 1)[:, :, None]
    deviations = Z - np.take_along_axis(means, y[:, :, None], axis=1)
    within = np.matmul(deviations.transpose(0, 2, 1), deviations) / K
    gaps = (means - Z.mean(axis=1)[:, None]) * np.sqrt(count / K)[:, :, None]
    between = np.matmul(gaps.transpose(0, 2, 1), gaps)
    size = np.trace(within, axis1=1, axis2=2) / p
    # if all neighbours of each class coincide, W is 0 and the unit matrix is used
    constant = size == 0
    within[constant], size[constant] = np.eye(p), 1.0
    within += (ridge * size)[:, None, None] * np.eye(p)
    with alone():
        values, axes = np.linalg.eigh(within)
        values = np.maximum(values, 1e-12 * values[:, -1:])  # without a ridge W may be singular
        root = np.matmul(axes / np.sqrt(values)[:, None, :], axes.transpose(0, 2, 1))
        stretched = np.matmul(np.matmul(root, between), root)
        root_local = np.linalg.cholesky(
            (stretched + stretched.transpose(0, 2, 1)) / 2 + softening * np.eye(p)
        )
    return np.matmul(root, root_local)


def local_distances(X: Array, centers: Array, factors: Array) -> Array:
    """Distances (r, q) of rows to centers under the matrices of the centers: |F_j' (x_i - z_j)|."""
    out = np.empty((len(X), len(centers)))
    across, Z = np.ascontiguousarray(X.T, float), np.ascontiguousarray(centers, float)

    def fill(first: int) -> None:
        part = slice(first, first + THREAD_CENTERS)
        _local(across, Z[part], factors[part], out[:, part])

    for _ in each(fill, range(0, len(Z), THREAD_CENTERS), out.size * Z.shape[1]):
        pass
    return out


@kernel
def _local(X, centers, factors, out):
    # the innermost loops run over some rows at a time, vectorised
    p, n, width = X.shape[0], X.shape[1], 64
    gap, product, total = np.zeros((p, width)), np.empty(width), np.empty(width)
    for j in range(centers.shape[0]):
        F = factors[j]
        for first in range(0, n, width):
            q = min(width, n - first)
            for a in range(p):
                for i in range(q):
                    gap[a, i] = X[a, first + i] - centers[j, a]
            total[:] = 0.0
            for b in range(p):
                product[:] = 0.0
                for a in range(p):
                    f = F[a, b]
                    for i in range(width):
                        product[i] += f * gap[a, i]
                for i in range(width):
                    total[i] += product[i] * product[i]
            for i in range(q):
                out[first + i, j] = np.sqrt(total[i])
