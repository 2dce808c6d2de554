"""Metrics that map rows to a space in which the distance is Euclidean."""

from __future__ import annotations

import numpy as np

from ..core.distances.geometry import Geometry
from ..core.distances.minkowski import minkowski
from ..core.sources import Rep
from .vectors import VectorMetric


class EuclideanSpace(VectorMetric):
    """A trained metric whose distance is Euclidean between the coordinates that `rows` gives, its only array."""

    @property
    def geometry(self) -> Geometry:
        return Geometry()

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return minkowski(rows[0], candidates[0])

    def coordinates(self, rows: Rep) -> np.ndarray:
        return rows[0]

    def place(self, coords: np.ndarray) -> Rep:
        return (np.ascontiguousarray(coords, float),)
