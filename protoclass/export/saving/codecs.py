"""Values as JSON and arrays, and back: one encoder and one decoder, by a table of types."""

from __future__ import annotations

import datetime
import io
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib import format as npy

from ...frames.tables import as_given, as_pandas, eager_library, is_path
from ...ground.errors import FileError, NotAvailableError, cut
from ...ground.savable import Kind
from .classes import (
    CHECKS,
    DERIVED,
    check_fields,
    class_of,
    known_classes,
    names_of_classes,
    refused,
    without_former,
    written,
)

KINDS = "biufmMU"  # types of arrays: booleans, numbers, dates and texts of a fixed length
MASKED: Any = re.compile("U?Int(8|16|32|64)|Float(32|64)|boolean")
# bytes of a label that is counted and not written, of a text, and half of those of an array in
# another one
ENTRY = 64


def plain(array: np.ndarray) -> bool:
    """Whether an array can be stored in an npy file unchanged."""
    return array.dtype.kind in KINDS and array.dtype.fields is None


def array_bytes(array: np.ndarray) -> bytes:
    """A plain array as the bytes of an npy file, least byte first."""
    file = io.BytesIO()
    npy.write_array(
        file, np.asarray(array, array.dtype.newbyteorder("<")), version=(1, 0), allow_pickle=False
    )
    return file.getvalue()


@dataclass(frozen=True)
class Codec:
    """The form of a type in a file: a tag and a list of parts, which are values themselves."""

    of: type | Callable[[Any], bool]  # the type, or whether a value is of it
    write: Callable[[Any], list[Any]]  # the parts of a value
    read: Callable[..., Any]  # the value of its parts

    def writes(self, value: Any) -> bool:
        return isinstance(value, self.of) if isinstance(self.of, type) else self.of(value)


def _dtype(value: Any) -> Any:
    """The type of the entries of an array of pandas; None for other values."""
    return value.dtype if isinstance(value, pd.api.extensions.ExtensionArray) else None


def _ragged(value: Any) -> bool:
    """Whether an array contains arrays of one plain type with one axis, like sets of different
    sizes."""
    parts = (
        value.tolist()
        if isinstance(value, np.ndarray) and value.dtype.kind == "O" and value.ndim == 1
        else []
    )
    return bool(parts) and all(
        isinstance(p, np.ndarray) and p.ndim == 1 and p.dtype == parts[0].dtype and plain(p)
        for p in parts
    )


def _objects(values: list[Any], shape: list[Any]) -> np.ndarray:
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        out[i] = value
    return out.reshape(shape)


def _labels(levels: list[Any], names: list[Any]) -> pd.Index:
    if len(levels) > 1:
        return pd.MultiIndex.from_arrays(levels, names=names)
    if isinstance(levels[0], range):
        return pd.RangeIndex(levels[0], name=names[0])
    return pd.Index(levels[0], levels[0].dtype, name=names[0], tupleize_cols=False)


def _levels(labels: pd.Index) -> list[Any]:
    if isinstance(labels, pd.RangeIndex):
        return [range(labels.start, labels.stop, labels.step)]
    return [_column(labels.get_level_values(k)) for k in range(labels.nlevels)]


def _column(values: Any) -> Any:
    """The entries of a Series or an Index: NumPy's array for types of NumPy or sparse ones,
    otherwise pandas', for Arrow's as well."""
    if isinstance(values.dtype, pd.ArrowDtype):
        return _of_arrow(values)
    return (
        np.asarray(values) if isinstance(values.dtype, (np.dtype, pd.SparseDtype)) else values.array
    )


def _of_arrow(values: Any) -> Any:
    """Entries of a type of Arrow in the type of pandas for the same values; objects if there is
    none."""
    known = values.dtype.numpy_dtype
    name = {
        "b": "boolean",
        "i": "Int64",
        "u": "UInt64",
        "f": "Float64",
        "M": known.str,
        "m": known.str,
    }.get(known.kind)
    if "tz=" in str(values.dtype):
        return pd.DatetimeIndex(values.to_numpy(object)).array
    if values.dtype.type is Decimal:
        return pd.array(values.to_numpy(float, na_value=np.nan), "Float64")
    if name is None and values.dtype.type is str:
        return pd.array(values.to_numpy(object), pd.StringDtype())
    if name is None or (known.kind == "M" and str(values.dtype)[:9] != "timestamp"):
        return np.asarray(values, object)
    return (
        pd.array(values.to_numpy(object), name) if known.kind in "biuf" else values.to_numpy(known)
    )


def _series(rows: pd.Index, name: Any, values: Any) -> pd.Series:
    """A column of exactly this type: pandas would make texts of objects."""
    return pd.Series(values, rows, values.dtype, name)


def _table(rows: pd.Index, names: pd.Index, columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {k: _series(rows, k, values) for k, values in enumerate(columns)}, rows
    ).set_axis(names, axis=1)


