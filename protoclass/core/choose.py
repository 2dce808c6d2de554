"""Error over a grid, its standard error, the best grid point and that of the 1-SE rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Choice:
    """The cross-validated curve and the two grid points chosen from it.

    Attributes
    ----------
    error, se, size : arrays (G,)
    best : int
        Least error, then least size, then first in the grid.
    one_se : int
        Of the grid points with error <= error[best] + se[best] that of least size, then least error, then the first.
    """

    error: Array
    se: Array
    size: Array
    best: int
    one_se: int


def choose(errors: Array, weight: Array, sizes: Array, error: Array | None = None, se: Array | None = None) -> Choice:
    """The best and the 1-SE grid point as in glmnet and *The Elements of Statistical Learning*, section 7.10.

    Parameters
    ----------
    errors : array (F, G)
        Mean loss in each fold.
    weight : array (F,)
        Weight of each fold's rows.
    sizes : array (F, G)
        Size of each fold's rules.
    error, se : arrays (G,), optional
        Needed where the folds alone do not determine them (repeated cross-validation).

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
    mean, standard_error = mean_and_se(errors, weight)
    error = mean if error is None else error
    se = standard_error if se is None else se
    size = sizes.mean(axis=0)
    position = np.arange(len(error))
    rounded = error.round(12)  # the order in which folds are summed may change the last bits of equal errors
    best = int(np.lexsort((position, size, rounded))[0])
    # a curve of one fold has no standard error: the rule then chooses the best point
    close = np.flatnonzero(rounded <= (error[best] + se[best]).round(12)) if np.isfinite(se[best]) else np.array([best])
    one_se = int(close[np.lexsort((close, rounded[close], size[close]))[0]])
    return Choice(error, se, size, best, one_se)


def choose_over_repeats(errors: list[Array], weights: list[Array], sizes: Array) -> Choice:
    """The choice from repeated cross-validation.

    Parameters
    ----------
    errors, weights : lists of arrays (F, G) and (F,)
        Of each repeat.
    sizes : array (R x F, G)

    Returns
    -------
    Choice
        The error is the mean over repeats. The standard error is the root mean square of the repeats' own, as repeats share
        their rows.
    """
    of_repeat = [mean_and_se(e, w) for e, w in zip(errors, weights, strict=True)]
    error = np.mean([e for e, _ in of_repeat], axis=0)
    se = np.sqrt(np.mean([s**2 for _, s in of_repeat], axis=0))
    return choose(np.concatenate(errors), np.concatenate(weights), sizes, error, se)


def mean_and_se(errors: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted mean over folds and its standard error, each (G,); the standard error is NaN for a single fold."""
    share = weight / weight.sum()
    mean = share @ errors
    if len(errors) == 1:
        return mean, np.full(mean.shape, np.nan)
    return mean, np.sqrt(share @ (errors - mean) ** 2 / (len(errors) - 1))
