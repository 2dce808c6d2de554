"""Comparison of methods, also of scikit-learn, on the same splits, and of fits on new rows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.parallel import each_fit
from ..core.statistics.folds import holdout
from ..estimation.arguments import arguments_of, is_drawn, loss_matrix, own_folds, prepare
from ..estimation.calls import TWICE, WORSE, fit_call
from ..estimation.copies import COPIES, copies_across
from ..estimation.cross_validation import folds_of
from ..estimation.fitted import Fitted
from ..estimation.problem import Call, is_default, short
from ..frames.frame import Frame, mold
from ..frames.schema import Unseen, along, group_codes
from ..frames.tables import as_given, as_pandas, read_for
from ..ground.checks import check_seed, is_number, is_real, one_of, seed_of_runs
from ..ground.errors import DataError, DataWarning, OptionError, ProtoclassError, brief, shown, warn
from ..ground.options import watch
from ..metrics.base import Metric, as_vectors
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import dissimilarity as measure
from ..models.base import Model
from ..values import public
from .comparison import (
    Comparison,
    Design,
    Outcome,
    Outcomes,
    as_classes,
    check_names,
    tabulate,
)

DEFAULTS = {
    "test_size": None, "cv": None, "repeats": 1, "inner": "auto", "na": "drop", "groups": None,
    "seed": 0, "reference": None, "loss": None,
}  # fmt: skip


@public
def compare(
    formula: str,
    data: Any = None,
    methods: Any = None,
    *,
    test_size: float | None = None,
    cv: Any = None,
    repeats: int = 1,
    inner: Any = "auto",
    na: str = "drop",
    groups: Any = None,
    seed: int = 0,
    reference: str | None = None,
    loss: Any = None,
    progress: bool | None = None,
    client: Any = None,
    **arguments: Any,
) -> Comparison:
    """Compare methods on test rows that were not used to fit or tune them.

    Methods are compared on random splits (`test_size`), or by nested cross-validation (`cv`). On
    each training set, every method tunes its parameters by an inner cross-validation, with the same
    folds for all.

    Parameters
    ----------
    formula, data
        As in `fit`.
    methods : list, or mapping of names
        Method names ("pvm"), model objects (`pc.KNN(k=1)`), mappings of arguments of `fit` such as
        `{"method": "pvm", "eps": 1.0}`, or estimators of scikit-learn (see Notes); "logistic",
        "lda" and "forest" are its logistic regression on scaled columns, linear discriminant
        analysis and random forest, with its defaults.
    test_size : float between 0 and 1, optional
        Proportion of the rows in the test set of a stratified random split.
    cv : int, "loo", Series or array of folds, optional
        Outer folds, if `test_size` is not given. Default: 10, or fewer for small classes or few
        groups.
    repeats : int
        Number of random splits, or of random divisions into folds.
    inner : "auto", int or "loo"
        Folds for tuning within a training set; as `cv` in `fit`. They are drawn once: the splits
        show how a choice varies. `{"method": "pvm", "repeats": 10}` draws them ten times.
    na, groups, progress
        Arguments of `fit`. Rows of a group are in one outer and one inner fold; groups need `cv`.
    seed : int
        Seed for the splits.
    reference : str, optional
        Name of the method with which each other one is compared. Default: all pairs.
    loss : DataFrame or dict, optional
        Loss matrix as in `Fit.predict`. The table then has the mean loss on the test rows,
        and methods are tuned by this loss; it does not change how they predict.
    client : Dask client, optional
        Client of a cluster, whose workers then fit the methods, each on one thread.
    **arguments
        Further arguments of `fit` for each method that does not specify them, such as
        `dissimilarity`, `measure` or `calibrate`. Dissimilarities are trained on the training rows
        alone; a `Dissimilarity` remains as it was trained, unless it uses classes. Probabilities
        are calibrated within each training set and scored on the test rows
        (`Comparison.score_tests`).

    Returns
    -------
    Comparison
        Table of test errors with intervals, and paired tests between methods.

    Raises
    ------
    DataError, OptionError
        If an argument or the data are not valid. An error of a method names it.

    Notes
    -----
    Rows that were predicted once, by models fixed in advance, are independent given the models, and
    are tested as such. Errors of several splits or folds are not independent: see `Comparison` for
    the intervals and tests.

    *Estimators of scikit-learn.* A copy of the estimator is fitted to each training set. A
    pipeline, also one that is tuned by a search, gets the columns of the data, with `na="keep"`
    including missing values. Any other estimator gets the design matrix of the formula, with a
    column of 0 and 1 for each level of a category; all are 0 for a level that is not in the
    training rows. An estimator tunes itself (`GridSearchCV`), by folds that ignore `groups`;
    `inner`, the arguments of `fit` and the tuning by `loss` do not apply to it. Set its seed and
    class weights in the estimator: without `random_state` each call gives different results. If it
    has `predict_proba`, its probabilities are scored too.

    See Also
    --------
    compare_fits : existing fits on new rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> c = pc.compare("species ~ .", pc.load_data("iris"), [pc.KNN(k=1), "lda"], test_size=1/3)
    >>> c.table[["wrong", "n"]].to_dict("index")
    {'knn(k=1)': {'wrong': 1, 'n': 50}, 'lda': {'wrong': 0, 'n': 50}}
    """
    given = locals()  # before any other name is set
    if not isinstance(formula, str):
        raise OptionError(
            "compare needs a formula, data and methods: "
            "use compare_fits([fit1, fit2], new) for existing fits"
        )
    seed_of_runs("repeats", repeats, seed, progress, least=1)
    common = {"na": na, "seed": seed, "cv": inner, "repeats": 1, "progress": False, **arguments}
    specs = {
        name: {**({} if is_estimator(spec["method"]) else common), **spec}
        for name, spec in named_methods(methods, seed).items()
    }
    check_arguments(arguments, specs)
    one_of("reference", reference, (None, *specs))
    data = as_pandas(read_for(data, formula, {"groups": groups}))
    splits = make_splits(
        formula, data, arguments.get("dissimilarity"), na, groups, test_size, cv, repeats, seed
    )
    loss_matrix(loss, splits.frame.levels)
    outcomes = judge_all(splits, specs, progress, loss)
    options = {name: given[name] for name in DEFAULTS}
    changed = {name: v for name, v in options.items() if not is_default(name, v, DEFAULTS)}
    words = [
        f"{name}={v:.4g}" if isinstance(v, float) else f"{name}={short(v)}"
        for name, v in {**changed, **arguments}.items()
    ]
    call = f"compare({', '.join([repr(formula), 'data', str(list(specs)), *words])})"
    facts = {"how": splits.how, "design": splits.design, "left_out": len(splits.frame.dropped)}
    return tabulate(
        outcomes, splits.frame.levels, **facts, call=call, loss=loss, reference=reference
    )


@public
def compare_fits(fits: Any, new: Any, loss: Any = None, reference: str | None = None) -> Comparison:
    """Compare existing fits on new rows that none of them was trained on.

    Parameters
    ----------
    fits : list of fits, or mapping of names to fits
        Fits with the same response and classes.
    new : DataFrame
        New rows with the predictors and the response.
    loss : DataFrame or dict, optional
        Loss matrix, as in `compare`.
    reference : str, optional
        Name of the fit with which each other one is compared. Default: all pairs.

    Returns
    -------
    Comparison
        Table of test errors with intervals, and paired tests of the fits.

    Examples
    --------
    >>> import protoclass as pc
    >>> wine = pc.load_data("wine")
    >>> fits = {f"k={k}": pc.fit("cultivar ~ .", wine.iloc[::2], "knn", k=k) for k in (1, 15)}
    >>> pc.compare_fits(fits, wine.iloc[1::2]).table["wrong"].to_dict()
    {'k=1': 6, 'k=15': 6}
    """
    listed = list(fits.values()) if isinstance(fits, Mapping) else fits
    listed = listed if isinstance(listed, (list, tuple)) else []
    if not listed or not all(isinstance(fit, Fitted) for fit in listed):
        raise OptionError(
            "fits must be a list of fits, or a mapping of names to fits: "
            "use compare_fits([fit1, fit2], new)"
        )
    methods = [fit.model.name for fit in listed]
    numbered = [
        f"{name}.{methods[:i].count(name) + 1}" if methods.count(name) > 1 else name
        for i, name in enumerate(methods)
    ]
    names = check_names(list(fits) if isinstance(fits, Mapping) else numbered)
    named = dict(zip(names, listed, strict=True))
    one_of("reference", reference, (None, *named))
    new, first = as_pandas(new), listed[0].frame
    for name, fit in named.items():
        frame = fit.frame
        same = list(frame.levels) == list(first.levels)
        if not same or frame.formula.response != first.formula.response:
            raise OptionError(
                f"fit {name!r} can't be compared with the first, "
                "because its response or classes differ"
            )
    loss_matrix(loss, first.levels)
    outputs = {name: judge_fit(fit, new, np.nan, "warn") for name, fit in named.items()}
    codes = listed[0]._true_codes(new)
    complete = [predicted.notna() for _, predicted, _ in outputs.values()]
    known = (codes >= 0) & np.all(complete, axis=0)
    if not known.any():
        raise DataError(
            "comparison needs rows with a known class and all predictors, but there are none"
        )
    truth = pd.Series(pd.Categorical.from_codes(codes[known], first.levels), new.index[known])
    of_known = {
        name: (row, classes[known], None if p is None else p[known])
        for name, (row, classes, p) in outputs.items()
    }
    return tabulate(
        [(truth, of_known)],
        first.levels,
        how=f"{len(named)} fits on {known.sum()} new rows",
        design=Design(0.0),
        left_out=int((~known).sum()),
        call="compare_fits(fits, new)",
        loss=loss,
        reference=reference,
    )


@public
def split(data: Any, response: str, test_size: float = 1 / 3, seed: int = 0) -> tuple[Any, Any]:
    """Split the rows at random into training and test rows, stratified by class.

    Parameters
    ----------
    data : DataFrame
        Rows.
    response : str
        Column of the classes. Rows without a class are training rows.
    test_size : float between 0 and 1
        Proportion of the rows with a class in the test set.
    seed : int
        Seed for the split.

    Returns
    -------
    train, test : DataFrame
        The rows in their order, in the library of the data.

    Examples
    --------
    >>> import protoclass as pc
    >>> train, test = pc.split(pc.load_data("iris"), "species", test_size=0.2)
    >>> len(train), test["species"].value_counts().tolist()
    (120, [10, 10, 10])
    """
    table = as_pandas(data)
    codes = pd.factorize(along(str(response), table, "response"))[0]
    known = np.flatnonzero(codes >= 0)
    check_test_size(test_size)
    test = np.zeros(len(table), bool)
    test[known[holdout(codes[known], test_size, check_seed(seed))]] = True
    return as_given(table[~test], data), as_given(table[test], data)


def check_test_size(test_size: Any) -> None:
    """Raise unless the size of a test set is a proportion."""
    if not is_number(test_size, 0.0, above=True) or test_size >= 1:
        raise OptionError(
            "test_size must be a number between 0 and 1, the proportion of the rows for testing, "
            f"not {brief(test_size)}"
        )


ESTIMATORS = ("logistic", "lda", "forest")


def estimator_named(name: str, seed: int) -> dict[str, Any]:
    """An estimator of scikit-learn by name, as arguments; `numbers`: it gets columns of numbers."""
    # slow to import
    from sklearn import discriminant_analysis, ensemble, linear_model, pipeline, preprocessing

    logistic = linear_model.LogisticRegression(max_iter=1000)
    estimators = {
        "logistic": pipeline.make_pipeline(preprocessing.StandardScaler(), logistic),
        "lda": discriminant_analysis.LinearDiscriminantAnalysis(),
        "forest": ensemble.RandomForestClassifier(random_state=seed),
    }
    return {"method": estimators[name], "numbers": True}


# arguments of `fit` that no method has of its own
FIXED = {"formula", "data", "na", "seed", "cv", "progress", "groups", "weights"}


def named_methods(methods: Any, seed: int) -> dict[str, dict[str, Any]]:
    """Arguments of `fit` for each method, by its name."""
    if isinstance(methods, (str, Model)) or is_estimator(methods):
        methods = [methods]
    if not isinstance(methods, (Mapping, Sequence)):
        raise OptionError(
            "methods must be a list of method names, model objects and estimators, or a mapping "
            f"of names to them, not {brief(methods)}"
        )
    if not len(methods):
        raise OptionError("methods must contain at least one method")
    named = isinstance(methods, Mapping)
    specs = list(methods.values()) if named else methods
    names = check_names(list(methods) if named else [method_name(spec) for spec in specs])
    out = dict[str, dict[str, Any]]()
    for name, spec in zip(names, specs, strict=True):
        options = {"method": "pvm", **spec} if isinstance(spec, Mapping) else {"method": spec}
        method, further = options["method"], set(options) - {"method"}
        if FIXED & further:
            raise OptionError(
                f"method {name!r} has its own {min(FIXED & further)!r}, but compare has one for "
                "all methods, or (weights) none"
            )
        if isinstance(method, str) and method in ESTIMATORS:
            options = estimator_named(method, seed)
        if is_estimator(options["method"]) and further:
            kind = type(options["method"]).__name__
            raise OptionError(
                f"method {name!r} is a {kind}, which has no {min(further)!r}: "
                "set it in the estimator"
            )
        out[name] = options
    return out


def check_arguments(arguments: Mapping[str, Any], specs: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise for arguments about single rows of the data, or that select the calibration rows."""
    cures = {
        "weights": "leave it out",
        "method": "use methods=[...]",
        "new": "use compare_fits(fits, new) for existing fits",
    }
    for name in [name for name in arguments if name in cures]:
        raise OptionError(f"compare() has no argument {name!r}: {cures[name]}")
    for name, options in specs.items():
        calibrate = options.get("calibrate", False)
        if calibrate is not False and arguments_of(calibrate)["new"] is not None:
            raise OptionError(
                f"method {name!r} has its own calibration rows, which may be among the test rows: "
                "leave new out to calibrate on each training set, fold by fold"
            )


