"""The USPS digits as the PVM paper splits them, and test errors from a matrix of dissimilarities."""

from __future__ import annotations

from typing import Any

import pandas as pd
from common import fetched

import protoclass as pc


def usps() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The 7291 training and 2007 test images: `digit` and the pixels."""
    data = fetched("usps")
    train, new = (data[data.split == part].drop(columns="split").copy() for part in ("train", "test"))
    return train, new


def error(fit: pc.Fit, new: pd.DataFrame, y: pd.Series) -> float:
    """Percent of new rows that a fit on a given matrix gets wrong; `new` holds their dissimilarities to all training rows."""
    told = fit.predict(new[fit.prototypes.index]).astype(str).to_numpy()
    return float(100 * (told != y.astype(str).to_numpy()).mean())


def curve(fits: dict[Any, tuple[int, float]]) -> pd.DataFrame:
    """One row for each fit: the parameter, `prototypes` and `error`."""
    return pd.DataFrame(
        [(parameter, size, wrong) for parameter, (size, wrong) in fits.items()], columns=["parameter", "prototypes", "error"]
    )
