"""Files of fits, cross-validations, dissimilarities and comparisons: `Fit.save`,
`protoclass.load`, and `Fit.reproduce`, which runs the call of a fit again.

A file is a zip of one document in JSON (UTF-8) and of arrays as `numpy.save` writes them. It
contains no code and no pickled object, and reading it runs none. Classes are named from a closed
list, and functions are never named. Formulas are checked against the same grammar as in `fit`, and
every size is compared with the bytes in the file before memory is allocated for it. What else a
file says is not checked beyond its sum.

The entries of the zip
----------------------
`content.json`
    * `format`: "protoclass".
    * `version`: 5. A file of another version is refused, with the version of the package that wrote
      it.
    * `written by`: versions of protoclass, Python and the packages that compute.
    * `kind`: the class of the saved object: "Fit", "Validation", "Dissimilarity" or "Comparison".
    * `objects`: a list of `[class, fields]`, each after those that it refers to.
    * `root`: the number of the object that was saved.
`arrays/0.npy`, `arrays/1.npy`, ...
    Booleans, whole numbers, floats, dates and texts of fixed length, least byte first.

The comment of the zip is the SHA-256 sum of all entries, one after the other.

Values
------
Null, true, false, whole numbers, finite numbers (with as many digits as give the same bits), texts
and lists are written as JSON does. Everything else is an object of one name, its tag:

* `{"object": k}`: the k-th object. `{"array": k}`: the array of `arrays/k.npy`. `{"class": name}`:
  a class.
* `{"tuple": [...]}`, `{"range": [start, stop, step]}`, `{"mapping": [[name, value], ...]}`.
* `{"float": ["inf"]}`, `"-inf"` or `"nan"`; `{"missing": ["NA"]}` or `"NaT"`; `{"scalar":
  [array]}`: a number of NumPy's.
* `{"objects": [values, shape]}`: an array of such values. `{"arrays": [flat, lengths]}`: an array
  of arrays, which are in `flat` one after the other.
* `{"table": [rows, names, columns]}`, `{"series": [rows, name, column]}`, `{"labels": [levels,
  names]}`: tables, columns and labels of pandas. `{"frame of": [library, table]}`: a table of
  polars or pyarrow.
* Columns and the levels of labels are arrays, or `{"category": [codes, labels, ordered]}`,
  `{"texts": [nullable, [...]]}`, `{"intervals": [left, right, closed]}`, `{"zoned": [times of UTC,
  type]}`, `{"periods": [numbers, type]}`, `{"masked": [type, [...]]}` with the number of a type in
  "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 boolean"; the labels 0, 1, 2,
  ... are a range.
* `{"timestamp": [scalar]}`, `{"timedelta": [scalar]}`, `{"date": [text]}`, `{"datetime": [text]}`,
  `{"decimal": [text]}`, `{"interval": [left, right, closed]}`.

Classes
-------
An object has the fields of its class, which are described by its documentation: `Fit`,
`Validation`, `ErrorCurve` (in a fit), `Problem`, `Selection`, `Calibration`; `Dissimilarity` and
the trained metrics; rules, `Points`, `Objective` and `Certificate` (bounds, class by class, and the
dual prices of the rows); `Comparison`. "method pvm" and "metric euclidean" are specifications with
their parameters; "method m of module.Class" is a registered one. Fields that begin with an
underscore are `_calibration` of a `Fit`, and of a `Validation` and an `ErrorCurve`:

* `_problem`, and `_of_fold` (repeats, n): the fold that holds out each row.
* `_predicted` and `_covered` (repeats, n, points): held-out codes of classes, by prediction and by
  covering balls, -1 for none. `_scored` (repeats, n, points): losses of the values for each class,
  if the measure is "auc", "brier" or "log_loss", otherwise none.
* `_errors`, `_sizes` and `_bounds` (folds, points): error, size and bound of each model;
  `_fold_weight` (folds,) and `_counts` (points,), prototypes of the model on all rows.
* `_notes` on the folds, and `_extensions` of default grids.

Three classes have fields that follow from the others, and are written without them:

* `Formula`: `text`, `response`, `terms`, `variables` and `columns`, the names of all columns of the
  data.
* `Frame`: `columns` (the predictors), `response`, `formula`, `schema` (a `Column` for each
  predictor), `weights`, `dropped` (labels), `keep`, `notes`; `states`: for each transform of the
  formula its trained values (means, knots, breaks), None for plain numbers.
* `RowlessFrame`, of slim fits: `remembered`, a `Frame` of the rows that are prototypes,
  `class_counts` and `class_weights`, numbers and weights of the training rows of each class.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import platform
import reprlib
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
from numpy.lib import format as npy

from protoclass import __version__

from ...core.memory import room
from ...estimation.error_curve import Selection
from ...estimation.problem import Call
from ...frames.tables import Absent, as_pandas
from ...ground.errors import (
    FileError,
    NotAvailableError,
    OptionError,
    TooLargeError,
    brief,
    printed,
    shown,
    why,
)
from ...ground.files import Saved, check_free, write_by
from ...values import public
from .classes import SAVED, import_all, written
from .codecs import KINDS, Decoder, Encoder


def save(value: Any, path: Any, overwrite: Any) -> Saved:
    """See `Fit.save`."""
    place = _place(path)
    check_free(place, overwrite)
    encoder = Encoder()
    root = encoder.encode(value, f"the {type(value).__name__}")["object"]
    kind = encoder.objects[root][0]
    document = {"kind": kind, "objects": encoder.objects, "root": root}
    return Saved(
        place,
        write_archive(place, document, encoder.arrays, overwrite),
        tuple(CONTENTS[kind](value)),
    )


def _place(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise OptionError(
            f"path must be the name of a file, such as 'iris.proto', not {brief(path)}"
        )
    return Path(path)


@public
def load(path: Any) -> Any:
    """Load a file written by `save`: a fit, a cross-validation, a dissimilarity or a comparison.

    The predictions are bit-identical.

    Parameters
    ----------
    path : str or path
        File written by `save`.

    Returns
    -------
    Fit, Validation, Dissimilarity or Comparison

    Raises
    ------
    FileError
        If the file does not exist, is damaged, was not written by `save`, or has another version of
        the format.
    NotAvailableError
        If it needs a custom method or metric whose module is not imported, or a table library that
        is not installed.
    TooLargeError
        If it contains more than a quarter of the available memory.

    Notes
    -----
    Files are not trusted: loading runs no code and opens no other file or address, and anything
    that `save` does not write raises an error; see `protoclass.export.saving` for the format.
    Still, the author of a file can put any numbers into it: use `Fit.reproduce` to compare them
    with the data.

    Examples
    --------
    >>> import os, tempfile
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = pc.load(fit.save(os.path.join(folder, "iris.proto")))
    >>> again.predict(iris, "distance").equals(fit.predict(iris, "distance"))
    True
    """
    place = _place(path)
    document, arrays, size = read_archive(place)
    import_all()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd values of a damaged file are refused
            kind, root = document["kind"], document["root"]
            if kind not in SAVED or document["objects"][root][0] != kind:
                raise FileError(f"it announces {brief(kind)}, but its root is another")
            return Decoder(document["objects"], arrays, size).decode({"object": root})
    except (NotAvailableError, TooLargeError, MemoryError):
        raise
    except Exception as reason:  # any error that the values of a file cause
        raise damaged(place, why(reason)) from None


# contents of a file about rows, in words


def _of_fit(fit: Any) -> list[str]:
    out, prototypes = _of_problem(fit._problem), fit.rule.prototypes
    if fit.frame.absent is not None:
        which = (
            f"{len(prototypes)} prototypes, among them {len(fit.frame.remembered)} of the "
            f"{fit.nobs} rows, with labels and predictors"
        )
        out.append(
            which
            if prototypes.at is not None
            else f"{len(prototypes)} prototypes, none of them a row"
        )
        learned = [
            name
            for name, array in fit.dissimilarity.metric.arrays().items()
            if array.ndim and len(array) == fit.nobs > 1
        ]
        out += (
            [f"values of each row that the metric learned ({', '.join(learned)})"]
            if learned
            else []
        )
    if fit._curve is not None:
        out.append(_held_out(fit._curve))
    if fit._calibration is not None:
        rows, rules = len(fit._calibration.conformal.y), len(fit._calibration.rules)
        out.append(
            f"classes, weights and scores of {rows} calibration rows, and the prototypes of the "
            f"{rules} rules that scored them"
        )
    return out


def _of_problem(problem: Any) -> list[str]:
    """The data of a call, all of whose columns are kept, or the levels that a slim fit has of them."""
    if not isinstance(problem.call.data, Absent):
        rows, columns = as_pandas(problem.call.data).shape
        return [
            f"the data: {rows} rows with their labels and all {columns} columns; fit.slim() leaves them out"
        ]
    levels = [name for name, column in problem.frame.schema.items() if column.kind == "category"]
    return [f"the values in training of the columns {brief(levels)}"] if levels else []


def _held_out(v: Any) -> str:
    repeats, n, points = v._predicted.shape
    return (
        f"held-out predictions of {n} rows ({points} grid points, {repeats} "
        f"{'repeat' if repeats == 1 else 'repeats'}) and their folds"
    )


def _of_dissimilarity(d: Any) -> list[str]:
    n, p = d.data.remembered.columns.shape
    if d.metric.given:
        return [f"{d.shape[0]} x {d.shape[1]} dissimilarities with their labels"]
    return [f"{n} rows of {p} predictors with their labels"]


CONTENTS: Mapping[str, Callable[[Any], list[str]]] = {
    "Fit": _of_fit, "Validation": lambda v: [*_of_problem(v._problem), _held_out(v)],
    "Dissimilarity": _of_dissimilarity,
    "Comparison": lambda c: [f"labels, classes and predictions of {len(c.predictions)} test rows "
                             f"by {len(c.methods)} methods"],
}  # fmt: skip


FORMAT, VERSION, DOCUMENT = "protoclass", 5, "content.json"
PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "numba",
    "scikit-learn",
    "formulaic",
    "statsmodels",
    "highspy",
    "matplotlib",
)


def write_archive(
    path: Path, document: Mapping[str, Any], arrays: Sequence[bytes], overwrite: bool
) -> int:
    """Write a file of a document and npy files, all or not at all; returns its bytes.

    Raises
    ------
    OptionError, FileError
        See `protoclass.ground.files.write_by`.
    """
    head = {"format": FORMAT, "version": VERSION, "written by": versions()}
    text = json.dumps(
        head | dict(document), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return write_by(lambda file: _write(file, [text.encode(), *arrays]), path, overwrite)


def _names(count: int) -> list[str]:
    """Names of the entries of a file."""
    return [DOCUMENT, *(f"arrays/{k}.npy" for k in range(count - 1))]


def _write(file: BinaryIO, entries: Sequence[bytes]) -> int:
    archive = zipfile.ZipFile(file, "w")
    try:
        archive.comment = _sum(entries)
        for name, data in zip(_names(len(entries)), entries, strict=True):
            info = zipfile.ZipInfo(name)  # dated 1980, so that the same fit gives the same bytes
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, _method(name, data))
        archive.close()
    except BaseException:
        # to close an archive with an open entry fails, which would hide Ctrl-C; the file is thrown
        # away
        archive.fp = None
        raise
    return file.tell()


def _method(name: str, data: bytes) -> int:
    """Compressed, unless the entry would then be too small for its contents."""
    packed = len(zlib.compress(data, wbits=-zlib.MAX_WBITS))  # as in a zip, without a header
    return zipfile.ZIP_DEFLATED if len(data) <= most_bytes(name, packed) else zipfile.ZIP_STORED


def _sum(entries: Sequence[bytes]) -> bytes:
    """The SHA-256 of all entries, one after the other."""
    sha256 = hashlib.sha256()
    for data in entries:
        sha256.update(data)
    return sha256.hexdigest().encode()


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of the packages that compute."""
    from importlib.metadata import version  # 10 to 20 ms that a loaded fit does without

    return {
        "protoclass": __version__,
        "Python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
        **{name: version(name) for name in PACKAGES},
    }


