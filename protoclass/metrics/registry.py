"""Metrics by name, and custom ones by a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import either, hint_for_value
from ..ground.errors import DataError, OptionError, brief, shown, warn
from .base import Metric, TrainedMetric, Traits

BUILT_IN = {
    "euclidean": "minkowski.Euclidean",
    "manhattan": "minkowski.Manhattan",
    "chebyshev": "minkowski.Chebyshev",
    "minkowski": "minkowski.Minkowski",
    "mahalanobis": "minkowski.Mahalanobis",
    "cosine": "pairwise.Cosine",
    "correlation": "pairwise.Correlation",
    "canberra": "pairwise.Canberra",
    "hamming": "pairwise.Hamming",
    "jaccard": "pairwise.Jaccard",
    "zero_one": "pairwise.ZeroOne",
    "kernel": "pairwise.Kernel",
    "gower": "tabular.Gower",
    "mismatch": "strings.Mismatch",
    "levenshtein": "strings.Levenshtein",
    "tangent": "elastic.Tangent",
    "dtw": "elastic.DTW",
    "adaptive": "learned.Adaptive",
    "nca": "learned.NCA",
    "lda": "learned.LDA",
    "qda": "learned.QDA",
    "relevance": "relevance.Relevance",
    "forest": "tabular.Forest",
    "ranks": "wrappers.Ranks",
}
METRICS: dict[str, str | type[Metric]] = dict(
    BUILT_IN
)  # a built-in class by its module, which is loaded when it is used


def metric(spec: Any) -> Metric | TrainedMetric:
    """A metric by name (with its defaults), a metric object or a callable `(row, row) -> float`."""
    if isinstance(spec, (Metric, TrainedMetric)):
        return spec
    if isinstance(spec, type) and issubclass(spec, Metric):
        try:
            return spec()
        except TypeError as reason:
            raise OptionError(f"{spec.__name__} needs parameters: {reason}") from None
    if isinstance(spec, str):
        if spec in METRICS:
            return _class(METRICS[spec])()
        hint = hint_for_value("dissimilarity", spec, METRICS)
        if "." in spec:
            hint = "use dissimilarity=pc.read_dissimilarity(path) for a file"
        raise OptionError(
            f"dissimilarity must be {either(['auto', *METRICS])}, or a function of two rows, such as "
            f"scipy.spatial.distance.braycurtis, not {brief(spec)}{hint and ': '}{hint}"
        )
    if callable(spec):
        return Custom(spec)
    library = type(spec).__module__.split(".")[0]
    raise OptionError(
        "dissimilarity must be a name, a metric, a callable, a matrix (pandas DataFrame or NumPy "
        "array) or a Dissimilarity, not "
        f"{'' if library == 'builtins' else library + ' '}{type(spec).__name__}"
    )


def _class(place: str | type[Metric]) -> type[Metric]:
    if not isinstance(place, str):
        return place
    module, name = place.split(".")
    return getattr(import_module(f".{module}", __package__), name)


def register_metric(name: str, metric_class: type[Metric]) -> None:
    """Make a custom metric known by a name; see `protoclass.register`.

    Parameters
    ----------
    name : str
        Identifier. The name of a built-in metric then means the new class, with a warning. The name
        of another registered class is refused, unless it has the same module and qualified name.
    metric_class : subclass of Metric that can be made without arguments
        Class as described for `Metric`.

    Raises
    ------
    OptionError
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise OptionError(f"name must be an identifier, such as 'dtw', not {brief(name)}")
    if name == "auto":
        raise OptionError(
            "name='auto' is reserved for the choice by the kinds of the predictors: use another"
        )
    try:
        metric_class()
    except TypeError as reason:
        raise OptionError(
            f"a name means a metric with its defaults, but {metric_class.__name__} needs arguments "
            f"({reason}): define defaults, or pass the metric itself as dissimilarity="
        ) from None
    built_in = _class(BUILT_IN[name]) if name in BUILT_IN else None
    if metric_class is built_in:
        METRICS[name] = BUILT_IN[name]
        return
    before = METRICS.get(name)
    # defined in the same place, as by a cell that is run again
    same_cell = repr(before) == repr(metric_class)
    if isinstance(before, type) and not same_cell:
        raise OptionError(f"name={name!r} already means {before.__name__}: use another")
    METRICS[name] = metric_class
    if built_in is not None and isinstance(before, str):
        warn(
            f"{name!r} now means {metric_class.__module__}.{metric_class.__qualname__}; the "
            f"built-in metric remains available as protoclass.{built_in.__name__}"
        )


@dataclass(frozen=True)
class Custom(Metric):
    """Custom dissimilarity by a function of two rows, `function(row, row) -> float`.

    Parameters
    ----------
    function : callable
        It is called for every ordered pair, with the raw predictors of each row as a Series, and
        returns a finite number >= 0.

    Examples
    --------
    >>> import protoclass as pc
    >>> rows = pc.load_data("iris").iloc[::50]
    >>> d = pc.dissimilarity("~ petal_width", rows, lambda a, b: abs((a - b).petal_width))
    >>> d.condensed().round(1).tolist()
    [1.2, 2.3, 1.1]
    """

    function: Callable[[pd.Series, pd.Series], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise OptionError(f"Custom needs a function of two rows, not {brief(self.function)}")

    @property
    def traits(self) -> Traits:
        return Traits(slow=True, row_by_row=True, unseen="measured", opaque=True, reflexive=False)

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "custom")

    def rows(self, frame: Frame) -> Rep:
        out = np.empty(len(frame), object)
        for i in range(len(frame)):
            out[i] = frame.columns.iloc[i]
        return (out,)

    def between(self, rows: Rep, candidates: Rep) -> Array:
        return np.array([[self._value(a, b) for b in candidates[0]] for a in rows[0]]).reshape(
            len(rows[0]), len(candidates[0])
        )

    def _value(self, a: pd.Series, b: pd.Series) -> float:
        rows = f"rows {shown(a.name)} and {shown(b.name)}"
        try:
            number = float(self.function(a, b))
        except Exception as reason:
            raise DataError(
                f"{self.name} failed on {rows}: {type(reason).__name__}: {reason}"
            ) from reason
        if not 0 <= number < np.inf:
            raise DataError(
                f"{self.name} must return a finite number >= 0 for {rows}, not {number}"
            )
        return number + 0.0
