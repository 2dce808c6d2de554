"""Tables of files and other libraries as pandas frames, and answers in the library of the input."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd

from ..ground.errors import (
    DataError,
    FileError,
    NotAvailableError,
    OptionError,
    ProtoclassError,
    printed,
    shown,
    why,
)
from ..ground.files import in_encoding
from ..ground.savable import savable
from .formula import read as read_formula
from .schema import check_column, check_names

ENTRIES = 2**21  # values of a block of rows, of all columns
MOST, FEWEST = 2**16, 2**10  # rows of a block
PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz", ".csv.bz2", ".csv.xz")
ALLOWED = (
    "the path of a file that ends in .parquet or .csv, or a list of paths such as "
    "sorted(glob.glob('folder/*.csv'))"
)

READERS = {".feather": "feather", ".arrow": "feather", ".xlsx": "excel", ".json": "json", ".dta": "stata",
    ".sav": "spss",
           ".txt": "table", ".tsv": "table", ".tab": "table"}  # of pandas  # fmt: skip


@dataclass(frozen=True)
class LazyTable:
    """A table that is not in memory.

    Attributes
    ----------
    names : list of str
        All columns.
    read : function
        Returns a frame of some columns, with row numbers as labels.
    """

    names: list[str]
    read: Callable[[list[str]], pd.DataFrame]


def source_of(data: Any) -> LazyTable | None:
    """The source of paths and lazy tables; None for everything else.

    Examples
    --------
    >>> import polars
    >>> source = source_of(polars.LazyFrame({"a": [1, None], "b": ["u", "v"]}))
    >>> source.names, source.read(["a"])["a"].tolist()
    (['a', 'b'], [1.0, nan])
    """
    if isinstance(data, pd.DataFrame):
        return None
    if is_path(data):
        files = files_of(data)
        return LazyTable(files[0].names, partial(_read_files, files))
    if hasattr(data, "to_delayed"):
        raise DataError(
            "only fit, cross_validate, predict, augment and test take a Dask DataFrame: use data.compute()"
        )
    import narwhals as nw

    table = nw.from_native(data, pass_through=True)
    if not isinstance(table, nw.LazyFrame):
        return None
    with readable(partial(_unreadable, data)):
        return LazyTable(list(table.collect_schema()), partial(_computed, data, table))


def _computed(data: Any, table: Any, columns: list[str]) -> pd.DataFrame:
    """Some columns of a lazy table, with row numbers as labels."""
    library = None if table.implementation.is_polars() else "pandas"
    with readable(partial(_unreadable, data)):
        return as_pandas(table.select(columns).collect(library)).reset_index(drop=True)


def _unreadable(data: Any, reason: Exception) -> DataError:
    kind = f"{type(data).__module__.split('.')[0].lstrip('_')} {type(data).__name__}"
    return DataError(f"the {kind} can't be read: {why(reason)}")


def read_for(data: Any, formula: str, aside: Mapping[str, Any] | None = None) -> Any:
    """The columns that a formula names from a path or a lazy table; other data unchanged.

    Parameters
    ----------
    data : table, path or paths
    formula : str
    aside : mapping of argument to its value
        Texts are names of further columns, such as weights, which `.` leaves out.
    """
    source = source_of(data)
    if source is None:
        return data
    names = pd.Index(source.names)
    check_names(names)
    named = {what: name for what, name in (aside or {}).items() if isinstance(name, str)}
    for what, name in named.items():
        check_column(name, names, what)
    parsed = read_formula(formula, names, named.values())
    return read_table(
        source, {*parsed.variables, parsed.response, *parsed.named(), *named.values()}
    )


def read_table(source: LazyTable, wanted: Iterable[Any] | None = None) -> pd.DataFrame:
    """The wanted columns that a source has, or all columns."""
    names = set(source.names if wanted is None else wanted)
    return source.read([name for name in source.names if name in names] or source.names[:1])


@dataclass(frozen=True)
class File:
    """A Parquet or CSV file."""

    path: Path
    kind: str
    names: list[str]

    def csv(self, columns: list[str]) -> pd.DataFrame:
        """Some columns of a CSV file. The parser checks the length of lines only if it reads all
        columns."""
        with readable(self.unreadable), catch_warnings():
            simplefilter("error", pd.errors.ParserWarning)
            try:
                return pd.read_csv(self.path, low_memory=False, index_col=False)[columns]
            except pd.errors.ParserWarning:
                words = (
                    "has lines with more values than its first line has names: name every column"
                )
                raise FileError(f"{shown(str(self.path))} {words}") from None

    def unreadable(self, reason: Exception) -> FileError:
        words = in_encoding(reason) or why(reason).replace(str(self.path), "the file")
        return FileError(
            f"{shown(str(self.path))} is not a {self.kind} file that can be loaded: {words}"
        )


def _read_files(files: list[File], columns: list[str]) -> pd.DataFrame:
    """Some columns of several files, with row numbers as labels."""
    if files[0].kind == "CSV":
        parts = [file.csv(columns) for file in files]
        return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    from pyarrow import unify_schemas
    from pyarrow.parquet import read_schema

    with readable(files[0].unreadable):
        schema = unify_schemas(
            [read_schema(file.path) for file in files], promote_options="permissive"
        )
        paths = [file.path for file in files]
        return pd.read_parquet(paths, columns=columns, engine="pyarrow", schema=schema).reset_index(
            drop=True
        )


def arrow_tables(source: Any, needed: list[Any] | None, keys: list[str]) -> Iterator[Any]:
    """Blocks of rows, tables of pyarrow, of Parquet files or Arrow batches; the first is empty.

    Parameters
    ----------
    source : path, paths, or an object with `__arrow_c_stream__`
    needed : names of columns to read if they exist, or None for all
    keys : names of columns that must exist
    """
    import pyarrow
    from pyarrow.parquet import ParquetFile

    def wanted(names: list[str]) -> list[str]:
        check_names(pd.Index(names))
        for name in keys:
            check_column(name, pd.Index(names), "key")
        return [name for name in names if needed is None or name in {*needed, *keys}]

    files = files_of(source) if is_path(source) else []
    if not files and not hasattr(source, "__arrow_c_stream__"):
        raise DataError(
            "source must be a path, a list of paths or a stream of Arrow batches, not "
            f"{type(source).__name__}: write a lazy table of "
            "polars by sink_parquet(path), and use predict for a Dask DataFrame"
        )
    for file in files:
        if file.kind == "CSV":
            raise DataError(
                f"the rows of {shown(str(file.path))} are not read in blocks: use "
                "pyarrow.csv.open_csv(path), or predict"
            )
        columns = wanted(file.names)
        with readable(file.unreadable), ParquetFile(file.path, pre_buffer=False) as parquet:
            yield parquet.schema_arrow.empty_table().select(columns)
            yield from map(
                pyarrow.table, parquet.iter_batches(rows_at_once(len(columns)), columns=columns)
            )
    if not files:
        with readable(partial(_unreadable, source)):
            stream = pyarrow.RecordBatchReader.from_stream(source)
            columns, step = wanted(stream.schema.names), rows_at_once(len(stream.schema.names))
            # the texts of polars are of a type that no CSV file takes
            fields = [stream.schema.field(name) for name in columns]
            plain = pyarrow.schema(
                [
                    f.with_type(pyarrow.string()) if str(f.type) == "string_view" else f
                    for f in fields
                ]
            )
            yield plain.empty_table()
            for batch in stream:
                yield from (
                    pyarrow.table(batch.slice(first, step)).select(columns).cast(plain)
                    for first in range(0, len(batch), step)
                )


def is_path(data: Any) -> bool:
    """Whether data are a path or a list of paths."""
    paths = data if isinstance(data, (list, tuple)) else [data]
    return len(paths) > 0 and all(isinstance(path, (str, os.PathLike)) for path in paths)


def files_of(data: Any) -> list[File]:
    """The files of a path or a list of paths.

    Raises
    ------
    OptionError
        For an address of the web.
    FileError
        If one does not exist, is of another type or cannot be read, or if their columns differ.
    """
    files = [
        _file(os.fsdecode(path)) for path in (data if isinstance(data, (list, tuple)) else [data])
    ]
    for file in files:
        both = f"{shown(str(files[0].path))} and {shown(str(file.path))}"
        if file.kind != files[0].kind:
            raise FileError(f"{both} are of different kinds: use Parquet or CSV files alone")
        odd = set(files[0].names) ^ set(file.names)
        if odd:
            raise FileError(
                f"{both} have different columns, such as {shown(min(odd, key=str))}: use files with the same columns"
            )
    return files


def _file(name: str) -> File:
    if "://" in name[:20]:
        raise OptionError(
            f"{shown(name)} is a web address, but data are not fetched from the web: save the file and use its path"
        )
    path = Path(os.path.abspath(os.path.expanduser(name)))
    if not os.path.exists(path) or not name:
        raise FileError(
            f"no file is named {shown(name)}: use a DataFrame, {ALLOWED}, or a data set, pc.load_data('iris')"
        )
    kind = "Parquet" if name.lower().endswith(PARQUET) else "CSV"
    if not (name.lower().endswith((*PARQUET, *CSV)) and path.is_file()):
        reader = READERS.get(path.suffix.lower())
        frame = f", or the frame of pd.read_{reader}(path)" if reader else ""
        raise FileError(f"{shown(name)} is not a file of a supported kind: use {ALLOWED}{frame}")
    file = File(path, kind, [])
    if kind == "Parquet" and not installed("pyarrow"):
        raise FileError(
            f"{shown(name)} needs pyarrow, which is not installed: install it, or use a CSV file"
        )
    with readable(file.unreadable):
        file.names.extend(
            _names_in_parquet(path) if kind == "Parquet" else pd.read_csv(path, nrows=0).columns
        )
        if any("\0" in column for column in file.names):
            raise ValueError(
                "its first line contains no names; if it is in UTF-16, use pd.read_csv(path, encoding='utf-16')"
            )
    return file


def _names_in_parquet(path: Path) -> list[str]:
    """The columns of a Parquet file, without an index from pandas."""
    from pyarrow.parquet import read_schema

    schema = read_schema(path)
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in schema.names if name not in index]


def _of_polars(values: Any) -> Any:
    """A column of polars as pandas has it, without pyarrow, which polars' own `to_pandas` needs."""
    import narwhals as nw

    kind = values.dtype
    if kind.is_numeric() or kind in (nw.Boolean, nw.Date):
        return values.to_numpy()
    if kind == nw.Enum:
        return pd.Categorical(
            values.to_list(), values.to_native().dtype.categories.to_list(), ordered=True
        )
    if kind == nw.Categorical:  # which has no order: the levels are sorted
        return pd.Categorical(values.to_list())
    return pd.Series(values.to_list(), dtype=None if len(values) else object)


