"""k-means by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.parallel import each
from ..core.query import RulePath
from ..core.task import Points, Task
from ..core.vectors.centroids import count_distinct, kmeans
from ..ground.checks import MOST_RUNS, one_of
from .base import Axes, Capabilities, PerClass, axis, check_counts, check_fixed, counts, heaviest_class, in_words


@dataclass(frozen=True)
class KMeans(PerClass):
    """k-means on each class separately; the centroids are the prototypes (ESL, section 13.2.1).

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Number of centroids of each class, or a proportion of the rows of each class. "grid": 1 to 10, at most the training rows of
        the smallest class.
    starts : int >= 1
        Number of runs from different starts; the best run is used.
    start : "k-means++" or "random"
        Initial centroids: rows of the class that are far from one another, or K random rows. Rows with more weight are drawn
        more often.

    Raises
    ------
    DataError
        If a class has fewer rows with weight than centroids.
    NoVectors
        If the dissimilarity has no coordinates.

    Notes
    -----
    A class with enough rows but fewer than K distinct ones gets one centroid for each of these; the other centroids repeat
    them and have no rows. The fit reports this.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "kmeans", K=2)
    >>> fit.prototypes["class"].value_counts(sort=False).tolist()
    [2, 2, 2]
    """

    name = "kmeans"
    papers = ("hastie2009",)
    can = Capabilities(weights=True, coordinates=True, nearest=True)
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
        check_fixed("kmeans", "starts", self.starts, low=1, integral=True, high=MOST_RUNS)
        one_of("start", self.start, ("k-means++", "random"))

    def loss(self, task: Task, prototypes: Points) -> float:
        assert prototypes.coords is not None
        X, total = task.coordinates(), 0.0
        for c in range(task.classes):
            own, centers = task.y == c, prototypes.coords[prototypes.classes == c]
            squares = ((X[own][:, None] - centers) ** 2).sum(axis=2)
            total += float(task.w[own] @ squares.min(axis=1))
        return total

    def path(self, task: Task, grid: Axes) -> RulePath:
        X = task.coordinates()
        own = [np.flatnonzero((task.y == c) & (task.w > 0)) for c in range(task.classes)]
        distinct = np.array([count_distinct(X[rows]) for rows in own])
        Ks = axis(grid, "K", self.K).tolist()
        entries = X.size * len(Ks) * self.starts
        return RulePath(tuple(each(lambda K: self._rule(task, X, own, distinct, K), Ks, entries)))

    def _rule(self, task: Task, X: np.ndarray, own: list[np.ndarray], distinct: np.ndarray, K: Any) -> Nearest:
        K_of_class = counts(K, np.array([len(rows) for rows in own]))
        parts = [
            kmeans(X[rows], task.w[rows], K_of_class[c], self.starts, (*task.seed, int(K_of_class[c]), c), self.start)
            for c, rows in enumerate(own)
        ]
        centers, held = (np.concatenate(p) for p in zip(*parts, strict=True))
        prototypes = Points(np.repeat(np.arange(task.classes), K_of_class), coords=centers, table={"assigned": held})
        report = {"centroids per class K": in_words(K), **repeated("centroids", task.levels, K_of_class, distinct)}
        return Nearest(prototypes, task.classes, heaviest_class(task), report)


def repeated(what: str, levels: tuple[Any, ...], K_of_class: np.ndarray, distinct: np.ndarray) -> dict[str, str]:
    """The entry of a report for classes with fewer distinct rows than centroids (or medoids, or components)."""
    short = np.flatnonzero(distinct < K_of_class)
    if not len(short):
        return {}
    classes = ", ".join(f"{levels[c]} ({K_of_class[c]} {what}, {distinct[c]} distinct rows)" for c in short)
    return {f"{what} repeated": f"{classes}: give a smaller K"}
