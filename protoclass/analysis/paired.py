"""Tests between methods that were judged on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..core.intervals import Z, wilson
from ..declared import savable

EXACT = 25  # rows that one of two methods alone gets wrong: below this many McNemar's test is the binomial one
COLUMNS = ["test", "a", "b", "difference", "low", "high", "statistic", "p"]
Row = tuple[str, str, str, float, float, float, float, float]  # a test, column by column


@savable
@dataclass(frozen=True)
class Design:
    """How the splits that errors come from share rows, which the variance of their mean depends on.

    Attributes
    ----------
    ratio : float
        Test rows over training rows of a split; 0 where the rules were fixed before.
    sets : int
        Sets of splits, one after the other: the repeats of a cross-validation, whose folds are one set each. Random splits
        are one set.
    grouped : bool
        Whether rows come in groups, so that the errors of a split are not independent either.
    """

    ratio: float
    sets: int = 1
    grouped: bool = False

    def factor(self, splits: int) -> float:
        """What the variance of the errors of a set's splits is multiplied by to give that of their mean: see `by_split`."""
        return 1 / min(splits, 1 + 1 / self.ratio) + self.ratio


@dataclass(frozen=True)
class Mean:
    """A mean over splits with its standard error `se` (0 where the splits have no spread) and degrees of freedom `df`."""

    value: float
    se: float
    df: int


def by_row(wrong: pd.DataFrame) -> pd.DataFrame:
    """Cochran's Q over all methods, and McNemar's test of each pair with Holm's correction.

    Parameters
    ----------
    wrong : bool DataFrame (rows, methods)
        Whether each method was wrong on each row. Rows are taken as independent, as they are given the rules, where the rules
        were learned from other rows: not the rows of a cross-validation, each of which also trains the rules of the others.

    Returns
    -------
    DataFrame
        One row for each test: `test`, `a`, `b`, `difference` (error of a minus that of b) with its 95 % interval `low` to
        `high` (each for itself), `statistic`, `p`, and `p_holm` among
        the pairs. For McNemar's test the statistic is the number of rows that a alone gets wrong minus that of b alone.

    References
    ----------
    McNemar (1947); Cochran (1950); Dietterich (1998), *Approximate statistical tests for comparing supervised
    classification learning algorithms*. The interval is that of Bonett and Price (2012), *Adjusted Wald confidence interval
    for a difference of binomial proportions based on paired data*.
    """
    rows = [_cochran(wrong)] if wrong.shape[1] > 2 else []
    rows += [_mcnemar(wrong[a], wrong[b], str(a), str(b)) for a, b in combinations(wrong, 2)]
    return with_holm(rows)


def by_split(errors: pd.DataFrame, design: Design, sizes: np.ndarray | None = None) -> pd.DataFrame:
    """The corrected resampled t-test of each pair with Holm's correction.

    Parameters
    ----------
    errors : DataFrame (splits, methods)
        Error of each method on the test rows of each split.
    design : Design
    sizes : array (splits,), optional
        Test rows of each split, where they differ.

    Returns
    -------
    DataFrame
        As of `by_row`. Where all splits have the same difference there is no spread to judge it by: the interval is NaN, and
        so are statistic and p if the difference is not 0.

    Notes
    -----
    Splits share training rows, so that the variance of their mean is not that of independent draws. Nadeau and Bengio put
    (1 / splits + ratio) in the place of 1 / splits. With more repeats the draw of the splits matters less, but the rows remain
    as few, and their factor becomes too small: 30 random splits of 60 rows then reject in 9 % at a level of 5 %, and ten times
    ten folds in 13 %. So no more splits count than there are disjoint test sets, 1 + 1 / ratio. Of a repeated cross-validation
    each repeat's folds count as the splits, and the variances of the repeats are averaged. `benchmarks/intervals.py` measures
    level and coverage, also of the nested cross-validation of Bates, Hastie and Tibshirani (2024), whose intervals were too
    narrow there and which takes as many fits again for each fold.

    References
    ----------
    Nadeau and Bengio (2003), *Inference for the generalization error*; for repeated cross-validation Bouckaert and Frank (2004).
    """
    rows = []
    for a, b in combinations(errors, 2):
        with np.errstate(invalid="ignore"):  # inf - inf, of log losses
            mean = mean_over_splits((errors[a] - errors[b]).to_numpy(), design, sizes)
        rows.append(student_row("corrected resampled t", a, b, mean))
    return with_holm(rows)


def equivalence(errors: pd.DataFrame, design: Design, rope: float, sizes: np.ndarray | None = None) -> pd.DataFrame:
    """How probable it is that two methods differ by no more than `rope`, or which of them has the smaller error.

    The posterior of the difference is Student's t about its mean, with the standard error and the degrees of freedom of the
    corrected resampled t-test (`by_split`), as it is under the prior that leaves the data alone to speak.

    Parameters
    ----------
    errors, design, sizes : as in `by_split`
    rope : float > 0
        Half the width of the region of practical equivalence: differences from -rope to rope do not matter.

    Returns
    -------
    DataFrame
        One row for each pair: `a`, `b`, `difference` (error of a minus that of b), `a_better` (the probability of a difference below
        -rope), `equivalent` and `b_better`. Where all splits have the same difference it is taken as it is.

    References
    ----------
    Benavoli, Corani, Demsar and Zaffalon (2017), *Time for a change: a tutorial for comparing multiple classifiers through
    Bayesian analysis*, JMLR 18, section 4.1: the Bayesian correlated t-test.
    """
    rows = []
    for a, b in combinations(errors, 2):
        mean = mean_over_splits((errors[a] - errors[b]).to_numpy(), design, sizes)
        if mean.se > 0:
            posterior = _student()(mean.df, mean.value, mean.se)
            below, above = float(posterior.cdf(-rope)), float(posterior.sf(rope))
        else:
            below, above = float(mean.value < -rope), float(mean.value > rope)
        rows.append({"a": str(a), "b": str(b), "difference": mean.value, "a_better": below,
                     "equivalent": 1 - below - above, "b_better": above})  # fmt: skip
    return pd.DataFrame(rows, columns=["a", "b", "difference", "a_better", "equivalent", "b_better"])


