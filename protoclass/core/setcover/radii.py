"""Radii at quantiles of the dissimilarities, such as the default radii of the PVM."""

from __future__ import annotations

import numpy as np

from .. import Array
from ..coding import bins_for
from ..histogram import Pairs, values_at
from ..sources import Source

SAMPLE = 2**27  # entries; with more of them, quantiles are taken from a random set of columns


def default_radii(source: Source, candidate_row: Array, levels: Array | None, seed: tuple[int, ...]) -> Array:
    """Radii at quantiles of the positive dissimilarities between different rows.

    Parameters
    ----------
    source : Source (n, m)
    candidate_row : int array (m,)
        Row of each candidate, -1 if it is not a row.
    levels : array, or None
        Quantile levels. None: 0 and 19 levels spaced geometrically from N^-1/2 to 1/2, where N is the number of
        dissimilarities counted.
    seed : tuple of int
        Seed, used only above 2^27 entries, for a random subset of the columns.

    Returns
    -------
    array, ascending and distinct
        Each lies halfway between the quantile (an observed value v) and the next smaller observed value (0 for the
        smallest). The open ball `d < eps` is then the ball of eps = v, and rounding in v cannot change it.
    """
    n, m = source.shape
    if n * m > SAMPLE:
        columns = np.sort(np.random.default_rng(seed).choice(m, max(1, SAMPLE // n), replace=False))
        source, candidate_row = source.only(columns), candidate_row[columns]
    pairs = Pairs(candidate_row, bins_for(int(np.prod(source.shape))))
    values, smaller = values_at([(source, pairs)], lambda total: quantile_ranks(levels, total))
    return np.unique((smaller.astype(float) + values.astype(float)) / 2)


def quantile_ranks(levels: Array | None, total: int) -> Array:
    """Ranks (from 1) of the quantiles among `total` values, by the inverse of their distribution function."""
    if levels is None:
        levels = np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])
    return np.asarray(np.clip(np.ceil(np.asarray(levels) * total).astype(np.int64), 1, total))
