"""Metrics of other metrics: wrappers, ranks, weighted means by columns, and lists to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..core import Array
from ..core.sources import Rep, part
from ..frames.frame import Frame, trained_spec
from ..ground.checks import is_real, one_of
from ..ground.errors import DataError, OptionError, brief, shown
from ..ground.savable import savable
from .base import (
    AskedRows,
    Metric,
    TrainedMetric,
    Traits,
    candidates_of,
    check_names,
    compare,
    rows_of,
    train_metric,
)
from .registry import metric

SCALE_SAMPLE = 447  # rows on either side of the sample for the scales: about 200,000 pairs

# traits that are true if all inner metrics have them
OF_ALL = ("symmetric", "row_by_row", "skips_missing", "reflexive")
# traits that are true if one has them
OF_ANY = ("slow", "data_dependent", "train_in_folds", "supervised", "given", "opaque")


class Wrapper(Metric):
    """A metric that transforms the values of another one, its parameter `of`, by `transform`.

    Everything else is inherited, except the traits `triangle`, `power` and `geometry`; if the
    transform preserves one, override `traits`: `replace(super().traits, triangle=True)`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import Any
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> @dataclass(frozen=True)
    ... class Squared(pc.extend.Wrapper):
    ...     of: Any = "euclidean"
    ...
    ...     def transform(self, values):
    ...         return values**2
    >>> t = pd.DataFrame({"x": [0.0, 1.0, 3.0]})
    >>> pc.dissimilarity("~ x", t, Squared("manhattan")).condensed().round(3).tolist()
    [0.429, 3.857, 1.714]
    """

    references: ClassVar[int] = 0  # arrays that `reference` gives

    def transform(self, values: Array, *reference: Array) -> Array:
        """Transformed dissimilarities (r, q), entry by entry; NaN stays NaN."""
        return values

    def reference(self, trained: TrainedMetric, frame: Frame, candidates: Rep) -> Rep:
        """Arrays with an entry for each candidate that `transform` uses for its column."""
        return ()

    @property
    def inner(self) -> tuple[Metric | TrainedMetric, ...]:
        """The inner metrics."""
        return (metric(getattr(self, "of", None)),)

    @property
    def papers(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(key for m in self.inner for key in m.papers))

    def with_inner(self, metrics: Sequence[Metric | TrainedMetric]) -> Self:
        """The same with other inner metrics."""
        return replace(self, of=metrics[0])  # type: ignore[call-arg]

    def cuts(self, frame: Frame) -> list[Frame]:
        """The frame of each inner metric."""
        return [frame]

    @property
    def traits(self) -> Traits:
        known = [m.traits for m in self.inner]
        kept: dict[str, Any] = {name: all(getattr(t, name) for t in known) for name in OF_ALL}
        kept |= {name: any(getattr(t, name) for t in known) for name in OF_ANY}
        return replace(known[0], **kept, triangle=False, power=None, geometry=None)

    @property
    def name(self) -> str:
        return f"{type(self).__name__.lower()} of {self.inner[0].name}"

    def unseen_in(self, column: str) -> str:
        return self.inner[0].unseen_in(column)

    def pretrain(self, frame: Frame) -> Self:
        if not self.train_in_folds:
            return self
        parts = zip(self.inner, self.cuts(frame), strict=True)
        return self.with_inner(
            [m.pretrain(cut) if m.train_in_folds else m.train(cut) for m, cut in parts]
        )

    def train(self, frame: Frame) -> TrainedMetric:
        base = train_metric(self.inner[0], frame)
        return TrainedWrapper(self.with_inner([base.spec]), base)


@savable
@dataclass(frozen=True, eq=False)
class TrainedWrapper(TrainedMetric):
    """The transformed dissimilarities of a trained metric, `base`."""

    spec: Wrapper
    base: TrainedMetric

    @property
    def notes(self) -> tuple[str, ...]:
        return self.base.notes

    @property
    def column_weights(self) -> pd.DataFrame | None:
        return self.base.column_weights

    @property
    def untrained(self) -> Wrapper:
        return self.spec.with_inner([self.base.untrained])

    @property
    def same_sides(self) -> bool:
        return self.base.same_sides and not self.spec.references

    def rows(self, frame: Frame) -> Rep:
        return self.base.rows(frame)

    def candidates(self, frame: Frame) -> Rep:
        return self.some_candidates(frame, None)

    def some_candidates(self, frame: Frame, at: Array | None) -> Rep:
        base = candidates_of(self.base, frame, at)
        return *base, *self.spec.reference(self.base, frame, base)

    def candidate_names(self, frame: Frame) -> pd.Index:
        return self.base.candidate_names(frame)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return self._transformed(partial(self.base.between, rows), candidates)

    def _transformed(self, measure: Callable[[Rep], Array], candidates: Rep) -> Array:
        inner = len(candidates) - self.spec.references
        return self.spec.transform(measure(candidates[:inner]), *candidates[inner:])

    def slim(self, rows: Rep, candidates: Rep) -> tuple[TrainedMetric, Rep, Rep]:
        inner = len(candidates) - self.spec.references
        base, rows, few = self.base.slim(rows, candidates[:inner])
        return replace(self, base=base), rows, (*few, *candidates[inner:])

    def unmeasured(self, frame: Frame) -> dict[str, Array]:
        return self.base.unmeasured(frame)

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> AskedRows:
        known = self.base.new_rows(new, data, zero)

        def measure(at, candidates):
            return self._transformed(partial(known.measure, at), candidates)

        return replace(known, measure=measure)


@dataclass(frozen=True)
class Ranks(Wrapper):
    """Rank dissimilarity: the number of training rows x_i with d(x_i, z) <= d(x, z).

    A ball of radius eps then contains about the same number of training rows for any density around
    its centre (Bien and Tibshirani 2011, section 4.1).

    Parameters
    ----------
    of : metric or its name
        Dissimilarity to rank.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"x": [0.0, 1.0, 3.0]})
    >>> pc.dissimilarity("~ x", t, pc.Ranks("manhattan")).to_frame().to_numpy().tolist()
    [[1.0, 2.0, 3.0], [2.0, 1.0, 2.0], [3.0, 3.0, 1.0]]
    """

    references: ClassVar[int] = 1

    of: Any = "euclidean"

    @property
    def traits(self) -> Traits:
        # the rank of a row among those at its own position is at least 1
        return replace(
            super().traits,
            symmetric=False,
            reflexive=False,
            skips_missing=False,
            train_in_folds=True,
            scaling="",
        )

    def reference(self, trained: TrainedMetric, frame: Frame, candidates: Rep) -> Rep:
        """The dissimilarities (q, n) of the training rows to each candidate, sorted."""
        return (np.sort(compare(trained, rows_of(trained, frame), candidates).T, axis=1),)

    def transform(self, values: Array, *reference: Array) -> Array:
        out = np.empty(values.shape)
        for j, column in enumerate(reference[0]):
            out[:, j] = np.searchsorted(column, values[:, j], side="right")
        out[np.isnan(values)] = np.nan
        return out


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
        fine = isinstance(given, (list, tuple)) and all(is_real(w) and w >= 0 for w in given)
        if not fine or len(given) != len(self.parts) or not 0 < sum(given) < np.inf:
            raise OptionError(
                f"weights must be a finite number >= 0 for each of the {len(self.parts)} parts, "
                f"not all 0, and not {brief(given)}"
            )
        object.__setattr__(self, "weights", tuple(map(float, given)))

    @property
    def traits(self) -> Traits:
        joint = super().traits
        return replace(
            joint,
            triangle=all(m.triangle for m in self.inner),
            data_dependent=self.scale or joint.data_dependent,
            power=1.0 if joint.reflexive else None,
            series=False,
            scaling="parts divided by their median" if self.scale else "",
            column_groups=tuple(columns for columns in self.groups if len(columns) > 1),
        )

    @property
    def name(self) -> str:
        return f"mixed ({', '.join(m.name for m in self.inner)})"

    @property
    def inner(self) -> tuple[Metric | TrainedMetric, ...]:
        return tuple(m for _, m in self.parts)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each part."""
        return tuple(columns for columns, _ in self.parts)

    def with_inner(self, metrics: Sequence[Metric | TrainedMetric]) -> Mixed:
        return replace(self, parts=tuple(zip(self.groups, metrics, strict=True)))

    def unseen_in(self, column: str) -> str:
        return next(
            (m.unseen_in(column) for columns, m in self.parts if column in columns), "missing"
        )

    def train(self, frame: Frame) -> TrainedMixed:
        cuts = self.cuts(frame)
        parts = tuple(map(train_metric, self.inner, cuts))
        known = [scale_and_counts(m, cut, self.scale) for m, cut in zip(parts, cuts, strict=True)]
        scales, *counts = np.array(known).T.copy()
        spec = self.with_inner([m.spec for m in parts])
        return TrainedMixed(spec, parts, scales, np.array(counts, int))

    def cuts(self, frame: Frame) -> list[Frame]:
        known = list(frame.columns)
        named = [c for columns in self.groups for c in columns]
        check_names("a part", named, known, f"predictor of {frame.formula.quoted}")
        for name in known:
            if name not in named:
                raise OptionError(
                    f"every predictor must be in a part, but {name!r} is not: add it to one, or "
                    "leave it out of the formula"
                )
        return [cut(frame, columns) for columns in self.groups]


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
        parts = zip(self.spec.groups, self.parts, self.scales, strict=True)
        for columns, m, s in parts if self.spec.scale else ():
            scale = f"divided by its median, {s:.4g}" if s else "constant, so it contributes 0"
            notes.append(f"{m.name} of {', '.join(columns)}: {scale}")
        return tuple(notes)

    def rows(self, frame: Frame) -> Rep:
        # the arrays of all parts, one part after the other
        return sum(map(rows_of, self.parts, self.spec.cuts(frame)), ())

    def candidates(self, frame: Frame) -> Rep:
        return sum(map(candidates_of, self.parts, self.spec.cuts(frame)), ())

    @property
    def weights(self) -> tuple[float, ...]:
        return self.spec.weights or (1.0,) * len(self.parts)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(map(" + ".join, self.spec.groups))

    @property
    def spread(self) -> Array:
        """Divisor of the dissimilarities of each part."""
        return np.array([s or 1.0 for s in self.scales])

    def unmeasured(self, frame: Frame) -> dict[str, Array]:
        cuts = zip(self.parts, self.spec.cuts(frame), strict=True)
        return dict(letters for m, cut in cuts for letters in m.unmeasured(cut).items())

    def terms(self, rows: Rep, candidates: Rep) -> Array:
        return np.stack(list(self._weighted(rows, candidates)), axis=-1)

    def _weighted(self, rows: Rep, candidates: Rep) -> Iterator[Any]:
        """The weighted dissimilarities of each part."""
        sides = map(_split, (rows, candidates), self.counts)
        for m, a, b, w, s in zip(self.parts, *sides, self.weights, self.spread, strict=True):
            yield compare(m, a, b).astype(float) * w / s

    def weighed(self, weights: Array) -> TrainedMixed:
        return replace(self, spec=replace(self.spec, weights=np.array(self.weights) * weights))

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return sum(self._weighted(rows, candidates)) / sum(self.weights)


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
    columns = frame.columns[list(names)]
    piece = replace(frame, columns=columns, formula=formula, schema=schema, notes=())
    return replace(piece, spec=trained_spec(piece))


