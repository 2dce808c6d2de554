"""The default radii where the rows are kept in several places: counts of the places are added, and what they collect is joined."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding import bins_for
from ..sharded import Measure, ShardedSource
from ..shards import Rows
from ..sources import Source
from .binned_radii import collect_bins, count_bins, quantile_bins

Array = NDArray[Any]


def sharded_radii(source: Source, candidate_row: Array, levels: Array | None) -> Array:
    """The radii of `radii.default_radii`, of a source whose rows are in several places."""
    assert isinstance(source, ShardedSource)
    shards, fine = source.shards, bins_for(int(np.prod(source.shape)))
    each: list[tuple[Any, ...]] = [()] * (len(shards.bounds) - 1)
    shared = source.measure, candidate_row, fine
    counts = np.zeros(2**fine, np.int64)
    for some in shards.map(_count, each, shared):
        counts += some
    found = quantile_bins(counts, levels)
    if found is None:
        return np.empty(0)
    parts = shards.map(_collect, each, (*shared, found.needed))
    values, times = (np.concatenate([part[i] for part in parts]) for i in range(2))
    return found.radii(values, times)


def _own(rows: Rows, candidate_row: Array) -> Array:
    """Which row of a place each candidate is, -1 if it is none of them."""
    at = candidate_row - rows.first
    return np.asarray(np.where((at >= 0) & (at < len(rows)), at, -1))


def _count(rows: Rows, measure: Measure, candidate_row: Array, fine: int) -> Array:
    if not len(rows):
        return np.zeros(2**fine, np.int64)
    return count_bins(measure.source(rows), _own(rows, candidate_row), fine)


def _collect(rows: Rows, measure: Measure, candidate_row: Array, fine: int, needed: Array) -> tuple[Array, Array]:
    """The values in some bins, and how often each is there, which is many times where values are whole numbers."""
    if not len(rows):
        return np.empty(0), np.empty(0, np.int64)
    return np.unique(collect_bins(measure.source(rows), _own(rows, candidate_row), fine, needed), return_counts=True)
