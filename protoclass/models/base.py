"""The base class of methods, and checks of their parameters.

A method is a frozen dataclass derived from `Model`. It declares its parameters as fields, facts
about itself as `can` (`Capabilities`), and defines `path`, which learns a rule for each point of a
grid. All other functions have defaults. The functions beyond prediction, from `notes` on, get a
`LearnedRule`. Rules and paths are described in `core.query`, training data in `core.task`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.parallel import each
from ..core.query import Path, Query, Rule
from ..core.setcover.alternatives import NearSolutions
from ..core.statistics.bounds import CompressionBound
from ..core.task import Points, Task
from ..frames.frame import Frame
from ..ground.checks import (
    GRID,
    MOST_ROWS,
    NamedArguments,
    Served,
    check_parameters,
    is_listed,
    is_real,
    refuse_number,
)
from ..ground.errors import DataError, NotAvailableError, OptionError, brief, short, shown
from ..ground.foreign_names import VERBS_OF_MODEL


@dataclass(frozen=True)
class LearnedRule:
    """A rule with the names and rows that a method needs to describe it.

    Attributes
    ----------
    rule : Rule
    model : Model
        The method with the selected parameters.
    classes : sequence
        Names of the classes.
    prototypes : sequence
        Names of the prototypes, in the order of selection.
    prototype_row : int array (q,)
        Row position of each prototype, -1 if it is not a row.
    y : int array (n,)
        Class codes of the rows.
    fitted : callable
        Returns the class codes that the rule predicts for the rows.
    design : callable
        Returns the design matrix as a DataFrame; raises if the formula names no predictors.
    tried : mapping of parameter to values
        The values that cross-validation tried.
    reasons : sequence of str
        Reasons why no theorem covers a bound (`analysis.steps`).
    error : float, or None
        Cross-validated proportion of errors.
    """

    rule: Any
    model: Model
    classes: Sequence[Any]
    prototypes: Sequence[Any]
    prototype_row: np.ndarray
    y: np.ndarray
    fitted: Callable[[], np.ndarray]
    design: Callable[[], pd.DataFrame]
    tried: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    reasons: Sequence[str] = ()
    error: float | None = None

    __repr__ = short


@dataclass(frozen=True)
class Criticised:
    """The rows that prototypes explain worst, the worst first.

    Attributes
    ----------
    rows : int array (c,)
    score : array (c,)
        High for rows that are poorly explained.
    name, meaning : str
        Name of the score as a column, and its description with the unit.
    """

    rows: np.ndarray
    score: np.ndarray
    name: str
    meaning: str


@dataclass(frozen=True)
class Condition:
    """A condition of a rule, and the rows of a query that reach it.

    Attributes
    ----------
    text : str
        Condition in words.
    quantity : str
        Quantity that is compared, with its unit.
    machine : str
        Name of its binary classifier; empty if there is only one.
    step : int
        Number in its binary classifier, from 1.
    classes : tuple of int
        Codes of the two classes of its binary classifier.
    values : array (r,)
        Quantity of each row.
    cut : float
        Threshold of the quantity.
    reached, removed : bool arrays (r,)
        Rows that no earlier condition has removed, and those whose class this one decides.
    """

    text: str
    quantity: str
    machine: str
    step: int
    classes: tuple[int, ...]
    values: np.ndarray
    cut: float
    reached: np.ndarray
    removed: np.ndarray


@dataclass(frozen=True)
class Capabilities:
    """Facts about a method; a text names the condition for a capability.

    General code uses only these and `Model.has`, never the name of a method. If they depend on
    parameters, a model may have its own `can`.

    Attributes
    ----------
    weights : bool
        Whether it takes weights of the rows.
    candidates : frozenset of str
        "subset" if candidates may be a random part of the rows, "unlabelled" if they need not be
        rows.
    objective, certificate : bool or str
        Whether its report has the value of an objective, and a bound on the optimum.
    coordinates : bool
        Whether it needs coordinates, which only metrics of a vector space have.
    nearest : bool
        Whether its rule predicts the class of the nearest prototype.
    own_distances : bool
        Whether the rule has distances of its own (`core.query.ByDistance`).
    balls : bool or str
        Whether its prototypes have balls that cover rows of their class.
    gains : bool or str
        Whether its prototypes have columns `newly_covered` and `miscovered`.
    steps : bool or str
        Whether its rule is built step by step (`core.query.Stepwise`).
    costs : bool or str
        Whether its rule has a method `at_cost(lambda_)`, the rule of a larger lambda.
    warm_starts : bool
        Whether the rule of a grid point depends on the previous point.
    solvers : tuple of str
        Values of its parameter `solver` whose objectives can be compared.
    radius : str
        The parameter that is the radius of the balls.
    grid_bounds : bool
        Whether its paths have bounds over the grid, which choose="bound" needs.
    counted : bool or str
        Whether a user can limit the number of prototypes; if only another `size` can be limited,
        the name of its unit, such as "features".
    """

    weights: bool = False
    candidates: frozenset[str] = frozenset()
    objective: bool | str = False
    certificate: bool | str = False
    coordinates: bool = False
    nearest: bool = False
    own_distances: bool = False
    balls: bool | str = False
    gains: bool | str = False
    steps: bool | str = False
    costs: bool | str = False
    warm_starts: bool = False
    solvers: tuple[str, ...] = ()
    radius: str = ""
    grid_bounds: bool = False
    counted: bool | str = True


def bound_table(
    rows: Sequence[tuple[str, int, int, int, int, CompressionBound, Sequence[str]]],
) -> pd.DataFrame:
    """The table of `Fit.bound`, from name, rows, size, balls on P-examples, training errors, bound
    and reasons of each machine.
    """
    columns = ["machine", "rows", "size", "on_p", "errors", "tail_bound", "bound", "simple_bound"]
    cells = [
        (*head, *map(float, (b.tail, b.value, b.simple)), not reasons, "; ".join(reasons))
        for *head, b, reasons in rows
    ]
    return pd.DataFrame(cells, columns=[*columns, "proved", "reasons"]).set_index("machine")


Axes = Mapping[str, np.ndarray]  # the values of each parameter that is tuned, ascending


@dataclass(frozen=True)
class Model(NamedArguments, Served):
    """A method: frozen parameters, all of them fields of a dataclass.

    A parameter is tuned if it is `"grid"`, a sequence of values, or an object that computes a grid
    from the task (`Grid`). A custom method must define `path`; its parameters cannot have the name
    of an attribute or method of this class. A training set may lack a class, unless `rows_needed`
    requires otherwise.

    Attributes
    ----------
    name : str
        An identifier, which `method=` accepts when the method is registered.
    can : Capabilities
    never_tuned : frozenset of str
        Parameters that are never tuned.
    grids : frozenset of str
        Further parameters that have a default grid.
    words : mapping of parameter to str
        Axis labels of tuned parameters in plots. Default: the name of the parameter.
    larger : mapping of parameter to Grid
        Parameters whose default grid is extended by a Grid while its last value is selected. A
        point must give the same rule if it is alone in a grid.
    tuned_last : frozenset of str
        Parameters tuned after those of a learned metric, which are tuned at the lowest value.
    reads_once : int, or None
        Bytes from which dissimilarities of a metric that is trained in folds are read once, in
        blocks.
    most_held : int, or None
        Size in bytes up to which the matrix of dissimilarities is stored. Default: a quarter of the
        available memory.
    most_pairs : int, or None
        Number of dissimilarities above which candidates="auto" means a sample of the rows.
    example : mapping of parameter to values
        Values for `pc.testing.check_model`: at least two, with different rules for a hundred rows,
        of each parameter that is tuned by default.
    as_repeats : mapping of parameter to value, or None
        Parameters with which a row of weight 2 predicts as two rows, such as `{"K": 1}`; None if
        there are none.
    papers : tuple of str
        Keys of the papers of the method in `export.methods`, which `Card.methods` cites.
    """

    _serves: ClassVar[Mapping[str, str]] = VERBS_OF_MODEL
    _called: ClassVar[str] = "a model object"

    name: ClassVar[str]
    can: ClassVar[Capabilities] = Capabilities()
    never_tuned: ClassVar[frozenset[str]] = frozenset()
    grids: ClassVar[frozenset[str]] = frozenset()
    words: ClassVar[Mapping[str, str]] = {"k": "neighbours k", "K": "prototypes for each class, K"}
    larger: ClassVar[Mapping[str, Grid]] = {}
    tuned_last: ClassVar[frozenset[str]] = frozenset()
    reads_once: ClassVar[int | None] = None
    most_held: ClassVar[int | None] = None
    most_pairs: ClassVar[int | None] = None
    example: ClassVar[Mapping[str, Any]] = {}
    as_repeats: ClassVar[Mapping[str, Any] | None] = None
    papers: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        check_parameters(cls, Model, "method")

    # facts that depend on parameters

    @property
    def title(self) -> str:
        """The name of the method in printed output."""
        return self.name

    @property
    def redraws(self) -> bool:
        """Whether by default folds are drawn several times, and several dissimilarities tried."""
        return False

    @property
    def shares_work(self) -> bool:
        """Whether the fit on all rows comes from the same call of `paths` as the folds."""
        return False

    def seconds_each(self, columns: int) -> float | None:
        """Predicted seconds of a fit with its folds per pair of row and candidate, on two
        processors. None: all rows are candidates by default.
        """
        return None

    def measures(self, rule: Rule) -> bool:
        """Whether a rule uses dissimilarities or coordinates, and not only columns."""
        return True

    def within(self, most: int) -> Model:
        """The model that also tunes the number of prototypes, up to a limit."""
        return self

    def class_sizes(self, values: Mapping[str, Any], held: np.ndarray) -> np.ndarray | None:
        """Maximum number of prototypes per class, with `held` rows of each, or None if unknown."""
        return None

    def loss(self, task: Task, prototypes: Points) -> float | None:
        """The objective that the method minimises, for any prototypes; None if it has none."""
        return None

    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def unused(self, classes: int) -> frozenset[str]:
        """Parameters without effect, given the others and the number of classes."""
        return frozenset()

    # parameters that are tuned, and their grids

    def tuned(self) -> dict[str, Any]:
        """The parameters that are tuned by cross-validation."""
        values = self.parameters()
        return {
            name: v for name, v in values.items() if name not in self.never_tuned and is_tuned(v)
        }

    def grid(self, task: Task, smallest: np.ndarray) -> dict[str, np.ndarray]:
        """The values of each tuned parameter, ascending, from all rows and the smallest number of
        training rows of each class over the folds.
        """
        axes = {}
        for name, value in self.tuned().items():
            if isinstance(value, Grid):
                axes[name] = self._drawn(name, value, task)
            elif isinstance(value, str):
                axes[name] = self.default_grid(name, task, smallest)
            else:
                axes[name] = np.unique(np.asarray(list(value)))
        return axes

    def _drawn(self, name: str, drawn: Grid, task: Task) -> np.ndarray:
        """The values that a Grid draws, ascending."""
        values = np.unique(np.asarray(drawn.values(task)))
        try:
            replace(self, **{name: values.tolist()})
        except OptionError as reason:
            raise OptionError(
                f"{brief(drawn)} draws values that {self.name} does not allow: {reason}"
            ) from None
        return values

    def in_folds(self, grid: Axes, task: Task) -> Callable[[Task], dict[str, np.ndarray]]:
        """A function from the task of a fold's training rows to its grid, for a learned metric.
        `grid` was drawn from `task`, all rows.
        """
        return lambda part: dict(grid)

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        """The values of the default grid of a parameter."""
        raise OptionError(
            f"{self.name} has no default grid for {parameter}: use a sequence of values"
        )

    @classmethod
    def offers_grid(cls, parameter: str) -> bool:
        """Whether a parameter may be "grid"."""
        return parameter in cls.grids or getattr(cls, parameter, None) == GRID

    def has_default_grid(self, parameter: str) -> bool:
        """Whether a parameter is "grid", and tuned."""
        value = self.parameters().get(parameter)  # None of a parameter of the dissimilarity
        return isinstance(value, str) and value == GRID and parameter in self.tuned()

    # a dissimilarity that is learned with the prototypes

    @property
    def metric_parameters(self) -> tuple[str, ...]:
        """The parameters of the learned dissimilarity, if the method learns one (`metric`)."""
        return ()

    def metric(self, given: Any, classes: int) -> Any:
        """The specification of the dissimilarity to learn, from the dissimilarity of the call and
        the parameters, which have single values.
        """
        return given

    def suited(self, metric: Any, frame: Frame, tunes: bool) -> Model:
        """The model with the parameters that depend on the dissimilarity, tuned if `tunes`."""
        return self

    def rank(self, values: Mapping[str, Any]) -> float:
        """Complexity of a grid point among points of the same size; the lowest is preferred."""
        raise self._lacks("rank")

    # learning

    def rows_needed(self, grid: Axes, held: np.ndarray) -> np.ndarray:
        """Rows with weight that each class needs, int (classes,); the smallest set has `held`."""
        return np.zeros(len(held), np.int64)

    def path(self, task: Task, grid: Axes) -> Path:
        """Rules for the product of the axes of the grid (`axis`), the last varying fastest."""
        raise OptionError(
            f"the model {type(self).__name__} does not define how it is fitted: write its method `path`"
        )

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        """The path of each fold, learned without its rows; prototypes are numbered by columns of
        the full task.
        """
        for f in range(folds):
            part, columns = task.keep(fold != f, f)
            path = self.path(part, grid).moved(columns)
            task.tick()
            yield f, path

    # optional functions beyond prediction

    @classmethod
    def has(cls, name: str) -> bool:
        """Whether the method defines one of the optional functions that follow."""
        return getattr(cls, name) is not getattr(Model, name)

    def notes(self, learned: LearnedRule) -> list[str]:
        """Further sentences for the summary."""
        raise self._lacks("notes")

    def feature_table(self, learned: LearnedRule) -> pd.DataFrame:
        """A description of each feature of the rule, one in each row."""
        raise self._lacks("feature_table")

    def explain(self, learned: LearnedRule, query: Query) -> list[str]:
        """Sentences that explain the predicted class of a query's only row."""
        raise self._lacks("explain")

    def conditions(self, learned: LearnedRule, query: Query) -> list[Condition]:
        """The conditions of the rule in the order in which they are tested."""
        raise self._lacks("conditions")

    def bound(self, learned: LearnedRule, delta: float) -> pd.DataFrame:
        """Bound on the error for new rows, for each binary classifier (`bound_table`)."""
        raise self._lacks("bound")

    def step_bounds(self, learned: LearnedRule) -> np.ndarray:
        """The bounds of the first 0, 1, ... steps, at delta = 0.05."""
        raise self._lacks("step_bounds")

    def alternatives(
        self, learned: LearnedRule, task: Task, within: float, seconds: float, interest: np.ndarray
    ) -> NearSolutions:
        """Near-optimal solutions, see `core.setcover.alternatives`."""
        raise self._lacks("alternatives")

    def criticise(self, learned: LearnedRule, task: Task, n: int, seconds: float) -> Criticised:
        """The rows that the prototypes explain worst, the worst first."""
        raise self._lacks("criticise")

    def swap(
        self, learned: LearnedRule, task: Task, places: np.ndarray, candidates: np.ndarray
    ) -> Rule:
        """The rule with the prototypes at some positions (s,) replaced by candidates, columns of D (s,)."""
        raise self._lacks("swap")

    def _lacks(self, name: str) -> NotAvailableError:
        return NotAvailableError(f"method {self.name!r} has no {name}")


