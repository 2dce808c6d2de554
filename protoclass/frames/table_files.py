"""Parquet and CSV files, read in blocks of rows."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import DataError, FileError, OptionError, ProtoclassError, cut, shown
from .sources import Source, index_of, polars_blocks, rows_at_once

Piece = tuple[str, int | None, tuple[int, int]]
KINDS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".csv.gz": "csv", ".csv.bz2": "csv", ".csv.xz": "csv"}
ALLOWED = "files that end in .parquet or .csv, one, a list, a folder or a glob of them"
CHUNK = 2**20  # bytes that are read at a time to count lines


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
        Where there are none, they are of several kinds, can't be read, or differ in their columns.
    """
    given = data if isinstance(data, (list, tuple)) else [data]
    files = tuple(path for one in given for path in _files_of(one))
    kinds = {KINDS[_ending(path)] for path in files}
    if len(kinds) > 1:
        raise FileError(f"{shown(_name(data))} has parquet and CSV files: give those of one kind, such as a glob, 'folder/*.parquet'")
    heads = [_parquet_head(path) if kinds == {"parquet"} else _csv_head(path) for path in files]
    for path, (names, _) in zip(files, heads, strict=True):
        odd = set(heads[0][0]) ^ set(names)
        if odd:
            raise FileError(
                f"{shown(str(files[0]))} and {shown(str(path))} differ in their columns, such as {shown(min(odd, key=str))}: give files "
                "with the same columns"
            )
    return Files(files, heads[0][0], sum(rows for _, rows in heads), tuple(map(_stamp, files)), kinds == {"parquet"})


@dataclass(frozen=True)
class Files:
    """Files of one kind with the same columns.

    Attributes
    ----------
    paths : tuple of Path
    names : tuple of str
    expected : int
        Number of rows of parquet files, number of lines of CSV files.
    stamps : tuple
        Size and time of each when it was first looked at.
    parquet : bool
    texts : frozenset of str
        Columns of CSV files that hold texts, although some may look like numbers.
    unordered : frozenset of str
        See `Source`.
    """

    paths: tuple[Path, ...]
    names: tuple[Any, ...]
    expected: int
    stamps: tuple[Any, ...]
    parquet: bool
    texts: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()

    def blocks(self, columns: list[str]) -> Iterator[pd.DataFrame]:
        for path, stamp in zip(self.paths, self.stamps, strict=True):
            if _stamp(path) != stamp:
                raise _changed(path)
            yield from self._parquet(path, columns) if self.parquet else self._csv(path, columns)

    def pieces(self) -> list[Piece]:
        """What is read apart, in order: each row group of a parquet file (path, number, stamp), each CSV file (path, None, stamp)."""
        known = list(zip(map(os.path.abspath, self.paths), self.stamps, strict=True))
        if not self.parquet:
            return [(path, None, stamp) for path, stamp in known]
        from pyarrow.parquet import ParquetFile

        return [(path, g, stamp) for path, stamp in known for g in range(ParquetFile(path).num_row_groups)]

    def as_text(self, column: str) -> Source | None:
        return None if self.parquet else replace(self, texts=self.texts | {column})

    def _parquet(self, path: Path, columns: list[str]) -> Iterator[pd.DataFrame]:
        rows = rows_at_once(len(columns))
        try:
            if _engine(path) == "pyarrow":
                from pyarrow.parquet import ParquetFile

                with ParquetFile(path, pre_buffer=False) as file:
                    for batch in file.iter_batches(rows, columns=columns):
                        yield batch.to_pandas()
                return
            import polars

            yield from polars_blocks(polars.scan_parquet(path, glob=False), columns)
        except (ProtoclassError, MemoryError):
            raise
        except Exception as reason:  # pyarrow and polars have many
            raise _unreadable(path, "parquet", reason) from None

    def _csv(self, path: Path, columns: list[str]) -> Iterator[pd.DataFrame]:
        rows, types = rows_at_once(len(self.names)), dict.fromkeys(self.texts, str)
        try:
            # all columns, as the parser does not look at the length of lines where it reads some of them
            with pd.read_csv(os.path.abspath(path), chunksize=rows, low_memory=False, dtype=types) as chunks:
                for chunk in chunks:
                    if not isinstance(chunk.index, pd.RangeIndex):
                        raise FileError(f"{shown(str(path))} has lines with more values than its first line has names: name every column")
                    yield chunk[columns]
        except (ProtoclassError, MemoryError):
            raise
        except Exception as reason:
            raise _unreadable(path, "CSV", reason) from None


