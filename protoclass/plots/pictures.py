"""Rows shown as pictures: prototypes, what they hold wrongly, and rows that are misclassified (PVM paper, figures 4 to 6, 8)."""

from __future__ import annotations

from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..arguments import whole_number
from ..views.geometry import map_prototypes
from ..views.pictures import Panels, read_pixels, show_misclassified, show_miscovered, show_prototypes
from .style import axes, colour, mark, named, panels

if TYPE_CHECKING:
    from ..estimation.fit import Fit

INCH = 0.62  # a picture's side
ACROSS = 11  # pictures in a row
MAPPED = 500  # prototypes on a map


def images(fit: Fit, shape: Any, count: int = 88) -> Any:
    """The first prototypes as pictures; above each its class and the rows that it covers first (and wrongly covers).

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of a picture, whose pixels are the predictors in their order, row by row.
    count : int
    """
    return draw_grid(show_prototypes(fit, shape, count))


def miscovered(fit: Fit, shape: Any, prototype: Any = None, count: int = 44) -> Any:
    """Rows of other classes in the ball of a prototype, nearest first; the prototype stands before them.

    Parameters
    ----------
    shape : as for "images"
    prototype : label, optional
        By default the first prototype that holds any.
    count : int
        Rows at most.
    """
    return draw_grid(show_miscovered(fit, shape, prototype, count), size=1.0)


def misclassified(fit: Fit, shape: Any, new: Any = None, size: int | None = None, count: int = 7) -> Any:
    """Misclassified rows as pictures, with their nearest prototype and the nearest of the right class.

    Parameters
    ----------
    shape : as for "images"
    new : DataFrame, optional
        New rows with their classes; by default the rows of the fit.
    size : int, optional
        Shown are the rows that the first `size` prototypes misclassify and all of them do not; a last picture is the
        nearest of all prototypes.
    count : int
        Rows at most, drawn at random by the fit's seed.
    """
    shown, heads = show_misclassified(fit, shape, new, size, count)
    figure = draw_grid(shown, across=len(heads), size=1.15)
    for ax, head in zip(figure.axes, heads, strict=False):
        ax.set_title(f"{head}\n{ax.get_title()}", fontsize="x-small", pad=2)
    return figure


def map_of_prototypes(fit: Fit, ax: Any = None, shape: Any = None, count: int = 88) -> Any:
    """The first prototypes on a map of their dissimilarities by Sammon's mapping, as pictures or as marks.

    Parameters
    ----------
    shape : as for "images", optional
    count : int
    """
    spots = map_prototypes(fit, min(whole_number("count", count, 1), MAPPED))
    ax = axes(ax, 7.2, 5.6)
    size = 60 if len(spots) < 100 else 20
    for k, level in enumerate(fit.classes):
        own = spots[spots["class"] == k]
        ax.scatter(own["x"], own["y"], s=size, marker=mark(k), color=colour(k), label=named(level), lw=0)
    if shape is not None:
        _paste(fit, spots, shape, ax)
    ax.margins(0.06)
    ax.set_aspect("equal", adjustable="datalim")
    unit = fit.dissimilarity.metric.name
    ax.set(xlabel=f"first axis of the map ({unit} units)", ylabel="second axis of the map")
    first = f"The first {len(spots)} of {len(fit.rule.prototypes)} prototypes"
    ax.set_title(f"{first}, Sammon mapping (stress {spots.attrs['stress']:.2g})", fontsize="medium")
    style = {"fontsize": "small", "loc": "center left", "bbox_to_anchor": (1.01, 0.5), "frameon": False}
    ax.legend(title=str(fit.frame.formula.response), **style)
    return ax


def _paste(fit: Fit, spots: pd.DataFrame, shape: Any, ax: Any) -> None:
    """The pictures of the prototypes at their places, framed in the colour of the class."""
    from matplotlib.colors import Normalize
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    pixels = read_pixels(fit, fit.prototypes.iloc[: len(spots)], shape)
    shades, zoom = Normalize(pixels.min(), pixels.max()), 19 / max(pixels.shape[1:])
    for picture, (x, y, k) in zip(pixels, spots.to_numpy(), strict=True):
        small = OffsetImage(picture, zoom=zoom, cmap="gray_r", norm=shades)
        ax.add_artist(AnnotationBbox(small, (x, y), pad=0.08, bboxprops={"edgecolor": colour(int(k)), "lw": 1.3}))


def draw_grid(shown: Panels, across: int = ACROSS, size: float = INCH) -> Any:
    """Pictures in rows of `across`, dark for large values, with a title above each and a name over all."""
    values, titles, name = shown.pixels, shown.titles, shown.name
    across = max(min(across, len(values)), min(ACROSS, int(len(name) * 0.08 / size)) if across == ACROSS else 0)
    figure, places = panels(ceil(len(values) / across), across, max(size, 0.085 * max(map(len, titles))), size + 0.24)
    low, high = np.nanmin(values), np.nanmax(values)
    for ax in places.ravel():
        ax.set_axis_off()
    for ax, picture, title in zip(places.ravel(), values, titles, strict=False):
        if np.isfinite(picture).all():
            ax.imshow(picture, cmap="gray_r", vmin=low, vmax=high)
        ax.set_title(title, fontsize="x-small", pad=2)
    figure.suptitle("\n".join(wrap(name, int(figure.get_figwidth() / 0.08))), fontsize="medium")
    return figure
