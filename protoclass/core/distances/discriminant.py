"""Linear discriminant analysis: rows whitened within classes, along the axes on which the classes' means differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..neighbours.nca import positive

Array = NDArray[np.float64]
SINGULAR = 1e-12  # of the largest eigenvalue: what is below it is rounding


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
        As `scatter` gives them.
    components : int
        Axes, at most the number of classes - 1.
    ridge : float >= 0
        The share of its variance that each column's variance within classes grows by.

    Returns
    -------
    array (k, p), or None
        None where the covariance within classes is singular although that of all rows is not: the classes are then
        separated along some axis without any error, and no ratio exists. Fewer axes where the rows have not as many.

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
