"""Euclidean, Manhattan, Chebyshev and Minkowski distances on the columns of the design matrix."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..core.distances import minkowski
from ..core.sources import Rep
from ..errors import DataError, OptionError, brief, one_of
from ..frame import Frame
from .base import Metric


@dataclass(frozen=True)
class Minkowski(Metric):
    """Minkowski distance (sum |x - z|^r)^(1/r) on scaled columns.

    Parameters
    ----------
    r : float >= 1
    scale : True, False or "fold"
        True divides each column by its standard deviation (n - 1) over all rows; a constant column keeps scale 1.
        "fold" learns the scale anew on each fold's training rows; False measures in the columns' own units. Scaling
        looks at no label, so that learning it once on all rows does not bias a cross-validated error to speak of
        (*The Elements of Statistical Learning*, section 7.10.2); an outer test set never enters it.

    Examples
    --------
    >>> import protoclass as pc
    >>> d = pc.dissimilarity("~ sepal_length + sepal_width", pc.load_data("iris").head(3), pc.Minkowski(3, scale=False))
    >>> d.condensed().round(3).tolist()
    [0.51, 0.45, 0.252]
    """

    symmetric: ClassVar[bool] = True

    r: float = 2.0
    scale: bool | str = True
    spread: Any = field(default=None, repr=False, compare=False)
    columns: Any = field(default=None, repr=False, compare=False)
    precision: Any = field(default=None, repr=False, compare=False)
    constant: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.r, bool) or not isinstance(self.r, Real) or not self.r >= 1:
            raise OptionError(f"r={brief(self.r)}: a Minkowski distance has r >= 1 (inf for Chebyshev)")
        one_of("scale", self.scale, (True, False, "fold"))

    @property
    def learns(self) -> bool:
        return bool(self.scale)

    @property
    def supervised(self) -> bool:
        return self.scale == "fold"

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"constant columns, left unscaled: {', '.join(self.constant)}",) if self.constant else ()

    def train(self, frame: Frame) -> Self:
        table = frame.design
        if table.shape[1] == 0:
            raise DataError(f"{frame.formula.text!r} names no predictors to measure {self.name} distances on")
        X = table.to_numpy()
        spread, constant = np.ones(X.shape[1]), ()
        if self.scale and len(X) > 1:
            same = X.max(axis=0) == X.min(axis=0)
            most = np.where(same, 1.0, np.abs(X).max(axis=0)).astype(float)  # squares of 1e200 would overflow
            spread = np.where(same, 1.0, (X / most).std(axis=0, ddof=1) * most)
            constant = tuple(table.columns[same])
        return replace(self, spread=spread, columns=table.columns, constant=constant, precision=X.dtype)

    def rows(self, frame: Frame) -> Rep:
        X = frame.design.to_numpy()
        return (np.ascontiguousarray(X / self.spread, self.precision),)

    def between(self, rows: Rep, points: Rep) -> np.ndarray:
        return minkowski(rows[0], points[0], self.r)

    def vectors(self, rows: Rep) -> np.ndarray:
        return rows[0]

    def place(self, coords: np.ndarray) -> Rep:
        return (np.ascontiguousarray(coords, self.precision),)

    def original(self, coords: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(coords * self.spread, columns=self.columns)


@dataclass(frozen=True)
class Euclidean(Minkowski):
    """Euclidean distance; see `Minkowski` for `scale`."""

    r: float = field(default=2.0, init=False, repr=False)


@dataclass(frozen=True)
class Manhattan(Minkowski):
    """Manhattan (city block) distance; see `Minkowski` for `scale`."""

    r: float = field(default=1.0, init=False, repr=False)


@dataclass(frozen=True)
class Chebyshev(Minkowski):
    """Chebyshev distance, the largest difference over the columns; see `Minkowski` for `scale`."""

    r: float = field(default=np.inf, init=False, repr=False)
