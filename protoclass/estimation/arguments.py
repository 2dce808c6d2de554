"""The single arguments of `fit`: their defaults, the checks that need no data, and the meaning of
candidates, folds, tolerances, budgets, measures, class weights and calibrations.
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
from ..frames.frame import Frame
from ..frames.schema import labels_along
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
from ..ground.errors import DataError, OptionError, brief, shown
from ..metrics.measuring import Candidates
from ..models.base import Model
from ..models.registry import methods_with

DEFAULTS: Mapping[str, Any] = {  # in the order in which a call prints them
    "method": "pvm", "dissimilarity": "auto", "candidates": "auto", "cv": "auto",
    "choose": "auto", "na": "drop", "weights": None, "groups": None, "seed": 0, "progress": None,
    "measure": "error", "repeats": "auto", "calibrate": False, "class_weights": None,
    "max_prototypes": None, "tolerance": None,
}  # fmt: skip


def is_default(name: str, value: Any, defaults: Mapping[str, Any] = DEFAULTS) -> bool:
    """Whether an argument has its default value, so that a call need not show it."""
    return (
        name in defaults and type(value) is type(defaults[name]) and bool(value == defaults[name])
    )


def check_arguments(options: Mapping[str, Any], model: Model) -> None:
    """Check all arguments of a call as far as they do not depend on the data."""
    is_drawn(options["cv"])  # raises for a splitter of scikit-learn
    check_candidates(options["candidates"], model)
    check_measure(options["measure"])

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

    if options["calibrate"] is not False:
        arguments_of(options["calibrate"])
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
            "candidates must be 'auto', 'train', 'same_class', a number of rows, or "
            "pc.candidates.unlabelled(data), kmeans(K) or hull(n), "
            f"not {brief(candidates)}"
        )
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
    if hasattr(cv, "split") and not isinstance(cv, (str, pd.Series, pd.Index)):  # of scikit-learn
        raise OptionError(
            f"cv must be the number of folds, cv=10, or the fold of each row as a Series or array, not {brief(cv)}"
        )
    return cv is None or isinstance(cv, (str, int, float, np.number))


def own_folds(cv: Any, data: pd.DataFrame) -> Any:
    """`cv=` as given; folds of one's own as an array with the fold of each row of the data."""
    return cv if is_drawn(cv) else labels_along(cv, data, "cv folds").to_numpy()


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

NAMED = ("error", "balanced", "ordinal")  # measures with a name


def check_measure(measure: Any) -> None:
    """Raise unless `measure=` is the name of an error, a loss matrix, or the costs of classes."""
    if not (
        isinstance(measure, (pd.DataFrame, Mapping))
        or (isinstance(measure, str) and measure in NAMED)
    ):
        hint = hint_for_value("measure", measure, NAMED)
        raise OptionError(
            f"measure must be {either(NAMED)}, a loss matrix as a DataFrame, or the cost of an "
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
        if any(pd.api.types.is_complex_dtype(t) for t in loss.dtypes):
            raise TypeError
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
