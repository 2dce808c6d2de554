"""The default radii of the PVM: quantiles of the dissimilarities, by counting them in bins and sorting those that matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bins_for, bits_of, shift_of
from ..distances.minkowski import measure_pair
from ..distances.screen import Screening
from ..parallel import each, few, kernel
from ..sources import Source
from ..tiles import Tile, block_tiles, half_tiles

Array = NDArray[Any]
SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns
BINS = 2**16  # at most, of approximations: their counts stay in the cache
OFTEN = 16  # where more than one pair in this many must be measured, all are


def default_radii(source: Source, candidate_row: Array, levels: Array | None, seed: tuple[int, ...]) -> Array:
    """Radii at quantiles of the positive dissimilarities between different rows.

    Parameters
    ----------
    source : Source (n, m)
    candidate_row : int array (m,)
        The row that each candidate is, -1 for none.
    levels : array, or None
        Quantile levels. None: 0 and 19 levels spaced geometrically from N^-1/2 to 1/2, where N is the number of
        dissimilarities counted.
    seed : tuple of int
        Used only above 2^27 entries, where a random set of columns represents all.

    Returns
    -------
    array, ascending and distinct
        Each lies halfway between the quantile (an observed value v) and the next smaller observed value (0 for the
        smallest). The open ball `d < eps` is then that of eps = v, and rounding in v cannot change it.
    """
    n, m = source.shape
    if n * m > SAMPLE:
        columns = np.sort(np.random.default_rng(seed).choice(m, max(1, SAMPLE // n), replace=False))
        source, candidate_row = source.only(columns), candidate_row[columns]
    if source.screening is not None:
        found = _screened(source.screening, candidate_row, levels)
        if found is not None:
            return found
    if few(n * m):
        return _sorted(source, candidate_row, levels)
    return _scanned(source, candidate_row, levels)


def _sorted(source: Source, candidate_row: Array, levels: Array | None) -> Array:
    """The radii from all dissimilarities, sorted."""
    fine = bins_for(1)

    def positive(rows: Array, columns: Array, tile: Array) -> tuple[None, list[Array]]:
        counts = (bits_of(tile) >> shift_of(tile.dtype, fine) > 0) & (rows[:, None] != candidate_row[columns])
        return None, [tile[counts]]

    parts = source.scan(positive, lambda rows, columns, stay, sent: sent)
    values = np.sort(np.concatenate([v for part in parts for v in part]).astype(np.float64))
    return _between(values, values[_targets(levels, len(values))]) if len(values) else values


def _scanned(source: Source, candidate_row: Array, levels: Array | None) -> Array:
    """The radii from all dissimilarities: counted in bins in one scan, and collected where it matters in a second one."""
    n, m = source.shape
    fine = bins_for(n * m)

    def count(rows: Array, columns: Array, tile: Array) -> tuple[None, Array]:
        bits, shift = bits_of(tile), shift_of(tile.dtype, fine)
        counts = np.zeros(2**fine, np.int64)
        _histogram(bits, shift, counts)
        at = np.searchsorted(rows, candidate_row[columns])  # positions of the rows that these candidates are
        same = np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == candidate_row[columns])
        np.subtract.at(counts, (bits[at[same], same] >> shift).astype(np.int64), 1)
        counts[0] = 0  # the first bin holds 0 and tiny values (below 1e-38, in float64 below 1e-308)
        return None, counts

    counts = sum(source.scan(count, lambda rows, columns, stay, sent: sent))
    total = int(counts.sum())
    if total == 0:
        return np.empty(0)
    target = _targets(levels, total)
    below = np.concatenate([[0], np.cumsum(counts)])
    bins = np.searchsorted(below, target, side="right") - 1
    filled = np.flatnonzero(counts)
    lower_bin = filled[np.maximum(np.searchsorted(filled, bins) - 1, 0)]
    needed = np.zeros(len(counts), np.bool_)
    needed[bins] = needed[lower_bin] = True
    needed[0] = False

    def collect(rows: Array, columns: Array, tile: Array) -> tuple[None, list[Array]]:
        picked = np.empty(tile.size, tile.dtype)
        n = _collect(bits_of(tile), tile, rows, candidate_row[columns], shift_of(tile.dtype, fine), needed, picked)
        return None, [picked[:n].copy()]

    collected = source.scan(collect, lambda rows, columns, stay, sent: sent)
    values = np.sort(np.concatenate([v for parts in collected for v in parts]).astype(np.float64))
    # `values` lacks the bins that are not needed: positions are counted from the first value of the target's own bin
    kept = np.concatenate([[0], np.cumsum(np.where(needed, counts, 0))])
    chosen = values[kept[bins] + target - below[bins]]
    return _between(values, chosen)


def _targets(levels: Array | None, total: int) -> Array:
    """Positions of the quantiles among `total` sorted values."""
    if levels is None:
        levels = np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])
    return np.asarray(np.clip(np.ceil(np.asarray(levels) * total).astype(np.int64) - 1, 0, total - 1))


def _between(values: Array, chosen: Array) -> Array:
    """Radii halfway between chosen ones of these sorted values and the next smaller ones, 0 below the first."""
    previous = np.searchsorted(values, chosen) - 1
    lower = np.where(previous >= 0, values[np.maximum(previous, 0)], 0.0)
    return np.unique((lower + chosen) / 2)


def _screened(screening: Screening, candidate_row: Array, levels: Array | None) -> Array | None:
    """The same radii from approximations q of the scaled squares; None where too many pairs would have to be measured.

    With |q - s| <= E for all pairs, and the kernel's squares within a factor 1 +- k of s, the t-th smallest square lies within
    (Q - E) (1 - k) and (Q + E) (1 + k) of the t-th smallest approximation Q, as order statistics move by no more than all
    values do. What may lie in that range is measured; what lies below is counted.
    """
    screening.hold()
    n, m = len(screening.rows.square), len(screening.candidates.square)
    E, k = screening.error, screening.bounds.kernel
    most = 4.01 * float(max(screening.rows.square.max(), screening.candidates.square.max())) + E
    bins = int(min(BINS, np.ceil(most / (2 * E))))
    width = most / bins  # bin b holds approximations from (b - 1/2) to (b + 3/2) widths, whatever rounding does
    tiles = half_tiles(n) if screening.symmetric else block_tiles(n, m)

    def count(tile: Tile) -> Array:
        counts = np.zeros(bins, np.int64)
        rows, candidates, twice = screening.tile(tile.rows, tile.columns)
        same = candidate_row[tile.columns] if not tile.mirror else np.full(len(tile.columns), -1)
        _count_near(twice, rows.square, candidates.square, tile.rows, same, np.float32(1 / width), counts)
        return counts * 2 if tile.mirror else counts

    counts = np.zeros(bins, np.int64)
    for part in each(count, tiles, n * m):
        counts += part
    below = np.concatenate([[0], np.cumsum(counts)])

    def bin_below(q: Array) -> Array:
        return np.asarray(np.clip(np.floor(q / width - 1.5), 0, bins - 1).astype(np.int64))

    def bin_above(q: Array) -> Array:
        return np.asarray(np.clip(np.ceil(q / width + 0.5), 0, bins - 1).astype(np.int64))

    tiny = int(bin_above(np.array([E]))[0])  # pairs up to this bin may be at 0
    most_zeros = int(below[tiny + 1])
    if most_zeros * OFTEN > n * m:
        return None
    # the least and the greatest position among all pairs that each quantile can have, as some of these may be at 0
    totals = [int(counts.sum()) - zeros for zeros in (0, most_zeros)]
    if totals[1] <= 0:
        return None
    ranks = [_targets(levels, total) + zeros for total, zeros in zip(totals, (0, most_zeros), strict=True)]
    first_bin = np.searchsorted(below, np.minimum(*ranks), side="right") - 1
    last_bin = np.searchsorted(below, np.maximum(*ranks), side="right") - 1
    down, up = (1 - k) / (1 + k), (1 + k) / (1 - k)
    low = bin_below(((first_bin - 0.5) * width - E) * down - E)
    high = bin_above(((last_bin + 1.5) * width + E) * up + E)
    filled = np.flatnonzero(counts)
    before = filled[np.maximum(np.searchsorted(filled, low) - 1, 0)]  # what is in it lies below the quantile
    before = np.where(before < low, bin_below(((before - 0.5) * width - E) * down - E), low)
    needed = np.zeros(bins, np.bool_)
    for a, b in zip(before, high, strict=True):
        needed[a : b + 1] = True
    needed[: tiny + 1] = True
    if int(counts[needed].sum()) * OFTEN > n * m:
        return None

    def collect(tile: Tile) -> Array:
        rows, candidates, twice = screening.tile(tile.rows, tile.columns)
        same = candidate_row[tile.columns] if not tile.mirror else np.full(len(tile.columns), -1)
        out = np.empty(twice.size, rows.exact.dtype)
        near = (twice, rows.square, candidates.square, rows.exact, candidates.exact, tile.rows, same)
        found = out[: _collect_near(*near, np.float32(1 / width), needed, out)]
        return np.concatenate([found, found]) if tile.mirror else found.copy()

    collected = np.concatenate(list(each(collect, tiles, n * m)))
    dtype = collected.dtype
    zero = (bits_of(collected) >> shift_of(dtype, bins_for(n * m))) == 0
    values = np.sort(collected[~zero].astype(np.float64))
    zeros, total = int(zero.sum()), int(counts.sum()) - int(zero.sum())
    if total == 0:
        return np.empty(0)
    target = _targets(levels, total)
    uncollected = np.concatenate([[0], np.cumsum(np.where(needed, 0, counts))])
    at = np.searchsorted(below, target + zeros, side="right") - 1
    return _between(values, values[target - uncollected[at]])


@kernel
def _bins(twice, rows, own, scale, last, out):  # type: ignore[no-untyped-def]
    # the bin of the approximation of each pair of one candidate
    none = np.float32(0)
    for i in range(len(rows)):
        out[i] = min(np.int32(max(own + rows[i] - twice[i], none) * scale), last)


@kernel
def _count_near(twice, rows, candidates, names, same, scale, counts):  # type: ignore[no-untyped-def]
    q, n = twice.shape
    bins, last = np.empty(n, np.int32), np.int32(len(counts) - 1)
    for j in range(q):
        _bins(twice[j], rows, candidates[j], scale, last, bins)
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
        _bins(twice[j], rows, candidates[j], scale, last, bins)
        for i in range(n):
            if needed[bins[i]] and names[i] != same[j]:
                out[found] = measure_pair(Z[j], X[i])
                found += 1
    return found


@kernel
def _histogram(bits, shift, counts):  # type: ignore[no-untyped-def]
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            counts[bits[i, j] >> shift] += 1


@kernel
def _collect(bits, tile, rows, candidate_row, shift, needed, out):  # type: ignore[no-untyped-def]
    n = 0
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if needed[bits[i, j] >> shift] and candidate_row[j] != rows[i]:
                out[n] = tile[i, j]
                n += 1
    return n
