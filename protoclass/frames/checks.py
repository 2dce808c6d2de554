"""Checks of the names, weights, classes and missing values of data, whose messages name the cure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import hint_for_value, quoted
from ..errors import DataError, shown

LEAST = 1e-250  # of a weight that is not 0


def check_names(columns: pd.Index) -> None:
    """Raise unless the names of columns are texts that differ."""
    check_unique(pd.Index(columns), "column")
    not_text = [c for c in columns if not isinstance(c, str)]
    if not_text:
        raise DataError(f"column names must be text, and {not_text[0]!r} is not: data.columns = data.columns.map(str)")


def check_read(needed: Iterable[Any], columns: pd.Index) -> None:
    """Raise unless the columns that a formula needs are among those that were read."""
    lost = [name for name in needed if name not in columns]
    if lost:
        raise DataError(
            f"column {lost[0]!r} was not read, as the formula of the fit does not name it: call fit with the path or the lazy table"
        )


def missing_values(counts: pd.Series, rows: int, response: Any, na: str) -> DataError:
    """The error of missing values where na="raise", and where they leave no row.

    Parameters
    ----------
    counts : Series
        Missing values of each column.
    rows : int
    response : name of the response, or None
    na : str
    """
    if na == "raise":
        where = ", ".join(f"{c!r} ({k})" for c, k in counts[counts > 0].items())
        return DataError(f"missing values in {where}: fill them, or use na='drop'")
    return DataError(f"no row is complete: {_most_missing(counts / rows, response)}")


def _most_missing(share: pd.Series, response: str | None) -> str:
    """Which columns have no value at all, or otherwise those that miss most, and the cure."""
    if response in share and share[response] == 1:
        return f"the response {response!r} has no value in any row"
    empty = list(share.index[share == 1])
    if empty:
        more = f" and {len(empty) - 5} more" if len(empty) > 5 else ""
        which = f"column {empty[0]!r} has" if len(empty) == 1 else f"columns {quoted(empty[:5])}{more} have"
        return f"{which} no value in any row: leave {'it' if len(empty) == 1 else 'them'} out"
    most = share.sort_values(ascending=False, kind="stable").head(5)
    shares = ", ".join(f"{name!r} ({100 * s:.3g} %)" for name, s in most[most > 0].items())
    return f"most values are missing in {shares}: fill them, or leave out the columns that miss most"


def check_weight_of_classes(levels: pd.Categorical, weight: np.ndarray, response: Any) -> None:
    """Raise unless every class has weight, and no weight is so small that sums and quotients of weights are no numbers."""
    small = weight[(weight > 0) & (weight < LEAST)]
    if len(small):
        raise DataError(
            f"a weight of {small.min():.4g}: weights are 0, or {LEAST:g} at least, below which computing with them loses digits: multiply "
            "them all by the same number"
        )
    total = np.bincount(levels.codes, weight, len(levels.categories))
    if not (total > 0).all():
        empty = levels.categories[int(np.argmin(total > 0))]
        raise DataError(f"class {shown(empty)} of {response!r} has no weight: every class needs rows of positive weight")


def given_weights(weights: Any, data: pd.DataFrame) -> np.ndarray:
    """Weights of the rows, (n,): 1, or those given."""
    if weights is None:
        return np.ones(len(data))
    values = np.asarray(along(weights, data, "weights"))
    if values.dtype.kind in "cmM":
        raise DataError("weights must be numbers")
    try:
        values = values.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise DataError("weights must be numbers") from None
    with np.errstate(over="ignore"):
        valid = (np.isfinite(values) & (values >= 0)).all() and np.isfinite(values.sum())
    if not valid:
        raise DataError("weights must be finite and not negative, with a finite sum")
    return values


def group_codes(groups: Any, data: pd.DataFrame) -> np.ndarray | None:
    """Codes 0, 1, ... of the groups that rows come in, (n,); None where there are none."""
    if groups is None:
        return None
    of_row = pd.Series(np.asarray(along(groups, data, "groups"), object))
    if of_row.isna().any():
        raise DataError("groups have missing values: every row needs one")
    return np.asarray(pd.factorize(of_row)[0])


def along(given: Any, data: pd.DataFrame, what: str) -> Any:
    """A value for each row: a column by name, a Series by label, an array by position."""
    if isinstance(given, str):
        check_column(given, data.columns, what)
        return data[given]
    if isinstance(given, pd.Series):
        check_unique(given.index, f"{what} row")
        missing = data.index[~data.index.isin(given.index)]
        if len(missing):
            raise DataError(
                f"{what} lack the row {shown(missing[0])}: the index must contain every row label of the data"
            )
        return given.loc[data.index]
    try:
        values = np.asarray(given)
    except ValueError:
        raise DataError(f"{what} must be one value for each row") from None
    if values.shape != (len(data),):
        raise DataError(f"{what} have shape {values.shape}, and the data have {len(data)} rows")
    return values


def check_column(name: str, columns: pd.Index, what: str) -> None:
    """Raise unless a name is that of a column."""
    if name not in columns:
        hint = hint_for_value(what, name, map(str, columns))
        raise DataError(f"{what}={name!r} is not a column of the data{hint and ': '}{hint}")


def check_unique(names: pd.Index, what: str) -> None:
    if isinstance(names, pd.IntervalIndex) and names.is_overlapping:
        raise DataError(f"the {what} labels are intervals that overlap: data.reset_index(drop=True) gives new ones")
    if not names.is_unique:
        cure = "data.reset_index(drop=True) gives new ones" if what.endswith("row") else "rename one of them"
        repeated = shown(names[names.duplicated()][0])
        raise DataError(f"the {what} label {repeated} occurs more than once: {cure}")
