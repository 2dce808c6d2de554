"""Dissimilarities of rows that are kept in several places to candidates that all places have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..errors import TooLarge
from .coding import Coding
from .shards import Rows, Shards
from .sources import Finish, Local, Rep, Source, check_size, part
from .tiles import Tiles, all_tiles

Array = NDArray[Any]
S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class Measure:
    """How each place compares its rows with the candidates. It is sent to all places, once.

    Attributes
    ----------
    candidates : representation (m rows)
        Side j of D[i, j].
    beside : callable
        `beside(rows, candidates)`: the source of some rows, which can be pickled.
    key : str
        Names it, so that a place knows whether what it keeps belongs to it.
    """

    candidates: Rep
    beside: Callable[[Rep, Rep], Source]
    key: str

    def source(self, rows: Rows) -> Source:
        """The source of a place, which keeps it."""
        known: Source | None = rows.kept("source", self.key)
        return known if known is not None else rows.keep("source", self.key, self.beside(rows.rep, self.candidates))


@dataclass(frozen=True, eq=False)
class ShardedSource:
    """The dissimilarities of all rows, in consecutive parts, to the candidates.

    Few of them can be taken to where this is. What reads all of them is asked of the parts.

    Attributes
    ----------
    shards : Shards
    measure : Measure
    """

    shards: Shards
    measure: Measure
    screening: ClassVar[None] = None
    space: ClassVar[None] = None

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.shards.bounds[-1]), len(self.measure.candidates[0])

    def scan(self, local: Local, finish: Finish[S]) -> list[S]:
        raise self._too_large("all dissimilarities")

    def array(self) -> Array:
        raise self._too_large("the complete matrix of dissimilarities")

    def _too_large(self, what: str) -> TooLarge:
        n, m = self.shape
        return TooLarge(
            f"this needs {what} of {n} rows to {m} candidates in one place, and the rows are kept in several: use method='pvm', "
            "or bring a sample of the rows to one place"
        )

    def place(self, rows: Array) -> Array:
        """The part that has each row, int (r,)."""
        return np.asarray(np.searchsorted(self.shards.bounds, rows, side="right") - 1)

    def take(self, rows: Array, columns: Array) -> Array:
        check_size(rows, columns, 8)
        return self._gathered(_take, rows, columns)

    def _gathered(self, work: Callable[..., Array | None], rows: Array, columns: Array, *shared: Any) -> Array:
        """What `work` gives for the rows of each place, (r, q)."""
        bounds, place = self.shards.bounds, self.place(rows)
        asked = [(rows[place == s] - bounds[s],) for s in range(len(bounds) - 1)]
        answers = self.shards.map(work, asked, (self.measure, columns, *shared))
        found = [(s, values) for s, values in enumerate(answers) if values is not None]
        out = np.empty((len(rows), len(columns)), found[0][1].dtype if found else float)
        for s, values in found:
            out[place == s] = values
        return out

    def tiles(self, coding: Coding) -> Tiles:
        return all_tiles(*self.shape)

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        check_size(rows, columns, 1)
        codes = self._gathered(_codes, rows, columns, coding.radii, coding.fine)
        return np.ascontiguousarray(codes.T, np.uint8)

    def only(self, columns: Array) -> ShardedSource:
        return sharded(self.shards, part(self.measure.candidates, columns), self.measure.beside)


def sharded(shards: Shards, candidates: Rep, beside: Callable[[Rep, Rep], Source]) -> ShardedSource:
    """The source of rows in several places.

    Parameters
    ----------
    shards : Shards
    candidates : representation (m rows)
    beside : callable
        `beside(rows, candidates)`: the source of the rows of one place; it can be pickled.
    """
    return ShardedSource(shards, Measure(candidates, beside, uuid4().hex))


def _take(rows: Rows, at: Array, measure: Measure, columns: Array) -> Array | None:
    return measure.source(rows).take(at, columns) if len(at) else None


def _codes(rows: Rows, at: Array, measure: Measure, columns: Array, radii: Array, fine: int) -> Array | None:
    if not len(at):
        return None
    key = radii.tobytes(), fine
    coding: Coding | None = rows.kept("coding", key)
    coding = coding if coding is not None else rows.keep("coding", key, Coding(radii, fine))
    return measure.source(rows).codes(at, columns, coding).T
