"""Dissimilarities coded by radii, tile by tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import Array
from .parallel import each, few, kernel

FINE_FROM = 2**22  # entries
MOST = 254  # radii in one byte
COMPARE = 255


@dataclass(frozen=True)
class Coder:
    """Codes dissimilarities: the number of `radii` with d >= radius.

    Floats are sorted into bins by their leading bits. All values of a bin without a radius have the same code, which is
    looked up in a table. Values are compared only in bins that contain a radius.

    Attributes
    ----------
    radii : array (K,), ascending, in the precision of the dissimilarities
    table : uint8 array (bins,)
        Code of each bin; 255 if values must be compared.
    shift : int
        Number of bits below those that number the bin of a value.
    """

    radii: Array
    table: Array
    shift: int

    def __call__(self, tile: Array) -> Array:
        """Codes of a tile (n, q), candidate by candidate: uint8 (q, n). Open balls: code <= k means d < radii[k]."""
        return np.ascontiguousarray(self.along(tile).T)

    def along(self, tile: Array) -> Array:
        """Codes of a tile that has one line for each candidate already, uint8 (q, n)."""
        if few(tile.size):
            return self._compare(tile)
        out = np.empty(tile.shape, np.uint8)
        _code(tile, bits_of(tile), self.radii, self.table, self.shift, out)
        return out

    def _compare(self, tile: Array) -> Array:
        out = np.zeros_like(tile, np.uint8)
        for radius in self.radii:
            out += tile >= radius
        return out


def coder(radii: Array, dtype: Any, fine: int = 13) -> Coder:
    """A Coder for dissimilarities of a precision, with 2^fine bins; at most 254 radii."""
    exact = np.asarray(radii, np.float64)
    with np.errstate(over="ignore"):  # a radius beyond all numbers of this precision is infinite
        reach = exact.astype(dtype)
    # the smallest number of this precision that is not below the radius: d < radius and d < reach are then equivalent
    reach = np.where(reach.astype(np.float64) < exact, np.nextafter(reach, np.dtype(dtype).type(np.inf)), reach)
    reach = reach.astype(dtype)
    shift = shift_of(dtype, fine)
    bins = (bits_of(reach) >> shift).astype(np.int64)
    table = np.cumsum(np.bincount(bins + 1, minlength=2**fine + 1)[: 2**fine]).astype(np.uint8)
    table[bins] = COMPARE
    return Coder(reach, table, shift)


@kernel
def _code_of(value, bin_, radii, table):  # type: ignore[no-untyped-def]
    code = table[bin_]
    if code == 255:
        code = 0
        for k in range(len(radii)):
            code += value >= radii[k]
    return code


@kernel
def _code(tile, bits, radii, table, shift, out):  # type: ignore[no-untyped-def]
    q, n = tile.shape
    for j in range(q):
        for i in range(n):
            out[j, i] = _code_of(tile[j, i], bits[j, i] >> shift, radii, table)


class Coding:
    """The grid of radii by which dissimilarities are coded.

    Attributes
    ----------
    radii : float array (K,), ascending
    fine : int
        See `coder`.
    """

    def __init__(self, radii: Array, fine: int) -> None:
        self.radii, self.fine = np.asarray(radii, float), fine
        self._coders = {t: coder(self.radii, t, fine) for t in (np.float32, np.float64)}

    def coder(self, dtype: Any) -> Coder:
        """The coder for dissimilarities of this precision."""
        return self._coders[np.dtype(dtype).type]

    def __call__(self, tile: Array) -> Array:
        """Codes of a tile (n, q), candidate by candidate: uint8 (q, n)."""
        return self.coder(tile.dtype)(tile)


def bins_for(entries: int) -> int:
    """Log2 of the number of bins for a matrix: 2^19 are hundreds for each power of two, 2^13 a few."""
    return 19 if entries > FINE_FROM else 13


def bits_of(tile: Array) -> Array:
    """Floats >= 0 as whole numbers of the same order."""
    return tile.view(np.uint32 if tile.dtype == np.float32 else np.uint64)


def shift_of(dtype: Any, fine: int) -> int:
    """Number of bits below those that number one of 2^fine bins."""
    return (31 if dtype == np.float32 else 63) - fine  # the sign bit is 0


SIDE = 512  # rows and columns of a tile of a symmetric matrix
TILE = 2**21  # entries of a tile


@dataclass(frozen=True)
class Tile:
    """Some rows and columns."""

    rows: Array
    columns: Array
    mirror: bool = False  # whether the tile represents its transpose as well: candidates are rows, and the matrix is symmetric


def all_tiles(n: int, m: int) -> Iterator[Tile]:
    """Tiles of all rows and some columns."""
    return tiles_of(n, m, max(n, 1), max(1, TILE // max(n, 1)))


def block_tiles(n: int, m: int) -> Iterator[Tile]:
    """Tiles of some rows and some columns, of a shape in which products of matrices are fast."""
    return tiles_of(n, m, TILE // SIDE, SIDE)


def tiles_of(n: int, m: int, height: int, width: int) -> Iterator[Tile]:
    """Tiles of this number of rows and columns."""
    for first in range(0, m, width):
        columns = np.arange(first, min(first + width, m))
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
    """`values[np.ix_(rows, columns)]` without blocking other threads."""
    if few(len(rows) * len(columns)):
        return np.asarray(values[np.ix_(rows, columns)])
    out = np.empty((len(rows), len(columns)), values.dtype)
    _gather(values, rows, columns, out)
    return out


@kernel
def _gather(values, rows, columns, out):  # type: ignore[no-untyped-def]
    for a in range(len(rows)):
        row = values[rows[a]]
        for b in range(len(columns)):
            out[a, b] = row[columns[b]]
