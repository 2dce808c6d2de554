"""Median generalized learning vector quantization: rows as prototypes, chosen to classify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..core.coding import filled
from ..core.neighbours.nearest import Nearest
from ..core.query import Path, RulePath
from ..core.setcover.alternatives import Cost, NearSolutions
from ..core.sources import Submatrix
from ..core.task import ASSIGNED, Points, Task
from ..core.thresholds import HELD
from ..core.vectors.class_medoids import (
    STEP,
    ChosenRows,
    Labelled,
    add_for_classes,
    changes_by_one,
    choose_rows,
    cost_of,
    labelled,
    row_costs,
    swap_for_classes,
)
from ..frames.frame import Frame
from ..ground.checks import is_real
from ..ground.errors import OptionError, TooLargeError, brief, shown
from ..metrics.base import Metric, TrainedMetric
from ..metrics.relevance import AUTO, MATRICES, MOST_RIDGE, Relevance, learnable
from .base import (
    Axes,
    Capabilities,
    Criticised,
    LearnedRule,
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
    is_tuned,
    listed,
)

SINGLE = 2**24  # distances from which on they are held in single precision
RIDGES = (0.001, 0.01, 0.1)
COUNTS = (1, 2, 3, 5)  # prototypes of a class in the default grid
# of a run for each pair of a row and a candidate, on one processor (benchmarks/bench.py --large)
SECONDS = 6e-8
# parameters from which a matrix is learned
METRIC = ("K", "matrix", "local", "ridge", "beta", "dims")


TOGETHER = "prototypes of all classes together"


@dataclass(frozen=True)
class MedianGLVQ(PerClass):
    """Median generalized LVQ: rows as prototypes that nearly minimise the training error.

    The prototypes minimise the sum over rows of weight times s(beta (d+ - d-) / (d+ + d-)). Here d+
    and d- are the distances of the row to the nearest prototype of its class and of any other
    class, on any dissimilarity, and s is the logistic function. For a large beta this is nearly the
    number of errors. Rows are swapped until no swap lowers it.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, sequence or "grid"
        Initial number, or proportion of the rows, of each class. The total, K times the number of
        classes, is kept, but swaps move prototypes between classes: K is a mean, such as 3, 2 and 1
        for K=2, at least one each. "grid": 1, 2, 3, 5, at most the training rows of the smallest
        class; a matrix is tuned before, with the lowest number.
    matrix : "auto", "none", "diagonal" or "full", or a sequence
        Metric to learn with the prototypes, see `Relevance`. "diagonal": weights of variables, for
        distances that are a sum over them, also Gower's. "full": a linear map of the columns, for
        Euclidean distances. It is learned in each fold, with K rows of each
        class, or one if K is a proportion. "auto": "diagonal" and "full" are tuned, as far as the
        distance allows them; "none" if parameters of the distance are tuned, or cv=None.
    local : bool, sequence or "auto"
        Whether each class has its own matrix, for distances to its prototypes. "auto": tuned with
        matrix="auto"; otherwise False. Of equal sizes the 1-SE rule prefers a diagonal and a common
        matrix.
    ridge : number >= 0, sequence or "grid"
        Penalty of a matrix against distances that depend on few variables. "grid": 0.001, 0.01,
        0.1; only the last two if the matrix is tuned too.
    beta : number > 0, or a sequence
        Slope of the logistic function.
    dims : int, optional
        Number of axes of the map, with matrix="full". Default: the number of columns, at most 64.

    Notes
    -----
    Swaps start from k-medoids of each class, as in FasterPAM; over a grid, also from the prototypes
    of the previous K and the rows that lower the cost most. `fit.alternatives()` shows the cost of
    each swap. The columns `assigned` and `misassigned` of the prototypes are the weights of the
    training rows of the prototype's class and of others to which it is the nearest.

    References
    ----------
    Nebel, Hammer, Frohberg and Villmann (2015), *Median variants of learning vector quantization
    for learning of dissimilarity data*, Neurocomputing 169, who use other optimisers. Sato and
    Yamada (1996), *Generalized Learning Vector Quantization*, NIPS 8. Schneider, Biehl and Hammer
    (2009), *Adaptive Relevance Matrices in Learning Vector Quantization*, Neural Computation 21.
    Schubert and Rousseeuw (2021), *Fast and eager k-medoids clustering*, Information Systems 101.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), "medianglvq", K=1, progress=False)
    >>> fit.prototypes[["assigned", "misassigned"]].to_dict("list")
    {'assigned': [50, 50, 46], 'misassigned': [0, 4, 0]}
    >>> fit._selection.values
    {'matrix': 'diagonal', 'local': False, 'ridge': 0.1}
    """

    name = "medianglvq"
    papers = ("nebel2015",)
    can = Capabilities(
        weights=True,
        nearest=True,
        candidates=frozenset({"subset"}),
        warm_starts=True,
        counted=TOGETHER,
    )
    example: ClassVar[Mapping[str, Any]] = {"K": (1, 2), "beta": (2.0, 20.0)}
    never_tuned: ClassVar[frozenset[str]] = frozenset({"dims"})
    tuned_last: ClassVar[frozenset[str]] = frozenset({"K"})
    as_repeats: ClassVar[Mapping[str, Any]] = {"K": 1}
    reads_once: ClassVar[int] = 8 * SINGLE
    most_pairs: ClassVar[int] = 10**8  # 400 MB in single precision
    words: ClassVar[Mapping[str, str]] = {
        **PerClass.words,
        "matrix": "what is learned of the distance",
        "local": "whether for each class",
        "ridge": "ridge of the learned distance",
    }

    K: Any = "grid"
    matrix: Any = AUTO
    local: Any = AUTO
    ridge: Any = "grid"
    beta: Any = 20.0
    dims: int | None = None

    @property
    def title(self) -> str:
        return "Median generalized LVQ"

    def __post_init__(self) -> None:
        check_counts("medianglvq", self.K)
        for matrix in listed("medianglvq", "matrix", self.matrix):
            if not isinstance(matrix, str) or (
                matrix not in ("none", *MATRICES) and not self._auto
            ):
                raise OptionError(
                    f"matrix must be 'auto', 'none', 'diagonal' or 'full', not {brief(matrix)}"
                )
        if not isinstance(self.local, str) or self.local != AUTO:
            for local in (
                [self.local]
                if isinstance(self.local, str)
                else listed("medianglvq", "local", self.local)
            ):
                if not isinstance(local, (bool, np.bool_)):
                    raise OptionError(
                        f"local must be True, False, a sequence of these, or 'auto', not {brief(local)}"
                    )
                if local and "none" in self._matrices:
                    raise OptionError(
                        f"local={brief(self.local)} needs a matrix to learn for each class, but "
                        f"matrix={brief(self.matrix)}: use "
                        "matrix='diagonal' or 'full'"
                    )
        check_number(self, "ridge", self.ridge, low=0, high=MOST_RIDGE)
        check_number(self, "beta", self.beta, low=0, above=True)
        if self.dims is not None:
            check_fixed("medianglvq", "dims", self.dims, low=1, integral=True)
            if "full" not in self._matrices:
                raise OptionError(
                    f"dims={self.dims} needs matrix='full', not {brief(self.matrix)}: leave it out"
                )

    @property
    def _matrices(self) -> tuple[str, ...]:
        """The possible matrices: all of them if they are drawn."""
        given = [] if self._auto else listed("medianglvq", "matrix", self.matrix)
        return tuple(given) or MATRICES

    @property
    def _auto(self) -> bool:
        return isinstance(self.matrix, str) and self.matrix == AUTO

    @property
    def _ridges(self) -> tuple[float, ...]:
        return RIDGES[1:] if is_tuned(self.matrix) else RIDGES

    @property
    def _learns(self) -> bool:
        return not self._auto and set(self._matrices) != {"none"}

    def suited(self, metric: Metric | TrainedMetric, frame: Frame, tunes: bool) -> MedianGLVQ:
        matrices = learnable(metric, frame) if self._auto and tunes else ()
        found = (matrices or "none") if self._auto else self.matrix
        local = (
            ((False, True) if matrices else False) if isinstance(self.local, str) else self.local
        )
        return replace(self, matrix=found, local=local)

    def rank(self, values: Mapping[str, Any]) -> float:
        matrix, local = values.get("matrix", self.matrix), values.get("local", self.local)
        return 2 * ("none", *MATRICES).index(matrix) + bool(local)

    def tuned(self) -> dict[str, Any]:
        return {
            name: value for name, value in super().tuned().items() if name not in self.unused(0)
        }

    def unused(self, classes: int) -> frozenset[str]:
        return frozenset(() if self._learns else ("ridge", "dims", "local"))

    def seconds_each(self, columns: int) -> float:
        # 0 of grids to be drawn
        given = {name: len(listed(self.name, name, value)) for name, value in self.tuned().items()}
        count = {
            name: known or len(self._ridges if name == "ridge" else COUNTS)
            for name, known in given.items()
        }
        last = prod(count.pop(name, 1) for name in self.tuned_last)
        points = prod(count.values()) + last - 1 if self._learns else prod(count.values()) * last
        # ten folds and the fit on all rows, two at a time
        return SECONDS * points * 11 / 2 if self.tuned() else SECONDS

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter == "ridge":
            return np.array(self._ridges)
        if parameter != "K":
            return super().default_grid(parameter, task, smallest)
        few = np.bincount(task.y[task.candidate_row], minlength=task.classes)
        most = max(
            1,
            int(
                np.minimum(
                    smallest, few if len(task.candidate_row) == len(task.y) else few // 2
                ).min()
            ),
        )
        return np.array([K for K in COUNTS if most >= K])

    @property
    def metric_parameters(self) -> tuple[str, ...]:
        return METRIC if self._learns else ()

    def metric(self, given: Metric | TrainedMetric, classes: int) -> Metric | TrainedMetric:
        """The specification of the distance to learn from the given one."""
        if not self._learns:
            return given
        of = given.of if isinstance(given, Relevance) else given
        K = int(self.K) if is_real(self.K) and self.K >= 1 else 1
        dims = self.dims if self.matrix == "full" else None
        ridge = RIDGES[1] if isinstance(self.ridge, str) else float(self.ridge)
        return Relevance(of, self.matrix, bool(self.local), K, ridge, float(self.beta), dims)

    def loss(self, task: Task, prototypes: Points) -> float:
        return float(self._costs(task, prototypes).sum())

    def _costs(self, task: Task, prototypes: Points) -> np.ndarray:
        """The contribution of each row to the cost, (n,)."""
        assert prototypes.at is not None
        D = task.D.take(np.arange(len(task.y)), prototypes.at)
        return task.w * row_costs(D, task.y, prototypes.classes, float(self.beta))

    def path(self, task: Task, grid: Axes) -> RulePath:
        problem, columns, row_of = self._problem(task)
        rows, candidates = (
            np.bincount(y, minlength=task.classes) for y in (problem.y, problem.candidate_class)
        )
        points = product(*(values.tolist() for values in grid.values()))
        models = [replace(self, **dict(zip(grid, point, strict=True))) for point in points]
        found = dict[tuple[float, str], ChosenRows]()
        # points that differ in what is learned of the distance alone have the same prototypes here
        for model in models:
            key = (float(model.beta), str(model.K))
            if key not in found:
                count = counts(model.K, rows)
                for c in np.flatnonzero(count > candidates):
                    check_enough(
                        self.name, "prototypes", task.levels[c], int(count[c]), int(candidates[c])
                    )
                before = [
                    run
                    for (beta, _), run in found.items()
                    if beta == key[0] and len(run.at) <= count.sum()
                ]
                found[key] = chosen_from(
                    replace(problem, beta=key[0]), row_of, count, before[-1:], (*task.seed, 0)
                )
        return RulePath(
            tuple(
                self._rule(task, problem, columns, found[float(m.beta), str(m.K)], m)
                for m in models
            )
        )

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        return folds_at_once(self, task, fold, folds, grid)

    def _problem(self, task: Task) -> tuple[Labelled, np.ndarray, np.ndarray]:
        """The problem of the rows with weight, its candidates as columns of D, and their places
        among its rows.
        """
        check_labelled(self.name, task)
        live = np.flatnonzero(task.w > 0)
        columns = np.flatnonzero(task.w[task.candidate_row] > 0)
        columns = columns[np.argsort(task.candidate_row[columns], kind="stable")]
        if len(live) * len(columns) > HELD:
            raise TooLargeError(
                f"medianglvq stores the dissimilarities of {len(live)} rows to {len(columns)} "
                "candidates, which is too large: use a number for candidates=, or fewer rows "
                "(data.sample(...))"
            )
        D, row, beta = (
            self._take(task, live, columns),
            task.candidate_row[columns],
            1.0 if is_tuned(self.beta) else float(self.beta),
        )
        return (
            labelled(D, task.w[live], task.y[live], task.y[row], task.classes, beta),
            columns,
            np.searchsorted(live, row),
        )

    def _take(self, task: Task, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The dissimilarities of rows to candidates; many are in single precision."""
        if len(rows) * len(columns) <= SINGLE:
            return task.D.take(rows, columns)
        D, out = Submatrix(task.D, rows, columns), np.empty((len(columns), len(rows)), np.float32)
        return filled(out, D.tiles(), lambda tile: D.take(tile.rows, tile.columns).T).T

    def _rule(
        self, task: Task, problem: Labelled, columns: np.ndarray, run: ChosenRows, model: MedianGLVQ
    ) -> Nearest:
        classes = problem.candidate_class[run.at]
        order = np.lexsort((run.at, classes))
        at, classes = run.at[order], classes[order]
        nearest = problem.to[at].argmin(axis=0)
        right = classes[nearest] == problem.y
        table = {
            name: np.bincount(nearest[rows], problem.w[rows], len(at))
            for name, rows in zip(ASSIGNED, (right, ~right), strict=True)
        }
        prototypes = Points(classes, at=columns[at], table=table)
        report = {"mean prototypes per class K": in_words(model.K)}
        if model._learns:
            report |= {
                "matrix": f"{model.matrix}, one for each class" if model.local else model.matrix,
                "ridge": model.ridge,
            }
        report |= {"cost": run.cost, "swaps": run.swaps}
        return Nearest(prototypes, task.classes, heaviest_class(task), report)

    def criticise(self, learned: LearnedRule, task: Task, n: int, seconds: float) -> Criticised:
        """The rows with the largest cost."""
        cost = self._costs(task, learned.rule.prototypes)
        worst = np.lexsort((np.arange(len(cost)), -cost))[:n]
        return Criticised(
            worst, cost[worst], "cost", "what the row adds to the cost, at most its weight"
        )

    def alternatives(
        self, learned: LearnedRule, task: Task, within: float, seconds: float, interest: np.ndarray
    ) -> NearSolutions:
        """The solutions in which one prototype is replaced by a row of any class, or removed."""
        problem, columns, _ = self._problem(task)
        at, asked = _places(columns, learned.rule.prototypes.at), _places(columns, interest)
        of, q = problem.candidate_class, len(at)
        changes, errors = changes_by_one(problem, at)
        reached, w = cost_of(problem, at), problem.w
        # below 0 where swaps did not choose the prototypes, or one too many
        base = changes.min(initial=0.0)
        near = within * (reached + base)
        least = changes.min(axis=1)  # with each candidate
        least[at] = [np.delete(changes, k, axis=1).min(initial=0.0) for k in range(q)]
        beside = changes - base <= near
        beside[at] = False
        found = [np.flatnonzero(beside[:, k] & (of == of[at[k]])) for k in range(q)]
        found = [j[np.argsort(changes[j, k], kind="stable")] for k, j in enumerate(found)]
        j, k = np.concatenate(found), np.repeat(np.arange(q), [len(j) for j in found])
        wrong, share = (
            (cost_of(replace(problem, beta=STEP), at) + np.append(errors[j, k], 0.0)) / w.sum(),
            w / w.sum(),
        )
        error = wrong[-1] if learned.error is None else learned.error
        se = np.sqrt(error * (1 - error) * (share @ share))
        return NearSolutions(
            reached,
            _tried(reached + base),
            tuple(map(_tried, changes.min(axis=0) - base)),
            tuple(map(_tried, least[at] - base)),
            tuple(
                tuple(zip(columns[j].tolist(), map(_tried, changes[j, k] - base), strict=True))
                for k, j in enumerate(found)
            ),
            np.zeros(q, np.int64),
            tuple(zip(of[asked].tolist(), map(_tried, least[asked] - base), strict=True)),
            "single changes",
            {"cost_left_out": changes[at].min(axis=0) - base},
            {"error": wrong[:-1], "within_se": wrong[:-1] - wrong[-1] <= se},
        )

    def swap(
        self, learned: LearnedRule, task: Task, places: np.ndarray, candidates: np.ndarray
    ) -> Nearest:
        """The rule with prototypes replaced by candidates of their classes."""
        prototypes, rows = learned.rule.prototypes, task.candidate_row[candidates]
        for row, c in zip(rows, prototypes.classes[places], strict=True):
            if task.y[row] != c:
                raise OptionError(
                    f"the prototype must have the class of its row, but {shown(task.label(row))} is "
                    f"of class {shown(task.levels[task.y[row]])}, not {shown(task.levels[c])}: use a "
                    "row of its class"
                )
        problem, columns, _ = self._problem(task)
        swapped = prototypes.at.copy()
        swapped[places] = candidates
        at = _places(columns, swapped)
        return self._rule(
            task,
            problem,
            columns,
            ChosenRows(at, cost_of(problem, at), learned.rule.report["swaps"]),
            self,
        )


def chosen_from(
    problem: Labelled,
    row_of: np.ndarray,
    count: np.ndarray,
    before: list[ChosenRows],
    seed: tuple[int, ...],
) -> ChosenRows:
    """The best of the swaps from medoids of each class, and from smaller solutions with further
    rows.
    """
    first = [
        choose_rows(problem, row_of, count, seed),
        *(add_for_classes(problem, run.at, count.sum() - len(run.at)) for run in before),
    ]
    return min((swap_for_classes(problem, at) for at in first), key=lambda run: run.cost)


def _places(columns: np.ndarray, wanted: Any) -> np.ndarray:
    """The positions of columns of D among `columns`."""
    return (columns[:, None] == wanted).argmax(axis=0)


def _tried(value: Any) -> Cost:
    return Cost(float(value), float(value), "trial of each")
