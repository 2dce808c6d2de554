"""Quantiles of dissimilarities, by counting them in bins and sorting those that matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bits_of, shift_of
from ..parallel import kernel
from ..sources import Source
from .quantiles import between, positions

Array = NDArray[Any]


@dataclass(frozen=True)
class QuantileBins:
    """The bins of quantiles.

    Attributes
    ----------
    needed : bool array (bins,)
        Which bins have the quantiles, and the values below them.
    position : int array
        Of each quantile among the values of these bins.
    """

    needed: Array
    position: Array

    def radii(self, values: Array, times: Array | None = None) -> Array:
        """The radii from the values of the bins that are needed, in any order; each of them once, or as many times as said."""
        if times is None:
            values, at = np.sort(values), self.position
        else:
            order = np.argsort(values, kind="stable")
            values = values[order]
            at = np.searchsorted(np.cumsum(times[order]), self.position, side="right")
        return between(values, values[at])


def quantile_bins(counts: Array, levels: Array | None) -> QuantileBins | None:
    """The bins of the quantiles at some levels, from the number of values in each bin; None if there are no values.

    levels : see `radii.default_radii`.
    """
    total = int(counts.sum())
    if total == 0:
        return None
    target = positions(levels, total)
    below = np.concatenate([[0], np.cumsum(counts)])
    bins = np.searchsorted(below, target, side="right") - 1
    filled = np.flatnonzero(counts)
    lower_bin = filled[np.maximum(np.searchsorted(filled, bins) - 1, 0)]
    needed = np.zeros(len(counts), np.bool_)
    needed[bins] = needed[lower_bin] = True
    needed[0] = False
    # values of bins that are not needed are not there: positions are counted from the first value of the target's own bin
    kept = np.concatenate([[0], np.cumsum(np.where(needed, counts, 0))])
    return QuantileBins(needed, kept[bins] + target - below[bins])


def count_bins(source: Source, candidate_row: Array, fine: int) -> Array:
    """Number of dissimilarities in each of 2^fine bins, without those of a row to itself and without the first bin.

    candidate_row : int array (m,)
        The row that each candidate is, -1 for none.
    """

    def count(rows: Array, columns: Array, tile: Array) -> tuple[None, Array]:
        bits, shift = bits_of(tile), shift_of(tile.dtype, fine)
        counts = np.zeros(2**fine, np.int64)
        _histogram(bits, shift, counts)
        at = np.searchsorted(rows, candidate_row[columns])  # positions of the rows that these candidates are
        same = np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == candidate_row[columns])
        np.subtract.at(counts, (bits[at[same], same] >> shift).astype(np.int64), 1)
        counts[0] = 0  # the first bin holds 0 and tiny values (below 1e-38, in float64 below 1e-308)
        return None, counts

    return np.asarray(sum(source.scan(count, lambda rows, columns, stay, sent: sent)))


def collect_bins(source: Source, candidate_row: Array, fine: int, needed: Array) -> Array:
    """The dissimilarities in some of the bins, in any order, float64."""

    def collect(rows: Array, columns: Array, tile: Array) -> tuple[None, list[Array]]:
        picked = np.empty(tile.size, tile.dtype)
        n = _collect(bits_of(tile), tile, rows, candidate_row[columns], shift_of(tile.dtype, fine), needed, picked)
        return None, [picked[:n].copy()]

    collected = source.scan(collect, lambda rows, columns, stay, sent: sent)
    return np.concatenate([v for parts in collected for v in parts]).astype(np.float64)


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
