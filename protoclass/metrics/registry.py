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


def _class(place: Any) -> Any:
    if not isinstance(place, str):
        return place
    module, name = place.split(".")
    return getattr(import_module(f".{module}", __package__), name)


def add_class(known: dict[str, Any], built_in: Any, name: str, kind: type, argument: str) -> None:
    """Add a class to a registry of methods or metrics by name; see `protoclass.register`."""
    if not isinstance(name, str) or not name.isidentifier():
        raise OptionError(f"name must be an identifier, such as 'mine', not {brief(name)}")
    try:
        kind()
    except TypeError as reason:
        raise OptionError(
            f"a name means a class with its defaults, but {kind.__name__} needs arguments "
            f"({reason}): define defaults, or pass the object itself as {argument}="
        ) from None
    before, original = known.get(name), built_in.get(name)
    own = _class(original)
    if kind is own:
        known[name] = original
        return
    # a class with the same `repr` is defined in the same place, as by a cell that is run again
    if before not in (None, original) and repr(before) != repr(kind):
        raise OptionError(f"name={name!r} already means {before.__name__}: use another")
    known[name] = kind
    if own is not None and before == original:
        warn(
            f"{argument}={name!r} now means {kind.__module__}.{kind.__qualname__}; the built-in "
            f"one remains available as protoclass.{own.__name__}"
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
