"""Metrics by name."""

from __future__ import annotations

import difflib
from typing import Any

from ..errors import OptionError
from ..frame import Frame
from .base import Metric
from .custom import Custom
from .gower import Gower
from .minkowski import Chebyshev, Euclidean, Manhattan, Minkowski
from .ranks import Ranks

METRICS: dict[str, type[Metric]] = {
    "euclidean": Euclidean,
    "manhattan": Manhattan,
    "chebyshev": Chebyshev,
    "minkowski": Minkowski,
    "gower": Gower,
    "ranks": Ranks,
}


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


def automatic(frame: Frame) -> Metric:
    """Euclidean where all predictors are numbers, Gower otherwise."""
    if frame.keep or any(column.kind != "numeric" for column in frame.schema.values()):
        return Gower()
    return Euclidean()
