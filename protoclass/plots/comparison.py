"""Methods side by side: error with its interval, and number of prototypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .style import GREY, axes, colour, number, plain_text

if TYPE_CHECKING:
    from ..analysis.comparison import Comparison


def comparison(told: Comparison, ax: Any = None) -> Any:
    """Each method's error with its 95 % interval; grey dots are its errors on the splits, numbers at the right its prototypes."""
    table = told.table
    ax = axes(ax, 6.8, 1.3 + 0.45 * len(table))
    for i, name in enumerate(table.index):
        row = table.loc[name]
        if len(told.errors) > 1:
            shift = [0.16 * ((k % 5) - 2) / 2 for k in range(len(told.errors))]
            ax.plot(told.errors[name], [i + s for s in shift], ".", ms=3, color=GREY, alpha=0.45, zorder=1)
        ends = [[row["error"] - row["low"]], [row["high"] - row["error"]]]
        ax.errorbar(row["error"], i, xerr=ends, fmt="o", ms=6, color=colour(0), capsize=4, lw=1.6, zorder=2)
        ax.annotate(
            number(row["prototypes"]), (1.02, i), xycoords=("axes fraction", "data"), va="center", fontsize="small"
        )
    ax.annotate(
        "prototypes", (1.02, 1.0), xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", fontsize="small"
    )
    ax.set_yticks(range(len(table)), [str(name) for name in table.index])
    ax.set_ylim(len(table) - 0.5, -0.5)
    ax.set_xlim(left=-0.02 * ax.get_xlim()[1])  # dots at 0 are seen whole
    ax.grid(axis="x", lw=0.4, color="#cccccc")
    ax.set_axisbelow(True)
    dots = " (dots: each split)" if len(told.errors) > 1 else ""
    ax.set_xlabel(f"test error (share of rows) with its 95 % interval{dots}")
    return plain_text(ax)
