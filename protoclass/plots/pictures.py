"""Rows shown as pictures: prototypes, what they hold wrongly, and rows that are misclassified (PVM paper, figures 4 to 6, 8)."""

from __future__ import annotations

from math import ceil, prod
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..analysis.evaluation import coded
from ..analysis.steps import place_of
from ..core.proximity.sammon import sammon, stress
from ..core.sources import part
from ..errors import DataError, NotAvailable, OptionError, brief, whole
from ..estimation.problem import places
from ..frames.frame import as_pandas, once
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
    told = fit.prototypes.head(whole("count", count, 1))
    if told.empty:
        raise NotAvailable("the fit has no prototypes to show")
    titles = [str(c) for c in told["class"]]
    note = "class"
    if {"covers", "miscovers"} <= set(fit.rule.points.table):
        titles = [f"{c}: {a:g} ({b:g})" for c, a, b in zip(titles, told["covers"], told["miscovers"], strict=True)]
        note = "class: rows first covered (rows wrongly covered)"
    return grid(pixels(fit, told, shape), titles, f"The first {len(told)} of {len(fit.rule.points)} prototypes; {note}")


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
    if "cover" not in fit.rule.kinds:
        raise NotAvailable(f"method {fit.model.name!r} has no balls that cover; 'pvm' has")
    pixels(fit, fit.frame.columns.iloc[:1], shape)  # fails before any work
    if prototype is None:
        wrong = np.flatnonzero(fit.prototypes.get("miscovers", pd.Series(dtype=float)).to_numpy() > 0)
        if len(wrong) == 0:
            raise NotAvailable("no prototype's ball holds rows of other classes")
        prototype = fit.prototypes.index[wrong[0]]
    held = fit.ball(prototype)
    held = held[~held["own"]].head(whole("count", count, 1))
    if held.empty:
        raise NotAvailable(f"the ball of {prototype!r} holds no rows of other classes")
    place = place_of(fit, prototype)
    both = pd.concat([fit.prototypes.iloc[[place]], fit.frame.columns.loc[held.index]])
    serves = fit.prototypes["class"].iloc[place]
    titles = [f"prototype of {serves}", *(f"{c}" for c in held["class"])]
    name = f"Rows of other classes in the ball of prototype {prototype} ({serves}), nearest first"
    return grid(pixels(fit, both, shape), titles, name, size=1.0)


def wrongly(fit: Fit, new: Any = None, size: int | None = None) -> pd.DataFrame:
    """Misclassified rows: `truth`, `fitted`, `nearest` prototype, `right` (the nearest of the right class) and with `size`,
    for rows that only the first `size` prototypes misclassify, `full` (the nearest of all)."""
    small = fit if size is None else fit.at(size=size)
    source = as_pandas(fit.call.data).loc[fit.frame.index] if new is None else as_pandas(new)
    response = fit.frame.formula.response
    if response not in source:
        raise OptionError(f"the new data lack the response {response!r}: what is misclassified needs the true classes")
    once(source.index, "new row")
    fresh = fit.dissimilarity.fresh(source, places(small.rule, fit.dissimilarity))
    index, complete = fresh.index, fresh.whole
    if "nearest" not in fit.rule.kinds:
        raise NotAvailable(f"method {fit.model.name!r} has no nearest prototype to show")
    truth = coded(source[response], fit.frame.levels)
    told = small.predict(source).cat.codes.to_numpy()
    picked = complete & (truth >= 0) & (told >= 0) & (told != truth)
    if size is not None:
        picked &= fit.predict(source).cat.codes.to_numpy() == truth
    at = np.flatnonzero(picked)
    labels, classes = small.prototypes.index, small.rule.points.classes
    D = fit.dissimilarity.metric.between(part(fresh.rows, np.flatnonzero(picked[complete])), fresh.points)
    own = np.where(classes[None, :] == truth[at, None], D, np.inf)
    right = pd.Series(labels.to_numpy(object)[own.argmin(axis=1)] if len(labels) else None, index[at], dtype=object)
    levels = fit.frame.levels
    out = pd.DataFrame({"truth": levels[truth[at]], "fitted": levels[told[at]]}, index[at])
    out["nearest"] = small.predict(source, "nearest").iloc[at]
    out["right"] = right.where(np.isfinite(own).any(axis=1))
    if size is not None:
        out["full"] = fit.predict(source, "nearest").iloc[at]
    return out


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
    pixels(fit, fit.frame.columns.iloc[:1], shape)  # fails before any work
    table = wrongly(fit, new, size)
    if table.empty:
        raise NotAvailable("no row is misclassified")
    some = np.random.default_rng(fit.problem.seed).permutation(len(table))[: whole("count", count, 1)]
    table = table.iloc[np.sort(some)]
    source = as_pandas(fit.call.data if new is None else new)
    rows = [pixels(fit, source.loc[table.index], shape)]
    names = ["row", "nearest prototype", "nearest of its class", "nearest of all"]
    for name in ("nearest", "right", "full"):
        if name in table:
            known = fit.prototypes.reindex(table[name])
            rows.append(pixels(fit, known, shape))
    titles = []
    for row in table.index:
        own, told = table.at[row, "truth"], table.at[row, "fitted"]
        titles += [f"{row}: {own}", f"{told}", f"{own}" if pd.notna(table.at[row, "right"]) else "none", f"{own}"][
            : len(rows)
        ]
    name = "Misclassified rows" if size is None else f"Rows that only the first {size} prototypes misclassify"
    flat = np.stack(rows, axis=1).reshape(-1, *rows[0].shape[1:])
    figure = grid(flat, titles, name, across=len(rows), size=1.15)
    for ax, name in zip(figure.axes, names[: len(rows)], strict=False):
        ax.set_title(f"{name}\n{ax.get_title()}", fontsize="x-small", pad=2)
    return figure


