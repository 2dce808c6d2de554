"""Rules, and the inputs of their predictions: dissimilarities, coordinates or columns of some rows; or the same as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np

from ..ground.errors import DataError
from . import Array
from .coding import as_slice
from .distances.screen import Compared, Screening, Side
from .neighbours.search import Near, Space, nearest_compared, nearest_of
from .parallel import each
from .sources import Source
from .task import Points

T = TypeVar("T")
Kept = list[tuple[Points, T]]  # a value and the prototypes that it belongs to; empty if none is known
BLOCK = 2**22  # dissimilarities that are computed at a time: products of this size stay near the processor


@dataclass(frozen=True)
class Query:
    """Rows to be classified.

    A rule or path requests the values that it needs: dissimilarities to its prototypes, coordinates, or columns. Other values are never
    computed. A request for values that a problem does not have raises an error.

    Attributes
    ----------
    rows : int array (r,)
        Positions of the rows, as the functions below number them.
    measure : callable
        `measure(rows, prototypes)`: dissimilarities (r, q), NaN if one is missing.
    vectors : callable
        `vectors(rows)`: coordinates (r, p) in the space of the metric; it raises `NoVectors` if there are none.
    design : callable
        `design(rows)`: columns (r, p) of the design matrix, NaN for a row that has none; it raises if there are none at all.
    label : callable
        The name of a row by its position, for messages.
    source : callable, or None
        `source(prototypes)`: the rows and the prototypes of a rule as sides of one source; None if there is none.
    within : int, or None
        Number of rows of the query of which these are a part.
    unanswered : bool array (r,), or None
        Rows without a prediction in any case.
    """

    rows: Array
    measure: Callable[[Array, Points], Array]
    vectors: Callable[[Array], Array]
    design: Callable[[Array], Array]
    label: Callable[[int], str] = str
    source: Callable[[Points], Beside | None] | None = None
    within: int | None = None
    unanswered: Array | None = None
    _beside: Kept[Beside | None] = field(default_factory=list, repr=False, compare=False)
    _missing: list[Array] = field(default_factory=list, init=False, repr=False, compare=False)
    _last: Kept[Array] = field(default_factory=list, init=False, repr=False, compare=False)
    _compared: Kept[Compared | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def missing(self) -> Array:
        """Rows without a prediction, bool (r,): rows with a missing value among the requested values, and unanswered rows."""
        known = [] if self.unanswered is None else [self.unanswered]
        return np.logical_or.reduce([*known, *self._missing]) if known or self._missing else np.zeros(len(self), bool)

    def dissimilarities(self, prototypes: Points) -> Array:
        """Dissimilarities (r, q) to the prototypes of a rule, in their order.

        A row with a missing value is noted in `missing`, and all its dissimilarities are set to 0, so no rule gets NaN. The last result
        is cached, so a rule that predicts several kinds computes them once.
        """
        return _once(self._last, prototypes, lambda: self._noted(np.asarray(self.measure(self.rows, prototypes))))

    def _noted(self, values: Array) -> Array:
        """Values (r, q) without NaN: rows that have some are noted in `missing`, and all of theirs are 0."""
        incomplete = np.asarray(np.isnan(values).any(axis=1))
        if not incomplete.any():
            return values
        self._missing.append(incomplete)
        return np.where(incomplete[:, None], 0.0, values)

    def beside(self, prototypes: Points) -> Beside | None:
        """The prototypes of a rule and the rows, if they have a source; the last result is cached, also for parts of the query."""
        source = self.source
        return None if source is None or len(prototypes) == 0 else _once(self._beside, prototypes, lambda: source(prototypes))

    @property
    def together(self) -> int:
        """The total number of rows to predict, block by block."""
        return len(self) if self.within is None else self.within

    def compared(self, prototypes: Points) -> Compared | None:
        """The rows and the prototypes of a rule, compared by a product, if available; the last result is cached."""
        beside = self.beside(prototypes)
        return None if beside is None else _once(self._compared, prototypes, lambda: beside.compared(self.rows))

    def nearest(self, prototypes: Points, k: int) -> Near:
        """For each row the prototypes up to the distance of the k-th nearest one, with those tied with it; all if there are fewer."""
        k, beside = min(k, len(prototypes)), self.beside(prototypes)
        near = None if beside is None else beside.nearest(self.rows, k, self.together)
        return nearest_of(self.dissimilarities(prototypes), k) if near is None else near

    def coordinates(self) -> Array:
        """Coordinates (r, p) in the space of the metric."""
        return self.vectors(self.rows)

    def columns(self) -> Array:
        """Columns (r, p) of the design matrix; 0 for a row without, which is noted in `missing`."""
        return self._noted(self.design(self.rows))

    def take(self, at: Array | slice) -> Query:
        """Some of the rows."""
        unanswered = None if self.unanswered is None else self.unanswered[at]
        return replace(self, rows=self.rows[at], within=self.together, unanswered=unanswered)

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
        """The rows in blocks, each with about 2^22 dissimilarities to this many prototypes; one empty block if there are no rows."""
        step = max(1, BLOCK // max(1, prototypes))
        for first in range(0, max(1, len(self)), step):
            yield self.take(slice(first, first + step))


def _once(kept: Kept[T], prototypes: Points, make: Callable[[], T]) -> T:
    """A value for the prototypes of a rule, which is cached until other prototypes are used."""
    if not kept or kept[0][0] is not prototypes:
        kept[:] = [(prototypes, make())]
    return kept[0][1]


SEARCHED = 2**22  # pairs from which on preparing a search pays
SCREENED = 2**18  # pairs from which on a product pays
FEW_OPEN = 0.1  # proportion of the prototypes that are sought up to which products leave few pairs to be measured


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

    def compared(self, rows: Array) -> Compared | None:
        """Some rows and the prototypes, compared by a product, if the source has one."""
        if self._screened is None:
            return None
        screening, side = self._screened
        return screening.only(rows, self.columns, side)

    def nearest(self, rows: Array, k: int, together: int) -> Near | None:
        """For some rows the prototypes up to the distance of the k-th nearest; None if computing all pairs is as fast.

        Parameters
        ----------
        rows : int array (r,)
        k : int, at most q
        together : int
            Number of rows of all calls together.
        """
        pairs = together * len(self.columns)
        if pairs > SEARCHED and self._space is not None:
            return self._space.nearest(rows, k)
        compared = self.compared(rows) if pairs > SCREENED and k <= max(1, FEW_OPEN * len(self.columns)) else None
        return None if compared is None else nearest_compared(compared, k)

    @cached_property
    def _space(self) -> Space | None:
        space = self.source.space
        return None if space is None else replace(space, candidates=space.candidates[self.columns])

    @cached_property
    def _screened(self) -> tuple[Screening, Side] | None:
        screening = self.source.screening
        if screening is None or not len(self.columns):
            return None
        return screening, screening.candidates[as_slice(self.columns)]


class Rule(Protocol):
    """A fitted rule in arrays and plain values; declared by `@savable`, so that files of fits can contain it.

    `predict(kind, query)` requests its inputs from the query: `dissimilarities(self.prototypes)`, `coordinates()` or `columns()`.
    The kinds "class" and "cover" return codes (r,), -1 for none, although "class" always names one; "nearest" returns positions among
    the prototypes (r,), -1 for none; "distance", "prob" and "decision" return arrays (r, classes), and the class has the largest
    "prob" and "decision". `prototypes` has at least one of each class if possible, as tables and plots show them. `size` is the method's
    measure of complexity, such as a number of prototypes, by which the 1-SE rule selects. `report` has entries for the printed fit and
    the summary, numbers and short texts by name; "objective" and "certificate" are reserved for values of `core.setcover.problems`.

    A rule that decides by the lowest of other distances than those of the metric has them as `distances` (`ByDistance`), and one that
    can be written as SQL has `sql` and `why_not_sql` (`InSQL`).
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

    `steps` has columns for `Fit.path`, each with an entry for the first 0, 1, ... steps; `walk` yields the class codes that
    these predict, and `first` is the rule of this many steps.
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
        classes = np.concatenate([p.classes for p in parts])
        if parts[0].at is not None:
            return Points(classes, at=np.concatenate([p.at for p in parts if p.at is not None]))
        return Points(classes, coords=np.concatenate([p.coords for p in parts if p.coords is not None]))

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
    """Predictions of a rule or path for rows, block by block on all processors; -1 or NaN for rows with a missing dissimilarity."""
    return answer_kinds(rule, (kind,), query)[0]


