"""Ranks of dissimilarities, candidate by candidate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core.sources import Rep
from ..declared import savable
from ..frames.frame import Frame
from .base import Metric, NewRows, TrainedMetric, candidates_of, compare, rows_of, train_metric
from .registry import metric


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

    @property
    def train_in_folds(self) -> bool:
        return True

    @property
    def supervised(self) -> bool:
        return self._base.supervised

    @property
    def row_by_row(self) -> bool:  # type: ignore[override]
        return self._base.row_by_row

    @property
    def slow(self) -> bool:  # type: ignore[override]
        return self._base.slow

    @property
    def opaque(self) -> bool:
        return self._base.opaque

    @property
    def reflexive(self) -> bool:
        return False  # the rank of a row among those at its own place is 1 at least

    @property
    def column_groups(self) -> tuple[tuple[str, ...], ...]:
        return self._base.column_groups

    @property
    def given(self) -> bool:
        return self._base.given

    @property
    def name(self) -> str:
        return f"ranks of {self._base.name}"

    @property
    def _base(self) -> Metric | TrainedMetric:
        return metric(self.of)

    def unseen_in(self, column: str) -> str:
        return self._base.unseen_in(column)

    def pretrain(self, frame: Frame) -> Ranks:
        base = self._base
        return replace(self, of=base.pretrain(frame) if base.train_in_folds else base.train(frame))

    def train(self, frame: Frame) -> TrainedRanks:
        base = train_metric(self._base, frame)
        return TrainedRanks(replace(self, of=base.spec), base)


@savable
@dataclass(frozen=True)
class TrainedRanks(TrainedMetric):
    """Ranks of the dissimilarities of a trained metric, `base`."""

    spec: Ranks
    base: TrainedMetric

    @property
    def notes(self) -> tuple[str, ...]:
        return self.base.notes

    @property
    def untrained(self) -> Ranks:
        return replace(self.spec, of=self.base.untrained)

    def rows(self, frame: Frame) -> Rep:
        return self.base.rows(frame)

    def candidates(self, frame: Frame) -> Rep:
        return self._ranked(frame, candidates_of(self.base, frame))

    def some_candidates(self, frame: Frame, at: np.ndarray) -> Rep:
        return self._ranked(frame, candidates_of(self.base, frame, at))

    def _ranked(self, frame: Frame, base: Rep) -> Rep:
        return *base, np.sort(compare(self.base, rows_of(self.base, frame), base).T, axis=1)

    def candidate_names(self, frame: Frame) -> pd.Index:
        return self.base.candidate_names(frame)

    def between(self, rows: Rep, candidates: Rep) -> np.ndarray:
        return _ranks(self.base.between(rows, candidates[:-1]), candidates[-1])

    def new_rows(self, new: Any, data: Frame, zero: bool = False) -> NewRows:
        known = self.base.new_rows(new, data, zero)

        def measure(at: Any, candidates: Rep) -> np.ndarray:
            return _ranks(known.measure(at, candidates[:-1]), candidates[-1])

        return replace(known, measure=measure)


def _ranks(values: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Ranks (r, q) of values among the sorted training values (q, n) of each candidate; NaN where a value is missing."""
    out = np.empty(values.shape)
    for j in range(values.shape[1]):
        out[:, j] = np.searchsorted(columns[j], values[:, j], side="right")
    missing = np.isnan(values)
    if missing.any():
        out[missing] = np.nan
    return out