@contextmanager
def readable(error: Callable[[Exception], Exception]) -> Iterator[None]:
    """A context in which an error of another library becomes one that names the source."""
    try:
        yield
    except (ProtoclassError, MemoryError):
        raise
    except Exception as reason:
        raise error(reason) from reason


def rows_at_once(columns: int) -> int:
    """The rows of a block, a power of two."""
    rows = max(FEWEST, min(MOST, ENTRIES // max(1, columns)))
    return 1 << (rows.bit_length() - 1)


def installed(name: str) -> bool:
    """Whether a package that not every user has can be imported."""
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that is set to None
        return False


GONE = "this slim fit has no training rows: use the full fit, or pass new rows"
# types of which a column may be
PLAIN = (str, bytes, bool, int, float, dict, date, timedelta, np.datetime64, np.timedelta64)


@savable
@dataclass(frozen=True)
class Absent:
    """Placeholder for data or an argument about single rows in the call of a slim fit.

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
    """A pandas frame from any frame that narwhals supports, a path or a lazy table.

    Parameters
    ----------
    data : table or path
    names : names of columns, optional
        Columns to read from paths and lazy tables, if they exist.

    Raises
    ------
    DataError, FileError
        For values that are not tables, and for tables and files that cannot be read.

    Examples
    --------
    >>> import polars
    >>> as_pandas(polars.DataFrame({"x": [1.5, None], "g": ["a", "b"]})).to_dict("list")
    {'x': [1.5, nan], 'g': ['a', 'b']}
    """
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Absent):
        raise NotAvailableError(GONE)
    source = source_of(data)
    if source is not None:
        return read_table(source, names)
    import narwhals as nw
    from narwhals import selectors

    try:
        table = nw.from_native(data)
    except TypeError:
        raise DataError(
            "data must be a DataFrame (pandas, polars, pyarrow), a path or a lazy table, not "
            f"{type(data).__name__}: {_made_a_frame(data)}"
        ) from None
    # which would be objects
    long = selectors.by_dtype(nw.Decimal, nw.Int128, nw.UInt128)
    table = table.with_columns(long.cast(nw.Float64))
    if not table.implementation.is_polars():
        return table.to_pandas()
    columns = {name: _of_polars(table[name]) for name in table.columns}
    return pd.DataFrame(columns, pd.RangeIndex(len(table)))


def unshared(table: Any) -> Any:
    """A copy of a table of pandas or polars; other values unchanged (pyarrow's are immutable)."""
    if isinstance(table, (pd.DataFrame, pd.Series)):
        # from pandas 3 on, a copy uses the same columns until one of the two is changed
        return table.copy(deep=int(pd.__version__.split(".")[0]) < 3)
    if isinstance(table, np.ndarray) and table.ndim == 1:
        return table.copy()
    return table.clone() if type(table).__module__.startswith("polars.dataframe") else table


class cached_table(cached_property[pd.DataFrame]):  # noqa: N801 - used as cached_property is
    """A table that is computed once, and copied for each reader."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        table = super().__get__(instance, owner)
        return table if instance is None else unshared(table)

    # with it, Python asks here, and not the instance, for the table
    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(f"{self.attrname} is computed: it cannot be set")


def _made_a_frame(data: Any) -> str:
    """The way to convert a value into a table, in words."""
    if isinstance(data, pd.Series):
        return "use two pairs of brackets for one row, data.loc[[label]], and one frame for x and y"
    if isinstance(data, dict) and hasattr(data, "frame"):
        return "use load_...(as_frame=True).frame"
    if isinstance(data, dict):
        return "use pd.DataFrame([row]) for one row, or pd.DataFrame(data) for columns"
    if isinstance(data, (list, tuple, np.ndarray)):
        return "use pd.DataFrame(values, columns=names)"
    if hasattr(data, "to_table"):
        return "use data.to_table(columns=[...])"
    return "use the frame itself"


def as_given(answer: pd.Series | pd.DataFrame, given: Any, rows: bool = False) -> Any:
    """An answer in the library of the given table: polars or pyarrow, otherwise pandas.

    Parameters
    ----------
    answer : Series or DataFrame
        Labels of columns become texts, and so do labels of rows of several types or of a type that
        the library lacks; categories become enumerations (texts in pyarrow), NaN and NA null.
    given : table
    rows : bool
        Whether the answer is about rows of the table; rows that it lacks are then null.

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
    """The given table with further columns of an answer about its rows."""
    library = eager_library(given)
    if library is None:
        return answer
    out = given
    for name in answer.columns[len(given.columns) :]:
        column = _column_of(library, name, answer[name])
        out = (
            out.with_columns(column)
            if library.__name__ == "polars"
            else out.append_column(name, column)
        )
    return out


def of_one_type(values: list[Any]) -> list[Any]:
    """Values for a column of one type; texts if they have several types, or an unknown type.

    Examples
    --------
    >>> of_one_type([1, "a", None]), of_one_type([1, 2.5]), of_one_type([("a",), ("a", 1)])
    (['1', 'a', None], [1, 2.5], ["('a',)", "('a', 1)"])
    """
    parts = [
        part
        for v in values
        if v is not None
        for part in (v if isinstance(v, (tuple, list)) else [v])
    ]
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
    texts = isinstance(values.dtype, pd.CategoricalDtype) and all(
        isinstance(c, str) for c in values.cat.categories
    )
    if values.dtype.kind == "f":
        plain: Any = values.to_numpy(float, na_value=np.nan)
    else:
        plain = of_one_type(
            [
                None if missing else v
                for v, missing in zip(values.tolist(), values.isna(), strict=True)
            ]
        )
    if library.__name__ != "polars":
        return library.array(plain, from_pandas=True)
    dtype = library.Enum(list(values.cat.categories)) if texts else None
    return library.Series(name, plain, dtype=dtype, nan_to_null=True)
