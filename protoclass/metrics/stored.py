"""Dissimilarities from files: tables of R and pandas, triangles, lists of pairs, NumPy arrays."""

from __future__ import annotations

import csv
import math
import os
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..frames.frame import mold
from ..frames.misread import PLACEHOLDER
from ..ground.errors import DataError, OptionError, brief, shown
from ..values import public
from .dissimilarity import Dissimilarity, of_metric
from .given import Given, as_floats, counts, from_pairs, given, labelled

NPY = b"\x93NUMPY"
QUOTED = re.compile(r'"(?:[^"]|"")*"')
SEPARATORS = "\t;|, "
VECTOR = re.compile(r"^\s*\[\d+\]|\bc\(|\)", re.M)  # as R prints or writes one
WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
CURE = "use R's write.csv(as.matrix(d)), pandas' to_csv, or numpy.save(path, D)"


@public
def read_dissimilarity(path: Any, names: Any = None) -> Dissimilarity:
    """Read dissimilarities between rows from a file.

    Parameters
    ----------
    path : str or path
        File with a table, whole or one triangle, as written by R's `write.csv(as.matrix(d))`,
        `write.csv2`, `write.table` or `print(d)`, by pandas' `to_csv`, or as PHYLIP's files. Or a
        file with a line for each pair: the names of both rows and their dissimilarity, or the
        numbers of `as.vector(d)`. Or an array by `numpy.save`, square or condensed, without pickled
        objects.
    names : sequence, optional
        Labels of the rows in the order of the file, such as `data.index`, instead of those in the
        file.

    Returns
    -------
    Dissimilarity
        Dissimilarities for `dissimilarity=` in `fit`, which matches its rows to the data by label.

    Raises
    ------
    DataError
        If the file cannot be read or has another format; if a table is not square, or has different
        names on rows and columns; if names repeat; if values are missing, infinite or negative, or
        are similarities. An asymmetric matrix is accepted.

    Notes
    -----
    Names that are whole numbers become numbers. Rows without names are labelled from 1 as in R, or
    from 0 in arrays; either matches data whose n rows are labelled 0 to n - 1 or 1 to n. For other
    labels, and for only some of the rows, pass `names`.

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
    Dissimilarities read from 'dist.csv'.
         a  b
    b    1
    c  2.5  2
    """
    if not isinstance(path, (str, os.PathLike)):
        raise OptionError(f"path must be the path of a file, as text, not {brief(path)}")
    matrix, file = _matrix(Path(path)), repr(Path(path).name)
    n, unnamed = len(matrix), False
    if n < 2:
        raise DataError(
            f"dissimilarities need at least two rows, but the file {file} has {'one row' if n else 'no rows'}"
        )
    if names is not None:
        labels = _labels(names, n)
    else:
        labels = matrix.index  # positions, or names as text
        # as R numbers rows without names
        unnamed = labels.equals(pd.RangeIndex(n)) or list(labels) == counts(n)[1]
        if all(WHOLE.fullmatch(str(name)) for name in labels):
            labels = labels.astype(int)
    matrix, rows = matrix.set_axis(labels).set_axis(labels, axis=1), pd.DataFrame(index=labels)
    metric = replace(given(matrix, rows), spec=Given(f"read from {file}", unnamed))
    return of_metric(metric, mold("~ 1", rows, response=False))


def _labels(names: Any, n: int) -> pd.Index:
    try:
        labels = None if isinstance(names, str) else pd.Index(list(names))
        if labels is not None and len(labels) == n and labels.is_unique:
            return labels
    except TypeError:  # nothing to iterate over, or labels that are lists
        pass
    raise OptionError(
        f"names must be {n} different row labels in the order of the file, such as data.index, not {brief(names)}"
    )


