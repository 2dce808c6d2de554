"""Tables of other libraries as pandas frames, and results in the library of the input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..ground.errors import DataError, NotAvailable, printed
from ..ground.savable import savable
from .read import of_polars, read_table, source_of

GONE = "the rows are not in this fit, which is slim: take the full one, give new rows, or fit again"
COPY_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3  # a copy of a frame uses the same columns until one of the two is changed
PLAIN = (str, bytes, bool, int, float, dict, date, timedelta, np.datetime64, np.timedelta64)  # types of which a column may be


@savable
@dataclass(frozen=True)
class Absent:
    """Placeholder for the data, or for an argument about single rows, in the call of a slim fit.

    Attributes
    ----------
    what : str
        Name of the value, as a call shows it.
    """

    what: str

    @printed
    def __repr__(self) -> str:
        return self.what


def as_pandas(data: Any, names: Iterable[Any] | None = None) -> pd.DataFrame:
    """A pandas frame from any frame that narwhals supports; polars needs no pyarrow. Paths and lazy tables are read (`read.py`).

    Parameters
    ----------
    data : table or path
    names : names of columns, optional
        Columns to read from paths and lazy tables, if they exist.

    Raises
    ------
    DataError
        For values that are not tables, and for lazy tables that cannot be computed.
    FileError
        For paths of files that do not exist or cannot be read.

    Examples
    --------
    >>> import polars
    >>> as_pandas(polars.DataFrame({"x": [1.5, None], "g": ["a", "b"]})).to_dict("list")
    {'x': [1.5, nan], 'g': ['a', 'b']}
    """
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Absent):
        raise NotAvailable(GONE)
    source = source_of(data)
    if source is not None:
        return read_table(source, names)
    import narwhals as nw
    from narwhals import selectors

    try:
        table = nw.from_native(data)
    except TypeError:
        raise DataError(
            f"data must be a DataFrame (pandas, polars, pyarrow), a path or a lazy table, not {type(data).__name__}: {_made_a_frame(data)}"
        ) from None
    if table.implementation.is_polars():  # its own to_pandas needs pyarrow
        return of_polars(data)
    return table.with_columns(selectors.by_dtype(nw.Decimal).cast(nw.Float64)).to_pandas()  # which would be objects


def unshared(table: Any) -> Any:
    """A table of pandas or polars that later changes of the given one do not reach; other values are returned as they are.

    Tables of pyarrow cannot be changed.
    """
    if isinstance(table, (pd.DataFrame, pd.Series)):
        return table.copy(deep=not COPY_ON_WRITE)
    if isinstance(table, np.ndarray) and table.ndim == 1:
        return table.copy()
    return table.clone() if type(table).__module__.startswith("polars.dataframe") else table


class cached_table(cached_property[pd.DataFrame]):  # noqa: N801 - used as cached_property is
    """A table that is computed once. Each reader gets a copy, so changing it changes nothing in the object."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        table = super().__get__(instance, owner)
        return table if instance is None else unshared(table)

    def __set__(self, instance: Any, value: Any) -> None:  # with it, Python asks here, and not the instance, for the table
        raise AttributeError(f"{self.attrname} is computed: it cannot be set")


def _made_a_frame(data: Any) -> str:
    """How to convert the given value into a table, in words."""
    if isinstance(data, pd.Series):
        return "use two pairs of brackets for one row, data.loc[[label]], and one frame for x and y"
    if isinstance(data, dict) and hasattr(data, "frame"):
        return "use load_...(as_frame=True).frame"
    if isinstance(data, dict):
        return "use pd.DataFrame([row]) for one row, or pd.DataFrame(data) for columns"
    if isinstance(data, (list, tuple, np.ndarray)):
        return "use pd.DataFrame(values, columns=names)"
    if hasattr(data, "condensed"):
        return "use data.frame()"
    if hasattr(data, "to_table"):
        return "use data.to_table(columns=[...])"
    if hasattr(data, "to_pandas"):
        return "use data.to_pandas()"
    return "use the frame itself"


def as_given(answer: pd.Series | pd.DataFrame, given: Any, rows: bool = False) -> Any:
    """An answer in the library of the table that was given: polars or pyarrow; pandas for everything else.

    These have no row labels, and neither have the tables that `as_pandas` makes of them, whose labels are the numbers of the rows.

    Parameters
    ----------
    answer : Series or DataFrame
        Labels of columns become texts, and so do labels of rows of several types or of one that these libraries lack; categories of
        text become an enumeration (in pyarrow texts), NaN and NA null.
    given : table
    rows : bool
        Whether the answer has a row for each row of the table: rows that it lacks are then null.

    Examples
    --------
    >>> import polars
    >>> as_given(pd.Series(["a"], [1], name="g"), polars.DataFrame({"x": [1.5, 2.5]}), rows=True).to_list()
    [None, 'a']
    """
    library = eager_library(given)
    if library is None:
        return answer
    if rows:
        answer = answer.reindex(pd.RangeIndex(len(given)))
    if isinstance(answer, pd.Series):
        return _column_of(library, "" if answer.name is None else str(answer.name), answer)
    columns = {str(name): _column_of(library, str(name), answer[name]) for name in answer}
    return library.DataFrame(columns) if library.__name__ == "polars" else library.table(columns)


def beside_given(answer: pd.DataFrame, given: Any) -> Any:
    """The given table with the columns of an answer about its rows that it lacks."""
    library = eager_library(given)
    if library is None:
        return answer
    out = given
    for name in answer.columns[len(given.columns) :]:
        column = _column_of(library, name, answer[name])
        out = out.with_columns(column) if library.__name__ == "polars" else out.append_column(name, column)
    return out


def of_one_type(values: list[Any]) -> list[Any]:
    """Values that a column of one type can contain: texts, if they are of several types or of one without a type of columns.

    Examples
    --------
    >>> of_one_type([1, "a", None]), of_one_type([1, 2.5]), of_one_type([("a",), ("a", 1)])
    (['1', 'a', None], [1, 2.5], ["('a',)", "('a', 1)"])
    """
    parts = [part for v in values if v is not None for part in (v if isinstance(v, (tuple, list)) else [v])]
    types = {type(part) for part in parts}
    if types <= {int, float} or (len(types) == 1 and isinstance(parts[0], PLAIN)):
        return values
    return [None if v is None else str(v) for v in values]


def eager_library(given: Any) -> Any:
    """The module of a polars or pyarrow table, None for others."""
    if type(given).__module__.split(".")[0] not in ("polars", "pyarrow"):
        return None
    import narwhals as nw

    table = nw.from_native(given, pass_through=True)
    return nw.get_native_namespace(table) if isinstance(table, nw.DataFrame) else None


def _column_of(library: Any, name: str, values: pd.Series) -> Any:
    """A column of pandas as polars or pyarrow has it."""
    texts = isinstance(values.dtype, pd.CategoricalDtype) and all(isinstance(c, str) for c in values.cat.categories)
    if values.dtype.kind == "f":
        plain: Any = values.to_numpy(float, na_value=np.nan)
    else:
        plain = of_one_type([None if missing else v for v, missing in zip(values.tolist(), values.isna(), strict=True)])
    if library.__name__ != "polars":
        return library.array(plain, from_pandas=True)
    dtype = library.Enum(list(values.cat.categories)) if texts else None
    return library.Series(name, plain, dtype=dtype, nan_to_null=True)
