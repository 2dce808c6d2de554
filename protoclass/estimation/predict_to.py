"""Predictions of rows that do not fit into memory, written while the rows are read: `Fit.predict_to`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from ..core.parallel import MANY, each
from ..frames.reading import source_of
from ..frames.schema import HOW as UNSEEN
from ..frames.schema import Unseen, check_column, check_names
from ..frames.sources import Files, Source, as_frame, installed, library_of, readable
from ..frames.sql import identifier
from ..frames.tables import of_one_type
from ..ground.checks import check_progress, one_of
from ..ground.errors import DataError, NotAvailable, OptionError, brief, cut
from ..ground.files import check_free, check_path, write_by
from ..ground.progress import bar
from .calibration import LEVEL
from .fitted import Fitted

SINGLE = ("class", "cover", "nearest")  # kinds with one value for each row; the others have one for each class
TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}  # of labels in DuckDB; all others are texts


def predict_to(
    fit: Fitted,
    source: Any,
    out: Any = None,
    key: Any = None,
    kind: Any = "class",
    *,
    level: float = LEVEL,
    prior: Any = None,
    loss: Any = None,
    threshold: Any = None,
    unseen: str = "warn",
    overwrite: bool = False,
    progress: bool | None = None,
) -> Any:
    """Predict the rows of files or of a lazy table into a file, or into a lazy table of the same library.

    Rows are read, predicted and written in blocks on all processors, and are never in memory as a whole. The result has the rows of
    the source in their order: the columns `key`, then the columns of the prediction. It needs pyarrow.

    Parameters
    ----------
    source : path or lazy table
        Rows to predict, as `data` in `fit`.
    out : path, optional
        Output file that ends in .parquet or .csv. It is written under a temporary name and renamed, so Ctrl-C, a crash or a full disk
        leaves the old file or none. None, for a polars LazyFrame or a DuckDB relation: the result is of the same type, and is computed
        when it is read, in the batches and threads of that library (`fit.predict_to(relation, key="id").create("predictions")`).
    key : column name, or list of these, optional
        Columns of the source to copy to the result, with the same types; columns of CSV files are copied as text, unless they are
        numbers that the formula uses. A key may have duplicates and missing values: no row is left out.
    kind : str, or list of these
        Kinds of prediction, as in `predict`. The columns are named "class", "cover" and "nearest"; the other kinds have one for each
        class, "prob_<class>", "distance_<class>", "decision_<class>", and "set_<class>": whether the class is in the set. A row
        without a prediction has missing values.
    level, prior, loss, threshold, unseen
        Arguments of `predict`.
    overwrite : bool
        Whether to replace an existing file.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Path, LazyFrame or relation
        The output file, or the lazy table.

    Raises
    ------
    OptionError
        If the file already exists or is a source, if its name has another ending, if two columns would have the same name, or if a
        CSV file would have only one column.
    DataError
        If the source is a table in memory, if a key is not a column, or if `predict` raises it. No file is left then.
    NotAvailable
        If pyarrow is not installed.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows, out = os.path.join(folder, "rows.csv"), os.path.join(folder, "out.csv")
    ...     iris.rename_axis("id").iloc[[0, 70]].to_csv(rows)
    ...     pd.read_csv(fit.predict_to(rows, out, key="id", kind=["class", "distance"])).round(2)
       id      class  distance_setosa  distance_versicolor  distance_virginica
    0   0     setosa             0.27                 2.79                3.94
    1  70  virginica             3.05                 1.43                1.15
    """
    one_of("unseen", unseen, UNSEEN)
    check_progress(progress)
    if not installed("pyarrow"):
        raise NotAvailable("predict_to needs pyarrow, which is not installed: pip install pyarrow")
    keys, kinds = [] if key is None else _listed(key), _listed(kind)
    for name in kinds:
        fit.check_kind(name, prior, loss, threshold)
    known = source_of(source, keys)
    if known is None:
        raise DataError(
            f"predict_to needs a path or a lazy table, but source is a {type(source).__name__}: use predict(data) for rows in memory"
        )
    check_names(pd.Index(known.names))
    for name in keys:
        check_column(name, pd.Index(known.names), "key")
    job = Job(fit, keys, kinds, (level, prior, loss, threshold, unseen == "zero"), unseen == "raise")
    every = pd.Index([*keys, *(name for name, _ in job.columns)])
    if not every.is_unique:
        raise OptionError(
            f"{every[every.duplicated()][0]!r} would be the name of two output columns: rename the key, or use each kind once"
        )
    if out is None:
        return _lazily(job, source, known, unseen)
    path = check_path(out, (".parquet", ".csv"), "out")
    check_free(path, overwrite)
    if path.suffix.lower() == ".csv" and len(every) == 1:
        raise OptionError(
            "a CSV file of one column has empty lines for missing values, which other programs skip: use key=, or a .parquet file"
        )
    if isinstance(known, Files) and path.resolve() in [file.path.resolve() for file in known.files]:
        raise OptionError(f"out={brief(str(path))} is also an input file: use another")
    found = write_by(lambda file: _write(job, known, file, path, progress), path, overwrite)
    fit.warn_of(found, unseen == "zero")
    return path


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) and given else [given]


@dataclass(frozen=True)
class Job:
    """The requested predictions of each block of rows."""

    fit: Fitted
    keys: list[str]
    kinds: list[str]
    how: tuple[Any, ...]  # level, prior, loss, threshold, and whether unseen levels are taken as 0
    refuse: bool  # unseen levels

    def labels(self, kind: str) -> dict[Any, Any]:
        """The labels of prototypes or classes, as a column of one type can contain them."""
        given = self.fit.prototype_names.tolist() if kind == "nearest" else self.fit.classes
        return dict(zip(given, of_one_type(given), strict=True))

    @cached_property
    def columns(self) -> list[tuple[str, type]]:
        """The columns of the prediction, with the type of their values."""
        out = list[tuple[str, type]]()
        for kind in self.kinds:
            labels = self.labels(kind).values()
            single = [(kind, type(next(iter(labels), "")))]
            out += single if kind in SINGLE else [(f"{kind}_{label}", bool if kind == "set" else float) for label in labels]
        return out

    def wanted(self, known: Source, *keys: str) -> list[str]:
        """The columns that are predicted from, and keys."""
        needed = self.fit.needed_of_new(*keys)
        return [name for name in known.names if needed is None or name in needed]

    def answer(self, rows: pd.DataFrame) -> tuple[pd.DataFrame, Unseen]:
        """The prediction of a block, with columns of the same types for each block, and levels that no row of the fit has."""
        found = self.fit.unseen_in(rows)
        if self.refuse:
            found.refuse()
        values = [column for kind in self.kinds for column in self._values(kind, self.fit.answer_rows(rows, kind, *self.how))]
        return pd.DataFrame({name: column for (name, _), column in zip(self.columns, values, strict=True)}), found

    def _values(self, kind: str, answer: Any) -> list[Any]:
        labels = self.labels(kind)
        if kind in SINGLE:
            return [pd.Categorical(answer.map(labels), list(dict.fromkeys(labels.values())))]
        if kind == "set":
            return [pd.array([None if s is None else c in s for s in answer], "boolean") for c in labels]
        return [answer[c].array for c in labels]


def _write(job: Job, known: Source, file: Any, path: Path, progress: bool | None) -> Unseen:
    """Predict the blocks of a source into a file that is open; the levels that no row of the fit has."""
    import pyarrow  # not at the top, because it takes half a second that nothing else needs
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

    schema, keys, wanted = job.fit.frame.schema, job.keys, job.wanted(known)
    texts = [c for c, known_as in schema.items() if known_as.kind == "category" and all(isinstance(v, str) for v in known_as.levels)]
    for name in [*texts, *(name for name in keys if name not in schema)]:
        known = known.as_text(name) or known

    def form(block: Any) -> tuple[Any, pd.DataFrame]:
        """The keys unchanged, and the columns for the prediction as a frame."""
        table = block.to_arrow() if hasattr(block, "to_arrow") else pyarrow.table(block)
        return table.select(keys), as_frame(block[wanted] if isinstance(block, pd.DataFrame) else block.select(wanted))

    def blocks() -> Iterator[tuple[Any, pd.DataFrame]]:
        first = 0
        for own, rows in known.blocks(job.wanted(known, *keys), form):
            yield own, rows.set_axis(pd.RangeIndex(first, first + len(rows)))  # rows are called by their numbers
            first += len(rows)
        if not first:
            yield form(pd.DataFrame(columns=job.wanted(known, *keys), dtype=float))

    def answer(block: tuple[Any, pd.DataFrame]) -> tuple[Any, Unseen]:
        table, (columns, unseen) = block[0], job.answer(block[1])
        for name, values in zip(columns, pyarrow.Table.from_pandas(columns, preserve_index=False).columns, strict=True):
            table = table.append_column(name, values)
        return table.replace_schema_metadata(), unseen

    answers = each(answer, blocks(), MANY)
    head, found = next(answers)
    writer: Any = ParquetWriter if path.suffix.lower() == ".parquet" else CSVWriter
    with bar(known.expected or None, "predicting", progress) as predicting, writer(file, head.schema) as written:
        for table, unseen in chain([(head, Unseen())], answers):
            with readable(lambda reason: DataError(f"a key has values of several types: convert it to one ({cut(str(reason))})")):
                table = table.cast(head.schema)
            written.write(table)
            found += unseen
            predicting.update(len(table))
    return found


def _lazily(job: Job, source: Any, known: Source, unseen: str) -> Any:
    """The answer as a lazy table of the library of the source."""
    library, keys, wanted = library_of(source), job.keys, job.wanted(known, *job.keys)

    def answer(rows: pd.DataFrame) -> pd.DataFrame:
        columns, found = job.answer(rows)
        job.fit.warn_of(found, unseen == "zero")
        return columns

    if library == "polars":
        import polars

        def batch(rows: Any) -> Any:
            return rows.select(keys).hstack(polars.from_pandas(answer(as_frame(rows))))

        part = source.select(wanted)
        return part.map_batches(batch, schema=batch(part.head(0).collect()).schema, streamable=True)
    if library == "duckdb":
        texts = [f"{name} as text" for name in keys]  # pandas gets only text, so that the column has its own type again afterwards

        def as_texts(rows: pd.DataFrame) -> pd.DataFrame:
            return rows[texts].set_axis(keys, axis=1).join(answer(rows).astype("string"))

        answer(source.limit(0).df())  # raises early what would be an error of DuckDB
        types = dict(zip(source.columns, source.types, strict=True))
        made = {name: types[name] for name in keys} | {name: TYPES.get(of, "VARCHAR") for name, of in job.columns}
        casts = [f"cast({identifier(name)} as varchar) as {identifier(text)}" for name, text in zip(keys, texts, strict=True)]
        part = source.project(", ".join([*map(identifier, wanted), *casts])).map(as_texts, schema=dict.fromkeys(made, "VARCHAR"))
        return part.project(", ".join(f"cast({identifier(name)} as {kind}) as {identifier(name)}" for name, kind in made.items()))
    raise OptionError("out=None needs a polars LazyFrame or a DuckDB relation: use a path, out='predictions.parquet'")