class Grid(NamedArguments):
    """A function that computes the grid of a parameter from the task."""

    def values(self, task: Task) -> np.ndarray:
        raise OptionError(
            f"{type(self).__name__} does not define the values that it draws: write its method `values`"
        )


def is_tuned(value: Any) -> bool:
    """Whether a value of a parameter requests tuning: "grid", a sequence, or a Grid."""
    return is_listed(value) or isinstance(value, Grid)


def listed(model: str, name: str, value: Any) -> list[Any]:
    """The given values of a parameter that may be tuned; none for "grid" and a Grid."""
    if isinstance(value, Grid) or (isinstance(value, str) and value == GRID):
        return []
    values = list(value) if is_tuned(value) else [value]
    if not values:
        raise OptionError(f"{name} of {model} must be a sequence of at least one value, not []")
    return values


def axis(grid: Axes, name: str, fixed: Any) -> np.ndarray:
    """The values of a parameter: its axis of the grid, or its one fixed value."""
    return np.asarray(grid.get(name, [fixed]))


def heaviest_class(task: Task) -> int:
    """The class of largest weight, which a rule without prototypes predicts."""
    return int(np.bincount(task.y, task.w, task.classes).argmax())


def own_candidates(task: Task) -> np.ndarray:
    """Candidate number of each row, int (n,), -1 for one that is not a candidate; raises if such a
    row has weight, or if a candidate is another row.
    """
    candidate, live = np.full(len(task.y), -1), task.w > 0
    candidate[task.candidate_row[task.candidate_row >= 0]] = np.flatnonzero(task.candidate_row >= 0)
    if (task.candidate_row < 0).any() or (candidate[live] < 0).any():
        raise DataError(
            "this method selects among the rows, so it needs the dissimilarities between all rows"
        )
    return candidate