def _matrix(file: Path) -> pd.DataFrame:
    """The square matrix in a file, NaN for missing values; labels are texts, or positions."""
    name = repr(file.name)
    try:
        raw = file.read_bytes()
    except (OSError, ValueError) as reason:
        raise DataError(
            f"the file {str(file)!r} can't be opened: {getattr(reason, 'strerror', None) or reason}"
        ) from None
    if raw.startswith(NPY):
        try:
            array = as_floats(np.load(file, allow_pickle=False))
        except Exception as reason:
            fault = str(reason) or repr(reason)
            raise DataError(
                f"the file {name} is not a complete .npy file of numbers ({fault}): save it again"
            ) from reason
        return labelled(array, pd.RangeIndex(len(array))) if array.ndim == 2 else condensed(array)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    lines = [line for line in text.splitlines() if line.strip()]
    if "\0" in text or not lines:
        raise DataError(
            f"the file {name} is {'neither text in UTF-8 nor a .npy file' if lines else 'empty'}: {CURE}"
        )
    vector = VECTOR.sub(" ", text)
    if vector != text and (values := _floats(re.split(r"[\s,]+", vector.strip()), ".")):
        return condensed(np.array(values))
    for body in (lines, lines[1:]):  # one number on each line
        values = _floats(body, ",")
        if (
            values
            and len(values) > 2
            and math.isqrt(1 + 8 * len(values)) ** 2 == 1 + 8 * len(values)
        ):
            return condensed(np.array(values))
    outside, failures = QUOTED.sub("name", text), []
    for separator in [s for s in SEPARATORS if s in outside] or [","]:
        try:
            return _square(_fields(lines, separator), "." if separator == "," else ",")
        except DataError as failure:
            failures.append(f"{failure}".partition(": ")[0])
    raise DataError(f"the file {name} has no dissimilarities ({failures[0]}): {CURE}")


