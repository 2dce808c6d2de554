"""Dissimilarities that follow from distances between coordinates: compared by products, and in few dimensions by a k-d tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from . import Array
from .coding import Coding, Tile, as_slice, block_tiles, gather, half_tiles
from .distances.minkowski import Geometry, minkowski, the_same
from .distances.screen import NARROWEST, Screening, screen
from .neighbours.search import Near, Space
from .parallel import Once
from .sources import Held, Source, Streamed, part


@dataclass(frozen=True)
class Spatial(Source):
    """Tiles that are compared without exact computation, if that is enough.

    Attributes
    ----------
    streamed : Streamed
        Exact dissimilarities, computed when they are used.
    geometry : Geometry
        Relation of the dissimilarities to distances between the first arrays of both representations.
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
        object.__setattr__(self, "_screen", Once(self._find_screen))  # several threads may be the first to use it

    @property
    def shape(self) -> tuple[int, int]:
        return self.streamed.shape

    def strip(self, columns: Array) -> Array:
        return self._exact.strip(columns)

    def take(self, rows: Array, columns: Array) -> Array:
        if self.matrix is not None and self.matrix.known:
            return gather(self.matrix(), rows, columns)
        return self.streamed.take(rows, columns)

    def array(self) -> Array:
        return self._exact.array()

    @property
    def _exact(self) -> Held | Streamed:
        return self.streamed if self.matrix is None else Held(self.matrix())

    def tiles(self) -> Iterator[Tile]:
        n, m = self.shape
        return half_tiles(n) if self.symmetric else block_tiles(n, m)

    def near(self, coding: Coding, most: float) -> Near | None:
        X, Z = self._sides
        if not self._is_flat:
            return None
        near = Space(Z, X, self.geometry.r).near(self._reach(coding)[-1], most)
        return None if near is None else replace(near, distance=self.geometry.value(near.distance))

    def codes(self, rows: Array, columns: Array, coding: Coding) -> Array:
        screening = self._screen()
        if screening is not None:
            codes = screening.codes(rows, columns, self._reach(coding))
            if codes is not None:
                return codes
        if not self._bounded:
            return self._exact.codes(rows, columns, coding)  # which names a pair whose distance is infinite
        X, Z = self._sides
        values = self.geometry.value(minkowski(Z[as_slice(columns)], X[as_slice(rows)], self.geometry.r))
        return coding.coder(values.dtype).along(values)

    def only(self, columns: Array) -> Spatial:
        rows, candidates = self.streamed.rows, part(self.streamed.candidates, columns)
        return Spatial(replace(self.streamed, rows=rows, candidates=candidates), self.geometry, False, None)

    @property
    def screening(self) -> Screening | None:
        return self._screen() if self.geometry.value is the_same else None

    @property
    def space(self) -> Space | None:
        return Space(*self._sides, self.geometry.r) if self.geometry.value is the_same and self._is_flat else None

    @property
    def _is_flat(self) -> bool:
        """Whether the dimensions are few enough for a tree."""
        return self._sides[0].shape[1] < NARROWEST and self._bounded

    def _reach(self, coding: Coding) -> Array:
        return self.geometry.reach(coding.coder(self._sides[0].dtype).radii)

    @property
    def _sides(self) -> tuple[Array, Array]:
        return self.streamed.rows[0], self.streamed.candidates[0]

    @cached_property
    def _bounded(self) -> bool:
        return bounded(*self._sides, self.geometry)

    def _find_screen(self) -> Screening | None:
        X, Z = self._sides
        return screen(X, X if self.symmetric else Z, self.matrix is not None) if self.geometry.r == 2 else None


def bounded(X: Array, Z: Array, geometry: Geometry) -> bool:
    """Whether no distance within a box around all rows (n, p) and candidates (m, p) is beyond all numbers."""
    with np.errstate(over="ignore"):
        box = np.maximum(X.max(axis=0), Z.max(axis=0)) - np.minimum(X.min(axis=0), Z.min(axis=0))
        distance = minkowski(box[None], np.zeros_like(box)[None], geometry.r)
        return bool(np.isfinite(geometry.value(distance)).all())
