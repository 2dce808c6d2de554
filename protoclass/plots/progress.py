"""What each prototype added (PVM paper, figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import NotAvailable
from .style import GREY, axes, colour, mark, plain_log

if TYPE_CHECKING:
    from ..fitting import Fit


def steps(fit: Fit) -> pd.DataFrame:
    """One row for each step: class, gain (covered first minus miscovered) and the share of own weight covered so far."""
    table = fit.rule.points.table
    if not {"covers", "miscovers"} <= set(table):
        raise NotAvailable(f"method {fit.model.name!r} does not choose prototypes step by step; 'pvm' does")
    return pd.DataFrame({
        "step": np.arange(1, len(fit.rule.points) + 1),
        "class": fit.rule.points.classes,
        "gain": table["covers"] - table["miscovers"],
        "covered": np.cumsum(table["covers"]) / fit.frame.weights.sum(),
    })  # fmt: skip


def progress(fit: Fit, ax: Any = None) -> Any:
    """Gain of each prototype in the order chosen, and the share of the rows covered so far."""
    table = steps(fit)
    ax = axes(ax)
    ax.plot(table["step"], table["gain"], "-", lw=0.8, color=GREY, zorder=1)
    small = 5 if len(table) < 100 else 2.5
    for k, level in enumerate(fit.classes):
        own = table[table["class"] == k]
        ax.plot(own["step"], own["gain"], mark(k), ms=small, color=colour(k), label=str(level), ls="none")
    ax.set_yscale("log")
    plain_log(ax.yaxis)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("prototype, in the order chosen")
    ax.set_ylabel("rows covered first minus miscovered (log scale)")
    right = ax.twinx()
    right.plot(table["step"], table["covered"], "--", lw=1.5, color="black")
    right.set(ylim=(0, 1.02), ylabel="share of rows covered so far (dashed)")
    ax.legend(
        fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(6, len(fit.classes)), frameon=False
    )
    return ax
