"""Discriminant adaptive nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.dann import DANNPath, Local
from ..core.task import Points, Task
from ..ground.checks import MOST_RUNS
from ..ground.errors import DataError
from .base import Axes, Capabilities, Model, axis, check_number, own_candidates
from .knn import NEIGHBOURS, ballots, check_neighbours


@dataclass(frozen=True)
class DANN(Model):
    """k nearest neighbours by a metric that is computed at each query (Hastie and Tibshirani 1996; ESL, section 13.4.2).

    The training rows nearest to a query x0 give the covariance W within their classes and B between them. The k rows
    nearest by

        D(x, x0) = (x - x0)' W^-1/2 (W^-1/2 B W^-1/2 + epsilon I) W^-1/2 (x - x0)

    vote with their weights: distances are long across a boundary of classes and short along it.

    Parameters
    ----------
    k : int >= 1, sequence or "grid"
        Number of neighbours that vote; all rows tied with the k-th one vote as well. "grid": as for "knn".
    neighborhood : int >= 2, None or sequence
        Number of training rows that determine the metric. None: a fifth of them, at least 50 (or all, if there are fewer).
    epsilon : float > 0, or sequence
        Weight of W^-1 in the metric; 1 as in ESL.
    ridge : float >= 0, or sequence
        Constant added to the diagonal of W, as a multiple of its mean. If there are hardly more neighbours than columns, W is
        nearly singular, and a small ridge is then harmful.
    iterations : int >= 1, or sequence
        Number of neighborhood searches; each one after the first uses the metric of the one before.

    Raises
    ------
    DataError
        If there are fewer training rows than k or `neighborhood`.
    NoVectors
        If the dissimilarity has no coordinates.

    See Also
    --------
    protoclass.Adaptive : such a metric at each candidate, for other methods.

    Notes
    -----
    The coordinates come from the dissimilarity of the fit; for "euclidean" they are the scaled columns. `predict(kind="distance")` is
    the square root of D, in the units of a distance. The size of a fitted model is n / k. Weights count as votes, and rows without
    weight are not used.

    References
    ----------
    Hastie and Tibshirani (1996), *Discriminant adaptive nearest neighbor classification*, IEEE Transactions on Pattern
    Analysis and Machine Intelligence 18.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "dann", k=5)
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "prob").round(1).to_dict("list")
    {'setosa': [1.0, 0.0], 'versicolor': [0.0, 0.4], 'virginica': [0.0, 0.6]}
    """

    name = "dann"
    papers = ("hastie1996",)
    can = Capabilities(weights=True, coordinates=True, own_distances=True, counted=False)
    example: ClassVar[Mapping[str, Any]] = {"k": (3, 7), "epsilon": (0.5, 1.0)}

    k: Any = "grid"
    neighborhood: Any = None
    epsilon: Any = 1.0
    ridge: Any = 1.0
    iterations: Any = 1

    @property
    def title(self) -> str:
        return "Discriminant adaptive nearest neighbours"

    def __post_init__(self) -> None:
        check_number(self, "k", self.k, low=1, integral=True)
        if self.neighborhood is not None:
            check_number(self, "neighborhood", self.neighborhood, low=2, integral=True)
        check_number(self, "epsilon", self.epsilon, low=0, above=True)
        check_number(self, "ridge", self.ridge, low=0)
        check_number(self, "iterations", self.iterations, low=1, integral=True, high=MOST_RUNS)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter != "k":
            return super().default_grid(parameter, task, smallest)
        most = max(1, int(smallest.sum()) // 3)
        return np.array([k for k in NEIGHBOURS if k <= most])

    def path(self, task: Task, grid: Axes) -> DANNPath:
        weighted = np.flatnonzero(task.w > 0)  # a row without weight has no vote
        n, ks = len(weighted), axis(grid, "k", self.k).astype(int)
        check_neighbours(ks, n)
        neighborhoods = [
            default_neighborhood(n) if q is None else int(q) for q in axis(grid, "neighborhood", self.neighborhood)
        ]
        if max(neighborhoods) > n:
            raise DataError(
                f"neighborhood={max(neighborhoods)}, and there are {n} training rows with weight: give a smaller neighborhood"
            )
        epsilons, ridges = (axis(grid, name, getattr(self, name)).tolist() for name in ("epsilon", "ridge"))
        times = axis(grid, "iterations", self.iterations).astype(int).tolist()
        metrics = tuple(Local(*parameters) for parameters in product(neighborhoods, epsilons, ridges, times))
        prototypes, X = (
            Points(task.y[weighted], at=own_candidates(task)[weighted]),
            np.asarray(task.coordinates(), float)[weighted],
        )
        return DANNPath(tuple(ks.tolist()), metrics, prototypes, X, ballots(task.w[weighted]), task.classes)


def default_neighborhood(n: int) -> int:
    """Default number of rows that determine a metric, out of n."""
    return min(n, max(50, n // 5))
