"""The prototype vector machine (Bien and Tibshirani 2009)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.balls import MOST, midway
from ..core.cover import CoverPath
from ..core.greedy import greedy_paths
from ..core.task import Task
from ..errors import DataError, OptionError
from .base import Grid, Model, axis, fixed, number


@dataclass(frozen=True)
class quantiles(Grid):  # noqa: N801 - reads as a function where it is used
    """Radii at equally spaced quantiles of the dissimilarities, from the smallest to the median (PVM paper, section 6.3).

    Parameters
    ----------
    count : int

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=pc.quantiles(5))
    >>> v.table.eps.round(2).tolist()
    [0.06, 0.91, 1.33, 1.83, 2.49]
    """

    count: int = 20

    def __post_init__(self) -> None:
        fixed("quantiles", "count", self.count, low=1, whole=True)

    def values(self, task: Task) -> np.ndarray:
        return radii(task, np.linspace(0, 0.5, self.count))


@dataclass(frozen=True)
class PVM(Model):
    """The prototype vector machine by its greedy algorithm.

    Prototypes are chosen so that the open balls `d < eps` around those of a class hold many rows of that class and few
    of others, with few prototypes: the sum of uncovered rows, wrongly covered rows and `lambda_` times the number of
    prototypes is small (paper, section 2.1). A new row gets the class of the nearest prototype.

    Parameters
    ----------
    eps : float > 0, sequence, "grid" or `quantiles(count)`
        Radius of the balls. "grid": the smallest positive dissimilarity and 19 quantiles, at geometrically spaced levels
        up to the median.
    lambda_ : float >= 0, sequence, or None
        Cost of a prototype. None: mean weight of the rows / their number (1/n for unit weights), the same in every fold,
        so that it only breaks ties, whatever the unit of the weights.

    References
    ----------
    Bien and Tibshirani (2009), *Classification by Set Cover: The Prototype Vector Machine*; (2011) *Prototype selection
    for interpretable classification*, Annals of Applied Statistics 5.
    """

    name: ClassVar[str] = "pvm"
    title: ClassVar[str] = "Prototype vector machine (greedy)"
    accepts: ClassVar[frozenset[str]] = frozenset({"weights", "unlabelled"})
    shares: ClassVar[bool] = True

    eps: Any = "grid"
    lambda_: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.eps, quantiles):
            number("pvm", "eps", self.eps, low=0, above=True)
        if self.lambda_ is not None:
            number("pvm", "lambda_", self.lambda_, low=0)

    def default_grid(self, knob: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return radii(task, None) if knob == "eps" else super().default_grid(knob, task, smallest)

    def path(self, task: Task, grid: Mapping[str, np.ndarray]) -> CoverPath:
        return next(self.paths(task, np.full(len(task.y), -1), 1, grid))[1]

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Mapping[str, np.ndarray]
    ) -> Iterator[tuple[int, CoverPath]]:
        eps = axis(grid, "eps", self.eps).astype(float)
        lambdas = axis(grid, "lambda_", task.w.mean() / len(task.w) if self.lambda_ is None else self.lambda_).astype(
            float
        )
        if len(eps) > MOST:
            raise OptionError(f"eps has {len(eps)} values: at most {MOST} at a time")
        yield from greedy_paths(task, fold, folds, eps, lambdas)


def radii(task: Task, levels: np.ndarray | None) -> np.ndarray:
    found = midway(task.D, task.origin, levels, task.seed)
    if len(found) == 0:
        raise DataError("all dissimilarities are 0: no radius can tell the rows apart")
    return found
