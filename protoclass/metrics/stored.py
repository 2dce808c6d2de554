"""Dissimilarities from files: tables as R writes them, PHYLIP files and NumPy arrays."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core.distances.properties import asymmetry
from ..frames.frame import mold
from ..frames.schema import PLACEHOLDER
from ..ground.errors import DataError, OptionError, brief, shown
from ..values import public
from .dissimilarity import Dissimilarity, of_matrix
from .given import Given
from .matrices import check_nearest_to_itself, check_values, from_pairs, in_short, mirrored

NPY = b"\x93NUMPY"
QUOTED = re.compile(r'"(?:[^"\\]|""|\\.)*"')
SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "spaces"}
TRIANGLES = ("lower triangle", "upper triangle")
TOKEN = re.compile(r"\S+")
VECTOR = re.compile(r"^\s*\[\d+\]|\bc\(|\)", re.M)
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")


@public
def read_dissimilarity(path: Any, names: Any = None) -> Dissimilarity:
    """Read dissimilarities between rows from a file.

    Parameters
    ----------
    path : str or path
        File with a table as written by R's `write.csv(as.matrix(d))`, `write.csv2`, `write.table` or pandas' `to_csv`, or as printed by
        R's `print(d)`. One triangle may be missing or blank. A file may also have a line for each pair, with the names of both rows and
        then their dissimilarity, or the numbers of `as.vector(d)`, one on each line. Others are PHYLIP distance files (square or one
        triangle, names up to the first blank or of ten characters) and arrays written by `numpy.save`, square or condensed as by
        SciPy's `pdist`. The format is detected from the contents. Pickled objects are not loaded.
    names : sequence, optional
        Labels of the rows in the order of the file, such as `data.index`, instead of those in the file.

    Returns
    -------
    Dissimilarity
        Dissimilarities for `dissimilarity=` in `fit`, which matches its rows to the data by label. Printing it describes the file.

    Raises
    ------
    DataError
        If the file cannot be read or has another format; if a table is not square, or has different names on rows and columns; if names
        repeat; if values are missing, infinite or negative; if only one triangle is 0; or if a row is farther from itself than from
        others, as in a matrix
        of similarities. An asymmetric matrix is accepted, and reported as such.

    Notes
    -----
    Names that are whole numbers become numbers. R numbers rows without names from 1; rows of arrays and of numbers without names are
    labelled from 0, as in pandas. Either matches data whose n rows are labelled 0 to n - 1 or 1 to n. For other labels, and for only
    some of the rows, pass `names`.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "dist.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write('"","a","b","c"\\n"a",0,1,2.5\\n"b",1,0,2\\n"c",2.5,2,0\\n')
    >>> pc.read_dissimilarity(path)
    given dissimilarities of 3 rows to 3 candidates
    Dissimilarities read from 'dist.csv', a table separated by commas: 3 x 3, symmetric, zero diagonal, rows 'a', 'b', 'c'.
         a  b
    b    1
    c  2.5  2
    """
    stored = read_matrix(path)
    n = len(stored.values)
    if n < 2:
        raise DataError(f"dissimilarities need at least two rows, but the file {Path(path).name!r} has {'one row' if n else 'no rows'}")
    labels, unnamed = _labels(stored, names)
    if not labels.is_unique:
        raise DataError(
            f"the row names of the dissimilarities must be unique, but {shown(labels[labels.duplicated()][0])} occurs more than once"
        )
    values = mirrored(stored.values + 0.0)  # -0.0 becomes 0.0
    check_values(values, labels, labels)
    check_nearest_to_itself(values, labels, labels)
    numbered = f"rows without names, labelled {labels[0]} to {labels[-1]}" if unnamed else f"rows {in_short(labels)}"
    held = f"{n} x {n}, {_symmetry(values, labels)}, {_diagonal(values, labels)}, {numbered}"
    spec = Given(f"read from {Path(path).name!r}, {stored.format}: {held}", unnamed)
    rows = mold("~ 1", pd.DataFrame(index=labels), response=False)
    return of_matrix(pd.DataFrame(values, labels, labels), rows, spec)


def _labels(stored: Stored, names: Any) -> tuple[pd.Index, bool]:
    """The labels of the rows, and whether these are only numbered."""
    n = len(stored.values)
    if names is not None:
        if isinstance(names, str) or not np.iterable(names):
            raise OptionError(f"names must be a sequence of row labels in the order of the file, such as data.index, not {brief(names)}")
        try:
            labels = pd.Index(list(names))
            hash(tuple(labels))
        except TypeError:
            raise OptionError(f"names must contain labels such as texts and numbers, and not lists or tables, not {brief(names)}") from None
        if len(labels) != n:
            raise OptionError(f"names has {len(labels)} labels, but the file has {n} rows")
        return labels, False
    if stored.names is None:
        return pd.RangeIndex(n), True
    if list(stored.names) == [str(k + 1) for k in range(n)]:
        return pd.RangeIndex(1, n + 1), True
    if all(WHOLE.fullmatch(name) for name in stored.names):
        return pd.Index([int(name) for name in stored.names]), False
    return pd.Index(list(stored.names)), False


def _symmetry(values: np.ndarray, labels: pd.Index) -> str:
    found = asymmetry(values)
    if found.pairs == 0:
        return "symmetric"
    if not found.beyond:
        return "symmetric up to rounding"
    i, j = found.at
    pairs = len(values) * (len(values) - 1) // 2
    return f"asymmetric in {found.pairs} of {pairs} pairs (most {shown(labels[i])} and {shown(labels[j])}, by {found.absolute:.4g})"


def _diagonal(values: np.ndarray, labels: pd.Index) -> str:
    own = values.diagonal()
    if not own.any():
        return "zero diagonal"
    i = int(own.argmax())
    return f"diagonal up to {own[i]:.4g} ({shown(labels[i])})"


@dataclass(frozen=True)
class Stored:
    """A square matrix as a file has it.

    Attributes
    ----------
    values : float array (n, n)
        Values, NaN where the file has NA.
    names : tuple of str (n,), or None
        Row names.
    format : str
        Description of the format.
    """

    values: np.ndarray
    names: tuple[str, ...] | None
    format: str


def read_matrix(path: Any) -> Stored:
    """The matrix in a file; see `protoclass.read_dissimilarity`."""
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(f"path must be the path of a file, as text, not {brief(path)}")
    file = Path(path)
    name = repr(file.name)
    try:
        with file.open("rb") as stream:
            if stream.read(len(NPY)) == NPY:
                return _numpy(file, name)
            stream.seek(0)
            raw = stream.read()
    except DataError:
        raise
    except (OSError, ValueError) as reason:
        raise DataError(f"the file {str(path)!r} can't be opened: {getattr(reason, 'strerror', None) or reason}") from None
    if not raw.strip():
        raise DataError(f"the file {name} is empty")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise DataError(
            f"the file {name} is neither text in UTF-8 nor an .npy file: use R's write.csv(as.matrix(d), fileEncoding = 'UTF-8'), a "
            "PHYLIP file, or numpy.save(path, D)"
        )
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    # a first line of 0 or 1 is the name of a row, unless it is alone; numbers alone on each line are condensed
    counted = re.fullmatch(r"\s*[0-9]{1,9}\s*", lines[0]) and (len(lines) == 1 or (int(lines[0]) > 1 and _floats(lines) is None))
    return _phylip(lines, name) if counted else _table(text, lines, name)


def _numpy(file: Path, name: str) -> Stored:
    """A square or condensed array that `numpy.save` wrote. Pickled objects are not loaded."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of files that Python 2 wrote, which load more slowly
            array = np.load(file, mmap_mode="r", allow_pickle=False)
    except Exception as reason:
        raise DataError(
            f"the file {name} is not a complete .npy file of numbers: {str(reason).splitlines()[0] if str(reason) else reason!r}"
        ) from None
    if array.dtype.kind not in "biuf":
        raise DataError(f"dissimilarities must be numbers, but the file {name} contains values of type {array.dtype}")
    if file.stat().st_size != array.offset + array.nbytes:
        raise DataError(f"the file {name} continues after its array of shape {array.shape}, so it is damaged")
    values = np.array(array, dtype=float)
    if values.ndim == 1:
        return _condensed(values, name)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise DataError(f"the file {name} contains an array of shape {values.shape}: use a square or a condensed one")
    return Stored(values, None, "a square array")


