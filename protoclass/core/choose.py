"""Error over a grid, its standard error, the best point and the point of the 1-SE rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Choice:
    """The cross-validated curve and what is read off it.

    Attributes
    ----------
    error, se, size : arrays (G,)
    best : int
        Least error, then least size, then first in the grid.
    one_se : int
        Of the points with error <= error[best] + se[best] the least size, then the least error, then first.
    """

    error: Array
    se: Array
    size: Array
    best: int
    one_se: int


def choose(errors: Array, weight: Array, sizes: Array, error: Array | None = None, se: Array | None = None) -> Choice:
    """Best and 1-SE point as in glmnet and *The Elements of Statistical Learning*, section 7.10.

    Parameters
    ----------
    errors : array (F, G)
        Mean loss in each fold.
    weight : array (F,)
        Weight of each fold's rows.
    sizes : array (F, G)
        Size of each fold's rules.
    error, se : arrays (G,), optional
        Given where they do not follow from the folds alone (repeated cross-validation).

    Returns
    -------
    Choice
        error = weighted mean over folds; se = sqrt(weighted mean of (e_f - error)^2 / (F - 1)).

    Examples
    --------
    >>> import numpy as np
    >>> c = choose(np.array([[0.1, 0.2], [0.3, 0.2]]), np.ones(2), np.array([[5.0, 2.0], [5.0, 2.0]]))
    >>> c.error.round(3).tolist(), c.se.round(3).tolist(), c.best, c.one_se
    ([0.2, 0.2], [0.1, 0.0], 1, 1)
    """
    mean, spread = mean_and_se(errors, weight)
    error = mean if error is None else error
    se = spread if se is None else se
    size = sizes.mean(axis=0)
    at = np.arange(len(error))
    level = error.round(12)  # equal errors may differ in the last bits by the order in which folds were summed
    best = int(np.lexsort((at, size, level))[0])
    # a curve of one fold has no standard error: the rule then keeps the best
    within = np.flatnonzero(level <= (error[best] + se[best]).round(12)) if np.isfinite(se[best]) else np.array([best])
    one_se = int(within[np.lexsort((within, level[within], size[within]))[0]])
    return Choice(error, se, size, best, one_se)


def mean_and_se(errors: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted mean over folds and its standard error, each (G,); the error is NaN for a single fold."""
    share = weight / weight.sum()
    mean = share @ errors
    if len(errors) == 1:
        return mean, np.full(mean.shape, np.nan)
    return mean, np.sqrt(share @ (errors - mean) ** 2 / (len(errors) - 1))
