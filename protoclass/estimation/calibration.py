"""Calibration of fits on held-out rows, and thresholds that are selected on the same rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..core import Array
from ..core.query import Query, Stepwise, answer
from ..core.statistics.folds import grouped, stratified
from ..core.statistics.intervals import Estimate, effective_rows, least_se
from ..core.statistics.one_se import mean_and_se
from ..core.statistics.roc import all_cuts, best_cut, decide_at, variance_of_choice
from ..core.statistics.scores import (
    LEARN,
    Conformal,
    fit_selected,
    nonconformity,
    scale_of,
)
from ..frames.schema import given_weights
from ..frames.tables import as_pandas
from ..ground.checks import is_number
from ..ground.errors import (
    DataError,
    DataWarning,
    NotAvailableError,
    OptionError,
    brief,
    shown,
    warn,
)
from ..ground.options import bar
from ..metrics.wrappers import OneOf
from .arguments import CALIBRATION, NAMES, arguments_of, check_measure, measure_losses
from .copies import coincidences
from .cross_validation import FoldPath, fold_paths, redrawn, validate
from .decisions import Calibration, FoldRule, Threshold, class_code
from .error_curve import CALIBRATED, ErrorCurve
from .fitted import AnyFit, Fitted
from .problem import Problem, is_default

MOST_PARTS = 10  # parts of the calibration rows, each of which is left out once
MOST_TUNED = 2e8  # folds x rows x candidates x grid points x repeats up to which tuning is cheap


def calibrate(
    fit: AnyFit,
    new: Any = None,
    method: str = "auto",
    cv: Any = "auto",
    seed: int | None = None,
    weights: Any = None,
    tune: Any = "auto",
) -> AnyFit:
    """Add calibrated class probabilities and conformal prediction sets to the fit.

    Without `new`, the method is refitted without each fold and scores the rows of this fold. With
    `new`, this fit scores rows that were not used to train it. The score of a class is a log
    proportion of votes, a decision value or a negative log distance, depending on the method.

    Probabilities, `predict(new, "prob")`, come from a regression of the classes on these scores.

    Prediction sets, `predict(new, "set", level=0.9)`, are class-conditional (Mondrian) conformal
    sets (Vovk 2015). A class is in the set if its conformal p-value exceeds 1 - level: the
    proportion of calibration rows of this class, the new row included, that conform to the class no
    better than the new row does. For distances, conformity is the ratio of the distance to the
    nearest other class to the distance to the class. A set may be empty or contain several classes.

    Parameters
    ----------
    new : DataFrame, optional
        Calibration rows with the response. Default: the training rows, by cross-validation.
    method : "auto", "multinomial" or "isotonic"
        Calibration method. "auto": isotonic if its held-out log loss is lower by more than one
        standard error, otherwise multinomial. "multinomial": logistic calibration with one
        intercept per class and one common slope (Platt 1999 for two classes), which is shrunken
        (van Houwelingen and le Cessie 1990). "isotonic": isotonic regression on the lead of the
        class over the others; it needs more rows.
    cv : "auto", int, "loo", Series or array of folds
        Cross-validation folds of the training rows; ignored if `new` is given. "auto" is 10, or
        fewer if a class has fewer rows.
    seed : int, optional
        Seed for the folds. Default: the seed of the fit.
    weights : column name, Series or array, optional
        Weights of the rows of `new`, as `weights=` of `fit`. Default: equal weights.
    tune : "auto", True or False
        Whether to tune parameters again without each fold, which takes one cross-validation for
        each. "auto": if there are at most 20 folds, the metric does not learn from the classes, and
        folds x rows x candidates x grid points <= 2e8.

    Returns
    -------
    Fit
        The same classifier with probabilities and sets; `predict(new)` does not change.

    Raises
    ------
    DataError
        If a class has no calibration rows, or if rows of `new` are training rows.
    OptionError
        If `cv` is None and `new` is not given.
    NotAvailableError
        If the method gives no values by class.

    Notes
    -----
    *Probabilities* are for the prevalence of the classes among the calibration rows, without
    `class_weights=` of the fit, or for another one by `predict(new, "prob", prior=...)`. They are
    never 0 or 1, because a new row counts as one more row of any class.

    *Coverage* of the sets, within each class:

    * with separate calibration rows: at least `level`;
    * with the training rows (cross-conformal, Vovk 2015): typically close to `level`; about 1 - 2
      (1 - level) is guaranteed, if the parameters were tuned again without each fold, or not tuned.

    `Fit.summary` states the guarantee for this fit.

    *Simulations.* In ten worlds, the mean difference between the default probabilities and the
    observed proportions was 0.001 to 0.063; with 60 rows it was 0.05 to 0.06 (`python
    benchmarks/calibrated.py`, recorded in `docs/validation.md`). "multinomial" assumes that the log
    odds are linear in the difference of the scores. If half of the rows are noise, this is wrong
    (0.29 was predicted, and the proportion was 0.51), and the default selects "isotonic".

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit, new = pc.fit("species ~ .", iris, eps=1.0).calibrate(), iris.iloc[[0, 70]]
    >>> fit.predict(new, "prob").round(2).to_numpy().tolist()
    [[0.99, 0.01, 0.01], [0.01, 0.35, 0.65]]
    >>> fit.predict(new, "set", level=0.95).tolist()
    [('setosa',), ('versicolor', 'virginica')]
    """
    given = locals()  # before any other name is set
    request = {
        name: given[name]
        for name in CALIBRATION
        if not is_default(name, given[name], CALIBRATION)
    }
    call = replace(fit.call, arguments={**fit.call.arguments, "calibrate": request or True})
    return calibrated(replace(fit, _problem=replace(fit._problem, call=call), _calibration=None))


def calibrated(fit: AnyFit) -> AnyFit:
    """The fit, calibrated if its call requests it and it is not calibrated yet."""
    wanted = fit.call.arguments["calibrate"]
    if wanted is False or fit._calibration is not None:
        return fit
    return replace(fit, _calibration=calibration(fit, **arguments_of(wanted)))


def calibration(
    fit: Fitted, new: Any, method: str, cv: Any, seed: int | None, weights: Any, tune: Any
) -> Calibration:
    """See `Fit.calibrate`."""
    kind = next((kind for kind in CALIBRATED if kind in fit.rule.kinds), None)
    if kind is None:
        raise NotAvailableError(
            f"a rule that predicts only {', '.join(fit.rule.kinds)} can't be calibrated, because "
            "it has no values by class"
        )
    tuned, why_not = None, ""
    if new is None:
        if weights is not None:
            raise OptionError(
                "weights= must be given with new=, because the training rows have the weights of the fit"
            )
        if cv is None:
            raise OptionError(
                "cv=None leaves no row for calibration: use a number of folds, 'loo', custom folds, or new="
            )
        problem, fold = redrawn(fit._chosen_problem, cv, seed)
        tuned, why_not = tuned_in_folds(fit, fold, tune)
        held_out = rules_of_folds(fit, problem, fold, tuned)
        values, y, w, fold, rules = _held_out(fit, kind, held_out)
    else:
        values, y, w, fold, rules = _given_rows(fit, kind, new, weights)
    empty = [shown(fit.classes[c]) for c in range(len(fit.classes)) if not (w[y == c] > 0).any()]
    if empty:
        raise DataError(f"each class needs calibration rows, but {', '.join(empty)} has none")
    scale = scale_of(kind, values)
    scores = scale.scores(values)
    chances = (
        LEARN[method](scores, y, w)
        if method in LEARN
        else fit_selected(scores, y, w, parts_of(y, fold, int(np.bincount(y).min())))
    )
    classes = len(fit.classes)
    conformal = Conformal(nonconformity(scores)[np.arange(len(y)), y], y, w, fold, classes)
    reasons = _reasons(fit, conformal, new is None, tuned is not None, why_not)
    return Calibration(
        scale,
        chances,
        conformal,
        rules,
        new is None,
        np.bincount(y, w, classes) / w.sum(),
        scores,
        reasons,
        tuned is not None,
        fit._problem.class_factors is not None,
    )


def parts_of(y: Array, fold: Array, fewest: int) -> Array:
    """Parts (n,) of calibration rows: at most ten, of several folds or within a single one."""
    fold = np.unique(fold, return_inverse=True)[1]
    if fold.max() == 0:
        return stratified(y, min(MOST_PARTS, max(fewest, 1)), 0)
    if fold.max() < MOST_PARTS:
        return fold
    return np.unique(grouped(y, fold, MOST_PARTS, 0), return_inverse=True)[1]


def _reasons(
    fit: Fitted, conformal: Conformal, own_rows: bool, tuned: bool, why_not: str
) -> tuple[str, ...]:
    """Reasons why the theory of prediction sets does not cover a calibration by these rows."""
    out = []
    if own_rows and not tuned and (fit._selection.values or fit._selection.by_hand):
        out.append(f"parameters that were tuned on the same rows{why_not and f' ({why_not})'}")
    if own_rows and fit._problem.groups is not None:
        out.append("dependence of the rows of a group")
    if any(np.ptp(conformal.w[conformal.y == c]) > 0 for c in range(conformal.classes)):
        out.append("different weights of the rows of a class")
    if own_rows and not fit._problem.train_in_folds and fit.dissimilarity.metric.data_dependent:
        out.append("a dissimilarity that was scaled by all rows")
    return tuple(out)


Held = tuple[Array, Array, Array, Array, tuple[FoldRule, ...]]


def rules_of_folds(
    fit: Fitted, problem: Problem, fold: Array, values: Sequence[Mapping[str, Any]] | None = None
) -> Iterator[tuple[Query, FoldRule]]:
    """For each fold its rows, and the rule learned without these, with `values` by fold."""
    with bar(int(fold.max()) + 1, "learning without each fold", problem.progress) as learning:
        for known in _paths(fit, problem, fold, values):
            rule, steps = known.path.at(0), fit._selection.steps
            if steps is not None and isinstance(rule, Stepwise):
                rule = rule.first(min(steps, len(next(iter(rule.steps.values()))) - 1))
            query = known.query(np.flatnonzero(fold == known.fold))
            yield query, FoldRule(rule, known.dissimilarity)
            learning.update()


def _paths(
    fit: Fitted, problem: Problem, fold: Array, values: Sequence[Mapping[str, Any]] | None
) -> Iterator[FoldPath]:
    """The path of each fold: all at once, or fold by fold if each has its parameters."""
    dissimilarity = problem.measure()
    task = problem.task(dissimilarity)
    if values is None:
        yield from fold_paths(problem, dissimilarity, task, fold, {})
    for f, chosen in enumerate(values or ()):
        untuned = replace(problem, model=fit._problem.model, to_tune=fit._problem.to_tune)
        tuned = untuned.with_values(chosen)
        if fit._problem.to_tune is not None:
            dissimilarity = tuned.measure()
            task = tuned.task(dissimilarity)
        seeded = replace(task, seed=(*task.seed, f))
        for known in fold_paths(tuned, dissimilarity, seeded, np.where(fold == f, 0, -1), {}):
            yield replace(known, fold=f)


def tuned_in_folds(
    fit: Fitted, fold: Array, tune: Any
) -> tuple[list[Mapping[str, Any]] | None, str]:
    """The parameters that are selected without each fold; or None, and the reason if any."""
    validation, selection = fit._curve, fit._selection
    if tune is False or validation is None or selection.by_hand or not selection.values:
        return None, ""
    folds, values = int(fold.max()) + 1, list[Mapping[str, Any]]()
    if tune == "auto" and not _costs_little(fit, folds):
        return None, "tune=True tunes them again in each fold, which takes long"
    with (
        bar(folds, "tuning without each fold", fit._problem.progress) as tuning,
        warnings.catch_warnings(),
    ):
        # the same rows are measured again: the user has been warned of them
        warnings.simplefilter("ignore", DataWarning)
        for f in range(folds):
            part = _without(fit, validation, np.flatnonzero(fold != f))
            if part is None:
                return None, "without a fold they are too few to tune them again"
            try:
                found = validate(part)[0]
            except DataError as error:
                if tune is True:
                    raise
                return None, f"without a fold they can't be tuned again: {error}"
            values.append(found._values(selection.rule))
            tuning.update()
    return values, ""


def _costs_little(fit: Fitted, folds: int) -> bool:
    """Whether tuning in each fold is cheap, on any machine."""
    assert fit._curve is not None
    counts = folds, *fit.dissimilarity.shape, len(fit._curve.grid), len(fit._curve._of_fold)
    return (
        folds <= 20  # tuning in each is cheap
        and not (fit._problem.train_in_folds or isinstance(fit._problem.to_tune, OneOf))
        and bool(np.prod(counts, dtype=float) <= MOST_TUNED)
    )


def _without(fit: Fitted, validation: ErrorCurve, rows: Array) -> Problem | None:
    """The problem of the fit with these rows and as many folds as they allow, if any."""
    problem = fit._problem
    frame, cv = problem.frame.take(rows), problem.cv
    groups = None if problem.groups is None else pd.factorize(problem.groups[rows])[0]
    most = int(frame.class_counts.min()) if groups is None else int(groups.max()) + 1
    if isinstance(cv, np.ndarray):
        cv = cv[rows]
        most = len(np.unique(cv))
    elif not isinstance(cv, str):
        cv = min(int(cv), most)
    metric = problem.metric if problem.train_in_folds else fit.dissimilarity.metric
    part = replace(
        problem,
        frame=frame,
        groups=groups,
        cv=cv,
        repeats=len(validation._of_fold),
        metric=metric,
        progress=False,
    )
    return part if most >= 2 else None


def _held_out(fit: Fitted, kind: str, folds: Iterable[tuple[Query, FoldRule]]) -> Held:
    """Out-of-fold values of the training rows, with weights that exclude class weights."""
    frame, w, rules = fit.frame, fit._problem.own_weights, list[FoldRule]()
    values, fold = np.empty((len(frame), len(frame.levels))), np.empty(len(frame), int)
    for query, fold_rule in folds:
        values[query.rows] = answer(fold_rule.rule, kind, query)
        fold[query.rows] = len(rules)
        rules.append(fold_rule)
    live = ~np.isnan(values).any(axis=1) & (w > 0)
    return values[live], frame.codes[live], w[live], fold[live], tuple(rules)


def _given_rows(fit: Fitted, kind: str, data: Any, weights: Any) -> Held:
    """Values of the rule of the fit for rows that were not used to train it."""
    data = as_pandas(data)
    w = given_weights(weights, data)
    codes = fit._true_codes(data, "the calibration data", "a calibration")
    fit._warn_of(fit._unseen_in(data))
    query, _, complete = fit.dissimilarity._new_query(data)
    codes, values = codes[complete], answer(fit.rule, kind, query)
    _check_new(fit, data[complete])
    known = (codes >= 0) & ~np.isnan(values).any(axis=1) & (w[complete] > 0)
    if not known.any():
        weight = "" if weights is None else ", and weight"
        raise DataError(
            f"calibration needs rows with a known class and all predictors{weight}, but there are none"
        )
    one_fold, rules = np.zeros(known.sum(), int), (FoldRule(fit.rule, fit.dissimilarity),)
    return values[known], codes[known], w[complete][known], one_fold, rules


def _check_new(fit: Fitted, data: pd.DataFrame) -> None:
    """Reject training rows, because they are nearer to the prototypes than new rows are."""
    found = coincidences(fit.frame, data, fit._told_apart)
    if found is None or not found.unlikely:
        return
    cure = "use rows that were not used for fitting, or leave new= out to use cross-validation"
    if found.sure:
        raise DataError(
            f"calibration rows must not be training rows, but {found.same.sum()} of these "
            f"{found.rows} rows were used to fit (first: {shown(data.index[found.same][0])}): {cure}"
        )
    said = (
        f"some calibration rows may be training rows, because {found.words()}; probabilities and "
    )
    warn(f"{said}sets of training rows are overconfident: {cure}", DataWarning)


def threshold(
    fit: Fitted,
    of: Any,
    measure: Any = "error",
    loss: Any = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
) -> Threshold:
    """Select a probability threshold for one class, on the held-out rows of the calibration.

    The class is predicted if its probability is at least the threshold, otherwise the most probable
    other class. The threshold between held-out probabilities with the lowest `measure` is selected;
    of equal ones, the highest.

    Parameters
    ----------
    of : class
        The class with the threshold.
    measure, loss : "error", "balanced", "ordinal", DataFrame or dict
        Error measure to minimise, or a loss matrix, as in `cross_validate`.
    sensitivity, specificity : float, optional
        Minimum sensitivity or specificity for the class, on the held-out rows; only one of them.

    Returns
    -------
    Threshold
        The threshold, for `predict(new, threshold=)` and `test(new, threshold=)`. Its
        cross-validated error refits probabilities and threshold without each fold; its apparent
        error is optimistic. The intervals of sensitivity and specificity are for new rows, and
        account for the selection of the threshold.

    Raises
    ------
    NotAvailableError
        If the fit is not calibrated.

    Notes
    -----
    With 40 rows of three worlds and 80 rows of noise, the intervals contain the true value in 0.97
    to 1.00 of 40 samples, so few rows make them wide rather than wrong (`python
    benchmarks/inference.py small`).

    Examples
    --------
    >>> import protoclass as pc
    >>> iris = pc.load_data("iris")
    >>> fit = pc.fit("species ~ .", iris.iloc[::2], eps=1.0).calibrate()
    >>> cut = fit.threshold("virginica", sensitivity=0.95)
    >>> cut  # doctest: +NORMALIZE_WHITESPACE
    Predict virginica if its probability is at least 0.3082
    Selected by: lowest error with sensitivity of at least 0.95,
    among 6 thresholds on 75 held-out rows; prevalence 0.333
    CV error 0.0933 (SE 0.0335), threshold re-selected in each of 10 folds
    Apparent error 0.0800 (optimistic); 0.0667 if the most probable class is predicted
    Sensitivity 0.920 (95 % CI 0.665 to 1.000); specificity 0.900 (95 % CI 0.732 to 1.000)
    >>> fit.test(iris.iloc[1::2], threshold=cut).tidy()["sensitivity"].round(2).tolist()
    [0.96, 0.84, 0.92]
    """
    calibration = fit._calibration
    if calibration is None:
        raise NotAvailableError(
            "a threshold needs probabilities of held-out rows: use fit.calibrate().threshold(...)"
        )
    code = class_code(of, fit.frame.levels)
    limits = {"sensitivity": sensitivity, "specificity": specificity}
    check_limits(limits)
    if loss is not None and not (isinstance(measure, str) and measure == "error"):
        raise OptionError("loss= is itself the measure of a threshold: leave out measure= or loss=")
    check_measure(measure)
    matrix, name = measure_losses(measure if loss is None else loss, fit.frame)
    chooser = Chooser(code, matrix, name == "balanced", limits)
    y, w = calibration.conformal.y, calibration.conformal.w
    fold = parts(calibration, code, fit.frame.levels)
    p = calibration.chances.of(calibration.scores)
    cuts, cut, apparent = chooser.choose(p, y, w)
    held, plain = nested(calibration, fold, chooser)
    table = pd.DataFrame(
        {
            "value": cuts.cut,
            "error": cuts.loss,
            "sensitivity": cuts.sensitivity,
            "specificity": cuts.specificity,
        }
    )
    measured = NAMES.get(name, name)
    reached = "".join(
        f" with {which} of at least {least:g}"
        for which, least in limits.items()
        if least is not None
    )
    error, se = chooser.error(held, y, w, fold)
    return Threshold(
        fit.classes[code],
        cut,
        f"lowest {measured}{reached}",
        measured,
        error,
        se,
        apparent,
        chooser.error(plain, y, w, fold)[0],
        *intervals(fit, calibration, chooser, held, fold),
        table,
        len(y),
        int(fold.max()) + 1,
        float(calibration.share[code]),
    )


def check_limits(limits: Mapping[str, float | None]) -> None:
    """Raise unless at most one proportion must be reached, which is a number above 0."""
    for name, least in limits.items():
        if least is not None and not is_number(least, 0.0, above=True, high=1.0):
            raise OptionError(f"{name} must be a number above 0, up to 1, not {brief(least)}")
    if None not in limits.values():
        raise OptionError(
            "one threshold may not reach both sensitivity= and specificity=: use one of them"
        )


@dataclass(frozen=True, eq=False)
class Chooser:
    """Criterion for the threshold of class `code`: losses, and proportions that it must reach."""

    code: int
    losses: Array
    balanced: bool
    limits: Mapping[str, float | None]

    def weights(self, y: Array, w: Array) -> Array:
        """Weights of the rows in the measure."""
        total = np.bincount(y, w)
        return w / np.where(total > 0, total, 1.0)[y] if self.balanced else w

    def choose(self, p: Array, y: Array, w: Array) -> tuple[Any, float, float]:
        """All thresholds, the selected one, and its measure on these rows."""
        above = self.losses[y, self.code]
        below = self.losses[y, decide_at(p, self.code, np.inf)]
        cuts = all_cuts(p[:, self.code], above, below, y == self.code, w, self.weights(y, w))
        at = best_cut(cuts, **self.limits)
        return cuts, float(cuts.cut[at]), float(cuts.loss[at])

    def error(
        self, predicted: Array, y: Array, w: Array, fold: Array
    ) -> tuple[float, float]:
        """The measure of predictions, and its standard error over folds."""
        weight = self.weights(y, w)
        total = np.bincount(fold, weight)
        of_fold = np.bincount(fold, weight * self.losses[y, predicted]) / total
        mean, se = mean_and_se(
            of_fold[:, None], total, least_se(weight, self.losses.max(axis=1)[y])
        )
        return float(mean[0]), float(se[0])


def parts(calibration: Calibration, code: int, levels: pd.Index) -> Array:
    """For each calibration row the part (n,) without which the threshold is re-selected."""
    y = calibration.conformal.y
    own = y == code
    fold = parts_of(y, calibration.conformal.fold, int(min(own.sum(), (~own).sum())))
    for side, name in (
        (own, shown(levels[code])),
        (~own, f"the classes other than {shown(levels[code])}"),
    ):
        if len(np.unique(fold[side])) < 2:
            raise DataError(
                f"the calibration rows of {name} are all in one fold, so a threshold can't be "
                "evaluated: use more folds or more rows"
            )
    return fold


def nested(
    calibration: Calibration, fold: Array, chooser: Chooser
) -> tuple[Array, Array]:
    """Classes of calibration rows by a threshold, and without one, refitted without their part."""
    scores, y, w = calibration.scores, calibration.conformal.y, calibration.conformal.w
    held, plain = np.empty(len(y), int), np.empty(len(y), int)
    for f in range(fold.max() + 1):
        out = fold == f
        chances = LEARN[calibration.chances.name](scores[~out], y[~out], w[~out])
        _, cut, _ = chooser.choose(chances.of(scores[~out]), y[~out], w[~out])
        p = chances.of(scores[out])
        held[out], plain[out] = decide_at(p, chooser.code, cut), p.argmax(axis=1)
    return held, plain


def intervals(
    fit: Fitted, calibration: Calibration, chooser: Chooser, held: Array, fold: Array
) -> tuple[Estimate, Estimate]:
    """Sensitivity and specificity of held-out decisions, with 95 % intervals for new rows.

    The middle of the interval, and the lowest variance of a proportion, are those with two more
    rows on either side (Agresti and Coull 1998), because a proportion of few rows near 0 or 1 shows
    too little variance. The variance is that of `variance_of_choice`, which accounts for the
    selection of the threshold, with Student's quantile. If the calibration rows are the training
    rows, K rules that scored them share training rows. Then the variance of a proportion of
    independent rows is added, times K / (K - 1) (Nadeau and Bengio 2003).

    In 48 cases of 100 and 400 rows, with 30 samples each, Wilson's interval for the actual number
    of rows contains the true proportion for the selected threshold in 0.63 to 1.00 (mean 0.84),
    this interval in 0.93 to 1.00 (mean 0.98): `python benchmarks/inference.py threshold
    --replicates 30`.
    """
    from scipy.stats import t  # 0.4 s that most fits do without

    scores, y, w = calibration.scores, calibration.conformal.y, calibration.conformal.w
    code, own, w = chooser.code, y == chooser.code, w / (w.max(initial=0.0) or 1.0)
    p = calibration.chances.of(scores)
    change = chooser.losses[y, code] - chooser.losses[y, decide_at(p, code, np.inf)]
    grouped_rows = calibration.own_rows and fit._problem.groups is not None
    unit = calibration.conformal.fold if grouped_rows else np.arange(len(y))
    variances = variance_of_choice(
        (fold, np.unique(-p[:, code], return_inverse=True)[1]),
        change,
        own,
        w,
        lambda v: chooser.weights(y, v),
        unit,
        (chooser.limits["sensitivity"], chooser.limits["specificity"]),
        200,  # bootstrap samples of the calibration rows
        np.random.default_rng(fit._problem.seed),
    )
    folds = len(calibration.rules)
    shared = folds / (folds - 1) if calibration.own_rows else 0.0
    out = []
    for rows, variance in zip((own, ~own), variances, strict=True):
        right, weight = (held[rows] == code) == own[rows], w[rows]
        share, count = float(weight @ right / weight.sum()), effective_rows(weight)
        middle = (share * count + 2) / (count + 4)
        alone = middle * (1 - middle) / (count + 4)
        se = float(np.sqrt(max(variance, alone) + shared * alone))
        half = float(t.ppf(0.975, max(count - 1, 1.0))) * se
        out.append(Estimate(share, max(0.0, middle - half), min(1.0, middle + half)))
    return out[0], out[1]
