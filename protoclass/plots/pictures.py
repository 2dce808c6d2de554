"""Rows shown as images: prototypes and misclassified rows (PVM paper, figures 4 to 6, 8)."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from ..estimation.fitted import Fitted
from ..ground.checks import whole_number
from ..views.geometry import map_prototypes
from ..views.pictures import Panels, read_pixels, show_misclassified, show_prototypes
from ..views.prototypes import shorten
from .style import LETTERS, axes, colour, framed, has_room, key, scatter_classes

INCH = 0.62  # side of an image
ACROSS = 11  # images in a row
MAPPED = 500  # prototypes on a map


@framed
def images(fit: Fitted, shape: Any, count: int = 88) -> Any:
    """Plot the first prototypes as images, each with its class and its numbers of newly (and wrongly) covered rows.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image. Its pixels are the predictors in their order, row by row.
    count : int
        Number of prototypes.
    """
    return draw_grid(show_prototypes(fit, shape, count))


@framed
def misclassified(fit: Fitted, shape: Any, new: Any = None, size: int | None = None, count: int = 7) -> Any:
    """Plot misclassified rows as images, with their nearest prototype and the nearest of the true class.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image.
    new : DataFrame, optional
        New rows with their classes. Default: the training rows.
    size : int, optional
        Number of prototypes: the plot then shows rows that are misclassified by the first `size` prototypes but not by all; the last
        image is the nearest of all prototypes.
    count : int
        Maximum number of rows, a random sample with the seed of the fit.
    """
    shown, heads = show_misclassified(fit, shape, new, size, count)
    return draw_grid(shown, across=len(heads), size=1.15, heads=heads)


@framed
def map_of_prototypes(fit: Fitted, ax: Any = None, shape: Any = None, count: int = 88) -> Any:
    """Plot the first prototypes on a map of their dissimilarities by Sammon's mapping, as images or as markers.

    Parameters
    ----------
    shape : (int, int), optional
        Rows and columns of an image. Default: markers.
    count : int
        Number of prototypes.
    """
    spots = map_prototypes(fit, min(whole_number("count", count, 1), MAPPED))
    ax = axes(ax, 7.2, 5.6)
    size = 60 if len(spots) < 100 else 20
    places = [spots.loc[spots["class"] == k, ["x", "y"]].to_numpy(float) for k in range(len(fit.classes))]
    scatter_classes(ax, places, fit.classes, s=size, lw=0)
    if shape is not None:
        _paste(fit, spots, shape, ax)
    ax.margins(0.06)
    ax.set_aspect("equal", adjustable="datalim")
    unit = fit.dissimilarity.metric.name
    ax.set(xlabel=f"first axis of the map ({unit} units)", ylabel="second axis of the map")
    q = len(fit.rule.prototypes)
    first = f"All {q} prototypes" if len(spots) == q else f"The first {len(spots)} of {q} prototypes"
    shown = f"\n{100 * spots.attrs['accounted']:.1f} % of the squared dissimilarities shown" if has_room(ax) else ""
    ax.set_title(f"{first}, Sammon's mapping: stress {round(spots.attrs['stress'], 6):.2g}{shown}", fontsize="medium")
    return key(ax, title=fit.frame.formula.response).axes


def _paste(fit: Fitted, spots: pd.DataFrame, shape: Any, ax: Any) -> None:
    """The images of the prototypes at their positions, framed in the colour of the class."""
    from matplotlib.colors import Normalize
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    pixels = read_pixels(fit, fit.prototypes.iloc[: len(spots)], shape)
    shades, zoom = Normalize(pixels.min(), pixels.max()), 19 / max(pixels.shape[1:])
    for picture, (x, y, k) in zip(pixels, spots.to_numpy(), strict=True):
        small = OffsetImage(picture, zoom=zoom, cmap="gray_r", norm=shades)
        ax.add_artist(AnnotationBbox(small, (x, y), pad=0.08, bboxprops={"edgecolor": colour(int(k)), "lw": 1.3}))


def draw_grid(shown: Panels, across: int = ACROSS, size: float = INCH, heads: list[str] | None = None) -> Any:
    """Pictures in rows of `across`, dark for large values, with a title above each, `heads` above columns and a name over all."""
    import matplotlib.pyplot as plt

    values, titles = shown.pixels, [shorten(title, LETTERS) for title in shown.titles]
    across = min(across, len(values))
    rows, tall = ceil(len(values) / across), size * values.shape[1] / values.shape[2]
    wide, high = max(size + 0.08, 0.085 * max(map(len, titles))), tall + 0.24
    above = 0.25 if heads else 0.0
    figure, ax = plt.subplots(figsize=(max(3.6, across * wide + 0.2), rows * high + above + 0.55), layout="constrained")
    shades = {"cmap": "gray_r", "vmin": np.nanmin(values), "vmax": np.nanmax(values)}
    words: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "x-small"}
    for k, (picture, title) in enumerate(zip(values, titles, strict=True)):
        middle, bottom = (k % across + 0.5) * wide, -(k // across + 1) * high
        if np.isfinite(picture).all():
            ax.imshow(picture, extent=(middle - size / 2, middle + size / 2, bottom, bottom + tall), **shades)
        ax.text(middle, bottom + tall + 0.02, title, **words)
    for k, head in enumerate(heads or []):
        ax.text((k + 0.5) * wide, 0.03, head, **words, weight="bold")
    ax.set_axis_off()
    ax.set(xlim=(0, across * wide), ylim=(-rows * high - 0.06, above), aspect="equal")
    ax.set_title(shown.name, fontsize="medium")
    return figure
