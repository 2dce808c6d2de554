"""Data with which a page draws a fit by itself, at every radius: texts, and arrays in as few bytes as hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows
from ..core.distances.minkowski import Geometry
from ..core.sources import Held, Source
from ..core.thresholds import BLOCK
from ..estimation.fitted import Fitted
from ..frames.frame import Frame
from ..ground.text import write_value
from ..metrics.base import EuclideanSpace, TrainedMetric
from ..metrics.learned import ByClass
from ..metrics.relevance import TrainedRelevance
from ..metrics.tabular import TrainedGower
from ..pictures.coverage import find_members, held_out_codes, measure_coverage
from ..pictures.explored import Steps, read_predictors
from ..pictures.images import Album, list_steps, read_steps, weigh_pixels
from ..pictures.plane import Plane
from ..pictures.style import colour, mark
from ..tables.words import describe_prototypes, list_shown
from .curve import describe_line, list_numbers

PAIRS = 1_500_000  # pairs of a prototype and a row in its ball
ENTRIES = 60_000_000  # dissimilarities of rows to prototypes; a tenth if they have to be computed
BYTES = 30_000_000  # bytes for all radii
PIXELS = 4_000_000  # pixels of all images
CELLS = 3_000_000  # cells of all predictors
NEAREST = 5  # prototypes whose distances a page shows if it cannot compute them
Packed = dict[str, Any]


def pack(values: Any) -> Packed:
    """Numbers as bytes with the name of their type: float32 where it reaches, or the shortest type
    of integers that holds them.

    Examples
    --------
    >>> pack(np.array([3, 255])), pack([-1, 300])["type"], pack([0.5])["type"], pack([1e200])["type"]
    ({'type': 'uint8', 'data': b'\\x03\\xff'}, 'int16', 'float32', 'float64')
    """
    values = np.asarray(values)
    if values.dtype.kind == "f":
        finite = np.abs(values[np.isfinite(values)])
        kind = np.dtype(
            np.float32 if finite.max(initial=0) <= np.finfo(np.float32).max else np.float64
        )
    else:
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        names = ("uint8", "uint16", "uint32") if low >= 0 else ("int8", "int16", "int32")
        kind = next(
            np.dtype(name)
            for name in names
            if np.iinfo(name).min <= low and high <= np.iinfo(name).max
        )
    return {"type": kind.name, "data": np.ascontiguousarray(values.ravel(), kind).tobytes()}


@dataclass(frozen=True)
class Content:
    """The data of the prototype explorer: fits at all radii, with the names of rows and prototypes.

    Attributes
    ----------
    steps : Steps
        The fit at each radius.
    names : list of str
        Names of the points: the rows, then the prototypes that are not rows.
    places : dict
        Number of the point, by the name of a prototype that is not a row.
    metric : dict
        See `describe_metric`.
    rules : dict
        Values of `describe_rule`, by the number of the radius.
    """

    steps: Steps
    names: list[str]
    places: dict[Any, int]
    metric: Packed
    rules: dict[int, Packed]

    @property
    def fit(self) -> Fitted:
        """The fit that is explored."""
        return self.steps.fits[self.steps.own]

    def points(self, fit: Fitted) -> np.ndarray:
        """The point (q,) of each prototype of a fit."""
        rows, names = fit._prototype_row, fit._prototype_names
        return np.array(
            [
                row if row >= 0 else self.places[name]
                for row, name in zip(rows.tolist(), names, strict=True)
            ],
            np.int64,
        )

    def rule(self, k: int) -> Packed:
        """The rule at a radius, described when it is first shown."""
        if k not in self.rules:
            fit = self.steps.fits[k]
            self.rules[k] = describe_rule(
                fit, self.steps.source, self.points(fit), NEAREST if self.metric["reason"] else 0
            )
        return self.rules[k]

    def fill(self, entries: int) -> None:
        """Describe the rules at the radii closest to the fit's own, from at most this number of dissimilarities."""
        fits, own, size = self.steps.fits, self.steps.own, BYTES
        for k in sorted(range(len(fits)), key=lambda k: abs(k - own)):
            entries -= self.fit.nobs * max(1, len(fits[k].rule.prototypes))
            if entries < 0 or size < 0:
                break
            size -= sum(
                len(part["data"]) for part in self.rule(k).values() if isinstance(part, dict)
            )


