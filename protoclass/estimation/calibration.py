"""Calibrated fits: probabilities from the values of a rule on held-out rows, and decisions and prediction sets from these."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.query import Query, Rule, Stepwise, answer
from ..core.statistics.folds import grouped, stratified
from ..core.statistics.scores import (
    LEARN,
    Chances,
    Conformal,
    Scale,
    fit_selected,
    nonconformity,
    rows_of_classes,
    scale_of,
    under_prior,
)
from ..core.task import Task
from ..frames.schema import given_weights
from ..frames.tables import as_pandas
from ..ground.checks import check_level, is_number, one_of
from ..ground.errors import DataError, DataWarning, NotAvailable, OptionError, brief, printed, short, shown, warn
from ..ground.progress import bar
from ..ground.savable import savable
from ..metrics.dissimilarity import Dissimilarity
from ..metrics.wrappers import OneOf
from ..values import public
from .coincidence import coincidences
from .problem import Problem, lost_levels, with_folds
from .selection import FoldPath, draw_folds, fold_paths, loss_matrix, values_at

if TYPE_CHECKING:
    from .fitted import AnyFit, Fitted

LEVEL = 0.9  # of prediction sets
READ = ("prob", "decision", "distance")  # values of a rule that are calibrated: the first that it has
HOW = ("auto", *LEARN)
MOST_PARTS = 10  # of the calibration rows, without which probabilities are learned again
MOST_FOLDS_TUNED = 20  # folds up to which tuning in each is cheap
MOST_TUNED = 2e8  # and folds x rows x candidates x grid points x repeats


@savable
@dataclass(frozen=True, eq=False)
class FoldRule:
    """A rule that scored calibration rows.

    Attributes
    ----------
    rule : Rule
    dissimilarity : Dissimilarity
        By which new rows are measured for it.
    """

    rule: Rule
    dissimilarity: Dissimilarity

    __repr__ = short


@savable(scores="n L", share="L")
@public
@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibrated probabilities and conformal prediction sets of a fit.

    Attributes
    ----------
    scale : Scale
        Conversion of the model's values to scores.
    chances : Chances
        Conversion of scores to probabilities.
    conformal : Conformal
        Calibration rows against which new rows are ranked.
    rules : tuple of FoldRule
        Models that scored these rows, by the number of the fold; the model of the fit if the rows were given.
    own_rows : bool
        Whether the calibration rows are the fit's own, held out fold by fold, and not rows that were given.
    share : array (classes,)
        Proportion of each class among the calibration rows, by their own weights: the prevalence of the probabilities.
    scores : array (n, classes)
        Scores of the calibration rows.
    reasons : tuple of str
        Reasons why the theory of prediction sets does not cover this calibration.
    tuned : bool
        Whether the parameters were tuned again in each fold, without its rows.
    class_weights : bool
        Whether the fit has weights of classes, which probabilities and sets ignore.
    """

    scale: Scale
    chances: Chances
    conformal: Conformal
    rules: tuple[FoldRule, ...]
    own_rows: bool
    share: np.ndarray
    scores: np.ndarray
    reasons: tuple[str, ...] = field(default=())
    tuned: bool = False
    class_weights: bool = False

    def probabilities(self, values: np.ndarray, prior: np.ndarray | None = None) -> np.ndarray:
        """Probabilities (r, classes) from the model's values for rows; with `prior`, for another prevalence of the classes."""
        p = self.chances.of(self.scale.scores(values))
        return p if prior is None else under_prior(p, self.share, prior)

    def p_values(self, new: Any, zero: bool = False) -> tuple[np.ndarray, pd.Index, np.ndarray]:
        """Conformal p-values (r, classes) of the complete rows of new data, the labels of all rows, and which are complete.

        See `Dissimilarity.new_query` for `zero`.
        """
        strange = []
        for fold_rule in self.rules:
            if new is None:
                query, index, complete = fold_rule.dissimilarity.query(), fold_rule.dissimilarity.index, None
            else:
                query, index, complete = fold_rule.dissimilarity.new_query(new, zero)
            values = answer(fold_rule.rule, self.scale.kind, query)
            strange.append(nonconformity(self.scale.scores(values)))
        every = np.ones(len(index), bool) if complete is None else complete
        lost = np.isnan(np.stack(strange)).any(axis=(0, 2))
        p = self.conformal.p_values(np.nan_to_num(np.stack(strange)))
        p[lost] = np.nan
        return p, index, every

    @printed
    def __repr__(self) -> str:
        return f"Calibration: {self.words()}\n{self.guarantee()}"

    def words(self) -> str:
        """How the probabilities were learned."""
        name, rows = "logistic (Platt)" if self.chances.name == "multinomial" else self.chances.name, len(self.conformal.y)
        source = f"{rows} held-out rows, {len(self.rules)} folds" if self.own_rows else f"{rows} separate rows"
        source += ", tuned again in each fold" if self.tuned else ""
        source += ", for the prevalence without class weights" if self.class_weights else ""
        return f"{name} calibration, {source}"

    def guarantee(self, level: float = 0.9) -> str:
        """The nominal coverage of prediction sets of this level, and the reasons why it is not guaranteed."""
        check_level(level)
        head = f"Prediction sets of level {level:g} contain the true class with probability "
        if self.own_rows:
            head += f"about {level:g} in each class; the guarantee is about {max(0.0, 2 * level - 1):g} (cross-conformal)"
        else:
            head += f"at least {level:g} in each class, on average over calibration rows and new rows"
        return f"{head}. The guarantee does not account for {', or for '.join(self.reasons)}." if self.reasons else f"{head}."

    def smallest_level(self) -> np.ndarray:
        """For each class, the level from which every set contains it, because it has too few calibration rows."""
        return np.asarray(1 - 1 / (rows_of_classes(self.conformal.y, self.conformal.w, self.conformal.classes) + 1))