def condensed(values: Array) -> pd.DataFrame:
    """One value for each pair, column by column below the diagonal."""
    return labelled(values, pd.RangeIndex((1 + math.isqrt(1 + 8 * values.size)) // 2))


def _fields(lines: list[str], separator: str) -> list[list[str]]:
    """The fields of a table, without a first line that has the number of rows."""
    if separator == " ":
        header = lines[0].split()
        counted = len(header) > 1 and header == counts(len(header))[1]  # rows without names
        if lines[0][0] == " " and (counted or _floats(header, ".") is None):
            return _printed(lines)
        lines = [line.strip() for line in lines]
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=separator == " ")
    try:
        rows = list(reader)
    except csv.Error as reason:
        raise DataError(f"line {reader.line_num} is not valid, {reason}") from None
    return rows[1:] if "".join(rows[0]).strip() == str(len(rows) - 1) else rows


def _printed(lines: list[str]) -> list[list[str]]:
    """The fields of a printed matrix, in blocks of columns that are aligned on the right."""
    cells, every = dict[str, dict[str, str]](), list[str]()
    heads = [k for k, line in enumerate(lines) if line[0] == " "]
    for head, end in pairwise([*heads, len(lines)]):
        names, rows = lines[head], lines[head + 1 : end]
        found = [
            {m.end(): m for m in re.finditer(r"\S+", row) if _floats([m[0]], ",")} for row in rows
        ]
        ends = sorted({m.end() for m in re.finditer(r"\S+", names)} & set().union(*found))
        columns = {last: names[first:last].strip() for first, last in pairwise([0, *ends])}
        cells |= {column: cells.get(column, {}) for column in columns.values()}
        every, labels = [*every, *columns.values()], list[str]()
        for row, numbers in zip(rows, found, strict=True):
            values = {columns[at]: m for at, m in numbers.items() if at in columns}
            start = min((m.start() for m in values.values()), default=len(row))
            labels.append(row[:start].strip())
            cells.setdefault(labels[-1], {}).update({column: m[0] for column, m in values.items()})
        for a, b in (pair for names_of in (every, labels) for pair in pairwise(sorted(names_of))):
            if a == b:
                raise DataError(f"{shown(a)} is the name of several rows or columns")
    return [
        ["", *cells],
        *([row, *(known.get(c, "NA") for c in cells)] for row, known in cells.items()),
    ]


def _square(rows: list[list[str]], decimal: str) -> pd.DataFrame:
    """The square matrix of the fields of a table."""
    listed = _listed(rows, decimal)
    if listed is not None:
        return listed
    rows = _filled(rows)
    n, width = len(rows), len(rows[-1])
    header: list[str] | None = None
    # if the first line is a row, and no header
    named, plain = n == width - 1, n == width and rows[0][0] != ""
    if not (named or plain) or _floats(rows[0][named:], decimal) is None:
        header, n = rows[0], n - 1
    body = rows[-n:] if n else []
    names = [row[0] for row in body] if n == width - 1 else header
    values = [row[width - n :] for row in body]
    if (
        n == 0
        or n not in (width, width - 1)
        or any(len(row) != width for row in body)
        or len(header or values[0]) not in (n, width)
    ):
        lengths = ", ".join(str(len(row)) for row in rows[:5])
        raise DataError(
            f"its rows have {lengths} ... fields, so it is neither a square table or triangle nor a list of pairs"
        )
    wrong = next(
        ((k, f) for k, row in enumerate(values) for f in row if _floats([f], decimal) is None), None
    )
    if wrong is not None:
        raise DataError(f"{shown(wrong[1][:40])} in row {wrong[0] + 1} is not a number")
    numbers = pd.DataFrame([_floats(row, decimal) for row in values])
    if names is None:
        return numbers
    columns = names if header is None else header[-n:]
    if names in counts(n) and not {*names} & {*columns}:  # R numbers columns V1, V2, ...
        names = columns = names if [c[1:] for c in columns] in counts(n) else columns
    twice = [b for a, b in pairwise(sorted(names)) if a == b]
    strange = [*twice, *sorted({*names} ^ {*columns})]
    if strange:
        raise DataError(f"{shown(strange[0])} is not the name of one row and of one column")
    return numbers.set_axis(names).set_axis(columns, axis=1)[names]


def _filled(rows: list[list[str]]) -> list[list[str]]:
    """Rows with one triangle of the values, with empty fields for the other; others unchanged."""
    if (
        len(rows[0]) in (len(rows) - 1, len(rows))
        and len(rows[1:]) > 1
        and _floats(rows[0][1:], ",") is None
    ):
        return [rows[0], *_filled(rows[1:])]
    n, counts = len(rows), [len(row) for row in rows]
    for first in (1, 2):  # fields of the shortest row
        lower = list(range(first, first + n))
        if n > 1 and counts in (lower, lower[::-1]):
            right, named = counts == lower, True
            if _floats([row[0] for row in rows], ",") is not None:
                named = first == 2 or {
                    *(_floats([row[-1 if right else 0] for row in rows], ",") or [])
                } != {0.0}
                if named:
                    raise DataError(
                        "the rows of one triangle have no names that are texts, and no diagonal of zeros"
                    )
            empty = [[""] * (n + named - count) for count in counts]
            return [
                row + gap if right else [*row[:named], *gap, *row[named:]]
                for row, gap in zip(rows, empty, strict=True)
            ]
    return rows


def _listed(rows: list[list[str]], decimal: str) -> pd.DataFrame | None:
    """A matrix with a line for each pair: the names of its rows and its value, or the value alone.

    There may be a header, and a column that counts the lines.
    """
    for body in (rows, rows[1:]):
        columns = list(zip(*body, strict=True)) if len({len(row) for row in body}) == 1 else []
        if len(columns) in (2, 4) and [*columns[0]] in counts(len(body)):
            columns = columns[1:]
        if len(body) == 1:
            columns = [tuple(body[0])]
        square = len(columns) == len(body) > 1 and _floats(columns[0], decimal) is not None
        values = (
            _floats(columns[min(2, len(columns) - 1)], decimal)
            if len(columns) not in (0, 2) and not square
            else None
        )
        if (
            values is None
            or len(values) < 2
            or (
                len(columns) > 1 and len(body) <= 3 and _floats([*columns[0], *columns[1]], decimal)
            )
        ):
            continue  # three lines of numbers are a matrix
        if len(columns) == 1:
            return condensed(np.array(values))
        table = from_pairs(columns[0], columns[1], values)
        if table is not None:
            return table
    return None


def _floats(fields: Any, decimal: str) -> list[float] | None:
    """Numbers as R, PHYLIP and pandas write them, NaN for empty fields; None for other text."""
    try:
        # "_", which Python takes for a separator of digits, becomes no number
        return [
            math.nan
            if PLACEHOLDER.fullmatch(f)
            else float(f.replace("_", "x").replace(decimal, "."))
            for f in fields
        ]
    except ValueError:
        return None
