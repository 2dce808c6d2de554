"""From a call of `fit` or `cross_validate` to the result: a `Fitted`, or an `ErrorCurve`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ..core.query import Rule, RulePath
from ..core.task import Task
from ..ground.errors import DataWarning, OptionError, shown, warn
from ..ground.options import SAME, bar, fixed
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.measuring import texts_as_wholes
from .calibration import READ, arguments_of, calibrated
from .copies import copied
from .cross_validation import check_choose, validate
from .error_curve import ErrorCurve
from .fitted import Fitted
from .problem import (
    DEFAULTS,
    HOLD_LIMIT,
    Call,
    Problem,
    check_rows_needed,
    counted,
    is_default,
    prepare,
    refuse_budget,
)
from .selection import Selection, requested_measure, values_at

WORSE = "worse than no information"  # in every such warning, and by which it is recognised
TWICE = (
    "the CV loss counts costs twice, by class_weights= and by loss=: leave class_weights= out, and use the loss for decisions, "
    "calibrate=True and predict(new, loss=)"
)


def fit_call(call: Call) -> Fitted:
    """The fit of a call, with parameters tuned and probabilities calibrated if the call requires it."""
    problem, given = prepare(call), {**DEFAULTS, **call.arguments}
    check_choose(given, problem.model)
    if given["calibrate"] is not False:
        arguments_of(given["calibrate"])
    tuned = problem.tuned()
    if tuned and problem.cv is None:
        raise OptionError(f"tuning {tuned[0]} needs folds, but cv=None: use one value for {tuned[0]}=, or cv=10")
    if problem.cv is None or (problem.cv_is_auto and not tuned):
        _check_nothing_to_measure(call)
        return calibrated(_within_budget(learn(problem, Selection())))
    validation, trial, held = validate(problem, requested_measure(given["measure"], given["loss"]), given["repeats"])
    problem, point = validation.problem, validation.chosen_by_call()
    selection = Selection(validation.grid, values_at(validation.grid, point), point, problem.call.choose)
    shared = () if problem.metric_axes else (trial.dissimilarity, trial.task, held.rule(point))  # each metric has its own
    del held  # has arrays of rows x grid points, of which the curve keeps those that it needs
    out = calibrated(learn(problem, selection, validation, *shared))
    worse = worse_than_one_class(validation, point, out.rule.kinds, out.calibration is not None)
    _warn_of(copied(validation), worse, costs_twice(validation))
    return out


def _within_budget(fit: Fitted) -> Fitted:
    """A fit of which nothing was chosen, unless it has more prototypes than the call allows."""
    problem = fit.problem
    if problem.budget is not None:
        count = counted(RulePath((fit.rule,)), problem.model, len(fit.classes))[0]
        if count > problem.budget:
            raise refuse_budget(problem, count, "the rule, which is not tuned, has")
    return fit


def _check_nothing_to_measure(call: Call) -> None:
    for name in ("measure", "repeats", "loss", "tolerance"):
        value = call.arguments.get(name, DEFAULTS[name])
        if not is_default(name, value) and not (name == "repeats" and value == 1):
            cure = ", or loss= in predict of a calibrated fit" if name == "loss" else ""
            raise OptionError(f"{name}= needs cross-validation, but nothing is cross-validated: use cv=10 as well{cure}")


def cross_validate_call(call: Call) -> ErrorCurve:
    """The error curve of a call of `cross_validate`."""
    problem, given = prepare(call), {**DEFAULTS, **call.arguments}
    if problem.cv is None:
        raise OptionError("cross-validation needs folds, but cv=None: use a number of folds, 'loo' or custom folds")
    check_choose(given, problem.model)
    validation = validate(problem, requested_measure(given["measure"], given["loss"]), given["repeats"])[0]
    _warn_of(copied(validation), worse_than_one_class(validation, validation.chosen_by_call()), costs_twice(validation))
    if not problem.cv_is_auto:
        return validation
    # a fit of its point that is updated is cross-validated again, although nothing may be left to tune
    call = replace(problem.call, arguments={**problem.call.arguments, "cv": int(validation.of_fold.max()) + 1})
    return replace(validation, problem=replace(problem, call=call))


def learn(
    problem: Problem,
    selection: Selection,
    validation: ErrorCurve | None = None,
    dissimilarity: Dissimilarity | None = None,
    task: Task | None = None,
    rule: Rule | None = None,
) -> Fitted:
    """The method on all rows with the parameters of a selection: every fit is made here, or derived from one that was.

    What cross-validation has measured or learned on all rows already can be given.
    """
    own = problem.with_values(selection.values).metric
    if own is not problem.metric:
        problem, dissimilarity, task = replace(problem, metric=own), None, None
    if rule is None or dissimilarity is None:
        model = replace(problem.model, **problem.of_method(selection.values))
        with bar(None, "fitting", problem.progress) as fitting:
            dissimilarity = problem.measure() if dissimilarity is None else dissimilarity
            task = problem.task(dissimilarity, limit=HOLD_LIMIT) if task is None else task
            check_rows_needed(replace(problem, model=model), np.bincount(task.y[task.w > 0], minlength=task.classes), {})
            rule = model.path(replace(task, tick=fitting.update), {}).at(0)
    kind = Fitted if validation is None or validation.fits is None else validation.fits
    return kind(problem, dissimilarity, rule, validation, selection)


def worse_than_one_class(
    validation: ErrorCurve, point: int, kinds: Collection[str] = (), is_calibrated: bool = False, corrected: float | None = None
) -> str:
    """Warning if always predicting one class has a lower cross-validated error than a grid point, with a cure; "" otherwise.

    Parameters
    ----------
    validation : ErrorCurve
    point : int
        Row of the point in the table.
    kinds : collection of str
        Kinds of prediction of the point's rule, if known. A rule with values by class can be calibrated. Its decisions by
        probabilities are then no worse than one class, except for sampling error, because the probabilities are the proportions of
        the classes if its values contain no information.
    is_calibrated : bool
    corrected : float, optional
        Corrected error of the point: it counts if the error itself is not above the error of one class.
    """
    errors, none, name = validation.choice.error, validation.no_information, validation.measure_name
    error, which = errors[point], f"CV {name}"
    if corrected is not None and error <= none + SAME:
        error, which = corrected, f"corrected {name}"
    if not error > none + SAME:
        return ""
    constant = validation.problem.frame.levels[int(np.argmin(validation.losses_of_one_class))]
    head = f"{which} {fixed(error)}, {WORSE}: always predicting {shown(constant)} has {fixed(none)}"
    texts = texts_as_wholes(validation.problem.frame, validation.problem.metric)
    if texts:
        return f"{head}; {texts}"
    if set(READ) & set(kinds):
        argument = "loss=" if validation.measure in ("loss", "ordinal") else "prior="
        head += f"; {'' if is_calibrated else 'calibrate=True and '}predict(new, {argument}), which decides by probabilities"
    return f"{head}; validation.permutation_test() shows whether the predictors are related to the classes"


def costs_twice(validation: ErrorCurve) -> str:
    """That weights of classes and a loss are both in the cross-validated loss; empty if they are not."""
    return "" if validation.problem.class_factors is None or validation.measure != "loss" else TWICE


def _warn_of(*sentences: str) -> None:
    """A warning for each sentence that is not empty."""
    for said in filter(None, sentences):
        warn(said, DataWarning)
