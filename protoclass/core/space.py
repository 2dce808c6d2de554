"""Rows and candidates in the space of their distances."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .neighbours.search import LEAF, Search, search_of

Array = NDArray[Any]
SHOWN = 512  # candidates that show what a search of all would measure
LOOKED_UP = 16  # rows for which they are searched


@dataclass(frozen=True, eq=False)
class Space:
    """Rows and candidates whose dissimilarities are Minkowski distances of these coordinates.

    Attributes
    ----------
    rows : array (n, p)
    candidates : array (m, p), of the same precision
    r : float
        Exponent of the distance.
    """

    rows: Array
    candidates: Array
    r: float
    _shares: dict[int, float] = field(default_factory=dict, init=False, repr=False)

    def search(self, columns: Array) -> Search:
        """Some of the candidates, prepared so that the nearest of a row are found without measuring all."""
        return search_of(self.candidates[columns], self.r)

    def share(self, k: int) -> float:
        """Share of the pairs that a search of the k nearest measures, about.

        Found from some candidates, evenly taken, in blocks of as many fewer ones, whose boxes are as large.
        """
        if k not in self._shares:
            m, fewer = len(self.candidates), max(1, len(self.candidates) // SHOWN)
            some = search_of(self.candidates[::fewer], self.r, max(1, LEAF // fewer))
            rows = self.rows[np.linspace(0, len(self.rows) - 1, LOOKED_UP).astype(int)]
            measured = some.nearest(rows, min(max(1, k // fewer), len(some.place)))[1]
            self._shares[k] = measured / (LOOKED_UP * -(-m // fewer))
        return self._shares[k]
