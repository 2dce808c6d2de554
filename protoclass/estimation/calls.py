"""Public calls from begin to end: a fit, a cross-validation, their warnings, and predictions from
file to file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
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
from ..ground.errors import (
    DataWarning,
    NotAvailableError,
    OptionError,
    brief,
    shown,
    warn,
)
from ..ground.files import check_free, check_path, write_by
from ..ground.options import SAME, bar, fixed
from ..metrics.measuring import (
    texts_as_wholes,
)
from .arguments import prepare
from .calibration import calibrated
from .copies import copied
from .cross_validation import validate
from .decisions import LEVEL
from .error_curve import CALIBRATED, ErrorCurve, Selection
from .fitted import AnyFit, Fitted
from .problem import Call, counted, is_default, refuse_budget

WORSE = "worse than no information"  # the words by which such a warning is recognised
TWICE = (
    "the CV loss counts costs twice, by class_weights= and by loss=: leave class_weights= out, and "
    "use the loss for decisions, calibrate=True and predict(new, loss=)"
)


def fit_call(call: Call, kind: type[AnyFit]) -> AnyFit:
    """The fit of a call, of class `kind`, tuned and calibrated if the call requires it."""
    problem = prepare(call)
    tuned = problem.tuned()
    if tuned and problem.cv is None:
        raise OptionError(
            f"tuning {tuned[0]} needs folds, but cv=None: use one value for {tuned[0]}=, or cv=10"
        )
    if problem.cv is None or (problem.cv_is_auto and not tuned):
        return calibrated(_without_choice(kind._learn(problem, Selection())))
    validation, trial, rules = validate(problem)
    problem, point, known = validation._problem, validation._point_of(), None
    if not problem.metric_axes:  # otherwise each metric has its own
        path, place = rules[point] if rules else (None, 0)
        known = trial.dissimilarity, trial.task, None if path is None else path.at(place)
    fit = calibrated(kind._learn(problem, validation._select(point), validation, known))
    _warn_of(validation, point, fit.rule.kinds, fit._calibration is not None)
    return fit


def _without_choice(fit: AnyFit) -> AnyFit:
    """The fit, not cross-validated; raises if arguments need that, or if it exceeds the budget."""
    problem = fit._problem
    for name in ("measure", "repeats", "tolerance"):
        value = problem.call.arguments[name]
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
    problem = validation._problem
    _warn_of(validation, validation._point_of())
    if not problem.cv_is_auto:
        return validation
    # a fit of its point that is updated is cross-validated again, although nothing may be left to
    # tune
    call = replace(
        problem.call, arguments={**problem.call.arguments, "cv": int(validation._of_fold.max()) + 1}
    )
    return replace(validation, _problem=replace(problem, call=call))


def _warn_of(validation: ErrorCurve, point: int, *rule: Any) -> None:
    """Warnings of a cross-validation, with the facts of the rule for `worse_than_one_class`."""
    copies = copied(validation._problem, validation._of_fold)
    worse = worse_than_one_class(validation, point, *rule)
    for said in filter(None, (copies, worse, costs_twice(validation))):
        warn(said, DataWarning)


def worse_than_one_class(
    validation: ErrorCurve,
    point: int,
    kinds: Collection[str] = (),
    is_calibrated: bool = False,
    corrected: float | None = None,
) -> str:
    """Warning if always predicting one class has a lower cross-validated error than a grid point,
    with a cure; "" otherwise.

    Parameters
    ----------
    point : int
        Row of the table.
    kinds : collection of str
        Kinds of prediction of the rule, if known. If it has values by class, the cure is to
        calibrate them, because their probabilities are no worse than the proportions of the
        classes, except for sampling error.
    corrected : float, optional
        Corrected error of the point, used if the error itself is below the error of one class.
    """
    errors, none, name = (
        validation._choice.error,
        validation.no_information,
        validation._measure_name,
    )
    error, which = errors[point], f"CV {name}"
    if corrected is not None and error <= none + SAME:
        error, which = corrected, f"corrected {name}"
    if not error > none + SAME:
        return ""
    constant = validation._problem.frame.levels[int(np.argmin(validation._losses_of_one_class))]
    constant = shown(constant) if validation._scored is None else "the proportions of the classes"
    head = f"{which} {fixed(error)}, {WORSE}: always predicting {constant} has {fixed(none)}"
    texts = texts_as_wholes(validation._problem.frame, validation._problem.metric)
    if texts:
        return f"{head}; {texts}"
    if validation._scored is None and set(CALIBRATED) & set(kinds):
        argument = "loss=" if validation.measure in ("loss", "ordinal") else "prior="
        head += (
            f"; {'' if is_calibrated else 'calibrate=True and '}predict(new, {argument}), "
            "which decides by probabilities"
        )
    return f"{head}; validation.permutation_test() shows whether the predictors are related to the classes"


def costs_twice(validation: ErrorCurve) -> str:
    """Warning if class weights and a loss are both in the cross-validated loss; "" otherwise."""
    return (
        "" if validation._problem.class_factors is None or validation.measure != "loss" else TWICE
    )


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

    Rows are read, predicted and written in blocks on all processors, so they need not fit in
    memory. The result has the rows of the source in their order: the columns `key`, then the
    prediction. It needs pyarrow.

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
        Columns of the source to copy to the result. Duplicates and missing values are allowed.
    kind : str, or list of these
        Kinds of prediction, as in `predict`. "class", "cover" and "nearest" have one column; the
        others have one for each class, such as "prob_<class>", and "set_<class>": whether the class
        is in the set. "nearest" is the row label of the nearest prototype, or the value of its only
        `key`, if the training data have this column.
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
        If the source is neither a Parquet file nor a stream, if a key is not a column, or if two
        columns would have the same name. No file is left then.
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
    from pyarrow.csv import CSVWriter  # half a second that nothing else needs
    from pyarrow.parquet import ParquetWriter

    keys, kinds = _listed(key), _listed(kind)
    decision = {"level": level, "prior": prior, "loss": loss, "threshold": threshold}
    for name in kinds:
        fit._check_kind(name, **decision)
    path, needed = check_path(out, (".parquet", ".csv"), "out"), fit._needed_of_new()
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
    answer = partial(_answer_block, fit, labels, unseen, decision)

    def write(file: Any) -> Unseen:
        answers = each(answer, _numbered(new, needed, keys), MANY)
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

    fit._warn_of(write_by(write, path, overwrite), unseen == "zero")
    return path


def _listed(given: Any) -> list[Any]:
    """A list as it is, and anything else as a list of one, or of none."""
    if isinstance(given, (list, tuple)) and given:
        return list(given)
    return [] if given is None else [given]


def _labels(fit: Fitted, kind: str, keys: list[Any]) -> pd.Series:
    """The text to write for each class or prototype: of a row that is stored, its only key."""
    labels, data = pd.Index(fit.classes, dtype=object), fit.call.data
    if kind != "nearest":
        return pd.Series(of_one_type(labels.tolist()), labels, object)
    names = labels = fit._prototype_names.unique()
    if len(keys) == 1 and not isinstance(data, Absent) and (fit._prototype_row >= 0).all():
        known = as_pandas(data)
        names = known.loc[labels, keys[0]] if keys[0] in known else labels
    return pd.Series(of_one_type(names.tolist()), labels, object)


def _numbered(new: Any, needed: Any, keys: list[Any]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """The keys of the rows of a source by blocks, and the rows, called by their numbers."""
    first = 0
    for table in arrow_tables(new, needed, keys):
        rows = as_pandas(table).set_axis(pd.RangeIndex(first, first + len(table)))
        yield table.select(keys), rows
        first += len(rows)


def _answer_block(
    fit: Fitted,
    labels: Mapping[str, pd.Series],
    unseen: str,
    decision: Mapping[str, Any],
    block: tuple[Any, pd.DataFrame],
) -> tuple[Any, Unseen]:
    """The keys of a block and the answers of each kind beside them, and the unseen values."""
    import pyarrow

    table, rows = block
    found = fit._unseen_in(rows)
    if unseen == "raise":
        found.refuse()
    for kind, named in labels.items():
        answers = fit._answer_rows(rows, kind, unseen == "zero", **decision)
        for name, values in _columns(kind, answers, named):
            table = table.append_column(name, pyarrow.array(values))
    check_unique(pd.Index(table.column_names), "output column")
    return table, found


def _columns(kind: str, answers: Any, labels: pd.Series) -> Iterator[tuple[str, Any]]:
    """An answer about some rows in columns, of the same types for all rows."""
    if kind in SINGLE:
        yield kind, pd.Categorical(answers.map(labels), labels.unique())
        return
    for c, label in labels.items():
        yield (
            f"{kind}_{label}",
            pd.array([None if s is None else c in s for s in answers], "boolean")
            if kind == "set"
            else answers[c],
        )
