"""An order of the rows of a frame that depends on what is in them, and not on where they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from .frame import Frame
from .specification import trained_spec


def sort_by_values(frame: Frame) -> Frame:
    """The frame with its rows sorted by class, then by the predictors in the order of the columns, by weight, and by label.

    Labels decide between rows that are equal in all else, and between all rows of a class where there are no predictors. What
    a transform of the formula learns is learned again, so that its sums run in the new order.

    Examples
    --------
    >>> import pandas as pd
    >>> from protoclass.frames.frame import mold
    >>> data = pd.DataFrame({"a": [2.0, 1.0, 1.0], "y": ["u", "v", "u"]}, ["r", "s", "t"])
    >>> sort_by_values(mold("y ~ a", data)).index.tolist()
    ['t', 'r', 's']
    """
    table = frame.canonical()
    columns = [_ranked(table[name]) for name in table]
    order = np.lexsort([_ranks(frame.index), frame.weights, *columns[::-1], frame.codes])
    ordered = frame.take(order)
    return replace(ordered, spec=None if frame.spec is None else trained_spec(replace(ordered, spec=None)))


def _ranked(column: pd.Series) -> np.ndarray:
    """A column as numbers in its order, missing ones last."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy(float)
        return np.where(codes < 0, np.nan, codes)
    return np.asarray(column.to_numpy())


def _ranks(labels: pd.Index) -> np.ndarray:
    """The place of each label among the sorted ones; labels of several types are sorted as texts."""
    try:
        order = labels.argsort()
    except TypeError:
        order = pd.Index([repr(label) for label in labels]).argsort()
    out = np.empty(len(labels), np.int64)
    out[order] = np.arange(len(labels))
    return out
