"""k-medoids by class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.parallel import each
from ..core.query import Path, RulePath
from ..core.task import Points, Task
from ..core.thresholds import HELD
from ..core.vectors.medoids import STARTS, Medoids, kmedoids
from ..ground.checks import MOST_RUNS, one_of
from ..ground.errors import TooLargeError, shown
from .base import (
    Axes,
    Capabilities,
    PerClass,
    axis,
    check_counts,
    check_enough,
    check_fixed,
    check_labelled,
    counts,
    default_counts,
    folds_at_once,
    heaviest_class,
    in_words,
)


@dataclass(frozen=True)
class KMedoids(PerClass):
    """k-medoids on each class, on any dissimilarity.

    FasterPAM swaps medoids for other rows of the class until no swap lowers the loss, the sum of
    weight times dissimilarity to the nearest medoid: a local optimum as in R's `pam`.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Number, or proportion of the rows, of each class (Bien and Tibshirani 2011, section 6.3).
        "grid": 1 to 10, at most the training rows of the smallest class (half of its candidates if
        `candidates=` is a number).
    start : "k-means++", "build" or "random"
        Initial medoids. "k-means++": rows drawn far from one another; "build": at each step the row
        that lowers the loss most (BUILD of PAM); "random": any rows.
    starts : int >= 1
        Number of runs, of which the one with the lowest loss is used.

    Notes
    -----
    Over a grid each K has one more run, from the medoids of the previous K, so the loss decreases
    in K.

    References
    ----------
    Schubert and Rousseeuw (2021), *Fast and eager k-medoids clustering*, Information Systems 101;
    Kaufman and Rousseeuw (1990), *Finding Groups in Data*, chapter 2.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fits = [pc.fit("species ~ .", iris, "kmedoids", K=2, starts=s) for s in (1, 5)]
    >>> [round(fit.rule.report["loss"], 2) for fit in fits]
    [102.88, 101.3]
    """

    name = "kmedoids"
    papers = ("schubert2021",)
    can = Capabilities(
        weights=True, nearest=True, candidates=frozenset({"subset"}), warm_starts=True
    )
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2)}
    as_repeats: ClassVar[Mapping[str, Any]] = {"K": 1}

    K: Any = "grid"
    start: str = "k-means++"
    starts: int = 5

    @property
    def title(self) -> str:
        return "k-medoids by class"

    def unused(self, classes: int) -> frozenset[str]:
        return frozenset({"starts"} if self.start == "build" else ())

    def __post_init__(self) -> None:
        check_counts("kmedoids", self.K)
        one_of("start", self.start, STARTS)
        check_fixed("kmedoids", "starts", self.starts, low=1, integral=True, high=MOST_RUNS)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if len(task.candidate_row) == len(task.y):
            return default_counts(smallest)
        # the number of rows that each fold keeps of a class is known here, the number of candidates
        # is not
        few = np.array([len(self._members(task, c)[1]) // 2 for c in range(task.classes)])
        return default_counts(np.minimum(smallest, few))

    def path(self, task: Task, grid: Axes) -> RulePath:
        check_labelled(self.name, task)
        Ks = axis(grid, "K", self.K).tolist()
        members = [self._members(task, c) for c in range(task.classes)]
        sizes = np.array([len(rows) for rows, _ in members])
        K_of_class = np.array([counts(K, sizes) for K in Ks])

        def run(c: int) -> dict[int, Medoids]:
            rows, columns = members[c]
            check_enough(
                "kmedoids", "medoids", task.levels[c], K_of_class[:, c].max(), len(columns)
            )
            if len(rows) * len(columns) > HELD:
                raise TooLargeError(
                    f"k-medoids stores the distances within a class, but {shown(task.levels[c])} "
                    f"has {len(rows)} rows: use fewer rows (data.sample(...)), a number for "
                    "candidates=, or method='kmeans', which needs no distances"
                )
            places, seed = np.searchsorted(rows, task.candidate_row[columns]), (*task.seed, c)
            D = task.D.take(rows, columns)
            return kmedoids(
                D, task.w[rows], places, K_of_class[:, c], self.start, self.starts, seed
            )

        medoids = list(each(run, range(task.classes), task.D.shape[0] * task.D.shape[1]))
        return RulePath(
            tuple(
                self._rule(
                    task,
                    K,
                    [by_number[k] for by_number, k in zip(medoids, row, strict=True)],
                    members,
                )
                for K, row in zip(Ks, K_of_class.tolist(), strict=True)
            )
        )

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        return folds_at_once(self, task, fold, folds, grid)

    def _members(self, task: Task, c: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows of a class with weight, and the candidates among them, in order of the rows."""
        live = (task.y == c) & (task.w > 0)
        columns = np.flatnonzero(live[task.candidate_row])
        return np.flatnonzero(live), columns[np.argsort(task.candidate_row[columns])]

    def _rule(
        self,
        task: Task,
        K: Any,
        medoids: list[Medoids],
        members: list[tuple[np.ndarray, np.ndarray]],
    ) -> Nearest:
        at = [
            columns[result.medoids] for result, (_, columns) in zip(medoids, members, strict=True)
        ]
        covers = [
            np.bincount(result.assignment, task.w[rows], len(result.medoids))
            for result, (rows, _) in zip(medoids, members, strict=True)
        ]
        classes = np.repeat(np.arange(task.classes), [len(result.medoids) for result in medoids])
        prototypes = Points(
            classes, at=np.concatenate(at), table={"assigned": np.concatenate(covers)}
        )
        report = {
            "medoids per class K": in_words(K),
            "loss": sum(result.loss for result in medoids),
        }
        return Nearest(prototypes, task.classes, heaviest_class(task), report)
