"""Dissimilarities of given ranks: pairs are counted in bins, and only those in the bins that matter are measured and sorted.

The bins are the leading bits of exact dissimilarities, or even steps of approximations of their squares. With approximations q
of the scaled squares s, |q - s| <= E for all pairs, and the kernel's squares within a factor 1 +- k of s, the t-th smallest
square lies within (Q - E) (1 - k) and (Q + E) (1 + k) of the t-th smallest approximation Q, because order statistics move by no
more than all values do. Pairs that may lie in that range are computed; pairs below are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import iadd
from typing import Any, TypeVar

import numpy as np

from . import Array
from .coding import Tile, bins_for, bits_of, block_tiles, half_tiles, shift_of
from .distances.minkowski import measure_pair
from .distances.screen import Screening, Side
from .parallel import each, few, kernel
from .sources import Source

S = TypeVar("S")
Values = tuple[Array, Array | None]  # dissimilarities in any order, and the weight of each, None for 1
SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns
BINS = 2**16  # of approximations, at most: their counts stay in the cache
NONE = np.empty(0)
OFTEN = 16  # if more than one pair in this many must be computed, all are


@dataclass(frozen=True)
class Pairs:
    """Which pairs of a source count, and how much."""

    same: Array  # int (m,): the row that each candidate is, as this pair does not count; -1 for none
    fine: int  # log2 of the number of bins of exact dissimilarities
    weights: tuple[Array, Array] | None = None  # of rows (n,) and candidates (m,), whose products count; None for 1


@dataclass(frozen=True)
class Histogram:
    """The pairs of a source by the leading bits of their dissimilarities.

    The first bin contains 0 and tiny values (below 1e-38, in float64 below 1e-308). Its pairs do not count, nor do infinite ones.
    """

    source: Source
    pairs: Pairs

    @property
    def unsure(self) -> int:
        """The number of the first bins whose pairs count unless they turn out to be at 0."""
        return 0

    @property
    def most(self) -> float:
        """The number of pairs that may be measured."""
        return np.inf

    @cached_property
    def counts(self) -> Array:
        """Weight of the pairs in each bin."""
        pairs, bins = self.pairs, 2**self.pairs.fine

        def count(rows: Array, columns: Array, tile: Array) -> Array:
            bits, shift, same = bits_of(tile), shift_of(tile.dtype, pairs.fine), pairs.same[columns]
            if pairs.weights is not None:
                counts = np.zeros(bins)
                _weigh(bits, shift, same, pairs.weights[0], pairs.weights[1][columns], counts)
            else:
                if few(tile.size):
                    counts = np.bincount((bits >> shift).ravel().astype(np.int64), minlength=bins)
                else:
                    counts = np.zeros(bins, np.int64)
                    _count(bits, shift, counts)
                own = np.flatnonzero((same >= 0) & (same < len(rows)))
                np.subtract.at(counts, (bits[same[own], own] >> shift).astype(np.int64), 1)
            counts[0] = counts[int(bits_of(np.full(1, np.inf, tile.dtype))[0] >> shift) :] = 0
            return counts

        return added(self.source.scan(count))

    def reach(self, first: Array, last: Array) -> tuple[Array, Array]:
        """The first and the last bin that may have dissimilarities as large as some of those in bins `first` to `last`."""
        return first, last

    def values_in(self, needed: Array) -> Values:
        """The exact dissimilarities of the pairs in some bins."""
        pairs = self.pairs

        def collect(rows: Array, columns: Array, tile: Array) -> Values:
            bits, shift, same = bits_of(tile), shift_of(tile.dtype, pairs.fine), pairs.same[columns]
            w, v = (NONE, NONE) if pairs.weights is None else (pairs.weights[0][rows], pairs.weights[1][columns])
            if few(tile.size):
                i, j = np.nonzero(needed[bits >> shift] & (rows[:, None] != same))
                return tile[i, j], w[i] * v[j] if len(w) else None
            values, weights = np.empty(tile.size, tile.dtype), np.empty(tile.size if len(w) else 0)
            found = _collect(bits, shift, needed, tile, rows, same, w, v, values, weights)
            return values[:found].copy(), weights[:found].copy() if len(w) else None

        return joined(self.source.scan(collect))


@dataclass(frozen=True)
class NearHistogram(Histogram):
    """The pairs by approximations: bin b contains values from (b - 1/2) to (b + 3/2) widths, with any rounding."""

    screening: Screening
    bins: int
    width: float

    @property
    def unsure(self) -> int:
        return int(self._last(np.array([self.screening.error]))[0]) + 1

    @property
    def most(self) -> float:
        return int(np.prod(self.source.shape)) // OFTEN

    @cached_property
    def counts(self) -> Array:
        def count(tile: Tile, rows: Side, candidates: Side, twice: Array, same: Array) -> Array:
            counts = np.zeros(self.bins, np.int64)
            _count_near(twice, rows.square, candidates.square, tile.rows, same, np.float32(1 / self.width), counts)
            return counts * 2 if tile.mirror else counts

        self.screening.hold()
        return added(self._of_tiles(count))

    def reach(self, first: Array, last: Array) -> tuple[Array, Array]:
        E, k, width = self.screening.error, self.screening.bounds.kernel, self.width
        down, up = (1 - k) / (1 + k), (1 + k) / (1 - k)
        low = ((first - 0.5) * width - E) * down - E
        return self._clipped(np.floor(low / width - 1.5)), self._last(((last + 1.5) * width + E) * up + E)

    def values_in(self, needed: Array) -> Values:
        def collect(tile: Tile, rows: Side, candidates: Side, twice: Array, same: Array) -> Values:
            near = twice, rows.square, candidates.square, rows.exact, candidates.exact, tile.rows, same
            out = np.empty(twice.size, rows.exact.dtype)
            found = out[: _collect_near(*near, np.float32(1 / self.width), needed, out)]
            return np.concatenate([found, found]) if tile.mirror else found.copy(), None

        return joined(self._of_tiles(collect))

    def _of_tiles(self, work: Callable[[Tile, Side, Side, Array, Array], S]) -> Iterator[S]:
        """`work(tile, rows, candidates, twice, same)` for each tile: its sides, twice their products, and the row that each candidate
        is, -1 for none; none of a mirrored tile is one of its rows."""

        def of_tile(tile: Tile) -> S:
            same = np.full(len(tile.columns), -1) if tile.mirror else self.pairs.same[tile.columns]
            return work(tile, *self.screening.tile(tile.rows, tile.columns), same)

        n, m = self.source.shape
        return each(of_tile, half_tiles(n) if self.screening.symmetric else block_tiles(n, m), n * m)

    def _last(self, q: Array) -> Array:
        """The last bin that may have approximations up to q."""
        return self._clipped(np.ceil(q / self.width + 0.5))

    def _clipped(self, bins: Array) -> Array:
        return np.clip(bins, 0, self.bins - 1).astype(np.int64)


def near_histogram(source: Source, pairs: Pairs) -> Histogram:
    """The histogram of a source by products if it has any and its pairs have weight 1."""
    screening = source.screening
    if screening is None or pairs.weights is not None:
        return Histogram(source, pairs)
    E = screening.error
    largest = 4.01 * float(max(screening.rows.square.max(), screening.candidates.square.max())) + E
    bins = int(min(BINS, np.ceil(largest / (2 * E))))
    return NearHistogram(source, pairs, screening, bins, largest / bins)


def added(counts: Iterable[Array]) -> Array:
    """The sum of counts of the same bins, which the first one becomes."""
    return reduce(iadd, counts)


def joined(parts: Iterable[Values]) -> Values:
    """The values of all parts of the pairs."""
    values, weights = zip(*parts, strict=True)
    return np.concatenate(values), None if weights[0] is None else np.concatenate(weights)


def values_at(parts: Sequence[tuple[Source, Pairs]], ranks: Callable[[Any], Array]) -> tuple[Array, Array]:
    """The lowest dissimilarities up to which lie given weights of pairs, and the next smaller one of each, 0 if there is none.

    Parameters
    ----------
    parts : sequence of (Source, Pairs)
        Each pair is in one of them; they have the same bins.
    ranks : callable
        Function that gives the weights from the weight of all pairs that count: from 1 to their number if each has weight 1.
    """
    for make in (near_histogram, Histogram):
        found = [make(source, pairs) for source, pairs in parts]
        counts = np.sum([histogram.counts for histogram in found], axis=0)
        needed = _needed(found[0], counts, ranks)
        if needed is not None:
            break
    else:
        return np.empty(0), np.empty(0)
    values, weights = joined(histogram.values_in(needed) for histogram in found)
    order = None if weights is None else np.argsort(values, kind="stable")
    values = np.sort(values) if order is None else values[order]
    zeros = np.count_nonzero(bits_of(values) >> shift_of(values.dtype, parts[0][1].fine) == 0)  # only if all have weight 1
    upto, values = np.cumsum(counts), values[zeros:]
    if not upto[-1] > zeros:
        return np.empty(0), np.empty(0)
    # ranks among all pairs become ranks among the computed ones by subtracting the lower bins that were not computed
    rank = ranks(upto[-1] - zeros)
    rank = rank - np.concatenate([[0], np.cumsum(np.where(needed, 0, counts))])[_first_with(upto, rank + zeros)]
    chosen = values[rank - 1 if weights is None else _first_with(np.cumsum(weights[order]), rank)]
    first = np.searchsorted(values, chosen)
    return chosen, np.where(first > 0, values[np.maximum(first - 1, 0)], 0)


def quantiles(source: Source, candidate_row: Array, levels: Array) -> Array:
    """Quantiles of the positive dissimilarities between different rows, between neighbours of which they are interpolated as by R.

    candidate_row : int array (m,)
        Row of each candidate, -1 if it is not a row. Nothing is returned if there are no such dissimilarities.
    """
    share = np.empty(0)

    def ranks(total: int) -> Array:
        nonlocal share
        place = levels * (total - 1)
        low = np.floor(place).astype(np.int64)
        share = place - low
        return np.concatenate([low, np.minimum(low + 1, total - 1)]) + 1

    found, _ = values_at([(source, Pairs(candidate_row, bins_for(int(np.prod(source.shape)))))], ranks)
    low, high = np.split(found, 2)
    if not len(low):
        return low
    return np.asarray(np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)))  # as np.quantile has it


def _needed(histogram: Histogram, counts: Array, ranks: Callable[[Any], Array]) -> Array | None:
    """Which bins may have the dissimilarities of some ranks, the next smaller ones, or a 0: bool (bins,); None if there are too many."""
    upto, filled = np.cumsum(counts), np.flatnonzero(counts)
    total, zeros = upto[-1], upto[histogram.unsure - 1] if histogram.unsure else 0
    if zeros > histogram.most or zeros >= total:
        return None
    # the first and the last possible bin of each rank, because none or all of the undecided pairs may be at 0
    extremes = ranks(total), ranks(total - zeros) + zeros
    low, high = histogram.reach(*(_first_with(upto, pick(*extremes)) for pick in (np.minimum, np.maximum)))
    before = filled[np.maximum(np.searchsorted(filled, low) - 1, 0)]  # its values are smaller
    before = np.where(before < low, histogram.reach(before, before)[0], low)
    needed = np.zeros(len(counts), np.bool_)
    for a, b in zip(before, high, strict=True):
        needed[a : b + 1] = True
    needed[: histogram.unsure] = True
    return needed if counts[needed].sum() <= histogram.most else None


def _first_with(upto: Array, rank: Array) -> Array:
    """The first position with this cumulative weight; rounding in sums of weights never gives a position beyond the last."""
    return np.asarray(np.searchsorted(upto, np.minimum(rank, upto[-1])))


@kernel
def _count(bits, shift, counts):  # type: ignore[no-untyped-def]
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            counts[bits[i, j] >> shift] += 1


@kernel
def _weigh(bits, shift, same, w, v, counts):  # type: ignore[no-untyped-def]
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if i != same[j]:
                counts[bits[i, j] >> shift] += w[i] * v[j]


@kernel
def _collect(bits, shift, needed, tile, rows, same, w, v, values, weights):  # type: ignore[no-untyped-def]
    # the pairs in some bins, and their weights if there are any
    found = 0
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if needed[bits[i, j] >> shift] and rows[i] != same[j]:
                values[found] = tile[i, j]
                if len(w):
                    weights[found] = w[i] * v[j]
                found += 1
    return found


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


def radii_at(source: Source, candidate_row: Array, levels: Array | None, seed: tuple[int, ...]) -> Array:
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
    array, ascending, one for each level
        Each lies halfway between the quantile (an observed value v) and the next smaller observed value (0 for the
        smallest). The open ball `d < eps` is then the ball of eps = v, and rounding in v cannot change it.
    """
    n, m = source.shape
    if n * m > SAMPLE:
        columns = np.sort(np.random.default_rng(seed).choice(m, max(1, SAMPLE // n), replace=False))
        source, candidate_row = source.only(columns), candidate_row[columns]
    pairs = Pairs(candidate_row, bins_for(int(np.prod(source.shape))))
    values, smaller = values_at([(source, pairs)], lambda total: quantile_ranks(levels, total))
    return np.asarray((smaller.astype(float) + values.astype(float)) / 2)


def lower_levels(total: int) -> Array:
    """0, and 19 levels spaced geometrically from total^-1/2 to 1/2."""
    return np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])


def quantile_ranks(levels: Array | None, total: int) -> Array:
    """Ranks (from 1) of the quantiles among `total` values, by the inverse of their distribution function."""
    levels = lower_levels(total) if levels is None else np.asarray(levels)
    return np.asarray(np.clip(np.ceil(levels * total).astype(np.int64), 1, total))
