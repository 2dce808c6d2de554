"""The arguments of `fit` and `cross_validate`, and the problem that they make: the checks that need
no data, then the meaning of candidates, folds, tolerances, budgets, measures, class weights and
calibrations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.statistics.scores import LEARN
from ..frames.frame import Frame, mold
from ..frames.schema import group_codes, labels_along
from ..frames.tables import as_pandas, read_for, unshared
from ..ground.checks import (
    MOST_RUNS,
    check_progress,
    check_seed,
    either,
    hint_for_value,
    is_number,
    one_of,
    whole_number,
)
from ..ground.errors import DataError, FormulaError, OptionError, brief, shown
from ..ground.foreign_names import ELSEWHERE
from ..metrics.base import Metric
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import Candidates, resolve, tried, warn_of_values, with_predictors
from ..metrics.wrappers import OneOf, list_tuned, one_of_metrics, retuned
from ..models.base import Model
from ..models.registry import methods_with
from ..models.registry import model as find_model
from .problem import DEFAULTS, Call, Problem, choose_candidates, learned_metric

UNSHARED = ("weights", "groups", "cv", "class_weights")  # arguments that are copied


def prepare(call: Call) -> Problem:
    """The problem of a call: its arguments are checked first, then the rows are read."""
    if not isinstance(call.formula, str):
        raise FormulaError(
            f"a formula must be text such as 'y ~ .', not {type(call.formula).__name__}: {ELSEWHERE['X']}"
        )
    model = find_model(call.arguments["method"], call.parameters, beside=DEFAULTS)
    drawn = is_drawn(call.arguments["cv"])
    check_arguments(call.arguments, model)

    call, data, frame, folds, groups = _read_rows(call, drawn)
    options = call.arguments
    frame, factors = weigh_classes(frame, options["class_weights"])
    budget = budget_of(options["max_prototypes"], model, len(frame.levels))
    model = model if budget is None else model.within(budget)
    loss, loss_name = measure_losses(options["measure"], frame)

    spec, to_tune, candidates = options["dissimilarity"], None, options["candidates"]
    random = drawn and folds != "loo" and groups is None and not isinstance(candidates, Candidates)
    if isinstance(spec, str) and spec == "auto" and model.redraws and random:
        spec = tried(frame)
    spec = one_of_metrics(spec)
    if list_tuned(spec):
        to_tune = retuned(spec, _list_values, frame)
        spec = retuned(to_tune, lambda metric, name, _: metric.tuned()[name][0], frame)
    metric = resolve(spec, frame, data)
    warn_of_values(frame, metric)
    if isinstance(spec, Dissimilarity):
        frame = with_predictors(frame, spec, data)
    metric = metric.pretrain(frame) if metric.train_in_folds else metric
    model = model.suited(metric, frame, folds is not None and to_tune is None)
    if isinstance(candidates, str) and candidates == "auto":
        candidates = choose_candidates(model, metric, frame)
    return Problem(
        call=call,
        frame=frame,
        model=model,
        metric=learned_metric(model, metric, frame),
        groups=groups,
        cv=folds,
        repeats=options["repeats"],
        loss_name=loss_name,
        loss=loss,
        seed=int(options["seed"]),
        progress=options["progress"],
        candidates=candidates,
        class_factors=factors,
        budget=budget,
        to_tune=to_tune,
    )


def _read_rows(call: Call, drawn: bool) -> tuple[Call, pd.DataFrame, Frame, Any, Array | None]:
    """The call with copies of its tables, the data, the frame of the rows that take part, and their
    folds, as given if they are to be drawn, and groups.
    """
    copies = {name: unshared(call.arguments[name]) for name in UNSHARED}
    options = {**call.arguments, **copies}
    aside = {name: options[name] for name in ("weights", "groups")}
    table = read_for(unshared(call.data), call.formula, aside)  # a file is read once
    data, folds = as_pandas(table), options["cv"]
    folds = folds if drawn else labels_along(folds, data, "cv folds").to_numpy()
    columns = (options["groups"],) if drawn else (options["groups"], folds)
    frame = mold(call.formula, data, na=options["na"], weights=options["weights"], aside=columns)
    rows, groups = data.index.get_indexer(frame.index), group_codes(options["groups"], data)
    return (
        replace(call, data=table, arguments=options),
        data,
        frame,
        folds if drawn else folds[rows],
        None if groups is None else pd.factorize(groups[rows])[0],
    )


def _list_values(metric: Metric, name: str, frame: Frame) -> list[Any]:
    """The values to try for a parameter, ascending."""
    values = metric.tuned()[name]
    if isinstance(metric, OneOf):
        return list(values)
    return sorted(set(metric.default_grid(name, frame) if isinstance(values, str) else values))


def check_arguments(options: Mapping[str, Any], model: Model) -> None:
    """Check all arguments of a call as far as they do not depend on the data."""
    check_candidates(options["candidates"], model)
    if options["calibrate"] is not False:
        arguments_of(options["calibrate"])
    check_measure(options["measure"], ERRORS + SCORED)

    choose, tolerance = options["choose"], options["tolerance"]
    one_of("choose", choose, ("auto", "1se", "min", "bound"))
    if choose == "bound" and not model.can.grid_bounds:
        raise OptionError(
            f"choose='bound' needs a bound over the grid, which method {model.name!r} does not "
            f"have: use {methods_with('grid_bounds')}"
        )
    if tolerance is not None and choose != "auto":
        raise OptionError(
            f"tolerance={brief(tolerance)} is itself a rule of selection, beside choose={choose!r}: leave out one"
        )
    if tolerance is not None and not is_number(read_tolerance(tolerance)[0], 0):
        raise OptionError(
            "tolerance must be a number >= 0 in the unit of the measure, such as 0.02, or a "
            f"percentage of the lowest error, such as '5%', not {brief(tolerance)}"
        )

    budget = options["max_prototypes"]
    if budget is not None and not model.can.counted:
        raise OptionError(
            f"max_prototypes={brief(budget)} needs a number of prototypes to select, but method "
            f"{model.name!r} has none: use {methods_with('counted')}"
        )
    if budget is not None and not is_number(budget, 1, integral=True):
        raise OptionError(f"max_prototypes must be a whole number >= 1, not {brief(budget)}")

    factors = options["class_weights"]
    if isinstance(factors, (Mapping, pd.Series)):
        for name, value in factors.items():
            if not is_number(value, 0.0, above=True):
                raise OptionError(
                    f"class_weights[{shown(name)}] must be a number > 0, not {brief(value)}: to "
                    "leave out a class, remove its rows from the data"
                )
    for name in ("weights", "class_weights"):
        if options[name] is not None and not model.can.weights:
            raise OptionError(
                f"{name}= needs a method with weights, which {model.name!r} does not have: use "
                f"{methods_with('weights')}"
            )

    repeats = options["repeats"]
    if not (isinstance(repeats, str) and repeats == "auto"):
        whole_number("repeats", repeats, 1, MOST_RUNS)
    check_seed(options["seed"])
    check_progress(options["progress"])


# candidates=


def check_candidates(candidates: Any, model: Model) -> None:
    """Raise unless `candidates=` is one of the kinds allowed, and one that the method can use."""
    number = isinstance(candidates, (int, np.integer)) and not isinstance(candidates, bool)
    named = isinstance(candidates, str) and candidates in ("auto", "train", "same_class")
    if not (named or isinstance(candidates, Candidates) or (number and candidates >= 1)):
        raise OptionError(
            "candidates must be 'auto', 'train', 'same_class', a number of rows >= 1, or "
            "pc.candidates.unlabelled(data), kmeans(K) or hull(n), "
            f"not {brief(candidates)}"
        )
    # a method that takes points of any kind also takes the rows of each class alone
    kind = "subset" if number else "unlabelled"
    by_default = named and candidates != "same_class"
    if not by_default and kind not in model.can.candidates:
        rows = " or a number of them" if "subset" in model.can.candidates else ""
        raise OptionError(
            f"method {model.name!r} needs the training rows as candidates, not "
            f"{brief(candidates)}: use candidates='train'{rows}"
        )


# cv=


def is_drawn(cv: Any) -> bool:
    """Whether `cv=` is a number of folds to draw, and not the fold of each row."""
    if hasattr(cv, "split") and not isinstance(cv, (str, pd.Series, pd.Index)):  # scikit-learn's
        raise OptionError(
            f"cv must be the number of folds, cv=10, or the fold of each row as a Series or array, not {brief(cv)}"
        )
    return cv is None or isinstance(cv, (str, int, float, np.number))


def own_folds(cv: Any, data: pd.DataFrame, rows: pd.Index) -> Array:
    """Folds of one's own (n,) for some rows of the data, by their labels."""
    return labels_along(cv, data, "cv folds").to_numpy()[data.index.get_indexer(rows)]