def calibrate(
    fit: AnyFit,
    data: Any = None,
    how: str = "auto",
    cv: Any = "auto",
    seed: int | None = None,
    weights: Any = None,
    tune: Any = "auto",
) -> AnyFit:
    """Add calibrated class probabilities and conformal prediction sets to the fit.

    Without `data`, the method is refitted in each fold of a cross-validation, and scores the rows of the held-out fold. With `data`,
    this fit scores the given rows, which must not have been used to train it. The score of a class is a log proportion of votes, a
    decision value or a negative log distance, depending on the method.

    Probabilities, `predict(new, "prob")`, are obtained by regressing the classes of these rows on their scores.

    Prediction sets, `predict(new, "set", level=0.9)`, are class-conditional (Mondrian) conformal sets (Vovk 2015). A class is in the
    set if its conformal p-value exceeds 1 - level: the proportion of calibration rows of this class, the new row included, that
    conform to the class no better than the new row does. For distances, conformity is the ratio of the distance to the nearest other
    class to the distance to the class. A set may be empty or contain several classes.

    Parameters
    ----------
    data : DataFrame, optional
        Calibration rows with the predictors and the response. Default: the training rows, by cross-validation.
    how : "auto", "multinomial" or "isotonic"
        Calibration method. "auto": isotonic if its held-out log loss is lower by more than one standard error, otherwise multinomial.
        "multinomial": logistic calibration with one intercept per class and one common slope (Platt 1999 for two
        classes), which is shrunken (van Houwelingen and le Cessie 1990). "isotonic": isotonic regression, an increasing step
        function of how far the class is ahead of the others; it needs more rows. Each step counts one more row, with the
        proportions of all rows.
    cv : "auto", int, "loo", Series or array of folds
        Cross-validation folds of the training rows; ignored if `data` is given. "auto" is 10, or fewer if a class has fewer rows.
    seed : int, optional
        Seed for the folds. Default: the seed of the fit.
    weights : column name, Series or array, optional
        Weights of the rows of `data`, relative to each other, as `weights=` of `fit`. Default: equal weights.
    tune : "auto", True or False
        Whether to tune parameters again without each fold, if the fit has tuned them. "auto": if there are at most 20 folds, the
        metric does not learn from the classes, and folds x rows x candidates x grid points <= 2e8. Tuning takes about as long as one
        cross-validation for each fold.

    Returns
    -------
    Fit
        The same classifier with probabilities and sets added. `predict(new)` does not change; use `predict(new, loss=...)` to decide
        by expected loss.

    Raises
    ------
    DataError
        If a class has no calibration rows, or if rows of `data` are training rows.
    OptionError
        If `cv` is None and `data` is not given.
    NotAvailable
        If the method gives no values by class.

    Notes
    -----
    *Probabilities* are for the prevalence of the classes among the calibration rows, without `class_weights=` of the fit;
    `predict(new, "prob", prior=...)` gives them for another prevalence. They are never 0 or 1: a new row counts as one more row that
    may be of any class.

    *Coverage* of the sets, within each class:

    * with separate calibration rows: at least `level`;
    * with the training rows (cross-conformal, Vovk 2015): typically close to `level`; about 1 - 2 (1 - level) is guaranteed, if the
      parameters were tuned again without each fold, or not tuned.

    `fit.calibration.guarantee(level)` states the guarantee for this fit.

    *Simulations.* In ten worlds (equal and unequal spread, one half separable and one half noise, a rare class, noise, 60 rows), the mean
    difference between the default probabilities and the observed proportions was 0.001 to 0.063. "multinomial" assumes that the log odds
    are linear in the difference of the scores. If one half of the rows is separable and the other noise, this is wrong (0.29
    was predicted, and the proportion was 0.51), and the default selects "isotonic". With 60 rows, the default was off by 0.05 to 0.06
    (`python benchmarks/calibrated.py`, recorded in `docs/validation.md`).

    See Also
    --------
    Fit.threshold : select a probability threshold for one class.
    Fit.test : calibration, Brier score, log loss and coverage on new rows.

    Examples
    --------
    >>> import protoclass as pc
    >>> fit = pc.fit("species ~ .", pc.load_data("iris"), eps=1.0).calibrate()
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "prob").round(2).to_numpy().tolist()
    [[0.99, 0.01, 0.01], [0.01, 0.35, 0.65]]
    >>> fit.predict(pc.load_data("iris").iloc[[0, 70]], "set", level=0.95).tolist()
    [('setosa',), ('versicolor', 'virginica')]
    """
    request = requested(data=data, how=how, cv=cv, seed=seed, weights=weights, tune=tune)
    call = replace(fit.call, arguments={**fit.call.arguments, "calibrate": request or True})
    return calibrated(replace(fit, problem=replace(fit.problem, call=call), calibration=None))


