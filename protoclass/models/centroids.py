"""Nearest shrunken centroids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.task import Task
from ..core.vectors.shrunken import ShrunkenPath, shrunken
from .base import Axes, Capabilities, Model, axis, check_number


@dataclass(frozen=True)
class Centroids(Model):
    """Nearest shrunken centroids: one centroid for each class, in the few columns that distinguish the classes.

    Each centroid is shrunken towards the centroid of all rows, column by column, by `threshold` standard errors. A column in which all
    class centroids reach the overall centroid is removed.

    Parameters
    ----------
    threshold : float >= 0, sequence or "grid"
        Number of standard errors to shrink by; 0 does not move the centroids. "grid": 30 values, evenly spaced from 0 to the lowest at
        which no column is left, as in R's `pamr`.

    Raises
    ------
    DataError
        If the weights do not exceed the number of classes, because the variance within classes is then undefined.
    NoVectors
        If the dissimilarity has no coordinates.

    Notes
    -----
    The size of a fitted model is the number of columns that are left. Rows are classified by squared distances, with columns divided by
    their standard deviations within classes, minus 2 log of the class's proportion of the weights; `kind="decision"` is minus half of
    this value, and `kind="prob"` follows from it. Columns are the coordinates of the metric, and weights count rows.

    References
    ----------
    Tibshirani, Hastie, Narasimhan and Chu (2002), *Diagnosis of multiple cancer types by shrunken centroids of gene
    expression*, PNAS 99; *The Elements of Statistical Learning*, section 18.2.

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
    words: ClassVar[Mapping[str, str]] = {"threshold": "threshold of the centroids (standard errors)"}

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
