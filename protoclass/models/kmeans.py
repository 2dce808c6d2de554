"""k-means by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.centroids import kmeans
from ..core.nearest import Nearest
from ..core.task import Points, Rules, Task
from .base import Model, axis, fixed
from .counts import check_counts, counts, default_counts, told


@dataclass(frozen=True)
class KMeans(Model):
    """k-means on each class by itself; the centroids are the prototypes (ESL, section 13.2.1).

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, mapping, sequence or "grid"
        Centroids for each class; or that part of the rows of each class; or either by the name of the class. "grid": 1 to
        10, at most the training rows of the smallest class.
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
        check_counts("kmeans", self.K)
        fixed("kmeans", "starts", self.starts, low=1, whole=True)

    def default_grid(self, knob: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return default_counts(smallest)

    def rows_needed(self, grid: Mapping[str, np.ndarray], held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        return np.max([counts(K, held, levels) for K in axis(grid, "K", self.K)], axis=0)

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> Rules:
        return Rules(tuple(self._rule(task, K) for K in axis(grid, "K", self.K).tolist()))

    def _rule(self, task: Task, K: Any) -> Nearest:
        X = task.vectors()
        own = [np.flatnonzero((task.y == c) & (task.w > 0)) for c in range(task.classes)]
        wanted = counts(K, np.array([len(rows) for rows in own]), task.levels)
        parts = [
            kmeans(X[rows], task.w[rows], wanted[c], self.starts, (*task.seed, int(wanted[c]), c))
            for c, rows in enumerate(own)
        ]
        centers, held = (np.concatenate(p) for p in zip(*parts, strict=True))
        points = Points(np.repeat(np.arange(task.classes), wanted), coords=centers, table={"covers": held})
        heaviest = int(np.bincount(task.y, task.w, task.classes).argmax())
        return Nearest(points, task.classes, heaviest, {"centroids per class K": told(K)})