def read_piece(piece: Piece, columns: list[str] | None = None) -> pd.DataFrame:
    """The rows of one of `Files.pieces`, on whatever machine: copies of a file have its size, and times of their own."""
    path, group, stamp = piece
    if _stamp(Path(path))[0] != stamp[0]:
        raise _changed(Path(path))
    try:
        if group is None:
            return pd.read_csv(path, usecols=columns, low_memory=False)
        from pyarrow.parquet import ParquetFile

        with ParquetFile(path) as file:
            return file.read_row_group(group, columns).to_pandas().reset_index(drop=True)
    except Exception as reason:
        raise _unreadable(Path(path), "CSV" if group is None else "parquet", reason) from None


def _changed(path: Path) -> FileError:
    return FileError(f"{shown(str(path))} has changed since it was first read: call fit again, with the path")


def _files_of(given: Any) -> list[Path]:
    """The files that one path, folder or glob means."""
    name = _name(given)
    if "://" in name[:20]:
        raise OptionError(f"{shown(name)} is an address, and data are not fetched from the web: save the file and give its path")
    try:
        path = Path(name).expanduser()
        folder, there = path.is_dir() and bool(name), path.exists() and bool(name)
        magic = glob.has_magic(name) and not there
        found = [p for p in map(Path, sorted(glob.glob(str(path), recursive=True))) if p.is_file()] if magic else [path] * there
    except (OSError, ValueError, RuntimeError) as reason:  # names that are too long, hold a zero, or have no home
        raise FileError(f"{shown(name)} is no path: {cut(str(reason))}") from None
    if folder:
        return _in_folder(path)
    if not found:
        kind = "file matches" if magic else "file is named"
        raise FileError(
            f"no {kind} {shown(name)}: data are a DataFrame, or {ALLOWED}; pc.load_data('iris') is a data set of the package"
        )
    return [_known(p) for p in found]


def _in_folder(folder: Path) -> list[Path]:
    inside = sorted(p for p in folder.iterdir() if not p.name.startswith(("_", ".")))
    deeper = [p for p in inside if p.is_dir()]
    if deeper:
        raise FileError(
            f"the folder {shown(str(folder))} has the folder {shown(deeper[0].name)}: give a glob, '{cut(str(folder), 60)}/**/*.parquet', "
            "or where names of folders are values, pyarrow.dataset.dataset(folder, partitioning='hive')"
        )
    if not inside:
        raise FileError(f"the folder {shown(str(folder))} has no files: data are {ALLOWED}")
    return [_known(p) for p in inside]


def _known(path: Path) -> Path:
    if _ending(path) not in KINDS or not path.is_file():
        cure = "pd.read_csv(path, sep='\\t') reads it" if path.suffix in (".tsv", ".tab") else "read it yourself and give the frame"
        raise FileError(f"{shown(str(path))} is no file of a kind that is read: data are {ALLOWED}; {cure}")
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
        raise FileError(f"{shown(str(path))} can't be read: {reason.strerror}") from None
    return known.st_size, known.st_mtime_ns


def _engine(path: Path) -> str:
    for name in ("pyarrow", "polars"):
        try:
            if find_spec(name) is not None:
                return name
        except ValueError:  # a module that is set to None
            continue
    raise FileError(f"{shown(str(path))} is read by pyarrow or polars, and neither is installed: install one, or give a CSV file")


def _parquet_head(path: Path) -> tuple[tuple[str, ...], int]:
    """Names of the columns but those of an index that pandas wrote, and the number of rows."""
    try:
        if _engine(path) == "pyarrow":
            from pyarrow.parquet import ParquetFile

            with ParquetFile(path) as file:
                schema, rows = file.schema_arrow, file.metadata.num_rows
            names, written = schema.names, (schema.metadata or {}).get(b"pandas")
        else:
            import polars

            table = polars.scan_parquet(path, glob=False)
            names, rows = table.collect_schema().names(), table.select(polars.len()).collect().item()
            written = polars.read_parquet_metadata(path).get("pandas") if hasattr(polars, "read_parquet_metadata") else None
    except (ProtoclassError, MemoryError):
        raise
    except Exception as reason:
        raise _unreadable(path, "parquet", reason) from None
    index = index_of(written)
    return tuple(name for name in names if name not in index), rows


def _csv_head(path: Path) -> tuple[tuple[str, ...], int]:
    """Names of the columns, and the number of lines where the file is not compressed."""
    try:
        names = tuple(pd.read_csv(os.path.abspath(path), nrows=0).columns)
        if any("\0" in name for name in names):
            raise ValueError("its first line holds no names")
        lines = 0
        if _ending(path) == ".csv":
            with open(path, "rb") as file:
                lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))
    except MemoryError:
        raise
    except Exception as reason:
        raise _unreadable(path, "CSV", reason) from None
    return names, lines


def _unreadable(path: Path, kind: str, reason: Exception) -> DataError | FileError:
    said = str(getattr(reason, "strerror", None) or " ".join(re.sub(re.escape(str(path)), "the file", str(reason)).split()))
    return FileError(f"{shown(str(path))} is not a {kind} file that can be read: {cut(said or type(reason).__name__)}")