def method_name(spec: Any) -> str:
    """Name of a method: for a model object with the parameters that differ from their defaults."""
    if isinstance(spec, Mapping):
        spec = spec.get("method", "pvm")
    if is_estimator(spec):
        return getattr(spec, "__name__", type(spec).__name__)
    if not isinstance(spec, Model):
        return str(getattr(spec, "name", spec))
    defaults = {field.name: field.default for field in fields(spec)}
    changed = [
        f"{name}={brief(getattr(spec, name))}"
        for name in defaults
        if not is_default(name, getattr(spec, name), defaults)
    ]
    return f"{spec.name}({', '.join(changed)})" if changed else spec.name


@dataclass(frozen=True, eq=False)
class Splits:
    """Data and the test rows of each split."""

    formula: str
    data: pd.DataFrame
    frame: Frame  # the rows that take part
    dissimilarity: Any  # as in `fit`
    given: pd.DataFrame | None  # given dissimilarities by label
    groups: str | pd.Series | None  # the name of a column, or the groups
    tests: list[Array]  # bool (n,) each: test rows of a split
    how: str  # the splits in words
    design: Design

    def groups_of(self, rows: pd.Index) -> dict[str, Any]:
        """The argument `groups` of a fit to some rows, if there are groups."""
        if self.groups is None:
            return {}
        return {"groups": self.groups if isinstance(self.groups, str) else self.groups.loc[rows]}


