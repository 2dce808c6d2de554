"""The numbers of pictures of tests: curves of scores, calibration, and the confusion table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.evaluation import Test
from ..analysis.groups import TestByGroup, counted, estimate
from ..estimation.fitted import Fitted

COVERED = np.round(np.arange(0.5, 0.995, 0.01), 2)  # levels at which the coverage of prediction sets is drawn


def shown_classes(test: Test) -> list[int]:
    """Codes of the classes whose curve says something new: of two classes only that of a cut or the second, as the other mirrors it."""
    cut = test.judged.cut
    return [cut[0] if cut else 1] if len(test.classes) == 2 else list(range(len(test.classes)))


def list_coverage(test: Test) -> pd.DataFrame:
    """`Test.coverage` at the levels 0.50, 0.51, ..., 0.99."""
    return test.coverage(COVERED)


def list_groups(result: TestByGroup, measure: str = "error", of: Any = None) -> pd.DataFrame:
    """Groups in their order: `group` (its name), `rows` (that count), the measure, `low` and `high`; the last row is that of all rows."""
    rows = [(str(label), test) for label, test in result.groups.items()] + [("all rows", result.overall)]
    c = result.class_code(measure, of)
    found = [(name, np.count_nonzero(counted(t, measure, c)[1]), estimate(t, measure, c)) for name, t in rows]
    return pd.DataFrame([{"group": name, "rows": n, measure: e.value, "low": e.low, "high": e.high} for name, n, e in found])


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
    if fit.curve is not None:
        return Confusion(fit.curve.confusion(fit.point), "held-out rows")
    predicted = fit.fitted_codes
    L = len(fit.classes)
    table = np.bincount(fit.frame.codes * L + predicted, fit.frame.weights, L * L).reshape(L, L)
    return Confusion(pd.DataFrame(table, fit.frame.levels, fit.frame.levels), "training rows")
