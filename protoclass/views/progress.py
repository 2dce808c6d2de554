"""What each prototype added, and the error of the first 1, 2, ... of them (PVM paper, figure 7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotAvailable
from ..estimation.fit import Fit
from ..models.registry import lacking


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


def measure_no_information(fit: Fit) -> float:
    """Training error of always predicting the heaviest class."""
    weights = fit.frame.weights
    return float(1 - np.bincount(fit.frame.codes, weights).max() / weights.sum())
