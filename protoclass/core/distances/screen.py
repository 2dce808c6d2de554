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
  u N.

That is (p + 8.001) u N in first order, so |approximation - s| <= c N with c = (p + 12) u (1 + 1e-3)
as long as p u < 1e-4, the roundings above included. The exact kernel itself computes S d with
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
from ..thresholds import NARROWEST
from .minkowski import measure_pair

UNIT = 2.0**-24
UNSURE = 255  # in place of a code
OFTEN = 8  # if more than one in this many pairs is undecided, all are computed exactly
BINS = 2**15  # of approximations, whose codes stay in the cache


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
        """The squares (low, high) of distances, float32: S d is surely below a distance if s is
        below low, and surely not if s is at least high.
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
        return (values + self.error) * self.stretch + self.error

    @property
    def stretch(self) -> float:
        """The largest ratio of two squares that the kernel may find equal."""
        return (1 + self.bounds.kernel) / (1 - self.bounds.kernel)

    @property
    def error(self) -> Array:
        """The largest error that the approximations of each line may have, (r, 1)."""
        bounds, most = self.bounds, float(self.across.square.max())
        square = self.lines.square.astype(float)[:, None]
        return 1.001 * (bounds.norm * (square + most) + bounds.slack)

    def codes(self, reach: Array) -> Array | None:
        """For each pair the number of radii with d >= radius, uint8 (r, q); None if the bound
        leaves too many pairs undecided.

        reach : array (K,), ascending, in the precision of the coordinates

        A table has the code of each bin of approximations, see `bin_of`. With E the largest error,
        a pair is surely below radius k if its approximation is below low_k - E, and surely not from
        high_k + E on. Bin b has values from b - 1/2 to b + 3/2 widths, so a bin may be unsure from

            first = (low_k - E) / width - 3/2  to  last = (high_k + E) / width + 1/2.

        Rounded outwards, this range is `UNSURE`; the code of any other bin is the number of radii
        whose ranges end before it. The width leaves `BINS` - 3 bins up to the largest value that
        matters plus E. So `last` of the largest radius is at most BINS - 5/2, rounded up BINS - 2,
        and the last bin, with all larger values, is sure. No approximation exceeds 2 N: with 2.01 N
        for its rounding, the bins need not go on to a radius that is larger than all distances.
        """
        out, error = np.empty(self.twice.shape, np.uint8), float(self.error.max())
        sides = self.across.square, self.lines.square
        low, high = (squares.astype(float) for squares in self.bounds.thresholds(reach))
        width = (min(high[-1], 2.01 * float(sum(map(np.max, sides)))) + error) / (BINS - 3)
        # the first and last bin that may have squares on both sides of a radius
        first, last = (low - error) / width - 1.5, (high + error) / width + 0.5
        last = np.clip(np.ceil(last), 0, BINS).astype(int)
        table = np.searchsorted(last, np.arange(BINS)).astype(np.uint8)
        for start, end in zip(np.clip(np.floor(first), 0, BINS).astype(int), last, strict=True):
            table[start : end + 1] = UNSURE
        exact = self.across.exact, self.lines.exact
        few = _code(self.twice, *sides, np.float32(1 / width), table, *exact, reach, OFTEN, out)
        return out if few else None


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
        products = self.products if self.symmetric else None
        return self._compared(self.rows[as_slice(rows)], chosen, products, rows, columns)

    def tile(self, rows: Array, columns: Array) -> Compared:
        """Some candidates beside some rows."""
        lines, across = self.candidates[as_slice(columns)], self.rows[as_slice(rows)]
        return self._compared(lines, across, self.products, columns, rows)

    def _compared(
        self, lines: Side, across: Side, products: Once[Array] | None, *places: Array
    ) -> Compared:
        """Two sides, by their places in the products of all pairs if these are stored."""
        if products is None or not products.known:
            return Compared(lines, across, self.bounds, approximate(lines, across))
        return Compared(lines, across, self.bounds, gather(products(), *places))


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
    # beyond 1000 columns p u < 1e-4 is not true
    if not NARROWEST <= p <= 1000 or not n or not len(candidates):
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
    # 2^-100 is more than underflow can take from one square
    bounds = Bounds(scale, (p + 12) * UNIT * 1.001, p * 2.0**-100, (p + 8) * own)
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
        return (lines.near * np.float32(2)) @ across.near.T


@kernel
def bin_of(twice, rows, own, scale, last, out):  # type: ignore[no-untyped-def]
    """The bin, up to `last`, of the approximation of each pair of one candidate.

    With `scale` = 1 / width, bin b has values from b - 1/2 to b + 3/2 widths. Without rounding it
    has those from b to b + 1. The scale and the product are rounded by a proportion of 2^-23 of at
    most 2^15 bins, far less than 1/2. Values below 0 are in bin 0, those beyond all in the last.
    """
    none, most = np.float32(0), np.float32(last)
    for i in range(len(rows)):
        out[i] = np.int32(min(max(own + rows[i] - twice[i], none) * scale, most))


@kernel
def _code(twice, rows, candidates, scale, table, X, Z, reach, often, out):  # type: ignore[no-untyped-def]
    """Write the code of each pair by its bin, and measure unsure pairs; False, with `out`
    unfinished, if they are more than one in `often`.
    """
    q, n = twice.shape
    bins, unsure = np.empty(n, np.int32), 0
    for j in range(q):
        bin_of(twice[j], rows, candidates[j], scale, len(table) - 1, bins)
        for i in range(n):
            code = table[bins[i]]
            if code == UNSURE:
                unsure += 1
                d, code = measure_pair(Z[j], X[i]), 0
                for k in range(len(reach)):
                    code += d >= reach[k]
            out[j, i] = code
        if unsure * often > out.size:
            return False
    return True
