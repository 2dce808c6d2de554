"""The error on new data: its interval and the test against no information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import DataError, OptionError, shown
from ..frames.frame import check_unique
from ..frames.tables import as_pandas

if TYPE_CHECKING:
    from ..estimation.fit import Fit


@dataclass(frozen=True, eq=False)
class Test:
    """Error on new rows.

    Attributes
    ----------
    n, wrong, left_out : int
        Rows that were classified, those classified wrongly, and rows left out for missing values.
    error, low, high : float
        Share of errors and its 95 % Wilson interval.
    no_information : float
        Error of always predicting the most common class of these rows.
    p_value : float
        One-sided binomial test that the error is below the no-information error.
    confusion : DataFrame
        Counts by true class (rows) and predicted class.
    """

    __test__ = False  # not a class of tests, for pytest

    n: int
    wrong: int
    left_out: int
    error: float
    low: float
    high: float
    no_information: float
    p_value: float
    confusion: pd.DataFrame

    def tidy(self) -> pd.DataFrame:
        """One row with the numbers."""
        return pd.DataFrame([{"error": self.error, "conf_low": self.low, "conf_high": self.high, "wrong": self.wrong,
                              "n": self.n, "left_out": self.left_out, "no_information": self.no_information,
                              "p_value": self.p_value}])  # fmt: skip

    def __repr__(self) -> str:
        left = f"; {self.left_out} left out for missing values" if self.left_out else ""
        return (
            f"Test error {self.error:.4f} ({self.wrong} of {self.n} rows), 95 % interval {self.low:.4f} to {self.high:.4f}{left}\n"
            f"No-information error {self.no_information:.4f}; p-value, one-sided test against always predicting the most common "
            f"class: {self.p_value:.3g}\n"
            f"{self.confusion.to_string()}"
        )


def test(fit: Fit, new: Any) -> Test:
    """See `Fit.test`."""
    new = as_pandas(new)
    response = fit.frame.formula.response
    if response not in new:
        raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
    check_unique(new.columns, "column")
    return compare_classes(new[response], fit.predict(new), fit.frame.levels)


test.__test__ = False  # type: ignore[attr-defined]  # not a test, for pytest


def compare_classes(truth: pd.Series, fitted: pd.Series, levels: pd.Index) -> Test:
    """Compare true and predicted classes."""
    from scipy.stats import binomtest  # 0.4 s that most fits do without

    codes = class_codes(truth, levels)
    known = (truth.notna() & fitted.notna()).to_numpy()
    n = int(known.sum())
    if n == 0:
        raise DataError("no row has both a known class and all predictors")
    L = len(levels)
    a, b = codes[known], fitted[known].cat.codes.to_numpy()
    confusion = np.bincount(a * L + b, minlength=L * L).reshape(L, L)
    wrong = int(n - np.trace(confusion))
    interval = binomtest(wrong, n).proportion_ci(0.95, "wilson")
    base = 1 - confusion.sum(axis=1).max() / n
    p_value = float(binomtest(wrong, n, base, alternative="less").pvalue)
    table = pd.DataFrame(confusion, levels.rename("truth"), levels.rename("predicted"))
    return Test(
        n, wrong, int((~known).sum()), wrong / n, float(interval.low), float(interval.high), float(base), p_value, table
    )


def class_codes(truth: pd.Series, levels: pd.Index) -> np.ndarray:
    """Class codes of a response, -1 where it is missing; an error for classes that fit has not seen."""
    try:
        codes = levels.get_indexer(truth.astype(object))
    except TypeError:
        raise DataError(f"the response {truth.name!r} holds values that are not classes") from None
    unseen = truth[(codes < 0) & truth.notna().to_numpy()].astype(object).unique()
    if len(unseen):
        raise DataError(f"the response {truth.name!r} has classes not seen in fit: {', '.join(map(shown, unseen[:5]))}")
    return codes
