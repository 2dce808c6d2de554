"""Squared Euclidean distances by one matrix product in single precision, with a proven bound of their error.

The exact kernel sums in a fixed order and takes several times as long as a product. Code that only
compares distances (with radii, with one another) therefore compares these approximations, and
computes exactly only if their bound does not decide, so its results are those of the exact kernel,
ties included.

**The bound.** Let u = 2^-24, v the unit roundoff of the coordinates, g(k) = k u / (1 - k u). Rows
are x' = S (x - m), m a centre common to both sides and S a power of two, rounded to single
precision, so that x' = S (x - m) (1 + e) with |e| <= u' = u + 2^-52 entry by entry. With s = S^2 |x
- z|^2 and N = |x'|^2 + |z'|^2:

* rounding the rows changes s by at most (2 u' + u'^2) (|x'| + |z'|)^2 (1 + 3 u') <= 4.001 u N;
* the product x'.z' differs from its exact value by at most g(p) |x'| |z'| <= g(p) N / 2, for any
  order of summation, fused or not (Higham 2002, equation 3.5); twice the product by g(p) N;
* the squared lengths, their sum and the difference are rounded once each, which adds u N, u N and 2
  u N;
* if the bound is added before the difference is taken, N (1 + c) + loss - 2 x'.z', this rounds 1 +
  c, its product with N and the sum with the loss as well: 3 u N more.

That is (p + 11.001) u N in first order, so |approximation - s| <= c N with c = (p + 12) u (1 +
1e-3) as long as p u < 1e-4, the roundings above included. The exact kernel itself computes S d with
(S d)^2 = s (1 + k'), |k'| <= k = (p + 8) v: two roundings of each difference, one of the square, at
most p of the sum, and two of the root. So S d lies below a radius if s (1 + k) does, and does not
if s (1 - k) does not.

**Underflow.** The coordinates of x' are at most 1. Parts of them and of their products below the
smallest normal number of single precision may be lost: p 2^-120 at most. The exact kernel may lose
p 2^-150 (p 2^-1075 in double precision) of the sum of its squares, which is S^2 times as much of s:
p 2^-108 at most (p 2^-113), as S <= 2^21 (2^481). A slack of p 2^-100 covers both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .. import Array
from ..coding import as_slice, block_tiles, filled, gather, half_tiles
from ..memory import large
from ..parallel import Once, alone, kernel
from .minkowski import measure_pair

UNIT = 2.0**-24
WIDEST = 1000  # columns: beyond it p u < 1e-4 is not true
NARROWEST = 8  # columns: below it the exact kernel is as fast
UNSURE = 255  # in place of a code
LOST = 2.0**-100  # more than underflow can take from one square
OFTEN = 8  # if more than one in this many pairs is undecided, all are computed exactly
CHUNK = 256  # rows whose approximations are compared with one radius after another
FEW_RADII = 3  # radii, up to which finding the minimum of a chunk takes longer than it saves


@dataclass(frozen=True)
class Side:
    """One side of a screen.

    Attributes
    ----------
    exact : array (n, p)
        The coordinates.
    near : float32 array (n, p)
        S (x - m).
    square : float32 array (n,)
        Their squared lengths.
    """

    exact: Array
    near: Array
    square: Array

    def __getitem__(self, at: Array | slice) -> Side:
        return Side(self.exact[at], self.near[at], self.square[at])


@dataclass(frozen=True)
class Bounds:
    """What is proven of the approximations; see the head of this module.

    Attributes
    ----------
    scale : float
        S.
    norm : float
        c.
    slack : float
        What underflow may take.
    kernel : float
        k.
    """

    scale: float
    norm: float
    slack: float
    kernel: float

    def thresholds(self, reach: Array) -> tuple[Array, Array]:
        """For distances: S d is surely below them under the first, and surely not from the second
        on; float32 squares.
        """
        with np.errstate(over="ignore", under="ignore"):
            square = (np.asarray(reach, float) * self.scale) ** 2
            low = np.nextafter((square / (1 + self.kernel)).astype(np.float32), np.float32(-np.inf))
            high = np.nextafter((square / (1 - self.kernel)).astype(np.float32), np.float32(np.inf))
        return low, high


@dataclass(frozen=True)
class Compared:
    """Rows of one side beside rows of the other, with twice their products.

    Attributes
    ----------
    lines : Side (r)
    across : Side (q)
    bounds : Bounds
    twice : float32 array (r, q)
    """

    lines: Side
    across: Side
    bounds: Bounds
    twice: Array

    def of(self, part: slice) -> Compared:
        """Some of the lines."""
        return replace(self, lines=self.lines[part], twice=self.twice[part])

    @cached_property
    def near(self) -> Array:
        """The approximations of the scaled squares of all distances, float32 (r, q)."""
        return self.across.square + self.lines.square[:, None] - self.twice

    def reach(self, values: Array) -> Array:
        """The approximations up to which another may be as near as one at some approximation, (r, ...) for each line.

        With approximations at most E from the squares s, and the kernel's squares within a factor 1
        +- k of s, one at an approximation q has a computed square of at most (q + E) (1 + k). So s
        <= (q + E) (1 + k) / (1 - k) for another that is as near, and its approximation is at most
        that + E.
        """
        return np.asarray((values + self.error) * self.stretch + self.error)

    @property
    def stretch(self) -> float:
        """The largest ratio of two squares that the kernel may find equal."""
        return (1 + self.bounds.kernel) / (1 - self.bounds.kernel)

    def within(self, reach: Array) -> Array:
        """The largest approximations that distances below some values (q,) may have, float32 (q,)."""
        _, high = self.bounds.thresholds(reach)
        return np.nextafter(
            (high + self.error.max(initial=0.0)).astype(np.float32), np.float32(np.inf)
        )

    @property
    def error(self) -> Array:
        """The largest error that the approximations of each line may have, (r, 1)."""
        bounds, most = self.bounds, float(self.across.square.max())
        return np.asarray(
            1.001 * (bounds.norm * (self.lines.square.astype(float)[:, None] + most) + bounds.slack)
        )

    def codes(self, reach: Array) -> Array | None:
        """For each pair the number of radii with d >= radius, uint8 (r, q); None if the bound
        leaves too many pairs undecided.

        reach : array (K,), ascending, in the precision of the coordinates
        """
        out, bounds = np.empty(self.twice.shape, np.uint8), self.bounds
        low, high = bounds.thresholds(reach)
        unsure = _compare(
            self.twice,
            self.across.square,
            self.lines.square,
            low,
            high,
            bounds.norm,
            bounds.slack,
            out,
        )
        if unsure * OFTEN > out.size:
            return None
        if unsure:
            _settle(self.across.exact, self.lines.exact, reach, out)
        return out


@dataclass(frozen=True)
class Screening:
    """Rows and candidates, whose distances are compared by a product.

    Attributes
    ----------
    rows, candidates : Side
    bounds : Bounds
    symmetric : bool
        Whether the candidates are the rows, in their order.
    products : Once of float32 array (m, n), or None
        Twice the products of all candidates and rows; None if they are not stored.
    """

    rows: Side
    candidates: Side
    bounds: Bounds
    symmetric: bool
    products: Once[Array] | None = None

    def hold(self) -> None:
        """Compute all products once if memory allows it, because they will be used several times."""
        if self.products is not None:
            self.products()

    @property
    def error(self) -> float:
        """The largest error that the approximation of any pair may have."""
        most = float(self.rows.square.max()) + float(self.candidates.square.max())
        return 1.001 * (self.bounds.norm * most + self.bounds.slack)

    def beside(self, rows: Array, columns: Array, chosen: Side) -> Compared:
        """Some rows beside some candidates, which are `chosen`."""
        side = self.rows[as_slice(rows)]
        if self.products is None or not self.products.known:
            return Compared(side, chosen, self.bounds, approximate(side, chosen))
        products = self.products()
        twice = (
            gather(products, rows, columns) if self.symmetric else gather(products, columns, rows).T
        )
        return Compared(side, chosen, self.bounds, np.ascontiguousarray(twice))

    def tile(self, rows: Array, columns: Array) -> Compared:
        """Some candidates beside some rows."""
        candidates, side = self.candidates[as_slice(columns)], self.rows[as_slice(rows)]
        if self.products is None or not self.products.known:
            return Compared(candidates, side, self.bounds, approximate(candidates, side))
        return Compared(candidates, side, self.bounds, gather(self.products(), columns, rows))


def screen(rows: Array, candidates: Array, hold: bool = False) -> Screening | None:
    """The screen for these rows and candidates; None if a product does not help.

    Parameters
    ----------
    rows : array (n, p)
    candidates : array (m, p), of the same precision
        The same array if both sides are the same.
    hold : bool
        Whether memory allows all products to be stored, if they are used several times.
    """
    n, p = rows.shape
    if not NARROWEST <= p <= WIDEST or not n or not len(candidates):
        return None
    both = (rows,) if candidates is rows else (rows, candidates)
    low, high = (np.stack([find(side, axis=0) for side in both]) for find in (np.min, np.max))
    largest = max(float(np.abs(low).max()), float(np.abs(high).max()))
    single = rows.dtype == np.float32
    if not largest < 2.0 ** (50 if single else 500):
        return None  # squares may overflow
    centre = rows.mean(axis=0, dtype=float)
    spread = max(float((high - centre).max()), float((centre - low).max()))
    if not spread > largest * 2.0**-10:
        return None  # all rows lie far from 0 and near one another, or are the same
    if not spread > 2.0 ** (-20 if single else -480):
        return None  # squares may underflow
    scale = 2.0 ** -np.ceil(np.log2(spread))
    sides = [_side(side, centre, scale) for side in both]
    own = UNIT if single else 2.0**-53
    bounds = Bounds(scale, (p + 12) * UNIT * 1.001, p * LOST, (p + 8) * own)
    known = Screening(sides[0], sides[-1], bounds, candidates is rows)
    return replace(known, products=Once(lambda: _all_products(known))) if hold else known


def _all_products(screening: Screening) -> Array:
    n, m = len(screening.rows.square), len(screening.candidates.square)
    tiles = half_tiles(n) if screening.symmetric else block_tiles(n, m)
    return filled(
        np.empty((m, n), np.float32),
        tiles,
        lambda tile: screening.tile(tile.rows, tile.columns).twice,
    )


def _side(X: Array, centre: Array, scale: float) -> Side:
    near, square = large(X.shape, np.float32), np.empty(len(X), np.float32)
    for first in range(0, len(X), 4096):  # in double precision, but in blocks
        part = slice(first, first + 4096)
        Z = ((X[part] - centre) * scale).astype(np.float32)
        near[part], square[part] = Z, np.einsum("ij,ij->i", Z, Z, dtype=float)
    return Side(np.ascontiguousarray(X), near, square)


def approximate(lines: Side, across: Side) -> Array:
    """Twice the products of two sides, float32 (lines, across), on one thread, as tiles are given to threads."""
    with alone():
        return np.asarray((lines.near * np.float32(2)) @ across.near.T)


@kernel
def _compare(twice, rows, candidates, low, high, norm, slack, out):  # type: ignore[no-untyped-def]
    # number of radii below the upper and below the lower end of the bound: if they differ, the pair
    # is undecided
    q, n = twice.shape
    above, below = np.float32(1 + norm), np.float32(1 - norm)
    loss, one, none = np.float32(slack), np.uint8(1), np.uint8(0)
    most, least = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    reached, sure = np.empty(CHUNK, np.uint8), np.empty(CHUNK, np.uint8)
    # in the order of the numbers, but for negative ones
    of_least, of_high = least.view(np.int32), high.view(np.int32)
    unsure = 0
    for j in range(q):
        own = candidates[j]
        for first in range(0, n, CHUNK):
            width = min(CHUNK, n - first)
            product, square = twice[j, first : first + width], rows[first : first + width]
            code = out[j, first : first + width]
            for i in range(width):
                N = own + square[i]
                t = product[i]
                most[i] = N * above + loss - t
                least[i] = N * below - loss - t
            start = 0  # the number of radii that all of the chunk reach
            if len(low) > FEW_RADII:
                for i in range(width, CHUNK):
                    least[i] = np.inf
                bottom = of_least[0]
                for i in range(CHUNK):
                    bottom = min(bottom, of_least[i])
                while start < len(low) and of_high[start] <= bottom:
                    start += 1
            reached[:] = start
            sure[:] = start
            for k in range(start, len(low)):
                a, b = low[k], high[k]
                for i in range(width):
                    reached[i] += one if most[i] >= a else none
                    sure[i] += one if least[i] >= b else none
            differ = 0
            for i in range(width):
                differ += reached[i] != sure[i]
            for i in range(width):
                code[i] = reached[i]
            if differ:
                unsure += differ
                for i in range(width):
                    if reached[i] != sure[i]:
                        code[i] = UNSURE
    return unsure


@kernel
def _settle(rows, candidates, reach, out):  # type: ignore[no-untyped-def]
    # the unsure pairs, measured exactly
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            if out[j, i] == UNSURE:
                d, c = measure_pair(candidates[j], rows[i]), 0
                for k in range(len(reach)):
                    c += d >= reach[k]
                out[j, i] = c