DEFAULTS = {name: p.default for name, p in list(signature(calibrate).parameters.items())[1:]}


def calibrated(fit: AnyFit) -> AnyFit:
    """The fit, calibrated if its call requests it and it is not calibrated yet."""
    wanted = fit.call.arguments.get("calibrate", False)
    if wanted is False or fit.calibration is not None:
        return fit
    return replace(fit, calibration=calibration(fit, **arguments_of(wanted)))


def requested(**arguments: Any) -> dict[str, Any]:
    """The arguments of a calibration that are not the defaults."""
    return {
        name: v
        for name, v in arguments.items()
        if not (v is DEFAULTS[name] or (isinstance(v, (int, str)) and v == DEFAULTS[name]))
    }


def arguments_of(calibrate: Any) -> dict[str, Any]:
    """The arguments of `Fit.calibrate` that `calibrate=` of a call means: True, a name, or a mapping of them."""
    if calibrate is True:
        return dict(DEFAULTS)
    if isinstance(calibrate, str):
        return {**DEFAULTS, "how": calibrate}
    if not isinstance(calibrate, Mapping) or set(calibrate) - set(DEFAULTS):
        ways = ", ".join(map(repr, HOW))
        raise OptionError(f"calibrate must be True, False, {ways} or a dict of {list(DEFAULTS)}, not {brief(calibrate)}")
    return {**DEFAULTS, **calibrate}


