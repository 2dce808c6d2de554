"""From a call of `fit` or `cross_validate` to the result: a fit, or an error curve."""

from __future__ import annotations

from dataclasses import replace

from ..core.query import RulePath
from ..ground.errors import DataWarning, OptionError, warn
from .calibration import arguments_of, calibrated
from .copies import copied
from .cross_validation import validate
from .error_curve import ErrorCurve, Selection, costs_twice, values_at, worse_than_one_class
from .fitted import AnyFit
from .problem import DEFAULTS, Call, counted, is_default, prepare, refuse_budget


def fit_call(call: Call, kind: type[AnyFit]) -> AnyFit:
    """The fit of a call, of this class, with parameters tuned and probabilities calibrated if the call requires it."""
    problem, given = prepare(call), {**DEFAULTS, **call.arguments}
    if given["calibrate"] is not False:
        arguments_of(given["calibrate"])
    tuned = problem.tuned()
    if tuned and problem.cv is None:
        raise OptionError(f"tuning {tuned[0]} needs folds, but cv=None: use one value for {tuned[0]}=, or cv=10")
    if problem.cv is None or (problem.cv_is_auto and not tuned):
        return calibrated(_without_choice(kind.learn(problem, Selection())))
    validation, trial, answers = validate(problem)
    problem, point = validation.problem, validation.chosen_by_call()
    selection = Selection(validation.grid, values_at(validation.grid, point), point, problem.call.choose)
    known = None
    if not problem.metric_axes:  # otherwise each metric has its own
        path, place = answers.rules[point] if answers.rules else (None, 0)
        known = trial.dissimilarity, trial.task, path and path.at(place)
    del answers  # has arrays of rows x grid points, of which the curve keeps those that it needs
    fit = calibrated(kind.learn(problem, selection, validation, known))
    worse = worse_than_one_class(validation, point, fit.rule.kinds, fit.calibration is not None)
    _warn_of(copied(problem, validation.of_fold), worse, costs_twice(validation))
    return fit


def _without_choice(fit: AnyFit) -> AnyFit:
    """A fit without cross-validation; raises if arguments need one, or if it has more prototypes than the call allows."""
    problem = fit.problem
    for name in ("measure", "repeats", "loss", "tolerance"):
        value = problem.call.arguments.get(name, DEFAULTS[name])
        if not is_default(name, value) and not (name == "repeats" and value == 1):
            cure = ", or loss= in predict of a calibrated fit" if name == "loss" else ""
            raise OptionError(f"{name}= needs cross-validation, but nothing is cross-validated: use cv=10 as well{cure}")
    if problem.budget is not None:
        count = counted(RulePath((fit.rule,)), problem.model, len(fit.classes))[0]
        if count > problem.budget:
            raise refuse_budget(problem, count, "the rule, which is not tuned, has")
    return fit


def cross_validate_call(call: Call) -> ErrorCurve:
    """The error curve of a call of `cross_validate`."""
    problem = prepare(call)
    if problem.cv is None:
        raise OptionError("cross-validation needs folds, but cv=None: use a number of folds, 'loo' or custom folds")
    validation = validate(problem)[0]
    problem, worse = validation.problem, worse_than_one_class(validation, validation.chosen_by_call())
    _warn_of(copied(problem, validation.of_fold), worse, costs_twice(validation))
    if not problem.cv_is_auto:
        return validation
    # a fit of its point that is updated is cross-validated again, although nothing may be left to tune
    call = replace(problem.call, arguments={**problem.call.arguments, "cv": int(validation.of_fold.max()) + 1})
    return replace(validation, problem=replace(problem, call=call))


def _warn_of(*sentences: str) -> None:
    """A warning for each sentence that is not empty."""
    for said in filter(None, sentences):
        warn(said, DataWarning)