def mean_over_splits(values: np.ndarray, design: Design, sizes: np.ndarray | None = None) -> Mean:
    """Mean over splits, weighted by their test rows, with Nadeau and Bengio's standard error; see `by_split`."""
    table = values.reshape(design.sets, -1)
    weights = np.ones(table.shape) if sizes is None else np.asarray(sizes, float).reshape(table.shape)
    share = weights / weights.sum(axis=1, keepdims=True)
    splits = table.shape[1]
    means = (share * table).sum(axis=1)
    variance = (share * (table - means[:, None]) ** 2).sum(axis=1) * splits / (splits - 1)
    se = float(np.sqrt(design.factor(splits) * variance.mean()))
    value = float((weights * table).sum() / weights.sum())
    return Mean(value, 0.0 if se < 1e-12 else se, design.sets * (splits - 1))


def student_row(test: str, a: Any, b: Any, mean: Mean) -> Row:
    """A t-test of the mean difference of two methods, as `with_holm` takes it."""
    return test, str(a), str(b), mean.value, *student_interval(mean), *t_test(mean)


def t_test(mean: Mean) -> tuple[float, float]:
    """Student's t of a mean and its two-sided p-value; without spread NaN, unless the mean is 0."""
    t = mean.value / mean.se if mean.se > 0 else 0.0 if mean.value == 0 else np.nan
    return t, float(_student().sf(abs(t), mean.df) * 2)


def student_interval(mean: Mean) -> tuple[float, float]:
    """95 % interval of a mean; NaN where the splits have no spread."""
    if not mean.se > 0:
        return np.nan, np.nan
    half = float(_student().ppf(0.975, mean.df)) * mean.se
    return mean.value - half, mean.value + half


def error_interval(errors: np.ndarray, design: Design, sizes: np.ndarray) -> tuple[float, float]:
    """95 % interval of a mean error over splits.

    Parameters
    ----------
    errors, sizes : arrays (splits,)
        Error and test rows of each split.
    design : Design

    Returns
    -------
    low, high : float
        Wilson's interval for as many rows as would be worth these: a split's test rows over the factor of `by_split`. Where
        rows come in groups, the wider of this and the t interval at each end, as groups make splits differ more than independent
        rows do.

    Examples
    --------
    Ten folds of six rows, of which one half is classified wrongly, are worth 28 rows and not 60:

    >>> low, high = error_interval(np.full(10, 0.5), Design(1 / 9), np.full(10, 6))
    >>> round(low, 3), round(high, 3)
    (0.327, 0.673)
    """
    mean = mean_over_splits(errors, design, sizes)
    splits = len(errors) // design.sets
    low, high = wilson(mean.value, float(np.mean(sizes)) / design.factor(splits))
    if design.grouped and mean.se > 0:
        ends = student_interval(mean)
        low, high = max(0.0, min(low, ends[0])), min(1.0, max(high, ends[1]))
    return low, high


def _student() -> Any:
    from scipy.stats import t  # 0.4 s that most fits do without

    return t


def _cochran(wrong: pd.DataFrame) -> Row:
    from statsmodels.stats.contingency_tables import cochrans_q

    values = wrong.to_numpy(float)
    differ = (values != values[:, :1]).any()  # else 0 / 0: nothing speaks against equal errors
    found = cochrans_q(values) if differ else None
    statistic, p = (0.0, 1.0) if found is None else (float(found.statistic), float(found.pvalue))
    return "Cochran's Q", "all", "", np.nan, np.nan, np.nan, statistic, p


def _mcnemar(first: pd.Series, second: pd.Series, a: str, b: str) -> Row:
    from statsmodels.stats.contingency_tables import mcnemar

    only_a, only_b = int((first & ~second).sum()), int((second & ~first).sum())
    exact = only_a + only_b < EXACT
    p = float(mcnemar([[0, only_a], [only_b, 0]], exact=exact, correction=True).pvalue)
    name = f"McNemar ({'exact' if exact else 'chi-squared'})"
    low, high = paired_interval(only_a, only_b, len(first))
    return name, a, b, (only_a - only_b) / len(first), low, high, float(only_a - only_b), p


def paired_interval(only_a: int, only_b: int, n: int) -> tuple[float, float]:
    """95 % interval of the difference of two errors on the same n rows, of which each method alone gets so many wrong.

    Bonett and Price (2012): the Wald interval after one row is added to either count.

    Examples
    --------
    >>> low, high = paired_interval(7, 2, 50)
    >>> round(low, 3), round(high, 3)
    (-0.026, 0.218)
    """
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = Z * float(np.sqrt((a + b - (a - b) ** 2) / (n + 2)))
    return max(-1.0, a - b - half), min(1.0, a - b + half)


def with_holm(rows: Sequence[Row | Mapping[str, object]]) -> pd.DataFrame:
    """A table of tests, with Holm's correction `p_holm` among the pairs."""
    out = pd.DataFrame(rows, columns=COLUMNS)
    pairs = ((out["a"] != "all") & out["p"].notna()).to_numpy(bool)
    out["p_holm"] = np.nan
    if pairs.any():
        from statsmodels.stats.multitest import multipletests  # 0.7 s, and each call collects garbage

        out.loc[pairs, "p_holm"] = multipletests(out.loc[pairs, "p"].to_numpy(float), method="holm")[1]
    return out
