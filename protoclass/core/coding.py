"""Dissimilarities coded by radii, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from . import Array
from .parallel import Once, each, few, kernel

MOST_RADII = 254  # radii in one byte
COMPARE = 255  # in place of the code of a bin that holds a radius: its values are compared
LOG_BINS = 19  # log2 of the number of bins: hundreds for each power of two


class Coding:
    """A grid of radii by which dissimilarities are coded: the number of radii with d >= radius, at most 254 in a byte.

    Floats are sorted into bins by their leading bits. All values of a bin without a radius have the
    same code, which is looked up in a table. Values are compared only in bins that contain a
    radius.

    Attributes
    ----------
    radii : float array (K,), ascending
    """

    def __init__(self, radii: Array) -> None:
        self.radii = np.asarray(radii, float)
        self._tables = {
            dtype: Once(partial(self._table, dtype)) for dtype in (np.float32, np.float64)
        }

    def reach(self, dtype: Any) -> Array:
        """The smallest numbers of a precision that are not below the radii: d < radius and d <
        reach are then equivalent.
        """
        # a radius beyond all numbers of this precision is infinite
        with np.errstate(over="ignore"):
            reach = self.radii.astype(dtype)
        return np.where(
            reach.astype(float) < self.radii,
            np.nextafter(reach, np.dtype(dtype).type(np.inf)),
            reach,
        ).astype(dtype)

    def __call__(self, tile: Array) -> Array:
        """Codes of a tile (n, q), candidate by candidate: uint8 (q, n). Open balls: code <= k means d < radii[k]."""
        return np.ascontiguousarray(self.along(tile).T)

    def along(self, tile: Array) -> Array:
        """Codes of a tile in its own order."""
        radii, out = self.reach(tile.dtype), np.zeros(tile.shape, np.uint8)
        if few(tile.size):
            for radius in radii:
                out += tile >= radius
        else:
            _code(
                tile,
                bits_of(tile),
                radii,
                self._tables[tile.dtype.type](),
                shift_of(tile.dtype, LOG_BINS),
                out,
            )
        return out

    def _table(self, dtype: Any) -> Array:
        """The code of each bin, uint8 (2^19,); 255 if values must be compared."""
        bins = (bits_of(self.reach(dtype)) >> shift_of(dtype, LOG_BINS)).astype(np.int64)
        table = np.cumsum(np.bincount(bins + 1, minlength=2**LOG_BINS + 1)[: 2**LOG_BINS]).astype(
            np.uint8
        )
        table[bins] = COMPARE
        return table


@kernel
def _code(tile, bits, radii, table, shift, out):  # type: ignore[no-untyped-def]
    """Write the code of each value: by its bin, or by comparison if the bin holds a radius."""
    n, q = tile.shape
    for i in range(n):
        for j in range(q):
            code = table[bits[i, j] >> shift]
            if code == COMPARE:
                code = 0
                for k in range(len(radii)):
                    code += tile[i, j] >= radii[k]
            out[i, j] = code


def bits_of(tile: Array) -> Array:
    """Floats >= 0 as whole numbers of the same order."""
    return tile.view(np.uint32 if tile.dtype == np.float32 else np.uint64)


def shift_of(dtype: Any, fine: int) -> int:
    """Number of bits below those that number one of 2^fine bins."""
    return (31 if dtype == np.float32 else 63) - fine  # the sign bit is 0


# rows and columns of a tile of a symmetric matrix; 512 would write weights by cell twice as often
SIDE = 1024
TILE = 2**21  # entries of a tile


@dataclass(frozen=True)
class Tile:
    """Some rows and columns."""

    rows: Array
    columns: Array
    # whether the tile represents its transpose as well: candidates are rows, and the matrix is
    # symmetric
    mirror: bool = False


def block_tiles(n: int, m: int) -> Iterator[Tile]:
    """Tiles of some rows and some columns, of a shape in which products of matrices are fast."""
    height = TILE // SIDE
    for first in range(0, m, SIDE):
        columns = np.arange(first, min(first + SIDE, m))
        for top in range(0, n, height):
            yield Tile(np.arange(top, min(top + height, n)), columns)


def half_tiles(n: int) -> Iterator[Tile]:
    """Tiles on and below the diagonal of a symmetric matrix (n, n); they start at multiples of one number."""
    for first in range(0, n, SIDE):
        columns = np.arange(first, min(first + SIDE, n))
        yield Tile(columns, columns)
        for top in range(first + SIDE, n, SIDE):
            yield Tile(np.arange(top, min(top + SIDE, n)), columns, mirror=True)


def filled(out: Array, tiles: Iterable[Tile], make: Callable[[Tile], Array]) -> Array:
    """A matrix (m, n) filled by a function of each tile, (q, r), on threads."""

    def fill(tile: Tile) -> None:
        rows, columns = as_slice(tile.rows), as_slice(tile.columns)
        out[columns, rows] = make(tile)
        if tile.mirror:
            out[rows, columns] = out[columns, rows].T

    for _ in each(fill, tiles, out.size):
        pass
    return out


def as_slice(at: Any) -> Any:
    """Positions that follow one another as a slice, which takes rows of an array without a copy."""
    if isinstance(at, slice) or len(at) == 0 or np.asarray(at).dtype.kind not in "iu":
        return at
    first = int(at[0])
    if int(at[-1]) - first != len(at) - 1 or not (np.diff(at) == 1).all():
        return at
    return slice(first, first + len(at))


def gather(values: Array, rows: Array, columns: Array) -> Array:
    """`values[np.ix_(rows, columns)]`, a view if both follow one another, otherwise without blocking other threads."""
    below, across = as_slice(rows), as_slice(columns)
    if isinstance(below, slice) and isinstance(across, slice):
        return values[below, across]
    if few(len(rows) * len(columns)):
        return values[np.ix_(rows, columns)]
    out = np.empty((len(rows), len(columns)), values.dtype)
    _gather(values, rows, columns, out)
    return out


@kernel
def _gather(values, rows, columns, out):  # type: ignore[no-untyped-def]
    """Write the values at some rows and columns to `out`."""
    for a in range(len(rows)):
        row = values[rows[a]]
        for b in range(len(columns)):
            out[a, b] = row[columns[b]]
