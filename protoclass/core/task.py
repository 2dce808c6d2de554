"""The problem that a model is given, and prototypes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from ..ground.errors import short
from ..ground.savable import savable
from . import Array
from .parallel import Once
from .sources import Source, Submatrix


def no_coordinates() -> Array:
    raise LookupError("this task has no coordinates")


def no_columns() -> Array:
    raise LookupError("this task has no columns")


@dataclass(frozen=True)
class Task:
    """The learning problem of a model: dissimilarities, classes, weights, coordinates and columns.

    D may be asymmetric: D[i, j] is from row i to candidate j. A row of weight 0 is not a candidate.
    All random draws must use `np.random.default_rng(task.seed)`.

    Attributes
    ----------
    source : Once of Source (n, m)
        Dissimilarities of the n rows to the m candidates; use `D`.
    y : int array (n,)
        Class codes, 0 to `classes` - 1.
    classes : int
    w : float array (n,)
        Weights of the rows.
    candidate_row : int array (m,)
        Row position of each candidate, -1 for an unlabelled candidate.
    seed : tuple of int
    vectors : Once of array (n, p)
        Coordinates of the rows; use `coordinates()`, which raises if there are none.
    design : Once of array (n, p)
        Design matrix; use `columns()`, which raises if there is none.
    tick : callable
        Function to call after each piece of work, for the progress bar.
    allowed_class : int array (m,), or None
        The only class that each candidate may represent, -1 for any; None if all may represent any.
    levels : tuple
        The names of the classes.
    label : callable
        The label of a row by its position.
    """

    source: Once[Source]
    y: Array
    classes: int
    w: Array
    candidate_row: Array
    seed: tuple[int, ...]
    vectors: Once[Array] = field(default_factory=lambda: Once(no_coordinates))
    design: Once[Array] = field(default_factory=lambda: Once(no_columns))
    tick: Callable[[], None] = lambda: None
    allowed_class: Array | None = None
    levels: tuple[Any, ...] = ()
    label: Callable[[int], Any] = int

    @property
    def D(self) -> Source:
        """Dissimilarities of the rows to the candidates."""
        return self.source()

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of candidates, available before dissimilarities are computed."""
        return len(self.y), len(self.candidate_row)

    def coordinates(self) -> Array:
        """Coordinates (n, p) of the rows in the space of the metric."""
        return self.vectors()

    def columns(self) -> Array:
        """The design matrix (n, p) of the rows."""
        return self.design()

    def keep(self, train: Array, salt: int) -> tuple[Task, Array]:
        """The task of the rows for which `train` is True, and the columns of its candidates in this task."""
        columns = np.flatnonzero((self.candidate_row < 0) | train[self.candidate_row])
        return self._of(np.flatnonzero(train), columns, (*self.seed, salt)), columns

    def reorder(self, order: Array) -> tuple[Task, Array]:
        """The task with its rows in another order, and the columns that its candidates, which
        follow their rows, have in this task.
        """
        n, row = len(self.y), self.candidate_row
        position = np.empty(n, np.int64)
        position[order] = np.arange(n)
        columns = np.argsort(np.where(row < 0, n, position[row]), kind="stable")
        return self._of(order, columns, self.seed), columns

    def _of(self, rows: Array, columns: Array, seed: tuple[int, ...]) -> Task:
        """The task of some rows and candidates, which are among these rows or are none."""
        position, row = np.full(len(self.y), -1), self.candidate_row[columns]
        position[rows] = np.arange(len(rows))
        return replace(
            self,
            source=Once(lambda: Submatrix(self.D, rows, columns)),
            y=self.y[rows],
            w=self.w[rows],
            candidate_row=np.where(row < 0, -1, position[row]),
            seed=seed,
            vectors=Once(lambda: self.coordinates()[rows]),
            design=Once(lambda: self.columns()[rows]),
            allowed_class=None if self.allowed_class is None else self.allowed_class[columns],
            label=lambda i: self.label(int(rows[i])),
        )


# Columns of prototypes: the weight of the rows of their class, and of others, that their balls
# newly and wrongly cover, or whose nearest prototype they are.
COVERED, ASSIGNED = ("newly_covered", "miscovered"), ("assigned", "misassigned")


@savable(classes="q", at="q", coords="q p", radii="q")
@dataclass(frozen=True)
class Points:
    """The prototypes of a rule: columns of D, or coordinates.

    Attributes
    ----------
    classes : int array (q,)
        The class of each prototype.
    at : int array (q,), or None
        Columns of D.
    coords : array (q, p), or None
        Coordinates. Exactly one of `at` and `coords` is given.
    radii : array (q,), or None
        Radius of each prototype's ball, if the rule has balls.
    table : mapping of str to array (q,)
        Further columns of `Fit.prototypes`.
    """

    classes: Array
    at: Array | None = None
    coords: Array | None = None
    radii: Array | None = None
    table: Mapping[str, Array] = field(default_factory=dict)

    __repr__ = short

    def __len__(self) -> int:
        return len(self.classes)

    def moved(self, columns: Array) -> Points:
        """The same prototypes in a task with more columns: column c becomes `columns[c]`."""
        return self if self.at is None else replace(self, at=columns[self.at])


class WithPrototypes:
    """What rules and paths that are dataclasses with prototypes have in common."""

    prototypes: Points

    def moved(self, columns: Array) -> Self:
        """The same in a task with more columns, see `Points.moved`."""
        return replace(self, prototypes=self.prototypes.moved(columns))  # type: ignore[type-var]
