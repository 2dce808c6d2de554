"""Methods side by side: error with its interval, and number of prototypes."""

from __future__ import annotations

from typing import Any

from ..analysis.comparison import Comparison
from ..views.analyses import list_splits
from ..views.names import list_short
from ..views.words import write_number
from .finish import framed
from .palette import GREY, colour, faint
from .style import axes


@framed
def comparison(result: Comparison, ax: Any = None) -> Any:
    """Each method's error with its 95 % interval, its error on each split, and its number of prototypes."""
    table, splits = result.table, list_splits(result)
    several = len(result.errors) > 1
    ax = axes(ax, 6.8, 1.3 + 0.45 * len(table))
    for i, name in enumerate(table.index):
        row = table.loc[name]
        if several:
            own = splits[splits["row"] == i]
            ax.plot(own["error"], own["height"], ".", ms=3, color=GREY, alpha=0.45, zorder=1)
        ends = [[row["error"] - row["low"]], [row["high"] - row["error"]]]
        ax.errorbar(row["error"], i, xerr=ends, fmt="o", ms=6, color=colour(0), capsize=4, lw=1.6, zorder=2)
        ax.annotate(
            write_number(row["prototypes"]),
            (1.02, i),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="small",
        )
    ax.annotate("prototypes", (1.02, 1.0), (0, 3), xycoords="axes fraction", textcoords="offset points", fontsize="small")
    ax.set_yticks(range(len(table)), list_short(table.index))
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # a dot at 0 is not cut
    ax.grid(axis="x", lw=0.4, color=faint(ax))
    ax.set_axisbelow(True)
    dots = " (dots: each split)" if several else ""
    ax.set_xlabel(f"test error (share of rows) with its 95 % interval{dots}")
    return ax
