"""From a fit to what its picture shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Source
from ..estimation.fit import Fit
from ..plots.pictures import pixels
from ..widgets.picture import shades
from ..widgets.scene import BALLS, PICTURES, View
from .cards import COLUMNS, Said, labels_of, of_prototype, of_row
from .coverage import Reach
from .geometry import Plane, outlines

CELLS = 1_500_000  # dissimilarities that the regions of a plane may take
FINEST, COARSEST = 110, 40  # places along an axis

EMPTY = np.empty((0, 2))


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

    def rows(self, fit: Fit, rows: pd.DataFrame) -> np.ndarray:
        return shades(pixels(fit, rows, self.shape), self.low, self.high)

    def prototypes(self, fit: Fit, places: np.ndarray) -> np.ndarray:
        points, related = fit.rule.points, fit.dissimilarity
        origin = None if points.at is None else related.origin[points.at[places]]
        known = origin is not None and (origin >= 0).all()
        return self.rows(fit, fit.frame.columns.iloc[origin] if known else fit.prototypes.iloc[places])


def album(fit: Fit, shape: Any) -> Album:
    """The pictures of a fit's rows, see `plots.pictures` for `shape`."""
    every = pixels(fit, fit.frame.columns, shape)
    return Album(shape, float(every.min()), float(every.max()))


def serving(fit: Fit) -> np.ndarray:
    """Places of the prototypes that are worth a look: support objects where there are such, none where all rows serve."""
    points = fit.rule.points
    if "support" in points.table:
        return np.flatnonzero(points.table["support"])
    whole = len(points) == fit.nobs and "covers" not in points.table
    return np.empty(0, np.int64) if whole else np.arange(len(points))


def found(fit: Fit, label: Any) -> tuple[int, int]:
    """Place of a label among the prototypes that are shown, and position among the rows; -1 for none."""
    if label is None:
        return -1, -1
    at = places_of(fit, label)
    return (at[0] if at else -1), int(fit.frame.index.get_indexer_for([label])[0])


def places_of(fit: Fit, label: Any) -> list[int]:
    """Places of a label among the prototypes that are shown; several where machines share a centre."""
    at = labels_of(fit).get_indexer_for([label]) if label is not None else np.empty(0, int)
    return [int(k) for k in at[(at >= 0) & np.isin(at, serving(fit))]]


def said(fit: Fit, source: Source | None, told: Reach, label: Any) -> list[Said]:
    """What there is to say of a label: as a prototype, and as a row."""
    row = found(fit, label)[1]
    out = [of_prototype(fit, source, told, place) for place in places_of(fit, label)]
    return [*out, of_row(fit, source, told, row)] if row >= 0 else out


def view(fit: Fit, told: Reach, plane: Plane, only: int, label: Any, about: list[Said], album: Album | None) -> View:
    """What the picture shows of a fit with a label selected."""
    points, at = fit.rule.points, serving(fit)
    every = plane.spots(points) if len(points) else EMPTY
    place, row = found(fit, label)
    chosen = every[[place]] if place >= 0 else plane.rows[[row]] if row >= 0 else EMPTY
    chosen = chosen[np.isfinite(chosen).all(axis=1)]
    as_prototype = about[0] if place >= 0 else None
    rays = plane.rows[as_prototype.rows] if as_prototype else every[about[0].places] if about else EMPTY
    amiss = plane.rows[as_prototype.wrong] if as_prototype else EMPTY
    balls = plane.own and points.radii is not None and len(at) > 0
    ball = outlines(fit, plane, [place]) if balls and place >= 0 else None
    around = outlines(fit, plane, at[:BALLS]) if balls else None
    return View(
        codes=fit.frame.codes,
        held=np.ones(fit.nobs, bool) if told.first is None else told.first >= 0,
        wrong=told.fitted != fit.frame.codes,
        spots=every[at],
        classes=points.classes[at],
        only=only,
        outlines=np.empty((0, 1, 2)) if around is None else around,
        pictures=np.empty((0, 1, 1), np.uint8) if album is None else album.prototypes(fit, at[:PICTURES]),
        regions=None,
        chosen=chosen,
        ball=EMPTY if ball is None else ball[0],
        rays=rays[np.isfinite(rays).all(axis=1)],
        amiss=amiss[np.isfinite(amiss).all(axis=1)],
    )


def regions(fit: Fit, names: tuple[str, str], extent: tuple[float, ...]) -> np.ndarray:
    """The class that a fit gives each place of its own plane, int (height, width); coarser where it has many prototypes."""
    side = int(np.clip(np.sqrt(CELLS / max(1, len(fit.rule.points))), COARSEST, FINEST))
    along, up = (low + (np.arange(side) + 0.5) * (high - low) / side for low, high in (extent[:2], extent[2:]))
    across, above = np.meshgrid(along, up)
    grid = pd.DataFrame({names[0]: across.ravel(), names[1]: above.ravel()})
    return np.asarray(fit.predict(grid).cat.codes.to_numpy().reshape(side, side), np.int64)


def table(fit: Fit, told: Reach, plane: Plane, label: Any) -> pd.DataFrame:
    """What the picture shows, by label: rows, then the prototypes that are no rows.

    `what` ("row" or "prototype"), place `x`, `y`, `class`, `fitted`, `correct`; where the rule has them `nearest` (label of
    the prototype), `covered` (by a ball of the class) and `miscovered` (balls of other classes that hold the row); `order`
    (as a prototype, from 1) and `serves` (the class that it stands for); `selected`.
    """
    frame, levels, points = fit.frame, fit.frame.levels, fit.rule.points
    out = pd.DataFrame({"what": "row", "x": plane.rows[:, 0], "y": plane.rows[:, 1]}, frame.index)
    out["class"] = pd.Categorical.from_codes(frame.codes, levels)
    out["fitted"] = pd.Categorical.from_codes(told.fitted, levels)
    out["correct"] = told.fitted == frame.codes
    labels = labels_of(fit)
    if told.nearest is not None and len(points):
        out["nearest"] = labels.to_numpy(object)[told.nearest]
    if told.first is not None:
        out["covered"], out["miscovered"] = told.first >= 0, told.wrong
    at = serving(fit)
    chosen = pd.DataFrame(
        {"order": at + 1, "serves": pd.Categorical.from_codes(points.classes[at], levels)}, labels[at]
    )
    chosen = chosen[~chosen.index.duplicated()]  # a centre of several machines stands at its first place
    out = out.join(chosen[chosen.index.isin(frame.index)])
    aside = np.array([k for k in at if labels[k] not in frame.index], int)
    if len(aside):
        spots = plane.spots(points)[aside]
        others = pd.DataFrame({"what": "prototype", "x": spots[:, 0], "y": spots[:, 1]}, labels[aside])
        out = pd.concat([out, others.join(chosen)])
    out["order"] = out["order"].astype("Int64")
    return out.assign(selected=[each == label for each in out.index] if label is not None else False)


def details(about: list[Said]) -> pd.DataFrame:
    return pd.concat([one.table for one in about], ignore_index=True) if about else pd.DataFrame(columns=COLUMNS)