def _texts(nullable: bool, texts: list[Any]) -> Any:
    """Texts of which pd.NA is missing, or NaN; pandas before 2.3 has the latter as objects alone."""
    try:
        return pd.array(texts, pd.StringDtype() if nullable else pd.StringDtype(na_value=np.nan))
    except TypeError:
        return np.array([np.nan if t is None else t for t in texts], object)


def _of_library(library: str, table: pd.DataFrame) -> Any:
    """A table of polars or pyarrow, as it was given."""
    if library not in ("polars", "pyarrow"):
        raise FileError(f"a table is of the library {cut(library, 80)}")
    try:
        module = __import__(library)
    except ImportError:
        raise NotAvailableError(
            f"the data were a table of {library}, which is not installed: use pip install {library}"
        ) from None
    return as_given(table, module.DataFrame() if library == "polars" else module.table({}))


# the first that fits is taken
CODECS: Mapping[str, Codec] = {
    "missing": Codec(
        lambda v: v is pd.NA or v is pd.NaT,
        lambda v: ["NA" if v is pd.NA else "NaT"],
        {"NA": pd.NA, "NaT": pd.NaT}.__getitem__,
    ),
    "float": Codec(lambda v: type(v) is float, lambda v: [str(v)], float),
    "scalar": Codec(np.generic, lambda v: [np.asarray(v)], lambda a: a.reshape(())[()]),
    "arrays": Codec(
        _ragged,
        lambda v: [np.concatenate(v.tolist()), np.array([len(p) for p in v], np.int64)],
        lambda flat, lengths: _objects(np.split(flat, np.cumsum(lengths)[:-1]), [len(lengths)]),
    ),
    "objects": Codec(
        lambda v: isinstance(v, np.ndarray) and v.dtype.kind == "O",
        lambda v: [v.ravel().tolist(), list(v.shape)],
        _objects,
    ),
    "timestamp": Codec(
        lambda v: isinstance(v, pd.Timestamp) and v.tz is None, lambda v: [v.asm8], pd.Timestamp
    ),
    "timedelta": Codec(pd.Timedelta, lambda v: [v.asm8], pd.Timedelta),
    "datetime": Codec(
        lambda v: type(v) is datetime.datetime and v.tzinfo is None,
        lambda v: [v.isoformat()],
        datetime.datetime.fromisoformat,
    ),
    "date": Codec(
        lambda v: type(v) is datetime.date, lambda v: [v.isoformat()], datetime.date.fromisoformat
    ),
    "decimal": Codec(Decimal, lambda v: [str(v)], Decimal),
    "interval": Codec(pd.Interval, lambda v: [v.left, v.right, v.closed], pd.Interval),
    "category": Codec(
        pd.Categorical,
        lambda v: [v.codes, v.categories, bool(v.ordered)],
        lambda codes, levels, ordered: pd.Categorical.from_codes(codes, levels, ordered=ordered),
    ),
    "zoned": Codec(
        lambda v: isinstance(_dtype(v), pd.DatetimeTZDtype),
        lambda v: [np.asarray(v, "M8[ns]"), str(v.dtype)],
        lambda times, kind: pd.DatetimeIndex(times).tz_localize("UTC").astype(kind).array,
    ),
    "periods": Codec(
        lambda v: isinstance(_dtype(v), pd.PeriodDtype),
        lambda v: [v.asi8, str(v.dtype)],
        lambda counts, kind: (
            pd.PeriodIndex.from_ordinals(counts, freq=pd.api.types.pandas_dtype(kind).freq).array
        ),
    ),
    "intervals": Codec(
        pd.arrays.IntervalArray,
        lambda v: [v.left, v.right, v.closed],
        pd.arrays.IntervalArray.from_arrays,
    ),
    "texts": Codec(
        lambda v: isinstance(_dtype(v), pd.StringDtype),
        lambda v: [
            v.dtype.na_value is pd.NA,
            [None if t is v.dtype.na_value or t != t else t for t in v.astype(object)],
        ],
        _texts,
    ),
    "masked": Codec(
        lambda v: MASKED.fullmatch(str(_dtype(v))) is not None,
        lambda v: [str(v.dtype), [None if t is pd.NA else t for t in v.tolist()]],
        lambda kind, values: pd.array(values, MASKED.fullmatch(kind)[0]),
    ),
    "labels": Codec(pd.Index, lambda v: [_levels(v), list(v.names)], _labels),
    "series": Codec(pd.Series, lambda v: [v.index, v.name, _column(v)], _series),
    "table": Codec(
        pd.DataFrame,
        lambda v: [v.index, v.columns, [_column(v.iloc[:, k]) for k in range(v.shape[1])]],
        _table,
    ),
    "frame of": Codec(
        lambda v: eager_library(v) is not None,
        lambda v: [eager_library(v).__name__, as_pandas(v)],
        _of_library,
    ),
}


