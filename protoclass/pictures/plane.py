"""Places of rows and prototypes in a picture, and the class that a rule gives to each place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import take
from ..core.embedding import axis_shares, sammon, stress, torgerson
from ..core.sources import Rep, Source, part
from ..core.task import Points
from ..estimation.fitted import Fitted
from ..ground.checks import one_of
from ..ground.errors import DataError, NoCoordinatesError, NotAvailableError, OptionError
from ..metrics.base import as_vectors
from ..metrics.dissimilarity import Dissimilarity
from .coverage import measure_apart

LANDMARKS = 1000
CORNERS = 121  # corners of the outline of a ball
MAP = "map"
LARGEST = 1e150  # a dissimilarity, whose square is a number
NO_SECOND = "no second axis: the distances have one dimension (the rows are spread to be seen)"
# distance of neighbouring rows in a lane, in proportion to its height, with the fewest repetitions
GOLDEN = 0.618034


@dataclass(frozen=True)
class Plane:
    """Places in a picture.

    Attributes
    ----------
    rows : array (n, 2)
        NaN for a row without a place.
    locate : callable
        Places (q, 2) of the prototypes of a rule, NaN for those without a place.
    axes : (str, str)
        What the axes show, in words.
    one_unit : bool
        Whether both axes have the unit of the dissimilarities, as those of a map have.
    of_metric : bool
        Whether it is the plane in which the metric measures, so that a rule gives each of its
        places a class.
    swapped : bool
        Whether its axes are the metric's in the other order.
    """

    rows: np.ndarray
    locate: Callable[[Points], np.ndarray]
    axes: tuple[str, str]
    one_unit: bool = False
    of_metric: bool = False
    swapped: bool = False


def list_predictors(fit: Fitted) -> list[str]:
    """The predictors that can be axes: the numeric ones."""
    return [name for name, column in fit.frame.schema.items() if column.kind == "numeric"]


def choose_axes(fit: Fitted) -> tuple[str, str]:
    """The axes that a picture of a fit has by default: its only two predictors where both are
    numeric, else ("map", "").
    """
    frame, names = fit.frame, list_predictors(fit)
    flat = len(names) == len(frame.schema) == 2 and not fit.dissimilarity.metric.given
    if flat and frame.formula.plain() and not frame.columns.isna().any(axis=None):
        return names[0], names[1]
    return MAP, ""


def make_plane(
    fit: Fitted,
    x: str | None = None,
    y: str | None = None,
    source: Source | None = None,
    rows: np.ndarray | None = None,
) -> Plane:
    """The plane of two numeric predictors, or with x = "map" a map of the dissimilarities; see `make_map`.

    Parameters
    ----------
    fit : Fitted
    x, y : str, optional
        By default those of `choose_axes`.
    source, rows : as in `make_map`
    """
    if x is None and y is None:
        x, y = choose_axes(fit)
    if x == MAP:
        return make_map(fit, source, rows)
    names = list_predictors(fit)
    if x is None or y is None:
        raise OptionError(
            f"x and y must be two numeric predictors of {names}, or x='map' without y, not x={x!r}, y={y!r}"
        )
    one_of("x", x, (MAP, *names))
    one_of("y", y, tuple(names))
    return _plane_of(fit, x, y)


def _plane_of(fit: Fitted, x: str, y: str) -> Plane:
    frame, dissimilarity = fit.frame, fit.dissimilarity

    def read(table: pd.DataFrame) -> np.ndarray:
        return table.reindex(columns=[x, y]).to_numpy(float)

    rows = read(frame.canonical)

    def locate(prototypes: Points) -> np.ndarray:
        if prototypes.at is None:
            return read(as_vectors(dissimilarity.metric).original(np.asarray(prototypes.coords)))
        at = dissimilarity.candidate_row[prototypes.at]
        out = np.full((len(at), 2), np.nan)
        out[at >= 0] = rows[at[at >= 0]]
        if dissimilarity.added is not None and (at < 0).any():
            names = dissimilarity.candidate_names[prototypes.at[at < 0]]
            out[at < 0] = read(dissimilarity.added.reindex(names))
        return out

    names = list(frame.schema)
    own = (
        sorted(names) == sorted([x, y]) and frame.formula.plain() and not dissimilarity.metric.given
    )
    words = (x.replace("_", " "), y.replace("_", " "))
    return Plane(rows, locate, words, of_metric=own, swapped=own and names == [y, x])


def make_map(fit: Fitted, source: Source | None = None, rows: np.ndarray | None = None) -> Plane:
    """A map by classical scaling of at most 1000 landmarks among the rows; all else is placed by its distances to them.

    With D the dissimilarities of the landmarks, X their places, of axes with inner products L, a
    point at squared dissimilarities d^2 lies at L^-1 X' (mean(D^2) - d^2) / 2 (Gower 1968): the
    landmarks where they are, and for Euclidean distances all points at their projections. Where a
    given matrix has no row among its candidates: the first two principal axes of the rows'
    dissimilarities to the candidates; the prototypes then have no place.

    Where the dissimilarities have one dimension, the rows are spread along the second axis, and all
    else lies at 0.

    The names of the axes say how good the map is: Sammon's stress of the landmarks, and the share
    of the squared dissimilarities between them that each axis shows (of the absolute eigenvalues,
    as some are negative where no points have such distances).

    Parameters
    ----------
    fit : Fitted
    source : Source, optional
        The dissimilarities of the rows to the candidates, where they are at hand.
    rows : int array, optional
        The rows that need a place besides the landmarks; all by default.
    """
    dissimilarity, n = fit.dissimilarity, len(fit.frame)
    metric, is_row = dissimilarity.metric, dissimilarity.candidate_row >= 0
    if not is_row.any() and metric.given:
        return _map_of_profiles(dissimilarity)
    # the positions of the landmarks among the candidates, or if no candidate is a row among these
    columns = np.flatnonzero(is_row)[take_evenly(is_row.sum(), LANDMARKS)] if is_row.any() else None
    indices = take_evenly(n, LANDMARKS) if columns is None else dissimilarity.candidate_row[columns]
    placed = np.arange(n) if rows is None else np.union1d(rows, indices)
    D = _measure_landmarks(dissimilarity, placed, indices, columns, source)
    among = D[np.searchsorted(placed, indices)]
    among = (among + among.T) / 2
    X = torgerson(among, 2)
    size, mean = (X**2).sum(axis=0), (among**2).mean(axis=0)
    # a second axis below 1e-6 of the inner products of the first is rounding
    nil = size <= 1e-6 * size[0]
    X[:, nil], size[nil] = 0, 0  # else places would be divided by rounding errors

    def project(D: np.ndarray) -> np.ndarray:
        return np.divide((mean - D**2) @ X / 2, size, out=np.zeros((len(D), 2)), where=size > 0)

    spots = np.full((n, 2), np.nan)
    spots[placed] = project(D)
    if not size[1]:
        # a height of 0.4 lengths of the only axis
        spots[placed, 1] = 0.4 * np.ptp(spots[placed, 0]) * (placed * GOLDEN % 1 - 0.5)

    def locate(prototypes: Points) -> np.ndarray:
        row = (
            np.full(len(prototypes), -1)
            if prototypes.at is None
            else dissimilarity.candidate_row[prototypes.at]
        )
        out, other = np.empty((len(prototypes), 2)), row < 0
        out[~other] = spots[row[~other]]
        if other.any():
            others = dissimilarity._prototype_rep(take(prototypes, other))
            out[other] = project(
                _between(dissimilarity, part(dissimilarity.rows, indices), others).T
            )
        return out

    first, second = (f"{100 * share:.1f} %" for share in axis_shares(X, among))
    words = (
        f"first axis of the map: {first} of the squared dissimilarities ({metric.name} units)",
        f"second axis of the map: {second}; stress {round(stress(X, among), 6):.3g}"
        if size[1]
        else NO_SECOND,
    )
    return Plane(spots, locate, words, one_unit=True)


def _measure_landmarks(
    dissimilarity: Dissimilarity,
    placed: np.ndarray,
    indices: np.ndarray,
    columns: np.ndarray | None,
    source: Source | None,
) -> np.ndarray:
    """Dissimilarities (r, k) of rows to landmarks, the mean of both directions."""
    rows, metric = part(dissimilarity.rows, placed), dissimilarity.metric
    if columns is None:
        D = _between(dissimilarity, rows, part(metric.candidates(dissimilarity.data), indices))
    elif source is None:
        D = _between(dissimilarity, rows, part(dissimilarity.candidates, columns))
    else:
        D = source.take(placed, columns).astype(float)
    if (np.abs(D) > LARGEST).any():
        raise DataError(
            "some dissimilarities are too large for a map, because their squares overflow: correct "
            "them, or divide all by a number"
        )
    if dissimilarity.square and not metric.symmetric:
        candidates = part(dissimilarity.candidates, placed)
        D = (D + _between(dissimilarity, part(dissimilarity.rows, indices), candidates).T) / 2
    return D


def _map_of_profiles(dissimilarity: Dissimilarity) -> Plane:
    """The principal axes of the rows' dissimilarities to candidates that are not rows."""
    few = take_evenly(dissimilarity.shape[1], LANDMARKS)
    D = _between(dissimilarity, dissimilarity.rows, part(dissimilarity.candidates, few))
    centred = D - D.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    X = centred @ axes[:, ::-1][:, :2]
    shares = [
        f"{100 * share:.1f} %" for share in np.append(values[::-1], 0.0)[:2] / (values.sum() or 1.0)
    ]
    words = (
        f"first axis: {shares[0]} of the variance (dissimilarities to the candidates)",
        f"second axis: {shares[1]}",
    )
    return Plane(
        np.pad(X, ((0, 0), (0, 2 - X.shape[1]))),
        lambda prototypes: np.full((len(prototypes), 2), np.nan),
        words,
    )


