"""What a page needs to draw a fit by itself, at every radius: texts, and arrays in as few bytes as hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows
from ..core.sources import Held, Source
from ..estimation.fitted import Fitted
from ..frames.frame import Frame
from ..ground.text import write_value
from ..metrics.base import TrainedMetric
from ..metrics.gower import TrainedGower
from ..metrics.minkowski import TrainedMinkowski
from ..metrics.relevance import TrainedRelevance
from ..pictures.coverage import find_members, held_out_codes, measure_coverage
from ..pictures.details import read_predictors
from ..pictures.images import Album
from ..pictures.plane import Plane, outline_balls
from ..pictures.stages import Stages
from ..pictures.style import colour, mark
from ..tables.words import describe_prototypes, list_shown
from .curve import describe_line, list_numbers, list_others

PAIRS = 1_500_000  # of a prototype and a row in its ball
ENTRIES = 60_000_000  # dissimilarities of rows to prototypes that are read; a tenth where they have to be measured
BYTES = 30_000_000  # of all radii
BLOCK = 512  # rows at a time
PIXELS = 4_000_000  # of all pictures
CELLS = 3_000_000  # of predictors
Packed = dict[str, Any]


def pack(values: Any) -> Packed:
    """Numbers as bytes with the name of their type: float32 where it reaches, or the shortest type of integers that holds them.

    Examples
    --------
    >>> pack(np.array([3, 255])), pack([-1, 300])["type"], pack([0.5])["type"], pack([1e200])["type"]
    ({'type': 'uint8', 'data': b'\\x03\\xff'}, 'int16', 'float32', 'float64')
    """
    values = np.asarray(values)
    if values.dtype.kind == "f":
        finite = np.abs(values[np.isfinite(values)])
        kind = np.dtype(np.float32 if finite.max(initial=0) <= np.finfo(np.float32).max else np.float64)
    else:
        low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
        names = ("uint8", "uint16", "uint32") if low >= 0 else ("int8", "int16", "int32")
        kind = next(np.dtype(name) for name in names if np.iinfo(name).min <= low and high <= np.iinfo(name).max)
    return {"type": kind.name, "data": np.ascontiguousarray(values.ravel(), kind).tobytes()}


@dataclass(frozen=True)
class Film:
    """The data of the prototype explorer: fits at all radii, with the names of rows and prototypes.

    Attributes
    ----------
    stages : Stages
        The fit at each radius.
    names : list of str
        Names of the points: the rows, then the prototypes that are not rows.
    places : dict
        Number of the point, by the name of a prototype that is not a row.
    reels : dict
        Values of `describe_rule`, by the number of the radius.
    """

    stages: Stages
    names: list[str]
    places: dict[Any, int]
    reels: dict[int, Packed]

    @property
    def fit(self) -> Fitted:
        """The fit that is explored."""
        return self.stages.fits[self.stages.own]

    def points(self, fit: Fitted) -> np.ndarray:
        """The point (q,) of each prototype of a fit."""
        rows, names = fit.prototype_row, fit.prototype_names
        return np.array([row if row >= 0 else self.places[name] for row, name in zip(rows.tolist(), names, strict=True)], np.int64)

    def reel(self, k: int) -> Packed:
        """That of a radius, made when it is first shown."""
        if k not in self.reels:
            fit = self.stages.fits[k]
            self.reels[k] = describe_rule(fit, self.stages.source, self.points(fit))
        return self.reels[k]

    def fill(self, entries: int) -> None:
        """Make those of the radii closest to the fit's own, as far as that reads no more dissimilarities than this."""
        fits, own, size = self.stages.fits, self.stages.own, BYTES
        for k in sorted(range(len(fits)), key=lambda k: abs(k - own)):
            entries -= self.fit.nobs * max(1, len(fits[k].rule.prototypes))
            if entries < 0 or size < 0:
                break
            size -= sum(len(part["data"]) for part in self.reel(k).values() if isinstance(part, dict))


