"""Data that are read once, in blocks of rows, into a frame whose long columns are on disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.memory import SMALLEST, Growing
from ..ground.errors import DataError
from ..ground.options import options
from ..ground.progress import bar
from .formula import read
from .schema import check_column, check_names, describe_column
from .sources import Source, file_source, is_path, lazy_source, rows_at_once

LONG = 2**25  # values from which on a bar is shown from the start
STEP = 2**18  # codes that are renumbered at a time
JOINED = ({"number"}, {"boolean"}, {"category", "ordered", "text"}, {"category", "ordered", "value"})  # kinds that one column may have


class Mixed(DataError):
    """A column that has numbers in one block of rows and other values in another one."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"column {name!r} has values of several types, such as numbers in some rows and texts in others: convert it to one of them"
        )
        self.name = name


@dataclass(frozen=True)
class Part:
    """A column within a block of rows."""

    kind: str  # "number", "boolean", "category", "ordered", "text" or "value"
    values: np.ndarray  # (r,), for levels their codes, -1 for missing ones
    missing: np.ndarray | None = None  # bool (r,), for a type of pandas without missing values in the array
    levels: Any = ()


def part_of(column: pd.Series, check: Callable[[pd.Series], object]) -> Part | None:
    """A block of a column as numbers or as codes; None if it has nothing but missing values of an undetermined type.

    `check` raises for values other than numbers, texts and booleans, if these are not allowed.
    """
    dtype, array = column.dtype, column.array
    if isinstance(dtype, pd.CategoricalDtype):
        return Part("ordered" if dtype.ordered else "category", array.codes, levels=dtype.categories)
    if isinstance(dtype, pd.ArrowDtype):
        other = column.convert_dtypes(dtype_backend="numpy_nullable")
        return part_of(other if not isinstance(other.dtype, pd.ArrowDtype) else column.astype(object), check)
    if isinstance(array, (pd.arrays.BooleanArray, pd.arrays.IntegerArray, pd.arrays.FloatingArray)):
        kind, fill = ("boolean", False) if dtype.kind == "b" else ("number", 0)
        return Part(kind, array.to_numpy(dtype.numpy_dtype, na_value=fill), np.asarray(array.isna()))
    if isinstance(dtype, np.dtype) and dtype.kind in "buif":
        values = column.to_numpy()
        empty = dtype.kind == "f" and np.isnan(values).all()
        return None if empty else Part("boolean" if dtype.kind == "b" else "number", values)
    missing = column.isna().to_numpy()
    if missing.all():
        return None
    present = column[~missing]
    if dtype == np.dtype(object) and all(isinstance(v, (bool, np.bool_)) for v in present):
        values = np.zeros(len(column), bool)
        values[~missing] = present.to_numpy(bool)
        return Part("boolean", values, missing)
    text = isinstance(dtype, pd.StringDtype) or all(isinstance(v, str) for v in present)
    if not text:
        check(column)
    codes, levels = pd.factorize(column)
    return Part("text" if text else "value", codes, levels=levels)


