"""What each prototype added, and the error of the first 1, 2, ... of them (PVM paper, figure 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import path
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable
from ..models.registry import lacking
from .curve import find_ends


def list_gains(fit: Fitted) -> pd.DataFrame:
    """What each step adds, and how much is covered so far.

    Returns
    -------
    DataFrame
        One row for each step: `step` from 1, `class` (code), `gain` (covered first minus miscovered), `covered` (share of all rows
        that balls of their class cover so far) and `share` (that of the rows of the step's class).
    """
    table = fit.rule.prototypes.table
    if not {"covers", "miscovers"} <= set(table):
        raise lacking(fit.model, "gains to draw (the error step by step is plot('path'))", "gains")
    codes, weights = fit.rule.prototypes.classes, fit.frame.weights
    of_class = np.bincount(fit.frame.codes, weights, len(fit.classes))
    return pd.DataFrame({
        "step": np.arange(1, len(fit.rule.prototypes) + 1),
        "class": codes,
        "gain": table["covers"] - table["miscovers"],
        "covered": np.cumsum(table["covers"]) / weights.sum(),
        "share": pd.Series(np.asarray(table["covers"], float)).groupby(codes).cumsum().to_numpy() / of_class[codes],
    })  # fmt: skip


def list_errors(fit: Fitted, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """`Fit.path` from the first step on; in `attrs` the no-information error and what a step adds ("prototypes")."""
    table = path(fit, new, cv)
    table = table[table["size"] > 0]
    if table.empty:
        raise NotAvailable("the fit has no steps to show")
    table.attrs["no_information"] = measure_no_information(fit)
    table.attrs["steps"] = "features" if "bound" in table else "prototypes"
    return table


def limit_path(table: pd.DataFrame) -> tuple[float, float]:
    """The ends of the axis of a table of `list_errors`: it holds all errors with their standard errors."""
    errors = [table[c] for c in ("training_error", "new_error") if c in table]
    if "cv_error" in table:
        se = table["cv_se"].fillna(0.0)
        errors += [table["cv_error"] - se, table["cv_error"] + se]
    values = np.concatenate([np.asarray(e, float) for e in errors])
    return find_ends(values)


def measure_no_information(fit: Fitted) -> float:
    """Training error of always predicting the heaviest class."""
    weights = fit.frame.weights
    return float(1 - np.bincount(fit.frame.codes, weights).max() / weights.sum())
