"""k nearest neighbours, also with an adaptive metric, and condensed or edited rows for k = 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import KNNPath, Nearest, condense_rows, edit_rows
from ..core.query import RulePath
from ..core.statistics.sums import units
from ..core.task import Points, Task
from ..ground.checks import MOST_RUNS, one_of
from ..ground.errors import DataError, NoCoordinatesError
from ..metrics.base import Metric, TrainedMetric
from ..metrics.learned import Adaptive
from ..metrics.minkowski import Minkowski
from .base import (
    Axes,
    Capabilities,
    Model,
    axis,
    check_fixed,
    check_labelled,
    check_number,
    heaviest_class,
    own_candidates,
)

NEIGHBOURS = (1, 2, 3, 5, 7, 9, 11, 15, 19, 25, 31, 41, 51, 75, 101)


@dataclass(frozen=True)
class KNN(Model):
    """k nearest neighbours among all rows.

    All rows are prototypes, and the k nearest vote with their weights.

    Parameters
    ----------
    k : int >= 1, sequence or "grid"
        Number of neighbours that vote. "grid": 1 to 101 in increasing steps, at most a third of the
        training rows of a fold.
    ties : "all" or "random"
        "all": all rows tied with the k-th nearest one vote, and ties between classes go to the
        first in level order. "random": ties are broken by an order drawn with the seed of the fit
        (Graepel et al. 1998).

    Notes
    -----
    Each training row is its own neighbour, except when it is held out. The size of a fitted model
    is n / k, its effective number of parameters (ESL, section 2.3.2).

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
    title = "k nearest neighbours"
    papers = ("hastie2009",)
    can = Capabilities(weights=True, counted=False)
    example: ClassVar[Mapping[str, Any]] = {"k": (3, 7)}
    as_repeats: ClassVar[Mapping[str, Any] | None] = {"k": 1}

    k: Any = "grid"
    ties: str = "all"

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
        return KNNPath(
            tuple(ks.tolist()),
            prototypes,
            ballots(task.w[task.candidate_row[at]]),
            task.classes,
            seed,
        )


@dataclass(frozen=True)
class DANN(KNN):
    """Method "knn" with `dissimilarity=pc.Adaptive()`.

    Discriminant adaptive nearest neighbours (Hastie and Tibshirani 1996).
    """

    name = "dann"
    title = "Discriminant adaptive nearest neighbours"
    papers = ("hastie1996",)
    as_repeats: ClassVar[Mapping[str, Any] | None] = None  # rows count once for a matrix

    def metric(self, given: Metric | TrainedMetric, classes: int) -> Metric | TrainedMetric:
        spec = given.spec if isinstance(given, TrainedMetric) else given
        if isinstance(spec, Adaptive):
            return given
        if not isinstance(spec, Minkowski):
            raise NoCoordinatesError(
                "method 'dann' is 'knn' with dissimilarity=pc.Adaptive(), which needs coordinates, "
                f"not {spec.name} dissimilarities: use numeric predictors, or method='knn'"
            )
        return Adaptive(scale=bool(spec.scale))


@dataclass(frozen=True)
class Condensed(Model):
    """Condensed nearest neighbour: rows that classify every row correctly by 1-NN.

    The rows (Hart 1968) depend on the order in which rows are visited, which is random with the
    seed of the fit.
    """

    name = "condensed"
    title = "Condensed nearest neighbours"
    papers = ("hart1968",)
    can = Capabilities(nearest=True)

    def path(self, task: Task, grid: Axes) -> RulePath:
        columns = own_candidates(task)
        order = np.random.default_rng(task.seed).permutation(len(task.y))
        rows = condense_rows(task.D, columns, task.y, order)
        return RulePath((nearest_of(task, columns, rows, {}),))


@dataclass(frozen=True)
class Multiedit(Model):
    """Nearest neighbour after rows misclassified by their neighbours are removed.

    Parameters
    ----------
    parts : int >= 3
        Number of random parts in each round; rows are classified by the nearest rows of the next
        part.
    quiet : int >= 1
        Number of successive rounds without a removal after which the procedure ends.
    condense : bool
        Whether to condense the remaining rows, as Devijver and Kittler recommend.

    References
    ----------
    Devijver and Kittler (1982), *Pattern Recognition: A Statistical Approach*; Ripley (1996),
    section 6.2.
    """

    name = "multiedit"
    papers = ("devijver1982",)
    can = Capabilities(nearest=True)

    parts: int = 3
    quiet: int = 5
    condense: bool = False

    def __post_init__(self) -> None:
        check_fixed("multiedit", "parts", self.parts, low=3, integral=True)
        check_fixed("multiedit", "quiet", self.quiet, low=1, integral=True, high=MOST_RUNS)
        one_of("condense", self.condense, (True, False))

    @property
    def title(self) -> str:
        return "Multi-edited nearest neighbours" + (", condensed" if self.condense else "")

    def path(self, task: Task, grid: Axes) -> RulePath:
        columns, D = own_candidates(task), task.D
        rows = edit_rows(
            D, columns, task.y, np.arange(len(task.y)), self.parts, self.quiet, task.seed
        )
        report = {"rows left by editing": len(rows)}
        if self.condense:
            rows = condense_rows(
                D, columns, task.y, np.random.default_rng(task.seed).permutation(rows)
            )
        return RulePath((nearest_of(task, columns, rows, report),))


def nearest_of(
    task: Task, columns: np.ndarray, rows: np.ndarray, report: Mapping[str, Any]
) -> Nearest:
    """The nearest-prototype rule of some rows; `columns` are the candidates of all rows."""
    return Nearest(
        Points(task.y[rows], at=columns[rows]), task.classes, heaviest_class(task), report
    )


def check_neighbours(ks: np.ndarray, rows: int) -> None:
    """Raise if k exceeds the number of training rows with weight."""
    if ks.max() > rows:
        raise DataError(
            f"k={ks.max()} neighbours need as many training rows with weight, but there are {rows}: use a smaller k"
        )


def ballots(w: np.ndarray) -> np.ndarray:
    """Votes in proportion to weights, in whole numbers if possible, so that ties are exact."""
    multiples, _ = units(w)
    return multiples if multiples.all() else w
