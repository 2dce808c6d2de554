"""The error on new data: its interval and the test against no information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import is_number
from ..core.units import as_counts
from ..errors import DataError, OptionError, brief, shown
from ..frames.frame import check_unique, given_weights
from ..frames.response import class_codes
from ..frames.tables import as_pandas
from .paired import wilson

if TYPE_CHECKING:
    from ..estimation.fit import Fit


FLIPS = 9999  # draws of the signs where rows have different weights
MANY = 1000  # rows beyond which the sum of signed weights is as good as normal


@dataclass(frozen=True, eq=False)
class Test:
    """Error on new rows.

    Attributes
    ----------
    n, wrong, left_out : int
        Rows that were classified, those classified wrongly, and rows left out for missing values.
    error, low, high : float
        Weighted share of errors and its 95 % Wilson interval; with weights w it is that of sum(w)^2 / sum(w^2) rows.
    no_information : float
        Error on these rows of always predicting the most common class of the training rows; or the error that was stated.
    p_value : float
        One-sided, that the error is not below the no-information error.
    test : str
        Which test that is, in words.
    against : str
        What the rule is compared with, in words.
    confusion : DataFrame
        Weight of the rows by true class (rows) and predicted class.
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
    test: str
    against: str
    confusion: pd.DataFrame

    def tidy(self) -> pd.DataFrame:
        """One row with the numbers."""
        return pd.DataFrame([{"error": self.error, "conf_low": self.low, "conf_high": self.high, "wrong": self.wrong,
                              "n": self.n, "left_out": self.left_out, "no_information": self.no_information,
                              "p_value": self.p_value, "test": self.test}])  # fmt: skip

    def __repr__(self) -> str:
        left = f"; {self.left_out} left out for missing values" if self.left_out else ""
        return (
            f"Test error {self.error:.4f} ({self.wrong} of {self.n} rows), 95 % interval {self.low:.4f} to {self.high:.4f}{left}\n"
            f"No-information error {self.no_information:.4f}, {self.against}\n"
            f"p-value {self.p_value:.3g}, {self.test}\n"
            f"{self.confusion.to_string()}"
        )


def test(fit: Fit, new: Any, weights: Any, no_information: float | None) -> Test:
    """See `Fit.test`."""
    new = as_pandas(new)
    response, levels = fit.frame.formula.response, fit.frame.levels
    if response not in new:
        raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
    check_unique(new.columns, "column")
    if no_information is not None and not (is_number(no_information, 0) and no_information <= 1):
        raise OptionError(
            f"no_information={brief(no_information)}: a number between 0 and 1, the error to compare with"
        )
    w = given_weights(weights, new)
    codes, fitted = class_codes(new[response], levels), fit.predict(new).cat.codes.to_numpy()
    known = (codes >= 0) & (fitted >= 0)
    if not w[known].any():
        raise DataError(
            "no row has both a known class and all predictors" + ("" if weights is None else ", and weight")
        )
    constant = int(np.bincount(fit.frame.codes, fit.frame.weights, len(levels)).argmax())
    left_out = int((~known).sum())
    return compare_classes(codes[known], fitted[known], w[known], levels, constant, no_information, left_out)


test.__test__ = False  # type: ignore[attr-defined]  # not a test, for pytest


def compare_classes(
    y: np.ndarray,
    fitted: np.ndarray,
    w: np.ndarray,
    levels: pd.Index,
    constant: int,
    stated: float | None,
    left_out: int,
) -> Test:
    """Compare true and predicted class codes of rows with weights w; `constant` is the class of the rule without information."""
    counts = as_counts(np.bincount(y * len(levels) + fitted, w, len(levels) ** 2)).reshape(len(levels), -1)
    table = pd.DataFrame(counts, levels.rename("truth"), levels.rename("predicted"))
    w = w / w.max()  # so that the squares of small and large ones are numbers
    total = float(w.sum())
    wrong, base_wrong = fitted != y, y != constant
    error, worth = float(w @ wrong) / total, total**2 / float(w @ w)
    low, high = wilson(error, worth)
    if stated is None:
        against = f"always predicting {shown(levels[constant])}, the most common class in training"
        base = float(w @ base_wrong) / total
        p, name = signs(w[wrong & ~base_wrong], w[base_wrong & ~wrong])
    else:
        against, base = "as stated", float(stated)
        p, name = against_stated(w, wrong, base)
    return Test(len(y), int(wrong.sum()), left_out, error, low, high, base, p, name, against, table)


def signs(lost: np.ndarray, won: np.ndarray, seed: int = 0) -> tuple[float, str]:
    """One-sided paired test that a rule errs less than another, from the rows that one of the two alone gets wrong.

    Parameters
    ----------
    lost, won : arrays
        Weights of the rows that the rule alone gets wrong, and of those that it alone gets right.
    seed : int
        For the draws of signs, where weights differ.

    Returns
    -------
    p, name : float, str
        With equal weights the exact binomial (sign) test, McNemar's with one side. Else the share of random signs under which
        the rule does as well or better, by draws, or for many rows by the normal distribution.

    Examples
    --------
    >>> signs(np.ones(2), np.ones(7))
    (0.08984375, 'exact sign test, one-sided, on the 9 rows that one of the two alone gets wrong')
    """
    both = np.concatenate([lost, won])
    both = both[both > 0]
    where = f"one-sided, on the {len(both)} rows that one of the two alone gets wrong"
    if len(both) == 0 or np.ptp(both) == 0:
        from scipy.stats import binom  # 0.4 s that most fits do without

        return float(binom.cdf((lost > 0).sum(), len(both), 0.5)), f"exact sign test, {where}"
    gain = float(won.sum() - lost.sum())
    if len(both) > MANY:
        from scipy.stats import norm

        return float(norm.sf(gain / np.sqrt(both @ both))), f"weighted sign test (normal approximation), {where}"
    drawn = np.random.default_rng(seed).integers(0, 2, (FLIPS, len(both)), np.int8) @ (2 * both) - both.sum()
    p = (1 + int((drawn >= gain - 1e-9 * both.sum()).sum())) / (1 + FLIPS)
    return p, f"weighted sign test ({FLIPS} draws of the signs), {where}"


def against_stated(w: np.ndarray, wrong: np.ndarray, base: float) -> tuple[float, str]:
    """One-sided test that an error is below a stated one: exact for equal weights, else by the normal distribution."""
    from scipy.stats import binom, norm

    w, wrong = w[w > 0], wrong[w > 0]
    if np.ptp(w) == 0:
        return float(binom.cdf(wrong.sum(), len(w), base)), "exact binomial test, one-sided"
    se = float(np.sqrt(base * (1 - base) * (w @ w)))
    less = float(w @ wrong) - base * float(w.sum())
    return float(norm.cdf(less / se)) if se > 0 else float(less >= -1e-9 * w.sum()), "weighted z test, one-sided"
