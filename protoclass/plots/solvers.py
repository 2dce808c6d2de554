"""The objective that each solver reaches over the radius (course report of Visagan, 2018, figure 5)."""

from __future__ import annotations

from typing import Any

from ..estimation.fitted import Fitted
from ..views.solvers import ALL, compare_solvers
from .palette import colour, ink, mark
from .style import axes, key, plain_log


def solvers(fit: Fitted, ax: Any = None, eps: Any = None, solvers: Any = ALL) -> Any:
    """Objective against radius, a line for each solver, and the best lower bound."""
    table = compare_solvers(fit, eps, solvers)
    ax = axes(ax)
    for k, (solver, part) in enumerate(table.groupby("solver", sort=False)):
        ax.plot(
            part["eps"], part["objective"], f"{mark(k)}-", ms=5, lw=1.1, mfc="none", color=colour(k), label=str(solver)
        )
    best = table.groupby("eps")["bound"].max()
    ax.plot(best.index, best, ":", lw=1.6, color=ink(ax), label="proved lower bound")
    ax.set_ylim(bottom=0)
    if len(best) > 1 and best.index[-1] > 10 * best.index[0]:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set(xlabel="radius eps of the balls", ylabel="objective (weight of rows)")
    key(ax, "best")
    return ax
