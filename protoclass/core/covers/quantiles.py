"""Quantiles of sorted values as radii."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def positions(levels: Array | None, total: int) -> Array:
    """Positions of the quantiles among `total` sorted values."""
    if levels is None:
        levels = np.concatenate([[0.0], np.geomspace(total**-0.5, 0.5, 19)])
    return np.asarray(np.clip(np.ceil(np.asarray(levels) * total).astype(np.int64) - 1, 0, total - 1))


def between(values: Array, chosen: Array) -> Array:
    """Radii halfway between chosen ones of these sorted values and the next smaller ones, 0 below the first."""
    previous = np.searchsorted(values, chosen) - 1
    lower = np.where(previous >= 0, values[np.maximum(previous, 0)], 0.0)
    return np.unique((lower + chosen) / 2)