def value_read(rule: Rule) -> str:
    """Kind of values that a calibration uses: votes or decisions if the rule has them, otherwise distances by class."""
    for kind in READ:
        if kind in rule.kinds:
            return kind
    raise NotAvailable(f"a rule that predicts only {', '.join(rule.kinds)} can't be calibrated, because it has no values by class")


def calibration(fit: Fitted, data: Any, how: str, cv: Any, seed: int | None, weights: Any, tune: Any) -> Calibration:
    """See `Fit.calibrate`."""
    one_of("how", how, HOW)
    one_of("tune", tune, ("auto", True, False))
    kind = value_read(fit.rule)
    chosen: Tuned | None = None
    if data is None:
        if weights is not None:
            raise OptionError("weights= must be given with data=, because the training rows have the weights of the fit")
        if cv is None:
            raise OptionError("cv=None leaves no row for calibration: use a number of folds, 'loo', custom folds, or data=")
        drawn = with_folds(fit.chosen_problem, cv, seed)
        chosen = tuned_in_folds(fit, drawn, _folds_of(drawn), tune)
        values, y, w, fold, rules = _held_out(fit, kind, drawn, chosen.values)
    else:
        values, y, w, fold, rules = _given_rows(fit, kind, data, weights)
    empty = [shown(fit.classes[c]) for c in range(len(fit.classes)) if not (w[y == c] > 0).any()]
    if empty:
        raise DataError(f"each class needs calibration rows, but {', '.join(empty)} has none")
    scale = scale_of(kind, values)
    scores = scale.scores(values)
    chances = LEARN[how](scores, y, w) if how in LEARN else fit_selected(scores, y, w, parts_of(y, fold, int(np.bincount(y).min())))
    strange = nonconformity(scores)[np.arange(len(y)), y]
    classes = len(fit.classes)
    share = np.bincount(y, w, classes) / w.sum()
    conformal = Conformal(strange, y, w, fold, classes)
    return Calibration(
        scale, chances, conformal, rules, data is None, share, scores, _reasons(fit, conformal, chosen),
        chosen is not None and chosen.values is not None, fit.problem.class_factors is not None,
    )  # fmt: skip


def parts_of(y: np.ndarray, fold: np.ndarray, fewest: int) -> np.ndarray:
    """Parts (n,) of calibration rows: their folds, joined to at most ten; or as many parts of a single fold as a class has rows."""
    fold = np.unique(fold, return_inverse=True)[1]
    if fold.max() == 0:
        return stratified(y, min(MOST_PARTS, max(fewest, 1)), 0)
    return np.unique(grouped(y, fold, MOST_PARTS, 0), return_inverse=True)[1] if fold.max() >= MOST_PARTS else fold


def _reasons(fit: Fitted, conformal: Conformal, chosen: Tuned | None) -> tuple[str, ...]:
    """Why the theory of prediction sets does not cover a calibration by these rows; `chosen` is None if the rows were given."""
    out, own_rows = [], chosen is not None
    if chosen is not None and chosen.values is None and (fit.selection.values or fit.selection.by_hand):
        why = f" ({chosen.why_not})" if chosen.why_not else ""
        out.append(f"parameters that were tuned on the same rows{why}")
    if own_rows and fit.problem.groups is not None:
        out.append("dependence of the rows of a group")
    if any(np.ptp(conformal.w[conformal.y == c]) > 0 for c in range(conformal.classes)):
        out.append("different weights of the rows of a class")
    if own_rows and not fit.problem.train_in_folds and fit.dissimilarity.metric.data_dependent:
        out.append("a dissimilarity that was scaled by all rows")
    return tuple(out)


