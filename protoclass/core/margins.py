"""Values by class in which the predicted class has the largest: for rules that compare distances, and where values are tied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
LARGEST = float(np.finfo(float).max) / 4  # differences of two such values are finite


def relative_margins(distances: Array) -> Array:
    """The relative margin (other - own) / (other + own) of each class, from -1 to 1.

    Parameters
    ----------
    distances : array (r, classes)
        Distances >= 0 to the nearest prototype of each class, inf for a class that has none. `own` is that of the class and
        `other` the least of the other classes.

    Returns
    -------
    array (r, classes)
        0 if own and other are equal, also where both are 0 or inf. It is the hyperbolic tangent of half of log(other / own), so
        that it sorts rows as the scores of a calibration do. Sato and Yamada (1996) learn by it.

    Examples
    --------
    >>> relative_margins(np.array([[1.0, 3.0], [2.0, 2.0], [4.0, np.inf]])).tolist()
    [[0.5, -0.5], [0.0, 0.0], [1.0, -1.0]]
    """
    own = np.asarray(distances, float) / 2  # the sum of two halves is finite
    other = np.full_like(own, np.inf)
    for c in range(own.shape[1]):
        other[:, c] = np.delete(own, c, axis=1).min(axis=1, initial=np.inf)
    out = np.where(own == other, 0.0, np.where(np.isinf(other), 1.0, -1.0))
    finite = np.isfinite(own) & np.isfinite(other) & (own != other)
    out[finite] = (other[finite] - own[finite]) / (other[finite] + own[finite])
    return np.asarray(out)


def with_largest(values: Array, predicted: Array) -> Array:
    """Values (r, classes), all finite, in which the predicted class of each row has the first largest one.

    A rule decides ties in its own way: where another class is first among the largest, that of the predicted class becomes the
    next larger number.
    """
    out = np.clip(values, -LARGEST, LARGEST)
    tied = np.flatnonzero(out.argmax(axis=1) != predicted)
    out[tied, predicted[tied]] = np.nextafter(out[tied].max(axis=1), np.inf)
    return np.asarray(out)
