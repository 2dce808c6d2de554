"""The default radii of the PVM: quantiles of the dissimilarities, by counting them in bins and sorting those that matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bins_for, bits_of, shift_of
from ..parallel import few, kernel
from ..sources import Source
from .quantiles import between, positions
from .screened_radii import screened_radii

Array = NDArray[Any]
SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns


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
        found = screened_radii(source.screening, candidate_row, levels)
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
    return between(values, values[positions(levels, len(values))]) if len(values) else values


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
    target = positions(levels, total)
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
    return between(values, chosen)


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
