"""Tests between methods that were judged on the same rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

EXACT = 25  # rows that one of two methods alone gets wrong: below this many McNemar's test is the binomial one


def by_row(wrong: pd.DataFrame) -> pd.DataFrame:
    """Cochran's Q over all methods, and McNemar's test of each pair with Holm's correction.

    Parameters
    ----------
    wrong : bool DataFrame (rows, methods)
        Whether each method was wrong on each row. Rows are taken as independent.

    Returns
    -------
    DataFrame
        One row for each test: `test`, `a`, `b`, `difference` (error of a minus that of b), `statistic`, `p`, and `p_holm` among
        the pairs. For McNemar's test the statistic is the number of rows that a alone gets wrong minus that of b alone.

    References
    ----------
    McNemar (1947); Cochran (1950); Dietterich (1998), *Approximate statistical tests for comparing supervised
    classification learning algorithms*.
    """
    rows = [_cochran(wrong)] if wrong.shape[1] > 2 else []
    rows += [_mcnemar(wrong[a], wrong[b], str(a), str(b)) for a, b in combinations(wrong, 2)]
    return _with_holm(rows)


def by_split(errors: pd.DataFrame, ratio: float) -> pd.DataFrame:
    """The corrected resampled t-test of each pair with Holm's correction.

    Parameters
    ----------
    errors : DataFrame (splits, methods)
        Error of each method on the test rows of each split.
    ratio : float
        Test rows over training rows of a split. Splits share training rows, so that the variance of their mean is not that
        of independent draws; (1 / splits + ratio) takes the place of 1 / splits.
        Where all splits have the same difference, not 0, there is no spread to judge it by: statistic and p are then NaN.

    References
    ----------
    Nadeau and Bengio (2003), *Inference for the generalization error*; for repeated cross-validation Bouckaert and Frank (2004).
    """
    rows = []
    for a, b in combinations(errors, 2):
        mean, spread = mean_and_spread((errors[a] - errors[b]).to_numpy(), ratio)
        t = mean / spread if spread > 0 else 0.0 if mean == 0 else np.nan
        p = float(_student().sf(abs(t), len(errors) - 1) * 2)
        rows.append(
            {"test": "corrected resampled t", "a": str(a), "b": str(b), "difference": mean, "statistic": t, "p": p}
        )
    return _with_holm(rows)


def mean_and_spread(values: np.ndarray, ratio: float) -> tuple[float, float]:
    """Mean over splits, and its standard error by Nadeau and Bengio's correction."""
    spread = float(np.sqrt((1 / len(values) + ratio) * values.var(ddof=1)))
    return float(values.mean()), 0.0 if spread < 1e-12 else spread


def interval(values: np.ndarray, ratio: float) -> tuple[float, float]:
    """95 % interval of a mean error over splits, within 0 and 1; NaN where the splits have no spread."""
    mean, spread = mean_and_spread(values, ratio)
    if spread == 0:
        return np.nan, np.nan
    half = float(_student().ppf(0.975, len(values) - 1)) * spread
    return max(0.0, mean - half), min(1.0, mean + half)


def _student():  # type: ignore[no-untyped-def]
    from scipy.stats import t  # 0.4 s that most fits do without

    return t


def _cochran(wrong: pd.DataFrame) -> dict[str, object]:
    from statsmodels.stats.contingency_tables import cochrans_q

    values = wrong.to_numpy(float)
    differ = (values != values[:, :1]).any()  # else 0 / 0: nothing speaks against equal errors
    found = cochrans_q(values) if differ else None
    statistic, p = (0.0, 1.0) if found is None else (float(found.statistic), float(found.pvalue))
    return {"test": "Cochran's Q", "a": "all", "b": "", "difference": np.nan, "statistic": statistic, "p": p}


def _mcnemar(first: pd.Series, second: pd.Series, a: str, b: str) -> dict[str, object]:
    from statsmodels.stats.contingency_tables import mcnemar

    only_a, only_b = int((first & ~second).sum()), int((second & ~first).sum())
    exact = only_a + only_b < EXACT
    p = float(mcnemar([[0, only_a], [only_b, 0]], exact=exact, correction=True).pvalue)
    name = f"McNemar ({'exact' if exact else 'chi-squared'})"
    difference = (only_a - only_b) / len(first)
    return {"test": name, "a": a, "b": b, "difference": difference, "statistic": float(only_a - only_b), "p": p}


def _with_holm(rows: list[dict[str, object]]) -> pd.DataFrame:
    from statsmodels.stats.multitest import multipletests

    out = pd.DataFrame(rows, columns=["test", "a", "b", "difference", "statistic", "p"])
    pairs = ((out["a"] != "all") & out["p"].notna()).to_numpy(bool)
    out["p_holm"] = np.nan
    if pairs.any():
        out.loc[pairs, "p_holm"] = multipletests(out.loc[pairs, "p"].to_numpy(float), method="holm")[1]
    return out
