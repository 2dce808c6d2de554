"""A long frame block by block, so its design matrix is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.coding import as_slice
from .frame import Frame

WHOLE = 2**23  # entries of a design matrix that is made as a whole: 64 MB
ENTRIES = 2**21  # of a block of a longer one
MOST, FEWEST = 2**16, 2**10  # rows of a block


def blocks(frame: Frame) -> Iterator[tuple[slice, Frame]]:
    """The rows of a frame and the frame of these rows, in their order; a frame that is not long is one block, itself.

    Only the rows of one block are ever copied. Blocks start at multiples of a power of two.

    Examples
    --------
    >>> import pandas as pd
    >>> from protoclass.frames.frame import mold
    >>> [(at.start, at.stop) for at, _ in blocks(mold("~ a", pd.DataFrame({"a": [1.0, 2.0]}), response=False))]
    [(0, 2)]
    """
    n, step = len(frame), _rows(frame)
    if step >= n:
        yield slice(0, n), frame
        return
    for first in range(0, n, step):
        at = slice(first, min(first + step, n))
        yield at, frame.take(at)


def long(frame: Frame) -> bool:
    """Whether `blocks` divides the frame."""
    return _rows(frame) < len(frame)


def design_rows(frame: Frame, at: np.ndarray | slice) -> np.ndarray:
    """Rows of the design matrix (len(at), p), in double precision; of a long frame it is made for these rows alone."""
    if isinstance(at, np.ndarray):
        at = as_slice(at)
    if long(frame):
        return np.asarray(frame.take(at).design.to_numpy(float))
    return np.asarray(frame.design.to_numpy(float)[at])


def _rows(frame: Frame) -> int:
    """The number of rows of a block."""
    width = max(1, len(frame.schema) if frame.spec is None else len(frame.spec.column_names))
    if len(frame) * width <= WHOLE:
        return max(1, len(frame))
    rows = max(FEWEST, min(MOST, ENTRIES // width))
    return 1 << (rows.bit_length() - 1)