Held = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[FoldRule, ...]]


def rules_of_folds(fit: Fitted, cv: Any, seed: int | None) -> Iterator[tuple[np.ndarray, FoldRule]]:
    """For each fold its rows, and the fit's method with its parameters, learned without these rows."""
    return _rules_of_folds(fit, with_folds(fit.chosen_problem, cv, seed), None)


def _folds_of(problem: Problem) -> np.ndarray:
    """The fold of each row (n,)."""
    fold: np.ndarray = draw_folds(problem, 1)[0][0]
    return fold


def _rules_of_folds(
    fit: Fitted, problem: Problem, values: tuple[Mapping[str, Any], ...] | None
) -> Iterator[tuple[np.ndarray, FoldRule]]:
    """As `rules_of_folds`, with the parameters of each fold if they are given."""
    fold = _folds_of(problem)
    dissimilarity = problem.measure()
    task = problem.task(dissimilarity)
    with bar(int(fold.max()) + 1, "learning without each fold", problem.progress) as learning:
        for f, fold_path in _paths(fit, problem, dissimilarity, task, fold, values):
            rule = fold_path.path.at(0)
            if fit.selection.steps is not None and isinstance(rule, Stepwise):
                most = len(next(iter(rule.steps.values()))) - 1
                rule = rule.first(min(fit.selection.steps, most))
            yield np.flatnonzero(fold == f), FoldRule(rule, fold_path.dissimilarity)
            learning.update()


def _paths(
    fit: Fitted, problem: Problem, dissimilarity: Dissimilarity, task: Task, fold: np.ndarray, values: tuple[Mapping[str, Any], ...] | None
) -> Iterator[tuple[int, FoldPath]]:
    """The number of each fold and its path: of all folds at once, or fold by fold if each has its own parameters."""
    if values is None:
        for fold_path in fold_paths(problem, dissimilarity, task, fold, {}, False):
            yield fold_path.fold, fold_path
        return
    for f, own in enumerate(values):
        tuned = replace(problem, model=fit.problem.model, to_tune=fit.problem.to_tune).with_values(own)
        if fit.problem.to_tune is not None:
            dissimilarity = tuned.measure()
            task = tuned.task(dissimilarity)
        for fold_path in fold_paths(tuned, dissimilarity, replace(task, seed=(*task.seed, f)), np.where(fold == f, 0, -1), {}, False):
            yield f, fold_path


@dataclass(frozen=True)
class Tuned:
    """Parameters tuned again without each fold; None with the reason if they were not."""

    values: tuple[Mapping[str, Any], ...] | None
    why_not: str = ""


def tuned_in_folds(fit: Fitted, problem: Problem, fold: np.ndarray, tune: Any) -> Tuned:
    """The parameters that the cross-validation of the fit selects from the rows outside each fold.

    Parameters
    ----------
    fit : Fitted
        The fit.
    problem : Problem
        Problem of the fit, with the folds of the calibration.
    fold : int array (n,)
        Fold of each row.
    tune : "auto", True or False
        Whether to tune; "auto": if it is cheap, see `_costs_little`.
    """
    validation, selection = fit.curve, fit.selection
    if tune is False or validation is None or validation.procedure is None or selection.by_hand or not selection.values:
        return Tuned(None)
    if tune == "auto" and not _costs_little(fit, fold):
        return Tuned(None, "tune=True tunes them again in each fold, which takes long")
    procedure, out = validation.procedure, []
    with bar(int(fold.max()) + 1, "tuning without each fold", problem.progress) as tuning, warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the same rows are measured again: the user has been warned of them
        for f in range(int(fold.max()) + 1):
            part = _without(fit, np.flatnonzero(fold != f))
            if part is None:
                return Tuned(None, "without a fold they are too few to tune them again")
            try:
                found = procedure.of_problem(part)
            except DataError as error:
                if tune is True:
                    raise
                return Tuned(None, f"without a fold they can't be tuned again: {error}")
            out.append(values_at(found.grid, found.chosen(selection.rule)))
            tuning.update()
    return Tuned(tuple(out))