def scale_and_counts(m: TrainedMetric, frame: Frame, scale: bool) -> tuple[float, int, int]:
    """Median positive dissimilarity (0 if none; 1 without scaling), and numbers of arrays."""
    n, size = len(frame), SCALE_SAMPLE if scale else 1
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
    observed = np.ones(1)
    if scale:
        values = compare(m, rows, candidates).astype(float)
        observed = values[(left[:, None] != right) & (values > 0) & np.isfinite(values)]
    return np.median(observed) if len(observed) else 0.0, len(rows), len(candidates)


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
    inner = getattr(spec, "of", spec) if isinstance(spec, Wrapper) else spec
    matrix = isinstance(inner, (list, tuple)) or hasattr(inner, "shape")
    if (matrix and not isinstance(inner, Metric)) or (
        not list_tuned(chosen := metric(spec)) and chosen.given
    ):
        raise OptionError(
            f"the part of {list(names)} is a given matrix, which has no columns to compare new "
            "rows by: add the matrices yourself and use the sum, with a formula 'y ~ 1'"
        )
    return chosen


@savable
@dataclass(frozen=True)
class OneOf(Metric):
    """Several metrics, of which cross-validation chooses one by its label.

    Attributes
    ----------
    metrics : tuple of metrics
        Each with one value for every parameter.
    """

    metrics: tuple[Any, ...] = ()

    @property
    def dissimilarity(self) -> list[str]:
        """The labels: names of the metrics, or if two have the same name, how they are written."""
        names = [m.name for m in self.metrics]
        return [
            name if names.count(name) == 1 else repr(m)
            for name, m in zip(names, self.metrics, strict=True)
        ]

    def tuned(self) -> dict[str, Any]:
        return {"dissimilarity": self.dissimilarity}

    def of(self, label: str) -> Metric:
        """The metric with a label."""
        return self.metrics[self.dissimilarity.index(label)]


