"""What a method is: its parameters, its capabilities as facts, and deeds as optional methods."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.parallel import each
from ..core.query import Query
from ..core.scm.bounds import Bound
from ..core.setcover.alternatives import NearSolutions
from ..core.task import Path, Points, Rule, Task
from ..frames.frame import Frame
from ..ground.checks import (
    GRID,
    MOST_ROWS,
    NamedArguments,
    Served,
    check_parameters,
    is_listed,
    is_number,
    is_real,
    number_in_words,
)
from ..ground.errors import DataError, NotAvailable, OptionError, brief, short, shown
from ..ground.foreign_names import VERBS_OF_MODEL


@dataclass(frozen=True)
class Learned:
    """The values from which a method describes a rule that it has learned.

    Attributes
    ----------
    rule : Rule
    model : Model
        With the chosen parameters.
    classes : sequence
        Names of the classes.
    prototypes : sequence
        Names of the prototypes, in the order of their choice.
    prototype_row : int array (q,)
        The row that each prototype is, -1 for none.
    y : int array (n,)
        Class codes of the rows.
    fitted : callable
        Returns the class codes that the rule predicts for the rows.
    design : callable
        Returns the design matrix as a DataFrame; it raises if the formula names no predictors.
    tried : mapping of parameter to values
        The values from which cross-validation chose.
    reasons : sequence of str
        Why no theorem covers a bound, as far as rows, formula and dissimilarity tell: see `analysis.steps`.
    error : float, or None
        Cross-validated share of errors, if this was measured.
    """

    rule: Rule
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
        How badly each is explained.
    name : str
        Of the score, as a column.
    meaning : str
        What it is, in words with its unit.
    """

    rows: np.ndarray
    score: np.ndarray
    name: str
    meaning: str


@dataclass(frozen=True)
class Condition:
    """A condition of a rule that is built of conditions, and the rows of a query that come to it.

    Attributes
    ----------
    text : str
        The condition in words.
    quantity : str
        What it compares, with a unit where there is one.
    machine : str
        The name of the machine that it belongs to; empty where there is one alone.
    step : int
        From 1, in its machine.
    classes : tuple of int
        Codes of the classes that its machine tells apart.
    values : array (r,)
        The quantity of each row.
    cut : float
        What it is compared with.
    there, removed : bool arrays (r,)
        The rows that no condition before has removed, and those of them that this one removes: their class is settled by it.
    """

    text: str
    quantity: str
    machine: str
    step: int
    classes: tuple[int, ...]
    values: np.ndarray
    cut: float
    there: np.ndarray
    removed: np.ndarray