def _condensed(values: np.ndarray, name: str) -> Stored:
    """One value for each pair, column by column below the diagonal."""
    n = (1 + math.isqrt(1 + 8 * len(values))) // 2
    if n * (n - 1) // 2 != len(values):
        raise DataError(
            f"the file {name} has {len(values)} values, but a condensed array has n (n - 1) / 2: {n * (n - 1) // 2} for {n} rows, "
            f"{n * (n + 1) // 2} for {n + 1}"
        )
    from scipy.spatial.distance import squareform

    return Stored(squareform(values, checks=False), None, "a condensed array")


def _phylip(lines: list[str], name: str) -> Stored:
    """A PHYLIP file: the number of rows, then each row's name and its values, all of them or one triangle.

    Names end at the first blank (relaxed) or after ten characters (strict). A row may go on on lines that begin with blanks.
    """
    n, body = int(lines[0]), lines[1:]
    if len(body) != n:
        body = _joined(body)
    if len(body) != n:
        raise DataError(f"the file {name} announces {n} rows, but has {len(body)}: check for missing or additional rows")
    for rows in ([line.split() for line in body], [[line[:10].strip(), *line[10:].split()] for line in body]):
        found = _shape([row[1:] for row in rows], [row[0] for row in rows])
        if found is not None:
            return replace(found, format=f"a PHYLIP file, {found.format}")
    counts = [len(line.split()) - 1 for line in body]
    raise DataError(
        f"the file {name} begins as a PHYLIP file of {n} rows, but is not one: after a unique name (up to the first blank, or ten "
        f"characters), each row needs {n} numbers, or those of one triangle, and not "
        f"{', '.join(map(str, counts[:5]))}{', ...' if n > 5 else ''} values"
    )


