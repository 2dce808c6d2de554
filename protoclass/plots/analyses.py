"""Plots of stability, comparisons, alternatives and criticisms."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..analysis.alternatives import Alternatives, Criticisms
from ..analysis.alternatives import alternatives as find_alternatives
from ..analysis.alternatives import criticisms as find_criticisms
from ..analysis.comparison import Comparison
from ..analysis.stability import Stability
from ..estimation.fitted import Fitted
from ..views.analyses import list_alternatives, list_criticisms, list_splits, list_stability
from ..views.prototypes import list_short
from ..views.words import write_number
from .style import (
    GREY,
    axes,
    colour,
    draw_intervals,
    fit_letters,
    framed,
    grid_lines,
    ink,
    key,
    list_named,
    mark,
    name_ticks,
)


@framed
def comparison(result: Comparison, ax: Any = None) -> Any:
    """Plot the error of each method with its 95 % interval, its error on each split, and its number of prototypes.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table, splits = result.table, list_splits(result)
    several = len(result.errors) > 1
    ax = axes(ax, 6.8, 1.3 + 0.45 * len(table))
    if several:
        ax.plot(splits["error"], splits["height"], ".", ms=3, color=GREY, alpha=0.45, zorder=1)
    draw_intervals(ax, table, list_short(table.index))
    beside = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": "small"}
    for i, count in enumerate(table["prototypes"]):
        ax.annotate(write_number(count), (1.02, i), **beside)
    ax.annotate("prototypes", (1.02, 1.0), (0, 3), xycoords="axes fraction", textcoords="offset points", fontsize="small")
    if several:
        ax.set_xlabel(f"{ax.get_xlabel()}; dots: splits")
    return ax


NAMED = 30  # prototypes that are named on the axis


class InOrder:
    """Prototypes in the order chosen: few by name from above to below, many along the horizontal axis.

    Parameters
    ----------
    table : DataFrame
        With `order`, from 1.
    ax : Axes, or None
    high : float
        Inches of Axes for few prototypes, without their lines.
    """

    def __init__(self, table: pd.DataFrame, ax: Any, high: float) -> None:
        self.table, self.few = table, len(table) <= NAMED
        self.ax = axes(ax, 7.4, high + 0.24 * len(table) if self.few else 4.4)

    def draw(self, k: int, order: Any, value: Any, larger: int = 0, **style: Any) -> None:
        """The marks of class k."""
        size = (6 if self.few else 3) + larger
        spots = (value, order) if self.few else (order, value)
        self.ax.plot(*spots, mark(k), ms=size, color=colour(k), ls="none", clip_on=False, **style)

    def finish(self, names: list[str], value: str, marks: str, most: float | None) -> Any:
        """Labels of the Axes: the value, from 0 to `most`, and the marks."""
        ax, order = self.ax, "prototype, in the order selected"
        if self.few:
            name_ticks(ax.yaxis, names, order, self.table["order"].tolist())
            ax.set(xlim=(0, most), ylim=(max(1, len(self.table)) + 0.5, 0.5), xlabel=f"{value}\n{marks}")
            grid_lines(ax, "y")
        else:
            ax.set(ylim=(0, most), xlabel=f"{order}\n{marks}", ylabel=value)
        return key(ax).axes


@framed
def alternatives(result: Alternatives, ax: Any = None) -> Any:
    """Plot the cost of the best solution without each prototype, and of each substitute; returns the Axes.

    Filled markers are the best solutions without the prototype, in the order of selection; open markers are the substitutes. A line
    shows the bounds of a cost that is not settled; the dotted line is the largest cost of a near-optimal solution.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table, pairs = list_alternatives(result)
    classes = result.fit.classes
    drawn = InOrder(table, ax, 2.3 + 0.05 * table["class"].nunique())
    for k, (level, name) in enumerate(zip(classes, list_named(classes), strict=True)):
        own, other = table[table["class"] == level], pairs[pairs["class"] == level]
        if len(own):
            drawn.draw(k, own["order"], own["cost_without"], label=name)
            drawn.draw(k, other["order"], other["cost"], 2, mfc="none")
    ax = drawn.ax
    lines, limit = (ax.hlines, ax.axvline) if drawn.few else (ax.vlines, ax.axhline)
    open_ = table[table["at_least"] < table["cost_without"]]
    lines(open_["order"], open_["at_least"], open_["cost_without"], color=ink(ax), lw=0.8)
    limit(result.within * result.optimum.most, ls=":", lw=1.2, color=ink(ax))
    marks = f"filled: removed; open: replaced by another row\ndotted line: {100 * result.within:.3g} % above the optimum"
    return drawn.finish(table["name"].tolist(), "increase of the objective above the optimum (weight of rows)", marks, None)


def alternatives_of_fit(fit: Fitted, ax: Any, within: float = 0.01, seconds: float = 60.0) -> Any:
    """The cost of removing or replacing each prototype of a fit."""
    return alternatives(find_alternatives(fit, within=within, seconds=seconds), ax)


def criticisms_of_fit(fit: Fitted, ax: Any, n: int = 10) -> Any:
    """The rows that a fit explains worst."""
    return criticisms(find_criticisms(fit, n=n), ax)


@framed
def criticisms(result: Criticisms, ax: Any = None) -> Any:
    """Plot the score of each criticism as a bar, with its reason and the prototype that claims it; returns the Axes.

    Bars have the colour of the class of the row.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table = list_criticisms(result)
    last = int(table["place"].max()) if len(table) else 1
    ax = axes(ax, 8.0, 1.6 + 0.28 * last)
    levels, names = result.fit.classes, list_named(result.fit.classes)
    for k, level in enumerate(levels):
        own = table[table["class"] == level]
        if len(own):
            ax.barh(own["place"], own["score"], color=colour(k), height=0.7, label=names[k])
    name_ticks(ax.yaxis, table["name"].tolist(), "row: prototype that claims it", table["place"].tolist(), "small")
    ax.set(ylim=(last + 0.5, 0.5), xlabel=f"{result.score}: {result.meaning}")
    heads = {own["place"].iloc[0]: f"{reason}: {len(own)} row{'s' * (len(own) > 1)}" for reason, own in table.groupby("reason", sort=False)}
    size = fit_letters(ax, 1.0, 1 / (last + 0.5), max(map(len, heads.values()), default=1))
    for place, head in heads.items() if size else ():
        text = ax.text(0.01, place - 1, head, transform=ax.get_yaxis_transform(), va="center", fontsize=0.9 * size, color=ink(ax))
        text.set_in_layout(False)  # it has the room that the Axes have
    return key(ax).axes if len(table) else ax


@framed
def stability(result: Stability, ax: Any = None) -> Any:
    """Plot the ball hit rate of each prototype, and the proportion of samples in which it was selected again."""
    table, classes = list_stability(result), result.fit.classes
    drawn = InOrder(table, ax, 1.4)
    for k, (level, name) in enumerate(zip(classes, list_named(classes), strict=True)):
        own = table[table["class"] == level]
        if len(own):
            drawn.draw(k, own["order"], own["reselected"], mfc="none", label=name)
            if "ball_hit_rate" in own:
                drawn.draw(k, own["order"], own["ball_hit_rate"])
    hits = "filled: its ball contains one of its class; " if "ball_hit_rate" in table else ""
    names = [f"{label}, within {radius:.3g}" for label, radius in zip(list_short(table.index), table["distance_95"], strict=True)]
    return drawn.finish(names, "proportion of samples", f"{hits}open: selected again, if sampled", 1)
