"""Spectrum and rows of a pseudo-Euclidean embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..ground.errors import OptionError, brief
from ..metrics.embedding import Embedding, Spectrum
from ..views.analyses import list_eigenvalues, list_places
from .finish import framed
from .labels import DIRECT, name_classes
from .palette import GREY, colour, mark
from .style import axes as draw_on
from .style import key, list_named


@framed
def spectrum(result: Spectrum, ax: Any = None) -> Any:
    """Eigenvalues by descending absolute value, positive and negative ones apart."""
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
    key(ax, "best", "eigenvalues")
    return ax


@framed
def points(embedding: Embedding, axes: tuple[int, int] | None = None, by: Any = None, ax: Any = None) -> Any:
    """The rows along two axes.

    Parameters
    ----------
    axes : (int, int), optional
        Numbers from 1; by default the first positive and, if there is one, the first negative.
    by : Series, optional
        Classes, by the rows' labels.
    ax : Axes, optional
    """
    if axes is not None:
        fine = isinstance(axes, tuple) and len(axes) == 2 and all(isinstance(a, (int, np.integer)) for a in axes)
        if not fine or not all(1 <= a <= len(embedding.axes.values) for a in axes):
            raise OptionError(f"axes={brief(axes)}: two numbers from 1 to {len(embedding.axes.values)}, such as (1, 2)")
    if by is not None and not (isinstance(by, pd.Series) and embedding.dissimilarity.index.isin(by.index).all() and by.index.is_unique):
        raise OptionError("by= is a Series of classes that holds every row's label, each once")
    table = list_places(embedding, axes, by)
    ax = draw_on(ax, 5.6, 5.0)
    style = {"s": 22, "lw": 0, "alpha": 0.7}
    if by is None:
        ax.scatter(table["x"], table["y"], color=colour(0), **style)
    else:
        levels = table["class"].cat.categories
        places = [table.loc[table["class"].cat.codes == k, ["x", "y"]].to_numpy(float) for k in range(len(levels))]
        for k, (own, name) in enumerate(zip(places, list_named(levels), strict=True)):
            ax.scatter(own[:, 0], own[:, 1], marker=mark(k), color=colour(k), label=name, **style)
        if len(levels) <= DIRECT:
            name_classes(ax, places, levels)
        else:
            key(ax, "right")
    x, y = table.attrs["axes"]
    ax.set_aspect("equal", adjustable="datalim")
    ax.axhline(0, color=GREY, lw=0.6, zorder=0)
    ax.axvline(0, color=GREY, lw=0.6, zorder=0)
    ax.set(xlabel=x, ylabel=y, title=f"signature ({embedding.signature[0]}, {embedding.signature[1]})")
    return ax