class Column:
    """A column as far as it was read: numbers, or codes of levels."""

    def __init__(self, name: str, small: int, expected: int, check: Callable[[pd.Series], object]) -> None:
        self.name, self.check = name, check
        self.kinds: set[str] = set()
        self.levels: dict[Any, int] = {}
        self.values: Growing | None = None  # None while no row had a value
        self.missing: Growing | None = None  # missing entries of truth values and of types of pandas that have a mask
        self.rows, self.blank = 0, np.dtype(object)  # the type of rows without a value before any that has one
        self.grown = partial(Growing, small=small, expected=expected)

    def add(self, block: pd.Series) -> None:
        part = part_of(block, self.check)
        if part is None:
            self._add_missing(len(block), block.dtype)
        else:
            self._add(part)
        self.rows += len(block)

    def array(self, sort: bool) -> Any:
        """The column as a pandas Series, without a copy; levels with their own order are sorted if `sort` is true."""
        if self.values is None and self.blank.kind == "f":
            self._add(Part("number", np.empty(0, self.blank)))
        if self.values is None or self.kinds.isdisjoint({"number", "boolean"}):
            return self._categorical(sort)
        if self.missing is None:
            return self.values.array()
        arrays = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}
        return arrays.get(self.values.dtype.kind, pd.arrays.IntegerArray)(self.values.array(), self.missing.array())

    def _add_missing(self, count: int, dtype: Any) -> None:
        floats = isinstance(dtype, np.dtype) and dtype.kind == "f"
        if self.values is None:
            self.blank = dtype if floats else self.blank
        elif self.kinds.isdisjoint({"number", "boolean"}):
            self.values.repeat(-1, count)
        elif self.missing is not None or "boolean" in self.kinds:
            self._masked().repeat(True, count)
            self.values.repeat(0, count)
        else:  # whole numbers of which one is missing are floats
            if self.values.dtype.kind != "f":
                self.values = self.values.astype(dtype if floats else float)
            self.values.repeat(np.nan, count)

    def _add(self, part: Part) -> None:
        self.kinds.add(part.kind)
        if not any(self.kinds <= joined for joined in JOINED):
            raise Mixed(self.name)
        values = part.values
        if part.kind not in ("number", "boolean"):
            number = [self.levels.setdefault(level, len(self.levels)) for level in part.levels]
            values = np.array([*number, -1], np.int32)[values]
        if self.values is None:
            self.values = self.grown(values.dtype)
            if part.missing is not None:
                self._masked()
            if self.rows:
                self._add_missing(self.rows, self.blank)
        dtype = np.result_type(self.values.dtype, values.dtype)
        if part.missing is not None or self.missing is not None:
            lost = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
            self._masked().append(lost if part.missing is None else part.missing)
        self.values = self.values.astype(dtype)
        self.values.append(values.astype(dtype, copy=False))

    def _masked(self) -> Growing:
        if self.missing is None:
            self.missing = self.grown(bool)
            self.missing.repeat(False, 0 if self.values is None else len(self.values))
        return self.missing

    def _categorical(self, sort: bool) -> pd.Categorical:
        if self.values is None:
            self.values = self.grown(np.int32)
            self.values.repeat(-1, self.rows)
        levels, codes = list(self.levels), self.values.array()
        own_order = self.kinds <= {"category", "ordered"} and not (sort and "category" in self.kinds)
        order = np.arange(len(levels)) if own_order else _sorted_places(levels)
        place = np.empty(len(levels) + 1, np.min_scalar_type(-len(levels) - 2))  # the type of pandas for this many levels
        place[order], place[-1] = np.arange(len(levels)), -1
        out = self.grown(place.dtype, expected=len(codes))
        for start in range(0, len(codes), STEP):
            out.append(place[codes[start : start + STEP]])
        names = pd.Index([levels[k] for k in order]) if levels else pd.Index([], dtype=object)
        dtype = pd.CategoricalDtype(names, self.kinds == {"ordered"})
        return pd.Categorical.from_codes(out.array(), dtype=dtype, validate=False)


def _sorted_places(levels: list[Any]) -> np.ndarray:
    """The levels in their order; without an order, as they came."""
    try:
        return np.array(sorted(range(len(levels)), key=levels.__getitem__), int)
    except TypeError:
        return np.arange(len(levels))


def check_hashable(column: pd.Series) -> None:
    """Raise for values that can't be distinguished as classes or groups are, such as lists."""
    for value in column.dropna():
        try:
            hash(value)
        except TypeError:
            raise DataError(
                f"column {column.name!r} contains {type(value).__name__}: convert it to numbers, texts, categories or booleans, "
                "or leave it out"
            ) from None


