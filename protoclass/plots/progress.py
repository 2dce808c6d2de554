"""What each prototype added, and the error of the first so many (PVM paper, figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import NotAvailable
from .style import GREY, axes, colour, mark, named, plain_log

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def steps(fit: Fit) -> pd.DataFrame:
    """One row for each step: class, gain (covered first minus miscovered) and the share of own weight covered so far."""
    table = fit.rule.points.table
    if not {"covers", "miscovers"} <= set(table):
        raise NotAvailable(
            f"method {fit.model.name!r} has no gains to draw; 'pvm' has (the error step by step is plot('path'))"
        )
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
        ax.plot(own["step"], own["gain"], mark(k), ms=small, color=colour(k), label=named(level), ls="none")
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


def path(fit: Fit, ax: Any = None, new: Any = None, cv: Any = None) -> Any:
    """Error of the first 1, 2, ... prototypes; see `Fit.path`.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with their classes, whose error is drawn as well.
    cv : as in `Fit.path`
    """
    table = fit.path(new, cv)
    shown = table[table["size"] > 0]
    if shown.empty:
        raise NotAvailable("the fit has no steps to show")
    ax = axes(ax)
    size = shown["size"]
    style = "o-" if len(shown) < 60 else "-"
    lines = [("training_error", "training rows"), ("cv_error", "held-out rows, +- 1 SE"), ("new_error", "new rows")]
    for k, (name, label) in enumerate(lines):
        if name not in shown:
            continue
        ax.plot(size, shown[name], style, ms=3, lw=1.2, color=colour(k), label=label)
        if name == "cv_error":
            low, high = shown[name] - shown["cv_se"], shown[name] + shown["cv_se"]
            ax.fill_between(size, low, high, color=colour(k), alpha=0.2, lw=0)
    if "bound" in shown:
        ax.plot(size, shown["bound"], "--", lw=1.2, color=colour(3), label="bound (delta = 0.05)")
    ax.axhline(1 - np.bincount(fit.frame.codes, fit.frame.weights).max() / fit.frame.weights.sum(), ls="-.", lw=1, color=GREY,
               label="no information")  # fmt: skip
    if len(shown) > 30:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(bottom=0)
    what = "features" if "bound" in shown else "prototypes"
    ax.set(xlabel=f"number of {what}{' (log scale)' if len(shown) > 30 else ''}", ylabel="error (share of rows)")
    ax.legend(fontsize="small")
    return ax
