"""Sources of dissimilarities: a matrix in memory, or tiles that are computed when they are used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..ground.errors import TooLarge
from . import Array
from .coding import SIDE, TILE, Coding, Tile, all_tiles, as_slice, block_tiles, gather
from .distances.screen import Screening
from .memory import check_fits
from .neighbours.search import Near, Space
from .parallel import each

Rep = tuple[Array, ...]  # arrays that share their first dimension: sliceable, concatenable, savable
S = TypeVar("S")


class Source(ABC):
    """The n x m dissimilarities of n rows to m candidates, read in tiles.

    `scan` maps over tiles of all rows and some columns; `take` returns the part of given rows and columns, `array` the complete
    matrix. Functions that only compare with radii use `codes`, uint8 (q, r) for q columns and r rows, which need no exact
    computation, tile by tile of `tiles`; `near` has the pairs within the radii if these are few. `only` is the source of
    some of the candidates.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    @abstractmethod
    def take(self, rows: Array, columns: Array) -> Array: ...

    def array(self) -> Array:
        return self.take(np.arange(self.shape[0]), np.arange(self.shape[1]))

    def strip(self, columns: Array) -> Array:
        """All rows of consecutive columns."""
        return self.take(np.arange(self.shape[0]), columns)

    def scan(self, work: Callable[[Array, Array, Array], S]) -> Iterator[S]:
        """`work(rows, columns, tile)` for each tile of all rows and some columns, on threads, in order."""
        n, m = self.shape
        rows, width = np.arange(n), max(1, TILE // max(n, 1))

        def of_tile(first: int) -> S:
            columns = np.arange(first, min(first + width, m))
            return work(rows, columns, self.strip(columns))

        return each(of_tile, range(0, m, width), n * m)

    def tiles(self) -> Iterator[Tile]:
        return all_tiles(*self.shape)

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        return coding(self.take(rows, columns))

    def only(self, columns: Array) -> Source:
        return Submatrix(self, np.arange(self.shape[0]), columns)

    def near(self, coding: Coding, most: float) -> Near | None:
        """For each candidate the rows within the largest radius, and others hardly farther; None if they are not known to be at most
        about `most` pairs."""
        return None

    @property
    def screening(self) -> Screening | None:
        """The screen that compares pairs by a product, if there is one; see `distances.screen`."""
        return None

    @property
    def space(self) -> Space | None:
        """The coordinates whose distances the dissimilarities are, if there are some, and few."""
        return None


def part(rep: Rep, at: Array | slice) -> Rep:
    """The rows `at` of a representation."""
    return tuple(a[at] for a in rep)


@dataclass(frozen=True)
class Held(Source):
    """A matrix in memory."""

    values: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.values.shape[0], self.values.shape[1]

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, self.values.itemsize)
        return gather(self.values, rows, columns)

    def array(self) -> Array:
        return self.values

    def strip(self, columns: Array) -> Array:
        return self.values[:, columns[0] : columns[-1] + 1]

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        if len(rows) == len(self.values) and isinstance(as_slice(rows), slice):  # all rows in their order
            return coding(self.values[:, as_slice(columns)])
        return coding(self.take(rows, columns))


@dataclass(frozen=True)
class Streamed(Source):
    """Tiles of all rows and some columns, computed at each use; the n x m matrix is never stored."""

    between: Callable[[Rep, Rep], Array]
    rows: Rep
    candidates: Rep
    cure: str = "give fewer rows, or more memory"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.candidates[0])

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, 8)
        return self.between(part(self.rows, rows), part(self.candidates, columns))

    def array(self) -> Array:
        n, m = self.shape
        raise TooLarge(f"this needs the complete {n} x {m} matrix of dissimilarities, which is not in memory: {self.cure}")

    def strip(self, columns: Array) -> Array:
        return self.between(self.rows, part(self.candidates, columns))

    def tiles(self) -> Iterator[Tile]:
        n, m = self.shape  # a metric may copy the rows that it measures: of many rows some at a time
        return block_tiles(n, m) if n * SIDE > TILE else all_tiles(n, m)


@dataclass(frozen=True)
class Submatrix(Source):
    """Some rows and columns of a Source, computed only when they are used."""

    source: Source
    rows: Array
    columns: Array

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    def take(self, rows: Array, columns: Array) -> Array:
        return self.source.take(self.rows[rows], self.columns[columns])

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        return self.source.codes(self.rows[rows], self.columns[columns], coding)

    def only(self, columns: Array) -> Source:
        return Submatrix(self.source, self.rows, self.columns[columns])


def check_size(rows: Array, columns: Array, bytes_each: int) -> None:
    cure = "use fewer rows (data.sample(...)), candidates= a number of them, or more memory"
    size = len(rows) * len(columns) * bytes_each
    check_fits(size, f"{len(rows)} x {len(columns)} dissimilarities, loaded together, need", cure)
