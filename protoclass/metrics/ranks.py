"""Ranks of dissimilarities, candidate by candidate."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..frames.frame import Frame
from .base import Metric


@dataclass(frozen=True)
class Ranks(Metric):
    """d~(x, z) = number of training rows x_i with d(x_i, z) <= d(x, z) (PVM paper, section 4.1).

    A ball of radius eps then holds about as many training rows whatever the density around its centre. A row's own rank
    is at least 1. Ranks are taken among the training rows, in cross-validation among those of the fold.

    Parameters
    ----------
    of : metric or its name
        What is ranked.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"x": [0.0, 1.0, 3.0]})
    >>> pc.dissimilarity("~ x", t, pc.Ranks("manhattan")).frame().to_numpy().tolist()
    [[1.0, 2.0, 3.0], [2.0, 1.0, 2.0], [3.0, 3.0, 1.0]]
    """

    of: Any = "euclidean"
    settled: bool = field(default=False, repr=False, compare=False)

    @property
    def supervised(self) -> bool:
        return True

    @property
    def given(self) -> bool:
        return self._base.given

    @property
    def name(self) -> str:
        return f"ranks of {self._base.name}"

    @property
    def notes(self) -> tuple[str, ...]:
        return self._base.notes

    @property
    def _base(self) -> Metric:
        from .registry import metric

        return metric(self.of)

    def once(self, frame: Frame) -> Self:
        base = self._base
        return (
            replace(self, of=base.once(frame)) if base.supervised else replace(self, of=base.train(frame), settled=True)
        )

    def train(self, frame: Frame) -> Self:
        return self if self.settled else replace(self, of=self._base.train(frame))

    def candidates(self, frame: Frame) -> pd.Index:
        return self._base.candidates(frame)

    def rows(self, frame: Frame) -> Rep:
        return self._base.rows(frame)

    def points(self, frame: Frame) -> Rep:
        base = self._base.points(frame)
        return *base, np.sort(self._base.between(self._base.rows(frame), base).T, axis=1)

    def between(self, rows: Rep, points: Rep) -> np.ndarray:
        return self._rank(self._base.between(rows, points[:-1]), points[-1])

    def needs(self, points: Rep) -> pd.Index:
        return self._base.needs(points)

    def fresh(self, new: Any, points: Rep) -> tuple[Rep, Rep]:
        rows, base = self._base.fresh(new, points[:-1])
        return rows, (*base, points[-1])

    def _rank(self, values: np.ndarray, ranked: np.ndarray) -> np.ndarray:
        out = np.empty(values.shape)
        for j in range(values.shape[1]):
            out[:, j] = np.searchsorted(ranked[j], values[:, j], side="right")
        return out
