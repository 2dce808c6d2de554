"""Tables, columns, labels and single dates of pandas as JSON and arrays."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..errors import FileError, NotAvailable, cut
from ..frames.tables import as_given, as_pandas, eager_library
from .arrays import plain
from .classes import refused

if TYPE_CHECKING:
    from .values import Reader, Writer

UNITS = ("s", "ms", "us", "ns")  # of dates
MASKED = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64", "boolean")
CLOSED = ("left", "right", "both", "neither")


def write(writer: Writer, value: Any, where: str) -> Any:
    """A table, a column, an index or a date as JSON."""
    if isinstance(value, pd.DataFrame):
        columns = [column(writer, value.iloc[:, k].array, f"the column {value.columns[k]!r} of {where}") for k in range(value.shape[1])]
        return _listed(writer, ["table", index(writer, value.index, where), index(writer, value.columns, where), columns])
    if isinstance(value, pd.Series):
        name = writer.write(value.name, where)
        return _listed(writer, ["series", index(writer, value.index, where), name, column(writer, value.array, where)])
    if isinstance(value, pd.Index):
        return _listed(writer, ["index", index(writer, value, where)])
    if isinstance(value, pd.api.extensions.ExtensionArray):
        return _listed(writer, ["column", column(writer, value, where)])
    library = eager_library(value)
    if library is not None:
        return {"frame of": [library.__name__, write(writer, as_pandas(value), where)]}
    return _single(writer, value, where)


def _listed(writer: Writer, written: list[Any]) -> Any:
    return {written[0]: written[1:]}


def _single(writer: Writer, value: Any, where: str) -> Any:
    """A label that is not a plain number or text."""
    if value is pd.NA or value is pd.NaT:
        return {"missing": "NA" if value is pd.NA else "NaT"}
    if isinstance(value, (pd.Timestamp, pd.Timedelta)) and getattr(value, "tzinfo", None) is None:
        kind = "timestamp" if isinstance(value, pd.Timestamp) else "timedelta"
        return {kind: [int(value.asm8.astype(np.int64)), value.unit]}
    if isinstance(value, pd.Interval):
        return {"interval": [writer.write(value.left, where), writer.write(value.right, where), value.closed]}
    if type(value) is datetime.datetime and value.tzinfo is None:
        return {"datetime": value.isoformat()}
    if type(value) is datetime.date:
        return {"date": value.isoformat()}
    raise refused(value, where)


def index(writer: Writer, value: pd.Index, where: str) -> Any:
    """Labels with the names of their levels."""
    names = [writer.write(name, where) for name in value.names]
    if isinstance(value, pd.MultiIndex):
        levels = [column(writer, level.array, where) for level in value.levels]
        return {"levels": levels, "codes": [writer.array(np.asarray(codes, np.int64), where) for codes in value.codes], "names": names}
    if isinstance(value, pd.RangeIndex):
        return {"range": [value.start, value.stop, value.step], "names": names}
    return {"labels": column(writer, value.array, f"the labels of {where}"), "names": names}


def column(writer: Writer, values: Any, where: str) -> Any:
    """An array of pandas: [kind, contents ...]."""
    if isinstance(values, pd.arrays.NumpyExtensionArray) and not isinstance(values.dtype, pd.StringDtype):
        values = values.to_numpy()
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = writer.array(np.asarray(values.codes, np.int64), where)
        return ["category", codes, index(writer, values.categories, f"the categories of {where}"), bool(dtype.ordered)]
    if isinstance(dtype, pd.StringDtype):
        texts = [None if v is dtype.na_value or v != v else writer.write(str(v), where) for v in values.astype(object)]
        return ["texts", dtype.na_value is pd.NA, texts]
    if isinstance(dtype, pd.IntervalDtype):
        return ["intervals", column(writer, values.left.array, where), column(writer, values.right.array, where), values.closed]
    if str(dtype) in MASKED:
        missing = np.asarray(values.isna())
        known = values.to_numpy(dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return ["masked", str(dtype), writer.array(known, where), writer.array(missing, where)]
    plain_type = isinstance(dtype, np.dtype)
    if plain_type and dtype.kind in "mM":
        return ["numbers", writer.array(np.asarray(values), where)]
    if plain_type and (dtype.kind == "O" or plain(np.asarray(values))):
        kind = "objects" if dtype.kind == "O" else "numbers"
        return [kind, writer.array(np.asarray(values), where)]
    raise refused(pd.Series(values), where)


def read(reader: Reader, tag: str, inner: Any, depth: int) -> Any:
    """What `write` has written under a tag."""
    if tag == "table":
        rows, names, columns = _parts(inner, 3)
        labels, heads = read_index(reader, rows, depth), read_index(reader, names, depth)
        if type(columns) is not list or len(columns) != len(heads):
            raise FileError(f"a table has {len(heads)} names of columns and another number of columns")
        made = {k: _series(read_column(reader, c, depth, len(labels)), labels) for k, c in enumerate(columns)}
        return pd.DataFrame(made, labels).set_axis(heads, axis=1)
    if tag == "series":
        rows, name, values = _parts(inner, 3)
        labels = read_index(reader, rows, depth)
        return _series(read_column(reader, values, depth, len(labels)), labels, reader.read(name, depth))
    if tag == "index":
        return read_index(reader, _parts(inner, 1)[0], depth)
    if tag == "column":
        return read_column(reader, _parts(inner, 1)[0], depth)
    if tag == "frame of":
        library, table = _parts(inner, 2)
        return _of_library(reader, library, table, depth)
    return _read_single(reader, tag, inner, depth)


def _series(values: Any, labels: pd.Index, name: Any = None) -> pd.Series:
    """A column of exactly this type: pandas would make texts of objects."""
    return pd.Series(values, labels, values.dtype, name)


def _parts(inner: Any, count: int) -> list[Any]:
    if type(inner) is not list or len(inner) != count:
        raise FileError(f"a part of a table is {cut(str(inner), 80)}")
    return inner


def _of_library(reader: Reader, library: Any, written: Any, depth: int) -> Any:
    """A table of polars or pyarrow, as it was given."""
    if library not in ("polars", "pyarrow"):
        raise FileError(f"a table is of the library {cut(str(library), 80)}")
    table = reader.read(written, depth)
    if not isinstance(table, pd.DataFrame):
        raise FileError("a table is no table")
    try:
        module = __import__(library)
    except ImportError:
        raise NotAvailable(f"the data were a table of {library}, which is not installed here: pip install {library}") from None
    return as_given(table, module.DataFrame() if library == "polars" else module.table({}))


def _read_single(reader: Reader, tag: str, inner: Any, depth: int) -> Any:
    if tag == "missing" and inner in ("NA", "NaT"):
        return pd.NA if inner == "NA" else pd.NaT
    if tag in ("timestamp", "timedelta"):
        number, unit = _parts(inner, 2)
        if type(number) is not int or unit not in UNITS:
            raise FileError(f"a date is {cut(str(inner), 80)}")
        make, plain_kind = (pd.Timestamp, np.datetime64) if tag == "timestamp" else (pd.Timedelta, np.timedelta64)
        return make(plain_kind(number, unit))
    if tag == "interval":
        left, right, closed = reader.list(inner, depth, 3)
        return pd.Interval(left, right, _closed(closed))
    if tag in ("date", "datetime") and isinstance(inner, str):
        return (datetime.date if tag == "date" else datetime.datetime).fromisoformat(inner)
    raise FileError(f"a value has the tag {cut(tag, 80)}")


def _closed(closed: Any) -> Any:
    if closed not in CLOSED:
        raise FileError(f"an interval is closed on the side {cut(str(closed), 80)}")
    return closed


def read_index(reader: Reader, written: Any, depth: int) -> pd.Index:
    """Labels that `index` has written."""
    if type(written) is not dict or "names" not in written:
        raise FileError(f"labels are {cut(str(written), 80)}")
    names = reader.list(written["names"], depth)
    keys = set(written) - {"names"}
    if keys == {"levels", "codes"}:
        columns = [read_column(reader, level, depth) for level in _listing(written["levels"])]
        levels = [pd.Index(values, values.dtype) for values in columns]
        codes = [_codes(reader.read(c, depth), len(level)) for c, level in zip(_listing(written["codes"]), levels, strict=True)]
        return pd.MultiIndex(levels, codes, names=names)
    if len(names) != 1:
        raise FileError("labels of one level have several names")
    if keys == {"range"}:
        return pd.RangeIndex(reader.counting(written["range"], depth), name=names[0])
    if keys != {"labels"}:
        raise FileError(f"labels have the parts {sorted(keys)}")
    values = read_column(reader, written["labels"], depth)
    return pd.Index(values, values.dtype, name=names[0], tupleize_cols=False)


def _listing(written: Any) -> list[Any]:
    if type(written) is not list:
        raise FileError(f"a list is {cut(str(written), 80)}")
    return written


def _texts(texts: list[str | None], nullable: bool) -> Any:
    """Texts of which pd.NA is missing, or NaN; pandas before 2.3 has the latter as objects alone."""
    if nullable:
        return pd.array(texts, pd.StringDtype())
    try:
        dtype = pd.StringDtype(na_value=np.nan)
    except TypeError:
        return np.array([np.nan if t is None else t for t in texts], object)
    return pd.array(texts, dtype)


def _codes(codes: Any, levels: int) -> np.ndarray:
    fine = isinstance(codes, np.ndarray) and codes.ndim == 1 and codes.dtype == np.int64
    if not fine or (codes < -1).any() or (codes >= levels).any():
        raise FileError(f"codes of {levels} levels are out of range")
    return codes  # type: ignore[no-any-return]


def read_column(reader: Reader, written: Any, depth: int, length: int | None = None) -> Any:
    """An array that `column` has written, of so many entries where that is known."""
    kind, *parts = _listing(written) or [None]
    values = _read_parts(reader, kind, parts, depth + 1)
    if values.ndim != 1 or (length is not None and len(values) != length):
        raise FileError(f"a column has the shape {values.shape}, for {length} labels")
    return values


def _read_parts(reader: Reader, kind: Any, parts: list[Any], depth: int) -> Any:
    match kind, parts:
        case "numbers", [array]:
            values = reader.read(array, depth)
            if isinstance(values, np.ndarray) and values.dtype.kind in "biufmM":
                return values
        case "objects", [array]:
            values = reader.read(array, depth)
            if isinstance(values, np.ndarray) and values.dtype.kind == "O":
                return values
        case "texts", [bool(nullable), list(texts)]:
            if all(t is None or type(t) is str for t in texts):
                return _texts(texts, nullable)
        case "category", [codes, categories, bool(ordered)]:
            levels = read_index(reader, categories, depth)
            return pd.Categorical.from_codes(_codes(reader.read(codes, depth), len(levels)), levels, ordered=ordered)
        case "intervals", [left, right, closed]:
            ends = [read_column(reader, side, depth) for side in (left, right)]
            return pd.arrays.IntervalArray.from_arrays(*ends, closed=_closed(closed))
        case "masked", [str(name), known, missing] if name in MASKED:
            values, mask = reader.read(known, depth), reader.read(missing, depth)
            dtype = pd.api.types.pandas_dtype(name)
            if getattr(values, "dtype", None) == dtype.numpy_dtype and mask.dtype == bool and mask.shape == values.shape:
                made = pd.array(values, dtype)
                made[mask] = pd.NA
                return made
    raise FileError(f"a column is {cut(str([kind, *parts]), 80)}")