def make_content(steps: Steps) -> Content:
    """The content with the rules at all radii if they are not too large, the rule of the fit itself first."""
    fit = steps.fits[steps.own]
    places: dict[Any, int] = {}
    for each in steps.fits:
        rows = each._prototype_row
        for name, row in zip(each._prototype_names, rows.tolist(), strict=True):
            if row < 0:
                places.setdefault(name, fit.nobs + len(places))
    names = [str(label) for label in [*fit.frame.index, *places]]
    content = Content(steps, names, places, describe_metric(fit), {})
    content.fill(ENTRIES if isinstance(steps.source, Held) else ENTRIES // 10)
    return content


def describe_rule(fit: Fitted, source: Source | None, points: np.ndarray, count: int) -> Packed:
    """The rule at a radius, packed.

    For each prototype: its `points`, `classes`, `radii`, whether plots mark it (`listed`), and from
    `member_starts[k]` on its `members`, the rows in its ball. For each row: `first` (place of the
    first prototype of its class whose ball contains it, -1 for none), `codes` (the predicted
    class), `nearest` (place of the nearest prototype, -1 for none) and the values of
    `measure_nearest`. `held_out` is the cross-validated error with its standard error, `tested` has
    the class codes of the rows predicted without their fold, and `errors` the misclassified rows,
    the closest first. `conditions` are words with the rows that each removes.
    """
    prototypes, n = fit.rule.prototypes, fit.nobs
    q = len(prototypes)
    coverage = measure_coverage(fit, source)
    nearest = np.full(n, -1) if coverage.nearest is None else coverage.nearest
    members = find_members(fit, np.arange(q), source, most=PAIRS)
    whole = members.count == q
    listed = np.zeros(q, bool)
    listed[list_shown(fit)] = True
    validation = fit._curve if fit._selection.point is not None else None
    tested = held_out_codes(fit)
    distances = measure_nearest(fit, source, nearest, count)
    judged = coverage.fitted if tested is None else tested
    wrong, margin = np.flatnonzero(judged != fit.frame.codes), distances["far"] - distances["near"]
    return {
        "covering": coverage.first is not None,
        "text": describe_prototypes(fit),
        "objective": f"Objective: {fit.certificate}." if "certificate" in fit.rule.report else "",
        "held_out": []
        if validation is None
        else list_numbers(validation.table.iloc[fit._selection.point][["error", "se"]]),
        "tested": pack(np.empty(0, int) if tested is None else tested),
        "errors": pack(
            wrong[np.argsort(np.abs(margin[wrong]), kind="stable")] if len(margin) else wrong
        ),
        "conditions": list_conditions(fit),
        "whole": whole and prototypes.radii is not None,
        "points": pack(points),
        "classes": pack(prototypes.classes),
        "listed": pack(listed.astype(np.uint8)),
        "radii": pack(np.full(q, np.nan) if prototypes.radii is None else prototypes.radii),
        "first": pack(np.full(n, -1) if coverage.first is None else coverage.first),
        "nearest": pack(nearest),
        "codes": pack(coverage.fitted),
        **{name: pack(values) for name, values in distances.items()},
        "member_starts": pack(
            np.searchsorted(members.prototypes, np.arange(q + 1)) if whole else np.zeros(q + 1, int)
        ),
        "members": pack(members.rows if whole else np.empty(0, np.int64)),
    }


def measure_nearest(
    fit: Fitted, source: Source | None, nearest: np.ndarray, count: int
) -> dict[str, np.ndarray]:
    """For each row: the place of its `rival` (-1 for none), the distances `near` and `far` of the
    nearest prototype and of the rival, and the places (n, count) and distances of its nearest
    prototypes, `neighbours` and `distances`.

    The rival is the nearest prototype of another class if the nearest is of the row's own class,
    else the nearest of its own class. All are empty if the rule does not predict the class of the
    nearest prototype.
    """
    prototypes, n, q = fit.rule.prototypes, fit.nobs, len(fit.rule.prototypes)
    if not q or not fit.model.can.nearest or fit.model.can.own_distances:
        n, q = 0, 0
    out = {
        "rival": np.full(n, -1),
        "near": np.full(n, np.nan),
        "far": np.full(n, np.nan),
        "neighbours": np.full((n, min(q, count)), -1),
        "distances": np.full((n, min(q, count)), np.nan),
    }
    rank = np.arange(q) if prototypes.at is None else prototypes.at[:q]
    # the first class counts among equally near prototypes, then the first row
    order = np.lexsort((rank, prototypes.classes[:q]))
    classes = prototypes.classes[order]
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(n, start + BLOCK))
        d = measure_rows(prototypes, fit.dissimilarity, source, rows)
        codes = fit.frame.codes[rows, None]
        right = prototypes.classes[nearest[rows], None] == codes
        others = np.where(
            ((classes == codes) != right) & (d[:, order] < np.inf), d[:, order], np.inf
        )
        at = others.argmin(axis=1)
        least, known = others[np.arange(len(rows)), at], nearest[rows] >= 0
        out["near"][rows] = np.where(known, d[np.arange(len(rows)), nearest[rows]], np.nan)
        out["rival"][rows] = np.where(known & (least < np.inf), order[at], -1)
        out["far"][rows] = np.where(out["rival"][rows] >= 0, least, np.nan)
        if count:
            places = order[np.argsort(d[:, order], axis=1, kind="stable")[:, :count]]
            out["neighbours"][rows], out["distances"][rows] = (
                places,
                np.take_along_axis(d, places, axis=1),
            )
    return out


