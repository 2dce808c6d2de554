"""Values of categories that no row of a fit has: which rows have them, and how this is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import add, or_
from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError, DataWarning, shown, warn
from .schema import Column, first_of

HOW = ("warn", "raise", "zero")  # what `Fit.predict` does about them
FATES = {  # what becomes of the rows, by what the metric does: see `Metric.unseen`
    "missing": "rows that have them get no prediction (NA)",
    "unlike": "the dissimilarity takes them as unlike every known value",
    "zero": "all columns that are made of it are 0 in these rows",
}


@dataclass(frozen=True)
class Unseen:
    """How many rows have each value that is none of the levels of its column; those of two sets of rows are joined by `+`.

    Attributes
    ----------
    counts : mapping of column to counts of rows by value
    schema : mapping of column name to Column
    """

    counts: Mapping[str, Counter[Any]] = field(default_factory=dict)
    schema: Mapping[str, Column] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __add__(self, other: Unseen) -> Unseen:
        return self._joined(other, add)

    def __or__(self, other: Unseen) -> Unseen:
        """Both, of the same rows."""
        return self._joined(other, or_)

    def _joined(self, other: Unseen, join: Callable[[Counter[Any], Counter[Any]], Counter[Any]]) -> Unseen:
        names, none = dict.fromkeys([*self.counts, *other.counts]), Counter[Any]()
        counts = {c: join(self.counts.get(c, none), other.counts.get(c, none)) for c in names}
        return Unseen(counts, {**self.schema, **other.schema})

    def of(self, names: Iterable[str]) -> Unseen:
        """Those of some columns."""
        return Unseen({c: self.counts[c] for c in names}, self.schema)

    def words(self, name: str) -> str:
        """The values of a column, with their numbers of rows, and what is known."""
        known = self.schema[name]
        if known.kind == "boolean":
            return f"column {name!r} was boolean in fit and has values that are neither true nor false: {self.values(name)}"
        return f"column {name!r} has levels not seen in fit: {self.values(name)}; known are {first_of(known.levels)}"

    def values(self, name: str) -> str:
        """The values of a column, with their numbers of rows."""
        counts = self.counts[name]
        values = [f"{shown(value)} ({n} row{'s' if n > 1 else ''})" for value, n in counts.most_common(5)]
        return ", ".join(values) + (f" and {len(counts) - 5} more" if len(counts) > 5 else "")

    def refuse(self) -> None:
        """Raise where there are any."""
        for name in self.counts:
            raise DataError(
                f"{self.words(name)}. Leave out the rows that have them, or fit without the column, as one that only names the rows is "
                "no predictor"
            )

    def warn(self, fates: Mapping[str, str]) -> None:
        """Warn of each column; `fates` has for each what becomes of its rows, a key of `FATES`, and lacks those not to be warned of."""
        for name in self.counts:
            if name in fates:
                warn(f"{self.words(name)}; {FATES[fates[name]]}. `Fit.predict` refuses them with unseen='raise'", DataWarning)

    def warn_of_folds(self, fold: str = "fold") -> None:
        """Warn that held-out rows have them, and the training rows of their fold have not."""
        for name in self.counts:
            warn(
                f"column {name!r} has levels that the training rows of a {fold} lack: {self.values(name)}; held out, these rows have no "
                "prediction (NA), as new ones would have, and count as wrong",
                DataWarning,
            )


def alone(codes: np.ndarray, fold: np.ndarray) -> np.ndarray:
    """Where a level occurs in one fold only, so that the rows outside of it lack it, bool (n,).

    Parameters
    ----------
    codes : int array (n,)
        Of levels, -1 for none.
    fold : int array (n,)

    Examples
    --------
    >>> alone(np.array([0, 0, 1, 1, -1]), np.array([0, 1, 1, 1, 0])).tolist()
    [False, False, True, True, False]
    """
    first = np.full(codes.max(initial=0) + 1, fold.max(initial=0) + 1)
    last = np.full(len(first), -1)
    np.minimum.at(first, codes[codes >= 0], fold[codes >= 0])
    np.maximum.at(last, codes[codes >= 0], fold[codes >= 0])
    return np.asarray((codes >= 0) & (first == last)[codes])


def unseen_values(values: pd.Series, known: Column, levels: pd.Categorical | None) -> np.ndarray:
    """Where a column has a value that is not missing and none of the levels, bool (n,).

    Parameters
    ----------
    values : Series (n,)
    known : Column
        A category, or a boolean, whose levels are false and true, also as 0 and 1.
    levels : Categorical (n,), or None for a boolean
        The column with the known levels.
    """
    if levels is not None:
        return np.asarray((levels.codes < 0) & ~values.isna().to_numpy())
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return np.zeros(len(values), bool)
    return np.asarray(values.notna().to_numpy() & ~values.isin([0, 1]).to_numpy())
