"""Where dissimilarities come from: a matrix in memory, or tiles that are measured when they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from .coding import Coding
from .distances.screen import Screening
from .memory import check_fits
from .neighbours.search import Space
from .parallel import each
from .places import as_slice, gather
from .tiles import SIDE, TILE, Tiles, all_tiles, block_tiles

if TYPE_CHECKING:
    from .shards import Shards

Array = NDArray[Any]
Rep = tuple[Array, ...]  # arrays that share their first dimension: sliceable, concatenable, savable
S = TypeVar("S")
Local = Callable[[Array, Array, Array], tuple[Any, Any]]  # (rows, columns, tile) -> (stay, send)
Finish = Callable[[Array, Array, Any, Any], S]  # (rows, columns, stay, sum of send)


class Source(Protocol):
    """The n x m dissimilarities of n rows to m candidates, read in tiles.

    `scan(local, finish)` calls `local(rows, columns, tile) -> (stay, send)` on every tile and, once the `send` of all
    row parts of the same columns have been added up, `finish(rows, columns, stay, sum)`; it returns what `finish`
    returned, in the order of the columns. `take` returns the part of given rows and columns, `array` the complete matrix.

    What only compares with radii reads `codes`, uint8 (q, r) for q columns and r rows, which need not be measured exactly
    to be right; `tiles` are rows and columns that together have all pairs within one of the radii. `only` is the source of
    some of the candidates. `screening`, where there is one, compares pairs by a product; see `distances.screen`. `space`, where
    there is one, has the coordinates whose distances the dissimilarities are, if they are few. `shards` are the parts of the rows,
    where these are kept in several places.
    """

    @property
    def shape(self) -> tuple[int, int]: ...
    def scan(self, local: Local, finish: Finish[S]) -> list[S]: ...
    def take(self, rows: Array, columns: Array) -> Array: ...
    def array(self) -> Array: ...
    def tiles(self, coding: Coding) -> Tiles: ...
    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array: ...
    def only(self, columns: Array) -> Source: ...
    @property
    def screening(self) -> Screening | None: ...
    @property
    def space(self) -> Space | None: ...
    @property
    def shards(self) -> Shards | None: ...


def part(rep: Rep, at: Array | slice) -> Rep:
    """The rows `at` of a representation."""
    return tuple(a[at] for a in rep)


@dataclass(frozen=True)
class Held:
    """A matrix in memory."""

    values: Array
    screening: ClassVar[None] = None
    space: ClassVar[None] = None
    shards: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def scan(self, local: Local, finish: Finish[S]) -> list[S]:
        return _scan(self.shape, lambda columns: self.values[:, columns[0] : columns[-1] + 1], local, finish)

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, self.values.itemsize)
        return gather(self.values, rows, columns)

    def array(self) -> Array:
        return self.values

    def tiles(self, coding: Coding) -> Tiles:
        return all_tiles(*self.shape)

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        if len(rows) == len(self.values) and isinstance(as_slice(rows), slice):  # all rows in their order
            return coding(self.values[:, as_slice(columns)])
        return coding(self.take(rows, columns))

    def only(self, columns: Array) -> Source:
        return Part(self, np.arange(self.shape[0]), columns)


@dataclass(frozen=True)
class Streamed:
    """Tiles of all rows and some columns, measured each time they are read; no n x m matrix is held."""

    between: Callable[[Rep, Rep], Array]
    rows: Rep
    candidates: Rep
    cure: str = "give fewer rows, or more memory"
    screening: ClassVar[None] = None
    space: ClassVar[None] = None
    shards: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.candidates[0])

    def scan(self, local: Local, finish: Finish[S]) -> list[S]:
        return _scan(self.shape, lambda columns: self.between(self.rows, part(self.candidates, columns)), local, finish)

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, 8)
        return self.between(part(self.rows, rows), part(self.candidates, columns))

    def array(self) -> Array:
        n, m = self.shape
        raise TooLarge(
            f"this needs the complete {n} x {m} matrix of dissimilarities, which is not held in memory: {self.cure}"
        )

    def tiles(self, coding: Coding) -> Tiles:
        n, m = self.shape  # a metric may copy the rows that it measures: of many rows some at a time
        return block_tiles(n, m) if n * SIDE > TILE else all_tiles(n, m)

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        return coding(self.take(rows, columns))

    def only(self, columns: Array) -> Source:
        return Part(self, np.arange(self.shape[0]), columns)


@dataclass(frozen=True)
class Part:
    """Some rows and columns of a Source, measured only when they are read."""

    source: Source
    rows: Array
    columns: Array
    screening: ClassVar[None] = None
    space: ClassVar[None] = None
    shards: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def scan(self, local: Local, finish: Finish[S]) -> list[S]:
        return _scan(self.shape, lambda columns: self.source.take(self.rows, self.columns[columns]), local, finish)

    def take(self, rows: Array, columns: Array) -> Array:
        return self.source.take(self.rows[rows], self.columns[columns])

    def array(self) -> Array:
        return self.take(np.arange(self.shape[0]), np.arange(self.shape[1]))

    def tiles(self, coding: Coding) -> Tiles:
        return all_tiles(*self.shape)

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        return self.source.codes(self.rows[rows], self.columns[columns], coding)

    def only(self, columns: Array) -> Source:
        return Part(self.source, self.rows, self.columns[columns])


def check_size(rows: Array, columns: Array, bytes_each: int) -> None:
    cure = "use fewer rows (data.sample(...)), candidates= a number of them, or more memory"
    size = len(rows) * len(columns) * bytes_each
    check_fits(size, f"{len(rows)} x {len(columns)} dissimilarities, read at once, take", cure)


def _scan(shape: tuple[int, int], values: Callable[[Array], Array], local: Local, finish: Finish[S]) -> list[S]:
    """Scan tiles of all rows and some columns on threads."""
    n, m = shape
    rows, width = np.arange(n), max(1, TILE // max(n, 1))

    def tile(first: int) -> S:
        columns = np.arange(first, min(first + width, m))
        return finish(rows, columns, *local(rows, columns, values(columns)))

    return list(each(tile, range(0, m, width), n * m))
