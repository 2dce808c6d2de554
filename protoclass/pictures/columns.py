"""What each column does: in the class of a row, in the error, in a metric."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..analysis.variables import importance as measure_importance
from ..analysis.variables import separation, why_not_separated
from ..analysis.variables import why as explain
from ..estimation.fitted import Fitted
from ..ground.errors import NotAvailable, OptionError, brief
from ..ground.text import list_short, write_number, write_value
from .images import draw_grid, show_weights
from .style import GREY, axes, colour, draw_bars, framed, grid_lines, ink, key, list_down, list_named, named

MOST = 20  # columns that have a bar, or prototypes above their weights
NORMAL = 1.959964  # quantile for 95 %


@framed
def why(fit: Fitted, ax: Any = None, *, new: Any) -> Any:
    """Plot the contribution of each variable to a prediction: to the right for the predicted class, to the left for the rival.

    The variables with the largest contributions are at the top.

    Parameters
    ----------
    new : label or row
        Row to explain, as in `Fit.why`.
    """
    table = explain(fit, new)
    said = table.attrs
    if "not_additive" in said:
        raise NotAvailable(f"plot('why') divides distances among variables, but {said['not_additive']}")
    if "rival" not in said:
        raise NotAvailable("plot('why') needs a prototype of another class to compare with, but there is none")
    favour = (table["to_rival"] - table["to_prototype"]).astype(float)
    favour = favour.sort_values(key=lambda values: -values.abs(), kind="stable")
    few, code = favour.head(MOST), list(fit.classes).index(said["class"])
    values = ["missing" if np.ndim(v) == 0 and pd.isna(v) else write_value(v, 24) for v in table["value"].loc[few.index]]
    names = [f"{name} = {value}" for name, value in zip(list_short(few.index, 28), values, strict=True)]
    ax = axes(ax, 6.4, 2.0 + 0.3 * len(few))
    draw_bars(ax, few, names, color=[colour(code) if value >= 0 else GREY for value in few])
    far, near = said["rival_distance"], said["prototype_distance"]
    places = f"rival {said['rival']} at {write_number(far)}, prototype {said['prototype']} at {write_number(near)}"
    ax.set_xlabel(f"distance to the rival - to the prototype\n{places}")
    name = f"Row {brief(new)}" if np.isscalar(new) else "The row"
    ax.set_title(f"{name}: {named(said['class'])}", fontsize="medium")
    return ax


@framed
def importance(
    fit: Fitted, ax: Any = None, new: Any = None, resamples: int = 20, variables: Any = None, cv: Any = "auto", seed: int | None = None
) -> Any:
    """Plot the permutation importance of each variable, the most important at the top, with 95 % intervals; see `Fit.importance`."""
    table = measure_importance(fit, new, resamples, variables, cv, seed)
    error = write_number(float((table["error"] - table["importance"]).iloc[0]))
    few = table.head(MOST)
    ax = draw_columns(list_short(few.index), few["importance"], "variable", len(table), ax)
    ax.errorbar(few["importance"], np.arange(len(few)), xerr=NORMAL * few["se"], fmt="none", ecolor=ink(ax), elinewidth=1.2, capsize=3)
    rows = "held-out" if new is None else "new"
    ax.set_xlabel(f"increase in error when permuted (95 % CI)\n(error of {rows} rows: {error})")
    return ax


def draw_columns(names: list[str], values: pd.Series, noun: str, count: int, ax: Any) -> Any:
    """A bar for each name, the first one on top; `count` is how many there are."""
    ax = axes(ax, 5.6 + 0.07 * max(map(len, names)), 1.4 + 0.28 * len(values))
    shown = noun if count == len(names) else f"the first {len(names)} of {count} {noun}s"
    draw_bars(ax, values, names, shown, color=colour(0), alpha=0.75)
    grid_lines(ax, "x")
    return ax


@framed
def weights(fit: Fitted, ax: Any = None, shape: Any = None) -> Any:
    """Plot the proportion of each column in the separation of the prototypes, with its learned weight; see `Fit.separation`.

    The colour is the class with the higher value. If each class has its own weights, the bars are the weights by class. If the
    prototypes do not decide, as in k-NN, they are the weights.

    Parameters
    ----------
    shape : (int, int), optional
        Rows and columns of an image: the prototypes as images, and below each the weights of the pixels for its class.
    """
    from matplotlib.patches import Patch

    if shape is not None:
        if ax is not None:
            raise OptionError("plot('weights', shape=) is a figure of several images: leave ax= out")
        pixels, titles, name = show_weights(fit, shape, MOST)
        return draw_grid(pixels, titles, name, len(titles) // 2, size=0.9)
    metric = fit.dissimilarity.metric
    table, by_class = metric.column_weights, metric.class_weights
    if table is None:
        raise NotAvailable(f"{metric.name} dissimilarities have no learned weights of columns: use dissimilarity='nca'")
    decide = by_class is None and not why_not_separated(fit)
    few = separation(fit) if decide else table.sort_values("weight", ascending=False, kind="stable")
    few = few.head(MOST)
    names = list_short(few.index)
    if decide:
        names = [f"{name} (weight {write_number(w)})" for name, w in zip(names, few["weight"], strict=True)]
    ax = draw_columns(names, few["proportion" if decide else "weight"], "column", len(table), ax)
    ax.set_xlabel("proportion of the separation of the prototypes" if decide else "learned weight")
    if decide:
        codes = few["higher"].cat.codes
        for bar, code in zip(ax.patches, codes, strict=True):
            bar.set_color(colour(code) if code >= 0 else GREY)
        known = [Patch(color=colour(k), alpha=0.75, label=f"higher in {named(fit.classes[k])}") for k in sorted({*codes} - {-1})]
        return key(ax, handles=known).axes if known else ax
    if by_class is not None:
        height = 0.8 / len(by_class)
        for bar in list(ax.patches):
            bar.remove()
        for k, (own, level) in enumerate(zip(by_class[:, table.index.get_indexer(few.index)], list_named(fit.classes), strict=True)):
            ax.barh(np.arange(len(few)) + (k + 0.5) * height - 0.4, own, height, lw=0, color=colour(k), label=level)
        list_down(ax, names, ax.get_ylabel())
        key(ax)
    return ax
