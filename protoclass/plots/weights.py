"""What each column counts in a metric that has learned it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..views.analyses import list_weights
from ..views.names import list_short
from .palette import colour, ink
from .style import axes


def weights(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each column, the heaviest above: its learned weight."""
    table = list_weights(fit)
    at = np.arange(len(table))
    names = list_short(table["column"])
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(table))
    ax.barh(at, table["weight"], 0.62, color=colour(0), alpha=0.75, lw=0)
    ax.axvline(0, lw=0.8, color=ink(ax))
    ax.set_yticks(at, names)
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlabel("weight of the squared difference, in standard deviations of the column")
    ax.set_ylabel(table.attrs["shown"])
    ax.grid(axis="x", lw=0.4, alpha=0.4)
    ax.set_axisbelow(True)
    return ax
