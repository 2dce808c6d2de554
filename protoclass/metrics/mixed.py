"""A weighted combination of metrics over groups of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.sources import Rep, part
from ..frames.frame import LARGEST, Frame, spec_of_states
from ..ground.checks import is_real, one_of
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import Metric, TrainedMetric, Traits, candidates_of, compare, rows_of, train_metric
from .dissimilarity import Dissimilarity
from .registry import metric
from .wrappers import Wrapper, list_tuned

SAMPLE = 447  # rows on either side of the sample for the scales: about 200,000 pairs


@savable
@dataclass(frozen=True)
class Mixed(Wrapper):
    """Weighted mean of dissimilarities by different columns: sum_g w_g D_g / s_g / sum_g w_g.

    The scale s_g is the median of the positive dissimilarities of part g between training rows.

    Parameters
    ----------
    parts : list of (columns, metric), or mapping of columns to metric
        `columns` is one or several predictors; every predictor must be in exactly one part.
        `metric` is a metric object, its name or a function of two rows, but not a given matrix.
    weights : numbers >= 0, one for each part, optional
        Weights w_g, not all 0. Default: 1 each.
    scale : bool
        Whether to scale the parts; otherwise s_g = 1.

    Raises
    ------
    OptionError
        If a column is not in exactly one part, or if names or parameters are not valid.
    DataError
        If the formula transforms or crosses columns.

    Notes
    -----
    The scales are learned from all pairs of up to 447 rows; for more rows from the pairs of two
    random samples of 447 rows each. If a part must be learned again in each fold, so are the scales
    of all parts. A mixture satisfies the triangle inequality if all parts do.

    Examples
    --------
    >>> import protoclass as pc
    >>> t = pc.load_data("clinic").dropna()
    >>> mix = pc.Mixed([(["age", "severity"], "euclidean"), ("ward", "gower")], weights=[2, 1])
    >>> pc.dissimilarity("~ age + severity + ward", t, mix).shape == (len(t), len(t))
    True
    """

    parts: Any
    weights: Any = None
    scale: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", _parts(self.parts))
        one_of("scale", self.scale, (True, False))
        if self.weights is None:
            return
        given = self.weights.tolist() if isinstance(self.weights, np.ndarray) else self.weights
        fine = isinstance(given, (list, tuple)) and all(
            is_real(w) and 0 <= w < np.inf for w in given
        )
        if not fine or len(given) != len(self.parts) or not 0 < float(sum(given)) < np.inf:
            raise OptionError(
                f"weights must be a finite number >= 0 for each of the {len(self.parts)} parts, "
                f"not all 0, and not {brief(given)}"
            )
        object.__setattr__(self, "weights", tuple(map(float, given)))

    @property
    def traits(self) -> Traits:
        joint, known = super().traits, [m.traits for m in self.inner]
        return replace(
            joint,
            triangle=all(t.triangle for t in known),
            data_dependent=self.scale or joint.data_dependent,
            power=1.0 if joint.reflexive else None,
            series=False,
            scaling="parts divided by their median" if self.scale else "",
            column_groups=tuple(columns for columns, _ in self.parts if len(columns) > 1),
        )

    @property
    def name(self) -> str:
        return f"mixed ({', '.join(m.name for m in self.inner)})"

    @property
    def inner(self) -> tuple[Metric | TrainedMetric, ...]:
        return tuple(m for _, m in self.parts)

    def with_inner(self, metrics: Sequence[Metric | TrainedMetric]) -> Mixed:
        return replace(
            self, parts=tuple((c, m) for (c, _), m in zip(self.parts, metrics, strict=True))
        )

    def unseen_in(self, column: str) -> str:
        return next(
            (m.unseen_in(column) for columns, m in self.parts if column in columns), "missing"
        )

    def train(self, frame: Frame) -> TrainedMixed:
        cuts = self.cuts(frame)
        parts = tuple(train_metric(m, c) for m, c in zip(self.inner, cuts, strict=True))
        scales, *counts = zip(
            *(scale_and_counts(m, c, self.scale) for m, c in zip(parts, cuts, strict=True)),
            strict=True,
        )
        return TrainedMixed(
            self.with_inner([m.spec for m in parts]), parts, np.array(scales), np.array(counts)
        )

    def cuts(self, frame: Frame) -> list[Frame]:
        known = list(frame.columns)
        named = [c for columns, _ in self.parts for c in columns]
        for name in named:
            if name not in known:
                raise OptionError(
                    f"{name!r} in a part is not a predictor of {frame.formula.quoted}: use one of {known}"
                )
        for name in known:
            if name not in named:
                raise OptionError(
                    f"every predictor must be in a part, but {name!r} is not: add it to one, or "
                    "leave it out of the formula"
                )
        return [cut(frame, columns) for columns, _ in self.parts]


@savable(parts="g", scales="g", counts="2 g")
@dataclass(frozen=True, eq=False)
class TrainedMixed(TrainedMetric):
    """A combination of trained metrics.

    Attributes
    ----------
    parts : tuple of TrainedMetric
    scales : array (g,)
        Median positive dissimilarity of each part, 0 if all rows are identical; 1 without scaling.
    counts : int array (2, g)
        Number of arrays that represent the rows and the candidates of each part.
    """

    spec: Mixed
    parts: tuple[TrainedMetric, ...]
    scales: Array
    counts: Array

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [note for m in self.parts for note in m.notes]
        for (columns, _), m, s in zip(self.spec.parts, self.parts, self.scales, strict=True):
            if self.spec.scale:
                scale = f"divided by its median, {s:.4g}" if s else "constant, so it contributes 0"
                notes.append(f"{m.name} of {', '.join(columns)}: {scale}")
        return tuple(notes)

    def rows(self, frame: Frame) -> Rep:
        return self._sides(rows_of, frame)

    def candidates(self, frame: Frame) -> Rep:
        return self._sides(candidates_of, frame)

    def _sides(self, represent: Callable[[TrainedMetric, Frame], Rep], frame: Frame) -> Rep:
        """The arrays of all parts, one part after the other."""
        cuts = zip(self.parts, self.spec.cuts(frame), strict=True)
        return tuple(array for m, cut in cuts for array in represent(m, cut))

    @property
    def weights(self) -> tuple[float, ...]:
        return self.spec.weights or (1.0,) * len(self.parts)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(" + ".join(columns) for columns, _ in self.spec.parts)

    @property
    def spread(self) -> Array:
        """Divisor of the dissimilarities of each part."""
        return np.array([s or 1.0 for s in self.scales])

    def unmeasured(self, frame: Frame) -> dict[str, Array]:
        cuts = zip(self.parts, self.spec.cuts(frame), strict=True)
        return {
            name: letters
            for m, part_frame in cuts
            for name, letters in m.unmeasured(part_frame).items()
        }

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        return np.stack(list(self._weighted(rows, candidates)), axis=-1)

    def _weighted(self, rows: Rep, candidates: Rep) -> Iterator[Array]:
        """The weighted dissimilarities of each part."""
        sides = zip(_split(rows, self.counts[0]), _split(candidates, self.counts[1]), strict=True)
        for m, (a, b), w, s in zip(self.parts, sides, self.weights, self.scales, strict=True):
            yield np.asarray(compare(m, a, b), float) * w / (s or 1.0)

    def weighed(self, weights: Array) -> TrainedMixed:
        return replace(self, spec=replace(self.spec, weights=np.array(self.weights) * weights))

    def between(self, rows: Rep, candidates: Rep) -> Array:
        total = np.zeros((len(rows[0]), len(candidates[0])))
        for D in self._weighted(rows, candidates):
            total += D
        total /= sum(self.weights)
        return total


def _split(rep: Rep, counts: Array) -> list[Rep]:
    ends = np.cumsum(counts)
    return [rep[end - count : end] for end, count in zip(ends, counts, strict=True)]


def cut(frame: Frame, names: Sequence[str]) -> Frame:
    """The frame with some of its predictors, as if the formula were '~ a + b', with all levels.

    Parameters
    ----------
    frame : Frame
        Frame of a formula of single columns.
    names : predictors

    Raises
    ------
    DataError
        If the formula transforms or crosses columns.
    """
    if not frame.formula.plain():
        term = next(
            t for t in frame.formula.terms if len(t.factors) != 1 or t.factors[0].how != "lookup"
        )
        raise DataError(
            f"the term {shown(frame.formula.written(term))} of {frame.formula.quoted} can't be in "
            "a part, because it is a transform or an "
            "interaction: compute it as a column of the data first"
        )
    terms = {next(iter(frame.formula.uses[t.factors[0].expr])): t for t in frame.formula.terms}
    formula = replace(
        frame.formula,
        text="~ " + " + ".join(names),
        terms=tuple(terms[c] for c in names),
        variables=tuple(names),
    )
    schema = {c: frame.schema[c] for c in names}
    columns, levels = frame.columns[list(names)], [len(c.levels) for c in schema.values()]
    piece = replace(frame, columns=columns, formula=formula, schema=schema, spec=None, notes=())
    categories = [c for c in schema.values() if c.kind == "category"]
    too_wide = sum(max(1, count) for count in levels) * len(frame) * 8 > LARGEST
    if too_wide or not categories or not all(c.levels for c in categories):
        return piece  # a metric that requests the design matrix raises the error
    return replace(piece, spec=spec_of_states(piece, {}))


def scale_and_counts(m: TrainedMetric, frame: Frame, scale: bool) -> tuple[float, int, int]:
    """Median positive dissimilarity (0 if none; 1 without scaling), and numbers of arrays."""
    n, size = len(frame), SAMPLE if scale else 1
    left = right = np.arange(n)
    if n > size:
        draw = np.random.default_rng(0)
        left, right = (np.sort(draw.choice(n, size, replace=False)) for _ in range(2))
    rows = rows_of(m, frame.take(left))
    # a metric that compares a candidate with other rows may depend on all of them
    candidates = (
        part(candidates_of(m, frame), right)
        if m.train_in_folds
        else candidates_of(m, frame.take(right))
    )
    counts = len(rows), len(candidates)
    if not scale:
        return 1.0, *counts
    values = np.asarray(compare(m, rows, candidates), float)
    observed = values[(left[:, None] != right[None, :]) & (values > 0) & np.isfinite(values)]
    return float(np.median(observed)) if len(observed) else 0.0, *counts


def _parts(given: Any) -> tuple[tuple[tuple[str, ...], Metric | TrainedMetric], ...]:
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    form = "parts must be (columns, metric) pairs, such as [(['age', 'weight'], 'euclidean'), ('ward', 'gower')]"
    if (
        not isinstance(pairs, (list, tuple))
        or not pairs
        or not all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs)
    ):
        raise OptionError(f"{form}, not {brief(given)}")
    parts, seen = [], set[str]()
    for columns, spec in pairs:
        names = [columns] if isinstance(columns, str) else columns
        if (
            not isinstance(names, (list, tuple))
            or not names
            or not all(isinstance(c, str) for c in names)
        ):
            raise OptionError(f"{form}, but {brief(columns)} is not a name or a list of names")
        for name in names:
            if name in seen:
                raise OptionError(
                    f"every predictor must be in one part, but {name!r} is in two: leave it out of one"
                )
            seen.add(name)
        parts.append((tuple(names), _part_metric(spec, names)))
    return tuple(parts)


def _part_metric(spec: Any, names: Sequence[str]) -> Metric | TrainedMetric:
    if isinstance(spec, str) and spec == "auto":
        raise OptionError(
            f"the part of {list(names)} is 'auto', which depends on all predictors: use 'euclidean' or 'gower'"
        )
    matrices = (Dissimilarity, pd.DataFrame, np.ndarray, list, tuple)
    matrix = isinstance(spec, matrices) or isinstance(getattr(spec, "of", None), matrices)
    if matrix or (not list_tuned(chosen := metric(spec)) and chosen.given):
        raise OptionError(
            f"the part of {list(names)} is a given matrix, which has no columns to compare new "
            "rows by: add the matrices yourself and use "
            "the sum, with a formula 'y ~ 1'"
        )
    return chosen
