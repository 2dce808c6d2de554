"""Integers that floats round."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .blocks import blocks
from .frame import Frame

EXACT = 2**53  # not all integers beyond it are floats


def rounded(frame: Frame) -> dict[str, int]:
    """The columns that are used as numbers and have integers that no float equals, with one of these; wherever the rows are."""
    if frame.parts is not None:
        parts = frame.parts.map(rounded)
        return {name: value for part in parts for name, value in part.items()}
    found = dict[str, int]()
    names = [c for c, known in frame.schema.items() if known.kind == "numeric" and pd.api.types.is_integer_dtype(frame.columns[c].dtype)]
    for name in names:
        low, high = frame.columns[name].min(), frame.columns[name].max()
        if pd.notna(low) and (high > EXACT or low < -EXACT):
            first = next((v for _, rows in blocks(frame) if (v := first_rounded(rows.columns[name])) is not None), None)
            found |= {} if first is None else {name: first}
    return found


def first_rounded(values: pd.Series) -> int | None:
    """The first integer of a column that no float equals, None where there is none.

    Examples
    --------
    >>> first_rounded(pd.Series([2**53, 2**53 + 2, 2**53 + 3, -2**63])), first_rounded(pd.Series([2**60, -2**62]))
    (9007199254740995, None)
    """
    whole = values.dropna().to_numpy()
    size = np.abs(whole).astype(np.uint64)  # the least integer, whose absolute value is none, becomes the right one here
    lowest = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))  # the lowest bit that is 1
    wrong = np.flatnonzero(size // lowest > EXACT)
    return int(whole[wrong[0]]) if len(wrong) else None