def one_of_metrics(spec: Any) -> Any:
    """`dissimilarity=` as given, but a list of names and metrics as `OneOf`."""
    listed = isinstance(spec, (list, tuple)) and len(spec)
    if not listed or not all(isinstance(m, (str, Metric, type)) for m in spec):
        return spec
    metrics = tuple(map(metric, spec))
    for m in metrics:
        if list_tuned(m):
            raise OptionError(
                f"{brief(m)} in a list of dissimilarities must have one value for "
                f"{', '.join(list_tuned(m))}: use one value"
            )
    found = OneOf(metrics)
    labels = found.dissimilarity
    for label in labels:
        if labels.count(label) > 1:
            raise OptionError(f"dissimilarity= has {label} twice: use each once")
    return found


def _inner(spec: Any) -> tuple[Any, ...]:
    """The metrics by which a specification measures, as far as they are metrics already."""
    known = isinstance(spec, Wrapper) and isinstance(getattr(spec, "of", spec), Metric)
    return spec.inner if known else ()


def list_tuned(spec: Any) -> dict[str, Any]:
    """The values to be tried of the parameters of a metric, and of those that it measures by."""
    if not isinstance(spec, Metric):
        return {}
    out = spec.tuned()
    for inner in map(list_tuned, _inner(spec)):
        for name in inner.keys() & out.keys():
            raise OptionError(
                f"{name} can be tuned in one part of the dissimilarity only: use one value in the others"
            )
        out |= inner
    return out


def retuned(spec: Any, choose: Callable[[Metric, str, Frame], Any], frame: Frame) -> Any:
    """A metric with other values, as chosen for rows, of the parameters in `list_tuned`."""
    if not list_tuned(spec):
        return spec
    if isinstance(spec, OneOf):
        label = choose(spec, "dissimilarity", frame)
        return spec.of(label) if isinstance(label, str) else spec
    chosen = replace(spec, **{name: choose(spec, name, frame) for name in spec.tuned()})
    if not _inner(chosen):
        return chosen
    parts = zip(chosen.inner, chosen.cuts(frame), strict=True)
    return chosen.with_inner([retuned(m, choose, cut) for m, cut in parts])