def make_film(stages: Stages) -> Film:
    """A film with the reels of all radii as far as they are not too large, that of the fit itself first."""
    fit = stages.fits[stages.own]
    places: dict[Any, int] = {}
    for each in stages.fits:
        rows = each.prototype_row
        for name, row in zip(each.prototype_names, rows.tolist(), strict=True):
            if row < 0:
                places.setdefault(name, fit.nobs + len(places))
    film = Film(stages, [str(label) for label in [*fit.frame.index, *places]], places, {})
    film.fill(ENTRIES if isinstance(stages.source, Held) else ENTRIES // 10)
    return film


def describe_rule(fit: Fitted, source: Source | None, points: np.ndarray) -> Packed:
    """The rule at a radius, packed.

    `points`, `classes`, `radii` and `listed` (whether pictures mark it) of each prototype; of each row `first` (place of the first
    prototype of its class whose ball holds it, -1 for none), `nearest` (place of the prototype, -1 for none), `codes` (what the rule
    predicts) and what `measure_rivals` returns; of each prototype from `member_starts[k]` on its `members`, the rows in its ball.
    `held_out` is the cross-validated error with its standard error, and `tested` the class codes of the rows predicted without
    their fold. `objective` says how far from the optimum the rule is at most, where that is known.
    """
    prototypes, n = fit.rule.prototypes, fit.nobs
    q = len(prototypes)
    coverage = measure_coverage(fit, source)
    nearest = np.full(n, -1) if coverage.nearest is None else coverage.nearest
    members = find_members(fit, np.arange(q), source, most=PAIRS)
    whole = members.count == q
    listed = np.zeros(q, bool)
    listed[list_shown(fit)] = True
    held, tested = fit.curve if fit.selection.point is not None else None, held_out_codes(fit)
    rival, near, far = measure_rivals(fit, source, nearest)
    return {
        "covering": coverage.first is not None,
        "text": describe_prototypes(fit),
        "objective": f"Objective: {fit.certificate}." if "certificate" in fit.rule.report else "",
        "held_out": [] if held is None else list_numbers(held.table.iloc[fit.selection.point][["error", "se"]]),
        "tested": pack(np.empty(0, int) if tested is None else tested),
        "whole": whole and prototypes.radii is not None,
        "points": pack(points),
        "classes": pack(prototypes.classes),
        "listed": pack(listed.astype(np.uint8)),
        "radii": pack(np.full(q, np.nan) if prototypes.radii is None else np.asarray(prototypes.radii, float)),
        "first": pack(np.full(n, -1) if coverage.first is None else coverage.first),
        "nearest": pack(nearest),
        "codes": pack(coverage.fitted),
        "rival": pack(rival),
        "near": pack(near),
        "far": pack(far),
        "member_starts": pack(np.searchsorted(members.prototypes, np.arange(q + 1)) if whole else np.zeros(q + 1, int)),
        "members": pack(members.rows if whole else np.empty(0, np.int64)),
    }


def measure_rivals(fit: Fitted, source: Source | None, nearest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The place (n,) of each row's rival, -1 for none, and the distances (n,) of its nearest prototype and of the rival.

    The rival is the nearest prototype of another class where the nearest is of the row's own class, else the nearest of its own
    class. Empty where the rule does not predict the class of the nearest prototype.
    """
    prototypes, n, q = fit.rule.prototypes, fit.nobs, len(fit.rule.prototypes)
    if not q or not fit.model.can.nearest or fit.model.can.own_distances:
        return np.empty(0, np.int64), np.empty(0), np.empty(0)
    rank = np.arange(q) if prototypes.at is None else prototypes.at
    order = np.lexsort((rank, prototypes.classes))  # of prototypes equally near that of the first class counts, then the first row
    classes = prototypes.classes[order]
    rival, near, far = np.full(n, -1), np.full(n, np.nan), np.full(n, np.nan)
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(n, start + BLOCK))
        d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, rows), float)
        codes = fit.frame.codes[rows, None]
        right = prototypes.classes[nearest[rows], None] == codes
        others = np.where(((classes == codes) != right) & (d[:, order] < np.inf), d[:, order], np.inf)
        at = others.argmin(axis=1)
        least, known = others[np.arange(len(rows)), at], nearest[rows] >= 0
        near[rows] = np.where(known, d[np.arange(len(rows)), nearest[rows]], np.nan)
        rival[rows] = np.where(known & (least < np.inf), order[at], -1)
        far[rows] = np.where(rival[rows] >= 0, least, np.nan)
    return rival, near, far


def _corrected(fit: Fitted) -> float | None:
    """The corrected error of a fit at the selected point; None if there is none."""
    found = fit.curve.correction() if fit.curve is not None and fit.selection.point == fit.curve.point_of() else None
    return None if found is None else found.value


def describe(film: Film, album: Album | None, new: pd.DataFrame | None = None) -> Packed:
    """All of a film but its reels: what a page knows of rows, classes and radii; `new` has predictors of other rows."""
    stages, fit, frame = film.stages, film.fit, film.fit.frame
    even = np.ptp(frame.weights) == 0
    held = fit.curve if fit.selection.point is not None else None
    nearest = fit.model.can.nearest and not fit.model.can.own_distances
    reason = f"the class is not that of the nearest prototype ({fit.model.title})"
    return {
        "names": film.names,
        "quotes": "'" if any(isinstance(label, str) for label in frame.index[:1]) else "",
        "rows": fit.nobs,
        "codes": pack(frame.codes),
        "weights": {} if even else pack(np.asarray(frame.weights, float)),
        "classes": [{"name": str(level), "colour": colour(k), "mark": mark(k)} for k, level in enumerate(fit.classes)],
        "response": str(frame.formula.response),
        "formula": str(fit.formula),
        "method": f"{fit.model.title}, {fit.dissimilarity.metric.name}, {fit.nobs:,} rows",
        "measure": "" if held is None else held.measure_name,
        "corrected": _corrected(fit),
        "own": stages.own,
        "optimistic": fit.why_optimistic,
        "ordered": fit.rule.prototypes.at is not None and "support" not in fit.rule.prototypes.table,
        "radii": stages.radii,
        "radius": fit.model.can.radius,
        "curve": describe_curve(film),
        "album": {} if album is None else describe_album(film, album),
        "fields": list_fields(frame, frame.columns, read_aside(film), new),
        "metric": describe_metric(fit.dissimilarity.metric, frame) if nearest else {"reason": reason},
    }


def read_aside(film: Film) -> pd.DataFrame:
    """The predictors of the prototypes that are not rows, in the order of their points."""
    n = film.fit.nobs
    points = [(each, place, at) for each in film.stages.fits for place, at in enumerate(film.points(each).tolist()) if at >= n]
    aside = {at: read_predictors(each, place) for each, place, at in points}
    return pd.DataFrame([aside[at] for at in sorted(aside)], columns=film.fit.frame.columns.columns)


def list_fields(frame: Frame, *tables: pd.DataFrame | None) -> list[Packed]:
    """The predictors of the rows of some tables: numbers, or codes of levels; none where there are too many cells."""
    known = [table for table in tables if table is not None and len(table)]
    if sum(table.size for table in known) > CELLS:
        return []
    out: list[Packed] = []
    for name, column in frame.schema.items():
        values = pd.concat([table[name] for table in known], ignore_index=True)
        field: Packed = {"name": str(name), "kind": column.kind}
        if column.kind == "numeric":
            out.append({**field, "values": pack(values.to_numpy(float, na_value=np.nan))})
        elif column.kind != "series":
            levels = list(dict.fromkeys([*column.levels, *values.dropna()]))
            codes = pd.Index(levels, dtype=object).get_indexer(values.astype(object))
            out.append({**field, "levels": [write_value(level) for level in levels], "values": pack(codes)})
    return out


def describe_metric(metric: TrainedMetric, frame: Frame) -> Packed:
    """How a page measures rows by itself, by field: `scales` of differences, of the `power`; `weights` where it takes means.

    Or the `reason` why it can't.
    """
    schema, metric = frame.schema, metric.base if isinstance(metric, TrainedRelevance) else metric
    kinds = {column.kind for column in schema.values()}
    if not frame.formula.plain():
        return {"reason": "the formula transforms columns"}
    weights: dict[str, float] = {}
    if isinstance(metric, TrainedMinkowski) and kinds == {"numeric"} and np.isfinite(metric.spec.r):
        power, scale = metric.spec.r, dict(zip(metric.columns.tolist(), metric.factor / metric.spread, strict=True))
    elif isinstance(metric, TrainedGower) and not metric.spec.asymmetric:
        weights = dict(zip(metric.variables, metric.weights, strict=True))
        power, scale = 1.0, {name: weights[name] / spread for name, spread in zip(metric.numbers.tolist(), metric.ranges, strict=True)}
    else:
        return {"reason": f"{metric.name} dissimilarities are measured in Python"}
    return {"reason": "", "power": power, "scales": [scale.get(c, 0.0) for c in schema], "weights": [weights[c] for c in schema if weights]}


def describe_curve(film: Film) -> Packed:
    """The cross-validated error at the radii of the slider, by their places; empty where there is no curve over them."""
    stages, fit, radius = film.stages, film.fit, film.fit.model.can.radius
    validation = fit.curve
    if validation is None or fit.selection.point is None or radius not in validation.grid or len(stages.radii) < 2:
        return {}
    others = [name for name in validation.grid if name != radius]
    here = validation.grid.iloc[fit.selection.point]
    rows = np.flatnonzero((validation.grid[others] == here[others]).all(axis=1))
    values = validation.grid[radius].to_numpy(float)[rows]
    if len(rows) < 2 or not set(values) <= set(stages.radii):
        return {}
    return {
        **describe_line(validation, radius, rows),
        "others": list_others(validation, fit.selection.point),
        "points": [stages.radii.index(value) for value in values],
    }


def describe_album(film: Film, album: Album) -> Packed:
    """The points as pictures; nothing where they have more than `PIXELS` pixels together."""
    fit = film.fit
    image = album.rows(fit, fit.frame.columns.iloc[:1])
    if image[0].size * len(film.names) > PIXELS:
        return {}
    pixels = np.zeros((len(film.names), *image.shape[1:]), np.uint8)
    pixels[: fit.nobs] = album.rows(fit, fit.frame.columns)
    for each in film.stages.fits:
        points = film.points(each)
        aside = np.flatnonzero(points >= fit.nobs)
        if len(aside):
            pixels[points[aside]] = album.prototypes(each, aside)
    return {"height": image.shape[1], "width": image.shape[2], "pixels": pack(pixels)}


def describe_plane(film: Film, plane: Plane) -> Packed:
    """Where the points lie in a plane, and the outline of a ball of radius 1 where balls have outlines in it."""
    fit = film.fit
    spots = np.full((len(film.names), 2), np.nan)
    spots[: fit.nobs] = plane.rows
    outline = np.empty((0, 2))
    for each in film.stages.fits:
        if film.places:
            at = film.points(each)
            spots[at] = np.where((at >= fit.nobs)[:, None], plane.locate(each.rule.prototypes), spots[at])
        if plane.of_metric and not len(outline):
            outline = find_outline(each, plane)
    return {
        "spots": pack(spots),
        "axes": list(plane.axes),
        "one_unit": plane.one_unit,
        "of_metric": plane.of_metric,
        "outline": pack(outline),
    }


def find_outline(fit: Fitted, plane: Plane) -> np.ndarray:
    """The corners (121, 2) of a ball of radius 1 around 0 in the units of the plane; none where balls have no outlines."""
    radii = fit.rule.prototypes.radii
    if radii is None or not np.isfinite(radii).any():
        return np.empty((0, 2))
    finite = np.flatnonzero(np.isfinite(radii))
    corners = outline_balls(fit, plane, finite[:1])
    if not len(corners):
        return np.empty((0, 2))
    return np.asarray((corners[0] - plane.locate(fit.rule.prototypes)[finite[0]]) / radii[finite[0]])