def make_splits(
    formula: str,
    data: pd.DataFrame,
    dissimilarity: Any,
    na: str,
    groups: Any,
    test_size: Any,
    cv: Any,
    repeats: int,
    seed: int,
) -> Splits:
    """Read the data, and draw the splits."""
    given = matrix_of(dissimilarity, data)
    frame = mold(formula, data, na=na, aside=(groups,))
    rows, codes = data.index.get_indexer(frame.index), group_codes(groups, data)
    cv = cv if is_drawn(cv) else own_folds(cv, data, frame.index)
    seeds = [int(np.random.SeedSequence([seed, r, 1]).generate_state(1)[0]) for r in range(repeats)]
    of_used = None if codes is None else pd.factorize(codes[rows])[0]
    tests, note = draw_splits(frame, of_used, test_size, cv, seeds)
    if codes is None and (copies := copies_across(frame, np.argmax(tests, axis=0))):
        warn(copies, DataWarning)
    n, tested = len(frame), float(np.mean([test.sum() for test in tests]))
    again = f", {repeats} times" * (repeats > 1) + ", whole groups left out" * (groups is not None)
    how = f"Nested cross-validation of {n} rows, {len(tests) // repeats} folds{again}{note}"
    if test_size is not None:
        how = f"Random split{again}: {n - tested:g} rows train, {tested:g} test"
    sets = repeats if test_size is None else 1
    design = Design(tested / (n - tested), sets, groups is not None)
    if codes is not None and not isinstance(groups, str):
        groups = pd.Series(codes, data.index)
    return Splits(formula, data, frame, dissimilarity, given, groups, tests, how, design)