def list_conditions(fit: Fitted) -> list[Packed]:
    """The conditions of a rule in words, each with the `rows` whose class it settles."""
    if not fit.model.has("conditions"):
        return []
    codes = fit.frame.codes
    return [
        {
            "words": f"{each.machine}: {each.text}" if each.machine else each.text,
            "rows": pack(np.flatnonzero(each.removed & np.isin(codes, each.classes))),
        }
        for each in fit.model.conditions(fit._learned, fit._query()[0])
    ]


def describe(content: Content, album: Album | None, new: pd.DataFrame | None = None) -> Packed:
    """All of a content but its rules: what a page knows of rows, classes and radii; `new` has
    predictors of other rows.
    """
    steps, fit = content.steps, content.fit
    frame, metric = fit.frame, fit.dissimilarity.metric
    even = np.ptp(frame.weights) == 0
    held = fit._curve if fit._selection.point is not None else None
    corrected = (
        held._correction()
        if held is not None and fit._selection.point == held._point_of()
        else None
    )
    tables = [
        table
        for table in (frame.columns, read_aside(content), new)
        if table is not None and len(table)
    ]
    return {
        "names": content.names,
        "quotes": "'" if any(isinstance(label, str) for label in frame.index[:1]) else "",
        "rows": fit.nobs,
        "codes": pack(frame.codes),
        "weights": {} if even else pack(frame.weights),
        "classes": [
            {"name": str(level), "colour": colour(k), "mark": mark(k)}
            for k, level in enumerate(fit.classes)
        ],
        "response": str(frame.formula.response),
        "formula": f"{frame.formula.response}, {' x '.join(map(str, fit.dissimilarity.shape))} dissimilarities"
        if metric.given
        else str(fit.formula),
        "method": f"{fit.model.title}, {'given matrix' if metric.given else metric.name}, {fit.nobs:,} rows",
        "measure": "" if held is None else held._measure_name,
        "corrected": None if corrected is None else corrected.value,
        "own": steps.own,
        "optimistic": fit._why_optimistic,
        "ordered": fit.rule.prototypes.at is not None
        and "support" not in fit.rule.prototypes.table,
        "radii": steps.radii,
        "radius": fit.model.can.radius,
        "curve": describe_curve(content),
        "album": {} if album is None else describe_album(content, album),
        "fields": list_fields(frame, *tables),
        "series": describe_series(fit, tables),
        "shared": getattr(metric.spec, "k", 3),  # letters that a row and a prototype share in a row
        "metric": content.metric,
    }