def answer_kinds(rule: Rule | Path, kinds: Sequence[str], query: Query) -> list[Array]:
    """Predictions of several kinds, which compare the rows of a block with the prototypes once; see `answer`."""
    q = len(rule.prototypes)
    blocks = each(partial(answer_block, rule, kinds), query.blocks(q), len(query) * q)
    return [np.concatenate(found) for found in zip(*blocks, strict=True)]


def answer_block(rule: Rule | Path, kinds: Sequence[str], block: Query) -> list[Array]:
    """Predictions of a rule or path of each kind for the rows of one block.

    If a dissimilarity turns out to be missing, the rule predicts the other rows again without this one, so that their predictions
    do not depend on it.
    """
    out = [np.asarray(rule.predict(kind, block)) for kind in kinds]
    lost = block.missing
    for i, kind in enumerate(kinds if lost.any() else ()):
        kept = out[i][~lost] if lost.all() else rule.predict(kind, block.take(~lost))
        out[i] = np.full_like(out[i], -1 if np.issubdtype(out[i].dtype, np.integer) else np.nan)
        out[i][~lost] = kept
    return out


def distances_by(rule: Rule, query: Query) -> Array:
    """The distances (r, q) of the rows of a query to the prototypes of a rule, as the rule compares them."""
    return rule.distances(query) if isinstance(rule, ByDistance) else query.dissimilarities(rule.prototypes)


def lost_by_steps(rule: Stepwise, query: Query, y: Array, w: Array) -> tuple[Array, float]:
    """Weight of the rows that the first 0, 1, 2, ... steps of a rule misclassify, and of all rows.

    Rows with a missing dissimilarity are counted in neither.
    """
    misclassified: Any = 0.0
    total, first = 0.0, 0
    for block in query.blocks(len(rule.prototypes)):
        part = slice(first, first + len(block))
        first += len(block)
        predicted = list(rule.walk(block))
        complete = ~block.missing
        truth, weight = y[part][complete], w[part][complete]
        misclassified = misclassified + np.array([weight @ (codes[complete] != truth) for codes in predicted])
        total += float(weight.sum())
    return np.asarray(misclassified), total


class Statement(Protocol):
    """Inputs of a rule that is written as SQL, as a `Query` has the inputs of its predictions.

    `label` is the constant of a class and `column` a column of the design matrix of the row. `nearest` is the class of the
    prototype at the lowest dissimilarity; ties go to the lowest `rank`. `votes` is the
    class with the largest weight among the `k` nearest prototypes and those tied with the k-th; ties go to the first. `most` is the
    class with the largest of some expressions; ties go to the first. Each is an SQL expression.
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
