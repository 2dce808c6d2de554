"""Methods of centroids: k-means by class, and nearest shrunken centroids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.parallel import each
from ..core.query import RulePath
from ..core.task import Points, Task
from ..core.vectors.centroids import kmeans
from ..core.vectors.shrunken import ShrunkenPath, shrunken
from ..ground.checks import MOST_RUNS, one_of
from .base import (
    Axes,
    Capabilities,
    Model,
    PerClass,
    axis,
    check_counts,
    check_fixed,
    check_number,
    counts,
    heaviest_class,
    in_words,
)


@dataclass(frozen=True)
class KMeans(PerClass):
    """k-means on each class; the centroids are the prototypes.

    See ESL, section 13.2.1.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Number, or proportion of the rows, of each class. "grid": 1 to 10, at most the training rows
        of the smallest class.
    starts : int >= 1
        Number of runs, of which the best is used.
    start : "k-means++" or "random"
        Initial centroids: rows of the class that are far from one another, or K random rows, drawn
        by weight.

    Notes
    -----
    A class with fewer rows than K raises an error. If distinct rows are fewer, centroids repeat
    them, which the fit reports.

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

    def path(self, task: Task, grid: Axes) -> RulePath:
        X = task.coordinates()
        of_class = [np.flatnonzero((task.y == c) & (task.w > 0)) for c in range(task.classes)]
        distinct = np.array([len(np.unique(X[rows], axis=0)) for rows in of_class])
        Ks = axis(grid, "K", self.K).tolist()
        entries = X.size * len(Ks) * self.starts
        return RulePath(
            tuple(each(lambda K: self._rule(task, X, of_class, distinct, K), Ks, entries))
        )

    def _rule(
        self, task: Task, X: np.ndarray, of_class: list[np.ndarray], distinct: np.ndarray, K: Any
    ) -> Nearest:
        K_of_class = counts(K, np.array([len(rows) for rows in of_class]))
        parts = []
        for c, rows in enumerate(of_class):
            k = int(K_of_class[c])
            seed = (*task.seed, k, c)
            parts.append(kmeans(X[rows], task.w[rows], k, self.starts, seed, self.start))
        centers, assigned = (np.concatenate(p) for p in zip(*parts, strict=True))
        prototypes = Points(
            np.repeat(np.arange(task.classes), K_of_class),
            coords=centers,
            table={"assigned": assigned},
        )
        report = {
            "centroids per class K": in_words(K),
            **repeated("centroids", task.levels, K_of_class, distinct),
        }
        return Nearest(prototypes, task.classes, heaviest_class(task), report)


def repeated(
    what: str, levels: tuple[Any, ...], K_of_class: np.ndarray, distinct: np.ndarray
) -> dict[str, str]:
    """The entry of a report for classes with fewer distinct rows than centroids or components."""
    short = np.flatnonzero(distinct < K_of_class)
    if not len(short):
        return {}
    classes = ", ".join(
        f"{levels[c]} ({K_of_class[c]} {what}, {distinct[c]} distinct rows)" for c in short
    )
    return {f"{what} repeated": f"{classes}: give a smaller K"}


@dataclass(frozen=True)
class Centroids(Model):
    """Nearest shrunken centroids, in the columns that distinguish classes.

    Each class has a centroid. Each centroid is shrunken towards the centroid of all rows, column by
    column, by `threshold` standard errors. A column in which all reach the overall centroid is
    removed.

    Parameters
    ----------
    threshold : float >= 0, sequence or "grid"
        Number of standard errors to shrink by. "grid": 30 values, evenly spaced from 0 to the
        lowest at which no column is left, as in R's `pamr`.

    Notes
    -----
    The size of a fitted model is the number of columns that are left. Rows are classified by
    squared distances, with columns divided by their standard deviations within classes, minus 2 log
    of the class's proportion of the weights; `kind="decision"` is minus half of this value. Columns
    are the coordinates of the metric, and weights count rows.

    References
    ----------
    Tibshirani, Hastie, Narasimhan and Chu (2002), *Diagnosis of multiple cancer types by shrunken
    centroids of gene expression*, PNAS 99; *The Elements of Statistical Learning*, section 18.2.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "centroids", threshold=8.0)
    >>> fit.prototypes[["class", "columns"]].to_dict("list")
    {'class': ['setosa', 'versicolor', 'virginica'], 'columns': [3, 0, 2]}
    """

    name = "centroids"
    papers = ("tibshirani2002",)
    can = Capabilities(weights=True, coordinates=True, counted=False)
    example: ClassVar[Mapping[str, Any]] = {"threshold": (0.0, 2.0)}
    as_repeats: ClassVar[Mapping[str, Any]] = {}
    words: ClassVar[Mapping[str, str]] = {
        "threshold": "threshold of the centroids (standard errors)"
    }

    threshold: Any = "grid"

    @property
    def title(self) -> str:
        return "Nearest shrunken centroids"

    def __post_init__(self) -> None:
        check_number(self, "threshold", self.threshold, low=0)

    def rows_needed(self, grid: Axes, held: np.ndarray) -> np.ndarray:
        return np.full(len(held), 1 if held.sum() > len(held) else 2)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return shrunken(task.coordinates(), task.y, task.w, task.classes).thresholds

    def path(self, task: Task, grid: Axes) -> ShrunkenPath:
        thresholds = axis(grid, "threshold", self.threshold).astype(float)
        return ShrunkenPath(shrunken(task.coordinates(), task.y, task.w, task.classes, thresholds))