def _joined(lines: list[str]) -> list[str]:
    """Rows of a PHYLIP file whose values continue on further lines, which begin with a blank and contain numbers only."""
    rows: list[str] = []
    for line in lines:
        if rows and line[0].isspace() and _floats(line.split()) is not None:
            rows[-1] = f"{rows[-1].rstrip()} {line.strip()}"
        else:
            rows.append(line)
    return rows


def _shape(rows: list[list[str]], names: Sequence[str], decimal: str = ".") -> Stored | None:
    """A square matrix from rows with all values or one triangle, with or without a diagonal of zeros; None if they are neither."""
    numbers, n = [_floats(row, decimal) for row in rows], len(rows)
    values, counts = [v for v in numbers if v is not None], [len(row) for row in rows]
    if len(values) < n or len(set(names)) not in (0, n):
        return None
    if counts == [n] * n:
        return Stored(np.array(values, float), tuple(names), "square")
    for diagonal in (0, 1):
        lower = [i + diagonal for i in range(n)]
        for expected, which in zip((lower, lower[::-1]), TRIANGLES, strict=True):
            if counts != expected:
                continue
            matrix = np.zeros((n, n))
            for i, row in enumerate(values):
                matrix[i, slice(0, len(row)) if which == TRIANGLES[0] else slice(n - len(row), n)] = row
            return None if matrix.diagonal().any() else Stored(matrix + matrix.T, tuple(names) or None, which)
    return None


def _table(text: str, lines: list[str], name: str) -> Stored:
    """A table as R and pandas write or print it: a matrix, one triangle, a line for each pair, or one number on each line."""
    vector = VECTOR.sub(" ", text)  # as R prints or writes one
    values = None if vector == text else _floats(re.split(r"[\s,]+", vector.strip()))
    if values is not None:
        return _condensed(np.array(values), name)
    outside = QUOTED.sub("name", f"{lines[0]}\n{lines[-1]}").strip()
    failures = []
    for separator in (s for s in SEPARATORS if s in outside):
        try:
            printed = _printed(lines) if separator == lines[0][0] == " " else None
            return _parsed(printed or _fields(text, separator), separator, name)
        except DataError as failure:
            failures.append((outside.count(separator), failure))
    listed = _listed([[line] for line in lines], ",", name)
    if listed is not None:
        return listed
    if failures:
        raise max(failures, key=lambda failed: failed[0])[1] from None
    raise DataError(
        f"the file {name} is not a table of dissimilarities, because its first line, {shown(lines[0][:60])}, has one field: use R's "
        "write.csv(as.matrix(d)), a PHYLIP file, or numpy.save(path, D)"
    )


