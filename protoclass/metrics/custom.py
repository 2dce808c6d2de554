"""A custom dissimilarity, as a function of two rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..frames.frame import Frame
from ..ground.checks import one_of
from ..ground.errors import DataError, OptionError, brief, shown
from .base import Metric, Traits


@dataclass(frozen=True)
class Custom(Metric, declares=["triangle"]):
    """Custom dissimilarity by a function of two rows, `function(row, row) -> float`.

    It is called once for every ordered pair, with the raw predictors of each row as a Series.

    Parameters
    ----------
    function : callable
        Function that returns a finite number >= 0; it need not be symmetric.
    triangle : bool
        Whether you declare that the function is a metric for all possible rows: 0 for equal rows, symmetric, and never larger than by
        way of a third row. Radii are then certified on this assumption, unless training rows contradict it.

    Examples
    --------
    >>> import protoclass as pc
    >>> d = pc.dissimilarity("~ petal_width", pc.load_data("iris").iloc[::50], lambda a, b: abs(a.petal_width - b.petal_width))
    >>> d.condensed().round(1).tolist()
    [1.2, 2.3, 1.1]
    """

    triangle: bool = field(default=False, kw_only=True)
    function: Callable[[pd.Series, pd.Series], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise OptionError(f"Custom needs a function of two rows, not {brief(self.function)}")
        one_of("triangle", self.triangle, (True, False))

    @property
    def traits(self) -> Traits:
        return Traits(slow=True, row_by_row=True, unseen="measured", triangle=self.triangle, reflexive=self.triangle, opaque=True)

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "custom")

    def rows(self, frame: Frame) -> Rep:
        if frame.columns.shape[1] == 0:
            raise DataError(f"{frame.formula.quoted} has no predictors for {self.name}: use column names, or '.'")
        out = np.empty(len(frame), object)
        for i in range(len(frame)):
            out[i] = frame.columns.iloc[i]
        return (out,)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        out = np.empty((len(rows[0]), len(candidates[0])))
        for i, a in enumerate(rows[0]):
            for j, b in enumerate(candidates[0]):
                out[i, j] = self._value(a, b)
        return out

    def _value(self, a: pd.Series, b: pd.Series) -> float:
        try:
            value: Any = self.function(a, b)
        except Exception as reason:
            raise DataError(
                f"{self.name} failed on rows {shown(a.name)} and {shown(b.name)}: {type(reason).__name__}: {reason}"
            ) from reason
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise DataError(f"{self.name} must return a number for rows {shown(a.name)} and {shown(b.name)}, not {value!r}") from None
        if not (np.isfinite(number) and number >= 0):
            raise DataError(f"{self.name} must return a finite number >= 0 for rows {shown(a.name)} and {shown(b.name)}, not {number}")
        return number + 0.0
