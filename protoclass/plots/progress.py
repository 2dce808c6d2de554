"""What each prototype added, and the error of the first so many (PVM paper, figure 7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimation.fitted import Fitted
from ..views.progress import limit_path, list_errors, list_gains
from .curve import draw_strip, mark_no_information
from .labels import DIRECT, name_ends
from .palette import colour, ink, mark
from .style import axes, has_room, key, list_named, plain_log


def progress(fit: Fitted, ax: Any = None) -> Any:
    """The share of the rows of each class, and of all rows, that the prototypes cover so far, in the order chosen.

    Each mark is a prototype of its class.
    """
    table = list_gains(fit)
    ax = axes(ax)
    last, names = len(table), list_named([*fit.classes, "all rows"])
    every = len(table) < 100
    ends = []
    for k, name in enumerate(names[:-1]):
        own = table[table["class"] == k]
        share = np.array([0.0, *own["share"], own["share"].iloc[-1] if len(own) else 0.0])
        at = np.array([0, *own["step"], last])
        form = {"marker": mark(k), "ms": 5 if every else 2.5, "markevery": slice(1, -1)}
        ax.plot(at, share, lw=1.2, drawstyle="steps-post", color=colour(k), label=name, **form)
        ends.append(share[-1])
    ax.plot([0, *table["step"]], [0.0, *table["covered"]], "--", lw=1.5, drawstyle="steps-post", color=ink(ax), label=names[-1])
    ends.append(float(table["covered"].iloc[-1]) if last else 0.0)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(0, max(1, last)), ylim=(0, 1.02), xlabel="prototypes, in the order chosen (a mark: one of the class)")
    ax.set_ylabel("share of rows in a ball of their class so far")
    if len(fit.classes) <= DIRECT:
        name_ends(ax, ends, [*fit.classes, "all rows"], [*map(colour, range(len(fit.classes))), ink(ax)])
    else:
        key(ax, "right", fit.frame.formula.response)
    return ax


def path(fit: Fitted, ax: Any = None, new: Any = None, cv: Any = None) -> Any:
    """Error of the first 1, 2, ... prototypes; see `Fit.path`.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with their classes, whose error is drawn as well.
    cv : as in `Fit.path`
    """
    table = list_errors(fit, new, cv)
    ax = axes(ax)
    size = table["size"]
    style = "o-" if len(table) < 60 else "-"
    lines = [("training_error", "training rows"), ("cv_error", "held-out rows, +- 1 SE"), ("new_error", "new rows")]
    for k, (name, label) in enumerate(lines):
        if name not in table:
            continue
        ax.plot(size, table[name], style, ms=3, lw=1.2, color=colour(k), label=label)
        if name == "cv_error":
            low, high = table[name] - table["cv_se"], table[name] + table["cv_se"]
            ax.fill_between(size, low, high, color=colour(k), alpha=0.2, lw=0)
    if len(table) > 30:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.set_ylim(*limit_path(table))
    mark_no_information(ax, table.attrs["no_information"])
    ax.set(
        xlabel=f"number of {table.attrs['steps']}{' (log scale)' if len(table) > 30 else ''}",
        ylabel="error (share of rows)",
    )
    strip = [draw_strip(table, size, ("bound",), ax)] if "bound" in table and has_room(ax) else []
    if len(table) <= 30:
        for part in (ax, *strip):
            part.xaxis.get_major_locator().set_params(integer=True)
    key(ax, "best")
    return ax
