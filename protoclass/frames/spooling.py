"""Columns that come in blocks of rows, collected into arrays on the disk as pandas would have the whole columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..core.growing import Growing
from ..core.memory import SMALLEST
from ..errors import DataError

STEP = 2**18  # codes that are renumbered at a time


class Mixed(DataError):
    """A column that has numbers in one block of rows and other values in another one."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"column {name!r} has values of several types, such as numbers in some rows and texts in others: convert it to one of them"
        )
        self.name = name


@dataclass(frozen=True)
class Part:
    """A column within a block of rows.

    Attributes
    ----------
    values : array (r,) of numbers or booleans, None for a column of categories
    mask : bool array (r,), or None
        What is missing, for a type of pandas that does not say it in the values.
    codes : int array (r,), or None
    levels : sequence
        What the codes stand for; -1 is missing.
    kind : None, or "text", "category", "ordered" or "value"
    """

    values: np.ndarray | None = None
    mask: np.ndarray | None = None
    codes: np.ndarray | None = None
    levels: Any = ()
    kind: str | None = None


def part_of(column: pd.Series, check: Callable[[pd.Series], object]) -> Part | None:
    """A block of a column as numbers or as codes; None where nothing is there but missing values of no telling type.

    `check` raises where other values than numbers, texts and booleans have no place.
    """
    dtype, array = column.dtype, column.array
    if isinstance(dtype, pd.CategoricalDtype):
        kind = "ordered" if dtype.ordered else "category"
        return Part(codes=column.array.codes, levels=dtype.categories, kind=kind)
    if isinstance(dtype, pd.ArrowDtype):
        other = column.convert_dtypes(dtype_backend="numpy_nullable")
        return part_of(other if not isinstance(other.dtype, pd.ArrowDtype) else column.astype(object), check)
    if isinstance(array, (pd.arrays.BooleanArray, pd.arrays.IntegerArray, pd.arrays.FloatingArray)):
        mask = np.asarray(array.isna())
        fill = False if dtype.kind == "b" else 0
        return Part(array.to_numpy(dtype.numpy_dtype, na_value=fill), mask)
    if isinstance(dtype, np.dtype) and dtype.kind in "buif":
        values = column.to_numpy()
        return None if dtype.kind == "f" and np.isnan(values).all() else Part(values)
    missing = column.isna().to_numpy()
    if missing.all():
        return None
    present = column[~missing]
    if dtype == np.dtype(object) and all(isinstance(v, (bool, np.bool_)) for v in present):
        values = np.zeros(len(column), bool)
        values[~missing] = present.to_numpy(bool)
        return Part(values, missing)
    text = isinstance(dtype, pd.StringDtype) or all(isinstance(v, str) for v in present)
    if not text:
        check(column)
    codes, levels = pd.factorize(column)
    return Part(codes=codes, levels=levels, kind="text" if text else "value")


