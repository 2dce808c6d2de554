"""Models: frozen parameters, and the rules that they give on a task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.query import Query
from ..core.setcover.alternatives import NearSolutions
from ..core.task import Path, Points, Rule, Task
from ..ground.checks import NamedArguments, Served, check_parameters, is_number, number_in_words
from ..ground.errors import DataError, NotAvailable, OptionError, brief
from ..ground.foreign_names import VERBS_OF_MODEL
from .capabilities import Capabilities, Condition, Criticised, Learned

GRID = "grid"
Axes = Mapping[str, np.ndarray]  # the values of each parameter that is tuned, ascending


@dataclass(frozen=True)
class Model(NamedArguments, Served):
    """A method: frozen parameters, all of them fields of a dataclass.

    A parameter is tuned by cross-validation when it is `"grid"`, a sequence of values, or an object that draws a grid from
    the task (`Grid`). A new method must define `path`; everything else has defaults. From `notes` on these are what a method may do
    beyond prediction, which `has` tells. A parameter can't have the name of an attribute or a method of this class.

    Attributes
    ----------
    name : str
        An identifier, which `method=` accepts when the method is registered.
    can : Capabilities
        What the method can do beyond prediction.
    never_tuned : frozenset of str
        Parameters that are never tuned, whatever their value.
    larger : mapping of parameter to Grid
        Parameters whose default grid goes on while the choice is its last value, and the Grid that draws the further values,
        ascending.
        A grid point must give the same rule in a grid of its own.
    example : mapping of parameter to values
        Some values of each parameter that is tuned by default, and of others that a grid may contain, with which the method
        can be fitted to a hundred rows; for `pc.testing.check_model`.
    as_repeats : mapping of parameter to value, or None
        Parameters with which a row of weight 2 gives the same predictions as two rows; None if weights mean something else
        or random draws depend on them.
    """

    serves: ClassVar[Mapping[str, str]] = VERBS_OF_MODEL
    called: ClassVar[str] = "a model object"

    name: ClassVar[str]
    can: ClassVar[Capabilities] = Capabilities()
    never_tuned: ClassVar[frozenset[str]] = frozenset()
    larger: ClassVar[Mapping[str, Grid]] = {}
    example: ClassVar[Mapping[str, Any]] = {}
    as_repeats: ClassVar[Mapping[str, Any] | None] = None

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

    def loss(self, task: Task, prototypes: Points) -> float | None:
        """The objective that the method minimises, for any prototypes and its parameters; None if it has none."""
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

    def has_default_grid(self, parameter: str) -> bool:
        """Whether a parameter is tuned over the method's own grid, "grid", and not over values of the user's."""
        value = self.parameters()[parameter]
        return isinstance(value, str) and value == GRID and parameter in self.tuned()

    def rows_needed(self, grid: Axes, held: np.ndarray, levels: tuple[Any, ...]) -> np.ndarray:
        """Rows with weight that each class must have in every training set, int (classes,), where the smallest one has `held`."""
        return np.zeros(len(held), np.int64)

    def path(self, task: Task, grid: Axes) -> Path:
        """Rules for every point of the grid (the product of its axes, the last varying fastest)."""
        raise OptionError(f"the model {type(self).__name__} does not define how it is fitted: define its method `path`")

    def paths(
        self, task: Task, fold: np.ndarray, folds: int, grid: Axes
    ) -> Iterator[tuple[int, Path]]:
        """The path of each fold, learned without the rows of the fold; overridden where folds can share work."""
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
        """The near-optimal solutions beside the prototypes, as `core.covers.alternatives.find_alternatives` returns them."""
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

    def _lacks(self, deed: str) -> NotAvailable:
        return NotAvailable(f"method {self.name!r} has no {deed}")


class Grid:
    """A rule that draws the values of a parameter from the task."""

    def values(self, task: Task) -> np.ndarray:
        raise OptionError(f"{type(self).__name__} does not define the values that it draws: define its method `values`")


def is_tuned(value: Any) -> bool:
    """Whether a value of a parameter requests cross-validation: "grid", a sequence, or a Grid."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return (isinstance(value, str) and value == GRID) or isinstance(value, (list, tuple, range, pd.Series, Grid))


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
    model: str,
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

    Whole numbers go up to 2^31 - 1 unless `high` says otherwise. What a `Grid` draws is checked when it is drawn.
    """
    for v in listed(model, name, value):
        is_infinite = infinite and isinstance(v, float) and v == math.inf
        if not is_infinite and not is_number(v, low, above, integral, high):
            raise OptionError(
                f"{name}={brief(v)}: {model} needs {number_in_words(v, low, above, integral, high)}, a sequence of these, or 'grid'"
            )


def check_fixed(
    model: str, name: str, value: Any, *, low: float = -math.inf, integral: bool = False, high: float | None = None
) -> None:
    """Check a parameter that is never tuned, as `check_number` does."""
    if not is_number(value, low, False, integral, high) or (integral and not isinstance(value, (int, np.integer))):
        raise OptionError(f"{name}={brief(value)}: {model} needs {number_in_words(value, low, False, integral, high)}")
