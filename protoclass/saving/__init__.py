"""Files of fits, cross-validations, dissimilarities and comparisons: `Fit.save` and `protoclass.load`.

A file is a zip of texts in JSON (UTF-8) and of arrays as `numpy.save` writes them. It holds no code and no pickled object, and reading
it runs none: classes are named from a closed list, functions are never named, formulas are checked against the grammar that
`fit` checks them against, and every size is compared with that of the file before memory is taken for it.

The entries of the zip
----------------------
`manifest.json`
    * `format`: "protoclass".
    * `version`: 1. A file of a later version is refused, and says by which version of the package it was written.
    * `kind`: the class of what was saved: "Fit", "Validation", "Dissimilarity" or "Comparison".
    * `written by`: versions of protoclass, Python, numpy, pandas, formulaic and scipy.
    * `entries`: for each further entry `bytes`, its size, and `sha256`, its sum.
`content.json`
    * `objects`: a list of `[class, fields]`, each after those that it refers to.
    * `root`: the number of the object that was saved.
`arrays/0.npy`, `arrays/1.npy`, ...
    Booleans, whole numbers, floats, dates and texts of fixed length, least byte first.

Values
------
Null, true, false, whole numbers, finite numbers (with as many digits as give the same bits), texts and lists stand as JSON has
them. Everything else is an object of one name, its tag:

* `{"object": k}`: the k-th object. `{"class": name}`: a class.
* `{"array": k}`: the array of `arrays/k.npy`; `{"scalar": k}`: its only number.
* `{"float": "inf"}`, `"-inf"`, `"nan"`. `{"tuple": [...]}`, `{"range": [start, stop, step]}`, `{"mapping": [[name, value], ...]}`.
* `{"values": [shape, [...]]}`: an array of such values. `{"arrays": [a, b]}`: an array of arrays that stand in `arrays/a.npy` one
  after the other, with the lengths in `arrays/b.npy`.
* `{"table": [rows, names, columns]}`, `{"series": [rows, name, column]}`, `{"index": [labels]}`, `{"column": [column]}`: tables,
  columns and labels of pandas. `{"frame of": [library, table]}`: a table of polars or pyarrow.
* `{"timestamp": [number, unit]}`, `{"timedelta": [number, unit]}`, `{"date": text}`, `{"datetime": text}`, `{"interval": [left, right,
  closed]}`, `{"missing": "NA"}` or `"NaT"`.

Labels are `{"range": [start, stop, step], "names": [name]}`, `{"labels": column, "names": [name]}`, or of several levels `{"levels":
[column, ...], "codes": [array, ...], "names": [...]}`. A column is `["numbers", array]` (also dates), `["objects", values]`,
`["texts", nullable, [...]]`, `["category", codes, labels, ordered]`, `["intervals", left, right, closed]` or `["masked", type, values,
missing]`.

Classes
-------
An object has the fields of its class, whose documentation says what they are: `Fit` of `protoclass.estimation.fitted`, `Validation` of
`error_curve`, `Problem`, `Selection`, `Calibration`; `Dissimilarity` and the trained metrics; rules, `Points`, `Objective` and
`Certificate` (bounds, class by class, and the dual prices of the rows, by which `protoclass.verify` proves them again) of
`protoclass.core`; `Comparison`. "method pvm" and "metric euclidean" are
specifications with their parameters; "method m of module.Class" is one that was registered. Three classes are written otherwise:

* `Formula`: `text`, `response`, `terms` (each a list of factors, a text with how it is read: "lookup", "python" or "literal"),
  `variables` and `columns`, the names of all columns of the data.
* `Frame`: `columns` (the predictors), `response`, `formula`, `schema` (a `Column` for each predictor), `weights`, `dropped` (labels),
  `keep`, `notes`; `states`: for each transform of the formula what it has learned (means, knots, breaks), None for plain numbers;
  `design`: the names of the columns of the design matrix. `RowlessFrame`, of slim fits: `remembered`, a `Frame` of the rows
  that are prototypes, `class_counts` and `class_weights`, numbers and weights of the rows of each class that there were.
* `Call`: `function`, `formula`, `data` and `arguments`, as given, but for the connection to a cluster.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arguments import known_arguments
from ..core.memory import limited
from ..errors import FileError, NotAvailable, OptionError, ProtoclassError, TooLarge, brief, printed
from ..files import check_free
from .archive import Archive, damaged, parse, read_archive, write_archive
from .arrays import from_bytes
from .checks import CHECKS
from .classes import import_all, name_of
from .contents import contents
from .values import Reader, Writer

LABEL = 4  # bytes of a file for each label that it counts and does not write: a row has a weight and a class of 8 bytes each
FEW_LABELS = 2**16  # which any file may count
DECODING = (ProtoclassError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError,
            NotImplementedError, RuntimeError)  # fmt: skip


@dataclass(frozen=True)
class Saved:
    """A file that was written; `open` and `load` take it as a path.

    Attributes
    ----------
    path : Path
    size : int
        Bytes.
    holds : tuple of str
        What is in it that may be private.
    """

    path: Path
    size: int
    holds: tuple[str, ...]

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    @printed
    def __repr__(self) -> str:
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1e6 else f"{self.size / 1e3:.1f} kB"
        return "\n".join([f"{str(self.path)!r} ({size}) holds", *(f"* {line}" for line in self.holds)])


@limited
def save(value: Any, path: Any, overwrite: Any) -> Saved:
    """See `Fit.save`."""
    place = _place(path)
    check_free(place, overwrite)
    writer = Writer()
    root = writer.write(value, f"the {type(value).__name__}")["object"]
    content = json.dumps({"objects": writer.objects, "root": root}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    size = write_archive(place, name_of(type(value)) or "", content, writer.entries, overwrite)
    return Saved(place, size, contents(value))


def _place(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise OptionError(f"path={brief(path)}: the name of a file, such as 'iris.proto'")
    return Path(path)


@limited
@known_arguments
def load(path: Any) -> Any:
    """What `save` has written: a fit, a cross-validation, a dissimilarity or a comparison.

    It predicts to the same bits, prints, summarises and draws the same. A file is not trusted: it runs no code, opens no other file
    and no address, and whatever is not as `save` writes it ends in an error; see `protoclass.saving` for the format. Still,
    a file says what its writer wants it to say: whether the numbers are those of the data, only the data can tell, see `verify`.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Fit, Validation, Dissimilarity or Comparison

    Raises
    ------
    FileError
        Where there is no such file, where it is damaged or was not written by `save`, and where a later version of the package wrote it.
    NotAvailable
        For methods and metrics of one's own whose module is not imported, and tables of a library that is not installed.
    TooLarge
        Where it holds more than a quarter of the memory that is left.

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
    archive = read_archive(place)
    import_all()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is odd in the values of a damaged file is refused
            return _decoded(archive, place)
    except (NotAvailable, TooLarge):
        raise
    except DECODING as reason:
        if isinstance(reason, FileError) and reason.args and str(place) in str(reason):
            raise
        raise damaged(place, str(reason) or type(reason).__name__) from None


def _decoded(archive: Archive, place: Path) -> Any:
    content = parse(archive.content, place)
    if not isinstance(content, dict) or set(content) != {"objects", "root"}:
        raise FileError("its content has other parts than objects and root")
    arrays = {int(name[7:-4]): from_bytes(name, data, archive.size) for name, data in archive.entries.items()}
    reader = Reader(content["objects"], arrays, FEW_LABELS + archive.size // LABEL)
    value = reader.object(content["root"])
    if reader.used != set(arrays):
        raise FileError("it has arrays that nothing refers to")
    if type(value) not in CHECKS or name_of(type(value)) != archive.kind:
        raise FileError(f"it holds {brief(archive.kind)}, and its root is another")
    CHECKS[type(value)](value)
    return value
