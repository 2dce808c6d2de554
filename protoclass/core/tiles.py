"""Which tiles of an n x m matrix are read: all of it, half of a symmetric one, or what may lie within a radius."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .distances.boxes import Blocks, farthest_of, near_blocks

Array = NDArray[Any]
SIDE = 512  # rows and columns of a tile of a symmetric matrix
TILE = 2**21  # entries of a tile
MEASURE = -1


@dataclass(frozen=True)
class Tile:
    """Some rows and columns."""

    rows: Array
    columns: Array
    code: int = MEASURE  # the code that all pairs of the tile have; -1 where they must be measured
    mirror: bool = False  # whether the tile stands for its transpose as well: candidates are rows, and the matrix is symmetric

    def __len__(self) -> int:
        return len(self.rows) * len(self.columns)


@dataclass(frozen=True)
class Tiles:
    """The tiles of a matrix, made anew each time they are gone through."""

    make: Callable[[], Iterator[Tile]]
    complete: bool = True  # whether each pair is in a tile; otherwise only those that may lie within a radius are

    def __iter__(self) -> Iterator[Tile]:
        return self.make()


def all_tiles(n: int, m: int) -> Tiles:
    """Tiles of all rows and some columns."""

    def strips() -> Iterator[Tile]:
        rows, width = np.arange(n), max(1, TILE // max(n, 1))
        for first in range(0, m, width):
            yield Tile(rows, np.arange(first, min(first + width, m)))

    return Tiles(strips)


def block_tiles(n: int, m: int) -> Tiles:
    """Tiles of some rows and some columns, of a shape in which products of matrices are fast."""

    def blocks() -> Iterator[Tile]:
        for first in range(0, m, SIDE):
            columns = np.arange(first, min(first + SIDE, m))
            for top in range(0, n, TILE // SIDE):
                yield Tile(np.arange(top, min(top + TILE // SIDE, n)), columns)

    return Tiles(blocks)


def half_tiles(n: int) -> Tiles:
    """Tiles on and below the diagonal of a symmetric matrix (n, n); they start at multiples of one number."""

    def squares() -> Iterator[Tile]:
        for first in range(0, n, SIDE):
            columns = np.arange(first, min(first + SIDE, n))
            yield Tile(columns, columns)
            for top in range(first + SIDE, n, SIDE):
                yield Tile(np.arange(top, min(top + SIDE, n)), columns, mirror=True)

    return Tiles(squares)


def near_tiles(rows: Blocks, candidates: Blocks, r: float, reach: Array) -> Tiles:
    """Tiles with all pairs that lie within a radius; pairs in none of them lie in no ball.

    Parameters
    ----------
    rows, candidates : Blocks
    r : float
        Exponent of the Minkowski distance.
    reach : array (K,), ascending
        A pair lies within radius k if its distance is less than `reach[k]`.
    """
    known: list[list[tuple[Array, int]]] = []  # for each block of candidates the near blocks of rows, found in the first round

    def near() -> Iterator[Tile]:
        for b in range(len(candidates)):
            if b == len(known):
                known.append(_near_blocks(rows, candidates.low[b], candidates.high[b], r, reach))
            for which, code in known[b]:
                yield Tile(np.concatenate([rows.rows(a) for a in which]), candidates.rows(b), code)

    return Tiles(near, complete=False)


def _near_blocks(rows: Blocks, low: Array, high: Array, r: float, reach: Array) -> list[tuple[Array, int]]:
    """Blocks of rows that may be near a box, some at a time, with the code that all their pairs have, or MEASURE."""
    which, nearest = near_blocks(rows, low, high, r, reach[-1])
    code = np.searchsorted(reach, nearest, side="right")
    last = np.searchsorted(reach, farthest_of(rows, which, low, high, r), side="right")
    groups = [(which[(code == one) & (last == one)], int(one)) for one in np.unique(code[code == last])]
    groups.append((which[code < last], MEASURE))
    step = max(1, TILE // rows.size**2)
    return [(some[first : first + step], one) for some, one in groups for first in range(0, len(some), step)]


def share_near(rows: Blocks, candidates: Blocks, r: float, reach: float, sample: int) -> float:
    """Share of the pairs of blocks that may hold a pair within `reach`, over some blocks of candidates, evenly taken."""
    some = np.linspace(0, len(candidates) - 1, min(sample, len(candidates))).astype(int)
    near = [len(near_blocks(rows, candidates.low[b], candidates.high[b], r, reach)[0]) for b in some]
    return float(np.mean(near)) / len(rows)
