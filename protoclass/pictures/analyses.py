"""Plots of analyses: prototypes and their alternatives, comparisons, and the variables of a
prediction, an error and a metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps

from ..analysis.alternatives import Alternatives, Criticisms
from ..analysis.comparison import Comparison
from ..analysis.resampling import PermutationTest, Stability
from ..analysis.variables import importance as measure_importance
from ..analysis.variables import separation, why_not_separated
from ..analysis.variables import why as explain
from ..estimation.fitted import Fitted
from ..frames.tables import as_pandas
from ..ground.errors import NotAvailableError, OptionError, brief
from ..ground.text import SHOWN, list_short, shorten, write_number, write_value
from ..tables.tidy import augment
from .images import draw_grid, show_weights
from .style import (
    GREY,
    RISING,
    axes,
    colour,
    draw_bars,
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
    named,
)

NORMAL = 1.959964  # quantile for 95 %


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
        shift = 0.16 * (np.arange(len(errors)) % 5 - 2) / 2
        for row, method in enumerate(table.index):
            ax.plot(errors[method], row + shift, ".", ms=3, color=GREY, alpha=0.45, zorder=1)
        ax.set_xlabel(f"{ax.get_xlabel()}; dots: splits")
    return ax


NAMED = 30  # prototypes for which there is room


def draw_in_order(
    ax: Any,
    names: list[str],
    classes: Sequence[Any],
    parts: Sequence[tuple[pd.DataFrame, str, bool]],
) -> Any:
    """Marks in the colours of the classes beside the names of the prototypes, in the order
    selected, from above to below.

    Each part is a frame with `order` (from 1) and `class`, the name of its column of values, and
    whether its marks are filled.
    """
    ax, size = axes(ax, 7.4, 2.0 + 0.24 * min(NAMED, len(names))), 6 if len(names) <= NAMED else 3
    for k, (level, label) in enumerate(zip(classes, list_named(classes), strict=True)):
        for part, (table, column, filled) in enumerate(parts):
            rows = table[table["class"] == level]
            name = label if part == 0 and len(rows) else None
            ax.plot(
                rows[column],
                rows["order"],
                mark(k),
                ms=size,
                color=colour(k),
                ls="none",
                clip_on=False,
                label=name,
                mfc=None if filled else "none",
            )
    name_ticks(ax.yaxis, names, "in the order selected", np.arange(1, len(names) + 1))
    ax.set_ylim(max(1, len(names)) + 0.5, 0.5)
    grid_lines(ax, "y")
    return key(ax).axes if has_room(ax) else ax


def draw_verdicts(result: Alternatives, ax: Any) -> Any:
    """The number of prototypes with each verdict, by class."""
    table = result.table
    counts = pd.crosstab(table["class"], table["verdict"])
    ax = axes(ax, 7.4, 1.6 + 0.32 * len(counts))
    ends = counts.cumsum(axis=1)
    for shade, verdict in zip(
        colormaps[RISING](np.linspace(0, 0.9, len(ends.T))), ends, strict=True
    ):
        start = ends[verdict] - counts[verdict]
        ax.barh(
            np.arange(len(counts)),
            counts[verdict],
            0.7,
            start,
            color=shade,
            edgecolor=ink(ax),
            label=verdict,
        )
    list_down(ax, list_named(counts.index))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel(f"prototypes, {len(table)} in all")
    return key(ax).axes


@framed
def alternatives(result: Alternatives, ax: Any = None) -> Any:
    """Plot the cost of the best solution without each prototype, and of each substitute; returns the Axes.

    Filled markers are the best solutions without the prototype, in the order of selection; open
    markers are the substitutes. A line shows the bounds of a cost that is not settled; the dotted
    line is the largest cost of a near-optimal solution. Of more than 20 prototypes the verdicts are
    counted by class.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    if len(result.table) > SHOWN:
        return draw_verdicts(result, ax)
    table = result.table.assign(order=np.arange(1, len(result.table) + 1))
    pairs = pd.DataFrame(
        [
            (row.order, row["class"], cost)
            for _, row in table.iterrows()
            for cost in row["substitutes"].values()
        ],
        columns=["order", "class", "cost"],
    )
    names = [f"{shorten(str(label))}, {verdict}" for label, verdict in table["verdict"].items()]
    ax = draw_in_order(
        ax, names, result.fit.classes, [(table, "cost_without", True), (pairs, "cost", False)]
    )
    unsettled = table[table["at_least"] < table["cost_without"]]
    ax.hlines(
        unsettled["order"], unsettled["at_least"], unsettled["cost_without"], color=ink(ax), lw=0.8
    )
    limit = f"{100 * result.within:.3g} % above the optimum"
    ax.axvline(result.within * result.optimum.most, ls=":", lw=1.2, color=ink(ax))
    ax.set(xlim=(0, None), xlabel=f"added cost\n(dotted: {limit})")
    ax.set_title("Filled: removed; open: replaced by another row")
    return ax