def _costs_little(fit: Fitted, fold: np.ndarray) -> bool:
    """Whether tuning in each fold is cheap, on any machine."""
    assert fit.curve is not None
    folds = int(fold.max()) + 1
    cost = float(np.prod([folds, *fit.dissimilarity.shape, len(fit.curve.grid), len(fit.curve.of_fold)], dtype=float))
    return folds <= MOST_FOLDS_TUNED and not (fit.problem.train_in_folds or isinstance(fit.problem.to_tune, OneOf)) and cost <= MOST_TUNED


def _without(fit: Fitted, rows: np.ndarray) -> Problem | None:
    """The problem of the fit with these rows only, and with as many folds as they allow; None if they allow none."""
    problem = fit.problem
    frame, cv = problem.frame.take(rows), problem.cv
    groups = None if problem.groups is None else pd.factorize(problem.groups[rows])[0]
    most = int(frame.class_counts.min()) if groups is None else int(groups.max()) + 1
    if isinstance(cv, np.ndarray):
        cv = cv[rows]
        most = len(np.unique(cv))
    elif not isinstance(cv, str):
        cv = min(int(cv), most)
    metric = problem.metric if problem.train_in_folds else fit.dissimilarity.metric
    part = replace(problem, frame=frame, groups=groups, cv=cv, metric=metric, progress=False)
    return part if most >= 2 else None


def _held_out(fit: Fitted, kind: str, problem: Problem, values: tuple[Mapping[str, Any], ...] | None) -> Held:
    """Out-of-fold values of the training rows, by the rules of the folds; rows have their own weights."""
    frame, w = fit.frame, fit.problem.own_weights
    found, fold = np.empty((len(frame), len(frame.levels))), np.empty(len(frame), int)
    rules: list[FoldRule] = []
    for rows, fold_rule in _rules_of_folds(fit, problem, values):
        found[rows], fold[rows] = answer(fold_rule.rule, kind, fold_rule.dissimilarity.query(rows)), len(rules)
        rules.append(fold_rule)
    lost = lost_levels(fit.problem, fold)
    found[lost.missing if fit.model.measures(fit.rule) else lost.every] = np.nan
    live = ~np.isnan(found).any(axis=1) & (w > 0)
    return found[live], frame.codes[live], w[live], fold[live], tuple(rules)


def _given_rows(fit: Fitted, kind: str, data: Any, weights: Any) -> Held:
    """Values of the rule of the fit for rows that were not used to train it."""
    data = as_pandas(data)
    w = given_weights(weights, data)
    codes = fit.true_codes(data, "the calibration data", "a calibration")
    fit.warn_of(fit.unseen_in(data))
    query, _, complete = fit.dissimilarity.new_query(data)
    codes, values = codes[complete], answer(fit.rule, kind, query)
    _check_new(fit, data[complete])
    known = (codes >= 0) & ~np.isnan(values).any(axis=1) & (w[complete] > 0)
    if not known.any():
        weight = "" if weights is None else ", and weight"
        raise DataError(f"calibration needs rows with a known class and all predictors{weight}, but there are none")
    one_fold = np.zeros(int(known.sum()), int)
    return values[known], codes[known], w[complete][known], one_fold, (FoldRule(fit.rule, fit.dissimilarity),)


def _check_new(fit: Fitted, data: pd.DataFrame) -> None:
    """Training rows lie nearer to the prototypes than new rows do, so they guarantee nothing: reject them."""
    found = coincidences(fit, data)
    if found is None or not found.unlikely:
        return
    cure = "use rows that were not used for fitting, or leave data= out to use cross-validation"
    if found.sure:
        raise DataError(
            f"calibration rows must not be training rows, but {int(found.same.sum())} of these {found.rows} rows were used to fit (first: "
            f"{shown(data.index[found.same][0])}): {cure}"
        )
    warn(
        f"some calibration rows may be training rows, because {found.words()}; probabilities and sets of training rows are overconfident: "
        f"{cure}",
        DataWarning,
    )


