"""`compare`: several methods on the same splits and folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import one_of, whole_number
from ..core.folds import grouped, holdout, stratified
from ..errors import DataError, OptionError, ProtoclassError, brief, shown
from ..estimation.call import DEFAULTS, is_default, short
from ..estimation.fit import Fit
from ..estimation.fitting import fit
from ..frames.frame import along, check_unique, mold
from ..frames.tables import as_pandas
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import dissimilarity as measure
from ..models.base import Model
from ..progress import bar
from .comparison import Comparison
from .evaluation import class_codes

FOLDS = 10
OWN = {"test_size": None, "cv": None, "inner": "auto"}  # defaults that `fit` does not share


def compare(
    formula: Any,
    data: Any = None,
    methods: Any = None,
    *more: Any,
    new: Any = None,
    test_size: float | None = None,
    cv: int | None = None,
    repeats: int = 1,
    inner: Any = "auto",
    dissimilarity: Any = "auto",
    choose: str = "1se",
    na: str = "drop",
    groups: Any = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Comparison:
    """Compare methods on test rows that took no part in their tuning.

    Either on random splits of the data (`test_size`, as in Table 2 of the PVM paper), or by nested cross-validation (`cv`). On
    each training set every method tunes its tuned parameters by cross-validation in turn, with the same folds for all. Or fits
    that are there already are compared on new rows: `compare(fit1, fit2, new=test)`.

    Parameters
    ----------
    formula : str
        As in `fit`. Or fits, one after the other, or a mapping of names to fits; then `new` is needed and nothing else.
    data : DataFrame
    methods : list, or mapping of names
        Of method names ("pvm"), model objects (`pc.KNN(k=1)`), or mappings of arguments of `fit`, such as
        `{"method": "pvm", "candidates": pc.kmeans(50)}`.
    new : DataFrame
        With predictors and response, where fits are compared.
    test_size : float between 0 and 1, optional
        Share of the rows in the test set of a random split, stratified by class.
    cv : int, optional
        Outer folds, where there is no `test_size`. None: 10.
    repeats : int
        Times that a split or folds are drawn.
    inner : "auto", int or "loo"
        Folds that tune, within a training set; as `cv` in `fit`.
    dissimilarity : as in `fit`
        A given matrix is cut into training and test rows. Anything else is trained on the training rows alone; a
        `Dissimilarity` stays as it was trained, unless it looks at classes.
    choose, na, groups, progress : as in `fit`
        Rows of a group stay in one outer and one inner fold; groups go with `cv`.
    seed : int
        The same seed gives the same splits and folds.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError, OptionError
        Also what a method raises, with its name.

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> c = pc.compare("species ~ .", iris, ["pvm", pc.KNN(k=1)], test_size=1/3)
    >>> c.table[["wrong", "n"]].to_dict("index")
    {'pvm': {'wrong': 2, 'n': 50}, 'knn(k=1)': {'wrong': 1, 'n': 50}}
    """
    if isinstance(formula, (list, tuple)) and data is None:
        formula, *more = formula
    arguments = {"test_size": test_size, "cv": cv, "repeats": repeats, "inner": inner, "dissimilarity": dissimilarity,
                 "choose": choose, "na": na, "groups": groups, "seed": seed}  # fmt: skip
    if isinstance(formula, (Fit, Mapping)):
        for name in (k for k, v in arguments.items() if not is_default(k, v, {**DEFAULTS, **OWN})):
            raise OptionError(f"{name}= goes with a formula and data: fits are compared as they are, on new=")
        return _of_fits(formula, [v for v in (data, methods, *more) if v is not None], new)
    if more or new is not None:
        raise OptionError("new= and further positional arguments go with fits: compare(fit1, fit2, new=test)")
    data = as_pandas(data)
    specs = named_methods(methods)
    if test_size is not None and cv is not None:
        raise OptionError("test_size= draws splits and cv= folds: give one of them (inner= are the folds that tune)")
    whole_number("repeats", repeats, 1)
    whole_number("seed", seed, 0)
    one_of("progress", progress, (None, True, False))
    given = matrix_of(dissimilarity, data)
    frame = mold(formula, data, na=na, aside=tuple(v for v in (groups,) if isinstance(v, str)))
    # a level that no training row of a split has is a level all the same, as in cross_validate
    levels = {name: c.levels for name, c in frame.schema.items() if c.kind == "category" and name in data}
    data = data.assign(**{name: pd.Categorical(data[name], of_name) for name, of_name in levels.items()})
    of_group = None if groups is None else pd.Series(along(groups, data, "groups"), data.index)
    tests = draw_splits(
        frame.codes, None if of_group is None else of_group.loc[frame.index], test_size, cv, repeats, seed
    )
    common = {"choose": choose, "na": na, "seed": seed, "cv": inner, "progress": False}
    rows, parts = [], []
    with bar(len(tests) * len(specs), "comparing", progress) as comparing:
        for split, test in enumerate(tests):
            train_rows, test_rows = frame.index[~test], frame.index[test]
            truth = data.loc[test_rows, frame.formula.response]
            predicted: dict[str, Any] = {"truth": pd.Categorical(truth.astype(object), frame.levels)}
            for name, options in specs.items():
                own = {**common, "dissimilarity": dissimilarity, **options}
                if of_group is not None:
                    own["groups"] = groups if isinstance(groups, str) else of_group.loc[train_rows]
                matrix = matrix_of(options["dissimilarity"], data) if "dissimilarity" in options else given
                try:
                    row, predicted[name] = judge(formula, data, own, matrix, train_rows, test_rows)
                except ProtoclassError as reason:
                    raise type(reason)(f"compare, method {name!r}: {reason}") from reason
                rows.append({"split": split, "method": name, **count_errors(predicted[name], truth), **row})
                comparing.update()
            index = pd.MultiIndex.from_product([[split], test_rows], names=["split", None])
            parts.append(pd.DataFrame({k: np.asarray(v, object) for k, v in predicted.items()}, index))
    n = len(frame)
    held = float(np.mean([test.sum() for test in tests]))
    again = (f", {repeats} times" if repeats > 1 else "") + ("" if groups is None else ", whole groups left out")
    how = (f"Random split{again}: {n - held:g} rows train, {held:g} test" if test_size is not None
           else f"Nested cross-validation of {n} rows, {len(tests) // repeats} folds{again}")  # fmt: skip
    predictions = pd.concat(parts).apply(lambda column: pd.Categorical(column, frame.levels))
    beside = {k: v for k, v in arguments.items() if not is_default(k, v, {**DEFAULTS, **OWN})}
    call = f"compare({formula!r}, data, {list(specs)}{_arguments_in_words(beside)})"
    tested_once = repeats == 1 and groups is None
    return Comparison(pd.DataFrame(rows), predictions, how, held / (n - held), tested_once, len(frame.dropped), call)


def judge(
    formula: str,
    data: pd.DataFrame,
    options: Mapping[str, Any],
    matrix: pd.DataFrame | None,
    train: pd.Index,
    test: pd.Index,
) -> tuple[dict[str, Any], pd.Series]:
    """One method on one split: sizes and times of the fit, and its predictions of the test rows."""
    new = data.loc[test]
    if matrix is not None:
        lost = train.append(test).difference(matrix.index)
        if len(lost):
            raise DataError(f"the dissimilarities lack the row {shown(lost[0])} of the data: rows are matched by label")
        beside = ~matrix.columns.isin(matrix.index)  # candidates that are not rows
        options = {**options, "dissimilarity": matrix.loc[train, matrix.columns.isin(train) | beside]}
        new = matrix.loc[test]
    start = perf_counter()
    fitted = fit(formula, data.loc[train], **options)
    middle = perf_counter()
    predicted = fitted.predict(new)
    row = {"prototypes": len(fitted.rule.prototypes), "size": fitted.rule.size, "seconds": middle - start,
           "predict_seconds": perf_counter() - middle, "choice": choice_of(fitted)}  # fmt: skip
    return row, predicted


def count_errors(predicted: pd.Series, truth: pd.Series) -> dict[str, Any]:
    """Rows, those predicted wrongly or not at all, and their share."""
    lost = predicted.isna().to_numpy() | (predicted.astype(object) != truth.astype(object)).to_numpy()
    wrong = int(lost.sum())
    return {"n": len(truth), "wrong": wrong, "error": wrong / len(truth)}


def choice_of(fitted: Fit) -> dict[str, Any]:
    """The parameters that cross-validation chose."""
    return dict(fitted.selection.values)


def draw_splits(
    y: np.ndarray, groups: pd.Series | None, test_size: float | None, cv: int | None, repeats: int, seed: int
) -> list[np.ndarray]:
    """Test rows of each split, bool (n,)."""
    seeds = [int(np.random.SeedSequence([seed, r, 1]).generate_state(1)[0]) for r in range(repeats)]
    if test_size is not None:
        if groups is not None:
            raise OptionError("groups go with cv=, which leaves whole groups out")
        if isinstance(test_size, bool) or not isinstance(test_size, Real) or not 0 < test_size < 1:
            raise OptionError(
                f"test_size={brief(test_size)}: a number between 0 and 1, the share of the rows that test"
            )
        tests = [holdout(y, float(test_size), s) for s in seeds]
        if not tests[0].any():
            raise OptionError(f"test_size={test_size:g} of {len(y)} rows leaves no test row: give more")
        return tests
    folds = FOLDS if cv is None else cv
    whole_number("cv", folds, 2)
    least = int(np.bincount(y).min())
    if groups is None and least < folds:
        raise OptionError(
            f"cv={folds} outer folds, and the rarest class has {least} rows: give cv={max(2, least)} or fewer"
        )
    if groups is None:
        of_row = [stratified(y, folds, s) for s in seeds]
    else:
        if groups.isna().any():
            raise DataError("groups have missing values: every row needs one")
        of_row = [grouped(y, pd.factorize(groups)[0], folds, s) for s in seeds]
    return [fold == f for fold in of_row for f in range(folds)]


def named_methods(methods: Any) -> dict[str, dict[str, Any]]:
    """Arguments of `fit` for each method, by its name."""
    if isinstance(methods, (str, Model)):
        methods = [methods]
    if isinstance(methods, Mapping):
        names, specs = _checked(list(methods)), list(methods.values())
    elif isinstance(methods, Sequence):
        names, specs = _checked([_name(spec) for spec in methods]), list(methods)
    else:
        raise OptionError(
            f"methods={brief(methods)}: a list of method names and model objects, or a mapping of names to them"
        )
    if not specs:
        raise OptionError("methods is empty: name one method at least")
    out: dict[str, dict[str, Any]] = {}
    for name, spec in zip(names, specs, strict=True):
        fixed = {"formula", "data", "choose", "na", "seed", "cv", "progress", "groups", "weights"}
        if isinstance(spec, Mapping) and fixed & set(spec):
            raise OptionError(
                f"method {name!r} has its own {min(fixed & set(spec))!r}: compare has one for all methods, or (weights) none"
            )
        out[name] = dict(spec) if isinstance(spec, Mapping) else {"method": spec}
    return out


def _name(spec: Any) -> str:
    if isinstance(spec, Mapping):
        spec = spec.get("method", "pvm")
    if not isinstance(spec, Model):
        return str(getattr(spec, "name", spec))
    parameters = [
        f"{f.name}={brief(getattr(spec, f.name))}" for f in fields(spec) if not _same(getattr(spec, f.name), f.default)
    ]
    return f"{spec.name}({', '.join(parameters)})" if parameters else spec.name


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not hasattr(value, "shape") and value == default


def matrix_of(spec: Any, data: pd.DataFrame) -> pd.DataFrame | None:
    """Given dissimilarities as a DataFrame by label; None where rows are measured by their predictors."""
    if isinstance(spec, pd.DataFrame):
        return spec
    if isinstance(spec, Dissimilarity):
        spec.metric.check_rows(data.index)
        needed = spec.data.columns.columns
        complete = spec.metric.given or (not spec.metric.train_in_folds and not needed.isin(data.columns).all())
        return spec.frame() if complete else None
    if isinstance(spec, np.ndarray):
        return measure("~ 1", data, spec).frame()
    return None


def _arguments_in_words(arguments: Mapping[str, Any]) -> str:
    """Arguments as a call shows them."""
    return "".join(f", {k}={v:.4g}" if isinstance(v, float) else f", {k}={short(v)}" for k, v in arguments.items())


def _checked(names: Sequence[Any]) -> list[str]:
    """Names for the columns and rows of a Comparison."""
    texts = [str(name) for name in names]
    for i, name in enumerate(texts):
        if name in texts[:i] or name in ("", "truth", "all"):
            raise OptionError(
                f"two methods are named {name!r}, or one is named '', 'truth' or 'all': give a mapping of other names to methods"
            )
    return texts


def _of_fits(first: Any, others: list[Any], new: Any) -> Comparison:
    fits = dict(first) if isinstance(first, Mapping) else None
    listed = list(fits.values()) if fits is not None else [first, *others]
    if (fits is not None and others) or not listed or not all(isinstance(f, Fit) for f in listed):
        raise OptionError(
            "compare takes a formula, data and methods; or fits alone, as in compare(fit1, fit2, new=test)"
        )
    if fits is None:
        names = [f.model.name for f in listed]
        fits = {
            f"{n}.{names[:i].count(n) + 1}" if names.count(n) > 1 else n: f
            for i, (n, f) in enumerate(zip(names, listed, strict=True))
        }
    fits = dict(zip(_checked(list(fits)), listed, strict=True))
    if new is None:
        raise OptionError("fits are compared on new rows: compare(fit1, fit2, new=test)")
    new = as_pandas(new)
    check_unique(new.columns, "column")
    levels, response = listed[0].frame.levels, listed[0].frame.formula.response
    for name, f in fits.items():
        if list(f.frame.levels) != list(levels) or f.frame.formula.response != response:
            raise OptionError(
                f"fit {name!r} has another response or other classes than the first: they can't be compared"
            )
    if response not in new:
        raise OptionError(f"the new data lack the response {response!r}: an error needs the true classes")
    codes = class_codes(new[response], levels)
    predicted: dict[str, pd.Series] = {}
    seconds = {}
    for name, f in fits.items():
        start = perf_counter()
        predicted[str(name)] = f.predict(new)
        seconds[str(name)] = perf_counter() - start
    known = codes >= 0
    for codes_of in predicted.values():
        known &= codes_of.notna().to_numpy()
    if not known.any():
        raise DataError("no row has both a known class and all predictors")
    rows = []
    for (name, series), f in zip(predicted.items(), listed, strict=True):
        wrong = int((series.cat.codes.to_numpy()[known] != codes[known]).sum())
        rows.append({"split": 0, "method": name, "n": int(known.sum()), "wrong": wrong, "error": wrong / int(known.sum()),
                     "prototypes": len(f.rule.prototypes), "size": f.rule.size, "seconds": np.nan,
                     "predict_seconds": seconds[name], "choice": choice_of(f)})  # fmt: skip
    index = pd.MultiIndex.from_product([[0], new.index[known]], names=["split", None])
    truth = pd.Categorical.from_codes(codes[known], levels)
    predictions = pd.DataFrame({"truth": truth, **{k: v[known].array for k, v in predicted.items()}}, index)
    how = f"{len(rows)} fits on {int(known.sum())} new rows"
    return Comparison(pd.DataFrame(rows), predictions, how, 0.0, True, int((~known).sum()), "compare(fits, new=data)")