def read_archive(path: Path) -> tuple[dict[str, Any], list[np.ndarray], int]:
    """The document of a file, its arrays, and the bytes of all entries.

    Raises
    ------
    FileError
        If there is no such file, or it is damaged, was not written by this package, or has another
        version of the format.
    TooLargeError
        If its contents take more than a quarter of the available memory.
    """
    try:
        with open(path, "rb") as file, zipfile.ZipFile(file) as archive:
            size = _checked(archive.infolist(), os.fstat(file.fileno()).st_size, path)
            document = _described(archive.read(DOCUMENT).decode(), path)
            entries, known = [archive.read(info) for info in archive.infolist()], archive.comment
        if _sum(entries) != known:
            raise ValueError("it does not match its checksum")
        return document, [_array(data, size) for data in entries[1:]], size
    except (FileError, TooLargeError, MemoryError):
        raise
    except Exception as reason:  # of which a damaged zip, array or text has many
        if isinstance(reason, OSError) and reason.strerror:
            raise FileError(f"{shown(str(path))} can't be opened: {reason.strerror}") from None
        raise damaged(path, why(reason).lower()) from None


def damaged(path: Path, reason: str) -> FileError:
    return FileError(
        f"{shown(str(path))} is damaged, or is not a file that protoclass has saved: {reason}. Take "
        "another copy, or save the fit again"
    )


