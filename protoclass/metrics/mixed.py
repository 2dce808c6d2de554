"""A weighted combination of metrics over groups of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd

from ..core.sources import Rep, part
from ..errors import DataError, OptionError, brief, one_of
from ..frames.formula import read
from ..frames.frame import LARGEST, Frame, trained_spec
from .base import Metric

SAMPLE = 447  # rows on either side of the sample for the scales: about 200,000 pairs


@dataclass(frozen=True)
class Mixed(Metric):
    """sum_g w_g D_g / s_g / sum_g w_g, where each part D_g measures some of the columns with a metric of its own.

    The scale s_g is the median of the positive dissimilarities of part g between different training rows, so that equal
    weights make parts count about equally, whatever their units. It is learned from all pairs of up to 447 rows; beyond
    that from the pairs of two random samples of 447 rows each (about 200,000, the same for the same rows).

    Parameters
    ----------
    parts : list of (columns, metric), or mapping of columns to metric
        `columns` is a name or several, each a predictor of the formula; every predictor must stand in one part, and none
        in two. `metric` is a metric object, its name or a function of two rows, and may be a `Mixed` again; not a given
        matrix, which knows no columns.
    weights : numbers >= 0, one for each part, optional
        Not all 0; 1 each by default.
    scale : bool
        False leaves the parts in their own units (s_g = 1).

    Raises
    ------
    OptionError
        For columns that no part or several parts name, unknown names, and knobs out of range.
    DataError
        Where the formula transforms or crosses columns: parts take them as they stand.

    Notes
    -----
    A part is measured as if its columns were all there is: its design matrix, levels and missing values are those of
    these columns. Where a part must be learned anew in each fold (ranks, `scale="fold"`, labels), so are the scales of
    all parts; what looks at no label within a part is still learned once.

    Examples
    --------
    >>> import protoclass as pc
    >>> t = pc.simulate_clinic(60, missing=0)
    >>> mix = pc.Mixed([(["age", "severity"], "euclidean"), (["ward", "smoker"], "gower")], weights=[2, 1])
    >>> d = pc.dissimilarity("~ age + severity + ward + smoker", t, mix)
    >>> a = pc.dissimilarity("~ age + severity", t, "euclidean")
    >>> b = pc.dissimilarity("~ ward + smoker", t, "gower")
    >>> by_hand = (2 * a.frame() / a.quantile(0.5) + b.frame() / b.quantile(0.5)) / 3
    >>> bool(abs(d.frame() - by_hand).max(axis=None) < 1e-12)
    True
    """

    parts: Any
    weights: Sequence[float] | None = None
    scale: bool = True
    metrics: tuple[Metric, ...] = field(default=(), repr=False, compare=False)
    settled: tuple[bool, ...] = field(default=(), repr=False, compare=False)
    cuts: tuple[Frame, ...] = field(default=(), repr=False, compare=False)
    scales: Any = field(default=None, repr=False, compare=False)
    arrays: tuple[tuple[int, ...], ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts(self.parts))
        one_of("scale", self.scale, (True, False))
        if self.weights is None:
            return
        given = self.weights.tolist() if isinstance(self.weights, np.ndarray) else self.weights
        fine = isinstance(given, (list, tuple)) and all(
            isinstance(w, Real) and not isinstance(w, bool) and 0 <= w < np.inf for w in given
        )
        if not fine or len(given) != len(self.parts) or not sum(given) > 0 or not np.isfinite(float(sum(given))):
            raise OptionError(
                f"weights={brief(given)}: a finite number >= 0 for each of the {len(self.parts)} parts, not all 0"
            )
        object.__setattr__(self, "weights", tuple(map(float, given)))

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        return all(m.symmetric for m in self._metrics)

    @property
    def slow(self) -> bool:  # type: ignore[override]
        return any(m.slow for m in self._metrics)

    @property
    def supervised(self) -> bool:
        return any(m.supervised for m in self._metrics)

    @property
    def skips(self) -> bool:
        return all(m.skips for m in self._metrics)

    @property
    def scaling(self) -> str:
        return "scaled parts" if self.scale else ""

    @property
    def learns(self) -> bool:
        return self.scale or any(m.learns for m in self._metrics)

    @property
    def name(self) -> str:
        return f"mixed ({', '.join(m.name for m in self._metrics)})"

    @property
    def notes(self) -> tuple[str, ...]:
        told = [note for m in self.metrics for note in m.notes]
        if self.scale and self.scales is not None:
            for (columns, m), s in zip(self.parts, self.scales, strict=True):
                what = f"{m.name} of {', '.join(columns)}"
                told.append(
                    f"{what}: divided by its median, {s:.4g}" if s else f"{what}: all rows alike, so that it adds 0"
                )
        return tuple(told)

    @property
    def _metrics(self) -> tuple[Metric, ...]:
        return self.metrics or tuple(m for _, m in self.parts)

    @property
    def _trained(self) -> tuple[Metric, ...]:
        if not self.metrics:
            raise OptionError(f"{self.name} is not trained yet: give it to fit, cross_validate or dissimilarity")
        return self.metrics

    def once(self, frame: Frame) -> Self:
        if not self.supervised:
            return self
        cuts, metrics = self._cuts(frame), [m for _, m in self.parts]
        settled = tuple(not m.supervised for m in metrics)
        known = [m.train(c) if s else m.once(c) for m, c, s in zip(metrics, cuts, settled, strict=True)]
        parts = tuple((columns, m) for (columns, _), m in zip(self.parts, known, strict=True))
        return replace(self, parts=parts, metrics=(), settled=settled)

    def train(self, frame: Frame) -> Self:
        cuts = self._cuts(frame)
        settled = self.settled or (False,) * len(cuts)
        metrics = tuple(m if s else m.train(c) for (_, m), c, s in zip(self.parts, cuts, settled, strict=True))
        found = [_scaled(m, c) if self.scale else _shape(m, c) for m, c in zip(metrics, cuts, strict=True)]
        nothing = np.empty(0, np.int64)
        return replace(
            self,
            metrics=metrics,
            cuts=tuple(c.take(nothing) for c in cuts),
            scales=np.array([s for s, _, _ in found]),
            arrays=(tuple(a for _, a, _ in found), tuple(b for _, _, b in found)),
        )

    def rows(self, frame: Frame) -> Rep:
        return self._joined([m.rows(self._cut(g, frame)) for g, m in enumerate(self._trained)], 0, len(frame))

    def points(self, frame: Frame) -> Rep:
        return self._joined([m.points(self._cut(g, frame)) for g, m in enumerate(self._trained)], 1, len(frame))

    def fresh(self, new: Any, points: Rep) -> tuple[Rep, Rep]:
        metrics, split = self._trained, self._split(points, 1)
        pairs = [m.fresh(self._cut(g, new), split[g]) for g, m in enumerate(metrics)]
        length = len(points[0])
        return self._joined([a for a, _ in pairs], 0, len(new)), self._joined([b for _, b in pairs], 1, length)

    def between(self, rows: Rep, points: Rep) -> np.ndarray:
        weights = self.weights or (1.0,) * len(self._trained)
        total = np.zeros((len(rows[0]), len(points[0])))
        a, b = self._split(rows, 0), self._split(points, 1)
        for g, m in enumerate(self.metrics):
            values = np.asarray(m.between(a[g], b[g]), float)
            if values.shape != total.shape:
                raise DataError(f"the metric {m.name} gave an array of shape {values.shape}, not {total.shape}")
            total += values * weights[g] / (self.scales[g] or 1.0)
        total /= sum(weights)
        return total

    def _cuts(self, frame: Frame) -> list[Frame]:
        known = list(frame.columns)
        named = [c for columns, _ in self.parts for c in columns]
        strange = [c for c in named if c not in known]
        if strange:
            raise OptionError(f"{strange[0]!r} in a part is no predictor of {frame.formula.text!r}; these are: {known}")
        loose = [c for c in known if c not in named]
        if loose:
            raise OptionError(
                f"the predictor {loose[0]!r} stands in no part: add it to one, or leave it out of the formula"
            )
        return [cut(frame, columns) for columns, _ in self.parts]

    def _cut(self, g: int, frame: Frame) -> Frame:
        """The columns of part g, with the schema and the design matrix that the part was trained on."""
        known = self.cuts[g]
        return replace(
            known,
            columns=frame.columns[list(known.columns)],
            response=frame.response,
            weights=frame.weights,
            dropped=frame.dropped,
            keep=frame.keep,
        )

    def _joined(self, reps: list[Rep], side: int, n: int) -> Rep:
        for g, (m, rep) in enumerate(zip(self.metrics, reps, strict=True)):
            if len(rep) != self.arrays[side][g] or any(len(a) != n for a in rep):
                raise OptionError(
                    f"the metric {m.name} can't be a part: {n} rows are {len(rep)} arrays of lengths "
                    f"{[len(a) for a in rep]}, and need {self.arrays[side][g]} of length {n}"
                )
        return tuple(a for rep in reps for a in rep)

    def _split(self, rep: Rep, side: int) -> list[Rep]:
        ends = np.cumsum(self.arrays[side])
        return [rep[end - count : end] for end, count in zip(ends, self.arrays[side], strict=True)]


def cut(frame: Frame, names: Sequence[str]) -> Frame:
    """The frame with some of its predictors, as if the formula were '~ a + b'.

    Kinds and levels stay those that the frame has learned, also of levels that its rows do not show.

    Parameters
    ----------
    frame : Frame
        Of a formula of single columns.
    names : predictors

    Raises
    ------
    DataError
        Where the formula transforms or crosses columns.
    """
    if not frame.formula.plain():
        term = next(t for t in frame.formula.terms if len(t.factors) != 1 or t.factors[0].eval_method.value != "lookup")
        raise DataError(
            f"the term '{term}' of {frame.formula.text!r} can't be given to a part: transforms and interactions are refused, "
            "compute them as columns of the data first"
        )
    # '.' needs no quotes, whatever the names
    formula = replace(read("~ .", names), text="~ " + " + ".join(names), response=frame.formula.response)
    schema = {c: frame.schema[c] for c in names}
    some = replace(frame, columns=frame.columns[list(names)], formula=formula, schema=schema, spec=None, notes=())
    if sum(max(1, len(c.levels)) for c in schema.values()) * len(frame) * 8 > LARGEST:
        return some  # too wide to expand; a metric that asks for the design matrix says so
    # single columns of known levels are expanded alike whatever the rows: one complete row is enough
    whole = np.flatnonzero(~some.columns.isna().any(axis=1).to_numpy())[:1]
    return replace(some, spec=trained_spec(some.take(whole))) if len(whole) else some


def _scaled(m: Metric, frame: Frame) -> tuple[float, int, int]:
    """Median positive dissimilarity between rows (0 where there is none), and the number of arrays of both sides."""
    n = len(frame)
    left = right = np.arange(n)
    if n > SAMPLE:
        draw = np.random.default_rng(0)
        left, right = (np.sort(draw.choice(n, SAMPLE, replace=False)) for _ in range(2))
    rows = m.rows(frame.take(left))
    # what a supervised metric says of a point may rest on all rows
    points = part(m.points(frame), right) if m.supervised else m.points(frame.take(right))
    values = np.asarray(m.between(rows, points), float)
    observed = values[(left[:, None] != right[None, :]) & (values > 0) & np.isfinite(values)]
    return float(np.median(observed)) if len(observed) else 0.0, len(rows), len(points)


def _shape(m: Metric, frame: Frame) -> tuple[float, int, int]:
    first = frame.take(np.arange(1))
    return 1.0, len(m.rows(first)), len(m.points(frame if m.supervised else first))


def _parts(given: Any) -> tuple[tuple[tuple[str, ...], Metric], ...]:
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    form = "parts are (columns, metric) pairs, such as [(['age', 'weight'], 'euclidean'), ('ward', 'gower')]"
    if not isinstance(pairs, (list, tuple)) or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        raise OptionError(f"{form}, not {brief(given)}")
    if not pairs:
        raise OptionError(f"{form}, and there are none")
    found, seen = [], set[str]()
    for columns, spec in pairs:
        names = [columns] if isinstance(columns, str) else columns
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(c, str) for c in names):
            raise OptionError(f"{form}: {brief(columns)} is no name and no list of names")
        for name in names:
            if name in seen:
                raise OptionError(f"the column {name!r} is named twice: every predictor stands in one part, once")
            seen.add(name)
        found.append((tuple(names), _chosen(spec, names)))
    return tuple(found)


def _chosen(spec: Any, names: Sequence[str]) -> Metric:
    from .dissimilarity import Dissimilarity
    from .registry import metric

    reason = (
        f"the part of {list(names)} is a given matrix, which measures rows by their labels and not by columns, so that new rows "
        "could not be measured: add the matrices yourself and give the sum, with a formula 'y ~ 1'"
    )
    if isinstance(spec, (Dissimilarity, pd.DataFrame, np.ndarray, list, tuple)):
        raise OptionError(reason)
    if isinstance(spec, str) and spec == "auto":
        raise OptionError(
            f"the part of {list(names)} is 'auto', which chooses for all predictors: name 'euclidean' or 'gower'"
        )
    chosen = metric(spec)
    if isinstance(getattr(chosen, "of", None), (Dissimilarity, pd.DataFrame, np.ndarray)) or chosen.given:
        raise OptionError(reason)
    return chosen
