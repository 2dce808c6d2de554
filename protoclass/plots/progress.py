"""What each prototype added, and the error of the first so many (PVM paper, figure 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..views.progress import limit_path, list_errors, list_gains
from .style import GREY, axes, colour, ink, mark, named, plain_log

if TYPE_CHECKING:
    from ..estimation.fit import Fit


def progress(fit: Fit, ax: Any = None) -> Any:
    """Gain of each prototype in the order chosen, and the share of the rows covered so far."""
    table = list_gains(fit)
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
    right.plot(table["step"], table["covered"], "--", lw=1.5, color=ink(ax))
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
    table = list_errors(fit, new, cv)
    top, labels = limit_path(table)
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
    if "bound" in table:
        ax.plot(size, table["bound"], "--", lw=1.2, color=colour(3), label=f"{labels['bound']} (delta = 0.05)")
    ax.axhline(table.attrs["no_information"], ls="-.", lw=1, color=GREY, label=labels["no_information"])
    if len(table) > 30:
        ax.set_xscale("log")
        plain_log(ax.xaxis)
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylim(0, top)
    ax.set(
        xlabel=f"number of {table.attrs['steps']}{' (log scale)' if len(table) > 30 else ''}",
        ylabel="error (share of rows)",
    )
    ax.legend(fontsize="small")
    return ax
