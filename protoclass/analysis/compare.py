"""`compare`: several methods on the same splits and folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from ..arguments import MOST_RUNS, MOST_SEED, known_arguments, one_of, whole_number
from ..core.memory import limited
from ..errors import DataError, OptionError, brief
from ..estimation.calibration import arguments_of
from ..estimation.call import DEFAULTS, is_default, short
from ..estimation.fit import Fit
from ..frames.reading import read_for
from ..frames.schema import check_unique, class_codes
from ..frames.tables import as_pandas
from ..models.base import Model
from .comparison import Comparison, check_rope
from .paired import Design
from .splits import Drawing, chances_of, choice_of, judge_all, make_splits

OWN = {"test_size": None, "cv": None, "inner": "auto", "rope": None}  # defaults that `fit` does not share


@limited
@known_arguments
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
    rope: float | None = None,
    progress: bool | None = None,
    calibrate: Any = False,
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
        Outer folds, where there is no `test_size`. None: 10, or fewer if a class has fewer rows or there are fewer groups.
    repeats : int
        Times that a split or folds are drawn. Rows that were predicted once, by a rule fixed before, are independent given the
        rule, and are tested as such. Errors of several splits or folds are not: see `Comparison` for the intervals and tests.
    inner : "auto", int or "loo"
        Folds that tune, within a training set; as `cv` in `fit`.
    dissimilarity : as in `fit`
        A given matrix is cut into training and test rows. Anything else is trained on the training rows alone; a
        `Dissimilarity` stays as it was trained, unless it looks at classes.
    choose, na, groups, progress : as in `fit`
        Rows of a group stay in one outer and one inner fold; groups go with `cv`.
    seed : int
        The same seed gives the same splits and folds.
    rope : float > 0, optional
        A difference of errors that does not matter, such as 0.01. Print then has the probabilities that two methods differ by no
        more, and that either is better: see `Comparison.equivalence`. It goes with several splits or folds.
    calibrate : bool, "multinomial", "isotonic" or dict
        As in `fit`, for each method that does not say it itself: the chances are learned within each training set, fold by fold, with
        the parameters that were tuned on it, and judged on the test rows by Brier score and log loss (`Comparison.score_tests`).

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
    if isinstance(formula, (list, tuple)) and data is not None:
        raise OptionError("fits are compared on new rows, which are given by name: compare(fit1, fit2, new=test)")
    if isinstance(formula, (list, tuple)):
        formula, *rest = formula
        more = tuple(rest)
    arguments = {"test_size": test_size, "cv": cv, "repeats": repeats, "inner": inner, "dissimilarity": dissimilarity,
                 "choose": choose, "na": na, "groups": groups, "seed": seed, "rope": rope, "calibrate": calibrate}  # fmt: skip
    beside = {k: v for k, v in arguments.items() if not is_default(k, v, {**DEFAULTS, **OWN})}
    if isinstance(formula, (Fit, Mapping)):
        for name in beside:
            raise OptionError(f"{name}= goes with a formula and data: fits are compared as they are, on new=")
        return _of_fits(formula, [v for v in (data, methods, *more) if v is not None], new)
    if more or new is not None:
        raise OptionError("new= and further positional arguments go with fits: compare(fit1, fit2, new=test)")
    if rope is not None:
        check_rope(rope)
        if test_size is not None and repeats == 1:
            raise OptionError("rope= goes with several splits, and one random split is judged row by row: give repeats=10, or cv=10")
    specs = named_methods(methods)
    for name, own in specs.items():
        _check_calibration(name, own.get("calibrate", calibrate))
    whole_number("repeats", repeats, 1, MOST_RUNS)
    whole_number("seed", seed, 0, MOST_SEED)
    one_of("progress", progress, (None, True, False))
    data = as_pandas(read_for(data, formula, {"groups": groups}, progress))
    splits = make_splits(formula, data, dissimilarity, na, groups, Drawing(test_size, cv, repeats, seed))
    common = {"choose": choose, "na": na, "seed": seed, "cv": inner, "progress": False, "dissimilarity": dissimilarity,
              "calibrate": calibrate}  # fmt: skip
    results, predictions, chances = judge_all(splits, {name: {**common, **own} for name, own in specs.items()}, progress)
    call = f"compare({formula!r}, data, {list(specs)}{_arguments_in_words(beside)})"
    return Comparison(results, predictions, splits.how(), splits.design(), len(splits.frame.dropped), call, rope, chances)


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


def _check_calibration(name: str, calibrate: Any) -> None:
    """Raise unless a method is calibrated by its training rows alone, or not at all."""
    if calibrate is not False and arguments_of(calibrate)["data"] is not None:
        raise OptionError(
            f"method {name!r} is calibrated by data of its own, which may be among the rows that test: leave data out, and each training "
            "set calibrates by its own rows, fold by fold"
        )


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
    return _judge_fits(fits, new, class_codes(new[response], levels))


def _judge_fits(fits: dict[str, Fit], new: pd.DataFrame, codes: np.ndarray) -> Comparison:
    """Fits on the rows of `new` that have a class (code >= 0) and that all of them can classify."""
    predicted, seconds, chances = {}, {}, dict[str, np.ndarray]()
    for name, f in fits.items():
        start = perf_counter()
        predicted[name] = f.predict(new)
        seconds[name] = perf_counter() - start
        p = chances_of(f, new)
        if p is not None:
            chances[name] = p
    known = (codes >= 0) & np.all([series.notna() for series in predicted.values()], axis=0)
    n = int(known.sum())
    if n == 0:
        raise DataError("no row has both a known class and all predictors")
    rows = []
    for name, f in fits.items():
        wrong = int((predicted[name].cat.codes.to_numpy()[known] != codes[known]).sum())
        rows.append({"split": 0, "method": name, "n": n, "wrong": wrong, "error": wrong / n,
                     "prototypes": len(f.rule.prototypes), "size": f.rule.size, "seconds": np.nan,
                     "predict_seconds": seconds[name], "choice": choice_of(f)})  # fmt: skip
    index = pd.MultiIndex.from_product([[0], new.index[known]], names=["split", None])
    truth = pd.Categorical.from_codes(codes[known], next(iter(fits.values())).frame.levels)
    predictions = pd.DataFrame({"truth": truth, **{k: v[known].array for k, v in predicted.items()}}, index)
    how = f"{len(rows)} fits on {n} new rows"
    return Comparison(pd.DataFrame(rows), predictions, how, Design(0.0), int((~known).sum()), "compare(fits, new=data)",
                      chances={name: p[known] for name, p in chances.items()})  # fmt: skip