class Encoder:
    """Values on their way into a file; repeated objects are written once."""

    def __init__(self) -> None:
        self.objects: list[Any] = []  # [class, fields] as JSON, each after those that it refers to
        self.arrays: list[bytes] = []  # npy files
        self._names = names_of_classes()
        self._places: dict[bytes, int] = {}
        self._written: dict[int, Any] = {}
        self._kept: list[Any] = []  # objects with an id in `_written` must stay alive

    def encode(self, value: Any, where: str) -> Any:
        """A value as JSON; `where` describes it in messages."""
        if (
            value is None
            or type(value) in (bool, int)
            or (type(value) is float and math.isfinite(value))
        ):
            return value
        if isinstance(value, str):
            return self._text(value, where)
        if type(value) is list:
            return [self.encode(v, where) for v in value]
        if type(value) is tuple:
            return {"tuple": [self.encode(v, where) for v in value]}
        if type(value) is range:
            return {"range": [value.start, value.stop, value.step]}
        if isinstance(value, type) and value in self._names:
            return {"class": self._names[value]}
        if isinstance(value, Mapping):
            return {
                "mapping": [
                    [self.encode(k, where), self.encode(v, f"{where}[{k!r}]")]
                    for k, v in value.items()
                ]
            }
        if id(value) not in self._written:
            self._written[id(value)] = self._once(value, where)
            self._kept.append(value)
        return self._written[id(value)]

    def _text(self, value: str, where: str) -> str:
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refused(value, where) from None
        return str(value)

    def _once(self, value: Any, where: str) -> Any:
        if isinstance(value, np.ndarray) and plain(value):
            data = array_bytes(value)
            place = self._places.setdefault(data, len(self.arrays))
            self.arrays += [data] * (place == len(self.arrays))
            return {"array": place}
        if is_dataclass(value) and not isinstance(value, type):
            return self._object(value, where)
        for tag, codec in CODECS.items():
            if codec.writes(value):
                return {tag: self._parts(codec, value, where)}
        raise refused(value, where)

    def _parts(self, codec: Codec, value: Any, where: str) -> list[Any]:
        parts = codec.write(value)
        if isinstance(value, pd.DataFrame):
            named = zip(value.columns, parts.pop(), strict=True)
            columns = [
                self.encode(values, f"the column {name!r} of {where}") for name, values in named
            ]
            return [*(self.encode(part, where) for part in parts), columns]
        return [self.encode(part, where) for part in parts]

    def _object(self, value: Any, where: str) -> Any:
        name = self._names.get(type(value))
        if name is None:
            raise refused(value, where)
        fields = {
            key: self.encode(v, f"{key!r} of {name}") for key, v in written(value, name).items()
        }
        self.objects.append([name, fields])
        return {"object": len(self.objects) - 1}


class Decoder:
    """Values on their way out of a file; every array and object is made once.

    Parameters
    ----------
    objects : list
        Objects as JSON.
    arrays : list of array
    size : int
        Bytes of the entries of the file.
    """

    def __init__(self, objects: list[Any], arrays: list[np.ndarray], size: int) -> None:
        self.arrays, self._known = arrays, known_classes()
        self._left = 2**23 + 16 * size  # bytes that its values may still take
        self.objects: list[Any] = []
        for name, given in objects:
            self.objects.append(
                self._object(
                    class_of(name, self._known), {name: self.decode(v) for name, v in given.items()}
                )
            )

    def decode(self, written: Any) -> Any:
        """The value of a piece of JSON, which may refer to the objects before it."""
        if type(written) is list:
            return [self.decode(v) for v in written]
        if type(written) is not dict:
            return written
        ((tag, inner),) = written.items()
        if tag == "object":
            return self.objects[inner]
        if tag == "array":
            return self.arrays[inner]
        if tag == "class":
            return class_of(inner, self._known).of
        if tag == "range":
            counted = range(*inner)
            # the length of a longer one may not fit a number
            self._count(ENTRY * (2**40 if counted[2**40 :] else len(counted)))
            return counted
        parts = self.decode(inner)
        if tag == "tuple":
            return tuple(parts)
        if tag == "mapping":
            return dict(parts)
        self._count(_bytes(parts) + (2 * ENTRY * len(parts[1]) if tag == "arrays" else 0))
        return CODECS[tag].read(*parts)

    def _count(self, made: int) -> None:
        """Count the bytes of a value before it is made: one that is mentioned many times is made as
        often."""
        self._left -= made
        if self._left < 0:
            raise FileError("its values would take more memory than the size of the file allows")

    def _object(self, kind: Kind, given: dict[str, Any]) -> Any:
        if any(is_path(given.get(name)) for name in ("data", "frame")):
            raise FileError("it has the path of another file in place of data")
        given = without_former(kind.name, given)
        if kind.name in DERIVED:
            value = DERIVED[kind.name].read(kind.of, **given)
        else:
            value = kind.of(**given)
            check_fields(kind, value)
        if kind.name in CHECKS:
            CHECKS[kind.name](value)
        return value


def _bytes(value: Any) -> int:
    """About how many bytes a value takes that is made of this one."""
    if isinstance(value, list):
        return sum(map(_bytes, value))
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage().sum())
    texts = isinstance(value, np.ndarray) and value.dtype.kind in "SU"
    return getattr(value, "nbytes", 0) + ENTRY * np.size(value) * texts