def _checked(infos: list[zipfile.ZipInfo], size: int, path: Path) -> int:
    """The bytes of all entries, whose names and declared sizes are possible for a file of this
    size."""
    if [info.orig_filename for info in infos] != _names(len(infos)):
        raise ValueError("its entries are not a document and its arrays")
    for info in infos:
        if info.file_size > max(info.compress_size, most_bytes(info.filename, info.compress_size)):
            raise ValueError(
                f"its entry {info.filename} would have {info.file_size:,} bytes, out of {info.compress_size:,}"
            )
    if sum(info.compress_size for info in infos) > size:
        raise ValueError("it has entries that are larger than the file")
    total = sum(info.file_size for info in infos)
    if total > room():
        raise TooLargeError(
            f"the content of {shown(str(path))} needs {total / 2**30:.2f} GB, above a quarter of the available memory"
        )
    return total


def _described(text: str, path: Path) -> dict[str, Any]:
    """The document, of the format and version that is known."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("its document is not a saved fit")
    number, by = document["version"], document["written by"]["protoclass"]
    if number != VERSION:
        cure = (
            "update protoclass"
            if number > VERSION
            else "load it with that version, and fit again with this one"
        )
        raise FileError(
            f"{shown(str(path))} has version {number} of the format, written by protoclass "
            f"{shown(by)}, but this protoclass supports "
            f"{VERSION}: {cure}"
        )
    return document


def most_bytes(name: str, compressed: int) -> int:
    """Bytes that an entry with this many in the file may have; values of JSON take far more than
    its text."""
    return 2**12 + (20 if name == DOCUMENT else 50) * compressed


def _array(data: bytes, most: int) -> np.ndarray:
    """The array of an npy file, no side of which has more than `most` entries."""
    file = io.BytesIO(data)
    if npy.read_magic(file) != (1, 0):
        raise ValueError("an array has another header")
    shape, _, dtype = npy.read_array_header_1_0(file)
    if (
        dtype.kind not in KINDS
        or math.prod(shape) * dtype.itemsize != len(data) - file.tell()
        or max(shape, default=0) > most
    ):
        raise ValueError(
            f"an array would have the shape {reprlib.repr(shape)} of {dtype}, and has {len(data) - file.tell():,} bytes"
        )
    file.seek(0)
    return np.load(file, allow_pickle=False)


# spelling, unused columns, and the name of a file
NOT_COMPARED = ("Formula.text", "Formula.columns", "Given.origin")


@public
@dataclass(frozen=True)
class Reproduction:
    """Result of `Fit.reproduce`: true if everything is the same.

    Attributes
    ----------
    parts : mapping of str to str
        The parts that were compared, in words.
    differences : mapping of str to str
        The parts that differ, with the first differences.
    """

    parts: Mapping[str, str]
    differences: Mapping[str, str]

    def __bool__(self) -> bool:
        return not self.differences

    @printed
    def __repr__(self) -> str:
        lines = (
            (name in self.differences, name, self.differences.get(name, known))
            for name, known in self.parts.items()
        )
        return "\n".join(
            f"{'DIFFERENT' if differs else 'same':11}{name}{words and ': '}{words}"
            for differs, name, words in lines
        )


def reproduce(fit: Any, data: Any, **arguments: Any) -> Reproduction:
    """Run the call of the fit again on its data, with its seed, and compare the results.

    Parameters
    ----------
    data : DataFrame, or path or lazy table as in `fit`
        The training rows in their order, with their labels.
    **arguments
        Arguments of the call that you have from another source too, such as `dissimilarity=D` if it
        is a matrix, or `weights=w`. Default: the arguments in the fit.

    Returns
    -------
    Reproduction
        Result that is true if everything is the same. It prints a line for each part, from the rows
        to the predictions.

    Notes
    -----
    Floats may differ by 1e-9 of the larger (in single precision 1e-6), everything else must be
    equal. Columns that the formula does not use are not compared. Arguments in the fit, such as a
    matrix, are trusted: the first line of the result shows the call. The result of a fit that
    `swap` or `fit_at` has changed after its call is false.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> bool(fit.reproduce(iris)), bool(fit.reproduce(iris.iloc[1:]))
    (True, False)
    """
    by_hand = fit._selection.by_hand and fit._selection.point is not None
    again = (replace(fit, _selection=Selection()) if by_hand else fit).update(
        data=data, **arguments
    )
    again = again.validation.fit_at(fit._selection.point) if by_hand else again
    again = again if fit.frame.absent is None else again.slim()
    own, other = _parts_of_fit(fit), _parts_of_fit(again)
    found = {
        name: list(islice(differences(value, other.get(name)), 3)) for name, value in own.items()
    }
    words = {name: "; ".join(said) for name, said in found.items() if said}
    return Reproduction({"call": repr(fit.call), **dict.fromkeys(own, "")}, words)


def _parts_of_fit(fit: Any) -> dict[str, Any]:
    frame, rule = fit.frame, fit.rule
    of_rows = dict[str, Any]()
    if frame.absent is None:
        data, used = as_pandas(fit.call.data), {*frame.columns, frame.formula.response}
        of_rows = {
            "data": data[[name for name in data if name in used]],
            "rows": frame.index,
            "rows left out": frame.dropped,
        }
        of_rows["predictions"] = fit._predictions()
    return {
        **of_rows,
        "levels": frame.levels,
        "predictors and weights": frame,
        "arguments": replace(fit._problem, model=fit.model),
        "parameters": fit._selection,
        "dissimilarity": fit.dissimilarity,
        "prototypes": rule.prototypes,
        **rule.report,
        "fitted model": rule,
        "errors": fit._curve and {"of folds": fit._curve._errors, "cross-validation": fit._curve},
        "probabilities": fit._calibration,
    }


def differences(a: Any, b: Any, where: str = "") -> Iterator[str]:
    """The places where a value of the fit differs from one of its call, in words."""
    if a is b:
        return
    parts, others = _parts(a), _parts(b)
    if (
        parts is not None
        and others is not None
        and type(a) is type(b)
        and parts.keys() == others.keys()
    ):
        for name, part in parts.items():
            yield from differences(part, others[name], f"{where}.{name}" if where else str(name))
        return
    x, y = np.atleast_1d(a), np.atleast_1d(b)
    if x.shape != y.shape:
        yield f"{where} {brief(a)}, now {brief(b)}".strip()
    elif len(unlike := np.flatnonzero(_unlike(x, y))):
        count = f" ({len(unlike)} of {x.size})" if x.size > 1 else ""
        yield f"{where} {shown(x.flat[unlike[0]])}, now {shown(y.flat[unlike[0]])}{count}".strip()


def _parts(value: Any) -> Mapping[Any, Any] | None:
    """The parts of a value by name."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, pd.DataFrame):
        return {
            "row labels": value.index,
            "names": value.columns,
            **{str(name): value[name] for name in value},
        }
    # an entry may be a list or an array
    if isinstance(value, (np.ndarray, pd.Series, pd.Index)) and value.dtype.kind == "O":
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if isinstance(value, Call) or not is_dataclass(value):
        return {} if isinstance(value, Call) else None
    kind = type(value).__name__
    return {
        name: part
        for name, part in written(value, kind).items()
        if f"{kind}.{name}" not in NOT_COMPARED
    }


def _unlike(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Which entries of two arrays of one shape differ."""
    if x.dtype.kind == y.dtype.kind == "f":
        eps = np.finfo(x.dtype).eps
        largest = np.abs(x[np.isfinite(x)]).max(initial=0.0)
        # BLAS rounds differently on other computers
        return ~np.isclose(x, y, max(1e-9, 8 * eps), eps * largest, equal_nan=True)
    present = ~(pd.isna(x) | pd.isna(y))
    unlike = pd.isna(x) != pd.isna(y)
    unlike[present] = x[present] != y[present]
    return unlike