@framed
def criticisms(result: Criticisms, ax: Any = None) -> Any:
    """Plot the margin of each criticism, in the colour of its class, with its reason; returns the Axes.

    Rows left of the line are misclassified.

    Parameters
    ----------
    ax : Axes, optional
        Axes to draw on.
    """
    table, place = result.table, np.arange(len(result.table))
    margin = as_pandas(augment(result.fit)).loc[table.index, "margin"].to_numpy(float)
    ax = axes(ax, 8.0, 1.6 + 0.28 * max(1, len(table)))
    ax.axvline(0, lw=0.8, color=ink(ax))
    for k, (level, label) in enumerate(
        zip(result.fit.classes, list_named(result.fit.classes), strict=True)
    ):
        mask = (table["class"] == level).to_numpy()
        if mask.any():
            ax.plot(margin[mask], place[mask], mark(k), ms=7, color=colour(k), label=label)
    names = [
        f"{shorten(str(label))}: {reason or 'explained'}"
        for label, reason in table["reason"].items()
    ]
    list_down(ax, names, letters="small")
    grid_lines(ax, "y")
    ax.set_xlabel(
        "margin: distance to the nearest prototype of another class\nminus distance to the nearest of its own class"
    )
    return key(ax).axes if len(table) else ax


@framed
def stability(result: Stability, ax: Any = None) -> Any:
    """Plot the ball hit rate of each prototype, and the proportion of samples in which it was selected again."""
    table = result.prototypes.assign(order=np.arange(1, len(result.prototypes) + 1))
    hits = "ball_hit_rate" in table
    parts = [(table, "ball_hit_rate", True)] * hits + [(table, "reselected", False)]
    ax = draw_in_order(ax, list_short(table.index), result.fit.classes, parts)
    ax.set(xlim=(0, 1), xlabel="proportion of samples")
    ax.set_title("Filled: ball hit rate; open: selected again" if hits else "Selected again")
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
    ax.hist(errors, 24, color=GREY, alpha=0.7, lw=0, label=f"{len(errors)} permutations")
    said = f"observed {result.measure}: {write_number(result.error)}, p = {write_number(result.p_value)}"
    ax.axvline(result.error, color=colour(1), lw=2, label=said)
    ax.axvline(errors.mean(), color=ink(ax), lw=1, ls=":", label="mean of the permutations")
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set(
        xlabel=f"cross-validated {result.measure} of the selected point",
        ylabel="number of permutations",
    )
    return key(ax, "best").axes


@framed
def why(fit: Fitted, ax: Any = None, *, new: Any) -> Any:
    """Plot the contribution of each variable to a prediction: to the right for the predicted class,
    to the left for the rival.

    The variables with the largest contributions are at the top.

    Parameters
    ----------
    new : label or row
        Row to explain, as in `Fit.why`.
    """
    table = explain(fit, new)
    said = table.attrs
    if "not_additive" in said:
        raise NotAvailableError(
            f"plot('why') divides distances among variables, but {said['not_additive']}"
        )
    if "rival" not in said:
        raise NotAvailableError(
            "plot('why') needs a prototype of another class to compare with, but there is none"
        )
    favour = (table["to_rival"] - table["to_prototype"]).astype(float)
    favour = favour.sort_values(key=lambda values: -values.abs(), kind="stable")
    few, code = favour.head(SHOWN), list(fit.classes).index(said["class"])
    values = [
        "missing" if np.ndim(v) == 0 and pd.isna(v) else write_value(v, 24)
        for v in table["value"].loc[few.index]
    ]
    names = [
        f"{name} = {value}" for name, value in zip(list_short(few.index, 28), values, strict=True)
    ]
    ax = axes(ax, 6.4, 2.0 + 0.3 * len(few))
    draw_bars(ax, few, names, color=[colour(code) if value >= 0 else GREY for value in few])
    far, near = said["rival_distance"], said["prototype_distance"]
    places = f"rival {said['rival']} at {write_number(far)}, prototype {said['prototype']} at {write_number(near)}"
    ax.set_xlabel(f"distance to the rival - to the prototype\n{places}")
    name = f"Row {brief(new)}" if np.isscalar(new) else "The row"
    ax.set_title(f"{name}: {named(said['class'])}")
    return ax


