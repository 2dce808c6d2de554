"""Where rows and prototypes lie in the picture: in the plane of two predictors, or on a map of their dissimilarities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.proximity.torgerson import torgerson
from ..core.sources import Rep, Source, part
from ..core.task import Points
from ..errors import DataError, NoVectors
from ..estimation.fit import Fit
from .coverage import as_points

LANDMARKS = 1000
CORNERS = 121  # of the outline of a ball
MAP = "map"


@dataclass(frozen=True)
class Plane:
    """Places in the picture.

    Attributes
    ----------
    rows : array (n, 2)
        NaN for a row without a place.
    spots : callable
        Places (q, 2) of the points of a rule.
    labels : (str, str)
        Of the axes.
    alike : bool
        Whether both axes have one unit.
    own : bool
        Whether it is the plane in which the metric measures, so that balls have outlines in it.
    turned : bool
        Whether its axes are the metric's in the other order.
    """

    rows: np.ndarray
    spots: Callable[[Points], np.ndarray]
    labels: tuple[str, str]
    alike: bool = False
    own: bool = False
    turned: bool = False


def predictors(fit: Fit) -> list[str]:
    """The predictors that can be axes: the numeric ones."""
    return [name for name, column in fit.frame.schema.items() if column.kind == "numeric"]


def in_plane(fit: Fit, x: str, y: str) -> Plane:
    """The plane of two numeric predictors."""
    frame, related = fit.frame, fit.dissimilarity
    rows = frame.canonical()[[x, y]].to_numpy(float)

    def spots(points: Points) -> np.ndarray:
        if points.at is None:
            table = related.metric.original(np.asarray(points.coords))
            return table.reindex(columns=[x, y]).to_numpy(float)
        origin = related.origin[points.at]
        out = np.full((len(origin), 2), np.nan)
        out[origin >= 0] = rows[origin[origin >= 0]]
        if related.added is not None and (origin < 0).any():
            added = related.added.reindex(columns=[x, y]).reindex(related.labels[points.at[origin < 0]])
            out[origin < 0] = added.to_numpy(float)
        return out

    names = list(frame.schema)
    own = sorted(names) == sorted([x, y]) and frame.formula.plain() and not related.metric.given
    return Plane(rows, spots, (x.replace("_", " "), y.replace("_", " ")), own=own, turned=own and names == [y, x])


def on_map(fit: Fit, source: Source | None) -> Plane:
    """A map by classical scaling of at most 1000 landmarks among the rows; all else is placed by its distances to them.

    With D the dissimilarities of the landmarks, X their places, of axes with inner products L, a point at squared
    dissimilarities d^2 lies at L^-1 X' (mean(D^2) - d^2) / 2 (Gower 1968): the landmarks where they are, and for Euclidean
    distances all points at their projections. Where a given matrix has no row among its candidates: the first two
    principal axes of the rows' dissimilarities to the candidates.
    """
    related, n = fit.dissimilarity, len(fit.frame)
    metric = related.metric

    def between(rows: Rep, points: Rep) -> np.ndarray:
        D = np.asarray(metric.between(rows, points), float)
        if np.isnan(D).any():
            raise DataError("some rows know no variable in common: a map needs all dissimilarities")
        return D

    named = np.flatnonzero(related.origin >= 0)  # candidates that are rows
    if len(named):
        columns = named[_few(len(named))]
        at = related.origin[columns]
        if source is not None:
            D = np.asarray(source.take(np.arange(n), columns), float)
        else:
            D = between(related.rows, part(related.points, columns))
    elif not metric.given:
        at = _few(n)
        D = between(related.rows, part(metric.points(related.data), at))
    else:
        D = between(related.rows, part(related.points, _few(related.shape[1])))
        nowhere = ("first axis (dissimilarities to the candidates)", "second axis")
        return Plane(_principal(D), lambda points: np.full((len(points), 2), np.nan), nowhere)
    if related.square and not metric.symmetric:
        back = between(part(related.rows, at), related.points)
        D = (D + back.T) / 2
    X = torgerson((D[at] + D[at].T) / 2, 2)
    size, mean = (X**2).sum(axis=0), (D[at] ** 2).mean(axis=0)

    def placed(D: np.ndarray) -> np.ndarray:
        return np.divide((mean - D**2) @ X / 2, size, out=np.zeros((len(D), 2)), where=size > 0)

    rows = placed(D)

    def spots(points: Points) -> np.ndarray:
        origin = np.full(len(points), -1) if points.at is None else related.origin[points.at]
        out, other = np.empty((len(points), 2)), origin < 0
        out[~other] = rows[origin[~other]]
        if other.any():
            places = metric.place(np.asarray(points.coords)) if points.at is None else part(related.points, points.at)
            out[other] = placed(between(part(related.rows, at), part(places, other)).T)
        return out

    names = (f"first axis of the map ({metric.name} units)", "second axis of the map")
    return Plane(rows, spots, names, alike=True)


def _few(count: int) -> np.ndarray:
    """At most 1000 of so many, evenly taken."""
    return np.unique(np.linspace(0, count - 1, min(count, LANDMARKS)).astype(int))


def _principal(D: np.ndarray) -> np.ndarray:
    centred = D - D.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    X = centred @ axes[:, ::-1][:, :2]
    return np.pad(X, ((0, 0), (0, 2 - X.shape[1])))


def outlines(fit: Fit, plane: Plane, which: Any) -> np.ndarray | None:
    """Outlines (k, 121, 2) of some balls in the metric's own plane; None where the metric has no coordinates."""
    metric, points = fit.dissimilarity.metric, fit.rule.points
    assert points.radii is not None
    try:
        centres = metric.vectors(part(as_points(fit.rule, fit.dissimilarity), which))
        if centres.shape[1] != 2:
            return None
        angle = np.linspace(0, 2 * np.pi, CORNERS)
        step = np.column_stack([np.cos(angle), np.sin(angle)])
        unit = step / np.asarray(metric.between(metric.place(step), metric.place(np.zeros((1, 2)))))
    except NoVectors:
        return None
    corners = centres[:, None] + points.radii[which][:, None, None] * unit
    found = np.asarray(metric.original(corners.reshape(-1, 2)).to_numpy()).reshape(corners.shape)
    return found[:, :, ::-1] if plane.turned else found