# tolerance= and max_prototypes=


def read_tolerance(tolerance: Any) -> tuple[Any, bool]:
    """A tolerance without its unit, and whether it is a proportion of the lowest error, as in
    "5%".
    """
    relative = isinstance(tolerance, str) and tolerance.endswith("%")
    try:
        return (float(tolerance[:-1]) / 100 if relative else tolerance), relative
    except ValueError:
        return tolerance, relative


def budget_of(budget: Any, model: Model, classes: int) -> int | None:
    """The maximum number of prototypes by `max_prototypes=`, if it allows one for each class."""
    if budget is None:
        return None
    if model.can.counted != "features" and budget < classes:
        raise OptionError(
            f"max_prototypes must be at least {classes}, one prototype for each class, not "
            f"{budget}: use more, or leave classes out of the data"
        )
    return int(budget)


# measure= and loss=

ERRORS = ("error", "balanced", "ordinal")  # measures of predicted classes
SCORED = ("auc", "brier", "log_loss")  # measures of values for each class
NAMES: Mapping[str, str] = {  # the measures in words
    "balanced": "balanced error", "ordinal": "ordinal error", "auc": "1 - AUC",
    "brier": "Brier score", "log_loss": "log loss",
}  # fmt: skip


def check_measure(measure: Any, named: tuple[str, ...] = ERRORS) -> None:
    """Raise unless `measure=` is one of these names, a loss matrix, or the costs of classes."""
    if not (
        isinstance(measure, (pd.DataFrame, Mapping))
        or (isinstance(measure, str) and measure in named)
    ):
        hint = hint_for_value("measure", measure, named)
        raise OptionError(
            f"measure must be {either(named)}, a loss matrix as a DataFrame, or the cost of an "
            f"error in a class, such as {{'ill': 5}}, not {brief(measure)}{hint and ': '}{hint}"
        )