def collect(
    blocks: Iterable[pd.DataFrame],
    names: list[str],
    expected: int = 0,
    checks: Mapping[str, Callable[[pd.Series], object]] | None = None,
    sort: bool = False,
    tick: Callable[[int], object] = lambda rows: None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Blocks of rows as one frame, whose long columns are on disk; and the names of the columns that contain texts.

    A block may be of the type that its own values need: a column of whole numbers is one of floats from the first missing value on.

    Parameters
    ----------
    blocks : frames with the columns `names`
    names : list of str
    expected : int
        Number of rows, if known.
    checks : mapping of name to a function of a column
        Function that raises for values that are neither numbers, texts nor booleans; other columns may have any hashable values.
    sort : bool
        Whether the levels of categories are sorted, because they have no order.
    tick : function of a number of rows

    Raises
    ------
    Mixed
        For a column whose blocks are of types that no column has.

    Examples
    --------
    >>> blocks = [pd.DataFrame({"a": [1, 2], "g": ["v", "u"]}), pd.DataFrame({"a": [0.5, None], "g": ["u", None]})]
    >>> frame, texts = collect(blocks, ["a", "g"])
    >>> frame["a"].tolist(), frame["g"].cat.categories.tolist(), texts
    ([1.0, 2.0, 0.5, nan], ['u', 'v'], ('g',))
    """
    small = SMALLEST // max(1, len(names))
    columns = [Column(name, small, expected, (checks or {}).get(name, check_hashable)) for name in names]
    rows = 0
    for block in blocks:
        if len(block):
            for column in columns:
                column.add(block[column.name])
            rows += len(block)
            tick(len(block))
    arrays = {column.name: column.array(sort) for column in columns}
    frame = pd.DataFrame(arrays, pd.RangeIndex(rows), copy=False)
    return frame, tuple(column.name for column in columns if "text" in column.kinds)


@dataclass(frozen=True)
class Origin:
    """Origin of a frame that was read.

    Attributes
    ----------
    source : Source, or None for a frame made from one that was read
    names : Index
        All columns of the source.
    texts : frozenset of str
        Columns of texts, whose levels are those that occur in the rows that are used.
    """

    source: Source | None
    names: pd.Index
    texts: frozenset[str]

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the source: a lazy table belongs to its process, and a path to its machine."""
        return Origin, (None, self.names, self.texts)


class Spooled(pd.DataFrame):  # type: ignore[misc]
    """A frame whose long columns are on disk, in files without a name, which are deleted with the process.

    What is derived from it, such as `frame[["a"]]`, is a plain frame of pandas.

    Attributes
    ----------
    origin : Origin
    """

    _metadata: ClassVar[list[str]] = ["origin"]  # pickled by pandas with the columns

    origin: Origin


def origin_of(data: pd.DataFrame) -> Origin | None:
    """Origin of a frame, None for one that was given in memory."""
    return data.origin if isinstance(data, Spooled) else None


def names_of(data: pd.DataFrame) -> pd.Index:
    """The columns of a frame, or of its source, of which it may have some."""
    origin = origin_of(data)
    return data.columns if origin is None else origin.names


def made_from(data: pd.DataFrame, changed: pd.DataFrame) -> pd.DataFrame:
    """A frame made from another, such as some of its rows, with the columns of that frame's source."""
    origin = origin_of(data)
    return changed if origin is None else _spooled(changed, replace(origin, source=None))


def _spooled(frame: pd.DataFrame, origin: Origin) -> Spooled:
    out = Spooled(frame, copy=False)
    out.origin = origin
    return out


def unread(data: pd.DataFrame) -> list[str]:
    """The columns of the source that were not read."""
    return [name for name in names_of(data) if name not in data.columns]


def source_of(data: Any, exact: Collection[str] = ()) -> Source | None:
    """Source of data: paths and lazy tables. None for data in memory. See `lazy_source`."""
    if isinstance(data, pd.DataFrame):
        origin = origin_of(data)
        return None if origin is None else origin.source
    return file_source(data) if is_path(data) else lazy_source(data, exact)


def read_for(data: Any, formula: str, aside: Mapping[str, Any], progress: bool | None = None) -> Any:
    """Data for a formula: data in memory are unchanged; from paths and lazy tables the needed columns are read.

    Parameters
    ----------
    data : frame, path, paths, lazy table, or what an earlier call has made of one of these
        Data; not read again if they have the columns.
    formula : str
    aside : mapping of argument to what was given for it
        Texts are names of further columns, such as of weights, which `.` leaves out.
    progress : bool, optional
    """
    if isinstance(data, pd.DataFrame) and origin_of(data) is None:
        return data
    source = source_of(data)
    if source is None:
        return data
    check_names(pd.Index(source.names))
    named = {what: name for what, name in aside.items() if isinstance(name, str)}
    parsed = read(formula, source.names, named.values())
    for what, name in named.items():
        check_column(name, pd.Index(source.names), what)
    wanted = [name for name in source.names if name in {*parsed.variables, parsed.response, *named.values()}]
    if isinstance(data, Spooled) and set(wanted) <= set(data.columns):
        return data
    out = read_columns(source, wanted, set(parsed.variables), progress)
    if isinstance(data, Spooled) and not all(data[name].equals(out[name]) for name in data if name in out):
        raise DataError(
            "the rows, or their order, have changed since the first pass: call fit again, and sort the rows in the last step of a query"
        )
    return out


def read_table(data: Any, names: Iterable[Any] | None = None, progress: bool | None = None) -> pd.DataFrame | None:
    """All columns of a path or lazy table, or those of some names that it has; None for what is in memory."""
    source = source_of(data)
    if source is None:
        return None
    check_names(pd.Index(source.names))
    named = {name for name in names or () if isinstance(name, str)}
    wanted = list(source.names) if names is None else [name for name in source.names if name in named]
    return read_columns(source, wanted, set(), progress)


def check_read(column: pd.Series) -> None:
    """Raise unless a column that is read has numbers, texts or booleans."""
    if describe_column(column).kind == "series":
        raise DataError(
            f"column {column.name!r} contains {type(column.dropna().iloc[0]).__name__}: make a column for each number, or use a table in "
            "memory, such as pd.read_parquet(path)"
        )


def read_columns(source: Source, wanted: list[str], predictors: set[str], progress: bool | None) -> Spooled:
    """Some columns of a source as a frame whose rows are called by their number."""
    checks = dict.fromkeys(predictors, check_read)
    long = source.expected * len(source.names) > LONG
    shown = True if progress is None and options.progress is None and long else progress
    names, wanted = pd.Index(source.names), wanted or list(source.names[:1])
    while True:
        try:
            with bar(source.expected or None, "reading", shown) as reading:
                blocks = source.blocks(wanted)
                frame, texts = collect(blocks, wanted, source.expected, checks, source.sorts, reading.update)
            break
        except Mixed as reason:
            again = source.as_text(reason.name)
            if again is None:
                raise DataError(str(reason)) from None
            source = again
    return _spooled(frame, Origin(source, names, frozenset(texts)))


def missing_in(columns: pd.DataFrame, response: pd.Series | None) -> tuple[np.ndarray, pd.Series]:
    """Whether a value is missing in each row, bool (n,), and the number of missing values of each column.

    Column by column, because a table of all would take a byte for each value.
    """
    missing, counts = np.zeros(len(columns), bool), {}
    every = [columns[name] for name in columns] + ([] if response is None else [response])
    for column in every:
        absent = column.isna().to_numpy()
        counts[column.name] = int(absent.sum())
        missing |= absent
    return missing, pd.Series(counts, dtype=int)


def kept_rows(columns: pd.DataFrame, dropped: np.ndarray, origin: Origin | None) -> pd.DataFrame:
    """The columns without the rows that are dropped; for a frame that was read, again on disk, with the remaining levels.

    Parameters
    ----------
    columns : DataFrame (n, p)
    dropped : bool array (n,)
    origin : Origin, or None
    """
    if origin is None:
        return columns[~dropped] if dropped.any() else columns
    if dropped.any():
        index, step = columns.index[~dropped], rows_at_once(len(columns.columns))
        starts = range(0, len(columns), step)
        blocks = (columns.iloc[k : k + step][~dropped[k : k + step]] for k in starts)
        columns = collect(blocks, list(columns.columns), len(index))[0].set_axis(index)
    texts = {name: levels_that_occur(columns[name]) for name in columns if name in origin.texts}
    return columns.assign(**texts) if texts else columns


def row_blocks(data: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """A frame that was read in blocks of its rows; any other as it is."""
    step = max(1, len(data)) if origin_of(data) is None else rows_at_once(len(data.columns))
    for start in range(0, max(1, len(data)), step):
        yield data if step >= len(data) else data.iloc[start : start + step]


def levels_that_occur(column: pd.Series) -> pd.Series:
    """A column of categories with the levels that some row has; unchanged if all occur."""
    codes = column.array.codes
    step = rows_at_once(1)
    counts: Any = sum(np.bincount(codes[k : k + step] + 1, minlength=len(column.cat.categories) + 1) for k in range(0, len(codes), step))
    return column if np.all(counts[1:] > 0) else column.cat.remove_unused_categories()
