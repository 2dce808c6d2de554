"""Dissimilarities that follow from distances between coordinates: compared by products, and far tiles never measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from . import Array
from .coding import SIDE, Coding, Tiles, as_slice, block_tiles, gather, half_tiles, near_tiles, share_near
from .distances.boxes import Blocks, blocks_of
from .distances.minkowski import Geometry, minkowski, the_same
from .distances.screen import Screening, screen
from .histogram import Histogram, Pairs, near_histogram
from .neighbours.search import Space
from .parallel import Once
from .sources import Held, Source, Streamed, part

BLOCK = 128  # rows of a block whose box is known
MOST_COLUMNS = 32  # boxes of more columns hardly ever lie apart
WORTH = 0.35  # proportion of near pairs of blocks below which skipping is faster, also against half of a symmetric matrix
SHOWN = 20_000  # rows that show it before a fit
LONG = 2**26  # coordinates
LOOKED_AT = 64  # blocks of candidates in a sample that estimates this proportion


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
    _blocks: Once[tuple[Blocks, Blocks] | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # several threads may be the first to use these
        object.__setattr__(self, "_screen", Once(self._find_screen))
        object.__setattr__(self, "_blocks", Once(self._find_blocks))

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

    def tiles(self, coding: Coding) -> Tiles:
        n, m = self.shape
        reach = self._reach(coding)
        blocks = self._blocks() if self._may_skip(reach[-1]) else None
        if blocks is not None:
            rows, candidates = blocks
            if share_near(rows, candidates, self.geometry.r, reach[-1], LOOKED_AT) < WORTH:
                return near_tiles(rows, candidates, self.geometry.r, reach)
        return half_tiles(n) if self.symmetric else block_tiles(n, m)

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

    def histogram(self, pairs: Pairs, near: bool) -> Histogram:
        screening = self.screening if near and pairs.weights is None else None
        return super().histogram(pairs, near) if screening is None else near_histogram(self, pairs, screening)

    @property
    def screening(self) -> Screening | None:
        return self._screen() if self.geometry.value is the_same else None

    @cached_property
    def space(self) -> Space | None:
        X, Z = self._sides
        useful = self.geometry.value is the_same and X.shape[1] <= MOST_COLUMNS and self._bounded
        return Space(X, Z, self.geometry.r) if useful else None

    def _reach(self, coding: Coding) -> Array:
        return self.geometry.reach(coding.coder(self._sides[0].dtype).radii)

    @property
    def _sides(self) -> tuple[Array, Array]:
        return self.streamed.rows[0], self.streamed.candidates[0]

    @cached_property
    def _bounded(self) -> bool:
        """Whether no distance within a box around all rows and candidates is beyond all numbers."""
        X, Z = self._sides
        with np.errstate(over="ignore"):
            box = np.maximum(X.max(axis=0), Z.max(axis=0)) - np.minimum(X.min(axis=0), Z.min(axis=0))
            distance = minkowski(box[None], np.zeros_like(box)[None], self.geometry.r)
            return bool(np.isfinite(self.geometry.value(distance)).all())

    def _may_skip(self, reach: float) -> bool:
        """Whether far tiles may be worth finding: of long arrays, which are slow to sort into blocks, some rows show it."""
        X, Z = self._sides
        if X.size <= LONG or X.shape[1] > MOST_COLUMNS or not self._bounded:
            return True
        rows = _some_blocks(X)
        candidates = rows if self.symmetric else blocks_of(Z, BLOCK)
        return share_near(rows, candidates, self.geometry.r, reach, LOOKED_AT) < WORTH

    def _find_screen(self) -> Screening | None:
        X, Z = self._sides
        return screen(X, X if self.symmetric else Z, self.matrix is not None) if self.geometry.r == 2 else None

    def _find_blocks(self) -> tuple[Blocks, Blocks] | None:
        X, Z = self._sides
        if X.shape[1] > MOST_COLUMNS or len(X) <= SIDE or not self._bounded:
            return None
        rows = blocks_of(X, BLOCK)
        return rows, rows if self.symmetric else blocks_of(Z, BLOCK)


def _some_blocks(X: Array) -> Blocks:
    """Some rows (n, p), evenly taken, in blocks of as many fewer rows, whose boxes are as large."""
    sample = X[:: max(1, len(X) // SHOWN)]
    return blocks_of(sample, max(1, BLOCK * len(sample) // len(X)))