def read_aside(content: Content) -> pd.DataFrame:
    """The predictors of the prototypes that are not rows, in the order of their points."""
    n = content.fit.nobs
    points = [
        (each, place, at)
        for each in content.steps.fits
        for place, at in enumerate(content.points(each).tolist())
        if at >= n
    ]
    aside = {at: read_predictors(each, place) for each, place, at in points}
    return pd.DataFrame(
        [aside[at] for at in sorted(aside)], columns=content.fit.frame.columns.columns
    )


def list_fields(frame: Frame, *tables: pd.DataFrame) -> list[Packed]:
    """The predictors of the rows of some tables: numbers, or codes of levels; none if there are too many cells."""
    if sum(table.size for table in tables) > CELLS:
        return []
    out: list[Packed] = []
    for name, column in frame.schema.items():
        values = pd.concat([table[name] for table in tables], ignore_index=True)
        field: Packed = {"name": str(name), "kind": column.kind}
        if column.kind == "numeric":
            out.append({**field, "values": pack(values.to_numpy(float, na_value=np.nan))})
        elif column.kind != "series":
            levels = list(dict.fromkeys([*column.levels, *values.dropna()]))
            codes = pd.Index(levels, dtype=object).get_indexer(values.astype(object))
            out.append(
                {**field, "levels": [write_value(level) for level in levels], "values": pack(codes)}
            )
    return out


def describe_series(fit: Fitted, tables: list[pd.DataFrame]) -> Packed:
    """The values of rows that are series, and the `length` of each; empty for other rows."""
    steps = list_steps(fit)
    if not steps:
        return {}
    parts = [read_steps(table, steps) for table in tables]
    length = max(part.shape[1] for part in parts)
    values = np.concatenate(
        [
            np.pad(part, ((0, 0), (0, length - part.shape[1])), constant_values=np.nan)
            for part in parts
        ]
    )
    return {"length": length, "values": pack(values)}


def describe_metric(fit: Fitted) -> Packed:
    """The distances as a page computes them: `parts`, by class of the prototype or one for all; or
    the `reason` why it cannot.
    """
    metric, frame = fit.dissimilarity.metric, fit.frame
    if not fit.model.can.nearest or fit.model.can.own_distances:
        return {"reason": f"the class is not that of the nearest prototype ({fit.model.title})"}
    if not frame.formula.plain():
        return {"reason": "the formula transforms columns"}
    parts = [
        describe_distance(part, frame)
        for part in (metric.parts if isinstance(metric, ByClass) else (metric,))
    ]
    return (
        {"reason": "", "parts": parts}
        if all(parts)
        else {"reason": f"{metric.name} dissimilarities need Python"}
    )


def describe_distance(metric: TrainedMetric, frame: Frame) -> Packed:
    """A distance as a page computes it, by predictor; empty if it cannot.

    A sum has `scales` of the differences and their `power`, a mean over the observed variables also
    `weights`; a Euclidean distance after a linear map of the predictors has the `map`, row by row.
    """
    inner = metric.base if isinstance(metric, TrainedRelevance) else metric
    if isinstance(inner, TrainedGower) and not inner.spec.asymmetric:
        weights = dict(zip(inner.variables, inner.weights.tolist(), strict=True))
        scale = dict(zip(inner.numbers.tolist(), inner.ranges.tolist(), strict=True))
        scales = [weights[c] / scale[c] if c in scale else 0.0 for c in frame.schema]
        return {"power": 1.0, "scales": scales, "weights": [weights[c] for c in frame.schema]}
    geometry = Geometry() if isinstance(metric, EuclideanSpace) else metric.geometry
    if geometry is None or geometry != Geometry(geometry.r) or not np.isfinite(geometry.r):
        return {}
    axes = find_map(metric, frame)
    if not axes.size:
        return {}
    if axes.shape[0] == axes.shape[1] and not (axes - np.diag(axes.diagonal())).any():
        return {"power": geometry.r, "scales": np.abs(axes.diagonal()).tolist(), "weights": []}
    return {"power": 2.0, "scales": [], "weights": [], "map": pack(axes)} if geometry.r == 2 else {}


