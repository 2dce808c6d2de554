"""Median generalized learning vector quantization: rows as prototypes, chosen to classify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ..core.neighbours.nearest import Nearest
from ..core.task import Path, Points, RulePath, Task
from ..core.vectors.class_medoids import (
    Chosen,
    Labelled,
    add_for_classes,
    choose_rows,
    draw_rows,
    glvq_costs,
    labelled,
    swap_for_classes,
)
from ..ground.checks import MOST_RUNS
from ..ground.errors import OptionError, TooLarge, brief
from ..metrics.base import Metric, TrainedMetric
from ..metrics.relevance import MATRICES, MOST_RIDGE, Relevance
from .base import (
    Axes,
    Capabilities,
    Criticised,
    Learned,
    PerClass,
    check_counts,
    check_enough,
    check_fixed,
    check_labelled,
    check_number,
    counts,
    folds_at_once,
    heaviest_class,
    in_words,
    listed,
)

LARGEST = 2**29  # distances that are held
SINGLE = 2**26  # distances from which on they are held in single precision
RIDGES = (0.001, 0.01, 0.1)
COUNTS = (1, 2, 3, 5, 10)  # prototypes of a class in the default grid
SECONDS = {"none": 1e-7, "diagonal": 3e-7, "full": 3e-7}  # of a fit with its folds for each pair of a row and a candidate
METRIC = ("K", "matrix", "ridge", "beta", "components")  # parameters from which a matrix is learned


@dataclass(frozen=True)
class MedianGLVQ(PerClass):
    """Median generalized LVQ: a few rows of each class, chosen to classify, on any dissimilarity and with a metric of their own.

    Its prototypes are rows, and minimise the sum over rows of weight times s(beta (d+ - d-) / (d+ + d-)), where d+ and d- are the
    distances of the row to the nearest prototype of its class and of another one, and s is the logistic function: for a
    large beta nearly the number of errors. Prototypes are swapped for other rows, of their own class or of another, until no swap
    lowers the cost.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, mapping, sequence or "grid"
        Number of prototypes of each class to start from, and so on average, as swaps may give one class more and another fewer, but each
        keeps one; or that share of the rows of each class; or either by the name of the class. "grid": 1, 2, 3, 5, 10, at
        most the training rows of the smallest class.
    matrix : "none", "diagonal" or "full", or a sequence
        Whether the distance is learned with the prototypes, see `Relevance`: "diagonal" has a weight for each variable, for distances
        that are a sum over variables, also Gower's with missing values; "full" a linear map of the columns, for Euclidean distances.
        It is learned anew in each fold, with K rows of each class, or one where K is a share or has a value for each class.
    ridge : number >= 0, sequence or "grid"
        With a matrix: against distances that rest on few variables, see `Relevance`. "grid": 0.001, 0.01, 0.1.
    beta : number > 0, or a sequence
        Slope of the logistic function.
    components : int, optional
        With matrix="full": axes of the map, by default as many as columns, at most 64.
    starts : int >= 1
        Number of runs, of which the one of the least cost is kept: the first from k-medoids of each class, the others from random
        rows of each. Ten find the least cost of small problems nearly always. It need not classify new rows better: prototypes
        that began in the middle of their class stay nearer to it.

    Notes
    -----
    One pass over the rows gives for a candidate the change of the cost for every prototype in whose place it could stand, as FasterPAM
    does for k-medoids. Over a grid each K has one more run, which starts from the prototypes of the K before and those
    that lower the cost most when added. If `candidates=` is a number, prototypes are chosen among that many rows. In the table of
    prototypes `covers` and `miscovers` are the weights of the training rows of the prototype's class and of other classes to which it is
    the nearest.

    References
    ----------
    Nebel, Hammer, Frohberg and Villmann (2015), *Median variants of learning vector quantization for learning of dissimilarity data*,
    Neurocomputing 169, who use other optimisers. Sato and Yamada (1996), *Generalized Learning Vector Quantization*, NIPS 8. Schneider,
    Biehl and Hammer (2009), *Adaptive Relevance Matrices in Learning Vector Quantization*, Neural Computation 21. Schubert and
    Rousseeuw (2021), *Fast and eager k-medoids clustering*, Information Systems 101.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "medianglvq", K=1)
    >>> fit.prototypes[["class", "covers", "miscovers"]].to_dict("list")
    {'class': ['setosa', 'versicolor', 'virginica'], 'covers': [50, 49, 46], 'miscovers': [0, 4, 1]}
    """

    name = "medianglvq"
    papers = ("nebel2015",)
    can = Capabilities(weights=True, nearest=True, candidates=frozenset({"subset"}), warm_starts=True)
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2), "beta": (2.0, 20.0)}
    never_tuned: ClassVar[frozenset[str]] = frozenset({"starts", "components"})
    as_repeats: ClassVar[Mapping[str, Any]] = {"K": 1}
    words: ClassVar[Mapping[str, str]] = {
        **PerClass.words, "matrix": "what is learned of the distance", "ridge": "ridge of the learned distance",
    }  # fmt: skip

    K: Any = "grid"
    matrix: Any = "none"
    ridge: Any = "grid"
    beta: Any = 20.0
    components: int | None = None
    starts: int = 1

    @property
    def title(self) -> str:
        return "Median generalized LVQ"

    def __post_init__(self) -> None:
        check_counts("medianglvq", self.K)
        for matrix in listed("medianglvq", "matrix", self.matrix):
            if not isinstance(matrix, str) or matrix not in ("none", *MATRICES):
                raise OptionError(f"matrix={brief(matrix)}: allowed are 'none', 'diagonal' and 'full'")
        check_number("medianglvq", "ridge", self.ridge, low=0, high=MOST_RIDGE)
        check_number("medianglvq", "beta", self.beta, low=0, above=True)
        check_fixed("medianglvq", "starts", self.starts, low=1, integral=True, high=MOST_RUNS)
        if self.components is not None:
            check_fixed("medianglvq", "components", self.components, low=1, integral=True)
            if "full" not in self._matrices:
                raise OptionError(
                    f"components={self.components}: only matrix='full' has axes, and matrix is {brief(self.matrix)}: leave it out"
                )

    @property
    def _matrices(self) -> tuple[str, ...]:
        """The matrices that there may be: all of them where they are drawn."""
        return tuple(listed("medianglvq", "matrix", self.matrix)) or MATRICES

    @property
    def _learns(self) -> bool:
        return set(self._matrices) != {"none"}

    def tuned(self) -> dict[str, Any]:
        return {name: value for name, value in super().tuned().items() if name != "ridge" or self._learns}

    def unused(self, classes: int) -> frozenset[str]:
        return frozenset() if self._learns else frozenset({"ridge", "components"})

    def seconds_each(self, columns: int) -> float:
        return max(SECONDS[matrix] for matrix in self._matrices)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter == "ridge":
            return np.array(RIDGES)
        if parameter != "K":
            return super().default_grid(parameter, task, smallest)
        few = np.bincount(task.y[task.candidate_row], minlength=task.classes)
        most = max(1, int(np.minimum(smallest, few if len(task.candidate_row) == len(task.y) else few // 2).min()))
        return np.array([K for K in COUNTS if most >= K])

    @property
    def metric_parameters(self) -> tuple[str, ...]:
        return METRIC if self._learns else ()

    def metric(self, given: Metric | TrainedMetric) -> Metric | TrainedMetric:
        """The distance that is learned with these parameters from the one given."""
        if self.matrix == "none":
            return given
        of = given.of if isinstance(given, Relevance) else given
        K = int(self.K) if isinstance(self.K, (int, np.integer)) or (isinstance(self.K, float) and self.K >= 1) else 1
        components = self.components if self.matrix == "full" else None
        ridge = RIDGES[1] if isinstance(self.ridge, str) else float(self.ridge)
        return Relevance(of, self.matrix, K, ridge, float(self.beta), components)

    def loss(self, task: Task, prototypes: Points) -> float:
        return float(self._costs(task, prototypes).sum())

    def _costs(self, task: Task, prototypes: Points) -> np.ndarray:
        """What each row adds to the cost (n,)."""
        assert prototypes.at is not None
        D, same = task.D.take(np.arange(len(task.y)), prototypes.at), prototypes.classes == task.y[:, None]
        own, other = (np.where(which, D, np.inf).min(axis=1, initial=np.inf) for which in (same, ~same))
        return np.asarray(task.w * glvq_costs(own, other, float(self.beta)))

    def path(self, task: Task, grid: Axes) -> RulePath:
        check_labelled(self.name, task)
        live = np.flatnonzero(task.w > 0)
        columns = np.flatnonzero(task.w[task.candidate_row] > 0)
        columns = columns[np.argsort(task.candidate_row[columns], kind="stable")]
        if len(live) * len(columns) > LARGEST:
            raise TooLarge(
                f"medianglvq holds the dissimilarities of {len(live)} rows to {len(columns)} candidates: give candidates= a number of "
                "rows, or fewer rows (data.sample(...))"
            )
        row_of = np.searchsorted(live, task.candidate_row[columns])
        D = self._held(task, live, columns)
        problem = labelled(D, task.w[live], task.y[live], task.y[task.candidate_row[columns]], task.classes, 1.0)
        held, there = (np.bincount(y, minlength=task.classes) for y in (problem.y, problem.candidate_class))
        points = product(*(values.tolist() for values in grid.values()))
        models = [replace(self, **dict(zip(grid, point, strict=True))) for point in points]
        found = dict[tuple[float, str], Chosen]()
        for model in models:  # points that differ in what is learned of the distance alone have the same prototypes here
            key = (float(model.beta), str(model.K))
            if key not in found:
                count = counts(model.K, held, task.levels)
                for c in np.flatnonzero(count > there):
                    check_enough(self.name, "prototypes", task.levels[c], int(count[c]), int(there[c]))
                before = [run for (beta, _), run in found.items() if beta == key[0] and len(run.at) <= count.sum()]
                found[key] = model._chosen(replace(problem, beta=key[0]), row_of, count, before[-1:], task.seed)
        return RulePath(tuple(self._rule(task, problem, columns, found[float(m.beta), str(m.K)], m) for m in models))

    def paths(self, task: Task, fold: np.ndarray, folds: int, grid: Axes) -> Iterator[tuple[int, Path]]:
        return folds_at_once(self, task, fold, folds, grid)

    def _held(self, task: Task, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The dissimilarities of rows to candidates; of many in single precision."""
        if len(rows) * len(columns) <= SINGLE:
            return task.D.take(rows, columns)
        out, wanted = np.empty((len(columns), len(rows)), np.float32), np.full(task.D.shape[1], -1)
        wanted[columns] = np.arange(len(columns))

        def keep(_: np.ndarray, at: np.ndarray, tile: np.ndarray) -> None:
            chosen = wanted[at] >= 0
            out[wanted[at[chosen]]] = tile[np.ix_(rows, chosen)].T

        for _ in task.D.scan(keep):
            pass
        return out.T

    def _chosen(self, problem: Labelled, row_of: np.ndarray, count: np.ndarray, before: list[Chosen], seed: tuple[int, ...]) -> Chosen:
        """The prototypes of the least cost from several starts, and from those of a smaller number."""
        total = int(np.minimum(count, np.bincount(problem.candidate_class, minlength=problem.classes)).sum())
        first = [choose_rows(problem, row_of, count, (*seed, 0)), *(draw_rows(problem, count, (*seed, s)) for s in range(1, self.starts))]
        first += [add_for_classes(problem, run.at, total - len(run.at)) for run in before]
        return min((swap_for_classes(problem, at) for at in first), key=lambda run: run.cost)

    def _rule(self, task: Task, problem: Labelled, columns: np.ndarray, run: Chosen, model: MedianGLVQ) -> Nearest:
        classes = problem.candidate_class[run.at]
        order = np.lexsort((run.at, classes))
        at, classes = run.at[order], classes[order]
        nearest = problem.to[at].argmin(axis=0)
        own = classes[nearest] == problem.y
        covers, miscovers = (np.bincount(nearest[which], problem.w[which], len(at)) for which in (own, ~own))
        prototypes = Points(classes, at=columns[at], table={"covers": covers, "miscovers": miscovers})
        report = {"prototypes per class K": in_words(model.K)}
        if model.matrix != "none":
            report |= {"matrix": model.matrix, "ridge": model.ridge}
        report |= {"cost": run.cost, "swaps": run.swaps}
        return Nearest(prototypes, task.classes, heaviest_class(task), report)

    def criticise(self, learned: Learned, task: Task, n: int, seconds: float) -> Criticised:
        """The rows of the largest cost."""
        cost = self._costs(task, learned.rule.prototypes)
        worst = np.lexsort((np.arange(len(cost)), -cost))[:n]
        return Criticised(worst, cost[worst], "cost", "what the row adds to the cost, at most its weight")