@framed
def importance(
    fit: Fitted,
    ax: Any = None,
    new: Any = None,
    resamples: int = 20,
    variables: Any = None,
    cv: Any = "auto",
    seed: int | None = None,
) -> Any:
    """Plot the permutation importance of each variable, the most important at the top, with 95 %
    intervals; see `Fit.importance`.
    """
    table = measure_importance(fit, new, resamples, variables, cv, seed)
    error = write_number((table["error"] - table["importance"]).iloc[0])
    few = table.head(SHOWN)
    ax = draw_columns(list_short(few.index), few["importance"], "variable", len(table), ax)
    ax.errorbar(
        few["importance"],
        np.arange(len(few)),
        xerr=NORMAL * few["se"],
        fmt="none",
        ecolor=ink(ax),
        elinewidth=1.2,
        capsize=3,
    )
    rows = "held-out" if new is None else "new"
    ax.set_xlabel(f"increase in error when permuted (95 % CI)\n(error of {rows} rows: {error})")
    return ax


def draw_columns(names: list[str], values: Any, noun: str, count: int, ax: Any) -> Any:
    """A bar for each name, the first one on top; `count` is how many there are."""
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(names))
    shown = noun if count == len(names) else f"the first {len(names)} of {count} {noun}s"
    draw_bars(ax, values, names, shown, color=colour(0), alpha=0.75)
    grid_lines(ax, "x")
    return ax


@framed
def weights(fit: Fitted, ax: Any = None, shape: Any = None) -> Any:
    """Plot the proportion of each column in the separation of the prototypes, with its learned
    weight; see `Fit.why`.

    The colour is the class with the higher value. If each class has its own weights, the bars are
    the weights by class. If the prototypes do not decide, as in k-NN, they are the weights.

    Parameters
    ----------
    shape : (int, int), optional
        Rows and columns of an image: the prototypes as images, and below each the weights of the
        pixels for its class.
    """
    if shape is not None:
        if ax is not None:
            raise OptionError(
                "plot('weights', shape=) is a figure of several images: leave ax= out"
            )
        pixels, titles, name = show_weights(fit, shape, SHOWN)
        return draw_grid(pixels, titles, name, len(titles) // 2, size=0.9)
    metric = fit.dissimilarity.metric
    table, by_class = metric.column_weights, metric.class_weights
    if table is None:
        raise NotAvailableError(
            f"{metric.name} dissimilarities have no learned weights of columns: use dissimilarity='nca'"
        )
    if by_class is None and not why_not_separated(fit):
        return _draw_separation(fit, len(table), ax)
    few = table.sort_values("weight", ascending=False, kind="stable").head(SHOWN)
    ax = draw_columns(list_short(few.index), few["weight"], "column", len(table), ax)
    ax.set_xlabel("learned weight")
    if by_class is not None:
        _divide_bars(ax, by_class[:, table.index.get_indexer(few.index)], fit.classes)
    return ax


def _draw_separation(fit: Fitted, count: int, ax: Any) -> Any:
    """The proportion of each column in the separation, in the colour of the class with the higher value."""
    few = separation(fit).head(SHOWN)
    names = [
        f"{name} (weight {write_number(weight)})"
        for name, weight in zip(list_short(few.index), few["weight"], strict=True)
    ]
    ax = draw_columns(names, few["proportion"], "column", count, ax)
    ax.set_xlabel("proportion of the separation of the prototypes")
    codes = few["higher"].cat.codes.tolist()
    for bar, code in zip(ax.patches, codes, strict=True):
        bar.set_color(colour(code) if code >= 0 else GREY)
    for k in {*codes} - {-1}:
        ax.patches[codes.index(k)].set_label(f"higher in {named(fit.classes[k])}")
    return key(ax).axes if max(codes) >= 0 else ax


def _divide_bars(ax: Any, values: np.ndarray, classes: Sequence[Any]) -> None:
    """A bar for each class (classes, columns) in the place of each bar."""
    ax.containers[0].remove()
    height = 0.8 / len(values)
    for k, (widths, level) in enumerate(zip(values, list_named(classes), strict=True)):
        heights = np.arange(len(widths)) + (k + 0.5) * height - 0.4
        ax.barh(heights, widths, height, lw=0, color=colour(k), label=level)
    ax.set_ylim(len(values[0]) - 0.5, -0.5)
    key(ax)
