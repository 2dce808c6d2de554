"""k nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import KNNPath, cover_hart
from ..core.statistics.sums import units
from ..core.task import Points, Task
from ..ground.checks import one_of
from ..ground.errors import DataError
from .base import Axes, Capabilities, Learned, Model, axis, check_labelled, check_number

NEIGHBOURS = (1, 2, 3, 5, 7, 9, 11, 15, 19, 25, 31, 41, 51, 75, 101)


@dataclass(frozen=True)
class KNN(Model):
    """k nearest neighbours on any dissimilarity: all rows are prototypes, and the k nearest ones vote with their weights.

    Parameters
    ----------
    k : int >= 1, sequence or "grid"
        Number of neighbours that vote. "grid": 1 to 101 in increasing steps, at most a third of the training rows of a fold.
    ties : "all" or "random"
        Treatment of ties. "all": all rows tied with the k-th nearest one vote, and ties between classes go to the first in level order.
        "random": ties between rows and between classes are broken by an order drawn with the seed of the fit, and k rows vote
        (Graepel et al. 1998 break ties at random).

    Raises
    ------
    DataError
        If there are fewer rows with weight than k, or candidates are unlabelled.

    Notes
    -----
    When the training rows are predicted, each row is its own neighbour; held-out rows never vote for themselves. A row without weight
    has no vote. The size of a fitted model is n / k, about the number of regions that k neighbours can distinguish (ESL, section
    2.3.3).

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), *The Elements of Statistical Learning*, section 13.3.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "knn", k=5)
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "prob").round(1).to_dict("list")
    {'setosa': [1.0, 0.0], 'versicolor': [0.0, 0.4], 'virginica': [0.0, 0.6]}
    """

    name = "knn"
    papers = ("hastie2009",)
    can = Capabilities(weights=True, counted=False)
    example: ClassVar[Mapping[str, Any]] = {"k": (3, 7)}
    as_repeats: ClassVar[Mapping[str, Any]] = {"k": 1}

    k: Any = "grid"
    ties: str = "all"

    @property
    def title(self) -> str:
        return "k nearest neighbours"

    def __post_init__(self) -> None:
        check_number(self, "k", self.k, low=1, integral=True)
        one_of("ties", self.ties, ("all", "random"))

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        most = max(1, min(int(smallest.sum()), len(task.candidate_row)) // 3)
        return np.array([k for k in NEIGHBOURS if k <= most])

    def path(self, task: Task, grid: Axes) -> KNNPath:
        check_labelled(self.name, task)
        ks = axis(grid, "k", self.k).astype(int)
        at = np.flatnonzero(task.w[task.candidate_row] > 0)  # a row without weight has no vote
        check_neighbours(ks, len(at))
        seed = task.seed if self.ties == "random" else None
        prototypes = Points(task.y[task.candidate_row[at]], at=at)
        return KNNPath(tuple(ks.tolist()), prototypes, ballots(task.w[task.candidate_row[at]]), task.classes, seed)

    def notes(self, learned: Learned) -> list[str]:
        """A bound on the Bayes error from the cross-validated error of 1-NN."""
        if self.k != 1 or learned.error is None:
            return []
        least = cover_hart(min(1.0, learned.error), len(learned.classes))
        return [
            "Cover and Hart (1967): if the CV error were that of 1-NN on infinitely many rows, the Bayes error would be at least "
            f"{least:.4f}."
        ]


def check_neighbours(ks: np.ndarray, rows: int) -> None:
    """Raise if k exceeds the number of training rows with weight."""
    if ks.max() > rows:
        raise DataError(f"k={ks.max()} neighbours need as many training rows with weight, but there are {rows}: use a smaller k")


def ballots(w: np.ndarray) -> np.ndarray:
    """Votes in proportion to weights, in whole numbers if possible, so that classes with equal votes are tied exactly."""
    multiples, _ = units(w)
    return multiples if multiples.all() else w
