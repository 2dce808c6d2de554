"""The classes of a response as codes."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import DataError, shown


def class_codes(truth: pd.Series, levels: pd.Index) -> np.ndarray:
    """Class codes of a response, -1 where it is missing; an error for classes that fit has not seen."""
    try:
        codes = levels.get_indexer(truth.astype(object))
    except TypeError:
        raise DataError(f"the response {truth.name!r} holds values that are not classes") from None
    unseen = truth[(codes < 0) & truth.notna().to_numpy()].astype(object).unique()
    if len(unseen):
        raise DataError(f"the response {truth.name!r} has classes not seen in fit: {', '.join(map(shown, unseen[:5]))}")
    return np.asarray(codes)
