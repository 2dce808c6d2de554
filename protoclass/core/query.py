"""Rules, and the inputs of their predictions: dissimilarities, coordinates or columns of some rows;
or the same as SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from ..ground.errors import DataError
from . import Array
from .coding import as_slice
from .distances.near import Space
from .distances.screen import Compared
from .parallel import each
from .sources import Source
from .task import Points
from .thresholds import AT_ONCE

T = TypeVar("T")


class IncompleteError(Exception):
    """Rows of a query, bool (r,), that lack a value which a rule needs; `of_complete` leaves them out."""

    def __init__(self, rows: Array) -> None:
        super().__init__("rows with a missing value")
        self.rows = rows


class Latest(Generic[T]):
    """A function of prototypes that keeps its last value, because a rule asks for the same several times."""

    def __init__(self, work: Callable[[Points], T]) -> None:
        self.work = work
        self.last: tuple[Points, T] | None = None

    def __call__(self, prototypes: Points) -> T:
        last = self.last
        if last is None or last[0] is not prototypes:
            last = self.last = prototypes, self.work(prototypes)
        return last[1]


@dataclass(frozen=True, eq=False)
class Beside:
    """Prototypes among the candidates of a source, with its rows.

    Attributes
    ----------
    source : Source
    columns : int array (q,)
        The candidates that are the prototypes.
    """

    source: Source
    columns: Array

    @cached_property
    def compared(self) -> Callable[[Array], Compared | None]:
        """A function that compares some rows with the prototypes by a product; its value is None
        if the source has no screen.
        """
        screening = self.source.screening
        if screening is None or not len(self.columns):
            return lambda rows: None
        side = screening.candidates[as_slice(self.columns)]
        return lambda rows: screening.beside(rows, self.columns, side)

    @cached_property
    def space(self) -> Space | None:
        """All rows of the source and the prototypes in few columns, if dissimilarities are distances there."""
        space = self.source.space
        if space is None or not space.geometry.is_distance:
            return None
        return replace(space, candidates=space.candidates[self.columns])


@dataclass(frozen=True, eq=False)
class Query:
    """Rows to be classified.

    A rule or path requests the values that it needs: dissimilarities to its prototypes,
    coordinates, or columns. A request for values that a problem does not have raises an error. One
    for a missing value raises `IncompleteError`, and the rule is asked about the other rows alone.

    Attributes
    ----------
    rows : int array (r,)
        Positions of the rows, as the functions below number them.
    measure : callable
        `measure(rows, prototypes)`: dissimilarities (r, q), NaN if one is missing.
    vectors : callable
        `vectors(rows)`: coordinates (r, p) in the space of the metric.
    design : callable
        `design(rows)`: columns (r, p) of the design matrix, NaN for a row that has none.
    label : callable
        The name of a row by its position, for messages.
    beside : callable
        `beside(prototypes)`: the rows and the prototypes of a rule as sides of one source; None if
        there is none.
    whole : int, or None
        Number of rows of the query of which these are a part, if they are one.
    unanswered : bool array (r,), or None
        Rows without a prediction in any case.
    """

    rows: Array
    measure: Callable[[Array, Points], Array]
    vectors: Callable[[Array], Array]
    design: Callable[[Array], Array]
    label: Callable[[int], str] = str
    beside: Callable[[Points], Beside | None] = lambda _: None
    whole: int | None = None
    unanswered: Array | None = None

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def together(self) -> int:
        """The number of rows of the query of which these are a part."""
        return len(self) if self.whole is None else self.whole

    @cached_property
    def dissimilarities(self) -> Callable[[Points], Array]:
        """Dissimilarities (r, q) to the prototypes of a rule, in their order; the last ones are kept."""
        measure, rows = self.measure, self.rows
        return Latest(lambda prototypes: complete(np.asarray(measure(rows, prototypes))))

    @cached_property
    def compared(self) -> Callable[[Points], Compared | None]:
        """The rows and the prototypes of a rule, compared by a product, if available; the last ones are kept."""
        beside, rows = self.beside, self.rows

        def compare(prototypes: Points) -> Compared | None:
            found = beside(prototypes)
            return None if found is None else found.compared(rows)

        return Latest(compare)

    def coordinates(self) -> Array:
        """Coordinates (r, p) in the space of the metric."""
        return self.vectors(self.rows)

    def columns(self) -> Array:
        """Columns (r, p) of the design matrix."""
        return complete(self.design(self.rows))

    def take(self, at: Array | slice) -> Query:
        """Some of the rows."""
        unanswered = None if self.unanswered is None else self.unanswered[at]
        return replace(self, rows=self.rows[at], whole=self.together, unanswered=unanswered)

    def finite(self, values: Array) -> Array:
        """The values that a rule has computed for the rows (r, ...), checked to be finite.

        Raises
        ------
        DataError
            If numbers overflow; the message names the first row.
        """
        fine = np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
        if not fine.all():
            row = self.label(int(self.rows[np.argmin(fine)]))
            raise DataError(
                f"row {row} is so far away that its decision overflows: correct its values, or leave it out"
            )
        return values

    def blocks(self, prototypes: int) -> Iterator[Query]:
        """The rows in blocks, each with about 2^22 dissimilarities to this many prototypes; one
        empty block if there are no rows.
        """
        step = max(1, AT_ONCE // max(1, prototypes))
        for first in range(0, max(1, len(self)), step):
            yield self.take(slice(first, first + step))


def complete(values: Array) -> Array:
    """Values of rows (r, q), none of which is missing, or else `IncompleteError`."""
    missing = np.isnan(values).any(axis=1)
    if missing.any():
        raise IncompleteError(np.asarray(missing))
    return values


def of_complete(query: Query, work: Callable[[Query], T]) -> tuple[T, Array]:
    """`work` of the rows that have all values that it needs, and which rows these are, bool (r,)."""
    kept = np.ones(len(query), bool) if query.unanswered is None else ~query.unanswered
    while True:
        part = query if kept.all() else replace(query.take(kept), unanswered=None)
        try:
            return work(part), kept
        except IncompleteError as reason:
            kept[np.flatnonzero(kept)[reason.rows]] = False


class Rule(Protocol):
    """A fitted rule in arrays and plain values; declared by `@savable`, so that files of fits can contain it.

    `predict(kind, query)` requests its inputs from the query: `dissimilarities(self.prototypes)`,
    `coordinates()` or `columns()`. The kinds "class" and "cover" return codes (r,), -1 for none,
    although "class" always names one; "nearest" returns positions among the prototypes (r,), -1 for
    none; "distance", "prob" and "decision" return arrays (r, classes), and the class has the
    largest "prob" and "decision". `prototypes` has at least one of each class if possible, as
    tables and plots show them. `size` is the method's measure of complexity, such as a number of
    prototypes, by which the 1-SE rule selects. `report` has entries for the printed fit and the
    summary, numbers and short texts by name; "objective" and "certificate" are reserved for values
    of `core.setcover.problems`.

    See also `ByDistance` and `InSQL`.
    """

    @property
    def prototypes(self) -> Points: ...
    @property
    def size(self) -> float: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def report(self) -> Mapping[str, Any]: ...
    def predict(self, kind: str, query: Query) -> Array: ...
    def moved(self, columns: Array) -> Rule: ...


@runtime_checkable
class Stepwise(Rule, Protocol):
    """A rule that was built step by step: its first steps are rules as well.

    `steps` has columns for `Fit.path`, each with an entry for the first 0, 1, ... steps; `walk`
    yields the class codes that these predict, and `first` is the rule of this many steps.
    """

    @property
    def steps(self) -> Mapping[str, Array]: ...
    def walk(self, query: Query) -> Iterator[Array]: ...
    def first(self, size: int) -> Rule: ...


@runtime_checkable
class ByDistance(Rule, Protocol):
    """A rule that predicts the class of the prototype with the lowest of its `distances` (r, q)."""

    def distances(self, query: Query) -> Array: ...


class Path(Protocol):
    """The rules of one fold over the whole grid, in grid order: `prototypes` is their union, `size` is (G,).

    `bounds` (G,), if the method has them, are bounds on the error of each rule on new rows.
    """

    @property
    def prototypes(self) -> Points: ...
    @property
    def kinds(self) -> tuple[str, ...]: ...
    @property
    def size(self) -> Array: ...
    @property
    def bounds(self) -> Array | None: ...
    def predict(self, kind: str, query: Query) -> Array: ...
    def at(self, g: int) -> Rule: ...
    def moved(self, columns: Array) -> Path: ...


@dataclass(frozen=True)
class RulePath:
    """The Path of a method that fits a rule for each grid point separately."""

    rules: tuple[Rule, ...]
    bounds: ClassVar[None] = None

    @cached_property
    def prototypes(self) -> Points:
        parts = [rule.prototypes for rule in self.rules]
        names = "classes", "coords" if parts[0].at is None else "at"
        fields: Any = {name: np.concatenate([getattr(p, name) for p in parts]) for name in names}
        return Points(**fields)

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.rules[0].kinds

    @property
    def size(self) -> Array:
        return np.array([rule.size for rule in self.rules])

    def predict(self, kind: str, query: Query) -> Array:
        return np.stack([rule.predict(kind, query) for rule in self.rules], axis=1)

    def at(self, g: int) -> Rule:
        return self.rules[g]

    def moved(self, columns: Array) -> RulePath:
        return RulePath(tuple(rule.moved(columns) for rule in self.rules))


def answer(rule: Rule | Path, kind: str, query: Query) -> Array:
    """Predictions of a rule or path for rows, block by block on all processors; -1 or NaN for rows
    with a missing dissimilarity.
    """
    q = len(rule.prototypes)
    blocks = each(partial(answer_block, rule, (kind,)), query.blocks(q), len(query) * q)
    return np.concatenate([values for (values,) in blocks])


def answer_block(rule: Rule | Path, kinds: Sequence[str], block: Query) -> list[Array]:
    """Predictions of a rule or path of each kind for the rows of one block."""
    found, kept = of_complete(
        block, lambda part: [np.asarray(rule.predict(kind, part)) for kind in kinds]
    )
    if kept.all():
        return found
    out = [
        np.full(
            (len(kept), *values.shape[1:]),
            -1 if values.dtype.kind in "iu" else np.nan,
            values.dtype,
        )
        for values in found
    ]
    for all_rows, values in zip(out, found, strict=True):
        all_rows[kept] = values
    return out


def distances_by(rule: Rule, query: Query) -> Array:
    """The distances (r, q) of the rows of a query to the prototypes of a rule, as the rule compares them."""
    return (
        rule.distances(query)
        if isinstance(rule, ByDistance)
        else query.dissimilarities(rule.prototypes)
    )


def lost_by_steps(rule: Stepwise, query: Query, y: Array, w: Array) -> tuple[Array, float]:
    """Weight of the rows that the first 0, 1, 2, ... steps of a rule misclassify, and of all rows.

    Rows with a missing dissimilarity are counted in neither.
    """
    lost, total, first = np.zeros(1), 0.0, 0
    for block in query.blocks(len(rule.prototypes)):
        predicted, kept = of_complete(block, lambda part: list(rule.walk(part)))
        truth, weight = (values[first : first + len(block)][kept] for values in (y, w))
        lost = lost + np.array([weight @ (codes != truth) for codes in predicted])
        total += float(weight.sum())
        first += len(block)
    return lost, total


class Statement(Protocol):
    """Inputs of a rule that is written as SQL, as a `Query` has the inputs of its predictions.

    `label` is the constant of a class and `column` a column of the design matrix of the row.
    `nearest` is the class of the prototype at the lowest dissimilarity; ties go to the lowest
    `rank`. `votes` is the class with the largest weight among the `k` nearest prototypes and those
    tied with the k-th; ties go to the first. `most` is the class with the largest of some
    expressions; ties go to the first. Each is an SQL expression.
    """

    def label(self, code: int) -> str: ...
    def number(self, value: float) -> str: ...
    def column(self, position: int) -> str: ...
    def nearest(self, prototypes: Points, rank: Array) -> str: ...
    def votes(self, prototypes: Points, k: int, weight: Array) -> str: ...
    def most(self, values: dict[int, str]) -> str: ...


@runtime_checkable
class InSQL(Protocol):
    """A rule that can be written as SQL: an expression whose value is the class of a row.

    `why_not_sql` gives the reason why this rule cannot be written; it is empty if it can.
    """

    @property
    def why_not_sql(self) -> str: ...
    def sql(self, statement: Statement) -> str: ...