def judge_all(
    splits: Splits,
    methods: Mapping[str, Mapping[str, Any]],
    progress: bool | None,
    loss: pd.DataFrame | None,
) -> list[Outcomes]:
    """The outputs of every method on every split."""
    checked = {}
    for name, options in methods.items():
        with naming(name):
            checked[name] = check_method(splits, options, loss)
    items = list(product(range(len(splits.tests)), checked))
    with warnings.catch_warnings():
        # given by `make_splits`; shown by the errors on all test rows; given by `check_method`
        for words in (COPIES, WORSE, re.escape(TWICE)):
            warnings.filterwarnings("ignore", f".*{words}", DataWarning)
        outputs = each_fit(partial(judge_item, splits, checked), items)
        judged = dict(zip(items, watch(outputs, len(items), "comparing", progress), strict=True))
    lost, of_splits = Unseen(), list[Outcomes]()
    for split, test in enumerate(splits.tests):
        truth = splits.data.loc[splits.frame.index[test], splits.frame.formula.response]
        unseen = Unseen()
        for name in checked:
            unseen |= judged[split, name][3]
        lost += unseen
        of_splits.append((truth, {name: judged[split, name][:3] for name in checked}))
    lost.warn_of_folds("split")
    return of_splits


@contextmanager
def naming(method: str) -> Iterator[None]:
    """Errors that name the method of the comparison that raised them."""
    try:
        yield
    except ProtoclassError as reason:
        raise type(reason)(f"compare, method {method!r}: {reason}") from reason
    except Exception as reason:  # an error of an estimator, whose users know its cause
        reason.add_note(f"compare, method {method!r}")
        raise


