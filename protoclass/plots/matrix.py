"""Pictures of dissimilarities: their matrix, distributions, spectrum and embedding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ..ground.checks import one_of
from ..ground.errors import OptionError, brief
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.embedding import Embedding, Spectrum, classes_of
from ..views.analyses import list_eigenvalues, list_places
from ..views.matrix import arrange, describe_shares, find_blocks, find_range, summarize_distributions
from .style import (
    GREY,
    RISING,
    axes,
    colour,
    framed,
    has_room,
    ink,
    key,
    list_down,
    list_named,
    mark,
    name_ticks,
    scatter_classes,
)
from .style import axes as draw_on


@framed
def plot(dissimilarity: Dissimilarity, by: Any = None, kind: str = "matrix", ax: Any = None) -> Any:
    """Plot the dissimilarity matrix as an image, or its distributions by class.

    Parameters
    ----------
    by : Series, optional
        Classes by row label. Default: all rows are one group.
    kind : "matrix" or "distributions"
        Kind of plot. "matrix": an image with rows sorted by class, similar rows next to each other (at most 1000, evenly sampled);
        its colours span the 1 % to 99 % quantiles. "distributions": for each class, the positive dissimilarities between its rows, and
        to rows of other classes.
    ax : Axes, optional
        Axes to draw on.

    Returns
    -------
    Axes
        The Axes.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> pc.dissimilarity("species ~ .", iris).plot(by=iris["species"]).get_ylabel()
    'rows by species'
    """
    kinds: dict[str, Callable[..., Any]] = {"matrix": draw_matrix, "distributions": draw_boxes}
    one_of("kind", kind, tuple(kinds), "picture")
    return kinds[kind](dissimilarity, by, ax)


def draw_matrix(dissimilarity: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """The matrix as an image: colours from the 1 % to the 99 % quantile of its values, beyond these the end colours."""
    table, of_row, of_column = arrange(dissimilarity, by)
    given, ax = ax, axes(ax, 6.6, 5.6)
    if given is None and dissimilarity.square:
        # "constrained" lets labels of Axes with a fixed aspect run out of the figure
        ax.figure.set_layout_engine("compressed")
    values = table.to_numpy(float)
    low, high, below, above = find_range(table, dissimilarity.square)
    image = ax.imshow(values, cmap=RISING, vmin=low, vmax=high, aspect="equal" if dissimilarity.square else "auto")
    image.set_rasterized(True)
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
    words, shrink = "dissimilarity", 0.9 if dissimilarity.square else 1.0
    words += f" ({dissimilarity.metric.name} units)" if has_room(ax) else ""
    ax.figure.colorbar(image, ax=ax, label=words, extend=extend[below, above], shrink=shrink)
    what = classes_of(dissimilarity, by).name
    for axis, classes, side in ((ax.yaxis, of_row, "rows"), (ax.xaxis, of_column, "candidates")):
        if what:
            _name_classes(ax, axis, classes, f"{side} by {what}")
        else:
            axis.set_ticks([])
            axis.set_label_text(f"{side}, similar ones side by side")
    ax.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    ax.grid(False)
    if words := describe_shares(dissimilarity, table):
        ax.set_title(words, fontsize="medium")
    return ax


def _name_classes(ax: Any, axis: Any, classes: pd.Series, label: str) -> None:
    """Draw class boundaries, and name the classes at their middles along an axis."""
    starts, ends = find_blocks(classes)
    for cut in starts[1:]:
        (ax.axhline if axis.axis_name == "y" else ax.axvline)(cut - 0.5, color="white", lw=min(1.0, 15 / (len(starts) - 1)))
    name_ticks(axis, list_named(classes.to_numpy()[starts]), label, ((starts + ends - 1) / 2).tolist())
    axis.set_tick_params(length=0)


def draw_boxes(dissimilarity: Dissimilarity, by: Any = None, ax: Any = None) -> Any:
    """For each class a box of the dissimilarities within it above one of those to the other classes."""
    from matplotlib.patches import Patch

    table = summarize_distributions(dissimilarity, by)
    classes, what = list(dict.fromkeys(table.index.get_level_values("class"))), classes_of(dissimilarity, by).name
    ax = axes(ax, 6.8, min(30.0, max(2.2, 1.4 + 0.5 * len(classes))))
    sides = {"own class": (-0.19, colour(0)), "other classes": (0.19, colour(1))}
    for (level, to), row in table.iterrows():
        shift, fill = sides[to]
        at = classes.index(level) + (shift if what else 0.0)
        if not row["number"]:
            ax.annotate(
                "none", (0, at), (4, 0), textcoords="offset points", va="center", fontsize="x-small", color=GREY
            )
            continue
        ax.hlines(at, row["q5"], row["q95"], color=ink(ax), lw=0.9)
        ax.plot([row["smallest"], row["largest"]], [at, at], ".", ms=5, color=ink(ax))
        ax.barh(at, row["q75"] - row["q25"], 0.3, row["q25"], color=fill, edgecolor=ink(ax), lw=0.8, zorder=3)
        ax.vlines(row["q50"], at - 0.15, at + 0.15, color=ink(ax), lw=2, zorder=4)
    list_down(ax, list_named(classes), what or "rows")
    ax.set(xlim=(0, 1.03 * table["largest"].max()), xlabel=f"dissimilarity ({dissimilarity.metric.name} units)")
    if what:
        sides_of_box = [Patch(facecolor=fill, edgecolor=ink(ax), lw=0.8, label=to) for to, (_, fill) in sides.items()]
        key(ax, "right", "from the class to", handles=sides_of_box)
    ax.set_title("quartiles, 5 to 95 %, smallest and largest", fontsize="medium")
    return ax


@framed
def spectrum(result: Spectrum, ax: Any = None) -> Any:
    """Plot the eigenvalues by descending absolute value, with positive and negative ones distinguished."""
    ax = draw_on(ax)
    table = list_eigenvalues(result)
    for k, sign in enumerate(("positive", "negative")):
        own = table[table["sign"] == sign]
        ax.vlines(own["axis"], 0, own["eigenvalue"], color=colour(k), lw=1.2)
        ax.plot(own["axis"], own["eigenvalue"], mark(k), ms=4, color=colour(k), label=f"{sign} ({len(own)})")
    ax.axhline(0, color=GREY, lw=0.8)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="axis, by descending absolute value", ylabel="eigenvalue (squared units of the dissimilarity)")
    ax.set_title(
        f"{result.case}: {100 * result.negative:.2g} % negative mass, effective dimension {result.effective:.3g} of {result.n - 1}",
        fontsize="medium",
    )
    return key(ax, title="eigenvalues").axes


@framed
def points(embedding: Embedding, axes: tuple[int, int] | None = None, by: Any = None, ax: Any = None) -> Any:
    """Plot the rows along two axes of the embedding.

    Parameters
    ----------
    axes : (int, int), optional
        Numbers of the axes, from 1. Default: the first positive and, if there is one, the first negative.
    by : Series, optional
        Classes by row label.
    ax : Axes, optional
        Axes to draw on.
    """
    if axes is not None:
        fine = isinstance(axes, tuple) and len(axes) == 2 and all(isinstance(a, (int, np.integer)) for a in axes)
        if not fine or not all(1 <= a <= len(embedding.axes.values) for a in axes):
            raise OptionError(f"axes must be two numbers from 1 to {len(embedding.axes.values)}, such as (1, 2), not {brief(axes)}")
    if by is not None and not (isinstance(by, pd.Series) and embedding.dissimilarity.index.isin(by.index).all() and by.index.is_unique):
        raise OptionError("by must be a Series of classes with every row's label once")
    table = list_places(embedding, axes, by)
    ax = draw_on(ax, 5.6, 5.0)
    style = {"s": 22, "lw": 0, "alpha": 0.7}
    if by is None:
        ax.scatter(table["x"], table["y"], color=colour(0), **style)
    else:
        levels = table["class"].cat.categories
        places = [table.loc[table["class"].cat.codes == k, ["x", "y"]].to_numpy(float) for k in range(len(levels))]
        scatter_classes(ax, places, levels, **style)
        key(ax)
    x, y = table.attrs["axes"]
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    ax.set(xlabel=x, ylabel=y, title=f"signature ({embedding.signature[0]}, {embedding.signature[1]})")
    return ax