def check_labelled(model: str, task: Task) -> None:
    """Raise unless every candidate is a row, whose class the method needs."""
    strange = int((task.candidate_row < 0).sum())
    if strange:
        raise DataError(
            f"{model} needs the class of each candidate, but {strange} candidates are not rows: leave them out"
        )


def check_number(
    model: Model | str,
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    above: bool = False,
    integral: bool = False,
    infinite: bool = False,
    high: float | None = None,
) -> None:
    """Check a parameter that may be tuned: a number, or a sequence, from `low` (or above) to `high`.

    Whole numbers go up to 2^31 - 1 unless `high` is given. For a model object, the message states
    whether the parameter may be 'grid'.
    """
    grid = isinstance(model, Model) and model.offers_grid(name)
    called = model.name if isinstance(model, Model) else model
    for v in listed(called, name, value):
        is_infinite = infinite and isinstance(v, float) and v == math.inf
        allowed = refuse_number(v, low, above, integral, high)
        if allowed and not is_infinite:
            also = ", a sequence of these, or 'grid'" if grid else " or a sequence of these"
            raise OptionError(f"{name} of {called} must be {allowed}{also}, not {brief(v)}")


def check_fixed(
    model: str,
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    integral: bool = False,
    high: float | None = None,
) -> None:
    """Check a parameter that is never tuned, as `check_number` does."""
    # a whole float such as 5.0 is none
    number = math.nan if integral and not isinstance(value, (int, np.integer)) else value
    allowed = refuse_number(number, low, False, integral, high)
    if allowed:
        raise OptionError(f"{name} of {model} must be {allowed}, not {brief(value)}")