def measure_losses(measure: Any, frame: Frame) -> tuple[Array, str]:
    """Loss (classes, classes) of predicting column j for class i, and the name of the measure."""
    if not isinstance(measure, str):
        return loss_matrix(measure, frame.levels), "loss"
    if measure != "ordinal":
        return 1.0 - np.eye(len(frame.levels)), measure
    if frame.response is None or not frame.response.ordered:
        name = frame.formula.response
        raise OptionError(
            f"measure='ordinal' needs an ordered response, but {shown(name)} has no order: use data[{name!r}] = "
            f"pd.Categorical(data[{name!r}], categories=[...], ordered=True)"
        )
    codes = np.arange(len(frame.levels))
    return np.abs(np.subtract.outer(codes, codes)).astype(float), measure


def loss_matrix(loss: Any, levels: pd.Index) -> Array:
    """Loss (classes, classes) of predicting column j for class i; 0-1 loss if none is given.

    For two classes it may map a class to the cost of an error in it; the other cost is 1.
    """
    L = len(levels)
    if loss is None:
        return 1.0 - np.eye(L)
    if isinstance(loss, Mapping):
        if L != 2 or len(loss) not in (1, 2) or not set(loss) <= set(levels):
            raise OptionError(
                f"costs {brief(dict(loss))} need two classes, one or both of them as keys, but the "
                f"classes are {list(levels)}: use a loss matrix as a DataFrame"
            )
        costs = [loss.get(level, 1.0) for level in levels]
        loss = pd.DataFrame([[0.0, costs[0]], [costs[1], 0.0]], levels, levels)
    if not isinstance(loss, pd.DataFrame):
        raise OptionError(
            "loss must be a DataFrame with true classes as rows and predicted ones as columns, or "
            f"{{'ill': 5}} for two classes, not {brief(loss)}"
        )
    if set(loss.index) != set(levels) or set(loss.columns) != set(levels) or loss.shape != (L, L):
        raise OptionError(
            f"a loss matrix needs one row (truth) and one column (predicted) for each class: {list(levels)}"
        )
    try:
        values = loss.loc[levels, levels].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError, OverflowError):
        raise OptionError("a loss matrix must contain numbers") from None
    if (
        not (np.isfinite(values) & (values >= 0)).all()
        or values.diagonal().any()
        or not values.any()
    ):
        raise OptionError("losses must be finite and >= 0, 0 on the diagonal and somewhere > 0")
    return values


