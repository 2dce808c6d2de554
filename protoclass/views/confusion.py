"""The confusion table: weight of rows by true and predicted class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted


@dataclass(frozen=True)
class Confusion:
    """Rows by true and predicted class.

    Attributes
    ----------
    table : DataFrame
        Weight of the rows by true class (rows) and predicted class.
    rows : str
        Which rows they are: "held-out rows", "training rows" or "new rows".
    """

    table: pd.DataFrame
    rows: str

    @property
    def shares(self) -> np.ndarray:
        """Share (L, L) of each true class."""
        return share_rows(self.table)

    @property
    def recall(self) -> np.ndarray:
        """The share (L,) of each class that is predicted as it; NaN for a class without rows."""
        return _divide(np.diag(self.table.to_numpy(float)), self.table.to_numpy(float).sum(axis=1))

    @property
    def precision(self) -> np.ndarray:
        """The share (L,) of the rows predicted as a class that are of it; NaN where none is predicted."""
        return _divide(np.diag(self.table.to_numpy(float)), self.table.to_numpy(float).sum(axis=0))

    @property
    def errors(self) -> float:
        """Weight of the rows that are predicted wrongly."""
        return float(self.table.to_numpy(float).sum() - np.trace(self.table.to_numpy(float)))


def _divide(some: np.ndarray, total: np.ndarray) -> np.ndarray:
    return np.asarray(np.divide(some, total, out=np.full(len(some), np.nan), where=total > 0))


def share_rows(table: pd.DataFrame) -> np.ndarray:
    """Each row of a table divided by its sum, 0 where that is 0.

    Examples
    --------
    >>> share_rows(pd.DataFrame([[3, 1], [0, 0]])).tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    values = table.to_numpy(float)
    return np.asarray(values / np.maximum(values.sum(axis=1, keepdims=True), 1e-300))


def count_confusion(fit: Fitted) -> Confusion:
    """The confusion table of a fit, of held-out rows where something was cross-validated, else of the training rows."""
    if fit.validation is not None:
        return Confusion(fit.validation.confusion(fit.point), "held-out rows")
    predicted = fit.fitted_codes
    L = len(fit.classes)
    table = np.bincount(fit.frame.codes * L + predicted, fit.frame.weights, L * L).reshape(L, L)
    return Confusion(pd.DataFrame(table, fit.frame.levels, fit.frame.levels), "training rows")
