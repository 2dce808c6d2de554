"""Tables that are read in blocks of rows: lazy ones of polars, DuckDB, dask and pyarrow, and Parquet and CSV files."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from ..ground.errors import DataError, FileError, OptionError, ProtoclassError, cut, shown
from ..ground.files import in_encoding

VALUES = 2**20  # values of a block of rows, of all columns
FEWEST = 1000  # rows of a block
CHUNK = 2**20  # bytes that are read at a time to count lines
LAZY = {"polars": "LazyFrame", "duckdb": "DuckDBPyRelation", "dask": "DataFrame", "pyarrow": "Dataset"}
KINDS = {".parquet": "parquet", ".pq": "parquet", ".csv": "CSV", ".csv.gz": "CSV", ".csv.bz2": "CSV", ".csv.xz": "CSV"}
ALLOWED = "files that end in .parquet or .csv (one, a list, a folder or a glob)"
READERS = {".feather": "feather", ".arrow": "feather", ".xlsx": "excel", ".json": "json", ".dta": "stata", ".sav": "spss",
           ".txt": "table", ".tsv": "table", ".tab": "table"}  # of pandas  # fmt: skip

Piece = tuple[str, int | None, tuple[int, int]]
Form = Callable[[Any], Any]  # conversion of a block of rows, a table of the library that reads it


@contextmanager
def readable(error: Callable[[Exception], Exception]) -> Iterator[None]:
    """Within it an error of another library, of which there are many, becomes an error that names the source that cannot be read."""
    try:
        yield
    except (ProtoclassError, MemoryError):
        raise
    except Exception as reason:
        raise error(reason) from reason


def rows_at_once(columns: int) -> int:
    """The rows of a block."""
    return max(FEWEST, VALUES // max(1, columns))


def as_frame(block: Any) -> pd.DataFrame:
    """A block of rows as its library makes it a pandas frame."""
    if isinstance(block, pd.DataFrame):
        return block
    return of_polars(block) if type(block).__module__.startswith("polars") else block.to_pandas()


@dataclass(frozen=True)
class Lazy:
    """A lazy table of another library, which can be read several times, each time in the current order of its rows."""

    kind: str  # type of the table, for messages: "polars LazyFrame"
    names: tuple[Any, ...]
    read: Callable[[list[str]], Iterator[Any]]  # some columns, block by block, as tables of the library
    expected: int = 0  # number of rows, if known without reading them
    sorts: bool = False  # whether categories have no order, so the levels are sorted

    def blocks(self, columns: list[str], form: Form = as_frame) -> Iterator[Any]:
        with readable(self.unreadable):
            yield from map(form, self.read(columns))

    def unreadable(self, reason: Exception) -> DataError:
        return DataError(f"the {self.kind} can't be read: {cut(' '.join(str(reason).split()) or type(reason).__name__)}")

    def as_text(self, column: str) -> None:
        """The same with a column read as text: not available, because the table has types."""


def library_of(data: Any) -> str | None:
    """The library of a lazy table that can be read in blocks, without importing any; None for other values."""
    known = {(base.__module__.split(".")[0].lstrip("_"), base.__name__) for base in type(data).__mro__}
    return next((library for library, name in LAZY.items() if (library, name) in known), None)


def lazy_source(data: Any, exact: Collection[str] = ()) -> Lazy | None:
    """The source of a lazy table that can be read in blocks, or None; decimals of columns that are `exact` do not become floats.

    Examples
    --------
    >>> import polars
    >>> table = polars.LazyFrame({"a": [1, None], "b": ["u", "v"]})
    >>> source = lazy_source(table)
    >>> source.names, [block["a"].tolist() for block in source.blocks(["a"])]
    (('a', 'b'), [[1.0, nan]])
    """
    library = library_of(data)
    if library is None:
        return None
    source = Lazy(f"{library} {type(data).__name__}", (), iter)
    with readable(source.unreadable):
        if library == "polars":
            return _polars(data, source)
        if library == "duckdb":
            return replace(source, names=tuple(data.columns), read=lambda columns: _duckdb_blocks(data, columns, exact))
        if library == "dask":
            return replace(source, names=tuple(data.columns), read=lambda columns: _dask_blocks(data[columns]))
        return _arrow(data, source)


def _polars(data: Any, source: Lazy) -> Lazy:
    import polars

    if tuple(map(int, polars.__version__.split(".")[:2])) < (1, 40):  # earlier ones end at an error as if there were no more rows
        raise DataError(f"a LazyFrame needs polars 1.40 or newer, but this is {polars.__version__}: update polars, or use data.collect()")

    def read(columns: list[str]) -> Iterator[Any]:
        return iter(data.select(columns).collect_batches(chunk_size=rows_at_once(len(columns)), maintain_order=True))

    return replace(source, names=tuple(data.collect_schema()), read=read, sorts=True)


def _duckdb_blocks(data: Any, columns: list[str], exact: Collection[str]) -> Iterator[Any]:
    if not installed("pyarrow"):
        raise DataError(
            "a DuckDB relation needs pyarrow, which is not installed: install it, or write the relation by data.write_csv('data.csv') "
            "and use that path"
        )
    wide = {name for name, kind in zip(data.columns, data.types, strict=True) if kind.id in ("decimal", "hugeint", "uhugeint")}
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in columns}  # data.df() has these numbers as floats
    floats = wide - set(exact)
    chosen = [f"cast({quoted[name]} as double) as {quoted[name]}" if name in floats else quoted[name] for name in columns]
    part = data.project(", ".join(chosen)) if chosen else data
    reader = part.to_arrow_reader if hasattr(part, "to_arrow_reader") else part.fetch_arrow_reader  # before 1.5
    yield from reader(rows_at_once(len(columns)))


def _dask_blocks(data: Any) -> Iterator[pd.DataFrame]:
    step = rows_at_once(len(data.columns))
    for k in range(data.npartitions):
        whole = data.partitions[k].compute().reset_index(drop=True)
        for start in range(0, len(whole), step):
            yield whole.iloc[start : start + step]


def _arrow(data: Any, source: Lazy) -> Lazy:
    parquet = getattr(getattr(data, "format", None), "default_extname", "") == "parquet"
    try:
        expected = data.count_rows() if parquet else 0
    except (OSError, ValueError):  # raised again with the name of the file when it is read
        expected = 0

    def read(columns: list[str]) -> Iterator[Any]:
        return iter(data.to_batches(columns=columns, batch_size=rows_at_once(len(columns)), batch_readahead=2, fragment_readahead=1))

    names = without_index(data.schema.names, (data.schema.metadata or {}).get(b"pandas"))
    return replace(source, names=names, read=read, expected=expected)


def without_index(names: list[str], written: str | bytes | None) -> tuple[str, ...]:
    """Names of columns without the index of a frame, by the metadata of pandas."""
    try:
        index = json.loads(written)["index_columns"] if written else []
        return tuple(name for name in names if name not in index)
    except (ValueError, LookupError, TypeError):
        return tuple(names)


def of_polars(table: Any) -> pd.DataFrame:
    """A frame of polars, without pyarrow, which its own `to_pandas` needs."""
    import narwhals as nw

    known = nw.from_native(table)
    return pd.DataFrame({name: _of_polars(known[name]) for name in known.columns}, pd.RangeIndex(len(known)))


def _of_polars(values: Any) -> Any:
    """A column of narwhals as pandas has it."""
    import narwhals as nw

    kind = values.dtype
    if kind == nw.Decimal:
        values = values.cast(nw.Float64)
    if kind.is_numeric() or kind in (nw.Boolean, nw.Date):
        return values.to_numpy()
    if kind == nw.Enum:
        return pd.Categorical(values.to_list(), values.to_native().dtype.categories.to_list(), ordered=True)
    if kind == nw.Categorical:  # which has no order: the levels are sorted
        return pd.Categorical(values.to_list())
    return pd.Series(values.to_list(), dtype=None if len(values) else object)


def is_path(data: Any) -> bool:
    """Whether data are named by a path or a list of them."""
    single = isinstance(data, (str, os.PathLike))
    several = isinstance(data, (list, tuple)) and len(data) > 0
    return single or (several and all(isinstance(path, (str, os.PathLike)) for path in data))


def file_source(data: Any) -> Files:
    """The files that a path, a glob, a folder or a list of these names, in the order of their names or of the list.

    Raises
    ------
    OptionError
        For an address of the web.
    FileError
        If there are none, they are of several kinds, cannot be read, or differ in their columns.
    """
    given = data if isinstance(data, (list, tuple)) else [data]
    paths = [path for name in given for path in _files_of(name)]
    if len({KINDS[_ending(path)] for path in paths}) > 1:
        raise FileError(f"{shown(_name(data))} contains parquet and CSV files: use one kind, such as the glob 'folder/*.parquet'")
    files = tuple(_file(path) for path in paths)
    for file in files:
        odd = set(files[0].names) ^ set(file.names)
        if odd:
            raise FileError(
                f"{shown(str(paths[0]))} and {shown(str(file.path))} have different columns, such as {shown(min(odd, key=str))}: use "
                "files with the same columns"
            )
    return Files(files, files[0].names, sum(file.expected for file in files))


@dataclass(frozen=True)
class File:
    """A parquet or CSV file as it was when it was first looked at."""

    path: Path
    stamp: tuple[int, int]  # size and time
    names: tuple[Any, ...]
    expected: int  # rows of a parquet file, lines of a CSV file
    table: Lazy | None  # of a parquet file

    @property
    def kind(self) -> str:
        return KINDS[_ending(self.path)]

    def blocks(self, columns: list[str], texts: frozenset[str], form: Form) -> Iterator[Any]:
        if _stamp(self.path) != self.stamp:
            raise _changed(self.path)
        with readable(partial(_unreadable, self.path)):
            yield from map(form, self._csv(columns, texts) if self.table is None else self.table.read(columns))

    def _csv(self, columns: list[str], texts: frozenset[str]) -> Iterator[pd.DataFrame]:
        rows, types = rows_at_once(len(self.names)), dict.fromkeys(texts, str)
        # all columns, because the parser does not check the length of lines if it reads some of them
        with pd.read_csv(os.path.abspath(self.path), chunksize=rows, low_memory=False, dtype=types) as chunks:
            for chunk in chunks:
                if not isinstance(chunk.index, pd.RangeIndex):
                    raise FileError(f"{shown(str(self.path))} has lines with more values than its first line has names: name every column")
                yield chunk[columns]


@dataclass(frozen=True)
class Files:
    """Files of one kind with the same columns."""

    files: tuple[File, ...]
    names: tuple[Any, ...]
    expected: int
    texts: frozenset[str] = frozenset()  # columns of CSV files that contain texts, although some may look like numbers
    sorts: bool = False

    def blocks(self, columns: list[str], form: Form = as_frame) -> Iterator[Any]:
        for file in self.files:
            yield from file.blocks(columns, self.texts, form)

    def pieces(self) -> list[Piece]:
        """Pieces that are read separately, in order: row groups of parquet files (path, number, stamp), CSV files (path, None, stamp)."""
        out: list[Piece] = []
        for file in self.files:
            path, groups = os.path.abspath(file.path), [None] if file.table is None else _row_groups(file.path)
            out += [(path, group, file.stamp) for group in groups]
        return out

    def as_text(self, column: str) -> Files | None:
        """The same with a column read as text, if the files have no types."""
        return replace(self, texts=self.texts | {column}) if self.files[0].table is None else None


Source = Lazy | Files


def _row_groups(path: Path) -> range:
    from pyarrow.parquet import ParquetFile

    return range(ParquetFile(path).num_row_groups)


def read_piece(piece: Piece, columns: list[str] | None = None) -> pd.DataFrame:
    """The rows of one of `Files.pieces`, on any worker: copies of a file have its size, but their own times."""
    name, group, stamp = piece
    path = Path(name)
    if _stamp(path)[0] != stamp[0]:
        raise _changed(path)
    with readable(partial(_unreadable, path)):
        if group is None:
            return pd.read_csv(path, usecols=columns, low_memory=False)
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            return file.read_row_group(group, columns).to_pandas().reset_index(drop=True)


def _files_of(given: Any) -> list[Path]:
    """The files that one path, folder or glob means."""
    name = _name(given)
    if "://" in name[:20]:
        raise OptionError(f"{shown(name)} is a web address, but data are not fetched from the web: save the file and use its path")
    try:
        path = Path(name).expanduser()
        folder, there = path.is_dir() and bool(name), path.exists() and bool(name)
        magic = glob.has_magic(name) and not there
        found = [p for p in map(Path, sorted(glob.glob(str(path), recursive=True))) if p.is_file()] if magic else [path] * there
    except (OSError, ValueError, RuntimeError) as reason:  # names that are too long, contain a zero, or have no home
        raise FileError(f"{shown(name)} is not a path: {cut(str(reason))}") from None
    if folder:
        return _in_folder(path)
    if not found:
        kind = "file matches" if magic else "file is named"
        raise FileError(
            f"no {kind} {shown(name)}: use a DataFrame, {ALLOWED}, or pc.load_data('iris') for a data set of the package"
        )
    return [_known(p) for p in found]


def _in_folder(folder: Path) -> list[Path]:
    inside = sorted(p for p in folder.iterdir() if not p.name.startswith(("_", ".")))
    deeper = [p for p in inside if p.is_dir()]
    if deeper:
        raise FileError(
            f"the folder {shown(str(folder))} contains the folder {shown(deeper[0].name)}: use a glob, "
            f"'{cut(str(folder), 60)}/**/*.parquet', or, if folder names are values, pyarrow.dataset.dataset(folder, partitioning='hive')"
        )
    if not inside:
        raise FileError(f"the folder {shown(str(folder))} has no files: use {ALLOWED}")
    return [_known(p) for p in inside]


def _known(path: Path) -> Path:
    if _ending(path) not in KINDS or not path.is_file():
        reader = READERS.get(path.suffix.lower())
        frame = f", or the frame of pd.read_{reader}(path)" if reader else ", or load it and use the frame"
        raise FileError(f"{shown(str(path))} is not a file of a supported kind: use {ALLOWED}{frame}")
    return path


def _ending(path: Path) -> str:
    return "".join(path.suffixes[-2:]).lower() if path.suffix.lower() in (".gz", ".bz2", ".xz") else path.suffix.lower()


def _name(data: Any) -> str:
    name = os.fspath(data) if isinstance(data, os.PathLike) else data if isinstance(data, str) else ", ".join(map(str, data))
    return os.fsdecode(name)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        known = path.stat()
    except OSError as reason:
        raise FileError(f"{shown(str(path))} can't be opened: {reason.strerror}") from None
    return known.st_size, known.st_mtime_ns


def installed(name: str) -> bool:
    """Whether a package that not every user has can be imported."""
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that is set to None
        return False


def _file(path: Path) -> File:
    """The current state of a file: its columns, and the number of rows or lines if they are counted quickly."""
    stamp = _stamp(path)
    with readable(partial(_unreadable, path)):
        if KINDS[_ending(path)] == "parquet":
            table = _parquet(path)
            return File(path, stamp, table.names, table.expected, table)
        names = tuple(pd.read_csv(os.path.abspath(path), nrows=0).columns)
        if any("\0" in name for name in names):
            raise ValueError("its first line contains no names; if it is in UTF-16, use pd.read_csv(path, encoding='utf-16')")
        lines = 0
        if _ending(path) == ".csv":
            with open(path, "rb") as file:
                lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))
        return File(path, stamp, names, lines, None)


def _parquet(path: Path) -> Lazy:
    """A parquet file as a table of pyarrow, or of polars if pyarrow is not installed."""
    if installed("pyarrow"):
        from pyarrow.parquet import ParquetFile

        def read(columns: list[str]) -> Iterator[Any]:
            with ParquetFile(path, pre_buffer=False) as file:
                yield from file.iter_batches(rows_at_once(len(columns)), columns=columns)

        with ParquetFile(path) as file:
            schema, rows = file.schema_arrow, file.metadata.num_rows
        return Lazy("", without_index(schema.names, (schema.metadata or {}).get(b"pandas")), read, rows)
    if not installed("polars"):
        raise FileError(f"{shown(str(path))} needs pyarrow or polars, which are not installed: install one, or use a CSV file")
    import polars

    data = polars.scan_parquet(path, glob=False)
    table = _polars(data, Lazy("", (), iter))
    names = without_index(list(table.names), polars.read_parquet_metadata(path).get("pandas"))
    return replace(table, names=names, expected=data.select(polars.len()).collect().item(), sorts=False)


def _changed(path: Path) -> FileError:
    return FileError(f"{shown(str(path))} has changed since the first pass: call fit again, with the path")


def _unreadable(path: Path, reason: Exception) -> FileError:
    words = in_encoding(reason) or getattr(reason, "strerror", None) or re.sub(re.escape(str(path)), "the file", str(reason))
    why = cut(" ".join(words.split()) or type(reason).__name__)
    return FileError(f"{shown(str(path))} is not a {KINDS[_ending(path)]} file that can be loaded: {why}")
