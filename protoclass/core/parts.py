"""Rows in several parts, each stored in one place: work is sent to them, and the results are small.

`Parts` is the storage of the rows. Algorithms use a `PartedSource` as any other `Source`, or send their own work to the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import uuid4

import numpy as np

from ..ground.errors import TooLarge
from . import Array
from .coding import Coding
from .histogram import Histogram, Pairs, Values, added, joined
from .memory import check_fits
from .query import answer_kinds, candidate_query
from .sources import Rep, Source, check_size, part

if TYPE_CHECKING:
    from .task import Path, Rule

T = TypeVar("T")


@dataclass(frozen=True)
class Rows:
    """One part of the rows, in the process that stores it."""

    first: int  # the number of its first row among all rows; they are consecutive
    rep: Rep  # side i of D[i, j]
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.rep[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.first, self.rep)  # cached values stay where they were computed

    def kept(self, name: str, key: Any) -> Any | None:
        """What was kept last under a name, if it was for this key."""
        known = self._kept.get(name)
        return known[1] if known is not None and known[0] == key else None

    def keep(self, name: str, key: Any, value: T) -> T:
        """Cache a value with the rows under a name, as long as the rows exist, and only in this process."""
        self._kept[name] = key, value
        return value


class Parts(Protocol):
    """All rows, in consecutive parts."""

    @property
    def bounds(self) -> Array:
        """The number of the first row of each part, and of all rows: int (parts + 1,)."""
        ...

    def map(self, work: Callable[..., Any], *shared: Any, each: Sequence[tuple[Any, ...] | None] | None = None) -> list[Any]:
        """`work(part, *each[s], *shared)` of every part s, in the process that stores it; `work` is a function of a module.

        A part for which `each` has None does no work, and returns None. Work may be repeated for the same part, also elsewhere,
        if a worker is lost: so it returns the same for the same arguments, and values cached between calls (`Rows.keep`) can be
        computed again, or the answer is that they are unknown. Values `shared` by several calls are the same object in each, so that
        it may be sent once.
        """
        ...


def ask(parts: Parts, work: Callable[..., Array], rows: Array, *shared: Any) -> Array:
    """What `work(part, at, *shared)` gives for rows `at` of each part, joined in the order of `rows`."""
    part_of = np.searchsorted(parts.bounds, rows, side="right") - 1
    places = [np.flatnonzero(part_of == s) for s in range(len(parts.bounds) - 1)]
    each = [(rows[at] - first,) if len(at) else None for at, first in zip(places, parts.bounds, strict=False)]
    if not len(rows):
        each[0] = (rows,)  # work on no rows still has the right shape
    found = [(at, result) for at, result in zip(places, parts.map(work, *shared, each=each), strict=True) if result is not None]
    out = np.empty((len(rows), *found[0][1].shape[1:]), np.result_type(*(result.dtype for _, result in found)))
    for at, result in found:
        out[at] = result
    return out


@dataclass(frozen=True, eq=False)
class PartedArray:
    """One array of a representation of rows in several parts; rows that are used are copied to this process."""

    parts: Parts
    which: int  # its place in the representation
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __getitem__(self, at: Any) -> Array:
        """Some of the rows (positions, a slice, or a bool array)."""
        rows = np.arange(len(self))[at]
        size = len(rows) * prod(self.shape[1:]) * self.dtype.itemsize
        check_fits(size, f"{len(rows)} remote rows need", "load fewer of them")
        return ask(self.parts, _rows, rows, self.which)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)


def parted_rep(parts: Parts) -> tuple[PartedArray, ...]:
    """The representation of all rows."""
    like, n = parts.map(_rows_like)[0], int(parts.bounds[-1])
    return tuple(PartedArray(parts, k, (n, *tail), dtype) for k, (tail, dtype) in enumerate(like))


def parts_of(rep: Any) -> Parts | None:
    """Where the rows of a representation are kept, None if they are here."""
    return rep[0].parts if len(rep) and isinstance(rep[0], PartedArray) else None


def _rows(rows: Rows, at: Array, which: int) -> Array:
    return rows.rep[which][at]


def _rows_like(rows: Rows) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
    return [(a.shape[1:], a.dtype) for a in rows.rep]


@dataclass(frozen=True, eq=False)
class Measure:
    """How each part compares its rows with the candidates. It is sent to all parts, once."""

    candidates: Rep  # side j of D[i, j]
    beside: Callable[[Rep, Rep], Source]  # the source of some rows and candidates; it can be pickled
    key: str  # name by which a part recognises its cached values

    def source(self, rows: Rows) -> Source:
        """The source of a part, which keeps it."""
        known: Source | None = rows.kept("source", self.key)
        return known if known is not None else rows.keep("source", self.key, self.beside(rows.rep, self.candidates))


@dataclass(frozen=True, eq=False)
class PartedSource(Source):
    """The dissimilarities of rows in several parts to candidates that all parts have.

    Few of them can be copied to this process. Functions of all of them are computed by the parts.
    """

    parts: Parts = field()
    measure: Measure

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.parts.bounds[-1]), len(self.measure.candidates[0])

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, 8)
        return ask(self.parts, _take, rows, self.measure, columns)

    def array(self) -> Array:
        n, m = self.shape
        raise TooLarge(
            f"this needs the complete matrix of dissimilarities of {n} rows to {m} candidates in one place, but the rows are in several: "
            "use method='pvm', or load a sample of the rows"
        )

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        check_size(rows, columns, 1)
        return np.ascontiguousarray(ask(self.parts, _codes, rows, self.measure, columns, coding).T, np.uint8)

    def only(self, columns: Array) -> PartedSource:
        return parted_source(self.parts, part(self.measure.candidates, columns), self.measure.beside)

    def histogram(self, pairs: Pairs, near: bool) -> Histogram:
        return _PartedHistogram(self, pairs)  # whose bins are bins of exact values, because approximations differ between parts


def parted_source(parts: Parts, candidates: Rep, beside: Callable[[Rep, Rep], Source]) -> PartedSource:
    """The source of rows in several parts; `beside(rows, candidates)` is the source of the rows of one part, and can be pickled."""
    return PartedSource(parts, Measure(candidates, beside, uuid4().hex))


def _take(rows: Rows, at: Array, measure: Measure, columns: Array) -> Array:
    return measure.source(rows).take(at, columns)


def _codes(rows: Rows, at: Array, measure: Measure, columns: Array, coding: Coding) -> Array:
    return measure.source(rows).codes(at, columns, coding).T


class _PartedHistogram(Histogram):
    source: PartedSource

    @cached_property
    def counts(self) -> Array:
        return added(self._asked(_count))

    def values_in(self, needed: Array) -> Values:
        return joined(self._asked(_values_in, needed))

    def _asked(self, work: Callable[..., Any], *shared: Any) -> list[Any]:
        """The answers of the parts that have rows."""
        parts = self.source.parts
        each = [() if size else None for size in np.diff(parts.bounds)]
        found = parts.map(work, self.source.measure, self.pairs, *shared, each=each)
        return [result for result in found if result is not None]


def _count(rows: Rows, measure: Measure, pairs: Pairs) -> Array:
    return _histogram(rows, measure, pairs).counts


def _values_in(rows: Rows, measure: Measure, pairs: Pairs, needed: Array) -> Values:
    """The distinct values, with the number of pairs that have them, which is large for whole numbers."""
    values, times = np.unique(_histogram(rows, measure, pairs).values_in(needed)[0], return_counts=True)
    return values, times


def _histogram(rows: Rows, measure: Measure, pairs: Pairs) -> Histogram:
    return measure.source(rows).histogram(replace(pairs, same=pairs.same - rows.first), near=False)


def answers(source: PartedSource, rule: Rule | Path, kinds: Sequence[str], rows: Array) -> list[Array]:
    """Predictions of a rule or path of each kind, with candidates as prototypes, for some rows, computed by the parts that store them.

    Codes and positions are of the smallest type of int8, int16 and int64 that has them.
    """
    return list(np.moveaxis(ask(source.parts, _answer, rows, source.measure, rule, kinds), 1, 0))


def _answer(rows: Rows, at: Array, measure: Measure, rule: Rule | Path, kinds: Sequence[str]) -> Array:
    """Codes and positions (r, kinds, ...) in as few bytes as they need."""
    said = np.stack(answer_kinds(rule, kinds, candidate_query(measure.source(rows), at)), axis=1)
    if said.dtype.kind not in "iu":
        return said
    low, high = int(said.min(initial=0)), int(said.max(initial=0))
    types = (np.int8, np.int16)
    return said.astype(next((t for t in types if np.iinfo(t).min <= low and high <= np.iinfo(t).max), np.int64))
