"""k-means by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.centroids import kmeans
from ..core.nearest import Nearest
from ..core.task import Points, Rules, Task
from .base import Model, axis, fixed, number


@dataclass(frozen=True)
class KMeans(Model):
    """k-means on each class by itself; the centroids are the prototypes (ESL, section 13.2.1).

    Parameters
    ----------
    K : int >= 1, sequence or "grid"
        Centroids for each class. "grid": 1 to 10, at most the training rows of the smallest class.
    starts : int >= 1
        Runs from k-means++ starts, the best of which counts.
    """

    name: ClassVar[str] = "kmeans"
    reads: ClassVar[str] = "vectors"
    accepts: ClassVar[frozenset[str]] = frozenset({"weights"})

    K: Any = "grid"
    starts: int = 3

    @property
    def title(self) -> str:
        return "k-means by class"

    def __post_init__(self) -> None:
        number("kmeans", "K", self.K, low=1, whole=True)
        fixed("kmeans", "starts", self.starts, low=1, whole=True)

    def default_grid(self, knob: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return np.arange(1, max(1, min(10, int(smallest.min()))) + 1)

    def rows_needed(self, grid: Mapping[str, np.ndarray]) -> int:
        return int(axis(grid, "K", self.K).max())

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> Rules:
        return Rules(tuple(self._rule(task, int(K)) for K in axis(grid, "K", self.K)))

    def _rule(self, task: Task, K: int) -> Nearest:
        X = task.vectors()
        own = [np.flatnonzero((task.y == c) & (task.w > 0)) for c in range(task.classes)]
        parts = [kmeans(X[rows], task.w[rows], K, self.starts, (*task.seed, K, c)) for c, rows in enumerate(own)]
        centers, held = (np.concatenate(p) for p in zip(*parts, strict=True))
        points = Points(np.repeat(np.arange(task.classes), K), coords=centers, table={"covers": held})
        heaviest = int(np.bincount(task.y, task.w, task.classes).argmax())
        return Nearest(points, task.classes, heaviest, {"centroids per class K": K})
