"""Metrics that wrap other metrics: their inherited traits, and the ranks of dissimilarities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..core import Array
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.errors import OptionError, brief
from ..ground.savable import savable
from .base import (
    AskedRows,
    Metric,
    TrainedMetric,
    Traits,
    candidates_of,
    compare,
    rows_of,
    train_metric,
)
from .registry import metric

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
    several = (
        isinstance(spec, (list, tuple))
        and len(spec)
        and all(isinstance(m, (str, Metric, type)) for m in spec)
    )
    if not several:
        return spec
    metrics = tuple(metric(m) for m in spec)
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
    return (
        spec.inner
        if isinstance(spec, Wrapper) and isinstance(getattr(spec, "of", spec), Metric)
        else ()
    )


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
    inner = _inner(chosen)
    return (
        chosen.with_inner(
            [retuned(m, choose, cut) for m, cut in zip(inner, chosen.cuts(frame), strict=True)]
        )
        if inner
        else chosen
    )


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
        return self._referred(frame, None)

    def some_candidates(self, frame: Frame, at: Array) -> Rep:
        return self._referred(frame, at)

    def _referred(self, frame: Frame, at: Array | None) -> Rep:
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

        def measure(at: Any, candidates: Rep) -> Array:
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