@dataclass(frozen=True)
class Capabilities:
    """Facts about a method. A capability is False or empty if the method lacks it; a text names the condition for it.

    The class declares what its models can do, and nothing else: the contract looks at both, and takes only `nearest`, `candidates`,
    `costs`, `own_distances` and `warm_starts` at its word. Where parameters decide, a model may have a `can` of its own, as `PVM` has with
    `radii="individual"`. What a method does, such as giving a bound, is an optional method of `Model`. General code asks these
    and `Model.has`, and never which method it has.

    Attributes
    ----------
    weights : bool
        Whether it takes weights of the rows.
    candidates : frozenset of str
        A choice of "subset" (candidates may be a random part of the rows) and "unlabelled" (candidates need not be rows).
    objective, certificate : bool or str
        Whether its report holds the value of an objective, and a bound on the optimum (`core.setcover.problems`).
    coordinates : bool
        Whether it needs coordinates of the rows, which only metrics of a vector space have.
    nearest : bool
        Whether its rule predicts the class of the nearest prototype.
    own_distances : bool
        Whether its distances, by which a prototype is the nearest, are those of its rule, not of the metric
        (`core.task.ByDistance`).
    balls : bool or str
        Whether its prototypes have balls that cover rows of their class.
    gains : bool or str
        Whether its prototypes have columns `newly_covered` and `miscovered`, in the order of their choice.
    shards : bool
        Whether it learns from rows that are kept in several places, on the workers of a cluster (`core.parts`).
    steps : bool or str
        Whether its rule is built step by step (`core.task.Stepwise`).
    costs : bool or str
        Whether the first steps are the rule of a larger lambda, which the method `at_cost(lambda_)` of the rule returns.
    warm_starts : bool
        Whether the rule of a grid point starts from that of the point before, so that a point fitted alone may give another rule.
    solvers : tuple of str
        Values of its parameter `solver` whose objectives can be compared.
    radius : str
        The parameter that is the radius of the balls.
    grid_bounds : bool
        Whether its paths have bounds over the grid, so that choose="bound" is possible.
    counted : bool or str
        Whether a user can limit how many prototypes its rules have; a text says what a rule's `size` counts where only this can be
        limited: "features" where these are no prototypes.
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
    shards: bool = False
    steps: bool | str = False
    costs: bool | str = False
    warm_starts: bool = False
    solvers: tuple[str, ...] = ()
    radius: str = ""
    grid_bounds: bool = False
    counted: bool | str = True


def bound_table(rows: Sequence[tuple[str, int, int, int, int, Bound, Sequence[str]]]) -> pd.DataFrame:
    """The table of `Fit.bound`, from name, rows, size, balls on P-examples, training errors, bound and reasons of each machine."""
    columns = ["machine", "rows", "size", "on_p", "errors", "tail_bound", "bound", "simple_bound", "proved", "reasons"]
    cells = [
        (*head, float(bound.tail), float(bound.value), float(bound.simple), not reasons, "; ".join(reasons))
        for *head, bound, reasons in rows
    ]
    return pd.DataFrame(cells, columns=columns).set_index("machine")


Axes = Mapping[str, np.ndarray]  # the values of each parameter that is tuned, ascending


@dataclass(frozen=True)
class Model(NamedArguments, Served):
    """A method: frozen parameters, all of them fields of a dataclass.

    A parameter is tuned by cross-validation when it is `"grid"`, a sequence of values, or an object that draws a grid from
    the task (`Grid`). A new method must define `path`; everything else has defaults. From `notes` on these are what a method may do
    beyond prediction, which `has` tells. A parameter can't have the name of an attribute or a method of this class.

    If `rows_needed` does not say otherwise, a training set may lack a class: the rule then has no prototypes of this class, and never
    predicts it.

    Attributes
    ----------
    name : str
        An identifier, which `method=` accepts when the method is registered.
    can : Capabilities
        What the method can do beyond prediction.
    never_tuned : frozenset of str
        Parameters that are never tuned, whatever their value.
    grids : frozenset of str
        Parameters that have a default grid, beside those that are "grid" by default.
    words : mapping of parameter to str
        What a tuned parameter is called beside its axis in pictures; by its name where nothing is said. `k` and `K` mean the same in
        all methods.
    larger : mapping of parameter to Grid
        Parameters whose default grid goes on while the choice is its last value, and the Grid that draws the further values,
        ascending.
        A grid point must give the same rule in a grid of its own.
    example : mapping of parameter to values
        At least two values of each parameter that is tuned by default, and of others that a grid may contain, with which the method
        can be fitted to a hundred rows; for `pc.testing.check_model`. It refuses values whose rules are the same, because a wrong
        order of equal rules can't be seen.
    as_repeats : mapping of parameter to value, or None
        Parameters with which a row of weight 2 gives the same predictions as two rows, such as `{"K": 1}`, where it can't matter that
        both may be chosen; None if weights mean something else or random draws depend on them.
    papers : tuple of str
        Keys of the papers of the method in `ground.references`, which `Fit.methods` cites.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_MODEL
    called: ClassVar[str] = "a model object"

    name: ClassVar[str]
    can: ClassVar[Capabilities] = Capabilities()
    never_tuned: ClassVar[frozenset[str]] = frozenset()
    grids: ClassVar[frozenset[str]] = frozenset()
    words: ClassVar[Mapping[str, str]] = {"k": "neighbours k", "K": "prototypes for each class, K"}
    larger: ClassVar[Mapping[str, Grid]] = {}
    example: ClassVar[Mapping[str, Any]] = {}
    as_repeats: ClassVar[Mapping[str, Any] | None] = None
    papers: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        check_parameters(cls, Model, "method")

    @property
    def title(self) -> str:
        """The name of the method in print and summary."""
        return self.name

    @property
    def shares_work(self) -> bool:
        """Whether the folds share so much work that one more fold, which leaves no row out, costs little: the fit on all rows
        then comes from the same call of `paths`."""
        return False

    def seconds_each(self, columns: int) -> float | None:
        """Predicted seconds of a fit, folds included, for each pair of a row and a candidate, on two processors of today.

        None where the method can't say, so that all rows are candidates by default, however many there are.
        """
        return None

    def measures(self, rule: Rule) -> bool:
        """Whether a rule of this method reads dissimilarities or coordinates, and not only columns."""
        return True

    def within(self, most: int) -> Model:
        """The model that tunes by how many prototypes its rules have, up to so many, where it does not do this already."""
        return self

    def class_sizes(self, values: Mapping[str, Any], held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray | None:
        """The most prototypes of each class (classes,) with these values of the tuned parameters, and `held` rows of each class.

        None where parameters do not say so much; a rule has to be learned to count them.
        """
        return None

    def loss(self, task: Task, prototypes: Points) -> float | None:
        """The objective that the method minimises, for any prototypes and its parameters; None if it has none.

        Prototypes are `at=` or `coords=`, as those of its rules are. The contract compares the fit with 30 random choices.
        """
        return None

    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def unused(self, classes: int) -> frozenset[str]:
        """Parameters that have no effect beside the values of the others, with so many classes; `Fit.glance` leaves them out."""
        return frozenset()

    def tuned(self) -> dict[str, Any]:
        """The parameters that cross-validation chooses."""
        values = self.parameters()
        return {name: v for name, v in values.items() if name not in self.never_tuned and is_tuned(v)}

    def grid(self, task: Task, smallest: np.ndarray) -> dict[str, np.ndarray]:
        """The values of each tuned parameter, ascending.

        Parameters
        ----------
        task : Task
        smallest : int array (classes,)
            Least number of training rows of each class over the folds.
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
        """The values that a Grid draws, ascending, which must be values that the method takes."""
        values = np.unique(np.asarray(drawn.values(task)))
        try:
            replace(self, **{name: values.tolist()})
        except OptionError as reason:
            raise OptionError(f"{brief(drawn)} draws values that {self.name} does not take: {reason}") from None
        return values

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        """The values that "grid" means for a parameter."""
        raise OptionError(f"{self.name} has no default grid for {parameter}: give a sequence of values")

    @property
    def metric_parameters(self) -> tuple[str, ...]:
        """The parameters that decide which dissimilarity is learned, where the method learns one (`metric`)."""
        return ()

    def metric(self, given: Any, classes: int) -> Any:
        """The dissimilarity that the method learns with its parameters, as a specification, from the one that the call gives.

        None of its parameters is to be tuned when it is asked. It is trained where all metrics are: on all rows for a fit, and on the
        training rows of each fold.
        """
        return given

    @classmethod
    def offers_grid(cls, parameter: str) -> bool:
        """Whether a parameter may be "grid"."""
        return parameter in cls.grids or getattr(cls, parameter, None) == GRID

    def check_frame(self, frame: Frame) -> None:
        """Raise where parameters do not go with the rows of a call, before anything is learned."""

    def has_default_grid(self, parameter: str) -> bool:
        """Whether a parameter is tuned over the method's own grid, "grid", and not over values of the user's."""
        value = self.parameters().get(parameter)  # None of a parameter of the dissimilarity
        return isinstance(value, str) and value == GRID and parameter in self.tuned()

    def rows_needed(self, grid: Axes, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        """Rows with weight that each class must have in every training set, int (classes,), where the smallest one has `held`."""
        return np.zeros(len(held), np.int64)

    def path(self, task: Task, grid: Axes) -> Path:
        """Rules for every point of the grid: the product of its axes in their order, the last varying fastest.

        The grid is empty where nothing is tuned; `axis(grid, name, self.name)` gives the values of a parameter in either case.
        """
        raise OptionError(f"the model {type(self).__name__} does not define how it is fitted: define its method `path`")

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        """The path of each fold, learned without the rows of the fold; overridden where folds can share work.

        Prototypes that are columns are those of the full task.
        """
        for f in range(folds):
            part, columns = task.keep(fold != f, f)
            path = self.path(part, grid).moved(columns)
            task.tick()
            yield f, path

    @classmethod
    def has(cls, deed: str) -> bool:
        """Whether the method defines one of the optional methods that follow."""
        return getattr(cls, deed) is not getattr(Model, deed)

    def notes(self, learned: Learned) -> list[str]:
        """Further sentences for the summary."""
        raise self._lacks("notes")

    def feature_table(self, learned: Learned) -> pd.DataFrame:
        """A description of each feature of the rule, one in each row."""
        raise self._lacks("feature_table")

    def explain(self, learned: Learned, query: Query) -> list[str]:
        """Sentences that explain the predicted class of the only row of a query."""
        raise self._lacks("explain")

    def conditions(self, learned: Learned, query: Query) -> list[Condition]:
        """The conditions of the rule in the order in which they are asked."""
        raise self._lacks("conditions")

    def bound(self, learned: Learned, delta: float) -> pd.DataFrame:
        """A bound on the error on new rows, one row for each machine (`bound_table`); see `Fit.bound`."""
        raise self._lacks("bound")

    def step_bounds(self, learned: Learned) -> np.ndarray:
        """The bounds of the first 0, 1, ... steps, at delta = 0.05."""
        raise self._lacks("step_bounds")

    def alternatives(self, learned: Learned, task: Task, within: float, seconds: float, interest: np.ndarray) -> NearSolutions:
        """The near-optimal solutions beside the prototypes, as `core.setcover.alternatives.find_alternatives` returns them."""
        raise self._lacks("alternatives")

    def criticise(self, learned: Learned, task: Task, n: int, seconds: float) -> Criticised:
        """The rows that the prototypes explain worst, the worst first."""
        raise self._lacks("criticise")

    def first_gains(self, learned: Learned, task: Task) -> np.ndarray | None:
        """What the first prototype of each class gains at most before its cost, (classes,); None where the rule has no such thing.

        A class without prototypes has no candidate that gains more than the cost, which `report` has as "cost lambda".
        """
        raise self._lacks("first_gains")

    def swap(self, learned: Learned, task: Task, place: int, candidate: int) -> Rule:
        """The rule with a candidate (column of D) as prototype at a place."""
        raise self._lacks("swap")

    def resized(self, size: int) -> dict[str, Any]:
        """The parameters with which a rule has so many prototypes, where others stay."""
        raise self._lacks("resized")

    def _lacks(self, deed: str) -> NotAvailable:
        return NotAvailable(f"method {self.name!r} has no {deed}")


class Grid:
    """A rule that draws the values of a parameter from the task."""

    def values(self, task: Task) -> np.ndarray:
        raise OptionError(f"{type(self).__name__} does not define the values that it draws: define its method `values`")


def is_tuned(value: Any) -> bool:
    """Whether a value of a parameter requests cross-validation: "grid", a sequence, or a Grid."""
    return is_listed(value) or isinstance(value, Grid)


def listed(model: str, name: str, value: Any) -> list[Any]:
    """The values of a parameter that may be tuned, as far as they are given: none of "grid" and of a Grid, which are drawn later."""
    if isinstance(value, Grid) or (isinstance(value, str) and value == GRID):
        return []
    values = list(value) if is_tuned(value) else [value]
    if not values:
        raise OptionError(f"{name}=[]: a sequence of values for {model} must hold at least one")
    return values


def axis(grid: Axes, name: str, fixed: Any) -> np.ndarray:
    """The values of a parameter: its axis of the grid, or its one fixed value."""
    return np.asarray(grid.get(name, [fixed]))


def heaviest_class(task: Task) -> int:
    """The class of largest weight, which a rule without prototypes predicts."""
    return int(np.bincount(task.y, task.w, task.classes).argmax())


def own_candidates(task: Task) -> np.ndarray:
    """The candidate that each row is, int (n,), -1 for a row of weight 0; raises if the candidates are not the rows with weight."""
    candidate, live = np.full(len(task.y), -1), task.w > 0
    candidate[task.candidate_row[task.candidate_row >= 0]] = np.flatnonzero(task.candidate_row >= 0)
    if (task.candidate_row < 0).any() or (candidate[live] < 0).any():
        raise DataError(
            "this method chooses among the rows: the dissimilarities must be those of all rows to one another"
        )
    return candidate


def check_labelled(model: str, task: Task) -> None:
    """Raise unless every candidate is a row, whose class the method needs."""
    strange = int((task.candidate_row < 0).sum())
    if strange:
        raise DataError(f"{strange} candidates are not rows, and {model} needs the class of each: leave them out")


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
    """Check a parameter that may be tuned: a number, or a sequence of them, from `low` (or above it) to `high`.

    Whole numbers go up to 2^31 - 1 unless `high` says otherwise. What a `Grid` draws is checked when it is drawn. Of a model, rather
    than the name of one, the message says whether the parameter may be 'grid'.
    """
    called, grid = (model, False) if isinstance(model, str) else (model.name, model.offers_grid(name))
    for v in listed(called, name, value):
        is_infinite = infinite and isinstance(v, float) and v == math.inf
        if not is_infinite and not is_number(v, low, above, integral, high):
            also = ", a sequence of these, or 'grid'" if grid else " or a sequence of these"
            raise OptionError(f"{name}={brief(v)}: {called} needs {number_in_words(v, low, above, integral, high)}{also}")


def check_fixed(
    model: str, name: str, value: Any, *, low: float = -math.inf, integral: bool = False, high: float | None = None
) -> None:
    """Check a parameter that is never tuned, as `check_number` does."""
    if not is_number(value, low, False, integral, high) or (integral and not isinstance(value, (int, np.integer))):
        raise OptionError(f"{name}={brief(value)}: {model} needs {number_in_words(value, low, False, integral, high)}")


MOST = 10  # prototypes of a class in the default grid


def folds_at_once(model: Model, task: Task, fold: np.ndarray, folds: int, grid: Axes) -> Iterator[tuple[int, Path]]:
    """As `Model.paths`, several folds at once: for a method whose own work takes one thread."""

    def run(f: int) -> Path:
        part, columns = task.keep(fold != f, f)
        return model.path(part, grid).moved(columns)

    for f, path in enumerate(each(run, range(folds), task.D.shape[0] * task.D.shape[1])):
        task.tick()
        yield f, path


class PerClass(Model):
    """A method with K prototypes of each class."""

    def default_grid(self, parameter: str, task: Task, smallest: np.ndarray) -> np.ndarray:
        return default_counts(smallest) if parameter == "K" else super().default_grid(parameter, task, smallest)

    def class_sizes(self, values: Mapping[str, Any], held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray | None:
        K = values.get("K", self.parameters()["K"])
        return None if isinstance(K, str) else counts(K, held, levels)

    def rows_needed(self, grid: Axes, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        values = axis(grid, "K", self.parameters()["K"])
        return np.asarray(np.max([counts(K, held, levels) for K in values], axis=0))


def check_enough(model: str, what: str, level: Any, needed: int, there: int) -> None:
    """Raise where a class has fewer candidates than prototypes are needed of it."""
    if needed > there:
        raise DataError(
            f"{model} needs {needed} {what} of class {shown(level)}, and only {there} of its rows are candidates: give a smaller K=, or "
            "more candidates"
        )


def check_counts(model: str, K: Any) -> None:
    """Check the parameter K: a number for each class, see `counts`; a sequence of them, or "grid"."""
    if isinstance(K, Mapping):
        invalid = [v for v in K.values() if not _is_count(v)] if K else [K]
    else:
        invalid = [v for v in listed(model, "K", K) if not _is_count(v)]
    if invalid:
        raise OptionError(
            f"K={brief(invalid[0])}: {model} needs a whole number >= 1 and <= {MOST_ROWS} for each class, a number between 0 and 1 "
            "(that share of the rows of each class), a mapping with one of these for every class, a sequence of numbers, or 'grid'"
        )


def _is_count(v: Any) -> bool:
    return is_real(v) and bool(0 < v <= MOST_ROWS and (v < 1 or v == int(v)))


def counts(K: Any, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
    """Number of prototypes of each class.

    Parameters
    ----------
    K : int >= 1, number between 0 and 1, or mapping
        That number; that share of the class's rows, rounded, at least 1; or either of these for every class by its name.
    held : int array (classes,)
        Rows of each class.
    levels : tuple
        The names of the classes.

    Returns
    -------
    int array (classes,)

    Examples
    --------
    >>> counts(0.1, np.array([50, 4]), ("a", "b")).tolist(), counts({"a": 3, "b": 0.5}, np.array([50, 4]), ("a", "b")).tolist()
    ([5, 1], [3, 2])
    """
    if isinstance(K, Mapping):
        if set(K) != set(levels):
            raise OptionError(f"K={brief(dict(K))}: a mapping must have exactly the classes {list(levels)} as keys")
        requested = np.array([float(K[c]) for c in levels])
    else:
        requested = np.full(len(held), float(K))
    return np.where(requested < 1, np.maximum(1, np.round(requested * held)), requested).astype(np.int64)


def in_words(K: Any) -> Any:
    """K as shown in a report."""
    if isinstance(K, Mapping):
        return ", ".join(f"{name}: {v:g}" for name, v in K.items())
    return f"{K:g} of its rows" if K < 1 else int(K)


def default_counts(smallest: np.ndarray) -> np.ndarray:
    """The values of K="grid": 1 to 10, at most the number of training rows of the smallest class."""
    return np.arange(1, max(1, min(MOST, int(smallest.min()))) + 1)
