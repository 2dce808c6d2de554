"""What a page needs to draw a fit by itself, at every radius and of every size: texts, and arrays in as few bytes as hold them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..analysis.steps import measure_rows, stepwise
from ..core.parallel import kernel
from ..core.sources import Held, Source
from ..estimation.fitted import Fitted
from ..frames.frame import Frame
from ..ground.text import write_value
from ..metrics.base import TrainedMetric
from ..metrics.gower import TrainedGower
from ..metrics.minkowski import TrainedMinkowski
from ..metrics.relevance import TrainedRelevance
from ..pictures.coverage import Coverage, find_members, held_out_codes, measure_coverage, nearer
from ..pictures.details import read_predictors
from ..pictures.images import Album
from ..pictures.plane import Plane, outline_balls
from ..pictures.stages import Stages, count_steps, measure_gaps
from ..pictures.style import colour, mark
from ..tables.words import describe_prototypes, list_shown
from .curve import describe_line, list_numbers, list_others

PAIRS = 1_500_000  # of a prototype and a row in its ball, over all radii
ENTRIES = 60_000_000  # dissimilarities of rows to prototypes that are read; a tenth where they have to be measured
WALKED = 200  # steps of a rule that is no nearest-prototype rule
BLOCK = 512  # rows at a time
PIXELS = 4_000_000  # of all pictures
CELLS = 3_000_000  # of predictors
MOST = 12_000_000  # bytes of the radii of a page, compressed
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
        Radii, and the models built step by step at each.
    fits : list of Fit
        The complete fit at each radius.
    names : list of str
        Names of the points: the rows, then the prototypes that are not rows.
    places : dict
        Number of the point, by the name of a prototype that is not a row.
    reels : dict
        Values of `make_reel`, by the number of the radius. A radius that is missing is sent by Python when it is shown.
    criticised : list of (str, int)
        Rows that the prototypes explain badly: a text and a point for each.
    """

    stages: Stages
    fits: list[Fitted]
    names: list[str]
    places: dict[Any, int]
    reels: dict[int, Packed]
    criticised: Sequence[tuple[str, int]] = ()

    def points(self, fit: Fitted) -> np.ndarray:
        """The point (q,) of each prototype of a fit."""
        return find_points(fit, self.places)


def count_affordable(source: Source | None) -> int:
    """Dissimilarities of rows to prototypes that may be read for a page."""
    return ENTRIES if isinstance(source, Held) else ENTRIES // 10


def find_points(fit: Fitted, places: dict[Any, int]) -> np.ndarray:
    rows, names = fit.prototype_row, fit.prototype_names
    return np.array([row if row >= 0 else places[name] for row, name in zip(rows.tolist(), names, strict=True)], np.int64)


def make_film(stages: Stages, criticised: Sequence[tuple[str, Any]] = ()) -> Film:
    """The reels of all radii as far as they are not too large, that of the fit itself first.

    `criticised` has words on rows, and their labels.
    """
    fit, radii = stages.fit, stages.radii
    n = fit.nobs
    full = [stages.at(eps, count_steps(stages.rule(eps))) for eps in radii] or [fit]
    places: dict[Any, int] = {}
    for each in full:
        rows = each.prototype_row
        for name, row in zip(each.prototype_names, rows.tolist(), strict=True):
            if row < 0:
                places.setdefault(name, n + len(places))
    own = radii.index(stages.own[0]) if stages.own[0] is not None else 0
    entries = count_affordable(stages.source)
    pairs, reels = PAIRS, {}
    for k in sorted(range(len(full)), key=lambda k: abs(k - own)):
        entries -= n * max(1, len(full[k].rule.prototypes))
        if entries < 0 or pairs < 0:
            break
        reels[k] = make_reel(full[k], stages.source, find_points(full[k], places))
        members = reels[k]["members"]
        pairs -= len(members["data"]) // np.dtype(members["type"]).itemsize
    badly = [(words, int(fit.frame.index.get_loc(label))) for words, label in criticised if label in fit.frame.index]
    return Film(stages, full, [str(label) for label in [*fit.frame.index, *places]], places, reels, badly)


