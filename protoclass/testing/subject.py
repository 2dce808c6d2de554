"""A method under check, and what all its checks look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ..estimation.fit import Fit
from ..metrics.minkowski import Euclidean
from ..models.base import Model

RAW = Euclidean(scale=False)
BY_CLASS = ("distance", "prob", "decision")


@dataclass(frozen=True)
class Subject:
    """A method under check: the example parameters, one value each, and what it learned with them."""

    kind: type[Model]
    single: Model
    values: Mapping[str, tuple[Any, ...]]
    data: pd.DataFrame
    new: pd.DataFrame
    fit: Fit

    def __str__(self) -> str:
        return self.kind.__name__