def _printed(lines: list[str]) -> list[list[str]] | None:
    """The fields of a printed matrix, in blocks of columns whose numbers end where their names do; None if some do not."""
    table, header = dict[str, dict[str, str]](), list[str]()
    heads = [k for k, line in enumerate(lines) if line[0] == " "]
    for head, end in pairwise([*heads, len(lines)]):
        names, rows = lines[head], lines[head + 1 : end]
        found = [{m.end(): m for m in TOKEN.finditer(row) if _number(m[0], ",") is not None} for row in rows]
        ends = sorted({m.end() for m in TOKEN.finditer(names)} & set().union(*found))
        columns = {last: names[first:last].strip() for first, last in pairwise([0, *ends])}
        header += columns.values()
        for row, numbers in zip(rows, found, strict=True):
            cells = [(columns[at], m) for at, m in numbers.items() if at in columns]
            start = cells[0][1].start() if cells else len(row)
            if len(row[start:].split()) != len(cells):
                return None
            table.setdefault(row[:start].strip(), {}).update({column: m[0] for column, m in cells})
    return [["", *header], *([row, *(cells.get(c, "") for c in header)] for row, cells in table.items())] if header else None


def _listed(fields: list[list[str]], decimal: str, name: str) -> Stored | None:
    """A condensed matrix, one number on each line, or a line for each pair: its rows and its value.

    There may be a header and a first column that numbers the lines.
    """
    for body in (fields, fields[1:]):
        if not body or len({len(row) for row in body}) > 1:
            continue
        one_line = len(body) == 1 < len(body[0]) and _floats(body[0], decimal) is not None
        columns = [tuple(body[0])] if one_line else list(zip(*body, strict=True))
        if len(body) == len(columns) and all(_number(row[k], decimal) == 0 for k, row in enumerate(body)):
            return None  # a square matrix
        if len(columns) in (2, 4) and columns[0] in (tuple(str(k + first) for k in range(len(body))) for first in (0, 1)):
            columns = columns[1:]
        values = _floats(columns[min(2, len(columns) - 1)], decimal)
        if values is not None and len(columns) == 1 < len(values):
            return _condensed(np.array(values), name)
        table = from_pairs(columns[0], columns[1], values) if values is not None and len(columns) > 2 else None
        if table is not None:
            if all(map(WHOLE.fullmatch, table.index)):
                order = sorted(table.index, key=int)
                table = table.loc[order, order]
            return Stored(table.to_numpy(), tuple(table.index), "a line for each pair")
    return None


def _triangle(header: list[str], rows: list[list[str]], decimal: str) -> Stored | None:
    """One triangle, with or without names, whose rows have different lengths."""
    counts, first, rest = range(len(rows)), [row[0] for row in rows], [row[1:] for row in rows]
    readings = [(rows, header), ([[], *rows], header), ([*rows, []], header)]
    if _floats(first) is None or first in ([str(k + 1) for k in counts], [str(k) for k in counts]):
        readings[1:1] = [(rest, first), ([[], *rest], header[:1] + first)]
    return next((found for lines, names in readings if (found := _shape(lines, names, decimal)) is not None), None)


def _fields(text: str, separator: str) -> list[list[str]]:
    """The fields of a table; quoted fields may contain separators."""
    if separator == " ":
        text = "\n".join(line.strip() for line in text.split("\n"))
    escape = "\\" if '\\"' in text and separator in " \t" else None  # as write.table writes quotes within names
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, escapechar=escape, strict=True, skipinitialspace=separator == " "
    )
    try:
        rows = [row for row in reader if any(row)]
    except csv.Error as reason:
        raise DataError(f"the table is not valid at line {reader.line_num}: {reason}") from None
    while rows and all(len(row) > 1 and row[-1] == "" for row in rows):  # lines that end with a separator
        rows = [row[:-1] for row in rows]
    return rows


