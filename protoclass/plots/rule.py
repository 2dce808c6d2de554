"""A rule step by step: its conditions, the error after each step, and the objectives of the solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.steps import SAME_FOLDS
from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..ground.errors import NotAvailable
from ..views.prototypes import shorten
from ..views.rule import ALL, compare_solvers, count_removed, limit_path, list_conditions, list_errors, list_gains
from ..views.words import write_number
from .curve import mark_no_information
from .style import LETTERS, axes, colour, faint, framed, ink, key, list_down, list_named, mark, panels, plain_log

if TYPE_CHECKING:
    import pandas as pd


GOLDEN = 0.618034  # distance of neighbouring rows in a lane, in proportion to its height, with the fewest repetitions


@framed
def rule(fit: Fitted, count: int = 8) -> Any:
    """Plot a lane for each condition of the rule, in their order; the rows that a condition removes are circled.

    Parameters
    ----------
    count : int
        Maximum number of conditions.
    """
    table, count = list_conditions(fit), whole_number("count", count, 1)
    lanes = [part for _, part in table.groupby(["machine", "step"], sort=False)]
    if not lanes:
        raise NotAvailable("the rule has no conditions, so it always gives the same class")
    several, shown = table["machine"].nunique() > 1, lanes[:count]
    figure, places = panels(len(shown), 1, 6.8, 1.0 + 0.34 * max(part["class"].nunique() for part in shown))
    for ax, part in zip(places.ravel(), shown, strict=True):
        _draw_lane(ax, part, list(fit.classes), several)
    title = f"All {len(lanes)} conditions" if len(shown) == len(lanes) else f"The first {len(shown)} of {len(lanes)} conditions"
    figure.suptitle(f"{title}: rows that a condition removes (ringed) do not reach the next", fontsize="medium")
    return figure


def _draw_lane(ax: Any, table: pd.DataFrame, classes: list[Any], several: bool) -> None:
    head, names = table.iloc[0], list_named(classes)
    present = [k for k, level in enumerate(classes) if (table["class"] == level).any()]
    for place, k in enumerate(present):
        own = table[table["class"] == classes[k]]
        height = place + 0.6 * (np.arange(len(own)) * GOLDEN % 1 - 0.5)
        out = own["removed"].to_numpy()
        style = {"s": 20, "marker": mark(k), "color": colour(k)}
        ax.scatter(own["value"][~out], height[~out], lw=0, **style)
        ax.scatter(own["value"][out], height[out], lw=0.9, edgecolor=ink(ax), zorder=3, **style)
    if np.isfinite(head["cut"]):
        ax.axvline(head["cut"], lw=1.4, color=ink(ax), zorder=4)
    list_down(ax, [names[k] for k in present])
    ax.hlines(np.arange(1, len(present)) - 0.5, 0, 1, transform=ax.get_yaxis_transform(), color=faint(ax), lw=0.6)
    ax.set_xlabel(f"{shorten(head['quantity'])}, threshold {write_number(head['cut'])}", fontsize="small")
    machine = f"{shorten(head['machine'], LETTERS + 8)}, " if several else ""
    ax.set_title(f"{machine}{head['step']}. {shorten(head['condition'], 2 * LETTERS)}\n{count_removed(table)}", fontsize="small")


@framed
def progress(fit: Fitted, ax: Any = None) -> Any:
    """Plot the proportion of rows covered so far, per class and overall, in the order of selection.

    Each marker is a prototype of its class.
    """
    table = list_gains(fit)
    ax = axes(ax)
    last, names = len(table), list_named([*fit.classes, "all rows"])
    every = len(table) < 100
    for k, name in enumerate(names[:-1]):
        own = table[table["class"] == k]
        share = np.array([0.0, *own["share"], own["share"].iloc[-1] if len(own) else 0.0])
        at = np.array([0, *own["step"], last])
        form = {"marker": mark(k), "ms": 5 if every else 2.5, "markevery": slice(1, -1)}
        ax.plot(at, share, lw=1.2, drawstyle="steps-post", color=colour(k), label=name, **form)
    ax.plot([0, *table["step"]], [0.0, *table["covered"]], "--", lw=1.5, drawstyle="steps-post", color=ink(ax), label=names[-1])
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlim=(0, max(1, last)), ylim=(0, 1.02), xlabel="number of prototypes, in the order selected (marks: prototypes of the class)")
    ax.set_ylabel("proportion of rows covered by their class")
    return key(ax, title=fit.frame.formula.response).axes


@framed
def path(fit: Fitted, ax: Any = None, new: Any = None, cv: Any = SAME_FOLDS) -> Any:
    """Plot the held-out and training error of the first 1, 2, ... prototypes; see `Fit.path`.

    Parameters
    ----------
    new : DataFrame, optional
        New rows with their classes, to plot their error as well.
    cv : as in `Fit.path`
        Cross-validation folds. Default: the folds of the fit; None: only the training error.
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
        ylabel="error",
    )
    if len(table) <= 30:
        ax.xaxis.get_major_locator().set_params(integer=True)
    return key(ax).axes


@framed
def solvers(fit: Fitted, ax: Any = None, eps: Any = None, solvers: Any = ALL) -> Any:
    """Plot the objective of each solver against the radius, with the best lower bound."""
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
    return key(ax).axes