def find_map(metric: TrainedMetric, frame: Frame) -> np.ndarray:
    """The matrix (k, p) that maps numeric predictors to the coordinates of a metric; without entries if there is none.

    A step is made along each predictor; the first rows show whether the map is linear.
    """
    if {column.kind for column in frame.schema.values()} != {"numeric"}:
        return np.empty((0, 0))
    first = frame.columns.iloc[:BLOCK].to_numpy(float, na_value=np.nan)
    first = first[np.isfinite(first).all(axis=1)]
    size, p = np.maximum(np.ptp(first, axis=0), 1e-9), first.shape[1]
    values = np.concatenate([first[:1], first[:1] + np.diag(size), first])
    (coordinates, *_) = metric.rows(
        frame.again(pd.DataFrame(values, columns=list(frame.schema)))[0]
    )
    apart = coordinates - coordinates[0]
    axes = np.asarray((apart[1 : p + 1] / size[:, None]).T)
    error = np.abs((values - values[0]) @ axes.T - apart).max()
    return axes if error <= 1e-6 * max(1.0, np.abs(apart).max()) else np.empty((0, 0))


def describe_curve(content: Content) -> Packed:
    """The cross-validated error at the radii of the slider, by their places; empty where there is
    no curve over them.
    """
    steps, fit, radius = content.steps, content.fit, content.fit.model.can.radius
    validation = fit._curve
    if (
        validation is None
        or fit._selection.point is None
        or radius not in validation.grid
        or len(steps.radii) < 2
    ):
        return {}
    others = [name for name in validation.grid if name != radius]
    here = validation.grid.iloc[fit._selection.point]
    rows = np.flatnonzero((validation.grid[others] == here[others]).all(axis=1))
    values = validation.grid[radius].to_numpy(float)[rows]
    if len(rows) < 2 or not set(values) <= set(steps.radii):
        return {}
    return {
        **describe_line(validation, radius, rows),
        "axis": f"radius {radius}",
        "points": [steps.radii.index(value) for value in values],
    }


def describe_album(content: Content, album: Album) -> Packed:
    """The points as pictures; nothing where they have more than `PIXELS` pixels together."""
    fit = content.fit
    image = album.draw(fit.frame.columns.iloc[:1])
    if image[0].size * len(content.names) > PIXELS:
        return {}
    pixels = np.zeros((len(content.names), *image.shape[1:]), np.uint8)
    pixels[: fit.nobs] = album.draw(fit.frame.columns)
    for each in content.steps.fits:
        points = content.points(each)
        aside = np.flatnonzero(points >= fit.nobs)
        if len(aside):
            pixels[points[aside]] = album.prototypes(each, aside)
    weighs = (
        pixels[0].size == len(fit.frame.schema)
        and fit.dissimilarity.metric.column_weights is not None
    )
    relevance = pack(weigh_pixels(fit)) if weighs else None
    return {
        "height": image.shape[1],
        "width": image.shape[2],
        "low": album.low,
        "high": album.high,
        "pixels": pack(pixels),
        "relevance": relevance,
    }


def describe_plane(content: Content, plane: Plane) -> Packed:
    """The positions of the points in a plane."""
    fit = content.fit
    spots = np.full((len(content.names), 2), np.nan)
    spots[: fit.nobs] = plane.rows
    for each in content.steps.fits:
        if content.places:
            at = content.points(each)
            spots[at] = np.where(
                (at >= fit.nobs)[:, None], plane.locate(each.rule.prototypes), spots[at]
            )
    return {
        "spots": pack(spots),
        "axes": list(plane.axes),
        "one_unit": plane.one_unit,
    }
