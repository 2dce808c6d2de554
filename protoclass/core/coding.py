"""Codes of dissimilarities by a grid of radii, one byte each: the number of radii that do not reach it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .parallel import few, kernel

Array = NDArray[Any]
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
        The code of each bin; 255 where values must be compared.
    shift : int
        Number of bits below those that number the bin of a value.
    """

    radii: Array
    table: Array
    shift: int

    def __call__(self, tile: Array) -> Array:
        """Codes of a tile (n, q), candidate by candidate: uint8 (q, n). Open balls: code <= k means d < radii[k]."""
        if few(tile.size):
            return np.ascontiguousarray(self._compare(tile).T)
        out = np.empty((tile.shape[1], tile.shape[0]), np.uint8)
        _code(tile, bits_of(tile), self.radii, self.table, self.shift, out)
        return out

    def along(self, tile: Array) -> Array:
        """Codes of a tile that has one line for each candidate already, uint8 (q, n)."""
        if few(tile.size):
            return self._compare(tile)
        out = np.empty(tile.shape, np.uint8)
        _code_along(tile, bits_of(tile), self.radii, self.table, self.shift, out)
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
    # blocks of 64 x 64, so that reading by rows and writing by candidates both stay in the cache
    n, q = tile.shape
    for top in range(0, n, 64):
        for left in range(0, q, 64):
            for i in range(top, min(top + 64, n)):
                for j in range(left, min(left + 64, q)):
                    out[j, i] = _code_of(tile[i, j], bits[i, j] >> shift, radii, table)


@kernel
def _code_along(tile, bits, radii, table, shift, out):  # type: ignore[no-untyped-def]
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
