"""Sources of dissimilarities: a matrix in memory, or tiles that are computed when they are used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from ..ground.errors import TooLargeError
from . import Array
from .coding import TILE, Coding, Tile, as_slice, block_tiles, gather, half_tiles
from .distances.minkowski import Geometry, minkowski
from .distances.near import Space
from .distances.screen import Screening, screen
from .memory import check_fits
from .parallel import Once, each
from .thresholds import MOST_COLUMNS

Rep = tuple[Array, ...]  # arrays that share their first dimension: sliceable, concatenable, savable
S = TypeVar("S")


class Source(ABC):
    """The n x m dissimilarities of n rows to m candidates, read in tiles.

    `each_tile` is the loop over tiles, `scan` that over columns for methods; `take` returns the
    part of given rows and columns, `array` the
    complete matrix. Functions that only compare with radii use `codes`, uint8 (q, r) for q columns
    and r rows, which need no exact computation. `hold` computes once what several scans use, if
    memory allows it. `only` is the source of some of the candidates.

    Attributes
    ----------
    screening : Screening, or None
        The screen that compares pairs by a product; see `distances.screen`.
    space : Space, or None
        The coordinates that the dissimilarities follow from, if there are some, and so few that a
        tree can search them.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    @abstractmethod
    def take(self, rows: Array, columns: Array) -> Array:
        """The dissimilarities between these rows and these columns (candidates), as an array."""

    def array(self) -> Array:
        return self.take(np.arange(self.shape[0]), np.arange(self.shape[1]))

    def scan(self, work: Callable[[Array, Array, Array], S]) -> Iterator[S]:
        """`work(rows, columns, values)` for all rows and some columns at a time, on threads, in order."""
        n, m = self.shape
        rows, width = np.arange(n), max(1, TILE // max(n, 1))

        def of_columns(first: int) -> S:
            columns = np.arange(first, min(first + width, m))
            return work(rows, columns, self.take(rows, columns))

        return each(of_columns, range(0, m, width), n * m)

    def each_tile(self, work: Callable[[Tile], S]) -> Iterator[S]:
        """`work(tile)` for each tile, on threads, in order."""
        n, m = self.shape
        return each(work, self.tiles(), n * m)

    def tiles(self) -> Iterator[Tile]:
        return block_tiles(*self.shape)

    def hold(self) -> None:
        return

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        return coding(self.take(rows, columns))

    def only(self, columns: Array) -> Source:
        return Submatrix(self, np.arange(self.shape[0]), columns)

    @property
    def screening(self) -> Screening | None:
        return None

    @property
    def space(self) -> Space | None:
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


@dataclass(frozen=True)
class Streamed(Source):
    """Tiles that are computed at each use; the n x m matrix is never stored."""

    between: Callable[[Rep, Rep], Array]
    rows: Rep
    candidates: Rep
    cure: str = "give fewer rows, or more memory"

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.candidates[0])

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, 8)
        return self.between(
            part(self.rows, as_slice(rows)), part(self.candidates, as_slice(columns))
        )

    def array(self) -> Array:
        n, m = self.shape
        raise TooLargeError(
            f"this needs the complete {n} x {m} matrix of dissimilarities, which is not in memory: {self.cure}"
        )


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


@dataclass(frozen=True)
class Spatial(Source):
    """Dissimilarities that follow from distances between coordinates, whose tiles are compared
    without exact computation.

    Attributes
    ----------
    streamed : Streamed
        Exact dissimilarities, computed when they are used.
    geometry : Geometry
        Relation of the dissimilarities to distances between the first arrays of both
        representations.
    symmetric : bool
        Whether the candidates are the rows, in their order.
    matrix : Once of array (n, m), or None
        Complete matrix, computed at its first use; None if memory does not allow it.
    """

    streamed: Streamed
    geometry: Geometry
    symmetric: bool
    matrix: Once[Array] | None
    _screen: Once[Screening | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # several threads may be the first to use it
        object.__setattr__(self, "_screen", Once(self._find_screen))

    @property
    def shape(self) -> tuple[int, int]:
        return self.streamed.shape

    def take(self, rows: Array, columns: Array) -> Array:
        known = self.matrix is not None and self.matrix.known
        return (self._exact if known else self.streamed).take(rows, columns)

    def array(self) -> Array:
        return self._exact.array()

    def hold(self) -> None:
        if self.matrix is not None:
            self.matrix()

    @property
    def _exact(self) -> Source:
        return self.streamed if self.matrix is None else Held(self.matrix())

    def tiles(self) -> Iterator[Tile]:
        return half_tiles(self.shape[0]) if self.symmetric else super().tiles()

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        screening, dtype = self._screen(), self._sides[0].dtype
        codes = (
            None
            if screening is None
            else screening.tile(rows, columns).codes(self.geometry.reach(coding.reach(dtype)))
        )
        return super().codes(rows, columns, coding) if codes is None else codes

    def only(self, columns: Array) -> Spatial:
        candidates = part(self.streamed.candidates, columns)
        return Spatial(replace(self.streamed, candidates=candidates), self.geometry, False, None)

    @property
    def screening(self) -> Screening | None:
        return self._screen() if self.geometry.is_distance else None

    @property
    def space(self) -> Space | None:
        X, Z = self._sides
        if X.shape[1] > MOST_COLUMNS:
            return None
        # no distance in the box around all rows and candidates may be beyond all numbers
        with np.errstate(over="ignore"):
            box = np.maximum(X.max(axis=0), Z.max(axis=0)) - np.minimum(
                X.min(axis=0), Z.min(axis=0)
            )
            longest = self.geometry.value(
                minkowski(box[None], np.zeros_like(box)[None], self.geometry.r)
            )
        return Space(X, Z, self.geometry) if np.isfinite(longest).all() else None

    @property
    def _sides(self) -> tuple[Array, Array]:
        return self.streamed.rows[0], self.streamed.candidates[0]

    def _find_screen(self) -> Screening | None:
        X, Z = self._sides
        return (
            screen(X, X if self.symmetric else Z, self.matrix is not None)
            if self.geometry.r == 2
            else None
        )


def check_size(rows: Array, columns: Array, bytes_each: int) -> None:
    cure = "use fewer rows (data.sample(...)), candidates= a number of them, or more memory"
    size = len(rows) * len(columns) * bytes_each
    check_fits(size, f"{len(rows)} x {len(columns)} dissimilarities, loaded together, need", cure)
