"""Metrics whose values follow from distances between coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def the_same(distances: Array) -> Array:
    return distances


@dataclass(frozen=True)
class Geometry:
    """How the values of a metric follow from Minkowski distances between the first arrays of its representations.

    Attributes
    ----------
    r : float
        Exponent of the Minkowski distance, as `core.distances.minkowski` measures it.
    value : callable
        What makes dissimilarities of distances, entry by entry. It never falls, also in its last bits, and keeps the precision.
    """

    r: float = 2.0
    value: Callable[[Array], Array] = the_same

    def reach(self, radii: Array) -> Array:
        """The smallest distances (K,) whose values are not below these radii (K,), in the precision of the radii; inf for none.

        Examples
        --------
        >>> import numpy as np
        >>> Geometry(value=lambda d: d * d / 2).reach(np.array([2.0, 8.0]))
        array([2., 4.])
        """
        if self.value is the_same:
            return radii
        kind = np.uint32 if radii.dtype == np.float32 else np.uint64
        # positive floats are ordered as their bits are: halve between 0 and infinity
        low = np.zeros(len(radii), kind)
        high = np.full(len(radii), np.array(np.inf, radii.dtype).view(kind))
        with np.errstate(over="ignore", under="ignore"):
            while (high - low > 1).any():
                middle = low + (high - low) // kind(2)
                enough = self.value(middle.view(radii.dtype)) >= radii
                low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.asarray(np.where(self.value(np.zeros_like(radii)) >= radii, 0, high.view(radii.dtype)))