def mapped(fit: Fit, count: int) -> pd.DataFrame:
    """Places `x`, `y` (Sammon mapping) and `class` of the first `count` prototypes, by label; in `attrs` the stress."""
    points, related = fit.rule.points, fit.dissimilarity
    first = np.arange(min(count, len(points)))
    if len(first) < 2:
        raise NotAvailable(f"a map needs two prototypes, and the fit has {len(first)}")
    columns = part(places(fit.rule, related), first)
    rows = columns
    if points.at is not None:
        origin = related.origin[points.at[first]]
        if (origin < 0).any():
            raise NotAvailable(
                "a map of prototypes needs their dissimilarities to one another, and some are no rows of the data"
            )
        rows = part(related.rows, origin)
    D = np.asarray(related.metric.between(rows, columns), float)
    if np.isnan(D).any():
        raise DataError("some prototypes know no variable in common: a map needs all dissimilarities")
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    X = sammon(D, 2)
    spots = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "class": points.classes[first]}, fit.prototypes.index[first])
    spots.attrs["stress"] = stress(X, D)
    return spots


def map_of_prototypes(fit: Fit, ax: Any = None, shape: Any = None, count: int = 88) -> Any:
    """The first prototypes on a map of their dissimilarities by Sammon's mapping, as pictures or as marks.

    Parameters
    ----------
    shape : as for "images", optional
    count : int
    """
    from matplotlib.colors import Normalize
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    spots = mapped(fit, min(whole("count", count, 1), MAPPED))
    ax = axes(ax, 7.2, 5.6)
    size = 60 if len(spots) < 100 else 20
    for k, level in enumerate(fit.classes):
        own = spots[spots["class"] == k]
        ax.scatter(own["x"], own["y"], s=size, marker=mark(k), color=colour(k), label=named(level), lw=0)
    if shape is not None:
        values = pixels(fit, fit.prototypes.iloc[: len(spots)], shape)
        low, high = values.min(), values.max()
        zoom = 19 / max(values.shape[1:])
        for picture, (x, y, k) in zip(values, spots.to_numpy(), strict=True):
            small = OffsetImage(picture, zoom=zoom, cmap="gray_r", norm=Normalize(low, high))
            box = AnnotationBbox(small, (x, y), pad=0.08, bboxprops={"edgecolor": colour(int(k)), "lw": 1.3})
            ax.add_artist(box)
    ax.margins(0.06)
    ax.set_aspect("equal", adjustable="datalim")
    unit = fit.dissimilarity.metric.name
    ax.set(xlabel=f"first axis of the map ({unit} units)", ylabel="second axis of the map")
    ax.set_title(
        f"The first {len(spots)} of {len(fit.rule.points)} prototypes, Sammon mapping (stress {spots.attrs['stress']:.2g})",
        fontsize="medium",
    )
    ax.legend(
        fontsize="small",
        title=str(fit.frame.formula.response),
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        frameon=False,
    )
    return ax


def pixels(fit: Fit, rows: pd.DataFrame, shape: Any) -> np.ndarray:
    """The predictors of rows (or prototypes) as pictures (k, height, width); NaN where a row is missing."""
    fine = isinstance(shape, tuple) and len(shape) == 2
    fine = fine and all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s > 0 for s in shape)
    if not fine:
        raise OptionError(f"shape={brief(shape)}: rows and columns of a picture, such as (16, 16)")
    names = list(fit.frame.columns)
    if not all(c.kind == "numeric" for c in fit.frame.schema.values()) or not names:
        raise NotAvailable("only numeric predictors make a picture")
    if len(names) != prod(shape):
        raise OptionError(f"shape={shape} has {prod(shape)} pixels, and there are {len(names)} predictors")
    return rows[names].to_numpy(float).reshape(-1, *shape)


def grid(values: np.ndarray, titles: list[str], name: str, across: int = ACROSS, size: float = INCH) -> Any:
    """Pictures (k, height, width) in rows of `across`, dark for large values, with a title above each and a name over all."""
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
