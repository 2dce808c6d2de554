"""The prototype vector machine (Bien and Tibshirani 2009)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.coding import MOST_RADII
from ..core.histogram import lower_levels, radii_at
from ..core.neighbours.nearest import Nearest
from ..core.query import Path
from ..core.setcover.alternatives import NearSolutions, find_alternatives, price_rows, swapped
from ..core.setcover.problems import objective
from ..core.setcover.solvers import Options, cover_paths
from ..core.statistics.bounds import compression_bound
from ..core.statistics.folds import stratified_subset
from ..core.task import Points, Task
from ..ground.checks import MOST_ROWS, one_of
from ..ground.errors import DataError, OptionError, brief
from ..ground.savable import savable
from .base import (
    Axes,
    Capabilities,
    Criticised,
    Grid,
    LearnedRule,
    Model,
    axis,
    bound_table,
    check_fixed,
    check_number,
)

IN_FOLD = 300  # rows from which the radii of a fold are drawn, at most
# seconds a pair, and a pair and column, of one radius (benchmarks/bench.py)
ONCE, ONCE_COLUMN = 3e-9, 1e-11
TUNED, TUNED_COLUMN = 25e-9, 3e-11  # of ten folds and twenty radii
SOLVERS = ("greedy", "exact", "rounding", "ratio")
EACH = 50  # prototypes up to which every number is tried
# rows times numbers of prototypes; for 24 radii 240 MB of held-out classes, and as much of covers
MOST_ANSWERS = 5_000_000


@savable
@dataclass(frozen=True)
class quantiles(Grid):  # noqa: N801 - used like a function
    """Radii at equally spaced quantiles of the dissimilarities, from the smallest to the median
    (Bien and Tibshirani 2011, section 6.3).

    Parameters
    ----------
    n : int
        Number of radii.

    Examples
    --------
    >>> import protoclass as pc
    >>> v = pc.cross_validate("species ~ .", pc.load_data("iris"), eps=pc.extend.quantiles(5))
    >>> v.table.eps.round(2).tolist()
    [0.06, 0.91, 1.33, 1.83, 2.49]
    """

    n: int = 20

    def __post_init__(self) -> None:
        # each is a set cover problem for every class and fold
        check_fixed("quantiles", "n", self.n, low=1, integral=True, high=1000)

    @property
    def levels(self) -> np.ndarray:
        return np.linspace(0, 0.5, self.n)

    def values(self, task: Task) -> np.ndarray:
        return np.unique(radii(task, self.levels))


@savable
@dataclass(frozen=True)
class UpperQuantiles(Grid):
    """Radii at equally spaced quantiles of the dissimilarities above the median."""

    levels: ClassVar[np.ndarray] = np.linspace(0.5, 1, 11)[1:]

    def values(self, task: Task) -> np.ndarray:
        return np.unique(radii(task, self.levels))


@savable
@dataclass(frozen=True)
class Counts(Grid):
    """Numbers of prototypes up to `most`, see `spaced_counts`."""

    most: int

    def values(self, task: Task) -> np.ndarray:
        return np.array(spaced_counts(self.most, max(10, MOST_ANSWERS // len(task.y))))


@dataclass(frozen=True)
class PVM(Model):
    """Prototype vector machine (PVM): prototypes whose balls cover the rows of their class.

    The prototypes minimise the number of uncovered rows, plus the number of wrongly covered rows,
    plus `lambda_` times the number of prototypes (Bien and Tibshirani 2011, section 2.1). The ball
    of a prototype contains the rows with `d < eps`. A new row gets the class of the nearest
    prototype.

    Parameters
    ----------
    eps : float > 0, sequence, "grid" or `pc.extend.quantiles(n)`
        Radius of the balls. "grid": the smallest positive dissimilarity and 19 quantiles, at
        geometrically spaced levels up to the median; if the last is selected, further ones at 0.55,
        0.6, ...
    lambda_ : float >= 0, sequence, "grid" or None
        Cost of a prototype. None: mean weight / number of rows (1/n for unit weights), which only
        breaks ties. "grid": ten geometrically spaced values from there to a twentieth of the
        smallest class.
    solver : "greedy", "exact", "rounding" or "ratio"
        Solver of the set-cover problem.

        * "greedy": the greedy algorithm of Bien and Tibshirani (2011, section 3.2);
        * "exact": the integer program, solved to proven optimality;
        * "rounding": the linear relaxation with randomised rounding (section 3.1);
        * "ratio": the standard greedy algorithm by lowest cost per newly covered row.

        "exact" and "rounding" always have a certificate.
    balls : "open" or "closed"
        Balls of the rows with `d < eps` ("open") or `d <= eps` ("closed").
    certify : bool
        Whether to compute a lower bound for the cover of a greedy solver too, over the candidates,
        in the fit on all rows.
    time_limit : float
        Seconds for the program of each class, after which the best cover and its gap are returned.
    mip_gap : float
        Relative gap at which "exact" stops; 0 requires the optimum.
    rounding : "best" or "union"
        Combination of the draws of "rounding": the best (Bien and Tibshirani 2011), or their union,
        drawn until it is a cover (course report of Visagan, 2018, section 4.1).
    resamples : int
        Number of covers drawn by "rounding" with "best" (B in the paper).
    max_size : int >= 1, sequence, "grid" or None
        Maximum number of prototypes of the greedy solver: the first ones, as for a larger
        `lambda_`. "grid": 1, 2, ..., 50, and then 5 % apart up to the number of rows or
        `max_prototypes=`; fewer for more than 50,000 rows.

    References
    ----------
    Bien and Tibshirani (2009), *Classification by Set Cover: The Prototype Vector Machine*; (2011)
    *Prototype selection for interpretable classification*, Annals of Applied Statistics 5.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), dissimilarity="euclidean", eps=2.0)
    >>> fit.prototypes[["class", "newly_covered", "miscovered"]].head(3).to_dict("list")
    {'class': ['setosa', 'versicolor', 'virginica'], 'newly_covered': [48, 46, 34], 'miscovered': [0, 17, 6]}
    """

    name = "pvm"
    papers = ("bien2011",)
    can = Capabilities(
        weights=True,
        nearest=True,
        candidates=frozenset({"subset", "unlabelled"}),
        objective=True,
        certificate="with certify=True, or solver='exact' or 'rounding'",
        balls=True,
        gains=True,
        steps="with solver='greedy'",
        costs="with solver='greedy'",
        solvers=SOLVERS,
        radius="eps",
    )
    larger: ClassVar[Mapping[str, Grid]] = {"eps": UpperQuantiles()}
    most_held: ClassVar[int] = 2**29  # it reads each dissimilarity once or twice
    example: ClassVar[Mapping[str, Any]] = {"eps": (0.8, 1.2), "lambda_": (0.5, 3.0)}
    as_repeats: ClassVar[Mapping[str, Any]] = {"solver": "greedy"}
    grids: ClassVar[frozenset[str]] = frozenset({"lambda_", "max_size"})
    words: ClassVar[Mapping[str, str]] = {
        "eps": "radius eps of the balls",
        "lambda_": "cost lambda of a prototype",
        "max_size": "maximum number of prototypes",
    }

    eps: Any = "grid"
    lambda_: Any = None
    solver: str = "greedy"
    balls: str = "open"
    certify: bool = False
    time_limit: float = 60.0
    mip_gap: float = 0.0
    rounding: str = "best"
    resamples: int = 500
    max_size: Any = None

    def __post_init__(self) -> None:
        check_number(self, "eps", self.eps, low=0, above=True)
        if self.lambda_ is not None:
            check_number(self, "lambda_", self.lambda_, low=0)
        one_of("solver", self.solver, SOLVERS)
        one_of("balls", self.balls, ("open", "closed"))
        one_of("certify", self.certify, (True, False))
        check_fixed("pvm", "time_limit", self.time_limit, low=0)
        check_fixed("pvm", "mip_gap", self.mip_gap, low=0)
        one_of("rounding", self.rounding, ("best", "union"))
        # each is a cover that is rounded and completed
        check_fixed("pvm", "resamples", self.resamples, low=1, integral=True, high=100_000)
        if self.max_size is not None:
            check_number(self, "max_size", self.max_size, low=1, integral=True)
            if not self.shares_work:
                raise OptionError(
                    f"max_size={brief(self.max_size)} needs the greedy solver without certify=, "
                    "which selects prototypes one after another: use a "
                    "larger lambda_ to have fewer prototypes"
                )

    @property
    def shares_work(self) -> bool:
        return self.solver == "greedy" and not self.certify

    @property
    def redraws(self) -> bool:
        return self.shares_work and self.has_default_grid("eps")

    def seconds_each(self, columns: int) -> float:
        return TUNED + columns * TUNED_COLUMN if self.tuned() else ONCE + columns * ONCE_COLUMN

    @property
    def title(self) -> str:
        return f"Prototype vector machine ({self.solver})"

    def unused(self, classes: int) -> frozenset[str]:
        used = {
            "exact": {"time_limit", "mip_gap"},
            "rounding": {"time_limit", "rounding"}
            | ({"resamples"} if self.rounding == "best" else set()),
        }.get(self.solver, {"certify"} | ({"time_limit"} if self.certify else set()))
        limit = set() if self.max_size is None else {"max_size"}
        return frozenset(
            {"certify", "time_limit", "mip_gap", "rounding", "resamples", "max_size"} - used - limit
        )

    def within(self, most: int) -> PVM:
        """The model with `max_size` tuned, or `lambda_` without the greedy solver, unless given."""
        if self.shares_work:
            return self if self.max_size is not None else replace(self, max_size=Counts(int(most)))
        return self if self.lambda_ is not None else replace(self, lambda_="grid")

    def loss(self, task: Task, prototypes: Points) -> float:
        assert prototypes.at is not None
        D = task.D.take(np.arange(task.shape[0]), prototypes.at)
        inside = self.eps >= D if self.balls == "closed" else self.eps > D
        return objective(inside, prototypes.classes, task.y, task.w, self._cost(task)).value

    def _cost(self, task: Task) -> float:
        """The cost of a prototype, if it is not tuned."""
        return float(task.w.mean() / len(task.w) if self.lambda_ is None else self.lambda_)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter == "eps":
            return np.unique(radii(task, None))
        # from a tie-breaker to a cost above the weight of a twentieth of the smallest class
        if parameter == "lambda_":
            unit = float(task.w.mean())
            return unit * np.geomspace(1 / len(task.w), max(1.0, smallest.min() / 20), 10)
        if parameter == "max_size":
            return Counts(int(smallest.sum())).values(task)
        return super().default_grid(parameter, task, smallest)

    def in_folds(self, grid: Axes, task: Task) -> Callable[[Task], dict[str, np.ndarray]]:
        if not (self.has_default_grid("eps") or isinstance(self.eps, quantiles)):
            return super().in_folds(grid, task)
        given = self.eps.levels if isinstance(self.eps, quantiles) else None
        place = np.searchsorted(
            np.concatenate([radii(task, levels) for levels in (given, UpperQuantiles.levels)]),
            grid["eps"],
        )

        def draw(part: Task) -> dict[str, np.ndarray]:
            n = len(part.y)
            if not part.D.shape[1]:  # all candidates are held out
                return dict(grid)
            levels = np.concatenate(
                [lower_levels(n * (n - 1)) if given is None else given, UpperQuantiles.levels]
            )
            if n > IN_FOLD:
                rows = stratified_subset(part.y, IN_FOLD, 0)
                # few candidates may be among these rows, or none
                centres = np.isin(np.arange(n), part.candidate_row)
                most = min(IN_FOLD, int(centres.sum()))
                rows[centres] |= stratified_subset(part.y[centres], most, 0)
                part = part.keep(rows, 0)[0]
            return {**grid, "eps": radii(part, levels[place])}

        return draw

    def path(self, task: Task, grid: Axes) -> Path:
        return next(self._paths(task, np.full(len(task.y), -1), 1, grid, self.certify))[1]

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        yield from self._paths(task, fold, folds, grid, False)

    def _paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes, certify: bool
    ) -> Iterator[tuple[int, Path]]:
        eps = axis(grid, "eps", self.eps).astype(float)
        cost = None if "lambda_" in grid else self._cost(task)
        lambdas = axis(grid, "lambda_", cost).astype(float)
        if len(eps) > MOST_RADII:
            raise OptionError(f"eps has {len(eps)} values, above {MOST_RADII}: use fewer")
        options = Options(
            self.solver,
            self.balls == "closed",
            self.time_limit,
            self.mip_gap,
            self.resamples,
            self.rounding == "union",
            certify,
            task.seed,
            stops=tuple(axis(grid, "max_size", self.max_size).tolist()),
        )
        yield from cover_paths(task, fold, folds, eps, lambdas, options)

    def bound(self, learned: LearnedRule, delta: float) -> pd.DataFrame:
        """Theorem 5.1 of Marchand and Shawe-Taylor (2001): the prototypes determine the rule."""
        rule, prototype_row = learned.rule, learned.prototype_row
        reasons = [*learned.reasons]
        if len(prototype_row) == 0:
            reasons.append(
                "the rule has no prototypes, and the class that it then always predicts is the most common of the rows"
            )
        elif (prototype_row < 0).any():
            reasons.append("some prototypes are not rows")
        elif (learned.y[prototype_row] != rule.prototypes.classes).any():
            reasons.append("some prototypes represent another class than their own")
        errors = int((learned.fitted() != learned.y).sum())
        size, n = len(rule.prototypes), len(learned.y)
        found = compression_bound(n, size, 0, errors, delta)
        return bound_table([(self.name, n, size, 0, errors, found, reasons)])

    def alternatives(
        self, learned: LearnedRule, task: Task, within: float, seconds: float, interest: np.ndarray
    ) -> NearSolutions:
        """See `core.setcover.alternatives`."""
        reached = learned.rule.report["objective"].value
        return find_alternatives(task, *_program(learned), reached, within, seconds, interest)

    def criticise(self, learned: LearnedRule, task: Task, n: int, seconds: float) -> Criticised:
        """The rows that are uncovered, wrongly covered or misclassified, by their dual price."""
        price, uncovered, wrong = price_rows(task, *_program(learned), seconds)
        astray = learned.fitted() != task.y
        rows = np.flatnonzero((uncovered | (wrong > 0) | astray) & (task.w > 0))
        paid = task.w * (uncovered + wrong)
        worst = rows[np.lexsort((rows, ~astray[rows], -paid[rows], -price[rows].round(9)))][:n]
        meaning = "dual price: increase of the objective due to the row, in weight of rows"
        return Criticised(worst, price[worst], "price", meaning)

    def swap(
        self, learned: LearnedRule, task: Task, places: np.ndarray, candidates: np.ndarray
    ) -> Nearest:
        """The rule with prototypes replaced by candidates."""
        return swapped(learned.rule, task, places, candidates)


def spaced_counts(most: int, count: int = MOST_ROWS) -> list[int]:
    """1, 2, ..., 50, and then numbers 5 % apart up to `most`; or about `count`, geometrically.

    Examples
    --------
    >>> spaced_counts(3), spaced_counts(60)[-5:], spaced_counts(60, 8)
    ([1, 2, 3], [50, 52, 55, 57, 60], [1, 2, 3, 6, 10, 19, 33, 60])
    """
    further = EACH * 1.05 ** np.arange(1, max(0.0, np.log(most / EACH) / np.log(1.05)))
    counts = [
        *range(1, min(most, EACH) + 1),
        *further.astype(int).tolist(),
        *([most] if most > EACH else []),
    ]
    return (
        counts
        if len(counts) <= count
        else np.unique(np.geomspace(1, most, count).round()).astype(int).tolist()
    )


def _program(learned: LearnedRule) -> tuple[float, float, tuple[np.ndarray, np.ndarray]]:
    """Radius, cost of a prototype, and the prototypes of a rule, which solves this program."""
    report, prototypes = learned.rule.report, learned.rule.prototypes
    return report["radius eps"], report["cost lambda"], (prototypes.at, prototypes.classes)


def radii(task: Task, levels: np.ndarray | None) -> np.ndarray:
    values = radii_at(task.D, task.candidate_row, levels, task.seed)
    if len(values) == 0:
        raise DataError(
            "all dissimilarities are 0 (every column may be constant), so no radius separates the "
            "rows: use predictors that vary"
        )
    return values
