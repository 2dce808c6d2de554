"""Gower's dissimilarity for mixed tables with missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ..core.gower import gower
from ..core.sources import Rep
from ..errors import DataError, OptionError, brief, shown
from ..frame import Frame
from .base import Metric


@dataclass(frozen=True)
class Gower(Metric):
    """Mean over the variables of |x - z| / range (numbers), of 0 or 1 (categories), as in R's `daisy`.

    An ordered category counts as its level's number; a boolean as a category, or, where named in `asymmetric`, as a
    feature whose joint absence tells nothing; a pair skips the variables that either row misses. Ranges are those of the
    rows in fit.

    Parameters
    ----------
    asymmetric : names of boolean columns

    Notes
    -----
    Gower (1971), *Biometrics* 27; Kaufman and Rousseeuw (1990), *Finding Groups in Data*, section 2.6.

    Examples
    --------
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> t = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": ["u", "v", "u"], "d": pd.array([True, False, None], "boolean")})
    >>> t["c"] = pd.Categorical(["lo", "hi", "lo"], ["lo", "hi"], ordered=True)
    >>> d = pc.dissimilarity("~ a + b + c + d", t, pc.Gower(asymmetric=["d"]), na="keep")
    >>> d.condensed().round(7).tolist()  # R 4.2.2, cluster 2.1.4: daisy(t, "gower", type = list(asymm = "d"))
    [0.8333333, 0.3333333, 0.8888889]
    """

    symmetric: ClassVar[bool] = True

    asymmetric: Sequence[str] = ()
    ranges: Any = field(default=None, repr=False, compare=False)
    numbers: tuple[str, ...] = field(default=(), repr=False, compare=False)
    categories: tuple[str, ...] = field(default=(), repr=False, compare=False)
    constant: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        names = (self.asymmetric,) if isinstance(self.asymmetric, str) else self.asymmetric
        if not isinstance(names, (list, tuple)) or not all(isinstance(c, str) for c in names):
            raise OptionError(f"asymmetric={brief(names)}: a list of names of boolean columns")

    @property
    def learns(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            (f"constant numbers, which add 0 to every distance: {', '.join(self.constant)}",) if self.constant else ()
        )

    def train(self, frame: Frame) -> Self:
        table = frame.terms()
        if not table:
            raise DataError(f"{frame.formula.text!r} names no predictors to measure Gower dissimilarities on")
        flags = [self.asymmetric] if isinstance(self.asymmetric, str) else list(self.asymmetric)
        known = [c for c in table if c in frame.schema and frame.schema[c].kind == "boolean"]
        strange = [c for c in flags if c not in known]
        if strange:
            raise OptionError(f"asymmetric={strange[0]!r} is no boolean predictor; these are: {known}")
        numbers = tuple(c for c, v in table.items() if c not in known and (_number(v) or v.cat.ordered))
        values = _numbers(table, numbers)
        low, high = (
            f(values, axis=0, where=~np.isnan(values), initial=s) for f, s in ((np.min, np.inf), (np.max, -np.inf))
        )
        with np.errstate(over="ignore"):
            spread = np.where(high > low, high - low, 1.0)
        if not np.isfinite(spread).all():
            raise DataError(
                f"the range of column {numbers[int(np.argmax(~np.isfinite(spread)))]!r} is infinite: scale it down"
            )
        return replace(
            self,
            asymmetric=tuple(flags),
            ranges=spread,
            numbers=numbers,
            categories=tuple(c for c in table if c not in numbers),
            constant=tuple(c for c, a, b in zip(numbers, low, high, strict=True) if not b > a),
        )

    def rows(self, frame: Frame) -> Rep:
        table = frame.terms()
        values = _numbers(table, self.numbers)
        if np.isinf(values).any():
            i, j = np.argwhere(np.isinf(values))[0]
            raise DataError(f"column {self.numbers[j]!r} is infinite at row {shown(frame.index[i])}")
        codes = [_codes(table[c]) for c in self.categories]
        n = len(frame)
        return values / self.ranges, np.column_stack(codes).astype(np.int64) if codes else np.empty((n, 0), np.int64)

    def between(self, rows: Rep, points: Rep) -> np.ndarray:
        flags = np.array([c in self.asymmetric for c in self.categories], bool)
        return gower((rows[0], rows[1]), (points[0], points[1]), flags)


def _number(values: pd.Series) -> bool:
    return bool(pd.api.types.is_float_dtype(values.dtype))


def _codes(values: pd.Series) -> np.ndarray:
    if _number(values):  # a boolean as 0 and 1
        return np.where(values.isna(), -1, values.fillna(0)).astype(np.int64)
    return values.cat.codes.to_numpy(np.int64)


def _numbers(table: dict[str, pd.Series], names: tuple[str, ...]) -> np.ndarray:
    columns = []
    for name in names:
        values = table[name]
        if _number(values):
            columns.append(values.to_numpy(float))
        else:
            codes = values.cat.codes.to_numpy(float)
            columns.append(np.where(codes < 0, np.nan, codes))
    length = len(next(iter(table.values())))
    return np.column_stack(columns) if columns else np.empty((length, 0))
