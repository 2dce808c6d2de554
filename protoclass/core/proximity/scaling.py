"""Points in few dimensions whose distances are near to given dissimilarities: classical scaling, and Sammon's map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def torgerson(D: Array, dims: int) -> Array:
    """Coordinates of the leading positive axes of the doubly centred matrix -D^2 / 2.

    Parameters
    ----------
    D : array (n, n), symmetric
    dims : int

    Returns
    -------
    array (n, dims)
        Axes without a positive eigenvalue are 0. The sign of each axis makes its largest coordinate positive.

    Examples
    --------
    >>> import numpy as np
    >>> torgerson(np.array([[0.0, 1.0], [1.0, 0.0]]), 1).round(3).ravel().tolist()
    [0.5, -0.5]
    """
    from scipy.linalg import eigh  # the import takes 0.2 s, and most fits do not need it

    n = len(D)
    most = float(D.max(initial=0.0)) or 1.0  # squares of large values would overflow
    squared = (np.asarray(D, float) / most) ** 2
    mean = squared.mean(axis=0)
    B = -0.5 * (squared - mean[:, None] - mean[None, :] + mean.mean())
    first = max(0, n - dims)
    values, axes = eigh(B, subset_by_index=[first, n - 1])
    values, axes = values[::-1], axes[:, ::-1]
    X = axes * np.sqrt(np.maximum(values, 0)) * most
    X *= np.where(X[np.abs(X).argmax(axis=0), np.arange(X.shape[1])] < 0, -1.0, 1.0)
    return np.pad(X, ((0, 0), (0, dims - X.shape[1])))


def stress(X: Array, D: Array) -> float:
    """Sammon's stress of points X (n, k): sum (D - d)^2 / D over pairs, divided by the sum of D; pairs at D = 0 do not count."""
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

    n, positive = len(D), D > 0
    X = torgerson(D, dims)
    if not positive.any():
        return X
    size = float(D[positive].mean())  # the optimiser uses absolute tolerances
    X, D = X / size, D / size
    inverse = np.divide(1.0, D, out=np.zeros_like(D, dtype=float), where=positive)
    total = D.sum() / 2

    def stress_and_gradient(flat: Array) -> tuple[float, Array]:
        X = flat.reshape(n, dims)
        d = cdist(X, X)
        error = (D - d) * inverse
        ratio = np.divide(error, d, out=np.zeros_like(d), where=d > 0)
        gradient = -2 * (ratio.sum(axis=1)[:, None] * X - ratio @ X) / total
        return float(((D - d) * error).sum() / 2 / total), gradient.ravel()

    result = minimize(stress_and_gradient, X.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(result.x.reshape(n, dims) * size)
