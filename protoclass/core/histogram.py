"""Dissimilarities of given ranks, and radii at quantiles: pairs are counted in bins, and only those
in the bins that matter are sorted.

The bins are the leading bits of exact dissimilarities, or even steps of approximations of their
squares. With approximations q of the scaled squares s, |q - s| <= E for all pairs, and the kernel's
squares within a factor 1 +- k of s, the t-th smallest square lies within (Q - E) (1 - k) and (Q +
E) (1 + k) of the t-th smallest approximation Q, because order statistics move by no more than all
values do. Pairs that may lie in that range are computed; pairs below are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import Array
from .coding import Tile, bits_of, shift_of
from .distances.minkowski import measure_pair
from .distances.screen import Compared, Screening, bin_of
from .parallel import few, kernel
from .sources import Source
from .thresholds import FINE_FROM

SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns


@dataclass(frozen=True)
class ExactBins:
    """The pairs of a source by the leading bits of their dissimilarities.

    The first bin contains 0 and tiny values (below 1e-38, in float64 below 1e-308). Its pairs do
    not count, nor do infinite ones.

    Attributes
    ----------
    source : Source (n, m)
    same : int array (m,)
        The row that each candidate is, as this pair does not count; -1 for none.
    """

    source: Source
    same: Array
    unsure = 0  # the number of the first bins whose pairs count unless they turn out to be at 0
    most = np.inf  # the number of pairs that may be measured

    @property
    def log2(self) -> int:
        """Log2 of the number of bins."""
        n, m = self.source.shape
        return 19 if n * m > FINE_FROM else 16

    def counts(self) -> Array:
        """Number of the pairs in each bin."""
        log2 = self.log2
        self.source.hold()

        def count(tile: Tile) -> Array:
            values = self.source.take(tile.rows, tile.columns)
            bits, shift = bits_of(values), shift_of(values.dtype, log2)
            if few(values.size):
                counts = np.bincount((bits >> shift).ravel().astype(np.int64), minlength=2**log2)
            else:
                counts = np.zeros(2**log2, np.int64)
                _count(bits, shift, counts)
            np.subtract.at(counts, (bits[itself(tile, self.same)] >> shift).astype(np.int64), 1)
            counts[0] = counts[int(bits_of(np.full(1, np.inf, values.dtype))[0] >> shift) :] = 0
            return counts * (1 + tile.mirror)

        return sum(self.source.each_tile(count), np.zeros(2**log2, np.int64))

    def reach(self, first: Array, last: Array) -> tuple[Array, Array]:
        """The first and the last bin that may have dissimilarities as large as some of those in
        bins `first` to `last`.
        """
        return first, last

    def values_in(self, needed: Array) -> Array:
        """The exact dissimilarities of the pairs in some bins."""

        def collect(tile: Tile) -> Array:
            values = self.source.take(tile.rows, tile.columns)
            bins = bits_of(values) >> shift_of(values.dtype, self.log2)
            chosen = needed.take(bins.astype(np.intp))
            chosen[itself(tile, self.same)] = False
            return np.tile(values[chosen], 1 + tile.mirror)

        return np.concatenate(list(self.source.each_tile(collect)))


@dataclass(frozen=True)
class NearBins:
    """The pairs by approximations: bin b contains values from (b - 1/2) to (b + 3/2) widths, with any rounding."""

    source: Source
    same: Array
    screening: Screening

    @cached_property
    def bins(self) -> int:
        # the counts of 2^16 bins stay in the cache
        return int(min(2**16, np.ceil(self._largest / (2 * self.screening.error))))

    @property
    def width(self) -> float:
        return self._largest / self.bins

    @property
    def _largest(self) -> float:
        squares = self.screening.rows.square.max(), self.screening.candidates.square.max()
        return 4.01 * float(max(squares)) + self.screening.error

    @property
    def unsure(self) -> int:
        return int(self._last(np.array([self.screening.error]))[0]) + 1

    @property
    def most(self) -> float:
        # if more than one pair in 16 must be computed, all are
        return int(np.prod(self.source.shape)) // 16

    def counts(self) -> Array:
        def count(tile: Tile) -> Array:
            compared, same = self._compared(tile)
            counts, scale = np.zeros(self.bins, np.int64), np.float32(1 / self.width)
            _count_near(
                compared.twice,
                compared.across.square,
                compared.lines.square,
                tile.rows,
                same,
                scale,
                counts,
            )
            return counts * (1 + tile.mirror)

        self.screening.hold()
        return sum(self.source.each_tile(count), np.zeros(self.bins, np.int64))

    def reach(self, first: Array, last: Array) -> tuple[Array, Array]:
        E, k, width = self.screening.error, self.screening.bounds.kernel, self.width
        down, up = (1 - k) / (1 + k), (1 + k) / (1 - k)
        low = ((first - 0.5) * width - E) * down - E
        return self._clipped(np.floor(low / width - 1.5)), self._last(
            ((last + 1.5) * width + E) * up + E
        )

    def values_in(self, needed: Array) -> Array:
        def collect(tile: Tile) -> Array:
            compared, same = self._compared(tile)
            rows, candidates, scale = compared.across, compared.lines, np.float32(1 / self.width)
            out, sides = (
                np.empty(compared.twice.size, rows.exact.dtype),
                (rows.exact, candidates.exact),
            )
            near = compared.twice, rows.square, candidates.square, *sides, tile.rows, same
            found = out[: _collect_near(*near, scale, needed, out)]
            return np.tile(found, 1 + tile.mirror)

        return np.concatenate(list(self.source.each_tile(collect)))

    def _compared(self, tile: Tile) -> tuple[Compared, Array]:
        """The sides of a tile beside one another, and the row that each candidate is, -1 for none;
        none of a mirrored tile is one of its rows.
        """
        same = np.where(tile.mirror, -1, self.same[tile.columns])
        return self.screening.tile(tile.rows, tile.columns), same

    def _last(self, q: Array) -> Array:
        """The last bin that may have approximations up to q."""
        return self._clipped(np.ceil(q / self.width + 0.5))

    def _clipped(self, bins: Array) -> Array:
        return np.clip(bins, 0, self.bins - 1).astype(np.int64)


def itself(tile: Tile, same: Array) -> tuple[Array, Array]:
    """The places in a tile of the pairs of a row and itself; its rows follow one another."""
    place = same[tile.columns] - tile.rows[0]
    columns = np.flatnonzero((place >= 0) & (place < len(tile.rows)))
    return place[columns], columns


def values_at(source: Source, same: Array, ranks: Callable[[Any], Array]) -> tuple[Array, Array]:
    """The dissimilarities of some ranks, and the next smaller one of each, 0 if there is none.

    Parameters
    ----------
    source : Source (n, m)
    same : int array (m,)
        The row that each candidate is, -1 for none.
    ranks : callable
        Function that gives the ranks, from 1 on, from the number of all pairs that count.
    """
    screening, exact = source.screening, ExactBins(source, same)
    known: list[ExactBins | NearBins] = (
        [exact] if screening is None else [NearBins(source, same, screening), exact]
    )
    for bins in known:
        counts = bins.counts()
        needed = _needed(bins, counts, ranks)
        if needed is not None:
            break
    else:
        return np.empty(0), np.empty(0)
    values = np.sort(bins.values_in(needed))
    zeros = np.count_nonzero(bits_of(values) >> shift_of(values.dtype, exact.log2) == 0)
    upto, values = np.cumsum(counts), values[zeros:]
    if not upto[-1] > zeros:
        return np.empty(0), np.empty(0)
    # ranks among all pairs become ranks among the computed ones by subtracting the lower bins that
    # were not computed
    rank = ranks(upto[-1] - zeros)
    place = (
        rank
        - 1
        - np.append(0, np.cumsum(np.where(needed, 0, counts)))[np.searchsorted(upto, rank + zeros)]
    )
    first = np.searchsorted(values, values[place])
    return values[place], np.where(first > 0, values[np.maximum(first - 1, 0)], 0)


def _needed(
    bins: ExactBins | NearBins, counts: Array, ranks: Callable[[Any], Array]
) -> Array | None:
    """Which bins may have the dissimilarities of some ranks, the next smaller ones, or a 0: bool
    (bins,); None if there are too many.
    """
    upto, filled = np.cumsum(counts), np.flatnonzero(counts)
    total, zeros = upto[-1], upto[bins.unsure - 1] if bins.unsure else 0
    if zeros > bins.most or zeros >= total:
        return None
    # the first and the last possible bin of each rank, because none or all of the undecided pairs
    # may be at 0
    extremes = ranks(total), ranks(total - zeros) + zeros
    low, high = bins.reach(
        *(np.searchsorted(upto, pick(*extremes)) for pick in (np.minimum, np.maximum))
    )
    before = filled[np.maximum(np.searchsorted(filled, low) - 1, 0)]  # its values are smaller
    before = np.where(before < low, bins.reach(before, before)[0], low)
    needed = np.zeros(len(counts), np.bool_)
    for a, b in zip(before, high, strict=True):
        needed[a : b + 1] = True
    needed[: bins.unsure] = True
    return needed if counts[needed].sum() <= bins.most else None


def radii_at(
    source: Source, candidate_row: Array, levels: Array | None, seed: tuple[int, ...]
) -> Array:
    """Radii at quantiles of the positive dissimilarities between different rows.

    Parameters
    ----------
    source : Source (n, m)
    candidate_row : int array (m,)
        Row of each candidate, -1 if it is not a row.
    levels : array, or None
        Quantile levels. None: `lower_levels` of the number of dissimilarities counted.
    seed : tuple of int
        Seed, used only above 2^27 entries, for a random subset of the columns.

    Returns
    -------
    array, ascending, one for each level; empty without a positive dissimilarity
        Each lies halfway between the quantile (an observed value v) and the next smaller observed
        value (0 for the smallest). The open ball `d < eps` is then the ball of eps = v, and
        rounding in v cannot change it.
    """
    n, m = source.shape
    if n * m > SAMPLE:
        columns = np.sort(np.random.default_rng(seed).choice(m, max(1, SAMPLE // n), replace=False))
        source, candidate_row = source.only(columns), candidate_row[columns]
    values, smaller = values_at(source, candidate_row, lambda total: quantile_ranks(levels, total))
    return (smaller.astype(float) + values.astype(float)) / 2


def lower_levels(total: int) -> Array:
    """0, and 19 levels spaced geometrically from total^-1/2 to 1/2."""
    return np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])


def quantile_ranks(levels: Array | None, total: int) -> Array:
    """Ranks (from 1) of the quantiles among `total` values, by the inverse of their distribution function."""
    levels = lower_levels(total) if levels is None else np.asarray(levels)
    return np.clip(np.ceil(levels * total).astype(np.int64), 1, total)


@kernel
def _count(bits, shift, counts):  # type: ignore[no-untyped-def]
    """Count the values of each bin, which are numbered by their first bits."""
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            counts[bits[i, j] >> shift] += 1


@kernel
def _count_near(twice, rows, candidates, names, same, scale, counts):  # type: ignore[no-untyped-def]
    """Count the approximations of each bin, without those of a candidate to its own row."""
    q, n = twice.shape
    bins, last = np.empty(n, np.int32), len(counts) - 1
    for j in range(q):
        bin_of(twice[j], rows, candidates[j], scale, last, bins)
        for i in range(n):
            counts[bins[i]] += 1
        if same[j] >= 0:
            for i in range(n):
                if names[i] == same[j]:
                    counts[bins[i]] -= 1


@kernel
def _collect_near(twice, rows, candidates, X, Z, names, same, scale, needed, out):  # type: ignore[no-untyped-def]
    """Write the exact distances of the pairs in the bins `needed`; return their number."""
    q, n = twice.shape
    bins, last = np.empty(n, np.int32), len(needed) - 1
    found = 0
    for j in range(q):
        bin_of(twice[j], rows, candidates[j], scale, last, bins)
        for i in range(n):
            if needed[bins[i]] and names[i] != same[j]:
                out[found] = measure_pair(Z[j], X[i])
                found += 1
    return found