def _between(dissimilarity: Dissimilarity, rows: Rep, candidates: Rep) -> np.ndarray:
    D = np.asarray(dissimilarity.metric.between(rows, candidates), float)
    if np.isnan(D).any():
        raise DataError(
            "a map needs all dissimilarities, but some rows have no observed variable in common"
        )
    return D


def take_evenly(count: int, most: int) -> np.ndarray:
    """At most so many positions of `count`, evenly spread.

    Examples
    --------
    >>> take_evenly(9, 3).tolist()
    [0, 4, 8]
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def find_limits(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends (2,) of axes that show all places (k, 2) and a margin."""
    known = places[np.isfinite(places).all(axis=1)]
    if not len(known):
        return np.zeros(2), np.ones(2)
    low, high = known.min(axis=0), known.max(axis=0)
    wide = high - low > 1e-9 * np.abs(high)
    margin = 0.06 * np.where(wide, high - low, np.maximum(np.abs(high), 1.0))
    return low - margin, high + margin


def outline_balls(fit: Fitted, plane: Plane, which: Any = slice(None)) -> np.ndarray:
    """Outlines (k, 121, 2) of the balls of some prototypes, NaN for one without a finite outline.

    They are those of the norm, in the units of the predictors. There are none (k = 0) where the
    rule has no radii, where the plane is not that in which the metric measures (on a map most rows
    inside a circle of the radius would not be in the ball), or where the metric has no norm.
    `coverage.find_members` has the rows of a ball for every picture.
    """
    prototypes, none = fit.rule.prototypes, np.empty((0, CORNERS, 2))
    if prototypes.radii is None or not len(prototypes) or not plane.of_metric:
        return none
    points = take(prototypes, np.arange(len(prototypes))[which])
    radii = np.asarray(points.radii)[:, None, None]
    radii = np.where(np.isfinite(radii), radii, np.nan)
    angle = np.linspace(0, 2 * np.pi, CORNERS)
    step = np.column_stack([np.cos(angle), np.sin(angle)])
    try:
        metric = as_vectors(fit.dissimilarity.metric)
        centres = metric.coordinates(fit.dissimilarity._prototype_rep(points))
        if centres.shape[1] != 2:
            return none
        unit = step / metric.between(metric.place(step), metric.place(np.zeros((1, 2))))
    except NoCoordinatesError:
        return none
    corners = centres[:, None] + radii * unit
    if not all(
        np.allclose(metric.between(metric.place(c), metric.place(m[None])), r)
        for c, m, r in zip(corners, centres, radii.ravel(), strict=True)
        if r == r
    ):
        return none  # coordinates without a norm: where a ball lies changes its shape
    places = metric.original(corners.reshape(-1, 2)).to_numpy().reshape(corners.shape)
    return places[:, :, ::-1] if plane.swapped else places


