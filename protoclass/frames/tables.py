"""Tables of other libraries as pandas frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import DataError

COLLECT = ("to_pandas", "toPandas", "df", "compute", "collect")  # how a lazy table is made a frame, by library


def as_pandas(data: Any) -> pd.DataFrame:
    """A pandas frame from any eager frame that narwhals supports; polars needs no pyarrow.

    Raises
    ------
    DataError
        For what is no table, and for lazy tables, which have no rows yet.

    Examples
    --------
    >>> import polars
    >>> as_pandas(polars.DataFrame({"x": [1.5, None], "g": ["a", "b"]})).to_dict("list")
    {'x': [1.5, nan], 'g': ['a', 'b']}
    """
    if isinstance(data, pd.DataFrame):
        return data
    import narwhals as nw

    try:
        table = nw.from_native(data)
    except TypeError:
        raise DataError(f"data must be a DataFrame (pandas, polars, pyarrow), not {type(data).__name__}") from None
    if isinstance(table, nw.LazyFrame):
        kind = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
        cure = next((name for name in COLLECT if hasattr(data, name)), "collect")
        raise DataError(f"data is a {kind}, which is lazy and has no rows yet: give data.{cure}()")
    if table.implementation.is_polars():  # its own to_pandas needs pyarrow
        return pd.DataFrame({name: _column(table[name]) for name in table.columns}, pd.RangeIndex(len(table)))
    return table.to_pandas()


def _column(values: Any) -> Any:
    """A column of narwhals as pandas has it."""
    import narwhals as nw

    kind = values.dtype
    if kind.is_numeric() or kind in (nw.Boolean, nw.Date):
        return np.asarray(values.to_numpy())
    if kind == nw.Enum:
        return pd.Categorical(values.to_list(), values.to_native().dtype.categories.to_list(), ordered=True)
    if kind == nw.Categorical:  # which has no order of its own: the levels are sorted
        return pd.Categorical(values.to_list())
    return pd.Series(values.to_list(), dtype=None if len(values) else object)