def make_reel(fit: Fitted, source: Source | None, points: np.ndarray) -> Packed:
    """The complete rule at a radius, packed.

    `points`, `classes`, `radii`, `born` (the size from which on it is there) and `listed` (whether pictures mark it) of each
    prototype; of each row `first` (place of the first prototype of its class whose ball holds it, -1 for none) and what the
    rule predicts: from `starts[i]` on the sizes `steps` at which that changes, with `nearest` (place of the prototype, -1 for
    none) and `codes`; of each prototype from `member_starts[k]` on its `members`, the rows in its ball. Where a bound on the
    optimum is known, `gaps` of the first 0, 1, ... steps (or of the complete rule alone), and what is said of a gap of 0 and of others.
    `held_out` is the cross-validated error of the complete rule with its standard error, and `tested` the class codes of the rows that
    it predicts without their fold.
    """
    prototypes, n = fit.rule.prototypes, fit.nobs
    q = len(prototypes)
    coverage = measure_coverage(fit, source)
    rows, steps, nearest, codes = list_changes(fit, source, coverage)
    members = find_members(fit, np.arange(q), source, most=PAIRS)
    whole = members.count == q
    kept = members.rows if whole else np.empty(0, np.int64)
    listed = np.zeros(q, bool)
    listed[list_shown(fit)] = True
    proved, held, tested = measure_gaps(fit), fit.curve if fit.point is not None else None, held_out_codes(fit)
    return {
        "most": count_steps(fit.rule) or 0,
        "stepwise": count_steps(fit.rule) is not None,
        "covering": coverage.first is not None,
        "texts": list_texts(fit),
        "held_out": [] if held is None else list_numbers(held.table.iloc[fit.point][["error", "se"]]),
        "tested": pack(np.empty(0, int) if tested is None else tested),
        "gaps": pack(np.empty(0) if proved is None else proved.gaps),
        "proofs": [] if proved is None else list(proved.certificate.statements),
        "whole": whole and prototypes.radii is not None,
        "points": pack(points),
        "classes": pack(prototypes.classes),
        "listed": pack(listed.astype(np.uint8)),
        "born": pack(find_born(fit)),
        "radii": pack(np.full(q, np.nan) if prototypes.radii is None else np.asarray(prototypes.radii, float)),
        "first": pack(np.full(n, -1) if coverage.first is None else coverage.first),
        "starts": pack(np.searchsorted(rows, np.arange(n + 1))),
        "steps": pack(steps),
        "nearest": pack(nearest),
        "codes": pack(codes),
        "member_starts": pack(np.searchsorted(members.prototypes, np.arange(q + 1)) if whole else np.zeros(q + 1, int)),
        "members": pack(kept),
    }


def list_texts(fit: Fitted) -> list[str]:
    """What a rule consists of in words at each size, where that is not so many prototypes."""
    steps = count_steps(fit.rule)
    if fit.model.can.nearest and steps is not None:
        return []
    if steps is None or steps > WALKED:
        serve = len(fit.rule.prototypes) and not len(list_shown(fit))
        return ["All rows serve as prototypes" if serve else describe_prototypes(fit)]
    return [describe_prototypes(fit.derived(stepwise(fit).first(size), {}, size)) for size in range(steps + 1)]


def find_born(fit: Fitted) -> np.ndarray:
    """The number of steps (q,) from which on each prototype is there; 0 where a rule was not built step by step."""
    prototypes, steps = fit.rule.prototypes, count_steps(fit.rule)
    if steps is None or prototypes.at is None:
        return np.zeros(len(prototypes), np.int64)
    if fit.model.can.nearest:  # each step takes one
        return np.arange(1, len(prototypes) + 1)
    born = np.full(len(prototypes), steps)
    for size in range(steps, -1, -1):
        at = stepwise(fit).first(size).prototypes.at
        assert at is not None
        born[np.isin(prototypes.at, at)] = size
    return born


def list_changes(fit: Fitted, source: Source | None, coverage: Coverage) -> tuple[np.ndarray, ...]:
    """Rows, sizes, nearest prototypes and codes (k,) where what the rule predicts for a row changes, row by row."""
    n, steps = fit.nobs, count_steps(fit.rule)
    if steps is None or (steps > WALKED and not fit.model.can.nearest):
        none = np.full(n, -1) if coverage.nearest is None else coverage.nearest
        return np.arange(n), np.zeros(n, np.int64), none, coverage.fitted
    if fit.model.can.nearest and not fit.model.can.own_distances:
        return _changes_of_nearest(fit, source)
    walked = np.array(list(stepwise(fit).walk(fit.query()[0])))
    new = np.vstack([np.ones((1, n), bool), walked[1:] != walked[:-1]])
    rows, at = np.nonzero(new.T)
    return rows, at, np.full(len(rows), -1), walked[at, rows]


def _changes_of_nearest(fit: Fitted, source: Source | None) -> tuple[np.ndarray, ...]:
    parts = []
    for start, _, pairs in _walk_rows(fit, source):
        near = np.pad(pairs[:, :, 0], ((0, 0), (1, 0)), constant_values=-1)
        row, size = np.nonzero(np.diff(near, axis=1, prepend=-2))
        parts.append((row + start, size, near[row, size]))
    rows, sizes, near = (np.concatenate(part) for part in zip(*parts, strict=True))
    fallback = int(stepwise(fit).first(0).predict("class", fit.dissimilarity.query(np.array([0])))[0])
    return rows, sizes, near, np.append(fit.rule.prototypes.classes, fallback)[near]


