"""Classical scaling (Torgerson 1952)."""

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