def check_method(
    splits: Splits, options: Mapping[str, Any], loss: pd.DataFrame | None
) -> Mapping[str, Any]:
    """The arguments of a method, with the loss if it tunes; raises if the data do not suit it."""
    if is_estimator(options["method"]):
        check_estimator(options, splits.frame)
        return options
    arguments = {**options, **splits.groups_of(splits.data.index)}
    problem = prepare(Call("fit", splits.formula, splits.data, arguments))
    metric = problem.metric
    if problem.model.can.coordinates and not metric.train_in_folds:
        as_vectors(metric.train(problem.frame) if isinstance(metric, Metric) else metric)
    tunes = problem.cv is not None and (problem.tuned() or not problem.cv_is_auto)
    out = {"measure": loss, **options} if tunes and loss is not None else options
    costs = isinstance(out.get("measure"), (pd.DataFrame, Mapping))
    if problem.class_factors is not None and costs:
        warn(TWICE, DataWarning)
    return out


def judge_item(
    splits: Splits, methods: Mapping[str, Mapping[str, Any]], item: tuple[int, str]
) -> tuple[Any, ...]:
    """`judge` of a split and the name of a method."""
    split, name = item
    with naming(name):
        return judge(splits, methods[name], splits.tests[split])


def judge(splits: Splits, options: Mapping[str, Any], tested: Array) -> tuple[Any, ...]:
    """The outputs of one method for the test rows, and the levels that its training rows lack."""
    data, index = splits.data, splits.frame.index
    train, test = index[~tested], index[tested]
    if is_estimator(options["method"]):
        return *judge_estimator(options, splits.frame, data.loc[train], data.loc[test]), Unseen()
    new, spec = data.loc[test], options.get("dissimilarity")
    matrix = splits.given if spec is splits.dissimilarity else matrix_of(spec, data)
    if matrix is not None:
        lost = train.append(test).difference(matrix.index)
        if len(lost):
            raise DataError(
                f"the dissimilarities lack the row {shown(lost[0])} of the data "
                "(rows are matched by label)"
            )
        unlabelled = ~matrix.columns.isin(matrix.index)  # candidates that are not rows
        columns = matrix.columns.isin(train) | unlabelled
        options = {**options, "dissimilarity": matrix.loc[train, columns]}
        new = matrix.loc[test]
    arguments = {**splits.groups_of(train), **options}
    start = perf_counter()
    fitted = fit_call(Call("fit", splits.formula, data.loc[train], arguments), Fitted)
    return *judge_fit(fitted, new, perf_counter() - start, None), fitted._unpredicted_in(new)


