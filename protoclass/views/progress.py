"""What each prototype added, and the error of the first 1, 2, ... of them (PVM paper, figure 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotAvailable
from ..estimation.fit import Fit
from ..models.registry import lacking
from .curve import limit_axis


def list_gains(fit: Fit) -> pd.DataFrame:
    """One row for each step: class, gain (covered first minus miscovered) and the share of own weight covered so far."""
    table = fit.rule.prototypes.table
    if not {"covers", "miscovers"} <= set(table):
        raise lacking(fit.model, "gains to draw (the error step by step is plot('path'))", "gains")
    return pd.DataFrame({
        "step": np.arange(1, len(fit.rule.prototypes) + 1),
        "class": fit.rule.prototypes.classes,
        "gain": table["covers"] - table["miscovers"],
        "covered": np.cumsum(table["covers"]) / fit.frame.weights.sum(),
    })  # fmt: skip


def list_errors(fit: Fit, new: Any = None, cv: Any = None) -> pd.DataFrame:
    """`Fit.path` from the first step on; in `attrs` the no-information error and what a step adds ("prototypes")."""
    table = fit.path(new, cv)
    table = table[table["size"] > 0]
    if table.empty:
        raise NotAvailable("the fit has no steps to show")
    table.attrs["no_information"] = measure_no_information(fit)
    table.attrs["steps"] = "features" if "bound" in table else "prototypes"
    return table


def limit_path(table: pd.DataFrame) -> tuple[float, dict[str, str]]:
    """The upper end of the axis of a table of `list_errors`, and labels, as `limit_errors` has them for an error curve.

    The axis holds all errors and the least bound.
    """
    error = table[[c for c in ("training_error", "new_error") if c in table]].to_numpy(float).max()
    if "cv_error" in table:
        error = max(error, (table["cv_error"] + table["cv_se"].fillna(0.0)).max())
    beside = {"bound": float(table["bound"].max())} if "bound" in table else {}
    error = max(error, table["bound"].min()) if beside else error
    return limit_axis(float(error), table.attrs["no_information"], beside)


def measure_no_information(fit: Fit) -> float:
    """Training error of always predicting the heaviest class."""
    weights = fit.frame.weights
    return float(1 - np.bincount(fit.frame.codes, weights).max() / weights.sum())
