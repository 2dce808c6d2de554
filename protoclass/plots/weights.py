"""What each column counts in a metric that has learned it."""

from __future__ import annotations

from typing import Any

from ..estimation.fitted import Fitted
from ..views.analyses import list_weights
from .importance import draw_bars


def weights(fit: Fitted, ax: Any = None) -> Any:
    """A bar for each column, the heaviest above: its learned weight."""
    table = list_weights(fit)
    ax = draw_bars(table["column"], table["weight"], table.attrs["shown"], ax)
    ax.set_xlabel("weight of the squared difference, in standard deviations of the column")
    return ax
