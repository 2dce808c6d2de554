"""Trained metrics that are distances of a vector space."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..errors import NoVectors, OptionError
from .base import TrainedMetric


class VectorMetric(TrainedMetric):
    """A trained metric that is the distance of a vector space, where centroids and the like exist.

    One of one's own writes the three methods below.
    """

    def coordinates(self, rows: Rep) -> np.ndarray:
        """Coordinates (r, p) of rows."""
        raise OptionError(self._unwritten("coordinates", "what the coordinates of rows are"))

    def place(self, coords: np.ndarray) -> Rep:
        """Side j of D[i, j] for coordinates (q, p) such as those of centroids."""
        raise OptionError(self._unwritten("place", "how a candidate at given coordinates is represented"))

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        """Coordinates (q, p) in the units of the design matrix."""
        raise OptionError(self._unwritten("original", "what coordinates are in the units of the data"))

    def _unwritten(self, method: str, what: str) -> str:
        return f"the trained metric of {self.name} does not say {what}: write its `{method}`"


def as_vectors(metric: TrainedMetric) -> VectorMetric:
    """The metric, if it has coordinates.

    Raises
    ------
    NoVectors
    """
    if isinstance(metric, VectorMetric):
        return metric
    raise NoVectors(
        f"{metric.name} dissimilarities have no coordinates, and this method needs some: use dissimilarity='euclidean', "
        "or a method that reads dissimilarities, such as 'pvm' or 'knn'"
    )