MOST = 10  # prototypes of a class in the default grid


def folds_at_once(
    model: Model, task: Task, fold: np.ndarray, folds: int, grid: Axes
) -> Iterator[tuple[int, Path]]:
    """`Model.paths` with several folds at once, for a method that uses one thread."""

    def run(f: int) -> Path:
        part, columns = task.keep(fold != f, f)
        return model.path(part, grid).moved(columns)

    for f, path in enumerate(each(run, range(folds), task.D.shape[0] * task.D.shape[1])):
        task.tick()
        yield f, path


class PerClass(Model):
    """A method with K prototypes of each class."""

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        if parameter != "K":
            return super().default_grid(parameter, task, smallest)
        return default_counts(smallest)

    def class_sizes(self, values: Mapping[str, Any], held: np.ndarray) -> np.ndarray | None:
        K = values.get("K", self.parameters()["K"])
        return None if isinstance(K, str) else counts(K, held)

    def rows_needed(self, grid: Axes, held: np.ndarray) -> np.ndarray:
        values = axis(grid, "K", self.parameters()["K"])
        return np.asarray(np.max([counts(K, held) for K in values], axis=0))


def check_enough(model: str, what: str, level: Any, needed: int, there: int) -> None:
    """Raise if a class has fewer candidates than the prototypes it needs."""
    if needed > there:
        raise DataError(
            f"{model} needs {needed} {what} of class {shown(level)}, but only {there} of its rows "
            "are candidates: use a smaller K=, or more candidates"
        )


