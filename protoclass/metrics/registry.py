"""Metrics by name."""

from __future__ import annotations

import difflib
from typing import Any

from ..errors import OptionError, brief
from ..frames.frame import Frame
from .base import Metric
from .custom import Custom
from .dann import Adaptive
from .gower import Gower
from .kernels import Kernel
from .minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from .pairwise import Canberra, Correlation, Cosine, Hamming, Jaccard, Mahalanobis, ZeroOne
from .ranks import Ranks
from .strings import Levenshtein, Mismatch
from .tangent import Tangent

METRICS: dict[str, type[Metric]] = {
    "euclidean": Euclidean,
    "manhattan": Manhattan,
    "chebyshev": Chebyshev,
    "minkowski": Minkowski,
    "mahalanobis": Mahalanobis,
    "cosine": Cosine,
    "correlation": Correlation,
    "canberra": Canberra,
    "hamming": Hamming,
    "jaccard": Jaccard,
    "zero_one": ZeroOne,
    "kernel": Kernel,
    "gower": Gower,
    "mismatch": Mismatch,
    "levenshtein": Levenshtein,
    "tangent": Tangent,
    "adaptive": Adaptive,
    "ranks": Ranks,
}
BUILT_IN = frozenset(METRICS)


def metric(spec: Any) -> Metric:
    """A metric of its name (with its defaults), a metric object or a callable `(row, row) -> float`."""
    if isinstance(spec, Metric):
        return spec
    if isinstance(spec, type) and issubclass(spec, Metric):
        try:
            return spec()
        except TypeError as reason:
            raise OptionError(f"{spec.__name__} needs parameters: {reason}") from None
    if isinstance(spec, str):
        if spec in METRICS:
            return METRICS[spec]()
        near = difflib.get_close_matches(spec, METRICS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise OptionError(
            f"dissimilarity={spec!r} is not known: {hint}Known are 'auto', {', '.join(map(repr, METRICS))}"
        )
    if callable(spec):
        return Custom(spec)
    raise OptionError(
        f"dissimilarity is a name, a metric, a callable, a matrix or a Dissimilarity, not {type(spec).__name__}"
    )


def register(name: str, metric_class: type[Metric]) -> None:
    """Make a metric of one's own known by a name, which then serves wherever a name does: `dissimilarity="dtw"`.

    Parameters
    ----------
    name : str
        An identifier that names no metric yet. A cell that defines the class may be run again: the class that a user
        registered gives way to one of the same module and qualified name.
    metric_class : subclass of Metric that can be made without arguments
        With `rows(frame)`, a tuple of arrays with an entry for each row, and `between(rows, points)`, the (r, q)
        dissimilarities of r rows to q points, finite and >= 0; see `Metric` for what else it may say of itself.

    Raises
    ------
    OptionError

    Examples
    --------
    Dynamic time warping (Sakoe and Chiba 1978): two series are compared along the alignment in time that costs least.

    >>> import numpy as np
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> class DTW(pc.Metric):
    ...     def rows(self, frame):
    ...         return (frame.design.to_numpy(float),)
    ...     def between(self, rows, points):
    ...         a, b = rows[0][:, None], points[0][None]
    ...         least = np.r_[0, np.full(b.shape[2], np.inf)] + np.zeros((a.shape[0], b.shape[1], 1))
    ...         for s in range(a.shape[2]):  # least[..., t]: cost of aligning s moments of a with t of b
    ...             last, least = least, np.full_like(least, np.inf)
    ...             for t in range(b.shape[2]):
    ...                 before = np.minimum(np.minimum(last[..., t], last[..., t + 1]), least[..., t])
    ...                 least[..., t + 1] = abs(a[..., s] - b[..., t]) + before
    ...         return least[..., -1]
    >>> pc.register("dtw", DTW)

    Waves that start at random times; one kind goes up first, the other down:

    >>> draw, time = np.random.default_rng(0), np.arange(40)
    >>> start, sign = draw.integers(0, 32, (20, 1)), np.repeat([1, -1], 10)[:, None]
    >>> wave = np.where((time >= start) & (time < start + 8), sign * np.sin((time - start) * np.pi / 4), 0)
    >>> waves = pd.DataFrame(wave).add_prefix("t").assign(kind=np.repeat(["up", "down"], 10))
    >>> fit = pc.fit("kind ~ .", waves, dissimilarity="dtw", eps=3.0)
    >>> fit.dissimilarity.metric.name, len(fit.prototypes), fit.training_error()
    ('DTW', 2, 0.0)
    >>> for name in ("dtw", "euclidean"):
    ...     print(name, pc.cross_validate("kind ~ .", waves, "knn", k=1, dissimilarity=name).table["error"].round(2)[0])
    dtw 0.0
    euclidean 0.25
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise OptionError(f"name={brief(name)}: a metric's name is an identifier, such as 'dtw'")
    if not isinstance(metric_class, type) or not issubclass(metric_class, Metric):
        raise OptionError(
            f"{brief(metric_class)} is no subclass of protoclass.Metric, and {name!r} would not know how to measure"
        )
    before = METRICS.get(name)
    same = before is not None and (before.__module__, before.__qualname__) == (
        metric_class.__module__,
        metric_class.__qualname__,
    )
    if name == "auto" or name in BUILT_IN or (before is not None and not same):
        taken = before.__name__ if before is not None else "the choice by the kinds of the predictors"
        raise OptionError(f"name={name!r} already stands for {taken}: take another")
    try:
        metric_class()
    except TypeError as reason:
        raise OptionError(
            f"{metric_class.__name__} can't be made without arguments ({reason}), and a name stands for the defaults: give them, "
            "or pass the metric itself as dissimilarity="
        ) from None
    METRICS[name] = metric_class


def automatic(frame: Frame) -> Metric:
    """Euclidean where all predictors are numbers, Gower otherwise."""
    if frame.keep or any(column.kind != "numeric" for column in frame.schema.values()):
        return Gower()
    return Euclidean()