class Column:
    """A column as far as it was read."""

    def __init__(self, name: str, small: int, expected: int, check: Callable[[pd.Series], object]) -> None:
        self.name, self.check = name, check
        self.values: Growing | None = None
        self.mask: Growing | None = None
        self.codes: Growing | None = None
        self.lookup: dict[Any, int] = {}
        self.kinds: set[str | None] = set()
        self._blank, self._blank_type = 0, np.dtype(object)  # rows without a value before any that has one
        self._small, self._expected = small, expected

    def add(self, block: pd.Series) -> None:
        part = part_of(block, self.check)
        if part is None:
            self._add_missing(len(block), block.dtype)
        elif part.values is not None:
            self._add_numbers(part.values, part.mask)
        else:
            self._add_codes(part)

    def array(self, sort: bool = False) -> Any:
        """The column as pandas has it, without a copy; levels that have an order of their own are sorted if `sort` says so."""
        if self.values is None and self.codes is None and self._blank_type.kind == "f":
            self.values = self._grown(self._blank_type)
            self.values.repeat(np.nan, self._blank)
        if self.values is None:
            return self._categorical(sort)
        if self.mask is None:
            return self.values.array()
        arrays = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}
        return arrays.get(self.values.dtype.kind, pd.arrays.IntegerArray)(self.values.array(), self.mask.array())

    @property
    def text(self) -> bool:
        """Whether it holds texts, whose levels are those that occur."""
        return "text" in self.kinds

    def _grown(self, dtype: Any) -> Growing:
        return Growing(dtype, self._small, self._expected)

    def _add_missing(self, count: int, dtype: Any) -> None:
        floats = isinstance(dtype, np.dtype) and dtype.kind == "f"
        if self.codes is not None:
            self.codes.repeat(-1, count)
        elif self.values is None:
            self._blank += count
            self._blank_type = dtype if floats else self._blank_type
        elif self.mask is not None or self.values.dtype.kind == "b":
            self._masked().repeat(True, count)
            self.values.repeat(0, count)
        else:
            wanted = dtype if floats else np.dtype(float)
            self.values = self.values if self.values.dtype.kind == "f" else self.values.astype(wanted)
            self.values.repeat(np.nan, count)

    def _add_numbers(self, values: np.ndarray, mask: np.ndarray | None) -> None:
        if self.codes is not None:
            raise Mixed(self.name)
        if self.values is None:
            self.values, blank = self._grown(values.dtype), self._blank
            self._blank = 0
            if mask is not None:
                self._masked()
            if blank:
                self._add_missing(blank, self._blank_type)
        dtype = self._common(self.values.dtype, values.dtype)
        self.values = self.values.astype(dtype)
        if mask is not None or self.mask is not None:
            held = self._masked()
            lost = np.isnan(values) if mask is None and values.dtype.kind == "f" else np.zeros(len(values), bool)
            held.append(lost if mask is None else mask)
        self.values.append(values.astype(dtype, copy=False))

    def _common(self, known: np.dtype, new: np.dtype) -> np.dtype:
        """The type of the whole column: that of the floats where a block of whole numbers has none missing."""
        if known == new:
            return known
        if "b" in (known.kind, new.kind):
            raise Mixed(self.name)
        if (known.kind == "f") != (new.kind == "f"):
            return known if known.kind == "f" else new
        return np.result_type(known, new)

    def _masked(self) -> Growing:
        if self.mask is None:
            self.mask = self._grown(bool)
            self.mask.repeat(False, 0 if self.values is None else len(self.values))
        return self.mask

    def _add_codes(self, part: Part) -> None:
        if self.values is not None:
            raise Mixed(self.name)
        if self.codes is None:
            self.codes = self._grown(np.int32)
            self.codes.repeat(-1, self._blank)
        self.kinds.add(part.kind)
        if len(self.kinds & {"text", "value"}) > 1:
            raise Mixed(self.name)
        number = [self.lookup.setdefault(level, len(self.lookup)) for level in part.levels]
        self.codes.append(np.array([*number, -1], np.int32)[part.codes])

    def _categorical(self, sort: bool) -> pd.Categorical:
        codes = self.codes
        if codes is None:
            codes = self._grown(np.int32)
            codes.repeat(-1, self._blank)
        levels = list(self.lookup)
        order = np.arange(len(levels))
        if sort or not self.kinds <= {"category", "ordered"}:
            order = _sorted_places(levels)
        kinds: list[np.dtype[Any]] = [np.dtype(kind) for kind in (np.int8, np.int16, np.int32)]
        dtype = next(kind for kind in kinds if len(levels) < np.iinfo(kind).max or kind == kinds[-1])
        place = np.empty(len(levels) + 1, dtype)
        place[order], place[-1] = np.arange(len(levels)), -1
        out = Growing(dtype, self._small, len(codes))
        for start in range(0, len(codes), STEP):
            out.append(place[codes.array()[start : start + STEP]])
        names = pd.Index([levels[k] for k in order]) if levels else pd.Index([], dtype=object)
        ordered = self.kinds == {"ordered"}
        return pd.Categorical.from_codes(out.array(), dtype=pd.CategoricalDtype(names, ordered), validate=False)


def _sorted_places(levels: list[Any]) -> np.ndarray:
    """The levels in their order; where they have none as they came."""
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
    unordered: frozenset[str] = frozenset(),
    tick: Callable[[int], object] = lambda rows: None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Blocks of rows as one frame, whose columns are on the disk where they are long; and the names of those that hold texts.

    A block may be of the type that its own values need: a column of whole numbers is one of floats from the first missing value on.

    Parameters
    ----------
    blocks : frames with the columns `names`
    names : list of str
    expected : int
        Number of rows, as far as known.
    checks : mapping of name to a function of a column
        Which raises for values that are neither numbers, texts nor booleans; other columns may have any that can be hashed.
    unordered : names of columns of categories whose levels are to be sorted
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
    arrays = {column.name: column.array(column.name in unordered) for column in columns}
    frame = pd.DataFrame(arrays, pd.RangeIndex(rows), copy=False)
    return frame, tuple(column.name for column in columns if column.text)
