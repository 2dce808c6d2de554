"""The rows of a table that take part: those where nothing is missing that is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from .reading import Origin, collect, origin_of
from .sources import rows_at_once


def missing_in(columns: pd.DataFrame, response: pd.Series | None) -> tuple[np.ndarray, pd.Series]:
    """Whether a value is missing in each row, bool (n,), and the number of missing values of each column.

    Column by column, as a table of all would take a byte for each value.
    """
    missing, counts = np.zeros(len(columns), bool), {}
    every = [columns[name] for name in columns] + ([] if response is None else [response])
    for column in every:
        here = column.isna().to_numpy()
        counts[column.name] = int(here.sum())
        missing |= here
    return missing, pd.Series(counts, dtype=int)


def kept_rows(columns: pd.DataFrame, dropped: np.ndarray, origin: Origin | None) -> pd.DataFrame:
    """The columns without the rows that are dropped; of a frame that was read, again on the disk, with the levels that are left.

    Parameters
    ----------
    columns : DataFrame (n, p)
    dropped : bool array (n,)
    origin : Origin, or None
    """
    if origin is None:
        return columns[~dropped] if dropped.any() else columns
    if dropped.any():
        index, step = columns.index[~dropped], rows_at_once(len(columns.columns))
        starts = range(0, len(columns), step)
        blocks = (columns.iloc[k : k + step][~dropped[k : k + step]] for k in starts)
        columns = collect(blocks, list(columns.columns), len(index))[0].set_axis(index)
    texts = {name: levels_that_occur(columns[name]) for name in columns if name in origin.texts}
    return columns.assign(**texts) if texts else columns


def row_blocks(data: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """A frame that was read in blocks of its rows; any other as it is."""
    step = max(1, len(data)) if origin_of(data) is None else rows_at_once(len(data.columns))
    for start in range(0, max(1, len(data)), step):
        yield data if step >= len(data) else data.iloc[start : start + step]


def levels_that_occur(column: pd.Series) -> pd.Series:
    """A column of categories with the levels that some row has; unchanged where all occur."""
    codes = column.array.codes
    step = rows_at_once(1)
    counts: Any = sum(np.bincount(codes[k : k + step] + 1, minlength=len(column.cat.categories) + 1) for k in range(0, len(codes), step))
    return column if np.all(counts[1:] > 0) else column.cat.remove_unused_categories()
