"""Public calls from begin to end: a fit, a cross-validation, and predictions from file to file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from ..core.parallel import MANY, each
from ..core.query import RulePath
from ..frames.schema import HOW as UNSEEN
from ..frames.schema import Unseen, check_unique
from ..frames.tables import (
    Absent,
    arrow_tables,
    as_pandas,
    files_of,
    installed,
    is_path,
    of_one_type,
)
from ..ground.checks import check_progress, one_of
from ..ground.errors import DataWarning, NotAvailableError, OptionError, brief, warn
from ..ground.files import check_free, check_path, write_by
from ..ground.options import bar
from .calibration import arguments_of, calibrated
from .copies import copied
from .cross_validation import validate
from .decisions import LEVEL
from .error_curve import ErrorCurve, Selection, costs_twice, values_at, worse_than_one_class
from .fitted import AnyFit, Fitted
from .problem import DEFAULTS, Call, counted, is_default, prepare, refuse_budget


def fit_call(call: Call, kind: type[AnyFit]) -> AnyFit:
    """The fit of a call, of this class, with parameters tuned and probabilities calibrated if the call requires it."""
    problem, given = prepare(call), {**DEFAULTS, **call.arguments}
    if given["calibrate"] is not False:
        arguments_of(given["calibrate"])
    tuned = problem.tuned()
    if tuned and problem.cv is None:
        raise OptionError(
            f"tuning {tuned[0]} needs folds, but cv=None: use one value for {tuned[0]}=, or cv=10"
        )
    if problem.cv is None or (problem.cv_is_auto and not tuned):
        return calibrated(_without_choice(kind.learn(problem, Selection())))
    validation, trial, answers = validate(problem)
    problem, point = validation.problem, validation.point_of()
    selection = Selection(
        validation.grid, values_at(validation.grid, point), point, problem.call.choose
    )
    known = None
    if not problem.metric_axes:  # otherwise each metric has its own
        path, place = answers.rules[point] if answers.rules else (None, 0)
        known = trial.dissimilarity, trial.task, None if path is None else path.at(place)
    del answers  # has arrays of rows x grid points, of which the curve keeps those that it needs
    fit = calibrated(kind.learn(problem, selection, validation, known))
    worse = worse_than_one_class(validation, point, fit.rule.kinds, fit.calibration is not None)
    _warn_of(copied(problem, validation.of_fold), worse, costs_twice(validation))
    return fit


def _without_choice(fit: AnyFit) -> AnyFit:
    """A fit without cross-validation; raises if arguments need one, or if it has more prototypes
    than the call allows.
    """
    problem = fit.problem
    for name in ("measure", "repeats", "tolerance"):
        value = problem.call.arguments.get(name, DEFAULTS[name])
        if not is_default(name, value) and not (name == "repeats" and value == 1):
            raise OptionError(
                f"{name}= needs cross-validation, but nothing is cross-validated: use cv=10 as well"
            )
    if problem.budget is not None:
        count = counted(RulePath((fit.rule,)), problem.model, len(fit.classes))[0]
        if count > problem.budget:
            raise refuse_budget(problem, count, "the rule, which is not tuned, has")
    return fit


def cross_validate_call(call: Call) -> ErrorCurve:
    """The error curve of a call of `cross_validate`."""
    problem = prepare(call)
    if problem.cv is None:
        raise OptionError(
            "cross-validation needs folds, but cv=None: use a number of folds, 'loo' or custom folds"
        )
    validation = validate(problem)[0]
    problem, worse = validation.problem, worse_than_one_class(validation, validation.point_of())
    _warn_of(copied(problem, validation.of_fold), worse, costs_twice(validation))
    if not problem.cv_is_auto:
        return validation
    # a fit of its point that is updated is cross-validated again, although nothing may be left to
    # tune
    call = replace(
        problem.call, arguments={**problem.call.arguments, "cv": int(validation.of_fold.max()) + 1}
    )
    return replace(validation, problem=replace(problem, call=call))


def _warn_of(*sentences: str) -> None:
    """A warning for each sentence that is not empty."""
    for said in filter(None, sentences):
        warn(said, DataWarning)


# kinds with one value for each row; the others have one for each class
SINGLE = ("class", "cover", "nearest")


def predict_to(
    fit: Fitted,
    new: Any,
    out: Any,
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
) -> Path:
    """Predict the rows of files, or of a stream of Arrow batches, into a file.

    Rows are read, predicted and written in blocks on all processors, and are never in memory as a
    whole. The result has the rows of the source in their order: the columns `key`, then the columns
    of the prediction. It needs pyarrow.

    Parameters
    ----------
    new : path, list of paths, or stream
        Rows to predict: Parquet files, or any object that streams Arrow batches
        (`__arrow_c_stream__`), such as a DuckDB relation, `pyarrow.csv.open_csv(path)` or
        `pyarrow.dataset.dataset(folder).scanner().to_reader()`.
    out : path
        Output file that ends in .parquet or .csv. It is written under a temporary name and renamed,
        so Ctrl-C, a crash or a full disk leaves the old file or none.
    key : column name, or list of these, optional
        Columns of the source to copy to the result, with the same types. A key may have duplicates
        and missing values: no row is left out.
    kind : str, or list of these
        Kinds of prediction, as in `predict`. The columns are named "class", "cover" and "nearest";
        the other kinds have one for each class, "prob_<class>", "distance_<class>",
        "decision_<class>", and "set_<class>": whether the class is in the set. A row without a
        prediction has missing values. "nearest" is the key of the nearest prototype if the training
        data have this column, otherwise its row label.
    level, prior, loss, threshold, unseen
        Arguments of `predict`.
    overwrite : bool
        Whether to replace an existing file.
    progress : bool, optional
        Whether to show a progress bar, as in `fit`.

    Returns
    -------
    Path
        The output file.

    Raises
    ------
    OptionError
        If the file already exists or is a source, if its name has another ending, or if a CSV file
        would have only one column.
    DataError
        If the source is neither a Parquet file nor a stream, if a key is not a column, if two
        columns would have the same name, or if `predict` raises it. No file is left then.
    NotAvailableError
        If pyarrow is not installed.

    Examples
    --------
    >>> import os, tempfile
    >>> import pandas as pd
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris, eps=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows, out = os.path.join(folder, "rows.parquet"), os.path.join(folder, "out.csv")
    ...     iris.rename_axis("id").iloc[[0, 70]].reset_index().to_parquet(rows)
    ...     pd.read_csv(fit.predict_to(rows, out, key="id", kind=["class", "distance"])).round(2)
       id      class  distance_setosa  distance_versicolor  distance_virginica
    0   0     setosa             0.27                 2.79                3.94
    1  70  virginica             3.05                 1.43                1.15
    """
    one_of("unseen", unseen, UNSEEN)
    check_progress(progress)
    if not installed("pyarrow"):
        raise NotAvailableError(
            "predict_to needs pyarrow, which is not installed: pip install pyarrow"
        )
    import pyarrow  # not at the top, because it takes half a second that nothing else needs
    from pyarrow.csv import CSVWriter
    from pyarrow.parquet import ParquetWriter

    keys, kinds = _listed(key), _listed(kind)
    decision = {"level": level, "prior": prior, "loss": loss, "threshold": threshold}
    for name in kinds:
        fit.check_kind(name, **decision)
    path, needed = check_path(out, (".parquet", ".csv"), "out"), fit.needed_of_new()
    check_free(path, overwrite)
    in_csv = path.suffix.lower() == ".csv"
    if in_csv and not keys and len(kinds) == 1 and kinds[0] in SINGLE:
        raise OptionError(
            "a CSV file of one column has empty lines for missing values, which other programs "
            "skip: use key=, or a .parquet file"
        )
    if is_path(new) and path.resolve() in [file.path.resolve() for file in files_of(new)]:
        raise OptionError(f"out={brief(str(path))} is also an input file: use another")
    labels = {kind: _labels(fit, kind, keys) for kind in kinds}

    def blocks() -> Iterator[tuple[Any, pd.DataFrame]]:
        first = 0
        for table in arrow_tables(new, needed, keys):
            rows = as_pandas(
                table.select([c for c in table.column_names if needed is None or c in needed])
            )
            # rows are called by their numbers
            yield table.select(keys), rows.set_axis(pd.RangeIndex(first, first + len(rows)))
            first += len(rows)

    def answer(block: tuple[Any, pd.DataFrame]) -> tuple[Any, Unseen]:
        table, rows = block
        found = fit.unseen_in(rows)
        if unseen == "raise":
            found.refuse()
        for kind in kinds:
            told = fit.answer_rows(rows, kind, unseen == "zero", **decision)
            for name, values in _columns(kind, told, labels[kind]):
                table = table.append_column(name, pyarrow.array(values))
        check_unique(pd.Index(table.column_names), "output column")
        return table, found

    def write(file: Any) -> Unseen:
        answers = each(answer, blocks(), MANY)
        head, found = next(answers)
        with (
            bar(None, "predicting", progress) as predicting,
            (CSVWriter if in_csv else ParquetWriter)(file, head.schema) as written,
        ):
            for table, unknown in answers:
                written.write(table.cast(head.schema))
                found += unknown
                predicting.update(len(table))
        return found

    fit.warn_of(write_by(write, path, overwrite), unseen == "zero")
    return path


def _listed(given: Any) -> list[Any]:
    return (
        []
        if given is None
        else list(given)
        if isinstance(given, (list, tuple)) and given
        else [given]
    )


def _labels(fit: Fitted, kind: str, keys: list[str]) -> pd.Series:
    """What is written for each class or prototype."""
    labels, data = pd.Index(fit.classes, dtype=object), fit.call.data
    if kind != "nearest":
        return pd.Series(of_one_type(fit.classes), labels, object)
    labels, known = (
        fit.prototype_names.unique(),
        pd.DataFrame() if isinstance(data, Absent) else as_pandas(data),
    )
    by_key = len(keys) == 1 and keys[0] in known and (fit.prototype_row >= 0).all()
    return pd.Series(
        of_one_type(known.loc[labels, keys[0]].tolist() if by_key else labels.tolist()),
        labels,
        object,
    )


def _columns(kind: str, told: Any, labels: pd.Series) -> Iterator[tuple[str, Any]]:
    """An answer about some rows in columns, of the same types for all rows."""
    if kind in SINGLE:
        yield kind, pd.Categorical(told.map(labels), labels.unique())
        return
    for c, label in labels.items():
        yield (
            f"{kind}_{label}",
            pd.array([None if s is None else c in s for s in told], "boolean")
            if kind == "set"
            else told[c],
        )