def judge_fit(fitted: Fitted, new: pd.DataFrame, seconds: float, unseen: str | None) -> Outcome:
    """The outputs of a fit for rows; probabilities if it is calibrated."""
    rule, choice = fitted.rule, dict(fitted._selection.values)
    sizes = {"prototypes": len(rule.prototypes), "size": rule.size}
    predicted = fitted._predictions(new, unseen=unseen)
    p = None
    if fitted._calibration is not None:
        p = fitted._predictions(new, "prob", unseen=None).to_numpy(float)
    return {**sizes, "seconds": seconds, "choice": choice}, predicted, p


def draw_splits(
    frame: Frame, groups: Array | None, test_size: Any, cv: Any, seeds: list[int]
) -> tuple[list[Array], str]:
    """Test rows of each split, bool (n,), and words on folds that were not drawn."""
    y = frame.codes
    if test_size is not None:
        if cv is not None:
            raise OptionError(
                "test_size= draws splits, but cv= sets folds: use one of them "
                "(inner= sets the folds for tuning)"
            )
        if groups is not None:
            raise OptionError("groups need cv=, which leaves whole groups out")
        check_test_size(test_size)
        tests = [holdout(y, test_size, s) for s in seeds]
        if not tests[0].any():
            raise OptionError(
                f"test_size={test_size:g} of {len(y)} rows leaves no test row: use more"
            )
        return tests, ""
    folds, notes = folds_of("auto" if cv is None else cv, frame, groups, seeds)
    tests = [fold == f for fold in folds for f in range(fold.max() + 1)]
    if not (isinstance(cv, np.ndarray) or (isinstance(cv, str) and cv == "loo")):
        return tests, ""
    for test in tests:
        counts = np.bincount(y[~test], minlength=len(frame.levels))
        if not counts.all():
            level = shown(frame.levels[counts == 0][0])
            raise DataError(
                f"a fold has all rows of class {level}, so none is left for training: "
                "use other folds"
            )
    return tests, f", {notes[0]}"


