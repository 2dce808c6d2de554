"""Rows that are images: their pixels, prototypes, maps of them and misclassified rows (PVM paper,
figures 4 to 6, 8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np
import pandas as pd

from ..analysis import alternatives
from ..core.query import distances_by
from ..core.task import COVERED
from ..estimation.fitted import Fitted
from ..frames.schema import check_unique
from ..frames.tables import as_pandas
from ..ground.checks import whole_number
from ..ground.errors import NotAvailableError, OptionError, brief
from ..ground.text import shorten
from ..metrics.elastic import padded
from .plane import map_prototypes
from .style import LETTERS, axes, colour, framed, key, scatter_classes


def read_pixels(fit: Fitted, rows: pd.DataFrame, shape: Any) -> np.ndarray:
    """The predictors of rows (or prototypes) as pictures (k, height, width); NaN where a row is missing."""
    fine = isinstance(shape, tuple) and len(shape) == 2
    fine = fine and all(
        isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s > 0 for s in shape
    )
    if not fine:
        raise OptionError(
            f"shape must be the rows and columns of an image, such as (16, 16), not {brief(shape)}"
        )
    names = list(fit.frame.columns)
    if not all(c.kind == "numeric" for c in fit.frame.schema.values()) or not names:
        raise NotAvailableError("an image needs numeric predictors only")
    if len(names) != prod(shape):
        raise OptionError(
            f"shape={shape} has {prod(shape)} pixels, but there are {len(names)} predictors"
        )
    return rows[names].to_numpy(float).reshape(-1, *shape)


def list_steps(fit: Fitted) -> list[str]:
    """The predictors that are the steps of a series, in their order; none where the rows are no series."""
    known = fit.frame.schema
    lone = [name for name, column in known.items() if column.kind == "series" and len(known) == 1]
    numeric = [name for name, column in known.items() if column.kind == "numeric"]
    return lone or (
        numeric if fit.dissimilarity.metric.series and len(numeric) == len(known) else []
    )


def read_steps(rows: pd.DataFrame, steps: list[str]) -> np.ndarray:
    """Rows as series (k, T), of the columns that are their steps, or of the one that has them; NaN
    behind the ends of shorter ones.

    Several channels follow one another.
    """
    if len(steps) > 1:
        return rows[steps].to_numpy(float)
    cells = np.empty(len(rows), object)
    cells[:] = [np.asarray(cell, float).T.ravel() for cell in rows[steps[0]]]
    return padded(cells)


def shade(picture: np.ndarray, low: float, high: float) -> np.ndarray:
    """A picture (height, width) as shades of grey, uint8, dark for large values.

    Examples
    --------
    >>> shade(np.array([[0.0, 8.0, 16.0]]), 0.0, 16.0).tolist()
    [[255, 127, 0]]
    """
    share = (np.asarray(picture, float) - low) / (high - low if high > low else 1.0)
    return (255 * (1 - share.clip(0, 1))).astype(np.uint8)


@dataclass(frozen=True)
class Album:
    """Rows and prototypes as pictures, in shades that mean the same in all.

    Attributes
    ----------
    low, high : float
        The range of all pixels, or of all steps.
    draw : callable
        The pictures of rows, uint8 (k, height, width).
    """

    low: float
    high: float
    draw: Callable[[pd.DataFrame], np.ndarray]

    def prototypes(self, fit: Fitted, which: np.ndarray) -> np.ndarray:
        indices = fit._prototype_row[which]
        return self.draw(
            fit.frame.columns.iloc[indices]
            if (indices >= 0).all()
            else fit.prototypes.iloc[which],
        )


HEIGHT, WIDTH = 28, 28  # pixels of a curve, square as a map shows it


def draw_curves(values: np.ndarray, low: float, high: float, length: int) -> np.ndarray:
    """Series (k, T) as pictures (k, height, width) of black curves, uint8; missing steps at the end have none.

    Examples
    --------
    >>> (draw_curves(np.array([[0.0, 1.0]]), 0.0, 1.0, 2)[0] == 0).any(axis=0).all()  # in each column of pixels
    np.True_
    """
    values = np.pad(values, ((0, 0), (0, max(2, length) - values.shape[1])), constant_values=np.nan)
    edges = np.linspace(0, values.shape[1] - 1, WIDTH + 1)  # between columns of pixels, in steps
    left = np.minimum(edges.astype(int), values.shape[1] - 2)
    share = (values - low) / (high - low if high > low else 1.0)
    # heights on the lines from step to step
    heights = share[:, left] * (left + 1 - edges) + share[:, left + 1] * (edges - left)
    up = (1 - heights) * (HEIGHT - 1)
    ends = np.stack([up[:, :-1], up[:, 1:]])
    row = np.arange(HEIGHT)[None, :, None]
    drawn = (row >= np.floor(ends.min(axis=0))[:, None]) & (
        row <= np.ceil(ends.max(axis=0))[:, None]
    )
    return np.where(drawn, 0, 255).astype(np.uint8)


def make_album(fit: Fitted, shape: Any) -> Album | None:
    """The pictures of a fit's rows, of this height and width; without it of series their curves,
    and of other rows none.
    """
    if shape is None:
        steps = list_steps(fit)
        if not steps:
            return None
        values = read_steps(fit.frame.columns, steps)
        low, high, length = np.nanmin(values), np.nanmax(values), values.shape[1]
        return Album(low, high, lambda rows: draw_curves(read_steps(rows, steps), low, high, length))
    pixels = read_pixels(fit, fit.frame.columns, shape)
    low, high = pixels.min(), pixels.max()
    return Album(low, high, lambda rows: shade(read_pixels(fit, rows, shape), low, high))


@framed
def images(fit: Fitted, shape: Any, n: int = 88) -> Any:
    """Plot the first prototypes as images, each with its class and its numbers of newly (and wrongly) covered rows.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image. Its pixels are the predictors in their order, row by row.
    n : int
        Number of prototypes.
    """
    first = fit.prototypes.head(whole_number("n", n, 1))
    if first.empty:
        raise NotAvailableError("the fit has no prototypes to show")
    titles, note = [str(c) for c in first["class"]], "class"
    if set(COVERED) <= set(fit.rule.prototypes.table):
        triples = zip(first["class"], first["newly_covered"], first["miscovered"], strict=True)
        titles = [f"{c}: {a:g} ({b:g})" for c, a, b in triples]
        note = "class: rows newly covered (rows wrongly covered)"
    name = f"The first {len(first)} of {len(fit.rule.prototypes)} prototypes; {note}"
    return draw_grid(read_pixels(fit, first, shape), titles, name)


def show_weights(fit: Fitted, shape: Any, count: int) -> tuple[np.ndarray, list[str], str]:
    """The first prototypes, and then the weights of the pixels for the class of each, for `draw_grid`."""
    metric, first = fit.dissimilarity.metric, fit.prototypes.head(count)
    if metric.column_weights is None:
        raise NotAvailableError(
            f"{metric.name} dissimilarities have no learned weights of pixels: use method "
            "'medianglvq', or pc.Relevance()"
        )
    pixels, by_class = read_pixels(fit, first, shape), weigh_pixels(fit)
    looks = by_class[fit.rule.prototypes.classes[: len(first)] % len(by_class)].reshape(
        pixels.shape
    )
    pixels = np.concatenate([(pixels - pixels.min()) / (np.ptp(pixels) or 1.0), looks])
    titles = [*first["class"].astype(str), *[""] * len(first)]
    return (
        pixels,
        titles,
        "Prototypes, and the weight of each pixel in distances to them, from 0 to its maximum (dark)",
    )


def weigh_pixels(fit: Fitted) -> np.ndarray:
    """The learned weight of each pixel in the distances to each class, (classes or 1, p), from 0 to 1."""
    metric: Any = fit.dissimilarity.metric
    weights = np.atleast_2d(
        metric.column_weights["weight"] if metric.class_weights is None else metric.class_weights
    )
    weights = weights / metric.column_weights["scale"].to_numpy() ** 2
    return weights / weights.max(axis=1, keepdims=True)


def list_misclassified(fit: Fitted, new: Any = None, size: int | None = None) -> pd.DataFrame:
    """Misclassified rows: `truth`, `fitted`, `nearest` prototype, `right` (the nearest of the right
    class) and with `size`, for rows that only the first `size` prototypes misclassify, `full` (the
    nearest of all).
    """
    small = fit if size is None else alternatives.at(fit, size=size)
    data = as_pandas(fit.call.data).loc[fit.frame.index] if new is None else as_pandas(new)
    truth = fit._true_codes(data, use="what is misclassified")
    check_unique(data.index, "new row")
    if "nearest" not in fit.rule.kinds:
        raise NotAvailableError(f"method {fit.model.name!r} has no nearest prototype to show")
    predicted = small.predict(data).cat.codes.to_numpy()  # -1 for a row without a prediction
    picked = (truth >= 0) & (predicted >= 0) & (predicted != truth)
    if size is not None:
        picked &= fit.predict(data).cat.codes.to_numpy() == truth
    rows, truth, levels = data[picked], truth[picked], fit.frame.levels
    out = pd.DataFrame({"truth": levels[truth], "fitted": levels[predicted[picked]]}, rows.index)
    out["nearest"] = small.predict(rows, "nearest")
    names, classes = small.prototypes.index, small.rule.prototypes.classes
    D = np.where(classes == truth[:, None], distances_by(small.rule, fit._query(rows)[0]), np.inf)
    right = names.to_numpy(object)[D.argmin(axis=1)] if len(names) else None
    out["right"] = pd.Series(right, rows.index, object).where(np.isfinite(D).any(axis=1))
    if size is not None:
        out["full"] = fit.predict(rows, "nearest")
    return out


HEADS = {"nearest": "nearest prototype", "right": "nearest of its class", "full": "nearest of all"}


@framed
def misclassified(
    fit: Fitted, shape: Any, new: Any = None, size: int | None = None, n: int = 7
) -> Any:
    """Plot misclassified rows as images, with their nearest prototype and the nearest of the true class.

    Parameters
    ----------
    shape : (int, int)
        Rows and columns of an image.
    new : DataFrame, optional
        New rows with their classes. Default: the training rows.
    size : int, optional
        Number of prototypes: the plot then shows rows that are misclassified by the first `size`
        prototypes but not by all; the last image is the nearest of all prototypes.
    n : int
        Maximum number of rows, a random sample with the seed of the fit.
    """
    read_pixels(fit, fit.frame.columns.iloc[:1], shape)  # before anything is predicted
    table = list_misclassified(fit, new, size)
    if table.empty:
        raise NotAvailableError("no row is misclassified")
    sample = np.random.default_rng(fit._problem.seed).permutation(len(table))[
        : whole_number("n", n, 1)
    ]
    table = table.iloc[np.sort(sample)]
    data = as_pandas(fit.call.data if new is None else new)
    # one row may be a prototype of several classes
    prototypes = fit.prototypes[~fit.prototypes.index.duplicated()]
    shown = {"row": data.loc[table.index]} | {
        head: prototypes.reindex(table[name]) for name, head in HEADS.items() if name in table
    }
    pixels = np.stack([read_pixels(fit, rows, shape) for rows in shown.values()], axis=1)
    titles = list[str]()
    for row, truth, fitted, _, right, *_ in table.itertuples():
        texts = [f"{row}: {truth}", fitted, truth if pd.notna(right) else "none", truth]
        titles += map(str, texts[: len(shown)])
    name = (
        "Misclassified rows"
        if size is None
        else f"Rows that only the first {size} prototypes misclassify"
    )
    pixels = pixels.reshape(-1, *pixels.shape[2:])
    return draw_grid(pixels, titles, name, len(shown), 1.15, list(shown))


@framed
def map_of_prototypes(fit: Fitted, ax: Any = None, shape: Any = None, n: int = 88) -> Any:
    """Plot the first prototypes on a map of their dissimilarities by Sammon's mapping, as images or as markers.

    Parameters
    ----------
    shape : (int, int), optional
        Rows and columns of an image. Default: markers.
    n : int
        Number of prototypes.
    """
    spots = map_prototypes(fit, min(whole_number("n", n, 1), 500))
    ax = axes(ax, 7.2, 5.6)
    size = 60 if len(spots) < 100 else 20
    places = [
        spots.loc[spots["class"] == k, ["x", "y"]].to_numpy(float) for k in range(len(fit.classes))
    ]
    scatter_classes(ax, places, fit.classes, s=size, lw=0)
    if shape is not None:
        _paste(fit, spots, shape, ax)
    ax.margins(0.06)
    ax.set_aspect("equal", adjustable="datalim")
    unit = fit.dissimilarity.metric.name
    ax.set(xlabel=f"first axis of the map ({unit} units)", ylabel="second axis of the map")
    q = len(fit.rule.prototypes)
    first = f"{q} prototypes" if len(spots) == q else f"The first {len(spots)} of {q} prototypes"
    ax.set_title(f"{first}, Sammon's mapping: stress {round(spots.attrs['stress'], 6):.2g}")
    return key(ax, title=fit.frame.formula.response).axes


def _paste(fit: Fitted, spots: pd.DataFrame, shape: Any, ax: Any) -> None:
    """The images of the prototypes at their positions, framed in the colour of the class."""
    from matplotlib.colors import Normalize
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    pixels = read_pixels(fit, fit.prototypes.iloc[: len(spots)], shape)
    shades, zoom = Normalize(pixels.min(), pixels.max()), 19 / max(pixels.shape[1:])
    for picture, (x, y, k) in zip(pixels, spots.to_numpy(), strict=True):
        small = OffsetImage(picture, zoom=zoom, cmap="gray_r", norm=shades)
        ax.add_artist(
            AnnotationBbox(
                small, (x, y), pad=0.08, bboxprops={"edgecolor": colour(int(k)), "lw": 1.3}
            )
        )


def draw_grid(
    values: np.ndarray,
    titles: list[str],
    name: str,
    across: int = 11,
    size: float = 0.62,
    heads: Sequence[str] = (),
) -> Any:
    """Images (k, height, width) in rows of `across`, dark for large values, with a title above
    each, `heads` above columns and a name over all; there is no image where values are NaN.
    """
    import matplotlib.pyplot as plt

    titles, across = [shorten(title, LETTERS) for title in titles], min(across, len(values))
    rows, tall = ceil(len(values) / across), size * values.shape[1] / values.shape[2]
    wide, high = max(size + 0.08, 0.085 * max(map(len, titles))), tall + 0.24
    above = 0.25 if heads else 0.0
    figure, ax = plt.subplots(
        figsize=(max(3.6, across * wide + 0.2), rows * high + above + 0.55), layout="constrained"
    )
    shades = {"cmap": "gray_r", "vmin": np.nanmin(values), "vmax": np.nanmax(values)}
    words: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": "x-small"}
    for k, (picture, title) in enumerate(zip(values, titles, strict=True)):
        middle, bottom = (k % across + 0.5) * wide, -(k // across + 1) * high
        if np.isfinite(picture).all():
            ax.imshow(
                picture,
                extent=(middle - size / 2, middle + size / 2, bottom, bottom + tall),
                **shades,
            )
        ax.text(middle, bottom + tall + 0.02, title, **words)
    for k, head in enumerate(heads):
        ax.text((k + 0.5) * wide, 0.03, head, **words, weight="bold")
    ax.set_axis_off()
    ax.set(xlim=(0, across * wide), ylim=(-rows * high - 0.06, above), aspect="equal")
    ax.set_title(name)
    return figure
