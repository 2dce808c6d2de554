"""How much worse a fit predicts when a variable is permuted."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    at = np.arange(len(table))
    names = list_short(table["variable"])
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(table))
    ends = [table["importance"] - table["low"], table["high"] - table["importance"]]
    ax.barh(at, table["importance"], 0.62, color=colour(0), alpha=0.75, lw=0)
    ax.errorbar(table["importance"], at, xerr=ends, fmt="none", ecolor=ink(ax), elinewidth=1.2, capsize=3)
    ax.axvline(0, lw=0.8, color=ink(ax))
    ax.set_yticks(at, names)
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlabel(f"growth of the error when it is permuted, and 95 % interval\n({table.attrs['without']})")
    ax.set_ylabel(table.attrs["shown"])
    ax.grid(axis="x", lw=0.4, alpha=0.4)
    ax.set_axisbelow(True)
    return ax