def check_counts(model: str, K: Any) -> None:
    """Check the parameter K: see `counts`; a sequence, or "grid"."""
    for v in listed(model, "K", K):
        if not (is_real(v) and 0 < v <= MOST_ROWS and (v < 1 or v == int(v))):
            raise OptionError(
                f"K of {model} must be a whole number >= 1 and <= {MOST_ROWS} for each class, a "
                "number between 0 and 1 (that proportion of the rows of each class), a sequence of "
                f"these, or 'grid', not {brief(v)}"
            )


def counts(K: float, held: np.ndarray) -> np.ndarray:
    """Number of prototypes of each class.

    Parameters
    ----------
    K : int >= 1, or number between 0 and 1
        Number; or proportion of the class's rows, rounded, at least 1.
    held : int array (classes,)
        Number of rows of each class.

    Returns
    -------
    int array (classes,)

    Examples
    --------
    >>> counts(0.1, np.array([50, 4])).tolist()
    [5, 1]
    """
    found = np.maximum(1, np.round(K * held)) if K < 1 else np.full(len(held), K)
    return found.astype(np.int64)


def in_words(K: float) -> Any:
    """K as shown in a report."""
    return f"{K:g} of its rows" if K < 1 else int(K)


def default_counts(smallest: np.ndarray) -> np.ndarray:
    """The values of K="grid": 1 to 10, at most the number of training rows of the smallest class."""
    return np.arange(1, max(1, min(MOST, int(smallest.min()))) + 1)