def chances(fit: Fitted, query: Query, prior: np.ndarray | None) -> np.ndarray:
    """Probabilities (r, classes) of the rows of a query: calibrated, or else of the rule; NaN for a row with a missing value.

    Calibrated probabilities are for the prevalence of the calibration rows, without the factors of `class_weights=`; those of
    the rule are for the prevalence in the training rows, with these factors. With `prior` (classes,) they are for that prevalence.
    """
    if fit.calibration is not None:
        return fit.calibration.probabilities(answer(fit.rule, fit.calibration.scale.kind, query), prior)
    if "prob" not in fit.rule.kinds:
        raise OptionError(f"method {fit.model.name!r} has no probabilities unless it is calibrated: use fit.calibrate()")
    p = answer(fit.rule, "prob", query)
    if prior is None:
        return p
    weight = fit.frame.class_weights
    return under_prior(p, weight / weight.sum(), prior)


def decide(p: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """The class with the lowest expected loss (r,); ties go to the first class, and -1 is for a row without probabilities."""
    expected = p @ loss
    lost = np.isnan(expected).any(axis=1)
    return np.where(lost, -1, np.where(lost[:, None], 0.0, expected).argmin(axis=1))


def loss_of(loss: Any, levels: pd.Index) -> np.ndarray:
    """The loss matrix of a decision; 0-1 loss if none is given."""
    if loss is None:
        return 1.0 - np.eye(len(levels))
    if not isinstance(loss, pd.DataFrame):
        raise OptionError(f"loss must be a DataFrame with true classes as rows and predicted ones as columns, not {brief(loss)}")
    return loss_matrix(loss, levels)


def prior_of(prior: Any, problem: Problem) -> np.ndarray | None:
    """Proportions of the classes in level order: given as a mapping or Series by class, or those to which `class_weights=` weigh them."""
    levels = problem.frame.levels
    if prior is None:
        return None
    if isinstance(prior, str) and prior == "class_weights":
        if problem.class_factors is None:
            raise OptionError("prior='class_weights' needs a fit with class_weights=, but this fit has none")
        weight = problem.frame.class_weights
        return np.asarray(weight / weight.sum())
    try:
        values = dict(prior)
    except (TypeError, ValueError):
        raise OptionError(
            f"prior must be a proportion for each class, such as a dict or a Series by class, or 'class_weights', not {brief(prior)}"
        ) from None
    if len(values) != len(levels) or any(level not in values for level in levels):
        raise OptionError(f"prior must have a proportion for each of the classes {brief(list(levels))}, not {brief(prior)}")
    if not all(is_number(v, 0.0) for v in values.values()):
        raise OptionError(f"prior must have proportions >= 0, not {brief(prior)}")
    shares = np.array([float(values[level]) for level in levels])
    if abs(shares.sum() - 1) > 1e-6:
        raise OptionError(f"prior must sum to 1, but {brief(prior)} sums to {shares.sum():.6g}")
    return np.asarray(shares / shares.sum())


def prediction_sets(fit: Fitted, new: Any, level: Any, zero: bool = False) -> pd.Series:
    """For each row the classes that conform to the calibration rows: a tuple, None for a row with missing values."""
    check_level(level)
    if fit.calibration is None:
        raise OptionError("prediction sets need a calibrated fit: use fit.calibrate().predict(new, 'set')")
    p, index, complete = fit.calibration.p_values(new, zero)
    out = np.full(len(index), None, object)
    classes = np.array(fit.classes, object)
    for i, row in zip(np.flatnonzero(complete), p, strict=True):
        out[i] = None if np.isnan(row).any() else tuple(classes[row > 1 - level])
    return pd.Series(out, index, dtype=object, name=fit.frame.formula.response)