# class_weights=


def weigh_classes(frame: Frame, class_weights: Any) -> tuple[Frame, Array | None]:
    """The frame with weights times the factors of the classes, and these factors (classes,)."""
    if class_weights is None:
        return frame, None
    factors = class_factors(frame, class_weights)
    with np.errstate(over="ignore", under="ignore"):
        weights = frame.weights * factors[frame.codes]
        total = weights.sum()
    if not np.isfinite(total) or not weights[frame.weights > 0].all():
        raise DataError(
            f"class_weights={brief(class_weights)} times the weights of the rows overflows or is "
            "about 0: use factors nearer to 1"
        )
    return replace(frame, weights=weights), factors


def class_factors(frame: Frame, class_weights: Any) -> Array:
    """The factor of each class (classes,).

    Parameters
    ----------
    frame : Frame
        Frame in which every class has rows with weight.
    class_weights : "balanced", or mapping of class to number > 0
        Balanced: all classes weigh the same, and the sum of all weights is unchanged. In a mapping,
        classes that are not named have the factor 1.

    Examples
    --------
    >>> from protoclass.frames.frame import mold
    >>> frame = mold("y ~ a", pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": ["ill", "well", "well"]}))
    >>> class_factors(frame, "balanced").tolist(), class_factors(frame, {"ill": 5}).tolist()
    ([1.5, 0.75], [5.0, 1.0])
    """
    levels = frame.levels
    if isinstance(class_weights, str) and class_weights == "balanced":
        of_class = np.array([fsum(frame.weights[frame.codes == c]) for c in range(len(levels))])
        return fsum(frame.weights) / (len(levels) * of_class)
    if not isinstance(class_weights, (Mapping, pd.Series)):
        raise OptionError(
            "class_weights must be 'balanced', or a dict or Series of factors by class, such as "
            f"{{{levels[0]!r}: 5}}, not {brief(class_weights)}"
        )
    factors = dict(class_weights)
    if len(factors) < len(class_weights):
        raise OptionError("class_weights names a class twice: give each class one factor")
    strange = [name for name in factors if name not in levels]
    if strange or not factors:
        named = f"{shown(strange[0])} is not a class" if strange else "no class is named"
        raise OptionError(
            f"class_weights must have classes as keys ({', '.join(map(shown, levels))}), but {named}"
        )
    return np.array([float(factors.get(level, 1.0)) for level in levels])


# calibrate=

CALIBRATION: Mapping[str, Any] = {  # the defaults of `Fit.calibrate`
    "new": None, "method": "auto", "cv": "auto", "seed": None, "weights": None, "tune": "auto",
}  # fmt: skip


def arguments_of(calibrate: Any) -> dict[str, Any]:
    """The arguments of `Fit.calibrate` by `calibrate=` of a call: True, a name, or a mapping."""
    methods = ("auto", *LEARN)
    given = {"method": calibrate} if isinstance(calibrate, str) else calibrate
    given = {} if given is True else given
    if not isinstance(given, Mapping) or set(given) - set(CALIBRATION):
        raise OptionError(
            f"calibrate must be True, False, {', '.join(map(repr, methods))} or a dict of "
            f"{list(CALIBRATION)}, not {brief(calibrate)}"
        )
    arguments = {**CALIBRATION, **given}
    one_of("method", arguments["method"], methods, "calibration")
    one_of("tune", arguments["tune"], ("auto", True, False))
    return arguments
