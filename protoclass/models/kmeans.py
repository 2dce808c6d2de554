"""k-means by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arguments import one_of
from ..core.neighbours.nearest import Nearest
from ..core.task import Points, RulePath, Task
from ..core.vectors.centroids import count_distinct, kmeans
from .base import Model, axis, fixed, heaviest_class
from .capabilities import Capabilities
from .counts import check_counts, counts, default_counts, in_words


@dataclass(frozen=True)
class KMeans(Model):
    """k-means on each class by itself; the centroids are the prototypes (ESL, section 13.2.1).

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, mapping, sequence or "grid"
        Centroids for each class; or that part of the rows of each class; or either by the name of the class. "grid": 1 to
        10, at most the training rows of the smallest class.
    starts : int >= 1
        Runs from different starts, the best of which counts.
    start : "k-means++" or "random"
        Where the runs start: from rows of the class that are far from one another, or from K random rows. Rows with more
        weight are drawn more often.

    Raises
    ------
    DataError
        Where a class has fewer rows with weight than centroids.
    NoVectors
        For dissimilarities without coordinates.

    Notes
    -----
    A class that has rows enough, but fewer than K distinct ones, gets one centroid for each of these; the others repeat
    them and hold no row. The fit then says so.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "kmeans", K={"setosa": 1, "versicolor": 2, "virginica": 2})
    >>> fit.prototypes["class"].value_counts(sort=False).tolist()
    [1, 2, 2]
    """

    name: ClassVar[str] = "kmeans"
    can: ClassVar[Capabilities] = Capabilities(weights=True, nearest=True)
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2)}
    as_repeats: ClassVar[Mapping[str, Any]] = {"K": 1}

    K: Any = "grid"
    starts: int = 3
    start: str = "k-means++"

    @property
    def title(self) -> str:
        return "k-means by class"

    def __post_init__(self) -> None:
        check_counts("kmeans", self.K)
        fixed("kmeans", "starts", self.starts, low=1, whole=True)
        one_of("start", self.start, ("k-means++", "random"))

    def loss(self, task: Task, prototypes: Points) -> float:
        assert prototypes.coords is not None
        X, total = task.coordinates(), 0.0
        for c in range(task.classes):
            own, centers = task.y == c, prototypes.coords[prototypes.classes == c]
            squares = ((X[own][:, None] - centers) ** 2).sum(axis=2)
            total += float(task.w[own] @ squares.min(axis=1))
        return total

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return default_counts(smallest)

    def rows_needed(self, grid: Mapping[str, np.ndarray], held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        return np.max([counts(K, held, levels) for K in axis(grid, "K", self.K)], axis=0)

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> RulePath:
        X = task.coordinates()
        own = [np.flatnonzero((task.y == c) & (task.w > 0)) for c in range(task.classes)]
        unlike = np.array([count_distinct(X[rows]) for rows in own])
        return RulePath(tuple(self._rule(task, X, own, unlike, K) for K in axis(grid, "K", self.K).tolist()))

    def _rule(self, task: Task, X: np.ndarray, own: list[np.ndarray], unlike: np.ndarray, K: Any) -> Nearest:
        wanted = counts(K, np.array([len(rows) for rows in own]), task.levels)
        parts = [
            kmeans(X[rows], task.w[rows], wanted[c], self.starts, (*task.seed, int(wanted[c]), c), self.start)
            for c, rows in enumerate(own)
        ]
        centers, held = (np.concatenate(p) for p in zip(*parts, strict=True))
        prototypes = Points(np.repeat(np.arange(task.classes), wanted), coords=centers, table={"covers": held})
        report = {"centroids per class K": in_words(K), **repeated("centroids", task.levels, wanted, unlike)}
        return Nearest(prototypes, task.classes, heaviest_class(task), report)


def repeated(what: str, levels: tuple[Any, ...], wanted: np.ndarray, unlike: np.ndarray) -> dict[str, str]:
    """What a report says of classes with fewer distinct rows than centroids, or the like."""
    short = np.flatnonzero(unlike < wanted)
    if not len(short):
        return {}
    of = ", ".join(f"{levels[c]} ({wanted[c]} {what}, {unlike[c]} distinct rows)" for c in short)
    return {f"{what} repeated": f"{of}: ask for fewer"}