def matrix_of(spec: Any, data: pd.DataFrame) -> pd.DataFrame | None:
    """Given dissimilarities as a DataFrame by label; None if predictors determine them."""
    known = isinstance(spec, Dissimilarity)
    if isinstance(spec, (pd.DataFrame, np.ndarray)) or (known and spec.metric.given):
        return measure("~ 1", data, spec).to_frame()
    if not known or spec.metric.train_in_folds:
        return None
    return None if spec.data.columns.columns.isin(data.columns).all() else spec.to_frame()


def is_estimator(method: Any) -> bool:
    """Whether a method of `compare` is meant as an estimator, or a class of these."""
    is_class = isinstance(method, type)
    is_model = issubclass(method, Model) if is_class else isinstance(method, (Model, Fitted))
    return not is_model and (hasattr(method, "fit") or hasattr(method, "predict"))


def check_estimator(options: Mapping[str, Any], frame: Frame) -> None:
    """Raise if an estimator cannot be fitted to the predictors of a frame."""
    estimator, formula = options["method"], frame.formula
    name = (estimator if isinstance(estimator, type) else type(estimator)).__name__
    if isinstance(estimator, type):
        raise OptionError(f"{name} is a class: use an object of it, {name}()")
    for verb in ("fit", "predict"):
        if not hasattr(estimator, verb):
            raise OptionError(
                f"{name} has no {verb}: use a classifier, or a pipeline that ends in one"
            )
    if not formula.terms:
        raise OptionError(
            f"an estimator needs predictors, but {formula.quoted} has none: name them"
        )
    columns = takes_columns(options)
    if columns and not formula.plain():
        raise OptionError(
            f"a pipeline needs unchanged columns of the data, but {formula.quoted} computes "
            "others: compute them in the pipeline or in the data"
        )
    if not columns and frame.keep and frame.columns.isna().any(axis=None):
        raise OptionError(
            "predictors are missing in some rows: use a pipeline that accepts missing values, such "
            f"as make_pipeline(SimpleImputer(), {name}()), or na='drop'"
        )


def takes_columns(options: Mapping[str, Any]) -> bool:
    """Whether an estimator, also within a search, is a pipeline, which gets columns of the data."""
    from sklearn.pipeline import Pipeline  # slow to import

    inner = options["method"]
    while hasattr(inner, "estimator"):
        inner = inner.estimator
    return isinstance(inner, Pipeline) and "numbers" not in options


def judge_estimator(
    options: Mapping[str, Any], whole: Frame, train: pd.DataFrame, new: pd.DataFrame
) -> Outcome:
    """The outputs for new rows of a copy of an estimator; `whole` is the frame of all rows."""
    from sklearn.base import clone  # slow to import

    start = perf_counter()
    estimator, levels = clone(options["method"], safe=False), whole.levels
    others = tuple(name for name in train if name not in whole.schema)
    frame = mold(whole.formula.text, train, na="keep" if whole.keep else "drop", aside=others)
    X, X_new = (
        f.columns if takes_columns(options) else f.expanded for f in (frame, frame.again(new)[0])
    )
    estimator.fit(X, np.asarray(frame.levels)[frame.codes])
    seconds = perf_counter() - start
    predicted = pd.Series(np.ravel(estimator.predict(X_new)), new.index)
    best = getattr(estimator, "best_params_", {})
    choice = {name: v if is_real(v) else brief(v) for name, v in best.items()}
    row = {"prototypes": np.nan, "size": np.nan, "seconds": seconds, "choice": choice}
    classes, p = as_classes(predicted, levels), None
    if hasattr(estimator, "predict_proba"):
        p = np.zeros((len(new), len(levels)))
        columns = as_classes(pd.Series(estimator.classes_), levels).cat.codes
        p[:, columns] = estimator.predict_proba(X_new)
    return row, classes, p
