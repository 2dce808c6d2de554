"""Rows that are pictures: their pixels, and the rows that a picture book of a fit shows (PVM paper, figures 4 to 6, 8)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from ..analysis import steps
from ..analysis.steps import take
from ..core.query import distances_by
from ..core.task import COVERED
from ..estimation.fitted import Fitted
from ..frames.schema import check_unique
from ..frames.tables import as_pandas
from ..ground.checks import whole_number
from ..ground.errors import NotAvailable, OptionError, brief
from ..metrics.dtw import padded
from .prototypes import list_rows


def read_pixels(fit: Fitted, rows: pd.DataFrame, shape: Any) -> np.ndarray:
    """The predictors of rows (or prototypes) as pictures (k, height, width); NaN where a row is missing."""
    fine = isinstance(shape, tuple) and len(shape) == 2
    fine = fine and all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s > 0 for s in shape)
    if not fine:
        raise OptionError(f"shape must be the rows and columns of an image, such as (16, 16), not {brief(shape)}")
    names = list(fit.frame.columns)
    if not all(c.kind == "numeric" for c in fit.frame.schema.values()) or not names:
        raise NotAvailable("an image needs numeric predictors only")
    if len(names) != prod(shape):
        raise OptionError(f"shape={shape} has {prod(shape)} pixels, but there are {len(names)} predictors")
    return np.asarray(rows[names].to_numpy(float).reshape(-1, *shape))


def check_shape(fit: Fitted, shape: Any) -> None:
    """Raise unless the rows of a fit are pictures of this shape."""
    read_pixels(fit, fit.frame.columns.iloc[:1], shape)


def list_steps(fit: Fitted) -> list[str]:
    """The predictors that are the steps of a series, in their order; none where the rows are no series."""
    known = fit.frame.schema
    lone = [name for name, column in known.items() if column.kind == "series" and len(known) == 1]
    numeric = [name for name, column in known.items() if column.kind == "numeric"]
    return lone or (numeric if fit.dissimilarity.metric.series and len(numeric) == len(known) else [])


def read_steps(rows: pd.DataFrame, steps: list[str]) -> np.ndarray:
    """Rows as series (k, T), of the columns that are their steps, or of the one that has them; NaN behind the ends of shorter ones.

    Several channels follow one another.
    """
    if len(steps) > 1:
        return np.asarray(rows[steps].to_numpy(float))
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
    return np.asarray(255 * (1 - share.clip(0, 1)), np.uint8)


@dataclass(frozen=True)
class Album:
    """Rows and prototypes as pictures, uint8 (k, height, width), in shades that mean the same in all.

    Attributes
    ----------
    shape : (int, int)
    low, high : float
        The range of all pixels.
    """

    shape: Any
    low: float
    high: float

    def rows(self, fit: Fitted, rows: pd.DataFrame) -> np.ndarray:
        return shade(read_pixels(fit, rows, self.shape), self.low, self.high)

    def prototypes(self, fit: Fitted, which: np.ndarray) -> np.ndarray:
        at = list_rows(take(fit.rule.prototypes, which), fit.dissimilarity)
        return self.rows(fit, fit.frame.columns.iloc[at] if (at >= 0).all() else fit.prototypes.iloc[which])


@dataclass(frozen=True)
class CurveAlbum(Album):
    """Rows that are series as pictures of their curves; `shape` has the steps, `length` the number that a picture is wide."""

    length: int

    def rows(self, fit: Fitted, rows: pd.DataFrame) -> np.ndarray:
        return draw_curves(read_steps(rows, self.shape), self.low, self.high, self.length)


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
    at = share[:, left] * (left + 1 - edges) + share[:, left + 1] * (edges - left)  # on the lines from step to step
    up = (1 - at) * (HEIGHT - 1)
    ends = np.stack([up[:, :-1], up[:, 1:]])
    row = np.arange(HEIGHT)[None, :, None]
    drawn = (row >= np.floor(ends.min(axis=0))[:, None]) & (row <= np.ceil(ends.max(axis=0))[:, None])
    return np.where(drawn, 0, 255).astype(np.uint8)


def make_album(fit: Fitted, shape: Any) -> Album | None:
    """The pictures of a fit's rows, of this height and width; without it of series their curves, and of other rows none."""
    if shape is None:
        steps = list_steps(fit)
        if not steps:
            return None
        values = read_steps(fit.frame.columns, steps)
        return CurveAlbum(steps, float(np.nanmin(values)), float(np.nanmax(values)), values.shape[1])
    pixels = read_pixels(fit, fit.frame.columns, shape)
    return Album(shape, float(pixels.min()), float(pixels.max()))


@dataclass(frozen=True)
class Panels:
    """Pictures with what stands above them.

    Attributes
    ----------
    pixels : array (k, height, width)
        NaN where there is no picture.
    titles : list of str (k,)
    name : str
        Of all of them.
    """

    pixels: np.ndarray
    titles: list[str]
    name: str