def map_prototypes(fit: Fitted, count: int) -> pd.DataFrame:
    """Places `x`, `y` (Sammon mapping) and `class` of the first `count` prototypes, by name.

    In `attrs`: Sammon's `stress`.
    """
    first = np.arange(min(count, len(fit.rule.prototypes)))
    if len(first) < 2:
        raise NotAvailableError(f"a map needs two prototypes, but the fit has {len(first)}")
    D = measure_apart(fit, first)
    if np.isnan(D).any():
        raise DataError(
            "a map needs all dissimilarities, but some prototypes have no observed variable in common"
        )
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    X = sammon(D, 2)
    spots = pd.DataFrame(X, fit._prototype_names[first], ["x", "y"])
    spots["class"] = fit.rule.prototypes.classes[first]
    spots.attrs["stress"] = stress(X, D)
    return spots


def divide_plane(fit: Fitted, plane: Plane, side: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The plane in which the metric measures, around all rows and prototypes, in cells: the middles
    of `side` cells along each axis, and the class code (side, side) that the rule gives to each.
    """
    prototypes = fit.rule.prototypes
    low, high = find_limits(
        np.concatenate([plane.rows, plane.locate(prototypes)]) if len(prototypes) else plane.rows
    )
    along, up = (
        start + (np.arange(side) + 0.5) * (end - start) / side
        for start, end in zip(low, high, strict=True)
    )
    across, above = np.meshgrid(along, up)
    x, y = list(fit.frame.schema)[:: -1 if plane.swapped else 1]
    grid = pd.DataFrame({x: across.ravel(), y: above.ravel()})
    codes = fit.predict(grid).cat.codes.to_numpy().reshape(side, side)
    return along, up, codes
