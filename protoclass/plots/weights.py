"""What each column counts in a metric that has learned it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..views.analyses import list_weights
from .importance import draw_bars

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def weights(fit: Fit, ax: Any = None) -> Any:
    """A bar for each column, the heaviest above: its learned weight."""
    table = list_weights(fit)
    ax = draw_bars(table["column"], table["weight"], table.attrs["shown"], ax)
    ax.set_xlabel("weight of the squared difference, in standard deviations of the column")
    return ax
