"""The default radii from approximations: counted in bins, and measured exactly only around each quantile.

With approximations q of the scaled squares s, |q - s| <= E for all pairs, and the kernel's squares within a factor 1 +- k of s,
the t-th smallest square lies within (Q - E) (1 - k) and (Q + E) (1 + k) of the t-th smallest approximation Q, as order
statistics move by no more than all values do. What may lie in that range is measured; what lies below is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bins_for, bits_of, shift_of
from ..distances.minkowski import measure_pair
from ..distances.screen import Screening
from ..parallel import each, kernel
from ..tiles import Tile, Tiles, block_tiles, half_tiles
from .quantiles import between, positions

Array = NDArray[Any]
BINS = 2**16  # at most: their counts stay in the cache
OFTEN = 16  # where more than one pair in this many must be measured, all are


@dataclass(frozen=True)
class Bins:
    """Bins of approximations: bin b holds some from (b - 1/2) to (b + 3/2) widths, whatever rounding does.

    Attributes
    ----------
    screening : Screening
    candidate_row : int array (m,)
        The row that each candidate is, -1 for none: such pairs do not count.
    number : int
    width : float
    """

    screening: Screening
    candidate_row: Array
    number: int
    width: float

    def below(self, q: Array) -> Array:
        """The first bin that may hold approximations from q on."""
        return np.asarray(np.clip(np.floor(q / self.width - 1.5), 0, self.number - 1).astype(np.int64))

    def above(self, q: Array) -> Array:
        """The last bin that may hold approximations up to q."""
        return np.asarray(np.clip(np.ceil(q / self.width + 0.5), 0, self.number - 1).astype(np.int64))

    @property
    def tiles(self) -> Tiles:
        n, m = self.pairs
        return half_tiles(n) if self.screening.symmetric else block_tiles(n, m)

    @property
    def pairs(self) -> tuple[int, int]:
        return len(self.screening.rows.square), len(self.screening.candidates.square)

    def same(self, tile: Tile) -> Array:
        """The row that each candidate of a tile is, -1 for none; none of a mirrored tile is one of its rows."""
        return np.full(len(tile.columns), -1) if tile.mirror else self.candidate_row[tile.columns]


def screened_radii(screening: Screening, candidate_row: Array, levels: Array | None) -> Array | None:
    """The radii of `default_radii`; None where too many pairs would have to be measured."""
    screening.hold()
    bins = _bins(screening, candidate_row)
    counts = _count(bins)
    needed = _needed(bins, counts, levels)
    if needed is None:
        return None
    collected = _collect(bins, needed)
    tiny = (bits_of(collected) >> shift_of(collected.dtype, bins_for(int(np.prod(bins.pairs))))) == 0
    values, zeros = np.sort(collected[~tiny].astype(np.float64)), int(tiny.sum())
    total = int(counts.sum()) - zeros
    if total == 0:
        return np.empty(0)
    # positions among all pairs become those among the measured ones by what stands in lower bins and was not measured
    position = positions(levels, total)
    below = np.concatenate([[0], np.cumsum(counts)])
    unmeasured = np.concatenate([[0], np.cumsum(np.where(needed, 0, counts))])
    at = np.searchsorted(below, position + zeros, side="right") - 1
    return between(values, values[position - unmeasured[at]])


def _bins(screening: Screening, candidate_row: Array) -> Bins:
    E = screening.error
    most = 4.01 * float(max(screening.rows.square.max(), screening.candidates.square.max())) + E
    number = int(min(BINS, np.ceil(most / (2 * E))))
    return Bins(screening, candidate_row, number, most / number)


def _count(bins: Bins) -> Array:
    """Number of pairs in each bin."""
    scale = np.float32(1 / bins.width)

    def count(tile: Tile) -> Array:
        counts = np.zeros(bins.number, np.int64)
        rows, candidates, twice = bins.screening.tile(tile.rows, tile.columns)
        _count_near(twice, rows.square, candidates.square, tile.rows, bins.same(tile), scale, counts)
        return counts * 2 if tile.mirror else counts

    out = np.zeros(bins.number, np.int64)
    for counts in each(count, bins.tiles, int(np.prod(bins.pairs))):
        out += counts
    return out


def _needed(bins: Bins, counts: Array, levels: Array | None) -> Array | None:
    """Which bins may hold a quantile, the value below it, or a 0: bool (bins,); None if they hold too many pairs."""
    E, k, width = bins.screening.error, bins.screening.bounds.kernel, bins.width
    most = int(np.prod(bins.pairs)) // OFTEN
    below = np.concatenate([[0], np.cumsum(counts)])
    tiny = int(bins.above(np.array([E]))[0])  # pairs up to this bin may be at 0
    zeros = int(below[tiny + 1])
    total = int(below[-1])
    if zeros > most or zeros >= total:
        return None
    # the first and the last bin in which each quantile can stand, as none or all of these pairs may be at 0
    ranks = positions(levels, total), positions(levels, total - zeros) + zeros
    first, last = (np.searchsorted(below, pick(*ranks), side="right") - 1 for pick in (np.minimum, np.maximum))
    down, up = (1 - k) / (1 + k), (1 + k) / (1 - k)
    low = bins.below(((first - 0.5) * width - E) * down - E)
    high = bins.above(((last + 1.5) * width + E) * up + E)
    filled = np.flatnonzero(counts)
    before = filled[np.maximum(np.searchsorted(filled, low) - 1, 0)]  # what is in it lies below the quantile
    before = np.where(before < low, bins.below(((before - 0.5) * width - E) * down - E), low)
    needed = np.zeros(bins.number, np.bool_)
    for a, b in zip(before, high, strict=True):
        needed[a : b + 1] = True
    needed[: tiny + 1] = True
    return needed if int(counts[needed].sum()) <= most else None


def _collect(bins: Bins, needed: Array) -> Array:
    """The dissimilarities of all pairs in these bins, measured."""
    scale = np.float32(1 / bins.width)

    def collect(tile: Tile) -> Array:
        rows, candidates, twice = bins.screening.tile(tile.rows, tile.columns)
        near = (twice, rows.square, candidates.square, rows.exact, candidates.exact, tile.rows, bins.same(tile))
        out = np.empty(twice.size, rows.exact.dtype)
        found = out[: _collect_near(*near, scale, needed, out)]
        return np.concatenate([found, found]) if tile.mirror else found.copy()

    return np.concatenate(list(each(collect, bins.tiles, int(np.prod(bins.pairs)))))


@kernel
def _bin_of(twice, rows, own, scale, last, out):  # type: ignore[no-untyped-def]
    # the bin of the approximation of each pair of one candidate
    none = np.float32(0)
    for i in range(len(rows)):
        out[i] = min(np.int32(max(own + rows[i] - twice[i], none) * scale), last)


@kernel
def _count_near(twice, rows, candidates, names, same, scale, counts):  # type: ignore[no-untyped-def]
    q, n = twice.shape
    bins, last = np.empty(n, np.int32), np.int32(len(counts) - 1)
    for j in range(q):
        _bin_of(twice[j], rows, candidates[j], scale, last, bins)
        for i in range(n):
            counts[bins[i]] += 1
        if same[j] >= 0:
            for i in range(n):
                if names[i] == same[j]:
                    counts[bins[i]] -= 1


@kernel
def _collect_near(twice, rows, candidates, X, Z, names, same, scale, needed, out):  # type: ignore[no-untyped-def]
    q, n = twice.shape
    bins, last = np.empty(n, np.int32), np.int32(len(needed) - 1)
    found = 0
    for j in range(q):
        _bin_of(twice[j], rows, candidates[j], scale, last, bins)
        for i in range(n):
            if needed[bins[i]] and names[i] != same[j]:
                out[found] = measure_pair(Z[j], X[i])
                found += 1
    return found
