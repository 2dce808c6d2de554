"""Pictures of stability, comparisons, alternatives and criticisms."""

from __future__ import annotations

from typing import Any

from ..analysis.alternatives import Alternatives, Criticisms
from ..analysis.alternatives import alternatives as find_alternatives
from ..analysis.alternatives import criticisms as find_criticisms
from ..analysis.comparison import Comparison
from ..analysis.stability import Stability
from ..estimation.fitted import Fitted
from ..views.analyses import list_alternatives, list_criticisms, list_splits, list_stability
from ..views.prototypes import list_short
from ..views.words import write_number
from .layout import framed
from .style import GREY, axes, colour, faint, ink, key, list_named, mark


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


NAMED = 30  # prototypes that are named on the axis


@framed
def alternatives(result: Alternatives, ax: Any = None) -> Any:
    """What each prototype costs to leave out, with what its substitutes cost; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
    """
    return draw_alternatives(result, ax)


def draw_alternatives(result: Alternatives, ax: Any = None) -> Any:
    """Cost by prototype, in the order chosen: full marks for leaving it out, hollow ones for each substitute.

    A line shows the bounds of a cost that is not settled; the dotted line is the most that a near solution costs.
    """
    table, pairs = list_alternatives(result)
    few = len(table) <= NAMED
    ax = axes(ax, 6.4, 1.9 + 0.24 * len(table) + 0.05 * table["class"].nunique() if few else 4.4)
    names = list_named(result.fit.classes)

    def draw(order: Any, cost: Any, *form: Any, **style: Any) -> None:
        ax.plot(*((cost, order) if few else (order, cost)), *form, ls="none", clip_on=False, **style)

    for k, level in enumerate(result.fit.classes):
        own, other = table[table["class"] == level], pairs[pairs["class"] == level]
        if not len(own):
            continue
        size = 6 if few else 3
        draw(own["order"], own["cost_without"], mark(k), ms=size, color=colour(k), label=names[k])
        draw(other["order"], other["cost"], mark(k), ms=size + 2, color=colour(k), mfc="none")
    open_ = table[table["at_least"] < table["cost_without"]]
    lines = ax.hlines if few else ax.vlines
    lines(open_["order"], open_["at_least"], open_["cost_without"], color=ink(ax), lw=0.8)
    limit = result.within * result.optimum.most
    (ax.axvline if few else ax.axhline)(limit, ls=":", lw=1.2, color=ink(ax))
    cost, order = "cost above the optimum, in weight of rows", "prototype, in the order chosen"
    marks = f"full: left out; hollow: a row in its place\ndotted: within {result.within:.3g} of the optimum"
    if few:
        ax.set_yticks(table["order"], table["name"])
        ax.set(ylim=(max(1, len(table)) + 0.5, 0.5), xlabel=f"{cost}\n{marks}", ylabel=order)
        ax.set_xlim(left=0)
        ax.grid(axis="y", lw=0.4, color=faint(ax))
    else:
        ax.set(xlabel=f"{order}\n{marks}", ylabel=cost)
        ax.set_ylim(bottom=0)
    key(ax, "above", ncols=min(4, len(result.fit.classes)))
    return ax


def alternatives_of_fit(fit: Fitted, ax: Any, within: float = 0.01, seconds: float = 60.0) -> Any:
    """What each prototype of a fit costs, see `draw_alternatives`."""
    return draw_alternatives(find_alternatives(fit, within=within, seconds=seconds), ax)


def criticisms_of_fit(fit: Fitted, ax: Any, n: int = 10) -> Any:
    """The rows that a fit explains worst, see `draw_criticisms`."""
    return draw_criticisms(find_criticisms(fit, n=n), ax)


@framed
def criticisms(result: Criticisms, ax: Any = None) -> Any:
    """The score of each row, with the prototype that takes it; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
    """
    return draw_criticisms(result, ax)


def draw_criticisms(result: Criticisms, ax: Any = None) -> Any:
    """The score of each row as a bar in the colour of its class, with the prototype that takes it."""
    table = list_criticisms(result)
    ax = axes(ax, 8.0, 1.6 + 0.28 * len(table))
    levels, names = result.fit.classes, list_named(result.fit.classes)
    for k, level in enumerate(levels):
        own = table[table["class"] == level]
        if len(own):
            ax.barh(own["order"], own["score"], color=colour(k), height=0.7, label=names[k])
    ax.set_yticks(table["order"], table["name"], fontsize="small")
    ax.set(ylim=(max(1, len(table)) + 0.5, 0.5), xlabel=f"{result.score}: {result.meaning}", ylabel="row, why, and what takes it")
    if len(table):
        key(ax, "above", ncols=min(4, len(levels)))
    return ax


@framed
def stability(result: Stability, ax: Any = None) -> Any:
    """Share of the samples in which the ball of each prototype held one of its class, and in which it was chosen again."""
    table = list_stability(result)
    few = len(table) <= NAMED
    ax = axes(ax, 6.4, 1.4 + 0.24 * len(table) if few else 4.4)
    order, classes = table["order"].to_numpy(), list_named(result.fit.classes)
    for k, level in enumerate(result.fit.classes):
        own = (table["class"] == level).to_numpy()
        for name, face in (("chosen", "none"), ("near", colour(k))):
            if name not in table or not own.any():
                continue
            share = table.loc[own, name]
            spots = (share, order[own]) if few else (order[own], share)
            label = classes[k] if name == "chosen" else None
            ax.plot(
                *spots, mark(k), ms=6 if few else 3, color=colour(k), mfc=face, ls="none", label=label, clip_on=False
            )
    near = "full: one of its class near; " if "near" in table else ""
    what = f"share of samples\n{near}hollow: chosen, if sampled"
    if few:
        names = [f"{label}, within {radius:.3g}" for label, radius in zip(list_short(table.index), table["within"], strict=True)]
        ax.set_yticks(order, names)
        ax.set(xlim=(0, 1), ylim=(len(table) + 0.5, 0.5), xlabel=what, ylabel="prototype, in the order chosen")
        ax.grid(axis="y", lw=0.4, color=faint(ax))
    else:
        ax.set(ylim=(0, 1), xlabel="prototype, in the order chosen", ylabel=what)
    key(ax, "above", ncols=min(4, len(result.fit.classes)))
    return ax