def show_prototypes(fit: Fitted, shape: Any, count: int) -> Panels:
    """The first prototypes; above each its class and the rows that it covers first (and wrongly covers)."""
    first = fit.prototypes.head(whole_number("count", count, 1))
    if first.empty:
        raise NotAvailable("the fit has no prototypes to show")
    titles, note = [str(c) for c in first["class"]], "class"
    if set(COVERED) <= set(fit.rule.prototypes.table):
        triples = zip(first["class"], first["newly_covered"], first["miscovered"], strict=True)
        titles = [f"{c}: {a:g} ({b:g})" for c, a, b in triples]
        note = "class: rows newly covered (rows wrongly covered)"
    name = f"The first {len(first)} of {len(fit.rule.prototypes)} prototypes; {note}"
    return Panels(read_pixels(fit, first, shape), titles, name)


def show_weights(fit: Fitted, shape: Any, count: int) -> Panels:
    """The first prototypes, and then the weights of the pixels for the class of each."""
    metric, first = fit.dissimilarity.metric, fit.prototypes.head(count)
    if metric.column_weights is None:
        raise NotAvailable(f"{metric.name} dissimilarities have no learned weights of pixels: use method 'medianglvq', or pc.Relevance()")
    of_class = np.atleast_2d(metric.column_weights["weight"] if metric.class_weights is None else metric.class_weights)
    images = read_pixels(fit, first, shape)
    looks = (of_class / metric.column_weights["scale"].to_numpy() ** 2)[fit.rule.prototypes.classes[: len(first)] % len(of_class)]
    looks = looks.reshape(images.shape) / looks.max(axis=1)[:, None, None]
    pixels = np.concatenate([(images - images.min()) / (np.ptp(images) or 1.0), looks])
    titles = [*first["class"].astype(str), *[""] * len(first)]
    return Panels(pixels, titles, "Prototypes, and the weight of each pixel in distances to them, from 0 to its maximum (dark)")


def list_misclassified(fit: Fitted, new: Any = None, size: int | None = None) -> pd.DataFrame:
    """Misclassified rows: `truth`, `fitted`, `nearest` prototype, `right` (the nearest of the right class) and with `size`,
    for rows that only the first `size` prototypes misclassify, `full` (the nearest of all)."""
    small = fit if size is None else steps.at(fit, size=size)
    data = as_pandas(fit.call.data).loc[fit.frame.index] if new is None else as_pandas(new)
    truth = fit.true_codes(data, use="what is misclassified")
    check_unique(data.index, "new row")
    query, index, complete = fit.query(data)
    if "nearest" not in fit.rule.kinds:
        raise NotAvailable(f"method {fit.model.name!r} has no nearest prototype to show")
    predicted = small.predict(data).cat.codes.to_numpy()
    picked = complete & (truth >= 0) & (predicted >= 0) & (predicted != truth)
    if size is not None:
        picked &= fit.predict(data).cat.codes.to_numpy() == truth
    at = np.flatnonzero(picked)
    names, classes = small.prototypes.index, small.rule.prototypes.classes
    D = distances_by(small.rule, query.take(np.flatnonzero(picked[complete])))
    own = np.where(classes[None, :] == truth[at, None], D, np.inf)
    right = pd.Series(names.to_numpy(object)[own.argmin(axis=1)] if len(names) else None, index[at], dtype=object)
    levels = fit.frame.levels
    out = pd.DataFrame({"truth": levels[truth[at]], "fitted": levels[predicted[at]]}, index[at])
    out["nearest"] = small.predict(data, "nearest").iloc[at]
    out["right"] = right.where(np.isfinite(own).any(axis=1))
    if size is not None:
        out["full"] = fit.predict(data, "nearest").iloc[at]
    return out


def show_misclassified(fit: Fitted, shape: Any, new: Any, size: int | None, count: int) -> tuple[Panels, list[str]]:
    """Misclassified rows, drawn at random by the fit's seed, with the prototypes of `list_misclassified`.

    Returns
    -------
    Panels, list of str
        The pictures row by row, and what stands in each column.
    """
    check_shape(fit, shape)
    table = list_misclassified(fit, new, size)
    if table.empty:
        raise NotAvailable("no row is misclassified")
    some = np.random.default_rng(fit.problem.seed).permutation(len(table))[: whole_number("count", count, 1)]
    table = table.iloc[np.sort(some)]
    data = as_pandas(fit.call.data if new is None else new)
    columns, heads = [read_pixels(fit, data.loc[table.index], shape)], ["row"]
    prototypes = fit.prototypes[~fit.prototypes.index.duplicated()]  # one row may be a prototype of several classes
    for name, head in (("nearest", "nearest prototype"), ("right", "nearest of its class"), ("full", "nearest of all")):
        if name in table:
            columns.append(read_pixels(fit, prototypes.reindex(table[name]), shape))
            heads.append(head)
    titles = []
    for row in table.index:
        own, fitted = table.at[row, "truth"], table.at[row, "fitted"]
        right = f"{own}" if pd.notna(table.at[row, "right"]) else "none"
        titles += [f"{row}: {own}", f"{fitted}", right, f"{own}"][: len(columns)]
    name = "Misclassified rows" if size is None else f"Rows that only the first {size} prototypes misclassify"
    return Panels(np.stack(columns, axis=1).reshape(-1, *columns[0].shape[1:]), titles, name), heads