def _parsed(fields: list[list[str]], separator: str, name: str) -> Stored:
    """The matrix of a table's fields."""
    what, decimal = f"a table separated by {SEPARATORS[separator]}", "." if separator == "," else ","
    listed = _listed(fields, decimal, name)
    if listed is not None:
        return replace(listed, format=f"{what}, {listed.format}")
    plain = len(fields) == len(fields[0]) and fields[0][0] != "" and _floats(fields[0], decimal) is not None
    header, body = (None, fields) if plain else (fields[0], fields[1:])
    if len(fields) + 1 == len(fields[0]) and fields[0][0] != "" and _floats(fields[0][1:], decimal) is not None:  # names, but no header
        header, body = ["", *(row[0] for row in fields)], fields
    if not body:
        raise DataError(f"the file {name} has no rows below its first line")
    width = len(body[0])
    ragged = next((k for k, row in enumerate(body) if len(row) != width), None)
    if ragged is not None:
        triangle = _triangle([], fields, decimal) or _triangle([field for field in fields[0] if field], fields[1:], decimal)
        if triangle is not None:
            return replace(triangle, format=f"{what}, {triangle.format}")
        raise DataError(
            f"the file {name} ({what}) is ragged: its row {ragged + 1} ({shown(body[ragged][0][:40])}) has {len(body[ragged])} fields, "
            f"but its first row has {width}"
        )
    rows, columns = _names(header, body, f"the file {name} ({what})")
    body = body if rows is None else [row[1:] for row in body]
    counts = [[str(k + first) for k in range(len(body))] for first in (0, 1)]
    if rows in counts and columns and len(columns) == len(body) and set(rows).isdisjoint(columns):  # R numbers columns V1, V2, ...
        rows = columns = rows if [c[1:] for c in columns] in counts else columns
    names = columns if rows is None else rows
    if rows and columns and rows != columns and rows[:-1] == columns[1:]:  # as R prints a `dist`
        names, body = [columns[0], *rows], [[""] * (len(rows) + 1), *([*row, ""] for row in body)]
    else:
        _check_names(rows, columns, len(body), len(body[0]), name)
    values = np.array([_row(row, decimal, k, name) for k, row in enumerate(body)])
    return Stored(values, None if names is None else tuple(names), what)


def _names(header: list[str] | None, body: list[list[str]], what: str) -> tuple[list[str] | None, list[str] | None]:
    """The names of rows and columns, None if the table has none; a header may have a corner above the row names."""
    if header is None:
        return None, None
    first, width = [row[0] for row in body], len(body[0])
    if len(header) == width - 1:
        return first, header
    if len(header) != width:
        raise DataError(f"{what} has {len(header)} names in its first line, but {width} fields in each row")
    corner = len(body) == width - 1 or (len(body) != width and not set(first).isdisjoint(header[1:]))
    return (first, header[1:]) if corner else (None, header)


def _check_names(rows: list[str] | None, columns: list[str] | None, n: int, m: int, name: str) -> None:
    """Raise unless the table is square with the same names on both sides in the same order."""
    if rows is not None and columns is not None and rows != columns:
        for side, other, what, where in ((columns, rows, "row", "columns"), (rows, columns, "column", "rows")):
            absent = next((label for label in side if label not in set(other)), None)
            if absent is not None:
                raise DataError(
                    f"the file {name} has {n} rows and {m} columns, but no {what} {shown(absent)}, which is among the {where}: use the "
                    "same names for rows and columns. Load a matrix of other candidates by pd.read_csv(path, index_col=0). R's "
                    "data.frame() changes names, so use as.matrix(d)"
                )
        if n == m:
            k = next(k for k in range(n) if rows[k] != columns[k])
            raise DataError(
                f"the file {name} has its rows and columns in different orders, first {shown(rows[k])} and {shown(columns[k])}: use D = "
                "pd.read_csv(path, index_col=0) and D[D.index]"
            )
    if n != m:
        raise DataError(
            f"the file {name} must be square, but has {n} rows and {m} columns of numbers: check for missing or additional rows; in a "
            "file of pairs, use three columns, with the names of both rows and then their dissimilarity, and each pair once"
        )


def _row(fields: list[str], decimal: str, k: int, name: str) -> list[float]:
    values = _floats(fields, decimal)
    if values is None:
        bad = next(f for f in fields if _number(f, decimal) is None)
        raise DataError(f"the file {name} has {shown(bad[:40])} in row {k + 1}, which is not a number")
    return values


def _floats(fields: Sequence[str], decimal: str = ".") -> list[float] | None:
    """Numbers as R, PHYLIP and pandas write them, NaN for NA, another placeholder and an empty field; None if a field is none."""
    values = [_number(field, decimal) for field in fields]
    return None if None in values else [v for v in values if v is not None]


def _number(field: str, decimal: str) -> float | None:
    if "_" in field:  # which Python takes for a separator of digits
        return None
    try:
        return float(field.replace(",", ".") if decimal == "," else field)
    except ValueError:
        return math.nan if PLACEHOLDER.fullmatch(field) else None
