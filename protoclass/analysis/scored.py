"""Brier scores and log losses of methods whose chances were judged on the same rows, and paired tests between them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from ..core.intervals import mean_over_rows
from ..core.scores import brier, log_loss
from .paired import Design, Mean, by_split, mean_over_splits, student_row, with_holm

SCORES = {"brier": brier, "log_loss": log_loss}


def score_rows(score: str, chances: Mapping[str, np.ndarray], truth: pd.Series) -> pd.DataFrame:
    """The score of each row (rows) for each method (columns); rows for which a method has no chances are left out.

    Parameters
    ----------
    score : "brier" or "log_loss"
    chances : mapping of method to array (n, classes)
    truth : categorical Series (n,)
        Indexed by split and row.
    """
    codes = truth.cat.codes.to_numpy()
    known = np.all([~np.isnan(p).any(axis=1) for p in chances.values()], axis=0)
    return pd.DataFrame({name: SCORES[score](p[known], codes[known]) for name, p in chances.items()}, truth.index[known])


def mean_score(scores: pd.Series, design: Design, independent: bool) -> tuple[float, float]:
    """Mean of a score over the rows of all splits, and its standard error; NaN where the mean is not finite.

    Parameters
    ----------
    scores : Series
        Indexed by split and row.
    design : Design
    independent : bool
        Whether the rows are independent given the rule, so that the standard error is that of a mean over rows; else it is that
        of the means of the splits, corrected for what they share (`protoclass.analysis.paired.by_split`).
    """
    if not np.isfinite(scores.to_numpy()).all():
        return float(scores.mean()), np.nan
    if independent:
        return mean_over_rows(scores.to_numpy(), np.ones(len(scores)))
    of_split = scores.groupby(level="split")
    mean = mean_over_splits(of_split.mean().to_numpy(), design, of_split.size().to_numpy())
    return mean.value, mean.se


def compare_scores(scores: pd.DataFrame, design: Design, independent: bool) -> pd.DataFrame:
    """Paired tests of each pair of methods, as `paired.by_row` and `paired.by_split` return them.

    Where rows are independent given the rules the paired t-test of the differences by row, else the corrected resampled t-test of
    the means of the splits. A difference that is not finite, as where a chance was 0, has no test.
    """
    if not independent:
        of_split = scores.groupby(level="split")
        return by_split(of_split.mean(), design, of_split.size().to_numpy())
    rows = []
    for a, b in combinations(scores, 2):
        with np.errstate(invalid="ignore"):  # inf - inf
            value, se = mean_over_rows((scores[a] - scores[b]).to_numpy(), np.ones(len(scores)))
        mean = Mean(value, 0.0 if np.isnan(se) else se, len(scores) - 1)
        rows.append(student_row("paired t", a, b, mean))
    return with_holm(rows)