def _walk_rows(fit: Fitted, source: Source | None) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Block by block: its first row, distances (r, q), and the nearest among the first prototypes with its rival (r, q, 2), -1 for none."""
    prototypes, n, q = fit.rule.prototypes, fit.nobs, len(fit.rule.prototypes)
    rank = np.arange(q) if prototypes.at is None else prototypes.at
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(n, start + BLOCK))
        d = np.asarray(measure_rows(prototypes, fit.dissimilarity, source, rows), float) if q else np.empty((len(rows), 0))
        pairs = np.empty((*d.shape, 2), np.int64)
        _walk(d, np.arange(q), rank, prototypes.classes, fit.frame.codes[rows], pairs)
        yield start, d, pairs


def make_rivals(fit: Fitted, source: Source | None) -> dict[str, Any]:
    """Packed by row: from `rival_starts[i]` on the sizes `rival_steps` at which its nearest prototype or its rival changes.

    The rival is the nearest prototype of another class where the nearest is of the row's own class, else the nearest of its own
    class. `rivals` has its place, -1 for none, `near` the distance to the nearest prototype and `gap` how much farther the rival
    is. Empty where the rule does not predict the class of the nearest prototype.
    """
    n, q = fit.nobs, len(fit.rule.prototypes)
    if not q or not fit.model.can.nearest or fit.model.can.own_distances:
        return {}
    stepwise, parts = count_steps(fit.rule) is not None, []
    for start, d, pairs in _walk_rows(fit, source):
        changed = np.ones(d.shape, bool)
        changed[:, 1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=2)
        if not stepwise:
            changed[:, :-1], changed[:, -1] = False, True
        row, place = np.nonzero(changed)
        near, rival = pairs[row, place].T
        close = d[row, near]
        gap = np.where(rival >= 0, d[row, rival] - close, np.nan)
        parts.append((row + start, place + 1 if stepwise else np.zeros_like(place), rival, close, gap))
    of, steps, rivals, near, gap = (np.concatenate(part) for part in zip(*parts, strict=True))
    return {
        "rival_starts": pack(np.searchsorted(of, np.arange(n + 1))),
        "rival_steps": pack(steps),
        "rivals": pack(rivals),
        "near": pack(near),
        "gap": pack(gap),
    }


@kernel
def _walk(D, columns, rank, classes, codes, pairs):  # type: ignore[no-untyped-def]
    best = np.empty(2, np.int64)  # of the row's own class, and of the others
    for i in range(len(D)):
        best[:] = -1
        for s in range(len(classes)):
            side = 0 if classes[s] == codes[i] else 1
            if D[i, s] < np.inf and (best[side] < 0 or nearer(D[i], columns, rank, classes, s, best[side])):
                best[side] = s
            first = 0
            if best[0] < 0 or (best[1] >= 0 and nearer(D[i], columns, rank, classes, best[1], best[0])):
                first = 1
            pairs[i, s, 0], pairs[i, s, 1] = best[first], best[1 - first]


def describe(film: Film, album: Album | None, new: pd.DataFrame | None = None) -> Packed:
    """All of a film but its reels: what a page knows of rows, classes and radii; `new` has predictors of other rows."""
    stages = film.stages
    fit, frame = stages.fit, stages.fit.frame
    even = np.ptp(frame.weights) == 0
    held = fit.curve if fit.point is not None else None
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
        "corrected": held.corrected() if held is not None and fit.point == held.chosen_by_call() else None,
        "own": stages.radii.index(stages.own[0]) if stages.own[0] is not None else 0,
        "optimistic": fit.why_optimistic,
        "ordered": fit.rule.prototypes.at is not None and "support" not in fit.rule.prototypes.table,
        "radii": stages.radii,
        "radius": fit.model.can.radius,
        "curve": describe_curve(stages),
        "criticised": [{"text": text, "point": point} for text, point in film.criticised],
        "album": {} if album is None else describe_album(film, album),
        "fields": list_fields(frame, frame.columns, read_aside(film), new),
        "metric": describe_metric(fit.dissimilarity.metric, frame) if nearest else {"reason": reason},
    }


def read_aside(film: Film) -> pd.DataFrame:
    """The predictors of the prototypes that are not rows, in the order of their points."""
    n = film.stages.fit.nobs
    points = [(each, place, at) for each in film.fits for place, at in enumerate(film.points(each).tolist()) if at >= n]
    aside = {at: read_predictors(each, place) for each, place, at in points}
    return pd.DataFrame([aside[at] for at in sorted(aside)], columns=film.stages.fit.frame.columns.columns)


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
    elif isinstance(metric, TrainedGower) and not (metric.spec.asymmetric or metric.spec.logratio or metric.spec.ordratio):
        weights = dict(zip(metric.variables, metric.weights, strict=True))
        power, scale = 1.0, {name: weights[name] / spread for name, spread in zip(metric.numbers.tolist(), metric.ranges, strict=True)}
    else:
        return {"reason": f"{metric.name} dissimilarities are measured in Python"}
    return {"reason": "", "power": power, "scales": [scale.get(c, 0.0) for c in schema], "weights": [weights[c] for c in schema if weights]}


def describe_curve(stages: Stages) -> Packed:
    """The cross-validated error at the radii of the slider, by their places; empty where there is no curve over them."""
    fit, radius = stages.fit, stages.fit.model.can.radius
    validation = fit.curve
    if validation is None or fit.point is None or radius not in validation.grid or len(stages.radii) < 2:
        return {}
    others = [name for name in validation.grid if name != radius]
    here = validation.grid.iloc[fit.point]
    rows = np.flatnonzero((validation.grid[others] == here[others]).all(axis=1))
    values = validation.grid[radius].to_numpy(float)[rows]
    if len(rows) < 2 or not set(values) <= set(stages.radii):
        return {}
    return {
        **describe_line(validation, (radius,), rows),
        "others": list_others(validation, fit.point),
        "points": [stages.radii.index(value) for value in values],
    }


def describe_album(film: Film, album: Album) -> Packed:
    """The points as pictures; nothing where they have more than `PIXELS` pixels together."""
    fit = film.stages.fit
    image = album.rows(fit, fit.frame.columns.iloc[:1])
    if image[0].size * len(film.names) > PIXELS:
        return {}
    pixels = np.zeros((len(film.names), *image.shape[1:]), np.uint8)
    pixels[: fit.nobs] = album.rows(fit, fit.frame.columns)
    for each in film.fits:
        points = film.points(each)
        aside = np.flatnonzero(points >= fit.nobs)
        if len(aside):
            pixels[points[aside]] = album.prototypes(each, aside)
    return {"height": image.shape[1], "width": image.shape[2], "pixels": pack(pixels)}


def describe_plane(film: Film, plane: Plane) -> Packed:
    """Where the points lie in a plane, and the outline of a ball of radius 1 where balls have outlines in it."""
    fit = film.stages.fit
    spots = np.full((len(film.names), 2), np.nan)
    spots[: fit.nobs] = plane.rows
    outline = np.empty((0, 2))
    for each in film.fits:
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


def take_reels(film: Film, shown: int) -> tuple[dict[int, Any], int, list[str]]:
    """The reels whose bytes, compressed, are `MOST` together, that of the radius that is shown first; the bytes that are left; and
    what is left out, in words."""
    left, entries = MOST, ENTRIES
    kept: dict[int, Any] = {}
    for k in sorted(range(len(film.fits)), key=lambda k: abs(k - shown)):
        entries -= film.stages.fit.nobs * len(film.fits[k].rule.prototypes)
        if kept and entries < 0:
            break
        reel = film.reels[k] if k in film.reels else make_reel(film.fits[k], film.stages.source, film.points(film.fits[k]))
        size = _count_bytes(reel)
        if kept and size > left:
            break
        left -= size
        kept[k] = reel
    note = f"This page includes {len(kept)} of the {len(film.fits)} radii, those closest to the radius that was shown."
    return kept, left, [note] if len(kept) < len(film.fits) else []


def add_rivals(film: Film, reels: dict[int, Any], left: int) -> list[str]:
    """Add distances of rows to prototypes to the reels, in their order, as far as bytes and time allow; what is left out in words."""
    source, n = film.stages.source, film.stages.fit.nobs
    entries = count_affordable(source)
    for done, (k, reel) in enumerate(reels.items()):
        entries -= n * len(film.fits[k].rule.prototypes)
        rivals = make_rivals(film.fits[k], source) if entries >= 0 else {}
        left -= _count_bytes(rivals)
        if entries < 0 or left < 0:
            return [f"Distances to rivals are included for {done} of the {len(reels)} radii, those closest to the radius that was shown."]
        reels[k] = {**reel, **rivals}
    return []


def _count_bytes(reel: dict[str, Any]) -> int:
    return sum(len(zlib.compress(part["data"])) for part in reel.values() if isinstance(part, dict))
