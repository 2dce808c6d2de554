"""Plots of stability, comparisons, permutation tests, alternatives and criticisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.alternatives import Alternatives, Criticisms
from ..analysis.comparison import Comparison
from ..analysis.resampling import PermutationTest, Stability
from ..ground.text import list_short, shorten, write_number
from .style import (
    GREY,
    axes,
    colour,
    draw_intervals,
    framed,
    grid_lines,
    has_room,
    ink,
    key,
    list_down,
    list_named,
    mark,
    name_ticks,
)

JITTER = 5  # heights that the errors of the splits take in turn
BINS = 24  # of a histogram


@framed
def comparison(result: Comparison, ax: Any = None) -> Any:
    """Plot the error of each method with its 95 % interval, its error on each split, and its number of prototypes.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table, errors = result.table, result.errors
    ax = axes(ax, 6.8, 1.3 + 0.45 * len(table))
    names = [
        f"{name} ({count:.3g} prototypes)" if count == count else name
        for name, count in zip(list_short(table.index), table["prototypes"], strict=True)
    ]
    draw_intervals(ax, table, names)
    if len(errors) > 1:
        shift = 0.16 * (np.arange(len(errors)) % JITTER - 2) / 2
        for row, method in enumerate(table.index):
            ax.plot(errors[method], row + shift, ".", ms=3, color=GREY, alpha=0.45, zorder=1)
        ax.set_xlabel(f"{ax.get_xlabel()}; dots: splits")
    return ax


NAMED = 30  # prototypes for which there is room


def draw_in_order(ax: Any, names: list[str], classes: Sequence[Any], parts: Sequence[tuple[pd.DataFrame, str, bool]]) -> Any:
    """Marks in the colours of the classes beside the names of the prototypes, in the order selected, from above to below.

    Each part is a frame with `order` (from 1) and `class`, the name of its column of values, and whether its marks are filled.
    """
    ax, size = axes(ax, 7.4, 2.0 + 0.24 * min(NAMED, len(names))), 6 if len(names) <= NAMED else 3
    for k, (level, label) in enumerate(zip(classes, list_named(classes), strict=True)):
        for part, (table, column, filled) in enumerate(parts):
            own, style = table[table["class"] == level], {} if filled else {"mfc": "none"}
            name = label if part == 0 and len(own) else None
            ax.plot(own[column], own["order"], mark(k), ms=size, color=colour(k), ls="none", clip_on=False, label=name, **style)
    name_ticks(ax.yaxis, names, "in the order selected", np.arange(1, len(names) + 1))
    ax.set_ylim(max(1, len(names)) + 0.5, 0.5)
    grid_lines(ax, "y")
    return key(ax).axes if has_room(ax) else ax


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
    own = result.table.assign(order=np.arange(1, len(result.table) + 1))
    pairs = pd.DataFrame(
        [(row.order, row["class"], cost) for _, row in own.iterrows() for cost in row["substitutes"].values()],
        columns=["order", "class", "cost"],
    )
    names = [f"{shorten(str(label))}, {verdict}" for label, verdict in own["verdict"].items()]
    ax = draw_in_order(ax, names, result.fit.classes, [(own, "cost_without", True), (pairs, "cost", False)])
    unsettled = own[own["at_least"] < own["cost_without"]]
    ax.hlines(unsettled["order"], unsettled["at_least"], unsettled["cost_without"], color=ink(ax), lw=0.8)
    limit = f"{100 * result.within:.3g} % above the optimum"
    ax.axvline(result.within * result.optimum.most, ls=":", lw=1.2, color=ink(ax))
    ax.set(xlim=(0, None), xlabel=f"added cost\n(dotted: {limit})")
    ax.set_title("filled: removed\nopen: replaced by another row", fontsize="medium")
    return ax


@framed
def criticisms(result: Criticisms, ax: Any = None) -> Any:
    """Plot the score of each criticism as a bar in the colour of its class, with its reason; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table, place = result.table, np.arange(len(result.table))
    ax = axes(ax, 8.0, 1.6 + 0.28 * max(1, len(table)))
    for k, (level, label) in enumerate(zip(result.fit.classes, list_named(result.fit.classes), strict=True)):
        own = (table["class"] == level).to_numpy()
        if own.any():
            ax.barh(place[own], table[result.score][own], color=colour(k), height=0.7, label=label)
    names = [f"{shorten(str(label))}: {reason or 'explained'}" for label, reason in table["reason"].items()]
    list_down(ax, names, letters="small")
    ax.set_xlabel(f"{result.score}\n{result.meaning}")
    return key(ax).axes if len(table) else ax


@framed
def stability(result: Stability, ax: Any = None) -> Any:
    """Plot the ball hit rate of each prototype, and the proportion of samples in which it was selected again."""
    table = result.prototypes.assign(order=np.arange(1, len(result.prototypes) + 1))
    hits = "ball_hit_rate" in table
    parts = [(table, "ball_hit_rate", True)] * hits + [(table, "reselected", False)]
    ax = draw_in_order(ax, list_short(table.index), result.fit.classes, parts)
    ax.set(xlim=(0, 1), xlabel="proportion of samples")
    ax.set_title("filled: ball hit rate\nopen: selected again" if hits else "selected again", fontsize="medium")
    return ax


@framed
def permutations(result: PermutationTest, ax: Any = None) -> Any:
    """Plot a histogram of the errors with permuted classes, with the observed error; returns the Axes.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    errors = result.table["error"]
    ax = axes(ax, 6.4, 3.8)
    ax.hist(errors, BINS, color=GREY, alpha=0.7, lw=0, label=f"{len(errors)} permutations")
    said = f"observed {result.measure}: {write_number(result.error)}, p = {write_number(result.p_value)}"
    ax.axvline(result.error, color=colour(1), lw=2, label=said)
    ax.axvline(errors.mean(), color=ink(ax), lw=1, ls=":", label="mean of the permutations")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel=f"cross-validated {result.measure} of the selected point", ylabel="number of permutations")
    return key(ax, "best").axes
