"""Tables that are read in blocks of rows: lazy ones of polars, DuckDB, dask and pyarrow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ..errors import DataError, ProtoclassError, cut

VALUES = 2**21  # values of a block of rows, of all columns
FEWEST = 1000  # rows of a block
# what does not keep the order of rows, by the headings of the plans of DuckDB and polars, and what makes one
UNORDERED = r"\b(?<!STREAMING )(JOIN|GROUP BY|WINDOW|SAMPLE|DISTINCT|CROSS PRODUCT)\b"
ORDERED = r"\b(ORDER BY|TOP N)\b"


class Source(Protocol):
    """A table that can be read in blocks of rows, as often as wanted.

    Attributes
    ----------
    names : tuple of str
        All of its columns.
    expected : int
        Number of rows, where it is known without reading them; 0 otherwise.
    unordered : frozenset of str
        Columns of categories that have no order of their own, so that the levels are sorted.
    """

    @property
    def names(self) -> tuple[Any, ...]: ...
    @property
    def expected(self) -> int: ...
    @property
    def unordered(self) -> frozenset[str]: ...

    def blocks(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        """Some of the columns, block by block, each as its library makes it a pandas frame."""
        ...

    def as_text(self, column: str) -> Source | None:
        """The same with a column read as texts, where the file says no type."""
        ...


def rows_at_once(columns: int) -> int:
    """The rows of a block."""
    return max(FEWEST, VALUES // max(1, columns))


@dataclass(frozen=True)
class Lazy:
    """A lazy table of another library."""

    table: Any
    names: tuple[Any, ...]
    read: Callable[[Any, list[str]], Iterator[pd.DataFrame]]
    expected: int = 0
    unordered: frozenset[str] = frozenset()

    def blocks(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        kind = kind_of(self.table)
        try:
            yield from self.read(self.table, columns)
        except (ProtoclassError, MemoryError):
            raise
        except Exception as reason:  # of whatever the table does when it is computed
            raise DataError(f"the {kind} can't be read: {cut(' '.join(str(reason).split()) or type(reason).__name__)}") from reason

    def as_text(self, column: str) -> Source | None:
        return None


def kind_of(data: Any) -> str:
    """What a table is, in words: "a polars LazyFrame"."""
    library = type(data).__module__.split(".")[0].lstrip("_")
    return f"{library} {type(data).__name__}"


def lazy_source(data: Any) -> Lazy | None:
    """The source of a lazy table that can be read in blocks, or None.

    Raises
    ------
    DataError
        Where the order of its rows is left to chance.

    Examples
    --------
    >>> import polars
    >>> table = polars.LazyFrame({"a": [1, None], "b": ["u", "v"]})
    >>> source = lazy_source(table)
    >>> source.names, [block["a"].tolist() for block in source.blocks(["a"])]
    (('a', 'b'), [[1.0, nan]])
    """
    library = library_of(data)
    return None if library is None else SOURCES[library](data)


def library_of(data: Any) -> str | None:
    """The library of a lazy table that can be read in blocks, without importing any; None for other values."""
    known = {(base.__module__.split(".")[0].lstrip("_"), base.__name__) for base in type(data).__mro__}
    return next((library for library, name in LAZY.items() if (library, name) in known), None)


def _polars(data: Any) -> Lazy:
    import polars

    if tuple(map(int, polars.__version__.split(".")[:2])) < (1, 40):  # earlier ones end at an error as if there were no more rows
        raise DataError(
            f"a LazyFrame is read in blocks from polars 1.40 on, and this is {polars.__version__}: update polars, or give data.collect()"
        )
    try:
        schema, plan = data.collect_schema(), data.explain()
    except Exception as reason:
        raise DataError(f"the polars LazyFrame can't be read: {cut(' '.join(str(reason).split()))}") from reason
    # headings stand at the beginning of lines; a sort above them gives the rows an order again
    headings = re.findall(r"^ *(SORT BY|[A-Z]+ JOIN|AGGREGATE\[maintain_order: false|UNIQUE\[maintain_order: false)", plan, re.M)
    plain = [h for h in headings if h != "CROSS JOIN"]
    if plain and plain[0] != "SORT BY":
        what = {"AGG": "group_by", "UNI": "unique"}.get(plain[0][:3], "join")
        cure = "data.sort(...) as the last step" + ("" if what == "join" else f", or {what}(..., maintain_order=True)")
        raise _without_order("polars LazyFrame", f"a {what}", cure)
    unordered = frozenset(name for name, dtype in schema.items() if str(dtype).startswith("Categorical"))
    return Lazy(data, tuple(schema), polars_blocks, unordered=unordered)


def polars_blocks(data: Any, columns: list[str]) -> Iterator[pd.DataFrame]:
    """Some columns of a LazyFrame, block by block."""
    for batch in data.select(columns).collect_batches(chunk_size=rows_at_once(len(columns)), maintain_order=True):
        yield of_polars(batch)


def _duckdb(data: Any) -> Lazy:
    try:
        plan, names = data.explain(), data.columns
        kept = data.query("data", "select current_setting('preserve_insertion_order')").fetchall()[0][0]
    except Exception as reason:
        raise DataError(f"the DuckDB relation can't be read: {cut(' '.join(str(reason).split()))}") from reason
    headings = [h.replace("_", " ").upper() for h in re.findall(r"[╭├]─ (\S[\w ]*?) [─┴┬╮]|│ +([A-Z_]{4,}) +│", plan) for h in h if h]
    order = next((k for k, h in enumerate(headings) if re.search(ORDERED, h)), len(headings))
    loose = [h for h in headings[:order] if re.search(UNORDERED, h) and not h.startswith("UNGROUPED")]
    cure = "data.order('...') by columns that tell the rows apart"
    if loose:
        raise _without_order("DuckDB relation", f"a {loose[0].lower()}", cure)
    if not kept and order == len(headings):
        raise _without_order("DuckDB relation", "the setting preserve_insertion_order=false", cure)
    return Lazy(data, tuple(names), _duckdb_blocks)


def _duckdb_blocks(data: Any, columns: list[str]) -> Iterator[pd.DataFrame]:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise DataError(
            "DuckDB hands over blocks of rows by pyarrow, which is not installed: install it, or write the relation to a file, "
            "data.write_csv('data.csv'), and give its path"
        ) from None
    wide = {name for name, kind in zip(data.columns, data.types, strict=True) if re.match("DECIMAL|U?HUGEINT", str(kind))}
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in columns}  # data.df() has these numbers as floats
    chosen = [f"cast({quoted[name]} as double) as {quoted[name]}" if name in wide else quoted[name] for name in columns]
    part = data.project(", ".join(chosen)) if chosen else data
    reader = part.to_arrow_reader if hasattr(part, "to_arrow_reader") else part.fetch_arrow_reader  # before 1.5
    for batch in reader(rows_at_once(len(columns))):
        yield batch.to_pandas()


def _without_order(kind: str, what: str, cure: str) -> DataError:
    return DataError(
        f"data is a {kind} whose rows may come in another order each time, because of {what}; of equally good prototypes the first row is "
        f"taken, so the order must be fixed: {cure}"
    )


def _dask(data: Any) -> Lazy:
    return Lazy(data, tuple(data.columns), _dask_blocks)


def _dask_blocks(data: Any, columns: list[str]) -> Iterator[pd.DataFrame]:
    part = data[columns]
    for k in range(part.npartitions):
        whole = part.partitions[k].compute().reset_index(drop=True)
        step = rows_at_once(len(columns))
        for start in range(0, len(whole), step):
            yield whole.iloc[start : start + step]


def _arrow(data: Any) -> Lazy:
    parquet = getattr(getattr(data, "format", None), "default_extname", "") == "parquet"
    try:
        expected = data.count_rows() if parquet else 0
    except (OSError, ValueError):  # said with the name of the file where it is read
        expected = 0
    index = index_of((data.schema.metadata or {}).get(b"pandas"))
    return Lazy(data, tuple(name for name in data.schema.names if name not in index), _arrow_blocks, expected)


def _arrow_blocks(data: Any, columns: list[str]) -> Iterator[pd.DataFrame]:
    size = rows_at_once(len(columns))
    for batch in data.to_batches(columns=columns, batch_size=size, batch_readahead=2, fragment_readahead=1):
        yield batch.to_pandas()


LAZY = {"polars": "LazyFrame", "duckdb": "DuckDBPyRelation", "dask": "DataFrame", "pyarrow": "Dataset"}
SOURCES: dict[str, Callable[[Any], Lazy]] = {"polars": _polars, "duckdb": _duckdb, "dask": _dask, "pyarrow": _arrow}


def index_of(written: str | bytes | None) -> list[str]:
    """The columns that hold the index of a frame, by what pandas has written beside them."""
    try:
        return [name for name in json.loads(written)["index_columns"] if isinstance(name, str)] if written else []
    except (ValueError, LookupError, TypeError):
        return []


def of_polars(table: Any) -> pd.DataFrame:
    """A frame of polars, without pyarrow, which its own `to_pandas` needs."""
    import narwhals as nw

    known = nw.from_native(table)
    return pd.DataFrame({name: _of_polars(known[name]) for name in known.columns}, pd.RangeIndex(len(known)))


def _of_polars(values: Any) -> Any:
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
