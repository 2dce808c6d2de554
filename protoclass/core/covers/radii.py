"""The default radii of the PVM: quantiles of the dissimilarities, by counting them in bins and sorting those that matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bins_for, bits_of, shift_of
from ..parallel import few
from ..sources import Source
from .binned_radii import collect_bins, count_bins, quantile_bins
from .quantiles import between, positions
from .screened_radii import screened_radii
from .sharded_radii import sharded_radii

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
    if source.shards is not None:
        return sharded_radii(source, candidate_row, levels)
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
    fine = bins_for(int(np.prod(source.shape)))
    found = quantile_bins(count_bins(source, candidate_row, fine), levels)
    return np.empty(0) if found is None else found.radii(collect_bins(source, candidate_row, fine, found.needed))
