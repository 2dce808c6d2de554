"""How much worse a fit predicts when a variable is permuted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..views.analyses import list_importance
from ..views.names import list_short
from .palette import colour, ink
from .style import axes


def importance(
    fit: Fitted, ax: Any = None, new: Any = None, repeats: int = 20, variables: Any = None, cv: Any = "auto", seed: int = 0
) -> Any:
    """A bar for each variable, the most important above: the growth of the error with its 95 % interval; see `Fit.importance`."""
    table = list_importance(fit, new, repeats, variables, cv, seed)
    ends = [table["importance"] - table["low"], table["high"] - table["importance"]]
    ax = draw_bars(table["variable"], table["importance"], table.attrs["shown"], ax)
    ax.errorbar(table["importance"], np.arange(len(table)), xerr=ends, fmt="none", ecolor=ink(ax), elinewidth=1.2, capsize=3)
    ax.set_xlabel(f"growth of the error when it is permuted, and 95 % interval\n({table.attrs['without']})")
    return ax


def draw_bars(columns: pd.Series, values: pd.Series, shown: str, ax: Any) -> Any:
    """A bar for each column of the data, the first above; `shown` says which columns these are."""
    names = list_short(columns)
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(values))
    ax.barh(np.arange(len(values)), values, 0.62, color=colour(0), alpha=0.75, lw=0)
    ax.axvline(0, lw=0.8, color=ink(ax))
    ax.set_yticks(np.arange(len(values)), names)
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.set_ylabel(shown)
    ax.grid(axis="x", lw=0.4, alpha=0.4)
    ax.set_axisbelow(True)
    return ax
