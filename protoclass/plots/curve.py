"""The cross-validated error curve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import OptionError
from .style import COLOURS, GREY, axes, colour, mark, number, plain_log

if TYPE_CHECKING:
    from ..validating import Validation

SIZES = 8  # labels on the top axis
LINES = 8  # values of a second knob that get a line


def curve(validation: Validation, x: str | None = None, ax: Any = None) -> Any:
    """Error against a knob with +- 1 SE, the size on top, and lines at the least error and at the 1-SE choice.

    With x = "size" against the mean size of the rules (PVM paper, figures 3 and 9).
    """
    table, knobs = validation.table, list(validation.points)
    if x is not None and x not in (*knobs, "size"):
        raise OptionError(f"x={x!r}: allowed are 'size' and the knobs that were tuned, {knobs}")
    ax = axes(ax)
    if not knobs:
        return _single(validation, ax)
    if x == "size":
        return _by_size(validation, ax)
    x = x or max(knobs, key=lambda k: validation.points[k].nunique())
    rest = [k for k in knobs if k != x]
    groups = list(table.groupby(rest, sort=True)) if rest else [(None, table)]
    shown = [groups[i] for i in np.unique(np.linspace(0, len(groups) - 1, min(LINES, len(groups))).round().astype(int))]
    for k, (values, part) in enumerate(shown):
        label = (
            ", ".join(f"{n} = {number(float(v))}" for n, v in zip(rest, np.atleast_1d(values), strict=True))
            if rest
            else "held-out error, +- 1 SE"
        )
        ax.errorbar(
            part[x], part["error"], part["se"], fmt=f"{mark(k)}-", ms=4, lw=1, capsize=2, color=colour(k), label=label
        )
    if "cover_error" in table and not rest:
        ax.plot(table[x], table["cover_error"], "-", lw=1, color=COLOURS[4], label="cover error")
    if table[x].max() > 10 * table[x].min() > 0:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    for point, style, name in ((validation.best, ":", "least error"), (validation.one_se, "--", "1-SE choice")):
        chosen = ", ".join(f"{k} = {number(float(table[k].iloc[point]))}" for k in [x, *rest])
        ax.axvline(table[x].iloc[point], ls=style, lw=1.2, color="black", label=f"{name}: {chosen}")
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set_xlabel(f"{MEANING.get(x, x)}{' (log scale)' if ax.get_xscale() == 'log' else ''}")
    ax.set_ylabel(LABEL[validation.measure])
    ax.set_ylim(bottom=0)
    if not rest:
        _sizes(validation, x, ax)
    ax.legend(fontsize="small", frameon=True, framealpha=0.9, loc="best")
    return ax


MEANING = {
    "eps": "radius eps of the balls",
    "lambda_": "cost lambda of a prototype",
    "k": "neighbours k",
    "K": "prototypes for each class, K",
}
LABEL = {
    "error": "cross-validated error (share)",
    "balanced": "cross-validated error (mean over classes)",
    "loss": "cross-validated loss",
}


def _sizes(validation: Validation, x: str, ax: Any) -> None:
    """Mean size of the rules on the top axis, where labels have room."""
    from matplotlib.ticker import FixedLocator, NullLocator

    table = validation.table
    position = np.log(table[x].to_numpy(float)) if ax.get_xscale() == "log" else table[x].to_numpy(float)
    apart = np.ptp(position) / SIZES
    kept: list[int] = []
    for i in range(len(table)):
        if not kept or position[i] - position[kept[-1]] >= apart:
            kept.append(i)
    top = ax.secondary_xaxis("top")
    top.xaxis.set_major_locator(FixedLocator(table[x].iloc[kept].to_list()))
    top.xaxis.set_minor_locator(NullLocator())
    top.set_xticklabels([number(round(v, 1)) for v in table["size"].iloc[kept]])
    top.set_xlabel("size (mean over folds)")


def _by_size(validation: Validation, ax: Any) -> Any:
    """The error against the mean size over folds; where all training rows are prototypes the rule is 1-NN."""
    table = validation.table.sort_values("size", kind="stable")
    one = len(validation.points.columns) == 1  # points of several knobs make no line
    ax.errorbar(table["size"], table["error"], table["se"], fmt="o-" if one else "o", ms=4, lw=1, capsize=2, color=colour(0),
                label="held-out error, +- 1 SE")  # fmt: skip
    for point, style, name in ((validation.best, ":", "least error"), (validation.one_se, "--", "1-SE choice")):
        size = validation.table["size"].iloc[point]
        ax.axvline(size, ls=style, lw=1.2, color="black", label=f"{name}: size {number(round(float(size), 1))}")
    n, folds = len(validation.problem.frame), int(validation.of_fold.max()) + 1
    last = table.iloc[-1]
    if last["size"] > 0.98 * n * (folds - 1) / folds:
        ax.plot(last["size"], last["error"], "s", ms=9, mfc="none", color=colour(1), label="all rows kept: 1-NN")
    if table["size"].min() > 0:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set_ylim(bottom=0)
    ax.set_ylabel(LABEL[validation.measure])
    ax.set_xlabel(f"size (mean over folds{', log scale' if ax.get_xscale() == 'log' else ''})")
    ax.legend(fontsize="small", framealpha=0.9)
    return ax


def _single(validation: Validation, ax: Any) -> Any:
    row = validation.table.iloc[0]
    ax.errorbar([0], [row["error"]], [row["se"]], fmt="o", capsize=4, color=COLOURS[0], label="held-out error, +- 1 SE")
    ax.axhline(validation.no_information, ls="-.", lw=1, color=GREY, label="no information")
    ax.set(
        xticks=[0],
        xticklabels=[validation.problem.model.name],
        ylabel=LABEL[validation.measure],
        xlabel="method",
        xlim=(-1, 1),
    )
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="small")
    return ax
