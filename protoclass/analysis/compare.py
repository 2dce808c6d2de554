"""`compare`: several methods on the same splits and folds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from inspect import signature
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..core.parallel import each_fit
from ..core.statistics.folds import holdout
from ..estimation.calibration import arguments_of
from ..estimation.calls import fit_call
from ..estimation.copies import COPIES, copies_across
from ..estimation.cross_validation import folds_of
from ..estimation.error_curve import TWICE, WORSE
from ..estimation.fitted import Fitted
from ..estimation.problem import Call, is_default, loss_matrix, own_folds, prepare, short
from ..frames.frame import Frame, mold
from ..frames.read import read_for
from ..frames.schema import Unseen, along
from ..frames.tables import as_pandas
from ..ground.checks import MOST_RUNS, check_progress, check_seed, is_number, whole_number
from ..ground.errors import DataError, DataWarning, OptionError, ProtoclassError, brief, shown, warn
from ..ground.progress import bar
from ..metrics.base import Metric, as_vectors
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import dissimilarity as measure
from ..models.base import Model
from ..values import public
from .comparison import Comparison, Design
from .estimators import check_estimator, is_estimator, judge_estimator


@public
def compare(
    formula: Any,
    data: Any = None,
    methods: Any = None,
    *more: Any,
    new: Any = None,
    test_size: float | None = None,
    cv: Any = None,
    repeats: int = 1,
    inner: Any = "auto",
    dissimilarity: Any = "auto",
    choose: str = "auto",
    na: str = "drop",
    groups: Any = None,
    seed: int = 0,
    progress: bool | None = None,
    calibrate: Any = False,
    loss: Any = None,
    client: Any = None,
) -> Comparison:
    """Compare methods on test rows that were not used to fit or tune them.

    Methods are compared on random splits of the data (`test_size`, as in Table 2 of Bien and Tibshirani 2011), or by nested
    cross-validation (`cv`). On each training set, every method tunes its parameters by an inner cross-validation, with the same
    folds for all. To compare existing fits on new rows, use `compare(fit1, fit2, new=test)`.

    Parameters
    ----------
    formula : str
        Model formula, as in `fit`. For existing fits: the fits themselves as positional arguments, or a mapping of names to fits;
        `new` is then the only other argument.
    data : DataFrame
        Rows to split into training and test sets.
    methods : list, or mapping of names
        Method names ("pvm"), model objects (`pc.KNN(k=1)`), or mappings of arguments of `fit`, such as
        `{"method": "pvm", "candidates": pc.kmeans(50)}`. Estimators of scikit-learn (`RandomForestClassifier()`, see Notes) can be
        included.
    new : DataFrame
        New rows with predictors and response, on which existing fits are compared.
    test_size : float between 0 and 1, optional
        Proportion of the rows in the test set of a random split, stratified by class.
    cv : int, "loo", Series or array of folds, optional
        Outer folds, if `test_size` is not given. Default: 10, or fewer if a class has fewer rows or there are fewer groups.
    repeats : int
        Number of random splits, or of random divisions into folds.
    inner : "auto", int or "loo"
        Folds for tuning within a training set; as `cv` in `fit`.
    dissimilarity : str, metric, callable, Dissimilarity, DataFrame or array
        Dissimilarity, as in `fit`. A given matrix is divided into training and test rows. Other dissimilarities are trained on the
        training rows alone; a `Dissimilarity` remains as it was trained, unless it uses classes.
    choose, na, groups, progress
        Arguments of `fit`. Rows of a group are in one outer and one inner fold; groups need `cv`.
    seed : int
        Seed for the splits and folds; the same seed gives the same splits and folds.
    calibrate : bool, "auto", "multinomial", "isotonic" or dict
        Whether to calibrate, as in `fit`, for each method that does not specify it. The probabilities are calibrated within each
        training set, fold by fold, with the parameters tuned on it. They are scored on the test rows by Brier score, log loss and
        area under the ROC curve (`Comparison.score_tests`).
    loss : DataFrame, optional
        Loss matrix, with true classes as rows and predicted classes as columns. The table then has the mean loss on the test rows,
        and methods are tuned by this loss, as in `fit`; it does not change how they predict.
    client : Dask client, optional
        Client of a cluster, whose workers then fit the methods, each on one thread. The results are the same, except for the seconds.

    Returns
    -------
    Comparison
        Table of test errors with intervals, and paired tests between methods.

    Raises
    ------
    DataError, OptionError
        If an argument or the data are not valid, or if a method raises one of these; the message then has the name of the method. If
        an estimator raises an error, it is passed on with the name as a note.

    Notes
    -----
    *Independence.* Rows that were predicted once, by models fixed in advance, are independent given the models, and are tested as
    such. Errors of several splits or folds are not independent: see `Comparison` for the intervals and tests.

    *Estimators of scikit-learn.* A copy of the estimator is fitted to each training set. A pipeline, also one that is tuned by a
    search, gets the predictors as a DataFrame of the columns in the data, with `na="keep"` including missing values. Any other
    estimator gets a DataFrame of numbers. Transforms and interactions of the formula are computed; a category has a column of 0 and 1
    for each of its levels, and all are 0 for a level that is not in the training rows. An estimator tunes itself
    (`GridSearchCV`), by folds that ignore `groups`; `inner`, `choose`, `dissimilarity`, `calibrate` and the tuning by `loss` do not
    apply to it. Its seed is not changed: without `random_state` each call gives different results. Class weights are set in the
    estimator itself. If it has `predict_proba`, its probabilities are scored too.

    See Also
    --------
    fit, cross_validate : one method.
    Fit.test : one fit on new rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> c = pc.compare("species ~ .", iris, ["pvm", pc.KNN(k=1)], test_size=1/3, dissimilarity="euclidean")
    >>> c.table[["wrong", "n"]].to_dict("index")
    {'pvm': {'wrong': 2, 'n': 50}, 'knn(k=1)': {'wrong': 1, 'n': 50}}
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> methods = {"pvm": "pvm", "forest": RandomForestClassifier(random_state=0)}
    >>> pc.compare("species ~ .", iris, methods, cv=5, dissimilarity="euclidean").table["wrong"].to_dict()
    {'pvm': 6, 'forest': 7}
    """
    given = locals()  # before any other name is set
    if isinstance(formula, (list, tuple)):
        raise OptionError("fits must be single arguments: use compare(fit1, fit2, new=test)")
    beside = {name: given[name] for name in OPTIONS if not is_default(name, given[name], OPTIONS)}
    if isinstance(formula, (Fitted, Mapping)):
        for name in beside.keys() - {"loss"}:
            raise OptionError(f"{name}= needs a formula and data: leave it out for fits, which are compared on new=")
        return _of_fits(formula, [v for v in (data, methods, *more) if v is not None], new, loss)
    if more or new is not None:
        raise OptionError("new= and further positional arguments need fits: use compare(fit1, fit2, new=test)")
    specs = named_methods(methods)
    for name, own in specs.items():
        _check_calibration(name, own.get("calibrate", calibrate))
    whole_number("repeats", repeats, 1, MOST_RUNS)
    check_seed(seed)
    check_progress(progress)
    data = as_pandas(read_for(data, formula, {"groups": groups}))
    splits = make_splits(formula, data, dissimilarity, na, groups, test_size, cv, repeats, seed)
    common = {"choose": choose, "na": na, "seed": seed, "cv": inner, "progress": False, "dissimilarity": dissimilarity,
              "calibrate": calibrate}  # fmt: skip
    loss_matrix(loss, splits.frame.levels)
    methods = {name: own if is_estimator(own.get("method")) else {**common, **own} for name, own in specs.items()}
    results, predictions, chances = judge_all(splits, methods, progress, loss)
    call = f"compare({formula!r}, data, {list(specs)}{_arguments_in_words(beside)})"
    return Comparison(results, predictions, splits.how, splits.design, len(splits.frame.dropped), call, chances, loss)


OPTIONS = {
    name: p.default
    for name, p in signature(compare).parameters.items()
    if p.kind is p.KEYWORD_ONLY and name not in ("new", "progress", "client")
}  # of splits and methods, with their defaults


def named_methods(methods: Any) -> dict[str, dict[str, Any]]:
    """Arguments of `fit` for each method, by its name."""
    if isinstance(methods, (str, Model)) or is_estimator(methods):
        methods = [methods]
    if isinstance(methods, Mapping):
        names, specs = _checked(list(methods)), list(methods.values())
    elif isinstance(methods, Sequence):
        names, specs = _checked([_name(spec) for spec in methods]), list(methods)
    else:
        raise OptionError(
            f"methods must be a list of method names, model objects and estimators, or a mapping of names to them, not {brief(methods)}"
        )
    if not specs:
        raise OptionError("methods must contain at least one method")
    out: dict[str, dict[str, Any]] = {}
    for name, spec in zip(names, specs, strict=True):
        fixed = {"formula", "data", "choose", "na", "seed", "cv", "progress", "groups", "weights"}
        if isinstance(spec, Mapping) and fixed & set(spec):
            raise OptionError(
                f"method {name!r} has its own {min(fixed & set(spec))!r}, but compare has one for all methods, or (weights) none"
            )
        out[name] = dict(spec) if isinstance(spec, Mapping) else {"method": spec}
        method = out[name].get("method")
        further = set(out[name]) - {"method"}
        if is_estimator(method) and further:
            raise OptionError(f"method {name!r} is a {type(method).__name__}, which has no {min(further)!r}: set it in the estimator")
    return out


def _check_calibration(name: str, calibrate: Any) -> None:
    """Raise unless a method is calibrated by its training rows alone, or not at all."""
    if calibrate is not False and arguments_of(calibrate)["new"] is not None:
        raise OptionError(
            f"method {name!r} has its own calibration rows, which may be among the test rows: leave new out to calibrate on each "
            "training set, fold by fold"
        )


def _name(spec: Any) -> str:
    if isinstance(spec, Mapping):
        spec = spec.get("method", "pvm")
    if is_estimator(spec):
        return getattr(spec, "__name__", type(spec).__name__)
    if not isinstance(spec, Model):
        return str(getattr(spec, "name", spec))
    parameters = [
        f"{f.name}={brief(getattr(spec, f.name))}" for f in fields(spec) if not _same(getattr(spec, f.name), f.default)
    ]
    return f"{spec.name}({', '.join(parameters)})" if parameters else spec.name


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not hasattr(value, "shape") and value == default


def _arguments_in_words(arguments: Mapping[str, Any]) -> str:
    """Arguments as a call shows them."""
    return "".join(f", {k}={v:.4g}" if isinstance(v, float) else f", {k}={short(v)}" for k, v in arguments.items())


def _checked(names: Sequence[Any]) -> list[str]:
    """Names for the columns and rows of a Comparison."""
    texts = [str(name) for name in names]
    for i, name in enumerate(texts):
        if name in texts[:i] or name in ("", "truth", "all"):
            raise OptionError(
                f"two methods have the name {name!r}, or one is named '', 'truth' or 'all': use a mapping of other names to methods"
            )
    return texts


def _of_fits(first: Any, others: list[Any], new: Any, loss: Any) -> Comparison:
    fits = dict(first) if isinstance(first, Mapping) else None
    listed = list(fits.values()) if fits is not None else [first, *others]
    if (fits is not None and others) or not listed or not all(isinstance(f, Fitted) for f in listed):
        raise OptionError("compare needs a formula, data and methods, or only fits: use compare(fit1, fit2, new=test)")
    if fits is None:
        names = [f.model.name for f in listed]
        fits = {
            f"{n}.{names[:i].count(n) + 1}" if names.count(n) > 1 else n: f
            for i, (n, f) in enumerate(zip(names, listed, strict=True))
        }
    fits = dict(zip(_checked(list(fits)), listed, strict=True))
    if new is None:
        raise OptionError("fits are compared on new rows: use compare(fit1, fit2, new=test)")
    new = as_pandas(new)
    levels, response = listed[0].frame.levels, listed[0].frame.formula.response
    for name, f in fits.items():
        if list(f.frame.levels) != list(levels) or f.frame.formula.response != response:
            raise OptionError(f"fit {name!r} can't be compared with the first, because its response or classes differ")
    loss_matrix(loss, levels)
    return replace(_judge_fits(fits, new, listed[0].true_codes(new), levels), loss=loss)


def _judge_fits(fits: dict[str, Any], new: pd.DataFrame, codes: np.ndarray, levels: pd.Index) -> Comparison:
    """Fits on the rows of `new` that have a class (code >= 0) and that all of them can classify."""
    found = {name: judge_fit(f, new, np.nan, "warn") for name, f in fits.items()}
    known = (codes >= 0) & np.all([predicted.notna() for _, predicted, _ in found.values()], axis=0)
    n = int(known.sum())
    if n == 0:
        raise DataError("comparison needs rows with a known class and all predictors, but there are none")
    truth = pd.Series(pd.Categorical.from_codes(codes[known], levels), new.index[known])
    said = {name: predicted[known] for name, (_, predicted, _) in found.items()}
    rows = [{"split": 0, "method": name, **count_errors(said[name], truth), **row} for name, (row, _, _) in found.items()]
    index = pd.MultiIndex.from_product([[0], new.index[known]], names=["split", None])
    predictions = pd.DataFrame({name: series.array for name, series in {"truth": truth, **said}.items()}, index)
    how = f"{len(rows)} fits on {n} new rows"
    return Comparison(pd.DataFrame(rows), predictions, how, Design(0.0), int((~known).sum()), "compare(fits, new=data)",
                      chances={name: p[known] for name, (_, _, p) in found.items() if p is not None})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Splits:
    """Data and the test rows of each split."""

    formula: str
    data: pd.DataFrame
    frame: Frame  # the rows that take part
    dissimilarity: Any  # as in `fit`
    given: pd.DataFrame | None  # given dissimilarities by label
    groups: str | pd.Series | None  # the name of a column, or the groups
    tests: list[np.ndarray]  # bool (n,) each: test rows of a split, repeat by repeat
    how: str  # the splits in words
    design: Design

    def groups_of(self, rows: pd.Index) -> dict[str, Any]:
        """The argument `groups` of a fit to some rows, if there are groups."""
        if self.groups is None:
            return {}
        return {"groups": self.groups if isinstance(self.groups, str) else self.groups.loc[rows]}


def make_splits(
    formula: str, data: pd.DataFrame, dissimilarity: Any, na: str, groups: Any, test_size: Any, cv: Any, repeats: int, seed: int
) -> Splits:
    """Read the data, and draw the splits."""
    given = matrix_of(dissimilarity, data)
    frame = mold(formula, data, na=na, aside=(groups,))
    of_row = None if groups is None else pd.Series(along(groups, data, "groups"), data.index)
    cv = own_folds(cv, data)
    cv = cv[data.index.get_indexer(frame.index)] if isinstance(cv, np.ndarray) else cv
    seeds = [int(np.random.SeedSequence([seed, r, 1]).generate_state(1)[0]) for r in range(repeats)]
    tests, note = draw_splits(frame, None if of_row is None else of_row.loc[frame.index], test_size, cv, seeds)
    said = "" if of_row is not None else copies_across(frame, np.argmax(tests, axis=0))
    if said:
        warn(said, DataWarning)
    n, held = len(frame), float(np.mean([test.sum() for test in tests]))
    again = (f", {repeats} times" if repeats > 1 else "") + ("" if groups is None else ", whole groups left out")
    if test_size is not None:
        how, sets = f"Random split{again}: {n - held:g} rows train, {held:g} test", 1
    else:
        how, sets = f"Nested cross-validation of {n} rows, {len(tests) // repeats} folds{again}{note}", repeats
    design = Design(held / (n - held), sets, groups is not None)
    return Splits(formula, data, frame, dissimilarity, given, groups if isinstance(groups, str) else of_row, tests, how, design)


def judge_all(
    splits: Splits, methods: Mapping[str, Mapping[str, Any]], progress: bool | None, loss: pd.DataFrame | None
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, np.ndarray]]:
    """Every method on every split: `results`, `predictions` and `chances` of a Comparison.

    Parameters
    ----------
    splits : Splits
    methods : mapping of names to arguments of `fit`
    progress : bool, optional
    loss : DataFrame, optional
    """
    rows, parts, labels, lost = [], [], list[pd.Index](), Unseen()
    chances: dict[str, list[np.ndarray]] = {}
    methods = dict(methods)
    for name, options in methods.items():
        with named(name):
            methods[name] = checked(splits, options, loss)
    with bar(len(splits.tests) * len(methods), "comparing", progress) as comparing, warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{COPIES}", DataWarning)  # which `make_splits` tells once
        warnings.filterwarnings("ignore", f".*{WORSE}", DataWarning)  # errors on the test rows show it for all splits together
        warnings.filterwarnings("ignore", re.escape(TWICE), DataWarning)  # `checked` has warned of it
        judged = each_fit(partial(judge_named, splits, methods), product(range(len(splits.tests)), methods))
        for split, test in enumerate(splits.tests):
            test_rows = splits.frame.index[test]
            truth = splits.data.loc[test_rows, splits.frame.formula.response]
            predicted: dict[str, Any] = {"truth": truth}
            unseen = Unseen()
            for name in methods:
                row, predicted[name], p, without = next(judged)
                rows.append({"split": split, "method": name, **count_errors(predicted[name], truth), **row})
                if p is not None:
                    chances.setdefault(name, []).append(p)
                unseen |= without
                comparing.update()
            lost += unseen
            parts.append(pd.DataFrame({k: np.asarray(v, object) for k, v in predicted.items()}))
            labels.append(test_rows.to_flat_index())
    lost.warn_of_folds("split")
    of_split = np.repeat(np.arange(len(labels)), [len(part) for part in labels])
    index = pd.MultiIndex.from_arrays([of_split, labels[0].append(labels[1:])], names=["split", None])
    predictions, levels = pd.concat(parts).set_axis(index), splits.frame.levels
    said = predictions.apply(lambda column: pd.Categorical(column, levels))
    return pd.DataFrame(rows), said, {name: np.concatenate(p) for name, p in chances.items()}


@contextmanager
def named(method: str) -> Iterator[None]:
    """Errors that name the method of the comparison that raised them."""
    try:
        yield
    except ProtoclassError as reason:
        raise type(reason)(f"compare, method {method!r}: {reason}") from reason
    except Exception as reason:  # an error of an estimator, whose users know its cause
        reason.add_note(f"compare, method {method!r}")
        raise


def checked(splits: Splits, options: Mapping[str, Any], loss: pd.DataFrame | None) -> Mapping[str, Any]:
    """The arguments of a method, with the loss if it tunes; raises, before any method is fitted, if it does not take them or the data."""
    method = options.get("method")
    if is_estimator(method):
        check_estimator(method, splits.frame)
        return options
    problem = prepare(Call("fit", splits.formula, splits.data, {**options, **splits.groups_of(splits.data.index)}))
    if problem.model.can.coordinates and not problem.metric.train_in_folds:
        as_vectors(problem.metric.train(problem.frame) if isinstance(problem.metric, Metric) else problem.metric)
    tunes = problem.cv is not None and (problem.tuned() or not problem.cv_is_auto)
    out = {"measure": loss, **options} if tunes and loss is not None else options
    if problem.class_factors is not None and isinstance(out.get("measure"), (pd.DataFrame, Mapping)):
        warn(TWICE, DataWarning)
    return out


def judge_named(splits: Splits, methods: Mapping[str, Mapping[str, Any]], item: tuple[int, str]) -> Any:
    """`judge` of a split and the name of a method."""
    test = splits.tests[item[0]]
    with named(item[1]):
        return judge(splits, methods[item[1]], splits.frame.index[~test], splits.frame.index[test])


def judge(
    splits: Splits, options: Mapping[str, Any], train: pd.Index, test: pd.Index
) -> tuple[dict[str, Any], pd.Series, np.ndarray | None, Unseen]:
    """One method on one split: sizes and times of the fit, its predictions and probabilities (if calibrated) of the test rows, and the
    levels that its training rows lack, so that rows with them get no prediction."""
    data = splits.data
    if is_estimator(options.get("method")):
        return *judge_estimator(options["method"], splits.frame, data.loc[train], data.loc[test]), Unseen()
    measured = options["dissimilarity"]
    matrix = splits.given if measured is splits.dissimilarity else matrix_of(measured, data)
    new = data.loc[test]
    if matrix is not None:
        lost = train.append(test).difference(matrix.index)
        if len(lost):
            raise DataError(f"the dissimilarities lack the row {shown(lost[0])} of the data (rows are matched by label)")
        beside = ~matrix.columns.isin(matrix.index)  # candidates that are not rows
        options = {**options, "dissimilarity": matrix.loc[train, matrix.columns.isin(train) | beside]}
        new = matrix.loc[test]
    start = perf_counter()
    fitted = fit_call(Call("fit", splits.formula, data.loc[train], {**splits.groups_of(train), **options}), Fitted)
    return *judge_fit(fitted, new, perf_counter() - start, None), fitted.unpredicted_in(new)


def judge_fit(fitted: Fitted, new: pd.DataFrame, seconds: float, unseen: str | None) -> tuple[dict[str, Any], pd.Series, np.ndarray | None]:
    """Sizes and seconds of a fit, its predictions of rows, and their probabilities (n, classes) if it is calibrated."""
    row = {"prototypes": len(fitted.rule.prototypes), "size": fitted.rule.size, "seconds": seconds, "choice": dict(fitted.selection.values)}
    predicted = fitted.predictions(new, unseen=unseen)
    chances = None if fitted.calibration is None else fitted.predictions(new, "prob", unseen=None).to_numpy(float)
    return row, predicted, chances


def count_errors(predicted: pd.Series, truth: pd.Series) -> dict[str, Any]:
    """Rows, those that are misclassified or without a prediction, and their proportion."""
    lost = predicted.isna().to_numpy() | (predicted.astype(object) != truth.astype(object)).to_numpy()
    wrong = int(lost.sum())
    return {"n": len(truth), "wrong": wrong, "error": wrong / len(truth)}


def draw_splits(
    frame: Frame, groups: pd.Series | None, test_size: Any, cv: Any, seeds: list[int]
) -> tuple[list[np.ndarray], str]:
    """Test rows of each split, bool (n,), and words on folds that were not drawn."""
    y = frame.codes
    if test_size is not None:
        if cv is not None:
            raise OptionError("test_size= draws splits, but cv= sets folds: use one of them (inner= sets the folds for tuning)")
        if groups is not None:
            raise OptionError("groups need cv=, which leaves whole groups out")
        if not is_number(test_size, 0.0, above=True) or test_size >= 1:
            raise OptionError(f"test_size must be a number between 0 and 1, the proportion of the rows for testing, not {brief(test_size)}")
        tests = [holdout(y, float(test_size), s) for s in seeds]
        if not tests[0].any():
            raise OptionError(f"test_size={test_size:g} of {len(y)} rows leaves no test row: use more")
        return tests, ""
    if groups is not None and groups.isna().any():
        raise DataError("groups must not have missing values")
    of_group = None if groups is None else pd.factorize(groups)[0]
    folds, notes = folds_of("auto" if cv is None else cv, frame, of_group, seeds)
    tests = [fold == f for fold in folds for f in range(fold.max() + 1)]
    if not (isinstance(cv, np.ndarray) or (isinstance(cv, str) and cv == "loo")):
        return tests, ""
    for test in tests:
        left = np.bincount(y[~test], minlength=len(frame.levels))
        if not left.all():
            lost = shown(frame.levels[left == 0][0])
            raise DataError(f"a fold has all rows of class {lost}, so none is left for training: use other folds")
    return tests, f", {notes[0]}"


def matrix_of(spec: Any, data: pd.DataFrame) -> pd.DataFrame | None:
    """Given dissimilarities as a DataFrame by label; None if dissimilarities are computed from predictors."""
    known = isinstance(spec, Dissimilarity)
    if isinstance(spec, (pd.DataFrame, np.ndarray)) or (known and spec.metric.given):
        return measure("~ 1", data, spec).frame()
    complete = known and not spec.metric.train_in_folds and not spec.data.columns.columns.isin(data.columns).all()
    return spec.frame() if complete else None
