"""What a model sees of a problem, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .sources import Part, Source

Array = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """All that a model sees.

    Attributes
    ----------
    D : Source (n, m)
        Dissimilarities of the n rows to the m candidates.
    y : int array (n,)
        Class codes, 0 to `classes` - 1.
    classes : int
    w : float array (n,)
        Weights of the rows.
    origin : int array (m,)
        The row that candidate j is, -1 for none (an unlabelled candidate).
    seed : tuple of int
    vectors : callable
        Returns the coordinates (n, p) of the rows, or raises `NoVectors`.
    tick : callable
        Called after each piece of work, for the progress bar.
    serves : int array (m,), or None
        The only class that each candidate may serve, -1 (and for None all) where it may serve any.
    columns : callable
        Returns the design matrix (n, p) of the rows, or raises where there is none.
    levels : tuple
        The classes' names.
    label : callable
        The name of a row by its position, for messages.
    """

    D: Source
    y: Array
    classes: int
    w: Array
    origin: Array
    seed: tuple[int, ...]
    vectors: Callable[[], Array]
    tick: Callable[[], None] = lambda: None
    serves: Array | None = None
    columns: Callable[[], Array] = lambda: np.empty((0, 0))
    levels: tuple[Any, ...] = ()
    label: Callable[[int], str] = str

    def keep(self, train: Array, salt: int) -> tuple[Task, Array]:
        """The task of the rows where `train` is True, and the columns that its candidates have in this task."""
        rows = np.flatnonzero(train)
        columns = np.flatnonzero((self.origin < 0) | train[self.origin])
        place = np.full(len(self.y), -1)
        place[rows] = np.arange(len(rows))
        origin = self.origin[columns]
        smaller = replace(
            self,
            D=Part(self.D, rows, columns),
            y=self.y[rows],
            w=self.w[rows],
            origin=np.where(origin < 0, -1, place[origin]),
            seed=(*self.seed, salt),
            vectors=lambda: self.vectors()[rows],
            serves=None if self.serves is None else self.serves[columns],
            columns=lambda: self.columns()[rows],
            label=lambda i: self.label(int(rows[i])),
        )
        return smaller, columns


@dataclass(frozen=True)
class Points:
    """The points that a rule measures new rows against: columns of D, or places of their own.

    Attributes
    ----------
    classes : int array (q,)
        What each point stands for.
    at : int array (q,), or None
        Columns of D.
    coords : array (q, p), or None
        Coordinates. Exactly one of `at` and `coords` is given.
    radii : array (q,), or None
        Radius of each point's ball, where the rule has balls.
    table : mapping of str to array (q,)
        Further columns of `Fit.prototypes`.
    """

    classes: Array
    at: Array | None = None
    coords: Array | None = None
    radii: Array | None = None
    table: Mapping[str, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.classes)

    def moved(self, columns: Array) -> Points:
        """The same points among more columns: column c here is `columns[c]` there."""
        return self if self.at is None else replace(self, at=columns[self.at])


class Rule(Protocol):
    """What a method learned. `predict` gets the dissimilarities (r, q) to its points, in their order, and X (r, p).

    kinds: "class", "cover" -> codes (r,), -1 for none; "nearest" -> places in points (r,), -1 for none; "distance",
    "prob", "decision" -> (r, classes). `reads` says what `predict` looks at: "D"; "vectors" or "columns", which X then holds
    (the metric's coordinates, or the design matrix); or "D+columns". `report` holds what the method has to say of itself, by
    name.
    """

    @property
    def points(self) -> Points: ...
    @property
    def reads(self) -> str: ...
    @property
    def size(self) -> float: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def report(self) -> Mapping[str, Any]: ...
    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array: ...
    def moved(self, columns: Array) -> Rule: ...


@runtime_checkable
class Stepwise(Rule, Protocol):
    """A rule that was built step by step: its first steps are rules themselves.

    `steps` has columns for `Fit.path`, each with an entry for the first 0, 1, ... steps; `walk` yields the class codes that
    these predict, and `first` is the rule of so many steps.
    """

    @property
    def steps(self) -> Mapping[str, Array]: ...
    def walk(self, D: Array, X: Array | None = None) -> Iterator[Array]: ...
    def first(self, size: int) -> Rule: ...


class Path(Protocol):
    """The rules of one fold over the whole grid, in grid order: `points` is their union, `size` is (G,).

    `bounds` (G,), where the method has them, are bounds on each rule's error on new rows.
    """

    @property
    def points(self) -> Points: ...
    @property
    def reads(self) -> str: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> Array: ...
    @property
    def bounds(self) -> Array | None: ...
    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array: ...
    def at(self, g: int) -> Rule: ...
    def moved(self, columns: Array) -> Path: ...


@dataclass(frozen=True)
class Rules:
    """The Path of a method that fits each grid point by itself: the rules' points side by side."""

    rules: tuple[Rule, ...]
    bounds: ClassVar[None] = None

    @property
    def points(self) -> Points:
        parts = [rule.points for rule in self.rules]
        classes = np.concatenate([p.classes for p in parts])
        if parts[0].at is not None:
            return Points(classes, at=np.concatenate([p.at for p in parts if p.at is not None]))
        return Points(classes, coords=np.concatenate([p.coords for p in parts if p.coords is not None]))

    @property
    def reads(self) -> str:
        return self.rules[0].reads

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.rules[0].kinds

    @property
    def size(self) -> Array:
        return np.array([rule.size for rule in self.rules])

    def predict(self, kind: str, D: Array, X: Array | None = None) -> Array:
        cut = np.cumsum([0] + [len(rule.points) for rule in self.rules])
        parts = [rule.predict(kind, D[:, a:b], X) for rule, a, b in zip(self.rules, cut, cut[1:], strict=False)]
        return np.stack(parts, axis=1)

    def at(self, g: int) -> Rule:
        return self.rules[g]

    def moved(self, columns: Array) -> Rules:
        return Rules(tuple(rule.moved(columns) for rule in self.rules))
